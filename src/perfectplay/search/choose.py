"""Choose: which child of a position is searched next, in which window, or that enough is known.

All functions here see rows only, never rules. A window (a, b) asks whether the value is at most a,
at least b, or what it is in between. It is a pair of floats and only says when to stop: bounds are
fractions, and right whatever the window was. So rounding a window can cost time, but no truth.
"""

from __future__ import annotations

import math

from perfectplay.compile import kernel
from perfectplay.search.number import DOWN, INFINITE, UP, as_float, less, over, plus, times
from perfectplay.search.rows import (
    ALPHA,
    BETA,
    COUNT,
    DONE,
    HIGH,
    HIGH_PER,
    KIND,
    LOW,
    LOW_PER,
    NOISE,
    ORDER,
    PROBED,
    PROBES,
    REST,
    REST_PER,
    REWARD,
    STAR1,
    STAR2,
    SWAP,
    TOTAL,
    VISITS,
    WEIGHT,
    WHOLE,
)

ONCE, WHOLLY = True, False
"""Probe a position, that is, search its first move alone; or search it."""
MARGIN = 1e-12
"""How much further than necessary a window of a chance event reaches, so that a cut holds in spite
of rounding."""


@kernel
def settled(stack, row):  # type: ignore[no-untyped-def]
    """Whether the bounds of a row will not come nearer to each other."""
    meet = stack[row, LOW] == stack[row, HIGH] and stack[row, LOW_PER] == stack[row, HIGH_PER]
    return meet or stack[row, DONE] != 0


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
    if (side > 0) == (stack[k, SWAP] == 0):
        n, d = stack[k, HIGH], stack[k, HIGH_PER]
    else:
        n, d = -stack[k, LOW], stack[k, LOW_PER]
    if stack[k, REWARD] == 0:
        return n, d
    return plus(n, d, side * stack[k, REWARD], 1, UP)


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
def _best(stack, row, top, side):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row by those of its children, one of which a player chooses; his
    view of its bounds: the lower as a fraction, both as floats."""
    ln, ld, hn, hd = -INFINITE, 1, stack[row, REST], stack[row, REST_PER]
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_low(stack, k, side)
        if less(ln, ld, n, d):
            ln, ld = n, d
        n, d = worth_high(stack, k, side)
        if less(hn, hd, n, d):
            hn, hd = n, d
    if not stack[row, WHOLE]:
        hn, hd = INFINITE, 1
    if side > 0:
        set_bounds(stack, row, ln, ld, hn, hd)
    else:
        set_bounds(stack, row, -hn, hd, -ln, ld)
    if side > 0:
        ln, ld, hn, hd = (
            stack[row, LOW],
            stack[row, LOW_PER],
            stack[row, HIGH],
            stack[row, HIGH_PER],
        )
    else:
        ln, ld = -stack[row, HIGH], stack[row, HIGH_PER]
        hn, hd = -stack[row, LOW], stack[row, LOW_PER]
    return ln, ld, as_float(ln, ld), as_float(hn, hd)


@kernel
def _window(stack, k, side, low, high):  # type: ignore[no-untyped-def]
    """A window on the worth of child k, given in a player's view, in the child's own frame."""
    low, high = low - side * stack[k, REWARD], high - side * stack[k, REWARD]
    if (side > 0) == (stack[k, SWAP] == 0):
        return low, high
    return -high, -low


@kernel
def choose_move(stack, control, row, top, a, b, probe):  # type: ignore[no-untyped-def]
    """The child to search next where a player moves, its window, and whether it is only probed;
    child -1: enough is known. Narrows the bounds of the row."""
    side = 1 if stack[row, KIND] == 0 else -1
    if side < 0:
        a, b = -b, -a
    ln, ld, low, high = _best(stack, row, top, side)
    nothing = -1, 0.0, 0.0, False
    left, again, searched, unseen = -1, -1, 0, not stack[row, WHOLE]
    best_high = best_again = -math.inf
    for k in range(top, top + stack[row, COUNT]):
        searched += stack[k, VISITS]
        unseen = unseen or (stack[k, VISITS] == 0 and not settled(stack, k))
        n, d = worth_high(stack, k, side)
        if settled(stack, k) or not less(ln, ld, n, d):
            continue  # nothing to find out, or not better than what there is
        value = as_float(n, d)
        if stack[k, VISITS] == 0 and value > a:
            if left < 0 or before(stack, control, k, left, value, best_high):
                left, best_high = k, value
        elif stack[k, VISITS] == 1 and value > best_again:
            again, best_again = k, value
    if low >= b or settled(stack, row):
        control[BETA if side > 0 else ALPHA] += unseen
        return nothing
    if high <= a or not stack[row, WHOLE] or (probe and searched):
        return nothing
    if left >= 0:
        first, last = _window(stack, left, side, max(a, low), b)
        return left, first, last, False
    return again, -math.inf, math.inf, False


@kernel
def before(stack, control, k, other, value, best):  # type: ignore[no-untyped-def]
    """Whether child k is tried before another: by the hint, then by what it may be worth at most.
    A thread with noise now and then does otherwise, so that threads part ways."""
    if control[NOISE]:
        control[NOISE] = (control[NOISE] * 6364136223846793005 + 1442695040888963407) | 1
        if (control[NOISE] >> 33) & 15 == 0:
            return True
    if stack[k, ORDER] != stack[other, ORDER]:
        return stack[k, ORDER] > stack[other, ORDER]
    return value > best


@kernel
def choose_event(stack, control, row, top, a, b):  # type: ignore[no-untyped-def]
    """The child to search next where chance acts, its window, and whether it is only probed;
    child -1: enough is known.

    Star1 (Ballard 1983): an event is searched in the window that would decide about the average,
    given the bounds of all others. Star2: before that, each event in which a player moves is
    probed, that is, its first move alone is searched; often that suffices for a cut."""
    total, low, high = stack[row, TOTAL], 0.0, 0.0
    probe = left = again = -1
    widest = widest_again = -1.0
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_low(stack, k, 1)
        least = as_float(n, d) * stack[k, WEIGHT]
        n, d = worth_high(stack, k, 1)
        most = as_float(n, d) * stack[k, WEIGHT]
        low, high = low + least, high + most
        if settled(stack, k):
            continue
        if stack[k, VISITS] == 0:
            if most - least > widest:
                left, widest = k, most - least
            if probe < 0 and stack[k, PROBES] == 0 and stack[k, KIND] >= 0:
                raises = (stack[k, KIND] == 0) == (stack[k, SWAP] == 0)
                if (b < math.inf) if raises else (a > -math.inf):
                    probe = k
        elif stack[k, VISITS] == 1 and most - least > widest_again:
            again, widest_again = k, most - least
    low = max(low / total, as_float(stack[row, LOW], stack[row, LOW_PER]))
    high = min(high / total, as_float(stack[row, HIGH], stack[row, HIGH_PER]))
    if low >= b or high <= a:
        if left >= 0:
            control[STAR2 if probe >= 0 else STAR1] += 1
        return -1, 0.0, 0.0, False
    if probe >= 0:
        control[PROBED] += 1
        first, last = _share(stack, row, top, probe, a, b)
        return probe, first, last, True
    if left >= 0:
        first, last = _share(stack, row, top, left, a, b)
        return left, first, last, False
    return again, -math.inf, math.inf, False


@kernel
def _share(stack, row, top, child, a, b):  # type: ignore[no-untyped-def]
    """The window of one event, in its own frame, that would decide about the average."""
    low, high = b * stack[row, TOTAL], a * stack[row, TOTAL]
    for k in range(top, top + stack[row, COUNT]):
        if k != child:
            n, d = worth_low(stack, k, 1)
            low -= as_float(n, d) * stack[k, WEIGHT]
            n, d = worth_high(stack, k, 1)
            high -= as_float(n, d) * stack[k, WEIGHT]
    last, first = low / stack[child, WEIGHT], high / stack[child, WEIGHT]
    last = last + MARGIN * (1 + abs(last)) if last < math.inf else math.inf
    first = first - MARGIN * (1 + abs(first)) if first > -math.inf else -math.inf
    if math.isnan(first):
        first = -math.inf
    if math.isnan(last):
        last = math.inf
    if stack[child, SWAP]:
        return -last, -first
    return first, last


@kernel
def average(stack, row, top):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row where chance acts by those of its children."""
    ln, ld, hn, hd = 0, 1, 0, 1
    for k in range(top, top + stack[row, COUNT]):
        w = stack[k, WEIGHT]
        n, d = worth_low(stack, k, 1)
        n, d = times(n, d, w, DOWN)
        ln, ld = plus(ln, ld, n, d, DOWN)
        n, d = worth_high(stack, k, 1)
        n, d = times(n, d, w, UP)
        hn, hd = plus(hn, hd, n, d, UP)
    ln, ld = over(ln, ld, stack[row, TOTAL], DOWN)
    hn, hd = over(hn, hd, stack[row, TOTAL], UP)
    set_bounds(stack, row, ln, ld, hn, hd)


@kernel
def finished(stack, row, top):  # type: ignore[no-untyped-def]
    """Whether no search of a child could bring the bounds of a row nearer to each other."""
    if not stack[row, WHOLE]:
        return False
    side = -1 if stack[row, KIND] == 1 else 1
    ln, ld = -INFINITE, 1
    if stack[row, KIND] >= 0:
        ln, ld = most_of(stack, row, -side)
        ln = -ln
        if less(ln, ld, stack[row, REST], stack[row, REST_PER]):
            return False
    for k in range(top, top + stack[row, COUNT]):
        if not settled(stack, k):
            n, d = worth_high(stack, k, side)
            if stack[row, KIND] < 0 or less(ln, ld, n, d):
                return False
    return True
