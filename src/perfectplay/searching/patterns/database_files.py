"""Pattern databases on disk: one file each, in the cache of what can be made again.

A file is a line of JSON (what it is a database of, how many bytes follow once they are unpacked,
and their checksum), then the costs, packed. A file that is damaged, or of other rules, is not
used: the database is built anew. What is half built is kept in a file of the same form."""

import contextlib
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes
from perfectplay.compiled.cache import cache_folder, put_pieces

VERSION = 2
PIECE = 1 << 24
"""Bytes that are packed or unpacked at a time."""
LONGEST_HEADER = 1 << 12


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
        with file.open("rb") as packed:
            header = json.loads(packed.readline(LONGEST_HEADER))
            costs: Bytes = np.empty(int(header["bytes"]), np.uint8)
            done, checked = 0, hashlib.sha256()
            for piece in _unpacked(packed):
                if done + len(piece) > len(costs):
                    return None
                costs[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
                checked.update(piece)
                done += len(piece)
    except (OSError, ValueError, KeyError, TypeError, zlib.error):
        return None
    sound = done == len(costs) and checked.hexdigest() == header.get("sha256")
    return (costs, header) if sound and header.get("database") == identity else None


def _unpacked(packed: Any) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    while piece := packed.read(PIECE):
        while piece:
            yield unpacking.decompress(piece, PIECE)
            piece = unpacking.unconsumed_tail
    yield unpacking.flush()
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("cut off, or longer than it was")


def write(identity: str, costs: Bytes) -> None:
    """Keep a database; where the cache cannot be written, it is built again the next time."""
    _write(identity, [costs], file_of(identity), {})


def keep_part(identity: str, arrays: Sequence[Bytes], done: dict[str, Any]) -> None:
    """Keep a database that is half built, with what is done."""
    _write(identity, arrays, _part(identity), done)


def read_part(identity: str) -> tuple[Bytes, dict[str, Any]] | None:
    """The bytes of a database that is half built, to be changed, and what is done; None if there
    is no sound file."""
    return _read(identity, _part(identity))


def drop_part(identity: str) -> None:
    """Remove what was half built."""
    with contextlib.suppress(OSError):
        _part(identity).unlink(missing_ok=True)


def _part(identity: str) -> Path:
    return file_of(identity).with_suffix(".part")


def _pieces(arrays: Sequence[Bytes]) -> Iterator[bytes]:
    for each in arrays:
        for low in range(0, len(each), PIECE):
            yield each[low : low + PIECE].tobytes()


def _write(identity: str, arrays: Sequence[Bytes], file: Path, more: dict[str, Any]) -> None:
    checked = hashlib.sha256()
    for piece in _pieces(arrays):
        checked.update(piece)
    header = {
        "database": identity, "bytes": sum(map(len, arrays)), "sha256": checked.hexdigest(), **more
    }  # fmt: skip

    def packed() -> Iterator[bytes]:
        yield json.dumps(header).encode() + b"\n"
        packing = zlib.compressobj(1)
        for piece in _pieces(arrays):
            yield packing.compress(piece)
        yield packing.flush()

    try:
        put_pieces(file, packed())
    except OSError:
        return
