"""Index: which positions of a stratum have been found, and their numbers.

Numbers are given in the order of discovery over the whole game. `NativeIndex` is a hash table of
int64 keys with linear probing, key and number side by side in one row so that a look-up touches
one cache line, and both in one word as long as all keys are below 2**32; `PlainIndex` is a
dictionary.
"""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.intrinsics import prefetch
from perfectplay.compiled.kernels import kernel

_FEW = 1 << 10
BLOCK = 64
LARGE = 1 << 22  # slots: from here on memory is dearer than time


def most_keys(slots: int) -> int:
    """How many keys a table may hold."""
    return slots // 2 if slots < LARGE else slots * 7 // 10


_most = kernel(most_keys)


class PlainIndex:
    """The positions found of one stratum of a plain game."""

    def __init__(self, width: int, expected: int = 0) -> None:
        self._number: dict[Any, int] = {}
        self._list: list[Any] = []
        self.count = 0

    def insert(self, positions: list[Any], next_number: int) -> tuple[Array, int]:
        """The numbers of `positions`; new ones get `next_number` and up. Also the next one."""
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
        if len(self._list) < end:
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

    def __init__(self, width: int, expected: int = 0) -> None:
        """Room for `expected` keys at once; more are welcome."""
        self.count = 0
        room = max(_FEW, expected)
        self._words = (0,) * width
        self._keys = np.empty((room, width), np.int64)
        self._numbers = np.empty(room, np.uint32)
        slots = 1 << (2 * room - 1).bit_length()
        if slots > LARGE and most_keys(slots // 2) >= room:
            slots //= 2
        self._short = width == 1
        """Whether key and number share a word."""
        self._slots = self._empty(slots)

    def _empty(self, slots: int) -> Array:
        """A table without keys: a row is a key and a number + 1."""
        return np.zeros((slots, 1 if self._short else len(self._words) + 1), np.int64)

    def insert(self, keys: Array, next_number: int) -> tuple[Array, int]:
        """The numbers of `keys`; new ones get `next_number` and up. Also the next free one."""
        out = np.empty(len(keys), np.uint32)
        done = 0
        while done < len(keys):
            self._make_room()
            insert = _insert_short if self._short else _insert
            done, self.count, next_number, long = insert(
                keys,
                done,
                self._slots,
                self._keys,
                self._numbers,
                self.count,
                next_number,
                out,
                self._words,
            )
            if long:
                self._short = False
                self._fill(len(self._slots))
        return out, next_number

    def _make_room(self) -> None:
        """Keep the table half full at most (large ones, seven tenths), and the lists longer than
        the count."""
        if self.count >= most_keys(len(self._slots)):
            self._fill((4 if len(self._slots) < LARGE else 2) * len(self._slots))
        if self.count >= len(self._keys):
            size = len(self._keys) + max(len(self._keys) // 2, _FEW)
            self._keys = grown(self._keys, size)
            self._numbers = grown(self._numbers, size)

    def _fill(self, slots: int) -> None:
        """Put all found keys into a new table."""
        self._slots = self._empty(slots)
        refill = _refill_short if self._short else _refill
        refill(self._slots, self._keys, self._numbers, self.count, self._words)

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


def grown(array: Array, size: int) -> Array:
    """The array with room for `size` rows."""
    out = np.empty((size, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


# In these kernels `words` is a tuple as long as a key: compiled code then knows the length. Slots
# are unsigned, since an index that may be negative costs a test.


@kernel
def _slot(keys: Ints, i: int, capacity: int, words: tuple[int, ...]) -> Any:
    """First slot to try: a multiplicative hash of all words of a key."""
    h = np.uint64(0)
    for k in range(len(words)):
        h = (h ^ np.uint64(keys[i, k])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(29)
    return h & np.uint64(capacity - 1)


@kernel
def _insert(  # noqa: PLR0913, PLR0917
    keys: Ints, begin: int, slots: Ints, found: Ints, numbers: Ids, count: int,
    next_number: int, out: Ids, words: tuple[int, ...],
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Insert keys from `begin` on until all are in, or a table is full: (keys done, keys found,
    the next number, whether a key is too long for its slot).

    Blocks of keys look up their first slots together, before any is examined: independent loads
    wait for memory at the same time instead of one after the other."""
    capacity = len(slots)
    last = np.uint64(capacity - 1)
    width = len(words)
    most = min(len(found), _most(capacity))
    at = np.empty(BLOCK, np.uint64)
    for block in range(begin, len(keys), BLOCK):
        end = min(block + BLOCK, len(keys))
        for i in range(block, end):
            s = _slot(keys, i, capacity, words)
            at[i - block] = s
            prefetch(slots, s)
        for i in range(block, end):
            s = at[i - block]
            while True:
                number = slots[s, width]
                if number == 0:
                    if count >= most:
                        return i, count, next_number, False
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
                s = (s + np.uint64(1)) & last
    return len(keys), count, next_number, False


@kernel
def _insert_short(  # noqa: PLR0913, PLR0917
    keys: Ints, begin: int, slots: Ints, found: Ints, numbers: Ids, count: int,
    next_number: int, out: Ids, words: tuple[int, ...],
) -> tuple[int, int, int, bool]:  # fmt: skip
    """`_insert` for keys below 2**32, in the upper half of a slot. Stops before the first block
    with one that is not."""
    capacity = len(slots)
    last = np.uint64(capacity - 1)
    most = min(len(found), _most(capacity))
    at = np.empty(BLOCK, np.uint64)
    for block in range(begin, len(keys), BLOCK):
        end = min(block + BLOCK, len(keys))
        bits = np.int64(0)
        for i in range(block, end):
            s = _slot(keys, i, capacity, words)
            at[i - block] = s
            bits |= keys[i, 0]
            prefetch(slots, s)
        if (bits >> 32) != 0:
            return block, count, next_number, True
        for i in range(block, end):
            s = at[i - block]
            key = np.uint64(keys[i, 0])
            while True:
                slot = np.uint64(slots[s, 0])
                if slot == 0:
                    if count >= most:
                        return i, count, next_number, False
                    slots[s, 0] = (key << np.uint64(32)) | np.uint64(next_number + 1)
                    found[count, 0] = key
                    numbers[count] = next_number
                    out[i] = next_number
                    count += 1
                    next_number += 1
                    break
                if (slot >> np.uint64(32)) == key:
                    out[i] = (slot & np.uint64(0xFFFFFFFF)) - np.uint64(1)
                    break
                s = (s + np.uint64(1)) & last
    return len(keys), count, next_number, False


@kernel
def _refill_short(
    slots: Ints, found: Ints, numbers: Ids, count: int, words: tuple[int, ...]
) -> None:
    """`_refill` for keys below 2**32."""
    last = np.uint64(len(slots) - 1)
    for i in range(count):
        prefetch(slots, _slot(found, min(i + BLOCK, count - 1), len(slots), words))
        s = _slot(found, i, len(slots), words)
        while slots[s, 0] != 0:
            s = (s + np.uint64(1)) & last
        key, number = np.uint64(found[i, 0]), np.uint64(numbers[i])
        slots[s, 0] = (key << np.uint64(32)) | (number + np.uint64(1))


@kernel
def _refill(slots: Ints, found: Ints, numbers: Ids, count: int, words: tuple[int, ...]) -> None:
    """Put all found keys into an empty table."""
    last = np.uint64(len(slots) - 1)
    width = len(words)
    for i in range(count):
        prefetch(slots, _slot(found, min(i + BLOCK, count - 1), len(slots), words))
        s = _slot(found, i, len(slots), words)
        while slots[s, width] != 0:
            s = (s + np.uint64(1)) & last
        for k in range(width):
            slots[s, k] = found[i, k]
        slots[s, width] = np.int64(numbers[i]) + 1
