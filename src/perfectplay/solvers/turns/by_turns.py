"""Games with turns: rows are anchors, edges are the exits of their turns (positions/turns/,
strata/graph.py).

1. Ended rows are worth their payoffs.
2. Scalar games, no exit to the same stratum: one backward pass through every turn, with bounds.
3. In floats: Newton's method on the anchors of each component, for several players
   (newton.py), and with proved bounds for scalar games (scalar_bounds.py). In fractions, for
   several players: the same choices, checked exactly (exact_vectors.py).
4. All else, and what step 3 gives up: the turns of some components are **unrolled** to an ordinary
   graph, which the solver for games without turns solves, whatever it is; the values of its
   anchors are kept.

So everything that is proved of values in games without turns holds here, too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.chance import stochastic
from perfectplay.solvers.players import vectors
from perfectplay.solvers.store import Bounds, Fractions, Store, Vectors
from perfectplay.solvers.turns.lanes import LANES
from perfectplay.solvers.turns.unroll import unroll
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Facts, Graph

BACKWARD, UNROLLED, NEWTON = "backward pass by turns", "turns unrolled", "newton by turns"
Left = tuple[Components, Array, Work]
"""Components, those still to be solved, and what was done."""
NODES = 1 << 20
"""Nodes that are unrolled at a time, unless one component has more."""
ROWS = 1 << 10
"""Rows that a thread takes at a time."""


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
    left = np.ones(found.count, np.bool_)
    left[found.number[over]] = False
    if isinstance(store, Vectors):
        from perfectplay.solvers.turns import newton

        newton.solve(graph, facts, store, options, (found, left, work))
    if isinstance(store, Bounds):
        from perfectplay.solvers.turns import scalar_bounds

        scalar_bounds.solve(graph, store, options, (found, left, work))
    if isinstance(store, Fractions) and not facts.scalar:
        from perfectplay.solvers.turns import exact_vectors

        exact_vectors.solve(graph, facts, store, options, (found, left, work))
    _unrolled(graph, facts, store, options, (found, left, work))
    return work


def _put_payoffs(graph: Graph, over: Array, store: Store) -> None:
    """Ended rows are worth their payoffs."""
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
    turns = graph.turns
    assert turns is not None
    p = turns.patterns
    inside = p.start, p.kind, p.first, p.to, p.weight, p.reward
    outside = graph.low, graph.first, graph.child, graph.swap, graph.weight, graph.reward

    # Rows of one pattern go side by side.
    order = np.argsort(turns.pattern, kind="stable")
    order = order[turns.pattern[order] >= 0]

    def task(begin: int, end: int) -> None:
        some = order[begin:end]
        _pass(some, turns.pattern, turns.node, inside, outside, store.lower, store.upper)

    over_rows(task, len(order), options, ROWS)


@kernel
def _pass(rows, pattern, nodes, inside, outside, lower, upper):  # type: ignore[no-untyped-def]
    """Bounds of rows, each by a walk through the nodes of its turn, children first; up to LANES
    rows of one pattern at once."""
    start = inside[0]
    most = 1
    for row in rows:
        most = max(most, start[pattern[row] + 1] - start[pattern[row]])
    under = np.zeros((most, LANES))
    over = np.zeros((most, LANES))
    sums = np.zeros((4, LANES))
    place = np.zeros(LANES, np.int64)
    low, exits = outside[0], outside[1]
    begin = 0
    while begin < len(rows):
        shape = pattern[rows[begin]]
        count = 1
        while (
            count < LANES and begin + count < len(rows) and pattern[rows[begin + count]] == shape
        ):
            count += 1
        some = rows[begin : begin + count]
        for i in range(count):
            place[i] = exits[some[i]]
        _walk(some, shape, place, nodes, inside, outside, (lower, upper), (under, over, sums))
        top = start[shape + 1] - start[shape] - 1
        for i in range(count):
            lower[low + some[i]] = under[top, i]
            upper[low + some[i]] = over[top, i]
        begin += count


@kernel
def _walk(rows, shape, place, nodes, inside, outside, bounds, scratch):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0915
    """Fill in bounds for all nodes of the turns of rows that have one pattern.

    A mean of n numbers of size m, computed in floats, is off by less than (n + 4) m 2**-53; means
    never leave the range of what they are means of."""
    start, kind, first, to, weight, reward = inside
    _, exits, child, swap, weights, rewards = outside
    lower, upper = bounds
    under, over, sums = scratch
    every_swap = -1 if len(swap) == len(child) else 0
    every_weight = -1 if len(weights) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    begin = start[shape]
    for j in range(start[shape + 1] - begin):
        node = begin + j
        if kind[node] < 0:
            total = 0.0
            for i in range(LANES):
                sums[0, i], sums[1, i], sums[2, i], sums[3, i] = 0.0, 0.0, np.inf, -np.inf
            for e in range(first[node], first[node + 1]):
                w = np.float64(weight[e])
                t = to[e]
                total += w
                for i in range(LANES):
                    sums[0, i] += w * under[t, i]
                    sums[1, i] += w * over[t, i]
                    sums[2, i] = min(sums[2, i], under[t, i])
                    sums[3, i] = max(sums[3, i], over[t, i])
            for i in range(len(rows)):
                x = place[i]
                whole = total
                while x < exits[rows[i] + 1] and nodes[x] == j:
                    w = np.float64(weights[x & every_weight])
                    id = child[x]
                    turned = swap[x & every_swap] & 1
                    a = -upper[id] if turned else lower[id]
                    b = -lower[id] if turned else upper[id]
                    whole += w
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
                    least = max(least, sums[0, i] / whole - error)
                    most = min(most, sums[1, i] / whole + error)
                under[j, i], over[j, i] = least, most
            continue
        sign = 1.0 if kind[node] == 0 else -1.0  # player 1 takes what is worst for player 0
        for i in range(LANES):
            sums[0, i], sums[1, i] = -np.inf, -np.inf
        for e in range(first[node], first[node + 1]):
            t = to[e]
            r = np.float64(reward[e])
            slack = 2.3e-16 if reward[e] != 0 else 0.0
            for i in range(LANES):
                a, b = under[t, i] + r, over[t, i] + r
                sums[0, i] = max(sums[0, i], sign * (a - slack * abs(a)))
                sums[1, i] = max(sums[1, i], sign * (b + slack * abs(b)))
        for i in range(len(rows)):
            x = place[i]
            while x < exits[rows[i] + 1] and nodes[x] == j:
                id = child[x]
                turned = swap[x & every_swap] & 1
                r = np.float64(rewards[x & every_reward])
                a = (-upper[id] if turned else lower[id]) + r
                b = (-lower[id] if turned else upper[id]) + r
                slack = 2.3e-16 if r != 0.0 else 0.0
                sums[0, i] = max(sums[0, i], sign * (a - slack * abs(a)))
                sums[1, i] = max(sums[1, i], sign * (b + slack * abs(b)))
                x += 1
            place[i] = x
        for i in range(LANES):
            under[j, i], over[j, i] = sign * sums[0, i], sign * sums[1, i]


# -- Unrolled. ------------------------------------------------------------------------------------


def _unrolled(
    graph: Graph,
    facts: Facts,
    store: Store,
    options: Options,
    left: tuple[Components, Array, Work],
) -> None:
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
