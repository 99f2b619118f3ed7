"""The command that solves matrix games."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.play.options import Json

if TYPE_CHECKING:
    from perfectplay.nash import Equilibrium, Mixture


def nash(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.csv",
            help="Rows of numbers such as 3, -1/2 or 0.25; names of rows and columns may be "
            "given first.",
        ),
    ],
    *,
    all_mixtures: Annotated[
        bool, typer.Option("--all", help="All extreme optimal mixtures of both players.")
    ] = False,
    json: Json = False,
) -> None:
    """Solve a matrix game: what it is worth if both choose at once, exactly, and how to choose.

    Example: perfectplay nash scissors.csv
    """
    from perfectplay.nash import nash as run
    from perfectplay.nash import read_matrix
    from perfectplay.play import render

    matrix = read_matrix(file)
    found = run(matrix.cells, all=all_mixtures)
    if json:
        named = {"row_names": matrix.rows, "column_names": matrix.columns}
        render.emit({"file": str(file), **named, **found.as_json()})
    else:
        show(found, matrix.rows, matrix.columns)


def show(found: Equilibrium, rows: Sequence[str], columns: Sequence[str]) -> None:
    """An equilibrium for people."""
    from perfectplay.play import render
    from perfectplay.value import exact_text

    def told(number: Fraction) -> str:
        return exact_text(number)

    render.columns(
        [
            ("value to the row player", told(found.value)),
            ("a best mixture of rows", mixed(found.rows, rows)),
            ("a best mixture of columns", mixed(found.columns, columns)),
            ("if the row is seen", f"{told(found.max_min)}, row {rows[found.first_row]}"),
            (
                "if the column is seen",
                f"{told(found.min_max)}, column {columns[found.first_column]}",
            ),
            (
                "all cells",
                f"{told(found.least)} to {told(found.most)}, mean {told(found.average)}",
            ),
        ]
    )
    for what, mixtures, names in (
        ("rows", found.all_rows, rows),
        ("columns", found.all_columns, columns),
    ):
        if mixtures is not None:
            render.say(f"\nextreme best mixtures of {what}: {len(mixtures)}")
            for each in mixtures:
                render.say(f"  {mixed(each, names)}")


def mixed(mixture: Mixture, names: Sequence[str]) -> str:
    """A mixture as text: probabilities and names."""
    return " + ".join(
        name if share == 1 else f"{share} {name}"
        for share, name in zip(mixture, names, strict=True)
        if share
    )
