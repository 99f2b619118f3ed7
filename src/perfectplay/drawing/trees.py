"""Trees, drawn twice from one description: as text with box characters, and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg

_LETTER = 7.6
"""Width of a letter of the size that boxes are written in."""
_SMALL = 6.4
_LINE = 17
_GAP = 12
"""Between boxes of one column."""
_FEELER = 34
"""Between columns, apart from what is written on the edges."""


@dataclass(frozen=True)
class Branch:
    """A box of a tree, and the edge that leads to it."""

    label: str
    """What stands on the edge; nothing at the root."""
    marked: bool
    """Whether the edge is one of the best."""
    lines: tuple[str, ...]
    """What stands in the box: words, or the rows of a board."""
    title: str
    """The same in one line."""
    note: str
    """What stands below it: its value."""
    branches: tuple[Branch, ...] = ()


def text_tree(root: Branch) -> Iterator[str]:
    """A tree as lines of text."""
    yield f"{root.title}   {root.note}"
    yield from _below(root, "")


def _below(branch: Branch, before: str) -> Iterator[str]:
    for each in branch.branches:
        last = each is branch.branches[-1]
        mark = "*" if each.marked else " "
        yield f"{before}{'└─' if last else '├─'}{mark} {each.label}: {each.title}   {each.note}"
        yield from _below(each, before + ("    " if last else "│   "))


# -- SVG. -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """Where the boxes of one depth stand."""

    x: float
    wide: float


def tree_picture(root: Branch) -> str:
    """A tree as SVG: the root on the left, what follows to the right of it."""
    columns = _columns(root)
    parts: list[str] = []
    high = _placed(root, 0, 0.0, columns, parts)[0]
    return svg.svg(columns[-1].x + columns[-1].wide, high - _GAP, parts)


def _columns(root: Branch) -> list[_Column]:
    found: list[_Column] = []
    level, x = [root], 0.0
    while level:
        if found:
            x += found[-1].wide + _FEELER + max(_SMALL * (len(each.label) + 2) for each in level)
        found.append(_Column(x, max(map(_width, level))))
        level = [each for branch in level for each in branch.branches]
    return found


def _width(branch: Branch) -> float:
    return max(_LETTER * max(map(len, branch.lines)), _SMALL * len(branch.note)) + 14


def _height(branch: Branch) -> float:
    return _LINE * (len(branch.lines) + 1) + 8


def _placed(
    branch: Branch, depth: int, top: float, columns: list[_Column], parts: list[str]
) -> tuple[float, float]:
    """Draw what begins at `top`; the height that it takes, and where the middle of its box is."""
    column, own = columns[depth], _height(branch)
    middles: list[float] = []
    used = 0.0
    shift = max(0.0, (own + _GAP - _needed(branch)) / 2) if branch.branches else 0.0
    for each in branch.branches:
        high, middle = _placed(each, depth + 1, top + shift + used, columns, parts)
        middles.append(middle)
        used += high
    middle = (middles[0] + middles[-1]) / 2 if middles else top + own / 2
    for each, other in zip(branch.branches, middles, strict=True):
        _edge(each, (column.x + _width(branch), middle), (columns[depth + 1].x, other), parts)
    _box(branch, column.x, middle, parts)
    return max(own + _GAP, used), middle


def _needed(branch: Branch) -> float:
    """The height that a branch takes with all below it."""
    return max(_height(branch) + _GAP, sum(map(_needed, branch.branches)))


def _edge(
    branch: Branch, begin: tuple[float, float], end: tuple[float, float], parts: list[str]
) -> None:
    """The line to a box, with its label before the box; best ones are thick and have a star."""
    label = f"* {branch.label}" if branch.marked else branch.label
    colour, wide = (svg.COLOURS[0], 2.6) if branch.marked else (svg.LINE, 1.4)
    bend = end[0] - _SMALL * len(label) - 12
    parts.append(svg.line(*begin, bend, end[1], colour, wide))
    parts.append(svg.line(bend, end[1], *end, colour, wide))
    ink = colour if branch.marked else svg.FAINT
    parts.append(svg.note(bend + 4, end[1] - 9, label, 12, ink))


def _box(branch: Branch, x: float, middle: float, parts: list[str]) -> None:
    wide, high = _width(branch), _height(branch)
    top = middle - high / 2
    parts.append(svg.box(x, top, wide, high))
    for number, line in enumerate(branch.lines):
        y = top + 13 + _LINE * number
        if len(branch.lines) == 1:
            parts.append(svg.text(x + wide / 2, y, line, 14))
        else:
            parts += _aligned(line, x + (wide - _LETTER * max(map(len, branch.lines))) / 2, y)
    below = top + 13 + _LINE * len(branch.lines)
    parts.append(svg.text(x + wide / 2, below, branch.note, 12, svg.FAINT))


def _aligned(row: str, x: float, y: float) -> Iterator[str]:
    """The row of a board: each letter has its place, whatever the font."""
    for number, letter in enumerate(row):
        if letter != " ":
            yield svg.text(x + _LETTER * (number + 0.5), y, letter, 14)
