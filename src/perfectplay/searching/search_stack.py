"""Rows: what a compiled search knows of the positions on its path and of their children.

A search works on one array, a stack of rows of int64. A row is a position with bounds on its
value, to player 0 of its own frame, in stored units (strata/graph.py). The children of a position
lie above it on the stack:

    row 0            the root
    rows 1 … n       its children; one of them is being searched
    rows n + 1 …     the children of that one, and so on

The columns below come first in a row, the words of the position after them. An entry of the
transposition table begins with the same columns, as far as ENTRY.
"""

from typing import NamedTuple

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import try_lock, unlock
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import Pair, less


class SearchArrays(NamedTuple):
    """All that one thread of a search reads and writes."""

    stack: Ints
    """int64[rows, HEAD + width]: the path and its children; of this thread alone."""
    table: Ints
    """int64[slots, ENTRY + width]: the transposition table; threads share it."""
    endgames: Ints
    """The same for positions of a solved table; no thread changes it."""
    control: Ints
    """int64[CONTROL]: the counters and settings of this thread."""


# -- Columns of a row; those before ENTRY are also those of an entry of the table. ----------------

LOCK, WORK = 0, 1
"""In an entry: its lock, and how many nodes it took."""
LOW, LOW_PER, HIGH, HIGH_PER = 2, 3, 4, 5
"""LOW <= value <= HIGH: fractions of two columns each. An entry with LOW_PER 0 is empty."""
DONE = 6
"""1: the bounds cannot be narrowed any further, though they differ, since numbers were rounded."""
GUESS = 7
"""The heuristic value, in units of 1/FINE."""
ENTRY = 8
"""Where the words of a position begin in an entry of the table."""
REWARD, SWAP, WEIGHT = 8, 9, 10
"""Of the edge that leads here: what it earns player 0 of the parent; whether the players of parent
and child are exchanged; the weight of a chance event."""
ORDER = 11
"""The game's hint: larger is tried first."""
INDEX = 12
"""The number of the move among those of the parent."""
KIND, COUNT, WHOLE, TOTAL = 13, 14, 15, 16
"""The player to move, CHANCE or OVER; how many children have rows; 1 if no move was left out after
one that was good enough; the sum of the children's weights."""
PARENT, PLY, STRATUM = 17, 18, 19
VISITS, PROBES = 20, 21
"""How often the row was searched: in the window that its siblings leave it, and in others."""
READY = 22
"""1: the children have rows already (only at the root)."""
REST, REST_PER = 23, 24
"""The most that moves without rows, being useless in the window, may be worth to the player who
moves: a fraction."""
HEAD = 25
"""Where the words of a position begin in a row."""

# -- Columns of `control`. ------------------------------------------------------------------------

STOP, LIMIT, NODES = 0, 1, 2
"""STOP: 1 ends the search. LIMIT: the number of nodes that ends it."""
ALPHA, BETA, STAR1, STAR2, PROBED = 3, 4, 5, 6, 7
"""Cuts by kind, and probes."""
LOOKS, HITS, ENDGAME_HITS = 8, 9, 10
"""Lookups in the transposition table, hits there, and in the endgame table."""
CYCLES, DEEP = 11, 12
"""Positions that recurred on their path, and paths that were too long."""
TROUBLE, WHERE = 13, 14
"""What is wrong with the rules (a code, below), and the row where."""
SUM, SUM_KNOWN = 15, 16
"""The constant sum of payoffs that are tuples."""
NOISE = 17
"""The state of a random generator; 0: moves are tried in the order of the game."""
LONGEST = 18
"""How many plies a path may have."""
GUESSES = 19
"""1: the rules have heuristic values."""
LEVEL = 20
"""In searches by turns: the level that is being searched."""
FLAGS = 21
"""What the rules declare: a sum of flags."""
CONTROL = 32

BOUNDED, MINIMISE, PAIRS = 512, 1024, 2048
"""Flags besides those of positions/codes.py: values lie between -1 and 1; one player minimises;
payoffs are tuples with a constant sum."""

FINE = 2.0**20
"""Guesses are stored as integers: so many are 1."""

# -- Codes of what is wrong, besides those of positions/codes.py. ---------------------------------

ROOM, UNEQUAL, LARGE, SHAPE = 10, 11, 12, 13
"""Rows are full; payoffs have no constant sum; a payoff or reward is too
large; a payoff is a number here and a tuple there."""

MULTIPLIER = -7046029254386353131
"""2^64 divided by the golden ratio, as a signed integer."""


