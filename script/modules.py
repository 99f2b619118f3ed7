#!/usr/bin/env python3
"""Counts, for some commands, the modules that run and the pairs that call each other both ways.

A profiler notes every call from a function of one module of the package to a function of another,
in all threads; what runs while a module is imported does not count. With `--renew` the table of
docs/design.md is written anew. Run it by `.venv/bin/python script/modules.py`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

TOP = Path(__file__).resolve().parent.parent
PAGE = TOP / "docs" / "design.md"
COMMANDS = {
    "solve pig": ["solve", "pig", "-p", "goal=20"],
    "solve connect": ["solve", "connect", "-p", "width=4", "-p", "height=4"],
    "solve einstein --exact": ["solve", "einstein", "--exact"],
    "solve cant-stop": [
        "solve",
        "cant-stop",
        "-p",
        "players=3",
        "-p",
        "sides=2",
        "-p",
        "short=2",
        "-p",
        "columns=1",
    ],
    "search qubic": ["search", "qubic", "-p", "width=3", "-p", "height=3", "-p", "depth=3"],
}
BEGIN, END = "<!-- modules: begin -->", "<!-- modules: end -->"


def home(frame: FrameType) -> str:
    """The module of the package that a running function belongs to; else nothing. The bodies of
    modules and classes are no functions."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.startswith("perfectplay") and frame.f_code.co_flags & CO_OPTIMIZED else ""


def importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and home_of_module(frame):
            return True
        frame = frame.f_back
    return False


def home_of_module(frame: FrameType) -> bool:
    """Whether the body of a module of the package runs."""
    return str(frame.f_globals.get("__name__", "")).startswith("perfectplay.")


def traced(command: list[str]) -> set[tuple[str, str]]:
    """(caller, called) for all calls while a command runs."""
    calls: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (called := home(frame)):
            caller = home(frame.f_back) if frame.f_back is not None else ""
            if (caller, called) not in calls and not importing(frame.f_back):
                calls.add((caller, called))

    from perfectplay.cli.main import run

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    if code:
        raise SystemExit(f"{' '.join(command)} failed")
    return calls


def counted(command: list[str]) -> tuple[int, int]:
    """(modules, pairs) of a command, in a process of its own; it ran once before, to compile."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PERFECTPLAY_TABLES": folder}
        program = [sys.executable, str(Path(__file__).resolve()), "--one", json.dumps(command)]
        for _ in range(2):
            subprocess.run(["rm", "-rf", *map(str, Path(folder).iterdir())], check=True)
            done = subprocess.run(
                program, check=True, capture_output=True, text=True, env=environment
            )
        found = json.loads(done.stdout)
    return found["modules"], len(found["pairs"])


def summary(calls: set[tuple[str, str]]) -> dict[str, Any]:
    """How many modules ran, and which pairs call each other."""
    both = {(a, b) for a, b in calls if a and a < b and (b, a) in calls}
    return {"modules": len({b for _, b in calls}), "pairs": sorted(both)}


def table() -> str:
    """The table for docs/design.md."""
    lines = ["| command | modules that run | pairs that call each other |", "| --- | --- | --- |"]
    for name, command in COMMANDS.items():
        modules, pairs = counted(command)
        lines.append(f"| `{name}` | {modules} | {pairs} |")
    return "\n".join(lines)


def main() -> None:
    """Count; with `--one` a single command, in this process."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(summary(traced(json.loads(sys.argv[2])))))
        return
    found = table()
    if sys.argv[1:2] == ["--renew"]:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n{found}\n{END}{after}", encoding="utf-8")
    print(found)


if __name__ == "__main__":
    main()
