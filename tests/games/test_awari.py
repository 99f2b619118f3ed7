"""Awari against a twin that sows on a ring of numbers, and the published counts of placements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perfectplay import solve
from perfectplay.answer.solution import Solution
from perfectplay.games.boards.awari import Awari

Ring = tuple[int, ...]


def placements(pits: int, seeds: int) -> Iterator[Ring]:
    if pits == 1:
        yield (seeds,)
    else:
        for first in range(seeds + 1):
            for rest in placements(pits - 1, seeds - first):
                yield (first, *rest)


def results(game: Awari, ring: Ring) -> list[tuple[int, Ring]]:
    """What each legal move captures, and the ring that the other player then sees."""
    n = game.pits
    found = []
    for pit in range(n):
        if not ring[pit]:
            continue
        after = list(ring)
        hand, after[pit] = after[pit], 0
        order = [i % (2 * n) for i in range(pit + 1, pit + 200)]
        for place in [i for i in order if i != pit or not game.skip][:hand]:
            after[place] += 1
            last = place
        taken = []
        while last >= n and after[last] in game.captures:
            taken.append(last)
            last -= 1
            if not game.chain:
                break
        spared = sum(after[n:]) == sum(after[i] for i in taken) and game.slam == "nothing"
        captured = 0
        for i in [] if spared else taken:
            captured += after[i]
            after[i] = 0
        found.append((captured, (*after[n:], *after[:n])))
    feeding = [each for each in found if any(each[1][:n])]
    must = game.starve == "forbidden" or (game.starve == "feed" and not any(ring[n:]))
    return feeding if must and feeding else found


def worths(game: Awari) -> dict[Ring, int]:
    """The value of every placement: play is stopped, as if divided, after ever more moves."""
    worth: dict[Ring, int] = {}
    for seeds in range(game.seeds + 1):
        moves = {ring: results(game, ring) for ring in placements(2 * game.pits, seeds)}
        now = dict.fromkeys(moves, 0)
        while True:
            known = worth | now
            after = {
                ring: max((got - known[to] for got, to in some), default=-seeds)
                for ring, some in moves.items()
            }
            if after == now:
                break
            now = after
        worth |= now
    return worth


def found(game: Awari, solution: Solution) -> dict[Ring, int]:
    table = solution.to_arrow()
    keys = table.column("key_0").to_pylist()
    texts = [game.text(p).replace("|", "").split() for p in keys]
    return {
        tuple(map(int, text)): int(solution.value(p).lower)
        for text, p in zip(texts, keys, strict=True)
    }


@pytest.mark.parametrize(
    "game",
    [
        Awari(6, 3),
        pytest.param(Awari(2, 9), marks=pytest.mark.slow),
        Awari(1, 30, captures=(2, 4)),
        Awari(2, 9, skip=False, slam="nothing", starve="feed"),
        Awari(2, 8, chain=False, slam="nothing", starve="feed"),
        Awari(3, 5, captures=(1, 2), starve="allowed"),
        Awari(3, 5, captures=(1, 3), skip=False, starve="allowed"),
    ],
    ids=repr,
)
def test_every_placement(game: Awari) -> None:
    assert found(game, solve(game)) == worths(game)


def test_published_counts() -> None:
    """Won, drawn and lost placements of n seeds: recomputed by another program."""
    game = Awari()
    worth = found(game, solve(game))
    expected = {
        1: (5, 0, 7),
        2: (25, 13, 40),
        3: (123, 63, 178),
        4: (580, 143, 642),
        5: (2165, 0, 2203),
        6: (5698, 1548, 5130),
    }
    for seeds, counts in expected.items():
        some = [value for ring, value in worth.items() if sum(ring) == seeds]
        assert (
            sum(value > 0 for value in some),
            some.count(0),
            sum(value < 0 for value in some),
        ) == counts


def test_one_placement_alone() -> None:
    every = found(Awari(seeds=5), solve(Awari(seeds=5)))
    game = Awari(seeds=5, placement=(0, 0, 1, 0, 0, 2, 1, 0, 1, 0, 0, 0))
    some = found(game, solve(game))
    assert len(some) < len(every)
    assert some.items() <= every.items()
