"""The secretary problem against all orders of the candidates, and against the formula."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

import pytest

from perfectplay import solve
from perfectplay.games.decisions.secretary import Secretary


def ranks(seen: tuple[int, ...]) -> tuple[int, ...]:
    """How the candidates seen compare with each other."""
    order = sorted(seen)
    return tuple(order.index(x) + 1 for x in seen)


def twin(game: Secretary) -> Fraction:
    """The value over all orders: the player knows only how those who have come compare."""
    n, choose = game.candidates, min if game.rank else max

    def payoff(order: tuple[int, ...], taken: tuple[int, ...]) -> int:
        best = min((order[i] for i in taken), default=n + 1)
        return best if game.rank else int(best <= game.best)

    def worth(orders: Iterable[tuple[int, ...]], number: int, taken: tuple[int, ...]) -> Fraction:
        """The sum of payoffs over orders that look alike so far."""
        if number == n:
            return Fraction(sum(payoff(order, taken) for order in orders))
        alike = defaultdict(list)
        for order in orders:
            alike[ranks(order[: number + 1])].append(order)
        total = Fraction(0)
        for some in alike.values():
            values = []
            if not (game.rank and number == n - 1 and not taken):
                values.append(worth(some, number + 1, taken))
            if len(taken) < game.choices:
                values.append(worth(some, number + 1, (*taken, number)))
            total += choose(values)
        return total

    orders = list(permutations(range(1, n + 1)))
    return worth(orders, 0, ()) / len(orders)


@pytest.mark.parametrize(
    "game",
    [
        Secretary(1),
        Secretary(5),
        Secretary(5, best=2),
        Secretary(5, best=5),
        Secretary(5, choices=2),
        Secretary(5, best=2, choices=2),
        Secretary(4, best=3, choices=3),
        Secretary(1, rank=True),
        Secretary(5, rank=True),
        Secretary(5, choices=2, rank=True),
        Secretary(4, choices=4, rank=True),
    ],
    ids=repr,
)
def test_equals_all_orders(game: Secretary) -> None:
    solution = solve(game, plain=True, exact=True)
    assert solution.value(solution.start).exact == twin(game)


@pytest.mark.parametrize("n", [2, 3, 10, 50])
def test_best_choice_formula(n: int) -> None:
    """Letting r go by wins with chance r/n (1/r + … + 1/(n - 1)); with r = 0, 1/n."""
    chances = [Fraction(1, n)]
    chances += [Fraction(r, n) * sum(Fraction(1, i) for i in range(r, n)) for r in range(1, n)]
    solution = solve(Secretary(n), plain=True, exact=True)
    assert solution.value(solution.start).exact == max(chances)
    skipped = chances.index(max(chances))
    for number in range(1, n + 1):
        best = solution.moves(solution.position(f"{number} came, choices 1, rank 1"))
        assert best[0].text == ("take" if number > skipped else "refuse") or (
            best[0].value == best[1].value
        )
