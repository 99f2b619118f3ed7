"""Flip for two against a recursion over sets of markers, in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

from perfectplay import solve
from perfectplay.games.dice.flip import FlipForTwo


@pytest.mark.parametrize("skip", [False, True])
def test_flip_for_two_is_worth_what_a_recursion_over_sets_says(skip: bool) -> None:
    @cache
    def rolling(up: frozenset[int]) -> Fraction:
        """How likely who rolls is to win. A turn that is lost leads back: x = a + b (1 - x)."""
        won = lost = Fraction(0)
        for one, two in product(range(1, 7), repeat=2):
            sets = (set(s) for k in range(1, len(up) + 1) for s in combinations(sorted(up), k))
            fit = [chosen for chosen in sets if sum(chosen) == one + two]
            if fit:
                won += max(1 - rolling(up - chosen) for chosen in fit) / 36
            elif skip:
                lost += Fraction(1, 36)
        return (won + lost) / (1 + lost) if up else Fraction(0)

    solution = solve(FlipForTwo(5, skip=skip), exact=True, plain=True)
    assert solution.values(solution.start)[0].exact == rolling(frozenset(range(1, 6)))
