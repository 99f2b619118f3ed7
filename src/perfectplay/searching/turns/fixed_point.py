"""Numbers of searches by turns: whole numbers of two words, over one denominator for all of them.

A number is a pair (high, low) of int64 that stands for high * 2^64 + low, low read without its
sign; its value is that over the denominator of the search, a power of what weights of chance add
up to. Numbers of a game stay exact as long as no play meets more chance than the power allows;
beyond that lower bounds are rounded down and upper ones up, so that bounds stay bounds, and two
bounds that meet are the value. `most_power` leaves room for every sum on the way."""

from __future__ import annotations

import math

import numpy as np

from perfectplay.compiled.kernels import kernel

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


def wide(number: int) -> tuple[int, int]:
    """An integer as two words."""
    low = number & (2**64 - 1)
    return number >> 64, low - 2**64 if low >= 2**63 else low


def narrow(high: int, low: int) -> int:
    """The integer that two words stand for."""
    return (int(high) << 64) + (int(low) & (2**64 - 1))


@kernel
def less(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """Whether a < b."""
    return ah < bh or (ah == bh and np.uint64(al) < np.uint64(bl))


@kernel
def plus(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """a + b."""
    low = np.uint64(al) + np.uint64(bl)
    return ah + bh + (1 if low < np.uint64(al) else 0), np.int64(low)


@kernel
def minus(ah, al):  # type: ignore[no-untyped-def]
    """-a."""
    return ~ah + (1 if al == 0 else 0), -al


@kernel
def turned(ah, al):  # type: ignore[no-untyped-def]
    """1 - a: what to ask of the other side. That v is at least a, or less, is to say that -v is
    less than 1 - a, or at least that."""
    high, low = minus(ah, al)
    return plus(high, low, 0, 1)


@kernel
def times(ah, al, w):  # type: ignore[no-untyped-def]
    """a times an integer from 0 to 2^31."""
    few = np.uint64(w)
    low = (np.uint64(al) & LOW) * few
    middle = (np.uint64(al) >> HALF) * few + (low >> HALF)
    return ah * w + np.int64(middle >> HALF), np.int64((middle << HALF) | (low & LOW))


@kernel
def over(ah, al, w):  # type: ignore[no-untyped-def]
    """a divided by an integer from 1 to 2^31, rounded down."""
    high = ah // w
    few = np.uint64(w)
    rest = (np.uint64(ah - high * w) << HALF) | (np.uint64(al) >> HALF)
    first = rest // few
    rest = ((rest - first * few) << HALF) | (np.uint64(al) & LOW)
    return high, np.int64((first << HALF) | (rest // few))


@kernel
def over_up(ah, al, w):  # type: ignore[no-untyped-def]
    """a divided by an integer from 1 to 2^31, rounded up."""
    ah, al = minus(ah, al)
    ah, al = over(ah, al, w)
    return minus(ah, al)


@kernel
def as_float(ah, al, unit):  # type: ignore[no-untyped-def]
    """A number as a float, about: `unit` is the denominator."""
    return (ah * WORD + float(np.uint64(al))) / unit


@kernel
def from_float(x, unit):  # type: ignore[no-untyped-def]
    """A float as a number, about."""
    x *= unit
    high = math.floor(x / WORD)
    rest = x - high * WORD
    rest = max(rest, 0.0)
    if rest >= WORD:
        return np.int64(high) + 1, np.int64(0)
    return np.int64(high), np.int64(np.uint64(rest))
