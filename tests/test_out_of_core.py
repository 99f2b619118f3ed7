"""Out of core: tables are the same as those solved in memory, byte by byte, however little memory
there is, and also if runs are killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import Game, TooLargeError, load, solve, verify
from perfectplay.errors import RulesError, TableError
from perfectplay.positions.key_set import EMPTY, KeySet, begins, find, shard_of, shard_range
from perfectplay.solvers.exact import denominators
from perfectplay.solving import out_of_core
from perfectplay.solving.budget import Budget, too_large
from perfectplay.solving.explore_on_disk import DiskExplorer
from perfectplay.solving.route import Home, along
from perfectplay.solving.shards import row_solver
from perfectplay.strata import disk_strata


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "lock"
    }


def refused(*given: Any, **options: Any) -> Callable[[int], None]:
    """A budget by which nothing fits in memory."""

    def watch(expanded: int) -> None:
        raise too_large(1, 1, 0, reached=True)

    return watch


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Games are solved in files."""
    with along(homes=(Home.FILES,)):
        yield monkeypatch


GAMES = [
    ("einstein", ["stones=2"], True),  # whole numbers, by turns
    ("einstein", [], True),
    ("noughts-and-crosses", [], False),  # outcomes
    ("connect", ["width=4", "height=4"], False),
    ("dots-and-boxes", ["rows=2", "columns=2"], False),  # scores
    ("red-green-balls", [], False),  # bounds
]


@pytest.mark.parametrize(("name", "given", "exact"), GAMES, ids=str)
def test_same_tables_as_in_memory(
    name: str, given: list[str], exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load(name, given)
    solve(game, tmp_path / "memory", exact=exact)
    monkeypatch.setattr(Budget, "watch", refused)
    found = solve(game, tmp_path / "disk", exact=exact)
    assert found.report["working_files"] > 0
    assert files(tmp_path / "disk") == files(tmp_path / "memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "memory"]
    assert verify(tmp_path / "disk").ok


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pig", ["goal=12"]),
        ("cant-stop", ["players=3", "sides=2", "short=2", "columns=1"]),  # several players
    ],
)
def test_cycles_in_strata(name: str, given: list[str], tmp_path: Path) -> None:
    """Rows are solved in the order of their keys: floats are the same to the last digit."""
    game = load(name, given)
    solve(game, tmp_path / "memory")
    with along(homes=(Home.FILES,)):
        solve(game, tmp_path / "disk")
    assert files(tmp_path / "memory") == files(tmp_path / "disk")
    assert verify(tmp_path / "disk").ok


