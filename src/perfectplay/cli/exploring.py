"""The explorer, and the equation of a position."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import (
    is_table,
    memory_bytes,
    open_solution,
    solved_folder,
    table_folder,
)
from perfectplay.cli.options import (
    Folder,
    GameName,
    GameOrTable,
    Json,
    Memory,
    Parameters,
    Rules,
    grouped,
)
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.games import GAMES
from perfectplay.progress import Progress, size
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.answer.faces.explain import Equation
    from perfectplay.answer.faces.game_strata import GameStrata
    from perfectplay.answer.faces.strata_around import SurroundingStrata
    from perfectplay.answer.faces.tree import GameTree
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game
    from perfectplay.web.collection import Collection, Exhibit

PORT = 8737
COUNTED = 3
"""So many times the positions of the largest page are counted to say how large a game is."""
SECONDS = 1.0
"""How long a plan may look to say how large a game is."""


def explain(  # noqa: PLR0913 - options of the command line
    game: GameOrTable,
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="As text; after -- if it begins with a dash."),
    ] = None,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="The game tree below the position instead.")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option("--depth", min=0, help="Moves that the tree shows. Default: to the end."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Draw the tree: FILE.svg or FILE.png."),
    ] = None,
    json: Json = False,
) -> None:
    """Show why a position is worth what it is: the equation with its numbers, or the game tree
    with values backed up from the ends.

    Example: perfectplay explain pig "0-50, player 1, total 28"
    """
    from perfectplay.drawing.raster import refuse

    if not tree and (depth is not None or out is not None):
        name = "--out" if depth is None else "--depth"
        raise UsageError(f"{name} is for a tree", "add --tree")
    refuse(out)
    solution = open_solution(game, parameter or [], rules, table)
    p = solution.start if position is None else solution.position(position)
    found: Equation | GameTree
    if tree:
        from perfectplay.answer.faces.tree import game_tree

        found = game_tree(solution, p, depth)
        if out is not None:
            found.save(out)
    else:
        from perfectplay.answer.faces.explain import explain as explained

        found = explained(solution, p)
    render.report(found, json=json)
    if out is not None:
        render.note(f"drawn: {out}")


def strata(
    game: GameName,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="Default: the whole game.")
    ] = None,
    parameter: Parameters = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Draw them: SVG, or PNG with matplotlib."),
    ] = None,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Show the strata of a game: how large, what leads where, how each is solved.

    With a position: its stratum S_0, which of its moves can be undone (recurrent), which cannot
    (transitive), and the strata S_1, S_2, … that those lead to, with S_1,1, … below them.

    Example: perfectplay strata mu-torere
    """
    from perfectplay.answer.faces.game_strata import game_strata
    from perfectplay.answer.faces.strata_around import strata_around
    from perfectplay.drawing.raster import refuse, save

    refuse(out)
    rules = load(game, parameter or [])
    found: SurroundingStrata | GameStrata
    if position is not None:
        found = strata_around(rules, position)
    else:
        with render.watching() as progress:
            found = game_strata(rules, memory=memory_bytes(memory), progress=progress)
    if out is not None:
        save(found.svg(), out)
        render.note(f"drawn: {out}")
    render.report(found, json=json)


@dataclass
class Door:
    """Where the server can be reached."""

    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = (
        PORT
    )
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Others need the token."),
    ] = "127.0.0.1"
    token: Annotated[
        str | None, typer.Option("--token", metavar="TEXT", help="What readers must know.")
    ] = None
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True


@grouped
def explore(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME|FOLDER|rules.py:Class]…", help="What to show; else all games."
        ),
    ] = None,
    parameter: Parameters = None,
    *,
    rules: Rules = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="file.py:function", help="A player for the page."),
    ] = None,
    door: Door,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.html",
            help="Serve nothing: write one small game as a page that needs no server.",
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="With --out: rationals instead of bounds.")
    ] = False,
) -> None:
    """Look at games in the browser: click on the board, see what every move is worth, play.

    Example: perfectplay explore pig noughts-and-crosses
    """
    if out is not None:
        take_away(games or [], parameter or [], rules, out, exact=exact, policies=policy or [])
        return
    if exact:
        raise UsageError("--exact is for a page that is written with --out")
    try:
        from perfectplay.web.serve import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the explorer needs a package that is not installed: {error.name}",
            "pip install 'perfectplay[web]'",
        ) from None
    shown = collected(games or [], parameter or [], rules, policy or [])
    serve(shown, door.port, open_page=door.opened, host=door.host, token=door.token)


