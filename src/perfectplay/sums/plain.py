"""Plain values: a dyadic number, ups and a nimber added up, as four integers.

    (numerator, exponent, ups, nim)    numerator / 2**exponent + ups * ^ + *nim

Most positions of most games have such a value, and these are added, negated and compared without a
look at any option. The numerator is odd, or the exponent is 0.

Canonical options (Winning Ways, chapters 2 and 3), where x is the number and n > 0:

    x + *k                 x, x + *, …, x + *(k - 1) for both players
    x + n^ + *k            {x | x + (n - 1)^ + *(k xor 1)}, but
    x + ^*                 {x, x* | x}
"""

import math
from collections.abc import Sequence
from fractions import Fraction

Plain = tuple[int, int, int, int]
Real = float | Fraction
"""A dyadic number: a float that is exact, or else a Fraction. The two compare exactly."""

LARGEST_FLOAT_BITS = 53
LARGEST_FLOAT_EXPONENT = 1000


def lowest(numerator: int, exponent: int) -> tuple[int, int]:
    """The number numerator / 2**exponent in lowest terms."""
    if numerator == 0:
        return 0, 0
    twos = min(exponent, (numerator & -numerator).bit_length() - 1)
    return numerator >> twos, exponent - twos


def real(numerator: int, exponent: int) -> Real:
    """The number numerator / 2**exponent, exactly."""
    if numerator.bit_length() <= LARGEST_FLOAT_BITS and exponent <= LARGEST_FLOAT_EXPONENT:
        return math.ldexp(numerator, -exponent)
    return Fraction(numerator, 1 << exponent)


def dyadic(x: Fraction) -> tuple[int, int]:
    """Numerator and exponent of a fraction whose denominator is a power of two."""
    return x.numerator, x.denominator.bit_length() - 1


def added(a: Plain, b: Plain) -> Plain:
    """The sum."""
    if a[1] == b[1] == 0:
        return a[0] + b[0], 0, a[2] + b[2], a[3] ^ b[3]
    exponent = max(a[1], b[1])
    numerator = (a[0] << (exponent - a[1])) + (b[0] << (exponent - b[1]))
    return (*lowest(numerator, exponent), a[2] + b[2], a[3] ^ b[3])


def negated(a: Plain) -> Plain:
    """The negative."""
    return -a[0], a[1], -a[2], a[3]


def at_most(a: Plain, b: Plain) -> bool:
    """Whether a <= b: with equal numbers, 2^ is above every nimber, ^ above all but *."""
    here, there = a[0] << b[1], b[0] << a[1]
    if here != there:
        return here < there
    ups, nim = b[2] - a[2], a[3] ^ b[3]
    return ups > 1 or (ups == 1 and nim != 1) or (ups == 0 and nim == 0)


def left_options(a: Plain) -> list[Plain]:
    """The options of Left in canonical form."""
    m, e, ups, nim = a
    if ups == 0 and nim:
        return [(m, e, 0, k) for k in range(nim)]
    if ups > 0:
        return [(m, e, 0, 0), (m, e, 0, 1)] if (ups, nim) == (1, 1) else [(m, e, 0, 0)]
    if ups < 0:
        return [(m, e, 0, 0)] if (ups, nim) == (-1, 1) else [(m, e, ups + 1, nim ^ 1)]
    if e:
        return [(*lowest(m - 1, e), 0, 0)]
    return [(m - 1, 0, 0, 0)] if m > 0 else []


def right_options(a: Plain) -> list[Plain]:
    """The options of Right in canonical form."""
    return [negated(option) for option in left_options(negated(a))]


def recognised(left: Sequence[Plain], right: Sequence[Plain]) -> Plain | None:
    """The plain value that is no number and has these canonical options; None if there is none.
    The options are sorted."""
    m, e = left[0][:2]
    if len(left) == len(right):
        nims = [(m, e, 0, k) for k in range(len(left))]
        if left == nims and right == nims:
            return m, e, 0, len(left)
    found = _raised(left, right)
    if found is None:
        turned = [sorted(map(negated, side)) for side in (right, left)]
        found = _raised(*turned)
        return None if found is None else negated(found)
    return found


def _raised(left: Sequence[Plain], right: Sequence[Plain]) -> Plain | None:
    """The plain value with these options that has at least one up; None if there is none."""
    m, e = left[0][:2]
    if len(right) != 1 or right[0][:2] != (m, e):
        return None
    ups, nim = right[0][2:]
    if left == [(m, e, 0, 0)] and ups >= 0 and (ups, nim) != (0, 0):
        return m, e, ups + 1, nim ^ 1
    if left == [(m, e, 0, 0), (m, e, 0, 1)] and (ups, nim) == (0, 0):
        return m, e, 1, 1
    return None


def simplest(
    low: Real | None, high: Real | None, *, with_low: bool = False, with_high: bool = False
) -> tuple[int, int]:
    """Numerator and exponent of the simplest number between `low` and `high` (None: without end);
    the ends themselves are allowed only if so said. There must be one."""
    if (low is None or low < 0 or (low == 0 and with_low)) and (
        high is None or high > 0 or (high == 0 and with_high)
    ):
        return 0, 0
    if low is None or low < 0:
        if high is None:
            raise AssertionError("an interval below zero has an upper end")
        flip = None if low is None else -low
        numerator, exponent = simplest(-high, flip, with_low=with_high, with_high=with_low)
        return -numerator, exponent
    bottom, exponent = Fraction(low), 0
    top = None if high is None else Fraction(high)
    while True:
        scaled = bottom * (1 << exponent)
        numerator = math.floor(scaled) + (0 if with_low and scaled.denominator == 1 else 1)
        here = Fraction(numerator, 1 << exponent)
        if top is None or here < top or (here == top and with_high):
            return numerator, exponent
        exponent += 1
