"""The commands that search one position: for its value, or for a strategy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.options import GameName, Json, Parameters, asked_for, grouped
from perfectplay.errors import UsageError
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.rules.game import Game
    from perfectplay.schemas.runs import SearchJson
    from perfectplay.searching.search import SearchResult

LONG = 3.0
"""Seconds of compiling that are told."""

WHY = {
    "nodes": "the nodes are used up; --nodes allows more",
    "seconds": "the time is over; --seconds allows more",
    "memory": "there is no room for more; --size allows more",
    "interrupted": "interrupted",
    "circles": "play may repeat, and the value depends on it: perfectplay solve finds it",
    "rounding": "fractions of more than 64 bits were rounded outwards; --exact keeps all digits",
}


UNDECIDED = ("nodes", "seconds", "circles", "memory")
"""Reasons for bounds that solving the game may not have."""


@dataclass
class Limits:
    """How long a search may go on, what it may use, and how it searches."""

    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Stop after so many nodes.")
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", metavar="S", help="Stop after so many seconds; compiling is not counted."
        ),
    ] = None
    size: Annotated[
        int,
        typer.Option(
            "--size", metavar="MB", min=0, help="Memory for positions that were searched before."
        ),
    ] = 256
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads.")] = 1
    distance: Annotated[
        bool, typer.Option("--distance", help="Find out how soon play ends, too.")
    ] = False
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="How to search; chosen if not given."),
    ] = None
    any_line: Annotated[
        bool,
        typer.Option("--any", help="For one player: any line that ends play, not the shortest."),
    ] = False
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Any line: change guesses at random."),
    ] = None
    how: Annotated[
        str, typer.Option("--how", metavar="WAY", help="Any line: greedy, weighted or beam.")
    ] = "greedy"


@dataclass
class Deals:
    """Which deals are searched, where there are many."""

    each: Annotated[
        str | None,
        typer.Option(
            "--each", metavar="FIRST:LAST", help="Any line for each of these deals, as CSV."
        ),
    ] = None
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Threads that search deals.")
    ] = 1
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the deals there; those in the file are kept."
        ),
    ] = None


@grouped
def search(  # noqa: PLR0913
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
    deals: Deals,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="FOLDER",
            help="A solved table of the same rules to search down to, or files of another "
            "program that the rules read.",
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
    if deals.each is not None:
        search_deals(rules, limits, deals, json=json)
        return
    from perfectplay.searching.search import position_of, searches

    given = [position_of(rules, each) for each in position or []] or [None]
    answers = []
    with render.watching() as progress:
        for found in searches(
            rules, given, nodes=limits.nodes, seconds=limits.seconds, table=table,
            size=limits.size * 2**20, threads=limits.threads, exact=exact, plain=plain,
            method=limits.method, distance=limits.distance, any_line=limits.any_line,
            seed=limits.seed, how=limits.how, progress=progress,
        ):  # fmt: skip
            answers.append(found)
            if len(given) > 1 and not json:
                _line(found)
            if found.stopped == "interrupted":
                break
    soon = _solved_in(rules, limits.seconds, answers)
    if json:
        whole = [_data(each, soon) for each in answers]
        render.emit(whole[0] if len(given) == 1 else {"searches": whole})
    elif len(given) == 1:
        render.columns([*_rows(answers[0]), *_hint(asked_for(game, parameter), soon)])
    elif soon is not None:
        render.columns(list(_hint(asked_for(game, parameter), soon)))
    if answers[-1].stopped == "interrupted":
        left = f"; {len(given) - len(answers)} positions are left" if len(given) > 1 else ""
        raise KeyboardInterrupt(
            f"the bounds above hold{left}; nothing else is kept, so that the same command begins "
            "anew (--seconds stops it in time)"
        )


def strategy(
    game: GameName,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="As text. Default: the start.")
    ] = None,
    parameter: Parameters = None,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write it.")],
    plies: Annotated[
        int | None,
        typer.Option("--plies", min=1, help="Moves for so many plies; below, verify searches."),
    ] = None,
    size: Annotated[
        int, typer.Option("--size", metavar="MB", min=1, help="Memory for the search.")
    ] = 256,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="alpha-beta (if not given) or proof."),
    ] = None,
) -> None:
    """Find moves that secure the value of a position against all replies, and write them down:
    verify --strategy proves them by other code.

    Example: perfectplay strategy connect -p width=4 -p height=4 --out draw.json
    """

    rules = load(game, parameter or [])
    from perfectplay.searching.search import position_of
    from perfectplay.searching.strategies import strategy as found_by

    p = None if position is None else position_of(rules, position)
    with render.watching() as progress:
        found = found_by(
            rules, p, plies=plies, size=size * 2**20, method=method, progress=progress
        )
    found.write(out)
    render.say(f"a payoff of at least {found.at_least}, {len(found.moves):,} moves: {out}")


def search_deals(rules: Game, limits: Limits, deals: Deals, *, json: bool) -> None:
    """Search many deals; CSV to a file or the standard output, totals beside."""
    from perfectplay.searching.one_player.many import HEAD, DealFile, search_each

    wanted = _numbers(deals.each or "")
    file = DealFile(deals.out, rules)
    if deals.out is None and not json:
        render.say(HEAD)
    with render.watching() as progress:
        for row in search_each(
            rules, [n for n in wanted if n not in file.known], size=limits.size * 2**20,
            seed=limits.seed, workers=deals.workers, how=limits.how, progress=progress,
        ):  # fmt: skip
            file.add(row)
            if deals.out is None and not json:
                render.say(row.csv)
    rows = [file.known[n] for n in wanted if n in file.known]
    if json:
        render.emit({"deals": [row.as_json() for row in rows]})
    counts = {word: sum(row.verdict == word for row in rows) for word in VERDICTS}
    render.note(", ".join(f"{count:,} {word}" for word, count in counts.items()))
    if len(rows) >= SAMPLE:
        from perfectplay.searching.proportions import SURE, share

        low, high = share(counts["solved"], counts["unknown"], len(rows))
        render.note(
            f"if these are a random sample, between {low:.2%} and {high:.2%} of all deals can be "
            f"solved, with {SURE:.0%} confidence"
        )


SAMPLE = 30
"""Deals from which a rate is told."""
VERDICTS = ("solved", "impossible", "unknown")


def _numbers(text: str) -> range:
    """Deals from 1:32000, both included, or a single number."""
    first, _, last = text.partition(":")
    if not first.isdigit() or not (last or first).isdigit() or int(last or first) < int(first):
        raise UsageError(f"{text!r} names no deals", "name them by first and last, as in 1:32000")
    return range(int(first), int(last or first) + 1)


def _solved_in(rules: Game, seconds: float | None, answers: list[SearchResult]) -> float | None:
    """About how many seconds solving takes, if a search left its value open and that is soon."""
    if not any(found.stopped in UNDECIDED for found in answers):
        return None
    from perfectplay.searching.solve_instead import solve_instead

    forecast = solve_instead(rules, seconds)
    return None if forecast is None else forecast.seconds


def _data(found: SearchResult, soon: float | None) -> SearchJson:
    """An answer as JSON-ready data."""
    shown = found.as_json()
    if soon is not None and found.stopped:
        shown["solve_seconds"] = round(soon, 1)
    return shown


def _hint(game: str, soon: float | None) -> Iterator[tuple[str, str]]:
    """A row that says that solving is quick, if it is."""
    from perfectplay.solving.forecast import duration

    if soon is not None:
        yield "instead", f"perfectplay solve {game} takes about {duration(max(soon, 0.1))}"


def _line(found: SearchResult) -> None:
    """One of several answers."""
    from perfectplay.cli.render import say

    parts = [f"{found.position}:", found.value_text]
    if found.move_text is not None:
        parts.append(f"by {found.advice}")
    if found.stopped:
        parts.append(f"({WHY[found.stopped]})")
    say(f"{' '.join(parts)}; {found.counts.nodes:,} nodes, {found.seconds:.2f} s")


def _rows(found: SearchResult) -> Any:
    from perfectplay.cli.render import titled

    counts = found.counts
    yield "game", titled({"game": found.game, "parameters": found.parameters})
    yield "position", found.position
    yield f"value to {found.name}", found.value_text
    if found.stopped:
        yield "not exact", WHY[found.stopped]
    if found.advice is not None:
        yield "move", found.advice
    if len(found.line) > 1:
        yield "line", "; ".join(found.line)
    if found.note:
        name, _, words = found.note.partition(": ")
        yield name, words
    if counts.structures:
        yield "structures", f"{counts.structures:,}"
        yield from _times(found)
        return
    yield "method", found.method
    rate = f" ({counts.nodes / found.seconds:,.0f} a second)" if found.seconds > 0.1 else ""
    yield "nodes", f"{counts.nodes:,}{rate}"
    if found.method.startswith("least-cost"):
        yield from _times(found)
        return
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
    yield from _times(found)


def _times(found: SearchResult) -> Iterator[tuple[str, str]]:
    """How long it took; compiling apart, if that took long."""
    yield "time", f"{found.seconds:.2f} s"
    if found.compile_seconds >= LONG:
        yield "compiling", f"{found.compile_seconds:.1f} s, only this once; not in the time above"