@pytest.mark.parametrize("rows", [1 << 15, 100])
def test_next_to_no_memory(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strata go to files and are mapped, and are solved in small parts."""
    game = load("einstein", ["stones=2", "rows=4"])
    solve(game, tmp_path / "memory", exact=True)
    monkeypatch.setattr(out_of_core, "SHARE", 0.0)
    monkeypatch.setattr(row_solver, "ROWS", rows)
    monkeypatch.setattr(DiskExplorer, "_watch", lambda self, memory, present: None)
    seen = []
    load_file = disk_strata.DiskStrata._load

    def noted(self: Any, *given: Any, mapped: bool = False) -> Any:
        seen.append(mapped)
        return load_file(self, *given, mapped=mapped)

    monkeypatch.setattr(disk_strata.DiskStrata, "_load", noted)
    with along(homes=(Home.FILES,)):
        solve(game, tmp_path / "disk", exact=True)
    assert any(seen)
    assert files(tmp_path / "disk") == files(tmp_path / "memory")


def test_disk_is_a_budget(tmp_path: Path, short: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="working files"):
        solve(load("einstein"), tmp_path / "table", exact=True, disk=10_000)
    assert not list(tmp_path.iterdir())


def test_memory_is_a_budget(tmp_path: Path, short: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="too large"):
        solve(load("einstein"), tmp_path / "table", exact=True, memory=10_000)
    assert not list(tmp_path.iterdir())


def test_a_large_stratum_in_which_moves_stay_is_refused_and_kept(
    tmp_path: Path, short: pytest.MonkeyPatch
) -> None:
    game = load("checkers")
    solve(game, tmp_path / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(out_of_core, "EDGE", 10**8)
        with pytest.raises(TooLargeError, match="in which moves stay") as refusal:
            solve(game, tmp_path / "table")
    assert "kept" in refusal.value.hint
    asked: list[int] = []
    expand = DiskExplorer._expand
    short.setattr(DiskExplorer, "_expand", lambda *given: asked.append(1) or expand(*given))
    solve(game, tmp_path / "table")
    assert not asked
    assert files(tmp_path / "table") == files(tmp_path / "whole")


def test_open_strata_beyond_the_budget_go_to_files(
    tmp_path: Path, short: pytest.MonkeyPatch
) -> None:
    game = load("einstein", ["rows=4"])
    solve(game, tmp_path / "whole", exact=True)
    short.setattr("perfectplay.solving.explore_on_disk.SPILT", 1 << 16)
    short.setattr("perfectplay.solving.explore_on_disk.BATCH", 1 << 10)
    spilt: list[int] = []
    spill, halt = disk_strata.DiskStrata.spill, DiskExplorer._halt
    halted: list[int] = []

    def noted(self: disk_strata.DiskStrata, stratum: int, keys: Any) -> None:
        spilt.append(stratum)
        spill(self, stratum, keys)

    def stopped(self: DiskExplorer) -> None:
        halt(self)
        halted.append(len(spilt))
        if len(halted) % 5 == 0:
            raise KeyboardInterrupt

    short.setattr(disk_strata.DiskStrata, "spill", noted)
    short.setattr(DiskExplorer, "_late", lambda self: bool(self._open))
    short.setattr(DiskExplorer, "_halt", stopped)
    while not (tmp_path / "table").exists():
        with suppress(KeyboardInterrupt):
            solve(game, tmp_path / "table", exact=True, memory=3_000_000)
    assert len(spilt) > len(set(spilt)) > 3  # some strata more than once
    assert len(halted) > 10
    assert files(tmp_path / "table") == files(tmp_path / "whole")
    assert not list(tmp_path.glob("*.strata"))


def test_without_a_folder_or_strata_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget, "watch", refused)
    with pytest.raises(TooLargeError):
        solve(load("einstein"), exact=True)
    with pytest.raises(TooLargeError):
        solve(load("hanoi"), tmp_path / "table")


@dataclass(frozen=True)
class Rising(Game):
    """Take 1 or 2 of a heap; the stratum is wrong at 7."""

    native = True

    def start(self) -> int:
        return 20

    def moves(self, p: int) -> Iterator[int]:
        for take in range(1, min(p, 2) + 1):
            yield take

    def play(self, p: int, take: int) -> int:
        return p - take

    def stratum(self, p: int) -> int:
        return 100 if p == 7 else p


def test_strata_that_rise_are_refused(tmp_path: Path, short: pytest.MonkeyPatch) -> None:
    with pytest.raises(RulesError, match="rises from 9 to 100"):
        solve(Rising(), tmp_path / "table")
    assert not list(tmp_path.iterdir())


def test_one_run_at_a_time(tmp_path: Path, short: pytest.MonkeyPatch) -> None:
    other = disk_strata.DiskStrata(tmp_path / "table.strata", 1, 1, 1)
    other.begin({"game": "another"}, fresh=True)
    with pytest.raises(TableError, match="another process"):
        solve(load("einstein", ["stones=2"]), tmp_path / "table", exact=True)
    other.leave()
    assert solve(load("einstein", ["stones=2"]), tmp_path / "table", exact=True)
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_what_a_killed_run_left_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = disk_strata.DiskStrata(tmp_path / "table.strata", 1, 1, 1)
    other.begin({"game": "another"}, fresh=True)
    other.leave()
    assert solve(load("einstein", ["stones=2"]), tmp_path / "table", exact=True)
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_fractions_of_any_size_are_refused(tmp_path: Path, short: pytest.MonkeyPatch) -> None:
    short.setattr(denominators, "MOST", -1)
    with pytest.raises(TooLargeError, match="fractions"):
        solve(load("einstein", ["stones=2"]), tmp_path / "table", exact=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("width", [1, 3])
def test_key_sets_are_sets(width: int) -> None:
    pick = np.random.default_rng(width)
    held, twin = KeySet(width), set()
    for _ in range(30):
        span = int(pick.integers(1, 5000))
        keys = pick.integers(-span, span, (int(pick.integers(0, 3000)), width))
        new = [tuple(map(int, key)) for key in keys[held.insert(keys)]]
        assert len(set(new)) == len(new)
        assert set(new) == {tuple(map(int, key)) for key in keys} - twin
        twin |= set(new)
        assert held.count == len(twin)
    keys, begin = held.ordered()
    assert {tuple(map(int, key)) for key in keys} == twin
    assert (begins(keys) == begin).all()
    wanted = keys[pick.permutation(len(keys))]
    rows = np.empty(len(keys), np.uint32)
    assert find(wanted, keys, begin, rows) == -1
    assert (keys[rows] == wanted).all()
    wanted[5] = 10**9
    assert find(wanted, keys, begin, rows) == 5


def test_the_reserved_number_is_refused() -> None:
    with pytest.raises(RulesError):
        KeySet(1).insert(np.array([[3], [EMPTY]]))


def test_key_sets_do_not_depend_on_the_order() -> None:
    pick = np.random.default_rng(0)
    keys = pick.integers(-(2**62), 2**62, (5000, 1))
    one, other = KeySet(1), KeySet(1)
    one.insert(keys)
    for part in np.array_split(keys[pick.permutation(len(keys))], 17):
        other.insert(np.ascontiguousarray(part))
    assert (one.ordered()[0] == other.ordered()[0]).all()


@pytest.mark.parametrize("width", [1, 3])
def test_shards_are_ranges_of_keys(width: int) -> None:
    """Shards by themselves, found and asked, are the stratum one after the other."""
    pick, bits = np.random.default_rng(width), 3
    keys = pick.integers(-3000, 3000, (20_000, width))
    whole = KeySet(width)
    whole.insert(keys)
    ordered, _ = whole.ordered()
    home = shard_of(keys, bits)
    shards = []
    for shard in range(1 << bits):
        mine = KeySet(width, bits)
        mine.insert(keys[home == shard])
        shards.append(mine.ordered()[0])
        low, high = shard_range(ordered, shard, bits)
        assert (ordered[low:high] == shards[-1]).all()
        begin, rows = begins(shards[-1], bits), np.empty(len(shards[-1]), np.uint32)
        wanted = shards[-1][pick.permutation(len(shards[-1]))]
        assert find(wanted, shards[-1], begin, rows, skip=bits) == -1
        assert (shards[-1][rows] == wanted).all()
    assert (np.concatenate(shards) == ordered).all()


KILLED = """
import os, signal, sys
from pathlib import Path
import perfectplay.table.writer
from perfectplay import load
from perfectplay.solving.explore_on_disk import DiskExplorer
from perfectplay.solving.route import Home, along
from perfectplay.solving.shards import row_solver
from perfectplay.solving.budget import Budget, too_large
from perfectplay.progress import Silent
from perfectplay import solve

def watch(*given, **options):
    def refuse(expanded):
        raise too_large(1, 1, 0, reached=True)
    return refuse

class Deadly(Silent):
    left = int(sys.argv[3])
    def advance(self, count):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

perfectplay.table.writer.PART_ROWS = 500
row_solver.ROWS = 100
Budget.watch = watch
if sys.argv[4] == "halts":
    DiskExplorer._late = lambda self: bool(self._open)
solve(load("einstein"), Path(sys.argv[1]), exact=True, workers=int(sys.argv[2]),
      progress=Deadly())
"""


def killed(folder: Path, workers: int, steps: int, halts: str = "") -> bool:
    """Run until `steps` strata were found or solved (0: to the end); whether it was killed."""
    given = [str(folder), str(workers), str(steps), halts]
    code = subprocess.run([sys.executable, "-c", KILLED, *given], check=False).returncode
    assert code in (0, -signal.SIGKILL)
    return code != 0


@pytest.mark.slow  # runs in files that are killed are among those of tests/fuzz, too
@pytest.mark.parametrize("runs", [1, 20])
def test_killed_runs_end_with_the_same_bytes(tmp_path: Path, runs: int) -> None:
    assert not killed(tmp_path / "whole", 2, 0)
    whole = files(tmp_path / "whole")
    assert len(whole) > 5
    chance = random.Random(runs)
    for i in range(runs):
        folder = tmp_path / f"run-{i}"
        halts = ("", "halts")[i % 2]
        assert killed(folder, 1, chance.randint(1, 20), halts)  # while it is explored
        assert killed(folder, 2, chance.randint(1, 5), halts)
        solving = chance.randint(25, 39)  # while it is solved, or at its end
        assert killed(folder, 2, solving) or halts
        killed(folder, 1, chance.randint(5, 19))  # what is in the table counts as solved
        assert not killed(folder, 2, 0)
        assert files(folder) == whole
    assert not list(tmp_path.glob("*.strata"))


@pytest.mark.parametrize(("name", "given", "exact"), GAMES, ids=str)
@pytest.mark.parametrize("found", [1, 3])
def test_exploring_goes_on_at_the_last_halt(
    name: str, given: list[str], exact: bool, found: int, tmp_path: Path, short: pytest.MonkeyPatch
) -> None:
    game = load(name, given)
    whole = solve(game, tmp_path / "whole", exact=exact)
    asked: list[int] = []
    expand, halt = DiskExplorer._expand, DiskExplorer._halt
    strata = {"found": 0}

    def counted(self: DiskExplorer, part: Any, stratum: int) -> Any:
        asked.append(len(part))
        return expand(self, part, stratum)

    def stopped(self: DiskExplorer) -> None:
        halt(self)
        strata["found"] += 1
        if strata["found"] == found:
            raise KeyboardInterrupt

    short.setattr(DiskExplorer, "_late", lambda self: bool(self._open))
    short.setattr(DiskExplorer, "_expand", counted)
    short.setattr(DiskExplorer, "_halt", stopped)
    with pytest.raises(KeyboardInterrupt):
        solve(game, tmp_path / "halted", exact=exact)
    before = sum(asked)
    asked.clear()
    solve(game, tmp_path / "halted", exact=exact)
    assert before + sum(asked) == whole.report["positions"]
    assert files(tmp_path / "halted") == files(tmp_path / "whole")
    assert not list(tmp_path.glob("*.strata"))


@pytest.mark.parametrize("harm", ["short", "gone", "other"])
def test_damaged_halts_are_left_alone(
    harm: str, tmp_path: Path, short: pytest.MonkeyPatch
) -> None:
    game = load("einstein", ["stones=2"])
    solve(game, tmp_path / "whole", exact=True)
    halt = DiskExplorer._halt

    def stopped(self: DiskExplorer) -> None:
        halt(self)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiskExplorer, "_late", lambda self: bool(self._open))
        patch.setattr(DiskExplorer, "_halt", stopped)
        with pytest.raises(KeyboardInterrupt):
            solve(game, tmp_path / "halted", exact=True)
    folder = tmp_path / "halted.strata"
    opened = next(folder.glob("*.open-1"))
    if harm == "short":
        opened.write_bytes(opened.read_bytes()[:-3])
    elif harm == "gone":
        next(folder.glob("*.keys")).unlink()
    else:
        (folder / "halted.json").write_text("{}", encoding="utf-8")
    solve(game, tmp_path / "halted", exact=True)
    assert files(tmp_path / "halted") == files(tmp_path / "whole")
