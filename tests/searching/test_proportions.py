"""Binomial intervals: against tails in exact fractions, and what is left open."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from perfectplay.searching.proportions import share


def tail(least: int, many: int, p: Fraction) -> Fraction:
    """The chance of so many or more."""
    return sum((comb(many, k) * p**k * (1 - p) ** (many - k) for k in range(least, many + 1)),
               Fraction(0))  # fmt: skip


@pytest.mark.parametrize(("found", "many"), [(0, 10), (10, 10), (3, 10), (81, 100), (1, 300)])
def test_ends_are_where_tails_are_a_fortieth(found: int, many: int) -> None:
    low, high = share(found, 0, many)
    doubt, near = Fraction(1, 40), Fraction(1, 10**7)
    assert 0 <= low <= found / many <= high <= 1
    if found:
        assert abs(tail(found, many, Fraction(low)) - doubt) < near
    if found < many:
        assert abs(1 - tail(found + 1, many, Fraction(high)) - doubt) < near


def test_what_is_open_widens_the_interval_to_both_sides_of_what_it_may_be() -> None:
    assert share(80, 10, 100) == (share(80, 0, 100)[0], share(90, 0, 100)[1])
    assert share(0, 5, 5) == (0.0, 1.0)
