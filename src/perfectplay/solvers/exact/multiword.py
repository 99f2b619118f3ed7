"""The kernels of whole_numbers.py for values of two or three words, the lowest first, in two's
complement."""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.turns.turn_graph import TurnGraph


class Strata(NamedTuple):
    """The stratum of an id, and how its values get the common denominator."""

    lows: Ints  # the first id of every stratum below, then of this one
    factors: Ints  # [strata, words]: values of a stratum are multiplied by this
    coarse: Ints  # the stratum of the first of every 2**shift ids
    shift: int


class Scales(NamedTuple):
    """Denominators inside a stratum; k is the number of chance positions below."""

    scale: Ints  # [k, words]: the denominator D T**k
    powers: Ints  # [k, words]: T**k
    total: int  # T


class Heights(NamedTuple):
    """How many chance positions lie on the longest path down."""

    order: Int32s  # rows, children first; empty if any order will do
    depth: Ints  # of each row, inside the stratum
    nodes: Ints  # of each node of a pattern, inside the turn


class Levels(NamedTuple):
    """Everything about denominators that values of a stratum depend on."""

    below: Strata
    scales: Scales
    heights: Heights


LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@kernel
def multiplied(out: Ints, a: Ints, b: Ints) -> None:
    """out = a b in as many words, whatever lies beyond being left out; out is neither."""
    words = len(out)
    for k in range(words):
        out[k] = 0
    for i in range(words):
        carry = np.uint64(0)
        x = np.uint64(a[i])
        if x == 0:
            continue
        xl, xh = x & LOW, x >> HALF
        for j in range(words - i):
            y = np.uint64(b[j])
            yl, yh = y & LOW, y >> HALF
            ll, lh, hl = xl * yl, xl * yh, xh * yl
            middle = (ll >> HALF) + (lh & LOW) + (hl & LOW)
            low = (ll & LOW) | (middle << HALF)
            high = xh * yh + (lh >> HALF) + (hl >> HALF) + (middle >> HALF)
            old = np.uint64(out[i + j])
            total = old + low
            high += np.uint64(1) if total < old else np.uint64(0)
            new = total + carry
            high += np.uint64(1) if new < total else np.uint64(0)
            out[i + j] = np.int64(new)
            carry = high


@kernel
def added(out: Ints, a: Ints) -> None:
    """out += a."""
    carry = np.uint64(0)
    for k in range(len(out)):
        x, y = np.uint64(out[k]), np.uint64(a[k])
        total = x + y
        over = np.uint64(1) if total < x else np.uint64(0)
        new = total + carry
        over += np.uint64(1) if new < total else np.uint64(0)
        out[k] = np.int64(new)
        carry = over


@kernel
def negated(out: Ints) -> None:
    """out = -out."""
    carry = np.uint64(1)
    for k in range(len(out)):
        x = ~np.uint64(out[k])
        new = x + carry
        carry = np.uint64(1) if new < x else np.uint64(0)
        out[k] = np.int64(new)


@kernel
def less(a: Ints, b: Ints) -> bool:
    """Whether a < b."""
    k = len(a) - 1
    if a[k] != b[k]:
        return bool(a[k] < b[k])
    while k > 0:
        k -= 1
        if a[k] != b[k]:
            return bool(np.uint64(a[k]) < np.uint64(b[k]))
    return False


@kernel
def single(out: Ints, number: int) -> None:
    """out = a number of one word."""
    out[0] = number
    for k in range(1, len(out)):
        out[k] = -1 if number < 0 else 0


@kernel
def longest(start: Ints) -> int:
    """The most nodes of a pattern."""
    most = 1
    for i in range(len(start) - 1):
        most = max(most, start[i + 1] - start[i])
    return most


