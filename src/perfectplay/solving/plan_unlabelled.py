"""Plan by unlabelled positions: what it will cost to solve a game exactly whose pieces have names
(positions/unlabelled.py).

They are counted as far as time allows: each stands for so many positions that a few million of
them count billions. How fast positions are solved is measured: somewhere near the end of a play at
random, all that may still come is solved as `solve` does it, on one core, table included."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import threads
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.expand import expander
from perfectplay.positions.unlabelled import Unlabelled, first_unlabelled, has_labels
from perfectplay.progress import size
from perfectplay.rules.game import OVER, Game, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import OFTEN, Budget, disk_room
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
GROWS = 3
"""A further trial has so many times the positions of the last one, at least."""
FIRST = 0.2
"""The part of the time in which first positions are looked through."""
PLAYS = 8
"""Plays at random in which a trial is looked for."""
UNKNOWN = "unknown: not all of them were seen; more --seconds, or --memory, may show them"


@dataclass(frozen=True)
class UnlabelledPlan(Forecast):
    """A forecast for exact values of a game whose pieces have names."""

    game: str
    parameters: dict[str, Any]
    complete: bool
    """Whether all unlabelled positions were found."""
    unlabelled: int
    """How many of them were found."""
    positions: int
    """The positions they stand for; some are counted twice, where a board looks like itself from
    elsewhere."""
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
                f"unlabelled {self.unlabelled:,} ({seen}) in {self.strata} strata",
                f"memory     {least}{size(self.memory)} of {size(self.budget)} that may be used",
                f"disk       {most}{size(self.disk)} of {size(self.room)} that can be had",
                f"time       {most}{duration(self.seconds)} of one core at {self.rate:,.0f} "
                f"positions a second (measured on {self.tried:,}){hours}",
                f"fits       {verdict}",
            ]
        )


def plan_unlabelled(game: Game, memory: int | None, limit: TimeLimit) -> UnlabelledPlan | None:
    """Look at the unlabelled positions of `game` for some time and forecast what solving takes;
    None if it cannot be solved by them."""
    rules = expander(game)
    if not has_labels(rules):
        return None
    unlabelled = Unlabelled(rules)
    first, all_first = _first(unlabelled, limit.share(FIRST))
    if first is None:
        return None
    tried, rate = _measured(game, rules, first, limit.share(0.5))
    budget = Budget(memory).most
    complete = _counted(unlabelled, first, limit, budget // 2)
    if complete is None or not tried:
        return None
    complete = complete and all_first
    sizes = [here.rows.total for here in unlabelled.strata.values()]
    return UnlabelledPlan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=complete,
        unlabelled=sum(len(here.keys) for here in unlabelled.strata.values()),
        positions=unlabelled.rows,
        most=game.most_positions,
        strata=len(sizes),
        largest_stratum=max(sizes, default=0),
        tried=tried,
        rate=rate,
        width=rules.width,
        budget=budget,
        room=disk_room(Path(), None),
    )


def _first(unlabelled: Unlabelled, limit: TimeLimit) -> tuple[Array | None, bool]:
    """The boards of first positions, and whether those are all; of very many first positions only
    those that there is time for. None if not all labellings of a board are first positions."""
    game, boards = unlabelled.game, dict[Any, None]()
    for number, p in enumerate(first_positions(game), 1):
        if game.to_move(p) != OVER:
            boards[game.unlabel(game.representative(p))[0]] = None
        if number % OFTEN == 0 and boards and limit.over:
            return unlabelled.rules.keys(list(boards)), False
    return first_unlabelled(unlabelled), True


class _Enough(Exception):  # noqa: N818
    """Time or room is over."""


def _counted(
    unlabelled: Unlabelled, first: Array, limit: TimeLimit, most: int, rows: int = 2**62
) -> bool | None:
    """Find unlabelled positions until time is up, or they take more bytes, or stand for more
    positions; whether all were found, or None if the game cannot be solved by them."""

    def watch(here: int, held: int) -> None:
        nonlocal rows
        rows -= here
        if (limit.over and unlabelled.strata) or held > most or rows < 0:  # the first one is seen
            raise _Enough

    try:
        return unlabelled.find(first, watch) or None
    except _Enough:
        return False


def _measured(game: Game, rules: Any, first: Array, limit: TimeLimit) -> tuple[int, float]:
    """(positions, rate): how many were solved in a trial, and how many a second of one core; none
    if that cannot be done. A trial is all that may still come from a position near the end of a
    play at random; larger ones follow as long as there is time for them."""
    trials = _trials(rules, first, limit)
    trial = next(trials, None)
    if trial is None or not _solved(game, trial):  # which also compiles
        return 0, 0.0
    rate = _rate(game, trial)
    for larger in trials:
        if larger.rows / (GROWS * rate) > limit.left:  # small trials are slow for their size
            break
        if larger.rows > GROWS * trial.rows:
            trial, rate = larger, _rate(game, larger)
        if 2 * trial.rows > TRIAL:
            break
    if trial.rows / rate < limit.left:
        rate = max(rate, _rate(game, trial))
    return trial.rows, rate


def _rate(game: Game, unlabelled: Unlabelled) -> float:
    """Positions with labels that are solved a second of one core."""
    began = time.process_time()
    _solved(game, unlabelled)
    return unlabelled.rows / max(time.process_time() - began, 1e-6)


def _trials(rules: Any, first: Array, limit: TimeLimit) -> Iterator[Unlabelled]:
    """What may still come from some positions of plays at random, from their end backwards; no
    more than TRIAL positions each. The first is there however little time is left."""
    draw, found = random.Random(0), False
    for _ in range(PLAYS):
        for key in reversed(_line(Unlabelled(rules), first, draw)[:-1]):
            unlabelled = Unlabelled(rules)
            until = limit if found else TimeLimit(None, native=False)
            if not _counted(unlabelled, key, until, 2**62, TRIAL):
                break
            yield unlabelled
            found = True
        else:  # nothing is larger than all that comes after the start
            return
        if limit.over and found:
            return


def _line(unlabelled: Unlabelled, first: Array, draw: random.Random) -> list[Array]:
    """Unlabelled of one play at random."""
    line = [first[:1]]
    while True:
        exits = unlabelled.exits(line[-1])
        end = int(exits.first[-1]) if exits is not None else 0
        if exits is None or not end:
            return line
        choice = draw.randrange(end)
        line.append(exits.child[choice : choice + 1].copy())


def _solved(game: Game, unlabelled: Unlabelled) -> bool:
    """Solve the positions of some unlabelled ones as `solve` does it, to a table that is thrown
    away; whether that can be done."""
    edges = edges_of(unlabelled)
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
        run.rules = unlabelled.rules
        return by_edges(run, edges) is not None
