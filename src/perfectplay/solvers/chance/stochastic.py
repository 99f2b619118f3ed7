"""Scalar games with chance: every position's value, between proved bounds or as an exact fraction.

The equations: a position of player 0 is worth the most of its edges, one of player 1 the least, a
CHANCE position the mean, an OVER position its payoff; play that never ends is worth
`facts.endless`.

1. Rows whose children are known: one backward pass, with arithmetic that rounds outwards. This is
   Algorithm 1 of Glenn, Fang and Kruskal (2009); components come children first, so that children
   need not be counted.
2. Cyclic components, in order, each by the method asked for or the first that ends with a proof:
   **anchors**, which is Newton's method (anchors.py), **strategy iteration** with certified bounds
   (strategy_iteration.py, certify.py), **exact rationals** (solvers/exact/components.py). **Value
   iteration** (solvers/value_iteration.py) is there to be compared with.
3. With a `Fractions` store all of this happens in exact rationals; floats only guess the choices.

The facts needed: one player, or two with opposed interests. The guarantee: a value is stored only
with a proof, never because an iteration has converged. The proof is either an interval that was
checked row by row together with the value of endless play, or rationals that satisfy the equations
exactly together with the conditions on endless play."""

import math

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.solvers import value_iteration
from perfectplay.solvers.backward import flat
from perfectplay.solvers.chance import anchors, strategy_iteration, sweeps
from perfectplay.solvers.chance.cyclic_components import (
    ANCHORS,
    BACKWARD,
    EXACT,
    NAIVE,
    STRATEGY,
    StratumComponents,
    prepare,
)
from perfectplay.solvers.chance.local import LocalGraph, staying
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.graph import Facts, Graph

CHUNK = 1 << 18  # rows between two reports of progress
EXACT_MOST = 300  # anchors of a component whose proved bounds may be narrowed in rationals


def solve(graph: Graph, facts: Facts, store: Bounds | Fractions, options: Options) -> Work:
    """Write the values of one stratum into the store; see the module's docstring.
    `options.method` prescribes the method for cyclic components, for comparisons."""
    check_weights(graph)
    if isinstance(store, Fractions):
        from perfectplay.solvers.exact.rationals import ExactStratum  # flint takes time to import

        return ExactStratum(graph, facts, store, options).solve()
    return BoundedStratum(graph, facts, store, options).solve()


def check_weights(graph: Graph) -> None:
    """Weights and rewards must be exact as floats."""
    if graph.edges and _heaviest(graph) >= 2**53:
        raise RulesError(
            f"weights of chance up to {int(graph.weight.max())} are too large",
            "divide the weights of a position by a common factor; they must add up to below 2^53",
        )
    if graph.edges and int(np.abs(graph.reward).max()) >= 2**53:
        raise RulesError("a reward is larger than 2^53", "use smaller units for rewards")


def _heaviest(graph: Graph) -> int:
    """The largest sum of weights that a row has, or a little more."""
    fan = int(np.diff(graph.first).max(initial=1))
    most = int(graph.weight.max())
    if most * fan < 2**53 or len(graph.weight) < graph.edges:
        return most * fan
    rows = np.flatnonzero(np.diff(graph.first))
    sums = np.add.reduceat(graph.weight.astype(float), graph.first[rows])
    return math.ceil(float(sums.max()) * (1 + 1e-9))


class BoundedStratum:
    """One stratum in floats with proved bounds."""

    def __init__(self, graph: Graph, facts: Facts, store: Bounds, options: Options) -> None:
        self.graph, self.facts, self.options = graph, facts, options
        self.method = options.method
        self.bounds = store.lower, store.upper
        self.work = Work({})

    def solve(self) -> Work:
        """Bounds for all rows."""
        if self.graph.inside:
            self._components()
            return self.work
        graph = flat(self.graph)  # no edge stays inside: rows in any order, in parallel
        over_rows(
            lambda begin, end: sweeps.sweep_rows(graph, begin, end, self.bounds),
            self.graph.size,
            self.options,
            CHUNK,
        )
        self.work.did(BACKWARD, self.graph.size)
        return self.work

    def _components(self) -> None:
        parts = StratumComponents(self.graph)
        found = parts.found
        self.work.components = found.count
        arrays = found.number, found.rows, found.start, found.cyclic
        sizes = np.diff(found.start)
        taken = Work.counters(anchors.ROUNDS)
        c = 0
        while c < found.count:
            stop = int(np.searchsorted(found.start, found.start[c] + CHUNK, "right")) - 1
            newton = self.method in ("auto", "newton")
            stop = min(max(stop, c + 1), found.count) if newton else c + 1
            end = c
            if newton or not found.cyclic[c]:
                end = sweeps.sweep_components(
                    parts.flat,
                    arrays,
                    c,
                    stop,
                    self.bounds,
                    (parts.place, parts.degree, *taken),
                    float(self.facts.endless),
                    float(self.options.width),
                )
            cyclic = found.cyclic[c:end]
            self.work.did(ANCHORS, int(sizes[c:end][cyclic].sum()))
            self.work.did(BACKWARD, int(sizes[c:end][~cyclic].sum()))
            if end < stop and found.cyclic[end]:
                local = parts.local(end, self.bounds)
                self.work.did(self.general(local), int(sizes[end]))
                end += 1
            self.options.progress(int(found.start[end] - found.start[c]))
            c = end
        self.work.took_all(*taken)

    def general(self, local: LocalGraph) -> str:
        """Bounds of one component by strategy iteration, or in rationals; the method's name."""
        endless = float(self.facts.endless)
        cyclic = prepare(self.graph, local, endless)
        part = cyclic.local
        method = STRATEGY
        full = np.full((2, len(local.kind)), -np.inf)
        if len(part.kind):
            full[0, cyclic.alive], full[1, cyclic.alive], method = self._bounds(part, endless)
        anchors.put(local, full[0], full[1], self.graph.low, self.bounds)
        return method

    def _naive(self, part: LocalGraph, endless: float) -> Array | None:
        """The choices at which value iteration comes to rest; None if a game that must be ended
        would not end by them. What it says of values is not believed: strategy iteration goes on
        from there, and bounds are proved as always."""
        residuals = np.empty(value_iteration.ROUNDS)
        choice, rounds = value_iteration.scalar_rounds(part, *anchors.chances(part), residuals)
        if endless == -math.inf and staying(part, 0, choice).any():
            return None
        value_iteration.note(self.work, residuals, rounds, len(part.kind))
        return np.asarray(choice)

    def _bounds(self, part: LocalGraph, endless: float) -> tuple[Array, Array, str]:
        if self.method != "exact":
            start = self._naive(part, endless) if self.method == "naive" else None
            residuals: list[float] | None = [] if start is None else None
            under, over = strategy_iteration.bounds_of(part, endless, start, residuals)
            if residuals:
                self.work.took(residuals)
            if under is not None and over is not None:
                wide = anchors.widening(part, under, over) > self.options.width
                if not wide or len(part.anchor) > EXACT_MOST:
                    return under, over, STRATEGY if start is None else NAIVE
        from perfectplay.solvers.exact.rationals import rounded

        under = rounded(part, part.below, endless, -math.inf)
        return under, rounded(part, part.above, endless, math.inf), EXACT
