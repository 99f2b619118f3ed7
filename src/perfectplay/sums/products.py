"""Ordinal sums, Norton products, heating and cooling.

Each is defined on a form; here it is the canonical form. Sources: Siegel, Combinatorial Game
Theory, chapters II.1, II.5 and II.7; Winning Ways, chapters 6 and 7.
"""

from fractions import Fraction

from perfectplay.errors import UsageError
from perfectplay.sums.canonical_form import (
    ZERO,
    Short,
    added,
    at_most,
    canonical,
    lefts_of,
    negated,
    rights_of,
    value,
)

_ORDINAL: dict[tuple[int, int], Short] = {}
_NORTON: dict[tuple[int, int], Short] = {}
_HEATED: dict[tuple[int, int], Short] = {}
_COOLED: dict[tuple[int, Fraction], Short] = {}


def ordinal_sum(base: Short, top: Short | int | Fraction) -> Short:
    """{base's left options, base : top's left | base's right options, base : top's right}."""
    top = value(top)
    if top is ZERO:
        return base
    key = (base.id, top.id)
    found = _ORDINAL.get(key)
    if found is None:
        left = [ordinal_sum(base, h) for h in lefts_of(top)]
        right = [ordinal_sum(base, h) for h in rights_of(top)]
        found = canonical([*lefts_of(base), *left], [*rights_of(base), *right])
        _ORDINAL[key] = found
    return found


def norton(g: Short, unit: Short | int | Fraction) -> Short:
    """The Norton product: n units if g is the whole number n, else {gl . unit + unit + i | gr .
    unit - unit - i}, where i are the incentives of the unit: what a move in it gains."""
    unit = value(unit)
    if unit is ZERO or not at_most(ZERO, unit):
        raise UsageError(f"{unit} is not positive", "a Norton product has a positive unit")
    if g.is_integer:
        return unit * int(g.number)
    key = (g.id, unit.id)
    found = _NORTON.get(key)
    if found is None:
        gains = [added(h, negated(unit)) for h in lefts_of(unit)]
        gains += [added(unit, negated(h)) for h in rights_of(unit)]
        steps = [added(unit, gain) for gain in gains]
        left = [added(norton(h, unit), step) for h in lefts_of(g) for step in steps]
        right = [added(norton(h, unit), negated(step)) for h in rights_of(g) for step in steps]
        found = _NORTON[key] = canonical(left, right)
    return found


def heated(g: Short, by: Short | int | Fraction) -> Short:
    """{heated gl + by | heated gr - by}, and numbers themselves."""
    by = value(by)
    if g.is_number:
        return g
    key = (g.id, by.id)
    found = _HEATED.get(key)
    if found is None:
        left = [added(heated(h, by), by) for h in lefts_of(g)]
        right = [added(heated(h, by), negated(by)) for h in rights_of(g)]
        found = _HEATED[key] = canonical(left, right)
    return found


def cooled(g: Short, by: Fraction) -> Short:
    """{cooled gl - by | cooled gr + by} while that is no number near which a lower price already
    ends play; from the temperature on the mean."""
    if by <= -1:
        raise UsageError(f"no value can be cooled by {by}", "cool by more than -1")
    thermograph = g.thermograph()
    if by > thermograph.temperature:
        return value(thermograph.mean)
    key = (g.id, by)
    found = _COOLED.get(key)
    if found is None:
        price = value(by)
        left = [added(cooled(h, by), negated(price)) for h in lefts_of(g)]
        right = [added(cooled(h, by), price) for h in rights_of(g)]
        found = _COOLED[key] = canonical(left, right)
    return found
