"""Out of core: solve a game of which only some strata fit in memory; the others are in files.

`explore_on_disk.py` has put the keys of all strata into files, highest first. Here they are
solved, lowest first (shards/row_solver.py): children are found in the strata they belong to, which
are the window. A stratum in which moves stay is solved at once, all others by parts, which threads
share.

Values of a stratum stay at hand until no stratum to come leads to it. What a run that was killed
had written into the table is taken from there; its working files say which keys there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool
from perfectplay.errors import TooLargeError
from perfectplay.positions.batch import Expander
from perfectplay.positions.key_order import sorted_keys
from perfectplay.progress import size as shown
from perfectplay.solvers.exact.denominators import Denominators
from perfectplay.solvers.store import Fractions, WholeNumbers, new_store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import SURE, disk_room
from perfectplay.solving.explore_on_disk import DiskExplorer
from perfectplay.solving.loop import SolvedStratum
from perfectplay.solving.shards.row_solver import JoinedRows, RowSolver, order_matters, part_size
from perfectplay.strata.disk_strata import DiskStrata, bytes_in
from perfectplay.strata.edges import Edges
from perfectplay.strata.facts import FactFinder
from perfectplay.strata.graph import Facts
from perfectplay.table.table_sink import Columns, TableSink

if TYPE_CHECKING:  # compiled rules of shapes are asked for when a game has some
    from perfectplay.strata.unlabelled_edges import UnlabelledEdges

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
    numbered: bool = False
    _denominators: dict[int, int] = field(default_factory=dict)
    _most: dict[int, Any] = field(default_factory=dict)
    """The largest value of a stratum, where values are whole numbers."""
    _dropped: set[int] = field(default_factory=set)

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
            self._denominators[stratum], self._most[stratum] = int(work.denominator), store.most
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
        if stratum in self.inside and order_matters(self.facts):
            return self._in_key_order(stratum)
        parts = self.edges.parts(stratum, part_size(self.per_row))
        alone = replace(self.options, workers=1)
        options = self.options if stratum in self.inside else alone
        solver, rows = self._solver, JoinedRows(self.sizes[stratum])
        with Pool.shared() as pool:
            for part in pool.in_order(solver.solve, parts, stratum, options):
                self.options.progress(0)
                rows.take(part)
        columns, work, self._denominators[stratum], self._most[stratum] = rows.finish()
        return columns, work

    def _in_key_order(self, stratum: int) -> tuple[dict[str, Array], Work]:
        """The same, solved at once, in the order of keys."""
        keys = self.edges.keys(stratum)
        order, part = sorted_keys(self.rules, keys)
        solved = self._solver.solve(part, stratum, self.options)
        columns = {name: np.empty_like(column) for name, column in solved.columns.items()}
        for name, column in columns.items():
            column[order] = solved.columns[name]
        return columns, solved.work

    @cached_property
    def _solver(self) -> RowSolver:
        return RowSolver(self.rules, self.edges, self, self.options, self.facts, self.whole)

    # -- What rows lead to (SolvedBelow). ---------------------------------------------------------

    def columns(self, place: int, stratum: int) -> dict[str, Array]:
        return self.disk_strata.entry(place, self.below[stratum]).columns

    def denominator(self, place: int) -> tuple[int, Any]:
        return self._denominators[place], self._most[place]

    def denominators(self, stratum: int) -> list[int]:
        return [self._denominators[number] for number in self.below[stratum]]


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
