"""Pictures of plots (plot.py) and of sweeps (sweep.py), drawn by drawing/axes.py.

Chances, scores and totals are drawn as numbers; outcomes by their depth, coloured as win, draw or
loss. What has no value leaves a gap.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfectplay.drawing.axes import NEVER, Axis, Lines, Map, Paint, Scale, Series
from perfectplay.drawing.svg import COLOURS, FIELD
from perfectplay.rules.parameters import value_text
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from perfectplay.answer.plot import Cell, Plot
    from perfectplay.answer.sweep import Sweep

OUTCOMES = {"win": COLOURS[0], "draw": NEVER, "loss": COLOURS[1]}
"""Colours of outcomes."""


def shown(value: Value | None) -> float | None:
    """The number that stands for a value; None if it has none."""
    if value is None:
        return None
    if value.kind == "outcome":
        return None if value.depth is None else float(value.depth)
    number = float(value)
    return number if math.isfinite(number) else None


def _short(number: float) -> str:
    """A number for a cell: three digits behind the point, or three in all."""
    if number == int(number):
        return f"{number:.0f}"
    return f"{number:.3f}" if abs(number) < 1 else f"{number:.3g}"


def _colour(value: Value | None) -> str:
    return FIELD if value is None else OUTCOMES[value.outcome.name.lower()]


def outcome_key(values: Sequence[Value | None]) -> list[tuple[str, str]]:
    """The legend of the outcomes that occur."""
    seen = {value.outcome.name.lower() for value in values if value is not None}
    return [(colour, name) for name, colour in OUTCOMES.items() if name in seen]


# -- Plots. ---------------------------------------------------------------------------------------


def plotted(plot: Plot, link: Callable[[Cell], str] | None = None) -> str:
    """The picture of a plot as SVG; with `link`, every cell leads to the address it gives."""
    return _Lines(plot, link).svg() if plot.lines else _Map(plot, link).svg()


def _cell_number(shows: str, cell: Cell) -> float | None:
    """What a cell shows, if that is a number."""
    if shows == "value":
        return shown(cell.value)
    if shows == "move":  # "floor 14", "3 dice"
        words = re.findall(r"\d+", cell.move)
        return float(words[0]) if len(words) == 1 else None
    try:
        number = float(cell.first)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _plot_numbers(plot: Plot) -> str:
    """What the numbers of a plot are."""
    if plot.shows == "first":
        return f"{plot.until} at {plot.walked}"
    return "best move" if plot.shows == "move" else "value"


def _outcome_paint(cell: Cell) -> Paint:
    number = shown(cell.value)
    return Paint(_colour(cell.value), "" if number is None else f"{number:g}")


class _Map:
    """A plot as cells."""

    def __init__(self, plot: Plot, link: Callable[[Cell], str] | None) -> None:
        self.plot, self.link = plot, link
        self.cells = [*plot.cells.values()]
        self.numbers = [_cell_number(plot.shows, cell) for cell in self.cells]

    def svg(self) -> str:
        """The drawing."""
        (across, xs), (up, ys) = self.plot.axes.items()
        paint, key, scale = self._style()
        column = {value: i for i, value in enumerate(xs)}
        row = {value: j for j, value in enumerate(ys)}
        cells = {(column[c.at[0]], row[c.at[1]]): self._linked(c, paint(c)) for c in self.cells}
        if len(cells) < len(xs) * len(ys):
            key.append((FIELD, "cannot arise"))
        labels = ([str(value) for value in xs], [str(value) for value in ys])
        return Map(
            self.plot.title,
            Axis(across, labels[0]),
            Axis(up, labels[1]),
            cells,
            key,
            scale,
            [self.plot.summary()],
        ).svg()

    def _linked(self, cell: Cell, paint: Paint) -> Paint:
        if self.link is None:
            return paint
        return paint._replace(tip=self.plot.words(cell), link=self.link(cell))

    def _style(self) -> tuple[Callable[[Cell], Paint], list[tuple[str, str]], Scale | None]:
        """How cells are painted, with what the legend says."""
        found = [number for number in self.numbers if number is not None]
        if self.plot.shows == "value" and self.cells[0].value.kind == "outcome":
            return _outcome_paint, outcome_key([cell.value for cell in self.cells]), None
        moves = [cell.move for cell in self.cells if cell.move]
        if self.plot.shows == "move" and len(found) < len(moves):
            return self._move_style()
        signed = self.plot.shows == "value" and self.cells[0].value.kind == "score"
        scale = Scale(
            _plot_numbers(self.plot), min(found, default=0), max(found, default=0), signed
        )
        key = []
        if len(found) < len(self.cells):
            key = [(NEVER, "never" if self.plot.shows == "first" else "nothing")]

        def paint(cell: Cell) -> Paint:
            number = _cell_number(self.plot.shows, cell)
            if number is None:
                return Paint(NEVER)
            return Paint(scale.colour(number), _short(number))

        return paint, key, scale if found else None

    def _move_style(self) -> tuple[Callable[[Cell], Paint], list[tuple[str, str]], None]:
        counts: dict[str, int] = {}
        for cell in self.cells:
            if cell.move:
                counts[cell.move] = counts.get(cell.move, 0) + 1
        most = sorted(counts, key=lambda move: -counts[move])[: len(COLOURS)]
        colours = dict(zip(most, COLOURS, strict=False))
        key = [(colour, move) for move, colour in colours.items()]
        if len(counts) > len(most):
            key.append(("#ffffff", "other moves"))
        if any(not cell.move for cell in self.cells):
            key.append((NEVER, "nobody moves"))
        return (
            lambda cell: Paint(colours.get(cell.move, "#ffffff") if cell.move else NEVER),
            key,
            None,
        )


class _Lines:
    """A plot as lines."""

    def __init__(self, plot: Plot, link: Callable[[Cell], str] | None) -> None:
        self.plot, self.link = plot, link

    def svg(self) -> str:
        """The drawing."""
        plot = self.plot
        (across, xs), *second = plot.axes.items()
        never = plot.shows == "first" and any(c.first is None for c in plot.cells.values())
        named = all(isinstance(x, int | float) for x in xs)
        series = []
        for value in second[0][1] if second else [None]:
            at = (value,) if second else ()
            points, links = [], []
            for i, x in enumerate(xs):
                cell = plot.cells.get((x, *at))
                if self.link is not None:
                    links.append((self.link(cell), plot.words(cell)) if cell else ("", ""))
                number = None if cell is None else _cell_number(plot.shows, cell)
                points.append((float(x) if named else float(i), number))
            name = f"{second[0][0]} {value}" if second else ""
            series.append(Series(name, points, links=links))
        return Lines(
            plot.title,
            across,
            plot.walked if plot.shows == "first" else _plot_numbers(plot),
            series,
            () if named else [str(x) for x in xs],
            notes=[plot.summary(), *(["(no line: never)"] if never else [])],
        ).svg()


def convergence(report: Mapping[str, Any]) -> str:
    """The residual of each round of the method that a game was solved by, on a logarithmic
    scale."""
    points = [
        (float(k), math.log10(residual) if residual > 0 else None)
        for k, residual in enumerate(report["residuals"], 1)
    ]
    rounds = {int(count): number for count, number in report["rounds"].items()}
    note = (
        f"the component with most rounds of {sum(rounds.values()):,}; a residual of 0 is not drawn"
    )
    title = f"{report['game']}: {METHOD_WORDS.get(report['method'], report['method'])}"
    return Lines(title, "round", "log10 of the residual", [Series("", points)], notes=[note]).svg()


METHOD_WORDS = {
    "naive": "value iteration",
    "newton": "Newton's method",
    "strategy": "strategy iteration",
    "auto": "the default method",
}
"""Methods as people call them."""


# -- Sweeps. --------------------------------------------------------------------------------------


def swept(sweep: Sweep) -> str:
    """The picture of a sweep as SVG."""
    return _map(sweep) if len(sweep.over) == 2 else _lines(sweep)


def _title(sweep: Sweep) -> str:
    given = ", ".join(f"{name}={value_text(value)}" for name, value in sweep.fixed.items())
    return f"{sweep.game} ({given})" if given else sweep.game


def _outcomes(sweep: Sweep) -> bool:
    return any(row.value is not None and row.value.kind == "outcome" for row in sweep.rows)


def _what(sweep: Sweep) -> str:
    """What the numbers are."""
    if _outcomes(sweep):
        return "plies to the end, from the first position"
    names = {"score": "score", "total": "total", "chance": "value"}
    kinds = {names.get(row.value.kind, "value") for row in sweep.rows if row.value is not None}
    whose = "" if _players(sweep) == 1 or _players(sweep) > 2 else " to the player to move"
    return f"{kinds.pop() if len(kinds) == 1 else 'value'} of the first position{whose}"


def _players(sweep: Sweep) -> int:
    return max((len(row.values) for row in sweep.rows), default=1)


def _lines(sweep: Sweep) -> str:
    [(name, values)] = sweep.over.items()
    numeric = all(isinstance(value, int | float) and value is not True for value in values)
    numeric = numeric and not any(isinstance(value, bool) for value in values)
    at = {value: float(value) if numeric else float(i) for i, value in enumerate(values)}
    found = [(at[row.parameters[name]], row) for row in sweep.rows]
    key: list[tuple[str, str]] = []
    if _outcomes(sweep):
        colours = [_colour(row.value) for _, row in found]
        series = [Series("", [(x, _or_zero(row.value)) for x, row in found], colours)]
        key = outcome_key([row.value for row in sweep.rows])
    elif _players(sweep) > 2:
        series = [
            Series(
                f"player {i + 1}",
                [(x, shown(row.values[i]) if row.values else None) for x, row in found],
            )
            for i in range(_players(sweep))
        ]
    else:
        series = [Series("", [(x, shown(row.value)) for x, row in found])]
    labels = () if numeric else [value_text(value) for value in values]
    return Lines(_title(sweep), name, _what(sweep), series, labels, key).svg()


def _or_zero(value: Value | None) -> float | None:
    """The depth of an outcome; endless play is drawn at the bottom."""
    return None if value is None else float(value.depth or 0)


def _map(sweep: Sweep) -> str:
    (across, xs), (up, ys) = sweep.over.items()
    numbers = [number for row in sweep.rows if (number := shown(row.value)) is not None]
    outcomes = _outcomes(sweep)
    signed = any(row.value is not None and row.value.kind == "score" for row in sweep.rows)
    scale = Scale("value", min(numbers, default=0), max(numbers, default=0), signed)
    cells = {}
    for row in sweep.rows:
        if row.value is None:
            continue
        place = xs.index(row.parameters[across]), ys.index(row.parameters[up])
        number = shown(row.value)
        words = "" if number is None else _short(number)
        colour = scale.colour(number) if number is not None else NEVER
        cells[place] = Paint(_colour(row.value) if outcomes else colour, words)
    key = outcome_key([row.value for row in sweep.rows]) if outcomes else []
    if len(cells) < len(xs) * len(ys):
        key.append((FIELD, "not solved"))
    return Map(
        _title(sweep),
        Axis(across, [value_text(value) for value in xs]),
        Axis(up, [value_text(value) for value in ys]),
        cells,
        key,
        None if outcomes or not numbers else scale,
        [_what(sweep)],
    ).svg()