@kernel
def pair_at(rows: Ints, row: int, column: int) -> Pair:
    """The number in two columns of a row."""
    return rows[row, column], rows[row, column + 1]


@kernel
def put_pair(rows: Ints, row: int, column: int, number: Pair) -> None:
    """Write a number to two columns of a row."""
    rows[row, column], rows[row, column + 1] = number


@kernel
def random_bits(control: Ints) -> int:
    """The next state of a thread's random generator, never 0; use its high bits."""
    control[NOISE] = (control[NOISE] * 6364136223846793005 + 1442695040888963407) | 1
    return control[NOISE]


@kernel
def narrow_bounds(stack: Ints, row: int, low: Pair, high: Pair) -> None:
    """Narrow the bounds of a row: its value is also known to lie between `low` and `high`."""
    if less(pair_at(stack, row, LOW), low):
        put_pair(stack, row, LOW, low)
    if less(high, pair_at(stack, row, HIGH)):
        put_pair(stack, row, HIGH, high)


@kernel
def narrow(stack: Ints, row: int, other: Ints, entry: int) -> None:
    """Narrow the bounds of a row by those of an entry, or row, of `other`."""
    narrow_bounds(stack, row, pair_at(other, entry, LOW), pair_at(other, entry, HIGH))
    if other[entry, DONE]:
        stack[row, DONE] = 1


# -- Tables. --------------------------------------------------------------------------------------


@kernel
def slot_of(words: Ints, i: int, first: int, slots: int) -> int:
    """The first slot of a position whose words begin in column `first` of row i."""
    mixed = 0
    for k in range(first, words.shape[1]):
        mixed = (mixed ^ words[i, k]) * MULTIPLIER
        mixed ^= (mixed >> 31) & 0x1FFFFFFFF
    if slots < 1 << 31:
        return (((mixed * MULTIPLIER) >> 33 & 0x7FFFFFFF) * slots) >> 31  # faster than to divide
    return (mixed & 0x7FFFFFFFFFFFFFFF) % slots


@kernel
def same(table: Ints, slot: int, stack: Ints, row: int) -> bool:
    """Whether an entry holds the position of a row."""
    if table[slot, LOW_PER] == 0:
        return False
    for k in range(stack.shape[1] - HEAD):
        if table[slot, ENTRY + k] != stack[row, HEAD + k]:
            return False
    return True


@kernel
def look(table: Ints, stack: Ints, control: Ints, row: int) -> bool:
    """Whether the transposition table holds the position of a row: its bounds are narrowed, and
    its guess is taken from there."""
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
def keep(table: Ints, stack: Ints, row: int, work: int) -> None:
    """Put the bounds of a row into the transposition table: in the place of the position's own
    entry, or of the cheaper of two others."""
    slots = len(table)
    if slots == 0:
        return
    slot = slot_of(stack, row, HEAD, slots)
    for i in range(min(2, slots)):
        at = (slot + i) % slots
        if not try_lock(table, at):
            continue
        own = same(table, at, stack, row)
        if own:
            narrow(stack, row, table, at)
        last = i == 1 or slots == 1
        if own or last or table[at, LOW_PER] == 0 or table[at, WORK] <= work:
            table[at, WORK] = max(work, table[at, WORK]) if own else work
            for k in range(LOW, ENTRY):
                table[at, k] = stack[row, k]
            for k in range(stack.shape[1] - HEAD):
                table[at, ENTRY + k] = stack[row, HEAD + k]
            unlock(table, at)
            return
        table[at, WORK] -= table[at, WORK] >> 3  # entries that are not asked for grow old
        unlock(table, at)


@kernel
def look_below(endgames: Ints, stack: Ints, control: Ints, row: int) -> None:
    """Narrow the bounds of a row by the endgame table."""
    slots = len(endgames)
    if slots == 0:
        return
    at = slot_of(stack, row, HEAD, slots)
    while endgames[at, LOW_PER]:
        if same(endgames, at, stack, row):
            narrow(stack, row, endgames, at)
            control[ENDGAME_HITS] += 1
            return
        at = (at + 1) % slots


@kernel
def fill(endgames: Ints, words: Ints, bounds: Ints) -> None:
    """Put positions (int64[n, width]) with bounds (int64[n, 4]) into an empty endgame table."""
    slots = len(endgames)
    for i in range(len(words)):
        at = slot_of(words, i, 0, slots)
        while endgames[at, LOW_PER]:
            at = (at + 1) % slots
        for k in range(4):
            endgames[at, LOW + k] = bounds[i, k]
        endgames[at, DONE] = 1
        for k in range(words.shape[1]):
            endgames[at, ENTRY + k] = words[i, k]
