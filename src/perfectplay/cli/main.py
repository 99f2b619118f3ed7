"""The command line. Data on stdout, messages on stderr; errors.py has the exit codes.

Every command imports what it needs when it runs, so that light ones start at once.
"""

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from perfectplay.cli import (
    asking,
    charting,
    evaluating,
    figures,
    heaping,
    matrices,
    searching,
    solving,
    valuing,
)
from perfectplay.errors import PerfectPlayError, UsageError

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
    """Without a command: solve Pig, and show what to try next."""
    from perfectplay.cli.render import note, say

    note("solving Pig, the game of one die: roll or hold? (perfectplay --help lists all commands)")
    solving.solve("pig")
    say(
        "\nWhat to try next:\n"
        "  perfectplay probe pig              the best move at the start, and what others lose\n"
        "  perfectplay play pig               play against perfection\n"
        "  perfectplay solve pig -p sides=8   the same game with another die\n"
        "  perfectplay verify pig             check every value against its successors\n"
        "  perfectplay games                  all games"
    )


for _command in (
    asking.games,
    solving.solve,
    solving.plan,
    asking.probe,
    searching.search,
    asking.play,
    solving.verify,
    solving.check,
    evaluating.evaluate,
    charting.sweep,
    charting.chart,
    matrices.nash,
    heaping.heaps,
    heaping.grundy,
    figures.reproduce,
    solving.bench,
):
    app.command()(_command)
app.command(context_settings={"ignore_unknown_options": True})(valuing.value)  # TEXT may be -1/2


# -- The way out. ---------------------------------------------------------------------------------


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(100_000, 50, 100)  # imports make many objects and hardly any garbage
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads go to sleep
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _quiet()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. No mistake of a user ends in a traceback."""
    from perfectplay.cli.render import complain, note

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
        complain(error.format_message(), f"{path} --help shows what is possible")
        return UsageError.exit_code
    from perfectplay.positions.explained import explanation

    if os.environ.get("PERFECTPLAY_DEBUG"):
        traceback.print_exc()
    fault = explanation(error)
    if fault is not None:
        complain(fault.message, fault.hint)
        return fault.exit_code
    complain(
        f"internal error: {type(error).__name__}: {error}",
        "set PERFECTPLAY_DEBUG=1 to see where; please report it",
    )
    return INTERNAL


def _quiet() -> None:
    """Nobody reads stdout any more: let no flush at exit complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
