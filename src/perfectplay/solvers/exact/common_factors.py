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


def settle(top: Array, bottom: int, total: int) -> int:
    """What is left of the denominator when the factors it shares with all values of a stratum are
    divided out of both."""
    few = gcd(total ** max(1, 30 // max(total.bit_length(), 1)), bottom)
    one = top.shape[1] == 1
    while bottom > 1:
        common = gcd(*each_of(top, partial(_shared, bottom if one else gcd(few, bottom))))
        if common == 1:
            break
        each_of(top, partial(_divided, common))
        bottom //= common
    return bottom


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

    Parts come in the order of rows, each over a bottom of its own, which most have in common. They
    are copied to one array; what all values share with the bottom is taken out in the end."""

    def __init__(self, rows: int) -> None:
        self._rows, self._done = rows, 0
        self._top = np.empty((0, 1), np.int64)
        self._bottom = self._total = 1

    def take(self, top: Array, bottom: int, total: int) -> None:
        """The next rows, in words over their bottom; with which total it grew."""
        if self._done == 0:
            self._top = np.empty((self._rows, top.shape[1]), np.int64)
            self._bottom = bottom
        common = lcm(self._bottom, bottom)
        mine = self._top[: self._done]
        if common != self._bottom and self._done:
            lifted = _lifted(mine, self._bottom, common)
            self._room(lifted.shape[1])
            self._top[: self._done] = lifted
        top = top if common == bottom else _lifted(top, bottom, common)
        self._room(top.shape[1])
        words = self._top.shape[1]
        end = self._done + len(top)
        self._top[self._done : end] = top if top.shape[1] == words else widened(top, words)
        self._done, self._bottom, self._total = end, common, lcm(self._total, total)

    def _room(self, words: int) -> None:
        if words > self._top.shape[1]:
            wider = np.empty((self._rows, words), np.int64)
            wider[: self._done] = widened(self._top[: self._done], words)
            self._top = wider

    def finish(self) -> tuple[Array, int, Fraction]:
        """(all values in words, their bottom, the largest of them in size)."""
        bottom = settle(self._top, self._bottom, self._total)
        most = largest(self._top)
        words = most.bit_length() // 64 + 1
        if words < self._top.shape[1]:
            self._top = np.ascontiguousarray(self._top[:, :words])
        return self._top, bottom, Fraction(most, bottom)


def _lifted(top: Array, bottom: int, common: int) -> Array:
    """Values over another bottom, with as many words as they, and that, take."""
    factor = common // bottom
    most = max(largest(top) * factor, common)
    top = widened(top, max(top.shape[1], most.bit_length() // 64 + 1))
    lift(top, np.zeros(len(top), np.int64), split_words([factor], top.shape[1]))
    return top
