"""The chart of a game on a page: every cell is a link to its position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from perfectplay.answer.plot import Plot, chart_of
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.rules.parameters import split_values
from perfectplay.web.state import State

MOST, MOST_WALKED = 40, 30
"""Values of an axis that are drawn, at most; fewer where each cell walks along another axis."""
OFFERED = 200
"""Values of an axis that its field offers, at most."""
LONGEST = 200
"""Characters of what is asked for on one axis."""


@dataclass(frozen=True)
class ChartAxis:
    """One axis, as the form of a chart shows it."""

    number: int
    name: str
    asked: str
    """What the reader asked for; empty for all of it."""
    values: Sequence[str]
    """What the field offers."""
    spread: str
    """Where it runs, in words."""
    drawn: str
    """What becomes of it: drawn, fixed at a value, or looked along."""


@dataclass(frozen=True)
class ChartPage:
    """Everything on the page of a chart."""

    svg: Markup
    summary: str
    axes: tuple[ChartAxis, ...]
    shows: tuple[tuple[str, str, bool], ...]
    """What can be shown: its name in the address, in words, and whether it is."""
    thinned: str
    """What is left out, in words."""


def chart_page(solution: Solution, state: State, query: Mapping[str, list[str]]) -> ChartPage:
    """The chart that an address asks for: axis0=20 fixes the first axis, axis0=0..20 draws these
    values of it; show=move or value."""
    chart = chart_of(solution.game)
    names = [*chart.axes]
    asked = {name: _asked(query, i) for i, name in enumerate(names)}
    show = query.get("show", [""])[-1]
    walked = names[-1] if chart.until and not show and not asked[names[-1]] else ""
    at = {name: _values(name, text) for name, text in asked.items() if text}
    thinned = _thin(chart.axes, at, walked)
    plot = solution.chart(at=at, show=show)
    return ChartPage(
        svg=Markup(plot.linked(lambda cell: state.from_here(cell.position).url())),
        summary=plot.summary(),
        axes=tuple(
            ChartAxis(i, name, asked[name], _offered(values), _spread(values), _role(plot, name))
            for i, (name, values) in enumerate(chart.axes.items())
        ),
        shows=_shows(chart.until, show, plot),
        thinned=thinned,
    )  # fmt: skip


def _asked(query: Mapping[str, list[str]], number: int) -> str:
    text = query.get(f"axis{number}", [""])[-1].strip()
    if len(text) > LONGEST:
        raise UsageError(f"axis{number} of this link is too long", f"at most {LONGEST} characters")
    return text


def _values(name: str, text: str) -> Any:
    values = split_values(text)
    if not values:
        raise UsageError(f"{name}: {text!r} names no value", "a value, or 0..20, or 2,4,8")
    return [*values] if len(values) > 1 else values[0]


def _thin(axes: Mapping[str, Sequence[Any]], at: dict[str, Any], walked: str) -> str:
    """Leave out values of long axes, and say which."""
    most = MOST_WALKED if walked else MOST
    free = [n for n in axes if n != walked and not isinstance(at.get(n), str)]
    said = []
    for name in free[:2]:
        values = at.get(name, axes[name])
        step = math.ceil(len(values) / most)
        if step > 1:
            at[name] = values[::step]
            said.append(f"every {_nth(step)} value of {name}")
    return " and ".join(said)


def _nth(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def _offered(values: Sequence[Any]) -> list[str]:
    return [str(value) for value in values[:: max(1, math.ceil(len(values) / OFFERED))]]


def _spread(values: Sequence[Any]) -> str:
    ends = f"{values[0]} to {values[-1]}"
    return ends if len(values) > 6 else ", ".join(map(str, values))


def _role(plot: Plot, name: str) -> str:
    if name in plot.axes:
        return "drawn"
    return "looked along" if name == plot.walked else f"fixed at {plot.fixed.get(name)}"


def _shows(until: str, show: str, plot: Plot) -> tuple[tuple[str, str, bool], ...]:
    words = [("", f"when to {until}")] if until else []
    words += [("move", "best moves"), ("value", "values")]
    now = show or ("" if until else plot.shows)
    return tuple((name, text, name == now) for name, text in words)
