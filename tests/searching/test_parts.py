"""The parts of compiled searches: fractions of 64 bits, a table that threads share, and the laws
that `check` puts guides to."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from perfectplay import Game, SearchGuides, check
from perfectplay.searching import fractions64, search_stack

INFINITE = fractions64.INFINITE
BOUNDS = [search_stack.LOW, search_stack.LOW_PER, search_stack.HIGH, search_stack.HIGH_PER]


def fractions(dice: random.Random) -> Fraction:
    """Small fractions, and such as hardly fit."""
    bits = dice.choice([3, 20, 40, 60])
    return Fraction(
        dice.randrange(-(2**bits), 2**bits), dice.randrange(1, 2 ** dice.choice([1, 30, 60]))
    )


def test_fractions_are_exact_or_rounded_outwards() -> None:
    dice = random.Random(1)
    exact = 0
    for _ in range(4000):
        a, b, w = fractions(dice), fractions(dice), dice.randrange(1, 10 ** dice.choice([1, 9]))
        first, second = (a.numerator, a.denominator), (b.numerator, b.denominator)
        assert fractions64.less(first, second) == (a < b)
        for up in (True, False):
            for true, (n, d) in (
                (a + b, fractions64.plus(first, second, up)),
                (a * w, fractions64.times(first, w, up)),
                (a / w, fractions64.over(first, w, up)),
            ):
                if abs(n) >= INFINITE:
                    assert (n > 0) == up
                    continue
                found = Fraction(int(n), int(d))
                assert found == true or (found > true) == up
                size = max(1, abs(a), abs(b), abs(true))
                assert abs(found - true) <= size * w / 2**52
                exact += found == true
    assert exact > 8000


def test_less_of_fractions_that_nearly_agree() -> None:
    for shift in range(1, 200):
        a, b = Fraction(2**60 - shift, 2**60 + 1), Fraction(2**60 - shift - 1, 2**60 - 1)
        first, second = (a.numerator, a.denominator), (b.numerator, b.denominator)
        assert fractions64.less(first, second) == (a < b)
        assert not fractions64.less(first, first)
    assert fractions64.less((-INFINITE, 1), (-5, 3))
    assert fractions64.less((7, 2), (INFINITE, 1))
    assert not fractions64.less((INFINITE, 1), (7, 2))


@pytest.mark.parametrize("slots", [1, 2, 5])
def test_threads_never_see_half_an_entry(slots: int) -> None:
    """All numbers of an entry tell which position it belongs to."""
    table = np.zeros((slots, search_stack.ENTRY + 2), np.int64)
    wrong: list[int] = []

    def work(seed: int) -> None:
        stack = np.zeros((1, search_stack.HEAD + 2), np.int64)
        control = np.zeros(search_stack.CONTROL, np.int64)
        dice = random.Random(seed)
        for _ in range(6000):
            key = dice.randrange(1, 6)
            stack[0, :] = 0
            stack[0, search_stack.HEAD :] = key, 10 * key
            if dice.random() < 0.5:
                stack[0, BOUNDS] = (
                    -key, 100 + key, 1000 * key, 1000 * key + 1,
                )  # fmt: skip
                search_stack.keep(table, stack, 0, dice.randrange(100))
            else:
                stack[0, BOUNDS] = (
                    -INFINITE, 1, INFINITE, 1,
                )  # fmt: skip
                search_stack.look(table, stack, control, 0)
                if abs(stack[0, search_stack.LOW]) < INFINITE:
                    found = stack[0, BOUNDS].tolist()
                    if found != [-key, 100 + key, 1000 * key, 1000 * key + 1]:
                        wrong.append(key)
        if not control[search_stack.HITS]:
            wrong.append(0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert not table[:, search_stack.LOCK].any()


@dataclass(frozen=True)
class Heap(SearchGuides, Game):
    """Take one to three; bounds, hints and guesses may be wrong."""

    fault: str = ""

    def start(self) -> int:
        return 9

    def moves(self, p: int) -> Iterator[int]:
        yield from range(1, min(p, 3) + 1)

    def play(self, p: int, m: int) -> int:
        return p - m

    def bounds(self, p: int) -> tuple[int, ...]:
        if self.fault == "false" and p == 8:
            return (0, 1)
        return {"order": (1, -1), "parts": (-1, 1, 0)}.get(self.fault, (-2, 2, 2))

    def hint(self, p: int, m: int) -> int:
        return 0.5 if self.fault == "hint" else m  # type: ignore[return-value]

    def guess(self, p: int) -> float:
        return math.nan if self.fault == "guess" else 0.5


def test_check_tries_guides() -> None:
    assert check(Heap()).ok
    for fault, method, words in (
        ("false", "bounds", "but the value is loss in 4 plies"),
        ("order", "bounds", "bounds(p) is (1, -1)"),
        ("parts", "bounds", "bounds(p) is (-1, 1, 0)"),
        ("hint", "hint", "no integer"),
        ("guess", "guess", "guess(p) is nan at 9"),
    ):
        (problem,) = check(Heap(fault)).problems
        assert problem.method == method
        assert words in problem.message
