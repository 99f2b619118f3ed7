"""Placements by need: a game that begins with hidden choices, solved without solving the game.

Every cell of the matrix is known between two bounds, at first those that a search gives at once.
With all cells at their lower bounds the matrix is worth no more than it is, with all at their
upper bounds no less: both values are found exactly, so there is a proved interval at any time.
If x is best for the row player in the upper matrix, and y for the column player in the lower one,
the interval is no longer than the mean of the cells' intervals by x and y. So the cell that adds
most to that mean is searched next, and where none adds anything, the value is proved (a double
oracle: McMahan, Gordon and Blum 2003; with bounds: Bosansky et al. 2013). Most cells are never
searched.

A journal keeps what was found of every cell; whoever begins again with it goes on from there."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from perfectplay.answer.placements import arrangement
from perfectplay.errors import NoSolverError, TableError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import rules_path
from perfectplay.searching.search import SearchOptions, SearchResult, searches
from perfectplay.solvers.matrix.nash import Mixture, nash

Cell = tuple[Any, int]
"""A representative, and how its players are turned: first positions of one cell are symmetric."""


@dataclass(frozen=True)
class Placed:
    """What is proved of a game that begins with hidden choices: low <= value <= high."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    low: Fraction
    high: Fraction
    secures: Mixture
    """What player 0 chooses to get at least `low`."""
    holds: Mixture
    """What player 1 chooses to give at most `high`."""
    cells: int
    """How many different cells there are, up to symmetry."""
    searched: int
    """How many of them were searched, here or in runs before."""

    @property
    def exact(self) -> Fraction | None:
        """The value, if it is proved."""
        return self.low if self.low == self.high else None


