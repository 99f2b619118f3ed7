"""Plans for workers that share files, compared with what a run by shards really takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perfectplay import UsageError, load, solve
from perfectplay.solving.plan import plan
from perfectplay.solving.shards.sharded_strata import ROWS, bits_for
from perfectplay.solving.shards.shared_plan import LIBRARIES, MOST, SharedPlan

GAME: tuple[str, Any] = ("connect", {"width": 4, "height": 4})


@pytest.fixture(scope="module")
def found() -> SharedPlan:
    forecast = plan(load(*GAME), on="processes:4", seconds=20)
    assert isinstance(forecast, SharedPlan)
    return forecast


def test_what_is_counted_is_what_there_is(found: SharedPlan, tmp_path: Path) -> None:
    solution = solve(load(*GAME), tmp_path / "table", on="threads:1")
    assert (found.complete, found.positions) == (True, solution.report["positions"])
    assert found.strata == solution.report["strata"]
    whole = sum(path.stat().st_size for path in (tmp_path / "table").iterdir())
    assert found.disk >= whole + solution.report["working_files"]


def test_shards_are_those_of_a_run(found: SharedPlan) -> None:
    assert found.shards == 1 << bits_for(found.largest_stratum)
    assert found.rows <= ROWS
    large = replace(found, largest_stratum=10**9, positions=10**9)
    assert large.shards == 64
    assert large.rows * large.shards >= 10**9


def test_workers_share_the_time_and_not_the_memory(found: SharedPlan) -> None:
    many = replace(found, workers=8, largest_stratum=64 * ROWS)
    assert many.hours == pytest.approx(many.core_hours / 8)
    assert many.memory == replace(many, workers=1).memory > LIBRARIES
    assert replace(many, workers=0).hours is None
    few = replace(found, workers=64)  # strata are not cut in so many
    assert few.hours == pytest.approx(few.core_hours / few.shards)


def test_what_cannot_be_done_is_said(found: SharedPlan) -> None:
    assert "fits       yes" in str(found)
    huge = replace(found, positions=MOST + 1, largest_stratum=MOST + 1)
    assert huge.fits is False
    assert "no more than 4,294,967,294 can be gathered" in str(huge)
    tight = replace(found, budget=1 << 20)
    assert "not on this machine" in str(tight)
    open_ = replace(found, complete=False, estimate=None)
    assert open_.fits is None
    assert "at least" in str(open_)


def test_stratum_wide_cycles_take_memory_of_one_worker(found: SharedPlan) -> None:
    cyclic = replace(found, staying=1.0)
    assert cyclic.memory > found.memory + 90 * cyclic.edges_per_position * cyclic.largest_stratum


def test_labelled_pieces_are_counted_by_unlabelled_ones() -> None:
    forecast: Any = plan(load("einstein", {"stones": 2}), exact=True, on="tcp://host:1", seconds=9)
    assert forecast.complete
    assert (forecast.workers, forecast.hours) == (0, None)


def test_workers_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="names no workers"):
        plan(load(*GAME), on="nobody")
    with pytest.raises(UsageError, match="number their positions"):
        plan(load("sliding"), on="processes:2")
