"""TableRows: the rows of a table while they are being verified, found by their keys.

Parts are decoded when they are asked for and forgotten when memory is short. Rows are found by
binary search in the sorted keys: the ids and hashes that solvers use are not trusted here."""

import threading
from bisect import bisect_left
from collections import OrderedDict
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.store import joined_words, read_number
from perfectplay.table.part_rows import PartRows
from perfectplay.table.reader import MemoryTable, Table, split

BUDGET = 2**30
"""Bytes of decoded parts that are kept."""
Stratum = tuple[Any, dict[str, Array]]
"""Keys and value columns."""


class TableRows:
    """The strata of a table, at most `BUDGET` bytes of them at a time."""

    def __init__(self, table: Table | MemoryTable) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, tuple[int, dict[int, Stratum]]] = OrderedDict()
        self._part_of: dict[int, int] = {}
        if isinstance(table, Table):
            for i, part in enumerate(table.parts()):
                self._part_of.update(dict.fromkeys((number for number, _ in part.strata), i))
        else:
            self._runs = {rows.strata[0][0]: rows for rows in table.runs()}
            self._kept[0] = 0, {}
            self._part_of = dict.fromkeys(self._runs, 0)

    def get(self, number: int) -> Stratum | None:
        """Keys and value columns of a stratum; None if there is no such stratum."""
        if number not in self._part_of:
            return None
        with self._lock:
            return self._held(number)

    def _held(self, number: int) -> Stratum:
        i = self._part_of[number]
        if i not in self._kept:
            self._kept[i] = self._load(i)
            while len(self._kept) > 1 and sum(size for size, _ in self._kept.values()) > BUDGET:
                self._kept.popitem(last=False)
        self._kept.move_to_end(i)
        held = self._kept[i][1]
        if number not in held:  # it is in memory
            rows = self._runs[number]
            held[number] = rows.keys, self._decoded(rows)
        return held[number]

    def _load(self, i: int) -> tuple[int, dict[int, Stratum]]:
        assert isinstance(self._table, Table)
        part = self._table.parts()[i]
        columns = self._table.read(part)
        size = sum(getattr(column, "nbytes", 100 * part.rows) for column in columns.values())
        runs = split(columns, part, self._table.width)
        return size, {rows.strata[0][0]: (rows.keys, self._decoded(rows)) for rows in runs}

    def _decoded(self, rows: PartRows) -> dict[str, Array]:
        denominators = self._table.extra.get("denominators", {})
        return decoded(rows.columns, int(denominators.get(str(rows.strata[0][0]), 1)))


def decoded(columns: dict[str, Any], denominator: int = 1) -> dict[str, Array]:
    """Value columns as arrays; rationals as objects. `denominator`: the denominator of whole
    numbers."""
    if "top_0" in columns:
        words = sum(name.startswith("top_") for name in columns)
        tops = joined_words(np.stack([columns[f"top_{k}"] for k in range(words)], axis=1))
        known = {top: Fraction(top, denominator) for top in set(tops)}
        return {"exact_0": np.array([known[top] for top in tops], object)}
    return {
        name: column
        if isinstance(column, np.ndarray)
        else np.array([read_number(text) for text in column], object)
        for name, column in columns.items()
    }


def find(keys: Any, wanted: Any, edges: Array) -> Array:
    """The rows of `wanted[edges]` in the sorted `keys`; -1 where there is none."""
    out = np.empty(len(edges), np.int64)
    if isinstance(keys, np.ndarray):
        _locate(np.ascontiguousarray(keys), np.ascontiguousarray(wanted), edges, out)
        return out
    for i, e in enumerate(edges):
        row = bisect_left(keys, wanted[e])
        out[i] = row if row < len(keys) and keys[row] == wanted[e] else -1
    return out


@kernel
def _locate(keys: Ints, wanted: Ints, edges: Ints, out: Ints) -> None:
    """Binary search: the row of wanted[edges[i]] in the sorted rows of `keys`, or -1."""
    width = keys.shape[1]
    for i in range(len(edges)):
        e = edges[i]
        low = 0
        high = len(keys)
        while low < high:
            middle = (low + high) >> 1
            k = 0
            while k < width - 1 and keys[middle, k] == wanted[e, k]:
                k += 1
            if keys[middle, k] < wanted[e, k]:
                low = middle + 1
            else:
                high = middle
        found = low < len(keys)
        for k in range(width):
            found = found and keys[low, k] == wanted[e, k]
        out[i] = low if found else -1
