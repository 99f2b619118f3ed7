"""The digits of a chess position's number: kings, pawns and pieces to numbers, and back.

`Men` is a position as side A sees it (tables.py). All functions compile as they stand."""

from typing import NamedTuple

from perfectplay.games.chess.board import IMAGE
from perfectplay.games.chess.numbering.tables import (
    ALL_IMAGES,
    BITS,
    CHOOSE,
    EQUAL,
    GROUP_BITS,
    IN_A,
    KING_PAIRS,
    KINGS_AT,
    LAYOUT,
    LAYOUT_BITS,
    LAYOUT_OF,
    ON_DIAGONAL,
    PAIR_SIZE,
    PASSED,
    PAWN_SQUARES,
    PAWNS_A,
    PAWNS_B,
    SIDE_NUMBER,
    SINGLE,
    SLOT,
    SLOT_FIRST,
    SLOT_GROUP,
    SLOT_SHIFT,
    SLOTS,
)
from perfectplay.rules.packing import at, fields, get

(SQUARE_BITS,) = fields(6)
"""Squares side by side: of the pieces in all slots, or of the pawns of one side."""
UPSIDE_DOWN = 0o70707070
"""Turns squares side by side round."""


class Men(NamedTuple):
    """A position: squares of the kings, pawns and pieces of A and B."""

    a: int
    b: int
    pawns_a: int
    pawns_b: int
    pieces: int
    """Those in the slots of the layout."""
    mover: int
    """Who is to move: 0 for A, 1 for B."""
    passed: int
    """The pawn that may be taken en passant, or -1."""


def layout_of(mine: int, theirs: int) -> int:
    """The layout of two sides that are worth so much; -1 if they have too many men."""
    a, b = max(mine, theirs), min(mine, theirs)
    if a >= len(SIDE_NUMBER) or SIDE_NUMBER[a] < 0 or SIDE_NUMBER[b] < 0:
        return -1
    which = int(LAYOUT_OF[SIDE_NUMBER[a], SIDE_NUMBER[b]])
    return int(LAYOUT[which]) if which >= 0 else -1


def slot(layout: int, k: int) -> int:
    """What a layout says of a slot."""
    return layout >> (LAYOUT_BITS + SLOT * k)


def views(layout: int) -> int:
    """1 if both sides have the same men, so that A is always to move; else 2."""
    return 2 - get(layout, EQUAL)


def pawns_of(layout: int) -> int:
    """How many pawns there are."""
    return get(layout, PAWNS_A) + get(layout, PAWNS_B)


# -- Sets of squares. -----------------------------------------------------------------------------


def set_number(squares: int, many: int, symmetry: int, low: int) -> int:
    """The number of a set of squares after a symmetry, where squares begin with `low`."""
    if many == 1:
        return int(IMAGE[symmetry, squares & 63]) - low
    number = 0
    for j in range(many):
        here = int(IMAGE[symmetry, get(squares, SQUARE_BITS, j)])
        order = 1
        for k in range(many):
            if int(IMAGE[symmetry, get(squares, SQUARE_BITS, k)]) < here:
                order += 1
        number += int(CHOOSE[here - low, order])
    return number


def nth_squares(number: int, many: int, low: int) -> int:
    """The set of squares that has a number."""
    if many == 0:
        return 0
    squares, here = 0, 64 - 2 * low
    for j in range(many - 1, 0, -1):
        here -= 1
        while int(CHOOSE[here, j + 1]) > number:
            here -= 1
        number -= int(CHOOSE[here, j + 1])
        squares |= at(SQUARE_BITS, here + low, j)
    return squares | (number + low) & 63


def place_of(squares: int, many: int, square: int) -> int:
    """Where a square is among those side by side; -1 if it is not there."""
    for j in range(many):
        if get(squares, SQUARE_BITS, j) == square:
            return j
    return -1


