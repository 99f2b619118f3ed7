"""The command that searches one position."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.options import GameName, Json, Parameters, grouped
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.searching.search import SearchResult

STOPPED = 130

WHY = {
    "nodes": "the nodes are used up; --nodes allows more",
    "seconds": "the time is over; --seconds allows more",
    "memory": "there is no room for more structures; --size allows more",
    "interrupted": "interrupted",
    "circles": "play may repeat, and the value depends on it: perfectplay solve finds it",
    "rounding": "fractions of more than 64 bits were rounded outwards; --exact keeps all digits",
}


@dataclass
class Limits:
    """How long a search may go on, and what it may use."""

    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Stop after so many nodes.")
    ] = None
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Stop after so many seconds.")
    ] = None
    size: Annotated[
        int,
        typer.Option(
            "--size", metavar="MB", min=0, help="Memory for positions that were searched before."
        ),
    ] = 256
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads.")] = 1


@grouped
def search(
    game: GameName,
    position: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[POSITION]...",
            help="As text. Default: the start. Several are searched one after the other.",
        ),
    ] = None,
    parameter: Parameters = None,
    *,
    limits: Limits,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table", metavar="FOLDER", help="A solved table of the same rules to search down to."
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Fractions of any size, also if that takes longer.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Interpret the rules.")] = False,
    json: Json = False,
) -> None:
    """Search one position: its value, a best move and best play, without solving the whole game.
    A search that is stopped, also by Ctrl-C, gives bounds that hold.

    Example: perfectplay search connect -p width=6 -p height=5
    """

    rules = load(game, parameter or [])
    from perfectplay.searching.search import position_of, searches

    given = [position_of(rules, each) for each in position or []] or [None]
    answers = []
    with render.watching() as progress:
        for found in searches(
            rules, given, nodes=limits.nodes, seconds=limits.seconds, table=table,
            size=limits.size * 2**20, threads=limits.threads, exact=exact, plain=plain,
            progress=progress,
        ):  # fmt: skip
            answers.append(found)
            if len(given) > 1 and not json:
                _line(found)
            if found.stopped == "interrupted":
                break
    if json:
        whole = [each.as_json() for each in answers]
        render.emit(whole[0] if len(given) == 1 else {"searches": whole})
    elif len(given) == 1:
        render.columns(list(_rows(answers[0])))
    if answers[-1].stopped == "interrupted":
        raise typer.Exit(STOPPED)


def _line(found: SearchResult) -> None:
    """One of several answers."""
    from perfectplay.cli.render import say

    parts = [f"{found.position}:", found.told]
    if found.move_text is not None:
        parts.append(f"by {found.move_text}")
    if found.stopped:
        parts.append(f"({WHY[found.stopped]})")
    say(f"{' '.join(parts)}; {found.counts.nodes:,} nodes, {found.seconds:.2f} s")


def _rows(found: SearchResult) -> Any:
    from perfectplay.cli.render import titled

    counts = found.counts
    yield "game", titled({"game": found.game, "parameters": found.parameters})
    yield "position", found.position
    yield f"value to {found.name}", found.told
    if found.stopped:
        yield "not exact", WHY[found.stopped]
    if found.move_text is not None:
        yield "move", found.move_text
    if len(found.line) > 1:
        yield "line", "; ".join(found.line)
    if found.note:
        name, _, words = found.note.partition(": ")
        yield name, words
    if counts.structures:
        yield "structures", f"{counts.structures:,}"
        yield "time", f"{found.seconds:.2f} s"
        return
    rate = f" ({counts.nodes / found.seconds:,.0f} a second)" if found.seconds > 0.1 else ""
    yield "nodes", f"{counts.nodes:,}{rate}"
    cuts = {
        "alpha": counts.alpha_cuts,
        "beta": counts.beta_cuts,
        "Star1": counts.star1_cuts,
        "Star2": counts.star2_cuts,
    }
    yield "cuts", ", ".join(f"{name} {n:,}" for name, n in cuts.items() if n) or "none"
    if counts.probes:
        yield "probes", f"{counts.probes:,}"
    yield "table", f"{counts.table_hits:,} hits in {counts.table_looks:,} looks"
    if counts.endgame_hits:
        yield "endgames", f"{counts.endgame_hits:,} positions found in the solved table"
    if counts.circles:
        yield "circles", f"{counts.circles:,} positions came again on their path"
    yield "time", f"{found.seconds:.2f} s"
