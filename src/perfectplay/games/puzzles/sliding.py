"""Sliding puzzles: bring numbered tiles into order by sliding them into the one empty cell.

A move slides a tile next to the empty cell into it; with `multi`, a whole row of tiles between the
empty cell and the tile that is pushed slides and counts as one move. The goal is 1, 2, 3, … row by
row with the empty cell last; wanted is the least number of moves.

Check: 3 x 3 has 181,440 positions, and the hardest two take 31 moves (`multi`: 24).

A position has four bits for each cell, the first cell lowest: the number of its tile, 0 if empty.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import Game


@dataclass(frozen=True)
class SlidingPuzzle(Game):
    """Tiles on a board of width x height cells. Play starts with the tiles in reverse order."""

    width: int = 3
    height: int = 3
    multi: bool = False

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 2 or self.width * self.height > 15:
            raise UsageError(
                f"a sliding puzzle of {self.width} x {self.height} is not possible here",
                "at least 2 x 2, and at most 15 cells: each takes 4 of the 64 bits of a position",
            )

    def ordered(self) -> int:
        """The goal."""
        p = 0
        for tile in range(1, self.width * self.height):
            p |= tile << (4 * (tile - 1))
        return p

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        return factorial(self.width * self.height) // 2

    def start(self) -> int:
        # Half of all orders can be solved; where the reverse cannot, tiles 1 and 2 change places.
        last = self.width * self.height - 1
        p = 0
        for tile in range(1, last + 1):
            p |= tile << (4 * (last - tile))
        if (last * (last - 1) // 2) % 2:
            p ^= 3 << (4 * (last - 1)) | 3 << (4 * (last - 2))
        return p

    def empty(self, p: int) -> int:
        """The empty cell."""
        cell = 0
        while (p >> (4 * cell)) & 15:
            cell += 1
        return cell

    def moves(self, p: int) -> Iterator[int]:
        # A move is the cell of the tile that is pushed.
        if p != self.ordered():
            hole, w = self.empty(p), self.width
            for cell in range(w * self.height):
                across, along = abs(cell % w - hole % w), abs(cell // w - hole // w)
                if across + along == 1 or (self.multi and (across == 0) != (along == 0)):
                    yield cell

    def play(self, p: int, m: int) -> int:
        hole, w = self.empty(p), self.width
        step = 1 if m // w == hole // w else w
        while hole != m:
            near = hole + step if m > hole else hole - step
            tile = (p >> (4 * near)) & 15
            p += (tile << (4 * hole)) - (tile << (4 * near))
            hole = near
        return p

    def reward(self, p: int, m: int) -> int:
        return 1

    def payoff(self, p: int) -> int:
        return 0

    def tiles(self, p: int) -> list[int]:
        """The tile in each cell, 0 for none."""
        return [p >> (4 * cell) & 15 for cell in range(self.width * self.height)]

    def text(self, p: int) -> str:
        shown = [str(tile or ".") for tile in self.tiles(p)]
        w = self.width
        return " / ".join(" ".join(shown[y * w : (y + 1) * w]) for y in range(self.height))

    def parse(self, s: str) -> int:
        rows = [["0" if word in "._" else word for word in row.split()] for row in s.split("/")]
        tiles = [int(word) for row in rows for word in row]
        shape = [len(row) for row in rows] == [self.width] * self.height
        if not shape or sorted(tiles) != list(range(self.width * self.height)):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return sum(tile << (4 * cell) for cell, tile in enumerate(tiles))

    def move_text(self, p: int, m: int) -> str:
        return str(p >> (4 * m) & 15)

    def picture(self, p: int) -> str:
        cell = svg.CELL
        parts = [svg.box(0, 0, self.width * cell, self.height * cell, svg.SHADE)]
        for i, tile in enumerate(self.tiles(p)):
            x, y = i % self.width * cell + 2, i // self.width * cell + 2
            if tile:
                parts.append(svg.card(x, y, cell - 4, cell - 4, tile))
        return svg.svg(self.width * cell, self.height * cell, parts)
