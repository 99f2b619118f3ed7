"""Plan structures: what solving a game with structures will cost. They are found in little time,
so that they are counted where that can be done, and bounded where not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from perfectplay.errors import TooLargeError
from perfectplay.games.chess.structures import MOST, StructureFinder
from perfectplay.progress import Silent, size
from perfectplay.rules.game import first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solving.budget import Budget

if TYPE_CHECKING:
    from perfectplay.schemas.runs import StructurePlanJson

SOLVING = 4.0
"""Solving a structure takes about so many times as long as finding it."""
BESIDES = 250 << 20
"""Bytes that a run takes besides its structures."""


@dataclass(frozen=True)
class StructurePlan:
    """A forecast for a game with structures."""

    game: str
    parameters: dict[str, Any]
    complete: bool
    """Whether all structures were found; else there are at most `structures`."""
    structures: int
    seen: int
    """Structures that were found."""
    positions: int
    """Positions in all of them, or, if not all were found, at most."""
    seconds: float
    """Seconds of one core for solving."""
    memory: int
    budget: int

    @property
    def fits(self) -> bool | None:
        """Whether the budget of memory is enough; None if that is not sure."""
        if self.memory <= self.budget and self.structures <= MOST:
            return True
        return False if self.complete or self.seen >= MOST else None

    def as_json(self) -> StructurePlanJson:
        """The plan as JSON-ready data."""
        return cast("StructurePlanJson", {**vars(self), "fits": self.fits})

    def __str__(self) -> str:
        most = "" if self.complete else "at most "
        seen = "all of them, counted" if self.complete else f"{self.seen:,} seen so far"
        fits = {True: "yes", False: "no: ask search", None: "not sure: if not, ask search"}
        return "\n".join(
            [
                f"{self.game}: {most}{self.structures:,} structures ({seen})",
                f"positions  {most}{self.positions:,}",
                f"memory     {most}{size(self.memory)} of {size(self.budget)} that may be used",
                f"time       {most}{self.seconds:,.1f} seconds of one core, and proofs of guesses",
                f"fits       {fits[self.fits]}",
            ]
        )


def plan_structures(game: Any, memory: int | None = None, seconds: float = 2.5) -> StructurePlan:
    """Look for structures for some seconds and forecast what solving them takes."""
    walks, budget = game.structures(), Budget(memory).most
    StructureFinder(game, walks, memory).explore(Silent(), time.perf_counter())  # compile first
    solver = StructureFinder(game, walks, memory)
    began = time.perf_counter()
    try:
        complete = solver.explore(Silent(), began + seconds)
    except TooLargeError:
        complete = False  # as many as may be solved were seen, and more arise
    done = len(solver.keys) - solver.waiting
    each = (time.perf_counter() - began) / max(1, done)
    reached = solver.reached[: len(solver.keys)]
    bits = int(np.unpackbits(reached.view(np.uint8)).sum())
    most = len(solver.keys)
    if not complete:
        starts = [walks.placed(p) for p in first_positions(game)]
        most = max(most, sum(walks.most(at[0]) for at in starts if at is not None))
        bits = walks.places * most
    room = most * (2 * walks.places + 8 * walks.words + 600) + BESIDES
    return StructurePlan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=complete,
        structures=most,
        seen=len(solver.keys),
        positions=bits,
        seconds=(1 + SOLVING) * each * most,
        memory=room,
        budget=budget,
    )
