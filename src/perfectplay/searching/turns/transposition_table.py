"""The transposition table of a search by turns: anchors with bounds and a heuristic value.

An entry is a row of int64: its lock, what it took, a guess, the lower and the upper bound, two
words each (fixed_point.py), and the words of its anchor. An anchor can stand in any of four
neighbouring entries; if all are taken, the one that took least goes."""

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import prefetch, try_lock, unlock
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.pairs import Pair, pair_at, put_pair
from perfectplay.searching.search_stack import slot_of
from perfectplay.searching.turns.fixed_point import less

LOCK, WORK, STORED_GUESS, STORED_LOW, STORED_HIGH = 0, 1, 2, 3, 5
"""Bounds take two columns each. An entry whose WORK is 0 is empty."""
ENTRY = 7
"""Where the words of an anchor begin."""
WAYS = 4
"""Entries that can hold an anchor; the number of slots is a multiple of it."""
STORED_FINE = 2.0**40
"""Guesses are stored as integers: so many are 1."""


@inlined
def place(table: Ints, keys: Ints, row: int) -> int:
    """The first slot of the anchor in a row of keys; its memory is prefetched."""
    slot = slot_of(keys, row, 0, len(table) // WAYS) * WAYS
    prefetch(table, slot)
    return slot


@inlined
def _same(table: Ints, slot: int, keys: Ints, row: int) -> bool:
    if table[slot, WORK] == 0:
        return False
    same = True
    for k in range(keys.shape[1]):
        same = same and table[slot, ENTRY + k] == keys[row, k]
    return same


@inlined
def find(table: Ints, slot: int, keys: Ints, row: int) -> int:
    """Lock the entry of an anchor, whose first slot is given, and return its slot; -1 if there is
    none, or another thread has it."""
    for at in range(slot, slot + WAYS):
        if table[at, WORK] == 0:
            return -1
        if try_lock(table, at):
            if _same(table, at, keys, row):
                return at
            unlock(table, at)
    return -1


@kernel
def keep(
    table: Ints, keys: Ints, row: int, low: Pair, high: Pair, guess: float, work: int
) -> None:
    """Put the anchor in a row of keys into the table."""
    slot = slot_of(keys, row, 0, len(table) // WAYS) * WAYS
    at, least = -1, 0
    for each in range(slot, slot + WAYS):
        if table[each, WORK] == 0 or _same(table, each, keys, row):
            at = each
            break
        if at < 0 or table[each, WORK] < least:
            at, least = each, table[each, WORK]
    if not try_lock(table, at):
        return
    if _same(table, at, keys, row):
        work += table[at, WORK]
        if less(low, pair_at(table, at, STORED_LOW)):
            low = pair_at(table, at, STORED_LOW)
        if less(pair_at(table, at, STORED_HIGH), high):
            high = pair_at(table, at, STORED_HIGH)
    elif table[at, WORK] > 0:
        for each in range(slot, slot + WAYS):  # entries that are not asked for grow old
            table[each, WORK] -= table[each, WORK] >> 1
    table[at, WORK], table[at, STORED_GUESS] = max(work, 1), int(guess * STORED_FINE)
    put_pair(table, at, STORED_LOW, low)
    put_pair(table, at, STORED_HIGH, high)
    for k in range(keys.shape[1]):
        table[at, ENTRY + k] = keys[row, k]
    unlock(table, at)
