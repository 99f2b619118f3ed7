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

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, Game

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
CELLS, PIECE, NEXT, LEFT = 40, 40, 44, 48
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
            ROWS[_piece, _way, _y] = sum(1 << x for x, cell in enumerate(_row) if cell == "#")


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
    weight: tuple[int, ...] = field(init=False, repr=False)
    """How likely each piece is."""
    free: bool = field(init=False, repr=False)
    """Whether no policy is followed."""
    mirrors: bool = field(init=False, repr=False)
    """Whether mirror images are the same."""

    players = 1
    native = True

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or self.width * self.height > CELLS:
            raise UsageError(
                f"no well of {self.width} x {self.height}", f"use 1 to {CELLS} cells in all"
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
        weight = tuple(self.pieces.count(letter) for letter in LETTERS)
        same = all(weight[i] == weight[MIRRORED[i]] for i in range(len(LETTERS)))
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "free", self.weights == (0, 0, 0, 0))
        object.__setattr__(self, "mirrors", self.symmetry and same)

    def start(self) -> int:
        return self.drops << LEFT

    def well(self, p: int) -> int:
        """The filled cells."""
        return p & ((1 << CELLS) - 1)

    def piece(self, p: int) -> int:
        """The piece to place, 0 while it is being dealt."""
        return (p >> PIECE) & 15

    def ahead(self, p: int) -> int:
        """The piece after it, if it is known."""
        return (p >> NEXT) & 15

    def deals(self, p: int) -> int:
        """How many pieces are to be dealt before the next placement."""
        unknown = 1 if self.piece(p) == 0 and p >> LEFT > 0 else 0
        if self.preview and self.ahead(p) == 0 and p >> LEFT > 1:
            unknown += 1
        return unknown

    def to_move(self, p: int) -> int:
        if p >> LEFT == 0:
            return OVER
        return CHANCE if self.deals(p) > 0 else 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        shift = PIECE if self.piece(p) == 0 else NEXT
        for piece in range(len(self.weight)):
            if self.weight[piece] > 0:
                yield self.weight[piece], p | (piece << shift)

    # -- Placing. A move is 64 * way to turn + leftmost column. ---

    def placed(self, p: int, m: int) -> int:
        """The cells in which the piece comes to rest, 0 if it does not fit."""
        piece, way, column = self.piece(p), m >> 6, m & 63
        well, row, tall = self.well(p), self.height - 1, int(TALL[piece, way])
        cells = 0
        for y in range(tall):
            cells |= int(ROWS[piece, way, y]) << (self.width * y + column)
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
        piece = self.piece(p)
        for way in range(NUMBER[piece]):
            if TALL[piece, way] <= self.height:
                for column in range(self.width - WIDE[piece, way] + 1):
                    if self.placed(p, way << 6 | column):
                        yield way << 6 | column

    def moves(self, p: int) -> Iterator[int]:
        best = 0 if self.free else -(1 << 60)
        if not self.free:
            for m in self.placements(p):
                best = max(best, self.judged(p, m))
        for m in self.placements(p):
            if self.free or self.judged(p, m) == best:
                yield m

    def play(self, p: int, m: int) -> int:
        well = self.settled(self.well(p) | self.placed(p, m))
        return well | (self.ahead(p) << PIECE) | (((p >> LEFT) - 1) << LEFT)

    def reward(self, p: int, m: int) -> int:
        rows = self.complete(self.well(p) | self.placed(p, m))
        return self.points[rows - 1] if rows > 0 else 0

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return 3 * (p >> LEFT) + self.deals(p)

    def representative(self, p: int) -> int:
        if not self.mirrors:
            return p
        well, image = self.well(p), 0
        for y in range(self.height):
            for x in range(self.width):
                if (well >> (self.width * y + x)) & 1:
                    image |= 1 << (self.width * y + self.width - 1 - x)
        image |= MIRRORED[self.piece(p)] << PIECE | MIRRORED[self.ahead(p)] << NEXT
        return min(p, image | p >> LEFT << LEFT)

    # -- The objectives of Kostreva and Hartman. ---

    def objectives(self, p: int, m: int) -> tuple[int, int, int, int]:
        """The four objectives for a placement."""
        well, cells = self.well(p), self.placed(p, m)
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
        words = ["/".join(self.lines(self.well(p)))]
        words += [f"piece {LETTERS[self.piece(p)]}"] if self.piece(p) else []
        words += [f"next {LETTERS[self.ahead(p)]}"] if self.ahead(p) else []
        return ", ".join([*words, f"{p >> LEFT} to come"])

    def parse(self, s: str) -> int:
        letters = "([" + LETTERS[1:] + "])"
        found = re.fullmatch(
            rf"\s*([.#/]+)(?:, piece {letters})?(?:, next {letters})?, (\d+) to come\s*", s
        )
        rows = found[1].split("/") if found else []
        known = found and [len(row) for row in rows] == [self.width] * self.height
        if not found or not known or int(found[4]) > self.drops:
            example = self.text(self.start() | LETTERS.index(self.pieces[0]) << PIECE)
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        piece, ahead = (LETTERS.index(letter or ".") for letter in found.groups()[1:3])
        well = sum(1 << i for i, cell in enumerate("".join(reversed(rows))) if cell == "#")
        return well | piece << PIECE | ahead << NEXT | int(found[4]) << LEFT

    def move_text(self, p: int, m: int) -> str:
        shape = "/".join(WAYS[self.piece(p)][m >> 6])
        return f"{shape} at {(m & 63) + 1}"

    def picture(self, p: int) -> str:
        cell, parts = 20, [svg.grid(self.width, self.height, 20)]
        for y, row in enumerate(self.lines(self.well(p))):
            for x, sign in enumerate(row):
                if sign == "#":
                    parts.append(svg.box(x * cell, y * cell, cell, cell, svg.COLOURS[0]))
        for i, piece in enumerate((self.piece(p), self.ahead(p))):
            for y, row in enumerate(DRAWN.get(LETTERS[piece], ())):
                for x, sign in enumerate(row):
                    if sign == "#":
                        left, top = (self.width + 1 + x) * cell, (3 * i + y) * cell
                        parts.append(svg.box(left, top, cell, cell, svg.COLOURS[1 + i]))
        high = max(self.height, 5) * cell
        parts.append(svg.note(0, high + 14, f"{p >> LEFT} to come"))
        return svg.svg((self.width + 5) * cell, high + 24, parts)


def kostreva_hartman(game: Tetris, p: int, weights: tuple[int, ...] = WEIGHTS) -> int:
    """A policy: the first placement for which the weighted sum of the four objectives is greatest.
    What shall be small has a negative weight."""

    def judged(m: int) -> int:
        return sum(w * found for w, found in zip(weights, game.objectives(p, m), strict=True))

    return max(game.placements(p), key=judged)
