"""Strata in shards: the same tables, byte by byte, whoever does the tasks, and whatever dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import load, solve
from perfectplay.errors import TableError, TooLargeError, UsageError
from perfectplay.progress import Silent
from perfectplay.rules.game import Game
from perfectplay.solving.shards import (
    dispatcher,
    round_tasks,
    rounds,
    row_solver,
    sharded_strata,
    tasks,
)
from perfectplay.solving.shards.shard_files import get, put


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name != "lock"}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strata have many shards, and rounds are short."""
    monkeypatch.setattr(sharded_strata, "ROWS", 64)
    monkeypatch.setattr(dispatcher, "SMALL", 16)
    monkeypatch.setattr(tasks, "MANY", 20)
    monkeypatch.setattr(row_solver, "ROWS", 50)


HOP = '''
from dataclasses import dataclass
from perfectplay import Game
from steps import longest

@dataclass(frozen=True)
class Hop(Game):
    """A counter goes down; who is left with none has lost."""

    native = {native}
    heap: int = 30

    def start(self):
        return self.heap

    def moves(self, p):
        return range(1, 1 + min(p, longest))

    def play(self, p, m):
        return p - m
'''


def hop(folder: Path, *, native: bool) -> Game:
    """Rules in a file, which imports what lies beside it."""
    folder.mkdir()
    (folder / "hop.py").write_text(HOP.format(native=native))
    (folder / "steps.py").write_text("longest = 3\n")
    return load(str(folder / "hop.py"))


