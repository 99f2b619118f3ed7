"""rules -> table out of core: how a game is solved whose values do not fit in memory, or whose
pieces have labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError, TooLargeError, VerificationError
from perfectplay.positions.explore import MOST
from perfectplay.progress import size
from perfectplay.solvers.chance.policy import try_moves
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import disk_room, too_large
from perfectplay.solving.out_of_core import (
    OutOfCore,
    explored,
    known_of,
    new_disk_strata,
    out_of_core,
)
from perfectplay.strata.disk_strata import DiskStrata, working_files
from perfectplay.strata.edges import KeyedEdges
from perfectplay.table.reader import MemoryTable, Table

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
        with working_files(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder) as file:
                keys.tofile(file)
                mapped = np.memmap(file, keys.dtype, "r+", shape=keys.shape)
        return mapped.view(np.ndarray)


def by_keys(run: Run) -> Table | MemoryTable:
    """rules -> table, with a window of strata in memory and the others in files."""

    def strata(disk_strata: DiskStrata, options: Options) -> OutOfCore:
        with run.stage("expand"):
            run.progress.start("expand")
            known = disk_strata.begin(run.identity(), fresh=run.fresh)
            if known is None:
                known = explored(run.rules, disk_strata, options, run.progress.advance)
                disk_strata.journal(known)
            below = {int(stratum): others for stratum, others in known["below"].items()}
            edges = KeyedEdges(run.rules, disk_strata, below, set(known["inside"]))
            return out_of_core(run.rules, disk_strata, edges, options, known)

    return _filled(run, strata)


def by_labels(run: Run) -> Table | MemoryTable | None:
    """The same, exactly, for a game with labelled pieces; None if not all labellings occur, values
    are no whole numbers, or there are too many unlabelled positions for memory."""
    from perfectplay.strata.unlabelled_edges import unlabelled_edges

    assert run.folder is not None
    with run.stage("expand"):
        run.progress.start("expand")
        room = disk_room(run.folder, run.disk)
        spilled = SpilledKeys(run.folder, run.budget.most // KEYS, room)
        try:
            edges = unlabelled_edges(run.rules, run.options.workers, _watch(run), spilled.keep)
        except TooManyUnlabelled:
            return None
    return by_edges(run, edges, used=spilled.used) if edges is not None else None


def by_edges(run: Run, edges: UnlabelledEdges, used: int = 0) -> Table | MemoryTable | None:
    """The same where unlabelled positions are found already, with so many bytes `used` in
    files."""
    with run.stage("expand"):
        known = known_of(edges)
    if known is None:
        return None

    def strata(disk_strata: DiskStrata, options: Options) -> OutOfCore:
        disk_strata.begin(run.identity(), fresh=run.fresh)
        disk_strata.keyed = False
        disk_strata.used = disk_strata.most_used = used
        found = edges.unlabelled.strata
        disk_strata.sizes = {stratum: here.rows.total for stratum, here in found.items()}
        return out_of_core(run.rules, disk_strata, edges, options, known)

    return _filled(run, strata)


def _watch(run: Run) -> Callable[[int, int], None]:
    """For unlabelled positions: reports progress, and refuses what is too large once that is
    sure."""
    assert run.folder is not None
    found, room, budget = 0, disk_room(run.folder, None), run.budget

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


def _filled(run: Run, strata: Callable[[DiskStrata, Options], OutOfCore]) -> Table | MemoryTable:
    """positions -> strata -> values -> table."""
    disk_strata = new_disk_strata(run.strata_folder, run.rules, run.budget.most, run.disk)
    options = run.options
    if run.rules.turn_patterns is not None:
        options = replace(options, audit=try_moves)
    try:
        found = strata(disk_strata, options)
        table = run.filled(found)
        run.working = disk_strata.most_used
        disk_strata.close()
        return table
    except TooLargeError as error:
        if error.resumable:
            error.hint += "; what was found is kept, and the same command goes on with it"
        else:
            disk_strata.close()
        raise
    except (RulesError, VerificationError):
        disk_strata.close()
        raise
    finally:
        disk_strata.leave()
