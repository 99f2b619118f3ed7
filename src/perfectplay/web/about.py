"""What a game is called, what it is about, and its rules, from what their author wrote."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from perfectplay.games import GAMES
from perfectplay.rules.folder_import import from_file
from perfectplay.rules.game import Game
from perfectplay.rules.load import rules_path


@dataclass(frozen=True)
class AboutGame:
    """What a page says of its game."""

    title: str
    summary: str = ""
    rules: tuple[str, ...] = ()
    """The rules, by paragraphs."""

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The rules as they stand on a page, in HTML."""
        return tuple(map(paragraph, self.rules))


def about(name: str, game: Game) -> AboutGame:
    """What a game is called, and its rules: of listed games, what the module says before the facts
    that it is checked with; else what the class says."""
    listed = name if name in GAMES else rules_path(game)
    if listed in GAMES:
        written = _paragraphs(sys.modules[type(game).__module__])
        facts = next((i for i, each in enumerate(written) if re.match(r"Check\b", each)), 2)
        return AboutGame(listed, GAMES[listed].summary, written[:facts])
    written = _of_class(type(game))
    return AboutGame(type(game).__name__, " ".join("".join(written[:1]).split()), written[1:])


def _of_class(rules: type[Game]) -> tuple[str, ...]:
    """What the author of a class wrote about it: in the class, else at the top of its file. What
    `dataclass` writes by itself, `Pig(goal: int = 100)`, is not about the game."""
    own = _paragraphs(rules)
    if own and not own[0].startswith(f"{rules.__name__}("):
        return own
    return _paragraphs(sys.modules[rules.__module__]) if from_file(rules.__module__) else ()


def _paragraphs(author: object) -> tuple[str, ...]:
    """The paragraphs of a docstring, if there is one."""
    return _split(getattr(author, "__doc__", None) or "")


@lru_cache(maxsize=256)
def _split(docstring: str) -> tuple[str, ...]:
    written = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    return tuple(each.strip("\n") for each in written if each.strip())


@lru_cache(maxsize=1024)
def paragraph(text: str) -> str:
    """A paragraph of rules in HTML; lines that are set in are kept as they are."""
    words = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text.rstrip(), quote=False))
    words = re.sub(r"(?<![\w*])\*(\w(?:[\w' -]*\w)?)\*(?![\w*])", r"<em>\1</em>", words)
    return f"<pre>{words}</pre>" if text.startswith(" ") else f"<p>{words}</p>"
