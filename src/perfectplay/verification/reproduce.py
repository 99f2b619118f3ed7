"""Reproduce: published figures, each solved anew from the rules and compared.

The figures are data: rows of the CSV files in this folder, one file for each source. A row that is
known to differ says why; any other difference is a failure."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from perfectplay.answer.solve import solve
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.coalitions import sided
from perfectplay.rules.load import load
from perfectplay.verification.quantities import (
    Quantity,
    answer,
    meets,
    needs_fractions,
    searched,
    sides_of,
    sizes_by_ply,
)

if TYPE_CHECKING:
    from perfectplay.schemas.reports import FigureJson, ReproduceJson

SEARCHED = ("search", "search-best")


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
            "seconds": round(self.seconds, 2),
        }


def figures() -> list[Figure]:
    """All published figures that there are rows for."""
    here = resources.files("perfectplay.verification") / "published"
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
    progress: Progress | None = None,
    tell: Callable[[Recomputed], None] = lambda found: None,
) -> Reproduction:
    """Solve what the rows ask for and compare; `tell` hears of every row as soon as it is found.

    Rows that one solution answers share it. Slow rows are left out unless they are asked for."""
    began = time.perf_counter()
    rows = chosen(names)
    wanted = [row for row in rows if slow or not row.slow]
    groups: dict[tuple[str, str, bool, str], list[Figure]] = {}
    for row in wanted:
        apart = "search" if row.quantity in SEARCHED else sides_of(row.quantity)
        key = row.game, row.parameters, needs_fractions(row.quantity), apart
        groups.setdefault(key, []).append(row)
    found: list[Recomputed] = []
    for (game, parameters, exact, _), some in groups.items():
        answers = _answers(game, parameters, some, exact=exact, progress=progress or Silent())
        for row, ours in zip(some, answers, strict=True):
            found.append(Recomputed(row, ours.text, ours.exactness, meets(ours, row.figure)))
            tell(found[-1])
    return Reproduction(tuple(found), len(rows) - len(wanted), time.perf_counter() - began)


def split_parameters(text: str) -> list[str]:
    """ "a=1,b=2,3" as ["a=1", "b=2,3"]: a comma before a name begins another parameter."""
    return re.split(r",(?=\w+=)", text) if text else []


def _answers(
    game: str, parameters: str, rows: list[Figure], *, exact: bool, progress: Progress
) -> list[Quantity]:
    """What the game says to all rows. Tables of large games are on disk meanwhile, so that memory
    need not hold them."""
    try:
        rules = load(game, split_parameters(parameters))
        if rows[0].quantity in SEARCHED:
            return [searched(rules, row.position, row.quantity, progress) for row in rows]
        if sides := sides_of(rows[0].quantity):
            rules = sided(rules, sides)
        plies = [int(row.quantity[4:]) for row in rows if row.quantity.startswith("ply:")]
        sizes = sizes_by_ply(rules, max(plies)) if plies else []
        with TemporaryDirectory(prefix="perfectplay-") as folder:
            solution = None
            if any(not row.quantity.startswith(("ply:", "formula:")) for row in rows):
                stored = any(row.slow for row in rows) and not own_solver(rules)
                place = Path(folder) / "table" if stored else None
                solution = solve(rules, place, exact=exact, progress=progress)

            def found(row: Figure) -> Quantity:
                kind, _, of = row.quantity.partition(":")
                if kind == "ply":
                    return _size(sizes[int(of)])
                if kind == "formula":
                    return _size(getattr(rules.counts, of))  # type: ignore[attr-defined]
                assert solution is not None
                return answer(solution, row.position, row.quantity)

            return [found(row) for row in rows]
    except PerfectPlayError as error:
        return [Quantity(f"error: {error.message}", exactness="none") for _ in rows]


def _size(number: int) -> Quantity:
    return Quantity(f"{number:,}", Fraction(number), Fraction(number))
