"""Index: which positions of a stratum have been found, and their numbers.

Numbers are given in the order of discovery over the whole game. `NativeIndex` is a hash table of int64
keys with linear probing, key and number side by side in one row so that a look-up touches one cache
line; `PlainIndex` is a dictionary.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfectplay.compile import kernel
from perfectplay.graph import Array

_FEW = 1 << 10


class PlainIndex:
    """The positions found of one stratum of a plain game."""

    def __init__(self, width: int) -> None:
        self._number: dict[Any, int] = {}
        self.count = 0

    def insert(self, positions: list[Any], next_number: int) -> tuple[Array, int]:
        """The numbers of `positions`; new ones get `next_number` and up. Also the next free one."""
        number = self._number
        out = np.empty(len(positions), np.uint32)
        for i, p in enumerate(positions):
            known = number.get(p)
            if known is None:
                known = number[p] = next_number
                next_number += 1
            out[i] = known
        self.count = len(number)
        return out, next_number

    def positions(self, begin: int, end: int) -> list[Any]:
        """Found positions `begin` … `end` - 1, in the order of discovery."""
        if not hasattr(self, "_list") or len(self._list) < end:
            self._list = list(self._number)
        return self._list[begin:end]

    def numbers(self) -> Array:
        """The number of each found position."""
        return np.fromiter(self._number.values(), np.uint32, len(self._number))

    @property
    def bytes(self) -> int:
        """Memory in use, roughly."""
        return 200 * self.count

    def forget(self) -> None:
        """Nothing more will be inserted."""


class NativeIndex:
    """The keys found of one stratum of a native game."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self._keys = np.empty((_FEW, width), np.int64)
        self._numbers = np.empty(_FEW, np.uint32)
        self._slots = np.zeros((2 * _FEW, width + 1), np.int64)  # key, number + 1

    def insert(self, keys: Array, next_number: int) -> tuple[Array, int]:
        """The numbers of `keys`; new ones get `next_number` and up. Also the next free one."""
        out = np.empty(len(keys), np.uint32)
        done = 0
        while done < len(keys):
            self._make_room()
            done, self.count, next_number = _insert(
                keys, done, self._slots, self._keys, self._numbers, self.count, next_number, out
            )
        return out, next_number

    def _make_room(self) -> None:
        """Keep the table at most half full and the lists longer than the count."""
        width = self._keys.shape[1]
        if 2 * self.count >= len(self._slots) - 2:
            grown = 4 * len(self._slots) if len(self._slots) < 1 << 20 else 2 * len(self._slots)
            self._slots = np.zeros((grown, width + 1), np.int64)
            _rehash(self._slots, self._keys, self._numbers, self.count)
        if self.count >= len(self._keys):
            size = len(self._keys) + max(len(self._keys) // 2, _FEW)
            self._keys = _grown(self._keys, size)
            self._numbers = _grown(self._numbers, size)

    def positions(self, begin: int, end: int) -> Array:
        """Found keys `begin` … `end` - 1, in the order of discovery."""
        return self._keys[begin:end]

    def numbers(self) -> Array:
        """The number of each found key."""
        return self._numbers[: self.count]

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return int(self._slots.nbytes + self._keys.nbytes + self._numbers.nbytes)

    def forget(self) -> None:
        """Nothing more will be inserted: give the hash table back."""
        self._slots = np.zeros((0, 0), np.int64)


def _grown(array: Array, size: int) -> Array:
    out = np.empty((size, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


@kernel
def _slot(keys, i, capacity):  # type: ignore[no-untyped-def]
    """First slot to try: a multiplicative hash of all words (finaliser of splitmix64)."""
    h = np.uint64(0)
    for k in range(keys.shape[1]):
        h = (h ^ np.uint64(keys[i, k])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(capacity - 1))


@kernel
def _insert(keys, begin, slots, found, numbers, count, next_number, out):  # type: ignore[no-untyped-def]
    """Insert keys from `begin` on until all are in, or a table is full."""
    capacity = len(slots)
    width = keys.shape[1]
    most = min(len(found), capacity // 2)
    for i in range(begin, len(keys)):
        s = _slot(keys, i, capacity)
        while True:
            number = slots[s, width]
            if number == 0:
                if count >= most:
                    return i, count, next_number
                for k in range(width):
                    slots[s, k] = keys[i, k]
                    found[count, k] = keys[i, k]
                slots[s, width] = next_number + 1
                numbers[count] = next_number
                out[i] = next_number
                count += 1
                next_number += 1
                break
            same = True
            for k in range(width):
                if slots[s, k] != keys[i, k]:
                    same = False
            if same:
                out[i] = number - 1
                break
            s = (s + 1) & (capacity - 1)
    return len(keys), count, next_number


@kernel
def _rehash(slots, found, numbers, count):  # type: ignore[no-untyped-def]
    """Put all found keys into an empty, larger table."""
    capacity = len(slots)
    width = found.shape[1]
    for i in range(count):
        s = _slot(found, i, capacity)
        while slots[s, width] != 0:
            s = (s + 1) & (capacity - 1)
        for k in range(width):
            slots[s, k] = found[i, k]
        slots[s, width] = np.int64(numbers[i]) + 1
