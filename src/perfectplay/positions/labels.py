"""Labellings: how pieces can be labelled, and what becomes of their labels as they move.

A **labelling** gives the labels of a player's pieces, in the order in which these stand: different
numbers of 1 … n, three bits each, the first piece lowest. Where labels may be read backwards (k as
n + 1 - k) two labellings are one, the lesser of them. Labellings of equally many pieces are
numbered from 0.

An **order** says which pieces are left after a move and how they stand now: it labels them by the
places that they had. Pieces labelled x that stand in order h have the labels x[h[0]], x[h[1]], …:
`maps` has that for all labellings and all orders."""

from functools import cached_property
from itertools import permutations

import numpy as np

from perfectplay.compiled.arrays import Int32s, Ints

BITS = 3
"""Bits of a label."""
MOST = 6
"""Labels that a game may have: the maps of 6 take a few megabytes."""


def packed(labels: Ints) -> Ints:
    """Labellings in a word each: int64[n, pieces] as int64[n]."""
    shifts = BITS * np.arange(labels.shape[1], dtype=np.int64)
    out: Ints = (labels << shifts).sum(axis=1, dtype=np.int64)
    return out


def unpacked(code: int) -> list[int]:
    """The labels of a packed labelling, one after the other."""
    out = []
    while code > 0:
        out.append(code & ((1 << BITS) - 1))
        code >>= BITS
    return out


def _every(labels: int, pieces: int) -> Ints:
    """All labellings of so many pieces, int64[n, pieces]."""
    found = list(permutations(range(1, labels + 1), pieces))
    return np.array(found, np.int64).reshape(len(found), pieces)


class Labellings:
    """All labellings with so many labels."""

    def __init__(self, labels: int, *, backwards: bool) -> None:
        self.labels = labels
        self.every: list[Ints] = []
        """For each number of pieces: int64[n, pieces], labelling i."""
        self.number = np.full(1 << BITS * labels, -1, np.int32)
        """The number of a packed labelling."""
        for pieces in range(labels + 1):
            every = _every(labels, pieces)
            mine, other = packed(every), packed(labels + 1 - every)
            least = np.minimum(mine, other) if backwards else mine
            first = np.flatnonzero(least == mine)
            self.every.append(every[first])
            self.number[mine[first]] = np.arange(len(first))
            self.number[mine] = self.number[least]

    @cached_property
    def counts(self) -> Ints:
        """int64[labels + 1]: how many labellings so many pieces have."""
        return np.array([len(each) for each in self.every])

    @cached_property
    def table(self) -> Ints:
        """int64[labels + 1, most]: labelling i of so many pieces, packed."""
        out = np.zeros((self.labels + 1, int(self.counts.max())), np.int64)
        for pieces, every in enumerate(self.every):
            out[pieces, : len(every)] = packed(every)
        return out

    @cached_property
    def maps(self) -> tuple[Int32s, Int32s]:
        """(int32[…]: numbers of labellings after an order; int32[labels + 1, …]: where those of so
        many pieces and an order begin, -1 if there is no such order)."""
        where = np.full((self.labels + 1, len(self.number)), -1, np.int32)
        found, size = [], 0
        for pieces, every in enumerate(self.every):
            for left in range(pieces + 1):
                orders = _every(pieces, left)
                for order, code in zip(orders, packed(orders).tolist(), strict=True):
                    where[pieces, code] = size
                    found.append(self.number[packed(every[:, order - 1])])
                    size += len(every)
        return np.concatenate(found), where
