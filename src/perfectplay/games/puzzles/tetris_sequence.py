"""Tetris with a known sequence of pieces: complete as many rows as possible.

The letters of `pieces` fall in this order (I O T L J S Z; B, C, D and M have fewer cells). The
player turns each piece, chooses its columns, and it drops straight down until something below
stops it; complete rows vanish, and what is above them comes down. A piece must come to rest wholly
inside the well; where that is not possible play ends. `points` is what one, two, three and four
rows at once are worth. (`tetris` has pieces dealt by chance, in wells of up to 40 cells.)

Check: five squares (OOOOO) in a well 10 wide complete two rows, side by side.

A position is how many pieces are to come, and the well in four words, as many whole rows in each
as have room in 60 bits, the lowest row first and in it the left column lowest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.tetris import LETTERS, NUMBER, ROWS, TALL, WAYS, WIDE
from perfectplay.rules.game import Game

Position = tuple[int, int, int, int, int]
WORDS, BITS = 4, 60
LONGEST = 100


@dataclass(frozen=True)
class TetrisSequence(Game):
    """A well of any usual size."""

    width: int = 10
    height: int = 20
    pieces: str = "OOOOO"
    points: tuple[int, ...] = (1, 2, 3, 4)

    players = 1
    native = True

    def __post_init__(self) -> None:
        rows = WORDS * (BITS // max(self.width, 1))
        if not (1 <= self.width <= 20 and 1 <= self.height <= rows):
            raise UsageError(
                f"no well of {self.width} x {self.height}",
                f"a well is 1 to 20 wide and, at this width, 1 to {rows} high",
            )
        if set(self.pieces) - set(LETTERS[1:]) or not 1 <= len(self.pieces) <= LONGEST:
            raise UsageError(
                f"no such pieces: {self.pieces!r}", f"use 1 to {LONGEST} letters of {LETTERS[1:]}"
            )
        if len(self.points) != 4:
            raise UsageError("points are four numbers", "points=1,2,3,4 counts rows")

    @cached_property
    def falling(self) -> tuple[int, ...]:
        """The pieces by number, the last one first, filled up to one length for all sequences."""
        found = [LETTERS.index(letter) for letter in reversed(self.pieces)]
        return tuple(found + [0] * (LONGEST - len(found)))

    @cached_property
    def many(self) -> int:
        """How many pieces fall."""
        return len(self.pieces)

    def start(self) -> Position:
        return (self.many, 0, 0, 0, 0)

    def row(self, p: Position, y: int) -> int:
        """The filled cells of a row."""
        per = BITS // self.width
        return p[1 + y // per] >> (self.width * (y % per)) & ((1 << self.width) - 1)

    def landing(self, p: Position, m: int) -> int:
        """The row in which the lowest cell of the piece comes to rest, -1 if it does not fit."""
        piece, way, column = self.falling[p[0] - 1], m & 3, m >> 2
        tall, y = int(TALL[piece, way]), self.height - int(TALL[piece, way])
        found = -1
        while y >= 0:
            for i in range(tall):
                if self.row(p, y + i) & (int(ROWS[piece, way, i]) << column):
                    return found
            found = y
            y -= 1
        return found

    def moves(self, p: Position) -> Iterator[int]:
        # A move is 4 * the leftmost column + the way to turn the piece.
        if p[0] > 0:
            piece = self.falling[p[0] - 1]
            for way in range(NUMBER[piece]):
                if TALL[piece, way] <= self.height:
                    for column in range(self.width - WIDE[piece, way] + 1):
                        if self.landing(p, 4 * column + way) >= 0:
                            yield 4 * column + way

    def after(self, p: Position, m: int, y: int, low: int) -> int:
        """The filled cells of a row when the piece has come to rest, its lowest row `low`."""
        piece, way, i = self.falling[p[0] - 1], m & 3, y - low
        cells = int(ROWS[piece, way, i]) << (m >> 2) if 0 <= i < TALL[piece, way] else 0
        return self.row(p, y) | cells

    def play(self, p: Position, m: int) -> Position:
        words, to, per, low = [0, 0, 0, 0], 0, BITS // self.width, self.landing(p, m)
        for y in range(self.height):
            row = self.after(p, m, y, low)
            if row != (1 << self.width) - 1:
                words[to // per] |= row << (self.width * (to % per))
                to += 1
        return p[0] - 1, words[0], words[1], words[2], words[3]

    def reward(self, p: Position, m: int) -> int:
        rows, low = 0, self.landing(p, m)
        for y in range(low, low + TALL[self.falling[p[0] - 1], m & 3]):
            rows += int(self.after(p, m, y, low) == (1 << self.width) - 1)
        return self.points[rows - 1] if rows > 0 else 0

    def payoff(self, p: Position) -> int:
        return 0

    def stratum(self, p: Position) -> int:
        return p[0]

    # -- Text and pictures. ---

    def lines(self, p: Position) -> list[str]:
        """The rows of the well from the highest filled one down."""
        rows = [self.row(p, y) for y in range(self.height)]
        while rows and not rows[-1]:
            rows.pop()
        return ["".join(".#"[row >> x & 1] for x in range(self.width)) for row in reversed(rows)]

    def text(self, p: Position) -> str:
        return f"{'/'.join(self.lines(p)) or 'empty'}, {p[0]} to come"

    def parse(self, s: str) -> Position:
        found = re.fullmatch(r"\s*(empty|[.#/]+), (\d+) to come\s*", s)
        rows = [] if not found or found[1] == "empty" else found[1].split("/")
        fits = len(rows) <= self.height and all(len(row) == self.width for row in rows)
        full = (1 << self.width) - 1
        numbers = [sum(1 << x for x, c in enumerate(row) if c == "#") for row in reversed(rows)]
        if not found or not fits or int(found[2]) > self.many or full in numbers:
            example = f"{'#' * (self.width - 1)}., {self.many} to come"
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        words, per = [0] * WORDS, BITS // self.width
        for y, row in enumerate(numbers):
            words[y // per] |= row << (self.width * (y % per))
        return int(found[2]), words[0], words[1], words[2], words[3]

    def move_text(self, p: Position, m: int) -> str:
        shape = "/".join(WAYS[self.falling[p[0] - 1]][m & 3])
        return f"{shape} at {(m >> 2) + 1}"

    def picture(self, p: Position) -> str:
        cell, parts = 16, [svg.grid(self.width, self.height, 16)]
        for y in range(self.height):
            for x in range(self.width):
                if self.row(p, y) >> x & 1:
                    top = (self.height - 1 - y) * cell
                    parts.append(svg.box(x * cell, top, cell, cell, svg.COLOURS[0]))
        high = self.height * cell
        parts.append(svg.note(0, high + 14, f"to come: {self.pieces[self.many - p[0] :][:12]}"))
        return svg.svg(max(self.width * cell, 140), high + 24, parts)
