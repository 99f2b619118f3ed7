"""Rows on their way into one part of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.store import aligned
from perfectplay.table.streamed import Streamed

Columns = dict[str, Any]
"""Named columns: NumPy arrays, streamed ones, or lists of texts."""


@dataclass
class PartRows:
    """Whole strata, as they go into one part."""

    strata: list[list[int]]
    keys: Any
    """int64[n, width], or a list of texts, or a range: rows are numbers of positions."""
    columns: Columns

    def __len__(self) -> int:
        return len(self.keys)

    def stratum(self, low: int, high: int) -> Array:
        """The stratum of rows low … high - 1."""
        table = np.array(self.strata, np.int64)
        ends = np.cumsum(table[:, 1]).clip(low, high)
        return np.repeat(table[:, 0], np.diff(ends, prepend=low))

    def key(self, row: int) -> list[Any]:
        """The key of one row, as JSON-ready data."""
        if isinstance(self.keys, range):
            return [row - max(low for low in self._begins() if low <= row)]
        key = self.keys[row]
        return [key] if isinstance(key, str) else [int(word) for word in key]

    def _begins(self) -> Iterator[int]:
        """The first row of each stratum."""
        return accumulate((rows for _, rows in self.strata[:-1]), initial=0)


def joined(pieces: list[PartRows]) -> PartRows:
    """Several runs of strata as one."""
    if len(pieces) == 1:
        return pieces[0]

    def join(arrays: list[Any]) -> Any:
        if any(isinstance(array, Streamed) for array in arrays):
            return Streamed.joined(arrays)
        if isinstance(arrays[0], np.ndarray):
            return np.concatenate(arrays)
        if isinstance(arrays[0], range):
            return range(sum(map(len, arrays)))
        return [each for array in arrays for each in array]

    columns = aligned([piece.columns for piece in pieces])
    return PartRows(
        [each for piece in pieces for each in piece.strata],
        join([piece.keys for piece in pieces]),
        {name: join([each[name] for each in columns]) for name in columns[0]},
    )
