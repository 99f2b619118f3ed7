"""Games of chance without circles, exactly, in whole numbers of fixed width.

The equations are those of solvers/chance/stochastic.py. All values of a stratum are integers over
one common denominator, its **bottom**. If D is a common multiple of the bottoms of all strata
below, and T of the sums of weights of all chance positions of the stratum, then a chance position
above k others is a whole number over D T^(k + 1): it is multiplied, never divided. In the end what
all values of the stratum have in common with the bottom is taken out again.

No sum or product can leave the range of its words: |value| <= M, so every number on the way is at
most M D T^h in size, where h is the largest k + 1, and that is compared, as an integer of any
size, with what the words hold before the stratum is begun. Values have one word of 64 bits, two or
three, whatever is needed; beyond that is `NoRoom`, which denominators.py has ruled out
beforehand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.intrinsics import prefetch
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.turns.pattern_arrays import Patterns, Turns
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.exact.common_factors import largest, settle
from perfectplay.solvers.exact.multiword import lift, pass_words
from perfectplay.solvers.store import Whole, split_words
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph

WORDS = 3
"""Most words of a value."""
SPARE = 2
"""Bits of a word's range that are left alone."""
RANGE = 1 << 15
"""Rows that a thread takes at a time."""
FEW = 1 << 20
"""Exits that are soon copied."""
AHEAD = 24
"""Exits whose values are asked for before they are needed."""
METHOD = "whole numbers"


class NoRoom(ArithmeticError):  # noqa: N818 - a plain fact, caught by who asked
    """Three words are not enough, or there are circles: fractions are called for."""


