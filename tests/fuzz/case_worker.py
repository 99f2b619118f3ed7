"""A process that runs cases one by one, and is killed if one takes too long.

The parent sends the number of a case, the child answers with what is wrong, or "". A case
that hangs, or ends the process, is a failure like any other; the next one gets a new process."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 20.0
"""Seconds that a case may take."""
PATIENCE = 1800.0
"""Seconds that a process may take to compile what its cases share."""


BUSY = 6
"""On a busy machine a case may take so many times as long, if it does not get a processor."""


class CaseResult(NamedTuple):
    """How a case ended."""

    number: int
    kind: str
    wrong: str
    """Empty if nothing is wrong."""
    seconds: float


class CaseWorker:
    """Runs the cases of a module: its `prepare(folder)` once, then `run_case(number, seed)`, which
    raises what is wrong. `kind_of(number)` is the kind of a case."""

    def __init__(self, module: str, seed: int, folder: Path, limit: float = LIMIT) -> None:
        self._module, self._seed, self._folder, self._limit = module, seed, folder, limit
        self._process: Any = None
        self._pipe: Any = None

    def __enter__(self) -> CaseWorker:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def run(self, number: int) -> CaseResult:
        """Run one case."""
        if self._process is None:
            self._start()
        began = time.monotonic()
        self._pipe.send(number)
        try:
            if self._in_time(began):
                wrong = self._pipe.recv()
            else:
                wrong = f"hangs: no end within {self._limit:g} s{self._told(number)}"
                self._stop()
        except (EOFError, ConnectionResetError):
            self._process.join(5)
            wrong = f"ends the process: exit code {self._process.exitcode}{self._told(number)}"
            self._stop()
        kind = importlib.import_module(self._module).kind_of(number)
        return CaseResult(number, kind, wrong, time.monotonic() - began)

    def _in_time(self, began: float) -> bool:
        """Whether the child answers in time. On a busy machine it gets more, as long as it has
        not had so many seconds of a processor."""
        before = _processor_seconds(self._process.pid)
        while not self._pipe.poll(min(1.0, self._limit)):
            waited = time.monotonic() - began
            used = _processor_seconds(self._process.pid) - before
            if waited > self._limit and (used > self._limit or waited > BUSY * self._limit):
                return False
        return True

    def _told(self, number: int) -> str:
        """What a case is, if its module can tell."""
        tell = getattr(importlib.import_module(self._module), "tell", None)
        return f": {tell(number, self._seed)}" if tell else ""

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(
            target=_serve, args=(theirs, self._module, self._seed, self._folder), daemon=True
        )
        self._process.start()
        theirs.close()
        if not self._pipe.poll(PATIENCE):
            raise TimeoutError(f"{self._module} is not ready after {PATIENCE:g} s")
        self._pipe.recv()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _serve(pipe: Any, name: str, seed: int, folder: Path) -> None:
    """What the child does."""
    module = importlib.import_module(name)
    module.prepare(folder)
    pipe.send("ready")
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(module, number, seed))


def answer(module: Any, number: int, seed: int) -> str:
    """What is wrong with one case; empty if nothing is."""
    try:
        module.run_case(number, seed)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _processor_seconds(pid: int) -> float:
    """The time of processors that a process has used; infinite where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
