"""Commands that work: predict, solve, verify, try rules out, measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import at_once, memory_bytes, open_solution, table_folder, ways_of
from perfectplay.cli.options import (
    Disk,
    Folder,
    GameName,
    GameOrTable,
    Json,
    Memory,
    Parameters,
    Rules,
    asked_for,
    grouped,
)
from perfectplay.errors import RulesError, UsageError
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.load import load

SEARCHED = 2
"""Players that a search is for, at most."""

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game
    from perfectplay.schemas.reports import VerifyJson
    from perfectplay.schemas.runs import SolveJson


@dataclass
class Resources:
    """What a run may use."""

    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Threads. Default: all cores."),
    ] = None
    memory: Memory = None
    disk: Disk = None
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="WORKERS",
            help="Who works: processes:N, threads:N, or a Dask scheduler's address, as "
            "tcp://host:8786 (docs/clusters.md). Default: threads, with strata in memory.",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            help="End after so many seconds; the same command goes on from what is finished.",
        ),
    ] = None


@dataclass
class HowSolved:
    """How a game is solved, where there is a choice."""

    exact: Annotated[bool, typer.Option("--exact", help="Rationals instead of bounds.")] = False
    plain: Annotated[bool, typer.Option("--plain", help="Interpret the rules.")] = False
    ties: Annotated[
        str,
        typer.Option(
            "--ties",
            metavar="RULE",
            help="Several players: which of equally good moves is made: first, last, average, "
            "lexicographic (the most for who comes next), for:J or against:J (player J).",
        ),
    ] = "first"
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="How positions on cycles are solved, to compare: naive (value iteration), newton "
            "or strategy; rounds and residuals are shown. Default: auto, the fastest that proves "
            "its values.",
        ),
    ] = "auto"
    convergence: Annotated[
        Path | None,
        typer.Option(
            "--convergence",
            metavar="FILE",
            help="Draw the residual of each round of the method: FILE.svg or FILE.png.",
        ),
    ] = None
    sides: Annotated[
        str | None,
        typer.Option(
            "--sides",
            metavar="SIDES",
            help="Several players: who plays together, as 2+3, or with another aim, as 2:-1 "
            "(player 2 wants the least for player 1).",
        ),
    ] = None


@grouped
def solve(
    game: GameName,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    ways: HowSolved,
    resources: Resources,
    fresh: Annotated[bool, typer.Option("--fresh", help="Replace a table that is there.")] = False,
    json: Json = False,
) -> None:
    """Solve a game: the value of every position that can arise, in a table.

    Example: perfectplay solve pig -p sides=8 --table eight
    """

    from perfectplay.drawing.raster import refuse

    rules = load(game, parameter or [])
    workers, budget = resources.workers, memory_bytes(resources.memory)
    room = memory_bytes(resources.disk, "--disk")

    refuse(ways.convergence)
    exact, plain, sides = ways.exact, ways.plain, ways.sides
    ties, method = ways.ties, ways.method

    usual = not (table or fresh or sides or method != "auto" or resources.on)
    if usual and own_solver(rules, exact=exact, plain=plain):
        own = at_once(rules, memory=budget, workers=workers, seconds=resources.seconds)
        _show_solved(own, json=json)
        return
    named = ways_of(exact=exact, plain=plain and rules.native, ties=ties, method=method)
    folder = table or table_folder(game, rules, *named, *([f"sides={sides}"] if sides else []))
    if sides:
        from perfectplay.rules.coalitions import sided

        rules = sided(rules, sides)
    from perfectplay.answer.solve import solve as run

    with render.watching() as progress:
        solution = run(
            rules,
            folder,
            exact=exact,
            workers=workers,
            memory=budget,
            disk=room,
            on=resources.on,
            seconds=resources.seconds,
            plain=plain,
            ties=ties,
            method=method,
            fresh=fresh,
            progress=progress,
        )
    _show_solved(solution, json=json)
    if ways.convergence is not None:
        _draw_convergence(solution, ways.convergence)


def _draw_convergence(solution: Solution, file: Path) -> None:
    """The residual of each round, as a picture."""
    from perfectplay.answer.pictures import convergence
    from perfectplay.drawing.raster import save

    if not solution.report["residuals"]:
        raise UsageError(
            "no rounds to draw: no positions on cycles were solved by iteration",
            "solve --method naive or newton, for a game with cycles, without --exact",
        )
    save(convergence(solution.report), file)
    render.note(f"drawn: {file}")


def _show_solved(solution: Solution, *, json: bool) -> None:

    note = solution.table.note(solution.start) if hasattr(solution.table, "note") else ""
    if note:
        solution.report["notes"] = [*solution.report["notes"], note]
    values = solution.values(solution.start)
    if json:
        shown: dict[str, Any] = {
            "value": solution.value(solution.start).as_json(),
            "depth": solution.value(solution.start).depth,
            "values": [value.as_json() for value in values],
            "start": solution.game.text(solution.start),
        }
        render.emit(cast("SolveJson", {**solution.report, **shown}))
        return
    names = solution.player_names() if len(values) > 1 else [""]
    first = 1 if solution.facts.scalar else len(values)  # the other's value says nothing new
    render.solved(solution.report, dict(zip(names[:first], values, strict=False)))


def plan(
    game: GameName,
    parameter: Parameters = None,
    *,
    memory: Memory = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="How long to look, after compiling.")
    ] = 2.5,
    exact: Annotated[bool, typer.Option("--exact", help="Plan for exact values.")] = False,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="WORKERS",
            help="Plan for other workers, as `solve --on` takes them: processes:N, threads:N or "
            "tcp://host:8786.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Predict positions, memory, disk and time before solving.

    Example: perfectplay plan connect --memory 8G
    """

    rules = load(game, parameter or [])
    budget = memory_bytes(memory)
    from perfectplay.solving.plan import plan as run

    found = run(rules, budget, seconds, exact=exact, on=on)
    if json:
        render.emit(found.as_json())
    else:
        render.say(str(found))
        if found.fits is False and rules.players <= SEARCHED:
            words = asked_for(game, parameter)
            render.say(
                f"instead    perfectplay search {words} looks for the value of the start alone"
            )


