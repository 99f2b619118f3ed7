"""Runs that are killed at any moment, then taken up, end with the same bytes as unbroken ones; and
those that are not killed end by themselves."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perfectplay import load, solve

SOLVE = """
import sys
from pathlib import Path
import perfectplay.table.writer
perfectplay.table.writer.PART_ROWS = 2000  # many small parts: more moments to die between
from perfectplay.games.dice.pig import Pig
from perfectplay import solve
solve(Pig(goal=40), Path(sys.argv[1]), workers=int(sys.argv[2]))
"""


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "lock"
    }


def start(folder: Path, workers: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SOLVE, str(folder), str(workers)])


def killed_and_resumed(folder: Path, chance: random.Random, longest: float) -> int:
    """Kill runs at random moments until one comes to its end; how many were killed."""
    kills = 0
    while True:
        run = start(folder, workers=1 + kills % 2)
        try:
            code = run.wait(timeout=chance.uniform(0.2, 1.0) * longest if kills < 3 else None)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            kills += 1
            continue
        assert code == 0
        return kills


@pytest.mark.parametrize("runs", [pytest.param(1), pytest.param(30, marks=pytest.mark.slow)])
def test_killed_runs_end_with_the_same_bytes(tmp_path: Path, runs: int) -> None:
    assert start(tmp_path / "warm", 1).wait() == 0  # compiled code is cached from here on
    began = time.perf_counter()
    assert start(tmp_path / "whole", 2).wait() == 0
    longest = time.perf_counter() - began
    whole = files(tmp_path / "whole")
    assert len(whole) > 10
    chance = random.Random(runs)
    kills = 0
    for i in range(runs):
        folder = tmp_path / f"run-{i}"
        kills += killed_and_resumed(folder, chance, longest)
        assert files(folder) == whole
        for name in whole:
            os.unlink(folder / name)
    assert kills > runs // 2


READ = """
import os, sys
from perfectplay.table.reader import Table
table = Table.open(sys.argv[1])
import pyarrow.parquet  # with the threads that it starts by itself
threads = len(os.listdir("/proc/self/task"))
assert len(list(table.each_key())) > 100
print(len(os.listdir("/proc/self/task")) - threads)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc")
def test_reading_a_table_leaves_no_thread_that_could_abort_the_process_at_its_end(
    tmp_path: Path,
) -> None:
    solve(load("nim"), tmp_path / "table")
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "table")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("0\n", "")
