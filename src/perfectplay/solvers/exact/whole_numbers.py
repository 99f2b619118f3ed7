"""Games of chance without cycles, exactly, in integers of fixed width.

The equations are those of solvers/chance/stochastic.py. Facts needed: one player, or two with
opposed interests, and no cycles. All values of a stratum are integers over one common denominator.
If D is a common multiple of the denominators of all strata below, and T of the sums of weights of
all chance positions of the stratum, then a chance position above k others is an integer
over D T^(k + 1): it is multiplied, never divided. In the end the factors that all values of the
stratum share with the denominator are divided out.

No sum or product can leave the range of its words: |value| <= M, so every number on the way is at
most M D T^h in size, where h is the largest k + 1, and that is compared, as an integer of any
size, with what the words hold before the stratum is begun. Values have one word of 64 bits, two or
three, whatever is needed; beyond that is `NoRoom`, which denominators.py has ruled out
beforehand."""

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Int32s, Ints, Kinds
from perfectplay.compiled.intrinsics import prefetch
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.turns.patterns import Patterns, Turns
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.exact.common_factors import largest, settle
from perfectplay.solvers.exact.multiword import (
    Heights,
    Levels,
    Scales,
    Strata,
    gcd_of,
    lift,
    longest,
    pass_words,
)
from perfectplay.solvers.store import WholeNumbers, split_words
from perfectplay.solvers.turns.turn_graph import TurnGraph, turn_graph
from perfectplay.solvers.work import Options, Work, over_rows
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
    """Three words are not enough, or there are cycles: fractions are called for."""


def solve(graph: Graph, facts: Facts, store: WholeNumbers, options: Options) -> Work:
    """Write the values of one stratum into the store; see the module's docstring."""
    turns = graph.turns or single(graph)
    tops = heights(turns.patterns)
    order, depth = order_of(graph, turns, tops)
    total = total_of(graph, turns)
    below = lcm(store.below, *store.denominators)
    high = int(depth.max(initial=0))
    denominator = below * total**high
    earned = int(np.abs(graph.reward).max(initial=0)) + int(
        np.abs(turns.patterns.reward).max(initial=0)
    )
    steps = len(turns.patterns.kind) + (graph.size if graph.inside else 1)
    paid = int(np.abs(graph.payoff).max(initial=0))
    most = max(store.most, Fraction(paid), Fraction(1)) + earned * steps
    words = (int(most * denominator).bit_length() + SPARE) // 64 + 1
    if words > WORDS:
        raise NoRoom("values need more than 192 bits")
    store.widen(words)
    levels = [below * total**k for k in range(high + 1)]
    _fill(graph, turns, store, Heights(order, depth, tops), (levels, total), options)
    top = store.top[graph.low : graph.low + graph.size]
    if store.by_parts:
        store.total = total
    else:
        denominator = settle(top, denominator, total)
    store.settled(graph.low, denominator, Fraction(largest(top), denominator))
    return Work({METHOD: graph.size}, denominator=str(store.denominators[-1]))


def single(graph: Graph) -> Turns:
    """A graph as one of turns with one node each: of one of the players, or of chance."""
    players = max(2, int(graph.kind.max(initial=0)) + 1)
    kinds = np.array([*range(players), CHANCE], np.int8)
    ends = np.zeros(players + 2, np.int64)
    none = np.zeros(0, np.int64)
    patterns = Patterns(
        np.arange(players + 2), kinds, ends, none.astype(np.int32), none, none, none
    )
    chance = np.where(graph.kind == CHANCE, players, graph.kind)
    pattern = np.where(graph.kind == OVER, -1, chance)
    zero = np.zeros(1, np.int32)
    return Turns(patterns, pattern.astype(np.int32), np.broadcast_to(zero, graph.edges), zero)


def _flat(graph: Graph, turns: Turns) -> TurnGraph:
    """The graph of turns as kernels take it, each array of one type, to compile less; ranks do not
    matter here."""
    types = {
        "start": np.int64, "kind": np.int8, "inner": np.int64, "to": np.int32,
        "weight": np.int64, "reward": np.int64, "first": np.int64, "child": np.uint32,
        "swap": np.uint8, "exit_weight": np.int64, "exit_reward": np.int64,
    }  # fmt: skip
    game = turn_graph(graph, turns)
    arrays: dict[str, Any] = {
        name: np.ascontiguousarray(getattr(game, name), kind) for name, kind in types.items()
    }
    none = np.zeros(1, np.int32)
    return game._replace(**arrays, rank=none, exit_rank=none)


def heights(patterns: Patterns) -> Array:
    """int64[n]: how many chance nodes lie on the longest path through a turn from each node."""
    out = np.zeros(len(patterns.kind), np.int64)
    _heights(patterns.start, patterns.kind, patterns.first, patterns.to, out)
    return out


