"""Values in the words and units people use: plies, chances and points, with how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.faces.match import LONGEST_FRACTION, exact_loss, number_lost
from perfectplay.rules.value import Value
from perfectplay.strata.graph import Facts

CHANCE_TO_WIN = "chance to win"
"""What values are where one player gets all."""
SHORT = 9
"""Characters of a number in a table with many columns."""


STAGES = {
    "plan": "Estimating how large the game is",
    "compile": "Compiling the rules",
    "starts": "Finding first positions",
    "expand": "Finding all positions",
    "solve": "Solving",
    "search": "Searching for bounds",
}
"""Stages of work, as a page calls them."""


def stage(name: str) -> str:
    """What work is being done, in words."""
    return STAGES.get(name, name.capitalize())


def unit(facts: Facts) -> str:
    """What the values of a game count, in words; outcomes say it themselves."""
    if facts.outcome:
        return ""
    if facts.chance and facts.wins:
        return CHANCE_TO_WIN
    what = "cost" if facts.minimise else "points" if facts.scalar else "payoff"
    return f"expected {what}" if facts.chance else what


def settings(parameters: Mapping[str, str]) -> tuple[str, ...]:
    """Parameters in a few words: switches that are off and empty texts are left out."""
    named = {name: text for name, text in parameters.items() if text not in ("", "false")}
    return tuple(name if text == "true" else f"{name} {text}" for name, text in named.items())


def number(value: Value) -> str:
    """A value in a few characters."""
    if value.kind == "outcome":
        return str(value)
    if value.exactness == "exact":
        text = str(value.lower) if isinstance(value.lower, Fraction) else str(value)
        return text if len(text) <= LONGEST_FRACTION else f"{float(value):.10g}"
    middle = value.middle
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
        return arrows(move.change)
    return f"loses {number_lost(move.loss, exact_loss(top, move.value))}"


def arrows(text: str) -> str:
    """What changed, with an arrow as it is printed: "win → draw"."""
    return text.replace("->", "→")


def tone(move: MoveAnalysis) -> str:
    """A class for colours: what kind of move it is. Words say the same."""
    if move.best:
        return "good"
    return "late" if move.change and "pl" in move.change and not move.loss else "bad"
