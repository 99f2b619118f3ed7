"""A found stratum: all its positions with their edges, joined from batches, perhaps in files.

What is large is joined in files at once, and these are mapped: to join it in memory, to write it
down from there and to read it again would each take fresh memory, and more time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.positions.batch import Batch, some

LARGE = 1 << 27
"""Bytes of a stratum from which on it is joined in files, if there is a folder for them."""
PIECE = 1 << 20
"""Bytes of an array from which on it is worth a file that is mapped."""
BLOCK = 1 << 18
"""Rows that are brought into another order at once."""
_OF_ROWS = ("numbers", "kind", "payoff", "count", "anchor", "pattern")
_OF_EDGES = ("child", "swap", "weight", "reward", "node", "rank")
_ARRAYS = (
    "numbers", "kind", "payoff", "count", "child", "swap", "weight", "reward", "anchor",
    "pattern", "node", "rank",
)  # fmt: skip


@dataclass
class FoundStratum:
    """All positions of one stratum, in the order of discovery, with their edges."""

    stratum: int
    positions: Any
    """int64[n, width] keys, or a list of positions."""
    numbers: Array
    """uint32[n]: the number each position got when it was found."""
    kind: Array
    payoff: Array
    """int[n or 1, columns], as the rules gave them."""
    count: Array
    """uint[n]: how many edges each position has."""
    child: Array
    """uint32[e]: the numbers of the children."""
    swap: Array
    weight: Array
    reward: Array
    anchor: Array
    pattern: Array
    node: Array
    rank: Array
    inside: bool = True
    """Whether an edge may stay in the stratum."""
    below: tuple[int, ...] = ()
    """The other strata that edges lead to."""
    folder: Path | None = None
    """Where its arrays are files; they are mapped here."""

    @property
    def size(self) -> int:
        """How many positions."""
        return len(self.kind)

    def arranged(self, order: Array) -> FoundStratum:
        """The same with its rows in another order, in memory."""
        if self.size < 2:
            return self
        first = np.zeros(self.size + 1, np.int64)
        np.cumsum(self.count, out=first[1:])
        count = self.count[order].astype(np.int64)
        moved = {name: getattr(self, name) for name in _ARRAYS}
        for name in _OF_ROWS:
            if len(moved[name]) == self.size:
                moved[name] = moved[name][order]
        edges = [name for name in _OF_EDGES if len(moved[name]) == first[-1]]
        out = {name: np.empty_like(moved[name]) for name in edges}
        done = 0
        for begin in range(0, self.size, BLOCK):  # places of all edges at once would be large
            counts = count[begin : begin + BLOCK]
            before = np.cumsum(counts) - counts
            end = done + int(counts.sum())
            from_ = np.repeat(first[order[begin : begin + BLOCK]] - before, counts)
            from_ += np.arange(end - done)
            for name in edges:
                out[name][done:end] = moved[name][from_]
            done = end
        positions = some(self.positions, order)
        return replace(self, **{**moved, **out}, positions=positions, folder=None)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        arrays = [a for a in vars(self).values() if isinstance(a, np.ndarray)]
        return sum(a.nbytes for a in arrays) + self.object_bytes

    @property
    def object_bytes(self) -> int:
        """Memory of positions that are no arrays, roughly."""
        return 0 if isinstance(self.positions, np.ndarray) else 100 * self.size


@dataclass
class Chunks:
    """A stratum that is being expanded, batch by batch."""

    parts: list[Batch] = field(default_factory=list)
    count: list[Array] = field(default_factory=list)
    child: list[Array | tuple[Array, Array]] = field(default_factory=list)
    """The numbers of children, or (numbers in another order, where each child's is)."""
    strata: set[int] = field(default_factory=set)
    """The strata of children, as far as the game has strata."""
    bytes: int = 0
    """Memory of what was added."""

    def add(
        self,
        batch: Batch,
        count: Array,
        strata: Array,
        child: Array | tuple[Array, Array],
    ) -> None:
        """Take a batch whose children have been numbered."""
        self.child.append(child)
        self.strata.update(strata.tolist())
        self.count.append(count)
        batch.child = batch.stratum = batch.first = np.empty(0)
        self.parts.append(batch)
        numbers = child if isinstance(child, tuple) else (child,)
        arrays = [a for a in vars(batch).values() if isinstance(a, np.ndarray)]
        self.bytes += sum(a.nbytes for a in (count, *numbers, *arrays))

    def joined(
        self,
        stratum: int,
        positions: Any,
        numbers: Array,
        folder: Callable[[int], Path] | None = None,
    ) -> FoundStratum:
        """Everything joined, in the narrowest types that hold it."""
        names = ("payoff", "swap", "weight", "reward", "anchor", "pattern", "node", "rank")
        columns = {name: [getattr(b, name) for b in self.parts] for name in names}
        columns["kind"] = [b.kind for b in self.parts]
        self.parts.clear()
        child = [each[0][each[1]] if isinstance(each, tuple) else each for each in self.child]
        self.child.clear()
        columns |= {"count": self.count, "child": child}
        edges = sum(map(len, child))
        path = None
        if folder is not None and sum(a.nbytes for c in columns.values() for a in c) > LARGE:
            path = folder(stratum)
            path.mkdir(parents=True)
        arrays = {}
        for name, pieces in columns.items():
            file = path / f"{name}.npy" if path else None
            if name in names:
                arrays[name] = _joined(pieces, 0 if name == "payoff" else None, file)
            else:
                arrays[name] = _in_a_row(pieces, file)
            pieces.clear()
        inside = edges > 0 and (not self.strata or max(self.strata) >= stratum)
        below = tuple(sorted(self.strata - {stratum}))
        found = FoundStratum(
            stratum, positions, numbers, **arrays, inside=inside, below=below, folder=path
        )
        if path is not None:
            write(found, path)
        return found


def _joined(arrays: list[Array], default: int | None = None, file: Path | None = None) -> Array:
    """Arrays one after the other; one element if all elements are equal (or all are `default`)."""
    width = max((a.shape[1] for a in arrays), default=1) if arrays[0].ndim == 2 else 0
    if width:  # rows without a payoff do not know how many columns there are
        arrays = [
            a if a.shape[1] == width else np.pad(a, ((0, 0), (0, width - a.shape[1])))
            for a in arrays
        ]
    heads = [a[:1] for a in arrays if len(a)]
    if not heads:
        return arrays[0][:0].reshape((0, width) if width else (0,))
    first = heads[0] if default is None else np.full_like(heads[0], default)
    if all(len(a) == 0 or (a == first).all() for a in arrays):
        return first.copy()
    if file is None:
        return narrow(np.concatenate(arrays))
    return _in_a_row([narrow(a) for a in arrays if len(a)], file)


def _in_a_row(arrays: list[Array], file: Path | None) -> Array:
    """Arrays one after the other, in a file if they are long."""
    if file is None or sum(a.nbytes for a in arrays) < PIECE:
        return np.concatenate(arrays)
    kind = np.result_type(*{a.dtype for a in arrays})
    shape = (sum(map(len, arrays)), *arrays[0].shape[1:])
    head = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": shape}
    with open(file, "wb") as out:
        np.lib.format.write_array_header_1_0(out, head)
        for array in arrays:
            out.write(np.ascontiguousarray(array, kind).data)
    return mapped(file)


def narrow(array: Array) -> Array:
    """Whole numbers in the narrowest type that holds them."""
    if array.dtype not in (np.int64, np.int32) or not array.size:
        return array
    low, high = int(array.min()), int(array.max())
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array


# -- Files. ---------------------------------------------------------------------------------------


def mapped(file: Path) -> Array:
    """The array in a file. Changes of it stay in memory."""
    found: Array = np.load(file, mmap_mode="c").view(np.ndarray)
    return found


def write(found: FoundStratum, path: Path) -> None:
    """Write all arrays of a stratum that are no files there yet."""
    for name in _ARRAYS:
        file = path / f"{name}.npy"
        if not file.exists():
            np.save(file, getattr(found, name))
    if isinstance(found.positions, np.ndarray):
        np.save(path / "keys.npy", found.positions)


def read(path: Path, positions: Any = None) -> FoundStratum:
    """The stratum that was written there. Positions of plain rules can be any objects: they are
    not written, but given back here."""
    files = {name: path / f"{name}.npy" for name in _ARRAYS}
    arrays: dict[str, Any] = {
        name: mapped(file) if file.stat().st_size > PIECE else np.load(file)
        for name, file in files.items()
    }
    if positions is None:
        positions = np.load(path / "keys.npy")
    return FoundStratum(stratum=int(path.name), positions=positions, **arrays)
