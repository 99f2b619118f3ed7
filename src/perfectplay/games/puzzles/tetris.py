"""Tetris in a small well: place falling pieces and complete as many rows as possible.

Pieces are dealt by chance, one after the other. The player turns a piece, chooses its columns, and
it drops straight down until something below stops it. Complete rows vanish, and what is above them
comes down by as many rows. A piece must come to rest wholly inside the well; where that is not
possible play ends, and it ends after `drops` pieces at the latest. Each letter of `pieces` is
equally likely: I O T L J S Z with four cells, B (bar) and C (corner) with three, D (domino), M
(monomino); a letter given twice is twice as likely. With `preview` the piece after this one is
known too. `points` is what one, two, three and four rows at once are worth.

Kostreva and Hartman judge a placement by a weighted sum of four objectives: the empty cells
underneath the piece, the sides of its cells that touch a wall, the floor or a filled cell, the
greatest height when rows have vanished, and the rows completed. With `weights` the player makes
only placements for which this sum is greatest, so that the value is that of their policy (the best
of equal placements is made). Weights of 0 leave the choice free.

Check: in a well 10 wide there are 162 placements: O 9, I, S and Z 17, T, L and J 34. In a well of
2 x 2, dominoes complete one row for each drop, all that are dealt fit, and the value is `drops`.

A position is one integer: the well in bits 0-39, the lowest row first and in it the left column
lowest; the piece in bits 40-43 (0: it is being dealt), the next one in bits 44-47, and from bit 48
on how many pieces are to come, with this one. Mirror images are the same where the pieces are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import marked, symmetric
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

LETTERS = ".IOTLJSZBCDM"
"""A piece is the place of its letter."""
MIRRORED = tuple(LETTERS.index(letter) for letter in ".IOTJLZSBCDM")
DRAWN = {
    "I": ("####",),
    "O": ("##", "##"),
    "T": ("###", ".#."),
    "L": ("###", "#.."),
    "J": ("###", "..#"),
    "S": (".##", "##."),
    "Z": ("##.", ".##"),
    "B": ("###",),
    "C": ("##", "#."),
    "D": ("##",),
    "M": ("#",),
}
"""The pieces, top row first."""
WELL, PIECE, NEXT, LEFT = fields(40, 4, 4, 8)
"""Filled cells, the piece to place (0: it is being dealt), the one after it, pieces to come."""
COLUMN, WAY = fields(6, 2)
"""A move: the leftmost column, and the way to turn the piece."""
MOST_DROPS = 200
WEIGHTS = (-4, 1, -2, 5)
"""Weights of the four objectives that do well in small wells."""


def turned(rows: tuple[str, ...]) -> tuple[str, ...]:
    """A piece after a quarter turn clockwise."""
    return tuple("".join(column) for column in zip(*reversed(rows), strict=True))


def ways(rows: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All different ways to turn a piece."""
    found: list[tuple[str, ...]] = []
    for _ in range(4):
        if rows not in found:
            found.append(rows)
        rows = turned(rows)
    return found


WAYS = [[], *(ways(DRAWN[letter]) for letter in LETTERS[1:])]
NUMBER = np.array([len(each) for each in WAYS])
WIDE, TALL = np.zeros((2, len(LETTERS), 4), np.int64)
ROWS = np.zeros((len(LETTERS), 4, 4), np.int64)
"""Each piece, turned each way: its rows as bits, the lowest row first."""
for _piece, _ways in enumerate(WAYS):
    for _way, _rows in enumerate(_ways):
        WIDE[_piece, _way], TALL[_piece, _way] = len(_rows[0]), len(_rows)
        for _y, _row in enumerate(reversed(_rows)):
            ROWS[_piece, _way, _y] = marked(_row, "#")


