"""Worth: what the rows of a search and their children are worth: proved bounds, and guesses."""

from __future__ import annotations

import math

from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import (
    DOWN,
    FITS,
    INFINITE,
    UP,
    as_float,
    less,
    lowest,
    over,
    plus,
    times,
)
from perfectplay.searching.search_stack import (
    COUNT,
    DONE,
    FINE,
    GUESS,
    HIGH,
    HIGH_PER,
    LOW,
    LOW_PER,
    REWARD,
    SWAP,
    TOTAL,
    WEIGHT,
)

INSIDE = 0.05
"""How far a guess is from both bounds, in parts of their distance."""


@kernel
def meet(stack, row):  # type: ignore[no-untyped-def]
    """Whether the value of a row is known."""
    return stack[row, LOW] == stack[row, HIGH] and stack[row, LOW_PER] == stack[row, HIGH_PER]


@kernel
def settled(stack, row):  # type: ignore[no-untyped-def]
    """Whether the bounds of a row will not come nearer to each other."""
    return meet(stack, row) or stack[row, DONE] != 0


@kernel
def worth_low(stack, k, side):  # type: ignore[no-untyped-def]
    """The least that going to child k may be worth to player 0 of the parent, or, with side -1,
    to player 1."""
    if (side > 0) == (stack[k, SWAP] == 0):
        n, d = stack[k, LOW], stack[k, LOW_PER]
    else:
        n, d = -stack[k, HIGH], stack[k, HIGH_PER]
    if stack[k, REWARD] == 0:
        return n, d
    return plus(n, d, side * stack[k, REWARD], 1, DOWN)


@kernel
def worth_high(stack, k, side):  # type: ignore[no-untyped-def]
    """The most that going to child k may be worth."""
    n, d = worth_low(stack, k, -side)  # to the other player
    return -n, d


@kernel
def guess_of(stack, row):  # type: ignore[no-untyped-def]
    """What the value of a row is thought to be: never at a bound, for what was proved to be at
    most a number is rarely just that."""
    guess = stack[row, GUESS] / FINE
    low, high = (
        as_float(stack[row, LOW], stack[row, LOW_PER]),
        as_float(stack[row, HIGH], stack[row, HIGH_PER]),
    )
    margin = INSIDE * (high - low)
    if margin < math.inf:
        low, high = low + margin, high - margin
    return min(max(guess, low), high)


@kernel
def worth_about(stack, k, side):  # type: ignore[no-untyped-def]
    """What going to child k is thought to be worth to player 0 of the parent, or, with side -1, to
    player 1."""
    guess = guess_of(stack, k)
    if (side > 0) != (stack[k, SWAP] == 0):
        guess = -guess
    return guess + side * stack[k, REWARD]


@kernel
def set_guess(stack, row, guess):  # type: ignore[no-untyped-def]
    """Note what the value of a row is thought to be."""
    if abs(guess) < 2.0**40:
        stack[row, GUESS] = int(guess * FINE)


@kernel
def set_bounds(stack, row, low, low_per, high, high_per):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row."""
    if less(stack[row, LOW], stack[row, LOW_PER], low, low_per):
        stack[row, LOW], stack[row, LOW_PER] = low, low_per
    if less(high, high_per, stack[row, HIGH], stack[row, HIGH_PER]):
        stack[row, HIGH], stack[row, HIGH_PER] = high, high_per


@kernel
def most_of(stack, row, side):  # type: ignore[no-untyped-def]
    """The most that a row may be worth to the player on a side."""
    if side > 0:
        return stack[row, HIGH], stack[row, HIGH_PER]
    return -stack[row, LOW], stack[row, LOW_PER]


@kernel
def average(stack, row, top):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row where chance acts by those of its children."""
    guess, known = 0.0, True
    for k in range(top, top + stack[row, COUNT]):
        guess += worth_about(stack, k, 1) * stack[k, WEIGHT]
        known = known and meet(stack, k)
    ln, ld, exactly = _mean(stack, row, top, DOWN)
    hn, hd = ln, ld
    if not (known and exactly):
        hn, hd, exactly = _mean(stack, row, top, UP)
    set_bounds(stack, row, ln, ld, hn, hd)
    set_guess(stack, row, guess / stack[row, TOTAL])


@kernel
def _mean(stack, row, top, up):  # type: ignore[no-untyped-def]
    """The average of the upper, or the lower, bounds of all children, and whether that was found
    at once: denominators are mostly powers of the same number, so that one of them serves all."""
    largest, total = 1, stack[row, TOTAL]
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_high(stack, k, 1) if up else worth_low(stack, k, 1)
        largest = max(largest, d)
    added, size, easy = 0, 0.0, float(largest) * total < FITS
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_high(stack, k, 1) if up else worth_low(stack, k, 1)
        more, w = largest // d, stack[k, WEIGHT]
        size += abs(float(n)) * more * w
        easy = easy and more * d == largest and abs(n) < INFINITE and size < FITS
        if easy:
            added += n * more * w
    if easy:
        n, d = lowest(added, largest * total)
        return n, d, True
    ln, ld = 0, 1
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_high(stack, k, 1) if up else worth_low(stack, k, 1)
        n, d = times(n, d, stack[k, WEIGHT], up)
        ln, ld = plus(ln, ld, n, d, up)
    n, d = over(ln, ld, total, up)
    return n, d, False
