"""Values of games that fall apart into independent parts: Conway's theory for any rules.

Reading order:

    canonical_form.py   a value in canonical form: options, order, sums; options.py, depth.py
    measured.py         what can be asked of one value alone: measures.py, thermograph.py
    plain.py            numbers, ups and nimbers: sums and order without recursion
    products.py         ordinal sums, Norton products, heating and cooling
    notation.py         values as text
    partizan.py         rules for Left and Right, and the values of their boards; grids.py
    compound.py         who wins a sum of many values
    heaps/              heap games: codes, nim values, periods, misère play
    hackenbush/         pictures folded into values, endless strings, surreal numbers
    grundy_values.py    nim values of impartial games written as rules
    sum.py              parts of any games side by side: summands.py, bag.py
"""

from fractions import Fraction

from perfectplay.errors import UsageError
from perfectplay.sums.canonical_form import ZERO, Short, forget, plain_value, value
from perfectplay.sums.compound import Compound
from perfectplay.sums.notation import parse
from perfectplay.sums.partizan import LEFT, RIGHT, Partizan, value_of

__all__ = [
    "LEFT",
    "RIGHT",
    "STAR",
    "UP",
    "ZERO",
    "Compound",
    "Partizan",
    "Short",
    "forget",
    "integer",
    "miny",
    "nimber",
    "number",
    "parse",
    "switch",
    "tiny",
    "up",
    "value",
    "value_of",
]


def integer(n: int) -> Short:
    """The whole number n: n free moves for Left."""
    return plain_value((int(n), 0, 0, 0))


def number(x: Fraction | int) -> Short:
    """The number x, whose denominator is a power of two."""
    return value(x)


def nimber(n: int) -> Short:
    """*n, a heap of n counters in Nim."""
    if n < 0:
        raise UsageError(f"there is no heap of {n} counters", "use 0, 1, 2, …")
    return plain_value((0, 0, 0, int(n)))


def up(ups: int = 1, nim: int = 0) -> Short:
    """`ups` times ^ = {0|*} (downs if negative), and a nimber with it."""
    return plain_value((0, 0, int(ups), int(nim)))


def switch(left: Short | int | Fraction, right: Short | int | Fraction | None = None) -> Short:
    """{left | right}; with one argument ±left, which is {left | -left}."""
    here = value(left)
    return Short.of([here], [-here if right is None else value(right)])


def tiny(threat: Short | int | Fraction) -> Short:
    """Tiny: {0 || 0 | -threat}, positive, and the smaller the larger the threat."""
    return Short.of([ZERO], [Short.of([ZERO], [-value(threat)])])


def miny(threat: Short | int | Fraction) -> Short:
    """Miny, the negative of tiny."""
    return -tiny(threat)


STAR = nimber(1)
UP = up(1)
