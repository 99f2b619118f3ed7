"""A quantity: what was found, and whether it is a given figure.

A figure is written as in print: `4/7`, `0.5306`, `68 %`, `1 in 276`, `3,945,711`, `2 13/32`,
`at most 4,096`, `draw`, `a;c`. A rounded figure is met by every number that rounds to it."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.rules.value import Value, exact_text


@dataclass(frozen=True)
class Quantity:
    """What was found: a number between two bounds, or a text."""

    text: str
    lower: Fraction | None = None
    upper: Fraction | None = None
    exactness: str = "exact"


def of_number(number: Any) -> Quantity:
    """An integer or a fraction, exactly."""
    exact = Fraction(number)
    return Quantity(exact_text(exact), exact, exact)


def of_value(value: Value) -> Quantity:
    """A value as far as it is known: an outcome, or a number between bounds."""
    if value.kind == "outcome":
        return Quantity(value.outcome.name.lower())
    if isinstance(value.lower, float) and not np.isfinite(value.lower):
        return Quantity(str(value))
    return Quantity(str(value), Fraction(value.lower), Fraction(value.upper), value.exactness)


def meets(found: Quantity, figure: str) -> bool:
    """Whether an answer is the figure, in all digits that it has."""
    if found.lower is None or found.upper is None:
        return _words(found.text) == _words(figure)
    bounds = _bounds(figure)
    if bounds is None:
        return False
    low, high = bounds
    tiny = Fraction(1, 10**11) * max(Fraction(1), abs(found.upper))
    narrow = found.upper - found.lower <= max(high - low, tiny)  # than the figure leaves open
    return found.lower <= high and low <= found.upper and narrow


def _words(text: str) -> list[str]:
    return sorted(word.strip() for word in text.split(";"))


def _bounds(figure: str) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest number that a printed figure may stand for."""
    text = figure.replace(",", "").strip()
    if one_in := re.fullmatch(r"1 in (\d+)", text):
        low, high = _rounded(one_in[1])
        return 1 / high, 1 / low
    if percent := re.fullmatch(r"(-?\d+(?:\.\d+)?) ?%", text):
        low, high = _rounded(percent[1])
        return low / 100, high / 100
    if most := re.fullmatch(r"at most (\d+)", text):
        return Fraction(0), Fraction(most[1])
    if mixed := re.fullmatch(r"(-?)(\d+) (\d+/\d+)", text):
        number = Fraction(mixed[2]) + Fraction(mixed[3])
        return (-number, -number) if mixed[1] else (number, number)
    if re.fullmatch(r"[+-]?\d+(/\d+)?", text):
        return Fraction(text), Fraction(text)
    if re.fullmatch(r"[+-]?\d*\.\d+", text):
        return _rounded(text)
    return None


def _rounded(text: str) -> tuple[Fraction, Fraction]:
    """All numbers that are rounded to a decimal, and a little more for figures cut off."""
    half = Fraction(51, 100 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half
