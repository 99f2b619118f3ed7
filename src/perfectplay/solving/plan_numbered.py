"""Plan: what it costs to solve a game by number. Sizes are exact; the rate is measured on some of
the numbers of the largest stratum, which are decided or left open as by the first pass."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.progress import size
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solving.budget import Budget, disk_room
from perfectplay.solving.forecast import FITS, Forecast, duration
from perfectplay.solving.numbered_run import VALUE_BYTES, besides

STORED = 1
"""Bytes of disk for a number, at most: most tables take less than half of that."""
LOOKS = 4
"""Solving asks the rules for moves so many times for each number, about."""
AT_ONCE = 1 << 12


@dataclass(frozen=True)
class NumberedPlan(Forecast):
    """A forecast for a game whose positions have numbers."""

    game: str
    parameters: dict[str, Any]
    complete: bool
    """Always true: sizes are exact."""
    positions: int
    """Numbers of all strata; some may be holes."""
    strata: int
    largest_stratum: int
    rate: float
    """Numbers that one core solves a second, about."""
    bytes_per_position: int
    """Memory held for every number."""
    budget: int
    room: int
    """Bytes of disk that can be had."""

    @property
    def memory(self) -> int:
        """Bytes of memory for all values, and for the largest stratum while it is written."""
        return self.bytes_per_position * self.positions + besides(self.largest_stratum)

    @property
    def disk(self) -> int:
        """Bytes of the table, at most."""
        return STORED * self.positions

    @property
    def seconds(self) -> float:  # type: ignore[override]
        """Seconds of one core."""
        return self.positions / max(self.rate, 1.0)

    @property
    def fits(self) -> bool | None:
        """Whether memory and disk are enough."""
        return self.memory <= self.budget and self.disk <= self.room

    def __str__(self) -> str:
        hours = f", {self.core_hours:,.0f} core-hours" if self.core_hours >= 2 else ""
        return "\n".join(
            [
                f"{self.game}: {self.positions:,} numbers of positions, by formula",
                f"strata     {self.strata}, the largest with {self.largest_stratum:,}",
                f"memory     {size(self.memory)} of {size(self.budget)} that may be used",
                f"disk       at most {size(self.disk)} of {size(self.room)} that can be had",
                f"time       about {duration(self.seconds)} of one core at {self.rate:,.0f} "
                f"numbers a second{hours}",
                f"fits       {FITS[self.fits]}",
            ]
        )


def plan_numbered(game: Game, memory: int | None, limit: TimeLimit) -> NumberedPlan:
    """The forecast for a game that is solved by number."""
    numbering = Numbering(game)
    return NumberedPlan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=True,
        positions=numbering.total,
        strata=len(numbering.strata),
        largest_stratum=max(numbering.sizes.values()),
        rate=_rate(numbering, limit),
        bytes_per_position=VALUE_BYTES,
        budget=Budget(memory).most,
        room=disk_room(Path(), None),
    )


def _rate(numbering: Numbering, limit: TimeLimit) -> float:
    """Numbers a second whose positions are expanded, and whose children are numbered; so many
    times slower as the rules are asked again."""
    stratum, most = max(numbering.strata, key=lambda each: each[1])
    chance, done, took = np.random.default_rng(1), 0, 0.0
    for trial in range(10**6):
        numbers = np.sort(chance.integers(0, most, min(AT_ONCE, most)))
        began = time.process_time()
        keys, missing = numbering.keys(stratum, numbers)
        children = numbering.rules.expand(np.ascontiguousarray(keys[~missing])).child
        numbering.ranks(children)
        if trial:  # the first one compiles
            done, took = done + len(numbers), took + time.process_time() - began
        if trial and (limit.over or took > limit.seconds):
            break
    return done / max(took, 1e-9) / LOOKS
