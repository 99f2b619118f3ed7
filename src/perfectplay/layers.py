"""Layers: all strata of a game between finding and solving, in memory or in working files.

Found top down, needed bottom up. When they outgrow their share of memory, the oldest (topmost) go
to files in a working folder, which are mapped back when their turn comes and removed afterwards.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.explore import Layer
from perfectplay.graph import Array

_ARRAYS = (
    "numbers", "kind", "payoff", "count", "child", "swap", "weight", "reward", "anchor",
    "pattern", "node", "rank",
)  # fmt: skip


class Layers:
    """Strata by number. `take` gives one back and forgets it."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is for working files, made when needed; what a killed run left there goes."""
        self._folder = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        self._held: dict[int, Layer] = {}  # in order of arrival
        self._stored: dict[int, Path] = {}
        self.sizes: dict[int, int] = {}
        self.bytes = 0
        """Memory in use by layers that are not on disk."""

    def add(self, layer: Layer) -> None:
        """Keep a stratum."""
        self._held[layer.stratum] = layer
        self.sizes[layer.stratum] = layer.size
        self.bytes += layer.bytes

    @property
    def positions(self) -> int:
        """How many positions all strata have."""
        return sum(self.sizes.values())

    def spill(self, most: int) -> None:
        """Send strata to files until no more than `most` bytes are held."""
        for stratum in list(self._held):
            if self.bytes <= most:
                return
            self._stored[stratum] = self._write(self._held[stratum])
            self.bytes -= self._held.pop(stratum).bytes

    def take(self, stratum: int) -> Layer:
        """The layer of a stratum; its working file is removed."""
        if stratum in self._held:
            layer = self._held.pop(stratum)
            self.bytes -= layer.bytes
            return layer
        path = self._stored.pop(stratum)
        layer = _read(path)
        shutil.rmtree(path)
        return layer

    def look(self, stratum: int) -> Layer:
        """The layer of a stratum, which stays where it is."""
        held = self._held.get(stratum)
        return held if held is not None else _read(self._stored[stratum])

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

    def _write(self, layer: Layer) -> Path:
        if self._folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="perfectplay-")
            self._folder = Path(self._temporary.name)
        path = self._folder / str(layer.stratum)
        path.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(path / f"{name}.npy", getattr(layer, name))
        if isinstance(layer.positions, np.ndarray):
            np.save(path / "keys.npy", layer.positions)
        else:
            (path / "keys.pickle").write_bytes(pickle.dumps(layer.positions))
        return path

    def close(self) -> None:
        """Remove what is left of the working files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._temporary is not None:
            self._temporary.cleanup()


def _read(path: Path) -> Layer:
    arrays = {name: np.load(path / f"{name}.npy") for name in _ARRAYS}
    positions: Any
    if (path / "keys.npy").exists():
        positions = np.load(path / "keys.npy")
    else:  # positions of plain rules, written by this very run
        positions = pickle.loads((path / "keys.pickle").read_bytes())
    return Layer(stratum=int(path.name), positions=positions, **arrays)
