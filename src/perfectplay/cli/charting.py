"""Commands that draw: a game solved for a range of rules, and a chart of a game's strategy."""

from __future__ import annotations

import contextlib
import math
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import is_table, memory_bytes, open_solution, table_folder
from perfectplay.cli.options import (
    Folder,
    GameName,
    GameOrTable,
    Json,
    Memory,
    Parameters,
    Rules,
    grouped,
    parameter_names,
)
from perfectplay.errors import UsageError
from perfectplay.rules.load import load
from perfectplay.rules.parameters import split_values, value_text

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.answer.sweep import Sweep


def sweep(
    game: GameName,
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="NAME=VALUES",
            help="A parameter and its values: 2..10, 0..100..5 or 2,4,8 (tuples: 3,4;4,5); one or "
            "two parameters.",
            autocompletion=parameter_names,
        ),
    ],
    parameter: Parameters = None,
    *,
    exact: Annotated[bool, typer.Option("--exact", help="Rationals instead of bounds.")] = False,
    memory: Memory = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the values: FILE.svg or FILE.png."),
    ] = None,
    json: Json = False,
) -> None:
    """Solve a game for a range of rules; nothing is left behind but the answer.

    Example: perfectplay sweep flip --over quota=0..12 --plot flip.svg
    """
    from perfectplay.drawing.raster import refuse

    refuse(plot)
    budget = memory_bytes(memory)
    varied = _pairs(over, "--over sides=2..10")
    from perfectplay.answer.sweep import run

    found = run(
        game,
        varied,
        _pairs(parameter or [], "-p sides=8"),
        exact=exact,
        memory=budget,
        watching=_Settings().watching,
    )
    if json:
        render.emit(found.as_json())
    elif found.rows:
        head, *rows = found.table()
        render.columns(rows, head)
    if plot and found.rows:
        found.save(plot)
        render.note(f"drawn: {plot}")
    if found.stopped:
        raise KeyboardInterrupt(_left(found, game, parameter or [], exact=exact))
    failed = [row.error for row in found.rows if row.error]
    if len(failed) == len(found.rows):
        raise typer.Exit(failed[0].exit_code)


class _Settings:
    """Counts the settings of a sweep: many that are quick would say nothing one by one."""

    def __init__(self) -> None:
        self.count = 0
        self.began = self.told = time.monotonic()

    @contextlib.contextmanager
    def watching(self) -> Iterator[render.Watched]:
        """Progress of one setting, and of the sweep where there is no terminal."""
        with render.watching() as progress:
            yield progress
        self.count += 1
        now = time.monotonic()
        if isinstance(progress, render.ProgressLines) and now - self.told >= render.EVERY:
            self.told = now
            many = f"{self.count:,} setting{'s' * (self.count > 1)}"
            render.note(f"sweep: {many}, {now - self.began:.1f} seconds so far")


def _left(found: Sweep, game: str, given: list[str], *, exact: bool) -> str:
    """What a sweep that was stopped has, and the command for what it has not."""
    first, *others = found.over
    inner = math.prod(len(found.over[name]) for name in others)
    rest = {**found.over, first: found.over[first][len(found.rows) // inner :]}
    words = [game]
    for name, values in rest.items():
        between = ";" if any(isinstance(value, tuple) for value in values) else ","
        words += ["--over", f"{name}={between.join(map(value_text, values))}"]
    words += [word for each in given for word in ("-p", each)] + ["--exact"] * exact
    total = math.prod(map(len, found.over.values()))
    return (
        f"{len(found.rows)} of {total} settings are solved, as shown; for the rest: "
        f"perfectplay sweep {shlex.join(words)}"
    )


@dataclass
class Drawing:
    """What is drawn, and how."""

    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="AXIS=VALUES",
            help="Fix an axis at a value, or name the values to draw (2..10, 2,4,8); may be "
            "repeated.",
        ),
    ] = None
    show: Annotated[
        str | None,
        typer.Option("--show", metavar="WHAT", help="What cells show: move or value."),
    ] = None
    lines: Annotated[
        bool, typer.Option("--lines", help="Lines instead of cells; the second axis names them.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="FILE.svg or FILE.png. Default: charts/GAME.svg."
        ),
    ] = None
    text: Annotated[
        bool, typer.Option("--text", help="Print the map instead; + = - are win, draw, loss.")
    ] = False


@grouped
def chart(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    drawing: Drawing,
    table: Folder = None,
    rules: Rules = None,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Draw the strategy of a game that says how its positions lie in a plane.

    Example: perfectplay chart pig --at "other score=50" --out slice.svg
    """
    from perfectplay.answer.plot import chart_of
    from perfectplay.drawing.raster import refuse

    refuse(drawing.out)
    budget = memory_bytes(memory)
    solution = _solution(game, parameter or [], (rules, table), budget)
    chart_of(solution.game)  # refused before it is drawn
    with render.watching() as progress:
        found = solution.chart(
            at=_places(drawing.at or []),
            show=drawing.show or "",
            lines=drawing.lines,
            progress=progress,
        )
    if json:
        render.emit(found.as_json())
        return
    if drawing.text:
        render.say(found.summary())
        head, grid = found.grid()
        render.columns(grid, head)
        return
    out = drawing.out or _default_file(game, solution)
    found.save(out)
    rows = [("chart", str(out)), ("shows", found.summary())]
    rows += [(name, found.spread(name)) for name in found.axes]
    render.columns(rows)


def _pairs(given: Sequence[str], example: str) -> dict[str, str]:
    """{"name": "values"} from "name=values"."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or name.strip() in found:
            why = "is given twice" if equals and name.strip() else "is not NAME=VALUE"
            raise UsageError(f"{text!r} {why}", f"for instance {example}")
        found[name.strip()] = values.strip()
    return found


def _places(given: Sequence[str]) -> dict[str, Any]:
    """Axes with the value that each is fixed at, or a list of values."""

    found: dict[str, Any] = {}
    for name, text in _pairs(given, '--at "turn total=20"').items():
        values = split_values(text)
        found[name] = [*values] if len(values) != 1 else values[0]
    return found


def _solution(
    name: str, given: Sequence[str], where: tuple[str | None, Path | None], budget: int | None
) -> Solution:
    """The solution in a table, or else one in memory."""
    from perfectplay.answer.plot import chart_of
    from perfectplay.errors import TableError

    rules, table = where
    if is_table(name) or table is not None:
        return open_solution(name, given, rules, table)
    game = load(name, given)
    chart_of(game)
    if any(is_table(f"{table_folder(name, game)}{way}") for way in ("", "-exact")):
        with contextlib.suppress(TableError):  # one of other rules: solve these
            return open_solution(name, given, rules, table)
    from perfectplay.answer.solve import solve

    with render.watching() as progress:
        return solve(game, memory=budget, progress=progress)


def _default_file(name: str, solution: Solution) -> Path:
    """Where a chart goes if nobody says: charts/ and the name that a table would have."""

    stem = Path(name).name if is_table(name) else table_folder(name, solution.game).name
    folder = Path("charts")
    folder.mkdir(exist_ok=True)
    return folder / f"{stem}.svg"
