"""Games with turns: rows are anchors, edges are the exits of their turns (positions/turns/,
strata/graph.py).

The problem: v[a] is the value of the turn of anchor a, played as well as possible, if its exits
have the values v of the anchors they lead to. Facts needed: there is chance, and every cycle
passes through an anchor.

1. Terminal rows are worth their payoffs.
2. Scalar games, no exit to the same stratum: one backward pass through every turn, with bounds.
3. In floats: Newton's method on the anchors of each component, for several players (newton.py),
   and with proved bounds for scalar games (scalar_bounds.py). In fractions, for several players:
   the same choices, checked exactly (exact_vectors.py).
4. Everything else, and what step 3 gives up: the turns of some components are **unrolled** to an
   ordinary graph. The solver for games without turns solves it; the values of its anchors are
   kept.

Guarantees are those of the solvers for games without turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.chance import stochastic
from perfectplay.solvers.players import vectors
from perfectplay.solvers.store import Bounds, Fractions, Store, Vectors
from perfectplay.solvers.turns.turn_graph import (
    LANES,
    TurnGraph,
    Unsolved,
    lane_count,
    most_nodes,
    turn_graph,
)
from perfectplay.solvers.turns.unroll import unroll
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Facts, Graph

BACKWARD, UNROLLED, NEWTON = "backward pass by turns", "turns unrolled", "newton by turns"
NODES = 1 << 20
"""Nodes that are unrolled at a time, unless one component has more."""
ROWS = 1 << 10
"""Rows that a thread takes at a time."""
ROUNDING = 2.3e-16
"""A sum of two floats is off by less than this, relative to its size."""


def solve(graph: Graph, facts: Facts, store: Store, options: Options) -> Work:
    """Write the values of one stratum of anchors into the store."""
    assert graph.turns is not None
    work = Work({}, reply_gain=0.0 if isinstance(store, Vectors) else None)
    over = np.flatnonzero(graph.kind == OVER)
    _put_payoffs(graph, over, store)
    if len(over):
        work.methods["ends"] = len(over)
    if len(over) == graph.size:
        return work
    if isinstance(store, Bounds) and not graph.inside:
        _backward(graph, store, options)
        work.methods[BACKWARD] = graph.size - len(over)
        return work
    found = components(graph)
    work.components = found.count - len(over)
    wanted = np.ones(found.count, np.bool_)
    wanted[found.number[over]] = False
    left = Unsolved(found, wanted, work)
    if isinstance(store, Vectors):
        from perfectplay.solvers.turns import newton

        newton.solve(graph, facts, store, options, left)
    if isinstance(store, Bounds):
        from perfectplay.solvers.turns import scalar_bounds

        scalar_bounds.solve(graph, store, options, left)
    if isinstance(store, Fractions) and not facts.scalar:
        from perfectplay.solvers.turns import exact_vectors

        exact_vectors.solve(graph, facts, store, options, left)
    _unrolled(graph, facts, store, options, left)
    return work


def _put_payoffs(graph: Graph, over: Array, store: Store) -> None:
    """Terminal rows are worth their payoffs."""
    ids, payoff = graph.low + over, graph.payoff[over]
    if isinstance(store, Bounds):
        exact = np.abs(payoff) < 2**53
        near = payoff.astype(float)
        store.lower[ids] = np.where(exact, near, np.nextafter(near, -math.inf))
        store.upper[ids] = np.where(exact, near, np.nextafter(near, math.inf))
    elif isinstance(store, Vectors):
        store.value[ids] = payoff
    else:
        assert isinstance(store, Fractions)
        for id, numbers in zip(ids.tolist(), payoff.tolist(), strict=True):
            each = numbers if isinstance(numbers, list) else [numbers]
            store.value[id] = tuple(map(Fraction, each))


# -- One pass backwards. --------------------------------------------------------------------------


def _backward(graph: Graph, store: Bounds, options: Options) -> None:
    """Bounds of turns whose exits all lead to known values."""
    game = turn_graph(graph)
    order = np.argsort(game.pattern, kind="stable")  # rows of one pattern go side by side
    order = order[game.pattern[order] >= 0]

    def task(begin: int, end: int) -> None:
        _pass(order[begin:end], game, (store.lower, store.upper))

    over_rows(task, len(order), options, ROWS)


@kernel
def _pass(rows: Ints, game: TurnGraph, bounds: tuple[Floats, Floats]) -> None:
    """Bounds of rows, each by a walk through the nodes of its turn, children first; up to LANES
    rows of one pattern at once."""
    shapes = game.pattern[rows]
    lower, upper = bounds
    most = most_nodes(shapes, game.start)
    under = np.zeros((most, LANES))
    over = np.zeros((most, LANES))
    fan = 1
    for row in rows:
        fan = max(fan, game.first[row + 1] - game.first[row])
    exits = np.empty((2, LANES, fan))
    done = 0
    while done < len(rows):
        shape = shapes[done]
        some = rows[done : done + lane_count(shapes, done)]
        _exit_bounds(some, game, bounds, exits)
        _walk(some, shape, game, exits, (under, over))
        top = game.start[shape + 1] - game.start[shape] - 1
        for i in range(len(some)):
            lower[game.low + some[i]] = under[top, i]
            upper[game.low + some[i]] = over[top, i]
        done += len(some)


@kernel
def _exit_bounds(
    rows: Ints, game: TurnGraph, bounds: tuple[Floats, Floats], exits: Floats
) -> None:
    """Put bounds of the k-th exit of the i-th row into exits[:, i, k], rounded outwards."""
    first, child, swap, rewards = game.first, game.child, game.swap, game.exit_reward
    lower, upper = bounds
    every_swap = -1 if len(swap) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    for i in range(len(rows)):
        for x in range(first[rows[i]], first[rows[i] + 1]):
            id = child[x]
            turned = swap[x & every_swap] & 1
            a = -upper[id] if turned else lower[id]
            b = -lower[id] if turned else upper[id]
            earned = np.float64(rewards[x & every_reward])
            if earned != 0.0:
                a, b = a + earned, b + earned
                a, b = a - ROUNDING * abs(a), b + ROUNDING * abs(b)
            exits[0, i, x - first[rows[i]]], exits[1, i, x - first[rows[i]]] = a, b


@kernel
def _walk(
    rows: Ints, shape: int, game: TurnGraph, exits: Floats, nodes: tuple[Floats, Floats]
) -> None:
    """Fill in nodes = (lower, upper bounds) for all nodes of the turns of rows with one pattern.

    A mean of n numbers of size m, computed in floats, is off by less than (n + 4) m 2**-53; means
    never leave the range of what they are means of."""
    kind, inner, to, weight, reward = game.kind, game.inner, game.to, game.weight, game.reward
    node, first, weights = game.node, game.first, game.exit_weight
    under, over = nodes
    every_weight = -1 if len(weights) == len(game.child) else 0
    least, most = np.empty(LANES), np.empty(LANES)
    low_sum, high_sum = np.empty(LANES), np.empty(LANES)
    place = np.zeros(LANES, np.int64)
    begin = game.start[shape]
    for j in range(game.start[shape + 1] - begin):
        mover = kind[begin + j]
        sign = -1.0 if mover == 1 else 1.0  # player 1 takes what is worst for player 0
        total = 0.0
        low_sum[:], high_sum[:] = 0.0, 0.0
        least[:], most[:] = np.inf if mover < 0 else -np.inf, -np.inf
        # 1. Steps inside the turn.
        for e in range(inner[begin + j], inner[begin + j + 1]):
            t = to[e]
            if mover < 0:
                w = np.float64(weight[e])
                total += w
                for i in range(LANES):
                    low_sum[i] += w * under[t, i]
                    high_sum[i] += w * over[t, i]
                    least[i] = min(least[i], under[t, i])
                    most[i] = max(most[i], over[t, i])
            else:
                earned = np.float64(reward[e])
                slack = ROUNDING if earned != 0.0 else 0.0
                for i in range(LANES):
                    a, b = under[t, i] + earned, over[t, i] + earned
                    least[i] = max(least[i], sign * (a - slack * abs(a)))
                    most[i] = max(most[i], sign * (b + slack * abs(b)))
        # 2. Exits, which differ from lane to lane.
        for i in range(len(rows)):
            x, begun = place[i], first[rows[i]]
            mass = total
            while begun + x < first[rows[i] + 1] and node[begun + x] == j:
                a, b = exits[0, i, x], exits[1, i, x]
                if mover < 0:
                    w = np.float64(weights[(begun + x) & every_weight])
                    mass += w
                    low_sum[i] += w * a
                    high_sum[i] += w * b
                    least[i] = min(least[i], a)
                    most[i] = max(most[i], b)
                else:
                    least[i] = max(least[i], sign * a)
                    most[i] = max(most[i], sign * b)
                x += 1
            steps = inner[begin + j + 1] - inner[begin + j] + x - place[i] + 4
            place[i] = x
            # 3. The mean, which lies between the least and the most.
            if mover < 0 and least[i] > -np.inf and least[i] != most[i]:
                error = 1.12e-16 * steps * max(abs(least[i]), abs(most[i]))
                least[i] = max(least[i], low_sum[i] / mass - error)
                most[i] = min(most[i], high_sum[i] / mass + error)
        for i in range(LANES):
            under[j, i], over[j, i] = sign * least[i], sign * most[i]


# -- Unrolled. ------------------------------------------------------------------------------------


def _unrolled(graph: Graph, facts: Facts, store: Store, options: Options, left: Unsolved) -> None:
    """Solve the components that are left as ordinary graphs."""
    found, wanted, work = left
    solver: Callable[..., Work] = stochastic.solve if facts.scalar else vectors.solve
    for rows in _chunks(graph, found, wanted):
        flat, ids, roots = unroll(graph, rows)
        part = _part(store, ids, flat.size)
        done = solver(flat, facts, part, options)
        if facts.scalar:
            options.audit(flat, facts, part, done)
        _keep(store, graph.low + rows, part, roots)
        work.add(replace(done, methods={UNROLLED: len(rows)}, components=0))


def _chunks(graph: Graph, found: Components, wanted: Array) -> Iterator[Array]:
    """Rows of the components wanted, in order, some components at a time."""
    turns = graph.turns
    assert turns is not None
    nodes = np.diff(turns.patterns.start)[turns.pattern]
    held: list[Array] = []
    size = 0
    for c in np.flatnonzero(wanted).tolist():
        rows = found.rows[found.start[c] : found.start[c + 1]]
        size += int(nodes[rows].sum())
        held.append(rows)
        if size > NODES:
            yield np.concatenate(held)
            held, size = [], 0
    if held:
        yield np.concatenate(held)


def _part(store: Store, ids: Array, size: int) -> Store:
    """A store of its own for an unrolled graph, whose first rows are these ids."""
    if isinstance(store, Bounds):
        zeros = np.zeros(size)
        move = np.full(len(ids) + size, -1, np.int32)
        return Bounds(
            np.concatenate([store.lower[ids], zeros]),
            np.concatenate([store.upper[ids], zeros]),
            move,
        )
    if isinstance(store, Vectors):
        zeros = np.zeros((size, store.value.shape[1]))
        return Vectors(np.concatenate([store.value[ids], zeros]))
    assert isinstance(store, Fractions)
    known = [store.value[id] for id in ids.tolist()]
    moves = None if store.move is None else np.full(len(ids) + size, -1, np.int32)
    return Fractions(store.width, known + [None] * size, moves)


def _keep(store: Store, ids: Array, part: Store, roots: Array) -> None:
    """Copy the values of anchors out of an unrolled store."""
    if isinstance(store, Bounds):
        assert isinstance(part, Bounds)
        store.lower[ids] = part.lower[roots]
        store.upper[ids] = part.upper[roots]
    elif isinstance(store, Vectors):
        assert isinstance(part, Vectors)
        store.value[ids] = part.value[roots]
        store.residual = max(store.residual, part.residual)
    else:
        assert isinstance(store, Fractions)
        assert isinstance(part, Fractions)
        for id, root in zip(ids.tolist(), roots.tolist(), strict=True):
            store.value[id] = part.value[root]
