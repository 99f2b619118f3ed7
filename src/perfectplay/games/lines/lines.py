"""What games of lines share: players mark empty cells in turn until somebody has a line.

A position of a board of up to 31 cells is one integer: its lower half is the set of cells of the
player to move, its upper half that of the other player, one bit for each cell. On larger boards,
of up to 64 cells, these are two integers (`wide`), which use all bits, the sign too."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perfectplay.games.bits import WORD, count, crosses_and_noughts, lacking, signed
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import EnoughMoves, SearchGuides, Threats

MOST = 64
"""Cells of a board."""


@dataclass(frozen=True)
class LineGame(SearchGuides, EnoughMoves, Threats, Game):
    """A board of cells and its lines. Subclasses say which, and whether a line loses."""

    def cells(self) -> int:
        """How many cells the board has."""
        raise NotImplementedError

    def lined(self, marks: int) -> bool:
        """Whether `marks` holds a line."""
        raise NotImplementedError

    def possible(self, marks: int) -> bool:
        """Whether `marks`, or some of them, hold a line."""
        return self.lined(marks)

    def gaps(self, own: int, free: int, cells: int) -> int:
        """The free cells of lines that are all one's own but for so many free `cells`, 1 or 2."""
        found = 0
        for a in range(self.cells()):
            if (free >> a) & 1:
                if cells == 1 and self.lined(own | (1 << a)):
                    found |= 1 << a
                for b in range(a if cells == 2 else 0):
                    if (free >> b) & 1 and self.lined(own | (1 << a) | (1 << b)):
                        found |= (1 << a) | (1 << b)
        return found

    def wide(self, other: type["LineGame"]) -> None:
        """Be of this class, on a board of so many cells that positions take two integers."""
        if 2 * self.cells() > WORD and type(self) is not other:
            object.__setattr__(self, "__class__", other)

    @cached_property
    def board(self) -> int:
        """All cells."""
        return signed((1 << self.cells()) - 1)

    def sides(self, p: Any) -> tuple[int, int]:
        """The cells of the player to move, and those of the other."""
        cells = self.cells()
        return p & ((1 << cells) - 1), p >> cells

    def seated(self, mine: int, theirs: int) -> Any:
        """The position with these cells of the player to move and of the other."""
        return mine | theirs << self.cells()

    def taken(self, p: Any) -> int:
        """How many cells are marked."""
        mine, theirs = self.sides(p)
        return count(mine) + count(theirs)

    def first_and_second(self, p: Any) -> tuple[int, int]:
        """The cells of the player who began, and those of the other."""
        mine, theirs = self.sides(p)
        return (mine, theirs) if self.taken(p) % 2 == 0 else (theirs, mine)

    def marks(self, p: int) -> str:
        """One letter per cell: X of the player who began, O of the other, . empty."""
        first, second = self.first_and_second(p)
        return crosses_and_noughts(first, second, self.cells())

    def joined(self, first: int, second: int) -> Any:
        """The position with these cells of the player who began and of the other; ValueError if
        they cannot have taken turns."""
        more = count(first) - count(second)
        if more not in (0, 1):
            raise ValueError("who begins has as many cells as the other, or one more")
        return self.seated(first, second) if more == 0 else self.seated(second, first)

    def start(self) -> Any:
        return self.seated(0, 0)

    def moves(self, p: Any) -> Iterator[int]:
        mine, theirs = self.sides(p)
        if not self.lined(theirs):
            for cell in range(self.cells()):
                if not ((mine | theirs) >> cell) & 1:
                    yield cell

    def play(self, p: Any, m: int) -> Any:
        mine, theirs = self.sides(p)
        return self.seated(theirs, mine | (1 << m))

    def payoff(self, p: Any) -> int:
        if self.lined(self.sides(p)[1]):
            return 1 if self.misere else -1
        return 0

    def stratum(self, p: Any) -> int:
        return self.cells() - self.taken(p)

    def bounds(self, p: Any) -> tuple[int, int]:
        """What is seen within two plies: a line, a line next, two lines next; and whether either
        player has room for a line."""
        mine, theirs = self.sides(p)
        free = self.board & ~(mine | theirs)
        if self.misere:
            return (-1, 1)
        if self.lined(theirs):
            return (-1, -1)
        if self.gaps(mine, free, 1):
            return (1, 1)
        danger = self.gaps(theirs, free, 1)
        if danger & (danger - 1):
            return (-1, -1)
        return (
            -1 if self.possible(theirs | free) else 0,
            1 if self.possible(mine | free) else 0,
        )

    def needed(self, p: Any) -> int:
        """A cell that completes a line; else one that keeps the other player from that; else
        all that are free. On a board where a line loses: all."""
        mine, theirs = self.sides(p)
        free = self.board & ~(mine | theirs)
        if self.misere:
            return free
        chosen = self.gaps(mine, free, 1)
        if chosen == 0:
            chosen = self.gaps(theirs, free, 1)
        return chosen & -chosen if chosen else free

    def enough(self, p: Any) -> Iterator[int]:
        """One cell, if lines are to be made or kept from being made; else all."""
        if not self.lined(self.sides(p)[1]):
            needed = self.needed(p)
            for cell in range(self.cells()):
                if (needed >> cell) & 1:
                    yield cell

    def threat(self, p: Any) -> Iterator[int]:
        """Cells after which one of one's own lines lacks a cell, or none; of those that the other
        player leaves."""
        mine, theirs = self.sides(p)
        free = self.board & ~(mine | theirs)
        chosen = 0
        if not self.misere and not self.lined(theirs):
            chosen = self.gaps(mine, free, 1)
            if chosen == 0:
                chosen = self.gaps(mine, free, 2) & self.needed(p)
        for cell in range(self.cells()):
            if (chosen >> cell) & 1:
                yield cell

    def hint(self, p: Any, m: int) -> int:
        """Lines of one's own first, then those of the other player, then what is near the middle
        of the board."""
        cells, cell = self.cells(), 1 << m
        mine, theirs = self.sides(p)
        near = -abs(2 * m - cells + 1)
        if self.lined(mine | cell):
            return near - 4 * cells if self.misere else near + 8 * cells
        return near + 4 * cells if self.lined(theirs | cell) else near


@dataclass(frozen=True)
class StraightLines(LineGame):
    """Lines of so many cells, one step after the other."""

    def length(self) -> int:
        """How many cells make a line."""
        raise NotImplementedError

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """By direction: how many bits lie between the cells of a line."""
        raise NotImplementedError

    @cached_property
    def room(self) -> tuple[int, ...]:
        """By direction: the cells where a line may begin."""
        raise NotImplementedError

    def fitting(self, own: int, i: int) -> int:
        """The cells where a line in a direction may begin, of a player with these cells."""
        return self.room[i]

    def gaps(self, own: int, free: int, cells: int) -> int:
        found = 0
        for i in range(len(self.steps)):
            if self.room[i] != 0:
                room = self.fitting(own, i)
                found |= lacking(own, free, self.steps[i], room, self.length(), cells)
        return found


class WideLines:
    """Positions of two integers: what a larger board has instead."""

    def sides(self, p: tuple[int, int]) -> tuple[int, int]:
        """The cells of the player to move, and those of the other."""
        return p

    def seated(self, mine: int, theirs: int) -> tuple[int, int]:
        """The position with these cells of the player to move and of the other."""
        return signed(mine), signed(theirs)
