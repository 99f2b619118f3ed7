"""Some rows of a stratum, solved by themselves, with the values of their children looked up.

The rules are asked for the moves of the rows again, the children are found in the strata they
belong to, and what they are worth is copied to a small store of its own, children first, rows
after them. On that any solver works as usual. So a game is solved by the same code whether its
strata are in memory, in files (out_of_core.py), or cut in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.positions.batch import Expander
from perfectplay.solvers.chance.policy import Audit
from perfectplay.solvers.exact.common_factors import WholeParts
from perfectplay.solvers.store import Bounds, Store, WholeNumbers, new_store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.choose import choose
from perfectplay.strata.edges import ResolvedEdges
from perfectplay.strata.facts import graph, stored_patterns
from perfectplay.strata.graph import Facts

ROWS = 1 << 15
EDGES = 1 << 18
"""Rows, and edges, that are solved at once."""


@dataclass
class SolvedRows:
    """Some rows of a stratum, solved."""

    columns: dict[str, Array]
    work: Work
    top: Array | None = None
    """The same as columns, in words, where values are whole numbers over `denominator`."""
    denominator: int = 1
    total: int = 1


class SolvedBelow(Protocol):
    """Values of the strata that rows lead to."""

    def columns(self, place: Any, stratum: int) -> dict[str, Array]:
        """The values of the rows at a place that the edges of a stratum name."""

    def denominator(self, place: Any) -> tuple[int, Any]:
        """The common denominator there, and the largest value."""

    def denominators(self, stratum: int) -> list[int]:
        """The denominators of all strata that edges of this one lead to."""


class Resolver(Protocol):
    """What knows where moves lead."""

    def resolve(self, part: Any, stratum: int) -> ResolvedEdges:
        """Where the rows of a part lead."""


@dataclass
class RowSolver:
    """Solves rows of a game of which this is known."""

    rules: Expander
    edges: Resolver
    below: SolvedBelow
    options: Options
    facts: Facts
    whole: bool
    _kept: tuple[int, Any] = field(default=(-1, None), init=False)

    @cached_property
    def _solver(self) -> Callable[..., Work]:
        return choose(self.facts, turns=self.rules.turn_patterns is not None, whole=self.whole)

    def solve(self, part: Any, stratum: int, options: Options) -> SolvedRows:
        """Solve some rows, or a whole stratum in which moves stay."""
        resolved = self.edges.resolve(part, stratum)
        low = resolved.low
        store = self._filled(resolved, stratum)
        here = resolved.found.as_stratum(stratum, None, resolved.child)
        moves = graph(here, self.facts, None, low, self._patterns())
        work = self._solver(moves, self.facts, store, options)
        if self.rules.turn_patterns is None and isinstance(store, Bounds) and self.facts.scalar:
            Audit(self.facts, store).look(moves, work)
        if isinstance(store, WholeNumbers):
            return SolvedRows(
                {}, work, store.top[low:].copy(), store.denominators[-1], store.total
            )
        # Views would keep all that children are worth.
        own = store.columns(low, low + resolved.rows)
        return SolvedRows({name: column.copy() for name, column in own.items()}, work)

    def _patterns(self) -> Any:
        if self.rules.turn_patterns is None:
            return None
        with self.rules.turn_patterns.lock:
            patterns = self.rules.turn_patterns.patterns()
            if len(patterns) != self._kept[0]:
                self._kept = len(patterns), stored_patterns(patterns, self.facts)
            return self._kept[1]

    def _filled(self, resolved: ResolvedEdges, stratum: int) -> Store:
        """A store with the values of children, and room for those of rows."""
        rows = resolved.low + resolved.rows
        store = new_store(self.facts, rows, exact=self.options.exact, whole=self.whole)
        if isinstance(store, WholeNumbers):
            store.by_parts = True
            store.below = lcm(*self.below.denominators(stratum))
        at = 0
        for place, there in resolved.outside:
            every = self.below.columns(place, stratum)
            columns = {name: column[there] for name, column in every.items()}
            if isinstance(store, WholeNumbers):
                store.widen(len(columns))
                top = store.top[at : at + len(there)]
                for k in range(top.shape[1]):
                    name = f"top_{k}"
                    top[:, k] = columns[name] if name in columns else top[:, k - 1] >> 63
                store.settled(at, *self.below.denominator(place))
            else:
                store.load(at, columns)
            at += len(there)
        return store


def order_matters(facts: Facts) -> bool:
    """Whether values depend on the order of rows, in their last digits, where moves stay in a
    stratum. Then rows are solved in the order of keys, in all homes."""
    return facts.chance or not facts.scalar


def part_size(per_row: float) -> int:
    """How many rows are solved at once, with so many edges each, on the average."""
    return int(max(64, min(ROWS, EDGES / max(per_row, 1.0))))


class JoinedRows:
    """Takes rows of a stratum that were solved by themselves, in their order."""

    def __init__(self, rows: int) -> None:
        self._pieces: dict[str, list[Array]] = {}
        self._whole = WholeParts(rows)
        self._work: Work | None = None

    def take(self, part: SolvedRows) -> None:
        """The next rows."""
        if part.top is not None:
            self._whole.take(part.top, part.denominator, part.total)
        for name, column in part.columns.items():
            self._pieces.setdefault(name, []).append(column)
        if self._work is None:
            self._work = part.work
        else:
            self._work.add(part.work)

    @property
    def rows(self) -> SolvedRows:
        """All rows, in whole numbers over a denominator that they may share factors
        with."""
        assert self._work is not None
        columns = {name: np.concatenate(each) for name, each in self._pieces.items()}
        if columns:
            return SolvedRows(columns, self._work)
        return SolvedRows({}, self._work, *self._whole.taken)

    def finish(self) -> tuple[dict[str, Array], Work, int, Any]:
        """The columns of a stratum all of whose rows were taken, what was done to it, and, of
        whole numbers, the denominator and the largest value."""
        found = self.rows
        if found.top is None:
            return found.columns, found.work, 1, 0
        top, denominator, most = self._whole.finish()
        found.work.denominator = str(denominator)
        return WholeNumbers(top).columns(0, len(top)), found.work, denominator, most


def joined(parts: Iterable[SolvedRows], rows: int) -> JoinedRows:
    """All parts of a stratum, or of a shard, with so many rows."""
    found = JoinedRows(rows)
    for part in parts:
        found.take(part)
    return found
