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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perfectplay.games.partizan.grid_game import Board, GridGame, chessboard, single


@dataclass(frozen=True)
class Konane(GridGame):
    """Stones on rows x columns squares, two of them taken off near the middle."""

    rows: int = 4
    columns: int = 4

    def setup(self) -> Board:
        rows, columns = self.rows, self.columns
        left, right = chessboard(rows, columns)
        middle = (rows - 1) // 2 * columns + (columns - 1) // 2
        gone = 1 << middle | 1 << (middle + (1 if columns > 1 else columns))
        return rows, columns, left & ~gone, right & ~gone

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, mine, theirs = b
        for start, end, taken in jumps(rows, columns, mine, theirs):
            yield rows, columns, mine ^ start | end, theirs ^ taken

    def right(self, b: Board) -> Iterator[Board]:
        rows, columns, theirs, mine = b
        for start, end, taken in jumps(rows, columns, mine, theirs):
            yield rows, columns, theirs ^ taken, mine ^ start | end

    def decompose(self, b: Board) -> Iterator[Board]:
        rows, columns, left, right = b
        free = ((1 << (rows * columns)) - 1) & ~(left | right)
        for up, down, room in rooms(rows, columns):
            open_to = room & (free >> 2 * up << 2 * down)
            if open_to & ((left & (right >> up << down)) | (right & (left >> up << down))):
                yield b
                return


def jumps(rows: int, columns: int, mine: int, theirs: int) -> Iterator[tuple[int, int, int]]:
    """From where, to where, and what is taken, as bits."""
    free = ((1 << (rows * columns)) - 1) & ~(mine | theirs)
    for up, down, room in rooms(rows, columns):
        able = mine & room & (theirs >> up << down) & (free >> 2 * up << 2 * down)
        for start in single(able):
            here, taken = start, 0
            while here & room:
                over = here << up >> down
                end = over << up >> down
                if not (over & theirs and end & free):
                    break
                taken |= over
                yield start, end, taken
                here = end


@cache
def rooms(rows: int, columns: int) -> tuple[tuple[int, int, int], ...]:
    """For each direction how many bits up and down a step leads, one of them 0, and the squares
    with room for a jump."""
    found = []
    for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        squares = [
            square
            for square in range(rows * columns)
            if 0 <= square // columns + 2 * down < rows
            and 0 <= square % columns + 2 * across < columns
        ]
        step = down * columns + across
        found.append((max(step, 0), max(-step, 0), sum(1 << square for square in squares)))
    return tuple(found)
