"""Forecasts: what random play shows is never more than there is, and what is too large is refused
in time, also where the first positions alone are too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.errors import TooLargeError
from perfectplay.positions.expand import expander
from perfectplay.positions.explore import Explorer
from perfectplay.positions.unlabelled import Unlabelled
from perfectplay.progress import Silent
from perfectplay.rules.game import Game
from perfectplay.rules.load import load
from perfectplay.solving import estimate, plan_turns
from perfectplay.solving.budget import OFTEN, Budget
from perfectplay.solving.plan import Pace, Plan, plan
from perfectplay.solving.plan_unlabelled import UnlabelledPlan, _first, plan_unlabelled
from perfectplay.solving.route import Home, along
from perfectplay.strata.stratum_queue import StratumQueue
from perfectplay.verification.check import check


@dataclass(frozen=True)
class Starts(Game):
    """Take 1 or 2 from any heap there is."""

    most: int = 0
    """Heaps to begin with; 0: without end."""

    def starts(self) -> Iterator[int]:
        heap = 0
        while not self.most or heap < self.most:
            heap += 1
            yield heap

    def moves(self, p: int) -> Iterator[int]:
        yield from range(1, min(p, 2) + 1)

    def play(self, p: int, take: int) -> int:
        return p - take


@dataclass(frozen=True)
class CompiledStarts(Starts):
    """The same, compiled."""

    native = True

    def moves(self, p: int) -> Iterator[int]:
        for take in range(1, min(p, 2) + 1):
            yield take


@pytest.mark.parametrize("kind", [Starts, CompiledStarts])
def test_first_positions_without_end_are_refused(kind: type[Starts]) -> None:
    with pytest.raises(TooLargeError, match="more than 65,536 positions"):
        solve(kind(), memory=20_000_000)
    found = plan(kind(), memory=20_000_000, seconds=1.0)
    assert (found.complete, found.fits) == (False, False)
    found = plan(kind(), seconds=0.3)
    assert (found.complete, found.fits) == (False, None)
    assert found.positions > 10_000
    report = check(kind())
    assert report.ok
    assert not report.complete


@pytest.mark.parametrize("kind", [Starts, CompiledStarts])
def test_many_first_positions_that_fit_are_solved(kind: type[Starts]) -> None:
    assert solve(kind(40_000)).report["positions"] == 40_001


@pytest.mark.parametrize(
    ("name", "parameters", "positions"),
    [
        ("noughts-and-crosses", {}, 5478),
        ("connect", {"width": 4, "height": 4}, 161_029),
        ("sliding", {}, 181_440),
        ("mu-torere", {}, 1187),
        ("pig", {"goal": 20}, 6593),
        ("obstgarten", {}, 28_000),
    ],
)
def test_random_play_shows_no_more_than_there_is(
    name: str, parameters: dict[str, int], positions: int
) -> None:
    rules = expander(load(name, parameters))
    rules.expand(rules.starts()[0])  # compiles, which takes time
    shown = [estimate.at_least(Explorer(rules), 0.3, seed=seed) for seed in range(3)]
    assert 0 < max(shown) <= positions


def test_children_of_one_play_are_no_meetings() -> None:
    """Three plays whose children are the same among themselves meet nowhere."""
    play = np.repeat(np.arange(3), 4)
    apart = estimate._shown_by(play.astype(np.uint64), play)
    together = estimate._shown_by(np.zeros(12, np.uint64), play)
    assert apart == 144 * 2 // (2 * 3 * 12)
    assert together < apart


# -- Claims. -------------------------------------------------------------------------------------


def test_a_game_of_which_the_first_strata_were_seen_is_not_said_to_fit() -> None:
    """Four in a row on 7 x 6 has 4,531,985,219,092 positions."""
    found = plan(load("connect"), memory=10**17, seconds=0.3)
    assert isinstance(found, Plan)
    assert (found.complete, found.estimate, found.fits) == (False, None, None)
    assert found.positions <= 4_531_985_219_092
    assert "fits       unknown" in str(found)


def layered(sizes: dict[int, int]) -> StratumQueue:
    layers = StratumQueue(None)
    layers.sizes.update(sizes)
    return layers


def test_growth_is_not_continued_over_numbers_that_name_strata() -> None:
    """Strata as blanks * 32 + x, of which x is one of a few: hundreds of numbers hold nothing."""
    named = {32 * (40 - blanks) + x: 3**blanks for blanks in range(12) for x in (0, 5)}
    assert estimate.projected(layered(named)) is None
    assert estimate.expected(layered(named), 10**9) == 10**9
    uneven = {64 - i: 10**6 if i % 2 else 10 for i in range(11)} | {53: 10**7}
    assert estimate.projected(layered(uneven)) is None  # large and small in turn
    steady = {40 - i: 2**i for i in range(20)}
    assert 2**20 <= (estimate.projected(layered(steady)) or 0) < 2**41


def a_plan(**given: Any) -> Plan:
    return Plan(
        **{
            "game": "some", "parameters": {}, "complete": False, "positions": 10**6,
            "estimate": None, "growth": None, "edges_per_position": 3.0, "strata": 9,
            "largest_stratum": 10**5, "rate": 1e6, "width": 1, "bytes_per_position": 20,
            "budget": 10**40, **given,
        }
    )  # fmt: skip


def test_growth_that_was_continued_far_decides_nothing() -> None:
    far = a_plan(estimate=10**30)
    assert far.fits is None
    assert "perhaps 1.0e+30 positions (more than 1,000,000)" in str(far)
    near = a_plan(estimate=10**7)
    assert near.fits is True
    assert "about 10,000,000 positions" in str(near)
    assert a_plan(estimate=10**30, most=10**30).fits is True  # the rules say so


def test_a_rate_of_nothing_is_not_told() -> None:
    assert "time       unknown" in str(a_plan(rate=0.0))


def test_without_time_to_expand_anything_the_rate_is_measured_by_itself() -> None:
    found = plan(Starts(50), seconds=1e-9)
    assert isinstance(found, Plan)
    assert found.rate > 0
    assert " 0 positions a second" not in str(found)


# -- Cycles. -------------------------------------------------------------------------------------


def test_memory_for_cycles_is_told() -> None:
    """Hits send pieces back, so that most positions of a stratum of Ludo lie on one cycle: solved
    with one worker, 10 cells take some 420 MB more than 4 cells do (peaks of the process)."""
    ludo = plan(load("ludo", {"pieces": 4, "length": 8}), seconds=20)
    assert isinstance(ludo, Plan)
    assert ludo.complete
    assert ludo.staying > 0.9
    assert 700 * ludo.largest_stratum < ludo.memory - ludo.uncycled < 2000 * ludo.largest_stratum
    assert "of it for cycles" in str(ludo)
    assert "not counting rounds on cycles" in str(ludo)
    measured = a_plan(
        complete=True, positions=902_258, largest_stratum=297_690, staying=1.0,
        edges_per_position=2.66, bytes_per_position=40,
    )  # fmt: skip
    assert 300e6 < measured.memory < 600e6


@pytest.mark.parametrize("name", ["nim", "connect", "mu-torere"])
def test_what_is_not_iterated_takes_no_memory_for_cycles(name: str) -> None:
    found = plan(load(name), seconds=0.5)
    assert isinstance(found, Plan)
    assert (found.staying, found.memory) == (0.0, found.uncycled)
    assert "cycles" not in str(found)


def test_cycles_that_may_not_fit_leave_it_open_whether_a_game_does() -> None:
    small = a_plan(complete=True, largest_stratum=10**6, staying=1.0, budget=10**9)
    assert small.uncycled < 10**9 < small.memory
    assert small.fits is None
    assert "fits       unknown: that depends on how many positions lie on cycles" in str(small)
    assert a_plan(complete=True, staying=1.0, budget=10**6).fits is False
    large = a_plan(complete=True, largest_stratum=10**6, staying=1.0, budget=10**7)
    assert large.elsewhere
    assert "out of core only if few positions lie on cycles" in str(large)
    turns = a_plan(estimate=10**6, staying=1.0, turns=True)
    assert turns.memory == turns.uncycled
    assert turns.fits is None
    assert "turns on large cycles have to be unrolled" in str(turns)


def test_the_first_stratum_may_be_all_there_is_if_it_had_no_end() -> None:
    assert a_plan(strata=0, largest_stratum=10**6, estimate=10**7).stratum == 10**7
    assert a_plan(strata=9, largest_stratum=10**5, estimate=10**7).stratum == 0.15 * 10**7
    assert a_plan(strata=9, largest_stratum=9 * 10**5).stratum == 9 * 10**5


# -- Time. ---------------------------------------------------------------------------------------


class Ticking:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_first_positions_are_counted_only_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where rules take long to yield one."""
    monkeypatch.setattr("perfectplay.solving.budget.time.perf_counter", Ticking())
    count, all_of_them = Budget(10**12).count_starts(Starts(), Silent(), 20.0)
    assert not all_of_them
    assert count <= 21 * OFTEN


