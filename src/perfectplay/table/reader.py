"""Lookup: tables that can be read. `Table` is a folder, `MemoryTable` was never written.

To find a position, the first keys of all groups (in the manifest) say which group may hold it;
only that group is read, checked and decoded, and the decoded groups that were used last are kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from perfectplay.errors import TableError
from perfectplay.strata.sealed_files import BEGUN, MANIFEST, SOLVE_AGAIN, unsealed
from perfectplay.table.decoded import DecodedGroup, cuts, search, size, values_of
from perfectplay.table.manifest import NUMBERED, read_manifest
from perfectplay.table.parquet import Part, PartReader, key_names
from perfectplay.table.part_rows import Columns, PartRows
from perfectplay.table.recent import Recent
from perfectplay.table.signature import chained, signature_of

_ROWS_AT_ONCE = 1 << 14
_ONE_WORD = (str, int)
MOST_KEPT = 64 << 20
"""Bytes of decoded groups that a table keeps: half of it holds 1.5 million outcomes."""


def _key(width: int, key: Any) -> list[Any]:
    """A key as a list of words or of one text; ValueError if it has another form."""
    words = [key] if isinstance(key, _ONE_WORD) else [*map(int, key)]
    if len(words) != max(width, 1) or isinstance(words[0], str) != (width == 0):
        raise ValueError(f"{key!r} is no key of {width} words" if width else f"{key!r} is no text")
    return words


def _rows_of(strata: Sequence[tuple[int, int]], stratum: int | None) -> tuple[int, int]:
    """The first row of a stratum and the end of its rows; of all strata if it is None."""
    low = 0 if stratum is None else sum(rows for number, rows in strata if number < stratum)
    return low, low + sum(rows for number, rows in strata if stratum in (None, number))


def _each(columns: Columns, width: int, low: int, high: int) -> Iterator[Any]:
    """The keys of rows low … high - 1."""
    if not width:
        return iter(columns["key"][low:high])
    words = [columns[name][low:high].tolist() for name in key_names(width)]
    return zip(*words, strict=True)


class Table:
    """A finished table on disk. Made by `Table.open` or `TableWriter.finish`."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.header: dict[str, Any] = manifest["header"]
        """What was solved: game, parameters, digest of the rules, options, facts."""
        self.extra: dict[str, Any] = manifest["extra"]
        """What was found out beside the values."""
        self.width: int = manifest["width"]
        """Words per key; 0 where keys are texts."""
        self.rows: int = manifest["rows"]
        self.signature: str = manifest["signature"]
        """Twelve hex digits that depend on strata, keys and values alone."""
        self._parts = [Part.from_json(each) for each in manifest["parts"]]
        self.strata: list[tuple[int, int]] = [
            (number, rows) for part in self._parts for number, rows in part.strata
        ]
        """Number and rows of each stratum, ascending."""
        self._readers = [PartReader(folder, part) for part in self._parts]
        self._groups = [
            (i, g) for i, part in enumerate(self._parts) for g in range(len(part.groups))
        ]
        self._starts = [self._parts[i].groups[g].first for i, g in self._groups]
        self._ends = [*accumulate(self._parts[i].groups[g].rows for i, g in self._groups)]
        self._kept: Recent[DecodedGroup] = Recent(MOST_KEPT)
        self._reading = Lock()

    @staticmethod
    def open(folder: str | Path) -> Table:
        """The finished table in `folder`; TableError if there is none or it cannot be trusted."""
        folder = Path(folder)
        if not (folder / MANIFEST).exists():
            begun = (folder / BEGUN).exists()
            raise TableError(
                f"{folder} holds {'an unfinished' if begun else 'no'} table",
                "run the same solve again: it goes on where it was"
                if begun
                else "solve the game first",
            )
        manifest = read_manifest(folder / MANIFEST)
        if manifest["width"] == NUMBERED:
            from perfectplay.table.numbered import NumberedTable

            return NumberedTable(folder, manifest)
        return Table(folder, manifest)

    @property
    def positions(self) -> int:
        """How many positions there are: all rows, but for numbers that no position has."""
        return self.rows - int(self.extra.get("holes", 0))

    @property
    def key_width(self) -> int:
        """Words of a position's key, also if none are stored; 0 where keys are texts."""
        return self.width

    def find(self, stratum: int, key: Any) -> dict[str, Any] | None:
        """The values of the position with this stratum and key, or None if it is absent."""
        words = _key(self.width, key)
        number = bisect_right(self._starts, [stratum, *words]) - 1
        if number < 0:
            return None
        group = self._found(number)
        low, high = group.spans.get(stratum, (0, 0))
        row = search(group.words, low, high, words)
        return None if row < 0 else {name: value(row) for name, value in group.values}

    def group_of(self, number: int) -> int:
        """The group that holds row `number`, both counted over all parts."""
        return bisect_right(self._ends, number)

    def at(self, number: int) -> tuple[int, Any]:
        """Stratum and key (words, or a text) of row `number`, counted over all parts."""
        group = self.group_of(number)
        columns, row = self._group(group), number - (self._ends[group - 1] if group else 0)
        words = [columns[name][row] for name in key_names(self.width)]
        key = tuple(map(int, words)) if self.width else words[0]
        return int(columns["stratum"][row]), key

    def each_key(self, stratum: int | None = None) -> Iterator[Any]:
        """The keys (words, or texts) of all rows, or of those of one stratum, in their order."""
        low, high = _rows_of(self.strata, stratum)
        while low < high:
            group = self.group_of(low)
            begin, end = self._ends[group - 1] if group else 0, min(high, self._ends[group])
            yield from _each(self._group(group), self.width, low - begin, end - begin)
            low = end

    def _group(self, number: int) -> Columns:
        return self._found(number).columns

    def _found(self, number: int) -> DecodedGroup:
        kept = self._kept.get(number)
        if kept is not None:
            return kept
        with self._reading:  # a server may ask from several threads
            kept = self._kept.get(number)
            if kept is None:
                part, group = self._groups[number]
                columns = self._readers[part].group(group, self.width)
                kept = self._kept.put(number, DecodedGroup(columns, self.width), size(columns))
            return kept

    def parts(self) -> list[Part]:
        """The parts, lowest ids first."""
        return list(self._parts)

    def read(self, part: Part) -> Columns:
        """All columns of one part: NumPy arrays, or lists of texts."""
        return PartReader(self.folder, part).read(self.width)

    def batches(self) -> Iterator[Columns]:
        """All columns of all rows, in their order, some thousand rows of one stratum at a time;
        nothing is kept."""
        for reader in self._readers:
            for number in range(len(reader.part.groups)):
                yield from _by_stratum(reader.group(number, self.width))

    def keys(self, columns: Columns) -> Any:
        """The keys among columns that `read` gave: int64[n, width], or a list of texts."""
        return _keys(columns, self.width)

    def to_arrow(self) -> Any:
        """The whole table as a pyarrow.Table."""
        import pyarrow as pa

        tables = [pa.table(self.read(part)) for part in self._parts]
        if not tables:
            return _empty(self.width)
        return pa.concat_tables(tables, promote_options="permissive")  # depths may widen

    def to_pandas(self) -> Any:
        """The whole table as a pandas.DataFrame; needs pandas."""
        return self.to_arrow().to_pandas()

    def check(self) -> None:
        """TableError unless every byte is as it was written and the values are those signed."""
        unsealed(self.folder / MANIFEST)
        chain = ""
        for reader in self._readers:
            reader.check()
            for rows in split(reader.read(self.width), reader.part, self.width):
                stratum = rows.strata[0][0]
                denominator = self.extra.get("denominators", {}).get(str(stratum), "")
                chain = chained(chain, stratum, rows.keys, rows.columns, denominator)
            if chain != reader.part.chain:
                raise TableError(
                    f"the values in {reader.part.file} are not those signed", SOLVE_AGAIN
                )
        if signature_of(chain) != self.signature:
            raise TableError(
                f"the signature of {self.folder} is not that of its values", SOLVE_AGAIN
            )


