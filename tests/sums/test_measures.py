"""Stops, thermographs, reduced forms, atomic weights, ordinal sums."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from xml.etree import ElementTree

import naive_values as naive
import pytest

from perfectplay.errors import UsageError
from perfectplay.sums import STAR, UP, ZERO, Short, integer, nimber, number, parse, tiny, up

RNG = random.Random(23)


def short(g: naive.Tree) -> Short:
    return Short.of(map(short, g[0]), map(short, g[1]))


VALUES = [short(naive.random_tree(RNG, RNG.randint(2, 5), 3)) for _ in range(60)]


@cache
def stop(g: Short, player: int) -> Fraction:
    """A stop by its definition."""
    if g.is_number:
        return g.number
    if player == 0:
        return max(stop(h, 1) for h in g.left)
    return min(stop(h, 0) for h in g.right)


def test_stops() -> None:
    for g in VALUES:
        assert (g.left_stop, g.right_stop) == (stop(g, 0), stop(g, 1))


def test_birthdays() -> None:
    for g in VALUES:
        assert g.birthday == max([h.birthday + 1 for h in (*g.left, *g.right)], default=0)


def test_thermographs_are_what_cooled_values_stop_at() -> None:
    """At price t the walls are the stops of the value cooled by t."""
    for g in VALUES:
        shape = g.thermograph()
        for t in [Fraction(n, 8) for n in range(-6, 20)]:
            cool = g.cooled(t)
            assert shape.at(t) == (cool.left_stop, cool.right_stop), (g, t)
        assert shape.at(shape.temperature) == (shape.mean, shape.mean)
        assert g.right_stop <= g.mean <= g.left_stop


def test_many_copies_are_worth_their_mean() -> None:
    for text in ("{2|1||0}", "{3||1|-2}", "{4|-4}"):
        g = parse(text)
        many = 12 * g
        assert abs(many.left_stop - 12 * g.mean) <= g.temperature
        assert abs(many.right_stop - 12 * g.mean) <= g.temperature


def test_thermographs_are_drawn() -> None:
    for g in [*VALUES[:20], ZERO, STAR, number(Fraction(3, 8)), integer(-5)]:
        root = ElementTree.fromstring(g.thermograph().picture(str(g)))
        assert root.get("viewBox")


def test_reduced_forms_forget_infinitesimals_and_nothing_else() -> None:
    small = [STAR, up(2, 3), tiny(1), parse("{^|*,v}")]
    for g in VALUES:
        form = g.reduced()
        assert (g - form).is_infinitesimal
        assert form.reduced() is form
        for epsilon in small:
            assert (g + epsilon).reduced() is form
        assert form.birthday <= g.birthday


def test_atomic_weights_add_up() -> None:
    """Weights of all-small values add; 2 is enough to win, and weight 0 follows for nimbers."""
    rng = random.Random(5)

    def small(depth: int) -> Short:
        if depth == 0:
            return ZERO
        sides = [[small(rng.randrange(depth)) for _ in range(rng.randint(1, 2))] for _ in range(2)]
        return Short.of(*sides)

    games = [small(rng.randint(1, 4)) for _ in range(60)]
    for g, h in zip(games, reversed(games), strict=True):
        assert g.is_all_small
        assert (g + h).atomic_weight() is g.atomic_weight() + h.atomic_weight()
        assert (-g).atomic_weight() is -g.atomic_weight()
        if g.atomic_weight() >= 2:
            assert g > 0
    for weight in range(-4, 5):
        for nim in range(5):
            assert up(weight, nim).atomic_weight() == weight
    assert parse("{^|*,v}").atomic_weight() is parse("{^|*,v}").atomic_weight()
    with pytest.raises(UsageError, match="not all-small"):
        parse("+-1").atomic_weight()


@pytest.mark.parametrize(
    ("base", "top", "expected"),
    [
        ("1", "1", "2"),
        ("1", "-1", "1/2"),
        ("1", "-2", "1/4"),
        ("*", "*", "*2"),
        ("*", "1", "^*"),
        ("-1", "1", "-1/2"),
        ("0", "{1|-1}", "+-1"),
        ("*2", "*3", "*5"),
        ("*", "-1", "v*"),
    ],
)
def test_ordinal_sums(base: str, top: str, expected: str) -> None:
    """Hackenbush: an edge with more on top of it."""
    assert str(parse(base).ordinal_sum(parse(top))) == expected


def test_numbers_and_nimbers_as_such() -> None:
    assert number(Fraction(3, 8)).number == Fraction(3, 8)
    assert nimber(7).nim == 7
    assert integer(4) == 4
    assert number(Fraction(1, 2)) == Fraction(1, 2)
    assert {integer(4): "four"}[4] == "four"
    assert parse("{2|0}").is_number is False
    assert [g.is_infinitesimal for g in (ZERO, UP, tiny(3), integer(1))] == [
        True,
        True,
        True,
        False,
    ]
