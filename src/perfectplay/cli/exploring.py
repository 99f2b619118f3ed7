"""The explorer, and the equation of a position."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import is_table, open_solution, table_folder
from perfectplay.cli.options import Folder, GameOrTable, Json, Parameters, Rules
from perfectplay.errors import PerfectPlayError, UsageError

if TYPE_CHECKING:
    from perfectplay.answer.faces.explain import Equation
    from perfectplay.answer.faces.tree import GameTree
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game
    from perfectplay.web.collection import Collection, Exhibit

PORT = 8737


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
    serve(collected(games or [], parameter or [], rules, policy or []), port, open_page=opened)


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
    """The solution of a game, if there is a table of it that fits its rules; in fractions, if
    there is one of those."""
    from perfectplay.answer.solution import Solution

    for ways in (("exact",), ()):
        folder = table_folder(spec, game, *ways)
        if is_table(str(folder)):
            with contextlib.suppress(PerfectPlayError):
                return Solution.open(folder, game)
    return None
