"""Scores of two players without chance, also with cycles.

The problem: value[r] = the best of reward + value of the child, to the player who moves at r; what
no player can force to an end is endless play. Facts needed: two players with opposed interests, no
chance, and no reward on a cycle.

In cycles, rows are settled by score bound, from the highest down, as in the solution of Awari
(Romein and Bal 2002): a row is worth at least b to a player if they can move to a child worth at
least b to them, or if all moves of the other lead there. One sweep serves all bounds and both
players, since what is worth more than b (to either side) does not depend on what is worth less.
"""

from functools import partial

import numpy as np

from perfectplay.compiled.arrays import Bytes, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers.acyclic import RANGE
from perfectplay.solvers.backward import (
    FlatGraph,
    Parts,
    by_component,
    descending,
    endless_value,
    flat,
    reverse_edges,
    whole_stratum,
)
from perfectplay.solvers.store import Scores
from perfectplay.solvers.work import Options, Work, over_rows, stoppable
from perfectplay.strata.graph import Facts, Graph

WAITING, READY, SETTLED = 0, 1, 2
"""States of a row: the bound is still above its best exit; no exit stands in the way; known."""

NEVER_LOST = -1
"""Count of a row with an exit that is no worse for the mover than endless play."""


def solve(graph: Graph, facts: Facts, store: Scores, options: Options) -> Work:
    """The score of every row, to player 0."""
    game = flat(graph)
    if not graph.inside:
        over_rows(
            lambda begin, end: _pass(game, begin, end, store.value), graph.size, options, RANGE
        )
        return Work({"acyclic": graph.size})
    endless = endless_value(graph, facts)
    parts, found = _parts(graph)
    back = reverse_edges(game, parts.number, 0)[:2]
    stoppable(partial(_run, game, endless, store.value, parts, back), graph.size, options)
    options.progress(graph.size)
    cyclic = (
        int(np.diff(parts.start)[parts.cyclic].sum()) if found else int(_to_cycles(game, back))
    )
    methods = {"score bounds": cyclic, "acyclic": graph.size - cyclic}
    return Work({name: rows for name, rows in methods.items() if rows}, components=found)


def _parts(graph: Graph) -> tuple[Parts, int]:
    """The whole stratum where no move inside earns anything, and 0; else its components, and how
    many there are."""
    parts = whole_stratum(graph.size)
    if inside_rewards(graph, parts) == (0, 0):
        return parts, 0
    parts = by_component(graph)
    if inside_rewards(graph, parts) != (0, 0):
        raise RulesError(
            "endless play would earn without limit: a move that can be made again and again has a "
            "reward",
            hint="Reward only moves that cannot be undone, or count the moves and end the game.",
        )
    return parts, len(parts.cyclic)


def inside_rewards(graph: Graph, parts: Parts) -> tuple[int, int]:
    """The least and the greatest reward of a move inside a part; (0, 0) if there is no such
    move."""
    if len(graph.reward) == 1 and graph.edges != 1 and not graph.reward[0]:
        return 0, 0
    worst, best = _inside_rewards(flat(graph), parts.number)
    return int(worst), int(best)


@kernel
def _inside_rewards(graph: FlatGraph, number: Int32s) -> tuple[np.int64, np.int64]:
    low, first, child, reward = graph.low, graph.first, graph.child, graph.reward
    n = len(first) - 1
    every = -1 if len(reward) == len(child) else 0
    all_rows = -1 if len(number) == n else 0
    worst = np.int64(0)
    best = np.int64(0)
    none = True
    for row in range(n):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to & all_rows] == number[row & all_rows]:
                earned = reward[e & every]
                worst = earned if none else min(worst, earned)
                best = earned if none else max(best, earned)
                none = False
    return worst, best


@kernel
def _to_cycles(graph: FlatGraph, back: tuple[Ints, Ids]) -> int:
    """How many rows can reach a cycle of the stratum: others are taken away, children first."""
    low, first, child = graph.low, graph.first, graph.child
    start, parent = back
    n = len(first) - 1
    count = np.zeros(n, np.int32)
    queue = np.empty(n, np.int32)
    filled = 0
    for row in range(n):
        for e in range(first[row], first[row + 1]):
            count[row] += np.int64(child[e]) >= low
        if count[row] == 0:
            queue[filled] = row
            filled += 1
    done = 0
    while done < filled:
        row = queue[done]
        done += 1
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            count[up] -= 1
            if count[up] == 0:
                queue[filled] = up
                filled += 1
    return n - filled


