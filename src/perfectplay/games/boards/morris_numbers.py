"""Numbers of morris positions in which all men are placed (see `Indexed`).

There is a stratum for each pair of numbers of men. Its positions are numbered by the men of the
player who has more, up to symmetry, then by those of the other on the points that are left. If the
player to move has fewer, all that comes after the positions in which they have more. A player with
two men has lost: the other player has just closed a mill.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from perfectplay.games.bits import count
from perfectplay.rules.capabilities import Indexed
from perfectplay.rules.packing import at, fields, get
from perfectplay.rules.ranking import (
    choose,
    image,
    image_table,
    least_image,
    nth_set,
    rank_set,
    set_classes,
    spread,
    within,
)

POINTS = 24
MINE, THEIRS, MY_HAND, THEIR_HAND = fields(POINTS, POINTS, 4, 4)
MORE, TOTAL = fields(5, 6)
"""The fields of a stratum, where men are placed: men of the player who has more, and of both."""
FEWEST = 3
"""Whoever has fewer men has lost."""


class MorrisNumbers(Indexed):
    """For `Morris`, which says how many men there are, and how a board looks."""

    rings: int
    symmetry: bool
    more: int
    endings: list[tuple[int, int]]

    def has_mill(self, men: int) -> bool:
        """Whether a player has a mill."""
        raise NotImplementedError

    @property
    def indexed(self) -> bool:  # type: ignore[override]
        return self.more > 0

    def numbered_strata(self) -> Iterator[int]:
        for more, fewer in self.endings:
            yield self.pair(more, fewer)
        for more in range(FEWEST, self.more + 1):
            yield self.pair(more, FEWEST - 1)

    def pair(self, more: int, fewer: int) -> int:
        """The stratum in which the players have so many men."""
        return at(TOTAL, more + fewer) | at(MORE, more)

    @cached_property
    def images(self) -> Any:
        where = [
            [8 * (self.rings - 1 - r if out else r) + (2 * turn + step * i) % 8
             for r in range(self.rings) for i in range(8)]
            for out in (False, True) for step in (1, -1) for turn in range(4)
        ]  # fmt: skip
        return image_table(where if self.symmetry else where[:1], 8 * self.rings)

    @cached_property
    def classes(self) -> Any:
        """The classes of sets of men, by how many there are."""
        return [set_classes(self.images, 8 * self.rings, k) for k in range(self.more + 1)]

    @cached_property
    def class_code(self) -> Any:
        return np.concatenate([each.code for each in self.classes])

    @cached_property
    def class_first(self) -> Any:
        return np.concatenate([each.first for each in self.classes])

    @cached_property
    def class_kept(self) -> Any:
        return np.concatenate([each.stabiliser for each in self.classes])

    @cached_property
    def code_at(self) -> tuple[int, ...]:
        return tuple(accumulate((len(each.code) for each in self.classes), initial=0))

    @cached_property
    def class_at(self) -> tuple[int, ...]:
        return tuple(accumulate((len(each.first) for each in self.classes), initial=0))

    def side(self, more: int, fewer: int) -> int:
        """How many numbers there are if the player to move has more men, or as many."""
        classes = self.class_at[more + 1] - self.class_at[more]
        return int(classes * choose(8 * self.rings - more, fewer))

    def size(self, stratum: int) -> int:
        more = get(stratum, MORE)
        fewer = get(stratum, TOTAL) - more
        return self.side(more, fewer) * (1 if more == fewer or fewer < FEWEST else 2)

    def rank(self, p: int) -> int:
        larger, smaller = get(p, MINE), get(p, THEIRS)
        more, fewer = count(larger), count(smaller)
        begin = 0
        if more < fewer:
            larger, smaller, more, fewer = smaller, larger, fewer, more
            begin = self.side(more, fewer) if fewer >= FEWEST else 0
        if fewer < FEWEST and (larger == get(p, MINE) or not self.has_mill(larger)):
            return -1  # play ended when a mill was closed
        code = int(self.class_code[self.code_at[more] + rank_set(larger)])
        which = self.class_at[more] + (code >> 6)
        rest = image(self.images, code & 63, smaller)
        kept = int(self.class_kept[which])
        if kept != 1:
            rest = least_image(self.images, kept, rest)
        free = ((1 << 8 * self.rings) - 1) & ~int(self.class_first[which])
        return (
            begin
            + (code >> 6) * choose(8 * self.rings - more, fewer)
            + rank_set(within(rest, free))
        )

    def unrank(self, stratum: int, i: int) -> int:
        more = get(stratum, MORE)
        fewer = get(stratum, TOTAL) - more
        side, ways = self.side(more, fewer), choose(8 * self.rings - more, fewer)
        swapped = fewer < FEWEST or i >= side
        if fewer >= FEWEST and swapped:
            i -= side
        larger = int(self.class_first[self.class_at[more] + i // ways])
        free = ((1 << 8 * self.rings) - 1) & ~larger
        smaller = spread(nth_set(fewer, i % ways, 8 * self.rings - more), free)
        mine, theirs = (smaller, larger) if swapped else (larger, smaller)
        return at(MINE, mine) | at(THEIRS, theirs)
