"""Tables for the numbers of chess positions (numbers.py): pairs of kings, and layouts.

The side whose men are worth more (`WORTH`) is A, the other one B. A layout says which pieces there
are: those of A in slots 0, 1, …, then those of B, kinds in ascending order; equal pieces of one
side are a group. The number of a position has a few bits for each group, in which the number of
its set of squares stands.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.games.chess.board import IMAGE, INTO_TRIANGLE, KING, PAWN, REACH, WALK, WORTH
from perfectplay.rules.packing import at, fields

MOST_NUMBERED = 5
"""Men of positions that have numbers."""
PIECES = MOST_NUMBERED - 2

# -- Kings. ---------------------------------------------------------------------------------------

NO_IMAGE, MIRRORED, ALL_IMAGES = range(3)
"""Which symmetries there are: none, left and right with pawns, or all eight."""
ON_DIAGONAL = 441
"""Pairs of kings from here on lie on the diagonal a1-h8, with `ALL_IMAGES`."""


def _into(symmetries: int, a: int, b: int) -> int:
    """The symmetry that brings the kings to the pair that has a number."""
    if symmetries == NO_IMAGE:
        return 0
    if symmetries == MIRRORED:
        return a >> 2 & 1
    k = int(INTO_TRIANGLE[a])
    a, b = int(IMAGE[k, a]), int(IMAGE[k, b])
    return k ^ 4 if a & 7 == a >> 3 and b >> 3 > b & 7 else k


def _king_pairs() -> tuple[Array, Array]:
    pairs, kings_at = np.full((3, 4096), -1, np.int16), np.zeros((3, 3612), np.int16)
    for symmetries in range(3):
        far = [
            (a, b)
            for a in range(64)
            for b in range(64)
            if a != b and not int(REACH[a, b]) >> KING & 1
        ]
        own = [(a, b) for a, b in far if _into(symmetries, a, b) == 0]
        own.sort(key=lambda each: all(s & 7 == s >> 3 for s in each))
        number = {pair: i for i, pair in enumerate(own)}
        for (a, b), i in number.items():
            kings_at[symmetries, i] = a << 6 | b
        for a, b in far:
            k = _into(symmetries, a, b)
            i = number[int(IMAGE[k, a]), int(IMAGE[k, b])]
            pairs[symmetries, a << 6 | b] = i << 3 | k
    return pairs, kings_at


KING_PAIRS, KINGS_AT = _king_pairs()
"""By symmetries and squares of the kings of A and B: 8 * the number of the pair + the symmetry
that leads to it, -1 if they stand side by side; and back."""
PAIR_SIZE = np.array([int((KING_PAIRS[k] >> 3).max()) + 1 for k in range(3)])
"""By symmetries: how many pairs of kings there are."""

WALKS, ROW = WALK.ravel(), WALK.shape[2]
"""`WALK` (../board.py) as one row after the other, each so long."""

# -- Sets of squares. -----------------------------------------------------------------------------

CHOOSE = np.array([[comb(n, k) for k in range(PIECES + 1)] for n in range(65)])
"""Binomial coefficients."""
GROUP_BITS = (0, 6, 11, 16)
"""By members of a group: bits that hold the numbers of all sets."""
PAWN_SQUARES, PASSED = 48, 14
"""Squares of pawns; pairs of a pawn that may be taken en passant, and one that takes it."""

# -- Layouts. -------------------------------------------------------------------------------------

SLOT_KIND, SLOT_SIDE, SLOT_GROUP, SLOT_FIRST, SLOT_SHIFT = fields(3, 1, 2, 2, 5)
"""Of a slot: its kind, 1 for B, members of its group, its first slot, where its bits are."""
SLOT = 13
SLOTS, BITS, PAWNS_A, PAWNS_B, EQUAL, IN_A, SINGLE = fields(2, 5, 2, 2, 1, 2, 1)
"""Of a layout: slots, bits of all groups, pawns of A and of B, whether both sides have the same
men, slots of A, whether no two pieces are equal (their squares, side by side, then are the number
of the pieces). Slots lie above them."""
LAYOUT_BITS = 15


def _sides() -> Iterator[tuple[int, ...]]:
    for men in range(PIECES + 1):
        yield from combinations_with_replacement(range(KING + 1, PAWN + 1), men)


def _worth(side: tuple[int, ...]) -> int:
    return sum(int(WORTH[kind]) for kind in side)


def _layout(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    own = [[kind for kind in side if kind != PAWN] for side in (a, b)]
    groups = [(side, kind, n) for side in (0, 1) for kind, n in Counter(own[side]).items()]
    bits = sum(GROUP_BITS[n] for _, _, n in groups)
    found = at(SLOTS, len(own[0]) + len(own[1])) | at(BITS, bits) | at(IN_A, len(own[0]))
    found |= at(PAWNS_A, a.count(PAWN)) | at(PAWNS_B, b.count(PAWN)) | at(EQUAL, int(a == b))
    slot = low = 0
    for side, kind, n in groups:
        first = slot
        for _ in range(n):
            each = at(SLOT_KIND, kind) | at(SLOT_SIDE, side) | at(SLOT_GROUP, n)
            each |= at(SLOT_FIRST, first) | at(SLOT_SHIFT, low)
            found |= each << (LAYOUT_BITS + SLOT * slot)
            slot += 1
        low += GROUP_BITS[n]
    return found | at(SINGLE, int(all(n == 1 for _, _, n in groups)))


def _layouts() -> tuple[Array, Array, Array]:
    sides = [*_sides()]
    number = np.full(PIECES * int(WORTH[PAWN]) + 1, -1, np.int16)
    number[[_worth(side) for side in sides]] = range(len(sides))
    which = np.full((len(sides), len(sides)), -1, np.int16)
    found: list[int] = []
    for i, a in enumerate(sides):
        for j, b in enumerate(sides):
            if len(a) + len(b) <= PIECES and _worth(a) >= _worth(b):
                which[i, j] = len(found)
                found.append(_layout(a, b))
    return number, which, np.array(found, np.int64)


SIDE_NUMBER, LAYOUT_OF, LAYOUT = _layouts()
"""By worth: the number of a side; by the sides of A and B: which layout; the layouts."""
