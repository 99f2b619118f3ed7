"""Values by nothing but the definitions: a game is a pair of tuples of games, and who wins is
tried out. Slow and obvious; shares nothing with perfectplay.sums."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations
from typing import Any

Tree = tuple[tuple[Any, ...], tuple[Any, ...]]
ZERO: Tree = ((), ())


@cache
def at_most(g: Tree, h: Tree) -> bool:
    """g <= h: no left option of g is at least h, no right option of h at most g."""
    return not any(at_most(h, x) for x in g[0]) and not any(at_most(x, g) for x in h[1])


def wins(parts: tuple[Tree, ...], player: int) -> bool:
    """Whether the player to move wins the sum of all parts, by trying every move."""
    return _wins(tuple(sorted(parts)), player)


@cache
def _wins(parts: tuple[Tree, ...], player: int) -> bool:
    for i, part in enumerate(parts):
        for option in part[player]:
            if not wins((*parts[:i], option, *parts[i + 1 :]), 1 - player):
                return True
    return False


def outcome(*parts: Tree) -> str:
    """The outcome class of a sum."""
    left, right = wins(parts, 0), wins(parts, 1)
    return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[
        left, right
    ]


@cache
def negative(g: Tree) -> Tree:
    return tuple(map(negative, g[1])), tuple(map(negative, g[0]))


def random_tree(rng: random.Random, depth: int, most: int = 2) -> Tree:
    """A random game that lasts at most `depth` moves."""
    if depth == 0:
        return ZERO
    sides = [
        tuple(random_tree(rng, rng.randrange(depth), most) for _ in range(rng.randint(0, most)))
        for _ in range(2)
    ]
    return sides[0], sides[1]


def born_by(day: int) -> list[Tree]:
    """All games born by a day, not only canonical ones, without repeated options."""
    games = [ZERO]
    for _ in range(day):
        sides = [tuple(s) for n in range(len(games) + 1) for s in combinations(games, n)]
        games = [(left, right) for left in sides for right in sides]
    return games
