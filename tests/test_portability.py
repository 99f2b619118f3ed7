"""Other systems, as far as they can be played here: what Linux has is taken away."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from perfectplay import TableError
from perfectplay.compiled import address_space, cache, machine, threads
from perfectplay.strata import sealed_files

WINDOWS = """
import builtins, os, sys
real = builtins.__import__
def without(name, *rest):
    if name in ("resource", "fcntl", "pwd", "grp", "termios"):
        raise ImportError(f"No module named {name!r}", name=name)
    return real(name, *rest)
import psutil, filelock, platformdirs, numpy, numba, pyarrow.parquet, scipy.sparse, rich.console
for name in ("resource", "fcntl"):
    sys.modules.pop(name, None)
builtins.__import__ = without
for name in ("getuid", "sched_getaffinity", "O_DIRECTORY", "sysconf", "getloadavg"):
    delattr(os, name)
sys.platform = "win32"
psutil.Process.memory_info = lambda self: __import__("types").SimpleNamespace(peak_wset=7 << 20)
from pathlib import Path
from perfectplay.compiled import machine
machine.MEMORY = machine.MEMBER = Path("nowhere")
from perfectplay import Solution, load, solve, verify
solution = solve(load("nim", {"heaps": (1, 2)}), "table", plain=True)
assert solution.report["peak_memory"] == 7 << 20, solution.report
assert verify("table").ok
print(Solution.open("table").value(solution.start))
"""


def test_a_game_is_solved_without_what_windows_lacks(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", WINDOWS], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PERFECTPLAY_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout == "win in 3 plies\n"
    assert sorted(path.name for path in (tmp_path / "table").iterdir()) == [
        "README.md", "manifest.json", "part-000000.parquet",
    ]  # fmt: skip


def test_peak_memory_is_in_bytes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    usage: Any = SimpleNamespace(ru_maxrss=5000)
    fake = SimpleNamespace(getrusage=lambda _: usage, RUSAGE_SELF=0)
    monkeypatch.setattr(machine, "resource", fake)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert machine.peak_memory() == 5000
    monkeypatch.setattr(sys, "platform", "linux")
    assert machine.peak_memory() == 5000 * 1024


def test_free_memory_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MEMORY", tmp_path / "none")
    monkeypatch.setattr(machine, "MEMBER", tmp_path / "none")
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=3 << 30))
    assert machine.free_memory() == 3 << 30


def test_address_space_without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "resource", None)
    assert address_space.address_space_left() is None


def test_the_c_library_is_asked_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise TypeError("as on Windows")

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    monkeypatch.setattr(sys, "platform", "win32")
    threads.reuse_freed_memory.__wrapped__()


def test_folders_are_not_synced_where_they_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise PermissionError("as on Windows")

    monkeypatch.delattr(os, "O_DIRECTORY")
    monkeypatch.setattr(os, "open", refuse)
    sealed_files.sync_folder(tmp_path)


def test_the_cache_is_where_the_system_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERFECTPLAY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "perfectplay"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "Caches" / "p")
    monkeypatch.delattr(os, "getuid")
    assert cache.cache_folder() == tmp_path / "Caches" / "p"


def test_a_lock_keeps_others_out_and_leaves_nothing(tmp_path: Path) -> None:
    lock = sealed_files.Lock(tmp_path)
    with pytest.raises(TableError, match="another process is writing"):
        sealed_files.Lock(tmp_path)
    lock.release()
    lock.release()
    assert not list(tmp_path.iterdir())
    sealed_files.Lock(tmp_path).release()


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    hold = f"""
import os
from pathlib import Path
from perfectplay.strata.sealed_files import Lock
lock = Lock(Path({str(tmp_path)!r}))
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", hold], check=False).returncode == -9
    sealed_files.Lock(tmp_path).release()
