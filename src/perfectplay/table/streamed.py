"""Streamed: a column that is made when it is read, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array

AT_ONCE = 1 << 20
"""Rows that are made at a time."""
Piece = tuple[int, Callable[[int, int], Array]]
"""How many rows, and what gives rows low … high - 1 of them."""


class Streamed:
    """A column of numbers in pieces. What gives rows may be called several times, for the same
    rows, from other threads."""

    def __init__(self, dtype: Any, pieces: list[Piece]) -> None:
        self.dtype = np.dtype(dtype)
        self._pieces = pieces

    @staticmethod
    def of(column: Array | Streamed) -> Streamed:
        """A column as a streamed one."""
        if isinstance(column, Streamed):
            return column
        return Streamed(column.dtype, [(len(column), lambda low, high: column[low:high])])

    @staticmethod
    def joined(columns: list[Any]) -> Streamed:
        """Several columns, one after the other."""
        parts = [Streamed.of(column) for column in columns]
        kind = np.result_type(*(part.dtype for part in parts))
        return Streamed(kind, [piece for part in parts for piece in part._pieces])

    def __len__(self) -> int:
        return sum(rows for rows, _ in self._pieces)

    def __getitem__(self, rows: slice) -> Array:
        low, high, _ = rows.indices(len(self))
        found, begin = [], 0
        for size, give in self._pieces:
            first, last = max(low - begin, 0), min(high - begin, size)
            if first < last:
                found.append(give(first, last).astype(self.dtype, copy=False))
            begin += size
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0, self.dtype), *found])

    def astype(self, dtype: Any) -> Streamed:
        """The same numbers of another type."""
        return Streamed(dtype, self._pieces)

    def blocks(self) -> Iterator[Array]:
        """All rows, some at a time."""
        for low in range(0, len(self), AT_ONCE):
            yield self[low : low + AT_ONCE]

    def whole(self) -> Array:
        """All rows at once."""
        return self[0 : len(self)]