def test_turns_are_tried_only_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def brought_back(game: Any, rules: Any, batch: Any) -> float:
        tried.append(len(batch.child))
        return 1e-3

    monkeypatch.setattr(plan_turns, "_brought_back", brought_back)
    game = SimpleNamespace(representative=int, example=lambda draw: 7, inside=lambda p: 100)
    rules: Any = SimpleNamespace(width=0, expand=lambda keys: SimpleNamespace(child=keys))
    over = TimeLimit(0.0, native=False, clock=Ticking())
    rate, exits = plan_turns.measured(game, rules, over)
    assert tried == [1, 1]  # once to compile
    assert (rate > 0, exits) == (True, 1.0)
    tried.clear()
    plan_turns.measured(game, rules, TimeLimit(4.5, native=False, clock=Ticking()))
    assert tried == [1, 1, 2, 4, 8, 16]


def test_rates_are_seconds_of_a_core_and_measured_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of nine measurements falls into a time when the machine does other things."""
    now = 0.0
    monkeypatch.setattr("perfectplay.solving.plan.time.process_time", lambda: now)
    pace = Pace()
    for number in range(1, 10):
        now += 5000.0 if number == 4 else 2.0
        pace.mark(1000 * number)
    assert pace.rate(9000) == 500.0


@dataclass(frozen=True)
class Growing(Game):
    """Write a 0 or a 1, without end."""

    def start(self) -> int:
        return 1

    def moves(self, p: int) -> Iterator[int]:
        yield from (0, 1)

    def play(self, p: int, m: int) -> int:
        return 2 * p + m


def test_looking_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """All phases share one limit: exploring has a part of it, random play what is left."""
    clock, left = Ticking(), list[float]()
    monkeypatch.setattr(
        "perfectplay.solving.plan.TimeLimit",
        lambda seconds, native: TimeLimit(seconds, native=False, clock=clock),
    )
    monkeypatch.setattr(
        "perfectplay.solving.plan.at_least", lambda walk, seconds: left.append(seconds) or 0
    )
    found = plan(Growing(), seconds=20.0)
    assert isinstance(found, Plan)
    assert (found.complete, found.fits) == (False, None)
    assert clock.now + left[0] <= 21


# -- Labelled pieces. ----------------------------------------------------------------------------


def test_unlabelled_positions_are_counted_and_a_trial_is_solved() -> None:
    with along(homes=(Home.LABELS,)):
        found = plan(load("einstein", {"rows": 4}), memory=10**9, seconds=60, exact=True)
    assert isinstance(found, UnlabelledPlan)
    assert (found.complete, found.fits) == (True, True)
    assert 639_376 <= found.positions < 1.01 * 639_376  # symmetric boards count twice
    assert found.unlabelled < found.positions / 6
    assert 0 < found.tried <= found.positions
    assert found.seconds == found.positions / found.rate
    assert "(all of them, counted)" in str(found)
    assert found.as_json()["largest_stratum"] == found.largest_stratum < found.positions


def test_labelled_positions_are_looked_at_only_as_long_as_there_is_time() -> None:
    clock = Ticking()
    limit = TimeLimit(20.0, native=False, clock=clock)
    found = plan_unlabelled(load("einstein", {"rows": 4}), 10**9, limit)
    assert found is not None
    assert (found.complete, found.fits) == (False, None)
    assert found.rate > 0
    assert clock.now < 40


def test_first_positions_of_labelled_games_are_not_all_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half a million of them have one board; what was not seen is not called complete."""
    game = load("einstein", {"rows": 4, "stones": 6})
    shapes = Unlabelled(expander(game))
    monkeypatch.setattr("perfectplay.solving.plan_unlabelled.first_unlabelled", pytest.fail)
    first, complete = _first(shapes, TimeLimit(5.0, native=False, clock=Ticking()))
    assert first is not None
    assert (len(first), complete) == (1, False)


@pytest.mark.slow
def test_unlabelled_positions_that_are_not_all_seen() -> None:
    game = load("einstein", {"rows": 4})
    with along(homes=(Home.LABELS,)):
        found = plan(game, memory=10**9, seconds=0.0, exact=True)
        assert isinstance(found, UnlabelledPlan)
        assert (found.complete, found.fits, found.likely) == (False, None, game.most_positions)
        assert "at most 1,600,000 positions (more than" in str(found)
        found = plan(game, memory=100, seconds=0.0, exact=True)
    assert isinstance(found, UnlabelledPlan)
    assert found.fits is False


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pig", {}),
        pytest.param("einstein", {"placement": "given"}, marks=pytest.mark.slow),
        ("einstein", {"die": (0, 1, 1)}),  # a stone is never called
    ],
)
def test_other_games_are_planned_position_by_position(name: str, given: dict[str, Any]) -> None:
    with along(homes=(Home.LABELS, Home.MEMORY)):
        assert isinstance(plan(load(name, given), seconds=0.1, exact=True), Plan)


def test_small_games_are_planned_position_by_position() -> None:
    assert isinstance(plan(load("einstein", {}), exact=True), Plan)
