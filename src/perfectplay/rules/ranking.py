"""Numbers for arrangements: blocks from which rules build `rank` and `unrank`.

Each block numbers all things of one kind from 0 on, without gaps, and comes in pairs:

    rank_set(bits)            nth_set(members, i)                 C(points, members) sets
    rank_seeds(p, f, pits)    nth_seeds(seeds, i, f, pits)        C(seeds + pits - 1, pits - 1)
    rank_arrangement(p, f, n, k)   nth_arrangement(n, k, i, f)    n (n - 1) … (n - k + 1)
    rank_even(p, f, n)        nth_even(n, i, f)                   n! / 2
    rank_mixed(digits, limits)     nth_mixed(i, limits)           product of the limits

A set is an integer, one bit for each of at most 63 points. Seeds and arrangements are integers
with fields side by side (packing.py): `f` is the first of them. `within` and `spread` lead from
sets of points to sets among those that are left, so that sets that do not overlap are numbered one
after the other: rank_set(a) * C(points - members of a, members of b) + rank_set(within(b, free)).
`set_classes` numbers sets up to symmetry.

All functions compile as they stand, inside compiled rules. Nothing checks that numbers are in
range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfectplay.rules.digits import digit, nth_mixed, rank_mixed
from perfectplay.rules.packing import get

__all__ = [
    "FACTORIAL", "SetClasses", "choose", "digit", "image", "image_table", "least_image", "members",
    "nth_arrangement", "nth_even", "nth_mixed", "nth_seeds", "nth_set", "odd", "rank_arrangement",
    "rank_even", "rank_mixed", "rank_seeds", "rank_set", "set_classes", "spread", "within",
]  # fmt: skip

Array = NDArray[Any]

POINTS = 63
"""Points of a set at most."""


def _choose() -> Array:
    table = np.zeros((POINTS + 2, POINTS + 2), np.int64)
    for n in range(POINTS + 2):
        for k in range(n + 1):
            table[n, k] = min(comb(n, k), 2**63 - 1)
    return table


CHOOSE = _choose()
"""Binomial coefficients: CHOOSE[n, k] for n up to 64."""

FACTORIAL = np.array([np.prod(np.arange(1, n + 1, dtype=np.int64)) for n in range(21)], np.int64)
"""n! for n up to 20."""

_COUNT = np.array([bin(byte).count("1") for byte in range(256)], np.int64)


def _byte_ranks() -> Array:
    """What byte number b of a set adds to its rank, if `below` members lie in lower bytes: at
    256 * (4 b b - 3 b + below) + byte."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    earlier = np.cumsum(bits, axis=1)  # members up to and including each bit
    found = []
    for number in range(8):
        for below in range(8 * number + 1):
            points = np.minimum(8 * number + np.arange(8), POINTS)
            found.append((CHOOSE[points, below + earlier] * bits).sum(axis=1))
    return np.concatenate(found)


_BYTE_RANK = _byte_ranks()


def _gathered() -> tuple[Array, Array]:
    """For each byte of free points and each byte, at 256 * free + byte: the bits at free points
    pushed together, and the lowest bits spread over the free points."""
    together, apart = np.zeros((256, 256), np.uint8), np.zeros((256, 256), np.uint8)
    every = np.arange(256)
    for free in range(256):
        for k, point in enumerate(point for point in range(8) if free >> point & 1):
            together[free] |= ((every >> point & 1) << k).astype(np.uint8)
            apart[free] |= ((every >> k & 1) << point).astype(np.uint8)
    return together.ravel(), apart.ravel()


_TOGETHER, _APART = _gathered()


# -- Sets. ----------------------------------------------------------------------------------------


def choose(n: int, k: int) -> int:
    """How many sets of k there are among n points: the binomial coefficient, for n up to 64."""
    return int(CHOOSE[n, k])


def members(bits: int) -> int:
    """How many points a set has."""
    count = 0
    while bits:
        count += int(_COUNT[bits & 255])
        bits >>= 8
    return count


def rank_set(bits: int) -> int:
    """The number of a set among those with as many members: in the order of the integers."""
    rank = below = number = 0
    while bits:
        byte = bits & 255
        rank += int(_BYTE_RANK[256 * (4 * number * number - 3 * number + below) + byte])
        below += int(_COUNT[byte])
        number += 1
        bits >>= 8
    return rank


def nth_set(size: int, i: int, points: int = POINTS) -> int:
    """The set with `size` of so many points that has number i."""
    bits = 0
    point = points
    for k in range(size, 0, -1):
        point -= 1
        while CHOOSE[point, k] > i:
            point -= 1
        bits |= 1 << point
        i -= int(CHOOSE[point, k])
    return bits


def within(bits: int, free: int) -> int:
    """A set of `free` points as a set among these alone: point k is the k-th free one."""
    found = shift = 0
    while free:
        byte = free & 255
        found |= int(_TOGETHER[(byte << 8) | (bits & 255)]) << shift
        shift += int(_COUNT[byte])
        free >>= 8
        bits >>= 8
    return found


def spread(bits: int, free: int) -> int:
    """The inverse of `within`: the k-th point becomes the k-th free one."""
    found = shift = 0
    while free:
        byte = free & 255
        here = int(_COUNT[byte])
        found |= int(_APART[(byte << 8) | (bits & ((1 << here) - 1))]) << shift
        bits >>= here
        shift += 8
        free >>= 8
    return found


# -- Seeds in pits. -------------------------------------------------------------------------------


