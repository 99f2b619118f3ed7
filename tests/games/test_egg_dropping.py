"""Egg dropping against the recurrence of the literature and a count of floors."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from perfectplay import solve
from perfectplay.games.decisions.egg_dropping import EggDropping


@cache
def worst(eggs: int, floors: int) -> float:
    """The least number of drops that is enough whatever happens."""
    if floors == 0 or eggs == 0:
        return 0 if floors == 0 else float("inf")
    return 1 + min(
        max(worst(eggs - 1, x - 1), worst(eggs, floors - x)) for x in range(1, floors + 1)
    )


@cache
def mean(eggs: int, floors: int) -> Fraction | float:
    """The least expected number of drops, if all floors + 1 answers are equally likely."""
    if floors == 0 or eggs == 0:
        return Fraction(0) if floors == 0 else float("inf")
    best: Fraction | float = float("inf")
    for x in range(1, floors + 1):
        broken, whole = mean(eggs - 1, x - 1), mean(eggs, floors - x)
        if float("inf") not in (broken, whole):
            best = min(best, 1 + (x * broken + (floors + 1 - x) * whole) / (floors + 1))
    return best


@pytest.mark.parametrize("eggs", [1, 2, 3, 5])
def test_worst_case(eggs: int) -> None:
    solution = solve(EggDropping(eggs, 30), plain=True)
    for floors in range(31):
        p = solution.position(f"eggs {eggs}, floors {floors}")
        assert solution.value(p).exact == -worst(eggs, floors)


@pytest.mark.parametrize("eggs", [1, 2, 3])
def test_mean(eggs: int) -> None:
    for floors in (1, 2, 7, 20):
        solution = solve(EggDropping(eggs, floors, mean=True), plain=True, exact=True)
        assert solution.value(solution.start).exact == mean(eggs, floors)


def test_drops_are_enough_for_a_sum_of_binomials() -> None:
    solution = solve(EggDropping(3, 64), plain=True)
    for drops in range(1, 8):
        most = sum(comb(drops, i) for i in (1, 2, 3))
        for floors, needed in ((most, drops), (most + 1, drops + 1)):
            if floors <= 64:
                p = solution.position(f"eggs 3, floors {floors}")
                assert solution.value(p).exact == -needed
