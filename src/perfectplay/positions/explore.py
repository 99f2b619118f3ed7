"""Explore: find every position that can arise, stratum by stratum, and give each its id.

Since no move raises the stratum, the highest stratum not yet expanded is complete as soon as all
above it have been expanded, except for what its own moves add to it. So strata are closed one
after the other, from the top down, and only the open ones need an index."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError, TooLargeError
from perfectplay.positions.batch import Batch, Expander, some
from perfectplay.positions.found_stratum import Chunks, FoundStratum, narrow
from perfectplay.positions.id_index import NativeIndex, PlainIndex
from perfectplay.positions.key_order import Group, group_by_stratum
from perfectplay.rules.game import declares

BATCH = 1 << 15  # positions expanded at once: their children stay in the processor's cache
CHILDREN = 1 << 18  # children a batch should have at most
SMALL = 1 << 11  # positions with 16 children or fewer that are not worth another thread
LATE = 1 << 18  # children of other strata that are put off before they are numbered
MOST = 2**32 - 2  # numbers are 32 bits wide
GROUPED = 1 << 15  # children of several strata that are not put off
FEW = 1 << 16
AHEAD = 2  # batches that wait besides one for every worker and one more

Grouped = tuple[Array, Array, list[Group]]


@dataclass
class ExpandedBatch:
    """A batch with all that can be said of it without knowing other batches."""

    batch: Batch
    edges: int
    count: Array
    span: tuple[int, int] | None
    """Lowest and highest stratum of the children, if there are children and strata."""
    strata: Array
    """All strata of the children, ascending."""
    groups: Grouped | None = None
    """The children by stratum, if they are many and of several strata."""

    def as_stratum(self, stratum: int, positions: Any, child: Array) -> FoundStratum:
        """The batch by itself as a stratum, its children numbered already."""
        chunks = Chunks()
        chunks.add(self.batch, self.count, self.strata, child)
        return chunks.joined(stratum, positions, np.empty(0, np.uint32))


def expanded(expander: Expander, positions: Any) -> ExpandedBatch:
    """Run the rules over some positions."""
    batch = expander.expand(positions)
    batch.payoff, batch.reward = narrow(batch.payoff), narrow(batch.reward)
    batch.node, batch.rank, batch.weight = map(narrow, (batch.node, batch.rank, batch.weight))
    strata, count = batch.stratum, narrow(np.diff(batch.first))
    span = (int(strata.min()), int(strata.max())) if len(strata) else None
    if expander.width and span and span[0] < span[1] and len(strata) > GROUPED:
        groups = group_by_stratum(batch.child, strata)
        named = np.array([stratum for stratum, _, _ in groups[2]])
        return ExpandedBatch(batch, int(batch.first[-1]), count, span, named, groups)
    return ExpandedBatch(batch, int(batch.first[-1]), count, span, _named(strata, span))


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
    waiting: deque[tuple[Any, Future[ExpandedBatch]]] = field(default_factory=deque)

    def help(self, expander: Expander) -> None:
        """Expand a batch that nobody has begun, if the first one is not ready yet."""
        for i, (part, found) in enumerate(self.waiting):
            if i == 0 and found.done():
                return
            if found.cancel():
                self.waiting[i] = (part, _ready(expanded(expander, part)))
                return


def _ready(found: ExpandedBatch) -> Future[ExpandedBatch]:
    done: Future[ExpandedBatch] = Future()
    done.set_result(found)
    return done


def _looked_at(
    make: Callable[[], FoundStratum], look: Callable[[FoundStratum], None]
) -> FoundStratum:
    found = make()
    look(found)
    return found


class Explorer:
    """Walks through a game from the top stratum down; yields each stratum as a `FoundStratum`."""

    def __init__(self, expander: Expander, workers: int = 1) -> None:
        self.expander = expander
        self.workers = workers
        self.strata = declares(expander.game, "stratum")
        self.found = 0
        """Positions found so far (the next number)."""
        self.expanded = 0
        self.edges = 0
        self.staying = 0
        """Positions in batches in which a move stays in its stratum: they may lie on cycles."""
        self._open: dict[int, Any] = {}
        self._queues: dict[int, _Queue] = {}
        self._expected = 0
        self.held = 0
        """Bytes of the moves of the stratum that is being expanded."""
        self.generations: list[int] = []
        """Without strata: how many positions are so many steps from the start, as far as known."""
        self._late: list[tuple[Any, Array, Array, Array | None]] = []
        self._late_count = 0

    def found_strata(
        self,
        watch: Callable[[int], None] = lambda done: None,
        look: Callable[[FoundStratum], None] = lambda found: None,
        folder: Callable[[int], Path] | None = None,
    ) -> Iterator[FoundStratum]:
        """Every stratum, highest first. `watch` is called with the positions expanded so far,
        `look`, beside other work, with every stratum; large ones go to files in a `folder`."""
        for positions, strata in self.expander.start_batches():
            span = (int(strata.min()), int(strata.max())) if len(strata) else None
            self._insert(positions, strata, None, span)
            watch(0)
        with Pool(self.workers - 1) as pool:  # besides this thread
            joining: Future[FoundStratum] | None = (
                None  # the last stratum, while the next is expanded
            )
            while self._open:
                closed = self._close(max(self._open), pool, watch, folder)
                if joining is not None:
                    yield joining.result()
                joining = pool.submit(_looked_at, closed, look)
            if joining is not None:
                yield joining.result()

    def _close(
        self,
        stratum: int,
        pool: Pool,
        watch: Callable[[int], None],
        folder: Callable[[int], Path] | None,
    ) -> Callable[[], FoundStratum]:
        """Expand a stratum until nothing new of it turns up; what joins it then."""
        index = self._open[stratum]
        self._expected = index.count if self.strata and len(self._open) < 4 else 0
        chunks = Chunks()
        queue = self._queues.pop(stratum, None) or _Queue()
        while queue.asked < index.count or queue.waiting:
            while queue.asked < index.count and len(queue.waiting) <= self.workers + AHEAD:
                self._ask(queue, index, pool)
            self._look_ahead(stratum, len(queue.waiting), pool)
            if self.workers > 1:
                queue.help(self.expander)
            found = queue.waiting.popleft()[1].result()
            batch = found.batch
            chunks.add(batch, found.count, found.strata, self._numbers(found, stratum))
            self.expanded += len(batch.kind)
            if not self.strata and self.expanded >= sum(self.generations):
                self.generations.append(index.count - sum(self.generations))
            self.edges += found.edges
            self.held = chunks.bytes
            if found.edges and (not self.strata or found.strata[-1] == stratum):
                self.staying += len(batch.kind)
            watch(self.expanded)
        self._flush()
        del self._open[stratum]
        index.forget()
        return lambda: chunks.joined(
            stratum, index.positions(0, index.count), index.numbers(), folder
        )

    @property
    def _children(self) -> float:
        """How many children a position has, on the average."""
        return max(1.0, self.edges / self.expanded) if self.expanded else 16.0

    def _batch_size(self) -> int:
        """Positions to expand at once: fewer where each has many children."""
        return int(max(64, min(BATCH, CHILDREN / self._children)))

    def _ask(self, queue: _Queue, index: Any, pool: Pool) -> None:
        """Begin to expand: beside other work, or at once if that is too little to share."""
        part = index.positions(queue.asked, min(queue.asked + self._batch_size(), index.count))
        queue.asked += len(part)
        if len(part) * max(1.0, self._children / 16) > SMALL:
            queue.waiting.append((part, pool.submit(expanded, self.expander, part)))
        else:
            queue.waiting.append((part, _ready(expanded(self.expander, part))))

    def _look_ahead(self, stratum: int, waiting: int, pool: Pool) -> None:
        """Begin to expand what is known of the next stratum if this one leaves workers idle.

        Children are still numbered in the same order."""
        below = max((each for each in self._open if each < stratum), default=None)
        if below is None or waiting > self.workers + AHEAD:
            return
        index = self._open[below]
        queue = self._queues.setdefault(below, _Queue())
        while (
            waiting + len(queue.waiting) <= self.workers + AHEAD
            and queue.asked + self._batch_size() <= index.count
        ):
            self._ask(queue, index, pool)

    def _numbers(self, found: ExpandedBatch, limit: int) -> Array | tuple[Array, Array]:
        """The numbers of all children of a batch: as they stand, or by stratum, with their
        places among those."""
        batch = found.batch
        if found.groups is None or found.strata[-1] > limit:
            return self._insert(batch.child, batch.stratum, limit, found.span)
        self._refuse_many(found.edges)
        keys, at, groups = found.groups
        numbers = np.empty(len(keys), np.uint32)
        for stratum, begin, end in groups:
            numbers[begin:end] = self._insert_one(keys[begin:end], stratum)
        return numbers, at

    def _refuse_many(self, more: int) -> None:
        if self.found + more > MOST:
            raise TooLargeError(f"more than {MOST:,} positions: {self.found:,} were found so far")

    def _insert(
        self, positions: Any, strata: Array, limit: int | None, span: tuple[int, int] | None
    ) -> Array:
        """The numbers of children, which may be of several strata, none above `limit`.

        Children in other strata than `limit`, where they are of several, are put off until there
        are many: their places in the answer are filled by `_flush`."""
        self._refuse_many(len(positions))
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
        if limit is None or high < limit:
            self._late.append((positions, strata, out, None))
        else:
            inside = strata == limit
            here, below = np.flatnonzero(inside), np.flatnonzero(~inside)
            out[here] = self._insert_one(some(positions, here), high)
            self._late.append((some(positions, below), strata[below], out, below))
        self._late_count += len(self._late[-1][1])
        if limit is None or self._late_count > LATE:
            self._flush()
        return out

    def _flush(self) -> None:
        """Number the children that were put off, stratum by stratum."""
        if not self._late:
            return
        strata = np.concatenate([each for _, each, _, _ in self._late])
        parts = [part for part, _, _, _ in self._late]
        every: list[Any] = []  # of plain games, whose places are grouped instead
        if self.expander.width:
            positions = np.concatenate(parts) if len(parts) > 1 else parts[0]
        else:
            every = [p for part in parts for p in part]
            positions = np.arange(len(every))[:, None]
        keys, at, groups = group_by_stratum(positions, strata)
        numbers = np.empty(len(strata), np.uint32)
        for stratum, begin, end in groups:
            wanted = [every[i] for i in keys[begin:end, 0]] if every else keys[begin:end]
            numbers[begin:end] = self._insert_one(wanted, stratum)
        done = 0
        for part, _, out, below in self._late:
            out[slice(None) if below is None else below] = numbers[at[done : done + len(part)]]
            done += len(part)
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
