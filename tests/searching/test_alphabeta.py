"""Alpha-beta on integers against plain minimax: 1,000 positions of eight games, drawn at random,
with and without what rules may add; both kinds of tables; several threads; limits."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

from perfectplay import (
    EnoughMoves,
    Game,
    SearchGuides,
    UsageError,
    check,
    load,
    search,
    searches,
    solve,
)
from perfectplay.compiled import intrinsics_numba  # noqa: F401 - says what `uncounted` does
from perfectplay.compiled.intrinsics import uncounted
from perfectplay.errors import NoSolverError
from perfectplay.rules.game import alternate, declares
from perfectplay.rules.search_capabilities import enough_moves
from perfectplay.searching.alphabeta import search as alphabeta
from perfectplay.searching.alphabeta.layout import packed_layout
from perfectplay.searching.methods import METHODS

SMALL_GAMES = {
    "connect": {"width": 4, "height": 4, "line": 3},
    "connect mirrored": {"width": 4, "height": 3, "line": 3, "symmetry": True},
    "mnk": {"width": 3, "height": 3, "line": 3, "misere": True},
    "kalah": {"pits": 2, "seeds": 2},
    "dots-and-boxes": {"rows": 2, "columns": 2},
    "subtraction": {},
    "fibonacci-nim": {},
    "nim": {},
}


def played(game: Game, rng: random.Random) -> Any:
    """A position after some random moves."""
    p = game.start()
    for _ in range(rng.randrange(12)):
        moves = list(game.moves(p)) if game.to_move(p) >= 0 else []
        if not moves:
            break
        p = game.play(p, rng.choice(moves))
    return p


def minimax(game: Game) -> Any:
    """A function that gives the value of a position to player 0 of its frame: plain minimax."""

    @cache
    def value(p: Any) -> int:
        kind = game.to_move(p)
        moves = list(game.moves(p)) if kind >= 0 else []
        if not moves:
            paid = game.payoff(p)
            return int(paid[0] - paid[1] if isinstance(paid, tuple) else paid)
        sign = -1 if kind == 1 else 1
        swap = -1 if alternate(game) else 1
        worth = (
            sign * swap * value(game.play(p, m)) + int(game.reward(p, m)) for m in moves
        )  # fmt: skip
        return sign * max(worth)

    return value


def seen(game: Game, p: Any, value: int) -> int:
    """A value to player 0, as the player to move sees it."""
    return -value if game.to_move(p) == 1 else value


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_positions_of_eight_games_are_worth_what_minimax_finds(name: str) -> None:
    game = load(name.split(maxsplit=1)[0], SMALL_GAMES[name])
    rng, value = random.Random(name), minimax(game)
    positions = list(dict.fromkeys(played(game, rng) for _ in range(125)))
    for p, found in zip(
        positions, searches(game, positions, size=2**16, method="alpha-beta"), strict=True
    ):
        assert found.method == "alpha-beta"
        assert found.exact == seen(game, p, value(p)), game.text(p)
        if found.move is not None:
            q = game.play(p, found.move)
            swap = -1 if alternate(game) else 1
            earned = int(game.reward(p, found.move)) * (-1 if game.to_move(p) == 1 else 1)
            assert swap * value(q) + earned == value(p), game.text(p)


@pytest.mark.parametrize("size", [0, 2**10, 2**22])
def test_tables_of_any_size_give_the_same(size: int) -> None:
    game = load("connect", {"width": 4, "height": 4})
    assert search(game, size=size, method="alpha-beta").exact == 0


class Pair(NamedTuple):
    """Arrays of two types."""

    first: Any
    second: Any


@njit  # type: ignore[untyped-decorator]
def fill_and_sum(pair: Pair) -> int:
    pair = uncounted(pair)
    pair.second[1, 2] = 7.0
    total = 0
    for i in range(len(pair.first)):
        total += pair.first[i]
    return total


def test_arrays_without_counted_references_are_the_same_arrays() -> None:
    pair = Pair(np.arange(5), np.zeros((2, 3)))
    before = [sys.getrefcount(array) for array in pair]
    assert fill_and_sum(pair) == 10
    assert pair.second[1, 2] == 7
    assert [sys.getrefcount(array) for array in pair] == before


def test_threads_give_the_same() -> None:
    game = load("connect", {"width": 5, "height": 4})
    assert search(game, threads=3).exact == 0


# -- What rules may add. --------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain(Game):
    """Pick a digit of a number, twelve times; the players' sums are compared. Two digits are
    always equal, so half of the moves are enough."""

    digits: int = 8
    seed: int = 0
    native = True

    def start(self) -> tuple[int, int, int]:
        return (0, 0, 0)

    def worth(self, i: int) -> int:
        """What a digit is worth: digits 2k and 2k + 1 the same."""
        return ((i // 2) * 7 + self.seed) % 5

    def to_move(self, p: tuple[int, int, int]) -> int:
        return p[2]

    def moves(self, p: tuple[int, int, int]) -> Iterator[int]:
        for i in range(self.digits):
            if not p[0] >> i & 1:
                yield i

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        gain = self.worth(m) if p[2] == 0 else -self.worth(m)
        mover = p[2] if m % 3 == 0 and p[0] >> 9 == 0 else 1 - p[2]  # some moves give another
        return (p[0] | 1 << m, p[1] + gain, mover)

    def payoff(self, p: tuple[int, int, int]) -> int:
        return p[1]


@dataclass(frozen=True)
class Guided(EnoughMoves, SearchGuides, Plain):
    """The same, with all that a search can use: of digits worth the same that give a move in the
    same way, one is enough."""

    wrong: bool = False

    def enough(self, p: tuple[int, int, int]) -> Iterator[int]:
        for i in range(self.digits):
            if not p[0] >> i & 1:
                twin = i ^ 1
                same = (i % 3 == 0) == (twin % 3 == 0)
                if self.wrong or not (twin < i and same and not p[0] >> twin & 1):
                    yield i
                    if self.wrong:
                        break

    def hint(self, p: tuple[int, int, int], m: int) -> int:
        return self.worth(m)

    def bounds(self, p: tuple[int, int, int]) -> tuple[int, int]:
        left = 0
        for i in range(self.digits):
            if not p[0] >> i & 1:
                left += self.worth(i)
        return (p[1] - left, p[1] + left)


@pytest.mark.parametrize("kind", [Plain, Guided])
def test_guides_and_enough_change_no_value(kind: type[Any]) -> None:
    game, rng = kind(seed=1), random.Random(1)
    value = minimax(Plain(seed=1))
    for p in [game.start(), *(played(game, rng) for _ in range(24))]:
        found = search(game, p, method="alpha-beta")
        assert found.exact == seen(game, p, value(p))


GUIDED = [
    ("connect", "enough"), ("connect", "hint"), ("connect", "bounds"), ("mnk", "enough"),
    ("mnk", "hint"), ("mnk", "bounds"), ("kalah", "hint"), ("kalah", "bounds"),
    ("dots-and-boxes", "hint"), ("dots-and-boxes", "bounds"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "left_out"), GUIDED)
@pytest.mark.parametrize("method", ["alpha-beta", "proof"])
def test_what_rules_add_changes_no_value(name: str, left_out: str, method: str) -> None:
    game = load(name, SMALL_GAMES[name])
    if not declares(game, left_out):
        pytest.skip(f"{name} has no {left_out}")
    kind = EnoughMoves if left_out == "enough" else SearchGuides
    bare = type("Bare", (type(game),), {left_out: getattr(kind, left_out)})
    less = bare(**SMALL_GAMES[name])
    assert not declares(less, left_out)
    rng, value = random.Random(left_out), minimax(game)
    positions = list(dict.fromkeys(played(game, rng) for _ in range(60)))
    for p, found in zip(
        positions, searches(less, positions, size=2**18, method=method), strict=True
    ):
        assert (found.method, found.exact) == (method, seen(game, p, value(p))), game.text(p)


def test_check_tries_enough() -> None:
    assert check(Guided(digits=6)).ok
    wrong = check(Guided(digits=6, wrong=True))
    assert [problem.method for problem in wrong.problems] == ["enough"]


@pytest.mark.parametrize(
    "shape", [{}, pytest.param({"width": 5, "height": 3, "line": 3}, marks=pytest.mark.slow)]
)
def test_enough_of_connect_holds_a_best_move(shape: dict[str, int]) -> None:
    game = load("connect", {"width": 4, "height": 4, **shape})
    assert check(game, limit=200_000, plays=0).ok if shape else True
    value, rng = minimax(game), random.Random(1)
    for _ in range(300):
        p = played(game, rng)
        chosen = enough_moves(game, p)
        assert set(chosen) <= set(game.moves(p))
        assert bool(chosen) == bool(list(game.moves(p)))
        if chosen:
            assert max(-value(game.play(p, m)) for m in chosen) == value(p)
        least, most = game.bounds(p)
        assert least <= value(p) <= most


# -- Distance. ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["connect", "mnk"])
def test_distances_are_those_of_a_table(name: str) -> None:
    game = load(name, SMALL_GAMES[name])
    solution, rng = solve(game), random.Random(name)
    positions = list(dict.fromkeys(played(game, rng) for _ in range(40)))
    for p, found in zip(positions, searches(game, positions, distance=True), strict=True):
        value = solution.value(p)
        assert (found.exact, found.stopped) == (value.lower, ""), game.text(p)
        assert found.depth == (value.depth if value.lower else None), game.text(p)
        assert found.value == value or not value.lower


def test_distances_of_scores_are_refused() -> None:
    with pytest.raises(NoSolverError, match="no search finds distances here: distances are of"):
        search(load("kalah", SMALL_GAMES["kalah"]), distance=True)


# -- Limits, and what does not serve. -------------------------------------------------------------


def test_nodes_stop_a_search_and_bounds_hold() -> None:
    found = search(load("connect", {"width": 5, "height": 4}), nodes=2_000)
    assert (found.stopped, found.method) == ("nodes", "alpha-beta")
    assert found.lower <= 0 <= found.upper
    assert found.counts.nodes <= 2_000


@dataclass(frozen=True)
class Round(Game):
    """Go round a ring of seven stations; whoever reaches station `end`, if there is one, wins."""

    end: int = 3

    native = True

    def start(self) -> int:
        return 5

    def moves(self, p: int) -> Iterator[int]:
        if p != self.end:
            yield 1
            yield 2

    def play(self, p: int, m: int) -> int:
        return (p + m) % 7


def test_a_win_may_be_found_in_spite_of_cycles() -> None:
    found, twin = search(Round()), search(Round(), plain=True)
    assert (found.value_text, found.stopped) == (twin.value_text, twin.stopped) == ("win", "")


def test_paths_without_end_are_left_to_another_method() -> None:
    found, twin = search(Round(end=9)), search(Round(end=9), plain=True)
    words = found.value_text, found.stopped
    assert (found.method, *words) == ("proof", twin.value_text, twin.stopped)


def test_a_method_that_does_not_serve_says_why() -> None:
    with pytest.raises(NoSolverError, match="alpha-beta does not serve: it is for two"):
        search(load("pig"), method="alpha-beta")
    with pytest.raises(UsageError, match="there is no method 'magic'"):
        search(load("pig"), method="magic")
    assert list(METHODS)[-1] == "positions"


@pytest.mark.slow
def test_long_positions_and_large_values_get_a_wide_table(monkeypatch: Any) -> None:
    @dataclass(frozen=True)
    class Long(Plain):
        far: int = 0

        def payoff(self, p: tuple[int, int, int]) -> int:
            return 1000 * p[1]

    assert search(Long(digits=6)).exact == 1000 * minimax(Plain(digits=6))((0, 0, 0))
    layout = packed_layout(2**12, 1)
    assert layout is not None
    assert layout.key_bits < 64
    monkeypatch.setattr(alphabeta, "packed_layout", lambda slots, most: replace_bits(layout))
    game = load("connect", {"width": 5, "height": 4})
    assert search(game, method="alpha-beta").exact == 0  # positions of more than 20 bits


def replace_bits(layout: Any) -> Any:
    """The layout with shorter keys."""
    return layout._replace(key_bits=20)
