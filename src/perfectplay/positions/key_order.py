"""Orders of keys: stratum by stratum, and within a stratum as a table holds its positions.

Native positions are their own keys, rows of int64 words, ordered as signed numbers, word by word.
The key of a plain position is its text, ordered by UTF-8 bytes."""

import itertools
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander

SPAN = 1 << 13
"""Strata that differ by less are counted, which is faster than sorting."""
Group = tuple[int, int, int]
"""A stratum, and the first row and the end of its keys."""
DIGIT = 10
"""Bits a pass of the radix sort looks at."""


def group_by_stratum(keys: Array, strata: Array) -> tuple[Array, Array, list[Group]]:
    """(keys stratum by stratum, least first, otherwise in their order; uint32[n]: the new place of
    each; the groups)."""
    if not len(strata):
        return keys, np.empty(0, np.uint32), []
    low, high = int(strata.min()), int(strata.max())
    if low == high:
        return keys, np.arange(len(keys), dtype=np.uint32), [(low, 0, len(keys))]
    if high - low < SPAN:
        ends, at = np.zeros(high - low + 1, np.int64), np.empty(len(keys), np.uint32)
        out = np.empty_like(keys)
        _count_sort(keys, strata, low, ends, at, out, (0,) * keys.shape[1])
        begins = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
        used = np.flatnonzero(ends > begins)
        rows = np.stack((used + low, begins[used], ends[used]), axis=1).tolist()
        return out, at, [(stratum, begin, end) for stratum, begin, end in rows]
    order = np.argsort(strata, kind="stable")
    at = np.empty(len(keys), np.uint32)
    at[order] = np.arange(len(keys), dtype=np.uint32)
    cuts = [0, *(np.flatnonzero(np.diff(strata[order])) + 1).tolist(), len(keys)]
    groups = [(int(strata[order[a]]), a, b) for a, b in itertools.pairwise(cuts)]
    return keys[order], at, groups


@kernel
def _count_sort(
    keys: Ints, strata: Ints, low: int, place: Ints, at: Ids, out: Ints, words: tuple[int, ...]
) -> None:
    """Count, then put every key into the next place of its stratum; in the end `place` says where
    each stratum ends. `words` is a tuple as long as a key: compiled code then knows the length."""
    for stratum in strata:
        place[stratum - low] += 1
    total = 0
    for k in range(len(place)):
        count = place[k]
        place[k] = total
        total += count
    for i in range(len(strata)):
        to = place[strata[i] - low]
        place[strata[i] - low] = to + 1
        at[i] = to
        for k in range(len(words)):
            out[to, k] = keys[i, k]


def sorted_keys(expander: Expander, positions: Any) -> tuple[Array, Any]:
    """The order that sorts positions by key, and the sorted keys."""
    if expander.width == 0:
        texts = expander.keys(positions)
        rows = sorted(range(len(texts)), key=lambda i: texts[i].encode())
        sorted_texts = [texts[i] for i in rows]
        for i in range(1, len(rows)):
            if sorted_texts[i] == sorted_texts[i - 1]:
                raise _same_text(expander, sorted_texts[i])
        return np.array(rows, np.uint32), sorted_texts
    if expander.width == 1:
        order, keys = sorted_words(np.ascontiguousarray(positions[:, 0]))
        return order, keys.reshape(-1, 1)
    order = np.lexsort(positions.T[::-1]).astype(np.uint32)
    return order, positions[order]


def sorted_words(words: Array) -> tuple[Array, Array]:
    """The order that sorts int64 words, and the sorted words: a radix sort of what differs."""
    n = len(words)
    low, high = (int(words.min()), int(words.max())) if n else (0, 0)
    span = high - low
    if n < 256 or span >= 2**63:
        order = np.argsort(words, kind="stable").astype(np.uint32)
        return order, words[order]
    order, spare = np.arange(n, dtype=np.uint32), np.empty(n, np.uint32)
    keys, other = words - low, np.empty(n, np.int64)
    for shift in range(0, span.bit_length(), DIGIT):
        _radix_pass(keys, order, other, spare, shift)
        keys, other, order, spare = other, keys, spare, order
    keys += low
    return order, keys


def _same_text(expander: Expander, text: str) -> RulesError:
    return RulesError(
        f"{type(expander.game).__name__}: two different positions have the same text {text!r}",
        "text(p) must say everything about a position, also whose turn it is",
    )


@kernel
def _radix_pass(keys: Ints, order: Ids, keys_out: Ints, order_out: Ids, shift: int) -> None:
    """One stable pass over a digit of DIGIT bits, the key and its place moving together."""
    place = np.zeros((1 << DIGIT) + 1, np.int64)
    last = (1 << DIGIT) - 1
    for i in range(len(keys)):
        place[((keys[i] >> shift) & last) + 1] += 1
    for d in range(last + 1):
        place[d + 1] += place[d]
    for i in range(len(keys)):
        d = (keys[i] >> shift) & last
        to = place[d]
        place[d] = to + 1
        keys_out[to] = keys[i]
        order_out[to] = order[i]
