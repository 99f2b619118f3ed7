"""Gains: which moves in a sum are best, by what they change in their own part.

A move from h to g gains g - h. It is at least as good as a move from y to x, whatever stands
beside them, if and only if g - h - (x - y) >= 0. None of these differences is written down: the
canonical form of a difference may take thousands of times as long as those of both values. Two
moves from the same value are compared directly; otherwise compound.py decides who wins the sum of
all four."""

from collections.abc import Iterable

from perfectplay.errors import TooLargeError
from perfectplay.sums.canonical_form import Short, at_most
from perfectplay.sums.compound import Compound
from perfectplay.sums.depth import deep
from perfectplay.sums.options import best
from perfectplay.sums.partizan import LEFT, RIGHT

Step = tuple[Short, Short]
"""A move: the value of its part before and after it."""
MOST_COMPARED = 200
"""Moves that are compared with one another, at most."""


def best_steps(steps: Iterable[Step], player: int) -> set[Step]:
    """The moves whose gain to a player no other move exceeds; none if there are too many to
    compare, or it stays open which of two is better."""
    after: dict[Short, list[Short]] = {}
    for before, value in dict.fromkeys(steps):
        after.setdefault(before, []).append(value)
    kept = [
        (before, value)
        for before, values in after.items()
        for value in deep(best, values, at_most if player == LEFT else _at_least)
    ]
    if len(after) < 2:
        return {*kept}
    if len(kept) > MOST_COMPARED:
        return set()
    try:
        return {
            step
            for step in kept
            if not any(
                _gains_as_much(other, step, player) and not _gains_as_much(step, other, player)
                for other in kept
                if other[0] is not step[0]
            )
        }
    except TooLargeError:
        return set()


def _at_least(g: Short, h: Short) -> bool:
    return at_most(h, g)


def _gains_as_much(step: Step, other: Step, player: int) -> bool:
    """Whether a move gains as much as another, in every sum: who begins loses the difference,
    unless it is this player."""
    difference = Compound([step[1], -step[0], -other[1], other[0]])
    return not difference.wins(RIGHT if player == LEFT else LEFT)
