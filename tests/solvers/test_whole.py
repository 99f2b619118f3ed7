"""Exact values in whole numbers of fixed width equal those in fractions, and tables hold them."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import CHANCE, OVER, Game, Solution, load, solve, verify
from perfectplay.errors import VerificationError
from perfectplay.solvers.exact import denominators, multiword, whole_numbers
from perfectplay.solvers.store import (
    WholeNumbers,
    aligned,
    joined_words,
    narrowed,
    split_words,
    widened,
)
from perfectplay.solvers.work import Options


@cache
def tangle(seed: int, size: int) -> tuple[Any, ...]:
    """A random game without circles: for each position a kind, and (child, weight, reward)."""
    pick = random.Random(seed)
    out: list[Any] = []
    for p in range(size):
        if p < 4:
            out.append((OVER, pick.randint(-5, 5), ()))
            continue
        kind = pick.choice([0, 1, CHANCE, CHANCE])
        children = [pick.randrange(max(0, p - 6), p) for _ in range(pick.randint(1, 4))]
        steps = tuple((c, pick.randint(1, 5), pick.choice([0, 0, 3, -2])) for c in children)
        out.append((kind, 0, steps))
    return tuple(out)


@dataclass(frozen=True)
class Tangle(Game):
    """A position is its number; a move is the number of an edge."""

    seed: int = 0
    size: int = 30

    def start(self) -> int:
        return self.size - 1

    def to_move(self, p: int) -> int:
        return int(tangle(self.seed, self.size)[p][0])

    def moves(self, p: int) -> Any:
        if self.to_move(p) >= 0:
            yield from range(len(tangle(self.seed, self.size)[p][2]))

    def play(self, p: int, m: int) -> int:
        return int(tangle(self.seed, self.size)[p][2][m][0])

    def chances(self, p: int) -> Any:
        for child, weight, _ in tangle(self.seed, self.size)[p][2]:
            yield weight, child

    def reward(self, p: int, m: int) -> int:
        return int(tangle(self.seed, self.size)[p][2][m][2])

    def payoff(self, p: int) -> int:
        return int(tangle(self.seed, self.size)[p][1])


class Layered(Tangle):
    """The same with strata."""

    def stratum(self, p: int) -> int:
        return p


class Lumps(Tangle):
    """The same with strata of several positions."""

    def stratum(self, p: int) -> int:
        return p // 5


@dataclass(frozen=True)
class Walk(Game):
    """Roll `length` times a die of three faces with the weights 1, 2 and 4; stop when you like."""

    length: int = 20
    players = 1

    def start(self) -> tuple[int, int, int]:
        return (self.length, 0, 0)

    def to_move(self, p: tuple[int, int, int]) -> int:
        if p[0] == 0 and p[2] == 0:
            return OVER
        return CHANCE if p[2] else 0

    def moves(self, p: tuple[int, int, int]) -> Any:
        if p[0] > 0:
            yield "roll"
            yield "stop"

    def play(self, p: tuple[int, int, int], m: str) -> tuple[int, int, int]:
        return (p[0] - 1, p[1], 1) if m == "roll" else (0, p[1], 0)

    def chances(self, p: tuple[int, int, int]) -> Any:
        for face in range(3):
            yield 1 << face, (p[0], (3 * p[1] + face) % 11, 0)

    def payoff(self, p: tuple[int, int, int]) -> int:
        return p[1] - 5

    def stratum(self, p: tuple[int, int, int]) -> int:
        return 2 * p[0] + p[2]


def by_fractions(game: Game, monkeypatch: pytest.MonkeyPatch) -> Solution:
    """The solution in fractions of any size."""
    with monkeypatch.context() as patch:
        patch.setattr(denominators, "MOST", -1)
        return solve(game, exact=True)


def same(one: Solution, other: Solution, positions: Any) -> bool:
    return all(one.values(p) == other.values(p) for p in positions)


def reached(game: Game) -> list[Any]:
    seen = {game.start(): None}
    for p in (queue := list(seen)):
        kind = game.to_move(p)
        steps = (
            [c for _, c in game.chances(p)]
            if kind == CHANCE
            else [game.play(p, m) for m in game.moves(p)]
        )
        for c in steps if kind != OVER else []:
            if c not in seen:
                seen[c] = None
                queue.append(c)
    return list(seen)


@pytest.mark.parametrize("spare", [2, 66, 130])
@pytest.mark.parametrize("kind", [Tangle, Layered, Lumps])
@pytest.mark.parametrize("seed", range(4))
def test_random_games_like_fractions(
    kind: type[Tangle], seed: int, spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with one or two words more than are needed."""
    game = kind(seed, 26)
    slow = by_fractions(game, monkeypatch)
    assert "whole numbers" not in slow.report["methods"]
    monkeypatch.setattr(whole_numbers, "SPARE", spare)
    monkeypatch.setattr(whole_numbers, "WORDS", 9)
    monkeypatch.setattr(denominators, "MOST", 10**6)
    fast = solve(game, exact=True)
    assert set(fast.report["methods"]) == {"whole numbers"}
    assert same(fast, slow, reached(game))
    assert verify(fast.table, game).ok