GAMES: list[Any] = [
    ("noughts-and-crosses", [], {}),
    ("noughts-and-crosses", [], {"plain": True}),
    ("morris", ["men=3"], {}),  # moves stay in strata
    ("dots-and-boxes", ["rows=2", "columns=2"], {}),  # scores
    ("hanoi", ["discs=5"], {}),  # one stratum, one player
    ("red-green-balls", [], {}),  # bounds
    ("einstein", ["stones=2"], {"exact": True}),  # whole numbers
    ("pig", ["goal=12"], {}),  # cycles, in floats
    pytest.param("cant-stop", [], {}, marks=pytest.mark.slow),  # by turns
]


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(("name", "given", "options"), GAMES, ids=str)
def test_same_tables_as_in_memory(
    name: str, given: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    game = load(name, given)
    solve(game, tmp_path / "memory", workers=1, **options)
    found = solve(game, tmp_path / "shards", on="threads:2", **options)
    assert found.report["working_files"] > 0
    assert files(tmp_path / "shards") == files(tmp_path / "memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory", "shards"]


@pytest.mark.parametrize(
    ("name", "given"),
    [pytest.param("checkers", [], marks=pytest.mark.slow), ("ovid", ["steps=king"])],
    ids=str,
)
def test_rounds_settle_what_retrograde_analysis_does(
    name: str, given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large strata in which moves stay, shard by shard, depth by depth."""
    monkeypatch.setattr(sharded_strata, "ROWS", 100)
    monkeypatch.setattr(rounds, "ROWS", 200)
    game = load(name, given)
    solve(game, tmp_path / "memory", workers=1)
    settled = []

    def settle(shop: Any, given: Any) -> Any:
        settled.append(given)
        return round_tasks.settle(shop, given)

    monkeypatch.setitem(tasks.TASKS, "settle", settle)
    solve(game, tmp_path / "shards", on="threads:1")
    assert len({given["shard"] for given in settled}) > 1
    assert len({given["round"] for given in settled}) > 2
    assert files(tmp_path / "shards") == files(tmp_path / "memory")


def test_slices_of_files(tmp_path: Path) -> None:
    arrays = [np.arange(5, dtype=np.int8), np.ones((3, 2), np.int64), np.zeros(0, "S4")]
    where = put(tmp_path, "some", arrays)
    for array, each in zip(arrays, json.loads(json.dumps(where)), strict=True):
        found = get(tmp_path, each)
        assert found.dtype == array.dtype
        assert (found == array).all()
    assert (get(tmp_path, where[1].part(1, 3)) == arrays[1][1:3]).all()
    assert [path.name for path in tmp_path.iterdir()] == ["some"]


class Stopping(Silent):
    """A face that ends the work after some reports."""

    def __init__(self, after: int) -> None:
        self.left = after

    def advance(self, positions: int) -> None:
        self.left -= positions > 0
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("name", "given", "after"),
    [
        ("noughts-and-crosses", [], 3),
        pytest.param("morris", ["men=3"], 3, marks=pytest.mark.slow),
        pytest.param("morris", ["men=3"], 25, marks=pytest.mark.slow),
    ],
)
def test_a_stopped_run_goes_on_from_its_journal(
    name: str, given: list[str], after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load(name, given)
    solve(game, tmp_path / "whole", on="threads:1")
    with pytest.raises(KeyboardInterrupt, match="what workers have done so far"):
        solve(game, tmp_path / "table", on="threads:1", progress=Stopping(after))
    journal = tmp_path / "table.shards" / "journal.jsonl"
    before = journal.read_bytes().count(b"\n")
    with journal.open("ab") as file:
        file.write(b'{"task": "torn')
    done = []
    for kind, task in tasks.TASKS.items():

        def counted(shop: Any, given: Any, task: Any = task) -> Any:
            done.append(given)
            return task(shop, given)

        monkeypatch.setitem(tasks.TASKS, kind, counted)
    solve(game, tmp_path / "again", on="threads:1")
    whole = len(done)
    done.clear()
    solve(game, tmp_path / "table", on="threads:1")
    assert before > 3
    assert len(done) == whole - (before - 1)  # the first line names the work
    assert files(tmp_path / "table") == files(tmp_path / "whole")


def test_a_full_disk_is_told_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "SMALL", 0)
    game = load("noughts-and-crosses")
    real, full = tasks.put, [0]

    def short(folder: Path, name: str, arrays: Any) -> Any:
        full[0] += 1
        if full[0] > 5:
            raise OSError(28, "No space left on device")
        return real(folder, name, arrays)

    monkeypatch.setattr(tasks, "put", short)
    with pytest.raises(TableError, match="No space left"):
        solve(game, tmp_path / "table", on="threads:2")
    assert full[0] >= 5 + dispatcher.TRIES
    monkeypatch.setattr(tasks, "put", real)
    solve(game, tmp_path / "table", on="threads:2")
    solve(game, tmp_path / "memory", workers=1)
    assert files(tmp_path / "table") == files(tmp_path / "memory")


def test_what_is_refused(tmp_path: Path) -> None:
    game = load("noughts-and-crosses")
    with pytest.raises(UsageError, match="names no workers"):
        solve(game, tmp_path / "table", on="fishes:3")
    with pytest.raises(UsageError, match="folder"):
        solve(game, on="threads:2")
    with pytest.raises(UsageError, match="fractions"):
        solve(load("pig", ["goal=5"]), tmp_path / "table", exact=True, on="threads:2")
    with pytest.raises(TooLargeError, match="working files"):
        solve(game, tmp_path / "table", on="threads:2", disk=1000)


def test_a_stratum_too_large_for_a_worker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TooLargeError, match="a worker has"):
        solve(load("morris", ["men=3"]), tmp_path / "table", on="threads:2", memory=100_000)
    assert (tmp_path / "table.shards" / "journal.jsonl").exists()


# -- Processes. -----------------------------------------------------------------------------------


@pytest.mark.xdist_group("cluster")
def test_processes_solve_rules_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dispatcher, "SMALL", 0)
    game = hop(tmp_path / "plain", native=False)
    solve(game, tmp_path / "memory", workers=1)
    solve(game, tmp_path / "table", on="processes:2")
    assert files(tmp_path / "table") == files(tmp_path / "memory")
    assert not (tmp_path / "table.shards").exists()


NOTEBOOK = """
import sys
from dataclasses import dataclass
from perfectplay import Game, solve
from perfectplay.solving.shards import dispatcher

dispatcher.SMALL = 0
longest = 3
print("a script does things")

@dataclass(frozen=True)
class Heap(Game):
    heap: int = 12

    def start(self):
        return self.heap

    def moves(self, p):
        return range(1, 1 + min(p, longest))

    def play(self, p, m):
        return p - m

if __name__ == "__main__":
    solve(Heap(), sys.argv[1] + "/memory", workers=1)
    found = solve(Heap(), sys.argv[1] + "/table", on="processes:1")
    print(found.value(12).lower)
"""


@pytest.mark.slow
def test_processes_solve_rules_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(NOTEBOOK)
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-1] == "-1"
    assert files(tmp_path / "table") == files(tmp_path / "memory")


def workers_of(run: int) -> list[int]:
    """The processes of Dask workers below a process."""
    import psutil

    found = []
    for each in psutil.Process(run).children(recursive=True):
        if "spawn_main" in " ".join(each.cmdline()):
            found.append(each.pid)
    return found


def hit(run: subprocess.Popen[bytes], journal: Path, blow: signal.Signals, most: int) -> int:
    """Hit workers of a run at random moments, once they have begun, until it ends; how many."""
    pick, blows = np.random.default_rng(int(blow)), 0
    while run.poll() is None:
        if not journal.exists() or journal.read_bytes().count(b"\n") < 15:
            time.sleep(0.1)
            continue
        time.sleep(float(pick.uniform(3.0, 9.0)))
        alive = workers_of(run.pid) if run.poll() is None else []
        if alive and blows < most:
            os.kill(int(pick.choice(alive)), blow)
            blows += 1
    return blows


@pytest.mark.slow
@pytest.mark.parametrize(("blow", "most"), [(signal.SIGKILL, 4), (signal.SIGSTOP, 1)])
def test_workers_may_die(blow: signal.Signals, most: int, tmp_path: Path) -> None:
    """Some are killed at random moments, or stop answering: others take over."""
    solve(load("connect", ["width=4", "height=4"]), tmp_path / "memory", workers=1)
    table = tmp_path / "table"
    words = ["solve", "connect", "-p", "width=4", "-p", "height=4", "--on", "processes:2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "perfectplay.cli.main", *words, "--table", str(table)]
    )
    assert hit(run, tmp_path / "table.shards" / "journal.jsonl", blow, most)
    assert run.returncode == 0
    assert files(table) == files(tmp_path / "memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory", "table"]


def cluster(folder: Path, port: int) -> list[subprocess.Popen[bytes]]:
    """A scheduler and two workers."""
    here = [sys.executable, "-m"]
    address = f"tcp://127.0.0.1:{port}"
    words = [
        ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)],
        *[["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]] * 2,
    ]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return [subprocess.Popen([*here, *each], **quiet) for each in words]  # type: ignore[call-overload]


@pytest.mark.slow
def test_the_scheduler_may_die(tmp_path: Path) -> None:
    """`solve` ends with an error that says so; with another scheduler it goes on."""
    solve(load("connect", ["width=4", "height=4"]), tmp_path / "memory", workers=1)
    table, journal = tmp_path / "table", tmp_path / "table.shards" / "journal.jsonl"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["solve", "connect", "-p", "width=4", "-p", "height=4", "--table", str(table)]
    command = [sys.executable, "-m", "perfectplay.cli.main", *words]
    command += ["--on", f"tcp://127.0.0.1:{port}"]
    (tmp_path / "dask").mkdir()
    for last in (False, True):
        parts = cluster(tmp_path / "dask", port)
        try:
            time.sleep(5)
            run = subprocess.Popen(command, stderr=subprocess.PIPE)
            while not last and run.poll() is None:
                if journal.exists() and journal.read_bytes().count(b"\n") >= 12:
                    parts[0].kill()
                    break
                time.sleep(0.05)
            _, said = run.communicate(timeout=300)
        finally:
            for each in parts:
                each.kill()
                each.wait()
        if last:
            assert run.returncode == 0, said
        else:
            assert run.returncode == TableError.exit_code, said
            assert b"the same command goes on" in said
            assert journal.exists()
    assert files(table) == files(tmp_path / "memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dask", "memory", "table"]
