"""Scores of strata with numbers, settled from the highest bound down (as in solvers/scores.py),
for strata whose moves inside fit in memory.

The rules are asked for the moves of each position once, by `exits`. Then a position is worth at
least b if a move leads to a child that is worth at most -b, and at most -b if all moves lead to
children that are worth at least b; what nobody can force to an end is worth 0. Positions are seen
by the player to move, and moves inside earn nothing."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ids, Ints
from perfectplay.compiled.intrinsics import put_numbers
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.numbered.codes import A_HOLE, BAD_RANK, EARNS, FINE, LARGE, PAIRS
from perfectplay.solvers.numbered.passes import AllValues, Place, is_hole, ranked, stratum_at

WAITING, READY, SETTLED = 0, 1, 2
"""The bound is still above the best exit; no exit stands in the way; known."""
MOST_MOVES = 250
"""Moves inside that are counted; positions with more are swept."""
NEVER_LOST = 255
"""In place of the number of moves inside: an exit is no worse than endless play."""
NO_EXIT = 1
"""Above the score that stands for a hole: a position from which all moves stay inside."""


def exits(  # noqa: C901, PLR0911, PLR0912
    rules: Any,
    sample: Any,
    values: AllValues,
    place: Place,
    begin: int,
    end: int,
    edges: tuple[Ids, Bytes],
    pay: Ints,
) -> tuple[int, int, int, int]:
    """Write the best exit of positions begin … end - 1 as their value; collect the numbers of
    their children inside, and how many each position has: (positions done, edges, what is wrong,
    where). Ends where there is no more room for edges."""
    value, strata, bases, at = values.value, values.strata, values.base, place.at
    child, count = edges
    stratum, own, hole = strata[at], bases[at], place.top
    known, other = stratum, 0
    filled = 0
    for i in range(begin, end):
        if filled + MOST_MOVES > len(child):
            return i - begin, filled, FINE, 0
        q = rules.unrank(stratum, i)
        if is_hole(rules, q, i, stratum):
            value[own + i] = hole
            continue
        inside = moves = 0
        best: Any = np.int64(hole + NO_EXIT)
        if rules.to_move(q) != OVER:
            for m in rules.moves(q):
                moves += 1
                r = ranked(rules, rules.play(q, m))
                s = rules.stratum(r)
                if s != known:
                    known, other = s, stratum_at(strata, at + 1, s)
                here = at if s == stratum else other
                x: Any = np.int64(rules.rank(r))
                if here < 0 or x < 0 or x >= bases[here + 1] - bases[here]:
                    return 0, 0, BAD_RANK, i
                if put_numbers(pay, 0, rules.reward(q, m)) > 1:
                    return 0, 0, PAIRS, i
                if here == at:
                    if pay[0, 0] != 0:
                        return 0, 0, EARNS, i
                    if inside == MOST_MOVES:
                        return 0, 0, LARGE, i
                    child[filled] = x
                    filled += 1
                    inside += 1
                    continue
                v = np.int64(value[bases[here] + x])
                if v == hole:
                    return 0, 0, A_HOLE, i
                worth = pay[0, 0] - v
                if worth <= hole + NO_EXIT or worth >= -hole - NO_EXIT:
                    return 0, 0, LARGE, i
                best = max(best, worth)
        if moves == 0:
            if put_numbers(pay, 0, rules.payoff(q)) > 1:
                return 0, 0, PAIRS, i
            best = pay[0, 0]
            if best <= hole + NO_EXIT or best >= -hole - NO_EXIT:
                return 0, 0, LARGE, i
        value[own + i] = best
        count[i] = inside
    return end - begin, filled, FINE, 0


@kernel
def count_parents(child: Ids, start: Ids) -> None:
    """Add to start[x + 1] how many edges lead to x."""
    for e in range(len(child)):
        start[np.int64(child[e]) + 1] += 1


@kernel
def add_parents(begin: int, count: Bytes, child: Ids, at: Ids, parent: Ids) -> None:
    """Write the edges of positions from `begin` on backwards; at[x] is where the next parent of x
    goes."""
    e = 0
    for k in range(len(count)):
        for _ in range(count[k]):
            x = np.int64(child[e])
            parent[at[x]] = begin + k
            at[x] += 1
            e += 1


@kernel
def exit_order(value: Array, hole: int, count: Bytes, state: Bytes) -> Ids:
    """The positions with exits worth more or less than 0, the largest first. `state` and `count`
    become those with which `settle_bounds` begins."""
    most = np.int64(0)
    for i in range(len(value)):
        v = np.int64(value[i])
        if v <= hole + NO_EXIT:
            state[i] = READY
            continue
        most = max(most, abs(v))
        if v >= 0 and count[i] > 0:
            count[i] = NEVER_LOST
    first = np.zeros(most + 2, np.int64)  # where those begin whose exit is worth most - k
    for i in range(len(value)):
        if state[i] == WAITING and value[i] != 0:
            first[most - abs(np.int64(value[i])) + 1] += 1
    for k in range(1, most + 2):
        first[k] += first[k - 1]
    order = np.empty(first[most + 1], np.uint32)
    for i in range(len(value)):
        if state[i] == WAITING and value[i] != 0:
            size = most - abs(np.int64(value[i]))
            order[first[size]] = i
            first[size] += 1
    return order


@kernel
def settle_bounds(value: Array, hole: int, count: Bytes, end: Ids, parent: Ids) -> None:
    """Settle a stratum, whose values are best exits. The parents of x end before end[x], and begin
    where those of x - 1 end. Those that nobody settles are worth 0."""
    n = len(value)
    state = np.zeros(n, np.uint8)
    order = exit_order(value, hole, count, state)
    queue = np.empty(n, np.uint32)
    done = filled = 0
    for k in range(len(order)):
        seed = np.int64(order[k])
        if state[seed] == SETTLED:
            continue
        if count[seed] > 0 and count[seed] != NEVER_LOST:
            state[seed] = READY
            continue
        state[seed] = SETTLED
        queue[filled] = seed
        filled += 1
        while done < filled:
            row = np.int64(queue[done])
            done += 1
            worth = -np.int64(value[row])
            begin = np.int64(end[row - 1]) if row > 0 else np.int64(0)
            for e in range(begin, np.int64(end[row])):
                up = np.int64(parent[e])
                if state[up] == SETTLED or (worth < 0 and count[up] == NEVER_LOST):
                    continue
                if worth < 0:
                    count[up] -= 1
                    if count[up] > 0 or state[up] != READY:
                        continue
                value[up] = worth
                state[up] = SETTLED
                queue[filled] = up
                filled += 1
    for i in range(n):
        if state[i] != SETTLED and value[i] != hole:
            value[i] = 0
