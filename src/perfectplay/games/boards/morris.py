"""Morris (mill) on squares inside each other: six, nine and twelve men's morris.

The board is one, two or three squares (`rings`), with points at their corners and at the middles
of their sides; lines join the middles of neighbouring squares (with `diagonals` also the corners).
Players take turns to place a man on an empty point until all `men` of both are placed; then
they move a man along a line to an empty point next to it. With `flying`, a player who is left with
three men may move to any empty point. Whoever closes a mill, three men side by side on a line,
takes one of the other player's men off the board; men in mills are safe as long as there are
others (`safe`). A player who has fewer than three men, or who cannot move, loses.

Six men's morris has 2 rings and 6 men, nine men's morris 3 rings and 9 men (mostly with flying),
twelve men's morris 3 rings, 12 men and diagonals. Three men's morris is `ovid`.

Play begins with an empty board. With `placed` it begins after the placing, at any placement of the
men: `placed=4,3` solves all positions in which one player has at most four men on the board, the
other at most three, and both at least three, whoever is to move. These are the endgame databases
of Gasser (1996), who began with 3-3.

Check: six men's morris is a draw, whatever the first placement. Its board has 8 mills; those of
nine and twelve men's morris have 16 and 20. On the board of nine men's morris, 3-3 has 169,626
placements that differ by more than symmetry.

A position is one integer: 24 bits for the men of the player to move, 24 for the other's, then four
for the men that each has still to place. Point i of ring r is bit 8 r + i, ring 0 is outside:

    0-----1-----2
    |     |     |
    |  8--9-10  |
    |  |     |  |
    7-15    11--3
    |  |     |  |
    | 14-13-12  |
    |     |     |
    6-----5-----4
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count, crosses_and_noughts, marked
from perfectplay.games.boards.morris_numbers import (
    FEWEST,
    MINE,
    MY_HAND,
    POINTS,
    THEIR_HAND,
    THEIRS,
    MorrisNumbers,
)
from perfectplay.rules.capabilities import NumberedStarts
from perfectplay.rules.game import Game
from perfectplay.rules.number_capabilities import BackwardMoves
from perfectplay.rules.packing import at, fields, get

RING = MINE.each(8)
"""The rings of one player, then those of the other."""
TAKEN, TO, FROM = fields(5, 5, 5)
"""The fields of a move."""
NOBODY = 31
"""In a move: a man who comes from the hand, or no man taken."""


def _neighbours(rings: int, point: int, *, diagonals: bool) -> int:
    """The points that lines join to a point."""
    ring, i = point // 8, point % 8
    near = (1 << (8 * ring + (i + 1) % 8)) | (1 << (8 * ring + (i + 7) % 8))
    if i % 2 or diagonals:
        for other in (ring - 1, ring + 1):
            near |= 1 << (8 * other + i) if 0 <= other < rings else 0
    return near


def _mills(rings: int, *, diagonals: bool) -> set[int]:
    """All mills of a board."""
    sides = {(0, 1, 2), (2, 3, 4), (4, 5, 6), (6, 7, 0)}
    found = {sum(1 << (8 * ring + i) for i in side) for ring in range(rings) for side in sides}
    if rings == 3:
        found |= {0x010101 << i for i in range(8) if i % 2 or diagonals}
    return found


def _turned(ring: int, kind: int) -> int:
    """The eight points of a ring turned by `kind` % 4 corners, from `kind` 4 on also mirrored."""
    points = (i for i in range(8) if ring >> i & 1)
    return sum(1 << ((2 * kind + (-i if kind >= 4 else i)) % 8) for i in points)


BOARDS = [(rings, diagonals) for diagonals in (False, True) for rings in (1, 2, 3)]
NEAR = np.array(
    [[_neighbours(rings, p, diagonals=d) for p in range(POINTS)] for rings, d in BOARDS]
)
"""By board and point: the points next to it."""
MILLS = np.array(
    [
        [[*(m for m in sorted(_mills(rings, diagonals=d)) if m >> p & 1), 0, 0, 0][:3]]
        for rings, d in BOARDS
        for p in range(POINTS)
    ]
).reshape(len(BOARDS), POINTS, 3)
"""By board and point: the mills it belongs to, at most three, then 0."""
TURNED = np.array(
    [sum(_turned(ring, kind) << 8 * kind for kind in range(8)) for ring in range(256)], np.uint64
).astype(np.int64)
"""By the points of a ring: what it becomes when it is turned, eight bits for each kind."""
CHOOSE = np.array([[comb(n, k) for k in range(POINTS // 2 + 1)] for n in range(POINTS + 1)])


@dataclass(frozen=True)
class Morris(NumberedStarts, BackwardMoves, MorrisNumbers, Game):
    """`symmetry` identifies turned and mirrored boards, and those turned inside out. `placed`: how
    many men of either player are on the board at most when play begins, in any placement."""

    rings: int = 2
    men: int = 6
    flying: bool = False
    diagonals: bool = False
    safe: bool = True
    symmetry: bool = True
    placed: tuple[int, ...] = ()
    """The larger number first. Empty: the board is empty, too."""

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.rings <= 3 or not 3 <= self.men <= 4 * self.rings:
            raise UsageError(
                f"no board of {self.rings} rings with {self.men} men each",
                "use 1 to 3 rings, and from 3 men each to as many as fill the board",
            )
        object.__setattr__(self, "placed", tuple(sorted(self.placed, reverse=True)))
        if self.placed and (len(self.placed) != 2 or self.fewer < FEWEST or self.more > self.men):
            raise UsageError(
                f"no endgame with {', '.join(map(str, self.placed))} men placed",
                f"give the men of both players, from {FEWEST} to men={self.men} each: placed=4,3",
            )

    # -- First positions: the empty board, or all placements of men. ------------------------------

    @property
    def more(self) -> int:  # type: ignore[override]
        """How many men the player with more of them has at most at first; 0: none are placed."""
        return self.placed[0] if self.placed else 0

    @property
    def fewer(self) -> int:
        """How many men the other has at most."""
        return self.placed[1] if self.placed else 0

    @cached_property
    def endings(self) -> list[tuple[int, int]]:  # type: ignore[override]
        """The numbers of men with which play begins, the larger one first: most men first."""
        sizes = range(self.more, FEWEST - 1, -1)
        return [(a, b) for a in sizes for b in range(min(a, self.fewer), FEWEST - 1, -1)]

    @cached_property
    def start_numbers(self) -> int:  # type: ignore[override]
        """All sets of points for the men of the player who has more."""
        return sum(comb(8 * self.rings, a) for a, _ in self.endings) or 1

    @cached_property
    def most_positions(self) -> int | None:  # type: ignore[override]
        """Where men are placed: those of the player who has more in one of all ways that differ by
        more than symmetry, those of the other in all ways; and what is lost with two men."""
        if not self.placed:
            return None
        points = 8 * self.rings
        ways = {a: self.ways(a) for a in range(FEWEST, self.more + 1)}
        first = sum((1 + (a != b)) * ways[a] * comb(points - a, b) for a, b in self.endings)
        return first + sum(ways[a] * comb(points - a, FEWEST - 1) for a in ways)

    def ways(self, men: int) -> int:
        """In how many ways so many men of one player can be placed."""
        sets = np.zeros(1, np.int64)
        for k in range(1, men + 1):  # the sets below 1 << last are the first of `sets`
            sizes = range(k - 1, 8 * self.rings)
            sets = np.concatenate([sets[: comb(last, k - 1)] | 1 << last for last in sizes])
        if not self.symmetry:
            return len(sets)
        least = sets.copy()
        for kind in range(8):
            images = [TURNED[sets >> 8 * ring & 255] for ring in range(self.rings)]
            rings = [image >> 8 * kind & 255 for image in images]
            for order in (rings, rings[::-1]):
                image = sum(each << 8 * ring for ring, each in enumerate(order))
                least = np.minimum(least, image)
        return int((sets == least).sum())

    def start(self) -> int:
        first: int = next(iter(self.starts()))
        return first

    def starts_of(self, i: int) -> Iterator[int]:
        # The number says how many men there are (see `endings`), and which of all sets of points
        # has those of the player who has more; the other's are put on all others.
        if self.more == 0:
            yield self.packed(0, 0, self.men, self.men)
            return
        points, more, fewer = 8 * self.rings, self.more, self.fewer
        while i >= int(CHOOSE[points, more]):
            i -= int(CHOOSE[points, more])
            fewer -= 1
            if fewer < FEWEST:
                more -= 1
                fewer = min(more, self.fewer)
        men, point = 0, points
        for k in range(more, 0, -1):
            point -= 1
            while int(CHOOSE[point, k]) > i:
                point -= 1
            i -= int(CHOOSE[point, k])
            men |= 1 << point
        if self.representative(self.packed(men, 0, 0, 0)) != self.packed(men, 0, 0, 0):
            return
        chosen = (1 << fewer) - 1
        while chosen < 1 << (points - more):
            others, rest = 0, chosen
            for point in range(points):
                if not (men >> point) & 1:
                    others |= (rest & 1) << point
                    rest >>= 1
            yield self.packed(men, others, 0, 0)
            if more != fewer:
                yield self.packed(others, men, 0, 0)
            low = chosen & -chosen  # the next larger number with as many bits
            chosen = (chosen + low) | (((chosen ^ (chosen + low)) // low) >> 2)

    # -- The rules. -------------------------------------------------------------------------------

    def packed(self, mine: int, theirs: int, my_hand: int, their_hand: int) -> int:
        """The position with these men, on the board and still to be placed."""
        men = at(MINE, mine) | at(THEIRS, theirs)
        return men | at(MY_HAND, my_hand) | at(THEIR_HAND, their_hand)

    def board(self) -> int:
        """Which of BOARDS is played on."""
        return self.rings - 1 + (3 if self.diagonals else 0)

    def closes(self, men: int, point: int) -> bool:
        """Whether a point is in a mill of `men`."""
        for k in range(3):
            mill = MILLS[self.board(), point, k]
            if mill != 0 and men & mill == mill:
                return True
        return False

    def has_mill(self, men: int) -> bool:
        """Whether a player has a mill."""
        for point in range(8 * self.rings):  # noqa: SIM110 - compiled
            if (men >> point) & 1 and self.closes(men, point):
                return True
        return False

    def prey(self, men: int) -> int:
        """Those of a player's men who may be taken."""
        if not self.safe:
            return men
        free = 0
        for point in range(8 * self.rings):
            if (men >> point) & 1 and not self.closes(men, point):
                free |= 1 << point
        return free if free else men

    def moves(self, p: int) -> Iterator[int]:
        mine, theirs, hand = get(p, MINE), get(p, THEIRS), get(p, MY_HAND)
        if count(mine) + hand < FEWEST:
            return
        points = 8 * self.rings
        prey = self.prey(theirs)
        for man in range(points + 1):
            placing = man == points
            if placing != (hand > 0) or not (placing or (mine >> man) & 1):
                continue
            others = mine if placing else mine & ~(1 << man)
            targets = self.targets(mine, mine | theirs, NOBODY if placing else man)
            for to in range(points):
                if (targets >> to) & 1:
                    move = at(FROM, NOBODY if placing else man) | at(TO, to)
                    if prey != 0 and self.closes(others | (1 << to), to):
                        for taken in range(points):
                            if (prey >> taken) & 1:
                                yield move | at(TAKEN, taken)
                    else:
                        yield move | at(TAKEN, NOBODY)

    def targets(self, mine: int, men: int, man: int) -> int:
        """The empty points that a man (NOBODY: one from the hand) may go to."""
        empty = ((1 << (8 * self.rings)) - 1) & ~men
        if man == NOBODY or (self.flying and count(mine) == FEWEST):
            return empty
        return empty & int(NEAR[self.board(), man])

    def play(self, p: int, m: int) -> int:
        mine, theirs, my_hand = get(p, MINE), get(p, THEIRS), get(p, MY_HAND)
        man, taken = get(m, FROM), get(m, TAKEN)
        mine |= 1 << get(m, TO)
        if man == NOBODY:
            my_hand -= 1
        else:
            mine &= ~(1 << man)
        if taken != NOBODY:
            theirs &= ~(1 << taken)
        return self.packed(theirs, mine, get(p, THEIR_HAND), my_hand)

    def unmoves(self, p: int) -> Iterator[int]:
        # The other player moved last, and closed no mill: whoever does takes a man.
        mine, theirs = get(p, MINE), get(p, THEIRS)
        for man in range(8 * self.rings):
            if (theirs >> man) & 1 and not self.closes(theirs, man):
                origins = self.targets(theirs, mine | theirs, man)
                for origin in range(8 * self.rings):
                    if (origins >> origin) & 1:
                        before = (theirs & ~(1 << man)) | (1 << origin)
                        yield self.packed(before, mine, 0, 0)

    def stratum(self, p: int) -> int:
        mine, theirs = count(get(p, MINE)), count(get(p, THEIRS))
        if self.more:
            return self.pair(max(mine, theirs), min(mine, theirs))
        hands = get(p, MY_HAND) + get(p, THEIR_HAND)
        return 2 * hands + mine + theirs

    def representative(self, p: int) -> int:
        if not self.symmetry:
            return p
        best, hands = p, self.packed(0, 0, get(p, MY_HAND), get(p, THEIR_HAND))
        end = self.rings - 1
        mine, theirs = int(TURNED[get(p, RING, 0)]), int(TURNED[get(p, RING, 3)])
        my_last, their_last = int(TURNED[get(p, RING, end)]), int(TURNED[get(p, RING, end + 3)])
        my_second, their_second = int(TURNED[get(p, RING, 1)]), int(TURNED[get(p, RING, 4)])
        for kind in range(0, 64, 8):
            outer = (mine >> kind) & 255 | ((theirs >> kind) & 255) << POINTS
            inner = (my_last >> kind) & 255 | ((their_last >> kind) & 255) << POINTS
            men = hands
            if self.rings == 3:
                men |= ((my_second >> kind) & 255 | ((their_second >> kind) & 255) << POINTS) << 8
            best = min(best, men | outer | inner << 8 * end, men | inner | outer << 8 * end)
        return int(best)

    def marks(self, p: int) -> str:
        """One letter per point: X the player to move, O the other, . empty."""
        return crosses_and_noughts(get(p, MINE), get(p, THEIRS), 8 * self.rings)

    def text(self, p: int) -> str:
        marks = self.marks(p)
        rings = "/".join(marks[8 * ring : 8 * ring + 8] for ring in range(self.rings))
        return f"{rings} to place {get(p, MY_HAND)}-{get(p, THEIR_HAND)}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*([.XOxo/]+) to place (\d+)-(\d+)\s*", s)
        rings = found[1].upper().split("/") if found else []
        if not found or [len(ring) for ring in rings] != [8] * self.rings:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        marks, hands = "".join(rings), (int(found[2]), int(found[3]))
        if hands[0] - hands[1] not in (0, 1) or any(
            marks.count(who) + hand > self.men for who, hand in zip("XO", hands, strict=True)
        ):
            raise ValueError(f"{s!r}: {self.men} men each, placed in turn")
        mine, theirs = marked(marks, "X"), marked(marks, "O")
        return self.packed(mine, theirs, *hands)

    def spot(self, point: int) -> str:
        """A point by the letter of its ring, the outer one a, and its number in the ring."""
        return f"{'abc'[point // 8]}{point % 8 + 1}"

    def move_text(self, p: int, m: int) -> str:
        man, to, taken = get(m, FROM), get(m, TO), get(m, TAKEN)
        words = self.spot(to) if man == NOBODY else f"{self.spot(man)}-{self.spot(to)}"
        return words if taken == NOBODY else f"{words} x {self.spot(taken)}"

    @cached_property
    def drawn_board(self) -> tuple[list[tuple[int, int]], list[str]]:
        """Where the points are drawn, and the lines between them."""
        n, middle = 8 * self.rings, 40 * self.rings + 20
        around = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
        spots = []
        for point in range(n):
            x, y = around[point % 8]
            far = 40 * (self.rings - point // 8)
            spots.append((middle + far * x, middle + far * y))
        near = NEAR[self.board()]
        joined = [(i, j) for i in range(n) for j in range(i) if near[i] >> j & 1]
        return spots, [svg.line(*spots[i], *spots[j]) for i, j in joined]

    def picture(self, p: int) -> str:
        middle, (spots, lines) = 40 * self.rings + 20, self.drawn_board
        parts = list(lines)
        for (x, y), mark in zip(spots, self.marks(p), strict=True):
            free = mark == "."
            parts.append(svg.circle(x, y, 4) if free else svg.stone(x, y, 14, "XO".index(mark)))
        hands = f"to place: {get(p, MY_HAND)} and {get(p, THEIR_HAND)}"
        return svg.svg(2 * middle, 2 * middle + 16, [*parts, svg.note(0, 2 * middle + 8, hands)])
