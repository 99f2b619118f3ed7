"""Projection: how many positions there will be, judged from the strata found so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfectplay.explore import Explorer
    from perfectplay.layers import Layers

NEEDED = 6
"""Strata that must be complete before their growth tells anything."""


def projected(walk: Explorer, layers: Layers) -> int | None:
    """About how many positions the game has; None if the strata found do not tell.

    The growth from stratum to stratum usually falls steadily, so its logarithm is continued as a
    straight line through the last strata, until the bottom is reached or nothing is left."""
    sizes = [layers.sizes[s] for s in sorted(layers.sizes, reverse=True)]
    if len(sizes) < NEEDED + 2 or sizes[-1] < sizes[-2]:
        return None
    ratios = [math.log(b / a) for a, b in zip(sizes, sizes[1:], strict=False)][-NEEDED:]
    mean = sum(ratios) / len(ratios)
    middle = (len(ratios) - 1) / 2
    spread = sum((i - middle) ** 2 for i in range(len(ratios)))
    slope = sum((i - middle) * (r - mean) for i, r in enumerate(ratios)) / spread
    slope = min(slope, -1e-3)
    total = float(sum(sizes))
    size, growth = float(sizes[-1]), ratios[-1]
    left = max(layers.sizes) - len(layers.sizes) if min(layers.sizes) >= 0 else 10**6
    for _ in range(min(left, 10**5)):
        growth += slope
        size *= math.exp(min(growth, 50))
        total += size
        if size < 1 or total > 1e30:
            break
    return int(total)
