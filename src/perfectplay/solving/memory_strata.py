"""MemoryStrata: strata whose moves were kept when they were found, and one store of all values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from perfectplay.positions.batch import Expander
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.key_order import sorted_keys
from perfectplay.positions.turns.walk import TurnPatterns
from perfectplay.solvers.chance.policy import Audit, try_moves
from perfectplay.solvers.store import Bounds, Fractions, WholeNumbers, new_store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.choose import choose
from perfectplay.solving.loop import SolvedStratum
from perfectplay.solving.shards.row_solver import order_matters
from perfectplay.strata.facts import graph, stored_patterns
from perfectplay.strata.graph import Facts, Graph
from perfectplay.strata.stratum_queue import StratumQueue
from perfectplay.table.table_sink import Columns, TableSink

Look = Callable[[FoundStratum, Graph, Work], None]


class MemoryStrata:
    """The strata of a queue, from the lowest up. `look` is called with each that is solved."""

    numbered = False

    def __init__(
        self,
        queue: StratumQueue,
        facts: Facts,
        options: Options,
        turns: TurnPatterns | None,
        *,
        whole: bool,
        look: Look,
        rules: Expander,
    ) -> None:
        self.facts, self.whole = facts, whole
        self.sizes = queue.sizes
        exact, nim = options.exact, options.nim
        self.store = new_store(facts, queue.positions, exact=exact, whole=whole, nim=nim)
        self._queue, self._look, self._rules = queue, look, rules
        self._in_key_order = order_matters(facts)
        self._ids = queue.ids()
        self._low = 0
        self._patterns = None if turns is None else stored_patterns(turns.patterns(), facts)
        self._options = options if turns is None else replace(options, audit=try_moves)
        self._solver = choose(facts, turns=turns is not None, whole=whole, nim=nim)
        self._audit: Audit | None = None  # stored moves are evaluated again
        if (
            turns is None
            and isinstance(self.store, Bounds | Fractions)
            and self.store.move is not None
        ):
            self._audit = Audit(facts, self.store)

    def _new_audit(self) -> Audit | None:
        """What evaluates stored moves again, if moves are stored."""
        if isinstance(self.store, Bounds | Fractions) and self.store.move is not None:
            return Audit(self.facts, self.store)
        return None

    def _next(self, stratum: int) -> tuple[FoundStratum, int]:
        """A stratum, and the id of its first row."""
        found, low = self._queue.take(stratum), self._low
        self._low += found.size
        if found.inside and self._in_key_order:
            found = found.arranged(sorted_keys(self._rules, found.positions)[0])
            if self._ids is None:
                self._ids = np.arange(sum(self.sizes.values()), dtype=np.uint32)
            self._ids[found.numbers] = np.arange(low, self._low, dtype=np.uint32)
        return found, low

    def _graph(self, found: FoundStratum, low: int) -> Graph:
        return graph(found, self.facts, self._ids, low, self._patterns)

    def recall(self, stratum: int, stored: Columns, work: Work, sink: TableSink) -> None:
        found, low = self._next(stratum)
        values = sink.unsorted(found.positions, stored)
        if isinstance(self.store, WholeNumbers):
            self.store.load(low, values, work.denominator)
        else:
            self.store.load(low, values)
        if self._audit is not None:
            self._audit.recall(self._graph(found, low))

    def solve(self, stratum: int) -> SolvedStratum:
        found, low = self._next(stratum)
        moves = self._graph(found, low)
        work = self._solver(moves, self.facts, self.store, self._options)
        if self._audit is not None:
            self._audit.look(moves, work)
        self._look(found, moves, work)
        return SolvedStratum(found.positions, self.store.columns(low, self._low), work)

    def settle(self, solved: int, safe: list[int]) -> None:
        pass  # the queue has forgotten the moves, and values stay
