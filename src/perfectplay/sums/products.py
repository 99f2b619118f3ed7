"""Ordinal sums, Norton products, heating and cooling.

Each is defined on a form; here it is the canonical form. Sources: Siegel, Combinatorial Game
Theory, chapters II.1, II.5 and II.7; Winning Ways, chapters 6 and 7.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps

from perfectplay.errors import UsageError
from perfectplay.sums.canonical_form import (
    ZERO,
    Short,
    added,
    at_most,
    canonical,
    lefts_of,
    negated,
    plain_value,
    rights_of,
    value,
)


def _once(
    product: Callable[[Short, Short], Short],
) -> Callable[[Short, Short | int | Fraction], Short]:
    """The same product, computed once for every two factors. (A cache of the standard library
    would put the recursion on the machine's stack.)"""
    known: dict[tuple[int, int], Short] = {}

    @wraps(product)
    def found(g: Short, other: Short | int | Fraction) -> Short:
        there = value(other)
        key = (g.id, there.id)
        if key not in known:
            known[key] = product(g, there)
        return known[key]

    return found


@_once
def ordinal_sum(base: Short, top: Short) -> Short:
    """{base's left options, base : top's left | base's right options, base : top's right}. For a
    number on 1 or -1 there is a formula, and a heap of Nim on * has one counter more."""
    if top.is_number and base.is_integer and abs(base.number) == 1:
        return value(base.number * _on_one(base.number * top.number))
    if base.is_nimber and base.nim == 1 and top.is_nimber:
        return plain_value((0, 0, 0, top.nim + 1))
    left = [ordinal_sum(base, h) for h in lefts_of(top)]
    right = [ordinal_sum(base, h) for h in rights_of(top)]
    return canonical([*lefts_of(base), *left], [*rights_of(base), *right])


def _on_one(top: Fraction) -> Fraction:
    """The ordinal sum of 1 and a number: (top + n) / 2^(n - 1), where n is the least of 1, 2, …
    with top + n > 1 (Berlekamp)."""
    n = max(1, math.floor(1 - top) + 1)
    return (top + n) / (1 << (n - 1))


@_once
def norton(g: Short, unit: Short) -> Short:
    """The Norton product: n units if g is the whole number n, else {gl . unit + unit + i | gr .
    unit - unit - i}, where i are the incentives of the unit: what a move in it gains."""
    if unit is ZERO or not at_most(ZERO, unit):
        raise UsageError(f"{unit} is not positive", "a Norton product has a positive unit")
    if g.is_integer:
        return unit * int(g.number)
    twice = added(unit, unit)  # unit + i: a left option, or twice the unit less a right one
    steps = [*lefts_of(unit), *[added(twice, negated(h)) for h in rights_of(unit)]]
    left = [added(norton(h, unit), step) for h in lefts_of(g) for step in steps]
    right = [added(norton(h, unit), negated(step)) for h in rights_of(g) for step in steps]
    return canonical(left, right)


@_once
def heated(g: Short, by: Short) -> Short:
    """{heated gl + by | heated gr - by}, and numbers themselves."""
    if g.is_number:
        return g
    left = [added(heated(h, by), by) for h in lefts_of(g)]
    return canonical(left, [added(heated(h, by), negated(by)) for h in rights_of(g)])


def cooled(g: Short, by: Fraction) -> Short:
    """{cooled gl - by | cooled gr + by} while that is no number near which a lower price already
    ends play; from the temperature on the mean."""
    if by <= -1:
        raise UsageError(f"no value can be cooled by {by}", "cool by more than -1")
    thermograph = g.thermograph()
    if by > thermograph.temperature:
        return value(thermograph.mean)
    return _cooled(g, by)


@_once
def _cooled(g: Short, by: Short) -> Short:
    left = [added(cooled(h, by.number), negated(by)) for h in lefts_of(g)]
    return canonical(left, [added(cooled(h, by.number), by) for h in rights_of(g)])
