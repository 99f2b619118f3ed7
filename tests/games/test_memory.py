"""Memory against the recursion of Zwick and Paterson, in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from perfectplay import load, solve


@cache
def surplus(n: int, k: int, passing: bool) -> Fraction:
    """What the player on turn expects to win by: n pairs, one card known of k of them."""
    if n == 0:
        return Fraction(0)
    unseen = 2 * n - k
    paired = Fraction(0) if k == 0 else Fraction(k, unseen) * (1 + surplus(n - 1, k - 1, passing))
    if k == n:
        best = paired
    else:
        left = unseen - 1
        others = Fraction(2 * (n - k - 1), left)
        both_new = Fraction(1, left) * (1 + surplus(n - 1, k, passing))
        both_new -= Fraction(k, left) * (1 + surplus(n - 1, k, passing))
        both_new -= others * surplus(n, k + 2, passing) if others else 0
        seconds = [both_new] + ([-surplus(n, k + 1, passing)] if k else [])
        best = paired + (1 - Fraction(k, unseen)) * max(seconds)
    # Who would rather pass faces another who would rather pass: nobody ever scores again.
    return max(best, Fraction(0)) if passing and k >= 2 else best


@pytest.mark.parametrize("passing", [True, False])
@pytest.mark.parametrize(("pairs", "known"), [(1, 0), (2, 1), (5, 5), (7, 0), (8, 3), (12, 1)])
def test_memory_is_the_recursion(pairs: int, known: int, passing: bool) -> None:
    game = load("memory", {"pairs": pairs, "known": known, "passing": passing})
    solution = solve(game, exact=True)
    assert solution.value(solution.start).exact == surplus(pairs, known, passing)
    for k in range(known + 2, pairs + 1, 2):
        p = game.parse(f"{pairs} pairs, {k} known, player 1")
        assert solution.value(p).exact == surplus(pairs, k, passing)


def test_best_moves_are_those_of_the_rule() -> None:
    """The published rule tells a best move everywhere: pass, a new and an old card, or two new."""
    pairs = 13
    for known in (0, 1):
        solution = solve(load("memory", {"pairs": pairs, "known": known}), exact=True)
        game, there = solution.game, reached(solution)
        for n in range(1, pairs + 1):
            for k in range(n):
                if f"{n} pairs, {k} known, player 1" not in there:
                    continue
                p = game.parse(f"{n} pairs, {k} known, player 1")
                value = solution.value(p).exact
                passes = 3 * k >= 2 * (n + 1) and (n + k) % 2 == 1
                if k >= 2:
                    assert value == 0 if passes else value >= 0
                old = k >= 1 and ((n + k) % 2 == 0 or (n, k) == (6, 1))
                if not passes:
                    shown = f"{n} pairs, {k} known, player 1, first card is new"
                    moves = solution.moves(game.parse(shown))
                    best = {m.text for m in moves if m.value.exact == moves[0].value.exact}
                    assert ("old card" if old else "another new card") in best


def reached(solution) -> set[str]:  # type: ignore[no-untyped-def]
    keys = solution.to_arrow().column("key_0").to_pylist()
    return {solution.game.text(p) for p in keys}


def rule(n: int, k: int) -> str:
    """The rule of Zwick and Paterson, as Smith (2007) prints it."""
    if 3 * k >= 2 * (n + 1) and (n + k) % 2:
        return "old-old"
    if k >= 1 and ((n + k) % 2 == 0 or (n, k) == (6, 1)):
        return "new-old"
    return "new-new"


def test_whole_turns_follow_the_rule_and_are_worth_what_single_cards_are() -> None:
    pairs = 9
    planned = solve(load("memory", {"pairs": pairs, "planned": True}), exact=True, plain=True)
    single = solve(load("memory", {"pairs": pairs}), exact=True, plain=True)
    looked = 0
    for n in range(1, pairs):
        for k in range(n):
            text = f"{n} pairs, {k} known, player 1"
            moves = planned.moves(planned.position(text))
            worth = moves[0].value.exact
            assert worth == single.value(single.position(text)).exact, text
            assert rule(n, k) in {m.text for m in moves if m.value.exact == worth}, text
            looked += 1
    assert looked == 36
