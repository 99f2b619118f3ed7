"""The catalogue: which games there are, and what one of them is about."""

import inspect
import sys
from typing import Any

from perfectplay.games import GAMES
from perfectplay.rules.game import first_positions
from perfectplay.rules.load import find, installed, make
from perfectplay.rules.parameters import default_of, fields_of, required, value_text


def listed() -> list[dict[str, str]]:
    """Name and summary of all games."""

    ours = [{"name": name, "summary": game.summary} for name, game in GAMES.items()]
    others = {name: path for name, path in installed().items() if name not in GAMES}
    return ours + [{"name": name, "summary": f"({path})"} for name, path in others.items()]


def described(spec: str) -> dict[str, Any]:
    """The rules in words, the parameters and the first position of one game."""
    cls = find(spec)
    fields = fields_of(cls)
    kinds = {
        name: getattr(field.type, "__name__", str(field.type)) for name, field in fields.items()
    }
    defaults = {n: None if required(f) else value_text(default_of(f)) for n, f in fields.items()}
    module = sys.modules[cls.__module__]
    words = [inspect.cleandoc(text) for text in (_written(cls), module.__doc__) if text]
    first = None
    if not any(required(field) for field in fields.values()):
        game = make(cls)
        first = game.text(next(first_positions(game)))
    return {
        "name": spec,
        "rules": f"{cls.__module__}:{cls.__qualname__}",
        "about": "\n\n".join(words),
        "parameters": [
            {"name": name, "type": kinds[name], "default": defaults[name]} for name in fields
        ],
        "start": first,
    }


def _written(cls: type) -> str | None:
    """The docstring of a class, unless it is the one that dataclass makes up."""
    text = cls.__doc__
    return None if text and text.startswith(f"{cls.__name__}(") else text
