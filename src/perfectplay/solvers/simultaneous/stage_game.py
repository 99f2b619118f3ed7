"""The matrix game of one position: mixed strategies in floats, and what they surely bring.

A simplex method in floats finds a mixed strategy of each player. It proves nothing by itself: the
strategies are rounded to integer weights, and what they bring against every reply is computed with
rounding to the safe side. So bounds that go in right come out right, however good the strategies
are."""

from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Floats, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import FlatGraph
from perfectplay.solvers.chance.local import add_below, mean_below

UNITS = 2.0**50
"""Weights of a mixed strategy add up to about this: fewer than 2**53."""
NONE = 1e-12
"""Costs, pivots and shares that are not larger count as zero."""


@kernel
def mixtures(cells: Floats, x: Floats, y: Floats) -> None:
    """Fill x and y with mixed strategies of the rows and the columns that are nearly optimal.

    With all cells brought between 1 and 2: the most q[1] + … + q[n] such that the sum of q[j]
    a[i][j] is at most 1 for every row; its dual are the shares of the rows."""
    m, n = cells.shape
    low, span = cells.min(), cells.max() - cells.min()
    if not span > 0.0:
        x[:] = 1.0 / m
        y[:] = 1.0 / n
        return
    table = np.zeros((m + 1, n + m + 1))
    basis = np.empty(m, np.int64)
    for i in range(m):
        for j in range(n):
            table[i, j] = 1.0 + (cells[i, j] - low) / span
        table[i, n + i] = 1.0
        table[i, n + m] = 1.0
        basis[i] = n + i
    table[m, :n] = -1.0
    for step in range(50 * (m + n)):
        column = _entering(table, m, step // (10 * (m + n)))
        row = -1 if column < 0 else _leaving(table, column, basis)
        if row < 0:
            break
        table[row] /= table[row, column]
        for i in range(m + 1):
            if i != row:
                table[i] -= table[i, column] * table[row]
        basis[row] = column
    y[:] = 0.0
    for i in range(m):
        x[i] = max(table[m, n + i], 0.0)
        if basis[i] < n:
            y[basis[i]] = max(table[i, n + m], 0.0)
    x /= x.sum()
    y /= y.sum()


@kernel
def _entering(table: Floats, m: int, bland: int) -> int:
    """The column that enters the basis: the steepest, or with `bland` the first; -1: none does."""
    found = -1
    least = -NONE
    for j in range(table.shape[1] - 1):
        if table[m, j] < least:
            found = j
            least = table[m, j]
            if bland:
                return found
    return found


@kernel
def _leaving(table: Floats, column: int, basis: Ints) -> int:
    """The row that leaves the basis: the least ratio, of equal ones the lowest variable."""
    found = -1
    least = np.inf
    for i in range(len(basis)):
        if table[i, column] > NONE:
            ratio = table[i, -1] / table[i, column]
            if ratio < least or (ratio == least and basis[i] < basis[found]):
                found = i
                least = ratio
    return found


@kernel
def weights(x: Floats) -> Floats:
    """A mixed strategy as whole numbers, whose sums are exact as floats."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = np.rint(x[i] * UNITS) if x[i] > NONE else 0.0
    return out


@kernel
def surely(cells: Floats, weight: Floats) -> float:
    """What a mixed strategy of the rows, given by weights, brings in the worst column, rounded
    down."""
    m, n = cells.shape
    worth = np.empty(m)
    share = np.empty(m)
    least = np.inf
    for j in range(n):
        used = 0
        for i in range(m):
            if weight[i] > 0.0:
                worth[used] = cells[i, j]
                share[used] = weight[i]
                used += 1
        least = min(least, mean_below(worth, share, used))
    return least


@kernel
def read_cells(graph: FlatGraph, row: int, bounds: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """The matrix of a row at which both choose, from below and from above, to player 0."""
    lower, upper = bounds
    swap_mask = -1 if len(graph.swap) == len(graph.child) else 0
    weight_mask = -1 if len(graph.weight) == len(graph.child) else 0
    reward_mask = -1 if len(graph.reward) == len(graph.child) else 0
    begin, end = graph.first[row], graph.first[row + 1]
    n = graph.weight[begin & weight_mask]
    below = np.empty(((end - begin) // n, n))
    above = np.empty(((end - begin) // n, n))
    for e in range(begin, end):
        i, j = (e - begin) // n, (e - begin) % n
        child = graph.child[e]
        reward = np.float64(graph.reward[e & reward_mask])
        turned = graph.swap[e & swap_mask] & 1
        below[i, j] = add_below(reward, -upper[child] if turned else lower[child])
        above[i, j] = -add_below(-reward, lower[child] if turned else -upper[child])
    return below, above


@kernel
def settle(graph: FlatGraph, row: int, bounds: tuple[Floats, Floats]) -> bool:
    """Store bounds of a row at which both choose and whose children are known; whether they are
    not much wider than those of the children."""
    below, above = read_cells(graph, row, bounds)
    x, y = np.empty(below.shape[0]), np.empty(below.shape[1])
    mixtures((below + above) / 2.0, x, y)
    low = surely(below, weights(x))
    high = -surely(-above.T, weights(y))
    bounds[0][graph.low + row] = low
    bounds[1][graph.low + row] = high
    scale = max(1.0, np.abs(below).max())
    return bool(high - low <= (above - below).max() + 1e-13 * scale)


def exact_settle(graph: FlatGraph, row: int, bounds: tuple[Floats, Floats]) -> None:
    """The same in rationals, for matrices that mislead floats."""
    from perfectplay.solvers.matrix.nash import nash

    below, above = read_cells(graph, row, bounds)
    ends = [nash(_rational(below)).value, nash(_rational(above)).value]
    for bound, exact, way in zip(bounds, ends, (-np.inf, np.inf), strict=True):
        near = float(exact)
        bound[graph.low + row] = near if near == exact else np.nextafter(near, way)


def _rational(cells: Any) -> list[list[Fraction]]:
    return [[Fraction(cell) for cell in row] for row in cells.tolist()]
