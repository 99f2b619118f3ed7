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
with the empty cell, and two of tiles.

Searches forget all tiles but one group (`groups`). A move counts for the group of its tile, so the
costs of all groups may be added (Korf and Felner 2002).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import signed
from perfectplay.rules.game import Game, replaced
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed
from perfectplay.rules.packing import Field, get
from perfectplay.rules.ranking import nth_even, rank_even
from perfectplay.rules.search_capabilities import Abstractions, SearchGuides

FIFTEEN = ((2, 3, 4), (1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15))
"""The groups of the 15-puzzle, if none are given (Korf and Felner's 6-6-3)."""
NIBBLE = Field(0, 4)
"""The first of the fields in which tiles lie side by side."""
SMALL = 16
"""Cells of a board in two words, at most."""


@dataclass(frozen=True)
class SlidingPuzzle(Abstractions, SearchGuides, BackwardMoves, Indexed, Game):
    """Tiles on a board of width x height cells. Play starts with the tiles in reverse order.
    `groups` says which tiles searches remember together, as in 1,2,3/4,5/6,7,8."""

    width: int = 3
    height: int = 3
    multi: bool = False
    groups: str = ""

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
        largest = 7 if self.cells <= SMALL else 4
        if tiles != list(range(1, self.cells)) or max(map(len, self.parts)) > largest:
            raise UsageError(
                f"no such groups: {self.groups!r}",
                f"name every tile once, at most {largest} to a group, as in 1,2,3/4,5/6,7,8",
            )

    # -- The board, and where things are in a position. ---

    @cached_property
    def cells(self) -> int:
        """How many cells there are."""
        return self.width * self.height

    @cached_property
    def bits(self) -> int:
        """Bits for each cell."""
        return 4 if self.cells <= SMALL else 5

    @cached_property
    def mask(self) -> int:
        """That many bits."""
        return (1 << self.bits) - 1

    @cached_property
    def small(self) -> bool:
        """Whether a position has two words."""
        return self.cells <= SMALL

    @cached_property
    def hole_word(self) -> int:
        """The word that has the empty cell."""
        return 1 if self.small else 2

    @cached_property
    def hole_bit(self) -> int:
        """The bit where it begins there."""
        return 0 if self.small else 5

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The groups of tiles."""
        if self.groups:
            try:
                return tuple(
                    tuple(int(tile) for tile in part.split(",")) for part in self.groups.split("/")
                )
            except ValueError:
                return ((),)
        if (self.width, self.height) == (4, 4):
            return FIFTEEN
        tiles = tuple(range(1, self.cells))
        return tuple(tiles[i : i + 4] for i in range(0, len(tiles), 4))

    @cached_property
    def place(self) -> Ints:
        """The word of each tile, and the bit where its cell begins there; the same of `no tile`,
        and below for the first of each group."""
        rows = [(self.hole_word, self.hole_bit)]
        order = [tile for part in self.parts for tile in part]
        for tile in range(1, self.cells):
            at = order.index(tile)
            rows.append((1, 4 * at + 4) if self.small else (3 + at // 12, at % 12 * 5))
        return np.array([*rows, *(rows[part[0]] for part in self.parts)], np.int64)

    @cached_property
    def group_of(self) -> Ints:
        """The group of each tile."""
        found = np.zeros(self.cells, np.int64)
        for k, part in enumerate(self.parts):
            found[list(part)] = k
        return found

    @cached_property
    def kept(self) -> Ints:
        """How many tiles each group has."""
        return np.array([len(part) for part in self.parts], np.int64)

    @cached_property
    def beside(self) -> Ints:
        """The cells beside each cell, then -1."""
        found = np.full((self.cells, 5), -1, np.int64)
        for cell in range(self.cells):
            x, y = cell % self.width, cell // self.width
            near = ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
            there = [v * self.width + u for u, v in near
                     if 0 <= u < self.width and 0 <= v < self.height]  # fmt: skip
            found[cell, : len(there)] = there
        return found

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        return factorial(self.cells) // 2

    def packed(self, tiles: list[int]) -> tuple[int, ...]:
        """The position with these tiles, cell by cell; 0 for none."""
        p = (0,) * (2 if self.small else 5)
        for cell, tile in enumerate(tiles):
            p = self.put(p, cell, tile)
        return p

    def put(self, p: tuple[int, ...], cell: int, tile: int) -> tuple[int, ...]:
        """`p` with a tile, or none, in a cell that was 0, and that cell noted for the tile."""
        word, bit = int(self.place[tile, 0]), int(self.place[tile, 1])
        noted = p[word] & ~(self.mask << bit) | cell << bit
        p = replaced(p, word, signed(noted))
        at = 0 if self.small else cell // 12
        return replaced(p, at, signed(p[at] | tile << (self.bits * (cell - 12 * at))))

    def tile(self, p: tuple[int, ...], cell: int) -> int:
        """The tile in a cell, 0 for none."""
        if self.small:
            return (p[0] >> (4 * cell)) & 15
        return (p[cell // 12] >> (5 * (cell % 12))) & 31

    def empty(self, p: tuple[int, ...]) -> int:
        """The empty cell."""
        return (p[self.hole_word] >> self.hole_bit) & self.mask

    # -- Rules. ---

    @cached_property
    def ordered(self) -> tuple[int, ...]:
        """The goal."""
        return self.packed([*range(1, self.cells), 0])

    def start(self) -> tuple[int, ...]:
        # Half of all orders can be solved; where the reverse cannot, tiles 1 and 2 change places.
        last = self.cells - 1
        tiles = [*range(last, 0, -1), 0]
        if (last * (last - 1) // 2) % 2:
            tiles[last - 1], tiles[last - 2] = tiles[last - 2], tiles[last - 1]
        return self.packed(tiles)

    def moves(self, p: tuple[int, ...]) -> Iterator[int]:
        # A move is the cell of the tile that is pushed.
        if p != self.ordered:
            for m in self.slides(p):
                yield m

    def unmoves(self, p: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for m in self.slides(p):
            yield self.play(p, m)

    def slides(self, p: tuple[int, ...]) -> Iterator[int]:
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

    def play(self, p: tuple[int, ...], m: int) -> tuple[int, ...]:
        if not self.multi:
            return self.slide(p, m)
        hole, w = self.empty(p), self.width
        step = 1 if m // w == hole // w else w
        while hole != m:
            hole = hole + step if m > hole else hole - step
            p = self.slide(p, hole)
        return p

    def slide(self, p: tuple[int, ...], cell: int) -> tuple[int, ...]:
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

    def reward(self, p: tuple[int, ...], m: int) -> int:
        return 1

    def payoff(self, p: tuple[int, ...]) -> int:
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

    def rank(self, p: tuple[int, ...]) -> int:
        hole = self.empty(p)
        before = p[0] & ((1 << 4 * hole) - 1)
        tiles = before | (p[0] >> (4 * hole + 4) & (1 << 60 - 4 * hole) - 1) << 4 * hole
        tiles -= 0x111111111111111 & ((1 << 4 * (self.cells - 1)) - 1)  # from 0 on
        return hole * self.orders + rank_even(tiles, NIBBLE, self.cells - 1)

    def unrank(self, stratum: int, i: int) -> tuple[int, ...]:
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

    def bounds(self, p: tuple[int, ...]) -> tuple[float, float, int]:
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

    @cached_property
    def blurs(self) -> int:  # type: ignore[override]
        """One abstraction for each group."""
        return 0 if self.multi or len(self.parts) == 1 else len(self.parts)

    @cached_property
    def added(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """All groups at once."""
        return (tuple(range(self.blurs)),)

    def goals(self) -> Iterator[tuple[int, ...]]:
        yield self.ordered

    def blur(self, p: tuple[int, ...], k: int) -> tuple[int, ...]:
        # One tile of another group stands for all of them. Where they are noted to lie, none can
        # lie in the goal: so no blurred position is the goal itself, where play ends.
        other = self.parts[1 if k == 0 else 0][0]
        tiles = [self.tile(p, cell) for cell in range(self.cells)]
        q = self.packed(
            [tile if tile == 0 or self.group_of[tile] == k else other for tile in tiles]
        )
        for tile in range(1, self.cells):
            if self.group_of[tile] != k:
                word, bit = int(self.place[tile, 0]), int(self.place[tile, 1])
                wrong = (self.mask ^ (tile - 1)) << bit
                q = replaced(q, word, signed(q[word] & ~(self.mask << bit) | wrong))
        return q

    def counts_in(self, p: tuple[int, ...], m: int, group: int) -> int:
        return int(self.group_of[self.tile(p, m)])

    def blur_sizes(self, k: int) -> tuple[int, int]:
        return 1 << (self.bits * len(self.parts[k])), self.cells

    def blur_index(self, p: tuple[int, ...], k: int) -> tuple[int, int]:
        word, bit = int(self.place[self.cells + k, 0]), int(self.place[self.cells + k, 1])
        return (p[word] >> bit) & ((1 << (self.bits * int(self.kept[k]))) - 1), self.empty(p)

    def mirrored(self, cell: int) -> int:
        """The cell across the main diagonal of a square board; elsewhere the cell itself."""
        if self.width != self.height:
            return cell
        return cell % self.width * self.width + cell // self.width

    def also(self, p: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        # Across the main diagonal, with the tiles renumbered.
        q = p
        for word in range(len(p)):
            q = replaced(q, word, 0)
        for cell in range(self.cells):
            tile = self.tile(p, cell)
            image = self.mirrored(tile - 1) + 1 if tile else 0
            q = self.put(q, self.mirrored(cell), image)
        yield q

    def twin(self, p: tuple[int, ...], m: int) -> int:
        return self.mirrored(m)

    # -- Text at the edges. ---

    def tiles(self, p: tuple[int, ...]) -> list[int]:
        """The tile in each cell, 0 for none."""
        return [int(self.tile(p, cell)) for cell in range(self.cells)]

    def text(self, p: tuple[int, ...]) -> str:
        shown = [str(tile or ".") for tile in self.tiles(p)]
        w = self.width
        return " / ".join(" ".join(shown[y * w : (y + 1) * w]) for y in range(self.height))

    def parse(self, s: str) -> tuple[int, ...]:
        rows = [["0" if word in "._" else word for word in row.split()] for row in s.split("/")]
        tiles = [int(word) for row in rows for word in row]
        shape = [len(row) for row in rows] == [self.width] * self.height
        if not shape or sorted(tiles) != list(range(self.cells)):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return self.packed(tiles)

    def move_text(self, p: tuple[int, ...], m: int) -> str:
        return str(self.tile(p, m))

    def picture(self, p: tuple[int, ...]) -> str:
        cell = svg.CELL
        parts = [svg.box(0, 0, self.width * cell, self.height * cell, svg.SHADE)]
        for i, tile in enumerate(self.tiles(p)):
            x, y = i % self.width * cell + 2, i // self.width * cell + 2
            if tile:
                parts.append(svg.card(x, y, cell - 4, cell - 4, tile))
        return svg.svg(self.width * cell, self.height * cell, parts)
