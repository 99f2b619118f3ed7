"""Reproduce: published figures, each solved anew from the rules and compared.

The figures are data: rows of the CSV files in this folder, one file for each source. A row that is
known to differ says why; any other difference is a failure."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.verification.published.quantity import meets
from perfectplay.verification.published.remembered import Key, Remembered
from perfectplay.verification.published.subjects import NO_ANSWER, Asked, Subject, answers, subject

if TYPE_CHECKING:
    from perfectplay.schemas.reports import FigureJson, ReproduceJson


@dataclass(frozen=True)
class Figure:
    """One published figure, and what to ask of which game to get it."""

    source: str
    """Paper and place."""
    game: str
    parameters: str
    position: str
    quantity: str
    published: str
    """As printed."""
    figure: str
    """The same as a number, outcome or move that can be compared."""
    why: str
    """Why another figure comes out; empty if it does not."""
    slow: bool

    @property
    def subject(self) -> Subject:
        """Whom to ask."""
        return subject(self.game, self.parameters, self.quantity)

    @property
    def printed(self) -> str:
        """The figure as printed, with the number it stands for where none is printed."""
        digits = any(map(str.isdigit, self.figure)) and not any(map(str.isdigit, self.published))
        return f"{self.published} ({self.figure})" if digits else self.published

    @property
    def key(self) -> Key:
        """What is asked."""
        return self.game, self.parameters, self.position, self.quantity

    @property
    def asked(self) -> str:
        """What is computed, in a few words."""
        given = f" {self.parameters}" if self.parameters else ""
        at = f" at {self.position}" if self.position else ""
        return f"{self.game}{given}: {self.quantity}{at}"


@dataclass(frozen=True)
class Recomputed:
    """A figure with what came out."""

    figure: Figure
    ours: str
    exactness: str
    agrees: bool

    @property
    def verdict(self) -> str:
        """Whether the figures agree, or why they do not."""
        if self.agrees:
            return "agrees"
        return f"differs: {self.figure.why}" if self.figure.why else "DIFFERS"

    @property
    def failed(self) -> bool:
        """Whether the figures differ and nobody knows why, or agree though they should not."""
        return self.agrees == bool(self.figure.why)

    def as_json(self) -> FigureJson:
        """The figure as JSON-ready data."""
        row = self.figure
        return {
            "source": row.source,
            "game": row.game,
            "parameters": row.parameters,
            "position": row.position,
            "quantity": row.quantity,
            "published": row.published,
            "ours": self.ours,
            "exactness": self.exactness,
            "agrees": self.agrees,
            "why": row.why,
        }


@dataclass(frozen=True)
class Reproduction(Rich):
    """All figures that were asked for."""

    found: tuple[Recomputed, ...]
    left: int
    """How many slow rows were left out."""
    late: int
    """How many rows were not computed because the time was up."""
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether any figure differs without a reason."""
        return any(each.failed for each in self.found)

    def display(self) -> Display:
        """The figures, with what came out."""
        rows = [(e.figure.asked, e.figure.published, e.ours, e.verdict) for e in self.found]
        wrong = {i for i, each in enumerate(self.found) if each.failed}
        left = f"{self.left} slow rows were left out" if self.left else ""
        heads = ("what", "published", "ours", "verdict")
        return Display(f"{len(rows)} published figures", heads, rows, wrong, left)

    def as_json(self) -> ReproduceJson:
        """The reproduction as JSON-ready data."""
        return {
            "figures": [each.as_json() for each in self.found],
            "slow_left_out": self.left,
            "not_begun": self.late,
            "seconds": round(self.seconds, 2),
        }


def figures() -> list[Figure]:
    """All published figures that there are rows for."""
    here = resources.files("perfectplay.verification.published") / "figures"
    files = sorted((f for f in here.iterdir() if f.name.endswith(".csv")), key=lambda f: f.name)
    return [row for file in files for row in _rows(file.read_text(encoding="utf-8"))]


def _rows(text: str) -> Iterator[Figure]:
    lines = csv.reader(text.splitlines())
    next(lines)
    for source, game, parameters, position, quantity, published, figure, why, slow in lines:
        yield Figure(
            source, game, parameters, position, quantity, published, figure or published, why,
            bool(slow),
        )  # fmt: skip


def chosen(names: Iterable[str]) -> list[Figure]:
    """The figures of these games, or from sources with these words; all if there are no names."""
    everything = figures()
    wanted = [name.lower() for name in names]
    for name in wanted:
        if not any(_named(row, name) for row in everything):
            games = ", ".join(dict.fromkeys(row.game for row in everything))
            raise UsageError(f"no figures for {name!r}", f"there are some for {games}")
    return [row for row in everything if not wanted or any(_named(row, n) for n in wanted)]


def _named(row: Figure, name: str) -> bool:
    return row.game == name or name in row.source.lower()


def reproduce(
    names: Iterable[str] = (),
    *,
    slow: bool = False,
    remember: str | Path | None = None,
    minutes: float | None = None,
    progress: Progress | None = None,
    tell: Callable[[Recomputed], None] = lambda found: None,
) -> Reproduction:
    """Solve what the rows ask for and compare; `tell` hears of every row as soon as it is found.

    Rows that one solution answers share it. Slow rows are left out unless they are asked for.
    `remember` names a file that keeps what came out: rows that it knows from before, with the
    same sources of the package, are not computed again. After `minutes` no game is begun."""
    began = time.perf_counter()
    rows = chosen(names)
    wanted = [row for row in rows if slow or not row.slow]
    memory = Remembered(Path(remember) if remember is not None else None)
    groups: dict[Subject, list[Figure]] = {}
    for row in wanted:
        groups.setdefault(row.subject, []).append(row)
    found: list[Recomputed] = []
    late = 0
    for asked, some in groups.items():
        new = [row for row in some if row.key not in memory.found]
        if new and minutes is not None and time.perf_counter() - began > 60 * minutes:
            late += len(new)
        else:
            _compute(asked, new, memory, progress or Silent())
        for row in some:
            if (ours := memory.found.get(row.key)) is not None:
                agrees = meets(ours, row.figure)
                found.append(Recomputed(row, ours.text, ours.exactness, agrees))
                tell(found[-1])
    left = len(rows) - len(wanted)
    return Reproduction(tuple(found), left, late, time.perf_counter() - began)


def _compute(asked: Subject, rows: list[Figure], memory: Remembered, progress: Progress) -> None:
    """Ask for what is not known yet, and remember it; errors only as long as this process runs."""
    if not rows:
        return
    questions = [Asked(row.position, row.quantity) for row in rows]
    ours = answers(asked, questions, progress, stored=any(row.slow for row in rows))
    for row, each in zip(rows, ours, strict=True):
        if each.exactness == NO_ANSWER:
            memory.found[row.key] = each
        else:
            memory.put(row.key, each)
