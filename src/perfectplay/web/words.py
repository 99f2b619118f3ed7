"""Values in the words and units people use: plies, chances and points, with how sure they are."""

from __future__ import annotations

import math
from fractions import Fraction

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.faces.match import LONGEST_FRACTION, exact_loss, number_lost
from perfectplay.rules.value import Value
from perfectplay.strata.graph import Facts

SHORT = 9
"""Characters of a number in a table with many columns."""
WINS = 1
"""Payoffs of both players that always add up to this are chances to win."""


def unit(facts: Facts) -> str:
    """What the values of a game count, in words; outcomes say it themselves."""
    if facts.outcome:
        return ""
    if facts.chance and facts.players == 2 and facts.scale == 2 and facts.offset == WINS:
        return "chance to win"
    what = "cost" if facts.minimise else "points"
    return f"expected {what}" if facts.chance else what


def number(value: Value) -> str:
    """A value in a few characters."""
    if value.kind == "outcome":
        return str(value)
    if value.exactness == "exact":
        text = str(value.lower) if isinstance(value.lower, Fraction) else str(value)
        return text if len(text) <= LONGEST_FRACTION else f"{float(value):.10g}"
    middle = float(value)
    return f"{middle:.6g}" if math.isfinite(middle) else ("∞" if middle > 0 else "-∞")


def short(value: Value) -> str:
    """A value in fewer characters still, for tables with many columns."""
    shown = number(value)
    outcome = value.kind == "outcome"
    return shown if outcome or len(shown) <= SHORT else f"{float(value):.6g}"


def about(value: Value) -> str:
    """A fraction as a decimal; nothing for other values, which are decimals already."""
    shown = number(value)
    return f"= {float(value):.6g}" if "/" in shown else ""


def sure(value: Value) -> str:
    """How well a value is known."""
    if value.exactness == "exact":
        return "exact"
    if value.exactness == "residual":
        return "the equations hold, up to rounding"
    return f"proved to ±{value.error:.1g}" if value.error else "proved"


def cost(move: MoveAnalysis, top: Value) -> str:
    """What a move gives away against the best one, which is worth `top`."""
    if move.best:
        return "best"
    if move.change:
        return move.change
    return f"loses {number_lost(move.loss, exact_loss(top, move.value))}"


def tone(move: MoveAnalysis) -> str:
    """A class for colours: what kind of move it is. Words say the same."""
    if move.best:
        return "good"
    return "late" if move.change and "pl" in move.change and not move.loss else "bad"