@explained
def placements_by_need(
    game: Game,
    *,
    journal: str | Path | None = None,
    seconds: float | None = None,
    cells: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Placed:
    """Bounds on the value of a game that begins with hidden choices, narrowed by searches of
    single cells until the value is proved. No search begins after so many `seconds`, nor after so
    many `cells`; `options` are those of `search`."""
    found = _ByNeed(game, None if journal is None else Path(journal), progress or Silent())
    found.run(seconds, cells, options)
    return found.answer()


class _ByNeed:
    """The cells, and what is known of each."""

    def __init__(self, game: Game, journal: Path | None, progress: Progress) -> None:
        self._game, self._journal, self._progress = game, journal, progress
        self._rows, self._columns, starts = arrangement(game)
        self._cells = [[(game.representative(p), game.turn(p)) for p in row] for row in starts]
        self._start: dict[Cell, Any] = {}
        for cells, row in zip(self._cells, starts, strict=True):
            for cell, p in zip(cells, row, strict=True):
                self._start.setdefault(cell, p)
                if game.to_move(p) == 1:
                    raise NoSolverError(
                        f"{type(game).__name__}: player 2 moves first at {game.text(p)}",
                        "placements are searched where chance or player 1 comes first",
                    )
        self._bounds: dict[Cell, tuple[Fraction, Fraction]] = {}
        self._tried: set[Cell] = set()
        self._by_text = {game.text(p): cell for cell, p in self._start.items()}
        self._read()

    # -- The journal. -----------------------------------------------------------------------------

    @property
    def _head(self) -> dict[str, Any]:
        return {"game": rules_path(self._game), "parameters": parameters(self._game)}

    def _read(self) -> None:
        """Take over what a journal says; begin one if there is none."""
        if self._journal is None:
            return
        if not self._journal.exists():
            self._journal.write_text(json.dumps(self._head) + "\n", encoding="utf-8")
            return
        lines = self._journal.read_text(encoding="utf-8").splitlines(keepends=True)
        try:
            if json.loads(lines[0]) != json.loads(json.dumps(self._head)):
                raise ValueError("it is of another game, or of other parameters")
            for line in lines[1:]:
                if line.endswith("\n"):  # not one that was cut off
                    said = json.loads(line)
                    low, high = Fraction(said["lower"]), Fraction(said["upper"])
                    self._learn(self._by_text[said["position"]], low, high)
        except (IndexError, KeyError, ValueError, TypeError) as error:
            raise TableError(
                f"{self._journal} is no journal of these placements: {error}",
                "name another file, or leave it out",
            ) from None
        if not lines[-1].endswith("\n"):
            self._journal.write_text("".join(lines[:-1]), encoding="utf-8")

    def _write(self, cell: Cell, found: SearchResult) -> None:
        if self._journal is None:
            return
        low, high = self._bounds[cell]
        said = {
            "position": self._game.text(self._start[cell]), "lower": str(low), "upper": str(high),
            "nodes": found.counts.nodes, "seconds": round(found.seconds, 2),
        }  # fmt: skip
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")

    # -- Cells. -----------------------------------------------------------------------------------

    def _learn(self, cell: Cell, low: Fraction, high: Fraction) -> None:
        least, most = self._bounds.get(cell, (low, high))
        self._bounds[cell] = max(low, least), min(high, most)
        self._tried.add(cell)

    def run(self, seconds: float | None, most: int | None, options: Any) -> None:
        """Search cells until the value is proved, or time is up."""
        began = time.perf_counter()
        self._progress.start("placements", len(self._start))
        try:
            self._cheap(options)
            asked: list[Cell] = []

            def needed() -> Iterator[Any]:
                while most is None or len(asked) < most:
                    over = seconds is not None and time.perf_counter() - began > seconds
                    cell = None if over else self._next()
                    if cell is None:
                        return
                    asked.append(cell)
                    yield self._start[cell]

            given: SearchOptions = options
            for found in searches(self._game, needed(), **given):
                self._take(asked[-1], found)
                if found.exact is None:
                    return
        finally:
            self._progress.finish()

    def _cheap(self, options: Any) -> None:
        """Bounds on all cells that are not known, after one node each."""
        open_cells = [cell for cell in self._start if cell not in self._bounds]
        given: SearchOptions = options
        first: SearchOptions = {**given, "nodes": 1}
        answers = searches(self._game, (self._start[cell] for cell in open_cells), **first)
        for cell, found in zip(open_cells, answers, strict=False):
            low, high = found.lower, found.upper
            if math.isinf(low) or math.isinf(high):
                raise NoSolverError(
                    f"{type(self._game).__name__}: nothing bounds {found.position} beforehand",
                    "write bounds(p), or solve the game with --exact",
                )
            self._bounds[cell] = Fraction(low), Fraction(high)

    def _take(self, cell: Cell, found: SearchResult) -> None:
        """Take over what a search found."""
        low, high = self._bounds[cell]
        if not math.isinf(found.lower):
            low = max(low, Fraction(found.lower))
        if not math.isinf(found.upper):
            high = min(high, Fraction(found.upper))
        self._learn(cell, low, high)
        self._write(cell, found)
        self._progress.advance(1)

    def _matrix(self, side: int) -> list[list[Fraction]]:
        return [[self._bounds[cell][side] for cell in row] for row in self._cells]

    def _next(self) -> Cell | None:
        """The cell that adds most to the length of the interval; None if the value is proved."""
        upper, lower = nash(self._matrix(1)), nash(self._matrix(0))
        if upper.value == lower.value:
            return None
        weight: dict[Cell, Fraction] = {}
        for i, x in enumerate(upper.rows):
            for j, y in enumerate(lower.columns):
                if x and y:
                    cell = self._cells[i][j]
                    low, high = self._bounds[cell]
                    weight[cell] = weight.get(cell, Fraction(0)) + x * y * (high - low)
        return max(weight, key=lambda cell: weight[cell])

    def answer(self) -> Placed:
        """What is proved by now."""
        upper, lower = nash(self._matrix(1)), nash(self._matrix(0))
        return Placed(
            self._rows, self._columns, lower.value, upper.value, lower.rows, upper.columns,
            len(self._start), len(self._tried),
        )  # fmt: skip
