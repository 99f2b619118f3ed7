"""All optimal mixtures of a matrix game: the extreme points of the set that they form.

The optimal mixtures of the row player are a polytope: shares that are not negative, that add up
to 1, and that every column pays at least the value. Two facts make it small. With any optimal
mixtures x and y at hand, rows that do worse than the value against y are never used, and columns
that y uses pay every optimal mixture exactly the value (complementary slackness). What is left of
the mixtures is a flat of some dimension, a single point more often than not; its corners are
found by the double description method (Motzkin and others 1953): half-spaces are cut off one after
the other, and an edge that is cut gives a new corner."""

from fractions import Fraction
from itertools import product

from flint import fmpq, fmpq_mat

from perfectplay.errors import TooLargeError
from perfectplay.solvers.matrix.matrix_game import (
    Cells,
    Mixture,
    classes,
    common_denominator,
    payments,
    pivots,
    primitive,
    ranks,
    spread,
)

Vector = list[int]


def extreme_points(cells: Cells, value: Fraction, y: Mixture, most: int) -> list[Mixture]:
    """All extreme optimal mixtures of rows, sorted, the largest first. `y` is any optimal mixture
    of columns; more than `most` points are refused."""
    groups = classes(ranks(cells))
    turned = list(zip(*cells, strict=True))
    got = payments(turned, y)
    usable = [group for group in groups if got[group[0]] == value]
    rows = [group[0] for group in usable]
    used = [j for j, share in enumerate(y) if share]
    corners = _corners([[Fraction(c) - value for c in cells[i]] for i in rows], used, most)
    found: list[Mixture] = []
    for corner in corners:  # of equal rows any one may be played
        choices = [
            group if share else group[:1] for share, group in zip(corner, usable, strict=True)
        ]
        for chosen in product(*choices):
            if len(found) == most:
                raise _too_many(most)
            found.append(spread(corner, chosen, len(cells)))
    return sorted(found, reverse=True)


def _too_many(most: int) -> TooLargeError:
    return TooLargeError(
        f"there are more than {most:,} extreme optimal mixtures",
        "leave out --all (`all` in Python): one optimal mixture is proved without them",
    )


def _corners(worth: list[list[Fraction]], used: list[int], most: int) -> list[Mixture]:
    """The extreme points of {x >= 0, sum 1, sum of x[i] worth[i] >= 0 in every column, = 0 in
    those that are used}."""
    rows, columns = len(worth), len(worth[0])
    equal = [[row[j] for row in worth] for j in used]
    basis = _nullspace(equal, rows)
    if len(basis) == 1:
        total = sum(basis[0])
        return [[Fraction(part, total) for part in basis[0]]]
    others = [j for j in range(columns) if j not in set(used)]
    planes = [[vector[i] for vector in basis] for i in range(rows)]
    planes += [
        _whole([_dot(vector, [row[j] for row in worth]) for vector in basis]) for j in others
    ]
    planes = [list(plane) for plane in dict.fromkeys(tuple(primitive(p)) for p in planes)]
    out = []
    for ray in _rays([plane for plane in planes if any(plane)], most):
        point = [sum(c * v[i] for c, v in zip(ray, basis, strict=True)) for i in range(rows)]
        total = sum(point)
        out.append([Fraction(part, total) for part in point])
    return out


def _dot(vector: Vector, other: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(vector, other, strict=True)), Fraction(0))


def _whole(numbers: list[Fraction]) -> Vector:
    """Numbers times their least common denominator."""
    common = common_denominator(numbers)
    return [int(number * common) for number in numbers]


def _nullspace(equations: list[list[Fraction]], size: int) -> list[Vector]:
    """Integer vectors that span all solutions of equations whose right sides are zero."""
    if not equations:
        return [[int(i == k) for i in range(size)] for k in range(size)]
    cells = [fmpq(c.numerator, c.denominator) for row in equations for c in row]
    found, rank = fmpq_mat(len(equations), size, cells).rref()
    leading = pivots(found, rank)
    out = []
    for free in (c for c in range(size) if c not in set(leading)):
        vector = [Fraction(0)] * size
        vector[free] = Fraction(1)
        for r, pivot in enumerate(leading):
            vector[pivot] = -Fraction(int(found[r, free].p), int(found[r, free].q))
        out.append(primitive(_whole(vector)))
    return out


def _rays(planes: list[Vector], most: int) -> list[Vector]:
    """The extreme rays of the pointed cone {z: plane . z >= 0 for all planes}."""
    size = len(planes[0])
    first = _independent(planes, size)
    inverse = fmpq_mat(size, size, [fmpq(x) for k in first for x in planes[k]]).inv()
    rays: list[tuple[Vector, frozenset[int]]] = []
    for c in range(size):
        ray = [Fraction(int(inverse[r, c].p), int(inverse[r, c].q)) for r in range(size)]
        rays.append((primitive(_whole(ray)), frozenset(first) - {first[c]}))
    for k in (k for k in range(len(planes)) if k not in set(first)):
        rays = _cut(rays, planes[k], k, size)
        if len(rays) > 4 * most:
            raise _too_many(most)
    return [ray for ray, _ in rays]


def _independent(planes: list[Vector], size: int) -> list[int]:
    """Numbers of as many independent planes as the space has dimensions."""
    cells = [fmpq(plane[r]) for r in range(size) for plane in planes]
    return pivots(*fmpq_mat(size, len(planes), cells).rref())


def _cut(
    rays: list[tuple[Vector, frozenset[int]]], plane: Vector, number: int, size: int
) -> list[tuple[Vector, frozenset[int]]]:
    """The rays of a cone of which a half-space is cut off. A ray knows the planes it lies in; two
    are neighbours if no third one lies in all planes that they share."""
    sides = [sum(a * b for a, b in zip(plane, ray, strict=True)) for ray, _ in rays]
    inside = [(each, s) for each, s in zip(rays, sides, strict=True) if s > 0]
    outside = [(each, s) for each, s in zip(rays, sides, strict=True) if s < 0]
    kept = [each for each, _ in inside]
    kept += [(r, zeros | {number}) for (r, zeros), s in zip(rays, sides, strict=True) if s == 0]
    for (a, a_zeros), a_side in inside:
        for (b, b_zeros), b_side in outside:
            shared = a_zeros & b_zeros
            if len(shared) < size - 2:
                continue
            if sum(shared <= zeros for _, zeros in rays) > 2:
                continue
            new = [a_side * y - b_side * x for x, y in zip(a, b, strict=True)]
            kept.append((primitive(new), shared | {number}))
    return kept
