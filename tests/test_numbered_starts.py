"""Games whose first positions are told by number: compiled and interpreted, the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from perfectplay import Game, NumberedStarts, RulesError, check, plan, solve, verify
from perfectplay.errors import TooLargeError
from perfectplay.positions.expand import expander


@dataclass(frozen=True)
class Pairs(NumberedStarts, Game):
    """Take 1 or 2 counters from one of two heaps; begins at any pair whose sum is no multiple of
    3, each in both orders if the first heap is the smaller one."""

    size: int = 30
    native = True

    @property
    def start_numbers(self) -> int:  # type: ignore[override]
        return self.size * self.size

    def starts_of(self, i: int) -> Iterator[tuple[int, int]]:
        a, b = i // self.size, i % self.size
        if (a + b) % 3 != 0:
            yield a, b
            if a < b:
                yield b, a

    def moves(self, p: tuple[int, int]) -> Iterator[int]:
        for m in range(1, 3):
            if p[0] >= m:
                yield m
            if p[1] >= m:
                yield -m

    def play(self, p: tuple[int, int], m: int) -> tuple[int, int]:
        return (p[0] - m, p[1]) if m > 0 else (p[0], p[1] + m)

    def stratum(self, p: tuple[int, int]) -> int:
        return p[0] + p[1]

    def representative(self, p: tuple[int, int]) -> tuple[int, int]:
        return (p[0], p[1]) if p[0] <= p[1] else (p[1], p[0])


def test_both_ways_find_the_same_positions() -> None:
    game = Pairs()
    native, plain = expander(game), expander(game, plain=True)
    keys, strata = native.starts()
    found = {tuple(map(int, key)): int(stratum) for key, stratum in zip(keys, strata, strict=True)}
    there, levels = plain.starts()
    assert found == dict(zip(there, map(int, levels), strict=True))
    assert len(found) == sum((a + b) % 3 != 0 for b in range(30) for a in range(b + 1))


def test_more_starts_than_fit_at_once() -> None:
    game = Pairs(400)
    keys, _ = expander(game).starts()
    wanted = sum(1 + (a < b) for a in range(400) for b in range(400) if (a + b) % 3)
    assert len(keys) == wanted > 2 << 16
    different = sum((a + b) % 3 != 0 for b in range(400) for a in range(b + 1))
    assert len({(int(a), int(b)) for a, b in keys}) == different


def test_starts_come_in_batches_and_too_many_are_refused_before_all_are_found() -> None:
    rules = expander(Pairs(size=600))
    batches = [len(keys) for keys, _ in rules.start_batches()]
    assert len(batches) > 3
    assert sum(batches) == len(rules.starts()[0])
    with pytest.raises(TooLargeError, match="more than") as refusal:
        solve(Pairs(size=600), memory=1_000_000)
    assert 0 < refusal.value.positions < sum(batches)


def test_solved_and_verified() -> None:
    game = Pairs(12)
    native, plain = solve(game), solve(game, plain=True)
    assert native.report["signature"] == solve(Pairs(12)).report["signature"]
    for a in range(12):
        for b in range(12):
            lost = a % 3 == b % 3  # sums of heaps modulo 3
            assert (native.value((a, b)).outcome < 0) == lost
            assert str(native.value((a, b))) == str(plain.value((a, b)))
    assert verify(native.table, game).ok
    assert plan(game).complete
    assert check(game).ok


@dataclass(frozen=True)
class Nowhere(Pairs):
    def starts_of(self, i: int) -> Iterator[tuple[int, int]]:
        if i < 0:
            yield 0, 0


@pytest.mark.parametrize("plain", [False, True])
def test_a_game_must_begin_somewhere(plain: bool) -> None:
    with pytest.raises(RulesError, match="no position"):
        solve(Nowhere(), plain=plain)