def without(squares: int, many: int, square: int) -> int:
    """Squares side by side without one of them: the last one takes its place."""
    j = place_of(squares, many, square)
    if j < 0:
        return squares
    last = get(squares, SQUARE_BITS, many - 1)
    return squares ^ at(SQUARE_BITS, square ^ last, j) ^ at(SQUARE_BITS, last, many - 1)


# -- Pieces. --------------------------------------------------------------------------------------


def pieces_number(layout: int, squares: int, symmetry: int) -> int:
    """The lowest digits: the pieces, after a symmetry."""
    if symmetry == 0 and get(layout, SINGLE):
        return squares
    number = k = 0
    while k < get(layout, SLOTS):
        here = slot(layout, k)
        many = get(here, SLOT_GROUP)
        which = set_number(squares >> (SQUARE_BITS.bits * k), many, symmetry, 0)
        number |= which << get(here, SLOT_SHIFT)
        k += many
    return number


def nth_pieces(layout: int, number: int) -> int:
    """The inverse, squares side by side."""
    if get(layout, SINGLE):
        return number
    squares = k = 0
    while k < get(layout, SLOTS):
        here = slot(layout, k)
        many = get(here, SLOT_GROUP)
        digits = (number >> get(here, SLOT_SHIFT)) & ((1 << GROUP_BITS[many]) - 1)
        squares |= nth_squares(digits, many, 0) << (SQUARE_BITS.bits * k)
        k += many
    return squares


def moved_piece(layout: int, number: int, squares: int, k: int, to: int) -> int:
    """The lowest digits after the piece in slot k went to another square."""
    here = slot(layout, k)
    shift = get(here, SLOT_SHIFT)
    if get(here, SLOT_GROUP) == 1:
        return number + ((to - get(squares, SQUARE_BITS, k)) << shift)
    many, first = get(here, SLOT_GROUP), get(here, SLOT_FIRST)
    after = squares ^ at(SQUARE_BITS, to ^ get(squares, SQUARE_BITS, k), k)
    digits = set_number(after >> (SQUARE_BITS.bits * first), many, 0, 0)
    kept = number & ~(((1 << GROUP_BITS[many]) - 1) << shift)
    return kept | digits << shift


# -- Pawns. ---------------------------------------------------------------------------------------


def placed_ways(layout: int) -> int:
    """How many ways there are to place the pawns."""
    a, b = get(layout, PAWNS_A), get(layout, PAWNS_B)
    return int(CHOOSE[PAWN_SQUARES, a]) * int(CHOOSE[PAWN_SQUARES, b])


def passed_ways(layout: int) -> int:
    """How many ways there are to place them if one player may take one en passant."""
    a, b = get(layout, PAWNS_A), get(layout, PAWNS_B)
    if a == 0 or b == 0:
        return 0
    return PASSED * int(CHOOSE[PAWN_SQUARES, a - 1]) * int(CHOOSE[PAWN_SQUARES, b - 1])


def pawns_number(layout: int, men: Men, symmetry: int, passed: int) -> int:
    """The highest digits: who is to move, and the pawns, after a symmetry; the one on `passed`
    may be taken en passant."""
    a, b = get(layout, PAWNS_A), get(layout, PAWNS_B)
    if passed < 0:
        mine, theirs = 0, 0
        if a:
            mine = set_number(men.pawns_a, a, symmetry, 8)
        if b:
            theirs = set_number(men.pawns_b, b, symmetry, 8)
        return men.mover * placed_ways(layout) + mine * int(CHOOSE[PAWN_SQUARES, b]) + theirs
    takers, many = (men.pawns_b, b) if men.mover else (men.pawns_a, a)
    square = int(IMAGE[symmetry, passed])
    file = square & 7
    left = file > 0 and place_of(takers, many, int(IMAGE[symmetry, square - 1])) >= 0
    which = file - 1 if left else 7 + file
    taker = int(IMAGE[symmetry, square - 1 if left else square + 1])
    gone = (passed, taker) if men.mover else (taker, passed)
    number = which
    mine = without(men.pawns_a, a, gone[0])
    theirs = without(men.pawns_b, b, gone[1])
    if a > 1:
        each = int(CHOOSE[PAWN_SQUARES, a - 1])
        number = number * each + set_number(mine, a - 1, symmetry, 8)
    if b > 1:
        each = int(CHOOSE[PAWN_SQUARES, b - 1])
        number = number * each + set_number(theirs, b - 1, symmetry, 8)
    return views(layout) * placed_ways(layout) + men.mover * passed_ways(layout) + number


