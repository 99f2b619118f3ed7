"""Connect-k: drop stones into columns; `line` of one's own in a row, column or diagonal win.

Two players take turns to drop a stone into a column that is not full; it falls on the lowest empty
cell. Whoever completes a line of at least `line` stones wins; a full board without a line is a
draw. 7 x 6 with line 4 is Connect-4.

Check: 4 x 4 has 161,029 positions and is a draw; so is 5 x 4, with 3,945,711 positions.

A set of cells has height + 1 bits for each column, lowest cell first; the topmost bit stays empty,
so that shifted sets do not run from column to column. A position is one set, in which a bit above
the highest stone of each column says how high the column is:

    column      bits, lowest cell right
    empty       0001
    x           0011        x: a stone of the player to move
    o           0010        o: a stone of the other player
    x o x       1101        (three high, full)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count, gaps, marked, runs, strides
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, get
from perfectplay.rules.search_capabilities import EnoughMoves, SearchGuides


@dataclass(frozen=True)
class ConnectK(SearchGuides, EnoughMoves, Game):
    """`line` in a row on an upright board of width columns and height rows."""

    width: int = 7
    height: int = 6
    line: int = 4
    symmetry: bool = False

    native = True

    def __post_init__(self) -> None:
        least = min(self.width, self.height, self.line - 1)
        if least < 1 or self.width * (self.height + 1) > WORD:
            raise UsageError(
                f"a board of {self.width} x {self.height} with line {self.line} is not possible",
                f"width x (height + 1) may be up to {WORD}, and line is at least 2",
            )

    @cached_property
    def ahead(self) -> tuple[int, ...]:
        """How `runs` looks for lines."""
        return strides(self.line)

    @cached_property
    def bottom(self) -> int:
        """The lowest cells."""
        return sum(1 << (x * (self.height + 1)) for x in range(self.width))

    @cached_property
    def below(self) -> tuple[int, ...]:
        """below[i] keeps what was shifted down by 2**i and did not come from the next column."""
        steps = (self.height + 1 - (1 << i) for i in range(self.height.bit_length()))
        return tuple(self.bottom * ((1 << rows) - 1) for rows in steps)

    def start(self) -> int:
        return self.position(0, 0)

    def position(self, stones: int, filled: int) -> int:
        """The position with these stones of the player to move and these filled cells."""
        return stones | (filled + self.bottom)

    def filled(self, p: int) -> int:
        """All cells with a stone: those below the highest bit of each column."""
        cells = p
        for i in range(len(self.below)):
            cells |= (cells >> (1 << i)) & self.below[i]
        return (cells >> 1) & self.below[0]

    def lined(self, stones: int) -> bool:
        """Whether `stones` holds a line."""
        up, ahead = self.height + 1, self.ahead
        across, along = runs(stones, up, ahead), runs(stones, 1, ahead)
        return (across | along | runs(stones, up - 1, ahead) | runs(stones, up + 1, ahead)) != 0

    def theirs(self, p: int, filled: int) -> int:
        """The stones of the player who is not to move."""
        return filled & ~p

    def moves(self, p: int) -> Iterator[int]:
        filled = self.filled(p)
        if not self.lined(self.theirs(p, filled)):
            top = 1 << self.height
            for x in range(self.width):
                if not p & top:
                    yield x
                top <<= self.height + 1

    def play(self, p: int, m: int) -> int:
        filled = self.filled(p)
        theirs = self.theirs(p, filled)
        return self.position(theirs, filled | (filled + (1 << (m * (self.height + 1)))))

    def payoff(self, p: int) -> int:
        return -1 if self.lined(self.theirs(p, self.filled(p))) else 0

    def stratum(self, p: int) -> int:
        return self.width * self.height - count(self.filled(p))

    def winning(self, stones: int) -> int:
        """The cells, filled or not, that complete a line together with `stones`; the topmost cell
        of an upright one, since stones come to lie on others."""
        up, found = self.height + 1, -1
        for i in range(1, self.line):
            found &= stones << i
        found |= gaps(stones, up, self.line)
        found |= gaps(stones, up - 1, self.line) | gaps(stones, up + 1, self.line)
        return found & self.below[0]

    def safe(self, cells: int, danger: int) -> int:
        """Those of some cells, which may be filled now, after which the other player does not win
        at once, by a cell in `danger`."""
        forced = cells & danger
        if forced:  # one must be taken; two cannot
            cells = forced if forced & (forced - 1) == 0 else 0
        return cells & ~(danger >> 1)

    def bounds(self, p: int) -> tuple[int, int]:
        """What is seen within two plies: a line, a full board, a line next, no safe move."""
        filled = self.filled(p)
        theirs, cells = self.theirs(p, filled), (filled + self.bottom) & self.below[0]
        danger = self.winning(theirs)
        if danger & theirs:
            return (-1, -1)
        if cells & self.winning(p & filled):
            return (1, 1)
        if cells == 0:
            return (0, 0)
        return (-1, 1) if self.safe(cells, danger) else (-1, -1)

    def enough(self, p: int) -> Iterator[int]:
        """One winning move; else the safe ones; else any, since all lose at once."""
        filled = self.filled(p)
        theirs, cells = self.theirs(p, filled), (filled + self.bottom) & self.below[0]
        danger = self.winning(theirs)
        if not danger & theirs:
            chosen = cells & self.winning(p & filled)
            if chosen == 0:
                chosen = self.safe(cells, danger)
            else:
                chosen &= -chosen
            if chosen == 0:
                chosen = cells & -cells
            column = (1 << (self.height + 1)) - 1
            for x in range(self.width):
                if chosen & (column << (x * (self.height + 1))):
                    yield x

    def hint(self, p: int, m: int) -> int:
        """How many cells would complete a line after the move; then the middle columns."""
        filled = self.filled(p)
        cell = (filled + (1 << (m * (self.height + 1)))) & ~filled
        lines = count(self.winning((p & filled) | cell) & ~filled)
        return 4 * self.width * lines - abs(2 * m - self.width + 1)

    def representative(self, p: int) -> int:
        return self.least_image(p) if self.symmetry else p

    def least_image(self, p: int) -> int:
        """The position or its mirror image, whichever is the smaller number."""
        return min(p, self.mirrored(p))

    def mirrored(self, cells: int) -> int:
        """A set of cells, or a position, with left and right exchanged."""
        column, image = (0, self.height + 1), 0
        for x in range(self.width):
            image |= at(column, get(cells, column, x), self.width - 1 - x)
        return image

    def columns(self, p: int) -> list[str]:
        """Each column as a word, lowest stone first; X is the first player, O the second."""
        filled = self.filled(p)
        mover, other = "XO" if count(filled) % 2 == 0 else "OX"
        shown = []
        for x in range(self.width):
            bits = range(x * (self.height + 1), x * (self.height + 1) + self.height)
            shown.append("".join(mover if p >> b & 1 else other for b in bits if filled >> b & 1))
        return shown

    def text(self, p: int) -> str:
        columns = [column.ljust(self.height, ".") for column in self.columns(p)]
        return "/".join("".join(c[y] for c in columns) for y in reversed(range(self.height)))

    def parse(self, s: str) -> int:
        rows = s.strip().upper().split("/")
        if [len(r) for r in rows] != [self.width] * self.height or set(s.upper()) - set(".XO/ "):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        columns = [
            "".join(row[x] for row in reversed(rows)).rstrip(".") for x in range(self.width)
        ]
        first, second = s.upper().count("X"), s.upper().count("O")
        if any("." in column for column in columns):
            raise ValueError(f"{s!r}: a stone hangs in the air")
        if first - second not in (0, 1):
            raise ValueError(f"{s!r}: X begins, so there are as many X as O, or one more")
        mover = "X" if first == second else "O"
        stones = filled = 0
        for x, column in enumerate(columns):
            low = x * (self.height + 1)
            stones |= marked(column, mover) << low
            filled |= ((1 << len(column)) - 1) << low
        return self.position(stones, filled)

    def move_text(self, p: int, m: int) -> str:
        return chr(97 + m)

    def picture(self, p: int) -> str:
        cell, high = svg.CELL, self.height * svg.CELL
        parts = [svg.box(0, 0, self.width * cell, high, svg.SHADE)]
        for x, column in enumerate(self.columns(p)):
            for y in range(self.height):
                at = ((x + 0.5) * cell, high - (y + 0.5) * cell, 0.4 * cell)
                stone = column[y : y + 1]
                parts.append(svg.stone(*at, "XO".index(stone)) if stone else svg.circle(*at))
            parts.append(svg.text((x + 0.5) * cell, high + 12, chr(97 + x), 13, svg.FAINT))
        return svg.svg(self.width * cell, high + 18, parts)
