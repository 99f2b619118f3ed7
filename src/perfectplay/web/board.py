"""The board of a page: the game's own picture, made harmless, with links where moves happen; and
the graph of the value over the moves played."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from perfectplay.answer.faces.match import PlayedPosition
from perfectplay.answer.faces.places import Clicks, Place, Places, places
from perfectplay.drawing.shapes import Box, SafePicture, harmless, read
from perfectplay.rules.game import Game
from perfectplay.web.state import State

TONES = ("good", "late", "bad")
"""Kinds of moves, as `words.tone` calls them, better ones first."""


MOST_MARKS = 2
"""Places at which one move can be marked."""


def board(
    game: Game,
    p: Any,
    state: State,
    *,
    clickable: bool,
    texts: Mapping[int, str] | None = None,
    tones: Mapping[int, str] | None = None,
) -> tuple[Markup, bool]:
    """The picture of a position with its links, and whether the clicks so far make sense. `texts`:
    the moves by number, where that is known; `tones`: which of them are good, where that may be
    seen."""
    if not clickable:
        return Markup(_svg(game, p, read(game.picture(p)), "")), not state.clicked
    found = places(game, p)
    here = found.after(state.clicked)
    if here is None:
        here = found.clicks
        state = State(**{**vars(state), "clicked": ()})
    links = _selected(found, state) + "".join(_links(game, p, found, here, state, texts or {}))
    links += _marks(found, here, tones or {})
    return Markup(
        _svg(game, p, found.drawing, f'<g class="places" aria-hidden="true">{links}</g>')
    ), True


def _svg(game: Game, p: Any, drawing: SafePicture, links: str) -> str:
    left, top, right, bottom = drawing.box
    view = f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
    root = drawing.root
    family = escape(root.get("font-family", "Helvetica, Arial, sans-serif"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{view}" '
        f'font-family="{family}"><g role="img" aria-label="{escape(game.text(p))}">'
        f"{harmless(drawing)}</g>{links}</svg>"
    )


def _rect(found: Places, place: tuple[int, int], kind: str) -> str:
    left, top, right, bottom = found.boxes[place]
    return (
        f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{right - left:g}" '
        f'height="{bottom - top:g}" rx="4"/>'
    )


def _selected(found: Places, state: State) -> str:
    return "".join(
        _rect(found, place, "selected") for place in state.clicked if place in found.boxes
    )


def _marks(found: Places, here: Clicks, tones: Mapping[int, str]) -> str:
    """In the corner of each place a disc, if the best move of all is made or begun there, or a
    dash, if only mistakes are. Nothing where all moves are as good, nor on a picture that a move
    changes all over."""
    spread = max(Counter(here.moves.values()).values(), default=0)
    if len(set(tones.values())) < 2 or spread > MOST_MARKS:
        return ""
    at: dict[Place, Collection[int]] = {place: (move,) for place, move in here.moves.items()}
    at.update({place: more.moves for place, more in here.further.items()})
    return "".join(
        _mark_of(found.boxes[place], min((tones.get(i, "late") for i in moves), key=TONES.index))
        for place, moves in at.items()
    )


def _mark_of(box: Box, tone: str) -> str:
    left, top, right, bottom = box
    radius = min(max(0.1 * min(right - left, bottom - top), 3), 5)
    x, y = right - radius - 3, top + radius + 3
    if tone == "good":
        return f'<circle class="tone good" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'
    dash = f'<path class="tone bad" d="M{x - radius:g} {y:g}h{2 * radius:g}"/>'
    return dash if tone == "bad" else ""


def _links(
    game: Game, p: Any, found: Places, here: Clicks, state: State, texts: Mapping[int, str]
) -> list[str]:
    moves = [] if texts else list(game.moves(p))
    links = []
    for place in found.drawn(here):
        number = here.moves.get(place)
        if number is None:
            address = escape(state.url(clicked=(*state.clicked, place)))
            links.append(f'<a href="{address}" tabindex="-1">{_rect(found, place, "place")}</a>')
            continue
        words = escape(texts[number] if texts else game.move_text(p, moves[number]))
        address = escape(state.after(number).url())
        links.append(
            f'<a href="{address}" tabindex="-1" data-move="{number}">'
            f"<title>{words}</title>{_rect(found, place, 'place')}</a>"
        )
    if state.clicked:
        back = escape(state.url(clicked=()))
        whole = '<rect class="nothing" width="100%" height="100%"/>'
        links.insert(0, f'<a href="{back}" tabindex="-1">{whole}</a>')
    return links


# -- The value over the moves. --------------------------------------------------------------------

_WIDE, _HIGH, _EDGE = 400.0, 140.0, 14.0
_LABELS = 52.0
"""Room for the words on the left."""
MANY = 50
"""Of more positions the graph has smaller dots."""


def history(
    positions: Sequence[PlayedPosition],
    state: State,
    limits: tuple[float, float],
    names: Sequence[str],
) -> Markup:
    """The value over the moves played, with a band where it is bounded: to the first player, or
    to each of more than two."""
    low, high = limits
    span = (high - low) or 1.0
    step = (_WIDE - _LABELS - _EDGE) / max(len(positions) - 1, 1)

    def x(i: int) -> float:
        return _LABELS + step * i

    def y(value: float) -> float:
        return _HIGH - _EDGE - (min(max(value, low), high) - low) / span * (_HIGH - 2 * _EDGE)

    several = len(names) > 2
    curves = [
        _curve(i, [(x(k), y(float(each.values[i]))) for k, each in enumerate(positions)], name)
        for i, name in enumerate(names if several else names[:1])
    ]
    small = len(positions) > MANY
    dots = [
        _dot(x(k), y(float(each.values[0])), each, state, 2 if small else 4)
        for k, each in enumerate(positions)
    ]
    whose = "each player" if several else names[0]
    outcome = positions[0].values[0].kind == "outcome"
    marks = [
        _mark(y(value), _words(value, outcome=outcome)) for value in (high, (low + high) / 2, low)
    ]
    return Markup(
        f'<svg class="history" viewBox="0 0 {_WIDE:g} {_HIGH:g}" role="group" '
        f'aria-label="Value to {escape(whose)} after each move">{"".join(marks)}'
        f"{_band(positions, x, y, limits)}{''.join(curves)}{''.join(dots)}</svg>"
    )


def _words(value: float, *, outcome: bool) -> str:
    """A value beside the graph."""
    return {1: "win", 0: "draw", -1: "loss"}[round(value)] if outcome else f"{value:.4g}"


def _mark(y: float, words: str) -> str:
    """A line across the graph, with what it stands for."""
    return (
        f'<text x="{_LABELS - 10:g}" y="{y:.1f}" dy="4" text-anchor="end">{words}</text>'
        f'<line class="zero" x1="{_LABELS:g}" x2="{_WIDE - _EDGE:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
    )


def _curve(player: int, points: Sequence[tuple[float, float]], name: str) -> str:
    """The line of one player; `style.css` gives each its own dashes, not only a colour."""
    joined = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
    return (
        f'<g class="curve of-{player % 4}"><title>{escape(name)}</title>'
        f'<polyline points="{joined}"/></g>'
    )


def _dot(x: float, y: float, now: PlayedPosition, state: State, radius: int) -> str:
    shown = len(state.shown) == now.ply
    words = escape(f"after {now.ply}: {' / '.join(map(str, now.values))}")
    return (
        f'<a href="{escape(state.jump(now.ply).url())}" tabindex="-1"><title>{words}</title>'
        f'<circle class="{"now" if shown else "dot"}" cx="{x:.1f}" cy="{y:.1f}" '
        f'r="{6 if shown else radius}"/></a>'
    )


def _band(positions: Sequence[PlayedPosition], x: Any, y: Any, limits: tuple[float, float]) -> str:
    """The proved bounds, where they can be told from the line."""
    low, high = limits
    ends = [
        (max(float(each.values[0].lower), low), min(float(each.values[0].upper), high))
        for each in positions
    ]
    if max(b - a for a, b in ends) < (high - low) / 200:
        return ""
    up = [f"{x(i):.1f},{y(b):.1f}" for i, (_, b) in enumerate(ends)]
    down = [f"{x(i):.1f},{y(a):.1f}" for i, (a, _) in enumerate(ends)]
    return f'<polygon class="band" points="{" ".join(up + down[::-1])}"/>'


def limits(positions: Sequence[PlayedPosition], kind: str, *, chance: bool) -> tuple[float, float]:
    """The least and the greatest value that the graph shows."""
    if kind == "outcome":
        return -1.0, 1.0
    if chance:
        return 0.0, 1.0
    count = len(positions[0].values)
    known = [float(v) for each in positions for v in each.values[: count if count > 2 else 1]]
    finite = [value for value in known if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    noise = 4 * max(each.values[0].error for each in positions)
    return (low - 1, high + 1) if high - low <= noise else (low, high)


def scale(names: Sequence[str]) -> str:
    """Whose value the graph shows, in words."""
    return f"to {names[0] if len(names) < 3 else 'each player'}"
