"""Nim values of games written as rules, against recursion and against theory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from perfectplay import Decomposed, Game, grundy, load
from perfectplay.errors import UsageError
from perfectplay.games.heaps.nim import FibonacciNim, Nim, Subtraction
from perfectplay.sums.heaps.heap_game import heap_game
from perfectplay.sums.sum import Sum
from perfectplay.sums.summands import Heap


def slow(game: Game) -> dict[Any, int]:
    """The value of every position by recursion on the rules alone."""

    @cache
    def value(p: Any) -> int:
        there = {value(game.play(p, m)) for m in game.moves(p)}
        return min(set(range(len(there) + 1)) - there)

    found: dict[Any, int] = {}
    waiting = list(game.starts())
    while waiting:
        p = waiting.pop()
        if p not in found:
            found[p] = value(p)
            waiting += [game.play(p, m) for m in game.moves(p)]
    return found


@dataclass(frozen=True)
class Row(Game):
    """Kayles as a row of pins; a position is bits."""

    pins: int = 10
    native: bool = True

    def start(self) -> int:
        return (1 << self.pins) - 1

    def moves(self, p: int) -> Iterator[int]:
        for i in range(self.pins):
            if (p >> i) & 1:
                yield p & ~(1 << i)
                if (p >> (i + 1)) & 1:
                    yield p & ~(3 << i)

    def play(self, p: int, m: int) -> int:
        return m


@dataclass(frozen=True)
class Pins(Decomposed, Game):
    """Kayles as text, which falls apart at gaps."""

    pins: int = 10

    def start(self) -> str:
        return "|" * self.pins

    def moves(self, p: str) -> Iterator[tuple[int, int]]:
        for i in range(len(p)):
            for many in (1, 2):
                if p[i : i + many] == "|" * many:
                    yield i, many

    def play(self, p: str, m: tuple[int, int]) -> str:
        return p[: m[0]] + "." * m[1] + p[m[0] + m[1] :]

    def decompose(self, p: str) -> Iterator[str]:
        yield from p.replace(".", " ").split()


@dataclass(frozen=True)
class Dag(Game):
    """A random graph without cycles, in one stratum; numbers do not tell the order."""

    seed: int = 0
    circle: bool = False

    def graph(self) -> list[list[int]]:
        rng = random.Random(self.seed)
        names = rng.sample(range(30), 30)
        out: list[list[int]] = [[] for _ in range(30)]
        for i in range(30):
            out[names[i]] = [names[j] for j in range(i) if rng.random() < 0.3]
        if self.circle:
            out[names[0]] = [names[29]]
        return out

    def starts(self) -> Iterator[int]:
        yield from range(30)

    def moves(self, p: int) -> Iterator[int]:
        yield from self.graph()[p]

    def play(self, p: int, m: int) -> int:
        return m


GAMES = [
    Nim((3, 4, 5)),
    Nim((2, 3, 3), at_once=2),
    Nim((5, 6), takes=(1, 3, 4)),
    Subtraction(40, takes=(1, 4, 6)),
    Subtraction(30, most=5, fresh=True),
    FibonacciNim(20),
    Row(8),
    Pins(7),
    Dag(1),
    Dag(2),
]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_values_by_recursion(game: Game) -> None:
    expected = slow(game)
    found = grundy(game, plain=isinstance(game, Subtraction | Nim))
    assert {p: found.value(p) for p in expected} == expected
    for p in list(expected)[:50]:
        wins = [game.move_text(p, m) for m in game.moves(p) if expected[game.play(p, m)] == 0]
        assert found.winning_moves(p) == wins


@pytest.mark.parametrize("game", [Nim((3, 4, 5)), Row(9)], ids=str)
def test_plain_and_compiled_agree(game: Game) -> None:
    quick, plain = grundy(game, workers=2), grundy(game, plain=True, workers=1)
    expected = slow(game)
    assert {p: quick.value(p) for p in expected} == {p: plain.value(p) for p in expected}
    assert quick.counts() == plain.counts()


def test_nim_is_the_nim_sum() -> None:
    found = grundy(Nim((6, 5, 4, 3)))
    game = found.game
    for text in ("6 5 4 3", "1 2 3 0", "6 0 0 3", "5 5 1 1"):
        total = 0
        for heap in map(int, text.split()):
            total ^= heap
        assert found.value(game.parse(text)) == total


def test_kayles_in_three_ways() -> None:
    values = heap_game("kayles").values(40).tolist()
    row = grundy(Row(16))
    assert [row.value((1 << n) - 1) for n in range(17)] == values[:17]
    parts = grundy(Pins(40))
    assert [parts.value("|" * n) for n in range(41)] == values
    assert parts.value("|||.||||..|") == 3 ^ 1 ^ 1
    assert parts.positions == 40


def test_a_sum_of_impartial_games() -> None:
    row, pins = grundy(Row(5)), grundy(Pins(7))
    whole = Sum([row.part(), pins.part(), Heap(5)])  # 4, 2 and 5
    assert whole.outcome == "N"
    won = {(choice.part, choice.value) for choice in whole.winning(0)}
    assert all(value in {"0": "*7", "1": "*", "2": "*6"}[str(part)] for part, value in won)
    for choice in whole.winning(1):
        assert choice.wins
    assert Sum([row.part(), Heap(4)]).outcome == "P"


def test_values_of_what_cannot_arise_are_refused() -> None:
    found = grundy(Nim((3, 4, 5)))
    for p in (1 << 40, -1, "3 4", (1, 2), None, 2.5):
        with pytest.raises(UsageError):
            found.value(p)
    assert found.value(found.start) == 3 ^ 4 ^ 5
    with pytest.raises(UsageError):
        grundy(Dag(3)).value(99)


@pytest.mark.parametrize(
    "name",
    ["pig", "noughts-and-crosses", "mu-torere", "kalah", "hanoi", "dots-and-boxes", "connect"],
)
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        grundy(load(name))
    assert caught.value.hint


def test_cycles_and_misere_are_refused() -> None:
    with pytest.raises(UsageError, match="cycles"):
        grundy(Dag(4, circle=True))
    with pytest.raises(UsageError, match="misère"):
        grundy(Nim((3, 4), misere=True))
    with pytest.raises(UsageError, match="cycles"):
        grundy(Rounds()).value("a")


@dataclass(frozen=True)
class Rounds(Decomposed, Game):
    """Parts that come back."""

    def start(self) -> str:
        return "a"

    def moves(self, p: str) -> Iterator[str]:
        yield {"a": "b", "b": "ca", "c": "d"}.get(p, "")

    def play(self, p: str, m: str) -> str:
        return m

    def decompose(self, p: str) -> Iterator[str]:
        yield from p
