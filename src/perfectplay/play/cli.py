"""The command line. Data on stdout, messages on stderr; errors.py tells the exit codes.

Every command imports what it needs when it runs, so that light ones start at once.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.errors import PerfectPlayError, RulesError, UsageError
from perfectplay.play.options import (
    Folder,
    GameName,
    GameOrTable,
    Json,
    Memory,
    Parameters,
    Rules,
    game_names,
)

if TYPE_CHECKING:
    from perfectplay.answer import Solution
    from perfectplay.game import Game

STOPPED = 130
INTERNAL = 70

app = typer.Typer(
    name="perfectplay",
    help="Solve games exactly: the value of every position, the best moves, and a proof.",
    epilog="Without a command: solve Pig and show what to try next.",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


# -- Commands. ------------------------------------------------------------------------------------


@app.callback(invoke_without_command=True)
def _begin(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,  # noqa: FBT002
) -> None:
    if version:
        from importlib.metadata import version as installed

        sys.stdout.write(f"perfectplay {installed('perfectplay')}\n")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        _first_run()


def _first_run() -> None:
    """Without a command: solve Pig, and tell what to try next."""
    from perfectplay.play.render import note, say

    note("solving Pig, the game of one die: roll or hold? (perfectplay --help lists all commands)")
    solve("pig")
    say(
        "\nWhat to try next:\n"
        "  perfectplay probe pig              the best move at the start, and what others lose\n"
        "  perfectplay play pig               play against perfection\n"
        "  perfectplay solve pig -p sides=8   the same game with another die\n"
        "  perfectplay verify pig             check every value against its successors\n"
        "  perfectplay games                  all games"
    )


@app.command()
def games(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", autocompletion=game_names, help="Tell more about one."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List all games, or tell the rules and parameters of one.

    Example: perfectplay games pig
    """
    from perfectplay.play import about, render

    if name is None:
        listed = about.listed()
        if json:
            render.emit({"games": listed})
        else:
            render.columns((each["name"], each["summary"]) for each in listed)
        return
    told = about.told(name)
    if json:
        render.emit(told)
    else:
        about.show(told)


@app.command()
def solve(  # noqa: PLR0913 - options of the command line
    game: GameName,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    exact: Annotated[bool, typer.Option("--exact", help="Rationals instead of bounds.")] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Threads. Default: all cores."),
    ] = None,
    memory: Memory = None,
    plain: Annotated[bool, typer.Option("--plain", help="Interpret the rules.")] = False,
    ties: Annotated[
        str,
        typer.Option(
            "--ties",
            metavar="RULE",
            help="Several players: which of equally good moves is made: first, last, average, "
            "for:J or against:J (player J).",
        ),
    ] = "first",
    fresh: Annotated[bool, typer.Option("--fresh", help="Replace a table that is there.")] = False,
    json: Json = False,
) -> None:
    """Solve a game: the value of every position that can arise, in a table.

    Example: perfectplay solve pig -p sides=8 --table eight
    """
    from perfectplay.load import load
    from perfectplay.play import render
    from perfectplay.play.folders import memory_bytes, table_folder, ways_of

    rules = load(game, parameter or [])
    budget = memory_bytes(memory)
    ways = ways_of(exact=exact, plain=plain and rules.native, ties=ties)
    from perfectplay.solve import solve as run

    with render.watching() as progress:
        solution = run(
            rules,
            table or table_folder(game, rules, *ways),
            exact=exact,
            workers=workers,
            memory=budget,
            plain=plain,
            ties=ties,
            fresh=fresh,
            progress=progress,
        )
    _show_solved(solution, json=json)


def _show_solved(solution: Solution, *, json: bool) -> None:
    from perfectplay.play import render

    values = solution.values(solution.start)
    if json:
        shown = {
            "value": solution.value(solution.start).as_json(),
            "depth": solution.value(solution.start).depth,
            "values": [value.as_json() for value in values],
            "start": solution.game.text(solution.start),
        }
        render.emit({**solution.report, **shown})
        return
    names = solution.player_names() if len(values) > 1 else [""]
    first = 1 if solution.facts.scalar else len(values)  # the other's value says nothing new
    render.solved(solution.report, dict(zip(names[:first], values, strict=False)))


@app.command()
def plan(
    game: GameName,
    parameter: Parameters = None,
    *,
    memory: Memory = None,
    seconds: Annotated[float, typer.Option("--seconds", help="How long to look.")] = 5.0,
    json: Json = False,
) -> None:
    """Predict positions, memory, disk and time before solving.

    Example: perfectplay plan connect --memory 8G
    """
    from perfectplay.load import load
    from perfectplay.play import render
    from perfectplay.play.folders import memory_bytes

    rules = load(game, parameter or [])
    budget = memory_bytes(memory)
    from perfectplay.plan import plan as run

    found = run(rules, budget, seconds)
    if json:
        render.emit(found.as_json())
    else:
        render.say(str(found))


