"""Pages from their templates. It needs Jinja2 but no server: a notebook shows the same fragments
of a position's page as the server does."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from perfectplay.verification.published.reproduce import Figure, figures
from perfectplay.web import words
from perfectplay.web.collection import Collection, Opened
from perfectplay.web.page import page
from perfectplay.web.state import State

PAGE, FRAGMENT = "base.html", "fragment.html"
"""What stands around a position: a whole page, or only its header and its `main`."""
MOST_FIGURES = 12
"""Published figures that a page shows; it says how many there are."""
QUANTITIES = {
    "outcome": "value",
    "decimal": "value",
    "score": "value",
    "search": "value",
    "best": "best move",
    "search-best": "best move",
    "longest": "longest win",
    "depth": "plies to the end",
    "winning": "winning moves",
    "eccentricity": "most moves from the start",
    "mean": "mean number of moves",
}
"""Figures by their names in the files, and what they are called on a page."""


def rendered(name: str, **given: Any) -> str:
    """A page from its template."""
    return _templates().get_template(name).render(**given)


def position(collection: Collection, opened: Opened, state: State, layout: str = PAGE) -> str:
    """The page of a position of a solved game, or a fragment of it."""
    shown = page(collection, opened, state)
    # figures tell what positions are worth
    rows = [] if state.hidden else published(opened.exhibit.spec)
    return rendered(
        "game.html", layout=layout, title=shown.title, page=shown, state=state, figures=rows
    )


def static(name: str) -> str:
    """A text that pages load: a style sheet or a script."""
    return (resources.files("perfectplay.web") / "static" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=128)
def published(spec: str) -> list[Figure]:
    """What was published about a game, and from where."""
    return [row for row in _figures() if row.game == spec]


@cache
def _figures() -> list[Figure]:
    return figures()


def quantity(name: str) -> str:
    """What a published figure counts, in words rather than as the files of figures call it."""
    kind, _, which = name.partition(":")
    if kind in ("player-value", "player-decimal"):
        return f"value to player {which}"
    if kind == "count":
        counted = {"win": "won", "loss": "lost", "draw": "drawn"}
        return f"positions {counted.get(which, f'worth {which}')}"
    if kind == "ply":
        return f"positions after {which} {'ply' if which == '1' else 'plies'}"
    if kind == "choices":
        return f"choices of player {which} at best"
    if kind in ("formula", "nash"):
        return which
    return QUANTITIES.get(name, name.replace("-", " ").replace(":", " "))


@cache
def _templates() -> Environment:
    loader = PackageLoader("perfectplay.web", "templates")
    found = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        auto_reload=False,
    )  # fmt: skip
    found.globals.update(
        quantity=quantity, arrows=words.arrows, stage=words.stage, most_figures=MOST_FIGURES
    )
    return found
