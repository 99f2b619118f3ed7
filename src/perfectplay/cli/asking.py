"""Commands that ask: which games there are, what a solved game says, and playing against it."""

from typing import Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import open_solution
from perfectplay.cli.options import Folder, GameOrTable, Json, Parameters, Rules, game_names
from perfectplay.errors import UsageError
from perfectplay.rules.game import OVER


def games(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", autocompletion=game_names, help="Tell more about one."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List all games, or show the rules and parameters of one.

    Example: perfectplay games pig
    """
    from perfectplay.games import catalogue

    if name is None:
        listed = catalogue.listed()
        if json:
            render.emit({"games": listed})
        else:
            render.columns((each["name"], each["summary"]) for each in listed)
        return
    described = catalogue.described(name)
    if json:
        render.emit(described)
    else:
        _show(described)


def _show(facts: dict[str, Any]) -> None:
    """The same for people."""
    render.say(facts["about"])
    if facts["parameters"]:
        render.say()
        rows = [
            (each["name"], each["type"], "needed" if each["default"] is None else each["default"])
            for each in facts["parameters"]
        ]
        render.columns(rows, ("parameter", "type", "default"))
    if facts["start"] is not None:
        render.say()
        render.columns(
            [("start", facts["start"]), ("solve", f"perfectplay solve {facts['name']}")]
        )


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
    if moves or (everything and found.player != OVER):
        render.analysis_moves(found, names)
    if everything and len(found.line):
        render.say()
    if line or (everything and len(found.line)):
        render.analysis_line(found)


def play(  # noqa: PLR0913 - options of the command line
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
    begin: Annotated[
        str | None,
        typer.Option("--from", metavar="POSITION", help="Where to begin, as probe takes it."),
    ] = None,
) -> None:
    """Play against perfect play in the terminal.

    Example: perfectplay play pig --as 2 --seed 7
    """
    from perfectplay.cli.terminal import Match

    solution = open_solution(game, parameter or [], rules, table)
    players = solution.game.players
    if player > players:
        raise UsageError(f"--as {player}: there are {players} players", "count from 1")
    p = solution.position(begin) if begin else solution.start
    Match(solution, None if watch else player - 1, seed, hints).play(p)
