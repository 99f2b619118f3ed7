"""Clock patience against packs that are dealt and played out, in all orders."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from perfectplay import solve
from perfectplay.games.cards.clock_patience import ClockPatience


def played_out(pack: tuple[int, ...], ranks: int, suits: int) -> int:
    """How many cards are turned up; rank 0 are the kings."""
    piles = [list(pack[suits * rank : suits * (rank + 1)]) for rank in range(ranks)]
    pile, turned = 0, 0
    while piles[pile]:
        pile = piles[pile].pop()
        turned += 1
    return turned


@pytest.mark.parametrize(("ranks", "suits"), [(1, 3), (2, 1), (2, 3), (3, 2), (5, 1), (4, 2)])
def test_equals_all_packs(ranks: int, suits: int) -> None:
    cards = tuple(rank for rank in range(ranks) for _ in range(suits))
    packs = set(permutations(cards))
    turned = [played_out(pack, ranks, suits) for pack in packs]
    won = Fraction(sum(t == ranks * suits for t in turned), len(packs))
    for game, expected in (
        (ClockPatience(ranks, suits), won),
        (ClockPatience(ranks, suits, cards=True), Fraction(sum(turned), len(packs))),
    ):
        solution = solve(game, plain=True, exact=True)
        assert solution.value(solution.start).exact == expected
    assert won == Fraction(1, ranks)
