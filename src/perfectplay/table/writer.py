"""Tables: the values of all positions in a folder, written stratum by stratum.

    manifest.json           header, extra, signature, and for each part what parquet.py remembers
    README.md               what the columns mean, for people (described.py)
    part-000000.parquet     stratum, key_0 … key_{w-1} (or key), and the columns of a store

Rows are sorted by (stratum, key): words as signed integers, texts by their UTF-8 bytes. The number
of a row over all parts is the position's id. While a table is being written, `unfinished.json`
holds its header and `part-000000.json` says that a part is safely on disk; a run that was killed
goes on after the last such part, and ends with the same bytes as one that was not.

`TableWriter` is here; the readers `Table` and `MemoryTable` are in reader.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from perfectplay.compiled.threads import Pool
from perfectplay.errors import TableError
from perfectplay.strata.sealed_files import (
    BEGUN,
    MANIFEST,
    Lock,
    disk,
    is_ours,
    same,
    sealed,
    sync_folder,
    write_atomic,
)
from perfectplay.table.described import MARK, README, readme
from perfectplay.table.manifest import part_name, read_begun, read_part
from perfectplay.table.parquet import Part, PartReader, write_part
from perfectplay.table.part_rows import Columns, PartRows, joined
from perfectplay.table.reader import MemoryTable, Table, split
from perfectplay.table.signature import ascending, chained, signature_of

__all__ = ["MemoryTable", "Table", "TableWriter"]

PART_ROWS = 2**18
"""A part is written as soon as it has so many rows."""


class TableWriter:
    """Writes a table, stratum by stratum, and takes up one that was left unfinished.

    After opening, `finished` is the table if there was nothing left to do; otherwise `done` strata
    (`rows` positions) are safe already, `stored` gives them, and `add` goes on with the next."""

    def __init__(
        self, folder: str | Path, header: dict[str, Any], width: int, *, fresh: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.header = header
        self.width = width
        self.finished: Table | None = None
        self._parts: list[Part] = []
        self._pending: list[PartRows] = []
        self._work: list[Any] = []
        self._running: list[tuple[Future[Part], list[Any]]] = []  # parts that are being written
        self._pool = Pool.beside(2)
        self._begun_rows = 0
        self._chain = ""
        self._last: int | None = None
        with disk(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self.folder)
            try:
                self._open(fresh=fresh)
            except BaseException:
                self._lock.release()
                raise

    # -- Opening: what is in the folder already? -------------------------------------------------

    def _open(self, *, fresh: bool) -> None:
        self._refuse_foreign()
        if fresh:
            self._remove(lambda name: True)
        manifest, begun = self.folder / MANIFEST, self.folder / BEGUN
        if manifest.exists():
            table = Table.open(self.folder)
            self._compare(table.header, table.width)
            self.finished = table
            keep = {MANIFEST, *(part.file for part in table.parts())}
        elif begun.exists():
            data = read_begun(begun)
            self._compare(data["header"], data["width"])
            self._resume()
            self._begun_rows = self.rows
            files = [part.file for part in self._parts]
            keep = {BEGUN, *files, *map(_journal, files)}
        else:
            write_atomic(begun, sealed({"header": self.header, "width": self.width}))
            keep = {BEGUN}
        self._remove(lambda name: name not in keep)

    def _refuse_foreign(self) -> None:
        """TableError if the folder has files with our names that no table of ours explains."""
        marks = [self.folder / name for name in (MANIFEST, BEGUN)]
        found = [mark for mark in marks if mark.exists()]
        if not all(b"perfectplay table" in mark.read_bytes()[:200] for mark in found):
            raise TableError(
                f"{self.folder} holds a {found[0].name} of something else", "choose another folder"
            )
        if not found and any(is_ours(path.name) for path in self.folder.glob("part-??????.*")):
            raise TableError(
                f"{self.folder} holds parts without a manifest",
                "choose another folder, or empty it",
            )

    def _compare(self, header: dict[str, Any], width: int) -> None:
        if same([header, width], [self.header, self.width]):
            return
        names = [*dict.fromkeys([*self.header, *header])]
        differ = [name for name in names if not same(header.get(name), self.header.get(name))]
        raise TableError(
            f"{self.folder} holds another table: {' and '.join(differ[:3]) or 'width'} differ"
            f"{'s' if len(differ[:3]) < 2 else ''}",
            "use --fresh to replace it, or choose another folder",
        )

    def _resume(self) -> None:
        """Take up all parts that are whole; the first that is not ends the list."""
        while True:
            number = len(self._parts)
            path = self.folder / _journal(part_name(number))
            try:
                part = Part.from_json(read_part(path, number, self.rows, self.width))
                PartReader(self.folder, part).check()
            except TableError:
                return
            self._parts.append(part)
            self._chain = part.chain
            self._last = part.strata[-1][0]

    def _remove(self, unwanted: Any) -> None:
        """Remove files of ours, those that mark the folder as ours last."""
        marks = {MANIFEST, BEGUN}
        ours = [
            path for path in self.folder.iterdir() if is_ours(path.name) and unwanted(path.name)
        ]
        for path in sorted(ours, key=lambda path: (path.name in marks, path.name)):
            path.unlink()

    # -- Writing. --------------------------------------------------------------------------------

    @property
    def done(self) -> int:
        """How many strata are safely on disk."""
        return sum(len(part.strata) for part in self._parts)

    @property
    def rows(self) -> int:
        """How many positions are safely on disk."""
        return self._parts[-1].first + self._parts[-1].rows if self._parts else 0

    def stored(self) -> Iterator[tuple[int, int, int, Columns]]:
        """(stratum, first id, rows, value columns) of all strata that are safely on disk."""
        for part in self._parts:
            low = part.first
            for rows in split(PartReader(self.folder, part).read(self.width), part, self.width):
                yield rows.strata[0][0], low, len(rows), rows.columns
                low += len(rows)

    @property
    def work(self) -> list[Any]:
        """What was said of the work for each stratum that is safely on disk."""
        return [each for part in self._parts for each in part.work]

    def add(self, stratum: int, keys: Any, columns: Columns, work: Any = None) -> None:
        """Take a whole stratum, higher than all before; keys ascending, columns as long as they.

        `work` is JSON-ready data to remember with it. The arrays are kept until their part is
        written: do not change them."""
        if self.finished is not None:
            raise ValueError("the table is finished")
        if self._last is not None and stratum <= self._last:
            raise ValueError(f"stratum {stratum} after stratum {self._last}")
        if len(keys) == 0 or any(len(column) != len(keys) for column in columns.values()):
            raise ValueError(
                f"stratum {stratum}: columns must have a row for every key, and one at least"
            )
        if not ascending(keys):
            raise ValueError(f"stratum {stratum}: keys are not ascending")
        self._last = stratum
        denominator = work.get("denominator", "") if isinstance(work, dict) else ""
        self._chain = chained(self._chain, stratum, keys, columns, denominator)
        self._work.append(work)
        self._pending.append(PartRows([[int(stratum), len(keys)]], keys, columns))
        if sum(map(len, self._pending)) >= PART_ROWS:
            self._write()

    def _write(self) -> None:
        """Begin to write a part; two may be written at a time, but they are counted in order."""
        rows, work = joined(self._pending), self._work
        self._pending, self._work = [], []
        path = self.folder / part_name(len(self._parts) + len(self._running))
        page = self._pool.submit(write_part, path, self._begun_rows, rows, self.width, self._chain)
        self._begun_rows += len(rows)
        self._running.append((page, work))
        self._collect(1 if len(rows) < 2 * PART_ROWS else 0)

    def _collect(self, most: int) -> None:
        """Wait until no more than `most` parts are being written; the others are safe then."""
        try:
            with disk(self.folder):
                while len(self._running) > most:
                    page, work = self._running.pop(0)
                    self._count(replace(page.result(), work=work))
        except BaseException:
            wait([page for page, _ in self._running])  # what comes after a gap does not count
            self._running.clear()
            raise

    def _count(self, part: Part) -> None:
        """A part is on disk: say so in a journal, sealed, so that a torn one is seen as torn."""
        (self.folder / _journal(part.file)).write_bytes(sealed(part.as_json()))
        sync_folder(self.folder)
        self._parts.append(part)

    def flush(self) -> None:
        """Wait until every part that was begun is safely on disk."""
        self._collect(0)

    def finish(self, extra: dict[str, Any]) -> Table:
        """Write what is left and the manifest; the finished table."""
        if self.finished is None:
            if self._pending:
                self._write()
            self._collect(0)
            manifest = {
                "header": self.header,
                "extra": extra,
                "width": self.width,
                "rows": self.rows,
                "signature": signature_of(self._chain),
                "parts": [part.as_json() for part in self._parts],
            }
            with disk(self.folder):
                self._describe(manifest)
                write_atomic(self.folder / MANIFEST, sealed(manifest))
                self._remove(lambda name: name.endswith(".json") and name != MANIFEST)
            self.finished = Table.open(self.folder)
        self.close()
        return self.finished

    def _describe(self, manifest: dict[str, Any]) -> None:
        """Write a README, unless there is one by somebody else."""
        file = self.folder / README
        if not file.exists() or file.read_bytes()[: len(MARK)] == MARK.encode():
            reader = PartReader(self.folder, self._parts[-1]) if self._parts else None
            write_atomic(file, readme(manifest, reader.names() if reader else []))

    def abandon(self) -> None:
        """Remove what was begun, if no part of it is on disk yet."""
        if self.finished is None and not self._parts:
            self._remove(lambda name: True)
            self.close()
            with contextlib.suppress(OSError):  # something else is in there
                self.folder.rmdir()

    def close(self) -> None:
        """Release the folder. Strata that are not yet in a part are given up."""
        with contextlib.suppress(TableError):
            self.flush()
        self._pool.shutdown(cancel=True)
        self._lock.release()

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _journal(name: str) -> str:
    return name.replace(".parquet", ".json")
