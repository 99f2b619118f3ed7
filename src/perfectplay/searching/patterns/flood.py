"""Pattern databases of puzzles whose moves can be taken back: breadth first from the goals."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.one_player.arena import row_hash
from perfectplay.searching.one_player.estimate import EMPTY, LARGEST
from perfectplay.searching.one_player.stubs import cost_in, index_of


@kernel
def longer(rows: Ints) -> Ints:
    """The same rows with room for as many again."""
    more = np.empty((2 * len(rows), rows.shape[1]), np.int64)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            more[i, j] = rows[i, j]
    return more


def begin(rules: Any, sample: Any, goals: Ints, k: int, cost: Bytes, rests: int) -> int:
    """Set the cost of the blurred goals to 0; how many there are."""
    for i in range(len(goals)):
        first, rest = index_of(rules, load_key(goals, i, sample), k)
        cost[first * rests + rest] = 0
    return len(goals)


def flood(
    rules: Any, sample: Any, now: Ints, level: Ints, k: int, group: int, cost: Bytes
) -> tuple[Ints, Ints, int]:
    """Take over all positions of one cost, the rows of `now`: (that array, those to be looked at
    later, how many). `level` has the cost, how many rows there are, and the numbers of rests.

    Moves that cost nothing here lead to further positions of the same cost; positions of which
    a lower cost was found since are passed over, those of a higher one wait."""
    at, top, rests = level[0], level[1], level[2]
    later, many = np.empty((1 << 12, now.shape[1]), np.int64), 0
    while top > 0:
        top -= 1
        p = load_key(now, top, sample)
        first, rest = index_of(rules, p, k)
        known = cost[first * rests + rest]
        if known < at:
            continue
        if known > at:
            if many == len(later):
                later = longer(later)
            save_key(later, many, p)
            many += 1
            continue
        for m in rules.moves(p):
            q = rules.play(p, m)
            new = at + cost_in(rules, p, m, k, group)
            first, rest = index_of(rules, q, k)
            if min(new, LARGEST) >= cost[first * rests + rest]:
                continue
            cost[first * rests + rest] = min(new, LARGEST)
            if new <= at:
                if top == len(now):
                    now = longer(now)
                save_key(now, top, q)
                top += 1
            else:
                if many == len(later):
                    later = longer(later)
                save_key(later, many, q)
                many += 1
    return now, later, many


@kernel
def least(cost: Bytes, rests: int) -> Bytes:
    """The least of every `rests` costs."""
    found = np.empty(len(cost) // rests, np.uint8)
    for i in range(len(found)):
        best = cost[i * rests]
        for j in range(1, rests):
            best = min(best, cost[i * rests + j])
        found[i] = best
    return found


@kernel
def enter(keys: Ints, values: Bytes, table: Ints, cost: Bytes) -> None:
    """Fill a hash table with keys and their costs."""
    mask = len(cost) - 1
    for i in range(len(keys)):
        slot = row_hash(keys, i) & mask
        while cost[slot] != EMPTY:
            slot = (slot + 1) & mask
        cost[slot] = values[i]
        for j in range(keys.shape[1]):
            table[slot, j] = keys[i, j]


FUNCTIONS = (begin, flood)
