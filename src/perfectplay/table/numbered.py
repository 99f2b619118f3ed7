"""Tables by number: rows are the numbers of positions, and no keys are stored.

To look a position up takes one read: its number says which group of rows has it. What needs
positions for rows asks the rules for them (`numbering`, which a `Solution` sets)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.store import NO_OUTCOME, NO_POSITION
from perfectplay.table.parquet import key_names
from perfectplay.table.part_rows import Columns
from perfectplay.table.reader import MemoryTable, Table


class Numbers(Protocol):
    """What tables ask of a `Numbering` (positions/numbers/numbering.py)."""

    @property
    def width(self) -> int:
        """Words of a key."""

    def position(self, stratum: int, number: int) -> Any:
        """The position with a number; None for a hole."""

    def ranks(self, keys: Array) -> Array:
        """The numbers of positions in their strata."""

    def keys(self, stratum: int, numbers: Array) -> tuple[Array, Array]:
        """(positions as keys, which of them are holes)."""

    def each(self, stratum: int) -> Iterator[tuple[int, Array, Array]]:
        """(first number, keys, which of them are holes), some at a time."""


def holes(columns: Columns) -> Array:
    """Which rows are numbers that no position has."""
    if "outcome" in columns:
        return np.asarray(columns["outcome"] == NO_OUTCOME)
    return np.asarray(columns["score"] == NO_POSITION)


class ByNumber:
    """What both kinds of tables have in common."""

    numbering: Numbers | None = None
    strata: list[tuple[int, int]]
    extra: dict[str, Any]
    rows: int

    @cached_property
    def _begins(self) -> dict[int, int]:
        """The first row of each stratum."""
        begins = accumulate((rows for _, rows in self.strata), initial=0)
        return dict(zip((stratum for stratum, _ in self.strata), begins, strict=False))

    @cached_property
    def _sizes(self) -> dict[int, int]:
        return dict(self.strata)

    def columns_at(self, row: int) -> tuple[Columns, int]:
        """Columns that hold a row, and its place in them."""
        raise NotImplementedError

    def find(self, stratum: int, key: Any) -> dict[str, Any] | None:
        """The values of the position with this stratum and number; None if there is none."""
        (number,) = key
        if not 0 <= number < self._sizes.get(stratum, 0):
            return None
        columns, row = self.columns_at(self._begins[stratum] + number)
        found = {name: column.item(row) for name, column in columns.items()}
        no_position = found.get("outcome") == NO_OUTCOME or found.get("score") == NO_POSITION
        return None if no_position else found

    def find_all(self, strata: Array, numbers: Array) -> Columns:
        """The values of many positions; rows of holes are those of `holes`."""
        first = np.array([self._begins.get(int(s), 0) for s in strata], np.int64)
        rows = first + numbers
        order = np.argsort(rows, kind="stable")
        out: Columns = {}
        done = 0
        while done < len(order):
            columns, place = self.columns_at(int(rows[order[done]]))
            low = int(rows[order[done]]) - place
            length = len(next(iter(columns.values())))
            many = int(np.searchsorted(rows[order], low + length)) - done
            here = order[done : done + many]
            for name, column in columns.items():
                values = column[rows[here] - low]
                if name not in out:
                    out[name] = np.empty(len(rows), values.dtype)
                if values.dtype.itemsize > out[name].dtype.itemsize:
                    out[name] = out[name].astype(values.dtype)
                out[name][here] = values
            done += many
        return out

    def at(self, row: int) -> tuple[int, Any]:
        """Stratum and key of a row; None for the key of a hole."""
        assert self.numbering is not None
        stratum = self.strata[bisect_right([*self._begins.values()], row) - 1][0]
        p = self.numbering.position(stratum, row - self._begins[stratum])
        return stratum, p if p is None or isinstance(p, tuple) else (int(p),)

    def each_key(self, stratum: int | None = None) -> Iterator[Any]:
        """The keys of all positions, or of those of one stratum, in the order of their numbers."""
        assert self.numbering is not None
        for number, _ in self.strata:
            if stratum in (None, number):
                for _, keys, missing in self.numbering.each(number):
                    yield from map(tuple, keys[~missing].tolist())

    @property
    def key_width(self) -> int:
        """Words of a position's key."""
        assert self.numbering is not None
        return self.numbering.width

    def batches(self) -> Iterator[Columns]:
        """Strata, keys and values of all positions, some at a time."""
        assert self.numbering is not None
        for stratum, _ in self.strata:
            for low, keys, missing in self.numbering.each(stratum):
                some = np.flatnonzero(~missing)
                column = np.full(len(some), stratum)
                words = {name: keys[some, i] for i, name in enumerate(key_names(keys.shape[1]))}
                if len(some):
                    yield {"stratum": column, **words, **self.find_all(column, low + some)}

    def keys(self, columns: Columns) -> Array:
        """The keys among columns that `batches` gave."""
        return np.stack([columns[name] for name in key_names(self.key_width)], axis=1)

    def to_arrow(self) -> Any:
        """All positions, with their strata and keys, as a pyarrow.Table."""
        import pyarrow as pa

        tables = [pa.table(columns) for columns in self.batches()]
        return pa.concat_tables(tables, promote_options="permissive")


class NumberedTable(ByNumber, Table):
    """A table by number, on disk."""

    def columns_at(self, row: int) -> tuple[Columns, int]:
        group = self.group_of(row)
        return self._group(group), row - (self._ends[group - 1] if group else 0)


class NumberedMemoryTable(ByNumber, MemoryTable):
    """A table by number that was never written."""

    def columns_at(self, row: int) -> tuple[Columns, int]:
        return self._values, row

    def group_of(self, row: int) -> int:
        """All rows are at hand."""
        return 0
