"""Toads and Frogs: two armies in a row of squares that hop past each other.

Left moves a toad (T) one square to the right, or lets it jump to the right over one frog (F) onto
the free square behind; Right moves frogs to the left in the same way. A player who cannot move
loses.

Check: T.F is the star, whoever moves first makes the last move; T..F is 0.

A board is its row of letters. Frogs at the left end and toads at the right end can never move and
are cut off; TTFF can never be passed, nor can any of the four move, so that what lies left and
right of it are summands of their own. Reading the row backwards exchanges the players.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.sums.partizan import LEFT, Partizan

FLIP = str.maketrans("TF", "FT")
LONGEST = 60


@dataclass(frozen=True)
class ToadsAndFrogs(Partizan):
    """Toads at the left end, frogs at the right end, free squares between."""

    toads: int = 2
    gap: int = 2
    frogs: int = 2

    def __post_init__(self) -> None:
        if min(self.toads, self.gap, self.frogs) < 0 or not 0 < len(self.setup()) <= LONGEST:
            raise UsageError(
                f"no row with {self.toads} toads, {self.gap} free squares, {self.frogs} frogs",
                f"use 1 to {LONGEST} squares",
            )

    def setup(self) -> str:
        return "T" * self.toads + "." * self.gap + "F" * self.frogs

    def left(self, b: str) -> Iterator[str]:
        for i in range(len(b) - 1):
            if b[i : i + 2] == "T.":
                yield f"{b[:i]}.T{b[i + 2 :]}"
            elif b[i : i + 3] == "TF.":
                yield f"{b[:i]}.FT{b[i + 3 :]}"

    def right(self, b: str) -> Iterator[str]:
        for i in range(len(b) - 1):
            if b[i : i + 2] == ".F":
                yield f"{b[:i]}F.{b[i + 2 :]}"
            elif b[i : i + 3] == ".TF":
                yield f"{b[:i]}FT.{b[i + 3 :]}"

    def decompose(self, b: str) -> Iterator[str]:
        for part in b.split("TTFF"):
            inner = part.lstrip("F").rstrip("T")
            if "." in inner and len(inner) > 1:
                yield inner

    def swapped(self, b: str) -> str:
        return b[::-1].translate(FLIP)

    def board_text(self, b: str) -> str:
        return b

    def parse_board(self, s: str) -> str:
        if not s or set(s) - set("TF.") or len(s) > LONGEST:
            raise ValueError("a row of T, F and . is wanted")
        return s

    def step_text(self, b: str, after: str, player: int) -> str:
        squares = [i for i in range(len(b)) if b[i] != after[i]]
        ends = (squares[0], squares[-1]) if player == LEFT else (squares[-1], squares[0])
        return f"{ends[0] + 1}-{ends[1] + 1}"

    def board_picture(self, b: str) -> str:
        cell = svg.CELL
        parts = [svg.grid(len(b), 1)]
        for i, mark in enumerate(b):
            if mark != ".":
                parts.append(svg.stone(cell * (i + 0.5), cell / 2, 0.36 * cell, "TF".index(mark)))
                parts.append(svg.text(cell * (i + 0.5), cell / 2, mark, 14, svg.FIELD))
        return svg.svg(len(b) * cell, cell, parts)
