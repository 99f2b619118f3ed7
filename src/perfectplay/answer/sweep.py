"""Sweep: a game solved for a range of rules. How does a change of the rules move the value?

    sweep("flip", {"quota": "0..12"}, exact=True)

Each setting is solved in memory, one after the other, and only what the first position is worth is
kept. Settings that the rules refuse, or that are too large, get a row that says so.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from perfectplay.answer.pictures import swept
from perfectplay.answer.solve import solve
from perfectplay.drawing.raster import save
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import PerfectPlayError, TooLargeError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game
from perfectplay.rules.load import find, make
from perfectplay.rules.parameters import (
    describe_parameters,
    is_tuple,
    read_parameter,
    read_parameters,
    split_values,
    value_text,
)
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from perfectplay.schemas.answers import SweepJson, SweepRowJson

MOST = 10_000
"""Settings of a sweep, at most."""


Watching = Callable[[], AbstractContextManager[Progress]]
Row = TypeVar("Row")


@dataclass(frozen=True)
class SweepRow:
    """What was found for one setting of the parameters."""

    parameters: dict[str, Any]
    """The parameters that vary."""
    value: Value | None = None
    """What the first position is worth to the player to move; None if it was not solved."""
    values: tuple[Value, ...] = ()
    """What it is worth to each player."""
    positions: int | None = None
    seconds: float = 0.0
    """How long it took, apart from compiling the rules."""
    error: PerfectPlayError | None = None
    """Why there is no value."""

    @property
    def note(self) -> str:
        """Why there is no value, in words."""
        if self.error is None:
            return ""
        kind = "" if isinstance(self.error, TooLargeError) else "refused: "
        return f"{kind}{self.error.message}"

    def as_json(self) -> SweepRowJson:
        """The row as JSON-ready data."""
        return {
            "parameters": self.parameters,
            "value": self.value.as_json() if self.value else None,
            "depth": self.value.depth if self.value else None,
            "values": [value.as_json() for value in self.values],
            "positions": self.positions,
            "seconds": round(self.seconds, 4),
            "error": self.note or None,
        }


@dataclass(frozen=True)
class OverSettings(Rich, Generic[Row]):
    """What was found of a game for a range of rules, row by row."""

    game: str
    """The name of the class of rules."""
    over: dict[str, list[Any]]
    """The values of one or two parameters."""
    fixed: dict[str, Any]
    """Other parameters that were given."""
    rows: list[Row] = field(default_factory=list)
    stopped: bool = False
    """Whether it was interrupted before all settings had their row."""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def title(self) -> str:
        """The game, with the parameters that do not vary."""
        fixed = ", ".join(f"{name}={value_text(value)}" for name, value in self.fixed.items())
        return f"{self.game} ({fixed})" if fixed else self.game

    def filled(self, row: Callable[[dict[str, Any], Progress], Row], watching: Watching) -> Self:
        """With the rows of all settings; an interrupt (Ctrl-C) leaves those that were found."""
        try:
            for varied in _each_setting(self.over):
                with watching() as progress:
                    self.rows.append(row(varied, progress))
        except KeyboardInterrupt:
            return replace(self, stopped=True)
        return self


@dataclass(frozen=True)
class Sweep(OverSettings[SweepRow]):
    """A game solved for a range of rules: a table of `rows`, and a picture of it."""

    def table(self) -> list[list[str]]:
        """The rows as text, the heads of the columns first."""
        noted = any(row.error for row in self.rows)
        players = max((len(row.values) for row in self.rows), default=1)
        heads = ["value"] if players < 3 else [f"to player {i + 1}" for i in range(players)]
        shown = [[*self.over, *heads, "positions", "seconds", *(["note"] if noted else [])]]
        for row in self.rows:
            values = row.values if len(heads) > 1 else (row.value,) if row.value else ()
            numbers = [str(value) for value in values] + ["-"] * (len(heads) - len(values))
            count = "-" if row.positions is None else f"{row.positions:,}"
            cells = [
                *map(value_text, row.parameters.values()),
                *numbers,
                count,
                f"{row.seconds:.2f}",
            ]
            shown.append([*cells, *([row.note] if noted else [])])
        return shown

    @property
    def svg(self) -> str:
        """The values as a line plot, or as a map if two parameters vary."""
        return swept(self)

    def save(self, file: str | Path) -> Path:
        """Write the picture into a file; .png needs Matplotlib."""
        return save(self.svg, file)

    def as_json(self) -> SweepJson:
        """The sweep as JSON-ready data."""
        return {
            "game": self.game,
            "over": self.over,
            "fixed": self.fixed,
            "stopped": self.stopped,
            "rows": [row.as_json() for row in self.rows],
        }

    def __str__(self) -> str:
        rows = self.table()
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(n) for cell, n in zip(row, wide, strict=True)).rstrip()
            for row in rows
        )

    def display(self) -> Display:
        """The rows, without how long they took, and the picture."""
        (*heads,), *rows = self.table()
        time = heads.index("seconds")
        heads, *rows = ([*row[:time], *row[time + 1 :]] for row in (heads, *rows))
        return Display(self.title, heads, rows, svg=self.svg)


@explained
def sweep(
    game: str | type[Game],
    over: Mapping[str, Any],
    *,
    exact: bool = False,
    memory: int | None = None,
    **fixed: Any,
) -> Sweep:
    """Solve a game for all settings of one or two parameters; the others are `fixed` or default.

    `over` maps a parameter to its values: a sequence, or a text such as "2..20", "0..1..0.25" or
    "2,4,8". `exact` and `memory` are as in `solve`. An interrupt (Ctrl-C) ends the sweep: what was
    found so far is returned, with `stopped` set."""
    return run(game, over, fixed, exact=exact, memory=memory)


def unwatched() -> AbstractContextManager[Progress]:
    """Progress that nobody sees."""
    return nullcontext(Silent())


def run(
    game: str | type[Game],
    over: Mapping[str, Any],
    fixed: Mapping[str, Any],
    *,
    exact: bool = False,
    memory: int | None = None,
    watching: Watching = unwatched,
) -> Sweep:
    """The same as `sweep`, for faces: parameters of any name, and progress of every setting."""
    cls, settings, kept = read_settings(game, over, fixed)

    def row(varied: dict[str, Any], progress: Progress) -> SweepRow:
        return _row(cls, varied, kept, (exact, memory, progress))

    return Sweep(cls.__name__, settings, kept).filled(row, watching)


def read_settings(
    game: str | type[Game], over: Mapping[str, Any], fixed: Mapping[str, Any]
) -> tuple[type[Game], dict[str, list[Any]], dict[str, Any]]:
    """The class of rules, the values of the parameters that vary, and the other parameters."""
    cls = find(game) if isinstance(game, str) else game
    settings = _settings(cls, over, fixed)
    given = read_parameters(cls, {**fixed, **{name: v[0] for name, v in settings.items()}})
    return cls, settings, {name: value for name, value in given.items() if name in fixed}


def _each_setting(settings: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """All combinations of the values, the last parameter varying first."""
    for chosen in itertools.product(*settings.values()):
        yield dict(zip(settings, chosen, strict=True))


def _row(
    cls: type[Game],
    varied: dict[str, Any],
    fixed: dict[str, Any],
    how: tuple[bool, int | None, Progress],
) -> SweepRow:
    """One setting, solved in memory."""
    exact, memory, progress = how
    began = time.perf_counter()

    def took() -> float:
        return time.perf_counter() - began

    try:
        solution = solve(
            make(cls, {**fixed, **varied}), None, exact=exact, memory=memory, progress=progress
        )
        start, spent = solution.start, solution.report["seconds"]
        seconds = sum(spent.values()) - spent["compile"]
        value, values = solution.value(start), solution.values(start)
        return SweepRow(varied, value, values, solution.table.positions, seconds)
    except PerfectPlayError as error:
        error.__context__ = None  # a kept error must not keep the arrays of the attempt
        return SweepRow(varied, seconds=took(), error=error.with_traceback(None))
    except MemoryError:
        return SweepRow(varied, seconds=took(), error=TooLargeError("too large: memory ran out"))


# -- Reading values. ------------------------------------------------------------------------------


def _settings(
    cls: type[Game], over: Mapping[str, Any], fixed: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """The values of the parameters that vary, by their types."""
    if not 1 <= len(over) <= 2:
        raise UsageError(
            f"a sweep varies one or two parameters, not {len(over)}", describe_parameters(cls)
        )
    both = [name for name in over if name in fixed]
    if both:
        raise UsageError(f"{both[0]} is given and varied", "leave one of the two out")
    settings = {name: _values(cls, name, asked) for name, asked in over.items()}
    count = 1
    for values in settings.values():
        count *= len(values)
    if count > MOST:
        raise UsageError(f"{count:,} settings are too many", f"at most {MOST:,}: use a step")
    return settings


def _values(cls: type[Game], name: str, asked: Any) -> list[Any]:
    """The values that one parameter takes, each once."""
    if isinstance(asked, str):
        given: Sequence[Any] = split_values(asked, ";" if is_tuple(cls, name) else ",")
    else:
        given = _listed(name, asked)
    if not given:
        raise UsageError(f"{name}: no values to try", f"for instance {name}=2..10 or {name}=2,4,8")
    return [*dict.fromkeys(read_parameter(cls, name, each) for each in given)]


def _listed(name: str, asked: Any) -> list[Any]:
    """Values that were given one by one, NumPy's numbers as Python's."""
    try:
        return [getattr(each, "item", lambda each=each: each)() for each in asked]
    except TypeError:
        raise UsageError(
            f"{name}: {asked!r} is not a sequence of values", f"for instance {{{name!r}: [2, 3]}}"
        ) from None
