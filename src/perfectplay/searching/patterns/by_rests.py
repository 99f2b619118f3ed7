"""Pattern databases in which moves that do not count are free, built number by number: two costs
in a byte, and while they are built, three bits for each blurred position.

Blurred positions with the same first number differ in the rest: where the empty cell is, say. For
each number three sets of rests are kept, as bits: those that were met, those that are at the cost
that is worked on, and those at the next one. Rules tell what all rests of a set lead to at once
(`blur_steps`)."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.compiled.intrinsics import load_key, try_lock, unlock
from perfectplay.searching.one_player.estimate import LARGEST_HALF, UNREACHED_HALF
from perfectplay.searching.one_player.stubs import (
    blurred_at,
    index_of,
    least_blurred,
    steps_from,
)
from perfectplay.searching.patterns.by_number import OUTSIDE

BLOCK = 8
"""Numbers whose sets are looked at together: they take whole words."""


class RestSets(NamedTuple):
    """Sets of rests, `width` bytes for each number."""

    met: Bytes
    now: Bytes
    later: Bytes
    words: Ints
    """The memory of `now`, as words."""
    locks: Ints
    """int64[n, 1]: locks of pieces of `met` and `later`, n a power of two; 0 for one thread."""


def begin_rests(rules: Any, sample: Any, goals: Ints, k: int, width: int, now: Bytes) -> None:
    """Note the blurred goals."""
    for row in range(len(goals)):
        i, rest = index_of(rules, load_key(goals, row, sample), k)
        now[i * width + rest // 8] |= 1 << rest % 8


def rests_level(  # noqa: C901, PLR0912 - calls that take arrays would cost more than most rules
    rules: Any, k: int, cost: Bytes, sets: RestSets, span: tuple[int, int], width: int, at: int
) -> int:
    """Give numbers of a span their costs, if they have a rest at cost `at`, and note what these
    lead to; how many that are, or OUTSIDE. `span` begins at a multiple of BLOCK."""
    changed, met, now, later = 0, sets.met, sets.now, sets.later
    locks, locking = sets.locks, len(sets.locks) > 0
    for block in range(span[0] // BLOCK, (span[1] + BLOCK - 1) // BLOCK):
        empty = True
        for word in range(block * width, (block + 1) * width):
            empty = empty and sets.words[word] == 0
        if empty:
            continue
        for i in range(block * BLOCK, min((block + 1) * BLOCK, span[1])):
            rests = 0
            for b in range(i * width, (i + 1) * width):
                rests |= int(now[b]) << (8 * (b - i * width))
                now[b] = 0
            if rests == 0:
                continue
            first = True
            for j, found in steps_from(rules, i, rests, k):
                if j < 0 or j >= len(cost) * 2:
                    return OUTSIDE
                new = 0
                for b in range(width):
                    new |= found >> (8 * b) & 255 & ~int(met[j * width + b])
                if new == 0 and not first:
                    continue
                row = (j >> 3) & (len(locks) - 1)
                while locking and not try_lock(locks, row):
                    pass
                for b in range(width):
                    part, place = found >> (8 * b) & 255, j * width + b
                    if first:  # all that moves which do not count lead to is at this cost
                        later[place] &= ~part
                    else:
                        later[place] |= part & ~int(met[place])
                    met[place] |= part
                if locking:
                    unlock(locks, row)
                changed += int(not first)
                first = False
            known = int(cost[i >> 1] >> (4 * (i & 1))) & 15
            if known == UNREACHED_HALF:
                least, step = least_blurred(rules, blurred_at(rules, i, k), k)
                known = min((at - least) // step, LARGEST_HALF)
                shift = 4 * (i & 1)
                cost[i >> 1] = (cost[i >> 1] & (240 >> shift)) | (known << shift)
    return changed


FUNCTIONS = (begin_rests, rests_level)