@app.command()
def probe(  # noqa: PLR0913 - options of the command line
    game: GameOrTable,
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="As text; after -- if it begins with a dash."),
    ] = None,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    moves: Annotated[bool, typer.Option("--moves", help="Only the moves.")] = False,
    line: Annotated[bool, typer.Option("--line", help="Only the main line.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Moves of the main line.")] = 12,
    json: Json = False,
) -> None:
    """Look up a position of a solved game: its value, its moves best first, the main line.

    Example: perfectplay probe pig
    """
    from perfectplay.play import render
    from perfectplay.play.folders import open_solution

    solution = open_solution(game, parameter or [], rules, table)
    p = solution.start if position is None else solution.position(position)
    found = solution.analyse(p, limit)
    if json:
        render.emit(found.as_json())
        return
    names = solution.player_names()
    everything = not moves and not line
    if everything:
        render.analysis_facts(found, names)
        render.say()
    if everything or moves:
        render.analysis_moves(found, names)
    if everything and len(found.line):
        render.say()
    if everything or line:
        render.analysis_line(found)


@app.command()
def play(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    player: Annotated[
        int, typer.Option("--as", metavar="N", min=1, help="Which player you are.")
    ] = 1,
    watch: Annotated[bool, typer.Option("--watch", help="Watch perfect play.")] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Makes the dice fall the same way again."),
    ] = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show what moves are worth.")] = False,
) -> None:
    """Play against perfect play in the terminal.

    Example: perfectplay play pig --as 2 --seed 7
    """
    from perfectplay.play.folders import open_solution
    from perfectplay.play.terminal import Match

    solution = open_solution(game, parameter or [], rules, table)
    players = solution.game.players
    if player > players:
        raise UsageError(f"--as {player}: there are {players} players", "count from 1")
    Match(solution, None if watch else player - 1, seed, hints).play(solution.start)


@app.command()
def verify(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only about so many positions.")
    ] = None,
    json: Json = False,
) -> None:
    """Derive every stored value anew from its successors, by separate code.

    Example: perfectplay verify tables/pig
    """
    from perfectplay.play import render
    from perfectplay.play.folders import open_solution

    solution = open_solution(game, parameter or [], rules, table)
    from perfectplay.verify import verify as run

    with render.watching() as progress:
        found = run(solution.table, solution.game, progress, sample)
    if json:
        render.emit({**asdict(found), "signature": solution.table.signature})
    else:
        render.say(f"{found.rows:,} positions verified in {found.seconds:.2f} s: {found.kind}")


@app.command()
def check(game: GameName, parameter: Parameters = None, *, json: Json = False) -> None:
    """Try rules out: find contradictions, with the method and what to do.

    Example: perfectplay check rules.py:Hop
    """
    from perfectplay.load import load
    from perfectplay.play import render

    rules: Game = load(game, parameter or [])
    from perfectplay.check import check as run

    found = run(rules)
    render.report(found, json=json)
    if found.problems:
        raise typer.Exit(RulesError.exit_code)


@app.command()
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
    from perfectplay.bench import run
    from perfectplay.play import render

    render.report(run(names or None), json=json)


# -- The way out. ---------------------------------------------------------------------------------


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(100_000, 50, 100)  # imports make many objects and hardly any garbage
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _quiet()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. No mistake of a user ends in a traceback."""
    from perfectplay.play.render import complain, note

    try:
        code = app(args=list(arguments), prog_name="perfectplay", standalone_mode=False)
    except PerfectPlayError as error:
        complain(error.message, error.hint)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except BrokenPipeError:
        _quiet()
        return 0
    except SystemExit as leave:  # how typer answers completion and a closed pipe
        return leave.code if isinstance(leave.code, int) else 0
    except Exception as error:
        return _unexpected(error, complain)
    if code == STOPPED:
        note("\nstopped")
    return code if isinstance(code, int) else 0


def _unexpected(error: Exception, complain: Any) -> int:
    """The exit code of other errors: a command line that typer refuses, or a bug."""
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "perfectplay"
        complain(error.format_message(), f"{path} --help tells what is possible")
        return UsageError.exit_code
    if os.environ.get("PERFECTPLAY_DEBUG"):
        traceback.print_exc()
    complain(
        f"internal error: {type(error).__name__}: {error}",
        "set PERFECTPLAY_DEBUG=1 to see where; please report it",
    )
    return INTERNAL


def _quiet() -> None:
    """Nobody reads stdout any more: let no flush at exit complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
