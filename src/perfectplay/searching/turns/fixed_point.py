"""Numbers of searches by turns: integers of two words, over one denominator for all of them.

A number is a pair (high, low) of int64 that stands for high * 2^64 + low, with low read as an
unsigned integer; its value is that over the denominator of the search (`unit`), a power of the
total weight of chance. Numbers are exact as long as no play meets more chance than the power
allows. Beyond that, lower bounds are rounded down and upper bounds up, so bounds stay bounds, and
two bounds that meet are the value. `most_power` leaves room for every sum on the way."""

import math

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import Pair

BITS = 126
"""Numbers, and sums of them by weights, are below two to this power."""
WORD = 2.0**64
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


def most_power(total: int, largest: int) -> int:
    """The highest power of `total` that can be the denominator of values up to `largest`, which
    are added up with weights that make `total`."""
    power = 0
    while largest * total ** (power + 2) < 2**BITS:
        power += 1
    return power


def wide(number: int) -> Pair:
    """An integer as two words."""
    low = number & (2**64 - 1)
    return number >> 64, low - 2**64 if low >= 2**63 else low


def narrow(high: int, low: int) -> int:
    """The integer that two words stand for."""
    return (int(high) << 64) + (int(low) & (2**64 - 1))


@kernel
def less(a: Pair, b: Pair) -> bool | np.bool_:
    """Whether a < b."""
    return a[0] < b[0] or (a[0] == b[0] and np.uint64(a[1]) < np.uint64(b[1]))


@kernel
def plus(a: Pair, b: Pair) -> Pair:
    """a + b."""
    low = np.uint64(a[1]) + np.uint64(b[1])
    return a[0] + b[0] + (1 if low < np.uint64(a[1]) else 0), np.int64(low)


@kernel
def minus(a: Pair) -> Pair:
    """-a."""
    return ~a[0] + (1 if a[1] == 0 else 0), -a[1]


@kernel
def turned(a: Pair) -> Pair:
    """1 - a: the question for the other player. For integers v >= a means -v < 1 - a."""
    return plus(minus(a), (0, 1))


@kernel
def times(a: Pair, w: int) -> Pair:
    """a times an integer from 0 to 2^31."""
    few = np.uint64(w)
    low = (np.uint64(a[1]) & LOW) * few
    middle = (np.uint64(a[1]) >> HALF) * few + (low >> HALF)
    return a[0] * w + np.int64(middle >> HALF), np.int64((middle << HALF) | (low & LOW))


@kernel
def over(a: Pair, w: int) -> Pair:
    """a divided by an integer from 1 to 2^31, rounded down."""
    high = a[0] // w
    few = np.uint64(w)
    rest = (np.uint64(a[0] - high * w) << HALF) | (np.uint64(a[1]) >> HALF)
    first = rest // few
    rest = ((rest - first * few) << HALF) | (np.uint64(a[1]) & LOW)
    return high, np.int64((first << HALF) | (rest // few))


@kernel
def over_up(a: Pair, w: int) -> Pair:
    """a divided by an integer from 1 to 2^31, rounded up."""
    return minus(over(minus(a), w))


@kernel
def as_float(a: Pair, unit: float) -> float:
    """About the value of a number, as a float; `unit` is the denominator."""
    return (a[0] * WORD + float(np.uint64(a[1]))) / unit


@kernel
def from_float(x: float, unit: float) -> Pair:
    """The number whose value is about a float."""
    x *= unit
    high = math.floor(x / WORD)
    rest = max(x - high * WORD, 0.0)
    if rest >= WORD:
        return np.int64(high) + 1, np.int64(0)
    return np.int64(high), np.int64(np.uint64(rest))
