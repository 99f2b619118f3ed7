"""Pattern databases on disk: one file each, in the cache of what can be made again.

A file is a line of JSON (what it is a database of, how many bytes follow once they are unpacked,
and their checksum), then the costs, packed. A file that is damaged, or of other rules, is not
used: the database is built anew. What is half built is kept in a file of the same form."""

import contextlib
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes
from perfectplay.compiled.cache import cache_folder, put

VERSION = 1


def file_of(identity: str) -> Path:
    """Where the database with this digest is kept."""
    return cache_folder() / "databases" / f"{identity}.pdb"


def digest(*parts: Any) -> str:
    """Twenty-four hex digits that change when one of the parts does."""
    text = json.dumps([VERSION, *parts], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def read(identity: str) -> Bytes | None:
    """The costs of the database with this digest; None if there is no sound file."""
    found = _read(identity, file_of(identity))
    return None if found is None else found[0]


def _read(identity: str, file: Path) -> tuple[Bytes, dict[str, Any]] | None:
    """Costs and header of a sound file."""
    try:
        data = file.read_bytes()
        head, _, packed = data.partition(b"\n")
        header = json.loads(head)
        costs = zlib.decompress(packed, bufsize=max(1, int(header["bytes"])))
    except (OSError, ValueError, KeyError, TypeError, zlib.error):
        return None
    sound = hashlib.sha256(costs).hexdigest() == header.get("sha256")
    if header.get("database") != identity or not sound:
        return None
    return np.frombuffer(costs, np.uint8), header


def write(identity: str, costs: Bytes) -> None:
    """Keep a database; where the cache cannot be written, it is built again the next time."""
    _write(identity, costs, file_of(identity), {})


def keep_part(identity: str, costs: Bytes, done: dict[str, Any]) -> None:
    """Keep a database that is half built, with what is done."""
    _write(identity, costs, _part(identity), done)


def read_part(identity: str) -> tuple[Bytes, dict[str, Any]] | None:
    """The costs of a database that is half built, to be changed, and what is done; None if there
    is no sound file."""
    found = _read(identity, _part(identity))
    return None if found is None else (found[0].copy(), found[1])


def drop_part(identity: str) -> None:
    """Remove what was half built."""
    with contextlib.suppress(OSError):
        _part(identity).unlink(missing_ok=True)


def _part(identity: str) -> Path:
    return file_of(identity).with_suffix(".part")


def _write(identity: str, costs: Bytes, file: Path, more: dict[str, Any]) -> None:
    raw = costs.tobytes()
    header = {
        "database": identity, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest(), **more
    }  # fmt: skip
    data = json.dumps(header).encode() + b"\n" + zlib.compress(raw, 1)
    try:
        put(file, data)
    except OSError:
        return
