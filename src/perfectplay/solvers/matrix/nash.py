"""Nash: the equilibrium of a matrix game, exactly, with a proof.

Two players choose at the same time: one a row, the other a column, and the cell says what the
second pays to the first. `nash` says what that is worth and with which probabilities to choose,
as fractions that matrix_game.py has proved; and what it would be worth if one of them had to
say first what they do."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from numbers import Rational
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.value import exact_text, fraction_text, nearest_float

if TYPE_CHECKING:
    from perfectplay.schemas.sums import EquilibriumJson

Mixture = tuple[Fraction, ...]

MOST = 10_000
"""Extreme optimal mixtures that are listed at most."""
DIGITS = 4000
"""Digits of a cell that is written as text, at most."""
BITS = 1 << 33
"""Size of all cells over one denominator, in bits, beyond which a matrix is refused."""


@dataclass(frozen=True)
class Equilibrium(Rich):
    """What a matrix game is worth, and optimal play. The row player gets what the cells say."""

    value: Fraction
    """Value to the row player if both play as well as possible."""
    rows: Mixture
    """Probabilities of the rows in an optimal mixture."""
    columns: Mixture
    max_min: Fraction
    """Value if the row player must choose first, and is seen: the largest least cell of a row."""
    min_max: Fraction
    """Value if the column player must choose first, and is seen."""
    first_row: int
    """The row to choose if it is seen (the first one of equally good ones)."""
    first_column: int
    average: Fraction
    """Mean of all cells: the value if both choose at random."""
    least: Fraction
    most: Fraction
    """The least and the largest cell."""
    all_rows: tuple[Mixture, ...] | None = None
    """If asked for: all extreme optimal mixtures of rows; the optimal ones are their averages."""
    all_columns: tuple[Mixture, ...] | None = None

    def __str__(self) -> str:
        return exact_text(self.value)

    def display(self) -> Display:
        """The value, what it would be otherwise, and with which probabilities to choose."""
        rows = [
            ("value", exact_text(self.value)),
            ("if the row player is seen", exact_text(self.max_min)),
            ("if the column player is seen", exact_text(self.min_max)),
            ("if both choose at random", exact_text(self.average)),
        ]
        for name, mixture in (("row", self.rows), ("column", self.columns)):
            rows += [
                (f"{name} {number}", exact_text(share))
                for number, share in enumerate(mixture, 1)
                if share
            ]
        return Display(f"a {len(self.rows)} x {len(self.columns)} matrix game", (), rows, {0})

    def as_json(self) -> EquilibriumJson:
        """The equilibrium as JSON-ready data, fractions as text."""
        shown: EquilibriumJson = {
            "value": fraction_text(self.value),
            "decimal": nearest_float(self.value),
            "rows": list(map(fraction_text, self.rows)),
            "columns": list(map(fraction_text, self.columns)),
            "max_min": fraction_text(self.max_min),
            "min_max": fraction_text(self.min_max),
            "first_row": self.first_row,
            "first_column": self.first_column,
            "average": fraction_text(self.average),
            "least": fraction_text(self.least),
            "most": fraction_text(self.most),
        }
        if self.all_rows is not None and self.all_columns is not None:
            shown["all_rows"] = [list(map(fraction_text, each)) for each in self.all_rows]
            shown["all_columns"] = [list(map(fraction_text, each)) for each in self.all_columns]
        return shown


def nash(matrix: Iterable[Iterable[Any]], *, all: bool = False, most: int = MOST) -> Equilibrium:
    """The value and optimal mixtures of the zero-sum game `matrix`, proved in exact arithmetic.

    Cells are integers, Fractions, or texts such as "1/3" and "0.25"; row i, column j is what the
    column player pays to the row player. `all` asks for all extreme optimal mixtures, of which
    there may be `most` for each player."""
    from perfectplay.solvers.matrix.matrix_game import solve

    cells = exact_cells(matrix)
    whole, denominator = _over_one_denominator(cells)
    value, x, y = solve(whole)
    all_rows = all_columns = None
    if all:
        from perfectplay.solvers.matrix.extreme_points import extreme_points

        turned = [[-cell for cell in column] for column in zip(*whole, strict=True)]
        all_rows = tuple(tuple(each) for each in extreme_points(whole, value, y, most))
        all_columns = tuple(tuple(each) for each in extreme_points(turned, -value, x, most))
    lows = [min(row) for row in whole]
    highs = [max(column) for column in zip(*whole, strict=True)]
    return Equilibrium(
        value=value / denominator,
        rows=tuple(x),
        columns=tuple(y),
        max_min=Fraction(max(lows), denominator),
        min_max=Fraction(min(highs), denominator),
        first_row=lows.index(max(lows)),
        first_column=highs.index(min(highs)),
        average=Fraction(sum(map(sum, whole)), denominator * len(cells) * len(cells[0])),
        least=Fraction(min(lows), denominator),
        most=Fraction(max(highs), denominator),
        all_rows=all_rows,
        all_columns=all_columns,
    )


def exact_cells(matrix: Iterable[Iterable[Any]]) -> list[list[Fraction]]:
    """The cells of a matrix as fractions; UsageError unless it is one."""
    hint = "a matrix is a list of equally long rows of integers, Fractions or texts such as '1/3'"
    if isinstance(matrix, str | bytes) or not isinstance(matrix, Iterable):
        raise UsageError(f"{matrix!r} is not a matrix", hint)
    rows = []
    for i, row in enumerate(matrix):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise UsageError(f"row {i + 1} of the matrix is {row!r}, not a list of numbers", hint)
        rows.append([exact_cell(cell, i, j) for j, cell in enumerate(row)])
    if not rows or not rows[0]:
        raise UsageError("the matrix is empty", hint)
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise UsageError(
                f"row {i + 1} of the matrix has {len(row)} cells, row 1 has {len(rows[0])}", hint
            )
    return rows


def exact_cell(cell: Any, row: int, column: int) -> Fraction:
    """One cell as a fraction; UsageError if it is no exact number."""
    if type(cell) is Fraction:
        return cell
    if type(cell) is int:
        return Fraction(cell)
    where = f"row {row + 1}, column {column + 1} of the matrix"
    if hasattr(cell, "item") and not isinstance(cell, Rational):
        cell = cell.item()  # a number of NumPy
    if isinstance(cell, Rational):
        return Fraction(int(cell.numerator), int(cell.denominator))
    if isinstance(cell, float):
        if cell.is_integer():
            return Fraction(int(cell))
        raise UsageError(
            f"{where} is the float {cell!r}, which is rounded",
            f"give exact numbers: Fraction({str(cell)!r}), or the text {str(cell)!r}",
        )
    if isinstance(cell, str) and _digits(cell) > DIGITS:
        raise TooLargeError(
            f"{where} begins with {cell[:20]!r} and has more than {DIGITS:,} digits",
            "round it, or measure in larger units",
        )
    try:
        return Fraction(cell)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(f"{where} is {cell!r}, not a number", "write 3, -1/2 or 0.25") from None
    except ZeroDivisionError:
        raise UsageError(f"{where} is {cell!r}: division by zero") from None


def _digits(text: str) -> int:
    """How many digits a number has, at most, if it is one: 1e400 has 401."""
    body, _, power = text.lower().partition("e")
    power = power.strip().lstrip("+-").replace("_", "")
    if not power.isdecimal():
        return len(text)
    return len(body) + (int(power) if len(power) < 10 else 10**10)


def _over_one_denominator(cells: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """The cells times their least common denominator, and that denominator."""
    denominators = {cell.denominator for row in cells for cell in row}
    denominator = 1
    for each in denominators:
        denominator = lcm(denominator, each)
        if denominator.bit_length() * len(cells) * len(cells[0]) > BITS:
            raise TooLargeError(
                f"the common denominator of {len(cells)} x {len(cells[0])} cells has more than "
                f"{denominator.bit_length():,} bits",
                "round the cells to fractions with fewer different denominators",
            )
    return [
        [cell.numerator * (denominator // cell.denominator) for cell in row] for row in cells
    ], denominator


# -- Matrices in files. ---------------------------------------------------------------------------


@dataclass(frozen=True)
class NamedMatrix(Rich):
    """A matrix whose rows and columns have names."""

    cells: list[list[Fraction]]
    rows: list[str]
    columns: list[str]

    def display(self) -> Display:
        """The cells with their names."""
        rows = [
            (name, *map(fraction_text, cells))
            for name, cells in zip(self.rows, self.cells, strict=True)
        ]
        return Display(f"{len(self.rows)} x {len(self.columns)} matrix", ("", *self.columns), rows)


def read_matrix(path: str | Path) -> NamedMatrix:
    """The matrix in a file of comma-separated values. Names of columns may stand in the first
    line, names of rows in the first column; otherwise they are numbered."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(
            f"{path} cannot be read: {why}",
            "a matrix is a file of numbers with commas between them, a line for each row",
        ) from None
    lines = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines())]
    lines = [line for line in lines if any(line)]
    if not lines:
        raise UsageError(f"{path} holds no matrix", "write a line of numbers for each row")
    columns = rows = None
    if not any(_number(cell) for cell in lines[0][1:] or lines[0]):
        columns, lines = lines[0], lines[1:]
    if lines and not any(_number(line[0]) for line in lines):
        rows, lines = [line[0] for line in lines], [line[1:] for line in lines]
        columns = columns[1:] if columns is not None else None
    cells = exact_cells(lines)
    if columns is not None and len(columns) != len(cells[0]):
        raise UsageError(
            f"{path} names {len(columns)} columns, but row 1 has {len(cells[0])} cells"
        )
    return NamedMatrix(
        cells,
        rows or [str(i + 1) for i in range(len(cells))],
        columns or [str(j + 1) for j in range(len(cells[0]))],
    )


def _number(cell: str) -> bool:
    """Whether a cell of a file is a number."""
    if _digits(cell) > DIGITS:  # exact_cell refuses it if it is one
        return bool(re.fullmatch(r"[-+\d_./eE ]+", cell))
    try:
        Fraction(cell)
    except ValueError:
        return False
    except ZeroDivisionError:
        return True
    return True
