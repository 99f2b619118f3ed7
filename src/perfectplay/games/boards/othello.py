"""Othello on a small board: place a disc that encloses discs of the other player, and turn those.

A disc encloses a row of the other player's discs, in any of eight directions, if a disc of one's
own lies at the other end; all enclosed discs are turned. Who cannot enclose any passes; when
neither can, the game ends. What counts is how many more discs a player has. The board begins with
four discs in the middle, two of each player.

Check: 4 x 4 is won by the second player, 11 discs to 3. (So is 6 x 6, 20 to 16: Feinstein 1993.)

A position is two sets of cells, those of the player to move and those of the other; cell (x, y) is
bit y * (width + 1) + x, so that rows do not touch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count, marked
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import SearchGuides

Position = tuple[int, int]
PASS = 63
"""The move of a player who cannot place a disc."""


@dataclass(frozen=True)
class Othello(SearchGuides, PlacedMoves, Game):
    """A board of width x height cells, both even. `symmetry` identifies boards that can be turned
    or mirrored into each other."""

    width: int = 4
    height: int = 4
    symmetry: bool = True

    native = True

    def __post_init__(self) -> None:
        w, h = self.width, self.height
        if min(w, h) < 2 or w % 2 or h % 2 or (w + 1) * h > WORD:
            raise UsageError(
                f"a board of {w} x {h} is not possible",
                f"width and height are even, and (width + 1) x height is at most {WORD}",
            )

    @cached_property
    def board(self) -> int:
        """All cells."""
        left = sum(1 << (y * (self.width + 1)) for y in range(self.height))
        return ((1 << self.width) - 1) * left

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """How many bits lie between neighbours: four directions and back."""
        return 1, self.width, self.width + 1, self.width + 2

    @cached_property
    def corners(self) -> int:
        """The cells whose discs cannot be enclosed."""
        row, last = 1 | 1 << (self.width - 1), (self.width + 1) * (self.height - 1)
        return row | row << last

    def start(self) -> Position:
        low = (self.height // 2 - 1) * (self.width + 1) + self.width // 2 - 1
        up = self.width + 1
        return 1 << (low + 1) | 1 << (low + up), 1 << low | 1 << (low + up + 1)

    def moved(self, cells: int, step: int) -> int:
        """A set of cells, moved by a step, of which negative ones lead back; what leaves the board
        is lost."""
        return (cells << step if step > 0 else cells >> -step) & self.board

    def placed(self, p: Position) -> int:
        """The cells where the player to move may place a disc."""
        mine, theirs = p
        free, found = self.board & ~(mine | theirs), 0
        for i in range(8):
            step = self.steps[i >> 1] if i & 1 else -self.steps[i >> 1]
            row = self.moved(mine, step) & theirs
            for _ in range(max(self.width, self.height) - 3):
                row |= self.moved(row, step) & theirs
            found |= self.moved(row, step) & free
        return found

    def turned(self, p: Position, m: int) -> int:
        """The discs that a move turns."""
        mine, theirs = p
        found = 0
        for i in range(8):
            step = self.steps[i >> 1] if i & 1 else -self.steps[i >> 1]
            row, at = 0, self.moved(1 << m, step)
            while at & theirs:
                row |= at
                at = self.moved(at, step)
            if at & mine:
                found |= row
        return found

    def moves(self, p: Position) -> Iterator[int]:
        placed = self.placed(p)
        for cell in range((self.width + 1) * self.height):
            if (placed >> cell) & 1:
                yield cell
        if placed == 0 and self.placed((p[1], p[0])) != 0:
            yield PASS

    def play(self, p: Position, m: int) -> Position:
        mine, theirs = p
        if m == PASS:
            return theirs, mine
        discs = self.turned(p, m)
        return theirs & ~discs, mine | discs | (1 << m)

    def payoff(self, p: Position) -> int:
        return count(p[0]) - count(p[1])

    def stratum(self, p: Position) -> int:
        return self.width * self.height - count(p[0]) - count(p[1])

    def bounds(self, p: Position) -> tuple[int, int]:
        """All discs may be turned, but not those in corners."""
        cells = self.width * self.height
        return (2 * count(p[0] & self.corners) - cells, cells - 2 * count(p[1] & self.corners))

    def hint(self, p: Position, m: int) -> int:
        """Corners first, then what leaves the other player the fewest moves."""
        if m == PASS:
            return 0
        corner = 100 if ((self.corners >> m) & 1) == 1 else 0
        return corner - count(self.placed(self.play(p, m)))

    def representative(self, p: Position) -> Position:
        if not self.symmetry:
            return p
        best = p
        for kind in range(1, 8 if self.width == self.height else 4):
            image = (self.image(p[0], kind), self.image(p[1], kind))
            best = image if image < best else best
        return best

    def image(self, cells: int, kind: int) -> int:
        """A set of cells, mirrored left and right (bit 0), top and bottom (1), along the diagonal
        (2)."""
        found, up = 0, self.width + 1
        for y in range(self.height):
            for x in range(self.width):
                if (cells >> (y * up + x)) & 1:
                    to_x = self.width - 1 - x if kind & 1 else x
                    to_y = self.height - 1 - y if kind & 2 else y
                    found |= 1 << (to_x * up + to_y if kind & 4 else to_y * up + to_x)
        return found

    def text(self, p: Position) -> str:
        rows = []
        for y in range(self.height):
            cells = [y * (self.width + 1) + x for x in range(self.width)]
            rows.append("".join(".*o"[(p[0] >> c & 1) + 2 * (p[1] >> c & 1)] for c in cells))
        return "/".join(rows)

    def parse(self, s: str) -> Position:
        rows = s.strip().lower().split("/")
        if [len(row) for row in rows] != [self.width] * self.height or set(s) - set(".*oO/ "):
            raise ValueError(
                f"{s!r}: a position looks like {self.text(self.start())!r}, * of who moves"
            )
        marks = ".".join(rows)
        return marked(marks, "*"), marked(marks, "o")

    def move_text(self, p: Position, m: int) -> str:
        if m == PASS:
            return "pass"
        return f"{chr(97 + m % (self.width + 1))}{m // (self.width + 1) + 1}"

    def places(self, p: Position, m: int) -> Iterator[tuple[float, float]]:
        # Who passes may click the lowest disc.
        both = p[0] | p[1]
        cell = m if m != PASS else (both & -both).bit_length() - 1
        x, y = cell % (self.width + 1), cell // (self.width + 1)
        yield inside((x + 0.5) * svg.CELL, (y + 0.5) * svg.CELL)

    def picture(self, p: Position) -> str:
        cell, parts = svg.CELL, [svg.grid(self.width, self.height)]
        for y, row in enumerate(self.text(p).split("/")):
            for x, mark in enumerate(row):
                if mark != ".":
                    at = ((x + 0.5) * cell, (y + 0.5) * cell, 0.4 * cell)
                    parts.append(svg.stone(*at, "*o".index(mark)))
        return svg.svg(self.width * cell, self.height * cell, parts)
