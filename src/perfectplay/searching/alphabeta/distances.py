"""Wins and losses as numbers that say how soon they come: a win in n plies is MOST - n, a loss in
n plies n - MOST, a draw 0. So a search for numbers finds both."""

import math

from perfectplay.rules.value import Number

MOST = 2**9 - 1
"""What is won or lost later than after MOST - 2 plies is worth 1 or -1, whenever play ends."""


def outcome(number: Number) -> Number:
    """The outcome that a number stands for: 1, 0 or -1. As a bound, it holds where the number
    does."""
    if isinstance(number, float) and math.isinf(number):
        return 1 if number > 0 else -1
    return 1 if number > 0 else -1 if number < 0 else 0


def plies(low: Number, high: Number) -> int | None:
    """After how many plies play ends, if a number between these bounds says so."""
    if low != high or abs(float(low)) <= 1:
        return None
    return MOST - abs(int(low))
