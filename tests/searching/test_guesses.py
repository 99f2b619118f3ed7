"""Guesses: good, bad and without sense, they change the time a search takes and no value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from searching.test_search import Dice, full, positions, shown

from perfectplay import CHANCE, OVER, Game, SearchGuides, load, search, solve
from perfectplay.games.races.einstein import Einstein
from perfectplay.searching import search_stack
from perfectplay.searching.choose_child import aim
from perfectplay.searching.node_values import guess_of

GOOD, BAD, NONSENSE = 1, -1, 5


@dataclass(frozen=True)
class GuessedDice(Dice):
    """A race to build a number, with guesses."""

    sense: int = GOOD

    def guess(self, p: tuple[int, int, int, int]) -> float:
        if self.sense == NONSENSE:
            return float((p[0] * 31 + p[1] * 17 + p[2] * 7 + p[3]) * 2654435761 % 2003 - 1001)
        return 1.0 * self.sense * p[1] * abs(p[1])


@dataclass(frozen=True)
class Nameless(Einstein):
    """EinStein whose shapes are not looked at: they would guess instead of the rules."""

    labels = 0  # type: ignore[assignment]


@dataclass(frozen=True)
class GuessedEinstein(Einstein):
    """EinStein with guesses that have no sense."""

    salt: int = 1

    labels = 0  # type: ignore[assignment]

    def guess(self, p: int) -> float:
        return ((p ^ (p >> 7)) * 40503 * self.salt % 1009) / 1009


@dataclass(frozen=True)
class Cheapest(SearchGuides, Game):
    """One player pays for throws, alternately cheap ones and dear ones, until he has enough."""

    goal: int = 6
    sense: int = GOOD

    native = True
    players = 1
    minimise = True

    def start(self) -> tuple[int, int]:
        return (0, 0)

    def to_move(self, p: tuple[int, int]) -> int:
        return OVER if p[0] >= self.goal else CHANCE if p[1] else 0

    def moves(self, p: tuple[int, int]) -> Iterator[int]:
        yield 1
        yield 2

    def play(self, p: tuple[int, int], m: int) -> tuple[int, int]:
        return (p[0], m)

    def reward(self, p: tuple[int, int], m: int) -> int:
        return 2 if m == 1 else 3

    def chances(self, p: tuple[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
        yield 2, (p[0] + p[1], 0)
        yield 1, (p[0] + 1, 0)

    def bounds(self, p: tuple[int, int]) -> tuple[int, int]:
        return (0, 3 * max(self.goal - p[0], 0))

    def guess(self, p: tuple[int, int]) -> float:
        return self.sense * 1.7 * max(self.goal - p[0], 0)


@dataclass(frozen=True)
class Stroll(SearchGuides, Game):
    """Two walk on a line, who stands at an end wins; chance may lead round for ever."""

    native = True

    def start(self) -> tuple[int, int, int]:
        return (2, 0, 0)

    def to_move(self, p: tuple[int, int, int]) -> int:
        return OVER if p[0] in (0, 4) else CHANCE if p[2] else p[1]

    def moves(self, p: tuple[int, int, int]) -> Iterator[int]:
        yield 1
        yield 2

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        return (p[0], p[1], m)

    def chances(self, p: tuple[int, int, int]) -> Iterator[tuple[int, tuple[int, int, int]]]:
        step = 1 if p[1] == 0 else -1
        yield 1 + p[2], (min(max(p[0] + step * p[2], 0), 4), 1 - p[1], 0)
        yield 2, (p[0] - step, 1 - p[1], 0)

    def payoff(self, p: tuple[int, int, int]) -> int:
        return 1 if p[0] == 4 else -1

    def guess(self, p: tuple[int, int, int]) -> float:
        return (p[0] - 2) / 2

    def bounds(self, p: tuple[int, int, int]) -> tuple[int, int]:
        return (-1, 1)


GAMES: list[Any] = [
    GuessedDice(sense=NONSENSE),
    pytest.param(GuessedDice(sense=GOOD), marks=pytest.mark.slow),
    pytest.param(GuessedDice(sense=BAD), marks=pytest.mark.slow),
    pytest.param(GuessedEinstein(stones=2, salt=77), marks=pytest.mark.slow),
    pytest.param(GuessedEinstein(stones=2, salt=1), marks=pytest.mark.slow),
    pytest.param(load("einstein", ["stones=2", "rows=4", "columns=2"]), marks=pytest.mark.slow),
    pytest.param(Cheapest(sense=GOOD), marks=pytest.mark.slow),
    pytest.param(Cheapest(sense=BAD), marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_no_guess_changes_a_value(game: Game) -> None:
    value = full(game)
    for number, p in enumerate(positions(game, 60, 6)):
        slots = (0, 1, 50, None)[number % 4]
        found = search(game, p, slots=slots, threads=1 + number % 2)
        assert found.exact == shown(game, p, value(p)), game.text(p)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_stopped_searches_give_bounds(game: Game) -> None:
    value, open_ = full(game), 0
    for number, p in enumerate(positions(game, 30, 4, seed=2)):
        found = search(game, p, nodes=2 + 3 * number)
        assert found.lower <= shown(game, p, value(p)) <= found.upper, game.text(p)
        open_ += found.exact is None
    assert open_ > 0


@pytest.mark.slow
def test_good_guesses_save_nodes() -> None:
    given = {"rows": 4, "stones": 2, "placement": "given"}
    good, nonsense = search(Nameless(**given)), search(GuessedEinstein(**given))  # type: ignore[arg-type]
    assert good.exact == nonsense.exact
    assert 2 * good.counts.nodes < nonsense.counts.nodes


@pytest.mark.slow
def test_guesses_do_not_go_round_for_ever() -> None:
    game = Stroll()
    found = search(game, nodes=200_000)
    value = solve(game).value(game.start())
    assert found.stopped == "circles"
    assert found.lower <= value.upper
    assert value.lower <= found.upper


def row(stack: Any, k: int, low: int, high: int, guess: float, weight: int = 1) -> None:
    stack[
        k, [search_stack.LOW, search_stack.LOW_PER, search_stack.HIGH, search_stack.HIGH_PER]
    ] = low, 10, high, 10
    stack[k, search_stack.GUESS], stack[k, search_stack.WEIGHT] = (
        int(guess * search_stack.FINE),
        weight,
    )


def test_what_is_aimed_at() -> None:
    """Two events, thought to be worth 0.8 and 0.4: to show 0.5 each may be worse by 0.1."""
    stack = np.zeros((3, search_stack.HEAD + 1), np.int64)
    stack[0, [search_stack.COUNT, search_stack.TOTAL]] = 2, 2
    row(stack, 1, 0, 10, 0.8)
    row(stack, 2, 0, 10, 0.4)
    child, first, last = aim(stack, 0, 1, 0.5, 0.5, 9)
    assert child == 1
    assert first == last == pytest.approx(0.7)
    row(stack, 1, 7, 10, 0.8)  # that is proved: the other one's turn
    child, first, last = aim(stack, 0, 1, 0.5, 0.5, 9)
    assert child == 2
    assert first == last == pytest.approx(0.3)
    child, first, _ = aim(stack, 0, 1, 0.65, 0.65, 9)  # to show at most that
    assert child == 2
    assert first == pytest.approx(0.45)
    assert aim(stack, 0, 1, 0.5, 0.7, 9)[0] == -1  # the guess is inside of the window


def test_guesses_keep_away_from_bounds() -> None:
    stack = np.zeros((1, search_stack.HEAD + 1), np.int64)
    row(stack, 0, 2, 4, 0.9)
    assert guess_of(stack, 0) == pytest.approx(0.39)
    row(stack, 0, 4, 4, 0.9)
    assert guess_of(stack, 0) == pytest.approx(0.4)
