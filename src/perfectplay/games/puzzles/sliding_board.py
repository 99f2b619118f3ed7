"""Boards of sliding puzzles: how the tiles lie in the words of a position (sliding.py), and which
groups of them searches remember."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.games.bits import signed
from perfectplay.rules.game import replaced

Position = tuple[int, ...]
FIFTEEN = ((2, 3, 4), (1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15))
"""The groups of the 15-puzzle, if none are given (Korf and Felner's 6-6-3)."""
LARGEST = {4: 8, 5: 6}
"""The most tiles of a group, by the bits that a cell takes."""
SMALL = 16
"""Cells of a board in two words, at most."""
WORD = 12
"""Cells of five bits to a word."""


@dataclass(frozen=True)
class SlidingBoard:
    """A board of width x height cells."""

    width: int = 3
    height: int = 3
    multi: bool = False
    groups: str = ""

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
        rows, word, bit = {0: (self.hole_word, self.hole_bit)}, 1 if self.small else 3, 0
        bit = self.bits if self.small else 0
        for part in self.parts:
            if not self.small and bit + self.bits * len(part) > self.bits * WORD:
                word, bit = word + 1, 0
            for tile in part:
                rows[tile] = word, bit
                bit += self.bits
        firsts = [rows[part[0]] for part in self.parts]
        return np.array([*(rows[tile] for tile in range(self.cells)), *firsts], np.int64)

    @cached_property
    def words(self) -> int:
        """How many words a position has."""
        return 2 if self.small else 3 + max(2, int(self.place[:, 0].max()) - 2)

    @cached_property
    def group_of(self) -> Ints:
        """The group of each tile."""
        found = np.zeros(self.cells, np.int64)
        for k, part in enumerate(self.parts):
            found[list(part)] = k
        return found

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

    def packed(self, tiles: list[int]) -> Position:
        """The position with these tiles, cell by cell; 0 for none."""
        p = (0,) * self.words
        for cell, tile in enumerate(tiles):
            p = self.put(p, cell, tile)
        return p

    def put(self, p: Position, cell: int, tile: int) -> Position:
        """`p` with a tile, or none, in a cell that was 0, and that cell noted for the tile."""
        word, bit = int(self.place[tile, 0]), int(self.place[tile, 1])
        noted = p[word] & ~(self.mask << bit) | cell << bit
        p = replaced(p, word, signed(noted))
        at = 0 if self.small else cell // WORD
        return replaced(p, at, signed(p[at] | tile << (self.bits * (cell - WORD * at))))

    def changed(self, p: Position, cell: int, bits: int) -> Position:
        """`p` with some bits of what is in a cell turned over."""
        at = 0 if self.small else cell // WORD
        return replaced(p, at, signed(p[at] ^ bits << (self.bits * (cell - WORD * at))))

    def tile(self, p: Position, cell: int) -> int:
        """The tile in a cell, 0 for none."""
        if self.small:
            return (p[0] >> (4 * cell)) & 15
        return (p[cell // WORD] >> (5 * (cell % WORD))) & 31

    def empty(self, p: Position) -> int:
        """The empty cell."""
        return (p[self.hole_word] >> self.hole_bit) & self.mask

    @cached_property
    def ordered(self) -> Position:
        """The goal."""
        return self.packed([*range(1, self.cells), 0])
