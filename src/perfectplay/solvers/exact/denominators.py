"""Denominators: whether exact values fit in whole numbers of fixed width (whole_numbers.py).

Every stratum is examined when it is found. The sums of weights of a stratum have a least common
multiple T, and if h chance positions can follow each other in it, denominators grow by a factor of
at most T^h from one end of it to the other. What they may grow to on the longest path through the
strata is a bound that is known before solving, as a fact of the game. It is kept as exponents of
primes, since paths that meet need a common multiple. If it is too large, the chance positions on
the longest path to each position are counted (`LongestPaths`). Solving then uses as many words as
values really need."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import lcm, log2
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.turns.patterns import Turns
from perfectplay.rules.game import OVER
from perfectplay.solvers.exact import whole_numbers
from perfectplay.strata.graph import Graph

MOST = 64 * whole_numbers.WORDS - whole_numbers.SPARE - 2
"""Bits that values may have."""
LARGE = 1 << 31
"""A common multiple of sums of weights above this is too large."""


class Denominators:
    """Follows how denominators grow, from the highest stratum down."""

    _NOTES = ("room", "_above", "_all", "_common", "_highest", "_steps", "_most", "_earned")

    def __init__(self, turn_patterns: Any = None) -> None:
        self._book = turn_patterns
        self.room = True
        """Whether sums of weights are no obstacle by themselves."""
        self._above: dict[int, dict[int, int]] = {}  # exponents of primes, by stratum
        self._all: dict[int, int] = {}
        self._total, self._high = 1, 0  # of the present stratum
        self._common = 1  # of all strata
        self._highest = 0
        self._steps = 0
        self._most = 1
        self._earned = 0

    def look(self, found: FoundStratum) -> None:
        """Take note of one stratum."""
        self.part(found)
        self.settle(found.stratum, found.below)

    def part(self, found: FoundStratum) -> None:
        """Take note of a part of a stratum; of all of it, if edges stay in it."""
        if not self.room:
            return
        try:
            total, high = self._measured(found)
        except whole_numbers.NoRoom:
            self.room = False
            return
        self._total, self._high = lcm(self._total, total), max(self._high, high)
        self.room = self._total < LARGE
        if (found.kind == OVER).any():
            self._most = max(self._most, int(np.abs(found.payoff).max()))
        self._earned = max(self._earned, int(np.abs(found.reward).max(initial=0)))

    def noted_part(self) -> dict[str, int]:
        """What was noted of parts of a stratum that is not settled, JSON-ready, to `merge`."""
        names = ("room", "_total", "_high", "_most", "_earned", "_steps")
        return {name: getattr(self, name) for name in names}

    def merge(self, part: dict[str, int]) -> None:
        """Add what another one noted of parts of the present stratum, and of nothing else."""
        self.room = self.room and bool(part["room"])
        if not self.room:
            return
        self._total = lcm(self._total, part["_total"])
        self.room = self._total < LARGE
        self._steps += part["_steps"]
        for name in ("_high", "_most", "_earned"):
            setattr(self, name, max(getattr(self, name), part[name]))

    def settle(self, stratum: int, below: Iterable[int]) -> None:
        """All parts of a stratum were seen; edges lead to those `below`."""
        if not self.room:
            return
        here = dict(self._above.pop(stratum, {}))
        for prime, power in primes(self._total):
            here[prime] = here.get(prime, 0) + power * self._high
        _raise(self._all, here)
        for each in below:
            _raise(self._above.setdefault(each, {}), here)
        self._common = lcm(self._common, self._total)
        self._highest = max(self._highest, self._high)
        self._total, self._high = 1, 0

    def noted(self) -> dict[str, Any]:
        """What was noted of all strata that are settled, JSON-ready."""
        return {name: getattr(self, name) for name in self._NOTES}

    def recall(self, noted: dict[str, Any]) -> None:
        """Go on from there."""
        for name in self._NOTES:
            setattr(self, name, _numbered(noted[name]))

    @property
    def whole(self) -> bool:
        """Whether values are sure to fit."""
        bits = sum(power * log2(prime) for prime, power in self._all.items())
        return self.room and self._fits(bits)

    def whole_by(self, longest: LongestPaths) -> bool:
        """Whether values fit if no path has more chance positions than it says."""
        return self.room and self._fits(longest.most * log2(self._common))

    def _fits(self, bits: float) -> bool:
        """What lies below a stratum may have grown more than what it leads to, hence the last
        stratum counts twice."""
        earned, steps = self._earned, self._steps
        if self._book is not None:
            patterns = self._book.patterns()
            earned += int(np.abs(patterns.reward).max(initial=0))
            steps *= len(patterns.kind)
        most = 4 * self._most + 4 * earned * steps  # stored values may count double
        return bits + self._highest * log2(self._common) + log2(most) < MOST

    def _measured(self, found: FoundStratum) -> tuple[int, int]:
        """The least common multiple of sums of weights, and how many chance positions can follow
        each other."""
        graph, turns = _local(found, self._book)
        high = whole_numbers.order_of(graph, turns, whole_numbers.heights(turns.patterns))[1]
        self._steps += found.size if graph.inside else 1
        total = whole_numbers.total_of(graph, turns)
        return total, int(high.max(initial=0))


def _numbered(note: Any) -> Any:
    """Keys as numbers again, which JSON has made texts."""
    if not isinstance(note, dict):
        return note
    return {int(key): _numbered(value) for key, value in note.items()}


class LongestPaths:
    """The most chance positions on a path from a first position, found stratum by stratum from the
    highest down, position by position. (Where edges stay in a stratum, all of it at once.)"""

    def __init__(self, turn_patterns: Any, positions: int) -> None:
        self._book = turn_patterns
        self._before = np.zeros(positions, np.int32)  # by the number of a position
        self.most = 0

    def look(self, found: FoundStratum) -> None:
        """Take note of one stratum."""
        graph, turns = _local(found, self._book)
        high = whole_numbers.order_of(graph, turns, whole_numbers.heights(turns.patterns))[1]
        after = self._before[found.numbers] + high
        if graph.inside:
            after[:] = self._before[found.numbers].max() + high.max()
        self.most = max(self.most, int(after.max()))
        _hand_down(graph.first, found.child, after.astype(np.int32), self._before)


@kernel
def _hand_down(first: Ints, child: Ids, after: Int32s, before: Int32s) -> None:
    for row in range(len(first) - 1):
        for e in range(first[row], first[row + 1]):
            before[child[e]] = max(before[child[e]], after[row])


@cache
def primes(number: int) -> tuple[tuple[int, int], ...]:
    """The primes of a number below 2^31, with their powers."""
    found: dict[int, int] = {}
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
        prime += 1
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return tuple(found.items())


def _raise(most: dict[int, int], other: dict[int, int]) -> None:
    """Make exponents at least as large as others."""
    for prime, power in other.items():
        most[prime] = max(most.get(prime, 0), power)


def _local(found: FoundStratum, turn_patterns: Any) -> tuple[Graph, Turns]:
    """The stratum as a graph by itself, in which id 0 stands for all that is below it, and its
    turns."""
    first = np.append(0, np.cumsum(found.count, dtype=np.int64))
    none = np.zeros(1, np.int64)
    child = np.broadcast_to(np.zeros(1, np.uint32), len(found.child))
    if found.inside:
        child = _within(found.numbers, found.child)
    graph = Graph(
        1, found.kind, none, first, child, found.swap, found.weight.astype(np.int64, copy=False),
        none, found.anchor,
    )  # fmt: skip
    if turn_patterns is None:
        return graph, whole_numbers.single(graph)
    pattern = np.broadcast_to(found.pattern, found.size)
    node = np.broadcast_to(found.node, len(found.child))
    return graph, Turns(turn_patterns.patterns(), pattern, node, found.rank)


def _within(numbers: Array, child: Array) -> Array:
    """uint32[e]: 1 + the row that an edge leads to, 0 if it leaves the stratum."""
    low, high = int(numbers.min()), int(numbers.max())
    place = np.zeros(high - low + 1, np.uint32)
    place[numbers - np.uint32(low)] = np.arange(1, len(numbers) + 1, dtype=np.uint32)
    near = (child >= low) & (child <= high)
    out = np.zeros(len(child), np.uint32)
    out[near] = place[child[near] - np.uint32(low)]
    return out
