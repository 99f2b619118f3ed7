"""Noughts and crosses on any board: `line` of one's own marks in a row, column or diagonal win.

Two players take turns to mark an empty cell, X first. Whoever completes a line of at least `line`
marks wins (in misère play: loses); a full board without a line is a draw. 3 x 3 with line 3 is the
game that everybody knows.

Check: 3 x 3 has 5478 positions (765 up to symmetry) and is a draw; in misère play only the centre
opening draws.

A position is two masks of cells, the player to move's below the other's; cell (x, y) is bit y *
width + x.
"""

from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import (
    WORD,
    marked,
    runs,
    strides,
    symmetric,
)
from perfectplay.games.lines.lines import LineGame


@dataclass(frozen=True)
class MNK(LineGame):
    """`line` in a row on a board of width x height cells."""

    width: int = 3
    height: int = 3
    line: int = 3
    misere: bool = False
    symmetry: bool = False

    native = True

    def __post_init__(self) -> None:
        w, h, k = self.width, self.height, self.line
        if min(w, h, k - 1) < 1 or 2 * w * h > WORD:
            raise UsageError(
                f"a board of {w} x {h} with line {k} is not possible",
                f"a board may have up to {WORD // 2} cells, and line is at least 2",
            )

    @cached_property
    def ahead(self) -> tuple[int, ...]:
        """How `runs` looks for lines."""
        return strides(self.line)

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
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
        )

    def cells(self) -> int:
        """How many cells the board has."""
        return self.width * self.height

    def lined(self, stones: int) -> bool:
        """Whether `stones` holds a line."""
        w, room, ahead = self.width, self.room, self.ahead
        straight = (runs(stones, 1, ahead) & room[0]) | (runs(stones, w, ahead) & room[1])
        slanted = (runs(stones, w + 1, ahead) & room[2]) | (runs(stones, w - 1, ahead) & room[3])
        return (straight | slanted) != 0

    def representative(self, p: int) -> int:
        if not self.symmetry:
            return p
        cells, w, h = self.cells(), self.width, self.height
        mine, theirs = self.sides(p)
        best = p
        for kind in range(1, 8 if w == h else 4):
            image = symmetric(mine, w, h, kind) | (symmetric(theirs, w, h, kind) << cells)
            best = min(best, image)
        return best

    def text(self, p: int) -> str:
        marks, w = self.marks(p), self.width
        return "/".join(marks[y * w : (y + 1) * w] for y in range(self.height))

    def parse(self, s: str) -> int:
        rows = s.strip().upper().split("/")
        marks, shape = "".join(rows), [len(row) for row in rows]
        if shape != [self.width] * self.height or set(marks) - set(".XO"):
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r}, with X and O")
        return self.joined(marked(marks, "X"), marked(marks, "O"))

    def move_text(self, p: int, m: int) -> str:
        return f"{chr(97 + m % self.width)}{self.height - m // self.width}"

    def picture(self, p: int) -> str:
        cell, parts = svg.CELL, [svg.grid(self.width, self.height)]
        for c, mark in enumerate(self.marks(p)):
            x, y = (c % self.width + 0.5) * cell, (c // self.width + 0.5) * cell
            if mark != ".":
                parts.append(svg.cross(x, y, 11) if mark == "X" else svg.nought(x, y, 12))
        return svg.svg(self.width * cell, self.height * cell, parts)
