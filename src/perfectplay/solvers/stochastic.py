"""Scalar games with chance: every position's value, between proved bounds or as an exact fraction.

The equations: a position of player 0 is worth the most of its edges, one of player 1 the least, a
CHANCE position the mean, an OVER position its payoff; play that never ends is worth
`facts.endless`.

1. Rows whose children are known: one backward pass, with arithmetic that rounds outwards.
2. Cyclic components, in order, each by the first method that ends with a proof: **anchors**
   (anchors.py), **strategy iteration** with certified bounds (strategy.py, certify.py), **exact
   rationals** (exact.py).
3. With a `Fractions` store all of this happens in exact rationals; floats only guess the choices.

"The iteration has converged" is never a reason to write a value down. The only reasons are: an
interval that was checked row by row together with the worth of endless play, or rationals that
satisfy the equations exactly together with the conditions on endless play."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from perfectplay.errors import RulesError
from perfectplay.game import CHANCE, OVER
from perfectplay.graph import Array, Facts, Graph, mask
from perfectplay.solvers import Options, Work, anchors, strategy, sweeps
from perfectplay.solvers.certify import Local, opposite
from perfectplay.solvers.exact import ExactComponent, fraction, rational
from perfectplay.solvers.parts import Parts, flat, prepare
from perfectplay.store import Bounds, Fractions

Method = Literal["auto", "strategy", "exact"]
BACKWARD, ANCHORS, STRATEGY, EXACT = "backward pass", "anchors", "strategy iteration", "exact"
CHUNK = 1 << 18  # rows between two reports of progress
EXACT_MOST = 300  # anchors of a component whose proved bounds may be narrowed in rationals


def solve(graph: Graph, facts: Facts, store: Bounds | Fractions, options: Options) -> Work:
    """Write the values of one stratum into the store; see the module's docstring."""
    return solve_by("auto", graph, facts, store, options)


def solve_by(
    method: Method, graph: Graph, facts: Facts, store: Bounds | Fractions, options: Options
) -> Work:
    """`solve`, with the method for cyclic components prescribed; for tests and comparisons."""
    _check_weights(graph)
    if isinstance(store, Fractions):
        return _ExactStratum(graph, facts, store, options).solve()
    return _Stratum(graph, facts, store, options, method).solve()


def _check_weights(graph: Graph) -> None:
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


class _Stratum:
    """One stratum in floats with proved bounds."""

    def __init__(
        self, graph: Graph, facts: Facts, store: Bounds, options: Options, method: Method
    ) -> None:
        self.graph, self.facts, self.options, self.method = graph, facts, options, method
        self.bounds = store.lower, store.upper
        self.work = Work({})

    def solve(self) -> Work:
        """Bounds for all rows."""
        if not self.graph.inside:
            self._rows()
        else:
            self._components()
        return self.work

    def _did(self, method: str, rows: int) -> None:
        if rows:
            self.work.methods[method] = self.work.methods.get(method, 0) + rows

    def _rows(self) -> None:
        """No edge stays inside: rows in any order, in parallel."""
        graph = flat(self.graph)
        cuts = range(0, self.graph.size, CHUNK)

        def task(begin: int) -> int:
            end = min(begin + CHUNK, self.graph.size)
            sweeps.sweep_rows(graph, begin, end, self.bounds)
            return end - begin

        if self.options.workers > 1 and len(cuts) > 1:
            with ThreadPoolExecutor(self.options.workers) as pool:
                for done in pool.map(task, cuts):
                    self.options.progress(done)
        else:
            for begin in cuts:
                self.options.progress(task(begin))
        self._did(BACKWARD, self.graph.size)

    def _components(self) -> None:
        parts = Parts(self.graph)
        found = parts.found
        self.work.components = found.count
        arrays = found.number, found.rows, found.start, found.cyclic
        sizes = np.diff(found.start)
        c = 0
        while c < found.count:
            stop = int(np.searchsorted(found.start, found.start[c] + CHUNK, "right")) - 1
            stop = min(max(stop, c + 1), found.count)
            end = c
            if self.method == "auto" or not found.cyclic[c]:
                end = sweeps.sweep_components(
                    parts.flat,
                    arrays,
                    c,
                    stop if self.method == "auto" else c + 1,
                    self.bounds,
                    (parts.place, parts.popular),
                    float(self.facts.endless),
                    float(self.options.width),
                )
            cyclic = found.cyclic[c:end]
            self._did(ANCHORS, int(sizes[c:end][cyclic].sum()))
            self._did(BACKWARD, int(sizes[c:end][~cyclic].sum()))
            if end < stop and found.cyclic[end]:
                local = parts.local(end, self.bounds)
                self._did(self._general(local), int(sizes[end]))
                end += 1
            self.options.progress(int(found.start[end] - found.start[c]))
            c = end

    def _general(self, local: Local) -> str:
        """Bounds of one component by strategy iteration, or in rationals; the method's name."""
        endless = float(self.facts.endless)
        cyclic = prepare(self.graph, local, endless)
        part = cyclic.local
        under, over, method = np.zeros(0), np.zeros(0), STRATEGY
        if len(part[0]):
            under, over, method = self._bounds(part, endless)
        full = np.full((2, len(local[0])), -np.inf)
        full[0, cyclic.alive] = under
        full[1, cyclic.alive] = over
        anchors.put(local, full[0], full[1], self.graph.low, self.bounds)
        return method

    def _bounds(self, part: Local, endless: float) -> tuple[Array, Array, str]:
        if self.method != "exact":
            under, over = strategy.bounds_of(part, endless)
            if under is not None and over is not None:
                wide = anchors.widening(part, under, over) > self.options.width
                if not wide or len(part[7]) > EXACT_MOST:
                    return under, over, STRATEGY
        return _rounded(part, 4, endless, -math.inf), _rounded(part, 5, endless, math.inf), EXACT


