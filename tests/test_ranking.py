"""Blocks for `rank` and `unrank`: each numbers its things without gaps, also when compiled."""

import itertools
import random
from dataclasses import dataclass
from math import comb, factorial, perm

import numpy as np
import pytest

from perfectplay import Game, solve
from perfectplay.rules import ranking
from perfectplay.rules.packing import Field, at
from perfectplay.rules.ranking import (
    choose,
    digit,
    image,
    image_table,
    least_image,
    members,
    nth_arrangement,
    nth_even,
    nth_seeds,
    nth_set,
    odd,
    rank_arrangement,
    rank_even,
    rank_mixed,
    rank_seeds,
    rank_set,
    set_classes,
    spread,
    within,
)

SQUARE = [
    [3 * (y if flip else x) + (x if flip else y) for x, y in turn]
    for flip in (False, True)
    for turn in (
        [(k // 3, k % 3) for k in range(9)],
        [(k % 3, 2 - k // 3) for k in range(9)],
        [(2 - k // 3, 2 - k % 3) for k in range(9)],
        [(2 - k % 3, k // 3) for k in range(9)],
    )
]
"""The symmetries of a board of 3 x 3 points: where each point goes."""


def packed(things: tuple[int, ...], field: Field) -> int:
    return sum(at(field, thing, k) for k, thing in enumerate(things))


@pytest.mark.parametrize(("points", "size"), [(1, 0), (1, 1), (5, 2), (9, 4), (12, 7), (20, 3)])
def test_sets_are_numbered_in_the_order_of_integers(points: int, size: int) -> None:
    sets = sorted(sum(1 << p for p in c) for c in itertools.combinations(range(points), size))
    assert [rank_set(bits) for bits in sets] == [*range(comb(points, size))]
    assert [nth_set(size, i, points) for i in range(len(sets))] == sets
    assert [nth_set(size, i) for i in range(len(sets))] == sets


def test_large_sets_come_back() -> None:
    chance = random.Random(1)
    for _ in range(300):
        size = chance.randrange(1, 63)
        i = chance.randrange(comb(63, size))
        bits = nth_set(size, i)
        assert (bin(bits).count("1"), rank_set(bits), members(bits)) == (size, i, size)
    assert choose(64, 32) == comb(64, 32)


def test_points_that_are_left_are_counted_by_themselves() -> None:
    chance = random.Random(2)
    for _ in range(300):
        free, among = chance.getrandbits(50), chance.getrandbits(50)
        points = [p for p in range(50) if free >> p & 1]
        bits = among & free
        small = sum(1 << k for k, p in enumerate(points) if bits >> p & 1)
        assert (within(bits, free), spread(small, free)) == (small, bits)


@pytest.mark.parametrize(("seeds", "pits"), [(0, 3), (4, 1), (3, 4), (6, 3), (2, 12)])
def test_seeds_in_pits_are_numbered_without_gaps(seeds: int, pits: int) -> None:
    field = Field(2, 4)
    found = [nth_seeds(seeds, i, field, pits) for i in range(comb(seeds + pits - 1, pits - 1))]
    ways = {c for c in itertools.product(range(seeds + 1), repeat=pits) if sum(c) == seeds}
    assert set(found) == {packed(way, field) for way in ways}
    assert [rank_seeds(p, field, pits) for p in found] == [*range(len(ways))]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 4), (6, 2), (5, 5), (7, 3)])
def test_arrangements_are_numbered_in_the_order_of_tuples(n: int, k: int) -> None:
    field = Field(0, 4)
    every = [packed(things, field) for things in itertools.permutations(range(n), k)]
    assert len(every) == perm(n, k)
    assert [rank_arrangement(p, field, n, k) for p in every] == [*range(len(every))]
    assert [nth_arrangement(n, k, i, field) for i in range(len(every))] == every


@pytest.mark.parametrize("parity", [0, 1])
def test_permutations_of_one_parity_are_numbered_without_gaps(parity: int) -> None:
    n, field = 6, Field(3, 3)
    found = [nth_even(n, i, field, parity) for i in range(factorial(n) // 2)]
    assert {odd(p, field, n) for p in found} == {parity}
    assert len(set(found)) == len(found)
    assert [rank_even(p, field, n) for p in found] == [*range(len(found))]


def test_parity_is_that_of_the_number_of_inversions() -> None:
    for things in itertools.permutations(range(5)):
        inversions = sum(a > b for a, b in itertools.combinations(things, 2))
        assert odd(packed(things, Field(0, 3)), Field(0, 3), 5) == inversions % 2


def test_digits_are_numbered_with_the_last_one_fastest() -> None:
    limits = (3, 1, 4, 2)
    every = [*itertools.product(*map(range, limits))]
    assert [rank_mixed(digits, limits) for digits in every] == [*range(len(every))]
    for i, digits in enumerate(every):
        assert tuple(digit(i, limits, k) for k in range(4)) == digits


def test_classes_of_sets_are_those_that_symmetries_make() -> None:
    images = image_table(SQUARE, 9)

    def turned(bits: int, where: list[int]) -> int:
        return sum(1 << where[p] for p in range(9) if bits >> p & 1)

    for bits in range(512):
        assert [image(images, s, bits) for s in range(8)] == [turned(bits, w) for w in SQUARE]
        assert least_image(images, 255, bits) == min(turned(bits, w) for w in SQUARE)
    for size in range(10):
        classes = set_classes(images, 9, size)
        sets = [bits for bits in range(512) if bin(bits).count("1") == size]
        firsts = sorted({min(turned(bits, w) for w in SQUARE) for bits in sets})
        assert classes.first.tolist() == firsts
        for bits in sets:
            code = int(classes.code[rank_set(bits)])
            assert image(images, code & 63, bits) == classes.first[code >> 6]
        for i, first in enumerate(firsts):
            kept = sum(1 << s for s in range(8) if turned(first, SQUARE[s]) == first)
            assert classes.stabiliser[i] == kept


@dataclass(frozen=True)
class Everything(Game):
    """Count down to 0, or stop there where a block does not give its number back."""

    last: int = 300
    native = True

    def start(self) -> int:
        return self.last

    def good(self, i: int) -> bool:
        field = Field(0, 4)
        bits = nth_set(4, i, 12)
        free = ~bits & 4095
        some = spread(nth_set(2, i % 28, 8), free)
        return (
            rank_set(bits) == i
            and rank_set(within(some, free)) == i % 28
            and rank_seeds(nth_seeds(7, i, field, 5), field, 5) == i
            and rank_arrangement(nth_arrangement(7, 5, i, field), field, 7, 5) == i
            and rank_even(nth_even(6, i, field), field, 6) == i
            and odd(nth_even(6, i, field, 1), field, 6) == 1
            and rank_mixed((digit(i, (7, 50), 0), digit(i, (7, 50), 1)), (7, 50)) == i
            and choose(12, 4) == 495
        )

    def moves(self, p: int):  # type: ignore[no-untyped-def]
        if p > 0 and self.good(p):
            yield 1

    def play(self, p: int, m: int) -> int:
        return p - m


def test_compiled_blocks_give_the_same_numbers() -> None:
    assert all(Everything().good(i) for i in range(301))
    assert solve(Everything()).report["positions"] == 301


def test_tables_are_small_enough_to_be_kept_with_compiled_code() -> None:
    tables = [each for each in vars(ranking).values() if isinstance(each, np.ndarray)]
    assert len(tables) > 3
    assert max(each.nbytes for each in tables) <= 10**6
