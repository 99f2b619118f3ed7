"""Sliding puzzles: bring numbered tiles into order by sliding them into the one empty cell.

A move slides a tile next to the empty cell into it; with `multi`, a whole row of tiles between the
empty cell and the tile that is pushed slides and counts as one move. The goal is 1, 2, 3, … row by
row with the empty cell last; wanted is the least number of moves.

Check: 3 x 3 has 181,440 positions, and the hardest two take 31 moves (`multi`: 24); 4 x 4, the
15-puzzle, takes at most 80 moves (Brüngger et al. 1999).

A position says twice how the tiles lie, since searches ask both ways: which tile is in each cell,
and in which cell each tile is. Up to 16 cells take four bits each:

    word 0    the tile in cell 0, 1, 2, …; 0 if the cell is empty
    word 1    the empty cell, then the cell of each tile, group by group

Up to 25 cells take five bits each, twelve to a word: three words of cells, the last of which ends
with the empty cell, and two or more of tiles.

Searches forget all tiles but one group (`groups`). A move counts for the group of its tile, so the
costs of all groups may be added (Korf and Felner 2002).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import signed
from perfectplay.games.puzzles.sliding_board import LARGEST, Position
from perfectplay.games.puzzles.sliding_groups import TileGroups
from perfectplay.rules.game import Game, replaced
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed
from perfectplay.rules.packing import Field, get
from perfectplay.rules.ranking import nth_even, rank_even
from perfectplay.rules.search_capabilities import SearchGuides

NIBBLE = Field(0, 4)
"""The first of the fields in which tiles lie side by side."""


@dataclass(frozen=True)
class SlidingPuzzle(TileGroups, SearchGuides, BackwardMoves, Indexed, Game):
    """Tiles on a board of width x height cells. Play starts with the tiles in reverse order.
    `groups` says which tiles searches remember together, as in 1,2,3/4,5/6,7,8."""

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 2 or self.width * self.height > 25:
            raise UsageError(
                f"a sliding puzzle of {self.width} x {self.height} is not possible here",
                "at least 2 x 2, and at most 25 cells",
            )
        tiles = sorted(tile for group in self.parts for tile in group)
        largest = LARGEST[self.bits]
        if tiles != list(range(1, self.cells)) or max(map(len, self.parts)) > largest:
            raise UsageError(
                f"no such groups: {self.groups!r}",
                f"name every tile once, at most {largest} to a group, as in 1,2,3/4,5/6,7,8",
            )

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        return factorial(self.cells) // 2

    # -- Rules. ---

    def start(self) -> Position:
        # Half of all orders can be solved; where the reverse cannot, tiles 1 and 2 change places.
        last = self.cells - 1
        tiles = [*range(last, 0, -1), 0]
        if (last * (last - 1) // 2) % 2:
            tiles[last - 1], tiles[last - 2] = tiles[last - 2], tiles[last - 1]
        return self.packed(tiles)

    def moves(self, p: Position) -> Iterator[int]:
        # A move is the cell of the tile that is pushed.
        if p != self.ordered and self.multi:
            for m in self.slides(p):
                yield m
        elif p != self.ordered:
            hole, i = self.empty(p), 0
            while self.beside[hole, i] >= 0:
                yield int(self.beside[hole, i])
                i += 1

    def unmoves(self, p: Position) -> Iterator[Position]:
        for m in self.slides(p):
            yield self.play(p, m)

    def slides(self, p: Position) -> Iterator[int]:
        """All moves, also at the goal."""
        hole, w = self.empty(p), self.width
        if self.multi:
            for cell in range(self.cells):
                if (cell % w == hole % w) != (cell // w == hole // w):
                    yield cell
        else:
            i = 0
            while self.beside[hole, i] >= 0:
                yield int(self.beside[hole, i])
                i += 1

    def play(self, p: Position, m: int) -> Position:
        if not self.multi:
            return self.slide(p, m)
        hole, w = self.empty(p), self.width
        step = 1 if m // w == hole // w else w
        while hole != m:
            hole = hole + step if m > hole else hole - step
            p = self.slide(p, hole)
        return p

    def slide(self, p: Position, cell: int) -> Position:
        """Slide the tile in `cell` into the empty cell beside it."""
        hole, tile = self.empty(p), self.tile(p, cell)
        change = hole ^ cell
        if self.small:
            p = replaced(p, 0, signed(p[0] ^ (tile << (4 * cell)) ^ (tile << (4 * hole))))
            return replaced(p, 1, signed(p[1] ^ change ^ (change << int(self.place[tile, 1]))))
        for at in (cell, hole):
            p = replaced(p, at // 12, p[at // 12] ^ tile << (5 * (at % 12)))
        p = replaced(p, self.hole_word, p[self.hole_word] ^ change << 5)
        word = int(self.place[tile, 0])
        return replaced(p, word, p[word] ^ change << int(self.place[tile, 1]))

    def reward(self, p: Position, m: int) -> int:
        return 1

    def payoff(self, p: Position) -> int:
        return 0

    # -- Numbers: the empty cell, then the order of the tiles on the others. ---

    @property
    def indexed(self) -> bool:  # type: ignore[override]
        return self.small

    def size(self, stratum: int) -> int:
        return self.cells * self.orders

    @cached_property
    def orders(self) -> int:
        """How many orders of tiles can be solved, for each place of the empty cell."""
        return factorial(self.cells - 1) // 2

    def wrong_order(self, hole: int) -> int:
        """1 where tiles come right from odd orders alone: a tile that moves up or down passes
        width - 1 others."""
        return (self.height - 1 - hole // self.width) * (self.width - 1) & 1

    def rank(self, p: Position) -> int:
        hole = self.empty(p)
        before = p[0] & ((1 << 4 * hole) - 1)
        tiles = before | (p[0] >> (4 * hole + 4) & (1 << 60 - 4 * hole) - 1) << 4 * hole
        tiles -= 0x111111111111111 & ((1 << 4 * (self.cells - 1)) - 1)  # from 0 on
        return hole * self.orders + rank_even(tiles, NIBBLE, self.cells - 1)

    def unrank(self, stratum: int, i: int) -> Position:
        hole = i // self.orders
        tiles = nth_even(self.cells - 1, i % self.orders, NIBBLE, self.wrong_order(hole))
        p = self.ordered
        for word in range(len(p)):
            p = replaced(p, word, 0)
        for cell in range(self.cells):
            tile = 0 if cell == hole else get(tiles, NIBBLE, cell - int(cell > hole)) + 1
            p = self.put(p, cell, tile)
        return p

    # -- What guides searches. ---

    def bounds(self, p: Position) -> tuple[float, float, int]:
        odd, far, w = 0, 0, self.width
        for cell in range(self.cells):
            tile = self.tile(p, cell)
            if tile:
                far += abs((tile - 1) % w - cell % w) + abs((tile - 1) // w - cell // w)
            for later in range(cell + 1, self.cells):
                odd ^= int(0 < self.tile(p, later) < tile)
        odd ^= self.wrong_order(self.empty(p))
        if odd:
            return math.inf, math.inf, 1
        return float(far), math.inf, max(w, self.height) - 1 if self.multi else 1

    def goals(self) -> Iterator[Position]:
        yield self.ordered

    # -- Text at the edges. ---

    def tiles(self, p: Position) -> list[int]:
        """The tile in each cell, 0 for none."""
        return [int(self.tile(p, cell)) for cell in range(self.cells)]

    def text(self, p: Position) -> str:
        shown = [str(tile or ".") for tile in self.tiles(p)]
        w = self.width
        return " / ".join(" ".join(shown[y * w : (y + 1) * w]) for y in range(self.height))

    def parse(self, s: str) -> Position:
        rows = [["0" if word in "._" else word for word in row.split()] for row in s.split("/")]
        tiles = [int(word) for row in rows for word in row]
        shape = [len(row) for row in rows] == [self.width] * self.height
        if not shape or sorted(tiles) != list(range(self.cells)):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return self.packed(tiles)

    def move_text(self, p: Position, m: int) -> str:
        return str(self.tile(p, m))

    def picture(self, p: Position) -> str:
        cell = svg.CELL
        parts = [svg.box(0, 0, self.width * cell, self.height * cell, svg.SHADE)]
        for i, tile in enumerate(self.tiles(p)):
            x, y = i % self.width * cell + 2, i // self.width * cell + 2
            if tile:
                parts.append(svg.card(x, y, cell - 4, cell - 4, tile))
        return svg.svg(self.width * cell, self.height * cell, parts)
