"""A dartboard: where a dart lands that is aimed at a field, as integer weights.

Fields are numbered 0 (a miss), then 3 * sector + ring for the single, double and treble of each
sector (rings 1, 2, 3; sector 0 is at the top, then clockwise), then the outer bull and the bull.
A table of throws has a row for each field aimed at and a column for each field hit.

Two models. `by_rings` takes a player's weights for sectors and rings. `by_sigma` lets darts fall
around the point aimed at by an isotropic normal distribution with a standard deviation of `sigma`
millimetres in each direction (Tibshirani, Price and Taylor 2011) on a board of regulation size.
Players aim at the middle of a field; at a single, between treble and double; at the outer bull,
above the bull. Chances are integrals of the distribution over the fields, rounded to parts in
100,000 so that they add up.
"""

from functools import cache
from math import cos, erf, exp, pi, sqrt

import numpy as np

from perfectplay.compiled.arrays import Ints

SINGLE, DOUBLE, TREBLE = 1, 2, 3
EDGES = (0, 6.35, 15.9, 99, 107, 162, 170)
"""Radii in mm: bull, outer bull, single, treble, single, double."""
AIMED = {SINGLE: (107 + 162) / 2, DOUBLE: (162 + 170) / 2, TREBLE: (99 + 107) / 2}
"""How far from the centre players aim, by ring."""
OUTER = (6.35 + 15.9) / 2
PARTS = 100_000
PANELS = 8
"""Parts of a sector in which the distribution is integrated separately, by 16 nodes each."""


def by_rings(
    number: int,
    sector: tuple[int, int],
    single: tuple[int, int, int],
    double: tuple[int, int, int],
    treble: tuple[int, int],
    outer: tuple[int, int, int],
    bull: tuple[int, int, int],
) -> Ints:
    """Throws by the weights of a player, on a board of so many sectors: see darts.py."""
    rings = {
        SINGLE: (0, *single),
        DOUBLE: (double[2], double[1], double[0], 0),
        TREBLE: (0, treble[1], 0, treble[0]),
    }
    table = np.zeros((3 * number + 3, 3 * number + 3), np.int64)
    for at in range(number):
        for ring, weights in rings.items():
            for side in (-1, 0, 1):
                for factor, weight in enumerate(weights):
                    hit = 3 * ((at + side) % number) + factor if factor else 0
                    table[3 * at + ring, hit] += sector[abs(side)] * weight
    for aim, (hit_outer, hit_bull, singles) in enumerate((outer, bull), 3 * number + 1):
        table[aim, 3 * number + 1 :] = number * hit_outer, number * hit_bull
        table[aim, 1 : 3 * number : 3] = singles  # all of them together
    return table


def by_sigma(number: int, sigma: float) -> Ints:
    """Throws with a standard deviation of `sigma` mm, on a board of so many sectors."""
    table = np.zeros((3 * number + 3, 3 * number + 3), np.int64)
    for ring in (SINGLE, DOUBLE, TREBLE):
        row = whole(chances(number, AIMED[ring], sigma))
        for at in range(number):  # as at the top, but turned
            fields = np.roll(row[1 : 3 * number + 1], 3 * at)
            table[3 * at + ring] = [row[0], *fields, *row[3 * number + 1 :]]
    table[3 * number + 1] = whole(chances(number, OUTER, sigma))
    table[3 * number + 2] = whole(chances(number, 0.0, sigma))
    return table


def fitted(chance: float, ring: int = TREBLE, number: int = 20) -> float:
    """The sigma, in mm, of a player who hits a field of this ring that often: an accuracy."""
    low, high = 1.0, 200.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        better = chances(number, AIMED[ring], middle)[ring] > chance
        low, high = (middle, high) if better else (low, middle)
    return (low + high) / 2


def expected(board: tuple[int, ...], sigma: float) -> dict[str, float]:
    """The mean points of a dart aimed at each field, by the field's name."""
    points = [0.0] + [factor * n for n in board for factor in (1, 2, 3)] + [25.0, 50.0]
    table, names = by_sigma(len(board), sigma), field_names(board)
    return {names[aim]: float(table[aim] @ points) / PARTS for aim in range(1, len(points))}


def field_names(board: tuple[int, ...]) -> list[str]:
    """What fields are called: miss, 20, D20, T20, …, outer, bull."""
    named = [f"{ring}{points}" for points in board for ring in ("", "D", "T")]
    return ["miss", *named, "outer", "bull"]


@cache
def chances(number: int, far: float, sigma: float, turned: float = 0.0) -> tuple[float, ...]:
    """The chance of each field for a dart aimed `far` mm from the centre, `turned` radians
    clockwise from the top."""
    found = [0.0] * (3 * number + 3)
    nodes, shares = np.polynomial.legendre.leggauss(16)
    rings = (0, 0, SINGLE, TREBLE, SINGLE, DOUBLE)
    wide = 2 * pi / number / PANELS
    for sector in range(number):
        for panel in range(PANELS):
            begin = (sector - 0.5) * 2 * pi / number + panel * wide
            for node, share in zip(nodes, shares, strict=True):
                angle = begin + wide * (float(node) + 1) / 2 - turned
                along = ray(far * cos(angle), far, sigma)
                for i, ring in enumerate(rings):
                    field = 3 * sector + ring if ring else 3 * number + 2 - i
                    found[field] += float(share) * wide / 2 * (along[i + 1] - along[i])
    found[0] = max(0.0, 1 - sum(found))
    return tuple(found)


def ray(near: float, far: float, sigma: float) -> list[float]:
    """The integral of the distribution along a ray from the centre, up to each of the EDGES.
    `near` is how far along the ray the point is that lies nearest to the point aimed at."""
    scale = exp((near * near - far * far) / (2 * sigma * sigma)) / (2 * pi * sigma * sigma)
    return [
        scale
        * (
            near * sigma * sqrt(pi / 2) * erf((r - near) / (sigma * sqrt(2)))
            - sigma * sigma * exp(-((r - near) ** 2) / (2 * sigma * sigma))
        )
        for r in EDGES
    ]


def whole(parts: tuple[float, ...]) -> Ints:
    """Chances in parts of 100,000; what rounding down leaves goes to the largest remainders."""
    exact = [PARTS * part for part in parts]
    rounded = [int(part) for part in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: (rounded[i] - exact[i], i))
    for i in by_rest[: PARTS - sum(rounded)]:
        rounded[i] += 1
    return np.array(rounded, np.int64)
