"""Graphs without cycles, drawn in layers: every arrow leads down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfectplay.drawing import svg

_WIDE, _HIGH = 120, 44
_APART, _DOWN = 18, 46
"""Between boxes of one layer, and between layers."""
_LETTER = 8.0


@dataclass(frozen=True)
class Layered:
    """A box of a graph."""

    name: str
    note: str
    """What stands below its name."""
    below: Sequence[str]
    """The names of those that arrows lead to."""
    marked: bool = False


def layered_picture(title: str, boxes: Sequence[Layered]) -> str:
    """The graph as SVG. Boxes come after all that they lead to; each lies just above the highest
    of those."""
    height: dict[str, int] = {}
    for box in boxes:
        height[box.name] = 1 + max((height[name] for name in box.below), default=-1)
    layers: list[list[Layered]] = [[] for _ in range(max(height.values(), default=0) + 1)]
    for box in boxes:
        layers[height[box.name]].append(box)
    wide = max([_LETTER * len(title), *(_across(len(layer)) for layer in layers)])
    places = _places(layers, wide)
    parts = [svg.note(0, 8, title, 14)]
    parts += [_arrow(places[box.name], places[name]) for box in boxes for name in box.below]
    parts += [_box(box, *places[box.name]) for box in boxes]
    return svg.svg(wide, 34 + len(layers) * (_HIGH + _DOWN) - _DOWN, parts)


def _across(count: int) -> float:
    return count * (_WIDE + _APART) - _APART


def _places(layers: Sequence[Sequence[Layered]], wide: float) -> Mapping[str, tuple[float, float]]:
    """The corner of each box; the highest layer is drawn first."""
    out = {}
    for depth, layer in enumerate(reversed(layers)):
        left = (wide - _across(len(layer))) / 2
        for i, box in enumerate(layer):
            out[box.name] = left + i * (_WIDE + _APART), 34 + depth * (_HIGH + _DOWN)
    return out


def _arrow(origin: tuple[float, float], goal: tuple[float, float]) -> str:
    x1, y1 = origin[0] + _WIDE / 2, origin[1] + _HIGH
    x2, y2 = goal[0] + _WIDE / 2, goal[1]
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{svg.LINE}" '
        f'stroke-width="1.5"/><circle cx="{x2:g}" cy="{y2:g}" r="3" fill="{svg.LINE}"/>'
    )


def _box(box: Layered, x: float, y: float) -> str:
    edge = svg.COLOURS[1] if box.marked else svg.LINE
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" rx="6" fill="{svg.FIELD}" '
        f'stroke="{edge}" stroke-width="2"/>'
        + svg.text(x + _WIDE / 2, y + 15, box.name, 14)
        + svg.text(x + _WIDE / 2, y + 32, box.note, 12, svg.FAINT)
    )
