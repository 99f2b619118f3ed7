"""rules -> table out of core: what `solve` does with a game whose values do not fit in memory, or
whose pieces have names."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError, TooLargeError, VerificationError
from perfectplay.positions.explore import MOST
from perfectplay.progress import size
from perfectplay.solvers.chance.policy_audit import try_moves
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget, disk_room, too_large
from perfectplay.solving.choose import extra
from perfectplay.solving.out_of_core import OutOfCore, explored, known_of, new_disk_strata, shaped
from perfectplay.strata.disk_strata import DiskStrata
from perfectplay.strata.sealed_files import disk
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.table.table_sink import TableSink

if TYPE_CHECKING:
    from perfectplay.solving.run import Run
    from perfectplay.strata.unlabelled_edges import UnlabelledEdges

ROW = 40
"""Bytes for a row of a stratum while it is solved, and each word of its key: value, key, order."""
LEAST = 2
"""Bytes of a position in a table, at least."""
KEYS = 16
"""Part of the memory that keys of shapes may take before they go to files: one of so many."""


class TooManyUnlabelled(Exception):  # noqa: N818 - a plain fact, caught by who asked
    """There is no memory for all shapes."""


class SpilledKeys:
    """Keeps keys of shapes: in memory at first, then in files without names, which are mapped and
    go away by themselves."""

    def __init__(self, folder: Path, memory: int, room: int) -> None:
        self._folder, self._memory, self._room = folder.absolute().parent, memory, room
        self.used = 0
        """Bytes in files."""

    def keep(self, stratum: int, keys: Array) -> Array:
        """The same keys, in memory or mapped."""
        if keys.nbytes <= self._memory or not keys.nbytes:
            self._memory -= keys.nbytes
            return keys
        self.used += keys.nbytes
        if self.used > self._room:
            raise TooLargeError(
                f"working files would take more than {size(self.used)} for shapes of stratum "
                f"{stratum}; {size(self._room)} may be used",
                "allow more with --disk, or put the table on a larger disk",
            )
        with disk(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder) as file:
                keys.tofile(file)
                mapped = np.memmap(file, keys.dtype, "r+", shape=keys.shape)
        return mapped.view(np.ndarray)


def by_keys(
    run: Run, budget: Budget, folder: Path, strata: Path, *, fresh: bool
) -> Table | MemoryTable:
    """rules -> table, with a window of strata in memory and the others in files."""

    def windows(disk_strata: DiskStrata, options: Options) -> OutOfCore:
        with run.stage("expand"):
            run.progress.start("expand")
            return explored(
                run.rules, disk_strata, run.identity(), options, run.progress, fresh=fresh
            )

    return _filled(run, windows, budget, folder, strata, fresh=fresh)


def by_labels(
    run: Run, budget: Budget, folder: Path, strata: Path, *, fresh: bool
) -> Table | MemoryTable | None:
    """The same, exactly, for a game whose pieces have names; None if not all namings come about,
    values are no whole numbers, or there are so many shapes that positions alone are better."""
    from perfectplay.strata.unlabelled_edges import unlabelled_edges

    with run.stage("expand"):
        run.progress.start("expand")
        keeper = SpilledKeys(folder, budget.most // KEYS, disk_room(folder, run.disk))
        watch = _watch(run, budget, folder)
        try:
            ways = unlabelled_edges(run.rules, run.options.workers, watch, keeper.keep)
        except TooManyUnlabelled:
            return None
    if ways is None:
        return None
    return by_ways(run, ways, budget, folder, strata, fresh=fresh, used=keeper.used)


def by_ways(
    run: Run,
    ways: UnlabelledEdges,
    budget: Budget,
    folder: Path,
    strata: Path,
    *,
    fresh: bool,
    used: int = 0,
) -> Table | MemoryTable | None:
    """The same where shapes are found already, with so many bytes `used` in files."""
    with run.stage("expand"):
        known = known_of(ways)
    if known is None:
        return None

    def windows(disk_strata: DiskStrata, options: Options) -> OutOfCore:
        disk_strata.used = disk_strata.most_used = used
        return shaped(ways, known, disk_strata, run.identity(), options, fresh=fresh)

    return _filled(run, windows, budget, folder, strata, fresh=fresh)


def _watch(run: Run, budget: Budget, folder: Path) -> Callable[[int, int], None]:
    """For shapes: tells progress, and refuses what is too large as soon as that is sure."""
    found, room = 0, disk_room(folder, None)

    def look(rows: int, held: int) -> None:
        nonlocal found
        found += rows
        run.progress.advance(rows)
        if held > budget.most // 2:
            raise TooManyUnlabelled
        if rows > MOST or ROW * run.rules.width * rows > budget.most:
            raise too_large(found, ROW * run.rules.width * rows, budget.most, reached=True)
        if LEAST * found > room:
            raise TooLargeError(
                f"too large: more than {found:,} positions, whose table needs more than "
                f"{size(LEAST * found)}; there are {size(room)} of disk",
                "put the table on a larger disk, or choose smaller parameters",
            )

    return look


def _filled(
    run: Run,
    windows: Callable[[DiskStrata, Options], OutOfCore],
    budget: Budget,
    folder: Path,
    strata: Path,
    *,
    fresh: bool,
) -> Table | MemoryTable:
    """positions -> strata -> values -> table."""
    disk_strata = new_disk_strata(strata, run.rules, budget.most, run.disk)
    options = run.options
    if run.rules.turn_patterns is not None:
        options = replace(options, audit=try_moves)
    try:
        found = windows(disk_strata, options)
        sink = TableSink(run.rules, run.header(found.facts, found.whole), folder, fresh=fresh)
        with closing(sink):
            if sink.finished is None:
                with run.stage("solve"):
                    works = found.solve(sink, run.progress)
            with run.stage("write"):
                sink.wait()  # only then it is known what counts once
                table = sink.finished or sink.finish(extra(works, disk_strata.sizes))
        run.working = disk_strata.most_used
        disk_strata.close()
        return table
    except (TooLargeError, RulesError, VerificationError):
        disk_strata.close()
        raise
    finally:
        disk_strata.leave()