def verify(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only about so many positions.")
    ] = None,
    strategy: Annotated[
        Path | None,
        typer.Option(
            "--strategy", metavar="FILE", help="A strategy of the game, instead of a table."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", help="How to search what a strategy leaves open."
        ),
    ] = "positions",
    json: Json = False,
) -> None:
    """Derive every stored value anew from its successors, by separate code.

    Example: perfectplay verify tables/pig
    """
    if strategy is not None:
        _verify_strategy(load(game, parameter or []), strategy, method, json=json)
        return
    from perfectplay.verification.verify import verify as run

    solution = open_solution(game, parameter or [], rules, table, check=False)
    with render.watching() as progress:
        try:
            found = run(solution.table, solution.game, progress, sample)
        except KeyboardInterrupt:
            seen = f"no fault in {progress.done:,} of {progress.total or 0:,} positions"
            raise KeyboardInterrupt(
                f"{seen}, and the table is as it was; the same command begins anew, and "
                "--sample 100000 looks at fewer"
            ) from None
    if json:
        verified: VerifyJson = {
            "rows": found.rows,
            "seconds": found.seconds,
            "kind": found.kind,
            "ok": found.ok,
            "signature": solution.table.signature,
        }
        render.emit(verified)
    else:
        render.say(f"{found.rows:,} positions verified in {found.seconds:.2f} s: {found.kind}")


def _verify_strategy(rules: Game, file: Path, method: str, *, json: bool) -> None:
    """Prove what a strategy claims."""
    from perfectplay.searching.strategies import Strategy
    from perfectplay.verification.verify_strategy import verify_strategy

    with render.watching() as progress:
        found = verify_strategy(rules, Strategy.read(file), method=method, progress=progress)
    if json:
        verified: VerifyJson = {
            "rows": found.positions,
            "seconds": found.seconds,
            "kind": found.kind,
            "ok": True,
            "signature": "",
        }
        render.emit(verified)
    else:
        render.say(f"{found.positions:,} positions in {found.seconds:.2f} s: {found.kind}")


def check(game: GameName, parameter: Parameters = None, *, json: Json = False) -> None:
    """Try rules out: find contradictions, with the method and what to do.

    Example: perfectplay check rules.py:Hop
    """

    rules: Game = load(game, parameter or [])
    from perfectplay.verification.check import check as run

    found = run(rules)
    render.report(found, json=json)
    if found.problems:
        raise typer.Exit(RulesError.exit_code)


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Default: all but long ones.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """Measure positions per second; every benchmark checks its answer.

    Example: perfectplay bench connect pig
    """
    from perfectplay.cli.benchmark import run

    render.report(run(names or None), json=json)
