"""Noughts and crosses on any board: `line` of one's own marks in a row, column or diagonal win.

Two players take turns to mark an empty cell, X first. Whoever completes a line of at least `line`
marks wins (in misère play: loses; with `exact`, longer lines do not count); a full board without a
line is a draw. 3 x 3 with line 3 is the game that everybody knows.

Check: 3 x 3 has 5478 positions (765 up to symmetry) and is a draw; in misère play only the centre
opening draws.

A position is two sets of cells (lines.py); cell (x, y) is bit y * width + x.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import marked, runs, strides, symmetric
from perfectplay.games.lines.lines import MOST, StraightLines, WideLines

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""To the right, down, down right and down left."""


@dataclass(frozen=True)
class MNK(StraightLines):
    """`line` in a row on a board of width x height cells."""

    width: int = 3
    height: int = 3
    line: int = 3
    misere: bool = False
    symmetry: bool = False
    exact: bool = False

    native = True

    def __post_init__(self) -> None:
        w, h, k = self.width, self.height, self.line
        if min(w, h, k - 1) < 1 or w * h > MOST:
            raise UsageError(
                f"a board of {w} x {h} with line {k} is not possible",
                f"a board may have up to {MOST} cells, and line is at least 2",
            )
        self.wide(WideMNK)

    @cached_property
    def ahead(self) -> tuple[int, ...]:
        """How `runs` looks for lines."""
        return strides(self.line)

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """How many bits lie between the cells of a line to the right, down, down right, down
        left."""
        return 1, self.width, self.width + 1, self.width - 1

    @cached_property
    def room(self) -> tuple[int, ...]:
        """The cells where a line to the right, down, down right or down left has room."""
        w, h, far = self.width, self.height, self.line - 1
        return tuple(
            sum(
                1 << (y * w + x)
                for y in range(h)
                for x in range(w)
                if 0 <= x + far * dx < w and y + far * dy < h
            )
            for dx, dy in DIRECTIONS
        )

    def length(self) -> int:
        """How many cells make a line."""
        return self.line

    def cells(self) -> int:
        """How many cells the board has."""
        return self.width * self.height

    @cached_property
    def before(self) -> tuple[int, ...]:
        """By direction: the cells where a line may begin and there is a cell before it."""
        return self.placed(-1)

    @cached_property
    def beyond(self) -> tuple[int, ...]:
        """By direction: the cells where a line may begin and a cell is left after it."""
        return self.placed(self.line)

    def placed(self, further: int) -> tuple[int, ...]:
        """By direction: where a line may begin, and so many steps further there is a cell."""
        w, h = self.width, self.height
        return tuple(
            sum(
                1 << cell
                for cell in range(w * h)
                if self.room[i] >> cell & 1
                and 0 <= cell % w + further * dx < w
                and 0 <= cell // w + further * dy < h
            )
            for i, (dx, dy) in enumerate(DIRECTIONS)
        )

    def fitting(self, own: int, i: int) -> int:
        room = self.room[i]
        if self.exact:  # no cell of one's own before or after the line
            step = self.steps[i]
            after = (own >> ((self.line - 1) * step)) >> step
            room &= ~((own << step) & self.before[i]) & ~(after & self.beyond[i])
        return room

    def lined(self, stones: int) -> bool:
        """Whether `stones` holds a line."""
        found = 0
        for i in range(4):
            if self.room[i] != 0:
                found |= runs(stones, self.steps[i], self.ahead) & self.fitting(stones, i)
        return found != 0

    def possible(self, marks: int) -> bool:
        """Whether `marks`, or some of them, hold a line."""
        found = 0
        for i in range(4):
            if self.room[i] != 0:
                found |= runs(marks, self.steps[i], self.ahead) & self.room[i]
        return found != 0

    def representative(self, p: Any) -> Any:
        if not self.symmetry:
            return p
        w, h = self.width, self.height
        mine, theirs = self.sides(p)
        best = p
        for kind in range(1, 8 if w == h else 4):
            image = self.seated(symmetric(mine, w, h, kind), symmetric(theirs, w, h, kind))
            best = image if image < best else best
        return best

    def text(self, p: Any) -> str:
        marks, w = self.marks(p), self.width
        return "/".join(marks[y * w : (y + 1) * w] for y in range(self.height))

    def parse(self, s: str) -> Any:
        rows = s.strip().upper().split("/")
        marks, shape = "".join(rows), [len(row) for row in rows]
        if shape != [self.width] * self.height or set(marks) - set(".XO"):
            raise ValueError(
                f"{s!r}: a position looks like {self.text(self.start())!r}, with X and O"
            )
        return self.joined(marked(marks, "X"), marked(marks, "O"))

    def move_text(self, p: Any, m: int) -> str:
        return f"{chr(97 + m % self.width)}{self.height - m // self.width}"

    def picture(self, p: Any) -> str:
        cell, parts = svg.CELL, [svg.grid(self.width, self.height)]
        for c, mark in enumerate(self.marks(p)):
            x, y = (c % self.width + 0.5) * cell, (c // self.width + 0.5) * cell
            if mark != ".":
                parts.append(svg.cross(x, y, 11) if mark == "X" else svg.nought(x, y, 12))
        return svg.svg(self.width * cell, self.height * cell, parts)


class WideMNK(WideLines, MNK):
    """A board of more than 31 cells."""

    listed_as = MNK
