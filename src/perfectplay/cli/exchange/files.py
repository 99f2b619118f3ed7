"""Files for other programs, and what to cite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import is_table, open_solution
from perfectplay.cli.options import Folder, GameOrTable, Json, Parameters, Rules
from perfectplay.errors import UsageError
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.interop.write import GameFile
    from perfectplay.rules.game import Game
    from perfectplay.solvers.matrix.nash import NamedMatrix


def export(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="FILE",
            help="FILE.parquet, .arrow, .csv or .duckdb for values; .prism, .umb, .efg or .nfg "
            "for the game itself, solved or not.",
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="Which columns, as key,value,depth. Default: all but the table's own keys.",
        ),
    ] = None,
    table: Folder = None,
    rules: Rules = None,
    json: Json = False,
) -> None:
    """Write a solved game, or the moves of any game, to a file that other programs read.

    Example: perfectplay export pig --to pig.parquet
    """
    from perfectplay.interop.write import SUFFIXES, write_game

    if to.suffix.lower() in SUFFIXES:
        if columns is not None:
            raise UsageError("a game itself has no columns", "leave out --columns")
        _write(write_game(_rules(game, parameter or [], rules), to), json=json)
        return
    from perfectplay.interop.exporting.export import export as run

    solution = open_solution(game, parameter or [], rules, table)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    with render.watching() as progress:
        found = run(solution, to, columns=names, progress=progress)
    if json:
        render.emit(found.as_json())
        return
    render.say(f"{found.rows:,} positions in {found.file}")
    render.columns(found.columns.items(), ("column", "meaning"))


def _rules(name: str, given: list[str], rules: str | None) -> Game | NamedMatrix:
    """The rules of a game, or of a table; or a matrix."""
    if name.endswith(".csv"):
        from perfectplay.solvers.matrix.nash import read_matrix

        return read_matrix(name)
    if is_table(name):
        return open_solution(name, given, rules, check=False).game
    return load(name, given)


def _write(found: GameFile, *, json: bool) -> None:
    if json:
        render.emit(found.as_json())
        return
    render.say(f"written: {found.file}")
    rows = [("ask", each) for each in found.properties]
    render.columns([*rows, ("meaning", found.meaning)] if rows else [])


def certificate(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Derive every value anew, and say so.")
    ] = False,
    json: Json = False,
) -> None:
    """Say what a paper can cite of a solved game: rules, digests, counts, what was verified.

    Example: perfectplay certificate pig --verify
    """
    from perfectplay.interop.exporting.certificate import certificate as run

    solution = open_solution(game, parameter or [], rules, table, check=not verify)
    with render.watching() as progress:
        found = run(solution, verify=verify, progress=progress)
    render.report(found, json=json)
