"""All commands of the command line. (main.py runs them.)

Every command imports what it needs when it runs, so that light ones start at once.
"""

import sys
from typing import Annotated

import typer

from perfectplay.cli import (
    asking,
    charting,
    evaluating,
    exploring,
    figures,
    heaping,
    matrices,
    searching,
    solving,
    valuing,
)
from perfectplay.cli.exchange import files
from perfectplay.cli.options import TextsCommand
from perfectplay.cli.system_errors import interruptible

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
        interruptible(_first_run)()


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
    exploring.explain,
    exploring.strata,
    searching.search,
    searching.strategy,
    asking.play,
    exploring.explore,
    solving.verify,
    solving.check,
    evaluating.evaluate,
    evaluating.study,
    evaluating.count,
    charting.sweep,
    charting.chart,
    matrices.nash,
    heaping.heaps,
    heaping.grundy,
    figures.reproduce,
    files.export,
    files.certificate,
    solving.bench,
):
    app.command()(interruptible(_command))
app.command(cls=TextsCommand)(interruptible(valuing.value))  # TEXT may be -1/2
