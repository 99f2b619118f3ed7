"""Morris against a twin on sets of points, and the boards of the well-known games."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import pytest

from perfectplay import UsageError, solve
from perfectplay.games.boards.morris import BOARDS, MILLS, NEAR, Morris
from perfectplay.solving.plan import plan


class Place(NamedTuple):
    mine: frozenset[int]
    theirs: frozenset[int]
    hand: int
    other_hand: int


SIDES = [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}, {6, 7, 0}]
EVERY = [{8 * ring + i for i in side} for ring in range(2) for side in SIDES]
"""The mills of two rings: those of one come first."""


def milled(men: frozenset[int], point: int) -> bool:
    return any(side <= men and point in side for side in EVERY)


def joined(a: int, b: int) -> bool:
    """Whether a line joins two points."""
    if a // 8 == b // 8:
        return (a - b) % 8 in (1, 7)
    return a % 8 == b % 8 and a % 2 == 1 and abs(a - b) == 8


def follow(game: Morris, place: Place) -> list[Place]:
    """What may follow on a board of one ring or two."""
    mine, theirs, hand, other_hand = place
    if len(mine) + hand < 3:
        return []
    free = frozenset(range(8 * game.rings)) - mine - theirs
    if hand:
        after = [(mine | {to}, to) for to in free]
    else:
        fly = game.flying and len(mine) == 3
        after = [
            (mine - {man} | {to}, to) for man in mine for to in free if fly or joined(man, to)
        ]
    found = []
    for men, to in after:
        prey: list[int | None] = [None]
        if milled(men, to) and theirs:
            loose = [man for man in theirs if not milled(theirs, man)]
            prey = list(loose if loose and game.safe else theirs)
        found += [Place(theirs - {x}, men, other_hand, max(0, hand - 1)) for x in prey]
    return found


def firsts(game: Morris) -> list[Place]:
    """Where play begins."""
    if not game.placed:
        return [Place(frozenset(), frozenset(), game.men, game.men)]
    more, fewer = game.placed
    found = []
    for a, b in ((a, b) for a in range(3, more + 1) for b in range(3, more + 1)):
        if min(a, b) <= fewer:
            for mine in map(frozenset, combinations(range(8 * game.rings), a)):
                rest = sorted(set(range(8 * game.rings)) - mine)
                found += [Place(mine, frozenset(c), 0, 0) for c in combinations(rest, b)]
    return found


def outcomes(game: Morris) -> dict[Place, tuple[int, int]]:
    """Outcome and depth of every position: decided ones first, round by round."""
    graph, waiting = {}, firsts(game)
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
        Morris(1, 3, symmetry=False, placed=(3, 3)),
        Morris(1, 4, symmetry=False, flying=True, placed=(4, 3)),
        Morris(1, 4, placed=(3, 4)),
        Morris(1, 4, flying=True, placed=(4, 4)),
    ],
    ids=repr,
)
def test_every_position_of_one_ring(game: Morris) -> None:
    compare(game)


@pytest.mark.slow
def test_every_placement_of_three_men_each_on_two_rings() -> None:
    compare(Morris(2, placed=(3, 3)))


def compare(game: Morris) -> None:
    """Assert that every position has the outcome and depth that the twin finds."""
    solution = solve(game)
    expected = outcomes(game)
    if game.placed:  # on small boards not all that are lost with two men arise
        assert solution.report["positions"] >= len(expected) or game.symmetry
    elif not game.symmetry:
        assert solution.report["positions"] == len(expected)
    if not game.symmetry:
        assert not game.placed or game.most_positions >= len(expected)
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


# -- All placements. ------------------------------------------------------------------------------


def turned(rings: int) -> list[list[int]]:
    """The 16 symmetries of a board, each as where its points go."""
    found = []
    for corner in range(4):
        for way in (1, -1):
            for inside in (False, True):
                found.append(
                    [
                        8 * (rings - 1 - point // 8 if inside else point // 8)
                        + (way * point + 2 * corner) % 8
                        for point in range(8 * rings)
                    ]
                )
    return found


def classes(rings: int, places: set[tuple[frozenset[int], frozenset[int]]]) -> int:
    """How many of these placements differ by more than symmetry."""
    symmetries, count = turned(rings), 0
    left = set(places)
    while left:
        mine, theirs = next(iter(left))
        left -= {
            (frozenset(to[i] for i in mine), frozenset(to[i] for i in theirs)) for to in symmetries
        }
        count += 1
    return count


def two_left(rings: int, mills: set[int]) -> set[tuple[frozenset[int], frozenset[int]]]:
    """What is lost: three men of the other in a mill, and two of the player to move."""
    found = set()
    for mill in mills:
        theirs = frozenset(i for i in range(8 * rings) if mill >> i & 1)
        rest = sorted(set(range(8 * rings)) - theirs)
        found |= {(frozenset(pair), theirs) for pair in combinations(rest, 2)}
    return found


@pytest.mark.slow
def test_all_placements_of_three_men_each_on_two_rings() -> None:
    game = Morris(2, placed=(3, 3))
    places = {(place.mine, place.theirs) for place in firsts(game)}
    assert len(places) == comb(16, 3) * comb(13, 3)
    lost = two_left(2, {int(mill) for mill in MILLS[1].flat if mill})
    expected = classes(2, places) + classes(2, lost)
    for flying in (False, True):
        found = solve(Morris(2, flying=flying, placed=(3, 3)))
        assert found.report["positions"] == expected


def test_all_placements_of_three_men_each_on_the_board_of_nine() -> None:
    """169,626 placements differ by more than the 16 symmetries (Burnside's lemma)."""
    lost = classes(3, two_left(3, {int(mill) for mill in MILLS[2].flat if mill}))
    found = solve(Morris(3, 9, placed=(3, 3)))
    assert found.report["positions"] == 169_626 + lost


def test_placements_are_numbered_as_by_gasser() -> None:
    """His index has the class of the larger set of men, and the others on the points left: its
    size for all endgames of nine men each is printed in Gasser 1996."""
    game = Morris(3, 9, flying=True, placed=(9, 9))
    lost = sum(game.ways(a) * comb(24 - a, 2) for a in range(3, 10))  # with two men
    assert game.most_positions == 9_074_932_579 + lost
    small = Morris(2, placed=(3, 3))
    assert len(list(small.starts())) == small.ways(3) * comb(13, 3)


def test_first_positions_are_the_placements_asked_for() -> None:
    game = Morris(1, 4, symmetry=False, placed=(4, 3))
    first = list(game.starts())
    places = {
        game.packed(sum(1 << i for i in place.mine), sum(1 << i for i in place.theirs), 0, 0)
        for place in firsts(game)
    }
    assert len(first) == len(set(first)) == len(places)
    assert set(first) == places
    assert game.placed == Morris(1, 4, symmetry=False, placed=(3, 4)).placed
    assert list(Morris().starts()) == [Morris().packed(0, 0, 6, 6)]
    assert plan(game, seconds=0.1).positions <= (game.most_positions or 0)


@pytest.mark.parametrize("placed", [(3,), (2, 3), (7, 3), (3, 3, 3)])
def test_numbers_of_men_that_make_no_endgame_are_refused(placed: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="no endgame") as caught:
        Morris(placed=placed)
    assert "placed=4,3" in caught.value.hint
