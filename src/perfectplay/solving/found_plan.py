"""The forecast for a game found position by position: what it takes, and how that is told."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfectplay.progress import size
from perfectplay.solving.budget import FILES, disk_room
from perfectplay.solving.forecast import FITS, Forecast, duration, exactly, rounded

OUT = "not in memory: solve goes out of core, which takes about twice as long"
CYCLES = "unknown: that depends on how many positions lie on cycles"
OUT_CYCLES = "not in memory; out of core only if few positions lie on cycles"
PERHAPS_OUT = "not in memory; whether there is room on disk is not known"
NEAR = 100
"""So many times the positions that were seen, or shown to exist, growth may be continued to."""
STEADY = 1.05
"""Growth below this factor is none: steps find about as many positions as those before."""
CYCLIC_ROW, CYCLIC_EDGE = 300, 350
"""Bytes for a position on a cycle and for each of its moves, where values are numbers: it is held
as a graph by itself, and as a system of equations. Measured: ludo, a thousand bytes for each
position of its largest stratum."""
SOLVING = 1.6
"""Solving and writing take about this much of the time of expanding, added to it."""


@dataclass(frozen=True)
class Plan(Forecast):
    """A forecast. `positions` is exact if `complete`, else a lower bound that was counted or
    shown."""

    game: str
    parameters: dict[str, Any]
    complete: bool
    positions: int
    """Positions found, or more than which there are."""
    estimate: int | None
    """About how many positions there are, judging by strata, or at most, if the rules say so."""
    growth: float | None
    """Without strata: the last factor by which positions grew from step to step."""
    edges_per_position: float
    strata: int | None
    largest_stratum: int
    rate: float
    """Positions expanded a second."""
    width: int
    bytes_per_position: int
    """Memory held for every position, besides the largest stratum."""
    budget: int
    most: int | None = None
    """No more positions than that, as the rules say."""
    inside: int | None = None
    """Positions in all turns together, at most, if the game goes by turns and says so; then
    `rate` counts these."""
    staying: float = 0.0
    """The share of the positions seen that may lie on cycles which have to be iterated: a move
    stays in their stratum, and values are numbers."""
    turns: bool = False
    """Whether positions are anchors, whose turns are unrolled where cycles are large."""

    @property
    def likely(self) -> int:
        """The number that memory, disk and time are reckoned with."""
        return max(self.positions, self.estimate or 0)

    @property
    def stratum(self) -> float:
        """Positions of the largest stratum, as far as can be said."""
        if self.strata is None:
            return self.likely
        if self.complete:
            return self.largest_stratum
        begun = self.strata == 0 and self.largest_stratum > 0  # the first one had no end
        return max(self.likely * (1.0 if begun else 0.15), self.largest_stratum)

    @property
    def uncycled(self) -> int:
        """Bytes of memory for ids, values, and the largest stratum with its index and moves."""
        per_row = 8 * self.width * 4 + 16 + 12 * self.edges_per_position
        return int(self.bytes_per_position * self.likely + per_row * self.stratum)

    @property
    def memory(self) -> int:
        """The same, and what cycles of the largest stratum take, if all positions that may lie on
        cycles do."""
        each = 0.0 if self.turns else CYCLIC_ROW + CYCLIC_EDGE * self.edges_per_position
        return self.uncycled + int(self.staying * each * self.stratum)

    @property
    def disk(self) -> int:
        """Bytes of the table, and of working files if memory is short."""
        return int(self.likely * (4 * max(1, self.width) + 4))

    @property
    def seconds(self) -> float:  # type: ignore[override]
        """Seconds of solving at the measured rate."""
        if self.inside is not None:
            return self.inside / self.rate if self.rate else math.inf
        return SOLVING * self.likely / self.rate if self.rate else math.inf

    @property
    def elsewhere(self) -> bool:
        """Whether the game can be solved out of core: it has strata, integers as positions, and
        room on disk."""
        room = disk_room(Path(), None)
        return self.strata is not None and 0 < FILES * self.width * self.likely < room

    @property
    def fits(self) -> bool | None:
        """Whether the budget of memory is enough; None if too little was seen to know."""
        if self.uncycled > self.budget:
            return False
        if self.memory > self.budget or (self.turns and self.staying and not self.complete):
            return None
        return True if self.complete or (self.estimate and self.near) else None

    @property
    def near(self) -> bool:
        """Whether the estimate comes from the rules, or from no far continuation of growth."""
        return self.estimate == self.most or (self.estimate or 0) <= NEAR * self.positions

    def __str__(self) -> str:
        if self.complete:
            count = f"{self.positions:,} positions (all of them, counted)"
        elif self.inside is not None:
            count = f"at most {exactly(self.likely)} positions, by formula"
        elif self.estimate and self.estimate > self.positions:
            most = f", at most {rounded(self.most)}" if self.most else ""
            about = "about" if self.near else "perhaps"
            about, most = ("at most", "") if self.estimate == self.most else (about, most)
            count = (
                f"{about} {rounded(self.estimate)} positions "
                f"(more than {rounded(self.positions)}{most})"
            )
        else:
            count = f"more than {rounded(self.positions)} positions{self._growing()}"
        least = "" if self.complete or (self.estimate or 0) > self.positions else "at least "
        turns = f", {exactly(self.inside)} inside turns" if self.inside is not None else ""
        lines = [
            f"{self.game}: {count}{turns}",
            f"moves      {self.edges_per_position:.1f} per position",
            f"strata     {'found while solving' if self.strata is None else self.strata}"
            + ("" if self.complete or self.strata is None else " seen so far"),
            f"memory     {least}{size(self.memory)} of {size(self.budget)} that may be used"
            + self._cycling(),
            f"disk       {least}{size(self.disk)}",
            f"time       {self._time(least)}",
            f"fits       {self._fitting()}",
        ]
        return "\n".join(lines)

    def _cycling(self) -> str:
        """What of the memory is for cycles, in words."""
        if not self.staying or (self.complete and self.turns):
            return ""
        if self.turns:
            return "; more where turns on large cycles have to be unrolled"
        return f", up to {size(self.memory - self.uncycled)} of it for cycles"

    def _growing(self) -> str:
        """How positions grow from step to step, in words."""
        if not self.growth:
            return ""
        if self.growth >= STEADY:
            return f", growing {self.growth:.2g}-fold with every step"
        if self.growth > 1 / STEADY:
            return ", as many again with every step (`perfectplay check` names what counts up)"
        return ", fewer with every step"

    def _time(self, least: str) -> str:
        """How long it takes, in words."""
        if not self.rate:
            return "unknown: no position was expanded in the time for looking"
        hours = f", {rounded(int(self.core_hours))} core-hours" if self.core_hours >= 2 else ""
        more = ", not counting rounds on cycles" if self.staying else ""
        took = f"{least}{duration(self.seconds)} at {self.rate:,.0f} positions a second"
        return took + hours + more

    def _fitting(self) -> str:
        """Whether the game can be solved here, in words."""
        if self.fits is None and (self.complete or (self.estimate and self.near)):
            return CYCLES
        if self.fits is not False or not self.elsewhere:
            return FITS[self.fits]
        if self.memory - self.uncycled > self.budget:
            return OUT_CYCLES
        return OUT if self.complete or (self.estimate and self.near) else PERHAPS_OUT