@kernel
def pass_words(  # noqa: C901, PLR0912, PLR0915
    rows: tuple[int, int], game: TurnGraph, levels: Levels, top: Ints
) -> None:
    """Values of rows in several words each; step for step what `_pass` of whole_numbers.py
    does."""
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
    words = top.shape[1]
    value = np.empty((longest(start), words), np.int64)
    v, u, small = np.empty(words, np.int64), np.empty(words, np.int64), np.empty(words, np.int64)
    for k in range(rows[0], rows[1]):
        row = order[k] if len(order) else k
        i = pattern[row]
        if i < 0:
            continue
        begin = start[i]
        count = start[i + 1] - begin
        base = depth[row] - tops[begin + count - 1]
        x = exits[row]
        for j in range(count):
            node = begin + j
            mover = kind[node]
            lifted = tops[node] - (1 if mover < 0 else 0)
            sum_ = value[j]
            single(sum_, 0)
            sum_of_weights = np.int64(0)
            chosen = False
            e = first[node]
            while e < first[node + 1] or (x < exits[row + 1] and nodes[x] == j):
                if e < first[node + 1]:
                    multiplied(v, value[to[e]], powers[lifted - tops[begin + to[e]]])
                    w, r = weight[e], reward[e] if every_step else 0
                    e += 1
                else:
                    id = np.int64(child[x])
                    s = coarse[id >> shift]
                    while s < strata and lows[s + 1] <= id:
                        s += 1
                    high = lifted + base
                    if s == strata:
                        high -= depth[id - low]
                    multiplied(u, top[id], factors[s])
                    multiplied(v, u, powers[high])
                    if swap[x & every_swap] & 1:
                        negated(v)
                    w, r = weights[x & every_weight], rewards[x & every_reward]
                    x += 1
                if r != 0:
                    single(small, r)
                    multiplied(u, small, scale[base + lifted])
                    added(v, u)
                if mover < 0:
                    single(small, w)
                    multiplied(u, v, small)
                    added(sum_, u)
                    sum_of_weights += w
                elif not chosen or (less(sum_, v) if mover == 0 else less(v, sum_)):
                    sum_[:] = v
                    chosen = True
            if mover < 0:
                single(small, total // sum_of_weights)
                multiplied(u, sum_, small)
                sum_[:] = u
        if len(order):
            top[low + row] = value[count - 1]
        else:
            multiplied(u, value[count - 1], powers[highest - depth[row]])
            top[low + row] = u


@kernel
def lift(top: Ints, high: Ints, powers: Ints) -> None:
    """Multiply each value by the power named."""
    u = np.empty(top.shape[1], np.int64)
    for i in range(len(top)):
        multiplied(u, top[i], powers[high[i]])
        top[i] = u


@kernel
def gcd_of(a: int, b: int) -> int:
    """The greatest common divisor of two numbers."""
    while b != 0:
        a, b = b, a % b
    return abs(a)


@kernel
def _rest(x: Ints, by: int) -> np.uint64:
    """What a value leaves when it is divided by a number below 2^31."""
    negative = x[len(x) - 1] < 0
    rest = np.uint64(0)
    divisor = np.uint64(by)
    for k in range(len(x)):
        word = np.uint64(x[len(x) - 1 - k])
        if negative:
            word = ~word
        rest = ((rest << HALF) | (word >> HALF)) % divisor
        rest = ((rest << HALF) | (word & LOW)) % divisor
    return (rest + np.uint64(1)) % divisor if negative else rest


@kernel
def common_of_words(top: Ints, common: int) -> int:
    """The greatest common divisor of a number below 2^31 and all values."""
    for i in range(len(top)):
        rest = np.int64(_rest(top[i], common))
        if rest != 0:
            common = gcd_of(common, rest)
            if common == 1:
                break
    return common


@kernel
def divide_words(top: Ints, by: int) -> None:
    """Divide all values by a number below 2^31, of which they are multiples."""
    words = top.shape[1]
    divisor = np.uint64(by)
    for i in range(len(top)):
        x = top[i]
        negative = x[words - 1] < 0
        if negative:
            negated(x)
        rest = np.uint64(0)
        for k in range(words):
            word = np.uint64(x[words - 1 - k])
            upper = (rest << HALF) | (word >> HALF)
            rest = upper % divisor
            lower = (rest << HALF) | (word & LOW)
            x[words - 1 - k] = np.int64(((upper // divisor) << HALF) | (lower // divisor))
            rest = lower % divisor
        if negative:
            negated(x)


@kernel
def extremes(top: Ints) -> Ints:
    """The least and the largest value."""
    out = np.empty((2, top.shape[1]), np.int64)
    out[0] = top[0]
    out[1] = top[0]
    for i in range(len(top)):
        if less(top[i], out[0]):
            out[0] = top[i]
        if less(out[1], top[i]):
            out[1] = top[i]
    return out
