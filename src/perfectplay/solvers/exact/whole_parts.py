"""The values of a stratum that is solved by parts, in whole numbers (whole_numbers.py).

Parts come in the order of rows, each over a bottom of its own, which most have in common. They are
copied to one array; what all values have in common with the bottom is taken out in the end."""

from fractions import Fraction
from math import lcm

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.exact.common_factors import largest, settle
from perfectplay.solvers.exact.multiword import lift
from perfectplay.solvers.store import split_words, widened


class WholeParts:
    """Takes parts of a stratum with so many rows."""

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
