"""Labellings: in how many ways pieces can be called, and what becomes of their names as they move.

A **naming** of a pieces says what each is called, in the order in which they stand: different
names of 1 … n, three bits each, the first piece lowest. Where a player's names may be read
backwards (k as n + 1 - k) the two namings are one, the lesser of them. Namings of equally many
pieces are numbered from 0.

An **order** says which pieces are left, and how they stand now: a naming by the places that they
had. If pieces called x stand in order h, they are called x[h[0]], x[h[1]], …: `maps` has that for
all namings and all orders."""

from __future__ import annotations

from functools import cached_property
from itertools import permutations

import numpy as np

from perfectplay.compiled.arrays import Array

BITS = 3
"""Bits of a name."""
MOST = 6
"""Labellings that a game may have: their maps take a few megabytes."""


def packed(names: Array) -> Array:
    """int64[n, pieces] as int64[n]."""
    shifts = BITS * np.arange(names.shape[1], dtype=np.int64)
    out: Array = (names << shifts).sum(axis=1, dtype=np.int64)
    return out


def spelt(code: int) -> list[int]:
    """The names of a packed naming, one after the other."""
    out = []
    while code > 0:
        out.append(code & ((1 << BITS) - 1))
        code >>= BITS
    return out


def _every(names: int, pieces: int) -> Array:
    """All ways to call so many pieces, int64[n, pieces]."""
    found = list(permutations(range(1, names + 1), pieces))
    return np.array(found, np.int64).reshape(len(found), pieces)


class Labellings:
    """All namings with so many names."""

    def __init__(self, names: int, *, backwards: bool) -> None:
        self.names = names
        self.calls: list[Array] = []
        """For each number of pieces: int64[n, pieces], what they are called by naming i."""
        self.number = np.full(1 << BITS * names, -1, np.int32)
        """The number of a packed naming."""
        for pieces in range(names + 1):
            every = _every(names, pieces)
            mine, other = packed(every), packed(names + 1 - every)
            least = np.minimum(mine, other) if backwards else mine
            first = np.flatnonzero(least == mine)
            self.calls.append(every[first])
            self.number[mine[first]] = np.arange(len(first))
            self.number[mine] = self.number[least]

    @cached_property
    def counts(self) -> Array:
        """int64[names + 1]: how many namings so many pieces have."""
        return np.array([len(each) for each in self.calls])

    @cached_property
    def table(self) -> Array:
        """int64[names + 1, most]: naming i of so many pieces, packed."""
        out = np.zeros((self.names + 1, int(self.counts.max())), np.int64)
        for pieces, calls in enumerate(self.calls):
            out[pieces, : len(calls)] = packed(calls)
        return out

    @cached_property
    def maps(self) -> tuple[Array, Array]:
        """(int32[…]: numbers of namings after an order; int32[names + 1, …]: where those of so
        many pieces and an order begin, -1 if there is no such order)."""
        where = np.full((self.names + 1, len(self.number)), -1, np.int32)
        found, size = [], 0
        for pieces, calls in enumerate(self.calls):
            for left in range(pieces + 1):
                orders = _every(pieces, left)
                for order, code in zip(orders, packed(orders).tolist(), strict=True):
                    where[pieces, code] = size
                    found.append(self.number[packed(calls[:, order - 1])])
                    size += len(calls)
        return np.concatenate(found), where
