"""The command that solves games in which both players choose at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import open_solution
from perfectplay.cli.options import (
    Folder,
    Json,
    Parameters,
    Rules,
    asked_for,
    game_names,
    grouped,
)
from perfectplay.errors import UsageError
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.answer.placements import Placements
    from perfectplay.schemas.sums import NashJson, PlacedJson
    from perfectplay.searching.by_need import Placed
    from perfectplay.solvers.matrix.nash import Equilibrium, Mixture


@dataclass
class ByNeed:
    """How a game that is not solved is searched."""

    search: Annotated[
        bool,
        typer.Option("--search", help="Search single cells of a game, until the value is proved."),
    ] = False
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            metavar="FILE",
            help="With --search: keep what is found, and go on from it.",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", metavar="S", help="With --search: no cell is begun after so many seconds."
        ),
    ] = None
    cells: Annotated[
        int | None,
        typer.Option("--cells", metavar="N", min=0, help="With --search: search so many cells."),
    ] = None
    size: Annotated[
        int, typer.Option("--size", metavar="MB", min=1, help="With --search: memory.")
    ] = 256
    threads: Annotated[int, typer.Option("--threads", min=1, help="With --search: threads.")] = 1


@grouped
def nash(  # noqa: PLR0913
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
    by_need: ByNeed,
    json: Json = False,
) -> None:
    """Solve a game in which both choose at once: what it is worth, exactly, and how to choose.

    Example: perfectplay nash scissors.csv
    """
    if by_need.search:
        if all_mixtures or out or boards or table or rules:
            raise UsageError(
                "--search searches cells of a game that is not solved",
                "leave out --all, --out, --boards, --table and --rules",
            )
        _searched(matrix, asked_for(matrix, parameter), by_need, parameter or [], json=json)
        return
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


def _searched(
    name: str, asked: str, by_need: ByNeed, parameter: Sequence[str], *, json: bool
) -> None:
    """Bounds on the value of a game that begins with hidden choices, by searches of cells."""
    from perfectplay.searching.by_need import placements_by_need

    game = load(name, list(parameter))
    with render.watching() as progress:
        found = placements_by_need(
            game, journal=by_need.journal, seconds=by_need.seconds, cells=by_need.cells,
            size=by_need.size * 2**20, threads=by_need.threads, progress=progress,
        )  # fmt: skip
    if json:
        shown: PlacedJson = {
            "file": asked,
            "exact": None if found.exact is None else str(found.exact),
            "lower": str(found.low),
            "upper": str(found.high),
            "secures": _shares(found.secures, found.rows),
            "holds": _shares(found.holds, found.columns),
            "cells": found.cells,
            "searched": found.searched,
        }
        render.emit(shown)
        return
    _show_placed(found, [game.player_name(i) for i in (0, 1)])


def _shares(mixture: Mixture, names: Sequence[str]) -> dict[str, str]:
    return {name: str(share) for name, share in zip(names, mixture, strict=True) if share}


def _show_placed(found: Placed, players: list[str]) -> None:
    """What is proved, for people."""
    from perfectplay.rules.value import exact_text

    size = f"{len(found.rows)} x {len(found.columns)}, {found.cells:,} up to symmetry"
    rows = [("first positions", f"{size}, {found.searched:,} searched")]
    if found.exact is not None:
        rows.append((f"value to {players[0]}", exact_text(found.low)))
    else:
        rows.append((f"value to {players[0]} at least", exact_text(found.low)))
        rows.append((f"value to {players[0]} at most", exact_text(found.high)))
    rows.append((f"{players[0]} secures that by", mixed(found.secures, found.rows)))
    rows.append((f"{players[1]} gives no more by", mixed(found.holds, found.columns)))
    render.columns(rows)


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
    """An equilibrium for people. A side is who chooses, and what their choice is called."""
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
