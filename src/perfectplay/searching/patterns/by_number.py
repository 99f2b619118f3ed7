"""Pattern databases of very many positions, built number by number: two costs in a byte, and
nothing else in memory.

Level by level, from the goals: while few positions are known, all those of the last cost tell
their neighbours; then every position that is left asks its neighbours. Moves can be taken back at
equal cost, so both find the same. Costs above 13 are kept as 14.

Threads share a level by spans of numbers, an even one first. Who asks changes its own costs only;
who tells takes a lock. A level comes out the same whoever is first: costs only fall while others
tell, and nobody asks for the cost that is being found."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.compiled.intrinsics import load_key, try_lock, unlock
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.one_player.estimate import LARGEST_HALF, UNREACHED_HALF
from perfectplay.searching.one_player.stubs import blurred_at, cost_in, index_of

FREE, OUTSIDE = -1, -(1 << 40)
"""What `level` returns where a move costs nothing, so that levels cannot be found in turn; and
where rules give a number that is none."""


@kernel
def half(cost: Bytes, i: int) -> int:
    """The cost with number i."""
    return (cost[i >> 1] >> (4 * (i & 1))) & 15


@kernel
def set_half(cost: Bytes, i: int, value: int) -> None:
    """Change the cost with number i."""
    shift = 4 * (i & 1)
    cost[i >> 1] = (cost[i >> 1] & (240 >> shift)) | (value << shift)


@kernel
def lower(cost: Bytes, i: int, value: int, locks: Ints) -> int:
    """Lower the cost with number i to `value`, with a lock if there are any; 1 if it was more."""
    row = (i >> 7) & (len(locks) - 1)
    if len(locks) > 0:
        while not try_lock(locks, row):
            pass
    changed = value < half(cost, i)
    if changed:
        set_half(cost, i, value)
    if len(locks) > 0:
        unlock(locks, row)
    return int(changed)


def begin_halves(rules: Any, sample: Any, goals: Ints, k: int, cost: Bytes) -> None:
    """Set the cost of the blurred goals to 0."""
    for row in range(len(goals)):
        set_half(cost, index_of(rules, load_key(goals, row, sample), k)[0], 0)


def tell(rules: Any, i: int, k: int, group: int, cost: Bytes, locks: Ints) -> int:
    """Let position i tell its neighbours what they cost at most: how many costs that changed."""
    changed, known = 0, half(cost, i)
    p = blurred_at(rules, i, k)
    for m in rules.moves(p):
        step = cost_in(rules, p, m, k, group)
        if step <= 0:
            return FREE
        j = index_of(rules, rules.play(p, m), k)[0]
        if j < 0 or j >= 2 * len(cost):
            return OUTSIDE
        new = min(known + step, LARGEST_HALF)
        if new < half(cost, j):
            changed += lower(cost, j, new, locks)
    return changed


def ask(rules: Any, i: int, k: int, group: int, cost: Bytes, to: int) -> bool:
    """Whether position i costs `to`, by one of its neighbours. All that costs more than 13 and
    can be reached costs 14. A number whose position has another one is never looked up."""
    p = blurred_at(rules, i, k)
    if index_of(rules, p, k)[0] != i:
        return False
    for m in rules.moves(p):
        j = index_of(rules, rules.play(p, m), k)[0]
        if j < 0 or j >= 2 * len(cost):
            continue  # `tell` refused it, or will
        known = half(cost, j)
        exact = known < to and known + cost_in(rules, p, m, k, group) == to
        if exact or (to == LARGEST_HALF and known != UNREACHED_HALF):
            set_half(cost, i, to)
            return True
    return False


def level(
    rules: Any, k: int, group: int, cost: Bytes, locks: Ints, span: tuple[int, int], to: int,
    asking: int,
) -> int:  # fmt: skip
    """Find positions of cost `to`, by those among the numbers of `span` that cost one less or, if
    they ask, that may cost more; how many costs changed, or FREE."""
    changed = 0
    for i in range(span[0], span[1]):
        known = half(cost, i)
        if asking:
            if known > to and ask(rules, i, k, group, cost, to):
                changed += 1
        elif known == to - 1:
            more = tell(rules, i, k, group, cost, locks)
            if more < 0:
                return more
            changed += more
    return changed


@kernel
def counted(cost: Bytes, size: int) -> Ints:
    """int64[16]: how many positions have each cost."""
    bytes_with, found = np.zeros(256, np.int64), np.zeros(16, np.int64)
    for i in range(size >> 1):
        bytes_with[cost[i]] += 1
    for value in range(256):
        found[value & 15] += bytes_with[value]
        found[value >> 4] += bytes_with[value]
    if size & 1:
        found[cost[size >> 1] & 15] += 1
    return found


FUNCTIONS = (begin_halves, tell, ask, level)
