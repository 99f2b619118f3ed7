"""Parts: the Parquet files of a table, written once, read group by group, every byte checked.

    "PAR1" | group 0 | group 1 | … | footer

`Part` remembers where each piece lies and its SHA-256, taken from the bytes as they were written.
A reader takes only the group it needs, compares it with its hash, and decodes after that: damaged
bytes never reach the decoder. All writer options are pinned, so equal rows give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.errors import TableError
from perfectplay.strata.sealed_files import PARTIAL, SOLVE_AGAIN
from perfectplay.table.described import meaning
from perfectplay.table.part_rows import Columns, PartRows
from perfectplay.table.streamed import Streamed

GROUP_ROWS = 2**16
"""PartRows decoded to find one position: one or two milliseconds."""

_MAGIC = b"PAR1"


@dataclass(frozen=True)
class Group:
    """A run of rows that is read as a whole."""

    offset: int
    length: int
    hash: str
    rows: int
    first: list[Any]
    """Stratum and key of its first row: [stratum, word, word, …] or [stratum, text]."""


@dataclass(frozen=True)
class Part:
    """One Parquet file: whole strata, lowest first."""

    file: str
    first: int
    """Id of its first row."""
    rows: int
    strata: list[list[int]]
    """[stratum, rows] for each stratum."""
    groups: list[Group]
    footer: list[Any]
    """Offset, length and hash of what follows the groups."""
    hash: str
    """Hash of all hashes above, in the order of the file."""
    chain: str
    """Signature of all values up to the end of this part (writer.py)."""
    work: list[Any] = field(default_factory=list)
    """What the solver said of each stratum, as JSON-ready data."""

    def as_json(self) -> dict[str, Any]:
        """The part as JSON-ready data."""
        groups = [list(asdict(group).values()) for group in self.groups]
        return {**self.__dict__, "groups": groups}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Part:
        """What `as_json` gave, as a part again."""
        return Part(**{**data, "groups": [Group(*group) for group in data["groups"]]})


def key_names(width: int) -> list[str]:
    """The columns that hold a key of `width` words; a text for 0; none for numbers."""
    return ["key"] if width == 0 else [f"key_{i}" for i in range(width)]


class _HashedFile(io.RawIOBase):
    """A file that hashes what is written to it, piece by piece."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file
        self._hash = hashlib.sha256()
        self._start = 0
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self._hash.update(view)
        done = 0
        while done < len(view):
            done += self._file.write(view[done:])
        self._size += done
        return done

    def tell(self) -> int:
        return self._size

    def piece(self) -> tuple[int, int, str]:
        """Offset, length and hash of what was written since the last call."""
        found = self._start, self._size - self._start, self._hash.hexdigest()
        self._hash = hashlib.sha256()
        self._start = self._size
        return found


def _schema(width: int, columns: Columns) -> Any:
    import pyarrow as pa

    kinds = {"stratum": pa.int64()} if width >= 0 else {}
    kinds |= dict.fromkeys(key_names(width), pa.int64() if width else pa.string())
    for name, column in columns.items():
        number = isinstance(column, np.ndarray | Streamed)
        kinds[name] = pa.from_numpy_dtype(column.dtype) if number else pa.string()
    return pa.schema(
        pa.field(name, kind, nullable=False, metadata={"description": meaning(name)})
        for name, kind in kinds.items()
    )


