"""Databases of half bytes (by_number.py, by_rests.py): building them level by level, on several
threads, and going on with one that was stopped."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.compiled.rule_kernels import UNCHECKED
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Progress
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player.estimate import LARGEST_HALF
from perfectplay.searching.patterns import by_number, by_rests, database_files

SPAN = 1 << 20
"""Numbers that a thread takes at a time."""
KEEP = 60.0
"""Seconds of building after which what is done is kept, so that it can be taken up again: more,
where keeping it takes more than a tenth of them."""
LOCKS = 1 << 12
REFUSED = {by_number.FREE: "costs nothing", by_number.OUTSIDE: "leads to what has no number"}


class _ByLevels(ABC):
    """Building one database."""

    functions: tuple[Any, ...]

    def __init__(
        self, expander: NativeExpander, k: int, group: int, sizes: tuple[int, int], identity: str,
        workers: int = 1,
    ) -> None:  # fmt: skip
        self._expander, self._k, self._group, self._identity = expander, k, group, identity
        self._size, self._rests = sizes
        self._kernels = compiled(expander.game, self.functions, UNCHECKED)
        self._workers = workers
        self._locks: Ints = np.zeros((LOCKS if workers > 1 else 0, 1), np.int64)
        self._kept, self._pause = time.monotonic(), 0.0

    def built(self, progress: Progress) -> Bytes:
        """All costs, two in a byte."""
        with Pool(self._workers if self._workers > 1 else 0) as pool:
            found = self._built(pool, progress)
        database_files.drop_part(self._identity)
        return found

    @abstractmethod
    def _built(self, pool: Pool, progress: Progress) -> Bytes:
        """The same."""

    def _spans(self, pool: Pool, progress: Progress, name: str, *given: Any) -> int:
        """The sum of what a kernel says of all spans of numbers, which comes after what is given
        but for two."""
        total = 0

        def one(low: int) -> tuple[int, int]:
            high = min(low + SPAN, self._size)
            return self._called(name, *given[:-2], (low, high), *given[-2:]), high - low

        for found, count in pool.in_order(one, range(0, self._size, SPAN)):
            if found < 0:
                raise RulesError(
                    f"{type(self._expander.game).__name__}: a move "
                    f"{REFUSED[found]} in abstraction {self._k}",
                    "numbers are below blur_sizes(k); without blur_steps, blur_at is for "
                    "abstractions in which every move costs something",
                )
            total += found
            progress.advance(count)
        return total

    def _keep(self, arrays: Sequence[Bytes], done: dict[str, Any]) -> None:
        """Now and then, keep what is done."""
        began = time.monotonic()
        if began - self._kept > max(KEEP, 10 * self._pause):
            database_files.keep_part(self._identity, arrays, done)
            self._kept = time.monotonic()
            self._pause = self._kept - began

    def _goals(self) -> Ints:
        game: Any = self._expander.game
        blurred = [game.blur(goal, self._k) for goal in game.goals()]
        for p in blurred:  # kernels here check no indices; of other positions they check numbers
            i, rest = game.blur_index(p, self._k)
            if not (0 <= i < self._size and 0 <= rest < max(1, self._rests)):
                raise RulesError(
                    f"{type(game).__name__}: a goal has number {i}, {rest} in abstraction "
                    f"{self._k}",
                    f"blur_sizes({self._k}) says that there are {self._size} and {self._rests}",
                )
        return self._expander.keys(blurred)

    def _called(self, name: str, *arguments: Any, near: Ints | None = None) -> Any:
        keys = np.empty((0, self._expander.width), np.int64) if near is None else near
        return self._expander.called(
            self._kernels[name], self._expander.game, *arguments, near=(keys, None)
        )


class Halves(_ByLevels):
    """A database in which every move costs something."""

    functions = by_number.FUNCTIONS

    def _built(self, pool: Pool, progress: Progress) -> Bytes:
        cost, to, asking = self._begun()
        while to <= LARGEST_HALF:
            known = by_number.counted(cost, self._size)
            if not known[to - 1 : LARGEST_HALF + 1].sum():
                break
            left = int(known[to:].sum())
            asking = asking or 2 * int(known[to - 1]) > left or to == LARGEST_HALF
            if left:
                self._level(pool, cost, to, asking, progress)
            to += 1
            self._keep([cost], {"to": to, "asking": asking})
        return cost

    def _begun(self) -> tuple[Bytes, int, bool]:
        """What was done before, or the goals."""
        part = database_files.read_part(self._identity)
        if part is not None and len(part[0]) == (self._size + 1) // 2:
            return part[0], int(part[1]["to"]), bool(part[1]["asking"])
        cost, goals = unknown(self._size), self._goals()
        self._called("begin_halves", self._expander.sample, goals, self._k, cost, near=goals)
        return cost, 1, False

    def _level(self, pool: Pool, cost: Bytes, to: int, asking: int, progress: Progress) -> None:
        """Find all positions of one cost; of the last one, again until nothing changes."""
        while self._spans(
            pool, progress, "level", self._k, self._group, cost, self._locks, to, asking
        ):
            if to < LARGEST_HALF:
                break


class FreeHalves(_ByLevels):
    """A database in which moves that do not count are free, and others cost one."""

    functions = by_rests.FUNCTIONS

    def _built(self, pool: Pool, progress: Progress) -> Bytes:
        width = (self._rests + 7) // 8
        cost, sets, at = self._begun(width)
        while sets.now.any():
            self._spans(pool, progress, "rests_level", self._k, cost, sets, width, at)
            sets = by_rests.RestSets(
                sets.met, sets.later, sets.now, sets.later.view(np.int64), self._locks
            )
            at += 1
            self._keep([cost, sets.met, sets.now], {"at": at})
        return cost

    def _begun(self, width: int) -> tuple[Bytes, by_rests.RestSets, int]:
        """What was done before, or the goals."""
        half = (self._size + 1) // 2
        many = -(-self._size // by_rests.BLOCK) * by_rests.BLOCK * width
        part = database_files.read_part(self._identity)
        if part is not None and len(part[0]) == half + 2 * many:
            cost, met, now = np.split(part[0], [half, half + many])
            now = now.copy()  # words begin where the machine likes them to
            return cost, self._sets(met, now, np.zeros(many, np.uint8)), int(part[1]["at"])
        met, now, later = (np.zeros(many, np.uint8) for _ in range(3))
        cost, goals = unknown(self._size), self._goals()
        self._called("begin_rests", self._expander.sample, goals, self._k, width, now, near=goals)
        return cost, self._sets(met, now, later), 0

    def _sets(self, met: Bytes, now: Bytes, later: Bytes) -> by_rests.RestSets:
        return by_rests.RestSets(met, now, later, now.view(np.int64), self._locks)


def unknown(size: int) -> Bytes:
    """Costs that are not known, two in a byte."""
    cost: Bytes = np.full((size + 1) // 2, 255, np.uint8)
    return cost