def collected(
    names: list[str], given: list[str], rules: str | None, policies: list[str]
) -> Collection:
    """The games that a command names, or all of the package."""
    from perfectplay.rules.load import find_function
    from perfectplay.web.collection import Collection, Exhibit

    exhibits = _told_apart([_exhibit(name, given, rules) for name in dict.fromkeys(names)])
    if not names:
        exhibits = {n: Exhibit(n, n, game.summary) for n, game in GAMES.items()}
    players = {each.rpartition(":")[2]: find_function(each) for each in policies}
    return Collection(exhibits, _stored, players)


def _told_apart(named: Iterable[Exhibit]) -> dict[str, Exhibit]:
    """Games by their names in addresses; of those that have the same one, later ones are
    numbered."""
    found: dict[str, Exhibit] = {}
    for each in named:
        free = (f"{each.key}-{number}" for number in itertools.count(2))
        key = each.key if each.key not in found else next(k for k in free if k not in found)
        found[key] = replace(each, key=key)
    return found


def _exhibit(name: str, given: list[str], rules: str | None) -> Exhibit:
    from perfectplay.web.about import about
    from perfectplay.web.collection import Exhibit

    if is_table(name):
        solution = open_solution(name, given, rules)
        return Exhibit(Path(name).name, name, f"the table in {name}", solution=solution)
    game = load(name, given)
    key = name if name in GAMES else type(game).__name__.lower()
    return Exhibit(key, name, about(name, game).summary, tuple(given))


def _stored(spec: str, game: Game) -> Solution | None:
    """The solution of a game, if there is a table of it; in fractions, if there is one of those.
    PerfectPlayError says why the table that there is cannot be read."""
    from perfectplay.answer.solution import Solution

    trouble: PerfectPlayError | None = None
    for ways in (("exact",), ()):
        folder = table_folder(spec, game, *ways)
        if is_table(str(folder)):
            try:
                return Solution.open(folder, game)
            except PerfectPlayError as error:
                trouble = error
    if trouble is not None:
        raise trouble
    return None


# -- A page to take away: one game, solved if it must be, written as a single file. ---------------


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
    from perfectplay.web.about import about
    from perfectplay.web.offline import takeaway

    _refuse(names, policies)
    takeaway.refuse(out)
    name = names[0]
    with render.watching() as progress:
        solution = _solution(name, given, rules, exact=exact)
        game = load(name, given) if solution is None else solution.game
        positions = _positions(name, game, solution, progress)
        if solution is None:
            solution = _solved(game, progress, exact=exact)
        page = takeaway.takeaway(solution, about(name, game), positions, progress)
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


def _solution(name: str, given: list[str], rules: str | None, *, exact: bool) -> Solution | None:
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
    from perfectplay.web.offline import page_table

    most = page_table.MOST
    progress.start("count")
    try:
        return page_table.reachable(game, most)
    except page_table.TooManyForPageError as error:
        count, many = _how_many(game, solution)
        many = many if count > most else f"more than {most:,}"
        error.message = f"{name} has {many} positions: one page holds at most {most:,}"
        error.hint = page_table.SMALLER
        raise


def _how_many(game: Game, solution: Solution | None) -> tuple[int, str]:
    """How many positions a game has, and in words: counted, if that does not take long, else
    symmetric ones once."""
    from perfectplay.web.offline import page_table

    with suppress(page_table.TooManyForPageError):
        count = len(page_table.reachable(game, COUNTED * page_table.MOST))
        return count, f"{count:,}"
    if solution is not None:
        return solution.table.positions, f"{solution.table.rows:,}"
    from perfectplay.solving.forecast import rounded
    from perfectplay.solving.plan import plan

    forecast: Any = plan(game, seconds=SECONDS)
    if getattr(forecast, "complete", False):
        return forecast.positions, f"{forecast.positions:,}"
    count = max(forecast.positions, getattr(forecast, "estimate", None) or 0)
    return count, f"about {rounded(count)}"
