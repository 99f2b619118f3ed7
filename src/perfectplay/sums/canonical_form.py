"""Short: the value of a game that ends, in canonical form.

A value is what its options are: {left | right}, all that Left and that Right may move to. Two
positions are worth the same in every sum if and only if they have the same canonical form, in
which no option is dominated and none is reversible. Every form is built once: equal values are one
object, so that equality is identity, and sums and comparisons are remembered.

Inner loops work on the underscored slots and functions: a property or an operator costs more than
most of the questions they answer. Recursion is between plain functions only, so that depth costs
memory and not the machine's stack; see depth.py.

Sources: Conway, On Numbers and Games; Siegel, Combinatorial Game Theory, chapter II.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.sums import plain
from perfectplay.sums.depth import deep
from perfectplay.sums.measured import Measured
from perfectplay.sums.options import best, bypassed
from perfectplay.sums.plain import Plain, Real

SHIFT = 32


class Short(Measured):
    """A short game in canonical form. Make one with `Short.of`, `parse` or the functions of this
    package, never with the class itself. Options of plain values are made when they are asked
    for."""

    __slots__ = ("_left", "_ls", "_negative", "_notes", "_plain", "_right", "_rs", "id")

    id: int
    """The number of this value, in the order in which values came up."""
    _left: tuple[Short, ...] | None
    _right: tuple[Short, ...] | None
    _negative: Short | None
    _notes: dict[str, Any] | None

    def __init__(self) -> None:
        raise UsageError("a value is made from its options", "write Short.of(left, right)")

    @staticmethod
    def of(left: Iterable[Short | int], right: Iterable[Short | int]) -> Short:
        """The value in which Left may move to any of `left` and Right to any of `right`."""
        lefts, rights = [value(g) for g in left], [value(g) for g in right]
        return deep(canonical, lefts, rights)

    # -- Options and order. ---

    @property
    def left(self) -> tuple[Short, ...]:
        """The values that Left can move to in the canonical form."""
        return lefts_of(self)

    @property
    def right(self) -> tuple[Short, ...]:
        """The values that Right can move to in the canonical form."""
        return rights_of(self)

    def __le__(self, other: Short | int | Fraction) -> bool:
        return deep(at_most, self, value(other))

    def __ge__(self, other: Short | int | Fraction) -> bool:
        return deep(at_most, value(other), self)

    def __lt__(self, other: Short | int | Fraction) -> bool:
        there = value(other)
        return self is not there and deep(at_most, self, there)

    def __gt__(self, other: Short | int | Fraction) -> bool:
        there = value(other)
        return self is not there and deep(at_most, there, self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Short):
            return self is other
        if isinstance(other, int | Fraction):
            return self.is_number and self.number == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.number) if self.is_number else hash((Short, self.id))

    # -- Arithmetic. ---

    def __add__(self, other: Short | int | Fraction) -> Short:
        return deep(added, self, value(other))

    __radd__ = __add__

    def __neg__(self) -> Short:
        return deep(negated, self)

    def __pos__(self) -> Short:
        return self

    def __sub__(self, other: Short | int | Fraction) -> Short:
        return self + -value(other)

    def __rsub__(self, other: Short | int | Fraction) -> Short:
        return value(other) - self

    def __mul__(self, times: int) -> Short:
        if not isinstance(times, int):
            return NotImplemented
        if times < 0:
            return -self * -times
        if self._plain is not None:
            m, e, ups, nim = self._plain
            return plain_value((*plain.lowest(times * m, e), times * ups, nim if times % 2 else 0))
        total, power = ZERO, self
        while times:
            if times % 2:
                total = total + power
            times //= 2
            power = power + power if times else power
        return total

    __rmul__ = __mul__


# -- Making and finding values. -------------------------------------------------------------------

_PLAIN: dict[Plain, Short] = {}
_FORMS: dict[tuple[tuple[int, ...], tuple[int, ...]], Short] = {}
_NUMBERS: dict[Real, Short] = {}
_SUMS: dict[int, Short] = {}
_ORDER: dict[int, bool] = {}
_count = iter(range(1 << SHIFT)).__next__


def _new(left: Any, right: Any, plain_form: Plain | None, ls: Real, rs: Real) -> Short:
    g = Short.__new__(Short)
    g.id = _count()
    g._left, g._right, g._plain, g._ls, g._rs = left, right, plain_form, ls, rs
    g._negative = g._notes = None
    return g


def plain_value(form: Plain) -> Short:
    """The value with this plain form."""
    found = _PLAIN.get(form)
    if found is None:
        here = plain.real(form[0], form[1])
        found = _PLAIN[form] = _new(None, None, form, here, here)
    return found


ZERO = plain_value((0, 0, 0, 0))


def _number_at(here: Real) -> Short:
    """The number that is a stop of some value."""
    found = _NUMBERS.get(here)
    if found is None:
        found = _NUMBERS[here] = plain_value((*plain.dyadic(Fraction(here)), 0, 0))
    return found


def value(x: Short | int | Fraction | str) -> Short:
    """`x` as a value: a value itself, a dyadic number, or the text of a value."""
    if isinstance(x, Short):
        return x
    if isinstance(x, int):
        return plain_value((int(x), 0, 0, 0))
    if isinstance(x, str):
        from perfectplay.sums.notation import parse

        return parse(x)
    if isinstance(x, float):
        raise UsageError(f"{x} is a float", "write a Fraction, which is exact")
    if not isinstance(x, Fraction):
        raise UsageError(f"{x!r} is not a value of a game", "give a Short, an int or a Fraction")
    if x.denominator & (x.denominator - 1):
        raise UsageError(f"{x} is no value of a short game", "denominators are powers of two")
    return plain_value((*plain.dyadic(x), 0, 0))


def lefts_of(g: Short) -> tuple[Short, ...]:
    """The options of Left."""
    if g._left is None and g._plain is not None:
        g._left = tuple([plain_value(option) for option in plain.left_options(g._plain)])
    return g._left  # type: ignore[return-value]


def rights_of(g: Short) -> tuple[Short, ...]:
    """The options of Right."""
    if g._right is None and g._plain is not None:
        g._right = tuple([plain_value(option) for option in plain.right_options(g._plain)])
    return g._right  # type: ignore[return-value]


# -- Order. ---------------------------------------------------------------------------------------


def at_most(g: Short, h: Short) -> bool:
    """Whether g <= h: Left has no good first move in g - h. Stops decide most questions, and in a
    number nobody needs to move (number avoidance)."""
    if g is h or g._ls < h._rs:
        return True
    if g._ls > h._ls or g._rs > h._rs:
        return False
    here, there = g._plain, h._plain
    if here is not None and there is not None:
        return plain.at_most(here, there)
    key = (g.id << SHIFT) | h.id
    found = _ORDER.get(key)
    if found is None:
        found = _ORDER[key] = _compare(g, h)
    return found


def _compare(g: Short, h: Short) -> bool:
    if not g.is_number and some_at_least(lefts_of(g), h):
        return False
    return h.is_number or not some_at_most(rights_of(h), g)


def some_at_most(options: Iterable[Short], x: Short) -> bool:
    """Whether one of the options is <= x."""
    for option in options:  # noqa: SIM110 - recursion is deep
        if at_most(option, x):
            return True
    return False


def some_at_least(options: Iterable[Short], x: Short) -> bool:
    """Whether one of the options is >= x."""
    for option in options:  # noqa: SIM110 - recursion is deep
        if at_most(x, option):
            return True
    return False


# -- Canonical forms. -----------------------------------------------------------------------------


def canonical(left: Iterable[Short], right: Iterable[Short]) -> Short:
    """The value {left | right}: a number if one fits between the options, else what is left when
    dominated options are dropped and reversible ones bypassed."""
    lefts, rights = {g.id: g for g in left}, {g.id: g for g in right}
    key = (tuple(sorted(lefts)), tuple(sorted(rights)))
    found = _FORMS.get(key)
    if found is None:
        found = _number_between(lefts.values(), rights.values()) or _reduced(
            best(lefts.values(), at_most), best(rights.values(), _at_least)
        )
        _FORMS[key] = found
    return found


def _number_between(left: Iterable[Short], right: Iterable[Short]) -> Short | None:
    """The simplest number x with no left option >= x and no right option <= x, if any."""
    low = max([g._rs for g in left], default=None)
    high = min([g._ls for g in right], default=None)
    if low is not None and high is not None and low > high:
        return None
    with_low = low is None or not some_at_least([g for g in left if g._rs == low], _number_at(low))
    with_high = high is None or not some_at_most(
        [g for g in right if g._ls == high], _number_at(high)
    )
    if low == high is not None and not (with_low and with_high):
        return None
    return plain_value((*plain.simplest(low, high, with_low=with_low, with_high=with_high), 0, 0))


def _at_least(g: Short, h: Short) -> bool:
    return at_most(h, g)


def _reduced(left: list[Short], right: list[Short]) -> Short:
    """The canonical form of G = {left | right}, which is no number; no option is dominated."""
    ls, rs = max([g._rs for g in left]), min([g._ls for g in right])
    below: dict[int, bool] = {}
    above: dict[int, bool] = {}

    def is_below(x: Short) -> bool:
        """Whether x <= G."""
        if x._ls < rs:
            return True
        if x._ls > ls or x._rs > rs:
            return False
        if x.id not in below:
            below[x.id] = not some_at_most(right, x) and (
                x.is_number or not _some(is_above, lefts_of(x))
            )
        return below[x.id]

    def is_above(x: Short) -> bool:
        """Whether x >= G."""
        if x._rs > ls:
            return True
        if x._rs < rs or x._ls < ls:
            return False
        if x.id not in above:
            above[x.id] = not some_at_least(left, x) and (
                x.is_number or not _some(is_below, rights_of(x))
            )
        return above[x.id]

    through_left = bypassed(left, rights_of, lefts_of, is_below)
    through_right = bypassed(right, lefts_of, rights_of, is_above)
    return _interned(
        left if through_left is left else best(through_left, at_most),
        right if through_right is right else best(through_right, _at_least),
    )


def _some(test: Callable[[Short], bool], options: tuple[Short, ...]) -> bool:
    for option in options:  # noqa: SIM110 - recursion is deep
        if test(option):
            return True
    return False


def _interned(left: list[Short], right: list[Short]) -> Short:
    """The one value with these canonical options, which is no number."""
    key = (tuple(sorted([g.id for g in left])), tuple(sorted([g.id for g in right])))
    found = _FORMS.get(key)
    if found is None:
        here = [g._plain for g in left if g._plain is not None]
        there = [g._plain for g in right if g._plain is not None]
        if len(here) == len(left) and len(there) == len(right):
            form = plain.recognised(sorted(here), sorted(there))
            found = None if form is None else plain_value(form)
        if found is None:
            ls, rs = max([g._rs for g in left]), min([g._ls for g in right])
            found = _new(tuple(left), tuple(right), None, ls, rs)
        _FORMS[key] = found
    return found


# -- Sums. ----------------------------------------------------------------------------------------


def negated(g: Short) -> Short:
    """The value with the players exchanged."""
    if g._negative is None:
        if g._plain is not None:
            other = plain_value(plain.negated(g._plain))
        else:
            other = _interned(
                [negated(h) for h in rights_of(g)], [negated(h) for h in lefts_of(g)]
            )
        g._negative, other._negative = other, g
    return g._negative


def added(g: Short, h: Short) -> Short:
    """The sum: a move in either. A number is added to every option of what is no number (number
    translation), and any plain value to {x | y} with numbers x > y, since nobody would move in the
    infinitesimal; the form stays canonical."""
    here, there = g._plain, h._plain
    if here is not None:
        if there is not None:
            return plain_value(plain.added(here, there))
        g, h, here, there = h, g, there, here
    if there == (0, 0, 0, 0):
        return g
    if g._negative is h:
        return ZERO
    key = (g.id << SHIFT) | h.id if g.id < h.id else (h.id << SHIFT) | g.id
    found = _SUMS.get(key)
    if found is None:
        left, right = [added(x, h) for x in lefts_of(g)], [added(x, h) for x in rights_of(g)]
        if there is not None and (not (there[2] or there[3]) or _is_switch(g)):
            found = _interned(left, right)
        else:
            left += [added(g, x) for x in lefts_of(h)]
            found = canonical(left, right + [added(g, x) for x in rights_of(h)])
        _SUMS[key] = found
    return found


def _is_switch(g: Short) -> bool:
    """Whether g is {x | y} with numbers x > y; g is not plain."""
    left, right = lefts_of(g), rights_of(g)
    return len(left) == len(right) == 1 and left[0].is_number and right[0].is_number


def forget() -> None:
    """Forget all sums and comparisons, to free memory; values stay what they are."""
    _SUMS.clear()
    _ORDER.clear()
