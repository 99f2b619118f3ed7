"""Choose: which child of a position is searched next, in which window, or that enough is known.

All functions here see rows only, never rules. A window (a, b) asks whether the value is at most a,
at least b, or what it is in between. It is a pair of floats and only says when to stop: bounds are
fractions, and right whatever the window was. So rounding a window can cost time, but no truth.
"""

from __future__ import annotations

import math

from perfectplay.compiled.kernels import kernel
from perfectplay.searching.chance_windows import AIMS, MARGIN, aim
from perfectplay.searching.fractions64 import INFINITE, as_float, less
from perfectplay.searching.node_values import (
    most_of,
    set_bounds,
    set_guess,
    settled,
    worth_about,
    worth_high,
    worth_low,
)
from perfectplay.searching.search_stack import (
    ALPHA,
    BETA,
    CIRCLES,
    COUNT,
    DEEP,
    GUESSES,
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

WHOLLY, ONCE, AIMED = 0, 1, 2
"""Search a position in the window that its siblings leave it; probe it, that is, search its first
move alone; search it in the window that guesses of its siblings leave it."""


@kernel
def _best(stack, row, top, side):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a row by those of its children, one of which a player chooses; his
    view of its bounds: the lower as a fraction, both as floats."""
    ln, ld, hn, hd = -INFINITE, 1, stack[row, REST], stack[row, REST_PER]
    guess = -math.inf
    for k in range(top, top + stack[row, COUNT]):
        n, d = worth_low(stack, k, side)
        if less(ln, ld, n, d):
            ln, ld = n, d
        n, d = worth_high(stack, k, side)
        if less(hn, hd, n, d):
            hn, hd = n, d
        guess = max(guess, worth_about(stack, k, side))
    set_guess(stack, row, side * guess)
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
    nothing = -1, 0.0, 0.0, WHOLLY
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
            if left < 0 or before(stack, control, k, left, value, best_high, side):
                left, best_high = k, value
        elif stack[k, VISITS] == 1 and value > best_again:
            again, best_again = k, value
    if low >= b or settled(stack, row):
        control[BETA if side > 0 else ALPHA] += unseen
        return nothing
    if high <= a or not stack[row, WHOLE] or (probe == ONCE and searched):
        return nothing
    if left >= 0:
        first, last = _window(stack, left, side, max(a, low), b)
        return left, first, last, WHOLLY
    return again, -math.inf, math.inf, WHOLLY


@kernel
def before(stack, control, k, other, value, best, side):  # type: ignore[no-untyped-def]
    """Whether child k is tried before another: by the guess, or else by the hint, then by what it
    may be worth at most. A thread with noise now and then does otherwise, so that threads part
    ways."""
    if control[NOISE]:
        control[NOISE] = (control[NOISE] * 6364136223846793005 + 1442695040888963407) | 1
        if (control[NOISE] >> 33) & 15 == 0:
            return True
    if control[GUESSES]:
        return worth_about(stack, k, side) > worth_about(stack, other, side)
    if stack[k, ORDER] != stack[other, ORDER]:
        return stack[k, ORDER] > stack[other, ORDER]
    return value > best


@kernel
def choose_event(stack, control, row, top, a, b):  # type: ignore[no-untyped-def]
    """The child to search next where chance acts, its window, and whether it is only probed;
    child -1: enough is known.

    Star1 (Ballard 1983): an event is searched in the window that would decide about the average,
    given the bounds of all others. Star2: before that, each event in which a player moves is
    probed, that is, its first move alone is searched; often that suffices for a cut. Guesses do
    better than probes: see `aim`."""
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
            if probe < 0 and not control[GUESSES] and _worth_a_probe(stack, k, a, b):
                probe = k
        elif stack[k, VISITS] == 1 and most - least > widest_again:
            again, widest_again = k, most - least
    low = max(low / total, as_float(stack[row, LOW], stack[row, LOW_PER]))
    high = min(high / total, as_float(stack[row, HIGH], stack[row, HIGH_PER]))
    if low >= b or high <= a:
        if left >= 0:
            control[STAR2 if probe >= 0 else STAR1] += 1
        return -1, 0.0, 0.0, WHOLLY
    return _event(stack, control, row, top, a, b, probe, left, again)


@kernel
def _event(stack, control, row, top, a, b, probe, left, again):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """The event to search next, of those that there are of each kind (-1: none)."""
    if control[GUESSES]:
        most = 1 if control[CIRCLES] + control[DEEP] else AIMS
        aimed, first, last = aim(stack, row, top, a, b, most)
        if aimed >= 0:
            control[PROBED] += 1
            return aimed, first, last, AIMED
    if probe >= 0:
        control[PROBED] += 1
        first, last = _share(stack, row, top, probe, a, b)
        return probe, first, last, ONCE
    if left >= 0:
        first, last = _share(stack, row, top, left, a, b)
        return left, first, last, WHOLLY
    return again, -math.inf, math.inf, WHOLLY


@kernel
def _worth_a_probe(stack, k, a, b):  # type: ignore[no-untyped-def]
    """Whether one move of an event may move the average towards an end of the window."""
    if stack[k, PROBES] or stack[k, KIND] < 0:
        return False
    raises = (stack[k, KIND] == 0) == (stack[k, SWAP] == 0)
    return (b < math.inf) if raises else (a > -math.inf)


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
