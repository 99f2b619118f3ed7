"""Strata of games with chance in exact rationals: rows by themselves one after the other, cyclic
components by components.py. The equations are those of solvers/chance/stochastic.py."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct, mask
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.chance.cyclic_components import (
    BACKWARD,
    EXACT,
    StratumComponents,
    guessed,
    prepare,
)
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.exact.components import ExactComponent, fraction, rational
from perfectplay.solvers.store import Fractions
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph


def rounded(part: LocalGraph, ends: Array, endless: float, way: float) -> Array:
    """Exact values of a component with these numbers at its edges, rounded towards `way`."""
    base = [rational(x) for x in ends.tolist()]
    exact = ExactComponent(part, base, None if math.isinf(endless) else rational(endless))
    values = [fraction(x) for x in exact.solve(guessed(part, endless))]
    pairs = ((float(x), x) for x in values)
    return np.array([f if f == x else math.nextafter(f, way) for f, x in pairs])


class ExactStratum:
    """One stratum in exact rationals."""

    def __init__(self, graph: Graph, facts: Facts, store: Fractions, options: Options) -> None:
        self.graph, self.facts, self.store, self.options = graph, facts, store, options
        self.endless = float(facts.endless)
        self.work = Work({})
        self.known: dict[int, Any] = {}
        self.near = np.zeros(graph.low + graph.size)
        self.sign = [1 - 2 * int(s & 1) for s in graph.swap.tolist()]
        self.masks = [mask(a, graph.edges) for a in (graph.swap, graph.weight, graph.reward)]
        for id in distinct(graph.child[graph.child < graph.low]).tolist():
            number = store.value[id][0]
            self.near[id] = float(number)
            self.known[id] = None if number == -math.inf else rational(number)

    def solve(self) -> Work:
        """Exact values for all rows."""
        work = self.work
        if not self.graph.inside:
            for row in range(self.graph.size):
                self.row(row)
            work.methods[BACKWARD] = self.graph.size
            self.options.progress(self.graph.size)
            return work
        parts = StratumComponents(self.graph)
        found = parts.found
        work.components = found.count
        for c in range(found.count):
            rows = found.rows[found.start[c] : found.start[c + 1]]
            method = EXACT if found.cyclic[c] else BACKWARD
            if found.cyclic[c]:
                self.component(parts.local(c, (self.near, self.near)))
            else:
                self.row(int(rows[0]))
            work.did(method, len(rows))
            self.options.progress(len(rows))
        return work

    def put(self, row: int, number: Any) -> None:
        """Store a value (None: minus infinity)."""
        id = self.graph.low + row
        self.known[id] = number
        value = -math.inf if number is None else fraction(number)
        self.near[id] = float(value)
        self.store.value[id] = (value,)

    def worth(self, e: int) -> Any:
        """The value of edge e to player 0 of its row; None: minus infinity."""
        number = self.known[int(self.graph.child[e])]
        if number is None:
            return None
        return self.sign[e & self.masks[0]] * number + int(self.graph.reward[e & self.masks[2]])

    def row(self, row: int) -> None:
        """Store the value of a row whose children are known."""
        graph = self.graph
        kind = int(graph.kind[row])
        if kind == OVER:
            self.put(row, rational(Fraction(int(graph.payoff[row]))))
            return
        edges = range(int(graph.first[row]), int(graph.first[row + 1]))
        worths = [self.worth(e) for e in edges]
        finite = [w for w in worths if w is not None]
        if kind != CHANCE:
            best = max if kind == 0 else min
            self.put(row, best(finite) if finite else None)
        elif len(finite) < len(worths):
            self.put(row, None)
        else:
            weights = [int(graph.weight[e & self.masks[1]]) for e in edges]
            total: Any = sum((w * x for w, x in zip(weights, worths, strict=True)), rational(0.0))
            self.put(row, total / sum(weights))

    def component(self, local: LocalGraph) -> None:
        """Store the values of a cyclic component."""
        cyclic = prepare(self.graph, local, self.endless)
        part = cyclic.local
        if len(part.kind):
            every = self.bases(local)
            base = [every[e] for e in cyclic.edges.tolist()]
            endless = None if math.isinf(self.endless) else rational(self.endless)
            component = ExactComponent(part, base, endless)
            values = component.solve(guessed(part, self.endless))
            self.work.took(component.gains)
            for node, value in zip(part.node.tolist(), values, strict=True):
                self.put(node >> 1, -value if node & 1 else value)
        for node in local.node[~cyclic.alive].tolist():
            self.put(node >> 1, None)

    def bases(self, local: LocalGraph) -> list[Any]:
        """For each edge of a component its exact reward, or its value if it leaves."""
        first, to, node = local.first, local.to, local.node
        out: list[Any] = []
        for i in range(len(node)):
            sign = 1 - 2 * int(node[i] & 1)
            begin = int(self.graph.first[int(node[i]) >> 1])
            for f in range(int(first[i]), int(first[i + 1])):
                e = begin + f - int(first[i])
                earned = float(int(self.graph.reward[e & self.masks[2]]))
                number = rational(earned) if to[f] >= 0 else self.worth(e)
                out.append(None if number is None else sign * number)
        return out
