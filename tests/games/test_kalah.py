"""Kalah against a twin that sows on a ring of numbers."""

from __future__ import annotations

import random
from functools import cache

import pytest

from perfectplay import UsageError, search, solve
from perfectplay.games.boards.kalah import Kalah, WideKalah


def margin(game: Kalah) -> tuple[int, int]:
    """What the first player wins by, and how many positions there are."""
    m = game.pits

    @cache
    def worth(own: tuple[int, ...], other: tuple[int, ...]) -> int:
        if not any(own) or (game.end == "either" and not any(other)):
            left = sum(own) - sum(other)
            return {"owner": left, "other": -left, "nobody": 0}[game.rest]
        return max(after(own, other, pit) for pit in range(m) if own[pit])

    def after(own: tuple[int, ...], other: tuple[int, ...], pit: int) -> int:
        ring = [*own, 0, *other]
        hand, ring[pit] = ring[pit], 0
        while hand:
            pit = (pit + 1) % len(ring)
            ring[pit] += 1
            hand -= 1
        across = 2 * m - pit
        may = game.capture == "always" or (game.capture == "opposite" and ring[across])
        if pit < m and ring[pit] == 1 and may:
            ring[m] += 1 + ring[across]
            ring[pit] = ring[across] = 0
        own, other = tuple(ring[:m]), tuple(ring[m + 1 :])
        if pit == m and game.again:
            return ring[m] + worth(own, other)
        return ring[m] - worth(other, own)

    row = (game.seeds,) * m
    return worth(row, row), worth.cache_info().currsize


@pytest.mark.parametrize(
    "game",
    [
        *(Kalah(1, n) for n in (1, 5, 20)),
        *(Kalah(2, n) for n in (2, 4, 6)),
        *(Kalah(2, 4, capture, end) for capture in ("opposite", "never") for end in ("mover",)),
        Kalah(1, 5, end="mover"),
        Kalah(3, 3, "opposite"),
        Kalah(3, 2, rest="other", end="mover"),
        Kalah(3, 3, rest="nobody", again=False),
        Kalah(5, 1),
        WideKalah(3, 3, "opposite"),
    ],
    ids=repr,
)
def test_margins(game: Kalah) -> None:
    solution = solve(game, plain=game.pits == 1)  # quicker than to compile
    assert (solution.value(solution.start).exact, solution.report["positions"]) == margin(game)


@pytest.mark.slow
@pytest.mark.parametrize(("seeds", "margin_won"), [(1, 2), (2, 10), (3, 2)])
def test_six_pits_are_searched(seeds: int, margin_won: int) -> None:
    """Irving, Donkers and Uiterwijk 2000, with empty captures."""
    assert search(Kalah(6, seeds), size=2**29).exact == margin_won


def test_more_seeds_than_fit_one_word() -> None:
    game = Kalah(6, 6)
    assert isinstance(game, WideKalah)
    rng = random.Random(26)
    small, wide = Kalah(6, 3), WideKalah(6, 3)
    for _ in range(20):
        p, q = small.start(), wide.start()
        while small.to_move(p) >= 0:
            m = rng.choice(list(small.moves(p)))
            assert list(wide.moves(q)) == list(small.moves(p))
            assert wide.reward(q, m) == small.reward(p, m)
            assert wide.hint(q, m) == small.hint(p, m)
            p, q = small.play(p, m), wide.play(q, m)
            assert wide.text(q) == small.text(p)
            assert wide.parse(wide.text(q)) == q
            assert (wide.to_move(q), wide.stratum(q)) == (small.to_move(p), small.stratum(p))
        assert wide.payoff(q) == small.payoff(p)


def test_boards_that_are_too_large() -> None:
    assert Kalah(10, 2).start() > 0
    for pits, seeds in ((9, 3), (11, 1), (6, 11)):
        with pytest.raises(UsageError):
            Kalah(pits, seeds)
