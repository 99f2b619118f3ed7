"""Choices that really achieve the values, and values of fixed choices.

A move that keeps the value is not always a good move: a player who keeps a sure win at every step
may still go round a cycle for ever. So among equally good moves `policy` prefers one that makes
progress:

1. moves that leave a component, or lead to rows from which leaving is already certain, whatever
   the opponent does with equally good moves of their own;
2. only rows where endless play is no worse than the value may stay.

Played against each other, or against anything else, these choices secure the value to both sides
(for bounds: up to their width times the length of play). `evaluate` says what fixed choices of
one player or of both are worth, between proved bounds or exactly."""

from dataclasses import replace

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Ints, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.certify import opposite
from perfectplay.solvers.chance.cyclic_components import StratumComponents
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.chance.stochastic import solve
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Facts, Graph

NO_MOVE = -1


def policy(graph: Graph, facts: Facts, store: Bounds | Fractions) -> Array:
    """For each row of a player the number of the edge to take, int64[n]; NO_MOVE for other
    rows."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    near = _near(graph, store)
    tight, worth = _tight(graph, store, row_of, near)
    choice = first_edges(graph, -worth, ~tight)
    if not graph.inside:
        return choice
    parts = StratumComponents(graph)
    moves = np.bincount(row_of[tight], minlength=graph.size)
    open_rows = np.nonzero((graph.kind >= 0) & (moves > 1))[0]  # elsewhere there is no choice
    undecided = distinct(parts.found.number[open_rows])
    for c in undecided[parts.found.cyclic[undecided]].tolist():
        local = parts.local(c, (near, near))
        _arrange(graph, local, facts.endless, (tight, near), choice)
    return choice


def first_edges(graph: Graph, *keys: Array) -> Array:
    """For each row of a player the edge with the least keys, of which the last counts first, and
    of equal ones the first in the order of the rules, int64[n]; NO_MOVE for other rows."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    order = np.lexsort((np.arange(graph.edges), *keys, row_of))
    out = np.full(graph.size, NO_MOVE, np.int64)
    moving = np.flatnonzero(graph.kind >= 0)
    out[moving] = order[graph.first[moving]]
    return out


def _near(graph: Graph, store: Bounds | Fractions) -> Array:
    """The values of all ids that matter, as floats."""
    high = graph.low + graph.size
    if isinstance(store, Fractions):
        near = np.zeros(high)
        ids = distinct(graph.child[graph.child < graph.low]).tolist()
        for id in [*ids, *range(graph.low, high)]:
            near[id] = float(store.value[id][0])
        return near
    near = np.zeros(high)  # only what is written takes memory
    for ids in (graph.child, slice(graph.low, high)):
        lower, upper = store.lower[ids], store.upper[ids]
        near[ids] = np.where(lower == upper, lower, 0.5 * (lower + upper))
    return near


def _tight(
    graph: Graph, store: Bounds | Fractions, row_of: Array, near: Array
) -> tuple[Array, Array]:
    """Which edges keep the value as far as is known, and the values of edges to the mover."""
    child = graph.child.astype(np.int64)
    turned = np.broadcast_to(graph.swap & 1, graph.edges).astype(bool)
    reward = np.broadcast_to(graph.reward, graph.edges).astype(float)
    sign = np.where(graph.kind[row_of] == 1, -1.0, 1.0)
    worth = sign * (reward + np.where(turned, -near[child], near[child]))
    if isinstance(store, Fractions):
        exact = [entry[0] if entry else None for entry in store.value]
        edges = zip(row_of, child, turned, reward, strict=True)
        same = [
            exact[graph.low + r] == (-exact[c] if t else exact[c]) + int(x) for r, c, t, x in edges
        ]
        return np.array(same, np.bool_), worth
    lower, upper = store.lower, store.upper
    ids = graph.low + row_of
    most = reward + np.where(turned, -lower[child], upper[child])
    least = reward + np.where(turned, -upper[child], lower[child])
    keeps = np.where(graph.kind[row_of] == 1, least <= upper[ids], most >= lower[ids])
    return keeps, worth


def _arrange(
    graph: Graph, local: LocalGraph, endless: float, known: tuple[Array, Array], choice: Array
) -> None:
    """Choices of both players in one component, written into `choice`."""
    first, node = local.first, local.node
    tight, near = known
    rows = node >> 1
    shift = np.repeat(graph.first[rows] - first[:-1], np.diff(first))
    mine = tight[np.arange(len(local.to)) + shift]
    value = np.where(node & 1, -1.0, 1.0) * near[graph.low + rows]
    for side, part in ((1.0, local), (-1.0, opposite(local))):
        found = lead(part, mine, side * value <= side * endless)
        use = (part.kind == 0) & (found >= 0)
        choice[rows[use]] = (found + graph.first[rows] - first[:-1])[use]


@kernel
def lead(local: LocalGraph, tight: Bools, content: Bools) -> Ints:
    """For rows of player 0 a tight edge that makes progress; -1 where any will do. `content` rows
    may stay for ever."""
    choice = np.full(len(local.kind), NO_MOVE, np.int64)
    done = np.zeros(len(local.kind), np.bool_)
    arrange(local, tight, done, choice)
    done |= content
    arrange(local, tight, done, choice)
    return choice


@kernel
def arrange(local: LocalGraph, tight: Bools, done: Bools, choice: Ints) -> None:
    """Add to `done` all rows from which player 0 can make sure to leave or to reach such rows, by
    tight edges, which go into `choice`."""
    kind, first, to = local.kind, local.first, local.to
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            ready = 0
            others = 0
            for e in range(first[i], first[i + 1]):
                if done[i] or (kind[i] >= 0 and not tight[e]):
                    continue
                if to[e] >= 0 and not done[to[e]]:
                    others += 1
                    continue
                ready += 1
                if kind[i] == 0 and choice[i] < 0:
                    choice[i] = e
            if ready and (kind[i] != 1 or others == 0):
                done[i] = True
                changed = True


def fixed(graph: Graph, choice: Array, players: tuple[int, ...] = (0, 1)) -> Graph:
    """The graph in which these players have no other edges than their choices."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    bound = np.isin(graph.kind, players)[row_of]
    kept = np.nonzero(~bound | (np.arange(graph.edges) == choice[row_of]))[0]
    first = np.zeros(graph.size + 1, np.int64)
    np.cumsum(np.bincount(row_of[kept], minlength=graph.size), out=first[1:])

    def some(array: Array) -> Array:
        return array[kept] if len(array) == graph.edges else array

    return replace(
        graph,
        first=first,
        child=graph.child[kept],
        swap=some(graph.swap),
        weight=some(graph.weight),
        reward=some(graph.reward),
    )


def evaluate(
    graph: Graph,
    facts: Facts,
    store: Bounds | Fractions,
    choice: Array,
    players: tuple[int, ...] = (0, 1),
) -> Bounds | Fractions:
    """What all rows are worth when these players keep to their choices (and the others, if any,
    play their best): a store like the given one, from which only values below the stratum are
    read."""
    found = (
        Fractions(store.width, list(store.value))
        if isinstance(store, Fractions)
        else Bounds(store.lower.copy(), store.upper.copy())
    )
    solve(fixed(graph, choice, players), facts, found, Options())
    return found
