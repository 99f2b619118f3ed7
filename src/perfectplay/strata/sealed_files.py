"""Small files of a table folder: sealed texts, atomic writes, the lock, and errors of the disk.

A sealed text is JSON whose last line holds a checksum of every byte before it, so a flipped byte
is found wherever it falls, white space included. Writes go to a temporary name in the same folder
and are renamed when complete: a name that exists is never half a file.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfectplay.errors import TableError
from perfectplay.rules.load import listed_name
from perfectplay.rules.parameters import value_text

FORMAT = "perfectplay table"
VERSION = 3
"""Raised with every change that makes older tables unreadable, or mean something else."""
MANIFEST = "manifest.json"
BEGUN = "unfinished.json"
LOCK = "lock"
PARTIAL = ".partial"

SOLVE_AGAIN = "the file was changed or damaged: copy it again, or solve again with --fresh"
_SEAL = re.compile(rb'  "checksum": "([0-9a-f]{64})"\n}\n')
_SEAL_LENGTH = 83
_OURS = re.compile(r"part-\d{6}\.(parquet|json)|unfinished\.json|manifest\.json")


def sealed(data: dict[str, Any]) -> bytes:
    """JSON text of `data` with format, version and checksum: the same bytes for equal data."""
    whole = {"format": FORMAT, "version": VERSION, **_portable(data)}
    lines = [f"  {json.dumps(key)}: {_dumped(value)},\n" for key, value in whole.items()]
    body = ("{\n" + "".join(lines)).encode()
    return body + f'  "checksum": "{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode()


def unsealed(path: Path) -> dict[str, Any]:
    """The data that `sealed` wrote to `path`; TableError if it is damaged or of another format."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}", SOLVE_AGAIN) from None
    seal = len(text) - _SEAL_LENGTH
    match = _SEAL.fullmatch(text[seal:]) if seal > 0 else None
    if match is None or hashlib.sha256(text[:seal]).hexdigest().encode() != match[1]:
        _refuse_other_version(path, text)
        raise TableError(f"{path} is damaged: its checksum does not match", SOLVE_AGAIN)
    try:
        data = json.loads(text, object_hook=_restored)
    except (ValueError, TypeError, RecursionError):
        data = None  # somebody else sealed it
    if not isinstance(data, dict) or data.pop("format", "") != FORMAT:
        _refuse_other_version(path, text)
        raise TableError(f"{path} is no text that perfectplay wrote", SOLVE_AGAIN)
    if data.pop("version", 0) != VERSION:
        _refuse_other_version(path, text)
        raise TableError(f"{path} does not say its format version", SOLVE_AGAIN)
    data.pop("checksum", None)
    return data


def _refuse_other_version(path: Path, text: bytes) -> None:
    """TableError if `text` is no text of ours, or one of another version."""
    if FORMAT.encode() not in text[:200]:
        raise TableError(
            f"{path} does not belong to a table of perfectplay", "choose another folder"
        )
    version = re.search(rb'"version": (\d+)', text[:200])
    if version and int(version[1]) != VERSION:
        raise TableError(
            f"{path} has format version {int(version[1])}, this perfectplay reads {VERSION}",
            f"solve it again: {_command(path, text)}",
        )


def _command(path: Path, text: bytes) -> str:
    """The command that makes the table of a manifest anew, whatever its version."""
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return solve_command(json.loads(text)["header"], path.parent)
    return shlex.join(["perfectplay", "solve", "GAME", "--table", str(path.parent), "--fresh"])


def solve_command(header: dict[str, Any], folder: Path) -> str:
    """The command that makes the table with this header anew."""
    name, given, sides = header["game"], header["parameters"], []
    if {*given} == {"of", "given", "sides"}:  # rules/coalitions.py
        sides = ["--sides", given["sides"]] if given["sides"] else []
        name, given = given["of"], json.loads(given["given"])
    words = ["perfectplay", "solve", listed_name(name)]
    for parameter, value in given.items():
        words += ["-p", f"{parameter}={value_text(value)}"]
    words += [*sides, *["--exact"] * bool(header.get("exact"))]
    words += ["--ties", header["ties"]] if header.get("ties", "first") != "first" else []
    return shlex.join([*words, "--table", str(folder), "--fresh"])


def _dumped(value: Any) -> str:
    """One line per part, so that a manifest can be read and compared by people."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {json.dumps(each)}" for each in value) + "\n  ]"
    return json.dumps(value, allow_nan=False)


def _portable(value: Any) -> Any:
    """`value` with infinities as {"float": "-inf"}, since JSON has none, and tuples as lists."""
    if isinstance(value, dict):
        return {str(key): _portable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_portable(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _restored(found: dict[str, Any]) -> Any:
    return float(found["float"]) if found.keys() == {"float"} else found


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON data."""
    texts = [json.dumps(_portable(value), sort_keys=True) for value in (one, other)]
    return texts[0] == texts[1]


def is_ours(name: str) -> bool:
    """Whether a file of this name in a table folder belongs to the table."""
    return _OURS.fullmatch(name.removesuffix(PARTIAL)) is not None


def write_atomic(path: Path, text: bytes) -> None:
    """Put `text` at `path`: after a crash there is the old file or the new, never a mixture."""
    partial = path.with_name(path.name + PARTIAL)
    with partial.open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable, where a system can be asked to."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def disk(folder: Path) -> Iterator[None]:
    """Turn errors of the disk inside the block into TableErrors that say what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            hint = "make room and run again: finished strata are kept"
        else:
            hint = "choose another folder, or mend its permissions"
        reason = error.strerror or str(error)
        raise TableError(f"cannot write to {folder}: {reason}", hint) from error


class Lock:
    """At most one process writes to a folder; the system releases the lock if the process dies."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock, Timeout

        self._path = folder / LOCK
        self._lock = FileLock(self._path, mode=0o644)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise TableError(
                f"another process is writing to {folder}", "wait for it, or choose another folder"
            ) from None

    def release(self) -> None:
        """Let others write; the lock file goes too."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):  # Windows removes it when it is released
                self._path.unlink()
            self._lock.release()
