"""Cutcake: oblong cakes are cut along their lines, upright by Left, flat by Right.

A cake has rows and columns of squares. Left cuts a cake from top to bottom between two columns,
Right from side to side between two rows. A player who cannot cut loses.

Check: a cake of one row and n columns is worth n - 1 to Left, who has that many cuts while Right
has none; one of 2 x 2 is 0, and of 2 x 4 it is 1: Right's only cut leaves Left 6 moves.

A board is the cakes as (rows, columns), sorted; each is a part of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.sums.partizan import Partizan

Board = tuple[tuple[int, int], ...]
LARGEST = 1000


@dataclass(frozen=True)
class Cutcake(Partizan):
    """One cake of rows x columns squares."""

    rows: int = 3
    columns: int = 4

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= LARGEST and 1 <= self.columns <= LARGEST):
            raise UsageError(
                f"no cake of {self.rows} x {self.columns}", f"use 1 to {LARGEST} rows and columns"
            )

    def setup(self) -> Board:
        return ((self.rows, self.columns),)

    def left(self, b: Board) -> Iterator[Board]:
        for i, (rows, columns) in enumerate(b):
            for cut in range(1, columns // 2 + 1):
                pieces = (rows, cut), (rows, columns - cut)
                yield tuple(sorted((*b[:i], *pieces, *b[i + 1 :])))

    def right(self, b: Board) -> Iterator[Board]:
        for i, (rows, columns) in enumerate(b):
            for cut in range(1, rows // 2 + 1):
                pieces = (cut, columns), (rows - cut, columns)
                yield tuple(sorted((*b[:i], *pieces, *b[i + 1 :])))

    def decompose(self, b: Board) -> Iterator[Board]:
        for cake in b:
            if cake != (1, 1):
                yield (cake,)

    def swapped(self, b: Board) -> Board:
        return tuple(sorted([(columns, rows) for rows, columns in b]))

    def board_text(self, b: Board) -> str:
        return " ".join(f"{rows}x{columns}" for rows, columns in b)

    def parse_board(self, s: str) -> Board:
        cakes = []
        for word in s.split():
            rows, cross, columns = word.partition("x")
            if not (cross and rows.isdigit() and columns.isdigit()):
                raise ValueError("cakes look like 2x3 4x1")
            cakes.append((int(rows), int(columns)))
        if not cakes or not all(1 <= side <= LARGEST for cake in cakes for side in cake):
            raise ValueError(f"a cake has 1 to {LARGEST} rows and columns")
        return tuple(sorted(cakes))

    def board_picture(self, b: Board) -> str:
        cell, at, parts = 18, 0, []
        for rows, columns in b:
            parts += [
                svg.box(at + cell * x, cell * y, cell, cell, svg.SHADE)
                for y in range(rows)
                for x in range(columns)
            ]
            at += cell * (columns + 1)
        return svg.svg(at, cell * max(rows for rows, _ in b), parts)
