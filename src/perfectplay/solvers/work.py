"""Solvers, one per kind of stratum, all of the same shape: `solve(graph, facts, store, options)`.

A solver reads the values of lower strata from the store, writes those of its own rows, and returns
a `Work`: which method did how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from perfectplay.compiled.threads import Pool

RESIDUALS = 100
"""Rounds whose residuals are kept at most."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the user may choose. Everything has a default."""

    exact: bool = False
    """Rationals instead of floats with bounds."""
    workers: int = 1
    """Threads. The answer does not depend on it."""
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
    bottom: str = ""
    """The common denominator of the stratum's values, where they are whole numbers over one."""
    rounds: dict[str, int] = field(default_factory=dict)
    """Where a method was asked for by name: how many cyclic components took so many rounds."""
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

    def _keep(self, residuals: Sequence[float]) -> None:
        if len(residuals) > len(self.residuals):
            self.residuals = list(residuals[:RESIDUALS])

    def add(self, other: Work) -> None:
        """Add what was done to another stratum."""
        for method, positions in other.methods.items():
            self.methods[method] = self.methods.get(method, 0) + positions
        for count, components in other.rounds.items():
            self.rounds[count] = self.rounds.get(count, 0) + components
        self._keep(other.residuals)
        self.components += other.components
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