@kernel
def _heights(start: Ints, kind: Kinds, first: Ints, to: Int32s, out: Ints) -> None:
    for i in range(len(start) - 1):
        for node in range(start[i], start[i + 1]):
            high = 0
            for e in range(first[node], first[node + 1]):
                high = max(high, out[start[i] + to[e]])
            out[node] = high + (1 if kind[node] == CHANCE else 0)


def order_of(graph: Graph, turns: Turns, tops: Array) -> tuple[Array, Array]:
    """(rows in an order in which children come first, or nothing if any will do; how many chance
    positions of the stratum lie on the longest path from each row)."""
    roots = tops[turns.patterns.start[1:] - 1]
    own = np.where(turns.pattern >= 0, roots[turns.pattern], 0)
    if not graph.inside:
        return np.zeros(0, np.int32), own
    found = components(graph)
    if found.cyclic.any():
        raise NoRoom("play may cycle")
    _climb(graph.low, graph.first, graph.child, found.rows, own)
    return found.rows, own


@kernel
def _climb(low: int, first: Ints, child: Ids, rows: Int32s, high: Ints) -> None:
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
    game = _flat(graph, turns)._replace(pattern=pattern, node=node)
    total = int(_totals(game))
    if total < 0:
        raise NoRoom("weights of chance add up to too many different numbers")
    return total


@kernel
def _totals(game: TurnGraph) -> int:
    """The least common multiple of all sums of weights of chance nodes; -1 if it is too large."""
    start, kind, first, weight = game.start, game.kind, game.inner, game.weight
    pattern, nodes, exits = game.pattern, game.node, game.first
    child, weights = game.child, game.exit_weight
    every = -1 if len(weights) == len(child) else 0
    seen = np.zeros(len(start), np.bool_)
    common = np.int64(1)
    for row in range(len(pattern)):
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
                common = common // gcd_of(common, total) * total
                if common > 1 << 31:
                    return -1
        seen[i] = clear
    return int(common)


def _fill(
    graph: Graph,
    turns: Turns,
    store: WholeNumbers,
    heights: Heights,
    denominators: tuple[list[int], int],
    options: Options,
) -> None:
    """Write the values of all rows; denominators = (levels, T), where levels[k] is the denominator
    above k chance positions of the stratum."""
    levels, total = denominators
    top, words = store.top, store.top.shape[1]
    one = words == 1
    lows = np.array([*store.lows, graph.low], np.int64)
    factors = split_words([*(levels[0] // b for b in store.denominators), 1], words)
    below = Strata(lows, factors, *_coarse(lows, graph.low + graph.size))
    powers = split_words([total**k for k in range(len(levels))], words)
    scales = Scales(split_words(levels, words), powers, total)
    game = _flat(graph, turns)
    about = Levels(below, scales, heights)
    walk = _pass if one else pass_words

    def task(begin: int, end: int) -> None:
        walk((begin, end), game, about, top[:, 0] if one else top)

    over = np.flatnonzero(graph.kind == OVER)
    ids, paid = graph.low + over, graph.payoff[over]
    denominator = levels[0 if len(heights.order) else -1]
    for amount in np.unique(paid).tolist():  # few different ones, as a rule
        top[ids[paid == amount]] = split_words([amount * denominator], words)[0]
    over_rows(task, graph.size, options, max(graph.size, 1) if len(heights.order) else RANGE)
    if len(heights.order):
        mine = top[graph.low : graph.low + graph.size]
        lift(mine, len(levels) - 1 - heights.depth, powers)


def _coarse(lows: Array, size: int) -> tuple[Array, int]:
    """For each run of 2^shift ids the stratum of its first one, and the shift."""
    shift = max(0, int(size).bit_length() - 12)
    begins = np.arange((size >> shift) + 1, dtype=np.int64) << shift
    return np.searchsorted(lows, begins, "right") - 1, shift


@kernel
def _pass(  # noqa: C901, PLR0912, PLR0915
    rows: tuple[int, int], game: TurnGraph, levels: Levels, top: Ints
) -> None:
    """Values of rows in one word each, by a walk through the nodes of their turns.

    The invariant: value[j] is an integer over D T**(base + tops[j]), where `base` chance positions
    of the stratum lie below the turn's exits."""
    start, kind, first, to = game.start, game.kind, game.inner, game.to
    weight, reward, pattern, nodes = game.weight, game.reward, game.pattern, game.node
    low, exits, child, swap = game.low, game.first, game.child, game.swap
    weights, rewards = game.exit_weight, game.exit_reward
    lows, factors, coarse, shift = levels.below
    scale, powers, total = levels.scales
    order, depth, tops = levels.heights
    every_swap = -1 if len(swap) == len(child) else 0
    every_weight = -1 if len(weights) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    every_step = len(reward) == len(to)
    highest = len(powers) - 1
    strata = len(lows) - 1
    value = np.empty(longest(start), np.int64)
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
            top[low + row] = value[count - 1] * powers[highest - depth[row], 0]
