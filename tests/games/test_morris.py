"""Morris against a twin on sets of points, and the boards of the well-known games."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from perfectplay import solve
from perfectplay.games.boards.morris import BOARDS, MILLS, NEAR, Morris


class Place(NamedTuple):
    mine: frozenset[int]
    theirs: frozenset[int]
    hand: int
    other_hand: int


SIDES = [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}, {6, 7, 0}]


def milled(men: frozenset[int], point: int) -> bool:
    return any(side <= men and point in side for side in SIDES)


def follow(game: Morris, place: Place) -> list[Place]:
    """What may follow on a board of one ring."""
    mine, theirs, hand, other_hand = place
    if len(mine) + hand < 3:
        return []
    free = frozenset(range(8)) - mine - theirs
    if hand:
        after = [(mine | {to}, to) for to in free]
    else:
        fly = game.flying and len(mine) == 3
        after = [
            (mine - {man} | {to}, to)
            for man in mine
            for to in free
            if fly or (to - man) % 8 in (1, 7)
        ]
    found = []
    for men, to in after:
        prey: list[int | None] = [None]
        if milled(men, to) and theirs:
            loose = [man for man in theirs if not milled(theirs, man)]
            prey = list(loose if loose and game.safe else theirs)
        found += [Place(theirs - {x}, men, other_hand, max(0, hand - 1)) for x in prey]
    return found


def outcomes(game: Morris) -> dict[Place, tuple[int, int]]:
    """Outcome and depth of every position: decided ones first, round by round."""
    start = Place(frozenset(), frozenset(), game.men, game.men)
    graph, waiting = {}, [start]
    while waiting:
        place = waiting.pop()
        if place not in graph:
            graph[place] = set(follow(game, place))
            waiting += graph[place]
    decided: dict[Place, tuple[int, int]] = {}
    for depth in range(len(graph)):
        new = {}
        for place, after in graph.items():
            if place in decided:
                continue
            results = [decided[each][0] if each in decided else 0 for each in after]
            if -1 in results:
                new[place] = (1, depth)
            elif all(result == 1 for result in results):
                new[place] = (-1, depth)
        if not new and depth > 0:
            break
        decided |= new
    return {place: decided.get(place, (0, 0)) for place in graph}


@pytest.mark.parametrize(
    "game",
    [
        Morris(1, 3, symmetry=False),
        Morris(1, 4, symmetry=False),
        Morris(1, 4, flying=True),
        Morris(1, 3, flying=True, symmetry=False),
        Morris(1, 4, safe=False),
    ],
    ids=repr,
)
def test_every_position_of_one_ring(game: Morris) -> None:
    solution = solve(game)
    expected = outcomes(game)
    if not game.symmetry:
        assert solution.report["positions"] == len(expected)
    for place, (outcome, depth) in expected.items():
        mine, theirs = (sum(1 << i for i in men) for men in place[:2])
        value = solution.value(game.packed(mine, theirs, place.hand, place.other_hand))
        assert (value.outcome, value.depth or 0) == (outcome, depth), place


def test_boards() -> None:
    for (rings, diagonals), near, mills in zip(BOARDS, NEAR, MILLS, strict=True):
        n = 8 * rings
        lines = sum(int(each).bit_count() for each in near[:n]) // 2
        assert lines == 8 * rings + (rings - 1) * (8 if diagonals else 4)
        assert all(near[i] >> j & 1 == near[j] >> i & 1 for i in range(n) for j in range(n))
        several = {int(mill) for mill in mills[:n].flat if mill}
        assert all(mill.bit_count() == 3 for mill in several)
        assert len(several) == 4 * rings + (rings == 3) * (8 if diagonals else 4)
