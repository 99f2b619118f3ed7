"""Pig Mania against a plain iteration of values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from perfectplay import solve
from perfectplay.games.dice.pig_mania import SCORES, PigMania

POSES = ("right", "left", "razorback", "trotter", "snouter", "jowler")
SINGLE = {"right": 0, "left": 0, "razorback": 5, "trotter": 5, "snouter": 10, "jowler": 15}
DOUBLE = {"right": 1, "left": 1, "razorback": 20, "trotter": 20, "snouter": 40, "jowler": 60}


def throws(game: PigMania) -> dict[int, Fraction]:
    """How likely each number of points is; 0 is a pig out."""
    often = dict(zip(POSES, game.frequencies, strict=True))
    found: Counter[int] = Counter()
    for one, other in product(POSES, repeat=2):
        brings = DOUBLE[one] if one == other else SINGLE[one] + SINGLE[other]
        found[brings] += often[one] * often[other]
    total = sum(found.values())
    return {points: Fraction(ways, total) for points, ways in found.items() if ways}


def first_wins(game: PigMania) -> float:
    """The chance of the first of two players, iterated until it stands still."""
    chances = {points: float(chance) for points, chance in throws(game).items()}
    goal = game.goal
    wins = {(i, j, k): 0.5 for i in range(goal) for j in range(goal) for k in range(goal - i)}

    def worth(i: int, j: int, k: int) -> float:
        if i + k >= goal:
            return 1.0
        throw = sum(
            chance * (1 - wins[j, i, 0] if points == 0 else known(i, j, k + points))
            for points, chance in chances.items()
        )
        return max(throw, 1 - wins[j, i + k, 0]) if k else throw

    def known(i: int, j: int, k: int) -> float:
        return 1.0 if i + k >= goal else wins[i, j, k]

    for total in range(2 * goal - 2, -1, -1):
        here = sorted(((i, j, k) for i, j, k in wins if i + j == total), key=lambda p: -p[2])
        change = 1.0
        while change > 1e-15:
            change = 0.0
            for p in here:
                new = worth(*p)
                change = max(change, abs(new - wins[p]))
                wins[p] = new
    return wins[0, 0, 0]


@pytest.mark.parametrize(
    "game", [PigMania(7), PigMania(12), PigMania(11, frequencies=(3, 2, 0, 1, 2, 0))], ids=repr
)
def test_pig_mania_is_the_iteration(game: PigMania) -> None:
    solution = solve(game)
    assert abs(float(solution.value(solution.start)) - first_wins(game)) < 1e-12


def test_points_of_all_throws() -> None:
    game = PigMania()
    chances = throws(game)
    assert {0, *SCORES} == set(chances)
    assert [Fraction(n, sum(game.ways)) for n in game.ways] == [chances[s] for s in (*SCORES, 0)]
    assert round(float(chances[0]), 6) == 0.211176
