"""Who Wants to Be a Millionaire against plain recursion."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from perfectplay import solve
from perfectplay.games.decisions.millionaire import Millionaire


def twin(game: Millionaire) -> Fraction:
    """The expected win under the best policy."""
    ladder = (0, *game.ladder)

    def weight(weights: tuple[int, ...], question: int) -> int:
        return weights[0] if len(weights) == 1 else weights[question]

    @cache
    def worth(done: int, lifelines: int) -> Fraction:
        values = [Fraction(ladder[done])]
        if done == len(game.ladder):
            return values[0]
        fallback = max([0] + [amount for amount in game.safe if amount <= ladder[done]])
        for used in range(min(lifelines, 1) + 1):
            right = weight(game.right, done) * game.odds**used
            wrong = weight(game.wrong, done)
            further = worth(done + 1, lifelines - used)
            values.append((right * further + wrong * fallback) / (right + wrong))
        return max(values)

    return worth(0, game.lifelines)


@pytest.mark.parametrize(
    "game",
    [
        Millionaire(),
        Millionaire(right=(3,), wrong=(2,), lifelines=3),
        Millionaire(right=(1,), wrong=(3,), lifelines=15, odds=5),
        Millionaire((10, 30, 70), (), (5, 3, 1), (1, 1, 1), lifelines=1),
        Millionaire((7,), (7,), (1,), (4,), lifelines=2, odds=9),
        Millionaire((1, 2, 4, 8, 16, 32), (2, 8), (2,), (9, 8, 7, 6, 5, 4), lifelines=2),
        Millionaire((5, 6), (5, 6), odds=1, lifelines=1),
    ],
    ids=repr,
)
def test_equals_recursion(game: Millionaire) -> None:
    solution = solve(game, plain=True, exact=True)
    assert solution.value(solution.start).exact == twin(game)


def test_a_lifeline_makes_a_guess_as_good_as_a_coin() -> None:
    solution = solve(Millionaire((1,), (), (1,), (3,), lifelines=1), plain=True, exact=True)
    assert solution.value(solution.start).exact == Fraction(1, 2)