def _writer(sink: _HashedFile, schema: Any, width: int, columns: Columns) -> Any:
    """A Parquet writer with every option pinned that bears on the bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    key = "DELTA_BINARY_PACKED" if width else "DELTA_BYTE_ARRAY"
    encoding = dict.fromkeys(key_names(width), key)
    if width >= 0:
        encoding["stratum"] = "DELTA_BINARY_PACKED"
    floats = [name for name in columns if pa.types.is_floating(schema.field(name).type)]
    encoding |= dict.fromkeys(floats, "BYTE_STREAM_SPLIT")
    whole = [name for name in columns if pa.types.is_integer(schema.field(name).type)]
    encoding |= dict.fromkeys(whole, "DELTA_BINARY_PACKED")
    return pq.ParquetWriter(
        sink,
        schema,
        version="2.6",
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in columns if name not in encoding],
        column_encoding=encoding,
        data_page_size=2**20,
        data_page_version="2.0",
        write_statistics=False,
        write_page_checksum=True,
        store_schema=True,
    )


def _batches(rows: PartRows, width: int, schema: Any) -> Iterator[tuple[int, Any]]:
    """The rows as Arrow tables of one group each, with the number of their first row."""
    import pyarrow as pa

    for low in range(0, len(rows), GROUP_ROWS):
        high = min(low + GROUP_ROWS, len(rows))
        keys = rows.keys[low:high]
        arrays = [keys[:, i] for i in range(width)] or [keys]
        arrays = [rows.stratum(low, high), *arrays] if width >= 0 else []
        arrays += [column[low:high] for column in rows.columns.values()]
        kinds = [field.type for field in schema]
        columns = [_arrow(each, kind) for each, kind in zip(arrays, kinds, strict=True)]
        yield low, pa.table(columns, schema=schema)


def _arrow(column: Any, kind: Any) -> Any:
    """A column for Arrow. Numbers are handed over as they lie in memory: `pyarrow.array` would
    import `numpy.ma`, fifty milliseconds, to see whether they are masked."""
    import pyarrow as pa

    if not isinstance(column, np.ndarray) or kind.bit_width < 8:
        return pa.array(column, kind)
    whole = np.ascontiguousarray(column)
    return pa.Array.from_buffers(kind, len(whole), [None, pa.py_buffer(whole)])


def write_part(path: Path, first: int, rows: PartRows, width: int, chain: str) -> Part:
    """Write `rows` as the file `path`, durably and all or nothing; what to remember of it."""
    schema = _schema(width, rows.columns)
    partial = path.with_name(path.name + PARTIAL)
    groups: list[Group] = []
    with partial.open("wb", buffering=0) as file:
        sink = _HashedFile(file)
        with _writer(sink, schema, width, rows.columns) as writer:
            sink.piece()
            for low, batch in _batches(rows, width, schema):
                writer.write_table(batch, row_group_size=GROUP_ROWS)
                start = [int(rows.stratum(low, low + 1)[0]), *rows.key(low)]
                groups.append(Group(*sink.piece(), len(batch), start))
        footer = list(sink.piece())
        os.fsync(file.fileno())
    partial.replace(path)
    return Part(
        path.name, first, len(rows), rows.strata, groups, footer, _whole(groups, footer), chain
    )


def _whole(groups: list[Group], footer: list[Any]) -> str:
    hashes = [group.hash for group in groups] + [footer[2]]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


class _FilePiece(io.RawIOBase):
    """A file of which only one piece is at hand: checked bytes, at their place."""

    def __init__(self, offset: int, data: bytes, size: int) -> None:
        super().__init__()
        self._offset = offset
        self._data = data
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, to: int, whence: int = 0) -> int:
        self._at = to + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        start = self._at - self._offset
        stop = len(self._data) if size < 0 else min(start + size, len(self._data))
        if start < 0:
            raise TableError("a group refers to bytes outside of itself", SOLVE_AGAIN)
        self._at = self._offset + stop
        return self._data[start:stop]


class PartReader:
    """Reads one part; no byte is decoded before it has been compared with its hash."""

    def __init__(self, folder: Path, part: Part) -> None:
        self.part = part
        self._path = folder / part.file
        self._metadata: Any = None

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """The file, which must be an ordinary one: others may never end, or never begin."""
        try:
            if not stat.S_ISREG(self._path.stat().st_mode):
                raise TableError(f"{self._path} is no ordinary file", SOLVE_AGAIN)
            with self._path.open("rb", buffering=0) as file:
                yield file
        except OSError as error:
            raise TableError(
                f"{self._path} cannot be read: {error.strerror}", SOLVE_AGAIN
            ) from None

    def _piece(self, offset: int, length: int, digest: str) -> bytes:
        with self._opened() as file:
            file.seek(offset)
            data: bytes = file.read(length)
        if len(data) != length or hashlib.sha256(data).hexdigest() != digest:
            raise TableError(
                f"{self._path} is damaged: bytes {offset} to {offset + length - 1} do not match",
                SOLVE_AGAIN,
            )
        return data

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return int(self.part.footer[0] + self.part.footer[1])

    def _footer(self) -> Any:
        if self._metadata is None:
            import pyarrow as pa
            import pyarrow.parquet as pq

            data = _MAGIC + self._piece(*self.part.footer)
            self._metadata = pq.read_metadata(pa.BufferReader(data))
        return self._metadata

    def names(self) -> list[str]:
        """The columns of the part."""
        return list(self._footer().schema.names)

    def group(self, number: int, width: int) -> Columns:
        """The columns of one group, whose keys have `width` words: NumPy arrays, or lists of
        texts."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        group = self.part.groups[number]
        data = self._piece(group.offset, group.length, group.hash)
        source = pa.PythonFile(_FilePiece(group.offset, data, self.size), mode="r")
        try:
            # A thread of Arrow's that reads ahead may still hold this Python file when the
            # interpreter ends, and then aborts the process.
            file = pq.ParquetFile(source, metadata=self._footer(), pre_buffer=False)
            table = file.read_row_group(number, use_threads=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise TableError(f"{self._path} cannot be decoded: {error}", SOLVE_AGAIN) from None
        kind = pa.int64() if width else pa.string()
        wanted = dict.fromkeys(key_names(width), kind)
        if width >= 0:
            wanted["stratum"] = pa.int64()
        fields = {field.name: field.type for field in table.schema}
        nulls = any(column.null_count for column in table.columns)
        if len(table) != group.rows or nulls or not wanted.items() <= fields.items():
            raise TableError(f"{self._path} has other rows than the manifest says", SOLVE_AGAIN)
        return {name: _plain(table.column(name)) for name in table.column_names}

    def read(self, width: int) -> Columns:
        """All columns of the part, whose keys have `width` words."""
        groups = [self.group(number, width) for number in range(len(self.part.groups))]
        if len(groups) == 1:
            return groups[0]
        return {
            name: np.concatenate([group[name] for group in groups])
            if isinstance(groups[0][name], np.ndarray)
            else [text for group in groups for text in group[name]]
            for name in groups[0]
        }

    def check(self) -> None:
        """TableError unless every byte of the file is as it was written."""
        part = self.part
        if _whole(part.groups, part.footer) != part.hash:
            raise TableError(f"the manifest contradicts itself about {part.file}", SOLVE_AGAIN)
        with self._opened() as file:
            size = os.fstat(file.fileno()).st_size
            magic = file.read(4)
        if size != self.size or magic != _MAGIC:
            raise TableError(
                f"{self._path} is damaged: {size} bytes, not {self.size}", SOLVE_AGAIN
            )
        for group in part.groups:
            self._piece(group.offset, group.length, group.hash)
        self._piece(*part.footer)


def _plain(column: Any) -> Any:
    """An Arrow column as a NumPy array, or a list of texts."""
    import pyarrow as pa

    return column.to_pylist() if pa.types.is_string(column.type) else column.to_numpy()
