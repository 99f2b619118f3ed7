"""Files of shards: arrays that tasks hand to each other, on a disk that all workers see.

A file is written under another name and renamed when it is complete; what is in it depends on
nothing but the task. So a task that is done twice, even at the same time, does no harm. A `Slice`
says where an array is: in which file, of which type, and from which byte on."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.strata.sealed_files import PARTIAL

Json = dict[str, Any]
"""What tasks get and return."""
ALIGNED = 8
_writes = count()


class Slice(NamedTuple):
    """An array in a file of a folder; as JSON, a list."""

    file: str
    kind: str
    """The type of its elements, as NumPy writes it."""
    begin: int
    """Its first byte."""
    rows: int
    columns: int
    """0: it has one axis."""

    def part(self, first: int, end: int) -> Slice:
        """Some of its rows."""
        size = np.dtype(self.kind).itemsize * (self.columns or 1)
        return self._replace(begin=self.begin + first * size, rows=end - first)


def put(folder: Path, name: str, arrays: Iterable[Array]) -> list[Slice]:
    """Write arrays into one file: where each of them is."""
    out: list[Slice] = []
    mine = f".{name}.{gethostname()}.{os.getpid()}.{threading.get_ident()}.{next(_writes)}"
    partial = folder / (mine + PARTIAL)
    at = 0
    try:
        with partial.open("wb") as file:
            for given in arrays:
                array = np.ascontiguousarray(given)
                columns = array.shape[1] if array.ndim > 1 else 0
                out.append(Slice(name, array.dtype.str, at, len(array), columns))
                file.write(array.data if array.size else b"")
                padding = -array.nbytes % ALIGNED
                file.write(bytes(padding))
                at += array.nbytes + padding
            file.flush()
            os.fsync(file.fileno())
        partial.replace(folder / name)
    finally:
        partial.unlink(missing_ok=True)
    return out


def get(folder: Path, given: Any) -> Array:
    """The array of a slice, mapped: the system reads what is looked at."""
    file, kind, begin, rows, columns = given
    shape = (rows, columns) if columns else (rows,)
    if not rows:
        return np.empty(shape, kind)
    found: Array = np.memmap(folder / file, kind, "r", begin, shape).view(np.ndarray)
    return found


def slices(given: list[Any]) -> list[Slice]:
    """Slices that came as JSON."""
    return [Slice(*each) for each in given]
