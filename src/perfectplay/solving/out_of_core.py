"""Out of core: solve a game of which only some strata fit in memory; the others are in files.

`explore_on_disk.py` has put the keys of all strata into files, highest first. Here they are
solved, lowest first: the rules are asked for the moves of some rows again, the children are found
in the strata they belong to (those are the window), and what they are worth is copied to a small
store of its own, children first, rows after them. On that any solver works as usual, and a game is
solved by the same code whether it fits in memory or not; tables are the same, too. A stratum in
which moves stay is solved at once, all others by parts, which threads share.

Values of a stratum stay at hand until no stratum to come leads to it. What a run that was killed
had written into the table is taken from there; its working files say which keys there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool
from perfectplay.errors import TooLargeError
from perfectplay.positions.batch import Expander
from perfectplay.progress import size as shown
from perfectplay.solvers.chance.policy import Audit
from perfectplay.solvers.exact.common_factors import WholeParts
from perfectplay.solvers.exact.denominators import Denominators
from perfectplay.solvers.store import Bounds, Fractions, Store, WholeNumbers, new_store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import SURE, disk_room
from perfectplay.solving.choose import choose
from perfectplay.solving.explore_on_disk import DiskExplorer
from perfectplay.solving.loop import SolvedStratum
from perfectplay.strata.disk_strata import DiskStrata, bytes_in
from perfectplay.strata.edges import Edges, ResolvedEdges
from perfectplay.strata.facts import FactFinder, graph, stored_patterns
from perfectplay.strata.graph import Facts
from perfectplay.table.table_sink import Columns, TableSink

if TYPE_CHECKING:  # compiled rules of shapes are asked for when a game has some
    from perfectplay.strata.unlabelled_edges import UnlabelledEdges

ROWS = 1 << 15
EDGES = 1 << 18
"""Rows, and edges, that are solved at once."""
EDGE = 100
"""Bytes for each move of a stratum in which moves stay, while it is solved: as measured."""
SHARE = 0.75
"""The part of the budget that strata may take; the rest is for what is being computed."""


def new_disk_strata(folder: Path, rules: Expander, memory: int, most: int | None) -> DiskStrata:
    """Room for strata in a folder, within budgets of memory and disk."""
    room = disk_room(folder, most)
    if most is None:
        room += bytes_in(folder)  # files of an earlier run count, but are not free any more
    return DiskStrata(folder, rules.width, int(SHARE * memory), room)


@dataclass
class SolvedRows:
    """Some rows of a stratum, solved."""

    columns: dict[str, Array]
    work: Work
    top: Array | None = None
    """The same as columns, in words, where values are whole numbers over `denominator`."""
    denominator: int = 1
    total: int = 1


@dataclass
class OutOfCore:
    """A game that is solved out of core: what is known of its strata."""

    rules: Expander
    disk_strata: DiskStrata
    edges: Edges
    options: Options
    facts: Facts
    whole: bool
    below: dict[int, list[int]]
    inside: set[int]
    """Strata in which moves stay."""
    per_row: float
    """Edges of a position, on the average."""
    denominators: dict[int, int] = field(default_factory=dict)
    most: dict[int, Fraction] = field(default_factory=dict)
    """The largest value of a stratum, where values are whole numbers."""
    numbered: bool = False
    _dropped: set[int] = field(default_factory=set)
    _kept: tuple[int, Any] = (-1, None)

    @property
    def sizes(self) -> dict[int, int]:
        """How many rows each stratum has."""
        return self.disk_strata.sizes

    @cached_property
    def _users(self) -> dict[int, int]:
        """For each stratum the highest one that leads to it."""
        users: dict[int, int] = {}
        for stratum, others in self.below.items():
            for other in others:
                users[other] = max(stratum, users.get(other, stratum))
        return users

    # -- Solving. ---------------------------------------------------------------------------------

    def recall(self, stratum: int, stored: Columns, work: Work, sink: TableSink) -> None:
        strata = sorted(self.sizes)
        if self._users.get(stratum, stratum) < strata[min(len(sink.works), len(strata) - 1)]:
            return  # nothing that is left to do leads there
        keys = self.edges.keys(stratum)
        found = sink.unsorted(keys, stored)
        if self.whole:
            store = WholeNumbers(np.zeros((len(keys), 1), np.int64))
            store.load(0, found, work.denominator)
            self.denominators[stratum], self.most[stratum] = int(work.denominator), store.most
        self.disk_strata.put(stratum, keys, found)

    def solve(self, stratum: int) -> SolvedStratum:
        self.disk_strata.shrink(self.below[stratum])
        columns, work = self._stratum(stratum)
        keys = self.edges.keys(stratum)
        if stratum in self._users:
            self.disk_strata.put(stratum, keys, columns)
        return SolvedStratum(keys, columns, work)

    def settle(self, solved: int, safe: list[int]) -> None:
        """Give back what no stratum to come needs: memory now, files when all that would be
        computed from them is safely in the table."""
        for other in sorted(self.sizes):
            if other > solved:
                break
            last = self._users.get(other, other)
            if last <= solved:
                self.disk_strata.forget(other)
                self.edges.forget(other)
            if safe and other not in self._dropped and last <= safe[-1]:
                self.disk_strata.drop(other)
                self._dropped.add(other)

    def _stratum(self, stratum: int) -> tuple[dict[str, Array], Work]:
        """All values of a stratum, in the order of its rows, and what was done."""
        size = int(max(64, min(ROWS, EDGES / max(self.per_row, 1.0))))
        parts = self.edges.parts(stratum, size)
        alone = replace(self.options, workers=1)
        options = self.options if stratum in self.inside else alone
        with Pool.shared() as pool:
            return self._joined(stratum, pool.in_order(self._part, parts, stratum, options))

    @cached_property
    def _solver(self) -> Callable[..., Work]:
        return choose(self.facts, turns=self.rules.turn_patterns is not None, whole=self.whole)

    def _part(self, part: Any, stratum: int, options: Options) -> SolvedRows:
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
        own = store.columns(
            low, low + resolved.rows
        )  # views, which would keep all that children are worth
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
            store.below = lcm(*(self.denominators[number] for number in self.below[stratum]))
        at = 0
        for number, there in resolved.outside:
            entry = self.disk_strata.entry(number, self.below[stratum])
            columns = {name: column[there] for name, column in entry.columns.items()}
            if isinstance(store, WholeNumbers):
                store.widen(len(columns))
                top = store.top[at : at + len(there)]
                for k in range(top.shape[1]):
                    name = f"top_{k}"
                    top[:, k] = columns[name] if name in columns else top[:, k - 1] >> 63
                store.settled(at, self.denominators[number], self.most[number])
            else:
                store.load(at, columns)
            at += len(there)
        return store

    def _joined(self, stratum: int, parts: Iterator[SolvedRows]) -> tuple[dict[str, Array], Work]:
        """The columns of all parts, and what was done to them."""
        pieces: dict[str, list[Array]] = {}
        work: Work | None = None
        whole = WholeParts(self.disk_strata.sizes[stratum])
        for part in parts:
            self.options.progress(0)
            if part.top is not None:
                whole.take(part.top, part.denominator, part.total)
            for name, column in part.columns.items():
                pieces.setdefault(name, []).append(column)
            if work is None:
                work = part.work
            else:
                work.add(part.work)
        assert work is not None
        if not self.whole:
            return {name: np.concatenate(each) for name, each in pieces.items()}, work
        top, denominator, self.most[stratum] = whole.finish()
        self.denominators[stratum], work.denominator = denominator, str(denominator)
        return WholeNumbers(top).columns(0, len(top)), work


# -- What is known of strata before they are solved. ----------------------------------------------


def explored(
    rules: Expander, disk_strata: DiskStrata, options: Options, advance: Callable[[int], None]
) -> dict[str, Any]:
    """rules -> positions -> strata, in files; what the journal is to say."""
    denominators = Denominators(rules.turn_patterns) if options.exact else None
    collected = FactFinder(rules.game, rules.turn_patterns)
    finder = DiskExplorer(rules, disk_strata, collected, denominators)
    finder.run(disk_strata.memory, advance)
    known = _known(collected.facts(), denominators if finder.exact else None, finder.below)
    per_row = finder.edges / max(1, finder.positions)
    return {**known, "inside": sorted(finder.inside), "per_row": per_row}


def _known(
    facts: Facts, denominators: Denominators | None, below: dict[int, list[int]]
) -> dict[str, Any]:
    return {
        "facts": asdict(facts),
        "whole": facts.scalar and facts.chance and denominators is not None and denominators.whole,
        "below": {str(stratum): others for stratum, others in below.items()},
        "inside": [],
    }


def known_of(edges: UnlabelledEdges) -> dict[str, Any] | None:
    """What is to be known of a game whose shapes are known; None if its values are no whole
    numbers: only those do not depend on the order in which names are called."""
    rules, strata = edges.unlabelled.rules, edges.unlabelled.strata
    denominators, collected = (
        Denominators(rules.turn_patterns),
        FactFinder(rules.game, rules.turn_patterns),
    )
    for stratum in sorted(strata, reverse=True):
        for sample in edges.samples(stratum):
            collected.look(sample)
            denominators.part(sample)
        denominators.settle(stratum, strata[stratum].below)
    below = {stratum: here.below for stratum, here in strata.items()}
    known = _known(collected.facts(), denominators, below)
    per_row = sum(here.edges for here in strata.values()) / edges.unlabelled.rows
    return {**known, "per_row": per_row} if known["whole"] else None


def out_of_core(
    rules: Expander, disk_strata: DiskStrata, edges: Edges, options: Options, known: dict[str, Any]
) -> OutOfCore:
    """A game that is to be solved out of core, of which this is known."""
    facts = Facts(**known["facts"])
    whole = bool(known["whole"])
    if isinstance(new_store(facts, 0, exact=options.exact, whole=whole), Fractions):
        raise TooLargeError(
            "too large for memory, and fractions cannot be kept in working files",
            "solve it without --exact, allow more with --memory, or choose smaller parameters",
        )
    below = {int(stratum): others for stratum, others in known["below"].items()}
    inside = set(known["inside"])
    for stratum in sorted(inside, key=lambda each: -disk_strata.sizes[each])[:1]:
        _refuse_large(stratum, disk_strata, known["per_row"])
    return OutOfCore(
        rules, disk_strata, edges, options, facts, whole, below, inside, known["per_row"]
    )


def _refuse_large(stratum: int, disk_strata: DiskStrata, per_row: float) -> None:
    """TooLargeError if a stratum that is solved at once is sure to take more than the budget."""
    rows, budget = disk_strata.sizes[stratum], int(disk_strata.memory / SHARE)
    needed = int(EDGE * per_row * rows)
    if needed > SURE * budget:
        error = TooLargeError(
            f"too large: stratum {stratum}, in which moves stay, has {rows:,} positions, which "
            f"need about {shown(needed)} of memory together; {shown(budget)} may be used",
            "allow more with --memory, or choose smaller parameters",
        )
        error.resumable = True
        raise error
