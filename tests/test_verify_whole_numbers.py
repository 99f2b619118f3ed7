"""Whole numbers are verified by code of their own: what is right passes, whatever is wrong is
found, and its arithmetic is that of Python's integers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from perfectplay import load, solve, verify
from perfectplay.errors import VerificationError
from perfectplay.solvers.store import split_words
from perfectplay.verification import verify_whole_numbers as fast
from perfectplay.verification.verify_strata import StrataVerifier


def number(digits: Any) -> int:
    return sum(int(digit) << (fast.BASE * k) for k, digit in enumerate(digits))


@pytest.fixture
def solved() -> Any:
    return solve(load("einstein", ["stones=2"]), exact=True)


@pytest.mark.parametrize("turns", [pytest.param(True, marks=pytest.mark.slow), False])
def test_all_rows_are_proved_fast(turns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("einstein", ["stones=2"])
    monkeypatch.setattr(type(game), "by_turns", turns)
    monkeypatch.setattr(fast, "ROWS", 50)
    found = solve(game, exact=True)
    assert found.table.header["numbers"] == "whole"

    def slow(self: Any, number: int) -> int:
        raise AssertionError("not needed")

    monkeypatch.setattr(StrataVerifier, "stratum", slow)
    assert verify(found.table, game).rows == found.report["positions"]


@pytest.mark.parametrize("seed", range(12))
def test_wrong_values_are_found(solved: Any, seed: int) -> None:
    pick = random.Random(seed)
    column = solved.table._values["top_0"]
    row = pick.randrange(len(column))
    column[row] += pick.choice([-1, 1, 2, 1 << 20])
    with pytest.raises(VerificationError):
        verify(solved.table, solved.game)


@pytest.mark.parametrize("factor", [2, 3])
def test_wrong_denominators_are_found(solved: Any, factor: int) -> None:
    denominators = solved.table.extra["denominators"]
    number = max(denominators, key=int)
    denominators[number] = str(int(denominators[number]) * factor)
    with pytest.raises(VerificationError):
        verify(solved.table, solved.game)


def test_moves_that_stay_in_a_stratum_take_the_slow_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = load("einstein", ["stones=2"])
    monkeypatch.setattr(type(game), "stratum", lambda self, p: 0)
    found = solve(game, exact=True, plain=True)
    assert verify(found.table, game).ok


def test_arithmetic_is_that_of_integers() -> None:
    pick = random.Random(1)
    for _ in range(200):
        words, count = pick.randint(1, 3), 20
        top = [pick.randint(-(2 ** (64 * words - 1)), 2 ** (64 * words - 1) - 1) for _ in "four"]
        top[0] = pick.choice([0, 1, -1, -(2 ** (64 * words - 1))])
        by = pick.randrange(1, 2 ** pick.randint(1, 190))
        out = np.zeros((4, count), np.int64)
        fast._scaled(split_words(top, words), fast._digits(by, count), out)
        assert [number(x) for x in out] == [x * by for x in top]
        assert ((out[:, :-1] >= 0) & (out[:, :-1] < 2**fast.BASE)).all()
        for a in range(4):
            assert fast._less(out[0], out[a]) == (top[0] < top[a])
        divisor = pick.randrange(1, 2**30)
        rest = number(out[1]) % divisor
        assert fast._divided(out[1], divisor) == (rest == 0)
        assert number(out[1]) == top[1] * by // divisor


def test_sums_of_weights() -> None:
    first, weight = np.array([0, 2, 5, 6]), np.array([1, 3, 2, 2, 2, 7])
    assert fast._common(np.array([-1, -1, 0], np.int8), first, weight) == 12
    assert fast._common(np.array([-1, -1, -1], np.int8), first, weight * 2**27) == -1


def test_a_sample_is_drawn_as_usual(solved: Any) -> None:
    found = verify(solved.table, solved.game, None, 20)
    assert 0 < found.rows < solved.report["positions"]
    assert "sample" in found.kind
