"""What rows of a search are worth: proved bounds, and heuristic values.

A *side* is 1 for player 0 and -1 for player 1. The value of a row is that to player 0 of its own
frame; going to child k is worth, to player 0 of the parent,

    reward of the edge + (value of k, or minus that if the edge exchanges the players)

and minus that to player 1."""

import math

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import (
    DOWN,
    FITS,
    INFINITE,
    UP,
    Pair,
    as_float,
    lowest,
    negative,
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
    narrow_bounds,
    pair_at,
)

INSIDE = 0.05
"""How far a guess is from both bounds, as a part of their distance."""


@kernel
def meet(stack: Ints, row: int) -> bool:
    """Whether the value of a row is known."""
    return stack[row, LOW] == stack[row, HIGH] and stack[row, LOW_PER] == stack[row, HIGH_PER]


@kernel
def settled(stack: Ints, row: int) -> bool:
    """Whether no search can narrow the bounds of a row."""
    return meet(stack, row) or stack[row, DONE] != 0


@kernel
def most_of(stack: Ints, row: int, side: int) -> Pair:
    """The most that a row may be worth to a side of its own frame."""
    return pair_at(stack, row, HIGH) if side > 0 else negative(pair_at(stack, row, LOW))


@kernel
def least_of(stack: Ints, row: int, side: int) -> Pair:
    """The least that a row may be worth to a side of its own frame."""
    return pair_at(stack, row, LOW) if side > 0 else negative(pair_at(stack, row, HIGH))


@kernel
def worth_low(stack: Ints, k: int, side: int) -> Pair:
    """The least that going to child k may be worth to a side of the parent."""
    least = least_of(stack, k, side if stack[k, SWAP] == 0 else -side)
    if stack[k, REWARD] == 0:
        return least
    return plus(least, (side * stack[k, REWARD], 1), DOWN)


@kernel
def worth_high(stack: Ints, k: int, side: int) -> Pair:
    """The most that going to child k may be worth to a side of the parent."""
    return negative(worth_low(stack, k, -side))


@kernel
def clamped(guess: float, low: float, high: float) -> float:
    """A guess that keeps away from both bounds: a value that was proved to be at most a number is
    rarely just that."""
    margin = INSIDE * (high - low)
    if margin < math.inf:
        low, high = low + margin, high - margin
    return min(max(guess, low), high)


@kernel
def guess_of(stack: Ints, row: int) -> float:
    """The heuristic value of a row."""
    low, high = as_float(pair_at(stack, row, LOW)), as_float(pair_at(stack, row, HIGH))
    return clamped(stack[row, GUESS] / FINE, low, high)


@kernel
def worth_about(stack: Ints, k: int, side: int) -> float:
    """What going to child k is worth to a side of the parent, by the heuristic."""
    guess = guess_of(stack, k)
    if (side > 0) != (stack[k, SWAP] == 0):
        guess = -guess
    return guess + side * stack[k, REWARD]


@kernel
def set_guess(stack: Ints, row: int, guess: float) -> None:
    """Set the heuristic value of a row."""
    if abs(guess) < 2.0**40:
        stack[row, GUESS] = int(guess * FINE)


@kernel
def average(stack: Ints, row: int, top: int) -> None:
    """Narrow the bounds of a row where chance acts by those of its children:

    sum of weight * worth_low <= total * value <= sum of weight * worth_high."""
    guess, known = 0.0, True
    for k in range(top, top + stack[row, COUNT]):
        guess += worth_about(stack, k, 1) * stack[k, WEIGHT]
        known = known and meet(stack, k)
    low, exact = _mean(stack, row, top, DOWN)
    high = low
    if not (known and exact):
        high, exact = _mean(stack, row, top, UP)
    narrow_bounds(stack, row, low, high)
    set_guess(stack, row, guess / stack[row, TOTAL])


@kernel
def _mean(stack: Ints, row: int, top: int, up: bool) -> tuple[Pair, bool]:  # noqa: FBT001
    """The average of all children's upper, or lower, bounds, and whether it is certainly exact.

    Denominators are mostly powers of one number. Then the largest is a multiple of all, and one
    sum of integers does it."""
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
        return lowest(added, largest * total), True
    rounded = 0, 1
    for k in range(top, top + stack[row, COUNT]):
        worth = worth_high(stack, k, 1) if up else worth_low(stack, k, 1)
        rounded = plus(rounded, times(worth, stack[k, WEIGHT], up), up)
    return over(rounded, total, up), False
