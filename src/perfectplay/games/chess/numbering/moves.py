"""Moves from number to number (see `NumberMoves`) of the positions that numbers.py numbers.

A piece that goes to an empty square changes a few bits of a number, so that neither position is
written down. Where kings change places on the diagonal, or are brought to another side of the
board, the number is made anew."""

from collections.abc import Iterator

from perfectplay.compiled.arrays import Ints
from perfectplay.games.bits import count
from perfectplay.games.chess.board import (
    BETWEEN,
    KIND,
    KING,
    MAN,
    PASSING,
    PAWN,
    PLACEMENT,
    QUEEN,
    REACH,
    SQUARE,
    THEIRS,
    can_pass,
    moved,
    occupied,
    takes_passing,
)
from perfectplay.games.chess.numbering.digits import (
    SQUARE_BITS,
    Men,
    moved_piece,
    nth,
    numbered,
    pawns_number,
    pawns_of,
    slot,
)
from perfectplay.games.chess.numbering.numbers import (
    A_ROW,
    B_ROW,
    ChessNumbers,
    may_have_passed,
    placement,
)
from perfectplay.games.chess.numbering.tables import (
    ALL_IMAGES,
    BITS,
    EQUAL,
    KING_PAIRS,
    ON_DIAGONAL,
    PAIR_SIZE,
    PAWNS_A,
    PAWNS_B,
    ROW,
    SINGLE,
    SLOT_GROUP,
    SLOT_KIND,
    SLOT_SHIFT,
    SLOT_SIDE,
    SLOTS,
    WALKS,
)
from perfectplay.rules.packing import at, get

View = tuple[int, int, bool, int, bool]
"""What steps of kings and pieces are found with: the squares that are taken; whose steps; whether
pawns may be taken en passant before them; the digits of the pawns after them, times how many pairs
of kings there are; whether numbers are made anew."""
NEVER = 1 << 15
"""Above all pairs of kings."""


def squares_taken(layout: int, men: Men) -> int:
    """The squares with men on them, as bits."""
    taken = 1 << men.a | 1 << men.b
    for k in range(get(layout, SLOTS)):
        taken |= 1 << get(men.pieces, SQUARE_BITS, k)
    for k in range(get(layout, PAWNS_A)):
        taken |= 1 << get(men.pawns_a, SQUARE_BITS, k)
    for k in range(get(layout, PAWNS_B)):
        taken |= 1 << get(men.pawns_b, SQUARE_BITS, k)
    return taken


def could_take_king(layout: int, men: Men, taken: int) -> bool:
    """Whether the player to move could take the other's king."""
    king = men.a if men.mover else men.b
    for k in range(get(layout, SLOTS)):
        here = slot(layout, k)
        if get(here, SLOT_SIDE) == men.mover:
            square = get(men.pieces, SQUARE_BITS, k)
            if (int(REACH[square, king]) >> get(here, SLOT_KIND)) & 1 and not (
                int(BETWEEN[square, king]) & taken
            ):
                return True
    many, pawns, kind = get(layout, PAWNS_A), men.pawns_a, PAWN
    if men.mover:
        many, pawns, kind = get(layout, PAWNS_B), men.pawns_b, PAWN + THEIRS
    found = 0
    for k in range(many):
        found |= int(REACH[get(pawns, SQUARE_BITS, k), king])
    return bool((found >> kind) & 1)


def beside(layout: int, men: Men, side: int, square: int) -> bool:
    """Whether a pawn of a side stands beside a square."""
    pawns, many = (
        (men.pawns_b, get(layout, PAWNS_B)) if side else (men.pawns_a, get(layout, PAWNS_A))
    )
    for k in range(many):
        here = get(pawns, SQUARE_BITS, k)
        if here >> 3 == square >> 3 and abs(here - square) == 1:
            return True
    return False


def passable(layout: int, men: Men, side: int, square: int) -> bool:
    """Whether `side`, which is to move, could take the pawn on a square if it had just passed."""
    if not beside(layout, men, side, square):
        return False
    seen = Men(men.a, men.b, men.pawns_a, men.pawns_b, men.pieces, side, -1)
    return can_pass(placement(layout, seen), square ^ (56 if side else 0))


def with_passing(layout: int, symmetries: int, men: Men, out: Ints, n: int) -> int:
    """Add the numbers of a position with any right to take en passant that there may be to `out`,
    which has n already; how many it has then."""
    row = A_ROW if men.mover else B_ROW
    pawns, many = men.pawns_b, get(layout, PAWNS_B)
    if men.mover:
        pawns, many = men.pawns_a, get(layout, PAWNS_A)
    for k in range(many):
        square = get(pawns, SQUARE_BITS, k)
        if square >> 3 == row and beside(layout, men, men.mover, square):
            passing = Men(
                men.a, men.b, men.pawns_a, men.pawns_b, men.pieces, men.mover, square
            )  # fmt: skip
            out[n] = numbered(layout, symmetries, passing)
            n += 1
    return n


