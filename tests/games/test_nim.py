"""Nim and its kin against twins on lists of heaps, and the rules of Moore and Schwenk."""

from __future__ import annotations

from functools import cache, reduce
from itertools import product
from operator import xor

import pytest

from perfectplay import solve
from perfectplay.games.heaps.nim import FibonacciNim, Nim


def wins(game: Nim) -> bool:
    """Whether the player who begins wins."""

    @cache
    def winning(heaps: tuple[int, ...]) -> bool:
        options = [
            after
            for after in product(*(range(heap + 1) for heap in heaps))
            if 0 < sum(a != b for a, b in zip(heaps, after, strict=True)) <= game.at_once
            and all(
                a == b or not game.takes or a - b in game.takes
                for a, b in zip(heaps, after, strict=True)
            )
        ]
        if not options:
            return game.misere
        return any(not winning(after) for after in options)

    return winning(game.heaps)


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(
    ("at_once", "takes"), [(1, ()), (1, (1, 2)), (1, (2, 3)), (2, ()), (2, (1, 3)), (3, ())]
)
def test_heaps(at_once: int, takes: tuple[int, ...], misere: bool) -> None:
    for heaps in ((4, 3, 2), (3, 3, 3), (5, 1, 1), (5, 4, 0)):
        game = Nim(heaps, misere, at_once, takes)
        solution = solve(game)
        assert (solution.value(solution.start).lower > 0) == wins(game), game


@pytest.mark.parametrize("k", [1, 2, 3])
def test_moores_rule(k: int) -> None:
    game = Nim((5, 5, 4, 3), at_once=k)
    solution = solve(game)
    for heaps in product(range(6), range(6), range(5), range(4)):
        p = game.parse(" ".join(map(str, heaps)))
        digits = (sum(heap >> bit & 1 for heap in heaps) for bit in range(3))
        lost = all(digit % (k + 1) == 0 for digit in digits)
        assert (solution.value(p).lower < 0) == lost
        if k == 1:
            assert lost == (reduce(xor, heaps) == 0)


def taken(game: FibonacciNim) -> bool:
    """Whether the player who begins wins."""

    @cache
    def winning(heap: int, most: int) -> bool:
        options = range(1, min(heap, most) + 1)
        if not options:
            return game.misere
        return any(not winning(heap - n, game.times * n + game.plus) for n in options)

    return winning(game.heap, game.heap - 1)


@pytest.mark.parametrize(
    ("times", "plus", "misere"),
    [(2, 0, False), (1, 0, False), (3, 0, True), (1, 2, False), (0, 3, True)],
)
def test_last_taken(times: int, plus: int, misere: bool) -> None:
    for heap in range(26):
        game = FibonacciNim(heap, times, plus, misere)
        solution = solve(game)
        assert (solution.value(solution.start).lower > 0) == taken(game), game


def test_lost_heaps() -> None:
    expected = {
        1: {1, 2, 4, 8, 16, 32},
        2: {1, 2, 3, 5, 8, 13, 21, 34},
        3: {1, 2, 3, 4, 6, 8, 11, 15, 21, 29},
    }
    for times, heaps in expected.items():
        lost = set()
        for heap in range(1, 36):
            solution = solve(FibonacciNim(heap, times))
            if solution.value(solution.start).lower < 0:
                lost.add(heap)
        assert lost == heaps