@pytest.mark.parametrize("length", [5, 20, 30, 60])
def test_values_of_one_two_and_three_words(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Walk(length)
    fast, slow = solve(game, exact=True), by_fractions(game, monkeypatch)
    assert set(fast.report["methods"]) == {"whole numbers"}
    bits = max(int(b).bit_length() for b in fast.table.extra["denominators"].values())
    assert (bits > 64) == (length >= 30)
    assert (bits > 128) == (length == 60)
    assert same(fast, slow, reached(game))


def test_beyond_three_words_there_are_fractions() -> None:
    found = solve(Walk(80), exact=True)
    assert "whole numbers" not in found.report["methods"]
    value = found.value(found.start).exact
    assert isinstance(value, Fraction)
    assert value.denominator > 2**192


def test_circles_and_many_weights_are_left_to_fractions() -> None:
    assert "exact" in solve(load("piglet", {"goal": 2}), exact=True).report["methods"]


def test_no_overflow_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the gauge was wrong the solver itself refuses."""
    monkeypatch.setattr(denominators, "MOST", 10**6)
    with pytest.raises(whole_numbers.NoRoom):
        solve(Walk(80), exact=True)


def test_tables_hold_whole_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Walk(60)
    here = solve(game, exact=True)
    there = solve(game, tmp_path / "walk", exact=True)
    assert there.table.signature == here.table.signature
    assert same(here, Solution.open(tmp_path / "walk", game), reached(game))
    assert verify(tmp_path / "walk", game).ok
    arrow = there.to_arrow()
    assert {"top_0", "top_1", "top_2"} <= set(arrow.column_names)
    assert arrow.num_rows == there.report["positions"]


def test_a_killed_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Walk(40)
    monkeypatch.setattr("perfectplay.table.writer.PART_ROWS", 50)
    done = 0
    real = whole_numbers.solve

    def dies(*args: Any) -> Any:
        nonlocal done
        done += 1
        if done == 60:
            time.sleep(1.0)  # parts are written beside
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(whole_numbers, "solve", dies)
    with pytest.raises(KeyboardInterrupt):
        solve(game, tmp_path / "walk", exact=True)
    done = 1000
    again = solve(game, tmp_path / "walk", exact=True)
    assert done < 1060
    assert again.table.signature == solve(game, exact=True).table.signature
    assert verify(tmp_path / "walk", game).ok


def test_a_wrong_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Walk(6)
    found = solve(game, exact=True)
    found.table._values["top_0"][7] += 1
    with pytest.raises(VerificationError):
        verify(found.table, game)


def test_words() -> None:
    pick = random.Random(3)
    for words in (1, 2, 3):
        most = 2 ** (64 * words - 2)
        numbers = [pick.randint(-most, most) >> pick.randint(0, 64 * words) for _ in range(60)]
        top = split_words(numbers, words)
        assert joined_words(top) == numbers
        assert joined_words(widened(top, 3)) == numbers
        assert joined_words(multiword.extremes(top)) == [min(numbers), max(numbers)]
        out = np.empty(words, np.int64)
        for a, b in pairwise(numbers):
            one, two = split_words([a, b], words)
            assert multiword.less(one, two) == (a < b)
            if abs(a * b) < most:
                multiword.multiplied(out, one, two)
                assert joined_words(out[None]) == [a * b]
            out[:] = one
            multiword.added(out, two)
            assert joined_words(out[None]) == [a + b]
            multiword.negated(out)
            assert joined_words(out[None]) == [-a - b]
        if words > 1:
            small = split_words([6 * (n >> 4) for n in numbers], words)
            assert multiword.common_of_words(small, 36) in (6, 12, 18, 36)
            multiword.divide_words(small, 6)
            assert joined_words(small) == [n >> 4 for n in numbers]


def test_columns_are_as_narrow_as_they_can_be() -> None:
    store = WholeNumbers(widened(split_words([5, -7, 2**70, -1], 2), 3))
    assert list(store.columns(0, 2)) == ["top_0"]
    assert list(store.columns(0, 4)) == ["top_0", "top_1"]
    one, two = store.columns(0, 2), store.columns(2, 4)
    wide = aligned([one, two])
    assert list(wide[0]) == ["top_0", "top_1"]
    assert list(narrowed(wide[0])) == ["top_0"]
    assert Options().exact is False


@dataclass(frozen=True)
class Lanes(Game):
    """Toss a coin down one of three lanes; a position is its number, its lane the rest by 3."""

    length: int = 60
    players = 1

    def start(self) -> int:
        return self.length

    def to_move(self, p: int) -> int:
        return OVER if p < 3 else CHANCE

    def moves(self, p: int) -> Any:
        return ()

    def play(self, p: int, m: int) -> int:
        return p

    def chances(self, p: int) -> Any:
        if p == self.length:
            for lane in range(3):
                yield 1, p - 1 - lane
        else:
            yield 1, p - 3
            yield 1, p % 3

    def payoff(self, p: int) -> int:
        return p

    def stratum(self, p: int) -> int:
        return p


@dataclass(frozen=True)
class Short(Lanes):
    """All strata follow each other, but no play goes through more than two: even numbers toss a
    coin, odd ones are over."""

    def start(self) -> int:
        return 2 * self.length

    def to_move(self, p: int) -> int:
        return OVER if p % 2 else CHANCE

    def chances(self, p: int) -> Any:
        if p == 2 * self.length:
            for k in range(1, self.length):
                yield 1, 2 * k
        else:
            yield 1, p - 3
            yield 1, p - 5

    def stratum(self, p: int) -> int:
        return (p + 1) // 2


def test_the_bound_is_the_longest_way_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the number of strata: twenty tosses fit in 45 bits, sixty would not."""
    for game in (Lanes(), Short()):
        monkeypatch.setattr(denominators, "MOST", 45)
        found = solve(game, exact=True)
        assert set(found.report["methods"]) == {"whole numbers"}, game
        slow = by_fractions(game, monkeypatch)
        assert "whole numbers" not in slow.report["methods"]
        assert same(found, slow, reached(game))
    assert "whole numbers" not in solve(Lanes(length=150), exact=True).report["methods"]


def test_positions_are_asked_where_strata_say_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = denominators.LongestPaths.look

    def look(self: Any, layer: Any) -> None:
        asked.append(layer.stratum)
        real(self, layer)

    monkeypatch.setattr(denominators.LongestPaths, "look", look)
    monkeypatch.setattr(denominators, "MOST", 45)
    solve(Lanes(), exact=True)
    assert not asked
    solve(Short(), exact=True)
    assert asked == sorted(asked, reverse=True)
    assert len(asked) > 50


def test_primes() -> None:
    for number in [*range(1, 300), 2**31 - 1, 3 * 2**29, 46337**2]:
        product = 1
        for prime, power in denominators.primes(number):
            assert all(prime % k for k in range(2, int(prime**0.5) + 1))
            product *= prime**power
        assert product == number
