"""TableSink: where solved strata go, sorted by key: into a folder, or into memory.

Sorting and writing run beside the solver. A folder with an unfinished table of the same work gives
back what it has, stratum by stratum, so that it need not be solved again.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.key_order import sorted_keys
from perfectplay.solvers.store import aligned
from perfectplay.solvers.work import Work
from perfectplay.table.manifest import NUMBERED
from perfectplay.table.numbered import NumberedMemoryTable
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.table.streamed import Streamed
from perfectplay.table.writer import TableWriter

Columns = dict[str, Any]
Sorted = tuple[Any, Columns]
WAITING = 1 << 22
"""Rows that may wait to be written, besides one stratum."""


class TableSink:
    """Takes solved strata, lowest first; `finish` makes them a table."""

    def __init__(
        self,
        rules: Expander,
        header: dict[str, Any],
        folder: Path | None,
        *,
        fresh: bool,
        numbered: bool = False,
    ) -> None:
        self._rules = rules
        self._width = NUMBERED if numbered else rules.width
        self._header = header
        self._kept: list[tuple[int, Future[Sorted]]] = []
        self._writing: list[tuple[Future[None], int]] = []
        self._writer: TableWriter | None = None
        if folder is not None:
            self._writer = TableWriter(folder, header, self._width, fresh=fresh)
        self._sorter, self._pen = Pool.beside(), Pool.beside()

    @property
    def finished(self) -> Table | None:
        """The table, if another run had finished it."""
        return self._writer.finished if self._writer is not None else None

    @property
    def works(self) -> list[Any]:
        """What was said of the work for strata that an earlier run had written."""
        return self._writer.work if self._writer is not None else []

    @property
    def safe(self) -> int:
        """How many strata are safely on disk, lowest first."""
        return self._writer.done if self._writer is not None else 0

    def stored(self) -> Iterator[Columns]:
        """The columns, sorted by key, of strata that an earlier run had written."""
        if self._writer is not None:
            for _, _, _, columns in self._writer.stored():
                yield columns

    def unsorted(self, positions: Any, columns: Columns) -> Columns:
        """Sorted columns in the order of `positions`."""
        order, keys = sorted_keys(self._rules, positions)
        once = _once(keys)
        rank = None if once is None else np.cumsum(once) - 1
        out: Columns = {}
        for name, column in columns.items():
            if isinstance(column, np.ndarray):
                out[name] = np.empty(len(order), column.dtype)
                out[name][order] = column if rank is None else column[rank]
            else:
                places = np.empty(len(order), np.int64)
                places[order] = np.arange(len(order))
                out[name] = [column[i] for i in places.tolist()]
        return out

    def add(self, stratum: int, positions: Any, columns: Columns, work: Work) -> None:
        """Take a stratum and what was done to it; positions that are there twice count once. A
        range stands for all numbers of the stratum, in their order."""
        page = self._sorter.submit(self._sorted, positions, columns, work)
        if self._writer is None:
            self._kept.append((stratum, page))
            return
        self._writing.append(
            (self._pen.submit(self._write, self._writer, stratum, page, work), len(positions))
        )
        while self._writing and (self._writing[0][0].done() or self._crowded()):
            self._writing.pop(0)[0].result()

    def _crowded(self) -> bool:
        """Whether more is waiting to be written than should be held in memory."""
        return len(self._writing) > 1 and sum(rows for _, rows in self._writing) > WAITING

    def _sorted(self, positions: Any, columns: Columns, work: Work) -> Sorted:
        if isinstance(positions, range):
            return positions, columns
        order, keys = sorted_keys(self._rules, positions)
        once = _once(keys)
        if once is not None:
            self._compare(order, once, keys, columns)
            work.discount(len(once) - int(once.sum()))
            order, keys = order[once], keys[once]
        rows = order.tolist() if any(isinstance(c, list) for c in columns.values()) else []
        return keys, {
            name: column[order] if isinstance(column, np.ndarray) else [column[i] for i in rows]
            for name, column in columns.items()
        }

    def _compare(self, order: Array, once: Array, keys: Any, columns: Columns) -> None:
        """Rows of one position must have one value."""
        again = np.flatnonzero(~once)
        for column in columns.values():
            wrong = again[column[order[again]] != column[order[again - 1]]]
            if len(wrong):
                p = self._rules.position(keys[wrong[0]])
                raise RulesError(
                    f"{type(self._rules.game).__name__}: {self._rules.game.text(p)} has two "
                    "values",
                    "what the rules say of symmetry or of names contradicts itself",
                )

    @staticmethod
    def _write(writer: TableWriter, stratum: int, page: Future[Sorted], work: Work) -> None:
        keys, columns = page.result()
        writer.add(stratum, keys, columns, vars(work))

    def wait(self) -> None:
        """Until all that was taken is written."""
        while self._writing:
            self._writing.pop(0)[0].result()

    def finish(self, extra: dict[str, Any]) -> Table | MemoryTable:
        """The table of all strata."""
        self.wait()
        if self._writer is not None:
            return self._writer.finish(extra)
        sink = [(stratum, *page.result()) for stratum, page in self._kept]
        strata = [(stratum, len(keys)) for stratum, keys, _ in sink]
        keys = _joined([keys for _, keys, _ in sink])
        values = aligned([columns for _, _, columns in sink])
        columns = {name: _joined([each[name] for each in values]) for name in values[0]}
        kind = MemoryTable if self._width >= 0 else NumberedMemoryTable
        return kind(self._header, self._width, strata, keys, columns, extra)

    def abandon(self) -> None:
        """Solving is not possible: leave no table behind, unless parts of it are safe already."""
        if self._writer is not None:
            self._stop()
            self._writer.abandon()

    def close(self) -> None:
        """Stop; what is not safely written is given up."""
        self._stop()
        if self._writer is not None:
            self._writer.close()

    def _stop(self) -> None:
        for pool in (self._sorter, self._pen):
            with suppress(Exception):
                pool.shutdown(cancel=True)


def _once(keys: Any) -> Array | None:
    """Which of sorted keys are not the same as the one before; None if all are different."""
    if not isinstance(keys, np.ndarray) or len(keys) < 2:
        return None
    once = np.ones(len(keys), np.bool_)
    np.any(keys[1:] != keys[:-1], axis=1, out=once[1:])
    return None if once.all() else once


def _joined(pieces: list[Any]) -> Any:
    if any(isinstance(piece, Streamed) for piece in pieces):
        return Streamed.joined(pieces).whole()
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    if isinstance(pieces[0], range):
        return range(sum(map(len, pieces)))
    return [each for piece in pieces for each in piece]
