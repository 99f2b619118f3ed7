"""Studies: a game studied for a range of rules. Which rules make it worth playing?

studies("flip", {"quota": "0..6"})
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfectplay.answer.following.found_study import Study
from perfectplay.answer.following.study import study
from perfectplay.answer.sweep import OverSettings, Watching, read_settings, unwatched
from perfectplay.drawing.axes import Lines, Series
from perfectplay.drawing.rich import Display
from perfectplay.errors import PerfectPlayError, TooLargeError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress
from perfectplay.rules.game import Game
from perfectplay.rules.load import make
from perfectplay.rules.parameters import value_text
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from perfectplay.schemas.study import StudiesJson, StudiesRowJson

DIGITS = 9
"""Digits of the figures in the table; --json has all."""


@dataclass(frozen=True)
class StudiesRow:
    """The study of one setting."""

    parameters: dict[str, Any]
    """The parameters that vary."""
    study: Study | None = None
    error: PerfectPlayError | None = None
    """Why there is no study."""

    def as_json(self) -> StudiesRowJson:
        """The row as JSON-ready data."""
        return {
            "parameters": self.parameters,
            "study": self.study.as_json() if self.study else None,
            "error": self.error.message if self.error else None,
        }


@dataclass(frozen=True)
class Studies(OverSettings[StudiesRow]):
    """A game studied for a range of rules: a table of `rows`, and a picture of it."""

    def table(self) -> list[list[str]]:
        """The main figures as text, the heads of the columns first."""
        studied = [row.study for row in self.rows if row.study]
        names = [each.name for each in studied[0].policies] if studied else []
        two = any(len(each.names) == 2 for each in studied)
        heads = [*self.over, *names, *(["advantage"] if two else []),
                 "length", "choices", "that matter", "at random costs"]  # fmt: skip
        noted = any(row.error for row in self.rows)
        shown = [[*heads, *(["note"] if noted else [])]]
        for row in self.rows:
            cells = [value_text(value) for value in row.parameters.values()]
            if row.study is None:
                cells += ["-"] * (len(heads) - len(cells))
            else:
                cells += [_short(value) for value in _figures(row.study, two=two)]
            shown.append([*cells, *([row.error.message if row.error else ""] if noted else [])])
        return shown

    @property
    def svg(self) -> str:
        """What each policy brings, over the settings."""
        labels = [", ".join(map(value_text, row.parameters.values())) for row in self.rows]
        studied = [row.study for row in self.rows]
        names = next(([each.name for each in s.policies] for s in studied if s), [])
        series = [
            Series(name, [(float(x), _number(s, name)) for x, s in enumerate(studied)])
            for name in names
        ]
        return Lines(self.title, ", ".join(self.over), "value to the first", series, labels).svg()

    def as_json(self) -> StudiesJson:
        """The studies as JSON-ready data."""
        return {
            "game": self.game,
            "over": self.over,
            "fixed": self.fixed,
            "stopped": self.stopped,
            "rows": [row.as_json() for row in self.rows],
        }

    def display(self) -> Display:
        """The main figures, and the picture."""
        heads, *rows = self.table()
        return Display(self.game, heads, rows, svg=self.svg)

    def __str__(self) -> str:
        return self.display().text()


def _figures(found: Study, *, two: bool) -> list[Value | None]:
    """The figures of one row."""
    return [
        *(each.values[0] for each in found.policies),
        *([found.advantage] if two else []),
        found.length.mean,
        found.choices.met,
        found.choices.matter,
        found.choices.costs.get("random"),
    ]


def _short(value: Value | None) -> str:
    if value is None:
        return "-"
    return str(value) if value.kind == "outcome" else f"{float(value):.{DIGITS}g}"


def _number(found: Study | None, name: str) -> float | None:
    value = found.policy(name).values[0] if found else None
    return None if value is None or math.isinf(float(value)) else float(value)


@explained
def studies(
    game: str | type[Game],
    over: Mapping[str, Any],
    *,
    exact: bool = False,
    memory: int | None = None,
    **fixed: Any,
) -> Studies:
    """Study a game for all settings of one or two parameters; the others are `fixed` or default.

    `over` is as in `sweep`. An interrupt (Ctrl-C) ends it: what was found so far is returned, with
    `stopped` set."""
    return run(game, over, fixed, exact=exact, memory=memory)


def run(
    game: str | type[Game],
    over: Mapping[str, Any],
    fixed: Mapping[str, Any],
    *,
    exact: bool = False,
    memory: int | None = None,
    watching: Watching = unwatched,
) -> Studies:
    """The same as `studies`, for faces: parameters of any name, and progress of every setting."""
    cls, settings, kept = read_settings(game, over, fixed)

    def row(varied: dict[str, Any], progress: Progress) -> StudiesRow:
        return _row(cls, varied, kept, exact=exact, memory=memory, progress=progress)

    return Studies(cls.__name__, settings, kept).filled(row, watching)


def _row(cls: type[Game], varied: dict[str, Any], fixed: dict[str, Any], **how: Any) -> StudiesRow:
    """One setting."""
    try:
        return StudiesRow(varied, study(make(cls, {**fixed, **varied}), **how))
    except PerfectPlayError as error:
        error.__context__ = None  # a kept error must not keep the arrays of the attempt
        return StudiesRow(varied, error=error.with_traceback(None))
    except MemoryError:
        return StudiesRow(varied, error=TooLargeError("too large: memory ran out"))