def _rounded(part: Local, ends: int, endless: float, way: float) -> Array:
    """Exact values of a component with the bounds in part[ends] at its edges, rounded one way."""
    base = [rational(x) for x in part[ends].tolist()]
    exact = ExactComponent(part, base, None if math.isinf(endless) else rational(endless))
    values = [fraction(x) for x in exact.solve(guessed(part, endless))]
    floats = [float(x) for x in values]
    pairs = zip(floats, values, strict=True)
    return np.array([f if f == x else math.nextafter(f, way) for f, x in pairs])


def guessed(local: Local, endless: float) -> Array | None:
    """Choices of both players that are likely to be optimal, found in floats."""
    chance, scale = anchors.chances(local)
    if len(local[7]) <= anchors.MOST and scale < math.inf:
        choice, _, _, _, fine = anchors.newton(local, chance, scale)
        if fine:
            return np.asarray(choice)
    mine = strategy.policy_of(local, endless)
    other = strategy.policy_of(opposite(local), -endless)
    if mine is None or other is None:
        return None
    return np.where(local[0] == 0, mine[0], other[0])


class _ExactStratum:
    """One stratum in exact rationals."""

    def __init__(self, graph: Graph, facts: Facts, store: Fractions, options: Options) -> None:
        self.graph, self.facts, self.store, self.options = graph, facts, store, options
        self.endless = float(facts.endless)
        self.known: dict[int, Any] = {}
        self.near = np.zeros(graph.low + graph.size)
        self.sign = [1 - 2 * int(s & 1) for s in graph.swap.tolist()]
        self.masks = [mask(a, graph.edges) for a in (graph.swap, graph.weight, graph.reward)]
        for id in np.unique(graph.child[graph.child < graph.low]).tolist():
            number = store.value[id][0]
            self.near[id] = float(number)
            self.known[id] = None if number == -math.inf else rational(number)

    def solve(self) -> Work:
        """Exact values for all rows."""
        work = Work({})
        if not self.graph.inside:
            for row in range(self.graph.size):
                self._row(row)
            work.methods[BACKWARD] = self.graph.size
            self.options.progress(self.graph.size)
            return work
        parts = Parts(self.graph)
        found = parts.found
        work.components = found.count
        for c in range(found.count):
            rows = found.rows[found.start[c] : found.start[c + 1]]
            method = EXACT if found.cyclic[c] else BACKWARD
            if found.cyclic[c]:
                self._component(parts.local(c, (self.near, self.near)))
            else:
                self._row(int(rows[0]))
            work.methods[method] = work.methods.get(method, 0) + len(rows)
            self.options.progress(len(rows))
        return work

    def _put(self, row: int, number: Any) -> None:
        """Store a value (None: minus infinity)."""
        id = self.graph.low + row
        self.known[id] = number
        value = -math.inf if number is None else fraction(number)
        self.near[id] = float(value)
        self.store.value[id] = (value,)

    def worth(self, e: int) -> Any:
        """What edge e is worth to player 0 of its row; None: minus infinity."""
        number = self.known[int(self.graph.child[e])]
        if number is None:
            return None
        return self.sign[e & self.masks[0]] * number + int(self.graph.reward[e & self.masks[2]])

    def _row(self, row: int) -> None:
        graph = self.graph
        kind = int(graph.kind[row])
        if kind == OVER:
            self._put(row, rational(Fraction(int(graph.payoff[row]))))
            return
        edges = range(int(graph.first[row]), int(graph.first[row + 1]))
        worths = [self.worth(e) for e in edges]
        finite = [w for w in worths if w is not None]
        if kind != CHANCE:
            best = max if kind == 0 else min
            self._put(row, best(finite) if finite else None)
        elif len(finite) < len(worths):
            self._put(row, None)
        else:
            weights = [int(graph.weight[e & self.masks[1]]) for e in edges]
            total: Any = sum((w * x for w, x in zip(weights, worths, strict=True)), rational(0.0))
            self._put(row, total / sum(weights))

    def _component(self, local: Local) -> None:
        cyclic = prepare(self.graph, local, self.endless)
        part = cyclic.local
        if len(part[0]):
            every = self._bases(local)
            base = [every[e] for e in cyclic.edges.tolist()]
            endless = None if math.isinf(self.endless) else rational(self.endless)
            values = ExactComponent(part, base, endless).solve(guessed(part, self.endless))
            for node, value in zip(part[6].tolist(), values, strict=True):
                self._put(node >> 1, -value if node & 1 else value)
        for node in local[6][~cyclic.alive].tolist():
            self._put(node >> 1, None)

    def _bases(self, local: Local) -> list[Any]:
        """For each edge of a component its exact reward, and what it is worth if it leaves."""
        first, to, node = local[1], local[2], local[6]
        out: list[Any] = []
        for i in range(len(node)):
            sign = 1 - 2 * int(node[i] & 1)
            begin = int(self.graph.first[int(node[i]) >> 1])
            for f in range(int(first[i]), int(first[i + 1])):
                e = begin + f - int(first[i])
                if to[f] >= 0:
                    number: Any = rational(float(int(self.graph.reward[e & self.masks[2]])))
                else:
                    number = self.worth(e)
                out.append(None if number is None else sign * number)
        return out
