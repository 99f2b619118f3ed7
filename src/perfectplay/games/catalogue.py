"""The catalogue: which games there are, and what one of them is about."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING

from perfectplay.games import GAMES
from perfectplay.rules.game import first_positions
from perfectplay.rules.load import find, installed, make
from perfectplay.rules.parameters import default_of, fields_of, required, value_text

if TYPE_CHECKING:
    from perfectplay.schemas.reports import GameJson, ListedGameJson, ParameterJson


FAMILIES = {
    "boards": "Board games",
    "lines": "Three and four in a row",
    "chess": "Chess endings",
    "dice": "Dice games",
    "races": "Races",
    "cards": "Cards",
    "heaps": "Heaps",
    "partizan": "Left and Right",
    "simultaneous": "Both at once",
    "puzzles": "Puzzles",
    "decisions": "Decisions",
}
"""The folders of this collection, and what they are called in a list of games, in its order."""
OTHERS = "Other games"


def family(name: str) -> str:
    """What kind of game one is, for a heading: that of its folder, if it is of this collection."""
    game = GAMES.get(name)
    folder = game.path.removeprefix("perfectplay.games.").partition(".")[0] if game else ""
    return FAMILIES.get(folder, OTHERS)


def listed() -> list[ListedGameJson]:
    """Name and summary of all games."""

    ours: list[ListedGameJson] = [
        {"name": name, "summary": game.summary} for name, game in GAMES.items()
    ]
    others = {name: path for name, path in installed().items() if name not in GAMES}
    ours += [{"name": name, "summary": f"({path})"} for name, path in others.items()]
    return ours


def described(spec: str) -> GameJson:
    """The rules in words, the parameters and the first position of one game."""
    cls = find(spec)
    first = None
    if not any(required(field) for field in fields_of(cls).values()):
        game = make(cls)
        first = game.text(next(first_positions(game)))
    return {
        "name": spec,
        "rules": f"{cls.__module__}:{cls.__qualname__}",
        "about": about(cls),
        "parameters": parameters_of(cls),
        "start": first,
    }


def about(cls: type) -> str:
    """The rules in words: what their class and their module say."""
    texts = (_written(cls), sys.modules[cls.__module__].__doc__)
    return "\n\n".join(inspect.cleandoc(text) for text in texts if text)


def parameters_of(cls: type) -> list[ParameterJson]:
    """The parameters of rules, with their types and defaults."""
    return [
        {
            "name": name,
            "type": getattr(field.type, "__name__", str(field.type)),
            "default": None if required(field) else value_text(default_of(field)),
        }
        for name, field in fields_of(cls).items()
    ]


def _written(cls: type) -> str | None:
    """The docstring of a class, unless it is the one that dataclass makes up."""
    text = cls.__doc__
    return None if text and text.startswith(f"{cls.__name__}(") else text
