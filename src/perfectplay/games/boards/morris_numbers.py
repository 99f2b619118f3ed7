"""Numbers of morris positions in which all men are placed (see `Indexed`).

There is a stratum for each pair of numbers of men. Its positions are numbered by the men of the
player who has more, up to symmetry, then by those of the other on the points that are left. If the
player to move has fewer, all that comes after the positions in which they have more. A player with
two men has lost: the other player has just closed a mill.
"""

from collections.abc import Iterator

from perfectplay.games.bits import count
from perfectplay.rules.number_capabilities import Indexed
from perfectplay.rules.packing import at, fields, get
from perfectplay.rules.set_pairs import SetPairs

POINTS = 24
MINE, THEIRS, MY_HAND, THEIR_HAND = fields(POINTS, POINTS, 4, 4)
MORE, TOTAL = fields(5, 6)
"""The fields of a stratum, where men are placed: men of the player who has more, and of both."""
FEWEST = 3
"""Whoever has fewer men has lost."""


class MorrisNumbers(SetPairs, Indexed):
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

    @property
    def pair_points(self) -> int:  # type: ignore[override]
        return 8 * self.rings

    @property
    def pair_most(self) -> int:  # type: ignore[override]
        return self.more

    def pair_symmetries(self) -> list[list[int]]:
        where = [
            [8 * (self.rings - 1 - r if out else r) + (2 * turn + step * i) % 8
             for r in range(self.rings) for i in range(8)]
            for out in (False, True) for step in (1, -1) for turn in range(4)
        ]  # fmt: skip
        return where if self.symmetry else where[:1]

    def size(self, stratum: int) -> int:
        more = get(stratum, MORE)
        fewer = get(stratum, TOTAL) - more
        return self.pairs(more, fewer) if fewer < FEWEST else self.sides(more, fewer)

    def rank(self, p: int) -> int:
        mine, theirs = get(p, MINE), get(p, THEIRS)
        m, t = count(mine), count(theirs)
        if m >= FEWEST and t >= FEWEST:
            return self.rank_sides(mine, theirs)
        if m > t or not self.has_mill(theirs):
            return -1  # play ended when a mill was closed
        return self.rank_pair(theirs, mine, t, m)

    def unrank(self, stratum: int, i: int) -> int:
        more = get(stratum, MORE)
        fewer = get(stratum, TOTAL) - more
        if fewer < FEWEST:
            theirs, mine = self.nth_pair(more, fewer, i)
        else:
            mine, theirs = self.nth_sides(more, fewer, i)
        return at(MINE, mine) | at(THEIRS, theirs)