def nth_pawns(layout: int, number: int) -> tuple[int, int, int, int]:
    """The inverse: (pawns of A, pawns of B, who is to move, the pawn that may be taken)."""
    a, b = get(layout, PAWNS_A), get(layout, PAWNS_B)
    normal, view = placed_ways(layout), 0
    if number < views(layout) * normal:
        if number >= normal:
            number, view = number - normal, 1
        each = int(CHOOSE[PAWN_SQUARES, b])
        return nth_squares(number // each, a, 8), nth_squares(number % each, b, 8), view, -1
    number -= views(layout) * normal
    if number >= passed_ways(layout):
        number, view = number - passed_ways(layout), 1
    each = int(CHOOSE[PAWN_SQUARES, b - 1])
    theirs, number = nth_squares(number % each, b - 1, 8), number // each
    each = int(CHOOSE[PAWN_SQUARES, a - 1])
    mine, which = nth_squares(number % each, a - 1, 8), number // each
    square = (which + 1 if which < 7 else which - 7) + (24 if view else 32)
    taker = square - 1 if which < 7 else square + 1
    mine |= at(SQUARE_BITS, square if view else taker, a - 1)
    theirs |= at(SQUARE_BITS, taker if view else square, b - 1)
    return mine, theirs, view, square


# -- Positions. -----------------------------------------------------------------------------------


def exchanged(layout: int, men: Men) -> Men:
    """The same position where both sides have the same men, as the other one sees it."""
    half = SQUARE_BITS.bits * get(layout, IN_A)
    pieces = men.pieces ^ UPSIDE_DOWN
    low = pieces & ((1 << half) - 1)
    return Men(
        men.b ^ 56, men.a ^ 56, men.pawns_b ^ UPSIDE_DOWN, men.pawns_a ^ UPSIDE_DOWN,
        (pieces >> half) & ((1 << half) - 1) | low << half,
        1 - men.mover, men.passed if men.passed < 0 else men.passed ^ 56,
    )  # fmt: skip


def numbered(layout: int, symmetries: int, men: Men) -> int:
    """The number of a position; -1 if the kings stand side by side."""
    if men.mover == 1 and get(layout, EQUAL):
        men = exchanged(layout, men)
    code = int(KING_PAIRS[symmetries, men.a << 6 | men.b])
    if code < 0:
        return -1
    symmetry, pair = code & 7, code >> 3
    pieces = pieces_number(layout, men.pieces, symmetry)
    if symmetries == ALL_IMAGES and pair >= ON_DIAGONAL:
        pieces = min(pieces, pieces_number(layout, men.pieces, symmetry ^ 4))
    high = men.mover
    if pawns_of(layout):
        high = pawns_number(layout, men, symmetry, men.passed)
    return (high * int(PAIR_SIZE[symmetries]) + pair) << get(layout, BITS) | pieces


def nth(layout: int, symmetries: int, number: int) -> Men:
    """The position with a number."""
    bits = get(layout, BITS)
    high, low = number >> bits, number & ((1 << bits) - 1)
    pairs = int(PAIR_SIZE[symmetries])
    pieces = nth_pieces(layout, low)
    if pawns_of(layout):
        pawns_a, pawns_b, view, passed = nth_pawns(layout, high // pairs)
        both = int(KINGS_AT[symmetries, high % pairs])
        return Men(both >> 6, both & 63, pawns_a, pawns_b, pieces, view, passed)
    view = 1 if high >= pairs else 0
    both = int(KINGS_AT[symmetries, high - pairs if view else high])
    return Men(both >> 6, both & 63, 0, 0, pieces, view, -1)
