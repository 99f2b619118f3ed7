"""Key sets: which positions of a stratum have been found, where numbers would take too much room.

A `KeySet` holds nothing but keys, in the order of their hashes: key k belongs to slot
floor(hash(k) capacity), or to the next free one. So a larger table is filled from a smaller one by
one walk through both. `ordered` gives the keys in the order of their hashes, and so **bucket by
bucket**: bucket b of B holds the keys with floor(hash B) = b, some four of them, and where each
bucket begins is all that `find` needs to find the row of a key: two looks into memory instead of a
binary search.

A **shard** of a stratum has the keys whose hashes begin with the same bits: `skip` of them say
nothing any more. So a shard is a range of rows, and shards one after the other are the stratum."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.intrinsics import prefetch
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError

EMPTY = -0x5BD1E995A3C59AC3
"""First word of a slot that holds no key."""
FEW = 1 << 10
TAIL = 1 << 10
"""Slots beyond the last one that a hash names."""
BLOCK = 64
PER_BUCKET = 4
FINE, RESERVED, NO_SLOT = 0, 1, 2
"""What `_insert` returns: a key may be EMPTY, or the slots may be used up."""


class KeySet:
    """The keys found of one stratum, or of one of its shards, int64[n, width]."""

    def __init__(self, width: int, skip: int = 0, expected: int = 0) -> None:
        """`skip`: so many bits are the same at the beginning of all hashes; there is room for
        `expected` keys at once."""
        self.count = 0
        self._skip = np.uint64(skip)
        self._words = (0,) * width
        self._slots = self._empty(max(FEW, (expected + BLOCK) * 3 // 2))

    def _empty(self, capacity: int) -> Array:
        return np.full((capacity + TAIL, len(self._words)), EMPTY, np.int64)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return int(self._slots.nbytes)

    def insert(self, keys: Array) -> Array:
        """Take keys; the rows of those that were not known, each key once."""
        fresh = np.empty(len(keys), np.uint32)
        done = many = 0
        while done < len(keys):
            capacity = len(self._slots) - TAIL
            if self.count + BLOCK > capacity * 3 // 4:
                capacity = self._grow()
            done, found, code = _insert(
                keys, done, self._slots, capacity, self.count, fresh, many, self._skip, self._words
            )
            self.count += found - many
            many = found
            if code == RESERVED:
                raise RulesError("a position is a number that is reserved", "choose another one")
            if code == NO_SLOT:
                self._grow()
        return fresh[:many]

    def _grow(self) -> int:
        """Half as many slots again, or more; how many there are now."""
        capacity = len(self._slots) - TAIL
        while True:
            capacity += max(capacity // 2, FEW)
            slots = self._empty(capacity)
            if _refill(self._slots, slots, capacity, self._skip, self._words):
                self._slots = slots
                return capacity

    def ordered(self) -> tuple[Array, Array]:
        """(keys, bucket by bucket; uint32[buckets + 1]: where buckets begin)."""
        begin = np.zeros(buckets_for(self.count) + 1, np.uint32)
        keys = np.empty((self.count, len(self._words)), np.int64)
        _order(self._slots, begin, keys, self._skip, self._words)
        return keys, begin


def buckets_for(count: int) -> int:
    """How many buckets so many keys have."""
    return max(1, count // PER_BUCKET)


def begins(keys: Array, skip: int = 0) -> Array:
    """Where buckets begin, of keys that lie bucket by bucket; `skip` as in `KeySet`."""
    out = np.zeros(buckets_for(len(keys)) + 1, np.uint32)
    _begins(keys, out, np.uint64(skip), (0,) * keys.shape[1])
    return out


def shard_of(keys: Array, bits: int) -> Array:
    """uint32[n]: the shard of each key, which is the first `bits` bits of its hash."""
    out = np.zeros(len(keys), np.uint32)
    if bits:
        _shard_of(keys, np.uint64(bits), out, (0,) * keys.shape[1])
    return out


def shard_range(keys: Array, shard: int, bits: int) -> tuple[int, int]:
    """The first row and the end of a shard, of keys in the order of their hashes."""
    if not bits:
        return 0, len(keys)
    begin, end = _shard_range(keys, shard, np.uint64(bits), (0,) * keys.shape[1])
    return int(begin), int(end)


def placed(keys: Array) -> tuple[Array, Array]:
    """For keys in any order: (where buckets begin, uint32[n]: the rows of keys bucket by bucket),
    which is what `find` needs of them."""
    begin = begins(keys)
    place = np.empty(len(keys), np.uint32)
    _place(keys, begin.copy(), place, np.uint64(0), (0,) * keys.shape[1])
    return begin, place


def find(
    wanted: Array,
    keys: Array,
    begin: Array,
    out: Array,
    place: Array | None = None,
    skip: int = 0,
) -> int:
    """Write the rows of wanted keys among `keys`; the first that is not there, or -1. Keys lie
    bucket by bucket, or `place` says where (`placed`)."""
    return int(_find(wanted, keys, begin, place, out, np.uint64(skip), (0,) * keys.shape[1]))


# In these kernels `words` is a tuple as long as a key: compiled code then knows the length.


@kernel
def _hash(keys: Ints, i: int, words: tuple[int, ...]) -> Any:
    """64 bits that depend on all words of a key."""
    h = np.uint64(0)
    for k in range(len(words)):
        h = (h ^ np.uint64(keys[i, k])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(32)
    return h * np.uint64(0xBF58476D1CE4E5B9)


@kernel
def _scaled(keys: Ints, i: int, slots: Any, skip: Any, words: tuple[int, ...]) -> Any:
    """floor(h slots), where h in [0, 1) is 32 bits of the hash after the first `skip`."""
    h = (_hash(keys, i, words) << skip) >> np.uint64(32)
    return (h * np.uint64(slots)) >> np.uint64(32)


@kernel
def _shard_of(keys: Ints, bits: Any, out: Ids, words: tuple[int, ...]) -> None:
    for i in range(len(keys)):
        out[i] = _hash(keys, i, words) >> (np.uint64(64) - bits)


@kernel
def _shard_range(keys: Ints, shard: int, bits: Any, words: tuple[int, ...]) -> tuple[int, int]:
    """Binary search for the first rows of a shard and of the next one."""
    begin = end = 0
    for last in range(2):
        low, high = begin, len(keys)
        while low < high:
            middle = (low + high) // 2
            if np.int64(_hash(keys, middle, words) >> (np.uint64(64) - bits)) < shard + last:
                low = middle + 1
            else:
                high = middle
        begin, end = end if last else low, low
    return begin, end


@kernel
def _insert(  # noqa: C901, PLR0913, PLR0917
    keys: Ints, begin: int, slots: Ints, capacity: int, count: int, fresh: Ids, many: int,
    skip: Any, words: tuple[int, ...],
) -> tuple[int, int, int]:  # fmt: skip
    """Insert keys from `begin` on: (rows done, new ones, FINE or RESERVED or NO_SLOT)."""
    most = capacity * 3 // 4
    at = np.empty(BLOCK, np.uint64)
    last = len(slots)
    for block in range(begin, len(keys), BLOCK):
        if count + BLOCK > most:
            return block, many, FINE
        end = min(block + BLOCK, len(keys))
        for i in range(block, end):
            s = _scaled(keys, i, capacity, skip, words)
            at[i - block] = s
            prefetch(slots, s)
        for i in range(block, end):
            if keys[i, 0] == EMPTY:
                return i, many, RESERVED
            s = at[i - block]
            while True:
                if s == last:
                    return i, many, NO_SLOT
                if slots[s, 0] == EMPTY:
                    for k in range(len(words)):
                        slots[s, k] = keys[i, k]
                    fresh[many] = i
                    many += 1
                    count += 1
                    break
                same = True
                for k in range(len(words)):
                    if slots[s, k] != keys[i, k]:
                        same = False
                if same:
                    break
                s += np.uint64(1)
    return len(keys), many, FINE


@kernel
def _refill(old: Ints, slots: Ints, capacity: int, skip: Any, words: tuple[int, ...]) -> bool:
    """Put all keys into a larger table; False if there is no slot left."""
    for i in range(len(old)):
        if old[i, 0] == EMPTY:
            continue
        s = _scaled(old, i, capacity, skip, words)
        while s < len(slots) and slots[s, 0] != EMPTY:
            s += np.uint64(1)
        if s == len(slots):
            return False
        for k in range(len(words)):
            slots[s, k] = old[i, k]
    return True


@kernel
def _order(slots: Ints, begin: Ids, keys: Ints, skip: Any, words: tuple[int, ...]) -> None:
    """Keys in the order of their hashes, and so bucket by bucket."""
    buckets = np.uint64(len(begin) - 1)
    for i in range(len(slots)):
        if slots[i, 0] != EMPTY:
            begin[_scaled(slots, i, buckets, skip, words) + np.uint64(1)] += 1
    for b in range(len(begin) - 1):
        begin[b + 1] += begin[b]
    for i in range(len(slots)):
        if slots[i, 0] != EMPTY:
            b = _scaled(slots, i, buckets, skip, words)
            to = np.int64(begin[b])
            begin[b] = to + 1
            for k in range(len(words)):
                keys[to, k] = slots[i, k]
    for j in range(len(begin) - 1):  # every bucket begins where the one before it has ended
        b = len(begin) - 1 - j
        begin[b] = begin[b - 1]
    begin[0] = 0
    for b in range(len(begin) - 1):
        for i in range(np.int64(begin[b]) + 1, np.int64(begin[b + 1])):
            j = i
            while j > np.int64(begin[b]) and _before(keys, j, words):
                for k in range(len(words)):
                    keys[j, k], keys[j - 1, k] = keys[j - 1, k], keys[j, k]
                j -= 1


@kernel
def _before(keys: Ints, i: int, words: tuple[int, ...]) -> Any:
    """Whether a key is before the one that stands before it: hashes count, then words."""
    mine, other = _hash(keys, i, words), _hash(keys, i - 1, words)
    if mine != other:
        return mine < other
    for k in range(len(words)):
        if keys[i, k] != keys[i - 1, k]:
            return keys[i, k] < keys[i - 1, k]
    return False


@kernel
def _begins(keys: Ints, begin: Ids, skip: Any, words: tuple[int, ...]) -> None:
    """Count the keys of all buckets, and add the counts up."""
    buckets = np.uint64(len(begin) - 1)
    for i in range(len(keys)):
        begin[_scaled(keys, i, buckets, skip, words) + np.uint64(1)] += 1
    for b in range(len(begin) - 1):
        begin[b + 1] += begin[b]


@kernel
def _place(keys: Ints, begin: Ids, place: Ids, skip: Any, words: tuple[int, ...]) -> None:
    """Put rows into the buckets of their keys; `begin` moves on to where buckets end."""
    buckets = np.uint64(len(begin) - 1)
    for i in range(len(keys)):
        b = _scaled(keys, i, buckets, skip, words)
        place[begin[b]] = i
        begin[b] += 1


@kernel
def _find(  # noqa: C901
    wanted: Ints, keys: Ints, begin: Ids, place: Ids | None, out: Ids, skip: Any,
    words: tuple[int, ...],
) -> int:  # fmt: skip
    """Write the rows of wanted keys; the first that is not there, or -1. Without `place` keys lie
    bucket by bucket. Blocks of keys ask for their buckets together, then for the first row of
    each: independent loads wait for memory at the same time."""
    buckets = np.uint64(len(begin) - 1)
    at = np.empty(BLOCK, np.uint64)
    for block in range(0, len(wanted), BLOCK):
        end = min(block + BLOCK, len(wanted))
        for i in range(block, end):
            b = _scaled(wanted, i, buckets, skip, words)
            at[i - block] = b
            prefetch(begin, b)
        if place is not None:
            for i in range(block, end):
                first = np.int64(begin[at[i - block]])
                if first < len(keys):
                    prefetch(place, first)
        for i in range(block, end):
            first = np.int64(begin[at[i - block]])
            if first < len(keys):
                prefetch(keys, first if place is None else np.int64(place[first]))
        for i in range(block, end):
            first = np.int64(begin[at[i - block]])
            high = np.int64(begin[at[i - block] + np.uint64(1)])
            while first < high:
                row = first if place is None else np.int64(place[first])
                same = True
                for k in range(len(words)):
                    if keys[row, k] != wanted[i, k]:
                        same = False
                if same:
                    out[i] = row
                    break
                first += 1
            if first == high:
                return i
    return -1
