"""Numbers of chess positions with up to five men (see `Indexed`), and moves between them.

There is a stratum for each pair of sides. Side A, whose men are worth more, sees the board from
its own side; both sides are the player to move in turn, or, if they have the same men, A always
is. The number of a position, from its highest digit to its lowest: the player to move and the
pawns; the kings, up to symmetry; each group of equal pieces. Positions in which a pawn may be
taken en passant come after all others. Whatever is no legal position is a hole.
"""

from collections.abc import Iterator
from functools import cached_property

from perfectplay.games.chess.board import (
    KIND,
    KINGS,
    MAN,
    PASSING,
    PAWN,
    PLACEMENT,
    QUEEN,
    REACH,
    SQUARE,
    THEIRS,
    WORTH,
    attacked,
    can_pass,
    exposed,
    inserted,
    kings,
    man,
    occupied,
)
from perfectplay.games.chess.numbering.digits import (
    SQUARE_BITS,
    Men,
    layout_of,
    nth,
    numbered,
    passed_ways,
    pawns_of,
    placed_ways,
    slot,
    views,
)
from perfectplay.games.chess.numbering.tables import (
    ALL_IMAGES,
    BITS,
    MIRRORED,
    MOST_NUMBERED,
    NO_IMAGE,
    PAIR_SIZE,
    PAWNS_A,
    PAWNS_B,
    SLOT_KIND,
    SLOT_SIDE,
    SLOTS,
)
from perfectplay.rules.number_capabilities import Indexed, NumberMoves
from perfectplay.rules.packing import at, fields, get

PLACES, DIFFERENCE, SUM = fields(22, 14, 14)
"""In a stratum: where pawns are, if it says so; by how much one side is worth more; the sum."""
Pair = tuple[tuple[int, ...], tuple[int, ...]]
"""The kinds of two sides, without kings."""
A_ROW, B_ROW = 3, 4
"""Where a double step of a pawn of A, and one of B, ends."""


def placement(layout: int, men: Men) -> int:
    """The men as the player to move sees them; the pawn on `passed` may be taken."""
    view = men.mover
    flip = 56 if view else 0
    p = kings(men.b ^ flip, men.a ^ flip) if view else kings(men.a, men.b)
    for k in range(get(layout, SLOTS)):
        here = slot(layout, k)
        kind = get(here, SLOT_KIND) + (THEIRS if get(here, SLOT_SIDE) != view else 0)
        p = inserted(p, man(kind, get(men.pieces, SQUARE_BITS, k) ^ flip))
    for k in range(get(layout, PAWNS_A)):
        square = get(men.pawns_a, SQUARE_BITS, k)
        kind = PAWN if view == 0 else (PASSING if square == men.passed else PAWN) + THEIRS
        p = inserted(p, man(kind, square ^ flip))
    for k in range(get(layout, PAWNS_B)):
        square = get(men.pawns_b, SQUARE_BITS, k)
        kind = PAWN if view == 1 else (PASSING if square == men.passed else PAWN) + THEIRS
        p = inserted(p, man(kind, square ^ flip))
    return p


def may_have_passed(p: int, passed: int) -> bool:
    """Whether the other's pawn on `passed` may just have made a double step, and can be taken."""
    men = occupied(p)
    if (men >> (passed + 8)) & 1 or (men >> (passed + 16)) & 1:
        return False
    king = get(p, SQUARE)
    before = men & ~(1 << passed) | 1 << (passed + 16)
    back = (int(REACH[passed + 16, king]) >> (PAWN + THEIRS)) & 1
    return not back and not attacked(p, king, before, passed) and can_pass(p, passed)


