"""Lets all tests import `naive`, the slow twins: pytest puts the folder of this file on the path.
No test sees the tables of whoever runs it.

Slow tests take hours, so they can be run in pieces: `--resume` leaves out those that have passed
with the same sources, which a file in the top folder remembers, and with `--minutes N` none begins
after N minutes.
"""

from __future__ import annotations

import gc
import hashlib
import math
import time
from pathlib import Path

import pytest

from perfectplay.cli import render

TOP = Path(__file__).parent.parent
PASSED = TOP / ".slow-passed"
BEGAN = time.monotonic()
GARBAGE = 50_000, 20, 100
"""Objects between two looks for garbage. Compiling makes millions that stay: with the thresholds
of Python, a sixth of its time goes into looking at them again and again."""


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands print does not depend on how busy the machine is."""
    monkeypatch.setattr(render, "EVERY", math.inf)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("perfectplay")
    group.addoption("--resume", action="store_true", help="no slow test that passed already")
    group.addoption("--minutes", type=float, help="begin no test after so many minutes")


def sources() -> str:
    """Sixteen hex digits that change with the package or its tests."""
    whole = hashlib.sha256()
    for folder in (TOP / "src", TOP / "tests"):
        for file in sorted(folder.rglob("*")):
            if file.suffix in {".py", ".csv", ".txt"}:
                whole.update(f"{file.relative_to(TOP)}\0".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(*GARBAGE)
    if config.getoption("--resume"):
        config.stash[DIGEST] = sources()


DIGEST = pytest.StashKey[str]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if DIGEST not in config.stash or not PASSED.exists():
        return
    lines = (line.partition(" ") for line in PASSED.read_text(encoding="utf-8").splitlines())
    passed = {name for digest, _, name in lines if digest == config.stash[DIGEST]}
    again = [item for item in items if item.nodeid.split("@")[0] not in passed]
    config.hook.pytest_deselected(items=[item for item in items if item not in again])
    items[:] = again


def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - BEGAN > 60 * minutes:
        pytest.skip("time is up: go on with --resume")


class Remembers:
    """Writes down which slow tests have passed."""

    def __init__(self, digest: str) -> None:
        self.digest = digest

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed and "slow" in report.keywords:
            with PASSED.open("a", encoding="utf-8") as file:
                file.write(f"{self.digest} {report.nodeid.split('@')[0]}\n")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where workers run the tests, only their controller remembers."""
    if DIGEST in session.config.stash and not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Remembers(session.config.stash[DIGEST]))
