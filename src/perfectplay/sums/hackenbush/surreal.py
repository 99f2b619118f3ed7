"""Surreal numbers with finitely many terms: what infinite Hackenbush strings are worth.

Conway wrote every number as a sum of powers of ω, the first infinite number, with real
coefficients, the largest power first. `Surreal` holds such sums with finitely many terms and
rational exponents and coefficients. They are added term by term and compared by the first term in
which they differ: ω > 1,000,000 > 1/ω > 0.

`Total` is such a number and a short game, added: what sums with endless strings are worth. A
number that is no dyadic fraction can never be equal to a stop of a short game, so stops decide who
wins such a sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import total_ordering

from perfectplay.drawing.rich import Rich
from perfectplay.sums.canonical_form import ZERO, Short
from perfectplay.sums.measured import OUTCOME_CLASS

Term = tuple[Fraction, Fraction]
"""Exponent and coefficient."""


@total_ordering
class Surreal(Rich):
    """A sum of terms coefficient * ω^exponent."""

    __slots__ = ("terms",)

    terms: tuple[Term, ...]
    """Largest exponent first; no coefficient is 0."""

    def __init__(self, terms: Iterable[tuple[Fraction | int, Fraction | int]] = ()) -> None:
        found: dict[Fraction, Fraction] = {}
        for exponent, coefficient in terms:
            power = Fraction(exponent)
            found[power] = found.get(power, Fraction(0)) + coefficient
        self.terms = tuple(sorted((term for term in found.items() if term[1]), reverse=True))

    @staticmethod
    def of(number: Surreal | Fraction | int) -> Surreal:
        """A rational number as a surreal one."""
        return number if isinstance(number, Surreal) else Surreal([(0, number)])

    def coefficient(self, exponent: Fraction | int) -> Fraction:
        """The coefficient of ω^exponent, 0 if there is no such term."""
        return dict(self.terms).get(Fraction(exponent), Fraction(0))

    @property
    def real(self) -> bool:
        """Whether this is a rational number, without infinite or infinitesimal terms."""
        return all(exponent == 0 for exponent, _ in self.terms)

    @property
    def finite(self) -> bool:
        """Whether some integer is larger and some smaller."""
        return all(exponent <= 0 for exponent, _ in self.terms)

    @property
    def infinitesimal(self) -> bool:
        """Whether this is nearer to 0 than every positive rational number, without being 0."""
        return bool(self.terms) and self.terms[0][0] < 0

    @property
    def sign(self) -> int:
        """1, 0 or -1."""
        return 0 if not self.terms else 1 if self.terms[0][1] > 0 else -1

    def fraction(self) -> Fraction:
        """The rational number that this is; ValueError if it is none."""
        if not self.real:
            raise ValueError(f"{self} is not a rational number")
        return self.coefficient(0)

    # -- Arithmetic and order. ---

    def __add__(self, other: Surreal | Fraction | int) -> Surreal:
        if not isinstance(other, Surreal | Fraction | int):
            return NotImplemented
        return Surreal([*self.terms, *Surreal.of(other).terms])

    __radd__ = __add__

    def __neg__(self) -> Surreal:
        return Surreal((exponent, -coefficient) for exponent, coefficient in self.terms)

    def __sub__(self, other: Surreal | Fraction | int) -> Surreal:
        if not isinstance(other, Surreal | Fraction | int):
            return NotImplemented
        return self + -Surreal.of(other)

    def __rsub__(self, other: Fraction | int) -> Surreal:
        return -self + other

    def __mul__(self, factor: Surreal | Fraction | int) -> Surreal:
        if not isinstance(factor, Surreal | Fraction | int):
            return NotImplemented
        return Surreal((a + b, r * s) for a, r in self.terms for b, s in Surreal.of(factor).terms)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surreal | Fraction | int):
            return NotImplemented
        return self.terms == Surreal.of(other).terms

    def __lt__(self, other: Surreal | Fraction | int) -> bool:
        if not isinstance(other, Surreal | Fraction | int):
            return NotImplemented
        return (self - other).sign < 0

    def __hash__(self) -> int:
        return hash(self.coefficient(0)) if self.real else hash(self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    # -- Text. ---

    def __repr__(self) -> str:
        return f"<Surreal {self}>"

    def __str__(self) -> str:
        """The number as in "ω/2 - 1 + 2/(3ω)", the largest power first."""
        shown = ""
        for exponent, coefficient in self.terms:
            size = _term(exponent, abs(coefficient))
            if not shown:
                shown = size if coefficient > 0 else f"-{size}"
            else:
                shown += f" {'+' if coefficient > 0 else '-'} {size}"
        return shown or "0"


def _term(exponent: Fraction, size: Fraction) -> str:
    """A term without its sign."""
    if exponent == 0:
        return str(size)
    power = _power(abs(exponent))
    above, below = size.numerator, size.denominator
    if exponent > 0:
        top = power if above == 1 else f"{above}{power}"
        return top if below == 1 else f"{top}/{below}"
    return f"{above}/{power}" if below == 1 else f"{above}/({below}{power})"


def _power(exponent: Fraction) -> str:
    """ω with a positive exponent."""
    if exponent == 1:
        return "ω"
    return f"ω^{exponent}" if exponent.denominator == 1 else f"ω^({exponent})"


OMEGA = Surreal([(1, 1)])
"""ω, larger than every integer; the value of a blue string without end."""


def is_dyadic(number: Fraction) -> bool:
    """Whether the denominator is a power of 2."""
    return number.denominator & (number.denominator - 1) == 0


class Total(Rich):
    """The sum of a number that no short game has, and a short game."""

    __slots__ = ("game", "number")

    number: Surreal
    game: Short

    def __init__(self, number: Surreal | Fraction | int = 0, game: Short = ZERO) -> None:
        whole = Surreal.of(number)
        if game.is_number:
            whole, game = whole + game.number, ZERO
        if whole.real and is_dyadic(whole.fraction()):
            whole, game = Surreal(), game + whole.fraction()
        elif game._plain is not None:
            here = Fraction(game._plain[0], 1 << game._plain[1])
            whole, game = whole + here, game - here
        self.number, self.game = whole, game

    @staticmethod
    def of(x: Total | Short | Surreal | Fraction | int) -> Total:
        """`x` as a total."""
        if isinstance(x, Total):
            return x
        return Total(0, x) if isinstance(x, Short) else Total(x)

    def simple(self) -> Short | Surreal | Total:
        """The same as a short game or a number, if it is one."""
        if not self.number:
            return self.game
        return self.number if self.game is ZERO else self

    def __add__(self, other: Total | Short | Surreal | Fraction | int) -> Total:
        there = Total.of(other)
        return Total(self.number + there.number, self.game + there.game)

    __radd__ = __add__

    def __neg__(self) -> Total:
        return Total(-self.number, -self.game)

    def __sub__(self, other: Total | Short | Surreal | Fraction | int) -> Total:
        return self + -Total.of(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Total | Short | Surreal | Fraction | int):
            return NotImplemented
        there = self - other
        return not there.number and there.game is ZERO

    def __hash__(self) -> int:
        return hash((self.number, self.game.id))

    def at_least_zero(self) -> bool:
        """Whether Left wins if Right begins."""
        return self.right_stop > 0 if self.number else self.game >= 0

    @property
    def outcome(self) -> str:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        return OUTCOME_CLASS[not (-self).at_least_zero(), not self.at_least_zero()]

    @property
    def left_stop(self) -> Surreal:
        """The number that is reached if Left begins."""
        return self.number + self.game.left_stop

    @property
    def right_stop(self) -> Surreal:
        """The number that is reached if Right begins."""
        return self.number + self.game.right_stop

    @property
    def mean(self) -> Surreal:
        """What one of many copies is worth."""
        return self.number + self.game.mean

    @property
    def temperature(self) -> Fraction | None:
        """The price at which nobody wants to move; None for numbers that no short game has."""
        if self.number and self.game is ZERO:
            return None
        near = self.game.left_stop == self.game.right_stop and not self.game.is_number
        return Fraction(0) if near else self.game.temperature

    def __str__(self) -> str:
        there = self.simple()
        return f"{self.number} + {self.game}" if there is self else str(there)

    def __repr__(self) -> str:
        return f"<Total {self}>"
