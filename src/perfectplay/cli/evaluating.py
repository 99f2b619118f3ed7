"""Commands that follow play: evaluate a policy that somebody wrote, study a game, count lines."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import memory_bytes
from perfectplay.cli.options import GameName, Json, Memory, Parameters, parameter_names
from perfectplay.errors import UsageError
from perfectplay.rules.load import find, find_function, load
from perfectplay.rules.parameters import is_tuple, kind_of

if TYPE_CHECKING:
    from perfectplay.answer.evaluation import Evaluation, Mistake, Seat
    from perfectplay.answer.following.found_study import Study
    from perfectplay.answer.following.studies import Studies
    from perfectplay.rules.game import Game

SHOWN = 3
"""Of the moves that a policy makes at random at a position, how many of the worst are shown."""


def evaluate(  # noqa: PLR0913 - options of the command line
    game: GameName,
    policy: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:FUNCTION",
            help="A function of a game and a position: its move, or moves with weights. Or "
            "random: every legal move with the same probability.",
        ),
    ],
    parameter: Parameters = None,
    *,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="SIDE",
            help="What the others do: reply (make the best of the policy), optimum (the best "
            "moves of the solved game), itself, random, or another FILE.py:FUNCTION.",
        ),
    ] = "reply",
    position: Annotated[
        str | None,
        typer.Option("--from", metavar="POSITION", help="Where play begins. Default: the start."),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Rationals instead of bounds.")] = False,
    errors: Annotated[
        int, typer.Option("--errors", min=0, help="How many of the worst mistakes to show.")
    ] = 10,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Evaluate a policy: what it is worth, exactly, and where it errs most.

    Example: perfectplay evaluate pig hold.py:hold_at_20 --against optimum
    """

    rules = load(game, parameter or [])
    budget = memory_bytes(memory)
    from perfectplay.answer.evaluate import evaluate as run
    from perfectplay.searching.search import position_of

    followed, side = (
        find_function(each) if ":" in each or each.endswith(".py") else each
        for each in (policy, against)
    )

    with render.watching() as progress:
        found = run(
            rules,
            followed,  # type: ignore[arg-type]
            side,  # type: ignore[arg-type]
            exact=exact,
            mistakes=errors,
            start=position if position is None else position_of(rules, position),
            memory=budget,
            progress=progress,
        )
    if json:
        render.emit(found.as_json())
    else:
        _show(found)


def study(
    game: GameName,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--parameter",
            metavar="NAME=VALUES",
            help="A parameter of the rules; with several values (0..6, 2,4,8), one or two "
            "parameters, a row for each.",
            autocompletion=parameter_names,
        ),
    ] = None,
    *,
    position: Annotated[
        str | None,
        typer.Option("--from", metavar="POSITION", help="Where play begins. Default: the start."),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Rationals instead of bounds.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw how long a play lasts, or what policies bring over a range of rules: "
            "FILE.svg or FILE.png.",
        ),
    ] = None,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Study a game: how long a play lasts, how much skill and single choices matter.

    Exactly, not by simulation: the length of a play under best play, what a greedy, a random and
    the worst player get, how often a choice matters, what it costs to err, and the advantage of
    the first player.

    Example: perfectplay study flip -p quota=0..6
    """
    from perfectplay.drawing.raster import refuse, save

    refuse(plot)
    budget = memory_bytes(memory)
    fixed, varied = _varied(find(game), parameter or [])
    if varied:
        if position is not None:
            raise UsageError("--from is for one setting of the rules", "give single values to -p")
        from perfectplay.answer.following.studies import run

        many = run(game, varied, fixed, exact=exact, memory=budget, watching=render.watching)
        picture: str = many.svg if plot else ""
        _show_studies(many, json=json)
    else:
        from perfectplay.answer.following.study import study as one
        from perfectplay.searching.search import position_of

        rules = load(game, parameter or [])
        start = None if position is None else position_of(rules, position)
        with render.watching() as progress:
            found = one(rules, exact=exact, start=start, memory=budget, progress=progress)
        picture = found.svg if plot else ""
        _show_study(found, json=json)
    if plot:
        save(picture, plot)
        render.note(f"drawn: {plot}")


def count(
    game: GameName,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="As text. Default: the start.")
    ] = None,
    parameter: Parameters = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Not the best lines, for which the game is solved.")
    ] = False,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Count the lines of play to an end: all, by what they end with, and the best ones.

    Example: perfectplay count noughts-and-crosses
    """
    from perfectplay.answer.counting.count_lines import count_lines
    from perfectplay.searching.search import position_of

    rules = load(game, parameter or [])
    p = None if position is None else position_of(rules, position)
    with render.watching() as progress:
        found = count_lines(
            rules, position=p, best=not every, memory=memory_bytes(memory), progress=progress
        )
    if json:
        render.emit(found.as_json())
    else:
        render.columns(found.facts())


