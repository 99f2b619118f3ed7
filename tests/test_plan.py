"""Forecasts: what random play shows is never more than there is, and what is too large is refused
in time, also where the first positions alone are too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.errors import TooLargeError
from perfectplay.positions.expand import expander
from perfectplay.positions.explore import Explorer
from perfectplay.rules.game import Game
from perfectplay.rules.load import load
from perfectplay.solving import estimate
from perfectplay.solving.plan import Plan, plan
from perfectplay.solving.plan_unlabelled import UnlabelledPlan
from perfectplay.solving.route import Home, along
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


# -- Labelled pieces. ----------------------------------------------------------------------------


def test_unlabelled_positions_are_counted_and_a_trial_is_solved() -> None:
    with along(homes=(Home.LABELS,)):
        found = plan(load("einstein", {"rows": 4}), memory=10**9, seconds=60, exact=True)
    assert isinstance(found, UnlabelledPlan)
    assert (found.complete, found.fits) == (True, True)
    assert 639_376 <= found.positions < 1.01 * 639_376  # symmetric boards count twice
    assert found.shapes < found.positions / 6
    assert 0 < found.tried <= found.positions
    assert found.seconds == found.positions / found.rate
    assert "(all of them, counted)" in str(found)
    assert found.as_json()["largest_stratum"] == found.largest_stratum < found.positions


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