def pawn_moved(men: Men, side: int, k: int, here: int, to: int, passed: int) -> Men:
    """A position after pawn k of a side went to another square; the other side is on turn if it
    was not."""
    change = at(SQUARE_BITS, here ^ to, k)
    a, b = (0, change) if side else (change, 0)
    return Men(men.a, men.b, men.pawns_a ^ a, men.pawns_b ^ b, men.pieces, 1 - men.mover, passed)


def pawn_steps(
    layout: int, symmetries: int, men: Men, taken: int, side: int, out: Ints, n: int
) -> int:
    """Add the steps of the pawns of a side, which is to move."""
    pawns, many, ahead, last, first = men.pawns_a, get(layout, PAWNS_A), 8, 7, 1
    if side:
        pawns, many, ahead, last, first = men.pawns_b, get(layout, PAWNS_B), -8, 0, 6
    for k in range(many):
        here = get(pawns, SQUARE_BITS, k)
        to = here + ahead
        if (taken >> to) & 1 or to >> 3 == last:
            continue
        out[n] = numbered(layout, symmetries, pawn_moved(men, side, k, here, to, -1))
        n += 1
        to += ahead
        if here >> 3 == first and not (taken >> to) & 1:
            after = pawn_moved(men, side, k, here, to, -1)
            if passable(layout, after, 1 - side, to):
                after = pawn_moved(men, side, k, here, to, to)
            out[n] = numbered(layout, symmetries, after)
            n += 1
    return n


def pawn_steps_back(
    layout: int, symmetries: int, men: Men, taken: int, side: int, out: Ints, n: int
) -> int:
    """Add the steps back of the pawns of a side, which is not to move."""
    pawns, many, behind, first, row = men.pawns_a, get(layout, PAWNS_A), -8, 1, A_ROW
    if side:
        pawns, many, behind, first, row = men.pawns_b, get(layout, PAWNS_B), 8, 6, B_ROW
    both = get(layout, PAWNS_A) > 0 and get(layout, PAWNS_B) > 0
    for k in range(many):
        here = get(pawns, SQUARE_BITS, k)
        to = here + behind
        if here >> 3 == first or (taken >> to) & 1:
            continue
        if men.passed < 0:
            before = pawn_moved(men, side, k, here, to, -1)
            out[n] = numbered(layout, symmetries, before)
            n += 1
            if both:
                n = with_passing(layout, symmetries, before, out, n)
        to += behind
        if here >> 3 != row or (taken >> to) & 1:
            continue
        if here == men.passed if men.passed >= 0 else not passable(layout, men, 1 - side, here):
            before = pawn_moved(men, side, k, here, to, -1)
            out[n] = numbered(layout, symmetries, before)
            n += 1
            if both:
                n = with_passing(layout, symmetries, before, out, n)
    return n


def king_steps(
    layout: int, symmetries: int, men: Men, view: View, low: int, out: Ints, n: int
) -> int:
    """Add the steps of the king of a side."""
    taken, side, both, high, anew = view
    mover, limit = 1 - men.mover, ON_DIAGONAL if symmetries == ALL_IMAGES else NEVER
    row = ROW * (64 * KING + (men.b if side else men.a))
    for j in range(row, row + 8):
        step = int(WALKS[j])
        if step < 0:
            break
        to = step & 63
        a, b = (men.a, to) if side else (to, men.b)
        code = int(KING_PAIRS[symmetries, a << 6 | b])
        if (taken >> to) & 1 or code < 0:
            continue
        if not anew and code & 7 == 0 and code >> 3 < limit:
            out[n] = (high + (code >> 3)) << get(layout, BITS) | low
        else:
            after = Men(a, b, men.pawns_a, men.pawns_b, men.pieces, mover, -1)
            out[n] = numbered(layout, symmetries, after)
        n += 1
        if both:
            after = Men(a, b, men.pawns_a, men.pawns_b, men.pieces, mover, -1)
            n = with_passing(layout, symmetries, after, out, n)
    return n


def piece_steps(
    layout: int, symmetries: int, men: Men, view: View, number: int, k: int, out: Ints, n: int
) -> int:
    """Add the steps of the piece in slot k. `number` is that of the same men with the other
    player on turn."""
    taken, _, both, _, anew = view
    low = number & ((1 << get(layout, BITS)) - 1)
    piece, mover = slot(layout, k), 1 - men.mover
    here, shift = get(men.pieces, SQUARE_BITS, k), get(piece, SLOT_SHIFT)
    alone = not anew and get(piece, SLOT_GROUP) == 1
    rest = number - (here << shift)  # what is left of the number without the piece
    row = ROW * (64 * get(piece, SLOT_KIND) + here)
    j = row
    step = int(WALKS[j])
    while step >= 0:
        to = step & 63
        if (taken >> to) & 1:
            j = row + (step >> 6)
            step = int(WALKS[j])
            continue
        j += 1
        step = int(WALKS[j])
        if alone:
            out[n] = rest + (to << shift)
        elif anew:
            pieces = men.pieces ^ at(SQUARE_BITS, here ^ to, k)
            after = Men(men.a, men.b, men.pawns_a, men.pawns_b, pieces, mover, -1)
            out[n] = numbered(layout, symmetries, after)
        else:
            out[n] = number - low + moved_piece(layout, low, men.pieces, k, to)
        n += 1
        if both:
            pieces = men.pieces ^ at(SQUARE_BITS, here ^ to, k)
            after = Men(men.a, men.b, men.pawns_a, men.pawns_b, pieces, mover, -1)
            n = with_passing(layout, symmetries, after, out, n)
    return n


