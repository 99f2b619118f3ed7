"""Domineering: dominoes on a board, upright ones for Left, flat ones for Right.

Left covers two free squares one above the other, Right two free squares side by side. A player who
cannot place a domino loses.

Check: on 2 x 2 who begins wins. One domino leaves room for just one more of the same player, so
that the value is {1|-1}. On three squares in an L it is {0|0}, the star: one domino, whoever.

A board is (rows, columns, free squares as bits, row by row from the upper left one). Free squares
that are not connected are summands of their own; a summand is cut out of the board, and of all
mirrored ones the least represents it. Exchanging rows and columns exchanges the players.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.games.partizan.grid_game import Board, GridGame, single
from perfectplay.sums import grids


@dataclass(frozen=True)
class Domineering(GridGame):
    """Dominoes on rows x columns squares."""

    rows: int = 4
    columns: int = 4

    letters = ".#"

    def setup(self) -> Board:
        return self.rows, self.columns, (1 << (self.rows * self.columns)) - 1

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        for square in single(free & (free >> columns)):
            yield rows, columns, free ^ square ^ (square << columns)

    def right(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        for square in single(free & (free >> 1) & ~grids.column(rows, columns, -1)):
            yield rows, columns, free ^ square ^ (square << 1)

    def decompose(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        for group in grids.connected(rows, columns, free):
            if group & (group - 1):
                where = grids.box(rows, columns, group)
                yield where[2], where[3], grids.cut(columns, group, where)

    def normal(self, b: Board) -> Board:
        rows, columns, free = b
        mirrored = grids.mirrored(rows, columns, free)
        turned = grids.upside_down(rows, columns, mirrored)
        return rows, columns, min(free, mirrored, turned, grids.upside_down(rows, columns, free))

    def swapped(self, b: Board) -> Board:
        rows, columns, free = b
        return columns, rows, grids.flipped(rows, columns, free)

    def step_text(self, b: Board, after: Board, player: int) -> str:
        covered = grids.squares_in(b[2] ^ after[2])
        return "-".join(grids.square_name(b[1], square) for square in covered)
