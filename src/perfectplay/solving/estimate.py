"""Projection: how many positions a game has, judged before all are found.

Two ways. `projected` continues the growth from stratum to stratum: a guess of the size. `at_least`
lets many plays run at random side by side and counts how often two of them could come to the same
position with the same number of steps. If there were only N positions at that step, M plays with k
children each would meet at least (Mk)²/2N times on average, however uneven chance is; meeting more
seldom than that shows that there are more than N.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct

if TYPE_CHECKING:
    from perfectplay.positions.explore import Explorer
    from perfectplay.strata.disk_strata import DiskStrata
    from perfectplay.strata.stratum_queue import StratumQueue

NEEDED = 6
"""Strata that must be complete before their growth means anything."""
SPARSE = 16
"""Numbers of strata that lie further apart than this, on the average, are names."""
STEADY = 0.5
"""Growth that is off its line by more, as a logarithm, is not continued."""
TRIAL = 1 << 10
"""Plays at random that are tried first."""
_MIX, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def expected(strata: StratumQueue | DiskStrata, most: int | None) -> int | None:
    """About how many positions the game has, never more than the rules say; None if neither is
    known."""
    known = [number for number in (projected(strata), most) if number is not None]
    return min(known, default=None)


def projected(strata: StratumQueue | DiskStrata) -> int | None:
    """About how many positions the game has; None if too few strata were found.

    The growth from stratum to stratum usually falls steadily, so its logarithm is continued as a
    straight line through the last strata, until the bottom is reached or nothing is left."""
    numbers = sorted(strata.sizes, reverse=True)
    sizes = [strata.sizes[s] for s in numbers]
    if len(sizes) < NEEDED + 2 or sizes[-1] < sizes[-2]:
        return None
    if numbers[-1 - NEEDED] - numbers[-1] > SPARSE * NEEDED:
        return None  # numbers name strata here, they do not count them
    ratios = [math.log(b / a) for a, b in pairwise(sizes)][-NEEDED:]
    mean = sum(ratios) / len(ratios)
    middle = (len(ratios) - 1) / 2
    spread = sum((i - middle) ** 2 for i in range(len(ratios)))
    slope = sum((i - middle) * (r - mean) for i, r in enumerate(ratios)) / spread
    off = [r - mean - slope * (i - middle) for i, r in enumerate(ratios)]
    if max(map(abs, off)) > STEADY:
        return None  # large and small strata in turn: the last ones say nothing of the next
    slope = min(slope, -1e-3)
    total = float(sum(sizes))
    size, growth = float(sizes[-1]), ratios[-1]
    for _ in range(_left(strata)):
        growth += slope
        size *= math.exp(min(growth, 50))
        total += size
        if size < 1 or total > 1e30:
            break
    return int(total)


def growth(walk: Explorer) -> float | None:
    """Without strata: by what factor the positions grew with the last step from the start."""
    sizes = walk.generations[:-1]
    return sizes[-1] / sizes[-2] if len(sizes) > 2 and sizes[-2] else None


def _left(strata: StratumQueue | DiskStrata) -> int:
    """How many strata there may still be, as far apart as those that were seen: down to 0, if none
    was below."""
    low, high = min(strata.sizes), max(strata.sizes)
    apart = max(1.0, (high - low) / max(1, len(strata.sizes) - 1))
    return int(low / apart) if low >= 0 else 10**5


def at_least(walk: Explorer, seconds: float, *, seed: int = 0) -> int:
    """More positions than this exist, as random play shows (but for a risk of a few per cent).

    More and more plays are tried, as many as fit into `seconds`."""
    until = time.perf_counter() + seconds
    chance = np.random.default_rng(seed)
    native = walk.expander.width > 0
    children = max(1.0, walk.edges / max(1, walk.expanded))
    most = int(min(1 << 17, 1e6 / children) if native else min(1 << 11, 3e4 / children))
    starts, _ = next(walk.expander.start_batches())
    plays, shown = min(most, TRIAL if native else TRIAL // 16), 0
    while True:
        began = time.perf_counter()
        shown = max(shown, _shown(walk, starts, plays, chance, until))
        each = (time.perf_counter() - began) / plays
        more = min(most, 8 * plays, int((until - time.perf_counter()) / each))
        if more < 2 * plays:
            return shown
        plays = more


def _shown(
    walk: Explorer, starts: Any, plays: int, chance: np.random.Generator, until: float
) -> int:
    """What so many plays at random show, side by side, until all have ended or time is up."""
    expander = walk.expander
    first = chance.integers(len(starts), size=plays)
    here: Any = starts[first] if expander.width else [starts[i] for i in first]
    most: dict[int, int] = {}
    while len(here) > 0 and time.perf_counter() < until:
        batch = expander.expand(here)
        degree = np.diff(batch.first)
        play = np.repeat(np.arange(len(here)), degree)
        strata = batch.stratum if walk.strata and len(batch.stratum) else np.zeros(len(play))
        marks = _marks(batch.child)
        one = len(marks) > 0 and strata.min() == strata.max()
        for stratum in strata[:1] if one else distinct(strata):
            rows = slice(None) if one else strata == stratum
            shown = _shown_by(marks[rows], play[rows])
            most[int(stratum)] = max(most.get(int(stratum), 0), shown)
        alive = np.flatnonzero(degree)
        edge = batch.first[alive] + (chance.random(len(alive)) * degree[alive]).astype(np.int64)
        here = batch.child[edge] if expander.width else [batch.child[e] for e in edge]
    return sum(most.values())


def _marks(positions: Any) -> Array:
    """A number for each position: the same for equal ones, and seldom the same for others."""
    if not isinstance(positions, np.ndarray):
        return np.array([hash(p) & (2**64 - 1) for p in positions], np.uint64)
    words = positions.astype(np.uint64)
    mixed = words[:, 0].copy()
    for k in range(1, words.shape[1]):
        mixed = mixed * _MIX ^ words[:, k]
    return mixed


def _shown_by(marks: Array, play: Array) -> int:
    """The most positions for which it would be a surprise that children of different plays are so
    seldom the same. If a play has k children, any two plays have k²/N in common on average, or
    more. They may have many in common at once, but no more than a play has children."""
    ends = np.flatnonzero(np.diff(play, append=-1)) + 1  # plays stand in order
    plays, widest = len(ends), int(np.diff(ends, prepend=0).max())
    alone = marks * _MIX ^ play.astype(np.uint64) * _OTHER  # equal within a play
    meetings = _pairs(marks) - _pairs(alone)
    likely = meetings + 2 * math.sqrt(meetings * widest) + 3 * widest
    return int(len(marks) ** 2 / 2 * (plays - 1) / plays / likely)


def _pairs(marks: Array) -> int:
    """How many pairs of equal numbers there are."""
    ordered = np.sort(marks)
    ends = np.flatnonzero(np.diff(ordered)) + 1
    counts: Array = np.diff(ends, prepend=0, append=len(ordered))
    return int((counts * (counts - 1) // 2).sum())
