"""Simultaneous moves in exact rationals: each matrix by `nash`, with its proof.

On cycles, values may be irrational. There floats give narrow bounds (cyclic.py), and the simplest
fractions between them are put to the proof: every equation must hold exactly, and each player must
have optimal mixtures that do not rest on play that goes round for ever. Of all optimal mixtures of
a matrix, the mean of the extreme ones is taken: it uses whatever any of them uses, so that the
opponent can keep play inside a cycle only where every one of them allows it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import NoSolverError, TooLargeError
from perfectplay.rules.game import CHANCE, SIMULTANEOUS
from perfectplay.solvers.chance.certify import end_components
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.exact.components import fraction, rational
from perfectplay.solvers.exact.rationals import ExactStratum
from perfectplay.solvers.matrix.nash import nash
from perfectplay.solvers.simultaneous.cyclic import (
    MatrixComponent,
    Strategy,
    bounds_of,
    kept,
    matrices,
)

DENOMINATORS = (12, 1 << 10, 1 << 16, 10**6, 10**8)
"""Largest denominators of the fractions that are tried."""
EXTREME = 200
"""Extreme optimal mixtures whose mean is taken; with more, any one."""

Cells = list[list[Fraction]]


class ExactSimultaneous(ExactStratum):
    """One stratum in exact rationals."""

    def row(self, row: int) -> None:
        """Store the value of a row whose children are known."""
        graph = self.graph
        if graph.kind[row] != SIMULTANEOUS:
            super().row(row)
            return
        begin, end = int(graph.first[row]), int(graph.first[row + 1])
        wide = int(graph.weight[begin & self.masks[1]])
        worths = [fraction(self.worth(e)) for e in range(begin, end)]
        cells = [worths[k : k + wide] for k in range(0, len(worths), wide)]
        self.put(row, rational(nash(cells).value))

    def component(self, local: LocalGraph) -> None:
        """Store the values of a cyclic component."""
        if not (local.kind == SIMULTANEOUS).any():
            super().component(local)
            return
        part = matrices(local)
        under, over, gains = bounds_of(self.graph, part, self.endless, self.options.width)
        self.work.took(gains)
        bases = [fraction(base) for base in self.bases(local)]
        middle = [(Fraction(a) + Fraction(b)) / 2 for a, b in zip(under, over, strict=True)]
        for most in DENOMINATORS:
            values = [number.limit_denominator(most) for number in middle]
            if _proved(part, bases, values, Fraction(self.endless)):
                for node, value in zip(local.node.tolist(), values, strict=True):
                    self.put(node >> 1, rational(-value if node & 1 else value))
                return
        raise NoSolverError(
            f"no fractions were found for the values on a cycle (of {len(local.kind)}): they may "
            "be irrational",
            "solve without --exact (exact=True): that gives proved bounds",
        )


def _proved(
    part: MatrixComponent, bases: list[Fraction], values: list[Fraction], endless: Fraction
) -> bool:
    """Whether these are the values: each player has a strategy that guarantees them."""
    other = part.opposite()
    return _guaranteed(part, bases, values, endless) and _guaranteed(
        other, [-base for base in bases], [-value for value in values], -endless
    )


def _guaranteed(
    part: MatrixComponent, bases: list[Fraction], values: list[Fraction], endless: Fraction
) -> bool:
    """Whether player 0 can guarantee these values."""
    local = part.local
    to = local.to.tolist()
    worth = [base + values[k] if k >= 0 else base for base, k in zip(bases, to, strict=True)]
    strategy: Strategy = {}
    for i, value in enumerate(values):
        edges = range(int(local.first[i]), int(local.first[i + 1]))
        if local.kind[i] in (0, SIMULTANEOUS):
            cells = [[worth[e] for e in line] for line in part.matrix(i).tolist()]
            mixture = _widest(cells, value)
            if mixture is None:
                return False
            strategy[i] = mixture
        elif local.kind[i] == CHANCE:
            total = sum(int(local.weight[e]) * worth[e] for e in edges)
            if total < value * sum(int(local.weight[e]) for e in edges):
                return False
        elif min(worth[e] for e in edges) < value:
            return False
    fixed = kept(part, strategy)
    ends, _ = end_components(fixed, np.ones(len(fixed.to), np.bool_))
    return all(
        value <= endless for value, end in zip(values, ends.tolist(), strict=False) if end >= 0
    )


def _widest(cells: Cells, value: Fraction) -> Array | None:
    """Which rows are used by optimal mixtures, as weights 1 and 0; None if the matrix is worth
    less than `value`."""
    found: Any = None
    try:
        found = nash(cells, all=True, most=EXTREME)
    except TooLargeError:
        found = nash(cells)
    if found.value < value:
        return None
    if found.value > value:
        return np.ones(len(cells))
    every = found.all_rows or (found.rows,)
    return np.array([float(any(each[i] for each in every)) for i in range(len(cells))])
