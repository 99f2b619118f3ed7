"""The command that solves games in which both players choose at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import open_solution
from perfectplay.cli.options import Folder, Json, Parameters, Rules, game_names

if TYPE_CHECKING:
    from perfectplay.answer.placements import Placements
    from perfectplay.schemas.sums import NashJson
    from perfectplay.solvers.matrix.nash import Equilibrium, Mixture


def nash(
    matrix: Annotated[
        str,
        typer.Argument(
            metavar="FILE.csv or GAME",
            help="Rows of numbers such as 3, -1/2 or 0.25, perhaps after names of rows and "
            "columns; a table of Gambit (.nfg); or a solved game that begins with a choice of "
            "both players.",
            autocompletion=game_names,
        ),
    ],
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    all_mixtures: Annotated[
        bool, typer.Option("--all", help="All extreme optimal mixtures of both players.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.svg", help="Draw the matrix of a game in colours."),
    ] = None,
    boards: Annotated[
        Path | None,
        typer.Option(
            "--boards",
            metavar="FILE.svg",
            help="Draw the choices of a best mixture of each player: FILE-1.svg, FILE-2.svg.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Solve a game in which both choose at once: what it is worth, exactly, and how to choose.

    Example: perfectplay nash scissors.csv
    """
    if matrix.endswith((".csv", ".nfg")):
        _of_file(Path(matrix), all_mixtures=all_mixtures, json=json)
        return

    found = open_solution(matrix, parameter or [], rules, table).placements()
    play = found.equilibrium(all=all_mixtures)
    if out is not None:
        out.write_text(found.picture(), encoding="utf-8")
    if boards is not None:
        for player, mixture in enumerate((play.rows, play.columns)):
            path = boards.with_name(f"{boards.stem}-{player + 1}{boards.suffix or '.svg'}")
            path.write_text(found.boards(mixture, player), encoding="utf-8")
    if json:
        render.emit(_as_json(found.rows, found.columns, play, matrix))
    else:
        _show_placements(found, play)


def _of_file(file: Path, *, all_mixtures: bool, json: bool) -> None:
    from perfectplay.interop.nfg import read_nfg
    from perfectplay.solvers.matrix.nash import nash as run
    from perfectplay.solvers.matrix.nash import read_matrix

    matrix = read_nfg(file) if file.suffix == ".nfg" else read_matrix(file)
    found = run(matrix.cells, all=all_mixtures)
    if json:
        render.emit(_as_json(matrix.rows, matrix.columns, found, str(file)))
    else:
        sides = ("the row player", "row"), ("the column player", "column")
        _show(found, (matrix.rows, matrix.columns), sides)


def _as_json(
    rows: Sequence[str], columns: Sequence[str], found: Equilibrium, name: str
) -> NashJson:
    return {
        "file": name,
        "row_names": list(rows),
        "column_names": list(columns),
        **found.as_json(),
    }


def _show_placements(found: Placements, play: Equilibrium) -> None:
    """The equilibrium of a game for people."""

    different = len({cell for row in found.cells for cell in row})
    render.columns(
        [
            (
                "first positions",
                f"{len(found.rows)} x {len(found.columns)}, {different} different values",
            )
        ]
    )
    names = [found.game.player_name(i) for i in (0, 1)]
    _show(play, (found.rows, found.columns), ((names[0], names[0]), (names[1], names[1])))


def _show(
    found: Equilibrium,
    names: tuple[Sequence[str], Sequence[str]],
    sides: tuple[tuple[str, str], tuple[str, str]],
) -> None:
    """An equilibrium for people. A side is who chooses, and what his choice is called."""
    from perfectplay.rules.value import exact_text

    rows, columns = names
    (row_player, row), (column_player, column) = sides
    row_words = "rows" if row == "row" else f"choices of {row}"
    column_words = "columns" if column == "column" else f"choices of {column}"
    render.columns(
        [
            (f"value to {row_player}", exact_text(found.value)),
            (f"a best mixture of {row_words}", mixed(found.rows, rows)),
            (f"a best mixture of {column_words}", mixed(found.columns, columns)),
            (
                f"if {row_player} is seen",
                f"{exact_text(found.max_min)}, by {rows[found.first_row]}",
            ),
            (
                f"if {column_player} is seen",
                f"{exact_text(found.min_max)}, by {columns[found.first_column]}",
            ),
            ("if both choose at random", exact_text(found.average)),
            ("least and most", f"{exact_text(found.least)}; {exact_text(found.most)}"),
        ]
    )
    for words, mixtures, each in (
        (row_words, found.all_rows, rows),
        (column_words, found.all_columns, columns),
    ):
        if mixtures is not None:
            render.say(f"\nextreme best mixtures of {words}: {len(mixtures)}")
            for mixture in mixtures:
                render.say(f"  {mixed(mixture, each)}")


def mixed(mixture: Mixture, names: Sequence[str]) -> str:
    """A mixture as text: probabilities and names."""
    from perfectplay.rules.value import fraction_text

    return " + ".join(
        name if share == 1 else f"{fraction_text(share)} {name}"
        for share, name in zip(mixture, names, strict=True)
        if share
    )
