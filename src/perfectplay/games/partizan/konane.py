"""Konane, the Hawaiian game of jumps, on a small board.

Left's stones are x, Right's o. A move takes stones of the other player by jumping over them one
after the other, along a row or a column, each time onto the free square behind; a stone may jump
several times in one move, always in the same direction. A player who cannot jump loses.
At first stones stand on all squares like the colours of a chessboard; two neighbours near the
middle have been taken off.

Check: xo. is 1, for Left alone can jump; .xo. is the star, for either can, and that is all.

A board is (rows, columns, Left's stones, Right's stones) as bits. Stones jump an even number of
squares in their rows and columns, so a stone keeps its colour of square. Exchanging the players'
stones exchanges the players.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perfectplay.games.partizan.stones import Board, Stones


@dataclass(frozen=True)
class Konane(Stones):
    """Stones on rows x columns squares, two of them taken off near the middle."""

    rows: int = 4
    columns: int = 4

    def setup(self) -> Board:
        rows, columns = self.rows, self.columns
        colours = [0, 0]
        for square in range(rows * columns):
            colours[(square // columns + square % columns) % 2] |= 1 << square
        middle = (rows - 1) // 2 * columns + (columns - 1) // 2
        gone = 1 << middle | 1 << (middle + (1 if columns > 1 else columns))
        return rows, columns, colours[0] & ~gone, colours[1] & ~gone

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, mine, theirs = b
        for start, end, taken in jumps(rows, columns, mine, theirs):
            yield rows, columns, mine ^ start | end, theirs ^ taken

    def right(self, b: Board) -> Iterator[Board]:
        rows, columns, theirs, mine = b
        for start, end, taken in jumps(rows, columns, mine, theirs):
            yield rows, columns, theirs ^ taken, mine ^ start | end

    def decompose(self, b: Board) -> Iterator[Board]:
        if not is_still(*b):
            yield b


def jumps(rows: int, columns: int, mine: int, theirs: int) -> Iterator[tuple[int, int, int]]:
    """From where, to where, and what is taken, as bits."""
    free = ((1 << (rows * columns)) - 1) & ~(mine | theirs)
    for step, room in rooms(rows, columns):
        if step > 0:
            able = mine & room & (theirs >> step) & (free >> (2 * step))
        else:
            able = mine & room & (theirs << -step) & (free << (-2 * step))
        while able:
            start = able & -able
            able ^= start
            at = end = start
            taken = 0
            while at & room:
                over = at << step if step > 0 else at >> -step
                end = over << step if step > 0 else over >> -step
                if not (over & theirs and end & free):
                    break
                taken |= over
                yield start, end, taken
                at = end


@cache
def rooms(rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    """For each direction the step from bit to bit, and the squares with room for a jump."""
    found = []
    for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        squares = [
            square
            for square in range(rows * columns)
            if 0 <= square // columns + 2 * down < rows
            and 0 <= square % columns + 2 * across < columns
        ]
        found.append((down * columns + across, sum(1 << square for square in squares)))
    return tuple(found)


def is_still(rows: int, columns: int, left: int, right: int) -> bool:
    """Whether nobody can jump."""
    free = ((1 << (rows * columns)) - 1) & ~(left | right)
    for step, room in rooms(rows, columns):
        if step > 0:
            over, end = (left >> step, right >> step), free >> (2 * step)
        else:
            over, end = (left << -step, right << -step), free << (-2 * step)
        if room & end & ((left & over[1]) | (right & over[0])):
            return False
    return True