def solve(graph: Graph, facts: Facts, store: Whole, options: Options) -> Work:
    """Write the values of one stratum into the store; see the module's docstring."""
    turns = graph.turns or single(graph)
    tops = heights(turns.patterns)
    order, depth = order_of(graph, turns, tops)
    total = total_of(graph, turns)
    below = lcm(store.below, *store.bottoms)
    high = int(depth.max(initial=0))
    bottom = below * total**high
    earned = int(np.abs(graph.reward).max(initial=0)) + int(
        np.abs(turns.patterns.reward).max(initial=0)
    )
    steps = len(turns.patterns.kind) + (graph.size if graph.inside else 1)
    paid = int(np.abs(graph.payoff).max(initial=0))
    most = max(store.most, Fraction(paid), Fraction(1)) + earned * steps
    words = (int(most * bottom).bit_length() + SPARE) // 64 + 1
    if words > WORDS:
        raise NoRoom("values need more than 192 bits")
    store.widen(words)
    levels = [below * total**k for k in range(high + 1)]
    run = _Run(graph, turns, store, (order, depth, tops), [below // b for b in store.bottoms])
    run.solve(levels, total, options)
    top = store.top[graph.low : graph.low + graph.size]
    if store.by_parts:
        store.total = total
    else:
        bottom = settle(top, bottom, total)
    store.settled(graph.low, bottom, Fraction(largest(top), bottom))
    return Work({METHOD: graph.size}, bottom=str(store.bottoms[-1]))


def single(graph: Graph) -> Turns:
    """A graph as one of turns with one node each: of player 0, of player 1, or of chance."""
    kinds = np.array([0, 1, CHANCE], np.int8)
    none = np.zeros(0, np.int64)
    patterns = Patterns(
        np.arange(4), kinds, np.zeros(4, np.int64), none.astype(np.int32), none, none, none
    )
    pattern = np.where(graph.kind == OVER, -1, np.where(graph.kind == CHANCE, 2, graph.kind))
    zero = np.zeros(1, np.int32)
    return Turns(patterns, pattern.astype(np.int32), np.broadcast_to(zero, graph.edges), zero)


def _inside(turns: Turns) -> tuple[Array, ...]:
    p = turns.patterns
    return (
        np.ascontiguousarray(p.start, np.int64),
        np.ascontiguousarray(p.kind, np.int8),
        np.ascontiguousarray(p.first, np.int64),
        np.ascontiguousarray(p.to, np.int32),
        np.ascontiguousarray(p.weight, np.int64),
        np.ascontiguousarray(p.reward, np.int64),
    )


def _exits(graph: Graph) -> tuple[Any, ...]:
    return (
        graph.low,
        np.ascontiguousarray(graph.first, np.int64),
        np.ascontiguousarray(graph.child, np.uint32),
        np.ascontiguousarray(graph.swap, np.uint8),
        np.ascontiguousarray(graph.weight, np.int64),
        np.ascontiguousarray(graph.reward, np.int64),
    )


def heights(patterns: Patterns) -> Array:
    """int64[n]: how many chance nodes lie on the longest way through a turn from each node."""
    out = np.zeros(len(patterns.kind), np.int64)
    _heights(patterns.start, patterns.kind, patterns.first, patterns.to, out)
    return out


@kernel
def _heights(start, kind, first, to, out):  # type: ignore[no-untyped-def]
    for i in range(len(start) - 1):
        for node in range(start[i], start[i + 1]):
            high = 0
            for e in range(first[node], first[node + 1]):
                high = max(high, out[start[i] + to[e]])
            out[node] = high + (1 if kind[node] == CHANCE else 0)


def order_of(graph: Graph, turns: Turns, tops: Array) -> tuple[Array, Array]:
    """(rows in an order in which children come first, or nothing if any will do; how many chance
    positions of the stratum lie on the longest way from each row)."""
    roots = tops[turns.patterns.start[1:] - 1]
    own = np.where(turns.pattern >= 0, roots[turns.pattern], 0)
    if not graph.inside:
        return np.zeros(0, np.int32), own
    found = components(graph)
    if found.cyclic.any():
        raise NoRoom("play may go round in circles")
    _climb(graph.low, graph.first, graph.child, found.rows, own)
    return found.rows, own


@kernel
def _climb(low, first, child, rows, high):  # type: ignore[no-untyped-def]
    """Add to the height of each row the largest one of its children in the stratum."""
    for row in rows:
        below = 0
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0:
                below = max(below, high[to])
        high[row] += below


def total_of(graph: Graph, turns: Turns) -> int:
    """The least common multiple of all sums of weights of chance positions."""
    pattern, node = np.require(turns.pattern, np.int32, ["C", "W"]), turns.node
    if len(node) < FEW:  # of few types, to compile less
        node = np.require(node, np.int16 if node.itemsize <= 2 else np.int32, ["C", "W"])
    total = int(_totals(graph.kind, pattern, node, _inside(turns), _exits(graph)))
    if total < 0:
        raise NoRoom("weights of chance add up to too many different numbers")
    return total


@kernel
def _totals(kinds, pattern, nodes, inside, outside):  # type: ignore[no-untyped-def]
    """The least common multiple of all sums of weights of chance nodes; -1 if it is too large."""
    start, kind, first, _, weight, _ = inside
    _, exits, child, _, weights, _ = outside
    every = -1 if len(weights) == len(child) else 0
    seen = np.zeros(len(start), np.bool_)
    common = np.int64(1)
    for row in range(len(kinds)):
        i = pattern[row]
        if i < 0:
            continue
        x = exits[row]
        if seen[i] and (x == exits[row + 1] or every == 0):
            single = start[i + 1] - start[i] == 1
            if not single or kind[start[i]] != CHANCE:
                continue
        clear = True
        for j in range(start[i + 1] - start[i]):
            node = start[i] + j
            total = np.int64(0)
            for e in range(first[node], first[node + 1]):
                total += weight[e]
            while x < exits[row + 1] and nodes[x] == j:
                total += weights[x & every]
                x += 1
                clear = clear and kind[node] != CHANCE
            if kind[node] == CHANCE and common % total != 0:
                a, b = common, total
                while b != 0:
                    a, b = b, a % b
                common = common // a * total
                if common > 1 << 31:
                    return -1
        seen[i] = clear
    return common


class _Run:
    """The rows of one stratum and all that they are computed from."""

    def __init__(
        self, graph: Graph, turns: Turns, store: Whole, shape: Any, factors: list[int]
    ) -> None:
        self.graph, self.turns, self.store = graph, turns, store
        self.order, self.depth, self.tops = shape
        self.words = store.top.shape[1]
        self.lows = np.array([*store.lows, graph.low], np.int64)
        self.factors = split_words([*factors, 1], self.words)
        self.coarse, self.shift = _coarse(self.lows, graph.low + graph.size)

    def solve(self, levels: list[int], total: int, options: Options) -> None:
        """All rows; levels[k] is the denominator above k chance positions of the stratum."""
        graph, turns, top = self.graph, self.turns, self.store.top
        inside, outside = _inside(turns), _exits(graph)
        where = self.lows, self.factors, self.coarse, self.shift
        scale = split_words(levels, self.words)
        powers = split_words([total**k for k in range(len(levels))], self.words)
        shape = self.order, self.depth, self.tops
        over = np.flatnonzero(graph.kind == OVER)
        paid = graph.payoff[over]
        one = self.words == 1
        walk = _pass if one else pass_words

        def run(begin: int) -> int:
            end = min(begin + step, graph.size)
            walk(
                (begin, end), turns.pattern, turns.node, inside, outside,
                where, (scale, powers, total), shape, top[:, 0] if one else top,
            )  # fmt: skip
            return end - begin

        ids = graph.low + over
        bottom = levels[0 if len(self.order) else -1]
        for amount in np.unique(paid).tolist():  # few different ones, as a rule
            top[ids[paid == amount]] = split_words([amount * bottom], self.words)[0]
        step = graph.size if len(self.order) else RANGE
        begins = range(0, graph.size, step)
        if options.workers == 1 or len(begins) < 2:
            for begin in begins:
                options.progress(run(begin))
        else:
            with ThreadPoolExecutor(options.workers) as pool:
                for done in pool.map(run, begins):
                    options.progress(done)
        if len(self.order):
            mine = top[graph.low : graph.low + graph.size]
            lift(mine, len(levels) - 1 - self.depth, powers)


def _coarse(lows: Array, size: int) -> tuple[Array, int]:
    """For each run of 2^shift ids the stratum of its first one, and the shift."""
    shift = max(0, int(size).bit_length() - 12)
    begins = np.arange((size >> shift) + 1, dtype=np.int64) << shift
    return np.searchsorted(lows, begins, "right") - 1, shift


@kernel
def _pass(rows, pattern, nodes, inside, outside, where, scales, shape, top):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917
    """Values of rows in one word each, by a walk through the nodes of their turns."""
    start, kind, first, to, weight, reward = inside
    low, exits, child, swap, weights, rewards = outside
    lows, factors, coarse, shift = where
    scale, powers, total = scales
    order, depth, tops = shape
    every_swap = -1 if len(swap) == len(child) else 0
    every_weight = -1 if len(weights) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    every_step = len(reward) == len(to)
    levels = len(powers) - 1
    strata = len(lows) - 1
    most = 1
    for i in range(len(start) - 1):
        most = max(most, start[i + 1] - start[i])
    value = np.empty(most, np.int64)
    last = len(child) - 1
    for k in range(rows[0], rows[1]):
        row = order[k] if len(order) else k
        i = pattern[row]
        if i < 0:
            continue
        begin = start[i]
        count = start[i + 1] - begin
        base = depth[row] - tops[begin + count - 1]  # what lies below the row in its stratum
        x = exits[row]
        for j in range(count):
            node = begin + j
            mover = kind[node]
            lift = tops[node] - (1 if mover < 0 else 0)  # all that is compared or added is there
            sum_ = np.int64(0)
            sum_of_weights = np.int64(0)
            chosen = False
            for e in range(first[node], first[node + 1]):
                v = value[to[e]] * powers[lift - tops[begin + to[e]], 0]
                if every_step and reward[e] != 0:
                    v += reward[e] * scale[base + lift, 0]
                if mover < 0:
                    sum_ += weight[e] * v
                    sum_of_weights += weight[e]
                elif not chosen or (v > sum_ if mover == 0 else v < sum_):
                    sum_ = v
                    chosen = True
            while x < exits[row + 1] and nodes[x] == j:
                prefetch(top, np.int64(child[min(x + AHEAD, last)]))
                id = np.int64(child[x])
                s = coarse[id >> shift]
                while s < strata and lows[s + 1] <= id:
                    s += 1
                v = top[id] * factors[s, 0]
                high = lift + base
                if s == strata:
                    high -= depth[id - low]
                v *= powers[high, 0]
                if swap[x & every_swap] & 1:
                    v = -v
                r = rewards[x & every_reward]
                if r != 0:
                    v += r * scale[base + lift, 0]
                if mover < 0:
                    w = weights[x & every_weight]
                    sum_ += w * v
                    sum_of_weights += w
                elif not chosen or (v > sum_ if mover == 0 else v < sum_):
                    sum_ = v
                    chosen = True
                x += 1
            if mover < 0:
                sum_ *= total // sum_of_weights
            value[j] = sum_
        if len(order):
            top[low + row] = value[count - 1]
        else:
            top[low + row] = value[count - 1] * powers[levels - depth[row], 0]
