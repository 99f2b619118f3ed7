"""Routes for GamesmanUni: the Universal Web API of GamesCrafters, below /uwapi.

Its games have no chance and hide nothing: those of two players, and puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import FastAPI, Query

from perfectplay.errors import UsageError
from perfectplay.games import catalogue
from perfectplay.rules.capabilities import HiddenChoices, SimultaneousMoves
from perfectplay.rules.game import Game, first_positions
from perfectplay.rules.load import find, make
from perfectplay.schemas.server import (
    UniGameJson,
    UniInstructionsJson,
    UniListedGameJson,
    UniPositionJson,
    UniVariantJson,
)
from perfectplay.web.api.models import ERRORS, asked
from perfectplay.web.api.uni_board import UniBoard
from perfectplay.web.api.uni_variant import UniVariant, written
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.state import LONGEST_TEXT

REGULAR = "regular"
"""The variant with the parameters of the command line, or the defaults."""
Position = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="The position: `1_` or `2_` for the player to move, then its text.",
    ),
]
Language = Annotated[str, Query(max_length=20, description="Ignored: there is English only.")]


# -- Routes. --------------------------------------------------------------------------------------


def uwapi_routes(app: FastAPI, collection: Collection) -> None:
    """Add the routes below /uwapi to an application."""

    def variant(key: str, name: str) -> UniVariant:
        given = [] if name == REGULAR else name.split(";")
        opened = collection.open(key, asked(key, given).given)
        if not fit(opened.game):
            raise UsageError(f"{key} has chance in it, or hides something", "see /api/v1")
        return UniVariant(opened)

    @app.get("/uwapi/", tags=["uwapi"])
    def games() -> list[UniListedGameJson]:
        """All games without chance, and all puzzles."""
        found = [row for each in collection.exhibits.values() for row in _shown(each)]
        return sorted(found, key=lambda each: each["name"])

    @app.get("/uwapi/{key}/", responses=ERRORS, tags=["uwapi"])
    def game(key: str) -> UniGameJson:
        """A game and its variants."""
        opened = variant(key, REGULAR)
        return {
            "id": key,
            "name": named(key),
            "variants": [{"id": REGULAR, "name": opened.name, "gui": opened.gui}],
            "allowCustomVariantCreation": opened.opened.exhibit.solution is None,
            "supportsWinBy": opened.points,
        }

    @app.get("/uwapi/{key}/{name}/", responses=ERRORS, tags=["uwapi"])
    def one_variant(key: str, name: str) -> UniVariantJson:
        """A variant, its first position, and where the places of its board are."""
        opened = variant(key, name)
        start = next(first_positions(opened.game))
        turn = opened.turn(start)
        return {
            "id": name,
            "name": opened.name,
            "gui": opened.gui,
            "startPosition": written(turn, opened.game.text(start)),
            "autoguiStartPosition": opened.drawn(start, turn),
            "imageAutoGUIData": opened.board.layout(),
        }

    @app.get("/uwapi/{key}/{name}/positions/", responses=ERRORS, tags=["uwapi"])
    def position(key: str, name: str, p: Position) -> UniPositionJson:
        """A position: its value, its remoteness, and its moves, best first."""
        return variant(key, name).position(p)

    @app.get("/uwapi/{key}/{name}/instructions/", responses=ERRORS, tags=["uwapi"])
    def instructions(key: str, name: str, lang: Language = "en") -> UniInstructionsJson:
        """The rules of a game in words."""
        del lang
        opened = variant(key, name)
        return {"instructions": f"# {named(key)}\n\n{catalogue.about(type(opened.game))}\n"}


def named(key: str) -> str:
    """The name of a game for people."""
    return key.replace("-", " ").capitalize()


def fit(game: Game) -> bool:
    """Whether a game is of the kind that GamesmanUni can show."""
    chance = type(game).chances is not Game.chances
    puzzle = game.players == 1 and game.minimise
    unseen = isinstance(game, HiddenChoices | SimultaneousMoves)
    return not chance and not unseen and (game.players == 2 or puzzle)


def _shown(exhibit: Exhibit) -> Iterator[UniListedGameJson]:
    """The entry of a game, if it can be shown."""
    try:
        game = (
            exhibit.solution.game if exhibit.solution else make(find(exhibit.spec), exhibit.given)
        )
    except UsageError:  # a parameter must be given
        return
    if fit(game):
        board = UniBoard(game.text(next(first_positions(game))))
        yield {
            "id": exhibit.key,
            "name": named(exhibit.key),
            "type": "onePlayer" if game.players == 1 else "twoPlayer",
            "gui": "v1" if board.drawn else "v0",
        }
