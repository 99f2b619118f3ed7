"""Deal: keys stratum by stratum, as whoever numbers or finds them wants them."""

from __future__ import annotations

import itertools

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel

SPAN = 1 << 13
"""Strata further apart are sorted; what differs little is counted, which is faster."""
Hand = tuple[int, int, int]
"""A stratum, and the first row and the end of its keys."""


def group_by_stratum(keys: Array, strata: Array) -> tuple[Array, Array, list[Hand]]:
    """(keys stratum by stratum, least first, otherwise in their order; uint32[n]: where each of
    them went; what lies where)."""
    if not len(strata):
        return keys, np.empty(0, np.uint32), []
    low, high = int(strata.min()), int(strata.max())
    if low == high:
        return keys, np.arange(len(keys), dtype=np.uint32), [(low, 0, len(keys))]
    if high - low < SPAN:
        ends, at = np.zeros(high - low + 1, np.int64), np.empty(len(keys), np.uint32)
        out = np.empty_like(keys)
        _deal(keys, strata, low, ends, at, out, (0,) * keys.shape[1])
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
def _deal(keys, strata, low, place, at, out, words):  # type: ignore[no-untyped-def]
    """Count, then put every key into the next place of its stratum; in the end `place` tells where
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