@kernel
def _backup(row: int, graph: FlatGraph, value: Ints) -> int:
    """The value to player 0 of a row whose children are all settled: the payoff, or that of the
    mover's best move."""
    kind, first, child = graph.kind, graph.first, graph.child
    swap, reward = graph.swap, graph.reward
    if kind[row] == OVER:
        return int(graph.payoff[row])
    swaps = -1 if len(swap) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    sign = -1 if kind[row] == 1 else 1
    best = np.int64(0)
    for e in range(first[row], first[row + 1]):
        to = child[e]
        worth = -value[to] if swap[e & swaps] & 1 else value[to]
        worth += reward[e & rewards]
        if e == first[row] or sign * worth > sign * best:
            best = worth
    return int(best)


@kernel
def _pass(graph: FlatGraph, begin: int, end: int, value: Ints) -> None:
    """Settle a range of rows whose children are all in lower strata."""
    for row in range(begin, end):
        value[graph.low + row] = _backup(row, graph, value)


@kernel
def _run(
    graph: FlatGraph, endless: int, value: Ints, parts: Parts, back: tuple[Ints, Ids], stop: Bytes
) -> None:
    """Settle part after part: single rows from their children, cyclic ones by bounds. Once stop[0]
    is 1, no more are settled."""
    low, n = graph.low, len(graph.kind)
    count = np.empty(n, np.int32)
    state = np.zeros(n, np.uint8)
    queue = np.empty(n, np.int32)
    for c in range(len(parts.cyclic)):
        if stop[0]:
            return
        inside = parts.rows[parts.start[c] : parts.start[c + 1]]
        if not parts.cyclic[c]:
            value[low + inside[0]] = _backup(inside[0], graph, value)
            continue
        keys, order = _exits(graph, endless, inside, parts.number, value, (count, state))
        descending(keys, order)
        _bounds(graph, endless, order, value, back, (count, state, queue), stop)
        for row in inside:
            if state[row] != SETTLED:
                value[low + row] = endless


@kernel
def _exits(
    graph: FlatGraph,
    endless: int,
    inside: Int32s,
    number: Int32s,
    value: Ints,
    work: tuple[Int32s, Bytes],
) -> tuple[Ints, Int32s]:
    """Look at the exits of a part: (bounds, rows) at which a row may be settled by its exits.

    Until a row is settled its value is its best exit; it waits until the bound is that low."""
    low, kind, payoff = graph.low, graph.kind, graph.payoff
    first, child, swap, reward = graph.first, graph.child, graph.swap, graph.reward
    count, state = work
    swaps = -1 if len(swap) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    all_rows = -1 if len(number) == len(kind) else 0
    keys = np.empty(len(inside), np.int64)
    order = np.empty(len(inside), np.int32)
    filled = 0
    for row in inside:
        found = kind[row] == OVER
        best = payoff[row]
        count[row] = 0
        sign = -1 if kind[row] == 1 else 1
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e])
            if to >= low and number[(to - low) & all_rows] == number[row & all_rows]:
                count[row] += 1
                continue
            worth = -value[to] if swap[e & swaps] & 1 else value[to]
            worth += reward[e & rewards]
            if not found or sign * worth > sign * best:
                best = worth
                found = True
        value[low + row] = best
        state[row] = WAITING if found else READY
        if found and sign * (best - endless) >= 0 and kind[row] != OVER:
            count[row] = NEVER_LOST
        if found and best != endless:
            keys[filled] = abs(best - endless)
            order[filled] = row
            filled += 1
    return keys[:filled], order[:filled]


@kernel
def _bounds(
    graph: FlatGraph,
    endless: int,
    order: Int32s,
    value: Ints,
    back: tuple[Ints, Ids],
    work: tuple[Int32s, Bytes, Int32s],
    stop: Bytes,
) -> None:
    """Settle the rows of a part, from the highest bound down, until stop[0] is 1.

    The invariant: settled rows differ from endless play by no less than the bound; `count` is the
    number of children inside that may still save the mover."""
    low, kind = graph.low, graph.kind
    start, parent = back
    count, state, queue = work
    done = 0
    filled = 0
    for seed in order:
        if stop[0]:
            return
        if state[seed] == SETTLED:
            continue
        if count[seed] > 0:
            state[seed] = READY
            continue
        state[seed] = SETTLED
        queue[filled] = seed
        filled += 1
        while done < filled and stop[0] == 0:
            row = queue[done]
            done += 1
            more = value[low + row] - endless
            for k in range(start[row], start[row + 1]):
                up = parent[k] >> 1
                if state[up] == SETTLED:
                    continue
                to_mover = -more if parent[k] & 1 else more
                if to_mover < 0:
                    count[up] -= 1
                    if count[up] != 0 or state[up] != READY:
                        continue
                value[low + up] = endless + (to_mover if kind[up] != 1 else -to_mover)
                state[up] = SETTLED
                queue[filled] = up
                filled += 1