def _varied(cls: type[Game], given: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Parameters with one value, and those with several."""
    fixed: dict[str, str] = {}
    varied: dict[str, str] = {}
    for text in given:
        name, _, values = text.partition("=")
        name = name.strip()
        comma = ";" if is_tuple(cls, name) else ","
        several = kind_of(cls, name) is not str and (
            comma in values or (".." in values and comma == ",")
        )
        (varied if several else fixed)[name] = values.strip()
    return fixed, varied


def _show_study(found: Study, *, json: bool) -> None:
    if json:
        render.emit(found.as_json())
        return
    render.columns(found.facts())
    render.say()
    head, *rows = found.table()
    render.columns(rows, head)


def _show_studies(found: Studies, *, json: bool) -> None:
    if json:
        render.emit(found.as_json())
    elif found.rows:
        head, *rows = found.table()
        render.columns(rows, head)
    if found.stopped:
        raise KeyboardInterrupt("the settings studied so far are shown")
    failed = [row.error for row in found.rows if row.error]
    if len(failed) == len(found.rows):
        raise typer.Exit(failed[0].exit_code)


def _show(found: Evaluation) -> None:
    """The evaluation for people."""
    from perfectplay.answer.evaluation import SIDES

    met = f"{found.positions:,}"
    rows = [("game", render.titled(found.solution.report)), ("policy", found.policy)]
    rows += [("against", SIDES.get(found.against, found.against))] if len(found.seats) > 1 else []
    rows += [("start", found.start), ("positions", f"{met}, asked at {found.asked:,}")]
    rows += [("not best", f"at {found.wrong:,}")]
    rows += [("note", note) for note in found.notes]
    render.columns(rows)
    render.say()
    render.columns(
        (
            (seat.name, str(seat.value), str(seat.perfect), _given_away(seat))
            for seat in found.seats
        ),
        ("policy for", "value", "perfect play", "gives away"),
    )
    if found.mistakes:
        render.say()
        _show_mistakes(found)


def _given_away(seat: Seat) -> str:
    if seat.value.kind == "outcome":
        return seat.change or "nothing"
    lost = seat.gives_away
    near = seat.value.exactness != "exact" and abs(float(lost)) <= lost.error
    return "nothing" if near or float(lost) == 0 else str(lost)


def _show_mistakes(found: Evaluation) -> None:

    known = any(mistake.times is not None for mistake in found.mistakes)
    rows = []
    for each in found.mistakes:
        often = [_short(each.cost), _short(each.times)] if known else []
        one = len(each.choices) == 1
        lost = render.lost(each.loss, each.move.change if one else "", best=False)
        rows.append([each.position, _made(each), each.best.text, lost, *often])
    heads = ["mistake at", "move", "best", "loses", *(["costs", "times"] if known else [])]
    render.columns(rows, heads)


def _made(mistake: Mistake) -> str:
    """The move of a policy; of several, those that lose something, with their probabilities."""
    if len(mistake.choices) == 1:
        return mistake.move.text
    wrong = [choice for choice in mistake.choices if choice.loss > 0]
    shown = [f"{choice.move.text} ({choice.probability})" for choice in wrong[:SHOWN]]
    return ", ".join(shown) + (", …" if len(wrong) > SHOWN else "")


def _short(number: float | None) -> str:
    if number is None or math.isinf(number):
        return "everything" if number else ""
    return f"{number:.3g}"
