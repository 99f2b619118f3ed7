"""Stones of two players on a board: what Clobber and Konane have in common, and a picture.

A board is (rows, columns, Left's stones, Right's stones) with stones as bits, row by row from the
upper left; x and o in texts. A move brings one stone from square to square."""

from __future__ import annotations

from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.sums import grids
from perfectplay.sums.partizan import Partizan

Board = tuple[int, int, int, int]


@dataclass(frozen=True)
class Stones(Partizan):
    """A game on rows x columns squares in which exchanging colours exchanges the players."""

    rows: int = 2
    columns: int = 3

    def __post_init__(self) -> None:
        grids.refuse_odd_sizes(self.rows, self.columns)

    def normal(self, b: Board) -> Board:
        return grids.least(b[0], b[1], b[2:])  # type: ignore[return-value]

    def swapped(self, b: Board) -> Board:
        return b[0], b[1], b[3], b[2]

    def board_text(self, b: Board) -> str:
        return grids.text(b[0], b[1], b[2:], "xo.")

    def parse_board(self, s: str) -> Board:
        rows, columns, (left, right) = grids.parse(s, "xo.")
        return rows, columns, left, right

    def step_text(self, b: Board, after: Board, player: int) -> str:
        start = next(grids.squares_in(b[2 + player] & ~after[2 + player]))
        end = next(grids.squares_in(after[2 + player] & ~b[2 + player]))
        return f"{grids.square_name(b[1], start)}-{grids.square_name(b[1], end)}"

    def board_picture(self, b: Board) -> str:
        return stones_picture(b)


def stones_picture(b: tuple[int, ...]) -> str:
    """A board with the stones of both players as SVG; further squares are shaded."""
    rows, columns, *layers = b
    cell = svg.CELL
    parts = [svg.grid(columns, rows)]
    for player, stones in enumerate(layers):
        for square in grids.squares_in(stones):
            x, y = cell * (square % columns), cell * (square // columns)
            if player < 2:
                parts.append(svg.stone(x + cell / 2, y + cell / 2, 0.36 * cell, player))
            else:
                parts.append(svg.box(x, y, cell, cell, svg.LINE))
    return svg.svg(columns * cell, rows * cell, parts)