def slides(layout: int, symmetries: int, i: int, out: Ints, back: int) -> int:
    """Fill `out` with the numbers of positions that a move to an empty square leads to or, with
    `back` 1, comes from; how many they are. Some may be no legal positions."""
    men = nth(layout, symmetries, i)
    pawns, bits = pawns_of(layout), get(layout, BITS)
    taken, side, high, n = squares_taken(layout, men), men.mover ^ back, 1 - men.mover, 0
    both = back == 1 and get(layout, PAWNS_A) > 0 and get(layout, PAWNS_B) > 0
    if pawns:
        if back:
            n = pawn_steps_back(layout, symmetries, men, taken, side, out, n)
            if men.passed >= 0:
                return n
        else:
            n = pawn_steps(layout, symmetries, men, taken, side, out, n)
    anew = get(layout, EQUAL) == 1
    if pawns and not anew:
        turned = Men(men.a, men.b, men.pawns_a, men.pawns_b, men.pieces, high, -1)
        high = pawns_number(layout, turned, 0, -1)
    high *= int(PAIR_SIZE[symmetries])
    low = i & ((1 << bits) - 1)
    n = king_steps(layout, symmetries, men, (taken, side, both, high, anew), low, out, n)
    pair = int(KING_PAIRS[symmetries, men.a << 6 | men.b]) >> 3
    anew = anew or (symmetries == ALL_IMAGES and pair >= ON_DIAGONAL)
    view = (taken, side, both, high, anew)
    number = (high + pair) << bits | low
    for k in range(get(layout, SLOTS)):
        if get(slot(layout, k), SLOT_SIDE) == side:
            n = piece_steps(layout, symmetries, men, view, number, k, out, n)
    return n


class ChessNumberMoves(ChessNumbers):
    """For `Chess`, which says whether a king is safe after a step."""

    def stands(self, p: int, men: int, here: int, to: int) -> bool:
        """Whether the king of the player to move is safe after a step from `here` to `to`."""
        raise NotImplementedError

    def vacant(self, stratum: int, i: int) -> bool:
        layout = self.layout(stratum)
        symmetries = self.images(layout)
        men = nth(layout, symmetries, i)
        taken = squares_taken(layout, men)
        if count(taken) < 2 + get(layout, SLOTS) + pawns_of(layout) or could_take_king(
            layout, men, taken
        ):
            return True
        several = get(layout, SINGLE) == 0 or (
            symmetries == ALL_IMAGES
            and int(KING_PAIRS[symmetries, men.a << 6 | men.b]) >> 3 >= ON_DIAGONAL
        )
        if (several or men.passed >= 0) and numbered(layout, symmetries, men) != i:
            return True
        if men.passed < 0:
            return False
        flip = 56 if men.mover else 0
        return not may_have_passed(placement(layout, men), men.passed ^ flip)

    def steps(self, stratum: int, i: int, out: Ints) -> int:
        layout = self.layout(stratum)
        return slides(layout, self.images(layout), i, out, 0)

    def unsteps(self, stratum: int, i: int, out: Ints) -> int:
        layout = self.layout(stratum)
        return slides(layout, self.images(layout), i, out, 1)

    def exits(self, p: int) -> Iterator[int]:
        p = get(p, PLACEMENT)
        men, mine = occupied(p), p
        while mine:
            here, kind = get(mine, SQUARE), get(mine, KIND)
            mine >>= MAN.bits
            if kind > THEIRS:
                continue
            promotes = kind == PAWN and here >= 48
            theirs = p >> (2 * MAN.bits)
            while theirs:
                to, other = get(theirs, SQUARE), get(theirs, KIND)
                theirs >>= MAN.bits
                if other < THEIRS:
                    continue
                if other == PASSING + THEIRS and kind == PAWN and takes_passing(p, men, here, to):
                    yield moved(here, to + 8, PAWN)
                if (
                    (int(REACH[here, to]) >> kind) & 1
                    and not int(BETWEEN[here, to]) & men
                    and self.stands(p, men, here, to)
                ):
                    if promotes:
                        for becomes in range(QUEEN, PAWN):
                            yield moved(here, to, becomes)
                    else:
                        yield moved(here, to, kind)
            to = here + 8
            if promotes and not (men >> to) & 1 and self.stands(p, men, here, to):
                for becomes in range(QUEEN, PAWN):
                    yield moved(here, to, becomes)
