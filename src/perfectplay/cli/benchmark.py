"""Bench: how fast the engine is, as ratios to twins that run in the same minute. Every benchmark
checks its answer. Twins live in the folder `benchmarks` of a source checkout; without it they are
left out."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.progress import size

TWINS = Path(__file__).resolve().parents[3] / "benchmarks"


@dataclass(frozen=True)
class Measurement:
    """One benchmark."""

    name: str
    what: str
    positions: int
    seconds: float
    twin: str = ""
    twin_seconds: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time for each second of the twin's, per position."""
        return None if not self.twin_seconds else self.seconds / self.twin_seconds

    @property
    def rate(self) -> float:
        """Positions a second."""
        return self.positions / self.seconds

    def as_json(self) -> dict[str, Any]:
        """The row as JSON-ready data."""
        return {**vars(self), "ratio": self.ratio, "positions_per_second": self.rate}


@dataclass(frozen=True)
class Bench:
    """All benchmarks that were run."""

    rows: tuple[Measurement, ...]

    def as_json(self) -> dict[str, Any]:
        """The benchmarks as JSON-ready data."""
        return {"benchmarks": [row.as_json() for row in self.rows]}

    def __str__(self) -> str:
        lines = []
        for row in self.rows:
            twin = ""
            if row.ratio is not None and row.twin_seconds is not None:
                twin = f"; {row.twin} {row.twin_seconds:.3f} s: ratio {row.ratio:.3g}"
            note = f" ({row.note})" if row.note else ""
            lines.append(
                f"{row.name:14} {row.what}: {row.positions:,} positions in {row.seconds:.3f} s, "
                f"{row.rate:,.0f} a second{twin}{note}"
            )
        return "\n".join(lines)


def run(names: list[str] | None = None) -> Bench:
    """Run the named benchmarks, or all but the long ones."""
    unknown = [name for name in names or [] if name not in BENCHMARKS]
    if unknown:
        raise UsageError(f"no benchmark {unknown[0]!r}", f"there are {', '.join(BENCHMARKS)}")
    chosen = names or [name for name in BENCHMARKS if name not in LONG]
    return Bench(tuple(BENCHMARKS[name]() for name in chosen))


def _expect(name: str, found: Any, right: Any) -> None:
    if found != right:
        raise AssertionError(f"benchmark {name}: the answer is {found}, but {right} is right")