@dataclass(frozen=True)
class Tetris(Game):
    """A well of width x height cells, and a limited number of pieces."""

    width: int = 4
    height: int = 4
    pieces: str = "IOTLJSZ"
    drops: int = 6
    preview: bool = False
    points: tuple[int, ...] = (1, 2, 3, 4)
    weights: tuple[int, ...] = (0, 0, 0, 0)
    symmetry: bool = True

    players = 1
    native = True

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or self.width * self.height > WELL.bits:
            raise UsageError(
                f"no well of {self.width} x {self.height}", f"use 1 to {WELL.bits} cells in all"
            )
        if not self.pieces or set(self.pieces) - set(LETTERS[1:]):
            raise UsageError(
                f"no such pieces: {self.pieces!r}", f"use letters of {LETTERS[1:]}, such as IOT"
            )
        if not 1 <= self.drops <= MOST_DROPS:
            raise UsageError(f"no play with {self.drops} drops", f"use 1 to {MOST_DROPS}")
        if len(self.points) != 4 or len(self.weights) != 4:
            raise UsageError(
                "points and weights are four numbers each",
                "points=1,2,3,4 counts rows; weights=-1,1,-1,1 is a policy, 0,0,0,0 none",
            )

    @cached_property
    def weight(self) -> tuple[int, ...]:
        """How likely each piece is."""
        return tuple(self.pieces.count(letter) for letter in LETTERS)

    @cached_property
    def free(self) -> bool:
        """Whether no policy is followed."""
        return self.weights == (0, 0, 0, 0)

    @cached_property
    def mirrors(self) -> bool:
        """Whether mirror images are the same."""
        same = all(self.weight[i] == self.weight[j] for i, j in enumerate(MIRRORED))
        return self.symmetry and same

    def start(self) -> int:
        return at(LEFT, self.drops)

    def deals(self, p: int) -> int:
        """How many pieces are to be dealt before the next placement."""
        unknown = 1 if get(p, PIECE) == 0 and get(p, LEFT) > 0 else 0
        if self.preview and get(p, NEXT) == 0 and get(p, LEFT) > 1:
            unknown += 1
        return unknown

    def to_move(self, p: int) -> int:
        if get(p, LEFT) == 0:
            return OVER
        return CHANCE if self.deals(p) > 0 else 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        dealt = PIECE if get(p, PIECE) == 0 else NEXT
        for piece in range(len(self.weight)):
            if self.weight[piece] > 0:
                yield self.weight[piece], put(p, dealt, piece)

    # -- Placing. ---

    def placed(self, p: int, m: int) -> int:
        """The cells in which the piece comes to rest, 0 if it does not fit."""
        piece, way = get(p, PIECE), get(m, WAY)
        well, row, tall = get(p, WELL), self.height - 1, int(TALL[piece, way])
        cells = 0
        for y in range(tall):
            cells |= int(ROWS[piece, way, y]) << (self.width * y + get(m, COLUMN))
        while row >= 0 and well & (cells << (self.width * row)) == 0:
            row -= 1
        return cells << (self.width * (row + 1)) if row + 1 + tall <= self.height else 0

    def complete(self, well: int) -> int:
        """How many rows are full."""
        full, rows = (1 << self.width) - 1, 0
        for y in range(self.height):
            if (well >> (self.width * y)) & full == full:
                rows += 1
        return rows

    def settled(self, well: int) -> int:
        """The well when full rows have vanished."""
        full, out, to = (1 << self.width) - 1, 0, 0
        for y in range(self.height):
            row = (well >> (self.width * y)) & full
            if row != full:
                out |= row << (self.width * to)
                to += 1
        return out

    def placements(self, p: int) -> Iterator[int]:
        """All ways to place the piece."""
        piece = get(p, PIECE)
        for way in range(NUMBER[piece]):
            if TALL[piece, way] <= self.height:
                for column in range(self.width - WIDE[piece, way] + 1):
                    m = at(WAY, way) | at(COLUMN, column)
                    if self.placed(p, m):
                        yield m

    def moves(self, p: int) -> Iterator[int]:
        best = 0 if self.free else -(1 << 60)
        if not self.free:
            for m in self.placements(p):
                best = max(best, self.judged(p, m))
        for m in self.placements(p):
            if self.free or self.judged(p, m) == best:
                yield m

    def play(self, p: int, m: int) -> int:
        well = self.settled(get(p, WELL) | self.placed(p, m))
        return well | at(PIECE, get(p, NEXT)) | at(LEFT, get(p, LEFT) - 1)

    def reward(self, p: int, m: int) -> int:
        rows = self.complete(get(p, WELL) | self.placed(p, m))
        return self.points[rows - 1] if rows > 0 else 0

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return 3 * get(p, LEFT) + self.deals(p)

    def representative(self, p: int) -> int:
        if not self.mirrors:
            return p
        image = symmetric(get(p, WELL), self.width, self.height, 1)
        image |= at(PIECE, MIRRORED[get(p, PIECE)]) | at(NEXT, MIRRORED[get(p, NEXT)])
        return min(p, image | at(LEFT, get(p, LEFT)))

    # -- The objectives of Kostreva and Hartman. ---

    def objectives(self, p: int, m: int) -> tuple[int, int, int, int]:
        """The four objectives for a placement."""
        well, cells = get(p, WELL), self.placed(p, m)
        covered, contacts = self.covered(well, cells), self.contacts(well, cells)
        well |= cells
        return covered, contacts, self.highest(self.settled(well)), self.complete(well)

    def judged(self, p: int, m: int) -> int:
        """The weighted sum of the four objectives for a placement."""
        found, total = self.objectives(p, m), 0
        for i in range(4):
            total += self.weights[i] * found[i]
        return total

    def covered(self, well: int, cells: int) -> int:
        """How many empty cells are underneath a piece that lies in `cells`."""
        empty = 0
        for x in range(self.width):
            below = 0
            for y in range(self.height):
                bit = 1 << (self.width * y + x)
                if cells & bit:
                    empty += below
                    below = 0
                elif well & bit == 0:
                    below += 1
        return empty

    def contacts(self, well: int, cells: int) -> int:
        """How many sides of a piece's cells touch a filled cell, a wall or the floor."""
        touched = 0
        for y in range(self.height):
            for x in range(self.width):
                i = self.width * y + x
                if (cells >> i) & 1:
                    touched += 1 if x == 0 else (well >> (i - 1)) & 1
                    touched += 1 if x == self.width - 1 else (well >> (i + 1)) & 1
                    touched += 1 if y == 0 else (well >> (i - self.width)) & 1
                    if y < self.height - 1:
                        touched += (well >> (i + self.width)) & 1
        return touched

    def highest(self, well: int) -> int:
        """The height of the highest filled cell."""
        y = self.height
        while y > 0 and well >> (self.width * (y - 1)) == 0:
            y -= 1
        return y

    # -- Text and pictures. ---

    def lines(self, well: int) -> list[str]:
        """The rows of the well, top row first."""
        rows = (well >> (self.width * y) for y in reversed(range(self.height)))
        return ["".join(".#"[row >> x & 1] for x in range(self.width)) for row in rows]

    def text(self, p: int) -> str:
        words = ["/".join(self.lines(get(p, WELL)))]
        words += [f"piece {LETTERS[get(p, PIECE)]}"] if get(p, PIECE) else []
        words += [f"next {LETTERS[get(p, NEXT)]}"] if get(p, NEXT) else []
        return ", ".join([*words, f"{get(p, LEFT)} to come"])

    def parse(self, s: str) -> int:
        letters = "([" + LETTERS[1:] + "])"
        found = re.fullmatch(
            rf"\s*([.#/]+)(?:, piece {letters})?(?:, next {letters})?, (\d+) to come\s*", s
        )
        rows = found[1].split("/") if found else []
        known = found and [len(row) for row in rows] == [self.width] * self.height
        if not found or not known or int(found[4]) > self.drops:
            example = self.text(self.start() | at(PIECE, LETTERS.index(self.pieces[0])))
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        piece, ahead = (LETTERS.index(letter or ".") for letter in found.groups()[1:3])
        well = marked("".join(reversed(rows)), "#")
        return well | at(PIECE, piece) | at(NEXT, ahead) | at(LEFT, int(found[4]))

    def move_text(self, p: int, m: int) -> str:
        shape = "/".join(WAYS[get(p, PIECE)][get(m, WAY)])
        return f"{shape} at {get(m, COLUMN) + 1}"

    def picture(self, p: int) -> str:
        cell, parts = 20, [svg.grid(self.width, self.height, 20)]
        for y, row in enumerate(self.lines(get(p, WELL))):
            for x, sign in enumerate(row):
                if sign == "#":
                    parts.append(svg.box(x * cell, y * cell, cell, cell, svg.COLOURS[0]))
        for i, piece in enumerate((get(p, PIECE), get(p, NEXT))):
            for y, row in enumerate(DRAWN.get(LETTERS[piece], ())):
                for x, sign in enumerate(row):
                    if sign == "#":
                        left, top = (self.width + 1 + x) * cell, (3 * i + y) * cell
                        parts.append(svg.box(left, top, cell, cell, svg.COLOURS[1 + i]))
        high = max(self.height, 5) * cell
        parts.append(svg.note(0, high + 14, f"{get(p, LEFT)} to come"))
        return svg.svg((self.width + 5) * cell, high + 24, parts)


def kostreva_hartman(game: Tetris, p: int, weights: tuple[int, ...] = WEIGHTS) -> int:
    """A policy: the first placement for which the weighted sum of the four objectives is greatest.
    What shall be small has a negative weight."""

    def judged(m: int) -> int:
        return sum(w * found for w, found in zip(weights, game.objectives(p, m), strict=True))

    return max(game.placements(p), key=judged)
