"""Memory and processors that a process may have: those of the machine, or fewer where a control
group or a binding to processors says so."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from perfectplay import load, solve
from perfectplay.compiled import machine
from perfectplay.compiled.threads import Pool
from perfectplay.errors import TooLargeError
from perfectplay.solving.budget import Budget, available_memory
from perfectplay.solving.private_peak import SECONDS, PrivatePeak

GB = 1 << 30
NO_LIMIT = "9223372036854771712\n"


class Machine:
    """A machine of files: 64 GB, half of it free, and eight processors."""

    def __init__(self, top: Path, patch: pytest.MonkeyPatch) -> None:
        self.top = top
        (top / "groups").mkdir()
        for name, file in (("GROUPS", "groups"), ("MEMBER", "member"), ("MEMORY", "meminfo")):
            patch.setattr(machine, name, top / file)
        patch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
        (top / "meminfo").write_text("MemTotal: 67108864 kB\nMemAvailable: 33554432 kB\n")

    def member(self, *lines: str) -> None:
        (self.top / "member").write_text("".join(f"{line}\n" for line in lines))

    def put(self, group: str, **files: str | int) -> None:
        folder = self.top / "groups" / group
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(f"{text}\n")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def found() -> tuple[int, int]:
    return machine.cores(), machine.free_memory()


def test_a_machine_without_control_groups(fake: Machine) -> None:
    assert found() == (8, 32 * GB)


def test_groups_without_limits(fake: Machine) -> None:
    fake.member("0::/user/me")
    fake.put("user/me", cpu__max="max 100000", memory__max="max", memory__current=GB)
    fake.put("user/me", memory__stat="anon 7")
    assert found() == (8, 32 * GB)
    fake.member("5:memory:/a", "4:cpu,cpuacct:/a", "0::/")
    limits = {"memory__limit_in_bytes": NO_LIMIT, "memory__usage_in_bytes": GB}
    fake.put("memory/a", **limits, memory__stat="total_inactive_file 0")
    fake.put("cpu/a", cpu__cfs_quota_us=-1, cpu__cfs_period_us=100000)
    assert found() == (8, 32 * GB)


def test_limits_of_version_2_in_a_container(fake: Machine) -> None:
    """Inside, the group of the container is the outermost one. Files that were read once and lie
    about are dropped when memory is wanted."""
    fake.member("0::/")
    fake.put("", cpu__max="150000 100000", memory__max=4 * GB, memory__current=3 * GB)
    fake.put("", memory__stat=f"anon {GB}\nfile {2 * GB}\ninactive_file {2 * GB}")
    assert found() == (2, 3 * GB)


def test_limits_of_version_1_in_a_container(fake: Machine) -> None:
    """The path is that of the host, which cannot be seen inside."""
    fake.member("7:memory:/docker/c0ffee", "3:cpuacct,cpu:/docker/c0ffee", "0::/docker/c0ffee")
    limits = {"memory__limit_in_bytes": 4 * GB, "memory__usage_in_bytes": 3 * GB}
    fake.put("memory", **limits, memory__stat=f"cache 1\ntotal_inactive_file {GB}")
    fake.put("cpu", cpu__cfs_quota_us=300000, cpu__cfs_period_us=100000)
    assert found() == (3, 2 * GB)


def test_a_limit_of_an_outer_group_holds_inside(fake: Machine) -> None:
    fake.member("0::/jobs/7/step")
    for group, most, used in (("jobs", 8, 7), ("jobs/7", 6, 2), ("jobs/7/step", 5, 1)):
        fake.put(group, memory__max=most * GB, memory__current=used * GB, memory__stat="")
    fake.put("jobs/7", cpu__max="50000 100000")
    assert found() == (1, GB)


def test_both_versions_beside_each_other(fake: Machine) -> None:
    fake.member("2:memory:/a", "0::/b")
    limits = {"memory__limit_in_bytes": 3 * GB, "memory__usage_in_bytes": GB}
    fake.put("memory/a", **limits, memory__stat="")
    fake.put("unified/b", cpu__max="400000 100000")
    assert found() == (4, 2 * GB)


def test_a_group_that_has_used_up_its_memory(fake: Machine) -> None:
    fake.member("0::/../sibling")
    fake.put("sibling", memory__max=GB, memory__current=GB + 1, memory__stat="", cpu__max="1 10")
    assert found() == (1, 0)


def test_files_that_say_something_else_are_passed_over(fake: Machine) -> None:
    fake.member("0::/a")
    fake.put("a", cpu__max="all of them", memory__max="much", memory__current="little")
    fake.put("a", memory__stat="words without numbers")
    assert found() == (8, 32 * GB)


def test_processors_a_process_is_bound_to(fake: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 6}, raising=False)
    assert machine.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")  # as on a Mac
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert machine.cores() == 12


def test_budgets_and_workers_keep_to_the_limits(fake: Machine) -> None:
    fake.member("0::/")
    fake.put("", cpu__max="100000 100000", memory__max=2 * GB, memory__current=GB)
    fake.put("", memory__stat="inactive_file 0")
    assert available_memory() <= GB
    assert Budget().most == available_memory() * 4 // 5
    assert Pool.shared().size == 0  # one worker needs no threads beside it
    fake.put("", cpu__max="300000 100000")
    assert (Pool.shared().size, Pool.beside(5).size) == (3, 2)


def test_memory_of_a_process_without_mapped_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "STATUS", tmp_path / "status")
    (tmp_path / "status").write_text(
        "Name: python\nVmHWM: 900 kB\nRssAnon:\t 200 kB\nRssFile: 500 kB\nRssShmem: 30 kB\n"
    )
    assert machine.private_memory() == 230 * 1024
    (tmp_path / "status").unlink()
    assert machine.private_memory() == 0


@pytest.mark.parametrize("beside", [False, True])
def test_private_memory_is_seen_while_it_is_held(*, beside: bool) -> None:
    seen = PrivatePeak()
    with seen.watching(beside=beside):
        held = np.ones(1 << 24)  # 128 MB
        time.sleep(2 * SECONDS)
        seen.look()
        del held
    assert seen.most >= 1 << 27


MOVES = ["boxes=1,2,3,4,5,6,three"]
"""Of Yahtzee: few positions, each with hundreds of moves."""


def test_in_a_small_group_a_game_of_many_moves_goes_to_files(
    fake: Machine, tmp_path: Path
) -> None:
    game = load("yahtzee", MOVES)
    whole = solve(game, tmp_path / "whole", workers=1)
    assert not whole.report["working_files"]
    assert 0 < whole.report["private_memory"] <= whole.report["peak_memory"]
    fake.member("0::/")
    fake.put("", memory__max=GB, memory__current=GB - 15_000_000, memory__stat="")
    less = solve(game, tmp_path / "less", workers=1)
    assert less.report["working_files"] > 0
    assert less.report["signature"] == whole.report["signature"]
    with pytest.raises(TooLargeError, match="memory"):
        solve(game)  # nowhere to go
