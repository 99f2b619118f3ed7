"""Growth: a number in the positions of a game that grows with every move, so that none repeats."""

import random
from itertools import pairwise
from typing import Any

from perfectplay.positions.examine import WHOLE, ExaminedEdge, examine
from perfectplay.rules.game import Game, first_positions

PLIES = 400
"""Plies of a play that is kept going as long as it can be."""
PLAYS = 3
TRIES = 4
"""Children that are tried for one from which play goes on."""


def growing(game: Game) -> str:
    """Which number of the positions grows without an end in sight, in a sentence; "" if plays end,
    if positions repeat, or if no number only grows. Raises what the rules raise."""
    dice = random.Random(0)
    steps: list[tuple[int, ...]] = []
    longest: list[Any] = []
    for _ in range(PLAYS):
        path = _kept_going(game, dice)
        if len(path) <= PLIES or len(set(path)) < len(path):
            return ""  # plays end, or come back
        numbers = [_numbers(p) for p in path]
        if not numbers[0] or len({len(each) for each in numbers}) > 1:
            return ""
        longest = numbers
        for here, there in pairwise(numbers):
            steps.append(tuple(b - a for a, b in zip(here, there, strict=True)))
    return _sentence(steps, longest[-1], tuple_=isinstance(path[0], tuple))


def _kept_going(game: Game, dice: random.Random) -> list[Any]:
    """The positions of a play that ends only where the tries to go on fail."""
    p = next(first_positions(game))
    path, edges = [p], examine(game, p)
    while edges and len(path) <= PLIES:
        p, edges = _next(game, edges, dice)
        path.append(p)
    return path


def _next(
    game: Game, edges: list[ExaminedEdge], dice: random.Random
) -> tuple[Any, list[ExaminedEdge]]:
    for _ in range(TRIES):
        q = dice.choice(edges).child
        following = examine(game, q)
        if following:
            break
    return q, following


def _numbers(p: Any) -> tuple[int, ...]:
    """The entries of a position as numbers, 0 for what is none."""
    words = p if isinstance(p, tuple) else (p,)
    return tuple(int(x) if isinstance(x, WHOLE) else 0 for x in words)


def _sentence(steps: list[tuple[int, ...]], last: tuple[int, ...], *, tuple_: bool) -> str:
    for i, column in enumerate(zip(*steps, strict=True)):
        what = f"entry {i} of the positions" if tuple_ else "the position"
        least, most = min(column), max(column)
        if least > 0 or most < 0:
            by = f" by {abs(least)}" if least == most else ""
            way = "grows" if least > 0 else "falls"
            return f"{what} {way}{by} at every move: positions never repeat"
        if least == 0 and most > 0:
            return (
                f"{what} never falls, and was {last[i]:,} after {PLIES:,} moves: "
                "positions never repeat"
            )
    return ""
