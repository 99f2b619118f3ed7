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
from perfectplay.solvers.store import Bounds, Fractions, Store, Vectors, new_store
from perfectplay.solvers.turns.turn_graph import (
    LANES,
    TurnGraph,
    Unsolved,
    lane_count,
    most_nodes,
    turn_graph,
    unroll,
)
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Facts, Graph

BACKWARD, UNROLLED, NEWTON = "backward pass by turns", "turns unrolled", "newton by turns"
NODES = 1 << 20
"""Nodes that are unrolled at a time, unless one component has more."""
ROWS = 1 << 10
"""Rows that a thread takes at a time."""
Pair = tuple[Floats, Floats]
"""Lower and upper bounds."""
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
def _pass(rows: Ints, game: TurnGraph, bounds: Pair) -> None:
    """Bounds of rows, each by a walk through the nodes of its turn, children first; up to LANES
    rows of one pattern at once."""
    shapes = game.pattern[rows]
    lower, upper = bounds
    most = most_nodes(shapes, game.start)
    under = np.zeros((most, LANES))
    over = np.zeros((most, LANES))
    sums = np.zeros((4, LANES))
    done = 0
    while done < len(rows):
        shape = shapes[done]
        some = rows[done : done + lane_count(shapes, done)]
        _walk(some, shape, game, bounds, (under, over, sums))
        top = game.start[shape + 1] - game.start[shape] - 1
        for i in range(len(some)):
            lower[game.low + some[i]] = under[top, i]
            upper[game.low + some[i]] = over[top, i]
        done += len(some)


@kernel
def _walk(  # noqa: C901, PLR0915
    rows: Ints, shape: int, game: TurnGraph, bounds: Pair, scratch: tuple[Floats, Floats, Floats]
) -> None:
    """Fill in bounds for all nodes of the turns of rows that have one pattern.

    A mean of n numbers of size m, computed in floats, is off by less than (n + 4) m 2**-53; means
    never leave the range of what they are means of."""
    start, kind, first, to = game.start, game.kind, game.inner, game.to
    weight, reward, nodes, exits = game.weight, game.reward, game.node, game.first
    child, swap, weights, rewards = game.child, game.swap, game.exit_weight, game.exit_reward
    lower, upper = bounds
    under, over, sums = scratch
    every_swap = -1 if len(swap) == len(child) else 0
    every_weight = -1 if len(weights) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    place = exits[rows]
    begin = start[shape]
    for j in range(start[shape + 1] - begin):
        node = begin + j
        # Chance: sums[0], sums[1] add up bounds, sums[2], sums[3] are their least and most.
        if kind[node] < 0:
            total = 0.0
            for i in range(LANES):
                sums[0, i], sums[1, i], sums[2, i], sums[3, i] = 0.0, 0.0, np.inf, -np.inf
            for e in range(first[node], first[node + 1]):
                w, t = np.float64(weight[e]), to[e]
                total += w
                for i in range(LANES):
                    sums[0, i] += w * under[t, i]
                    sums[1, i] += w * over[t, i]
                    sums[2, i] = min(sums[2, i], under[t, i])
                    sums[3, i] = max(sums[3, i], over[t, i])
            for i in range(len(rows)):
                x = place[i]
                mass = total
                while x < exits[rows[i] + 1] and nodes[x] == j:
                    w = np.float64(weights[x & every_weight])
                    id, turned = child[x], swap[x & every_swap] & 1
                    a = -upper[id] if turned else lower[id]
                    b = -lower[id] if turned else upper[id]
                    mass += w
                    sums[0, i] += w * a
                    sums[1, i] += w * b
                    sums[2, i] = min(sums[2, i], a)
                    sums[3, i] = max(sums[3, i], b)
                    x += 1
                steps = first[node + 1] - first[node] + x - place[i] + 4
                place[i] = x
                least, most = sums[2, i], sums[3, i]
                if least > -np.inf and least != most:
                    error = 1.12e-16 * steps * max(abs(least), abs(most))
                    least = max(least, sums[0, i] / mass - error)
                    most = min(most, sums[1, i] / mass + error)
                under[j, i], over[j, i] = least, most
            continue
        # A player: sums[0], sums[1] are the best bounds, seen with the sign of that player.
        sign = 1.0 if kind[node] == 0 else -1.0
        for i in range(LANES):
            sums[0, i], sums[1, i] = -np.inf, -np.inf
        for e in range(first[node], first[node + 1]):
            t, r = to[e], np.float64(reward[e])
            slack = ROUNDING if reward[e] != 0 else 0.0
            for i in range(LANES):
                a, b = under[t, i] + r, over[t, i] + r
                sums[0, i] = max(sums[0, i], sign * (a - slack * abs(a)))
                sums[1, i] = max(sums[1, i], sign * (b + slack * abs(b)))
        for i in range(len(rows)):
            x = place[i]
            while x < exits[rows[i] + 1] and nodes[x] == j:
                id, turned = child[x], swap[x & every_swap] & 1
                r = np.float64(rewards[x & every_reward])
                a = (-upper[id] if turned else lower[id]) + r
                b = (-lower[id] if turned else upper[id]) + r
                slack = ROUNDING if r != 0.0 else 0.0
                sums[0, i] = max(sums[0, i], sign * (a - slack * abs(a)))
                sums[1, i] = max(sums[1, i], sign * (b + slack * abs(b)))
                x += 1
            place[i] = x
        for i in range(LANES):
            under[j, i], over[j, i] = sign * sums[0, i], sign * sums[1, i]


# -- Unrolled. ------------------------------------------------------------------------------------


def _unrolled(graph: Graph, facts: Facts, store: Store, options: Options, left: Unsolved) -> None:
    """Solve the components that are left as ordinary graphs."""
    found, wanted, work = left
    solver: Callable[..., Work] = stochastic.solve if facts.scalar else vectors.solve
    for rows in _chunks(graph, found, wanted):
        flat, ids, roots = unroll(graph, rows)
        part = new_store(facts, len(ids) + flat.size, exact=isinstance(store, Fractions))
        _copy(store, ids, part, np.arange(len(ids)))
        done = solver(flat, facts, part, options)
        if facts.scalar:
            options.audit(flat, facts, part, done)
        _copy(part, roots, store, graph.low + rows)
        if isinstance(store, Vectors):
            store.residual = max(store.residual, done.residual)
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


def _copy(origin: Store, ids: Array, target: Store, to: Array) -> None:
    """Copy the values of some ids from one store to another of its kind."""
    if isinstance(origin, Fractions):
        assert isinstance(target, Fractions)
        for old, new in zip(ids.tolist(), to.tolist(), strict=True):
            target.value[new] = origin.value[old]
        return
    for name in ("lower", "upper") if isinstance(origin, Bounds) else ("value",):
        getattr(target, name)[to] = getattr(origin, name)[ids]
