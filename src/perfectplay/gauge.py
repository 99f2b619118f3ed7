"""Gauge: whether exact values of a game fit in whole numbers of fixed width (solvers/whole.py).

It looks at every stratum as it is found, and adds up what the denominators of values may grow by:
the sums of weights of a stratum have a least common multiple T, and if h chance positions can
follow each other in it, denominators grow by no more than T^h. So the bound is told beforehand, as
a fact of the game; solving then uses as many words as values really need."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from perfectplay.explore import Layer
from perfectplay.game import OVER
from perfectplay.graph import Array, Graph, Turns
from perfectplay.solvers import whole

MOST = 64 * whole.WORDS - whole.SPARE - 2
"""Bits that values may have."""


class Gauge:
    """Adds up bits, stratum by stratum."""

    def __init__(self, book: Any = None) -> None:
        self._book = book
        self._fits = True
        self._bits = 0.0
        self._most = 1
        self._steps = 0
        self._earned = 0

    def look(self, layer: Layer) -> None:
        """Take note of one stratum."""
        if not self._fits:
            return
        try:
            total, high = self._measured(layer)
        except whole.NoRoom:
            self._fits = False
            return
        self._bits += high * log2(total)
        self._fits = self._bits < MOST
        if (layer.kind == OVER).any():
            self._most = max(self._most, int(np.abs(layer.payoff).max()))
        self._earned = max(self._earned, int(np.abs(layer.reward).max(initial=0)))

    @property
    def whole(self) -> bool:
        """Whether values are sure to fit."""
        if self._book is not None:
            patterns = self._book.patterns()
            self._earned += int(np.abs(patterns.reward).max(initial=0))
            self._steps *= len(patterns.kind)
        most = 4 * self._most + 4 * self._earned * self._steps  # stored values may count double
        return self._fits and self._bits + log2(most) < MOST

    def _measured(self, layer: Layer) -> tuple[int, int]:
        """The least common multiple of sums of weights, and how many chance positions can follow
        each other."""
        graph = _local(layer)
        turns = whole.single(graph)
        if self._book is not None:
            pattern = np.broadcast_to(layer.pattern, layer.size)
            node = np.broadcast_to(layer.node, len(layer.child))
            turns = Turns(self._book.patterns(), pattern, node, layer.rank)
        high = whole.order_of(graph, turns, whole.heights(turns.patterns))[1]
        self._steps += layer.size if graph.inside else 1
        total = whole.total_of(graph, turns)
        return total, int(high.max(initial=0))


def _local(layer: Layer) -> Graph:
    """The stratum as a graph by itself: id 0 stands for all that is below it."""
    first = np.zeros(layer.size + 1, np.int64)
    np.cumsum(layer.count, out=first[1:])
    none = np.zeros(1, np.int64)
    child = np.broadcast_to(np.zeros(1, np.uint32), len(layer.child))
    if layer.inside:
        child = _within(layer.numbers, layer.child)
    return Graph(
        1, layer.kind, none, first, child, layer.swap, layer.weight.astype(np.int64, copy=False),
        none, layer.anchor,
    )  # fmt: skip


def _within(numbers: Array, child: Array) -> Array:
    """uint32[e]: 1 + the row that an edge leads to, 0 if it leaves the stratum."""
    low, high = int(numbers.min()), int(numbers.max())
    place = np.zeros(high - low + 1, np.uint32)
    place[numbers - np.uint32(low)] = np.arange(1, len(numbers) + 1, dtype=np.uint32)
    near = (child >= low) & (child <= high)
    out = np.zeros(len(child), np.uint32)
    out[near] = place[child[near] - np.uint32(low)]
    return out
