"""Export: every position of a solved game in a file that other programs read as it is.

The suffix says which: .parquet, .arrow (Arrow's own file format), .csv, or .duckdb. Rows are
written as they are read, so that memory does not grow with the table; the file has its name only
when all of it is there, and a file that is there already is left as it is.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TableError, UsageError
from perfectplay.interop.exporting.columns import chosen, meanings
from perfectplay.interop.exporting.rows import ExportedRows
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.progress import size as shown_size

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.schemas.reports import ExportJson

ROWS = 2**16
"""Rows of a group of a Parquet file, and of an insertion into a database."""


@dataclass(frozen=True)
class Export(Rich):
    """A file that was written."""

    file: Path
    rows: int
    columns: dict[str, str]
    """The columns of the file, in order, and what each means."""
    size: int
    """Bytes."""

    def display(self) -> Display:
        """The file and its columns."""
        title = f"{self.rows:,} positions in {self.file}, {shown_size(self.size)}"
        return Display(title, ("column", "meaning"), [*self.columns.items()])

    def as_json(self) -> ExportJson:
        """The same as JSON-ready data."""
        return {
            "file": str(self.file),
            "rows": self.rows,
            "columns": self.columns,
            "size": self.size,
        }


@explained
def export(
    solution: Solution,
    to: str | Path,
    *,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Export:
    """Write every stored position of a solved game to a file, in the units that people see.

    `columns` are some of position, to_move, value, exact, lower, upper, outcome, depth, best_move,
    stratum, and key for the table's own keys; by default all but the keys. Without texts and moves
    an export is many times faster."""
    file = Path(to)
    write = _writer(file)
    if not hasattr(solution.table, "batches"):
        raise UsageError(
            f"{type(solution.game).__name__} is solved by a solver of its own, whose answers are "
            "in no table",
            "export a game that `solve` writes to a table",
        )
    names = chosen(solution, columns)
    rows = ExportedRows(solution, names)
    told = meanings(solution)
    with _new(file) as scratch:
        write(scratch, rows, progress or Silent())
    return Export(
        file,
        int(solution.table.positions),
        {name: told[name] for name in names},
        file.stat().st_size,
    )


def formats() -> list[str]:
    """The suffixes that an export may have."""
    return [*_WRITERS]


# -- Files. ---------------------------------------------------------------------------------------


def _writer(file: Path) -> Callable[[Path, ExportedRows, Progress], None]:
    """What writes files with this suffix; UsageError if nothing does, or the file is there."""
    write = _WRITERS.get(file.suffix.lower())
    if write is None:
        raise UsageError(
            f"{file}: nothing is written with the suffix {file.suffix!r}",
            f"name a file that ends in {', '.join(_WRITERS)}; .prism, .umb, .efg and .nfg are for "
            "the moves of a game",
        )
    refuse_existing(file)
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {file.parent}", "make it first, or choose another")
    if file.suffix.lower() == ".duckdb":
        _duckdb()
    return write


def refuse_existing(file: Path) -> None:
    """UsageError if there is something at the place of a file that is to be written."""
    if file.exists() or file.is_symlink():
        raise UsageError(
            f"{file} is there already; nothing was written", "remove it, or choose another name"
        )


@contextlib.contextmanager
def _new(file: Path) -> Iterator[Path]:
    """A scratch file beside `file`, which gets that name when the block ends well."""
    scratch = file.with_name(f".{file.name[:60]}-{secrets.token_hex(6)}.tmp")
    try:
        yield scratch
        refuse_existing(file)
        scratch.rename(file)
    except OSError as error:
        raise TableError(
            f"cannot write {file}: {error.strerror or error}",
            "choose another folder, or make room",
        ) from None
    finally:
        for left in (scratch, scratch.with_name(f"{scratch.name}.wal")):
            left.unlink(missing_ok=True)


# -- One function for each format. ----------------------------------------------------------------


def _parquet(file: Path, rows: ExportedRows, progress: Progress) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(file, rows.schema, compression="zstd") as writer:
        for batch in _grouped(rows, progress):
            writer.write_table(batch, row_group_size=ROWS)


def _arrow(file: Path, rows: ExportedRows, progress: Progress) -> None:
    import pyarrow as pa

    # Dictionaries of names differ from batch to batch, and a file of Arrow has one for all.
    plain = pa.schema([_undictionaried(field) for field in rows.schema], rows.schema.metadata)
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, plain) as writer:
        for batch in rows.batches(progress):
            writer.write_batch(batch.cast(plain))


def _csv(file: Path, rows: ExportedRows, progress: Progress) -> None:
    import pyarrow as pa
    from pyarrow import csv

    plain = pa.schema([_undictionaried(field) for field in rows.schema])
    with csv.CSVWriter(str(file), plain) as writer:
        for batch in rows.batches(progress):
            writer.write_batch(batch.cast(plain))


def _database(file: Path, rows: ExportedRows, progress: Progress) -> None:
    import pyarrow as pa

    duckdb = _duckdb()
    plain = pa.schema([_undictionaried(field) for field in rows.schema])
    with duckdb.connect(str(file)) as database:
        first = plain.empty_table()
        database.register("batch", first)
        database.execute("create table positions as select * from batch")
        for group in _grouped(rows, progress):
            database.register("batch", group.cast(plain))
            database.execute("insert into positions select * from batch")
        database.unregister("batch")
        for field in rows.schema:
            told = field.metadata[b"description"].decode().replace("'", "''")
            database.execute(f"comment on column positions.{field.name} is '{told}'")
        about = "; ".join(f"{k.decode()}: {v.decode()}" for k, v in rows.schema.metadata.items())
        about = about.replace("'", "''")
        database.execute(f"comment on table positions is '{about}'")


_WRITERS: dict[str, Callable[[Path, ExportedRows, Progress], None]] = {
    ".parquet": _parquet, ".arrow": _arrow, ".csv": _csv, ".duckdb": _database,
}  # fmt: skip


def _grouped(rows: ExportedRows, progress: Progress) -> Iterator[Any]:
    """Batches put together until there are enough rows for a group."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in rows.batches(progress):
        waiting.append(batch)
        if sum(map(len, waiting)) >= ROWS:
            yield pa.Table.from_batches(waiting).unify_dictionaries()
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting).unify_dictionaries()


def _undictionaried(field: Any) -> Any:
    """A column whose words are written out."""
    import pyarrow as pa

    return field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise UsageError("writing .duckdb needs DuckDB", "pip install duckdb") from None
    return duckdb
