"""The Weakest Link against plain recursion, and against the long-run figures."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from perfectplay import solve
from perfectplay.games.decisions.weakest_link import WeakestLink


def twin(game: WeakestLink) -> Fraction:
    """The expected bank under the best policy."""
    chance = Fraction(game.right, game.right + game.wrong)
    limit = game.cap or 10**9

    @cache
    def worth(bank: int, chain: int, left: int) -> Fraction:
        if bank >= limit:
            return Fraction(limit)
        amount = game.chain[chain - 1] if chain else 0
        if left == 0:
            return Fraction(min(limit, bank + amount) if game.final else bank)
        values = []
        for kept, steps in {(bank, chain), (min(limit, bank + amount), 0)}:
            if kept >= limit:
                values.append(Fraction(limit))
                continue
            up = min(steps + 1, len(game.chain))
            right, wrong = worth(kept, up, left - 1), worth(kept, 0, left - 1)
            values.append(chance * right + (1 - chance) * wrong)
        return max(values)

    return worth(0, 0, game.questions)


@pytest.mark.parametrize(
    "game",
    [
        WeakestLink(questions=8, right=7, wrong=3),
        WeakestLink(questions=12, right=9, wrong=1, cap=900),
        WeakestLink((1, 3, 7), questions=9, cap=10, right=3, wrong=2),
        WeakestLink((1, 3, 7), questions=9, cap=10, right=3, wrong=2, final=True),
        WeakestLink((2, 9), questions=7, cap=0, right=5, wrong=2, final=True),
        WeakestLink((5,), questions=1, cap=3, final=True),
        WeakestLink((1, 10, 100), questions=8, cap=50, right=4, wrong=1),
    ],
    ids=repr,
)
def test_equals_recursion(game: WeakestLink) -> None:
    solution = solve(game, plain=True, exact=True)
    assert solution.value(solution.start).exact == twin(game)


@pytest.mark.parametrize(
    ("right", "best"), [(60, 1), (61, 4), (72, 4), (73, 6), (79, 6), (80, 8), (84, 8), (85, 9)]
)
def test_a_long_round_earns_per_question_what_thomas_says(right: int, best: int) -> None:
    """Banking after r right answers in a row earns v_r p^r (1 - p) / (1 - p^r) a question."""
    game = WeakestLink(questions=150, cap=0, percent=right)
    p, chain = right / 100, game.chain
    gains = [v * p**r * (1 - p) / (1 - p**r) for r, v in enumerate(chain, 1)]
    assert max(gains) == gains[best - 1]
    solution = solve(game, plain=True)
    later = solution.value(solution.position("bank, chain 0, questions 149"))
    found = float(solution.value(solution.start)) - float(later)
    assert found == pytest.approx(gains[best - 1], abs=1e-6)
    for steps in range(1, best + 1):
        move = solution.moves(solution.position(f"bank, chain {steps}, questions 130"))[0]
        assert move.text == ("bank" if steps == best else "answer")
