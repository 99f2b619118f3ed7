"""Plot: a chart of a solved game, drawn. A cell shows the best move, a value, or a threshold.

    axes that are left         drawn as
    two                        a map of cells
    one, or lines are wanted   lines over the first axis, one for each value on the second

An axis is left unless it is fixed at one value. With `Chart.until` the last axis is walked along
instead: a cell shows the first value there at which the move `until` is best.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from perfectplay.answer.pictures import plotted
from perfectplay.drawing import svg
from perfectplay.drawing.raster import save
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import RulesError, UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.rules import capabilities
from perfectplay.rules.chart import Chart
from perfectplay.rules.parameters import changed
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.schemas.answers import ChartJson, Shows

MOST = 100
"""Values of an axis that are drawn unless more are asked for; every second, … of longer ones."""
MOST_WALKED = 50
"""The same where every cell walks along another axis."""


@dataclass(frozen=True)
class Cell:
    """What is drawn at one place. Without a position there is no cell."""

    at: tuple[Any, ...]
    """The coordinates on the axes that are drawn."""
    position: str
    """As text; where an axis is walked along, the last position that was looked at."""
    move: str
    """The best move there; empty if nobody moves."""
    value: Value
    """What the position is worth to the player to move; to player 0 if nobody moves."""
    first: Any = None
    """With `until`: the first value on the last axis where that move is best, or None."""


@dataclass(frozen=True)
class Plot(Rich):
    """A chart with its cells; `svg` draws it, `save` writes it as .svg or .png."""

    title: str
    axes: Mapping[str, Sequence[Any]]
    """The axes that are drawn, one or two."""
    fixed: Mapping[str, Any]
    """The other axes, each with its value."""
    shows: Shows
    """"move", "value", or "first"."""
    walked: str
    """The axis that is walked along, if `shows` is "first"."""
    until: str
    cells: Mapping[tuple[Any, ...], Cell]
    """By coordinates."""
    lines: bool

    @property
    def svg(self) -> str:
        """The drawing."""
        return plotted(self)

    def linked(self, link: Callable[[Cell], str]) -> str:
        """The drawing, in which every cell leads to the address that `link` gives for it."""
        return plotted(self, link)

    def words(self, cell: Cell) -> str:
        """A cell in words: where it lies, what it shows, and what its position is worth."""
        place = ", ".join(f"{name} {at}" for name, at in zip(self.axes, cell.at, strict=True))
        move = f"best move {cell.move}" if cell.move else "nobody moves"
        if self.shows == "first":
            never = cell.first is None
            move = (
                f"never {self.until}" if never else f"{self.until} at {self.walked} {cell.first}"
            )
        exact = cell.value.exactness == "exact" or cell.value.kind == "outcome"
        worth = str(cell.value) if exact else f"{float(cell.value):.6g}"
        return f"{place}: {move}; {worth}"

    def save(self, file: str | Path) -> Path:
        """Write the drawing into a file; .png needs Matplotlib."""
        return save(self.svg, file)

    def as_json(self) -> ChartJson:
        """The plot as JSON-ready data."""
        return {
            "title": self.title,
            "axes": [{"name": name, "values": [*values]} for name, values in self.axes.items()],
            "fixed": dict(self.fixed),
            "shows": self.shows,
            "walked": self.walked or None,
            "until": self.until or None,
            "cells": [
                {
                    "at": list(cell.at),
                    "position": cell.position,
                    "move": cell.move,
                    "value": cell.value.as_json(),
                    "first": cell.first,
                }
                for cell in self.cells.values()
            ],
        }

    def grid(self) -> tuple[list[str], list[list[str]]]:
        """The chart as text: heads of columns, and rows, the last value of the second axis first;
        + = - are win, draw and loss."""
        across, *up = self.axes.values()
        rows = []
        for high in reversed(up[0]) if up else [None]:
            at = [(x, high) if up else (x,) for x in across]
            cells = [self.cells.get(place) for place in at]
            rows.append([str(high) if up else "", *(self._sign(cell) for cell in cells)])
        return ["", *map(str, across)], rows

    def _sign(self, cell: Cell | None) -> str:
        """A cell in few letters."""
        if cell is None:
            return "."
        if self.shows == "first":
            return "" if cell.first is None else str(cell.first)
        if self.shows == "move":
            return cell.move
        if cell.value.kind == "outcome":
            return {1: "+", 0: "=", -1: "-"}[cell.value.outcome]
        return f"{float(cell.value):.4g}"

    def summary(self) -> str:
        """What is shown, in words."""
        shown = {
            "first": f"least {self.walked} with which to {self.until}",
            "move": "the best move",
            "value": "value to the player to move",
        }[self.shows]
        fixed = ", ".join(f"{name} {value}" for name, value in self.fixed.items())
        return f"{shown}; {fixed}" if fixed else shown

    def spread(self, axis: str) -> str:
        """The values of an axis, in words."""
        values = [*map(str, self.axes[axis])]
        return ", ".join(values if len(values) < 9 else [*values[:2], "…", values[-1]])

    def display(self) -> Display:
        """The drawing."""
        return Display(f"{self.title}: {self.summary()}", svg=self.svg)

    def __repr__(self) -> str:
        size = " x ".join(str(len(values)) for values in self.axes.values())
        return f"<chart: {self.title}, {size}, {len(self.cells)} cells>"


def plot(
    solution: Solution,
    *,
    at: Mapping[str, Any] | None = None,
    show: str = "",
    lines: bool = False,
    progress: Progress | None = None,
) -> Plot:
    """The chart of a solved game. `at` fixes an axis ({"turn total": 20}) or names the values that
    are drawn ({"own score": range(50)}); `show` is "move" or "value" if not what the game says."""
    chart = chart_of(solution.game)
    walked = "" if show or not chart.until else [*chart.axes][-1]
    axes, fixed = _drawn(chart, at or {}, walked)
    if walked and (len(axes) < 1 or walked in fixed or walked in axes):
        walked = ""
    shows = "first" if walked else show or chart.show
    if shows not in ("first", "move", "value"):
        raise UsageError(f"a chart cannot show {shows!r}", "move or value")
    lines = lines or len(axes) == 1
    if lines and len(axes) == 2 and len([*axes.values()][1]) > len(svg.COLOURS):
        name = [*axes][1]
        raise UsageError(
            f"{len([*axes.values()][1])} lines are too many", f"choose some values of {name!r}"
        )
    cells = _Look(solution, chart, fixed, walked).all(axes, progress or Silent())
    if not cells and at:
        shown = ", ".join(f"{name}={value}" for name, value in at.items())
        raise UsageError(f"no position that can arise lies at {shown}", "choose other values")
    if not cells:
        raise RulesError(
            f"{type(solution.game).__name__}: chart() leads to no position that can arise",
            "its function must give positions as start() and play() do",
        )
    return Plot(
        title=chart.title or _title(solution),
        axes=axes,
        fixed=fixed,
        shows="value" if lines and shows == "move" else cast("Shows", shows),
        walked=walked,
        until=chart.until if walked else "",
        cells=cells,
        lines=lines,
    )


def chart_of(game: Any) -> Chart:
    """The chart that the rules of a game declare."""
    name = type(game).__name__
    chart = capabilities.chart(game)
    if chart is None:
        raise UsageError(
            f"{name} has no chart",
            "derive from Charted and write chart(): see docs/charts.md, and Pig for an example",
        )
    if not isinstance(chart, Chart) or not chart.axes or not all(map(len, chart.axes.values())):
        raise RulesError(
            f"{name}: chart() must return a Chart with at least one axis and values on each",
            "Chart({'own score': range(100), …}, position)",
        )
    return chart


def _title(solution: Solution) -> str:
    game = solution.game
    given = ", ".join(f"{name}={text}" for name, text in changed(game).items())
    return f"{type(game).__name__} ({given})" if given else type(game).__name__


def _drawn(
    chart: Chart, at: Mapping[str, Any], walked: str
) -> tuple[dict[str, Sequence[Any]], dict[str, Any]]:
    """The axes that are drawn with their values, and the value of every other axis."""
    for name in at:
        if name not in chart.axes:
            raise UsageError(
                f"the chart has no axis called {name!r}", f"axes: {', '.join(chart.axes)}"
            )
    axes: dict[str, Sequence[Any]] = {}
    fixed: dict[str, Any] = {}
    free = [
        name
        for name in chart.axes
        if not (name == walked and name not in at)
        and not (name in at and not _several(chart.axes[name], at[name]))
    ]
    most = MOST_WALKED if walked in chart.axes and walked not in at and len(free) > 1 else MOST
    for name, values in chart.axes.items():
        if name in at and not _several(values, at[name]):
            fixed[name] = _on_axis(name, values, at[name])
        elif name == walked and name not in at:
            continue
        elif name in free[:2]:
            asked = [_on_axis(name, values, each) for each in at[name]] if name in at else None
            axes[name] = asked or values[:: math.ceil(len(values) / most)]
        else:
            fixed[name] = values[0]
    if not axes:
        raise UsageError("all axes are fixed: nothing is left to draw", "leave one or two out")
    return axes, fixed


def _several(values: Sequence[Any], asked: Any) -> bool:
    """Whether several values of an axis are asked for, not one."""
    return isinstance(asked, Sequence) and not isinstance(asked, str) and asked not in values


def _on_axis(name: str, values: Sequence[Any], value: Any) -> Any:
    """The value of an axis that is meant; a text stands for the value that is shown so."""
    for each in values:
        if each == value or str(each) == str(value):
            return each
    shown = f"{values[0]} to {values[-1]}" if len(values) > 8 else ", ".join(map(str, values))
    raise UsageError(f"{name}={value} is not on the axis", f"values there: {shown}")


class _Look:
    """Looks positions up."""

    def __init__(
        self, solution: Solution, chart: Chart, fixed: Mapping[str, Any], walked: str
    ) -> None:
        self.solution = solution
        self.chart = chart
        self.fixed = fixed
        self.walked = walked

    def all(
        self, axes: Mapping[str, Sequence[Any]], progress: Progress
    ) -> dict[tuple[Any, ...], Cell]:
        """The cells of all places that have a position."""
        cells = {}
        progress.start("chart", math.prod(map(len, axes.values())))
        for at in itertools.product(*axes.values()):
            place = {**self.fixed, **dict(zip(axes, at, strict=True))}
            cell = self._walk(at, place) if self.walked else self._cell(at, place)
            if cell is not None:
                cells[at] = cell
            progress.advance(1)
        return cells

    def _cell(self, at: tuple[Any, ...], place: Mapping[str, Any]) -> Cell | None:
        """The cell at a place; None if no such position can arise."""
        solution = self.solution
        p = self._position(place)
        if p is None:
            return None
        try:
            value = solution.value(p)
        except UsageError:
            return None
        moves = solution.moves(p)
        return Cell(at, solution.game.text(p), moves[0].text if moves else "", value)

    def _walk(self, at: tuple[Any, ...], place: dict[str, Any]) -> Cell | None:
        """The cell where the move `until` is best for the first time along the walked axis."""
        last = None
        for value in self.chart.axes[self.walked]:
            there = {**place, self.walked: value}
            move = self._stored(there)
            if move is not None and move != self.chart.until:
                last = there if move else last
                continue
            cell = self._cell(at, there)
            if cell is not None and cell.move == self.chart.until:
                return Cell(at, cell.position, cell.move, cell.value, value)
            last = there if cell else last
        return self._cell(at, last) if last else None

    def _stored(self, place: Mapping[str, Any]) -> str | None:
        """The stored best move, which is found sooner than by comparing all moves; None if there
        may be another; nothing if no such position can arise."""
        game = self.solution.game
        p = self._position(place)
        try:
            if p is None or game.representative(p) != p:
                return None if p is not None else ""
            row = self.solution.row(p)
            if row is None or row.get("move", -1) < 0:
                return "" if row is None else None
            return game.move_text(p, next(itertools.islice(game.moves(p), row["move"], None)))
        except Exception:  # rules need not bear what is no position at all
            return None

    def _position(self, place: Mapping[str, Any]) -> Any:
        arguments = [place[name] for name in self.chart.axes]
        try:
            return self.chart.position(*arguments)
        except Exception as error:
            raise RulesError(
                f"{type(self.solution.game).__name__}: chart() has no position at "
                f"{', '.join(f'{name} {value}' for name, value in place.items())}: "
                f"{type(error).__name__}: {error}",
                "return None where there is no position",
            ) from None
