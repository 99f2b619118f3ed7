"""Clobber: a stone takes a neighbouring stone of the other player, and its place.

Left's stones are x, Right's o; at first they stand on all squares like the colours of a
chessboard. A move brings a stone of one's own up, down or sideways onto a stone of the other
player, which is taken off. A player who cannot move loses.

Check: xo is {0|0}, the star; xxo is ^, since Left's move ends it and Right's leaves xo or ox.

A board is (rows, columns, Left's stones, Right's stones) with stones as bits, row by row from the
upper left. Groups of connected stones are summands of their own; groups of one colour are
worth nothing. Exchanging colours exchanges the players.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.games.partizan.grid_game import Board, GridGame, chessboard, cut_out, single
from perfectplay.sums import grids


@dataclass(frozen=True)
class Clobber(GridGame):
    """Stones on rows x columns squares."""

    def setup(self) -> Board:
        return self.rows, self.columns, *chessboard(self.rows, self.columns)

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, mine, theirs = b
        for start, end in clobbers(rows, columns, mine, theirs):
            yield rows, columns, mine ^ start | end, theirs ^ end

    def decompose(self, b: Board) -> Iterator[Board]:
        rows, columns, left, right = b
        for group in grids.connected(rows, columns, left | right):
            if group & left and group & right:
                yield cut_out(b, group)


def clobbers(rows: int, columns: int, mine: int, theirs: int) -> Iterator[tuple[int, int]]:
    """From where to where stones can clobber, as bits."""
    last = grids.column(rows, columns, -1)
    for stones, step in ((mine & ~last, 1), (mine, columns)):
        for stone in single(stones & (theirs >> step)):
            yield stone, stone << step
    for stones, step in ((theirs & ~last, 1), (theirs, columns)):
        for stone in single(stones & (mine >> step)):
            yield stone << step, stone
