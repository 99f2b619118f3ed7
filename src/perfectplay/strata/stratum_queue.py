"""StratumQueue: all strata of a game between finding and solving, in memory or in working files.

Found top down, needed bottom up. When they outgrow their share of memory, the oldest (topmost) go
to files in a working folder, which are mapped back when their turn comes and removed afterwards.
Files hold arrays of numbers alone. Positions of plain rules can be any objects, so they stay in
memory: to read them from a file would mean to unpickle it, which can run anything.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.positions.found_stratum import FoundStratum, read, write


class StratumQueue:
    """Strata by number. `take` gives one back and forgets it."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is for working files, made when needed; what a killed run left there goes."""
        self._folder = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        self._held: dict[int, FoundStratum] = {}  # in order of arrival
        self._stored: dict[int, Path] = {}
        self._positions: dict[int, list[Any]] = {}  # of strata in files, if rules are plain
        self.sizes: dict[int, int] = {}
        self.bytes = 0
        """Memory in use by strata that are not on disk."""

    def add(self, found: FoundStratum) -> None:
        """Keep a stratum."""
        self.sizes[found.stratum] = found.size
        if found.folder is not None:
            self._stored[found.stratum] = found.folder
            self.bytes += self._keep(found)
            return
        self._held[found.stratum] = found
        self.bytes += found.bytes

    @property
    def positions(self) -> int:
        """How many positions all strata have."""
        return sum(self.sizes.values())

    def spill(self, most: int) -> None:
        """Send strata to files until no more than `most` bytes are held."""
        for stratum in list(self._held):
            if self.bytes <= most:
                return
            path = self._stored[stratum] = self.folder(stratum)
            path.mkdir(parents=True)
            found = self._held.pop(stratum)
            write(found, path)
            self.bytes -= found.bytes - self._keep(found)

    def _keep(self, found: FoundStratum) -> int:
        """Keep what does not go to files; how much memory that takes."""
        if isinstance(found.positions, np.ndarray):
            return 0
        self._positions[found.stratum] = found.positions
        return found.object_bytes

    def take(self, stratum: int) -> FoundStratum:
        """A stratum; its working file is removed."""
        if stratum in self._held:
            found = self._held.pop(stratum)
            self.bytes -= found.bytes
            return found
        path = self._stored.pop(stratum)
        found = read(path, self._positions.pop(stratum, None))
        self.bytes -= found.object_bytes
        shutil.rmtree(path)
        return found

    def look(self, stratum: int) -> FoundStratum:
        """A stratum, which stays where it is."""
        held = self._held.get(stratum)
        if held is not None:
            return held
        return read(self._stored[stratum], self._positions.get(stratum))

    def ids(self) -> Array | None:
        """For each number the id of its position: strata ascending, rows as they were found. None:
        the same."""
        out = np.empty(self.positions, np.uint32)
        low = 0
        for stratum in sorted(self.sizes):
            numbers = self.numbers(stratum)
            out[numbers] = np.arange(low, low + len(numbers), dtype=np.uint32)
            low += len(numbers)
        return out

    def numbers(self, stratum: int) -> Array:
        """The numbers of the positions of a stratum."""
        held = self._held.get(stratum)
        if held is not None:
            return held.numbers
        return np.load(self._stored[stratum] / "numbers.npy", mmap_mode="r")  # type: ignore[no-any-return]

    def folder(self, stratum: int) -> Path:
        """Where the files of a stratum belong."""
        if self._folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="perfectplay-")
            self._folder = Path(self._temporary.name)
        return self._folder / str(stratum)

    def close(self) -> None:
        """Remove what is left of the working files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._temporary is not None:
            self._temporary.cleanup()
