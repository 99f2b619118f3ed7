"""The forecast for a game that workers solve together (`--on`): how many of them, what memory and
disk they take, how many hours.

It rests on the forecast for one process, position by position: how many positions there are, the
largest stratum, the rate. What shards cost beside that was measured (docs/clusters.md)."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfectplay.progress import size
from perfectplay.solving.budget import disk_room
from perfectplay.solving.forecast import duration, exactly, rounded
from perfectplay.solving.found_plan import Plan
from perfectplay.solving.out_of_core import EDGE
from perfectplay.solving.shards.crew import workers_of
from perfectplay.solving.shards.sharded_strata import bits_for

COST = 2.5
"""Processor time by shards, compared with strata in memory."""
LIBRARIES = 190 << 20
"""Bytes of a worker that has nothing to do: Python, Numba, compiled rules."""
KEY, CHILD = 40, 40
"""Bytes of a task for each word of a key, and of a child's key: sets of keys, and what is written
of them."""
GATHERED = 32
"""Bytes for each position of a stratum, and word of its key, where it goes to the table."""
WORKING = 16
"""Bytes of files for each position and word of its key, besides the table."""
MOST = 2**32 - 2
"""Rows of a stratum that are gathered, at most."""
DAY = 86_400


@dataclass(frozen=True)
class SharedPlan(Plan):
    """A forecast for workers that share files. `memory` is that of one worker."""

    on: str = ""
    workers: int = 0
    """How many there are; 0 if only a scheduler knows."""

    @property
    def shards(self) -> int:
        """How many shards the largest stratum has: more workers have nothing to do there."""
        return 1 << bits_for(max(1, int(self.stratum)))

    @property
    def rows(self) -> int:
        """Positions of a shard of the largest stratum."""
        return math.ceil(self.stratum / self.shards)

    @property
    def memory(self) -> int:
        """Bytes of a worker, at most: a shard with its children, or if positions of a stratum lie
        on cycles that are iterated, all moves of that stratum."""
        each = self.width * (KEY + CHILD * self.edges_per_position)
        alone = 0 if self.turns else int(self.staying * EDGE * self.edges_per_position)
        return LIBRARIES + int(each * self.rows) + int(alone * self.stratum)

    @property
    def gatherer(self) -> int:
        """Bytes of the process that hands out tasks and writes the table."""
        return LIBRARIES + int(GATHERED * self.width * self.stratum)

    @property
    def disk(self) -> int:
        """Bytes of the folder that all see: the table and working files."""
        return super().disk + int(WORKING * self.width * self.likely)

    @property
    def seconds(self) -> float:  # type: ignore[override]
        """Seconds of one core, in all workers together."""
        alone = super().seconds
        return alone if self.inside is not None else COST * alone

    @property
    def hours(self) -> float | None:
        """Hours that the workers take together; None if it is not known how many they are."""
        return self.core_hours / min(self.workers, self.shards) if self.workers else None

    @property
    def workers_for_a_day(self) -> int | None:
        """How many workers end within a day; None if no number of them does."""
        if not math.isfinite(self.seconds):
            return None
        wanted = max(1, math.ceil(self.seconds / DAY))
        return wanted if wanted <= self.shards else None

    @property
    def fits(self) -> bool | None:
        """Whether workers, the process that hands out, and the disk have enough room."""
        here = self.workers * self.memory + self.gatherer if self.workers else 0
        if self.stratum > MOST or self.disk > disk_room(Path(), None) or here > self.budget:
            return False
        return True if self.complete or (self.estimate and self.near) else None

    def extra(self) -> dict[str, Any]:
        """What is told beyond the forecast for one process."""
        names = "shards", "gatherer", "hours", "workers_for_a_day"
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        count = str(Plan(**{name: vars(self)[name] for name in _PLAN})).splitlines()
        many = f"{self.workers} " if self.workers else ""
        least = "" if self.complete or (self.estimate and self.near) else "at least "
        return "\n".join(
            [
                *count[:3],
                f"workers    {many}with {least}{size(self.memory)} each; the largest stratum has "
                f"{self.shards:,} shard{'s' * (self.shards > 1)}",
                f"gathering  {least}{size(self.gatherer)} for the process that hands out tasks",
                f"disk       {least}{size(self.disk)} in a folder that all of them see",
                f"time       {least}{self._spent()}",
                f"fits       {self._verdict()}",
            ]
        )

    def _spent(self) -> str:
        """How long it takes, in words."""
        if not self.rate:
            return "unknown: no position was expanded in the time for looking"
        all_ = f"{duration(self.seconds)} of one core"
        shared = f", {duration(3600 * self.hours)} by all workers" if self.hours else ""
        day = self.workers_for_a_day
        if self.seconds < DAY:
            return all_ + shared
        words = f"{rounded(day)} workers for a day" if day else "more than a day with any number"
        return f"{all_}{shared}; {words}"

    def _verdict(self) -> str:
        """Whether it can be done so, in words."""
        if self.stratum > MOST:
            return (
                f"no: the largest stratum has {exactly(int(self.stratum))} positions, and no more "
                f"than {MOST:,} can be gathered"
            )
        if self.disk > disk_room(Path(), None):
            return f"not in this folder: {size(disk_room(Path(), None))} can be had here"
        if self.fits is False:
            return f"not on this machine: {size(self.budget)} may be used"
        return "yes" if self.fits else "unknown: not all positions were seen"


_PLAN = tuple(Plan.__dataclass_fields__)


def shared(found: Plan, on: str) -> SharedPlan:
    """The same game by the workers that `on` names."""
    kind, many = workers_of(on)
    workers = int(many) if kind != "tcp" else 0
    return SharedPlan(**{name: vars(found)[name] for name in _PLAN}, on=on, workers=workers)
