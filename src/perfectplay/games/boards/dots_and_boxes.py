"""Dots and boxes: draw a line between neighbouring dots; who closes a box scores it.

The board has rows x columns boxes. Players take turns to draw one of the lines between two
neighbouring dots. Whoever closes one or two boxes scores them and must draw again (not without
`again`). When all lines are drawn the game is over, and what counts is the margin of boxes.
`drawn` says which lines are there from the start: "none", the whole "frame" around the board (the
Swedish game), or its left and lower "corner" (the Icelandic game). In misère play boxes count
against those who close them.

Check: 1 x 1 is worth -1 to the player who begins, 2 x 2 is worth +2 and 3 x 3 is worth -3.

A position is one integer: a bit for each line drawn, then one for whose turn it is. The lines
across come first, row by row from the top, then the lines down:

     +-0-+-1-+
     6   7   8      2 x 2 boxes
     +-2-+-3-+
     9  10  11
     +-4-+-5-+
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import SearchGuides

DRAWN = ("none", "frame", "corner")


def mirrored(cells: int, width: int, height: int) -> int:
    """Cells of a board, left and right exchanged."""
    column = ((1 << (width * height)) - 1) // ((1 << width) - 1)
    image = 0
    for x in range(width):
        image |= ((cells >> x) & column) << (width - 1 - x)
    return image


def upturned(cells: int, width: int, height: int) -> int:
    """Cells of a board, top and bottom exchanged."""
    image = 0
    for y in range(height):
        row = (cells >> (y * width)) & ((1 << width) - 1)
        image |= row << ((height - 1 - y) * width)
    return image


def transposed(cells: int, width: int, height: int) -> int:
    """Cells of a board, rows and columns exchanged: the board is then `height` wide."""
    image = 0
    for y in range(height):
        for x in range(width):
            image |= ((cells >> (y * width + x)) & 1) << (x * height + y)
    return image


@dataclass(frozen=True)
class DotsAndBoxes(SearchGuides, Game):
    """Boxes in rows and columns. `symmetry` identifies turned and mirrored boards."""

    rows: int = 3
    columns: int = 3
    drawn: str = "none"
    again: bool = True
    misere: bool = False
    symmetry: bool = True

    native = True

    def __post_init__(self) -> None:
        if min(self.rows, self.columns) < 1 or self.lines >= WORD:
            raise UsageError(
                f"no board of {self.rows} x {self.columns} boxes",
                f"use 1 x 1 or more, with fewer than {WORD} lines",
            )
        if self.drawn not in DRAWN:
            raise UsageError(f"no lines called {self.drawn!r}", f"use {', '.join(DRAWN)}")

    @cached_property
    def lines(self) -> int:
        """How many lines there are."""
        return (self.rows + 1) * self.columns + self.rows * (self.columns + 1)

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """All sets of lines that may be drawn, symmetric ones as well."""
        return 1 << (self.lines - count(self.start()))

    def across(self, row: int, column: int) -> int:
        """The line to the right of a dot."""
        return row * self.columns + column

    def down(self, row: int, column: int) -> int:
        """The line below a dot."""
        return (self.rows + 1) * self.columns + row * (self.columns + 1) + column

    def around(self, row: int, column: int) -> tuple[int, int, int, int]:
        """The lines around a box: above, below, left, right."""
        above, below = self.across(row, column), self.across(row + 1, column)
        return above, below, self.down(row, column), self.down(row, column + 1)

    def start(self) -> int:
        h, w = self.rows, self.columns
        lines: set[int] = set()
        if self.drawn != "none":
            lines |= {self.across(h, x) for x in range(w)} | {self.down(y, 0) for y in range(h)}
        if self.drawn == "frame":
            lines |= {self.across(0, x) for x in range(w)} | {self.down(y, w) for y in range(h)}
        return sum(1 << line for line in lines)

    def turn(self, p: int) -> int:
        return p >> self.lines

    def to_move(self, p: int) -> int:
        return p >> self.lines

    def moves(self, p: int) -> Iterator[int]:
        for line in range(self.lines):
            if not (p >> line) & 1:
                yield line

    def complete(self, lines: int, row: int, column: int) -> int:
        """1 if all lines around a box are drawn, else 0."""
        above, below, left, right = self.around(row, column)
        return (lines >> above) & (lines >> below) & (lines >> left) & (lines >> right) & 1

    def closed(self, p: int, m: int) -> int:
        """How many boxes line `m` closes."""
        after = p | (1 << m)
        h, w = self.rows, self.columns
        found = 0
        if m < (h + 1) * w:
            y, x = m // w, m % w
            found += self.complete(after, y - 1, x) if y > 0 else 0
            found += self.complete(after, y, x) if y < h else 0
        else:
            y, x = (m - (h + 1) * w) // (w + 1), (m - (h + 1) * w) % (w + 1)
            found += self.complete(after, y, x - 1) if x > 0 else 0
            found += self.complete(after, y, x) if x < w else 0
        return found

    def play(self, p: int, m: int) -> int:
        after = p | (1 << m)
        if self.again and self.closed(p, m) > 0:
            return after
        return after ^ (1 << self.lines)

    def reward(self, p: int, m: int) -> int:
        return -self.closed(p, m) if self.misere else self.closed(p, m)

    def payoff(self, p: int) -> int:
        return 0

    def bounds(self, p: int) -> tuple[int, int]:
        """Whoever gets all boxes that are left."""
        left = 0
        for row in range(self.rows):
            for column in range(self.columns):
                left += 1 - self.complete(p, row, column)
        return (-left, left)

    def hint(self, p: int, m: int) -> int:
        """What closes boxes first."""
        return self.reward(p, m)

    def stratum(self, p: int) -> int:
        return self.lines - count(p & ((1 << self.lines) - 1))

    def representative(self, p: int) -> int:
        # What is still to come depends on the lines alone: let player 0 be the one to move.
        p &= (1 << self.lines) - 1
        if not self.symmetry:
            return p
        h, w = self.rows, self.columns
        first_down = (h + 1) * w
        flat, steep = p & ((1 << first_down) - 1), p >> first_down
        best = p
        for half in range(2 if h == w else 1):
            if half == 1:
                flat, steep = transposed(steep, w + 1, h), transposed(flat, w, h + 1)
            for kind in range(4):
                # Mirror left and right, then top and bottom, then left and right again, …
                if kind % 2 == 0:
                    flat, steep = mirrored(flat, w, h + 1), mirrored(steep, w + 1, h)
                else:
                    flat, steep = upturned(flat, w, h + 1), upturned(steep, w + 1, h)
                best = min(best, flat | (steep << first_down))
        return best

    def text(self, p: int) -> str:
        w = self.columns
        rows = []
        for y in range(self.rows + 1):
            rows.append("".join(".-"[p >> self.across(y, x) & 1] for x in range(w)))
            if y < self.rows:
                rows.append("".join(".|"[p >> self.down(y, x) & 1] for x in range(w + 1)))
        return f"{'/'.join(rows)} player {self.turn(p) + 1}"

    def parse(self, s: str) -> int:
        words = s.split()
        rows = words[0].split("/") if words else []
        wide = [self.columns + y % 2 for y in range(2 * self.rows + 1)]
        shaped = [len(row) for row in rows] == wide and not any(
            set(row) - set(".|" if y % 2 else ".-") for y, row in enumerate(rows)
        )
        if not shaped or words[1:] not in (["player", "1"], ["player", "2"]):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        p = (int(words[2]) - 1) << self.lines
        for y, row in enumerate(rows):
            line = self.down if y % 2 else self.across
            p |= sum(1 << line(y // 2, x) for x, mark in enumerate(row) if mark != ".")
        return p

    def move_text(self, p: int, m: int) -> str:
        flat = (self.rows + 1) * self.columns
        wide = self.columns if m < flat else self.columns + 1
        y, x = divmod(m if m < flat else m - flat, wide)
        return f"{'across' if m < flat else 'down'} {y + 1},{x + 1}"

    def picture(self, p: int) -> str:
        cell, h, w = svg.CELL, self.rows, self.columns
        parts = []
        for y in range(h):
            for x in range(w):
                if all(p >> line & 1 for line in self.around(y, x)):
                    parts.append(svg.box(x * cell, y * cell, cell, cell, svg.SHADE))
        for y in range(h + 1):
            for x in range(w + 1):
                at = (x * cell, y * cell)
                if x < w and p >> self.across(y, x) & 1:
                    parts.append(svg.line(*at, at[0] + cell, at[1], svg.INK, 4))
                if y < h and p >> self.down(y, x) & 1:
                    parts.append(svg.line(*at, at[0], at[1] + cell, svg.INK, 4))
        parts += [
            svg.circle(x * cell, y * cell, 4, svg.INK) for y in range(h + 1) for x in range(w + 1)
        ]
        words = f"player {self.turn(p) + 1} to draw"
        parts.append(svg.note(0, h * cell + 22, words))
        return svg.svg(max(w * cell, 9 * len(words)), h * cell + 30, parts)
