"""The explorer, and the equation of a position."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import is_table, open_solution, table_folder
from perfectplay.cli.options import Folder, GameOrTable, Json, Parameters, Rules
from perfectplay.errors import PerfectPlayError, TableError, UsageError

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game
    from perfectplay.web.collection import Collection, Exhibit

PORT = 8737


def explain(
    game: GameOrTable,
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="As text; after -- if it begins with a dash."),
    ] = None,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    json: Json = False,
) -> None:
    """Show why a position is worth what it is: the equation with its numbers.

    Example: perfectplay explain pig "0-50, player 1, total 28"
    """
    from perfectplay.answer.faces.explain import explain as explained

    solution = open_solution(game, parameter or [], rules, table)
    p = solution.start if position is None else solution.position(position)
    found = explained(solution, p)
    if json:
        render.emit(found.as_json())
    else:
        render.say(str(found))


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
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")
    ] = PORT,
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Others need the token."),
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option("--token", metavar="TEXT", help="What readers must know.")
    ] = None,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
) -> None:
    """Look at games in the browser: click on the board, see what every move is worth, play.

    Example: perfectplay explore pig noughts-and-crosses
    """
    try:
        from perfectplay.web.serve import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the explorer needs a package that is not installed: {error.name}",
            "pip install 'perfectplay[web]'",
        ) from None
    shown = collected(games or [], parameter or [], rules, policy or [])
    serve(shown, port, open_page=opened, host=host, token=token)


def collected(
    names: list[str], given: list[str], rules: str | None, policies: list[str]
) -> Collection:
    """The games that a command names, or all of the package."""
    from perfectplay.games import GAMES
    from perfectplay.rules.load import find_function
    from perfectplay.web.collection import Collection, Exhibit

    named = [_exhibit(name, given, rules) for name in names]
    exhibits = {each.key: each for each in named}
    if not names:
        exhibits = {n: Exhibit(n, n, game.summary) for n, game in GAMES.items()}
    players = {each.rpartition(":")[2]: find_function(each) for each in policies}
    return Collection(exhibits, _stored, players)


def _exhibit(name: str, given: list[str], rules: str | None) -> Exhibit:
    from perfectplay.games import GAMES
    from perfectplay.rules.load import load
    from perfectplay.web.collection import Exhibit

    if is_table(name):
        solution = open_solution(name, given, rules)
        return Exhibit(Path(name).name, name, f"the table in {name}", solution=solution)
    game = load(name, given)
    summary = GAMES[name].summary if name in GAMES else (type(game).__doc__ or "").split("\n")[0]
    key = name if name in GAMES else type(game).__name__.lower()
    return Exhibit(key, name, summary, tuple(given))


def _stored(spec: str, game: Game) -> Solution | None:
    """The solution of a game, if there is a table of it that fits its rules."""
    from perfectplay.answer.solution import Solution

    folder = table_folder(spec, game)
    try:
        return Solution.open(folder, game) if is_table(str(folder)) else None
    except (TableError, PerfectPlayError):
        return None
