"""What an answer can be: an outcome with its depth, a score, a fraction, or proved bounds.

A `Value` says what a position is worth to one player and how well that is known:

    exactness   lower and upper                  example
    "exact"     equal: integers or fractions     win in 9 plies; +10; 169/243
    "bounds"    floats, lower <= true <= upper   0.530592725274 ± 3e-16
    "residual"  equal floats; the equations      0.2773155836 (more than two players, or no
                hold up to a stated residual     common interest: no interval can be proved)

Values are compared with each other and with numbers by what is proved: `a < b` is true or false
where the bounds say so, else a UsageError. Outcomes count as 1, 0 and -1; among outcomes a sooner
win and a later loss are greater.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import IntEnum
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Literal

from perfectplay.drawing.rich import Rich
from perfectplay.errors import UsageError

if TYPE_CHECKING:
    from perfectplay.schemas.answers import ValueJson

Kind = Literal["outcome", "score", "total", "chance"]
"""A score is a margin between two players, a total what one player gathers or pays."""
Number = int | float | Fraction
Exactness = Literal["exact", "bounds", "residual"]


class Outcome(IntEnum):
    """Result of best play, seen by one player."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    def __neg__(self) -> Outcome:
        """The same result, seen by the opponent."""
        return Outcome(-int(self))


OUTCOMES: dict[Outcome, Literal["win", "draw", "loss"]] = {
    Outcome.WIN: "win", Outcome.DRAW: "draw", Outcome.LOSS: "loss",
}  # fmt: skip
"""Outcomes in words."""


_NOISE = 1e-9
"""Values that are proved to be nearer to 0 are shown as 0."""


