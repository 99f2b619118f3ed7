"""SetPairs: numbers for the men of two players on the points of a board, up to symmetry.

Rules derive from it beside `Indexed`, and say what the board is:

    pair_points = 24          points of the board, at most 63
    pair_most = 9             men of one player, at most
    def pair_symmetries(self):    lists that say where each point goes, the identity first

The larger set is numbered by its class under the symmetries, the smaller one among the points that
are left: where a symmetry leaves the first set of a class as it is, by its least image; the other
images are holes. `rank_sides`, `nth_sides` and `sides` number what a player to move and the other
player have, where either may have more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfectplay.rules.ranking import (
    SetClasses,
    choose,
    image,
    image_table,
    least_image,
    members,
    nth_set,
    rank_set,
    set_classes,
    spread,
    within,
)

Array = NDArray[Any]


class SetPairs:
    """Two sets of points that do not overlap, by number. All methods compile."""

    pair_points: int
    """How many points there are."""
    pair_most: int
    """How many members the larger set has at most."""

    def pair_symmetries(self) -> Sequence[Sequence[int]]:
        """Where each point goes, for each symmetry, the identity first."""
        return [range(self.pair_points)]

    # -- Tables. ----------------------------------------------------------------------------------

    @cached_property
    def pair_images(self) -> Array:
        """The symmetries, as `image` reads them."""
        return image_table(self.pair_symmetries(), self.pair_points)

    @cached_property
    def _pair_classes(self) -> list[SetClasses]:
        sizes = range(self.pair_most + 1)
        return [set_classes(self.pair_images, self.pair_points, size) for size in sizes]

    @cached_property
    def pair_code(self) -> Array:
        """Codes of sets (SetClasses), those of size 0 first, then those of size 1, …"""
        return np.concatenate([each.code for each in self._pair_classes])

    @cached_property
    def pair_first(self) -> Array:
        """The first set of each class."""
        return np.concatenate([each.first for each in self._pair_classes])

    @cached_property
    def pair_kept(self) -> Array:
        """The symmetries that leave it as it is, one bit for each."""
        return np.concatenate([each.stabiliser for each in self._pair_classes])

    @cached_property
    def pair_code_at(self) -> tuple[int, ...]:
        """By size: where codes begin."""
        return tuple(accumulate((len(each.code) for each in self._pair_classes), initial=0))

    @cached_property
    def pair_class_at(self) -> tuple[int, ...]:
        """By size: where classes begin."""
        return tuple(accumulate((len(each.first) for each in self._pair_classes), initial=0))

    # -- A larger and a smaller set. --------------------------------------------------------------

    def pairs(self, more: int, fewer: int) -> int:
        """How many numbers there are for pairs of sets of these sizes."""
        classes = self.pair_class_at[more + 1] - self.pair_class_at[more]
        return classes * choose(self.pair_points - more, fewer)

    def rank_pair(self, larger: int, smaller: int, more: int, fewer: int) -> int:
        """The number of a pair of sets of these sizes."""
        code = int(self.pair_code[self.pair_code_at[more] + rank_set(larger)])
        which = self.pair_class_at[more] + (code >> 6)
        rest = smaller if code & 63 == 0 else image(self.pair_images, code & 63, smaller)
        kept = int(self.pair_kept[which])
        if kept != 1:
            rest = least_image(self.pair_images, kept, rest)
        free = ((1 << self.pair_points) - 1) & ~int(self.pair_first[which])
        ways = choose(self.pair_points - more, fewer)
        return (code >> 6) * ways + rank_set(within(rest, free))

    def nth_pair(self, more: int, fewer: int, i: int) -> tuple[int, int]:
        """The pair of sets with number i; a hole if it has another number."""
        ways = choose(self.pair_points - more, fewer)
        larger = int(self.pair_first[self.pair_class_at[more] + i // ways])
        rest = nth_set(fewer, i % ways, self.pair_points - more)
        return larger, spread(rest, ((1 << self.pair_points) - 1) & ~larger)

    # -- What the player to move has, and what the other has. -------------------------------------

    def sides(self, more: int, fewer: int) -> int:
        """How many numbers there are if one player has so many men, and the other so many."""
        return self.pairs(more, fewer) * (1 if more == fewer else 2)

    def rank_sides(self, mine: int, theirs: int) -> int:
        """The number of the men of the player to move and of the other; if the player to move has
        fewer, after all in which they have more."""
        m, t = members(mine), members(theirs)
        if m >= t:
            return self.rank_pair(mine, theirs, m, t)
        return self.pairs(t, m) + self.rank_pair(theirs, mine, t, m)

    def nth_sides(self, more: int, fewer: int, i: int) -> tuple[int, int]:
        """The men of the player to move and of the other with number i."""
        side = self.pairs(more, fewer)
        one, other = self.nth_pair(more, fewer, i - side if i >= side else i)
        return (other, one) if i >= side else (one, other)
