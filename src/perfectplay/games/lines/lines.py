"""What games of lines share: players mark empty cells in turn until somebody has a line.

A position is one integer. Its lower half is the set of cells of the player to move, its upper half
that of the other player, one bit for each cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.games.bits import count
from perfectplay.rules.capabilities import SearchGuides
from perfectplay.rules.game import Game


@dataclass(frozen=True)
class Lines(SearchGuides, Game):
    """A board of cells and its lines. Subclasses tell both, and whether a line loses."""

    def cells(self) -> int:
        """How many cells the board has."""
        raise NotImplementedError

    def lined(self, marks: int) -> bool:
        """Whether `marks` holds a line."""
        raise NotImplementedError

    def moves(self, p: int) -> Iterator[int]:
        cells = self.cells()
        theirs = p >> cells
        if not self.lined(theirs):
            taken = p | theirs
            for cell in range(cells):
                if not (taken >> cell) & 1:
                    yield cell

    def play(self, p: int, m: int) -> int:
        cells = self.cells()
        mine = p & ((1 << cells) - 1)
        return (p >> cells) | ((mine | (1 << m)) << cells)

    def payoff(self, p: int) -> int:
        if self.lined(p >> self.cells()):
            return 1 if self.misere else -1
        return 0

    def stratum(self, p: int) -> int:
        return self.cells() - count(p)

    def bounds(self, p: int) -> tuple[int, int]:
        return (-1, 1)

    def hint(self, p: int, m: int) -> int:
        """Lines of one's own first, then those of the other player, then what is near the middle
        of the board."""
        cells, cell = self.cells(), 1 << m
        mine, theirs = p & ((1 << cells) - 1), p >> cells
        near = -abs(2 * m - cells + 1)
        if self.lined(mine | cell):
            return near - 4 * cells if self.misere else near + 8 * cells
        return near + 4 * cells if self.lined(theirs | cell) else near
