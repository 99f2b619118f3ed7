"""The windows that a search is asked, one after the other, until the value is known.

Every answer narrows proved bounds on the value, so a search may be stopped at any time."""

import math
from collections.abc import Callable
from typing import Any, Protocol

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.progress import Progress
from perfectplay.rules.value import Number
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import NodeBounds

BISECTIONS = 6
"""How often the bounds of an expectation are halved before the value itself is asked for; a single
player's are not, since the first good line of play narrows them better."""
UNLIMITED = 2**62
SHORTEST = 2
"""Plies of the first paths where play recurs."""
REPORTED = 256
"""Nodes between two reports of progress, at least."""
NEAREST = 20
"""How often the distance to the guess is halved before the value itself is asked for, in searches
position by position."""


class Searcher(Protocol):
    """Bounds on one position that can be narrowed."""

    method: str
    """What methods.py calls this kind of search."""
    counts: Counts
    interrupted: bool
    near: int
    """How often windows come nearer to a guess before the value itself is asked for."""
    reach: int
    """How many plies a path may have; 0: as many as play has."""
    cut: int
    """How many paths were too long for that, so far."""

    @property
    def bounds(self) -> tuple[Number, Number]: ...

    @property
    def settled(self) -> bool: ...

    @property
    def guess(self) -> float | None: ...

    def narrow(
        self, window: Any, nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool: ...

    def node_bounds(self, position: Any = None) -> NodeBounds: ...


class Driver:
    """Asks one window after the other."""

    def __init__(
        self,
        search: Searcher,
        *,
        whole: bool,
        alone: bool,
        window: tuple[Number, Number],
        progress: Progress,
        recurs: bool = False,
    ) -> None:
        self._search = search
        self._longest = search.reach if recurs and whole else 0
        if self._longest:
            search.reach = SHORTEST
        self._whole = whole
        self._halves = 0 if alone else BISECTIONS
        self._low, self._high = window
        self._progress = progress
        self._reported = 0
        self._near, self._far = 0, 0.0  # windows about the guess so far; distance of the next
        self._stuck = False

    def run(self, nodes: int | None, limit: TimeLimit, threads: int) -> str:
        """Search until the value is known, or lies outside the window; why it ended before."""
        most = UNLIMITED if nodes is None else nodes
        search, asked, cut = self._search, 0, 0
        waiting: list[tuple[float, float]] = []
        """Where play recurs: windows that are still to be asked with paths of this length."""
        while not self._answered():
            left = most - search.counts.nodes
            if left <= 0:
                return "nodes"
            if limit.over:
                return "seconds"
            window, before = waiting.pop() if waiting else self._next(asked), search.bounds
            share = left if threads == 1 else max(left // threads, 1)
            done = search.narrow(window, share, threads, lambda n: self._halt(n, limit))
            asked += 1
            if search.interrupted:
                return "interrupted"
            if self._longest:
                if done and not waiting and search.cut > cut and search.reach < self._longest:
                    search.reach = min(search.reach + 1 + search.reach // 8, self._longest)
                    waiting, cut = self._each(), search.cut
                if waiting or not done:
                    continue
            self._stuck = done and search.bounds == before
            if done and not self._answered() and window == (-math.inf, math.inf):
                return "circles" if search.counts.circles or search.cut else "rounding"
        low, high = search.bounds
        return "" if low == high or low >= self._high or high <= self._low else "rounding"

    def _answered(self) -> bool:
        low, high = self._search.bounds
        return self._search.settled or low >= self._high or high <= self._low

    def _halt(self, nodes: int, limit: TimeLimit) -> bool:
        if nodes - self._reported >= REPORTED:
            self._progress.advance(nodes - self._reported)
            self._reported = nodes
        return limit.over

    def _each(self) -> list[tuple[float, float]]:
        """All windows that could move a bound, last first: what is open at one length of paths may
        be settled in one window and not in another."""
        low, high = (float(x) for x in self._search.bounds)
        low, high = max(low, float(self._low)), min(high, float(self._high))
        if math.isinf(low) or math.isinf(high) or high - low > 2:
            return [(low, high)]
        return [(n, n + 1) for n in (low, low + 1) if n < high]

    def _next(self, asked: int) -> tuple[float, float]:
        """The next window: for integers (n, n + 1), which no value lies in, so that one of the
        bounds must move; for expectations, first in which half the value lies."""
        low, high = (float(x) for x in self._search.bounds)
        low, high = max(low, float(self._low)), min(high, float(self._high))
        if self._stuck:
            return -math.inf, math.inf
        if self._whole:
            return self._step(low, high, asked)
        if math.isinf(low) or math.isinf(high):
            return -math.inf, math.inf
        guess = self._search.guess
        if guess is not None:
            return self._about(guess, low, high)
        if asked >= self._halves:
            return -math.inf, math.inf
        middle = (low + high) / 2
        return middle, middle

    def _about(self, guess: float, low: float, high: float) -> tuple[float, float]:
        """A window (x, x), with x below or above the guess in turn, nearer each time; in the end
        all that is left. So what is easily proved comes first, and guesses become better."""
        if self._near == 0:
            self._far = (high - low) / 4
        while self._near < 2 * self._search.near:
            above = self._near % 2
            at = guess + self._far if above else guess - self._far
            self._far /= 1 + above
            self._near += 1
            if low < at < high:
                return at, at
        return -math.inf, math.inf

    def _step(self, low: float, high: float, asked: int) -> tuple[float, float]:
        if math.isinf(low) and math.isinf(high):
            return (-1.0, 1.0) if asked == 0 else (-math.inf, math.inf)
        if math.isinf(low) or math.isinf(high):
            near = high if math.isinf(low) else low
            far = near - 2.0**asked if math.isinf(low) else near + 2.0**asked
            return min(near, far), max(near, far)
        if abs(low) + abs(high) > 2.0**50:
            return -math.inf, math.inf
        below = math.floor((low + high) / 2)
        return float(below), float(below + 1)
