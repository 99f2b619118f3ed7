"""A page to take away: one game, solved if it must be, written as a single file."""

from __future__ import annotations

import inspect
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.cli import render
from perfectplay.cli.folders import is_table, open_solution, solved_folder, table_folder
from perfectplay.errors import UsageError
from perfectplay.games import GAMES
from perfectplay.progress import Progress, size
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game
    from perfectplay.web.takeaway import AboutGame

COUNTED = 3
"""So many times the positions of the largest page are counted to say how large a game is."""
SECONDS = 1.0
"""How long a plan may look to say how large a game is."""


def take_away(
    names: list[str],
    given: list[str],
    rules: str | None,
    out: Path,
    *,
    exact: bool,
    policies: list[str],
) -> None:
    """Write the page of a game; whatever is wrong with the request is said before the work."""
    from perfectplay.web import takeaway

    _refuse(names, policies)
    takeaway.refuse(out)
    name = names[0]
    with render.watching() as progress:
        solution = _stored(name, given, rules, exact=exact)
        game = load(name, given) if solution is None else solution.game
        positions = _positions(name, game, solution, progress)
        if solution is None:
            solution = _solved(game, progress, exact=exact)
        page = takeaway.takeaway(solution, _about(name, game), positions, progress)
        takeaway.write(page, out)
    render.say(f"{out}: {len(positions):,} positions, {size(len(page))}")


def _refuse(names: list[str], policies: list[str]) -> None:
    if len(names) != 1:
        raise UsageError(
            f"--out writes the page of one game, not of {len(names) or 'all'}",
            "name one: perfectplay explore GAME --out game.html",
        )
    if policies:
        raise UsageError(
            "--policy needs the explorer: a page cannot run your function", "leave out --out"
        )


def _stored(name: str, given: list[str], rules: str | None, *, exact: bool) -> Solution | None:
    """The solution in the table that a command names, or in the table of its game."""
    if is_table(name):
        if exact:
            raise UsageError(
                f"{name} is a table, which has its values", "name the game to solve it exactly"
            )
        return open_solution(name, given, rules)
    game = load(name, given)
    usual = table_folder(name, game)
    folder = table_folder(name, game, "exact") if exact else solved_folder(usual)
    if not is_table(str(folder)):
        return None
    return open_solution(name, given, rules, folder)


def _solved(game: Game, progress: Progress, *, exact: bool) -> Solution:
    from perfectplay.answer.solve import solve

    return solve(game, exact=exact, progress=progress)


def _positions(
    name: str, game: Game, solution: Solution | None, progress: Progress
) -> dict[Any, int]:
    """All positions; TooLargeError, with how many there are, if they are too many."""
    from perfectplay.web import page_table

    most = page_table.MOST
    progress.start("count")
    try:
        return page_table.reachable(game, most)
    except page_table.TooManyPositionsError as error:
        count, many = _how_many(game, solution)
        many = many if count > most else f"more than {most:,}"
        error.message = f"{name} has {many} positions: one page holds at most {most:,}"
        error.hint = page_table.SMALLER
        raise


def _how_many(game: Game, solution: Solution | None) -> tuple[int, str]:
    """How many positions a game has, and in words: counted, if that does not take long, else
    symmetric ones once."""
    from perfectplay.web import page_table

    with suppress(page_table.TooManyPositionsError):
        count = len(page_table.reachable(game, COUNTED * page_table.MOST))
        return count, f"{count:,}"
    if solution is not None:
        return solution.table.rows, f"{solution.table.rows:,}"
    from perfectplay.solving.forecast import rounded
    from perfectplay.solving.plan import plan

    forecast: Any = plan(game, seconds=SECONDS)
    if getattr(forecast, "complete", False):
        return forecast.positions, f"{forecast.positions:,}"
    count = max(forecast.positions, getattr(forecast, "estimate", None) or 0)
    return count, f"about {rounded(count)}"


def _about(name: str, game: Game) -> AboutGame:
    """What a game is called, and its rules: of listed games, what the module says before the facts
    that it is checked with; else what the class says."""
    from perfectplay.rules.load import rules_path
    from perfectplay.web.takeaway import AboutGame

    listed = name if name in GAMES else rules_path(game)
    if listed in GAMES:
        told = _paragraphs(sys.modules[type(game).__module__])
        facts = next((i for i, each in enumerate(told) if re.match(r"Check\b", each)), 2)
        return AboutGame(listed, GAMES[listed].summary, tuple(told[:facts]))
    told = _paragraphs(type(game))
    return AboutGame(type(game).__name__, " ".join("".join(told[:1]).split()), tuple(told[1:]))


def _paragraphs(told: object) -> list[str]:
    """The paragraphs of a docstring, if there is one."""
    written = inspect.cleandoc(getattr(told, "__doc__", None) or "")
    return [each.strip("\n") for each in re.split(r"\n\s*\n", written) if each.strip()]
