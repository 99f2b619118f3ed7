"""Explore: find every position that can arise, stratum by stratum, and give each its id.

Since no move raises the stratum, the highest stratum not yet expanded is complete as soon as all above
it have been expanded, except for what its own moves add to it. So strata are closed one after the
other, from the top down, and only the open ones need an index.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.batch import Batch, Expander
from perfectplay.compile import kernel
from perfectplay.errors import RulesError, TooLargeError
from perfectplay.graph import Array
from perfectplay.index import NativeIndex, PlainIndex

BATCH = 1 << 14  # positions expanded at once: their children stay in the processor's cache
MOST = 2**32 - 2  # numbers are 32 bits wide


@dataclass
class Layer:
    """All positions of one stratum and their edges, in the order of discovery."""

    stratum: int
    positions: Any
    """int64[n, width] keys, or a list of positions."""
    numbers: Array
    """uint32[n]: the number each position got when it was found."""
    kind: Array
    payoff: Array
    count: Array
    """uint32[n]: how many edges each position has."""
    child: Array
    """uint32[e]: the numbers of the children."""
    swap: Array
    weight: Array
    reward: Array
    anchor: Array

    @property
    def size(self) -> int:
        """How many positions."""
        return len(self.kind)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        arrays = (self.kind, self.payoff, self.count, self.child, self.swap, self.weight)
        own = sum(a.nbytes for a in (*arrays, self.reward, self.anchor, self.numbers))
        keys = self.positions.nbytes if isinstance(self.positions, np.ndarray) else 100 * self.size
        return int(own + keys)


@dataclass
class _Chunks:
    """Edges of a stratum that is being expanded, batch by batch."""

    parts: list[Batch] = field(default_factory=list)
    child: list[Array] = field(default_factory=list)

    def layer(self, stratum: int, index: Any) -> Layer:
        """Everything joined, in the narrowest types that hold it."""
        parts = self.parts
        count = [np.diff(b.first).astype(np.uint32) for b in parts]
        return Layer(
            stratum=stratum,
            positions=index.positions(0, index.count),
            numbers=index.numbers(),
            kind=np.concatenate([b.kind for b in parts]),
            payoff=_joined([b.payoff for b in parts], 0),
            count=np.concatenate(count),
            child=np.concatenate(self.child),
            swap=_joined([b.swap for b in parts]),
            weight=_joined([b.weight for b in parts]),
            reward=_joined([b.reward for b in parts]),
            anchor=_joined([b.anchor for b in parts]),
        )


def _joined(arrays: list[Array], default: int | None = None) -> Array:
    """Arrays one after the other; one element if all elements are equal (or all are `default`)."""
    width = max((a.shape[1] for a in arrays), default=1) if arrays[0].ndim == 2 else 0
    if width:
        arrays = [a if a.shape[1] == width else _widened(a, width) for a in arrays]
    heads = [a[:1] for a in arrays if len(a)]
    if not heads:
        return arrays[0][:0].reshape((0, width) if width else (0,))
    first = heads[0] if default is None else np.full_like(heads[0], default)
    if all(len(a) == 0 or (a == first).all() for a in arrays):
        return first.copy()
    return _narrow(np.concatenate(arrays))


def _widened(array: Array, width: int) -> Array:
    """Columns of zeros added: rows without a payoff do not know how many columns there are."""
    out = np.zeros((len(array), width), array.dtype)
    out[:, : array.shape[1]] = array
    return out


def _narrow(array: Array) -> Array:
    if array.dtype != np.int64 or not array.size:
        return array
    low, high = int(array.min()), int(array.max())
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array


class Explorer:
    """Walks through a game from the top stratum down; yields each stratum as a `Layer`."""

    def __init__(self, expander: Expander, workers: int = 1) -> None:
        self.expander = expander
        self.workers = workers
        self.found = 0
        """Positions found so far (the next number)."""
        self.expanded = 0
        self.edges = 0
        self._open: dict[int, Any] = {}

    def layers(self, watch: Callable[[int], None] = lambda done: None) -> Iterator[Layer]:
        """Every stratum, highest first. `watch` is called with the positions expanded so far."""
        positions, strata = self.expander.starts()
        self._insert(positions, strata, None)
        with ThreadPoolExecutor(max(1, self.workers)) as pool:
            while self._open:
                stratum = max(self._open)
                yield self._close(stratum, pool, watch)

    def _close(self, stratum: int, pool: ThreadPoolExecutor, watch: Callable[[int], None]) -> Layer:
        """Expand a stratum until nothing new of it turns up."""
        index = self._open[stratum]
        chunks = _Chunks()
        asked = 0
        waiting: deque[Future[Batch]] = deque()
        while asked < index.count or waiting:
            while asked < index.count and len(waiting) <= self.workers:
                part = index.positions(asked, min(asked + BATCH, index.count))
                asked += len(part)
                waiting.append(pool.submit(self.expander.expand, part))
            batch = waiting.popleft().result()
            chunks.child.append(self._insert(batch.child, batch.stratum, stratum))
            batch.child = batch.stratum = np.empty(0)
            chunks.parts.append(batch)
            self.expanded += len(batch.kind)
            self.edges += int(batch.first[-1])
            watch(self.expanded)
        del self._open[stratum]
        index.forget()
        return chunks.layer(stratum, index)

    def _insert(self, positions: Any, strata: Array, limit: int | None) -> Array:
        """The numbers of children, which may be of several strata, none above `limit`."""
        if self.found + len(positions) > MOST:
            raise TooLargeError(f"more than {MOST:,} positions: {self.found:,} were found so far")
        if not len(positions):
            return np.empty(0, np.uint32)
        if not len(strata):  # the game has no strata
            return self._insert_one(positions, 0)
        low, high = int(strata.min()), int(strata.max())
        if limit is not None and high > limit:
            raise self._rises(positions[int(strata.argmax())], limit, high)
        if low == high:
            return self._insert_one(positions, low)
        out = np.empty(len(positions), np.uint32)
        order = np.argsort(strata, kind="stable")
        cuts = np.flatnonzero(np.diff(strata[order])) + 1
        for part in np.split(order, cuts):
            some = positions[part] if isinstance(positions, np.ndarray) else [positions[i] for i in part]
            out[part] = self._insert_one(some, int(strata[part[0]]))
        return out

    def _insert_one(self, positions: Any, stratum: int) -> Array:
        index = self._open.get(stratum)
        if index is None:
            kind = NativeIndex if self.expander.width else PlainIndex
            index = self._open[stratum] = kind(self.expander.width)
        numbers, self.found = index.insert(positions, self.found)
        return numbers  # type: ignore[no-any-return]

    def _rises(self, position: Any, limit: int, high: int) -> RulesError:
        game = self.expander.game
        p = self.expander.position(position) if self.expander.width else position  # type: ignore[attr-defined]
        return RulesError(
            f"{type(game).__name__}: stratum(p) rises from {limit} to {high} on a move to {game.text(p)}",
            "stratum(p) must never rise: count what can only shrink, such as pieces left",
        )

    @property
    def bytes(self) -> int:
        """Memory of the open strata."""
        return sum(index.bytes for index in self._open.values())


def key_order(expander: Expander, layer: Layer) -> tuple[Array, Any]:
    """The order that sorts a stratum by key, and the sorted keys."""
    if expander.width == 0:
        texts = expander.keys(layer.positions)
        rows = sorted(range(len(texts)), key=lambda i: texts[i].encode())
        sorted_texts = [texts[i] for i in rows]
        for i in range(1, len(rows)):
            if sorted_texts[i] == sorted_texts[i - 1]:
                raise _same_text(expander, sorted_texts[i])
        return np.array(rows, np.int64), sorted_texts
    keys = layer.positions
    if expander.width == 1:
        order = np.argsort(keys[:, 0])
    else:
        order = np.lexsort(keys.T[::-1])
    return order, keys[order]


def _same_text(expander: Expander, text: str) -> RulesError:
    return RulesError(
        f"{type(expander.game).__name__}: two different positions have the same text {text!r}",
        "text(p) must tell everything about a position, also whose turn it is",
    )


@kernel
def arrange(order, count, first_old, child, ids, out):  # type: ignore[no-untyped-def]
    """Edges of a layer in key order: `out` gets the ids of the children, row after row.

    `order[i]` is the old row that becomes row i, `ids` maps numbers to ids."""
    k = 0
    for i in range(len(order)):
        row = order[i]
        e = first_old[row]
        for _ in range(count[row]):
            out[k] = ids[child[e]]
            e += 1
            k += 1


@kernel
def edge_order(order, count, first_old, out):  # type: ignore[no-untyped-def]
    """For each edge in key order, its place in the order of discovery."""
    k = 0
    for i in range(len(order)):
        row = order[i]
        e = first_old[row]
        for _ in range(count[row]):
            out[k] = e
            e += 1
            k += 1
