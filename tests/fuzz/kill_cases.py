"""One case of the runs that are killed: SIGKILL at random moments, then taken up to the end.

The folder must hold the same bytes as that of an undisturbed run, and nothing else may be left
beside it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

SOLVE = """
import sys
from pathlib import Path
import perfectplay.table.writer
perfectplay.table.writer.PART_ROWS = {rows}  # many small parts: more moments to die between
from perfectplay import load, solve
from perfectplay.solving.route import Home, along
with along(**{route}):
    solve(load({name!r}, {given}), Path(sys.argv[1]), workers=int(sys.argv[2]), **{options})
"""
KINDS: dict[str, dict[str, Any]] = {
    "out of core": {"name": "pig", "given": {"goal": 25}, "route": "dict(homes=(Home.FILES,))"},
    "by turns": {"name": "cant-stop", "given": {"sides": 2, "short": 3, "columns": 2}, "rows": 50},
    "labelled": {"name": "einstein", "exact": True, "route": "dict(homes=(Home.LABELS,))"},
    "cyclic": {"name": "pig", "given": {"goal": 30}},
    "plain": {"name": "pig", "given": {"goal": 15}, "rows": 100, "plain": True},
    "exact": {"name": "piglet", "given": {"goal": 12}, "exact": True, "rows": 200},
}
"""The kinds of runs: a game, its parameters, and how it is solved."""
Files = dict[str, bytes]


class Undisturbed(NamedTuple):
    """What a run leaves that nobody disturbs, and its seconds from the first file to the end."""

    files: Files
    seconds: float


class KilledRunError(Exception):
    """A run that was killed did not end as an undisturbed one."""


_place: dict[str, Path] = {}
_undisturbed: dict[str, Undisturbed] = {}


def kind_of(number: int) -> str:
    """The kind of a case."""
    return list(KINDS)[number % len(KINDS)]


def prepare(folder: Path) -> None:
    """Nothing is made before it is needed."""
    _place["folder"] = folder


def run_case(number: int, seed: int = 0) -> None:
    """Kill one run, perhaps several times; KilledRunError says what is wrong."""
    rng = random.Random(f"{seed} kill {number}")
    kind = kind_of(number)
    whole = undisturbed(kind)
    place = _place["folder"] / f"case-{number}"
    wanted = rng.choice((1, 1, 1, 2, 3))
    kills = tries = 0
    while kills < wanted and tries < 20:
        place.mkdir(exist_ok=True)
        moment = rng.uniform(0, whole.seconds) * 0.9**tries
        tries += 1
        if _killed(kind, place, workers=1 + tries % 2, moment=moment):
            kills += 1
        elif not kills:  # it was too fast: once more from the beginning
            shutil.rmtree(place)
        else:
            break
    if not kills:
        raise KilledRunError("no run lived long enough to be killed")
    _finish(kind, place)
    found = files(place)
    shutil.rmtree(place)
    if found != whole.files:
        names = [n for n in {**found, **whole.files} if found.get(n) != whole.files.get(n)]
        raise KilledRunError(f"after {kills} kills {', '.join(sorted(names))} differ")


def undisturbed(kind: str) -> Undisturbed:
    """What a run of a kind leaves: the same for any number of workers."""
    if kind not in _undisturbed:
        both = []
        for workers in (2, 1):  # the first one compiles
            place = _place["folder"] / f"undisturbed-{workers}"
            place.mkdir()
            run = _started(kind, place, workers)
            began = _begun(run, place)
            _ended(run)
            both.append(Undisturbed(files(place), time.monotonic() - began))
            shutil.rmtree(place)
        if both[0].files != both[1].files:
            raise KilledRunError("the number of workers makes a difference")
        _undisturbed[kind] = both[1]
    return _undisturbed[kind]


def files(place: Path) -> Files:
    """All files under a folder but the lock, which a killed run leaves for the next to take."""
    found = (path for path in sorted(place.rglob("*")) if path.is_file() and path.name != "lock")
    return {str(path.relative_to(place)): path.read_bytes() for path in found}


def _started(kind: str, place: Path, workers: int) -> subprocess.Popen[bytes]:
    plan = {"rows": 500, "route": "{}", "given": {}, **KINDS[kind]}
    options = {name: True for name in ("exact", "plain") if plan.get(name)}
    return subprocess.Popen(
        [sys.executable, "-c", SOLVE.format(options=options, **plan), "table", str(workers)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
    )


def _begun(run: subprocess.Popen[bytes], place: Path) -> float:
    """When the first file of a run appeared, or the run ended."""
    while run.poll() is None and not any(place.iterdir()):
        time.sleep(0.002)
    return time.monotonic()


def _killed(kind: str, place: Path, *, workers: int, moment: float) -> bool:
    """Whether a run could be killed so many seconds after its first file was there."""
    run = _started(kind, place, workers)
    _begun(run, place)
    try:
        run.wait(moment)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
    _ended(run, 0, -signal.SIGKILL)
    return run.returncode != 0


def _finish(kind: str, place: Path) -> None:
    _ended(_started(kind, place, 1))


def _ended(run: subprocess.Popen[bytes], *codes: int) -> None:
    _, said = run.communicate()
    if run.returncode not in (codes or (0,)):
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        raise KilledRunError(f"a run ended with code {run.returncode}: {' '.join(last)}")