class ChessNumbers(NumberMoves, Indexed):
    """For `Chess`, which says what moves there are."""

    symmetry: bool
    material: str
    fen: str
    number_moves = 256
    end_payoffs = -1, 0

    @property
    def indexed(self) -> bool:  # type: ignore[override]
        return not self.fen and len(self.material) <= MOST_NUMBERED

    def any_image(self) -> bool:
        return True

    # -- Strata. ----------------------------------------------------------------------------------

    def images(self, layout: int) -> int:
        """Which symmetries positions with a layout have."""
        if not self.symmetry:
            return NO_IMAGE
        return MIRRORED if pawns_of(layout) else ALL_IMAGES

    def layout(self, stratum: int) -> int:
        """The layout of a stratum."""
        total, apart = get(stratum, SUM), get(stratum, DIFFERENCE)
        return layout_of((total + apart) >> 1, (total - apart) >> 1)

    def numbered_strata(self) -> Iterator[int]:
        for mine, theirs in self.reached:
            yield self.men_stratum(
                len(mine) + len(theirs) + 2,
                sum(kind == PAWN for kind in (*mine, *theirs)),
                sum(int(WORTH[kind]) for kind in mine),
                sum(int(WORTH[kind]) for kind in theirs),
            )

    @staticmethod
    def men_stratum(men: int, pawns: int, mine: int, theirs: int) -> int:
        """The stratum of so many men and pawns, if the sides are worth so much."""
        worth = at(SUM, mine + theirs) | at(DIFFERENCE, abs(mine - theirs))
        return ((men << 3 | pawns) << (SUM.low + SUM.bits)) | worth

    @cached_property
    def reached(self) -> list[Pair]:
        """All pairs of sides, without kings, that captures and promotions lead to."""
        found: list[Pair] = []
        waiting: list[Pair] = [(tuple(self.sides[0]), tuple(self.sides[1]))]
        while waiting:
            pair = waiting.pop()
            turned = pair[1], pair[0]
            if pair in found or turned in found:
                continue
            found.append(pair)
            for one, other in (pair, turned):
                for k, kind in enumerate(one):
                    rest = one[:k] + one[k + 1 :]
                    waiting.append((rest, other))
                    if kind == PAWN:
                        waiting += [
                            (tuple(sorted((*rest, new))), other) for new in range(QUEEN, PAWN)
                        ]
                        for j in range(len(other)):  # a pawn promotes where it takes
                            left = other[:j] + other[j + 1 :]
                            waiting += [
                                (tuple(sorted((*rest, new))), left) for new in range(QUEEN, PAWN)
                            ]
        return found

    @cached_property
    def sides(self) -> list[list[int]]:
        """The kinds of both sides, without kings."""
        raise NotImplementedError

    def size(self, stratum: int) -> int:
        layout = self.layout(stratum)
        ways = placed_ways(layout) + passed_ways(layout)
        return (views(layout) * ways * int(PAIR_SIZE[self.images(layout)])) << get(layout, BITS)

    # -- Positions. -------------------------------------------------------------------------------

    def unrank(self, stratum: int, i: int) -> int:
        layout = self.layout(stratum)
        return placement(layout, nth(layout, self.images(layout), i))

    def rank(self, p: int) -> int:
        worth, theirs, taken, passed = 0, 0, 0, -1
        rest = get(p, PLACEMENT)
        while rest:
            here, kind = get(rest, SQUARE), get(rest, KIND)
            if (taken >> here) & 1:
                return -1
            taken |= 1 << here
            if kind < THEIRS:
                worth += int(WORTH[kind])
            else:
                theirs += int(WORTH[kind - THEIRS])
            if kind == PASSING + THEIRS:
                passed = here
            rest >>= MAN.bits
        layout = layout_of(worth, theirs)
        if layout < 0 or exposed(get(p, PLACEMENT)):
            return -1
        if passed >= 0 and not may_have_passed(get(p, PLACEMENT), passed):
            return -1
        return numbered(layout, self.images(layout), self.men_of(p, 0 if worth >= theirs else 1))

    def men_of(self, p: int, view: int) -> Men:
        """The men of a position, if A is the player to move (`view` 0) or the other one."""
        flip = 56 if view else 0
        pieces, pawns, other_pieces, other_pawns = 0, 0, 0, 0
        n, m, other_n, other_m, passed = 0, 0, 0, 0, -1
        rest = get(p, PLACEMENT) >> KINGS.bits
        while rest:
            here, kind = get(rest, SQUARE) ^ flip, get(rest, KIND)
            rest >>= MAN.bits
            if kind < PAWN:
                pieces |= at(SQUARE_BITS, here, n)
                n += 1
            elif kind < THEIRS:
                pawns |= at(SQUARE_BITS, here, m)
                m += 1
            elif kind < PAWN + THEIRS:
                other_pieces |= at(SQUARE_BITS, here, other_n)
                other_n += 1
            else:
                other_pawns |= at(SQUARE_BITS, here, other_m)
                other_m += 1
                if kind == PASSING + THEIRS:
                    passed = here
        mine, other = get(p, SQUARE) ^ flip, get(get(p, MAN, 1), SQUARE) ^ flip
        if view:
            pieces = other_pieces | pieces << (SQUARE_BITS.bits * other_n)
            return Men(other, mine, other_pawns, pawns, pieces, view, passed)
        pieces |= other_pieces << (SQUARE_BITS.bits * n)
        return Men(mine, other, pawns, other_pawns, pieces, view, passed)
