"""Line plots and maps of cells as SVG text: axes, ticks, scales of colour, legends.

Both drawings use only rectangles, lines, polylines, circles and words (svg.py), so that raster.py
can paint them as PNG as well.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from perfectplay.drawing import svg

WIDE, HIGH = 560, 330
"""The plane of a line plot."""
LARGEST, SMALLEST = 36, 5
"""How long the sides of a cell can be."""
ROOMY = 18
"""From this size on cells are set apart."""
SHADES = ("#fbf3d5", "#b9dcb5", "#58a9b2", "#2a6498", "#1b2c5e")
"""From little to much."""
SIGNED = ("#b4560b", "#f0b774", "#f7f4ec", "#8fb8de", "#1f5a96")
"""From negative through nothing to positive."""
NEVER = "#d9d4c8"
_SMALL = 12.0


Coordinate = Callable[[float], float]
"""Where a number lies on the picture."""


class Paint(NamedTuple):
    """What a cell shows."""

    colour: str
    words: str = ""
    tip: str = ""
    """What a reader who points at the cell sees."""
    link: str = ""
    """The address that the cell leads to, if any."""


BLANK = Paint("")


class Series(NamedTuple):
    """A line of a plot: points, with None where there is none, and perhaps a colour for each."""

    name: str
    points: Sequence[tuple[float, float | None]]
    colours: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    """For each point the address that it leads to, and what it is in words; or none at all."""


@dataclass(frozen=True)
class Scale:
    """Colours for numbers from `low` to `high`; around zero if they are `signed`."""

    name: str
    low: float
    high: float
    signed: bool = False

    def colour(self, number: float) -> str:
        """The colour of a number."""
        low, high = self.low, self.high
        if self.signed:
            high = max(abs(low), abs(high))
            low = -high
        share = (number - low) / (high - low) if high > low else 0.5
        return _mixed(SIGNED if self.signed else SHADES, min(1.0, max(0.0, share)))


@dataclass(frozen=True)
class Axis:
    """What lies along one side of a map: names of cells in order."""

    name: str
    labels: Sequence[str]


@dataclass(frozen=True)
class Map:
    """Cells by (column, row), the first row below; `key` explains colours, `scale` numbers."""

    title: str
    across: Axis
    up: Axis
    cells: Mapping[tuple[int, int], Paint]
    key: Sequence[tuple[str, str]] = ()
    scale: Scale | None = None
    notes: Sequence[str] = field(default=())

    def svg(self) -> str:
        """The map as an SVG drawing."""
        columns, rows = len(self.across.labels), len(self.up.labels)
        side = max(SMALLEST, min(LARGEST, 640 // max(columns, rows, 1)))
        left = 10 + 7.0 * max(map(len, self.up.labels), default=1)
        parts, top = _heading(self.title, self.notes)
        parts.append(svg.note(0, top, self.up.name, _SMALL, svg.FAINT))
        top += 14
        wide, high = side * columns, side * rows
        parts.append(_rect(left, top, wide, high, svg.FIELD))
        parts += self._cells(left, top, side)
        names = self.across.labels
        parts += [
            svg.text(left + side * (i + 0.5), top + high + 11, names[i], _SMALL, svg.FAINT)
            for i in _marked(names, (10 + 7.0 * max(map(len, names), default=1)) / side)
        ]
        parts += [
            _ending(left - 6, top + high - side * (j + 0.5), self.up.labels[j])
            for j in _marked(self.up.labels, 15 / side)
        ]
        parts.append(_frame(left, top, wide, high))
        below = top + high + 30
        parts.append(svg.text(left + wide / 2, below, self.across.name, _SMALL, svg.FAINT))
        legend, right = _legend(left + wide + 20, top + 6, self.key, self.scale)
        across = max(right, _width(self.title, 16), *(_width(n, 13) for n in self.notes), 0)
        down = max(below + 8, top + 22 * (len(self.key) + 1) + (150 if self.scale else 0))
        return svg.svg(across, down, [*parts, *legend])

    def _cells(self, left: float, top: float, side: float) -> list[str]:
        """Neighbours in a row that look alike become one rectangle; words come on top."""
        parts = []
        rows = len(self.up.labels)
        gap = 1 if side >= ROOMY else 0
        for j in range(rows):
            y = top + side * (rows - 1 - j)
            i = 0
            while i < len(self.across.labels):
                paint = self.cells.get((i, j))
                run = 1
                while (
                    paint
                    and side < ROOMY
                    and self.cells.get((i + run, j), BLANK).colour == paint.colour
                ):
                    run += 1
                if paint:
                    parts.append(
                        _rect(left + side * i, y, side * run - gap, side - gap, paint.colour)
                    )
                i += run
        return parts + self._words(left, top, side) + self._links(left, top, side)

    def _links(self, left: float, top: float, side: float) -> list[str]:
        """What can be clicked, over everything else, row by row from the top."""
        rows = len(self.up.labels)
        linked = sorted(
            ((rows - 1 - j, i, paint) for (i, j), paint in self.cells.items() if paint.link),
            key=lambda cell: cell[:2],
        )
        return [
            svg.link(
                paint.link,
                paint.tip,
                f'<rect class="cell" x="{left + side * i:g}" y="{top + side * down:g}" '
                f'width="{side:g}" height="{side:g}" fill-opacity="0"/>',
            )
            for down, i, paint in linked
        ]

    def _words(self, left: float, top: float, side: float) -> list[str]:
        longest = max((len(paint.words) for paint in self.cells.values()), default=0)
        size = min(0.6 * side, 1.6 * side / max(1, longest), 15)
        if size < 6 or not longest:
            return []
        rows = len(self.up.labels)
        return [
            svg.text(
                left + side * (i + 0.5),
                top + side * (rows - j - 0.5),
                paint.words,
                round(size, 1),
                "#ffffff" if _dark(paint.colour) else svg.INK,
            )
            for (i, j), paint in self.cells.items()
            if paint.words
        ]


@dataclass(frozen=True)
class Lines:
    """Lines over one axis. With `labels` the axis has names at 0, 1, … and points are not
    joined."""

    title: str
    across: str
    up: str
    series: Sequence[Series]
    labels: Sequence[str] = ()
    key: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = field(default=())

    def svg(self) -> str:
        """The plot as an SVG drawing."""
        shown = [p for each in self.series for p in each.points if p[1] is not None]
        xs = [x for x, _ in shown] or [0.0]
        ys = [y for _, y in shown if y is not None] or [0.0]
        low, high, marks = _rounded(min(ys), max(ys))
        marked = [_number(y, marks) for y in marks]
        left = 12 + 7.0 * max(map(len, marked))
        parts, top = _heading(self.title, self.notes)
        parts.append(svg.note(0, top, self.up, _SMALL, svg.FAINT))
        top += 18
        first, last = (0.0, len(self.labels) - 1.0) if self.labels else (min(xs), max(xs))
        pad = WIDE / (2 * len(self.labels)) if self.labels else 8

        def x_of(x: float) -> float:
            share = (x - first) / (last - first) if last > first else 0.5
            return left + pad + (WIDE - 2 * pad) * share

        def y_of(y: float) -> float:
            return top + HIGH * (high - y) / (high - low)

        for y, word in zip(marks, marked, strict=True):
            parts.append(svg.line(left, y_of(y), left + WIDE, y_of(y), svg.SHADE, 1))
            parts.append(_ending(left - 8, y_of(y), word))
        parts += [
            svg.text(x_of(x), top + HIGH + 12, word, _SMALL, svg.FAINT)
            for x, word in self._along(first, last, xs)
        ]
        below = top + HIGH + 32
        parts.append(svg.text(left + WIDE / 2, below, self.across, _SMALL, svg.FAINT))
        for number, each in enumerate(self.series):
            parts += self._line(each, svg.COLOURS[number % len(svg.COLOURS)], x_of, y_of)
        key = self.key or [
            (svg.COLOURS[i % len(svg.COLOURS)], each.name)
            for i, each in enumerate(self.series)
            if each.name
        ]
        legend, right = _legend(left + WIDE + 20, top + 6, key, None)
        across = max(right, _width(self.title, 16), *(_width(n, 13) for n in self.notes), 0)
        return svg.svg(across, below + 8, [*parts, *legend])

    def _along(self, first: float, last: float, xs: Sequence[float]) -> list[tuple[float, str]]:
        """Where the axis has marks, and their names."""
        if self.labels:
            wide = 7 * max(map(len, self.labels)) + 14
            step = max(1, math.ceil(len(self.labels) * wide / WIDE))
            return [(i, self.labels[i]) for i in range(0, len(self.labels), step)]
        if len(set(xs)) <= 12 and all(x == int(x) for x in xs):
            return [(x, f"{x:g}") for x in sorted(set(xs))]
        _, _, marks = _rounded(first, last)
        return [(x, _number(x, marks)) for x in marks if first <= x <= last]

    def _line(self, each: Series, colour: str, x_of: Coordinate, y_of: Coordinate) -> list[str]:
        """Runs of points that follow each other, and dots if there is room for them."""
        parts = []
        run: list[str] = []
        alone: list[str] = []
        for x, y in [*each.points, (0.0, None)]:
            if y is not None:
                run.append(f"{x_of(x):.1f},{y_of(y):.1f}")
                continue
            if len(run) > 1 and not self.labels:
                parts.append(_polyline(run, colour))
            elif run:
                alone.append(run[0])
            run = []
        dots = each.colours or [colour] * len(each.points)
        if self.labels or each.colours or len(each.points) <= 40:
            parts += [
                svg.circle(x_of(x), y_of(y), 4, dot, svg.FIELD)
                for (x, y), dot in zip(each.points, dots, strict=True)
                if y is not None
            ]
        else:
            lone = (map(float, at.split(",")) for at in alone)
            parts += [svg.circle(x, y, 3, colour, colour) for x, y in lone]
        parts += [
            svg.link(address, tip, _target(x_of(x), y_of(y)))
            for (x, y), (address, tip) in zip(each.points, each.links, strict=False)
            if y is not None and address
        ]
        return parts


# -- Pieces. --------------------------------------------------------------------------------------


def _heading(title: str, notes: Sequence[str]) -> tuple[list[str], float]:
    """Title and notes, and where the next line of words goes."""
    parts = [svg.note(0, 6, title, 16)]
    parts += [svg.note(0, 26 + 18 * i, words, 13, svg.FAINT) for i, words in enumerate(notes)]
    return parts, 32.0 + 18 * len(notes)


def _legend(
    x: float, y: float, key: Sequence[tuple[str, str]], scale: Scale | None
) -> tuple[list[str], float]:
    """What colours mean, from (x, y) down, and where it ends on the right."""
    parts = []
    right = x
    for colour, words in key:
        parts += [svg.box(x, y - 7, 14, 14, colour), svg.note(x + 22, y, words, 13)]
        right = max(right, x + 22 + _width(words, 13))
        y += 22
    if scale is None:
        return parts, right if key else x - 10
    parts.append(svg.note(x, y, scale.name, 13))
    right = max(right, x + _width(scale.name, 13), x + 90)
    steps = 24
    span = scale.high - scale.low
    parts += [
        _rect(x, y + 14 + 5 * i, 14, 5, scale.colour(scale.high - span * i / (steps - 1)))
        for i in range(steps)
    ]
    for share in (0.0, 0.5, 1.0) if span > 0 else (0.0,):
        number = f"{scale.high - span * share:.4g}"
        parts.append(svg.note(x + 22, y + 16 + 116 * share, number, _SMALL, svg.FAINT))
    return parts, right


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>'


def _frame(x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="none" '
        f'stroke="{svg.LINE}" stroke-width="1.2"/>'
    )


def _target(x: float, y: float) -> str:
    """Where a point of a line is clicked."""
    return f'<circle class="cell" cx="{x:.1f}" cy="{y:.1f}" r="7" fill-opacity="0"/>'


def _polyline(points: Sequence[str], colour: str) -> str:
    return (
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>'
    )


def _ending(x: float, y: float, words: str) -> str:
    """Words that end at (x, y)."""
    return svg.text(x, y, words, _SMALL, svg.FAINT).replace('"middle"', '"end"')


def _width(words: str, size: float) -> float:
    """About how wide a text is."""
    return 0.56 * size * len(words)


def _marked(labels: Sequence[str], apart: float) -> list[int]:
    """Which cells of an axis are named: all if names keep `apart`, else at round numbers."""
    every = max(1, math.ceil(apart))
    if every == 1:
        return [*range(len(labels))]
    steps = [power * s for power in (1, 10, 100, 1000) for s in (1, 2, 5)]
    if all(label.isdigit() for label in labels):
        for step in steps:
            round_ones = [i for i, label in enumerate(labels) if int(label) % step == 0]
            gaps = [b - a for a, b in itertools.pairwise(round_ones)]
            if len(gaps) > 1 and min(gaps) >= apart:
                return round_ones
    return [*range(0, len(labels), next((s for s in steps if s >= every), every))]


def _rounded(low: float, high: float) -> tuple[float, float, list[float]]:
    """A range of round numbers that holds low … high, and marks in it."""
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * s for s in (1, 2, 2.5, 5, 10) if power * s >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [step * i for i in range(first, last + 1)]
    return marks[0], marks[-1], marks


def _number(number: float, marks: Sequence[float]) -> str:
    """A mark with as many digits as its neighbours need."""
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9) + (f"{step:.1e}"[2] != "0"))
    return f"{number:.{digits}f}" if digits < 7 else f"{number:.3g}"


def _mixed(colours: Sequence[str], share: float) -> str:
    """The colour at `share` of the way through several."""
    place = share * (len(colours) - 1)
    i = min(int(place), len(colours) - 2)
    a, b = (_parts(colour) for colour in colours[i : i + 2])
    return "#" + "".join(
        f"{round(x + (y - x) * (place - i)):02x}" for x, y in zip(a, b, strict=True)
    )


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _dark(colour: str) -> bool:
    red, green, blue = _parts(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
