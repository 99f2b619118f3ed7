"""Simultaneous moves: every position's value, between proved bounds or as an exact fraction.

The equations are those of games with chance (solvers/chance/stochastic.py), and one more: where
both players choose at once, a position is worth the value of the matrix game whose cells are
reward + value of what follows (Shapley 1953).

1. Rows whose children are known: one backward pass. A matrix is solved in floats, and what the
   mixed strategies found there surely bring is a bound (stage_game.py).
2. Cyclic components with such rows: the mixed strategies of one player are improved and kept while
   the other is free, which gives proved bounds (cyclic.py); other components as in games with
   chance.
3. With a `Fractions` store all of this is exact (exact.py). Values of cyclic components may be
   irrational: then no fraction passes the proof, and the game is refused.

The facts needed: two players with opposed interests. The guarantee: as in games with chance, a
value is stored only with a proof. On cycles the bounds may stay wide, since there a player may
have no optimal strategy, only better and better ones; then the report says so."""

import numpy as np

from perfectplay.rules.game import SIMULTANEOUS
from perfectplay.solvers.backward import FlatGraph, flat
from perfectplay.solvers.chance import anchors, sweeps
from perfectplay.solvers.chance.cyclic_components import BACKWARD, StratumComponents
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.chance.stochastic import BoundedStratum, check_weights
from perfectplay.solvers.simultaneous.cyclic import bounds_of, matrices
from perfectplay.solvers.simultaneous.stage_game import exact_settle, settle
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph

STRATEGIES = "mixed strategy iteration"
"""How positions on cycles were solved, in reports."""
WIDE = "positions on cycles are known only between bounds that are more than {:g} apart"


def solve(graph: Graph, facts: Facts, store: Bounds | Fractions, options: Options) -> Work:
    """Write the values of one stratum into the store; see the module's docstring."""
    check_weights(graph)
    if isinstance(store, Fractions):
        from perfectplay.solvers.simultaneous.exact import ExactSimultaneous

        return ExactSimultaneous(graph, facts, store, options).solve()
    return _Stratum(graph, facts, store, options).solve()


class _Stratum(BoundedStratum):
    """One stratum in floats with proved bounds."""

    def solve(self) -> Work:
        """Bounds for all rows."""
        widest = int(np.diff(self.graph.first).max(initial=1))
        self._scratch = np.empty(widest), np.empty(widest)
        if self.graph.inside:
            self._components()
            return self.work
        rows = flat(self.graph)
        for row in range(self.graph.size):  # no edge stays inside: in any order
            self._row(rows, row)
        self.work.did(BACKWARD, self.graph.size)
        return self.work

    def _components(self) -> None:
        parts = StratumComponents(self.graph)
        found = parts.found
        self.work.components = found.count
        for c in range(found.count):
            rows = found.rows[found.start[c] : found.start[c + 1]]
            if not found.cyclic[c]:
                self._row(parts.flat, int(rows[0]))
                self.work.did(BACKWARD, 1)
            elif (self.graph.kind[rows] == SIMULTANEOUS).any():
                self._component(parts.local(c, self.bounds))
                self.work.did(STRATEGIES, len(rows))
            else:
                self.work.did(self.general(parts.local(c, self.bounds)), len(rows))
            self.options.progress(len(rows))

    def _row(self, graph: FlatGraph, row: int) -> None:
        """Bounds of a row whose children are known."""
        if graph.kind[row] != SIMULTANEOUS:
            sweeps.backward(graph, row, self.bounds, *self._scratch)
        elif not settle(graph, row, self.bounds):
            exact_settle(graph, row, self.bounds)

    def _component(self, local: LocalGraph) -> None:
        width = self.options.width
        endless = float(self.facts.endless)
        under, over, gains = bounds_of(self.graph, matrices(local), endless, width)
        self.work.took(gains)
        anchors.put(local, under, over, self.graph.low, self.bounds)
        size = max(1.0, float(np.abs(under).max()))
        wide = np.count_nonzero(over - under > self._given(local) + width * size)
        if wide:
            self.work.notes.append(f"{wide} {WIDE.format(width)}")

    @staticmethod
    def _given(local: LocalGraph) -> float:
        """How wide bounds are where edges leave."""
        return float((local.above - local.below).max(initial=0.0))