@dataclass(frozen=True)
class Value(Rich):
    """What a position is worth to one player: lower <= the true value <= upper."""

    kind: Kind
    lower: Number
    upper: Number
    exactness: Exactness = "exact"
    depth: int | None = None
    """Plies until the end under best play, for outcomes that are reached; None if endless."""

    @property
    def exact(self) -> Number | None:
        """The value itself, where it is proved."""
        return self.lower if self.exactness == "exact" else None

    @property
    def outcome(self) -> Outcome:
        """The value as WIN, DRAW or LOSS; only for values of kind "outcome"."""
        if self.kind != "outcome":
            raise ValueError(f"a {self.kind} has no outcome: {self}")
        return Outcome((self.lower > 0) - (self.lower < 0))

    def __float__(self) -> float:
        """The middle of what is known."""
        if self.lower == self.upper:
            return float(self.lower)
        return (float(self.lower) + float(self.upper)) / 2

    @property
    def order(self) -> tuple[float, float]:
        """Larger is better for the player; wins sooner and losses later come first, and what is
        won or lost by endless play comes latest of all."""
        middle = float(self)
        never = math.inf if middle else 0.0
        depth = never if self.depth is None else self.depth
        return middle, -depth if middle > 0 else depth

    # -- Comparison. ------------------------------------------------------------------------------

    @property
    def _known(self) -> bool:
        """Whether it is proved to be one number."""
        return self.exactness != "residual" and self.lower == self.upper

    def __eq__(self, other: object) -> bool:
        """Whether both are proved to be the same, or say the same of what is not known."""
        if isinstance(other, Value):
            if self.kind == other.kind == "outcome":
                return self.order == other.order
            if self._known and other._known:
                return self.lower == other.lower
            mine = (self.kind, self.lower, self.upper, self.exactness)
            return mine == (other.kind, other.lower, other.upper, other.exactness)
        if isinstance(other, Real):
            return self._known and self.lower == other
        return NotImplemented

    def __hash__(self) -> int:
        """Equal values have equal hashes, also numbers that a value is equal to."""
        return hash(self.lower if self._known else (self.lower, self.upper))

    def __lt__(self, other: Value | Number) -> bool:
        """Whether it is less for certain; UsageError if the bounds leave that open."""
        return self._compared(other, strictly=True)

    def __le__(self, other: Value | Number) -> bool:
        """Whether it is less or equal for certain; UsageError if the bounds leave that open."""
        return self._compared(other, strictly=False)

    def __gt__(self, other: Value | Number) -> bool:
        """Whether it is greater for certain; UsageError if the bounds leave that open."""
        return not self <= other

    def __ge__(self, other: Value | Number) -> bool:
        """Whether it is greater or equal for certain; UsageError if the bounds leave that open."""
        return not self < other

    def _compared(self, other: Value | Number, *, strictly: bool) -> bool:
        """Whether this is less than the other, or less or equal unless `strictly`."""
        if isinstance(other, Value):
            if self.kind == other.kind == "outcome":
                return self.order < other.order if strictly else self.order <= other.order
            proved = "residual" not in (self.exactness, other.exactness)
            low, high = other.lower, other.upper
        elif isinstance(other, Real):
            proved = self.exactness != "residual"
            low = high = other
        else:
            return NotImplemented  # type: ignore[no-any-return]
        if proved and (self.upper < low or (self.upper == low and not strictly)):
            return True
        if proved and (self.lower > high or (self.lower == high and strictly)):
            return False
        raise UsageError(
            f"it is not known which is greater, {self} or {other}",
            "compare float(value), the middle of what is known, or solve with exact=True",
        )

    def __str__(self) -> str:
        if self.kind == "outcome":
            plies = (
                ""
                if self.depth is None
                else f" in {self.depth} pl{'y' if self.depth == 1 else 'ies'}"
            )
            return f"{self.outcome.name.lower()}{plies}"
        if self.exactness == "exact":
            return exact_text(self.lower, signed=self.kind == "score")
        middle = self.middle
        if math.isinf(middle):
            return _plain(middle)
        if self.exactness == "residual":
            return f"{middle:.12g}"
        if self.lower == self.upper:
            return f"{middle:.15g}"
        error = self.error if middle else max(-float(self.lower), float(self.upper))
        return f"{middle:.15g} ± {error:.1g}"

    @property
    def middle(self) -> float:
        """The middle of what is known, as it is shown: 0 where bounds leave nothing of it but the
        noise of rounding around 0."""
        around = self.exactness == "bounds" and self.lower <= 0 <= self.upper
        return 0.0 if around and self.error < _NOISE else float(self)

    @property
    def error(self) -> float:
        """No more than this lies between the shown middle and the true value."""
        middle = float(self)
        wide = max(float(self.upper) - middle, middle - float(self.lower))
        return math.nextafter(wide, math.inf) if wide else 0.0

    def as_json(self) -> ValueJson:
        """The value as JSON-ready data: exact values as text, bounds as numbers."""
        shown: ValueJson = {"kind": self.kind, "exactness": self.exactness}
        if self.kind == "outcome":
            shown["outcome"] = OUTCOMES[self.outcome]
        if self.exactness == "exact":
            shown["exact"] = _plain(self.lower)
            shown["decimal"] = nearest_float(self.lower)
        else:
            shown["lower"] = float(self.lower)
            shown["upper"] = float(self.upper)
        if self.kind == "outcome":
            shown["depth"] = self.depth
        return shown


def _infinite(number: Number) -> bool:
    return isinstance(number, float) and math.isinf(number)


def _plain(number: Number) -> str:
    if _infinite(number):
        return "infinite" if number > 0 else "-infinite"
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


def fraction_text(number: Fraction) -> str:
    """A fraction as text, however many digits it has: Python refuses more than 4300 of them."""
    top, denominator = (f"{Decimal(n):f}" for n in number.as_integer_ratio())
    return top if denominator == "1" else f"{top}/{denominator}"


def nearest_float(number: Number) -> float | None:
    """The nearest float; None if there is none, or only an infinite one."""
    try:
        found = float(number)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _decimal(number: Fraction) -> str:
    """The decimal value of a fraction to twelve digits, also where floats end."""
    near = nearest_float(number)
    if near:
        return f"{near:.12g}"
    with localcontext() as context:
        context.prec = 12
        top, denominator = number.as_integer_ratio()
        return f"{(Decimal(top) / Decimal(denominator)).normalize():g}"


def exact_text(number: Number, *, signed: bool = False) -> str:
    """An exact number for people: a fraction with its decimal value beside it."""
    if _infinite(number):
        return _plain(number)
    if isinstance(number, Fraction) and number.denominator != 1:
        return f"{fraction_text(number)} = {_decimal(number)}"
    whole = fraction_text(Fraction(number))
    return f"+{whole}" if signed and number > 0 else whole
