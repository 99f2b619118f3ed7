"""Values in the units that people see, whole columns at a time.

A table holds what player 0 gets, doubled and shifted where payoffs add up to something, negated
where one player pays; `solvers.store.values` says what one row means, and this says it of many.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.rules.value import exact_text, nearest_float
from perfectplay.solvers.store import NONE, shown_numbers
from perfectplay.strata.graph import Facts


class Natural(NamedTuple):
    """The values of some rows, each to the player it is seen by."""

    value: Array
    """What is known best: the exact value, its nearest float, or the middle of the bounds."""
    lower: Array | None
    upper: Array | None
    """Between these it lies for certain; None where no interval is proved."""
    exact: list[str] | None
    """Fractions as text."""
    depth: Array | None
    """Plies to the end; -1 where play is endless."""


def natural(facts: Facts, columns: dict[str, Any], seen_by: Array) -> Natural:
    """The values in decoded columns of a table; `seen_by` is a player for each row."""
    if "outcome" in columns:
        value = np.where(seen_by == 1, -columns["outcome"], columns["outcome"]).astype(np.int8)
        return Natural(value, value, value, None, columns["depth"])
    if "score" in columns:
        value = _scores(facts, columns["score"], seen_by)
        return Natural(value, value, value, None, None)
    if "lower" in columns:
        lower, upper = _bounds(facts, columns["lower"], columns["upper"], seen_by)
        return Natural(np.where(lower == upper, lower, (lower + upper) / 2), lower, upper, None,
                       None)  # fmt: skip
    if "value_0" in columns:
        every = np.stack([columns[f"value_{i}"] for i in range(facts.players)], axis=1)
        return Natural(every[np.arange(len(every)), seen_by], None, None, None, None)
    return _fractions(_exact(facts, columns, seen_by))


def to_each(facts: Facts, columns: dict[str, Any]) -> list[Array]:
    """What each player gets, as floats, in games of several players."""
    if "value_0" in columns:
        return [columns[f"value_{i}"] for i in range(facts.players)]
    exact = [columns[f"exact_{i}"] for i in range(facts.players)]
    return [np.array([nearest_float(x) for x in each], np.float64) for each in exact]


def _scores(facts: Facts, stored: Array, seen_by: Array) -> Array:
    """Scores: integers between two players; floats for one, who may find no end."""
    if facts.players == 1:
        shown = np.where(stored == NONE, -np.inf, stored.astype(np.float64))
        return -shown if facts.minimise else shown
    mine = np.where(seen_by == 1, facts.offset - stored, facts.offset + stored)
    return mine // facts.scale if facts.scale > 1 else mine


def _bounds(facts: Facts, low: Array, high: Array, seen_by: Array) -> tuple[Array, Array]:
    """Both ends, smaller first."""
    if facts.players == 1:
        return (-high, -low) if facts.minimise else (low, high)
    second = seen_by == 1
    a = np.where(second, facts.offset - high, facts.offset + low)
    b = np.where(second, facts.offset - low, facts.offset + high)
    return (a / facts.scale, b / facts.scale) if facts.scale > 1 else (a, b)


def _exact(facts: Facts, columns: dict[str, Any], seen_by: Array) -> list[Any]:
    """Exact numbers, each to the player it is seen by."""
    if not facts.scalar:
        every = [columns[f"exact_{i}"] for i in range(facts.players)]
        return [every[player][row] for row, player in enumerate(seen_by)]
    stored = columns["exact_0"]
    known: dict[Any, list[Any]] = {x: shown_numbers(facts, x) for x in set(stored.tolist())}
    return [known[x][player] for x, player in zip(stored, seen_by.tolist(), strict=True)]


def _fractions(exact: list[Any]) -> Natural:
    """Exact numbers with the floats next to them on both sides."""
    texts = {x: exact_text(x).partition(" = ")[0] for x in set(exact)}
    ends = {x: _enclosed(x) for x in texts}
    lower, value, upper = (
        np.array([ends[x][i] for x in exact], np.float64).reshape(len(exact)) for i in range(3)
    )
    return Natural(value, lower, upper, [texts[x] for x in exact], None)


def _enclosed(number: Any) -> tuple[float, float, float]:
    """The nearest float, between the floats that enclose the number."""
    if isinstance(number, float):
        return number, number, number
    near = nearest_float(number)
    if near is None:  # beyond all floats
        far = math.copysign(math.inf, number)
        return (-math.inf if far < 0 else 0.0), far, (math.inf if far > 0 else 0.0)
    exact = Fraction(near)
    low = near if exact <= number else math.nextafter(near, -math.inf)
    high = near if exact >= number else math.nextafter(near, math.inf)
    return low, near, high
