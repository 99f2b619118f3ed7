"""One case of the fuzzer of inputs: a command must end with a documented exit code.

1. Never with code 70, a traceback or a warning, nor after more than 20 seconds.
2. With code 0 it prints something, with --json one JSON object; with another it says what is
   wrong.
3. No code runs but that of the package and of files that the command line names.

One case in twenty is run as a command of its own, the others in this process."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import typer
from input_addresses import client, wrong_answer
from input_commands import InputCase, draw_input, kind_of
from input_folder import RAN, lay_out, prepare_tables

from perfectplay.cli import commands, main

__all__ = ["kind_of", "prepare", "run_case", "tell"]

ALONE = "from perfectplay.cli.main import main; main()"
MEMORY = 8 << 30
"""Bytes of address space that a command may take."""
LONGEST = 20
"""Seconds of a processor that a command of its own may take."""
SILENT = {"chart", "play", "nash", "sweep"}
"""Commands that may end well without a word on stdout."""
_place: dict[str, Path] = {}
_clients: dict[str, Any] = {}


class WrongEndError(Exception):
    """A command did not end as it should."""


def prepare(folder: Path) -> None:
    """Solve and compile what all cases share. The commands are put together once: Typer would do
    it for every case, which takes longer than most of them."""
    commands.app = typer.main.get_command(commands.app)  # type: ignore[assignment]
    _place["folder"] = folder
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with (folder / "prepared").open("w") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        prepare_tables(folder)


def run_case(number: int, seed: int = 0) -> None:
    """Try one input; WrongEndError says what is wrong."""
    case = draw_input(number, seed)
    if case.address is not None:
        _ask_explorer(case.address, number, seed)
        return
    place = lay_out(_place["folder"], *case.tables)
    if case.damage is not None:
        case.damage(place)
    (_place["folder"] / "typed").write_text(case.typed, encoding="utf-8", errors="replace")
    code, out, err = (_alone if alone(number) else _inside)(case)
    wrong = _wrong(case, code, out, err)
    if not case.names_code and (place / RAN).exists():
        wrong = "code ran that the command line does not name"
    if wrong:
        raise WrongEndError(f"{wrong}: {tell(number, seed)}")


def _ask_explorer(address: tuple[str, str], number: int, seed: int) -> None:
    if "client" not in _clients:
        _clients["client"] = client(_place["folder"] / "base")
    wrong = wrong_answer(_clients["client"].request(*address))
    if wrong:
        raise WrongEndError(f"{wrong}: {tell(number, seed)}")


def tell(number: int, seed: int) -> str:
    """The command of a case, or what the explorer is asked."""
    case = draw_input(number, seed)
    if case.address is not None:
        return " ".join(case.address)
    return f"perfectplay {shlex.join(case.arguments)!a}"


def alone(number: int) -> bool:
    """Whether a case is run as a command of its own: one in twenty, of all kinds."""
    return number // 10 % 20 == number % 10


def _inside(case: InputCase) -> tuple[int, str, str]:
    folder = _place["folder"]
    with (
        (folder / "typed").open(encoding="utf-8") as typed,
        (folder / "out").open("w+b") as out,
        (folder / "err").open("w+b") as err,
    ):
        os.dup2(typed.fileno(), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdin = typed
        code = main.run(case.arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return code, *(_text((folder / name).read_bytes()) for name in ("out", "err"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _alone(case: InputCase) -> tuple[int, str, str]:
    words = [word.replace("\0", "") for word in case.arguments]
    found: Any = subprocess.run(
        [sys.executable, "-c", ALONE, *words],
        input=case.typed.encode("utf-8", "replace"),
        capture_output=True,
        check=False,
        timeout=5 * LONGEST,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return found.returncode, _text(found.stdout), _text(found.stderr)


def _wrong(case: InputCase, code: int, out: str, err: str) -> str:
    """What is wrong with how a command ended; empty if nothing is."""
    last = err.strip().splitlines()[-2:]
    if code not in case.codes:
        return f"exit code {code} ({' / '.join(last)})"
    for word in ("Traceback (most recent", "Warning:", "internal error"):
        if word in err:
            return f"{word} on stderr ({' / '.join(last)})"
    if code == 0 and not out.strip() and not SILENT & set(case.arguments[:1]):
        return "nothing on stdout"
    if code == 0 and "--json" in case.arguments and not _is_json(out):
        return f"--json, but no JSON object on stdout ({out[:100]!r})"
    if code not in (0, 1, 130) and not err.strip() and not out.strip():
        return f"exit code {code} without a word"
    return ""


def _is_json(out: str) -> bool:
    if "Usage: " in out:  # help was asked for
        return True
    try:
        return isinstance(json.loads(out, parse_constant=lambda word: 1 / 0), dict | list)
    except (ValueError, ZeroDivisionError):
        return False
