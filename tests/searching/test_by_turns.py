"""Searches by turns: the same values as those of solved games and of plain recursion, whatever the
table, the threads and the guesses, and bounds that hold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from searching.test_search import full, positions, shown

from perfectplay import CHANCE, OVER, ByTurns, Game, SearchGuides, load, search, searches, solve
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import UsageError
from perfectplay.games.races.einstein import Einstein
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.searching.fractions64 import Pair
from perfectplay.searching.search_facts import fits_turns, search_facts
from perfectplay.searching.turns import fixed_point
from perfectplay.searching.turns.search import TurnSearch
from perfectplay.searching.turns.unlabelled_bounds import (
    EMPTY,
    UNLABELLED_FINE,
    UNLABELLED_GUESS,
    UNLABELLED_HIGH,
    UNLABELLED_KEY,
    UNLABELLED_LOW,
    unlabelled_table,
)

pytestmark = pytest.mark.xdist_group("searches by turns")  # which are compiled once


@dataclass(frozen=True)
class Ladder(ByTurns, SearchGuides, Game):
    """Two players climb, each by one of two dice that chance lets him choose between: position
    (rungs of player 0, of player 1, whose turn, what was rolled or 0). Who is first at the top
    wins as many as he is ahead. Player 1 is not renamed, so he minimises."""

    top: int = 7
    first: int = 1
    second: int = 2
    guessed: bool = False

    native = True
    by_turns = True

    def start(self) -> tuple[int, int, int, int]:
        return (0, 0, 0, 0)

    def turn(self, p: tuple[int, int, int, int]) -> int:
        return p[2]

    def to_move(self, p: tuple[int, int, int, int]) -> int:
        if p[0] >= self.top or p[1] >= self.top:
            return OVER
        return CHANCE if p[3] == 0 else p[2]

    def chances(
        self, p: tuple[int, int, int, int]
    ) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
        yield self.first, (p[0], p[1], p[2], 1)
        yield self.second, (p[0], p[1], p[2], 2)
        yield 1, (p[0], p[1], p[2], 3)

    def moves(self, p: tuple[int, int, int, int]) -> Iterator[int]:
        if self.to_move(p) >= 0:
            yield p[3]
            yield 2
            if p[0] + p[1] > 0:
                yield -1

    def play(self, p: tuple[int, int, int, int], m: int) -> tuple[int, int, int, int]:
        mine, other = (p[0], p[1]) if p[2] == 0 else (p[1], p[0])
        if m > 0:
            mine += m
        else:
            mine, other = mine + 3, other + 1
        return (mine, other, 1, 0) if p[2] == 0 else (other, mine, 0, 0)

    def payoff(self, p: tuple[int, int, int, int]) -> int:
        return p[0] - p[1]

    def bounds(self, p: tuple[int, int, int, int]) -> tuple[int, int]:
        return -self.top - 2, self.top + 2

    def guess(self, p: tuple[int, int, int, int]) -> float:
        return 1.0 * (p[0] - p[1]) if self.guessed else 100.0 - 50 * p[0]

    def stratum(self, p: tuple[int, int, int, int]) -> int:
        return 100 - 2 * (p[0] + p[1]) + (1 if p[3] == 0 else 0)

    def anchor(self, p: tuple[int, int, int, int]) -> bool:
        return p[3] == 0

    def pattern(self, p: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        return (1 if p[0] + p[1] > 0 else 0, 0, p[2], 0)

    def carried(
        self, q: tuple[int, int, int, int], p: tuple[int, int, int, int]
    ) -> tuple[int, int, int, int]:
        return (p[0], p[1], p[2], q[3])


EINSTEINS: list[Any] = [
    pytest.param({}, marks=pytest.mark.slow),
    pytest.param({"rows": 2, "columns": 4, "stones": 2}, marks=pytest.mark.slow),
    pytest.param({"rows": 4, "stones": 2, "die": (1, 2)}, marks=pytest.mark.slow),
    pytest.param({"rows": 3, "stones": 3, "die": (1, 0, 2, 1)}, marks=pytest.mark.slow),
    pytest.param(
        {"rows": 3, "columns": 4, "stones": 3, "cells": (0, 1, 4), "opposite": (0, 2, 5)},
        marks=pytest.mark.slow,
    ),
]


def anchors(game: Game, many: int) -> list[Any]:
    """Some anchors that random play reaches, with the same seed always."""
    found = dict.fromkeys(positions(game, 10 * many, 12))
    return [p for p in found if game.anchor(p) and game.to_move(p) == CHANCE][:many]


@pytest.mark.parametrize("given", EINSTEINS, ids=str)
def test_einstein_as_solved(given: dict[str, Any]) -> None:
    game = Einstein(**given)
    solved, value, some = solve(game, exact=True), full(game), anchors(game, 60)
    for p, found in zip(some, searches(game, some), strict=True):
        assert found.exact == shown(game, p, value(p)), game.text(p)
    board = game.start()
    assert search(game, board).exact == solved.value(board).exact


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(1, 2, marks=pytest.mark.slow),
        pytest.param(1, 1, marks=pytest.mark.slow),
        pytest.param(5, 2, marks=pytest.mark.slow),
    ],
)
def test_either_player_on_turn(first: int, second: int, *, guessed: bool) -> None:
    game = Ladder(first=first, second=second, guessed=guessed)
    value, some = full(game), anchors(game, 40)
    assert {p[2] for p in some} == {0, 1}
    for p in some:
        found = search(game, p)
        assert (found.exact, found.stopped) == (value(p), ""), p
    assert solve(game, exact=True).value(game.start()).exact == search(game).exact


@pytest.mark.parametrize(
    ("slots", "threads"),
    [
        pytest.param(4, 1, marks=pytest.mark.slow),
        pytest.param(64, 1, marks=pytest.mark.slow),
        (4, 3),
        pytest.param(4096, 2, marks=pytest.mark.slow),
    ],
)
def test_table_and_threads_change_no_value(slots: int, threads: int) -> None:
    game = load("einstein", ["rows=4", "stones=3", "placement=given"])
    if slots < 100:
        game = load("einstein", ["rows=3", "stones=3", "placement=given"])
    found = search(game, slots=slots, threads=threads)
    small = slots < 100
    assert found.exact == (Fraction(170, 243) if small else Fraction(7909618, 14348907))


@pytest.mark.slow
def test_stopped_searches_give_bounds() -> None:
    game = load("einstein", ["rows=4", "stones=3", "placement=given"])
    value, widths = Fraction(7909618, 14348907), []
    for nodes in (1, 10, 100, 1000, 3000):
        found = search(game, nodes=nodes)
        assert found.lower <= value <= found.upper
        assert found.stopped == "nodes"
        widths.append(found.upper - found.lower)
    assert widths == sorted(widths, reverse=True)
    assert 0 < widths[-1] < widths[0]


def test_window_ends_a_search_early() -> None:
    game = load("einstein", ["rows=3", "stones=3", "placement=given"])
    whole, part = search(game), search(game, window=(Fraction(0), Fraction(1, 4)))
    assert part.lower >= Fraction(1, 4)
    assert part.counts.nodes < whole.counts.nodes


def test_table_must_fit_in_memory() -> None:
    with pytest.raises(UsageError, match="does not fit"):
        search(load("einstein"), size=2**50)


@pytest.mark.slow
def test_later_searches_know_what_earlier_ones_found() -> None:
    game = load("einstein", ["rows=4", "stones=3"])
    boards = list(game.starts())[:3]
    found = list(searches(game, [*boards, boards[0]]))
    assert [each.exact for each in found[:3]] == [search(game, p).exact for p in boards]
    assert found[3].exact == found[0].exact
    assert found[3].counts.nodes < found[0].counts.nodes / 10


@pytest.mark.slow
def test_line_is_best_play() -> None:
    game = load("einstein", ["rows=3", "placement=given"])
    found = search(game)
    assert found.move is None
    assert len(found.line) >= 3
    assert found.line[0].startswith("chance")
    inside = game.parse(game.text(game.start()).replace("rolls", "moves 1"))
    moved = search(game, inside)
    solved = solve(game, exact=True)
    best = max(solved.moves(inside), key=lambda m: m.value.exact)
    assert moved.exact == best.value.exact


@dataclass(frozen=True)
class Uneven(Ladder):
    """Chance has other sums of weights later than at the start: a common denominator fails."""

    def chances(
        self, p: tuple[int, int, int, int]
    ) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
        yield 1 if p[0] + p[1] == 0 else 6, (p[0], p[1], p[2], 1)
        yield 1, (p[0], p[1], p[2], 2)


@pytest.mark.slow
def test_other_games_are_searched_position_by_position() -> None:
    game = Uneven(top=4)
    found = search(game)
    assert found.exact == full(game)(game.start())


# -- Shapes without names. ------------------------------------------------------------------------


@pytest.mark.parametrize("given", EINSTEINS, ids=str)
def test_shapes_bound_all_positions(given: dict[str, Any]) -> None:
    game = Einstein(**given)
    p = game.representative(game.start())
    table = unlabelled_table(NativeTurns(game), p, pairs=True)
    known = {row[UNLABELLED_KEY]: row for row in table.tolist() if row[UNLABELLED_GUESS] != EMPTY}
    value, seen = full(game), []
    if not known:  # some names are never called
        assert 0 in game.die[: game.stones]
        return
    for q in map(game.representative, anchors(game, 600)):
        row = known[game.unlabelled_key(q)]
        assert (
            row[UNLABELLED_LOW] / UNLABELLED_FINE
            <= value(q)
            <= row[UNLABELLED_HIGH] / UNLABELLED_FINE
        )
        assert row[UNLABELLED_LOW] <= row[UNLABELLED_GUESS] <= row[UNLABELLED_HIGH]
        seen.append(abs(row[UNLABELLED_GUESS] / UNLABELLED_FINE - float(value(q))))
    assert np.mean(seen) < 0.2


@pytest.mark.slow
def test_names_that_matter_are_told_apart() -> None:
    """Two of four stones are about to win; it depends on names whether the missing face helps."""
    game = Einstein(rows=4, stones=5)
    p = game.parse(".a.3/.e../..54/.2.., player 1 rolls")
    table = unlabelled_table(NativeTurns(game), p, pairs=True)
    row = next(r for r in table.tolist() if r[UNLABELLED_KEY] == game.unlabelled_key(p))
    assert row[UNLABELLED_LOW] / UNLABELLED_FINE == pytest.approx(-0.2)
    assert row[UNLABELLED_HIGH] / UNLABELLED_FINE == pytest.approx(0.2)
    assert search(game, p).exact == Fraction(2, 5)


@pytest.mark.slow
def test_too_many_shapes_are_not_looked_for() -> None:
    game = Einstein(rows=5, stones=6)
    p = game.representative(game.start())
    assert not len(unlabelled_table(NativeTurns(game), p, pairs=True))
    found = search(game, nodes=2000)
    assert found.stopped == "nodes"
    assert 0 <= found.lower < found.upper <= 1


def test_search_goes_by_turns() -> None:
    game = Einstein(placement="given")
    p = game.representative(game.start())
    found = search_facts(game, p)
    assert fits_turns(game, p, found)
    assert not fits_turns(load("cant-stop"), load("cant-stop").start(), found)
    searcher = TurnSearch(game, p, found, 1 << 10)
    assert searcher.unit == 3 ** fixed_point.most_power(3, 1)


# -- Numbers. -------------------------------------------------------------------------------------


@kernel
def _tried(a: Pair, b: Pair, w: int) -> Any:
    return (
        fixed_point.less(a, b),
        fixed_point.plus(a, b),
        fixed_point.minus(a),
        fixed_point.turned(a),
        fixed_point.over(a, w),
        fixed_point.over_up(a, w),
        fixed_point.as_float(a, 1.0),
    )


@kernel
def _product(a: Pair, w: int) -> Any:
    return fixed_point.times(a, w)


def test_numbers_of_two_words() -> None:
    dice = random.Random(3)
    for _ in range(3000):
        a, b = (dice.choice([-1, 1]) * dice.getrandbits(dice.randrange(1, 126)) for _ in range(2))
        w = dice.choice([1, 2, 3, 6, 2**31 - 1, dice.randrange(1, 2**31)])
        less, plus, minus, turned, down, up, about = _tried(
            fixed_point.wide(a), fixed_point.wide(b), w
        )
        assert less == (a < b)
        assert [fixed_point.narrow(*x) for x in (plus, minus, turned)] == [a + b, -a, 1 - a]
        assert [fixed_point.narrow(*x) for x in (down, up)] == [a // w, -(-a // w)]
        assert about == pytest.approx(float(a), rel=1e-15, abs=2**12)
        small = a >> 32
        assert fixed_point.narrow(*_product(fixed_point.wide(small), w)) == small * w


def test_floats_as_numbers() -> None:
    unit = float(6**46)
    for x in (0.0, 1.0, -1.0, 0.3, -0.3, 1e-9, -1e-30, 0.999999):
        high, low = fixed_point.from_float(x, unit)
        assert (
            abs(fixed_point.narrow(high, low) - Fraction(x) * 6**46)
            <= abs(x) * 6**46 * 1e-15 + 2**12
        )


def test_denominators_leave_room_for_sums() -> None:
    for total, largest in ((2, 1), (6, 1), (36, 100), (7776, 9)):
        power = fixed_point.most_power(total, largest)
        assert (
            largest * total ** (power + 1) < 2**fixed_point.BITS <= largest * total ** (power + 2)
        )