def _best(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The least time of several, since other programs can only slow things down."""
    least, answer = float("inf"), None
    for _ in range(times):
        began = time.perf_counter()
        answer = work()
        least = min(least, time.perf_counter() - began)
    return least, answer


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


def _connect(width: int, height: int, positions: int, times: int) -> Measurement:
    """Rules to finished table, against a C++ program for this one game that writes no table."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.lines.connect import ConnectK
    from perfectplay.solving.budget import peak_memory

    game = ConnectK(width, height)
    with tempfile.TemporaryDirectory() as scratch:
        solve(ConnectK(4, 4), Path(scratch) / "warm")  # compiled code is loaded, not timed
        table = Path(scratch) / "table"
        run_twin = _compiled_twin(Path(scratch), width, height)
        ours, theirs = float("inf"), float("inf")
        for _ in range(times):
            took, solution = _best(lambda: solve(game, table, fresh=True), 1)
            ours = min(ours, took)
            if run_twin is not None:
                theirs = min(theirs, run_twin())
        _expect(
            "connect",
            (solution.report["positions"], str(solution.value(game.start()))),
            (positions, "draw"),
        )
    return Measurement(
        f"connect-{width}x{height}",
        "rules to finished table",
        positions,
        ours,
        "" if run_twin is None else "C++ -O3 -march=native",
        None if run_twin is None else theirs,
        f"peak memory {size(peak_memory())}",
    )


def _program(scratch: Path, name: str) -> Path | None:
    """The C++ twin of that name, compiled, if there is a compiler."""
    source, compiler = TWINS / f"{name}.cpp", shutil.which("g++")
    if compiler is None or not source.exists():
        return None
    program = scratch / name
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
    return program


def _compiled_twin(scratch: Path, width: int, height: int) -> Callable[[], float] | None:
    """The C++ twin as a function that runs it and gives its seconds, if there is a compiler."""
    program = _program(scratch, "connect")
    if program is None:
        return None

    def twin() -> float:
        command = [str(program), str(width), str(height)]
        words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        _expect("twin", words[1], "0")
        return float(words[3])

    return twin


def _pig() -> Measurement:
    """Two-player Pig to 100, solving only, with a proved interval; the twin does goal 20."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.pig import Pig

    game = Pig(goal=100)
    solve(Pig(goal=10))
    solutions = [solve(game) for _ in range(3)]
    value = solutions[0].value(game.start())
    if abs(float(value) - 0.530592725274) > 5e-13 or value.error > 5e-13:
        raise AssertionError(f"benchmark pig: the answer is {value}")
    seconds = min(s.report["seconds"]["solve"] for s in solutions)
    return Measurement(
        "pig", "solving goal 100", solutions[0].report["positions"], seconds, note=f"value {value}"
    )


def _pig_python() -> Measurement:
    """Pig to 20 from rules to value, against value iteration in pure Python (which proves
    nothing)."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.pig import Pig

    game = Pig(goal=20)
    solve(Pig(goal=10))
    ours, solution = _best(lambda: solve(game), 3)
    twins = _twins()
    theirs, answer = (None, None) if twins is None else _best(lambda: twins.pig(20), 1)
    if answer is not None and abs(answer - float(solution.value(game.start()))) > 1e-6:
        raise AssertionError(
            f"benchmark pig-python: {answer} is not {solution.value(game.start())}"
        )
    positions = solution.report["positions"]
    return Measurement(
        "pig-python", "rules to value, goal 20", positions, ours, "pure Python", theirs
    )


def _native() -> Measurement:
    """The same class of rules compiled and interpreted: expanding all of connect-k 4 x 4."""
    from perfectplay.games.lines.connect import ConnectK
    from perfectplay.positions.expand import expander
    from perfectplay.positions.explore import Explorer

    game = ConnectK(4, 4)
    fast, slow = expander(game), expander(game, plain=True)
    keys = [found.positions for found in Explorer(fast).found_strata()]
    positions = sum(map(len, keys))
    _expect("native", positions, 161_029)
    ours, _ = _best(lambda: [fast.expand(k) for k in keys], 5)
    plain = [[int(p) for p in k[:, 0]] for k in keys]
    theirs, _ = _best(lambda: [slow.expand(k) for k in plain], 1)
    return Measurement(
        "native", "expanding connect 4x4, compiled", positions, ours, "interpreted", theirs
    )


def _python() -> Measurement:
    """Connect-k 4 x 4 from rules to values, against memoised recursion in pure Python."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.lines.connect import ConnectK

    game = ConnectK(4, 4)
    solve(game)
    ours, solution = _best(lambda: solve(game), 3)
    twins = _twins()
    theirs, answer = (None, None) if twins is None else _best(lambda: twins.connect(4, 4), 1)
    if answer is not None:
        _expect("python", answer, (161_029, 0))
    _expect("python", str(solution.value(game.start())), "draw")
    return Measurement(
        "python", "rules to values, connect 4x4", 161_029, ours, "pure Python", theirs
    )


def _cantstop() -> Measurement:
    """(3,3,1,2) Can't Stop from rules to values, against a C++ program for this one game that
    does the same by Algorithm 3 of Glenn, Fang and Kruskal."""
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.cantstop import CantStop

    game = CantStop(3, 3, 1, 2)
    solve(CantStop(3, 2, 1, 1))  # compiled code is loaded, not timed
    with tempfile.TemporaryDirectory() as scratch:
        program = _program(Path(scratch), "cantstop")
        ours, theirs = float("inf"), None
        for _ in range(2):
            took, solution = _best(lambda: solve(game), 1)
            ours = min(ours, took)
            if program is not None:
                done = subprocess.run([program], check=True, capture_output=True, text=True)
                words = done.stdout.split()
                _expect("twin", words[0], "0.694227693898")
                theirs = min(theirs or float("inf"), float(words[4]))
    values = [f"{float(value):.12f}" for value in solution.values(solution.start)]
    _expect("cant-stop", values, ["0.694227693898", "0.229742829936", "0.076029476166"])
    twin = "" if theirs is None else "C++ -O3 -march=native"
    what = "(3,3,1,2), rules to values"
    return Measurement("cant-stop", what, game.counts.positions, ours, twin, theirs)


BENCHMARKS: dict[str, Callable[[], Measurement]] = {
    "connect": lambda: _connect(5, 4, 3_945_711, 5),
    "pig": _pig,
    "pig-python": _pig_python,
    "native": _native,
    "python": _python,
    "cant-stop": _cantstop,
    "connect-5x5": lambda: _connect(5, 5, 69_763_700, 1),
}
LONG = {"cant-stop", "connect-5x5"}
