"""Games of Left and Right on a board of squares: what they share.

A board is (rows, columns, *layers), each layer a set of squares as bits, row by row from the upper
left one. In texts a square of layer i shows letter i, any other the last letter: x and o are
stones of Left and Right, # is a blocked square, a dot a free one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.sums import grids
from perfectplay.sums.partizan import Partizan

Board = tuple[int, ...]


@dataclass(frozen=True)
class GridGame(Partizan):
    """A game on rows x columns squares. Where a subclass does not say otherwise, turned and
    mirrored boards are equal, exchanging the two layers exchanges the players, and a move
    brings a stone from square to square."""

    rows: int = 2
    columns: int = 3

    letters = "xo."

    def __post_init__(self) -> None:
        grids.refuse_odd_sizes(self.rows, self.columns)

    def right(self, b: Board) -> Iterator[Board]:
        for after in self.left(self.swapped(b)):
            yield self.swapped(after)

    def normal(self, b: Board) -> Board:
        return grids.least(b[0], b[1], b[2:])

    def swapped(self, b: Board) -> Board:
        return b[0], b[1], b[3], b[2]

    def board_text(self, b: Board) -> str:
        return grids.text(b[0], b[1], b[2:], self.letters)

    def parse_board(self, s: str) -> Board:
        rows, columns, layers = grids.parse(s, self.letters)
        return rows, columns, *layers

    def step_text(self, b: Board, after: Board, player: int) -> str:
        old, new = b[2 + player], after[2 + player]
        squares = (*grids.squares_in(old & ~new), *grids.squares_in(new & ~old))
        return "-".join(grids.square_name(b[1], square) for square in squares)

    def board_picture(self, b: Board) -> str:
        rows, columns, cell = b[0], b[1], svg.CELL
        marks = self.board_text(b).replace("/", "")
        parts = [svg.grid(columns, rows)]
        for letter in "xo#":
            for square in (i for i, mark in enumerate(marks) if mark == letter):
                x, y = cell * (square % columns), cell * (square // columns)
                if letter == "#":
                    parts.append(svg.box(x, y, cell, cell, svg.LINE))
                else:
                    middle = x + cell / 2, y + cell / 2
                    parts.append(svg.stone(*middle, 0.36 * cell, "xo".index(letter)))
        return svg.svg(columns * cell, rows * cell, parts)


def cut_out(b: Board, group: int) -> Board:
    """The least board with a group of squares, and of each layer what is in the group."""
    rows, columns, *layers = b
    where = grids.box(rows, columns, group)
    return where[2], where[3], *[grids.cut(columns, group & layer, where) for layer in layers]


def single(squares: int) -> Iterator[int]:
    """The squares one by one, each as a bit, lowest first."""
    while squares:
        square = squares & -squares
        squares ^= square
        yield square


def chessboard(rows: int, columns: int) -> tuple[int, int]:
    """The squares like the upper left one in colour, and the others."""
    squares = range(rows * columns)
    same = sum(1 << i for i in squares if (i // columns + i % columns) % 2 == 0)
    return same, ((1 << len(squares)) - 1) & ~same
