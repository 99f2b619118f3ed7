"""What games of lines share: players mark empty cells in turn until somebody has a line.

A position is one integer. Its lower half is the set of cells of the player to move, its upper half
that of the other player, one bit for each cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.games.bits import count, crosses_and_noughts
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import SearchGuides


@dataclass(frozen=True)
class LineGame(SearchGuides, Game):
    """A board of cells and its lines. Subclasses say which, and whether a line loses."""

    def cells(self) -> int:
        """How many cells the board has."""
        raise NotImplementedError

    def lined(self, marks: int) -> bool:
        """Whether `marks` holds a line."""
        raise NotImplementedError

    def sides(self, p: int) -> tuple[int, int]:
        """The cells of the player to move, and those of the other."""
        cells = self.cells()
        return p & ((1 << cells) - 1), p >> cells

    def first_and_second(self, p: int) -> tuple[int, int]:
        """The cells of the player who began, and those of the other."""
        mine, theirs = self.sides(p)
        return (mine, theirs) if count(p) % 2 == 0 else (theirs, mine)

    def marks(self, p: int) -> str:
        """One letter per cell: X of the player who began, O of the other, . empty."""
        first, second = self.first_and_second(p)
        return crosses_and_noughts(first, second, self.cells())

    def joined(self, first: int, second: int) -> int:
        """The position with these cells of the player who began and of the other; ValueError if
        they cannot have taken turns."""
        more = count(first) - count(second)
        if more not in (0, 1):
            raise ValueError("who begins has as many cells as the other, or one more")
        return (first | second << self.cells()) if more == 0 else (second | first << self.cells())

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> Iterator[int]:
        mine, theirs = self.sides(p)
        if not self.lined(theirs):
            for cell in range(self.cells()):
                if not ((mine | theirs) >> cell) & 1:
                    yield cell

    def play(self, p: int, m: int) -> int:
        mine, theirs = self.sides(p)
        return theirs | ((mine | (1 << m)) << self.cells())

    def payoff(self, p: int) -> int:
        if self.lined(self.sides(p)[1]):
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
        mine, theirs = self.sides(p)
        near = -abs(2 * m - cells + 1)
        if self.lined(mine | cell):
            return near - 4 * cells if self.misere else near + 8 * cells
        return near + 4 * cells if self.lined(theirs | cell) else near
