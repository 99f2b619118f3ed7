"""Pig Mania (Pass the Pigs): Pig with two pigs for dice, which land in odd poses.

In their turn players throw two pigs at least once. One on its left side and one on its right is a
*pig out*: the turn ends and nothing is scored. Any other throw brings points, and they may throw
again or hold. Both on the same side count 1. Otherwise a pig on a side counts nothing, a
razorback (on its back) 5, a trotter (on its feet) 5, a snouter (on snout and feet) 10, a leaning
jowler (on snout, ear and a foot) 15, and two alike twice their sum: 20, 20, 40 and 60. The first
to reach `goal` wins, at once. Alone, a player wants to reach the goal in as few turns as possible
on average.

`frequencies` says how often a single pig lands on its right side, on its left, as razorback,
trotter, snouter and leaning jowler. The default is what was counted in thousands of throws. That
two pigs come to rest touching each other is rare and left out.

Check: a throw is a pig out with probability 0.211176. Of two players the first wins with
probability 0.532720379124.

With only the two sides, equally often, it is Piglet. Positions are those of Pig (`pig.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.errors import UsageError
from perfectplay.games.dice.pig import Jeopardy

POINTS = (0, 0, 5, 5, 10, 15)
"""What one pig counts: right side, left side, razorback, trotter, snouter, leaning jowler."""
POSES = len(POINTS)


def points(one: int, other: int) -> int:
    """What a throw brings; 0 is a pig out."""
    if max(one, other) <= 1:
        return 1 if one == other else 0
    both = POINTS[one] + POINTS[other]
    return 2 * both if one == other else both


SCORES = tuple(sorted({points(a, b) for a in range(POSES) for b in range(POSES)} - {0}))
"""What a throw can bring, if it is no pig out."""


@dataclass(frozen=True)
class PigMania(Jeopardy):
    """Pig with two pigs."""

    frequencies: tuple[int, ...] = (3490, 3020, 2240, 880, 300, 61)

    def __post_init__(self) -> None:
        often = self.frequencies
        if len(often) != POSES or min(often) < 0 or max(often) > 10**6 or sum(often) == 0:
            raise UsageError(
                f"no pigs with frequencies {often}",
                f"name {POSES} numbers from 0 to 1000000, not all of them 0",
            )
        super().__post_init__()

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """How often a throw brings each of SCORES, then how often it is a pig out."""
        often = self.frequencies
        count = dict.fromkeys((*SCORES, 0), 0)
        for one in range(POSES):
            for other in range(POSES):
                count[points(one, other)] += often[one] * often[other]
        return tuple(count.values())

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        short, enough = self.short(p), 0
        if self.ways[-1] > 0:
            yield self.ways[-1], self.passed(p)
        for i in range(len(SCORES)):
            if SCORES[i] >= short:
                enough += self.ways[i]
            elif self.ways[i] > 0:
                yield self.ways[i], self.added(p, SCORES[i])
        if enough > 0:
            yield enough, self.won(p)

    def move_text(self, p: int, m: int) -> str:
        return "throw" if m else "hold"
