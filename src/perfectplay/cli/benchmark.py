"""Bench: how fast the engine is, as ratios to twins that run in the same minute.

Every benchmark checks its answer. Time is given twice: by the clock, and in seconds of all cores
together. A twin has as many threads as we have in that row. Twins live in the folder `benchmarks`
of a source checkout; without it they are left out."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.errors import UsageError
from perfectplay.progress import size

if TYPE_CHECKING:
    from perfectplay.schemas.reports import BenchJson, MeasurementJson

TWINS = Path(__file__).resolve().parents[3] / "benchmarks"
NATIVE = "C++ -O3 -march=native"


@dataclass(frozen=True, order=True)
class Time:
    """How long something took."""

    clock: float
    cores: float
    """Seconds of all cores together."""


@dataclass(frozen=True)
class Measurement:
    """One benchmark."""

    name: str
    what: str
    positions: int
    ours: Time
    twin: str = ""
    theirs: Time | None = None
    threads: int = 1
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time for each second of the twin's, by the clock, with as many threads."""
        return None if self.theirs is None else self.ours.clock / self.theirs.clock

    @property
    def ratio_of_cores(self) -> float | None:
        """The same in seconds of all cores."""
        return None if self.theirs is None else self.ours.cores / self.theirs.cores

    @property
    def rate(self) -> float:
        """Positions a second, by the clock."""
        return self.positions / self.ours.clock

    def as_json(self) -> MeasurementJson:
        """The row as JSON-ready data."""
        theirs = self.theirs
        return {
            "name": self.name,
            "what": self.what,
            "threads": self.threads,
            "positions": self.positions,
            "seconds": self.ours.clock,
            "core_seconds": self.ours.cores,
            "positions_per_second": self.rate,
            "twin": self.twin,
            "twin_seconds": theirs.clock if theirs else None,
            "twin_core_seconds": theirs.cores if theirs else None,
            "ratio": self.ratio,
            "ratio_of_core_seconds": self.ratio_of_cores,
            "note": self.note,
        }

    def __str__(self) -> str:
        threads = f"{self.threads} thread{'s' * (self.threads > 1)}"
        text = (
            f"{self.name:14} {self.what}, {threads}: {self.positions:,} positions in "
            f"{self.ours.clock:.3f} s ({self.ours.cores:.3f} s of cores), "
            f"{self.rate:,.0f} a second"
        )
        if self.theirs is not None:
            text += (
                f"; {self.twin} {self.theirs.clock:.3f} s ({self.theirs.cores:.3f} s): "
                f"ratio {self.ratio:.3g} ({self.ratio_of_cores:.3g})"
            )
        return f"{text} ({self.note})" if self.note else text


@dataclass(frozen=True)
class Bench:
    """All benchmarks that were run."""

    rows: tuple[Measurement, ...]

    def as_json(self) -> BenchJson:
        """The benchmarks as JSON-ready data."""
        return {"benchmarks": [row.as_json() for row in self.rows]}

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows))


def run(names: list[str] | None = None) -> Bench:
    """Run the named benchmarks, or all but the long ones."""
    unknown = [name for name in names or [] if name not in BENCHMARKS]
    if unknown:
        raise UsageError(f"no benchmark {unknown[0]!r}", f"there are {', '.join(BENCHMARKS)}")
    chosen = names or [name for name in BENCHMARKS if name not in LONG]
    return Bench(tuple(row for name in chosen for row in BENCHMARKS[name]()))


def _expect(name: str, found: Any, right: Any) -> None:
    if found != right:
        raise AssertionError(f"benchmark {name}: the answer is {found}, but {right} is right")


def _timed(work: Callable[[], Any]) -> tuple[Time, Any]:
    """How long some work of this process takes, and what comes out."""
    began, busy = time.perf_counter(), time.process_time()
    answer = work()
    return Time(time.perf_counter() - began, time.process_time() - busy), answer


def _least(work: Callable[[], Any], times: int) -> tuple[Time, Any]:
    """The least time of several, since other programs can only slow things down."""
    return min((_timed(work) for _ in range(times)), key=lambda each: each[0])


def _twins() -> Any:
    path = TWINS / "twins.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("perfectplay_twins", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _program(scratch: Path, name: str) -> Path | None:
    """The C++ twin of that name, compiled, if there is a compiler."""
    source, compiler = TWINS / f"{name}.cpp", shutil.which("g++")
    if compiler is None or not source.exists():
        return None
    program = scratch / name
    flags = ["-O3", "-march=native", "-pthread"]
    subprocess.run([compiler, *flags, "-o", program, source], check=True)
    return program


def _run_twin(program: Path | None, *given: int) -> tuple[Time, list[str]] | None:
    """How long a C++ twin took, and the words that it printed, if there is one."""
    if program is None:
        return None
    command = [str(program), *map(str, given)]
    busy = os.times()
    began = time.perf_counter()
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    clock, done = time.perf_counter() - began, os.times()
    cores = done.children_user + done.children_system - busy.children_user - busy.children_system
    return Time(clock, cores), words


