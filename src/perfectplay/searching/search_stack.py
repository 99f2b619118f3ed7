"""Rows: what a compiled search knows of the positions on its path and of their children.

A search works on one array, a stack of rows of int64. A row is a position with bounds on its value
(to player 0 of its own frame, in stored units, see strata/graph.py); below the rows of a position
lie those of its children. The columns here come first, the words of the position after them."""

from __future__ import annotations

from perfectplay.compiled.intrinsics import try_lock, unlock
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import less

# -- Columns of a row; those before ENTRY are also those of an entry of the table. ----------------

LOCK, WORK = 0, 1
"""In an entry: its lock, and how many nodes it took."""
LOW, LOW_PER, HIGH, HIGH_PER = 2, 3, 4, 5
"""The lower and the upper bound, each a fraction; an entry with LOW_PER 0 is empty."""
DONE = 6
"""1: the bounds will not come nearer to each other (only where numbers were rounded)."""
GUESS = 7
"""What the value is thought to be, in units of 1/FINE."""
ENTRY = 8
"""Where the words of a position begin in an entry of the table."""
REWARD, SWAP, WEIGHT = 8, 9, 10
"""Of the edge that leads here: what it earns player 0 of the parent, and see strata/graph.py."""
ORDER = 11
"""The game's hint: larger is tried first."""
INDEX = 12
"""The number of the move among those of the parent."""
KIND, COUNT, WHOLE, TOTAL = 13, 14, 15, 16
"""The player to move, CHANCE or OVER; how many children have rows; whether all have; the sum of
their weights."""
PARENT, PLY, STRATUM = 17, 18, 19
VISITS, PROBES = 20, 21
"""How often the row was searched in a window that its siblings leave it, and otherwise."""
READY = 22
"""1: the children have rows already (only at the root)."""
REST, REST_PER = 23, 24
"""The most that moves without rows, which are no use in the window, may be worth to the player who
moves: a fraction."""
HEAD = 25
"""Where the words of a position begin in a row."""

# -- What a thread counts and is told, in an array of its own. ------------------------------------

STOP, LIMIT, NODES = 0, 1, 2
"""STOP: 1 ends the search. LIMIT: the number of nodes that ends it."""
ALPHA, BETA, STAR1, STAR2, PROBED = 3, 4, 5, 6, 7
"""Cuts by kind, and probes."""
LOOKS, HITS, ENDS = 8, 9, 10
"""Looks into the table, what was found there, and in the endgame table."""
CIRCLES, DEEP = 11, 12
"""Positions that came again on the path, and paths that were too long."""
TROUBLE, WHERE = 13, 14
"""What is wrong with the rules (a code), and the row where."""
SUM, SUM_KNOWN = 15, 16
"""The constant sum of payoffs that are tuples."""
NOISE = 17
"""A random state; 0: the order is the game's own."""
LONGEST = 18
"""How many plies a path may have."""
GUESSES = 19
"""1: the rules guess what positions are worth."""
CONTROL = 32

FINE = 2.0**20
"""Guesses are stored as integers: so many are 1."""

ROOM, UNEQUAL, LARGE, SHAPE = 10, 11, 12, 13
"""Troubles beside those of positions/expand.py: rows are full; payoffs have no constant sum; a
payoff or reward is too large; a payoff is a number here and a tuple there."""

MULTIPLIER = -7046029254386353131
"""2^64 divided by the golden ratio, as a signed integer."""


@kernel
def slot_of(words, i, first, slots):  # type: ignore[no-untyped-def]
    """The first slot of a position whose words begin in column `first` of row i."""
    mixed = 0
    for k in range(first, words.shape[1]):
        mixed = (mixed ^ words[i, k]) * MULTIPLIER
        mixed ^= (mixed >> 31) & 0x1FFFFFFFF
    if slots < 1 << 31:
        return (((mixed * MULTIPLIER) >> 33 & 0x7FFFFFFF) * slots) >> 31  # faster than to divide
    return (mixed & 0x7FFFFFFFFFFFFFFF) % slots


@kernel
def same(table, slot, stack, row):  # type: ignore[no-untyped-def]
    """Whether an entry holds the position of a row."""
    if table[slot, LOW_PER] == 0:
        return False
    for k in range(stack.shape[1] - HEAD):
        if table[slot, ENTRY + k] != stack[row, HEAD + k]:
            return False
    return True


@kernel
def narrow(stack, row, other, entry):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row to those of an entry of `other` where they are narrower."""
    low, low_per = other[entry, LOW], other[entry, LOW_PER]
    if less(stack[row, LOW], stack[row, LOW_PER], low, low_per):
        stack[row, LOW], stack[row, LOW_PER] = low, low_per
    high, high_per = other[entry, HIGH], other[entry, HIGH_PER]
    if less(high, high_per, stack[row, HIGH], stack[row, HIGH_PER]):
        stack[row, HIGH], stack[row, HIGH_PER] = high, high_per
    if other[entry, DONE]:
        stack[row, DONE] = 1


@kernel
def look(table, stack, control, row):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row by what the table knows of its position, and take its guess;
    False if it knows nothing."""
    slots = len(table)
    if slots == 0:
        return False
    control[LOOKS] += 1
    slot = slot_of(stack, row, HEAD, slots)
    for i in range(min(2, slots)):
        at = (slot + i) % slots
        if try_lock(table, at):
            found = same(table, at, stack, row)
            if found:
                narrow(stack, row, table, at)
                stack[row, GUESS] = table[at, GUESS]
            unlock(table, at)
            if found:
                control[HITS] += 1
                return True
    return False


@kernel
def keep(table, stack, row, work):  # type: ignore[no-untyped-def]
    """Put the bounds of a row into the table: in the place of what it knows of the position
    already, or of the cheaper of two entries."""
    slots = len(table)
    if slots == 0:
        return
    slot = slot_of(stack, row, HEAD, slots)
    for i in range(min(2, slots)):
        at = (slot + i) % slots
        if not try_lock(table, at):
            continue
        mine = same(table, at, stack, row)
        if mine:
            narrow(stack, row, table, at)
        last = i == 1 or slots == 1
        if mine or last or table[at, LOW_PER] == 0 or table[at, WORK] <= work:
            table[at, WORK] = max(work, table[at, WORK]) if mine else work
            for k in range(LOW, ENTRY):
                table[at, k] = stack[row, k]
            for k in range(stack.shape[1] - HEAD):
                table[at, ENTRY + k] = stack[row, HEAD + k]
            unlock(table, at)
            return
        table[at, WORK] -= table[at, WORK] >> 3  # what is not asked for grows old
        unlock(table, at)


@kernel
def look_below(ends, stack, control, row):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row by the endgame table, which no thread changes."""
    slots = len(ends)
    if slots == 0:
        return
    at = slot_of(stack, row, HEAD, slots)
    while ends[at, LOW_PER]:
        if same(ends, at, stack, row):
            narrow(stack, row, ends, at)
            control[ENDS] += 1
            return
        at = (at + 1) % slots


@kernel
def fill(ends, words, bounds):  # type: ignore[no-untyped-def]
    """Put positions (int64[n, width]) with bounds (int64[n, 4]) into an empty endgame table."""
    slots = len(ends)
    for i in range(len(words)):
        at = slot_of(words, i, 0, slots)
        while ends[at, LOW_PER]:
            at = (at + 1) % slots
        for k in range(4):
            ends[at, LOW + k] = bounds[i, k]
        ends[at, DONE] = 1
        for k in range(words.shape[1]):
            ends[at, ENTRY + k] = words[i, k]
