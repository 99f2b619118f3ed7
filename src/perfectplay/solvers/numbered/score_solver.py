"""Scores of a stratum by number: by bounds where its moves fit in memory, else in sweeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.compiled.threads import Pool
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.solvers.numbered import passes, score_bounds
from perfectplay.solvers.numbered.codes import FINE, FIRST, FORWARD, LARGE
from perfectplay.solvers.numbered.passes import AllValues, Place

SAMPLE = 1 << 16
"""Numbers from which is told how many moves stay inside."""
PER_EDGE, PER_NUMBER = 8, 20
"""Bytes that bounds take: for each move that stays inside, twice while edges are turned round; for
each number."""

Refuse = Callable[[Place, int, int], None]
Chunk = tuple[int, int, Array]
"""Numbers begin … end - 1, and the children inside of all of them."""


class ScoreSolver:
    """Solves strata of scores; `memory` is how many bytes moves may take."""

    def __init__(self, numbering: Numbering, memory: int, refuse: Refuse) -> None:
        self._numbering, self._game = numbering, numbering.game
        self._memory, self._refuse = memory, refuse

    def solve(self, values: AllValues, place: Place, ranges: list[tuple[int, int]]) -> str | None:
        """Find the scores of a stratum: by which method. None: some do not fit their type."""
        if not ranges:
            return "sweeps"
        count = np.zeros(ranges[-1][1], np.uint8)
        many = min(SAMPLE, len(count))
        begin = (len(count) - many) // 2
        some = self._exits(values, place, begin, begin + many, count)
        if some is None:
            return None
        per_number = sum(len(each) for _, _, each in some) / many
        needed = int((PER_EDGE * per_number + PER_NUMBER) * len(count))
        if needed > self._memory or per_number * len(count) >= 2**32:
            return "sweeps" if self._sweeps(values, place, ranges) else None
        return "score bounds" if self._bounds(values, place, ranges, count) else None

    # -- By bounds. -------------------------------------------------------------------------------

    def _exits(
        self, values: AllValues, place: Place, begin: int, end: int, count: Array
    ) -> list[Chunk] | None:
        """The moves inside of a range of numbers; None if a score does not fit."""
        rules, pay = self._numbering.rules, np.zeros((1, 16), np.int64)
        found: list[Chunk] = []
        room = np.empty(8 * (end - begin) + score_bounds.MOST_MOVES, np.uint32)
        while begin < end:
            done, filled, wrong, where = rules.called(
                self._exit_kernel, self._game, rules.sample, values, place, begin, end,
                (room, count), pay,
            )  # fmt: skip
            if wrong == LARGE:
                return None
            self._refuse(place, wrong, where)
            found.append((begin, begin + done, room[:filled].copy()))
            begin += done
        return found

    def _bounds(
        self, values: AllValues, place: Place, ranges: list[tuple[int, int]], count: Array
    ) -> bool:
        def task(each: tuple[int, int]) -> list[Chunk] | None:
            return self._exits(values, place, *each, count)

        with Pool.shared() as pool:
            found = [*pool.map(task, ranges)]
        chunks = [chunk for each in found for chunk in each or ()]
        if None in found:
            return False
        end = np.zeros(len(count) + 1, np.uint32)
        for _, _, child in chunks:
            score_bounds.count_parents(child, end)
        np.cumsum(end, out=end, dtype=np.uint32)
        parent = np.empty(int(end[-1]), np.uint32)
        for low, high, child in reversed(chunks):
            score_bounds.add_parents(low, count[low:high], child, end, parent)
            chunks.pop()
        low, high = values.base[place.at], values.base[place.at + 1]
        score_bounds.settle_bounds(values.value[low:high], place.top, count, end[:-1], parent)
        return True

    @cached_property
    def _exit_kernel(self) -> Any:
        return rules_kernel(score_bounds.exits, self._game)

    # -- In sweeps. -------------------------------------------------------------------------------

    def _sweeps(self, values: AllValues, place: Place, ranges: list[tuple[int, int]]) -> bool:
        values.value[values.base[place.at] : values.base[place.at + 1]] = 0
        rows = [np.arange(*each) for each in ranges]
        large = False

        def task(k: int) -> int:
            nonlocal large
            rules, pay = self._numbering.rules, np.zeros((1, 16), np.int64)
            changed, wrong, where = rules.called(
                self._sweep_kernel, self._game, rules.sample, values, place, rows[k], pay
            )
            large = large or wrong == LARGE
            self._refuse(place, FINE if wrong == LARGE else wrong, where)
            rows[k] = rows[k][rows[k] >= 0]
            return int(changed)

        place = place._replace(mode=FIRST)
        while any(map(len, rows)) and not large:
            with Pool.shared() as pool:
                changed = sum(pool.map(task, range(len(rows))))
            if not changed and place.mode != FIRST:
                break
            place = place._replace(mode=FORWARD)
        return not large

    @cached_property
    def _sweep_kernel(self) -> Any:
        return rules_kernel(passes.sweep, self._game)