def _connect(width: int, height: int, positions: int, times: int) -> tuple[Measurement, ...]:
    """Rules to finished table, with one thread and with two, against a C++ program for this one
    game that writes no table."""
    from perfectplay.answer.solve import solve
    from perfectplay.compiled.machine import peak_memory
    from perfectplay.games.lines.connect import ConnectK

    game = ConnectK(width, height)
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        solve(ConnectK(4, 4), Path(scratch) / "warm")  # compiled code is loaded, not timed
        table, program = Path(scratch) / "table", _program(Path(scratch), "connect")
        for threads in (1, 2):
            ours, theirs = [], []
            for _ in range(times):
                took, solution = _timed(partial(solve, game, table, workers=threads, fresh=True))
                ours.append(took)
                value = str(solution.value(game.start()))
                _expect("connect", (solution.report["positions"], value), (positions, "draw"))
                twin = _run_twin(program, width, height, 4, threads)
                if twin is not None:
                    theirs.append(twin[0])
                    _expect("twin", twin[1][:2], [str(positions), "0"])
            found.append(
                Measurement(
                    f"connect-{width}x{height}",
                    "rules to finished table",
                    positions,
                    min(ours),
                    NATIVE if theirs else "",
                    min(theirs, default=None),
                    threads,
                    f"peak memory {size(peak_memory())}",
                )
            )
    return tuple(found)


def _pig() -> tuple[Measurement, ...]:
    """Two-player Pig to 100, from rules to values, with a proved interval."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.pig import Pig

    game = Pig(goal=100)
    solve(Pig(goal=10))
    ours, solution = _least(lambda: solve(game, workers=1), 3)
    value = solution.value(game.start())
    if abs(float(value) - 0.530592725274) > 5e-13 or value.error > 5e-13:
        raise AssertionError(f"benchmark pig: the answer is {value}")
    positions = solution.report["positions"]
    return (
        Measurement("pig", "rules to values, goal 100", positions, ours, note=f"value {value}"),
    )


def _pig_python() -> tuple[Measurement, ...]:
    """Pig to 20 from rules to value, against value iteration in pure Python (which proves
    nothing)."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.pig import Pig

    game = Pig(goal=20)
    solve(Pig(goal=10))
    ours, solution = _least(lambda: solve(game, workers=1), 3)
    twins = _twins()
    theirs, answer = (None, None) if twins is None else _timed(lambda: twins.pig(20))
    if answer is not None and abs(answer - float(solution.value(game.start()))) > 1e-6:
        raise AssertionError(
            f"benchmark pig-python: {answer} is not {solution.value(game.start())}"
        )
    what, positions = "rules to values, goal 20", solution.report["positions"]
    return (Measurement("pig-python", what, positions, ours, "pure Python", theirs),)


def _native() -> tuple[Measurement, ...]:
    """The same class of rules compiled and interpreted: expanding all of connect-k 4 x 4."""
    from perfectplay.games.lines.connect import ConnectK
    from perfectplay.positions.expand import expander
    from perfectplay.positions.explore import Explorer

    game = ConnectK(4, 4)
    fast, slow = expander(game), expander(game, plain=True)
    keys = [found.positions for found in Explorer(fast).found_strata()]
    positions = sum(map(len, keys))
    _expect("native", positions, 161_029)
    ours, _ = _least(lambda: [fast.expand(k) for k in keys], 5)
    plain = [[int(p) for p in k[:, 0]] for k in keys]
    theirs, _ = _timed(lambda: [slow.expand(k) for k in plain])
    what = "expanding connect 4x4, compiled"
    return (Measurement("native", what, positions, ours, "interpreted", theirs),)


def _python() -> tuple[Measurement, ...]:
    """Connect-k 4 x 4 from rules to values, against memoised recursion in pure Python."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.lines.connect import ConnectK

    game = ConnectK(4, 4)
    solve(game)
    ours, solution = _least(lambda: solve(game, workers=1), 3)
    twins = _twins()
    theirs, answer = (None, None) if twins is None else _timed(lambda: twins.connect(4, 4))
    if answer is not None:
        _expect("python", answer, (161_029, 0))
    _expect("python", str(solution.value(game.start())), "draw")
    what = "rules to values, connect 4x4"
    return (Measurement("python", what, 161_029, ours, "pure Python", theirs),)


def _cantstop() -> tuple[Measurement, ...]:
    """(3,3,1,2) Can't Stop from rules to values, against a C++ program for this one game that
    does the same by Algorithm 3 of Glenn, Fang and Kruskal, on one thread."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.cantstop import CantStop

    game = CantStop(3, 3, 1, 2)
    solve(CantStop(3, 2, 1, 1))  # compiled code is loaded, not timed
    with tempfile.TemporaryDirectory() as scratch:
        program = _program(Path(scratch), "cantstop")
        ours, theirs = [], []
        for _ in range(2):
            took, solution = _timed(lambda: solve(game, workers=1))
            ours.append(took)
            twin = _run_twin(program)
            if twin is not None:
                theirs.append(twin[0])
                _expect("twin", twin[1][0], "0.694227693898")
    values = [f"{float(value):.12f}" for value in solution.values(solution.start)]
    _expect("cant-stop", values, ["0.694227693898", "0.229742829936", "0.076029476166"])
    what, positions = "(3,3,1,2), rules to values", game.counts.positions
    named = NATIVE if theirs else ""
    least = min(theirs, default=None)
    return (Measurement("cant-stop", what, positions, min(ours), named, least),)


BENCHMARKS: dict[str, Callable[[], tuple[Measurement, ...]]] = {
    "connect": lambda: _connect(5, 4, 3_945_711, 5),
    "pig": _pig,
    "pig-python": _pig_python,
    "native": _native,
    "python": _python,
    "cant-stop": _cantstop,
    "connect-5x5": lambda: _connect(5, 5, 69_763_700, 1),
}
LONG = {"cant-stop", "connect-5x5"}
