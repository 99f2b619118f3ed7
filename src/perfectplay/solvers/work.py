"""Solvers, one per kind of stratum, all of the same shape: `solve(graph, facts, store, options)`.

A solver reads the values of lower strata from the store, writes those of its own rows, and returns
a `Work`: which method did how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool

RESIDUALS = 1_000
"""Rounds whose residuals are kept at most."""
LONG = 1 << 18
"""Rows from which on a kernel may take so long that it has to notice a stop."""
WAIT = 0.1
"""Seconds between two looks at whether it is to stop."""
NONE = -1.0
"""In place of a residual: there was no such round."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the user may choose. Everything has a default."""

    exact: bool = False
    """Rationals instead of floats with bounds."""
    workers: int = 1
    """Threads. The answer does not depend on it."""
    nim: bool = False
    """Nim values of an impartial game instead of who wins."""
    width: float = 1e-12
    """How wide an interval may be before more work is done to narrow it (relative to 1)."""
    ties: str = "first"
    """More than two players: what a player does with equally good moves. "first" or "last" in the
    order of the rules, "average", "lexicographic" (the most for the next player, then for the
    one after that, …), "for:J" or "against:J" (for or against player J, 1-based)."""
    method: str = "auto"
    """How cyclic components are iterated: "naive", "newton" or "strategy" (solving/choose.py says
    which can be asked for); "auto" is the fastest that proves its values."""
    audit: Callable[..., None] = field(default=lambda graph, facts, store, work: None)
    """Called with graphs that a solver made by itself, solved, to try their moves
    (solvers/chance/policy.py)."""
    progress: Callable[[int], None] = field(default=lambda done: None)
    """Called with the number of further positions solved, from time to time."""


@dataclass
class Work:
    """What a solver did to one stratum."""

    methods: dict[str, int]
    """Positions solved, by method."""
    components: int = 0
    """Strongly connected components, where they were looked for."""
    notes: list[str] = field(default_factory=list)
    """What the user should know, such as ties that decide a value."""
    gap: float = 0.0
    """Most that the stored moves, played and evaluated again, fall short of the values."""
    residual: float = 0.0
    """Largest amount by which an equation is not satisfied (vectors only)."""
    policy_error: float = 0.0
    """Several players: how far values may be from what the policy that was found brings, if those
    of lower strata were exact; infinite if that is not known."""
    reply_gain: float | None = None
    """Several players: the most that a player gains in the stratum by leaving that policy for
    good, if nobody gains anything in lower strata; None if that is not known."""
    denominator: str = ""
    """The common denominator of the stratum's values, where they are whole numbers over one."""
    holes: int = 0
    """Numbers that no position has, where positions have numbers."""
    rounds: dict[str, int] = field(default_factory=dict)
    """How many cyclic components took so many rounds, where they were iterated."""
    residuals: list[float] = field(default_factory=list)
    """What changed in each round, in the component that took most of them."""

    def did(self, method: str, positions: int) -> None:
        """Take note that a method solved some more positions."""
        if positions:
            self.methods[method] = self.methods.get(method, 0) + positions

    def took(self, residuals: Sequence[float]) -> None:
        """Take note of the rounds of one cyclic component, each with what changed in it."""
        count = str(len(residuals))
        self.rounds[count] = self.rounds.get(count, 0) + 1
        self._keep(residuals)

    @staticmethod
    def counters(most: int) -> tuple[Array, Array]:
        """Where a kernel counts rounds: how many components took so many of at most `most`, and
        the residuals of the one that took most of them; NONE where it had no such round."""
        return np.zeros(most + 1, np.int64), np.full(most, NONE)

    def took_all(self, rounds: Array, longest: Array) -> None:
        """Take note of the rounds that a kernel counted."""
        for count in (1 + np.flatnonzero(rounds[1:])).tolist():
            self.rounds[str(count)] = self.rounds.get(str(count), 0) + int(rounds[count])
        self._keep(longest[longest > NONE].tolist())

    def _keep(self, residuals: Sequence[float]) -> None:
        """Of components that took as many, the greatest count: their order says nothing."""
        kept = list(residuals[:RESIDUALS])
        self.residuals = max(self.residuals, kept, key=lambda each: (len(each), each))

    def add(self, other: Work) -> None:
        """Add what was done to another stratum."""
        for method, positions in other.methods.items():
            self.methods[method] = self.methods.get(method, 0) + positions
        for count, components in other.rounds.items():
            self.rounds[count] = self.rounds.get(count, 0) + components
        self._keep(other.residuals)
        self.components += other.components
        self.holes += other.holes
        self.notes += other.notes
        self.gap = max(self.gap, other.gap)
        self.residual = max(self.residual, other.residual)
        self.policy_error += other.policy_error
        both = self.reply_gain, other.reply_gain
        self.reply_gain = None if both[0] is None or both[1] is None else both[0] + both[1]

    def discount(self, twice: int) -> None:
        """Some positions were solved twice, but are to be counted once."""
        if twice:
            method = max(self.methods, key=lambda name: self.methods[name])
            self.methods[method] -= twice


def stoppable(task: Callable[[Array], Any], rows: int, options: Options) -> Any:
    """What a long kernel returns. task(stop) ends soon once stop[0] is 1: another thread runs it,
    while this one waits, so that Ctrl-C, or what `options.progress` raises, ends it."""
    stop = np.zeros(1, np.uint8)
    if rows < LONG:
        return task(stop)
    with Pool(1) as pool:
        found = pool.submit(task, stop)
        try:
            while wait([found], WAIT).not_done:
                options.progress(0)
        except BaseException:
            stop[0] = 1
            raise
        return found.result()


def over_rows(task: Callable[[int, int], Any], count: int, options: Options, step: int) -> None:
    """Call task(begin, end) for ranges of up to `step`, by `options.workers` threads."""

    def run(begin: int) -> int:
        end = min(begin + step, count)
        task(begin, end)
        return end - begin

    begins = range(0, count, step)
    if options.workers == 1 or len(begins) < 2:
        for begin in begins:
            options.progress(run(begin))
        return
    with Pool(options.workers) as pool:
        for done in pool.map(run, begins):
            options.progress(done)
