"""Matrix games in exact arithmetic: an optimal mixture of both players, with a proof.

The row player picks a row and wants much, the column player picks a column and wants little, and
neither knows the other's choice. Mixtures x and y are optimal, and v is the value, if and only if

    sum of x[i] a[i][j] >= v for every column j    and    sum of y[j] a[i][j] <= v for every row i

(von Neumann 1928): nobody gains by any pure reply. `proved` checks just that, in integers, for the
whole matrix. How x and y are found does not matter for the proof:

1. rows and columns that are equal are one, and dominated ones go (`reduced`);
2. a linear program in floats shows which rows and columns are used and which replies are as good
   (`guess`); the mixtures follow from linear equations, solved in rationals (`mixture`);
3. where floats were wrong, the game of the rows and columns named so far is solved by the simplex
   method in integers (`simplex`), and replies that gain are added until none does.

Step 3 ends, since there are finitely many rows and columns, so every game ends with a proof."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat, nmod_mat

from perfectplay.compiled.arrays import Array

Mixture = list[Fraction]
Cells = list[list[int]]

SMALL = 150
"""Cells of a matrix that the simplex method solves at once, without floats."""
TIGHT = (1e-9, 1e-7, 1e-11)
"""How far from equality a reply in floats may be and count as equally good, tried in turn."""
PRIME = 2**61 - 1
STEP = 48
"""Columns that are compared at a time when dominated rows are looked for."""


def solve(cells: Cells) -> tuple[Fraction, Mixture, Mixture]:
    """Value, a mixture of rows and a mixture of columns, proved optimal, of integer cells."""
    rows, columns = reduced(ranks(cells))
    small = [[cells[i][j] for j in columns] for i in rows]
    value, x, y = _reduced_game(small)
    mine, theirs = spread(x, rows, len(cells)), spread(y, columns, len(cells[0]))
    if not proved(cells, value, mine, theirs):
        raise ArithmeticError("a matrix game was solved, but its proof does not hold")
    return value, mine, theirs


def spread(mixture: Mixture, chosen: Sequence[int], size: int) -> Mixture:
    """A mixture of the chosen rows as one of all rows."""
    out = [Fraction(0)] * size
    for share, i in zip(mixture, chosen, strict=True):
        out[i] = share
    return out


# -- Reduction. -----------------------------------------------------------------------------------


def ranks(cells: Cells) -> Array:
    """Numbers that compare like the cells, int64[m, n]."""
    if max(max(map(abs, (max(row), min(row)))) for row in cells) < 2**62:
        return np.array(cells, np.int64)
    order = {cell: k for k, cell in enumerate(sorted({cell for row in cells for cell in row}))}
    return np.array([[order[cell] for cell in row] for row in cells], np.int64)


def classes(rank: Array) -> list[list[int]]:
    """Rows that are equal, together; in the order of their first."""
    found: dict[bytes, list[int]] = {}
    for i, row in enumerate(np.ascontiguousarray(rank)):
        found.setdefault(row.tobytes(), []).append(i)
    return list(found.values())


def reduced(rank: Array) -> tuple[list[int], list[int]]:
    """Rows and columns that are left when equal ones are one and dominated ones are taken away,
    again and again. An optimal mixture of what is left is one of the whole game."""
    rows = np.array([group[0] for group in classes(rank)])
    columns = np.array([group[0] for group in classes(rank.T)])
    while True:
        before = len(rows), len(columns)
        rows = rows[_undominated(rank[np.ix_(rows, columns)])]
        columns = columns[_undominated(-rank[np.ix_(rows, columns)].T)]
        if (len(rows), len(columns)) == before:
            return rows.tolist(), columns.tolist()


def _undominated(rank: Array) -> Array:
    """bool[m]: rows than which no other row is at least as good everywhere (of equal ones the
    last)."""
    rank = np.ascontiguousarray(rank)
    keep = np.ones(len(rank), np.bool_)
    for i in range(len(rank)):
        others = np.flatnonzero(keep)
        others = others[others != i]
        for j in range(0, rank.shape[1], STEP):
            if not len(others):
                break
            part = rank[others, j : j + STEP] >= rank[i, j : j + STEP]
            others = others[part.all(axis=1)]
        keep[i] = not len(others)
    return keep


# -- From floats to a proof. ----------------------------------------------------------------------


def _reduced_game(cells: Cells) -> tuple[Fraction, Mixture, Mixture]:
    """Value and optimal mixtures of a game without dominated rows or columns."""
    if len(cells) * len(cells[0]) <= SMALL:
        return simplex(cells)
    found = guess(cells)
    if found is None:
        start = [0], [0]
    else:
        for tight in TIGHT:
            exact = _from_guess(cells, *found, tight)
            if exact is not None:
                return exact
        start = _near(*found)
    return by_replies(cells, *start)


def guess(cells: Cells) -> tuple[Array, Array, Array, Array] | None:
    """In floats: mixtures x and y, and how much every row and every column falls short of being
    a best reply; None if the linear program was not solved."""
    from scipy.optimize import linprog

    low = min(map(min, cells))
    span = max(max(map(max, cells)) - low, 1)
    near = np.array([[(cell - low) / span for cell in row] for row in cells])
    m, n = near.shape
    # The most v such that every column pays the mixture at least v.
    upper = np.hstack([-near.T, np.ones((n, 1))])
    cost = np.append(np.zeros(m), -1.0)
    equal = np.append(np.ones(m), 0.0)[None]
    bounds = [(0.0, None)] * m + [(None, None)]
    found = linprog(cost, upper, np.zeros(n), equal, np.ones(1), bounds=bounds, method="highs-ds")
    if found.status != 0:
        return None
    x, value = np.maximum(found.x[:m], 0.0), float(found.x[m])
    y = np.maximum(-found.ineqlin.marginals, 0.0)
    return x, y, value - near @ y, x @ near - value


def _near(x: Array, y: Array, rows: Array, columns: Array) -> tuple[list[int], list[int]]:
    """Rows and columns that are used or are nearly best replies."""
    mine = np.flatnonzero((x > TIGHT[0]) | (rows < TIGHT[1]))
    theirs = np.flatnonzero((y > TIGHT[0]) | (columns < TIGHT[1]))
    return mine.tolist() or [0], theirs.tolist() or [0]


def _from_guess(
    cells: Cells, x: Array, y: Array, rows: Array, columns: Array, tight: float
) -> tuple[Fraction, Mixture, Mixture] | None:
    """What follows exactly from a guess, or None if that is not optimal."""
    used, answers = np.flatnonzero(x > tight), np.flatnonzero(y > tight)
    mine = mixture(cells, used.tolist(), _ordered(answers, columns < tight))
    if mine is None:
        return None
    turned = [[-cell for cell in column] for column in zip(*cells, strict=True)]
    theirs = mixture(turned, answers.tolist(), _ordered(used, rows < tight))
    if theirs is None or not proved(cells, mine[0], mine[1], theirs[1]):
        return None
    return mine[0], mine[1], theirs[1]


def _ordered(first: Array, more: Array) -> list[int]:
    """The numbers in `first`, then what else is marked."""
    rest = np.setdiff1d(np.flatnonzero(more), first)
    return [*first.tolist(), *rest.tolist()]


def mixture(cells: Cells, used: list[int], tight: list[int]) -> tuple[Fraction, Mixture] | None:
    """Value and the one mixture of the used rows that all tight columns pay the same; None if
    there is none, or more than one, or one with a negative share."""
    k = len(used)
    equations = [[*([1] * k), 0]]
    equations += [primitive([*(cells[i][j] for i in used), -1]) for j in tight]
    chosen = _independent(equations)
    if len(chosen) != k + 1 or chosen[0] != 0:
        return None
    left = fmpz_mat([equations[e] for e in chosen])
    right = fmpz_mat(k + 1, 1, [1] + [0] * k)
    try:
        found = left.solve(right)
    except ZeroDivisionError:
        return None
    numbers = [Fraction(int(found[r, 0].p), int(found[r, 0].q)) for r in range(k + 1)]
    if any(share < 0 for share in numbers[:k]):
        return None
    return numbers[k], spread(numbers[:k], used, len(cells))


def primitive(vector: list[int]) -> list[int]:
    """A vector without the factors that its numbers have in common."""
    common = gcd(*vector)
    return [number // common for number in vector] if common > 1 else vector


def _independent(equations: list[list[int]]) -> list[int]:
    """Numbers of equations none of which follows from those before, modulo a large prime."""
    width = len(equations[0])
    if len(equations) == width:
        return list(range(width))
    turned = [[row[c] % PRIME for row in equations] for c in range(width)]
    return pivots(*nmod_mat(turned, PRIME).rref())


def pivots(echelon: Any, rank: int) -> list[int]:
    """The columns of the leading entries of a matrix in row echelon form."""
    width = range(echelon.ncols())
    return [next(c for c in width if echelon[r, c] != 0) for r in range(rank)]


def proved(cells: Cells, value: Fraction, x: Mixture, y: Mixture) -> bool:
    """Whether x and y are mixtures and no pure reply to either gains: the proof of optimality."""
    for share in (x, y):
        if any(part < 0 for part in share) or sum(share) != 1:
            return False
    turned = list(zip(*cells, strict=True))
    return min(payments(cells, x)) >= value and max(payments(turned, y)) <= value


def payments(cells: Sequence[Sequence[int]], x: Mixture) -> list[Fraction]:
    """What a mixture of rows gets in each column."""
    used = [i for i, share in enumerate(x) if share]
    denominator = common_denominator([x[i] for i in used])
    tops = [x[i].numerator * (denominator // x[i].denominator) for i in used]
    found = fmpz_mat([tops]) * fmpz_mat([list(cells[i]) for i in used])
    return [Fraction(int(found[0, j]), denominator) for j in range(len(cells[0]))]


def common_denominator(numbers: list[Fraction]) -> int:
    """The least common denominator."""
    out = fmpz(1)
    for number in numbers:
        out = out.lcm(number.denominator)
    return int(out)


# -- The simplex method, in integers. -------------------------------------------------------------


def by_replies(
    cells: Cells, rows: list[int], columns: list[int]
) -> tuple[Fraction, Mixture, Mixture]:
    """Value and optimal mixtures: the game of some rows and columns, to which the best reply of
    either player is added as long as it gains."""
    turned = list(zip(*cells, strict=True))
    while True:
        value, x, y = simplex([[cells[i][j] for j in columns] for i in rows])
        mine, theirs = spread(x, rows, len(cells)), spread(y, columns, len(cells[0]))
        paid, got = payments(cells, mine), payments(turned, theirs)
        worst, best = min(paid), max(got)
        if worst >= value >= best:
            return value, mine, theirs
        if worst < value:
            columns = [*columns, paid.index(worst)]
        if best > value:
            rows = [*rows, got.index(best)]


def simplex(cells: Cells) -> tuple[Fraction, Mixture, Mixture]:
    """Value and optimal mixtures by the simplex method, without a float and without division.

    With all cells made positive: the most q[1] + … + q[n] such that sum of q[j] a[i][j] <= 1 for
    every row; its dual are the rows' shares. Cells of the tableau are integers over one common
    denominator (Edmonds). The steepest column enters, but as long as nothing is gained the first
    one does (Bland), which cannot cycle."""
    m, n = len(cells), len(cells[0])
    shift = 1 - min(map(min, cells))
    table: Any = np.zeros((m + 1, n + m + 1), object)
    for i, given in enumerate(cells):
        table[i, :n] = [cell + shift for cell in given]
        table[i, n + i] = 1
        table[i, -1] = 1
    table[m, :n] = -1
    basis = list(range(n, n + m))
    denominator: Any = 1
    stuck = False
    while True:
        column = _entering(table[m, :-1], first=stuck)
        if column < 0:
            break
        row = _leaving(table, column, basis)
        stuck = table[row, -1] == 0
        pivot = table[row, column]
        old = table[row].copy()
        factors = table[:, column].copy()
        table = (table * pivot - np.outer(factors, old)) // denominator
        table[row] = old
        denominator = pivot
        basis[row] = column
    total = table[m, -1]
    y, x = [Fraction(0)] * n, [Fraction(int(table[m, n + i]), int(total)) for i in range(m)]
    for i, b in enumerate(basis):
        if b < n:
            y[b] = Fraction(int(table[i, -1]), int(total))
    return Fraction(denominator, int(total)) - shift, x, y


def _entering(costs: Any, *, first: bool) -> int:
    """The column that enters the basis; -1 if the tableau is optimal."""
    negative = [j for j, cost in enumerate(costs) if cost < 0]
    if not negative:
        return -1
    return negative[0] if first else min(negative, key=lambda j: costs[j])


def _leaving(table: Any, column: int, basis: list[int]) -> int:
    """The row that leaves the basis: the least ratio, of equal ones the lowest variable."""
    rows = [i for i in range(len(basis)) if table[i, column] > 0]
    return min(rows, key=lambda i: (Fraction(table[i, -1], table[i, column]), basis[i]))
