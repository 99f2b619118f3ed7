"""DiskStrata: strata in working files, of which the working set is in memory.

A stratum is one file of keys, bucket by bucket (positions/key_set.py), and, once it is solved, one
file for each column of its values. `entry` brings a stratum to memory; if the budget is spent,
strata that the present one does not lead to are put back, and if that is not enough, files are
mapped, so that the system reads what is asked for. `journal` says in a sealed file what is on the
files: a run that was killed goes on with it."""

import errno
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import TableError, TooLargeError
from perfectplay.positions.key_set import KeySet, begins
from perfectplay.progress import size as shown
from perfectplay.strata.sealed_files import LOCK, disk, same, sealed, unsealed, write_atomic
from perfectplay.strata.sealed_files import Lock as Hold

JOURNAL = "explored.json"
BEGUN = "begun.json"
HALTED = "halted.json"


@contextmanager
def working_files(folder: Path) -> Iterator[None]:
    """Turn errors of the disk inside the block into TableErrors, as `disk` does; NumPy, which does
    not say why it could not write all of an array, has met a full disk."""
    with disk(folder):
        try:
            yield
        except OSError as error:
            if error.errno is None and "written" in str(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            raise


@dataclass
class LoadedStratum:
    """A stratum that is at hand: keys, where their buckets begin, and columns of values."""

    keys: Array
    begin: Array
    columns: dict[str, Array] = field(default_factory=dict)
    mapped: bool = False
    saved: bool = False
    """Whether the columns are in files."""

    @property
    def bytes(self) -> int:
        """Memory in use, apart from what is mapped."""
        held = 0 if self.mapped else sum(a.nbytes for a in (self.keys, *self.columns.values()))
        return int(self.begin.nbytes) + held


class DiskStrata:
    """All strata of a game that are found or being solved."""

    def __init__(self, folder: Path, width: int, memory: int, room: int) -> None:
        self.folder = folder
        self.width = width
        self.memory = memory
        """Bytes for strata at hand."""
        self.room = room
        """Bytes that working files may take."""
        self.keyed = True
        """Whether strata have keys; else what numbers rows knows them
        (positions/unlabelled.py)."""
        self.sizes: dict[int, int] = {}
        self.used = self.most_used = 0
        """Bytes in files, now and at most."""
        self._names: dict[int, list[tuple[str, str]]] = {}
        self._entries: dict[int, LoadedStratum] = {}  # least recently used first
        self._lock = Lock()
        self._one_run: Hold | None = None
        self.halted: tuple[dict[str, Any], dict[int, Array], Array] | None = None
        """What an earlier run knew when it was killed while exploring: notes, the keys of strata
        that are not expanded, first positions of patterns."""
        self._halts = 0
        self._settled: set[Path] = set()
        self._runs: dict[int, list[int]] = {}
        self._longest = 0
        self._spent: list[Path] = []

    # -- Files. -----------------------------------------------------------------------------------

    def _path(self, stratum: int, name: str) -> Path:
        return self.folder / f"{stratum}.{name}"

    def _write(self, stratum: int, name: str, array: Array) -> None:
        self.used += array.nbytes
        self.most_used = max(self.most_used, self.used)
        if self.used > self.room:
            error = TooLargeError(
                f"working files would take more than {shown(self.used)}; "
                f"{shown(self.room)} may be used",
                "allow more with --disk, or put the table on a larger disk",
            )
            error.resumable = resumable(self.folder)
            raise error
        with working_files(self.folder):  # whole files only: what is mapped later is there
            array.tofile(self._path(stratum, name))

    def add(self, stratum: int, keys: Array) -> None:
        """Put the keys of a stratum into a file."""
        self._write(stratum, "keys", keys)
        self.sizes[stratum] = len(keys)

    def drop(self, stratum: int) -> None:
        """Remove the files of a stratum that is needed no more."""
        self._remove(*self.folder.glob(f"{stratum}.*"))
        self.forget(stratum)

    def forget(self, stratum: int) -> None:
        """Give back the memory of a stratum."""
        with self._lock:
            self._entries.pop(stratum, None)

    def keys(self, stratum: int) -> Array:
        """The keys of a stratum, bucket by bucket."""
        entry = self._entries.get(stratum)
        return entry.keys if entry is not None else self._load(stratum, "keys", "int64")

    def _load(self, stratum: int, name: str, dtype: str, *, mapped: bool = False) -> Array:
        path = self._path(stratum, name)
        rows = self.sizes[stratum]
        shape = (rows, self.width) if name == "keys" else (rows,)
        with disk(self.folder):
            if mapped:
                return np.memmap(path, dtype, "r", shape=shape).view(np.ndarray)
            return self._read(path, dtype, shape)

    @staticmethod
    def _read(path: Path, dtype: str, shape: tuple[int, ...]) -> Array:
        found = np.fromfile(path, dtype)
        if found.size != np.prod(shape):
            raise TableError(f"{path} is damaged", "solve again with --fresh")
        return found.reshape(shape)

    def _read_keys(self, stratum: int, name: str, rows: int) -> Array:
        return self._read(self._path(stratum, name), "int64", (rows, self.width))

    # -- The window. ------------------------------------------------------------------------------

    def put(self, stratum: int, keys: Array, columns: dict[str, Array]) -> None:
        """Take the values of a stratum, in the order of its keys."""
        with self._lock:
            self._names[stratum] = [(name, str(c.dtype)) for name, c in columns.items()]
            self._entries[stratum] = self._entry(keys, columns)

    def entry(self, stratum: int, wanted: Collection[int]) -> LoadedStratum:
        """A solved stratum; those `wanted` are needed at the same time."""
        with self._lock:
            found = self._entries.pop(stratum, None)
            if found is None:
                found = self._fetch(stratum, wanted)
            self._entries[stratum] = found
            return found

    def _fetch(self, stratum: int, wanted: Collection[int]) -> LoadedStratum:
        names = self._names[stratum]
        needed = self.sizes[stratum] * (
            (8 * self.width + 1) * self.keyed + sum(np.dtype(kind).itemsize for _, kind in names)
        )
        self._shrink(self.memory - needed, wanted)
        mapped = self.bytes + needed > self.memory
        keys = self._load(stratum, "keys", "int64", mapped=mapped) if self.keyed else None
        columns = {n: self._load(stratum, n, kind, mapped=mapped) for n, kind in names}
        entry = self._entry(keys, columns)
        entry.mapped, entry.saved = mapped, True
        return entry

    def _entry(self, keys: Array | None, columns: dict[str, Array]) -> LoadedStratum:
        if keys is None or not self.keyed:
            return LoadedStratum(
                np.empty((0, self.width), np.int64), np.zeros(1, np.uint32), columns
            )
        return LoadedStratum(keys, begins(keys), columns)

    def shrink(self, wanted: Collection[int]) -> None:
        """Keep to the budget: strata that are not wanted go to files first."""
        with self._lock:
            self._shrink(self.memory, wanted)

    def _shrink(self, most: int, wanted: Collection[int]) -> None:
        for stratum in list(self._entries):
            if self.bytes <= most:
                return
            if stratum not in wanted:
                self._save(stratum)
                del self._entries[stratum]

    def _save(self, stratum: int) -> None:
        entry = self._entries[stratum]
        if not entry.saved:
            for name, column in entry.columns.items():
                self._write(stratum, name, np.ascontiguousarray(column))
            entry.saved = True

    @property
    def bytes(self) -> int:
        """Memory of all strata at hand."""
        return sum(entry.bytes for entry in self._entries.values())

    # -- The journal. -----------------------------------------------------------------------------

    def begin(self, identity: dict[str, Any], *, fresh: bool) -> dict[str, Any] | None:
        """Open the files for this work; what `journal` said of it, if it was explored before."""
        with disk(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._one_run = Hold(self.folder)
        if not fresh and begun(self.folder, identity):
            with suppress(TableError):
                found = unsealed(self.folder / JOURNAL)
                self.sizes = {int(stratum): rows for stratum, rows in found["sizes"].items()}
                # The values are not kept: the table has them.
                self._keep({self._path(stratum, "keys") for stratum in self.sizes})
                return found
            if self._take_up():
                return None
        with disk(self.folder):
            for path in self.folder.iterdir():
                if path.name != LOCK:
                    path.unlink()
            write_atomic(self.folder / BEGUN, sealed({"identity": identity}))
        return None

    def journal(self, data: dict[str, Any]) -> None:
        """Say that all strata are found."""
        with disk(self.folder):
            self._settle("keys")
            write_atomic(self.folder / JOURNAL, sealed({**data, "sizes": self.sizes}))
            self._remove(*self.folder.glob(f"*-{self._halts}"), *self._spent)
            self._spent.clear()
            (self.folder / HALTED).unlink(missing_ok=True)

    def _keep(self, wanted: set[Path]) -> None:
        """Remove all files but those wanted, and say how much they are."""
        for path in self.folder.iterdir():
            if path.suffix != ".json" and path.name != LOCK and path not in wanted:
                path.unlink()
        self.used = self.most_used = sum(p.stat().st_size for p in self.folder.iterdir())

    def halt(self, noted: dict[str, Any], open_: dict[int, KeySet], roots: Array) -> None:
        """Write down all that is known while exploring: `halted` of a later run."""
        rows = sum(keys.count for keys in open_.values()) + len(roots)
        if self.used + 8 * self.width * rows > self.room:
            return
        before, self._halts = self._halts, self._halts + 1
        name = f"open-{self._halts}"
        for stratum, keys in open_.items():
            self._write(stratum, name, keys.ordered()[0])
        self._write(0, f"roots-{self._halts}", roots)
        data = {
            "noted": noted,
            "halt": self._halts,
            "sizes": self.sizes,
            "open": {stratum: keys.count for stratum, keys in open_.items()},
            "roots": len(roots),
            "runs": self._runs,
        }
        with disk(self.folder):
            self._settle(name, f"roots-{self._halts}", "keys", *map(_run, range(self._longest)))
            write_atomic(self.folder / HALTED, sealed(data))
            self._remove(*self.folder.glob(f"*-{before}"), *self._spent)
        self._spent.clear()

    def spill(self, stratum: int, keys: Array) -> None:
        """Put away some keys of a stratum that is not expanded yet."""
        runs = self._runs.setdefault(stratum, [])
        self._write(stratum, _run(len(runs)), keys)
        runs.append(len(keys))
        self._longest = max(self._longest, len(runs))

    def runs(self, stratum: int) -> Iterator[Array]:
        """All that was put away. (The files stay until no halt speaks of them.)"""
        for k, rows in enumerate(self._runs.pop(stratum, [])):
            with disk(self.folder):
                yield self._read_keys(stratum, _run(k), rows)
            self._spent.append(self._path(stratum, _run(k)))
        if not (self.folder / HALTED).exists():
            self._remove(*self._spent)
            self._spent.clear()

    def _remove(self, *paths: Path) -> None:
        for path in paths:
            self.used -= path.stat().st_size
            path.unlink()

    def _settle(self, *names: str) -> None:
        """Make sure that files with these names are on disk."""
        for path in self.folder.iterdir():
            if path.name.partition(".")[2] in names and path not in self._settled:
                with path.open("rb") as file:
                    os.fsync(file.fileno())
                self._settled.add(path)

    def _take_up(self) -> bool:
        """Whether an earlier run had halted here; then `halted` is what it knew."""
        try:
            data = unsealed(self.folder / HALTED)
            self._halts = data["halt"]
            self.sizes = {int(stratum): rows for stratum, rows in data["sizes"].items()}
            counts = {int(stratum): rows for stratum, rows in data["open"].items()}
            name, last = f"open-{self._halts}", f"roots-{self._halts}"
            open_ = {n: self._read_keys(n, name, rows) for n, rows in counts.items()}
            self.halted = data["noted"], open_, self._read_keys(0, last, data["roots"])
            self._runs = {int(n): counts for n, counts in data["runs"].items()}
            self._longest = max((len(runs) for runs in self._runs.values()), default=0)
            wanted = {self._path(n, "keys"): rows for n, rows in self.sizes.items()}
            for n, runs in self._runs.items():
                wanted |= {self._path(n, _run(k)): rows for k, rows in enumerate(runs)}
            if any(p.stat().st_size != 8 * self.width * rows for p, rows in wanted.items()):
                raise TableError("files of keys are not as long as they were")
        except (TableError, KeyError, OSError):
            self.sizes, self._runs, self.halted = {}, {}, None
            return False
        self._keep({*wanted, *(self._path(n, name) for n in open_), self._path(0, last)})
        return True

    def leave(self) -> None:
        """Let other runs use the files."""
        if self._one_run is not None:
            self._one_run.release()
            self._one_run = None

    def close(self) -> None:
        """Remove all files."""
        self._entries.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.leave()


def _run(number: int) -> str:
    return f"run{number}"


def begun(folder: Path, identity: dict[str, Any]) -> bool:
    """Whether a run of this very work was under way with files in `folder`."""
    try:
        return same(unsealed(folder / BEGUN)["identity"], identity)
    except (TableError, KeyError):
        return False


def resumable(folder: Path) -> bool:
    """Whether a run that stops now can be taken up from the files in `folder`."""
    return any((folder / name).exists() for name in (JOURNAL, HALTED))


def bytes_in(folder: Path) -> int:
    """Bytes in the files of a run that stopped."""
    with suppress(OSError):
        return sum(path.stat().st_size for path in folder.iterdir())
    return 0


def tidy(folder: Path) -> None:
    """Remove what another run, that was killed, has left of its files."""
    if (folder / BEGUN).exists():
        shutil.rmtree(folder, ignore_errors=True)
