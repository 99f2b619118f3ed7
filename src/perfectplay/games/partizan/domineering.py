"""Domineering: dominoes on a board, upright ones for Left, flat ones for Right.

Left covers two free squares one above the other, Right two free squares side by side. A player who
cannot place a domino loses.

Check: on 2 x 2 who begins wins. One domino leaves room for just one more of the same player, so
that the value is {1|-1}. On three squares in an L it is {0|0}, the star: one domino, whoever.

A board is (rows, columns, free squares as bits, row by row from the upper left one). Free squares
that do not hang together are parts of their own; a part is cut out of the board, and of all
mirrored ones the least stands for it. Exchanging rows and columns exchanges the players.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.sums import grids
from perfectplay.sums.partizan import Partizan

Board = tuple[int, int, int]


@dataclass(frozen=True)
class Domineering(Partizan):
    """Dominoes on rows x columns squares."""

    rows: int = 4
    columns: int = 4

    def __post_init__(self) -> None:
        grids.refuse_odd_sizes(self.rows, self.columns)

    def setup(self) -> Board:
        return self.rows, self.columns, (1 << (self.rows * self.columns)) - 1

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        upper = free & (free >> columns)
        while upper:
            square = upper & -upper
            upper ^= square
            yield rows, columns, free ^ square ^ (square << columns)

    def right(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        first = free & (free >> 1) & ~grids.column(rows, columns, -1)
        while first:
            square = first & -first
            first ^= square
            yield rows, columns, free ^ (3 * square)

    def decompose(self, b: Board) -> Iterator[Board]:
        rows, columns, free = b
        for part in grids.connected(rows, columns, free):
            if part & (part - 1):
                where = grids.box(rows, columns, part)
                yield where[2], where[3], grids.cut(columns, part, where)

    def normal(self, b: Board) -> Board:
        rows, columns, free = b
        mirrored = grids.mirrored(rows, columns, free)
        turned = grids.upside_down(rows, columns, mirrored)
        return rows, columns, min(free, mirrored, turned, grids.upside_down(rows, columns, free))

    def swapped(self, b: Board) -> Board:
        rows, columns, free = b
        return columns, rows, grids.flipped(rows, columns, free)

    def board_text(self, b: Board) -> str:
        return grids.text(b[0], b[1], (b[2],), ".#")

    def parse_board(self, s: str) -> Board:
        rows, columns, (free,) = grids.parse(s, ".#")
        return rows, columns, free

    def step_text(self, b: Board, after: Board, player: int) -> str:
        covered = grids.squares_in(b[2] ^ after[2])
        return "-".join(grids.square_name(b[1], square) for square in covered)

    def board_picture(self, b: Board) -> str:
        rows, columns, free = b
        cell = svg.CELL
        parts = [svg.grid(columns, rows)]
        for square in grids.squares_in(~free & ((1 << (rows * columns)) - 1)):
            x, y = cell * (square % columns), cell * (square // columns)
            parts.append(svg.box(x, y, cell, cell, svg.LINE))
        return svg.svg(columns * cell, rows * cell, parts)
