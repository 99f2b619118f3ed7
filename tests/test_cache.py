"""The cache of compiled code: its owner's alone, since what is found there is run."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from perfectplay import load, solve
from perfectplay.compiled import cache
from perfectplay.compiled.kernels import Kernel
from perfectplay.errors import UsageError
from perfectplay.positions import found_stratum
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.strata.stratum_queue import StratumQueue


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_cache_is_made_for_its_owner_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        cache.put(cache.cache_folder() / "sources" / "x", b"x")
    finally:
        os.umask(before)
    assert mode(folder) == mode(folder / "sources") == 0o700


@pytest.mark.parametrize("shared", [0o777, 0o720])
def test_a_cache_that_others_can_write_to_is_refused(folder: Path, shared: int) -> None:
    folder.mkdir()
    folder.chmod(shared)
    with pytest.raises(UsageError, match="can be written to by other users") as caught:
        cache.cache_folder()
    assert "PERFECTPLAY_CACHE" in caught.value.hint
    with pytest.raises(UsageError):
        Kernel(len).folder  # noqa: B018
    code = "import sys; from perfectplay.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "solve", "nim", "--table", str(folder.parent / "t")]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.returncode, "other users" in ran.stderr) == (2, True)
    assert not list(folder.iterdir())
    folder.chmod(0o755)
    assert cache.cache_folder() == folder


def test_a_cache_of_somebody_else_is_refused(folder: Path, monkeypatch: Any) -> None:
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(cache.os, "getuid", lambda: 4242)
    found = folder.stat()
    theirs: Any = SimpleNamespace(st_uid=4243, st_mode=found.st_mode)
    with pytest.raises(UsageError, match="belongs to another user"):
        cache._refuse_shared(folder, theirs)
    for mine in (4242, cache.ROOT):
        owned: Any = SimpleNamespace(st_uid=mine, st_mode=found.st_mode)
        cache._refuse_shared(folder, owned)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders away")
def test_a_cache_that_was_given_away_is_refused(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder, 4243, -1)
    with pytest.raises(UsageError, match="belongs to another user"):
        cache.cache_folder()


def test_a_cache_that_cannot_be_made_is_done_without(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / "file" / "cache"))
    assert cache.cache_folder() == tmp_path / "file" / "cache"


# -- Working files. -------------------------------------------------------------------------------


class Trap:
    """A position that would do something if it was unpickled."""

    def __reduce__(self) -> Any:
        return pytest.fail, ("unpickled",)


def test_working_files_of_plain_rules_hold_numbers_alone(tmp_path: Path) -> None:
    queue = StratumQueue(tmp_path / "working")
    positions = [Trap(), Trap()]
    one = np.zeros(1, np.int8)
    names = ("payoff", "child", "swap", "weight", "reward", "anchor", "pattern", "node", "rank")
    arrays = dict.fromkeys(names, one)
    two = np.arange(2)
    queue.add(FoundStratum(7, positions, two, kind=two, count=two, **arrays))
    queue.spill(0)
    assert all(file.suffix == ".npy" for file in (tmp_path / "working" / "7").iterdir())
    assert queue.bytes == 200
    assert queue.look(7).positions is positions
    assert queue.take(7).positions is positions
    assert queue.bytes == 0


def test_plain_rules_are_solved_with_strata_in_files(tmp_path: Path, monkeypatch: Any) -> None:
    game = load("clobber")
    usual = solve(game, plain=True, workers=1).table.signature
    monkeypatch.setattr(found_stratum, "LARGE", -1)
    assert solve(game, tmp_path / "t", plain=True, workers=1).table.signature == usual


def test_nothing_of_the_package_unpickles() -> None:
    source = Path(cache.__file__).parents[1]
    for file in source.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "pickle.load" not in text, file
        assert "allow_pickle" not in text, file
