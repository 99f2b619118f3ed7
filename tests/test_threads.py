"""Threads: with one worker there are none, and results come in the order of the work."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from perfectplay import load, solve
from perfectplay.compiled import threads as module
from perfectplay.compiled.threads import Pool, threads
from perfectplay.solving.route import Home, along


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("connect", ["width=4", "height=4"], {}),
        ("pig", ["goal=20"], {}),
        ("einstein", ["stones=2"], {"exact": True}),
        ("cant-stop", ["players=3", "sides=2", "short=2", "columns=1"], {}),
    ],
)
@pytest.mark.parametrize("home", [Home.MEMORY, Home.FILES])
def test_one_worker_starts_no_thread(
    home: Home,
    name: str,
    given: list[str],
    options: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        begun.append(thread.name)
        start(thread)

    with along(homes=(home,)):
        two = solve(load(name, given), tmp_path / "two", workers=2, **options)
        monkeypatch.setattr(threading.Thread, "start", noted)
        one = solve(load(name, given), tmp_path / "one", workers=1, **options)
    assert not begun
    assert one.table.signature == two.table.signature


@pytest.mark.parametrize("size", [0, 1, 3])
def test_results_come_in_order(size: int) -> None:
    with Pool(size) as pool:
        assert list(pool.map(lambda x, y: x - y, range(50), range(7, 57))) == [-7] * 50
        assert list(pool.in_order(lambda x, y: x * y, range(50), 2)) == [*range(0, 100, 2)]
        wrong = pool.submit(lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            wrong.result()


def test_pools_have_no_more_threads_than_workers() -> None:
    for workers, shared, beside in ((1, 0, 0), (2, 2, 1), (5, 5, 2)):
        with threads(workers), Pool.shared() as first, Pool.beside(2) as second:
            assert (first.size, second.size) == (shared, beside)
    assert Pool.shared().size == (module.cores() if module.cores() > 1 else 0)


def test_workers_are_known_in_threads_of_a_pool() -> None:
    with threads(3), Pool(1) as pool:
        assert pool.submit(lambda: Pool.shared().size).result() == 3