def rank_seeds(p: int, field: tuple[int, int], pits: int) -> int:
    """The number of a distribution of seeds over pits among those of as many seeds; `field` holds
    the first pit, the others follow."""
    rank = bar = 0
    for k in range(1, pits):
        bar += get(p, field, k - 1)
        rank += int(CHOOSE[bar + k - 1, k])
    return rank


def nth_seeds(seeds: int, i: int, field: tuple[int, int], pits: int) -> int:
    """The distribution of so many seeds that has number i."""
    low, bits = field
    p = 0
    left = seeds  # seeds in the first k pits
    for k in range(pits - 1, 0, -1):
        before = left
        while CHOOSE[before + k - 1, k] > i:
            before -= 1
        i -= int(CHOOSE[before + k - 1, k])
        p |= (left - before) << (low + bits * k)
        left = before
    return p | (left << low)


# -- Arrangements. --------------------------------------------------------------------------------


def rank_arrangement(p: int, field: tuple[int, int], n: int, k: int) -> int:
    """The number of an arrangement of k different things out of n (0 … n - 1): k fields, of which
    `field` is the first. With k = n: of a permutation."""
    rank = seen = 0
    for place in range(k):
        thing = get(p, field, place)
        rank = rank * (n - place) + thing - members(seen & ((1 << thing) - 1))
        seen |= 1 << thing
    return rank


def nth_arrangement(n: int, k: int, i: int, field: tuple[int, int]) -> int:
    """The arrangement of k things out of n that has number i."""
    low, bits = field
    each = 1
    for place in range(1, k):
        each *= n - place
    p = 0
    left = (1 << n) - 1
    for place in range(k):
        skip = i // each
        i -= skip * each
        if place < k - 1:
            each //= n - place - 1
        rest = left
        for _ in range(skip):
            rest &= rest - 1
        thing = members((rest & -rest) - 1)
        left &= ~(1 << thing)
        p |= thing << (low + bits * place)
    return p


def odd(p: int, field: tuple[int, int], n: int) -> int:
    """1 for an odd permutation of n things, 0 for an even one."""
    swaps = seen = 0
    for place in range(n):
        thing = get(p, field, place)
        swaps += members(seen >> thing)
        seen |= 1 << thing
    return swaps & 1


def rank_even(p: int, field: tuple[int, int], n: int) -> int:
    """The number of a permutation among those of its parity."""
    return rank_arrangement(p, field, n, n) >> 1


def nth_even(n: int, i: int, field: tuple[int, int], parity: int = 0) -> int:
    """The even permutation of n things, or with `parity` 1 the odd one, that has number i."""
    p = nth_arrangement(n, n, 2 * i, field)
    if odd(p, field, n) == parity:
        return p
    low, bits = field  # its neighbour differs in the last two things
    place = low + bits * (n - 2)
    a, b = get(p, field, n - 2), get(p, field, n - 1)
    return p ^ ((a ^ b) << place) ^ ((a ^ b) << (place + bits))


# -- Sets up to symmetry. -------------------------------------------------------------------------


class SetClasses(NamedTuple):
    """Sets with one number of members, up to symmetry. Arrays, for attributes of a game."""

    code: Array
    """By rank of a set: 64 * its class + a symmetry that leads to the first set of the class."""
    first: Array
    """By class: its first set."""
    stabiliser: Array
    """By class: which symmetries leave the first set as it is, one bit for each."""


def image_table(symmetries: Iterable[Sequence[int]], points: int) -> Array:
    """What `image` reads: for each symmetry, which is the list of where points go, the images of
    every byte. The first symmetry must be the identity; there may be 63."""
    found = []
    for where in symmetries:
        rows = np.zeros((-(-points // 8), 256), np.int64)
        for point in range(points):
            bit = np.arange(256) >> (point & 7) & 1
            rows[point >> 3] |= bit << where[point]
        found.append(rows)
    return np.stack(found)


def image(images: Array, symmetry: int, bits: int) -> int:
    """A set as a symmetry shows it."""
    found = number = 0
    while bits:
        found |= int(images[symmetry, number, bits & 255])
        number += 1
        bits >>= 8
    return found


def least_image(images: Array, symmetries: int, bits: int) -> int:
    """The least image of a set under some symmetries, one bit for each."""
    least = bits
    symmetries >>= 1
    s = 1
    while symmetries:
        if symmetries & 1:
            least = min(least, image(images, s, bits))
        symmetries >>= 1
        s += 1
    return least


def set_classes(images: Array, points: int, size: int) -> SetClasses:
    """The classes of sets with `size` of so many points, in the order of their least sets.

    To number pairs of sets up to symmetry: `code` of one, which a symmetry brings to the first of
    its class; the other goes along, and then to its `least_image` under the stabiliser. Where a
    number unranks to a set that is not least, it is a hole."""
    total = comb(points, size)
    sets = np.fromiter(
        (sum(1 << point for point in chosen) for chosen in combinations(range(points), size)),
        np.int64,
        total,
    )
    sets.sort()
    turned = np.stack([_images(images[s], sets) for s in range(len(images))])
    first = turned.min(axis=0) == sets
    firsts = sets[first]
    to_first = turned.argmin(axis=0)
    classes = np.searchsorted(firsts, turned.min(axis=0))
    same = (turned[:, first] == firsts).astype(np.int64)
    stabiliser = (same << np.arange(len(images))[:, None]).sum(axis=0)
    return SetClasses((classes * 64 + to_first).astype(np.int32), firsts, stabiliser)


def _images(table: Array, sets: Array) -> Array:
    """Many sets as one symmetry shows them."""
    found = np.zeros_like(sets)
    for number, row in enumerate(table):
        found |= row[sets >> (8 * number) & 255]
    return found
