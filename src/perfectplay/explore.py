"""Explore: find every position that can arise, stratum by stratum, and give each its id.

Since no move raises the stratum, the highest stratum not yet expanded is complete as soon as all
above it have been expanded, except for what its own moves add to it. So strata are closed one
after the other, from the top down, and only the open ones need an index."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.batch import Batch, Expander
from perfectplay.errors import RulesError, TooLargeError
from perfectplay.game import declares
from perfectplay.graph import Array, distinct
from perfectplay.index import NativeIndex, PlainIndex, by_number

BATCH = 1 << 15  # positions expanded at once: their children stay in the processor's cache
CHILDREN = 1 << 18  # children a batch should have at most
SMALL = 1 << 11
LATE = 1 << 18  # children of other strata that are put off before they are numbered
MOST = 2**32 - 2  # numbers are 32 bits wide
FEW = 1 << 16


@dataclass
class Layer:
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

    @property
    def size(self) -> int:
        """How many positions."""
        return len(self.kind)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        arrays = [a for a in vars(self).values() if isinstance(a, np.ndarray)]
        texts = 0 if isinstance(self.positions, np.ndarray) else 100 * self.size
        return sum(a.nbytes for a in arrays) + texts


@dataclass
class Found:
    """A batch with all that can be told of it without knowing other batches."""

    batch: Batch
    edges: int
    count: Array
    span: tuple[int, int] | None
    """Lowest and highest stratum of the children, if there are children and strata."""
    strata: Array
    """All strata of the children, ascending."""

    def layer(self, stratum: int, positions: Any, child: Array) -> Layer:
        """The batch by itself as a layer, its children numbered already."""
        chunks = _Chunks()
        chunks.add(self, child)
        return chunks.layer(stratum, positions, np.empty(0, np.uint32))


def expanded(expander: Expander, positions: Any) -> Found:
    """Run the rules over some positions."""
    batch = expander.expand(positions)
    batch.payoff, batch.reward = _narrow(batch.payoff), _narrow(batch.reward)
    batch.node, batch.rank, batch.weight = map(_narrow, (batch.node, batch.rank, batch.weight))
    strata = batch.stratum
    span = (int(strata.min()), int(strata.max())) if len(strata) else None
    return Found(
        batch, int(batch.first[-1]), _narrow(np.diff(batch.first)), span, _named(strata, span)
    )


def _named(strata: Array, span: tuple[int, int] | None) -> Array:
    """The different numbers among strata."""
    if span is None or span[0] == span[1]:
        return strata[:1].copy()
    if span[1] - span[0] < FEW:
        return span[0] + np.flatnonzero(np.bincount(strata - span[0]))
    return distinct(strata)


@dataclass
class _Queue:
    """Batches of one stratum whose expansion was asked for, each with its positions."""

    asked: int = 0
    """How many positions they have, from the first on."""
    waiting: deque[tuple[Any, Future[Found]]] = field(default_factory=deque)

    def help(self, expander: Expander) -> None:
        """Expand a batch that nobody has begun, if the first one is not ready yet."""
        for i, (part, found) in enumerate(self.waiting):
            if i == 0 and found.done():
                return
            if found.cancel():
                self.waiting[i] = (part, _ready(expanded(expander, part)))
                return


def _ready(found: Found) -> Future[Found]:
    done: Future[Found] = Future()
    done.set_result(found)
    return done


@dataclass
class _Chunks:
    """A stratum that is being expanded, batch by batch."""

    parts: list[Batch] = field(default_factory=list)
    count: list[Array] = field(default_factory=list)
    child: list[Array] = field(default_factory=list)
    strata: set[int] = field(default_factory=set)
    """The strata of children, as far as the game has strata."""

    def add(self, found: Found, child: Array) -> None:
        """Take a batch whose children have been numbered."""
        self.child.append(child)
        self.strata.update(found.strata.tolist())
        self.count.append(found.count)
        found.batch.child = found.batch.stratum = found.batch.first = np.empty(0)
        self.parts.append(found.batch)

    def layer(self, stratum: int, positions: Any, numbers: Array) -> Layer:
        """Everything joined, in the narrowest types that hold it."""
        parts = self.parts
        child = np.concatenate(self.child)
        self.child.clear()
        return Layer(
            stratum=stratum,
            positions=positions,
            numbers=numbers,
            kind=np.concatenate([b.kind for b in parts]),
            payoff=_joined([b.payoff for b in parts], 0),
            count=np.concatenate(self.count),
            child=child,
            swap=_joined([b.swap for b in parts]),
            weight=_joined([b.weight for b in parts]),
            reward=_joined([b.reward for b in parts]),
            anchor=_joined([b.anchor for b in parts]),
            pattern=_joined([b.pattern for b in parts]),
            node=_joined([b.node for b in parts]),
            rank=_joined([b.rank for b in parts]),
            inside=len(child) > 0 and (not self.strata or max(self.strata) >= stratum),
            below=tuple(sorted(self.strata - {stratum})),
        )


def _looked_at(make: Callable[[], Layer], look: Callable[[Layer], None]) -> Layer:
    layer = make()
    look(layer)
    return layer


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
    if array.dtype not in (np.int64, np.int32) or not array.size:
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
        self.strata = declares(expander.game, "stratum")
        self.found = 0
        """Positions found so far (the next number)."""
        self.expanded = 0
        self.edges = 0
        self._open: dict[int, Any] = {}
        self._queues: dict[int, _Queue] = {}
        self._expected = 0
        self.generations: list[int] = []
        """Without strata: how many positions are so many steps from the start, as far as known."""
        self._late: list[tuple[Any, Array, Array, Array]] = []
        self._late_count = 0

    def layers(
        self,
        watch: Callable[[int], None] = lambda done: None,
        look: Callable[[Layer], None] = lambda layer: None,
    ) -> Iterator[Layer]:
        """Every stratum, highest first. `watch` is called with the positions expanded so far,
        `look`, beside other work, with every stratum."""
        for positions, strata in self.expander.start_batches():
            span = (int(strata.min()), int(strata.max())) if len(strata) else None
            self._insert(positions, strata, None, span)
            watch(0)
        with ThreadPoolExecutor(max(1, self.workers - 1)) as pool:  # besides this thread
            joining: Future[Layer] | None = None  # the last stratum, while the next is expanded
            while self._open:
                closed = self._close(max(self._open), pool, watch)
                if joining is not None:
                    yield joining.result()
                joining = pool.submit(_looked_at, closed, look)
            if joining is not None:
                yield joining.result()

    def _close(
        self, stratum: int, pool: ThreadPoolExecutor, watch: Callable[[int], None]
    ) -> Callable[[], Layer]:
        """Expand a stratum until nothing new of it turns up; what makes a layer of it."""
        index = self._open[stratum]
        self._expected = index.count if self.strata and len(self._open) < 4 else 0
        chunks = _Chunks()
        queue = self._queues.pop(stratum, None) or _Queue()
        while queue.asked < index.count or queue.waiting:
            while queue.asked < index.count and len(queue.waiting) <= self.workers:
                self._ask(queue, index, pool)
            self._look_ahead(stratum, len(queue.waiting), pool)
            if self.workers > 1:
                queue.help(self.expander)
            found = queue.waiting.popleft()[1].result()
            batch = found.batch
            chunks.add(found, self._insert(batch.child, batch.stratum, stratum, found.span))
            self.expanded += len(batch.kind)
            if not self.strata and self.expanded >= sum(self.generations):
                self.generations.append(index.count - sum(self.generations))
            self.edges += found.edges
            watch(self.expanded)
        self._flush()
        del self._open[stratum]
        index.forget()
        return lambda: chunks.layer(stratum, index.positions(0, index.count), index.numbers())

    def _batch_size(self) -> int:
        """Positions to expand at once: fewer where each has many children."""
        children = self.edges / self.expanded if self.expanded else 16.0
        return int(max(64, min(BATCH, CHILDREN / max(children, 1.0))))

    def _ask(self, queue: _Queue, index: Any, pool: ThreadPoolExecutor) -> None:
        """Begin to expand: beside other work, or at once if that is too little to share."""
        part = index.positions(queue.asked, min(queue.asked + self._batch_size(), index.count))
        queue.asked += len(part)
        if len(part) > SMALL:
            queue.waiting.append((part, pool.submit(expanded, self.expander, part)))
        else:
            queue.waiting.append((part, _ready(expanded(self.expander, part))))

    def _look_ahead(self, stratum: int, waiting: int, pool: ThreadPoolExecutor) -> None:
        """Begin to expand what is known of the next stratum if this one leaves workers idle.

        Children are still numbered in the same order."""
        below = max((each for each in self._open if each < stratum), default=None)
        if below is None or waiting > self.workers:
            return
        index = self._open[below]
        queue = self._queues.setdefault(below, _Queue())
        while (
            waiting + len(queue.waiting) <= self.workers
            and queue.asked + self._batch_size() <= index.count
        ):
            self._ask(queue, index, pool)

    def _insert(
        self, positions: Any, strata: Array, limit: int | None, span: tuple[int, int] | None
    ) -> Array:
        """The numbers of children, which may be of several strata, none above `limit`.

        Children in other strata than `limit`, where they are of several, are put off until there
        are many: their places in the answer are filled by `_flush`."""
        if self.found + len(positions) > MOST:
            raise TooLargeError(f"more than {MOST:,} positions: {self.found:,} were found so far")
        if not len(positions):
            return np.empty(0, np.uint32)
        if span is None:  # the game has no strata
            return self._insert_one(positions, 0)
        low, high = span
        if limit is not None and high > limit:
            raise self._rises(positions[int(strata.argmax())], limit, high)
        if low == high:
            return self._insert_one(positions, low)
        out = np.empty(len(positions), np.uint32)
        inside = strata == limit
        here = np.flatnonzero(inside)
        if len(here):
            out[here] = self._insert_one(_some(positions, here), high)
        below = np.flatnonzero(~inside)
        self._late.append((_some(positions, below), strata[below], out, below))
        self._late_count += len(below)
        if limit is None or self._late_count > LATE:
            self._flush()
        return out

    def _flush(self) -> None:
        """Number the children that were put off, stratum by stratum."""
        if not self._late:
            return
        parts = [part for part, _, _, _ in self._late]
        positions = np.concatenate(parts) if self.expander.width else [p for q in parts for p in q]
        strata = np.concatenate([each for _, each, _, _ in self._late])
        numbers = np.empty(len(strata), np.uint32)
        for part in by_number(strata):
            numbers[part] = self._insert_one(_some(positions, part), int(strata[part[0]]))
        begin = 0
        for _, _, out, below in self._late:
            out[below] = numbers[begin : begin + len(below)]
            begin += len(below)
        self._late, self._late_count = [], 0

    def _insert_one(self, positions: Any, stratum: int) -> Array:
        index = self._open.get(stratum)
        if index is None:
            kind = NativeIndex if self.expander.width else PlainIndex
            index = self._open[stratum] = kind(self.expander.width, self._expected)
        numbers, self.found = index.insert(positions, self.found)
        return numbers

    def _rises(self, position: Any, limit: int, high: int) -> RulesError:
        game = self.expander.game
        p = self.expander.position(position)
        return RulesError(
            f"{type(game).__name__}: stratum(p) rises from {limit} to {high} on a move to "
            f"{game.text(p)}",
            "stratum(p) must never rise: count what can only shrink, such as pieces left",
        )

    @property
    def bytes(self) -> int:
        """Memory of the open strata."""
        return sum(index.bytes for index in self._open.values())


def _some(positions: Any, rows: Array) -> Any:
    """Some of the positions."""
    return positions[rows] if isinstance(positions, np.ndarray) else [positions[i] for i in rows]