def _by_stratum(columns: Columns) -> Iterator[Columns]:
    """Rows of several strata, those of one stratum at a time."""
    for low, high in pairwise(cuts(columns["stratum"])):
        yield {name: column[low:high] for name, column in columns.items()}


def _keys(columns: Columns, width: int) -> Any:
    if width == NUMBERED:
        return range(len(next(iter(columns.values()))))
    if not width:
        return columns["key"]
    return np.stack([columns[name] for name in key_names(width)], axis=1)


def split(columns: Columns, part: Part, width: int) -> Iterator[PartRows]:
    """The rows of a part, stratum by stratum."""
    keys = _keys(columns, width)
    names = [name for name in columns if name not in {"stratum", *key_names(width)}]
    low = 0
    for number, rows in part.strata:
        high = low + rows
        yield PartRows(
            [[number, rows]], keys[low:high], {name: columns[name][low:high] for name in names}
        )
        low = high


def _empty(width: int) -> Any:
    import pyarrow as pa

    names = key_names(width)
    kind = pa.int64() if width else pa.string()
    return pa.schema([("stratum", pa.int64()), *((name, kind) for name in names)]).empty_table()


class MemoryTable:
    """The same answers as `Table`, for values that were never written."""

    def __init__(
        self,
        header: dict[str, Any],
        width: int,
        strata: Sequence[tuple[int, int]],
        keys: Any,
        columns: Columns,
        extra: dict[str, Any],
    ) -> None:
        self.header = header
        self.extra = extra
        self.width = width
        self.strata = [(int(number), int(rows)) for number, rows in strata]
        self.rows = len(keys)
        self._ends = np.cumsum([0, *(rows for _, rows in self.strata)])
        self._keys = keys
        self._values = columns
        names = key_names(width)
        words = {name: keys[:, i] for i, name in enumerate(names)} if width > 0 else {}
        if width == 0:
            words["key"] = keys
        self._columns: Columns = {**words, **columns}
        self._words = [self._columns[name] for name in names]
        self._each_value = values_of(self._columns, width)
        self._signature = ""

    @property
    def positions(self) -> int:
        """How many positions there are: all rows, but for numbers that no position has."""
        return self.rows - int(self.extra.get("holes", 0))

    @property
    def key_width(self) -> int:
        """Words of a position's key, also if none are stored; 0 where keys are texts."""
        return self.width

    @property
    def signature(self) -> str:
        """Twelve hex digits: the same as those of the table on disk with the same values."""
        if not self._signature:
            chain = ""
            for rows in self.runs():
                stratum = rows.strata[0][0]
                denominator = self.extra.get("denominators", {}).get(str(stratum), "")
                chain = chained(chain, stratum, rows.keys, rows.columns, denominator)
            self._signature = signature_of(chain)
        return self._signature

    def runs(self) -> Iterator[PartRows]:
        """The rows of one stratum after the other."""
        for i, (number, rows) in enumerate(self.strata):
            low, high = int(self._ends[i]), int(self._ends[i + 1])
            columns = {name: column[low:high] for name, column in self._values.items()}
            yield PartRows([[number, rows]], self._keys[low:high], columns)

    def find(self, stratum: int, key: Any) -> dict[str, Any] | None:
        """The values of the position with this stratum and key, or None if it is absent."""
        words = _key(self.width, key)
        number = bisect_left(self.strata, (stratum, 0))
        if number == len(self.strata) or self.strata[number][0] != stratum:
            return None
        low, high = int(self._ends[number]), int(self._ends[number + 1])
        row = search(self._words, low, high, words)
        return None if row < 0 else {name: value(row) for name, value in self._each_value}

    def each_key(self, stratum: int | None = None) -> Iterator[Any]:
        """The keys (words, or texts) of all rows, or of those of one stratum, in their order."""
        low, high = _rows_of(self.strata, stratum)
        for begin in range(low, high, _ROWS_AT_ONCE):
            yield from _each(self._columns, self.width, begin, min(begin + _ROWS_AT_ONCE, high))

    def batches(self) -> Iterator[Columns]:
        """All columns of all rows, some thousand rows of one stratum at a time."""
        for i, (number, _) in enumerate(self.strata):
            first, end = int(self._ends[i]), int(self._ends[i + 1])
            for low in range(first, end, _ROWS_AT_ONCE):
                high = min(low + _ROWS_AT_ONCE, end)
                columns = {name: each[low:high] for name, each in self._columns.items()}
                yield {"stratum": np.full(high - low, number, np.int64), **columns}

    def keys(self, columns: Columns) -> Any:
        """The keys among columns that `batches` gave: int64[n, width], or a list of texts."""
        return _keys(columns, self.width)

    def to_arrow(self) -> Any:
        """The whole table as a pyarrow.Table."""
        import pyarrow as pa

        if not self.rows:
            return _empty(self.width)
        numbers, rows = np.array(self.strata, np.int64).T
        return pa.table({"stratum": np.repeat(numbers, rows), **self._columns})

    def to_pandas(self) -> Any:
        """The whole table as a pandas.DataFrame; needs pandas."""
        return self.to_arrow().to_pandas()

    def check(self) -> None:
        """Nothing can be damaged here."""
