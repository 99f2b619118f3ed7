"""But Who's Counting against plain recursion over numbers that are built digit by digit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from perfectplay import CHANCE, solve
from perfectplay.games.decisions.but_whos_counting import ButWhosCounting


def twin(places: int, digits: int, *, distinct: bool, choose: Callable[..., Fraction]) -> Fraction:
    """The value, from whole numbers: a position is what stands in each place, or None."""

    @cache
    def worth(number: tuple[int | None, ...]) -> Fraction:
        if None not in number:
            total = 0
            for digit in number:
                total = total * digits + (digit or 0)
            return Fraction(total)
        drawn = [d for d in range(digits) if not (distinct and d in number)]
        values = []
        for digit in drawn:
            placed = (
                worth((*number[:i], digit, *number[i + 1 :]))
                for i in range(places)
                if number[i] is None
            )
            values.append(choose(placed))
        return sum(values, Fraction(0)) / len(values)

    return worth((None,) * places)


@pytest.mark.parametrize(("places", "digits"), [(1, 7), (2, 10), (3, 4), (4, 3), (5, 2)])
def test_with_repetition(places: int, digits: int) -> None:
    solution = solve(ButWhosCounting(places, digits), plain=True, exact=True)
    expected = twin(places, digits, distinct=False, choose=max)
    assert solution.value(solution.start).exact == expected


@pytest.mark.parametrize(("places", "digits"), [(2, 2), (3, 5), (4, 4)])
def test_distinct_and_least(places: int, digits: int) -> None:
    for least in (False, True):
        game = ButWhosCounting(places, digits, distinct=True, least=least)
        solution = solve(game, plain=True, exact=True)
        expected = twin(places, digits, distinct=True, choose=min if least else max)
        assert solution.value(solution.start).exact == expected


def test_expected_digit_of_each_place() -> None:
    solution = solve(ButWhosCounting(), plain=True, exact=True)
    game = solution.game

    @cache
    def digits(p: Any) -> tuple[Fraction, ...]:
        """The expected digit in each empty place, first place first."""
        if game.to_move(p) == CHANCE:
            after = [digits(q) for _, q in game.chances(p)]
            return tuple(sum(column) / Fraction(10) for column in zip(*after, strict=True))
        if not list(game.moves(p)):
            return (Fraction(0),) * 5
        best = solution.moves(p)[0]
        place, digit = int(best.text.split()[1]), int(game.text(p).split()[-1])
        rest = list(digits(game.play(p, 5 - place)))
        rest[place - 1] += digit
        return tuple(rest)

    expected = [14481, 11691, 9000, 6309, 3519]
    assert list(digits(solution.start)) == [Fraction(n, 2000) for n in expected]
