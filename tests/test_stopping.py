"""Work that a face ends: at any report of progress, or when its time is over. The same command
goes on from what was finished, and ends with the same bytes."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import perfectplay.table.writer
from perfectplay import load, solve
from perfectplay.cli.main import run
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool
from perfectplay.errors import TimeUpError, UsageError
from perfectplay.progress import EVERY, Deadline, Heed, Silent
from perfectplay.rules.game import OVER
from perfectplay.solvers import puzzle, retrograde, scores
from perfectplay.solvers.store import new_store
from perfectplay.solvers.work import LONG, Options, stoppable
from perfectplay.solving.route import Home, along
from perfectplay.strata.graph import Facts, Graph

PIG = ["goal=30"]


class Enough(Exception):  # noqa: N818 - not an error
    """Raised by a face."""


class Impatient(Silent):
    """A face that ends the work after so many positions of one stage."""

    def __init__(self, stage: str, most: int) -> None:
        self.stage, self.most = stage, most
        self.now, self.done = "", 0
        self.seen: dict[str, int] = {}

    def start(self, stage: str, total: int | None = None) -> None:
        self.now = stage

    def advance(self, positions: int) -> None:
        self.seen[self.now] = self.seen.get(self.now, 0) + positions
        if self.now == self.stage and self.seen[self.now] > self.most:
            raise Enough


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_face_ends_a_run_in_memory(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perfectplay.table.writer, "PART_ROWS", 500)
    game = load("pig", PIG)
    whole = solve(game, tmp_path / "whole").report["positions"]
    for share in (0.2, 0.5, 0.8):
        face = Impatient("solve", int(share * whole))
        with pytest.raises(Enough):
            solve(game, tmp_path / "table", workers=workers, progress=face)
        assert not (tmp_path / "table" / "manifest.json").exists()
    assert list((tmp_path / "table").glob("part-*.json"))
    solve(game, tmp_path / "table", workers=workers)
    assert files(tmp_path / "table") == files(tmp_path / "whole")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_face_ends_a_run_out_of_core(workers: int, tmp_path: Path) -> None:
    """While positions are found, nothing is found twice: a run ends with a halt."""
    game = load("connect", ["width=4", "height=3"])
    whole = solve(game, tmp_path / "whole").report["positions"]
    found = 0
    with along(homes=(Home.FILES,)):
        for most in (20, 1000, 5000):
            face = Impatient("expand", most)
            with pytest.raises(Enough):
                solve(game, tmp_path / "table", workers=workers, progress=face)
            found = face.seen["expand"]
        last = Impatient("", 0)
        solve(game, tmp_path / "table", workers=workers, progress=last)
    assert 5000 < found < whole
    assert last.seen["expand"] == last.seen["solve"] == whole
    assert files(tmp_path / "table") == files(tmp_path / "whole")
    assert [path.name for path in tmp_path.glob("table*")] == ["table"]


def test_when_time_is_over_what_is_finished_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perfectplay.table.writer, "PART_ROWS", 500)
    game = load("pig", PIG)
    whole = solve(game, tmp_path / "whole")

    class Slow(Impatient):
        def advance(self, positions: int) -> None:
            super().advance(positions)
            time.sleep(0.02 * (self.now == "solve"))

    table = tmp_path / "table"
    seconds, told = 0.25, []
    while not (table / "manifest.json").exists():
        seconds *= 2
        with suppress(TimeUpError):
            solve(game, table, seconds=seconds, progress=Slow("", 0))
            break
        told.append(seconds)
    assert told
    with pytest.raises(TimeUpError, match=r"not finished in 1e-09 seconds") as stopped:
        solve(game, tmp_path / "other", seconds=1e-9)
    assert "nothing" in stopped.value.hint
    assert files(table) == files(tmp_path / "whole")
    assert solve(game, table, seconds=1e-9).report["signature"] == whole.report["signature"]


def test_no_time_at_all(tmp_path: Path) -> None:
    with pytest.raises(TimeUpError):
        solve(load("nim"), tmp_path / "table", seconds=1e-9)
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="no time limit"):
            solve(load("nim"), seconds=seconds)


def test_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(tmp_path / "table")
    assert run(["solve", "nim", "--table", table, "--seconds", "1e-9"]) == 8
    assert "not finished in 1e-09 seconds" in capsys.readouterr().err
    assert run(["solve", "nim", "--table", table, "--seconds", "0"]) == 2
    assert run(["solve", "nim", "--table", table, "--seconds", "60"]) == 0


def test_work_that_heeds_asks_now_and_then() -> None:
    face = Impatient("", 0)
    heed = Heed(face)
    end = time.monotonic() + 2 * EVERY
    while time.monotonic() < end:
        heed(5)
    assert face.seen == {"": 0}
    limit = Deadline(Silent(), 1e-9)
    with pytest.raises(TimeUpError):
        Heed(limit)()


def test_a_pool_that_is_left_by_an_error_drops_what_it_has_not_begun() -> None:
    done: list[int] = []

    def task(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    def work() -> None:
        with Pool(2) as pool:
            pool.map(task, range(200))
            raise Enough

    with pytest.raises(Enough):
        work()
    assert len(done) < 100


def test_a_long_kernel_notices_a_stop() -> None:
    """The kernel runs in another thread, so that the one that waits can hear of a stop."""
    began: list[int] = []

    def endless(stop: np.ndarray) -> None:
        began.append(len(stop))
        while not stop[0]:
            time.sleep(0.001)

    def heed(done: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        stoppable(endless, LONG, Options(progress=heed))
    assert began == [1]
    assert stoppable(lambda stop: int(stop[0]) + 5, LONG, Options()) == 5
    assert stoppable(lambda stop: int(stop[0]) + 5, 1, Options(progress=heed)) == 5


@pytest.mark.parametrize("solver", [retrograde, scores, puzzle])
def test_a_kernel_that_is_stopped_settles_no_more(
    solver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring of rows, the last of which ends: every row is settled through the one after it."""
    size = 1000
    first = np.append(np.arange(0, 2 * size - 1, 2), 2 * size - 2).astype(np.int64)
    row = np.arange(size - 1)
    kind = np.append(np.zeros(size - 1), OVER).astype(np.int8)
    ring = Graph(
        low=0, kind=kind, payoff=np.append(np.zeros(size - 1), 7).astype(np.int64), first=first,
        child=np.column_stack([(row - 1) % (size - 1), row + 1]).ravel().astype(np.uint32),
        swap=np.zeros(1, np.uint8), weight=np.ones(1, np.int64), reward=np.zeros(1, np.int64),
        anchor=np.zeros(1, np.uint8),
    )  # fmt: skip
    outcome, players = solver is retrograde, 1 if solver is puzzle else 2
    facts = Facts(
        players=players, scalar=True, chance=False, rewards=False, outcome=outcome, endless=0.0
    )

    def solved() -> Array:
        store = new_store(facts, size, exact=False, whole=False)
        solver.solve(ring, facts, store, Options())
        return store.value.copy()

    whole = solved()
    assert (whole == whole[-1]).all()

    def stopped(task: Any, rows: int, options: Options) -> Any:
        task(np.ones(1, np.uint8))
        return True

    monkeypatch.setattr(solver, "stoppable", stopped)
    assert (solved() != whole).sum() > size // 2
