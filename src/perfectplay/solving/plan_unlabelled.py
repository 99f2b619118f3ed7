"""Plan shapes: what it will cost to solve a game exactly whose pieces have names
(positions/unlabelled.py).

They are counted as far as time allows: each stands for so many positions that a few million of
them count billions. How fast positions are solved is measured: somewhere near the end of a play at
random, all that may still come is solved as `solve` does it, on one core, table included."""

import math
import random
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import threads
from perfectplay.positions.expand import expander
from perfectplay.positions.unlabelled import Unlabelled, first_unlabelled, has_labels
from perfectplay.progress import size
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget, disk_room
from perfectplay.solving.forecast import FITS, Forecast, duration, exactly, rounded
from perfectplay.solving.out_of_core_run import ROW, by_edges
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.strata.unlabelled_edges import edges_of

TRIAL = 1 << 21
"""Positions that are solved to see how fast that goes, at most."""
STORED = 8
"""Bytes of disk for a position and each word of its key: what was measured of large tables, with
their working files."""
PLAYS = 8
"""Plays at random in which a trial is looked for."""
UNKNOWN = "unknown: not all shapes were seen; more --seconds, or --memory, may show them"


@dataclass(frozen=True)
class UnlabelledPlan(Forecast):
    """A forecast for exact values of a game whose pieces have names."""

    game: str
    parameters: dict[str, Any]
    complete: bool
    """Whether all shapes were found."""
    shapes: int
    """Unlabelled that were found."""
    positions: int
    """Positions of these shapes; where a board looks like itself from elsewhere, some are counted
    twice."""
    most: int | None
    """No more positions than that, as the rules say."""
    strata: int
    largest_stratum: int
    """Positions of the largest stratum that was found."""
    tried: int
    """Positions of the trial."""
    rate: float
    """Positions that one core solved a second in the trial."""
    width: int
    budget: int
    room: int
    """Bytes of disk that can be had."""

    @property
    def likely(self) -> int:
        """The number that disk and time are reckoned with."""
        return self.positions if self.complete else max(self.positions, self.most or 0)

    @property
    def memory(self) -> int:
        """Bytes of memory for the largest stratum that was found; the rest can be in files."""
        return ROW * self.width * self.largest_stratum

    @property
    def disk(self) -> int:
        """Bytes of the table and of working files."""
        return STORED * self.width * self.likely

    @property
    def seconds(self) -> float:  # type: ignore[override]
        """Seconds of one core."""
        return self.likely / max(self.rate, 1.0)

    @property
    def fits(self) -> bool | None:
        """Whether memory and disk are enough; None if too little was seen to know."""
        if self.memory > self.budget or STORED * self.width * self.positions > self.room:
            return False
        return True if self.complete else None

    def __str__(self) -> str:
        seen = "all of them, counted" if self.complete else "so far"
        count = f"{exactly(self.positions)} positions"
        if not self.complete:
            known = f"at most {rounded(self.most)}" if self.most else "an unknown number of"
            count = f"{known} positions (more than {rounded(self.positions)})"
        most = "" if self.complete else "at most "
        least = "" if self.complete else "at least "
        hours = f", {self.core_hours:,.0f} core-hours" if self.core_hours >= 2 else ""
        verdict = UNKNOWN if self.fits is None else FITS[self.fits]
        return "\n".join(
            [
                f"{self.game}: {count}",
                f"shapes     {self.shapes:,} ({seen}) in {self.strata} strata",
                f"memory     {least}{size(self.memory)} of {size(self.budget)} that may be used",
                f"disk       {most}{size(self.disk)} of {size(self.room)} that can be had",
                f"time       {most}{duration(self.seconds)} of one core at {self.rate:,.0f} "
                f"positions a second (measured on {self.tried:,}){hours}",
                f"fits       {verdict}",
            ]
        )


def plan_unlabelled(game: Game, memory: int | None, seconds: float) -> UnlabelledPlan | None:
    """Look at the unlabelled positions of `game` for some seconds and forecast what solving takes;
    None if it cannot be solved by them."""
    rules = expander(game)
    if not has_labels(rules):
        return None
    shapes = Unlabelled(rules)
    first = first_unlabelled(shapes)
    if first is None:
        return None
    tried, rate = _measured(game, rules, first)
    budget = Budget(memory).most
    complete = _counted(shapes, first, time.perf_counter() + seconds, budget // 2)
    if complete is None or not tried:
        return None
    sizes = [here.rows.total for here in shapes.strata.values()]
    return UnlabelledPlan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=complete,
        shapes=sum(len(here.keys) for here in shapes.strata.values()),
        positions=shapes.rows,
        most=game.most_positions,
        strata=len(sizes),
        largest_stratum=max(sizes, default=0),
        tried=tried,
        rate=rate,
        width=rules.width,
        budget=budget,
        room=disk_room(Path(), None),
    )


class _Enough(Exception):  # noqa: N818
    """Time or room is over."""


def _counted(
    shapes: Unlabelled, first: Array, until: float, most: int, rows: int = 2**62
) -> bool | None:
    """Find shapes until time is up, or they take more bytes, or have more positions; whether all
    were found, or None if the game cannot be solved by shapes."""

    def watch(here: int, held: int) -> None:
        nonlocal rows
        rows -= here
        if time.perf_counter() > until or held > most or rows < 0:
            raise _Enough

    try:
        return shapes.find(first, watch) or None
    except _Enough:
        return False


def _measured(game: Game, rules: Any, first: Array) -> tuple[int, float]:
    """(positions, rate): how many were solved in a trial, and how many a second of one core; none
    if that cannot be done. Of some plays the trial is the position with the most that may still
    come, but not too much."""
    draw, trial, least = random.Random(0), Unlabelled(rules), Unlabelled(rules)
    for _ in range(PLAYS):
        for key in reversed(_line(trial, first, draw)[:-1]):
            shapes = Unlabelled(rules)
            if not _counted(shapes, key, math.inf, 2**62, TRIAL):
                break
            least = least if least.strata else shapes
            trial = max(trial, shapes, key=lambda each: each.rows)
        if 2 * trial.rows > TRIAL:
            break
    if not trial.strata or not _solved(game, least):  # which also compiles
        return 0, 0.0
    began = time.process_time()
    _solved(game, trial)
    return trial.rows, trial.rows / max(time.process_time() - began, 1e-6)


def _line(shapes: Unlabelled, first: Array, draw: random.Random) -> list[Array]:
    """Unlabelled of one play at random."""
    line = [first[:1]]
    while True:
        exits = shapes.exits(line[-1])
        end = int(exits.first[-1]) if exits is not None else 0
        if exits is None or not end:
            return line
        choice = draw.randrange(end)
        line.append(exits.child[choice : choice + 1].copy())


def _solved(game: Game, shapes: Unlabelled) -> bool:
    """Solve all positions of some shapes as `solve` does it, to a table that is thrown away;
    whether that can be done."""
    edges = edges_of(shapes)
    if edges is None:
        return False
    with TemporaryDirectory() as folder, threads(1):
        run = Run(
            game,
            Options(exact=True, workers=1),
            route(game, exact=True),
            folder=Path(folder) / "table",
            fresh=True,
        )
        run.rules = shapes.rules
        return by_edges(run, edges) is not None
