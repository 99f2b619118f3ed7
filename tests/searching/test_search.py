"""Search: the same values as plain recursion over all of play, whatever its table, threads and
hints; bounds that hold when it is stopped; errors that say what to do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from perfectplay import (
    CHANCE,
    OVER,
    Game,
    NoSolverError,
    SearchGuides,
    TableError,
    UsageError,
    load,
    search,
    solve,
)
from perfectplay.rules.game import alternate
from perfectplay.searching.search_facts import search_facts

GAMES = [
    ("noughts-and-crosses", []),
    ("risk", ["attackers=4", "defenders=3", "attacker_chooses=true", "defender_chooses=true"]),
    ("dots-and-boxes", ["rows=2", "columns=2"]),
    ("mastermind", ["pegs=2", "colours=3"]),
    ("kalah", ["pits=2", "seeds=2"]),
    ("einstein", ["stones=2"]),
]


def full(game: Game) -> Callable[[Any], Fraction]:
    """The value of any position to player 0 (in alternate play: to the player to move), by plain
    recursion; of payoffs that are pairs, the difference."""
    known: dict[Any, Fraction] = {}

    def value(p: Any) -> Fraction:
        if p not in known:
            known[p] = expected(p) if game.to_move(p) == CHANCE else chosen(p)
        return known[p]

    def expected(p: Any) -> Fraction:
        events = [(int(weight), q) for weight, q in game.chances(p)]
        return sum(w * value(q) for w, q in events) / Fraction(sum(w for w, _ in events))

    def chosen(p: Any) -> Fraction:
        player = game.to_move(p)
        moves = [] if player == OVER else list(game.moves(p))
        if not moves:
            paid = game.payoff(p)
            return Fraction(paid[0] - paid[1] if isinstance(paid, tuple) else int(paid))
        worths = []
        for m in moves:
            earned = int(game.reward(p, m))
            after = value(game.play(p, m))
            worths.append(-after + earned if alternate(game) else after + (-1) ** player * earned)
        return min(worths) if player == 1 or game.minimise else max(worths)

    return value


def shown(game: Game, p: Any, stored: Fraction) -> Fraction:
    """A value of `full` as a search shows it: to the player to move."""
    found = search_facts(game, p)
    second = not alternate(game) and game.to_move(p) == 1
    mine = -stored if second else stored
    return (mine + (found.sum or 0)) / 2 if found.pairs else mine


def positions(game: Game, number: int, plies: int, seed: int = 0) -> Iterator[Any]:
    """Positions that random play reaches; the game of lines only near its end."""
    dice = random.Random(seed)
    least = 5 if type(game).__name__ == "DotsAndBoxes" else 0
    for _ in range(number):
        p = game.start()
        for _ in range(dice.randrange(least, least + plies)):
            player = game.to_move(p)
            if player == CHANCE:
                p = dice.choice([q for _, q in game.chances(p)])
            else:
                moves = [] if player == OVER else list(game.moves(p))
                if not moves:
                    break
                p = game.play(p, dice.choice(moves))
        yield p


SLOW = {"mastermind", "noughts-and-crosses", "dots-and-boxes", "kalah", "einstein", "risk"}
"""Compiling their search takes longest."""
COMPILED = [
    pytest.param(name, given, marks=[pytest.mark.slow] * (name in SLOW), id=name)
    for name, given in GAMES
]


@pytest.mark.parametrize(("name", "given"), COMPILED)
def test_search_equals_expectiminimax(name: str, given: list[str]) -> None:
    game = load(name, given)
    value = full(game)
    for number, p in enumerate(positions(game, 200, 8)):
        threads = 1 + number % 2
        slots = (1, 7, 1000, None)[number % 4] if number % 8 else 0
        found = search(game, p, threads=threads, slots=slots)
        assert found.exact == shown(game, p, value(p)), game.text(p)
        assert found.stopped == ""


@pytest.mark.parametrize(("name", "given"), GAMES, ids=[name for name, _ in GAMES])
def test_interpreted_searches_are_the_same(name: str, given: list[str]) -> None:
    game = load(name, given)
    value = full(game)
    for p in positions(game, 12, 8, seed=1):
        found = search(game, p, plain=True)
        assert found.exact == shown(game, p, value(p)), game.text(p)


@pytest.mark.parametrize(("name", "given"), COMPILED)
def test_stopped_searches_give_bounds(name: str, given: list[str]) -> None:
    game = load(name, given)
    value = full(game)
    open_ = 0
    for number, p in enumerate(positions(game, 40, 4, seed=2)):
        found = search(game, p, nodes=2 + 5 * number, plain=number % 8 == 7)
        assert found.lower <= shown(game, p, value(p)) <= found.upper, game.text(p)
        assert (found.stopped == "nodes") == (found.exact is None)
        open_ += found.exact is None
    assert open_ > 0


@dataclass(frozen=True)
class Dice(SearchGuides, Game):
    """A race to build a number: roll a die for the other player or oneself, a few times. The hint
    may be good, absent or as bad as can be."""

    rounds: int = 4
    manner: int = 0
    wide: int = 100

    native = True

    def start(self) -> tuple[int, int, int, int]:
        return (self.rounds, 0, 0, 0)

    def to_move(self, p: tuple[int, int, int, int]) -> int:
        if p[0] == 0:
            return OVER
        return CHANCE if p[2] else p[3]

    def moves(self, p: tuple[int, int, int, int]) -> Iterator[int]:
        yield 1
        yield 2
        yield 3

    def play(self, p: tuple[int, int, int, int], m: int) -> tuple[int, int, int, int]:
        return (p[0], p[1], m, p[3])

    def chances(
        self, p: tuple[int, int, int, int]
    ) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
        sign = 1 if p[3] == 0 else -1
        for face in range(1, 4):
            gain = face if p[2] == 1 else 2 * face - 2 if p[2] == 2 else 7 - 3 * face
            yield face, (p[0] - 1, p[1] + sign * gain, 0, 1 - p[3])

    def payoff(self, p: tuple[int, int, int, int]) -> int:
        return p[1] * p[1] * (1 if p[1] > 0 else -1)

    def stratum(self, p: tuple[int, int, int, int]) -> int:
        return 2 * p[0] + (p[2] == 0)

    def bounds(self, p: tuple[int, int, int, int]) -> tuple[int, int]:
        return (-self.wide, self.wide)

    def hint(self, p: tuple[int, int, int, int], m: int) -> int:
        return self.manner * (10 if m == 2 else m)


def test_hints_change_no_value() -> None:
    values, nodes = set(), set()
    for manner in (0, 1, -1):
        found = search(Dice(manner=manner))
        values.add(found.exact)
        nodes.add(found.counts.nodes)
        assert search(Dice(manner=manner), plain=True).exact == found.exact
    assert values == {full(Dice())(Dice().start())}
    assert len(nodes) > 1


def test_cuts_are_made_and_counted() -> None:
    found = search(Dice(rounds=6, wide=600)).counts
    assert found.alpha_cuts + found.beta_cuts > 0
    assert found.star1_cuts + found.star2_cuts > 0
    assert found.probes > 0
    assert 0 < found.table_hits <= found.table_looks
    assert search(load("noughts-and-crosses")).counts.beta_cuts > 0


def test_without_room_numbers_are_rounded_outwards() -> None:
    """Dice of many sides need more than 64 bits after some throws."""
    game = Chain()
    value = full(game)(game.start())
    found = search(game)
    assert found.stopped == "rounding"
    assert found.lower < value < found.upper
    assert found.upper - found.lower < 1e-12
    assert search(game, exact=True).exact == value
    assert search(game, plain=True).exact == value


@dataclass(frozen=True)
class Chain(Game):
    """Throw a die of 101 sides again and again; the value is a fraction with many digits."""

    throws: int = 12

    players = 1
    native = True

    def start(self) -> int:
        return self.throws

    def to_move(self, p: int) -> int:
        return CHANCE if p > 0 else OVER

    def moves(self, p: int) -> Iterator[int]:
        if p > 1000:
            yield 1

    def play(self, p: int, m: int) -> int:
        return p - m

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        yield 37, p - 1
        yield 64, 0 if p % 3 else -1

    def payoff(self, p: int) -> int:
        return 1 if p == 0 else 0


def test_windows_end_a_search_early() -> None:
    whole = search(Dice())
    assert whole.exact is not None
    found = search(Dice(), window=(whole.exact - 3, whole.exact - 2))
    assert whole.exact - 2 <= found.lower <= whole.exact
    assert found.counts.nodes < whole.counts.nodes
    won = search(load("noughts-and-crosses"), window=(0, 1))
    assert won.upper <= 0


def test_endgame_tables_are_used() -> None:
    short, long = load("fibonacci-nim", ["heap=15"]), load("fibonacci-nim", ["heap=40"])
    alone = search(long)
    found = search(long, table=solve(short))
    assert found.exact == alone.exact
    assert found.counts.endgame_hits > 0
    assert found.counts.nodes < alone.counts.nodes
    plain = search(long, table=solve(short, plain=True), plain=True)
    assert plain.exact == alone.exact
    assert plain.counts.endgame_hits > 0


@pytest.mark.slow
def test_endgames_with_chance(tmp_path: Any) -> None:
    game = load("risk", ["attackers=5", "defenders=5"])
    value = search(game).exact
    solve(game, tmp_path / "risk")
    bounds = search(game, table=tmp_path / "risk")
    assert bounds.lower <= value <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-12
    exact = search(game, table=solve(game, exact=True))
    assert exact.exact == value


def test_endgame_tables_of_other_rules_are_refused() -> None:
    other = solve(load("mnk", ["width=3", "height=2", "line=3"]))
    with pytest.raises(TableError, match="height"):
        search(load("mnk"), table=other)
    with pytest.raises(TableError, match="other rules"):
        search(load("connect"), table=other)


@pytest.mark.slow
def test_circles_leave_bounds() -> None:
    found = search(load("ovid"), nodes=200_000)
    assert found.lower <= solve(load("ovid")).value(load("ovid").start()).lower <= found.upper
    found = search(load("piglet", ["goal=2"]))
    assert found.stopped == "circles"
    assert found.lower <= Fraction(4, 7) <= found.upper


@pytest.mark.parametrize("name", ["ovid", pytest.param("mu-torere", marks=pytest.mark.slow)])
def test_what_is_proved_in_circles_is_true(name: str) -> None:
    game = load(name)
    solution = solve(game)
    decided = 0
    for p in positions(game, 40, 30, seed=3):
        found = search(game, p, nodes=3000)
        true = solution.value(p).lower
        assert found.lower <= true <= found.upper, game.text(p)
        decided += found.exact is not None
    assert decided > 0 or name == "mu-torere"  # where all is a draw by endless play


@dataclass(frozen=True)
class Corridor(Game):
    """Both push one token along a corridor; who pushes it out at its beginning wins."""

    length: int = 10_000

    def start(self) -> int:
        return 2

    def moves(self, p: int) -> list[int]:
        return [step for step in (2, 1, -1, -2) if p and p + step < self.length]

    def play(self, p: int, m: int) -> int:
        return max(p + m, 0)


def test_what_is_near_is_found_before_paths_run_deep() -> None:
    found = search(Corridor(), nodes=500)
    near = solve(Corridor(30))
    assert found.exact == near.value(2).lower == 1
    assert near.value(near.game.play(2, found.move)).lower == -found.exact


def test_line_and_move_lead_to_the_end() -> None:
    game = load("qubic", ["depth=3"])
    found = search(game)
    assert str(found.value) == "win"
    p = game.start()
    for text in found.line:
        p = game.play(p, next(m for m in game.moves(p) if game.move_text(p, m) == text))
    assert not list(game.moves(p))
    assert found.move is not None


def test_bad_requests_are_refused() -> None:
    game = load("noughts-and-crosses")
    for wrong in ({"threads": 0}, {"nodes": 0}, {"seconds": 0}, {"window": (1, 1)}, {"size": -1}):
        with pytest.raises(UsageError):
            search(game, **wrong)  # type: ignore[arg-type]
    with pytest.raises(NoSolverError, match="3 players"):
        search(load("pig", ["players=3"]))


def test_seconds_stop_a_search() -> None:
    found = search(load("connect"), seconds=0.3)
    assert found.stopped == "seconds"
    assert (found.lower, found.upper) == (-1, 1)
    assert found.value_text == "between loss and win"
    assert math.isfinite(found.seconds)
    assert found.seconds < 3
