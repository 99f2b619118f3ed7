"""Red and green balls: recurrence, closed form, and the game of whole coins."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from perfectplay import solve
from perfectplay.games.decisions.redgreen import RedGreen


def test_worth_is_the_closed_form() -> None:
    for m in range(15):
        for n in range(15):
            ways = sum(comb(m + n, i) for i in range(n + 1))
            assert RedGreen.worth(m, n) == Fraction(2 ** (m + n), ways), (m, n)
    assert {RedGreen.worth(n + 1, n) for n in range(15)} == {2}
    assert [RedGreen.worth(n, n) for n in (1, 2, 3)] == [
        Fraction(4, 3),
        Fraction(16, 11),
        Fraction(32, 21),
    ]


def test_best_bets() -> None:
    bets = {(1, 1): "1/3", (2, 1): "1/2", (2, 2): "3/11", (3, 2): "3/8", (4, 0): "1", (0, 4): "0"}
    for (m, n), bet in bets.items():
        assert RedGreen.best_bet(m, n) == Fraction(bet)


def test_no_other_bet_is_better() -> None:
    for m in range(1, 6):
        for n in range(1, 6):
            if_red, if_green = RedGreen.worth(m, n - 1), RedGreen.worth(m - 1, n)
            for k in range(101):
                x = Fraction(k, 100)
                assert min((1 - x) * if_red, (1 + x) * if_green) <= RedGreen.worth(m, n)


@cache
def final(green: int, red: int, coins: int) -> int:
    """What the gambler ends with, with whole coins."""
    if green + red == 0:
        return coins
    return max(
        min(
            [final(green - 1, red, coins + bet)] * (green > 0)
            + [final(green, red - 1, coins - bet)] * (red > 0)
        )
        for bet in range(coins + 1)
    )


@pytest.mark.parametrize("balls", [(1, 1), (2, 1), (2, 2), (3, 1), (0, 2), (2, 0), (1, 3)])
@pytest.mark.parametrize("coins", [0, 1, 7])
def test_whole_coins(balls: tuple[int, int], coins: int) -> None:
    game = RedGreen(*balls, coins)
    solution = solve(game)
    found = solution.value(solution.start).exact
    assert found == final(*balls, game.purse())
    assert found <= game.purse() * RedGreen.worth(*balls)
    if coins == 0:
        assert found == game.purse() * RedGreen.worth(*balls) == 2 ** sum(balls)


def test_a_bet_that_cannot_be_made_is_refused() -> None:
    for words in ("2 green, 1 red, 4 coins, bet 5", "0 green, 0 red, 4 coins, bet 1"):
        with pytest.raises(ValueError, match="no such bet"):
            RedGreen().parse(words)
    with pytest.raises(ValueError, match="never so many"):
        RedGreen().parse("3 green, 1 red, 4 coins")


@pytest.mark.parametrize(("green", "red"), [(1, 1), (2, 1), (2, 2), (1, 3), (0, 2), (2, 0)])
def test_in_units_the_value_is_what_one_unit_becomes(green: int, red: int) -> None:
    solution = solve(RedGreen(green, red, units=True), exact=True, plain=True)
    worth = solution.value(solution.start).exact
    assert worth == RedGreen.worth(green, red)
    bets = [m.text for m in solution.moves(solution.start) if m.value.exact == worth]
    assert red == 0 or green == 0 or f"bet {RedGreen.best_bet(green, red)}" in bets
