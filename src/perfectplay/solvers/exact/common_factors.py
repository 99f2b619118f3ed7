"""Values of a stratum in whole numbers over one denominator (whole_numbers.py): what all of them
share with it is divided out, also where the stratum is solved by parts."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.threads import Pool
from perfectplay.solvers.exact.multiword import (
    common_of_words,
    divide_words,
    extremes,
    gcd_of,
    lift,
)
from perfectplay.solvers.store import joined_words, split_words, widened

SLICE = 1 << 20
"""Values that a thread looks at."""


def settle(top: Array, denominator: int, total: int) -> int:
    """What is left of the denominator when the factors it shares with all values of a stratum are
    divided out of both."""
    few = gcd(total ** max(1, 30 // max(total.bit_length(), 1)), denominator)
    one = top.shape[1] == 1
    while denominator > 1:
        common = gcd(
            *each_of(top, partial(_shared, denominator if one else gcd(few, denominator)))
        )
        if common == 1:
            break
        each_of(top, partial(_divided, common))
        denominator //= common
    return denominator


def _shared(common: int, top: Array) -> int:
    return int(_common(top[:, 0], common) if top.shape[1] == 1 else common_of_words(top, common))


def _divided(by: int, top: Array) -> None:
    (_divide if top.shape[1] == 1 else divide_words)(top, by)


def largest(top: Array) -> int:
    """The largest value in size."""
    found = each_of(top, lambda part: [abs(x) for x in joined_words(extremes(part))])
    return max((x for each in found for x in each), default=0)


def each_of(top: Array, task: Callable[[Array], Any]) -> list[Any]:
    """What a task says of parts of some values, several at a time if there are many."""
    parts = [top[i : i + SLICE] for i in range(0, len(top), SLICE)]
    if len(parts) < 2:
        return [task(part) for part in parts]
    with Pool.shared() as pool:
        return list(pool.map(task, parts))


@kernel
def _common(top: Ints, common: int) -> int:
    """The greatest common divisor of a number and all values."""
    for x in top:
        if x % common != 0:
            common = gcd_of(common, x % common)
            if common == 1:
                break
    return common


@kernel
def _divide(top: Ints, by: int) -> None:
    for i in range(len(top)):
        top[i, 0] = top[i, 0] // by


class WholeParts:
    """Takes parts of a stratum with so many rows.

    Parts come in the order of rows, each over its own denominator, though most have the same one.
    Parts are copied to one array; in the end what all values share with the denominator is divided
    out."""

    def __init__(self, rows: int) -> None:
        self._rows, self._done = rows, 0
        self._top = np.empty((0, 1), np.int64)
        self._denominator = self._total = 1

    def take(self, top: Array, denominator: int, total: int) -> None:
        """The next rows, in words over their denominator; with which total it grew."""
        if self._done == 0:
            self._top = np.empty((self._rows, top.shape[1]), np.int64)
            self._denominator = denominator
        common = lcm(self._denominator, denominator)
        mine = self._top[: self._done]
        if common != self._denominator and self._done:
            lifted = _lifted(mine, self._denominator, common)
            self._room(lifted.shape[1])
            self._top[: self._done] = lifted
        top = top if common == denominator else _lifted(top, denominator, common)
        self._room(top.shape[1])
        words = self._top.shape[1]
        end = self._done + len(top)
        self._top[self._done : end] = top if top.shape[1] == words else widened(top, words)
        self._done, self._denominator, self._total = end, common, lcm(self._total, total)

    def _room(self, words: int) -> None:
        if words > self._top.shape[1]:
            wider = np.empty((self._rows, words), np.int64)
            wider[: self._done] = widened(self._top[: self._done], words)
            self._top = wider

    @property
    def taken(self) -> tuple[Array, int, int]:
        """All values that were taken, in words, their denominator, and the total it grew by."""
        return self._top[: self._done], self._denominator, self._total

    def finish(self) -> tuple[Array, int, Fraction]:
        """(all values in words, their denominator, the largest of them in size)."""
        denominator = settle(self._top, self._denominator, self._total)
        most = largest(self._top)
        words = most.bit_length() // 64 + 1
        if words < self._top.shape[1]:
            self._top = np.ascontiguousarray(self._top[:, :words])
        return self._top, denominator, Fraction(most, denominator)


def _lifted(top: Array, denominator: int, common: int) -> Array:
    """Values over another denominator, with as many words as they, and that, take."""
    factor = common // denominator
    most = max(largest(top) * factor, common)
    top = widened(top, max(top.shape[1], most.bit_length() // 64 + 1))
    lift(top, np.zeros(len(top), np.int64), split_words([factor], top.shape[1]))
    return top
