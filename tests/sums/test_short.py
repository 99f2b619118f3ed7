"""Canonical forms against naive play, and the laws of a group and of a partial order."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import naive_values as naive
import pytest

from perfectplay.errors import UsageError
from perfectplay.sums import (
    STAR,
    UP,
    ZERO,
    Short,
    integer,
    nimber,
    number,
    parse,
    switch,
    tiny,
    up,
    value,
)


def short(g: naive.Tree) -> Short:
    return Short.of(map(short, g[0]), map(short, g[1]))


def tree(g: Short) -> naive.Tree:
    """The canonical form as plain tuples."""
    return tuple(map(tree, g.left)), tuple(map(tree, g.right))


RNG = random.Random(7)
TREES = [naive.random_tree(RNG, RNG.randint(1, 4)) for _ in range(120)]


def test_forms_are_worth_what_was_given() -> None:
    for g in TREES:
        form = tree(short(g))
        assert naive.at_most(g, form)
        assert naive.at_most(form, g)
        assert naive.outcome(g, naive.negative(form)) == "P"


def test_forms_are_canonical() -> None:
    """No option is dominated and none is reversible, by the definitions."""
    for g in TREES:
        form = tree(short(g))
        for player in (0, 1):
            side = form[player]
            for a, b in itertools.permutations(side, 2):
                assert not naive.at_most(*((a, b) if player == 0 else (b, a)))
            for a in side:
                for reply in a[1 - player]:
                    pair = (reply, form) if player == 0 else (form, reply)
                    assert not naive.at_most(*pair)


def test_order_is_that_of_play() -> None:
    for g, h in itertools.product(TREES[:40], repeat=2):
        a, b = short(g), short(h)
        expected = naive.at_most(g, h)
        assert (a <= b) == expected
        assert (b >= a) == expected
        assert (a - b).outcome == naive.outcome(g, naive.negative(h))
        assert (a == b) == (expected and naive.at_most(h, g)) == (a is b)
        assert a.confused(b) == (not expected and not naive.at_most(h, g))


def test_sums_are_worth_both() -> None:
    for g, h in zip(TREES, reversed(TREES), strict=True):
        total = tree(short(g) + short(h))
        assert naive.outcome(g, h, naive.negative(total)) == "P"


def test_the_laws_of_a_group_and_of_a_partial_order() -> None:
    values = [short(g) for g in TREES[:14]] + [UP, STAR, number(Fraction(3, 4)), tiny(1)]
    for a, b, c in itertools.product(values, repeat=3):
        assert (a + b) + c is a + (b + c)
        assert not (a <= b <= c) or a <= c
        assert (a <= b) == (a + c <= b + c)
    for a, b in itertools.product(values, repeat=2):
        assert a + b is b + a
        assert not (a <= b <= a) or a is b
        assert -(a + b) is -a - b
    for a in values:
        assert a + ZERO is a
        assert a - a is ZERO
        assert (-a) * -1 is a
        assert a <= +a


def test_all_games_of_day_two() -> None:
    """There are 4 values born by day 1 and 22 by day 2 (Siegel, chapter III.1)."""
    first = {short(g) for g in naive.born_by(1)}
    assert first == {ZERO, integer(1), integer(-1), STAR}
    second = {
        Short.of(left, right)
        for n in range(5)
        for left in itertools.combinations(first, n)
        for k in range(5)
        for right in itertools.combinations(first, k)
    }
    assert len(second) == 22
    assert {g.birthday for g in second} == {0, 1, 2}


def test_plain_values_have_the_options_they_say() -> None:
    """Numbers, ups and nimbers are known by four integers; their options must give them back."""
    for m, e, ups, nim in itertools.product(range(-5, 6), (0, 1, 3), range(-4, 5), range(5)):
        g = number(Fraction(m, 1 << e)) + up(ups, nim)
        again = Short.of(g.left, g.right)
        assert again is g
        assert g.birthday == max([h.birthday + 1 for h in (*g.left, *g.right)], default=0)


def test_plain_values_are_ordered_as_their_trees() -> None:
    values = [up(ups, nim) for ups in range(-3, 4) for nim in range(4)]
    trees = {g: tree(g) for g in values}
    for g, h in itertools.product(values, repeat=2):
        assert (g <= h) == naive.at_most(trees[g], trees[h])
        total = tree(g + h)
        assert naive.at_most(total, total)


def test_sums_of_plain_values_are_those_of_their_trees() -> None:
    values = [up(ups, nim) for ups in (-2, 0, 1) for nim in range(3)] + [number(Fraction(3, 4))]
    for g, h in itertools.product(values, repeat=2):
        left = [x + h for x in g.left] + [g + x for x in h.left]
        right = [x + h for x in g.right] + [g + x for x in h.right]
        assert Short.of(left, right) is g + h


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("2 + 3/4", "6 + 1/2", "3"),
        ("-5", "2 + 5/8", "0"),
        ("0", "1", "1/2"),
        ("1/4", "5/16", "9/32"),
        ("1/4", "7/16", "3/8"),
        ("-23/8", "-67/32", "-5/2"),
        ("1/2", "2", "1"),
    ],
)
def test_the_simplest_number(left: str, right: str, expected: str) -> None:
    assert str(Short.of([parse(left)], [parse(right)])) == expected


def test_multiples() -> None:
    g = parse("{2|0}")
    total = ZERO
    for n in range(9):
        assert n * g is total
        assert -n * g is -total
        total += g
    assert 10**30 * integer(1) == 10**30
    assert 5 * up(2, 3) is up(10, 3)


def test_plain_values_are_added_to_switches_as_by_the_definition() -> None:
    for x, y in ((1, -1), (2, 0), (0, -3)):
        for ups, nim in itertools.product(range(-3, 4), range(4)):
            g, h = switch(x, y), up(ups, nim)
            left = [option + h for option in g.left] + [g + option for option in h.left]
            right = [option + h for option in g.right] + [g + option for option in h.right]
            assert Short.of(left, right) is g + h
    assert str(switch(2, 0) + nimber(10**9)) == "{2*1000000000|*1000000000}"


def test_large_and_deep_values_do_not_run_out_of_depth() -> None:
    assert integer(10**6).birthday == 10**6
    assert switch(10**6) + 10**6 is parse(f"{{{2 * 10**6}|0}}")
    assert number(Fraction(1, 1 << 5000)) > 0
    g = ZERO
    for n in range(2500):
        g = Short.of([g], [-n])
    assert g.birthday >= 2500
    assert (-g) * -1 is g
    assert g + 1 - 1 is g
    assert g.left_stop >= g.right_stop
    assert g.temperature > 0


def test_what_is_no_value() -> None:
    with pytest.raises(UsageError, match="1/3 is no value"):
        number(Fraction(1, 3))
    with pytest.raises(UsageError, match="made from its options"):
        Short()
    with pytest.raises(UsageError, match="no heap"):
        nimber(-1)
    with pytest.raises(UsageError, match="float"):
        value(0.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no number"):
        _ = STAR.number
