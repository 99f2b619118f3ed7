"""Commands that ask: which games there are, what a solved game says, and playing against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import open_solution
from perfectplay.cli.options import (
    Folder,
    GameOrTable,
    Json,
    Parameters,
    Rules,
    game_names,
    grouped,
)
from perfectplay.errors import UsageError
from perfectplay.rules.game import OVER

if TYPE_CHECKING:
    from perfectplay.schemas.reports import GameJson


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


def _show(facts: GameJson) -> None:
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
        from perfectplay.answer.faces.text_boards import BoardTexts

        board = BoardTexts(solution.game).lines(p)
        if board:
            render.say("\n".join(map(render.visible, board)) + "\n")
        render.analysis_facts(found, names)
        render.say()
    if moves or (everything and found.player != OVER):
        render.analysis_moves(found, names)
    if everything and len(found.line):
        render.say()
    if line or (everything and len(found.line)):
        render.analysis_line(found)


@dataclass
class Sides:
    """Who plays, from where, and how dice fall."""

    player: Annotated[
        int, typer.Option("--as", metavar="N", min=1, help="Which player you are.")
    ] = 1
    watch: Annotated[bool, typer.Option("--watch", help="Watch perfect play.")] = False
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="PLAYER",
            help="Who plays the others: perfect, stubborn (the best move that is hardest to "
            "answer), random, skill:70 (the best move in 70 of 100 cases), or FILE.py:FUNCTION.",
        ),
    ] = "perfect"
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes dice fall as in a game before."),
    ] = None
    own_dice: Annotated[
        bool, typer.Option("--own-dice", help="Throw dice of your own and type what comes up.")
    ] = False
    hints: Annotated[bool, typer.Option("--hints", help="Show what moves are worth.")] = False
    begin: Annotated[
        str | None,
        typer.Option("--from", metavar="POSITION", help="Where to begin, as probe takes it."),
    ] = None

    @property
    def policies(self) -> dict[str, Callable[..., Any]]:
        """The function that plays the others, if a file is named; UsageError if nobody can."""
        from perfectplay.answer.faces.opponents import known
        from perfectplay.rules.load import find_function

        found = {self.against: find_function(self.against)} if ".py:" in self.against else {}
        known(self.against, found)
        return found


@grouped
def play(
    game: GameOrTable,
    parameter: Parameters = None,
    *,
    table: Folder = None,
    rules: Rules = None,
    sides: Sides,
) -> None:
    """Play against perfect play in the terminal, or against somebody less perfect.

    Example: perfectplay play pig --as 2 --seed 7
    """
    from perfectplay.cli.terminal import Match

    policies = sides.policies
    solution = open_solution(game, parameter or [], rules, table)
    players = solution.game.players
    if sides.player > players:
        raise UsageError(f"--as {sides.player}: there are {players} players", "count from 1")
    p = solution.position(sides.begin) if sides.begin else solution.start
    Match(
        solution,
        None if sides.watch else sides.player - 1,
        sides.seed,
        sides.hints,
        against=sides.against,
        policies=policies,
        own_dice=sides.own_dice,
    ).play(p)
