"""A process that runs cases one by one, and is killed if one takes too long.

The parent sends the number of a case, the child answers with (kind, what is wrong or ""). A case
that hangs, or ends the process, is a failure like any other; the next one gets a new process."""

from __future__ import annotations

import importlib
import multiprocessing
import time
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 20.0
"""Seconds that a case may take."""
PATIENCE = 1800.0
"""Seconds that a process may take to compile what its cases share."""


class CaseResult(NamedTuple):
    """How a case ended."""

    number: int
    kind: str
    wrong: str
    """Empty if nothing is wrong."""
    seconds: float


class CaseWorker:
    """Runs the cases of a module: its `prepare(folder)` once, then `run_case(number, seed)`, which
    returns the kind of a case and raises what is wrong."""

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
        kind, wrong = "", f"hangs: no end within {self._limit:g} s"
        try:
            if self._pipe.poll(self._limit):
                kind, wrong = self._pipe.recv()
            else:
                self._stop()
        except (EOFError, ConnectionResetError):
            self._process.join(5)
            wrong = f"ends the process (exit code {self._process.exitcode})"
            self._stop()
        return CaseResult(number, kind, wrong, time.monotonic() - began)

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


def answer(module: Any, number: int, seed: int) -> tuple[str, str]:
    """(kind, what is wrong) of one case."""
    kind = module.kind_of(number)
    try:
        module.run_case(number, seed)
    except Exception as error:
        return kind, f"{type(error).__name__}: {error}"
    return kind, ""
