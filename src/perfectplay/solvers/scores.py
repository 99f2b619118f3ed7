"""Scores of two players without chance, also where play may run in circles.

In circles, rows are settled by score bound, from the highest down, as in the solution of Awari: a
row is worth at least b to a player if he can move to a child worth at least b to him, or if all
moves of the other lead there. One sweep serves all bounds and both players, since what is worth
more than b (to either side) does not depend on what is worth less. What is never settled is
endless play.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers.acyclic import over_ranges
from perfectplay.solvers.backward import WHOLE, descending, endless_worth, moves_of, reverse_edges
from perfectplay.solvers.store import Scores
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph

WAITING, READY, SETTLED = 0, 1, 2
"""States of a row: the bound is still above its best exit; no exit stands in the way; known."""

NEVER_LOST = -1
"""Count of a row with an exit that is no worse for the mover than endless play."""


def solve(graph: Graph, facts: Facts, store: Scores, options: Options) -> Work:
    """The score of every row, to player 0."""
    moves = moves_of(graph)
    ends = graph.kind, graph.payoff
    if not graph.inside:

        def one(begin: int, end: int) -> bool:
            rows = graph.low, begin, end
            _pass(rows, ends, moves, graph.reward, store.value)
            return True

        over_ranges(one, graph.size, options)
        return Work({"acyclic": graph.size})
    endless = endless_worth(graph, facts)
    parts, number, found = _parts(graph)
    back = reverse_edges(graph.low, graph.kind, moves, number, 0)[:2]
    _run((graph.low, endless), ends, moves, graph.reward, store.value, parts, back)
    options.progress(graph.size)
    circles = int(np.diff(parts[1])[parts[2]].sum())
    methods = {"score bounds": circles, "acyclic": graph.size - circles}
    return Work({name: rows for name, rows in methods.items() if rows}, components=found)


def _parts(graph: Graph) -> tuple[tuple[Array, Array, Array], Array, int]:
    """What is settled together, ((rows, start, cyclic), component number of each row, components).

    Where no move inside earns anything, that is the whole stratum; else its components."""
    worst, best = inside_rewards(graph, WHOLE)
    if worst == best == 0:
        rows = np.arange(graph.size, dtype=np.int32)
        return (rows, np.array((0, graph.size), np.int64), np.ones(1, np.bool_)), WHOLE, 0
    found = components(graph)
    if inside_rewards(graph, found.number) != (0, 0):
        raise RulesError(
            "endless play would earn without limit: a move that can be made again and again has a "
            "reward",
            hint="Reward only moves that cannot be undone, or count the moves and end the game.",
        )
    return (found.rows, found.start, found.cyclic), found.number, found.count


def inside_rewards(graph: Graph, number: Array) -> tuple[int, int]:
    """The least and the greatest reward of a move inside a component; (0, 0) if there is no such
    move."""
    if len(graph.reward) == 1 and graph.edges != 1 and not graph.reward[0]:
        return 0, 0
    worst, best = _inside_rewards(graph.low, graph.first, graph.child, graph.reward, number)
    return int(worst), int(best)


@kernel
def _inside_rewards(low, first, child, reward, number):  # type: ignore[no-untyped-def]
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
def _backup(row, kind, moves, reward, value):  # type: ignore[no-untyped-def]
    """The worth to player 0 of the mover's best move at a row whose children are all settled."""
    first, child, swap = moves
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
    return best


@kernel
def _pass(rows, ends, moves, reward, value):  # type: ignore[no-untyped-def]
    """Settle a range of rows whose children are all in lower strata."""
    low, begin, end = rows
    kind, payoff = ends
    for row in range(begin, end):
        if kind[row] == OVER:
            value[low + row] = payoff[row]
        else:
            value[low + row] = _backup(row, kind, moves, reward, value)


@kernel
def _run(numbers, ends, moves, reward, value, parts, back):  # type: ignore[no-untyped-def]
    """Settle component after component: single rows from their children, cyclic ones by bounds."""
    low, endless = numbers
    kind, payoff = ends
    members, start, cyclic = parts
    whole = len(start) == 2 and cyclic[0]
    number = np.zeros(1 if whole else len(kind), np.int32)
    count = np.empty(len(kind), np.int32)
    state = np.zeros(len(kind), np.uint8)
    queue = np.empty(len(kind), np.int32)
    for c in range(len(start) - 1):
        inside = members[start[c] : start[c + 1]]
        row = inside[0]
        if not cyclic[c]:
            over = kind[row] == OVER
            value[low + row] = payoff[row] if over else _backup(row, kind, moves, reward, value)
            continue
        if not whole:
            for row in inside:
                number[row] = c + 1
        work = count, state, number
        keys, order = _exits(numbers, inside, ends, moves, reward, value, work)
        descending(keys, order)
        _bounds(numbers, order, kind, value, back, (count, state, queue))
        for row in inside:
            if state[row] != SETTLED:
                value[low + row] = endless


@kernel
def _exits(numbers, inside, ends, moves, reward, value, work):  # type: ignore[no-untyped-def]
    """Look at the exits of a component: (bounds, rows) at which a row may be settled by its exits.

    Until a row is settled its value is its best exit; it waits until the bound is that low."""
    low, endless = numbers
    kind, payoff = ends
    first, child, swap = moves
    count, state, number = work
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
def _bounds(numbers, order, kind, value, back, work):  # type: ignore[no-untyped-def]
    """Settle the rows of a component, from the highest bound down."""
    low, endless = numbers
    start, parent = back
    count, state, queue = work
    done = 0
    filled = 0
    for seed in order:
        if state[seed] == SETTLED:
            continue
        if count[seed] > 0:
            state[seed] = READY
            continue
        state[seed] = SETTLED
        queue[filled] = seed
        filled += 1
        while done < filled:
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
