"""Group keys by stratum."""

import itertools

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.kernels import kernel

SPAN = 1 << 13
"""Strata that differ by less are counted, which is faster than sorting."""
Group = tuple[int, int, int]
"""A stratum, and the first row and the end of its keys."""


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
