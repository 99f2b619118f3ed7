"""Projection: how many positions a game has, judged before all are found.

Two ways. `projected` continues the growth from stratum to stratum: a guess of the size. `at_least`
lets many plays run at random side by side and counts how often two of them are at the same
position after the same number of steps. If there were only N positions at that step, M plays would
meet at least M²/2N times; meeting more seldom than that shows that there are more than N.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.graph import Array

if TYPE_CHECKING:
    from perfectplay.explore import Explorer
    from perfectplay.layers import Layers

NEEDED = 6
"""Strata that must be complete before their growth tells anything."""


SPARSE = 16
"""Numbers of strata that lie further apart than this, on the average, are names."""
PLIES = 40
"""How many plies of random play there should be time for."""


def expected(layers: Layers, most: int | None) -> int | None:
    """About how many positions the game has, never more than the rules say; None if neither is
    known."""
    known = [number for number in (projected(layers), most) if number is not None]
    return min(known, default=None)


def projected(layers: Layers) -> int | None:
    """About how many positions the game has; None if the strata found do not tell.

    The growth from stratum to stratum usually falls steadily, so its logarithm is continued as a
    straight line through the last strata, until the bottom is reached or nothing is left."""
    numbers = sorted(layers.sizes, reverse=True)
    sizes = [layers.sizes[s] for s in numbers]
    if len(sizes) < NEEDED + 2 or sizes[-1] < sizes[-2]:
        return None
    if numbers[-1 - NEEDED] - numbers[-1] > SPARSE * NEEDED:
        return None  # numbers name strata here, they do not count them
    ratios = [math.log(b / a) for a, b in pairwise(sizes)][-NEEDED:]
    mean = sum(ratios) / len(ratios)
    middle = (len(ratios) - 1) / 2
    spread = sum((i - middle) ** 2 for i in range(len(ratios)))
    slope = sum((i - middle) * (r - mean) for i, r in enumerate(ratios)) / spread
    slope = min(slope, -1e-3)
    total = float(sum(sizes))
    size, growth = float(sizes[-1]), ratios[-1]
    for _ in range(_left(layers)):
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


def _left(layers: Layers) -> int:
    """How many strata there may still be: down to 0, if none was below."""
    low = min(layers.sizes)
    return low if low >= 0 else 10**5


def at_least(walk: Explorer, seconds: float, spent: float, *, seed: int = 0) -> int:
    """More positions than this exist, as random play shows (but for a risk of a few per cent).

    As many plays are tried as fit into `seconds`, judged by what was expanded in `spent` ones."""
    expander, strata = walk.expander, walk.strata
    children = walk.edges / max(1, walk.expanded)
    chance = np.random.default_rng(seed)
    starts, _ = expander.starts()
    plays = int(min(1 << 17, 1e6 / children) if expander.width else min(1 << 11, 3e4 / children))
    plays = max(16, min(plays, int(seconds * walk.expanded / max(spent, 1e-3) / PLIES)))
    if expander.width:
        here: Any = starts[chance.integers(len(starts), size=plays)]
    else:
        here = [starts[i] for i in chance.integers(len(starts), size=plays)]
    most: dict[int, int] = {}
    until = time.perf_counter() + seconds
    while len(here) > 0 and time.perf_counter() < until:
        batch = expander.expand(here)
        degree = np.diff(batch.first)
        alive = np.flatnonzero(degree)
        edge = batch.first[alive] + (chance.random(len(alive)) * degree[alive]).astype(np.int64)
        here = batch.child[edge] if expander.width else [batch.child[e] for e in edge]
        where = batch.stratum[edge] if strata and len(batch.stratum) else np.zeros(len(edge))
        for stratum in np.unique(where):
            rows = np.flatnonzero(where == stratum)
            some = here[rows] if expander.width else [here[i] for i in rows]
            most[int(stratum)] = max(
                most.get(int(stratum), 0), _shown_by(_meetings(some), len(rows))
            )
    return sum(most.values())


def _meetings(positions: Any) -> int:
    """How many pairs of plays are at the same position."""
    if isinstance(positions, np.ndarray):
        words = positions.astype(np.uint64)
        mixed = words[:, 0].copy()
        for k in range(1, words.shape[1]):  # equal mixtures only make the answer more careful
            mixed = mixed * np.uint64(0x9E3779B97F4A7C15) ^ words[:, k]
        mixed.sort()
        edges = np.flatnonzero(np.diff(mixed)) + 1
        counts: Array = np.diff(edges, prepend=0, append=len(mixed))
    else:
        seen: dict[Any, int] = {}
        for p in positions:
            seen[p] = seen.get(p, 0) + 1
        counts = np.array(list(seen.values()), np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _shown_by(meetings: int, plays: int) -> int:
    """The most positions for which so few meetings would be a surprise."""
    expected_at_most = meetings + 2 * math.sqrt(meetings) + 3
    return int(plays * (plays - 1) / 2 / expected_at_most)
