"""Which child of a position is searched next, and in which window; or that enough is known.

The contract of a window (a, b): the search of a row with value v may end as soon as its proved
bounds low <= v <= high satisfy

    high <= a   or   b <= low   or   low = high.

A window is a pair of floats and only decides when to stop; bounds are fractions, and hold whatever
the window was. So rounding a window can cost time, but never a wrong value.

All functions here see rows only, never rules."""

import math

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import INFINITE, Pair, as_float, larger, less, negative
from perfectplay.searching.node_values import (
    least_of,
    most_of,
    set_guess,
    settled,
    worth_about,
    worth_high,
    worth_low,
)
from perfectplay.searching.search_stack import (
    ALPHA,
    BETA,
    COUNT,
    CYCLES,
    DEEP,
    GUESSES,
    HIGH,
    KIND,
    LOW,
    NOISE,
    ORDER,
    PROBED,
    PROBES,
    REST,
    REWARD,
    STAR1,
    STAR2,
    SWAP,
    TOTAL,
    VISITS,
    WEIGHT,
    WHOLE,
    narrow_bounds,
    pair_at,
    random_bits,
)

WHOLLY, ONCE, AIMED = 0, 1, 2
"""How to search a child: in the window that its siblings leave it; its first move alone (a probe);
in the window that guesses leave it."""
AIMS = 40
"""How often a chance event is searched in such windows. Only once if play runs in cycles: there
each search narrows the bounds a little, so that there would be no end."""
MARGIN = 1e-12
"""How much further than necessary a window of a chance event reaches, so that a cut holds in spite
of rounding."""

Choice = tuple[int, float, float, int]
"""A child, its window, and how to search it; child -1: enough is known."""


# -- Where a player moves. ------------------------------------------------------------------------


@kernel
def narrow_by_moves(stack: Ints, row: int, top: int, side: int) -> tuple[Pair, Pair]:
    """Narrow the bounds of a row where the player on `side` moves; they are returned as that
    player sees them: max worth_low <= value <= max worth_high, over all moves."""
    low, high = (-INFINITE, 1), pair_at(stack, row, REST)
    guess = -math.inf
    for k in range(top, top + stack[row, COUNT]):
        low = larger(low, worth_low(stack, k, side))
        high = larger(high, worth_high(stack, k, side))
        guess = max(guess, worth_about(stack, k, side))
    set_guess(stack, row, side * guess)
    if not stack[row, WHOLE]:
        high = INFINITE, 1
    if side > 0:
        narrow_bounds(stack, row, low, high)
    else:
        narrow_bounds(stack, row, negative(high), negative(low))
    return least_of(stack, row, side), most_of(stack, row, side)


@kernel
def choose_move(
    stack: Ints, control: Ints, row: int, top: int, a: float, b: float, how: int
) -> Choice:
    """The choice where a player moves. Narrows the bounds of the row.

    With all numbers as that player sees them, and low <= value the best that is proved so far:
    only a child whose upper bound exceeds low can matter, and it matters in (max(a, low), b)."""
    side = 1 if stack[row, KIND] == 0 else -1
    if side < 0:
        a, b = -b, -a
    low, high = narrow_by_moves(stack, row, top, side)
    # 1. The best child that was not searched yet, and the most promising that was searched once.
    fresh, again, searched, unseen = -1, -1, 0, not stack[row, WHOLE]
    best_again = -math.inf
    for k in range(top, top + stack[row, COUNT]):
        searched += stack[k, VISITS]
        unseen = unseen or (stack[k, VISITS] == 0 and not settled(stack, k))
        most = worth_high(stack, k, side)
        if settled(stack, k) or not less(low, most):
            continue
        value = as_float(most)
        if stack[k, VISITS] == 0 and value > a:
            if fresh < 0 or before(stack, control, k, fresh, side):
                fresh = k
        elif stack[k, VISITS] == 1 and value > best_again:
            again, best_again = k, value
    # 2. b <= low: the opponent avoids this position, or low = high. Either is a cut.
    if as_float(low) >= b or settled(stack, row):
        control[BETA if side > 0 else ALPHA] += unseen
        return -1, 0.0, 0.0, WHOLLY
    # 3. high <= a, or all that a probe may do is done.
    if as_float(high) <= a or not stack[row, WHOLE] or (how == ONCE and searched):
        return -1, 0.0, 0.0, WHOLLY
    # 4. A new child; or, since windows were too narrow, one for the second time, in a full window.
    if fresh >= 0:
        first, last = _window(stack, fresh, side, max(a, as_float(low)), b)
        return fresh, first, last, WHOLLY
    return again, -math.inf, math.inf, WHOLLY


@kernel
def before(stack: Ints, control: Ints, k: int, other: int, side: int) -> bool:
    """Whether child k is tried before another: by its guess if there are guesses, otherwise by the
    hint, then by its upper bound. A thread with noise deviates now and then, so that threads
    search different parts of the tree."""
    if control[NOISE] and (random_bits(control) >> 33) & 15 == 0:
        return True
    if control[GUESSES]:
        return worth_about(stack, k, side) > worth_about(stack, other, side)
    if stack[k, ORDER] != stack[other, ORDER]:
        return stack[k, ORDER] > stack[other, ORDER]
    return as_float(worth_high(stack, k, side)) > as_float(worth_high(stack, other, side))


@kernel
def _window(stack: Ints, k: int, side: int, low: float, high: float) -> tuple[float, float]:
    """A window on the worth of child k to a side, as one on the value of the child's row."""
    low, high = low - side * stack[k, REWARD], high - side * stack[k, REWARD]
    if (side > 0) == (stack[k, SWAP] == 0):
        return low, high
    return -high, -low


# -- Where chance acts. ---------------------------------------------------------------------------


@kernel
def choose_event(stack: Ints, control: Ints, row: int, top: int, a: float, b: float) -> Choice:
    """The choice where chance acts.

    Star1 (Ballard 1983): an event is searched in the window that would decide about the average,
    given the bounds of all others. Star2: before that, each event in which a player moves is
    probed, that is, its first move alone is searched, which is often enough for a cut. Guesses do
    better than probes: see `aim`."""
    # 1. Bounds on the average; the widest event that was not searched yet, and that was once.
    total, low, high = stack[row, TOTAL], 0.0, 0.0
    probe = fresh = again = -1
    widest = widest_again = -1.0
    for k in range(top, top + stack[row, COUNT]):
        least = as_float(worth_low(stack, k, 1)) * stack[k, WEIGHT]
        most = as_float(worth_high(stack, k, 1)) * stack[k, WEIGHT]
        low, high = low + least, high + most
        if settled(stack, k):
            continue
        if stack[k, VISITS] == 0:
            if most - least > widest:
                fresh, widest = k, most - least
            if probe < 0 and not control[GUESSES] and _worth_a_probe(stack, k, a, b):
                probe = k
        elif stack[k, VISITS] == 1 and most - least > widest_again:
            again, widest_again = k, most - least
    low = max(low / total, as_float(pair_at(stack, row, LOW)))
    high = min(high / total, as_float(pair_at(stack, row, HIGH)))
    # 2. They answer the window: a cut, if an event was not searched.
    if low >= b or high <= a:
        if fresh >= 0:
            control[STAR2 if probe >= 0 else STAR1] += 1
        return -1, 0.0, 0.0, WHOLLY
    return _next_event(stack, control, row, top, (a, b), (probe, fresh, again))


@kernel
def _next_event(
    stack: Ints,
    control: Ints,
    row: int,
    top: int,
    window: tuple[float, float],
    candidates: tuple[int, int, int],
) -> Choice:
    """The choice among an event to probe, one that was not searched yet, and one that was (-1 if
    there is none), for an average that is still open."""
    (a, b), (probe, fresh, again) = window, candidates
    # 3. What guesses ask for.
    if control[GUESSES]:
        most_aims = 1 if control[CYCLES] + control[DEEP] else AIMS
        aimed, first, last = aim(stack, row, top, a, b, most_aims)
        if aimed >= 0:
            control[PROBED] += 1
            return aimed, first, last, AIMED
    # 4. A probe (Star2), a new event (Star1), or one for the second time.
    if probe >= 0:
        control[PROBED] += 1
        first, last = _share(stack, row, top, probe, a, b)
        return probe, first, last, ONCE
    if fresh >= 0:
        first, last = _share(stack, row, top, fresh, a, b)
        return fresh, first, last, WHOLLY
    return again, -math.inf, math.inf, WHOLLY


@kernel
def _worth_a_probe(stack: Ints, k: int, a: float, b: float) -> bool:
    """Whether one move of an event may move the average towards an end of the window."""
    if stack[k, PROBES] or stack[k, KIND] < 0:
        return False
    raises = (stack[k, KIND] == 0) == (stack[k, SWAP] == 0)
    return (b < math.inf) if raises else (a > -math.inf)


@kernel
def _share(stack: Ints, row: int, top: int, child: int, a: float, b: float) -> tuple[float, float]:
    """The window (x, y) on the value of one event that decides about the average in (a, b):

    total * a = weight * x + most of the others,    total * b = weight * y + least of the others.
    """
    low, high = b * stack[row, TOTAL], a * stack[row, TOTAL]
    for k in range(top, top + stack[row, COUNT]):
        if k != child:
            low -= as_float(worth_low(stack, k, 1)) * stack[k, WEIGHT]
            high -= as_float(worth_high(stack, k, 1)) * stack[k, WEIGHT]
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


# -- Where chance acts, and the rules have heuristic values. --------------------------------------


@kernel
def aim(
    stack: Ints, row: int, top: int, a: float, b: float, most: int
) -> tuple[int, float, float]:
    """The event to search and its window (x, x), if the guessed average lies outside of (a, b);
    otherwise child -1. No event is searched so more than `most` times.

    Let g_k be the guesses, w_k the weights with sum W, and G = sum(w_k g_k) / W >= b (below a it
    is the mirror image). To prove that the average is at least b, it is enough to prove

        value_k >= g_k - slack    for all k, with   sum(w_k min(slack, open_k)) = W (G - b),

    where open_k, the part of g_k that is not proved yet, is all that event k can fall short by.
    The event with the largest w_k open_k is asked for that, and for no more. A window that only
    uses the others' bounds (Star1) is often wide, since little is known of them."""
    mean, total, above = 0.0, stack[row, TOTAL], top + stack[row, COUNT]
    for k in range(top, above):
        mean += worth_about(stack, k, 1) * stack[k, WEIGHT]
    mean /= total
    if a < mean < b:
        return -1, 0.0, 0.0
    side = 1 if mean >= b else -1
    slack = _slack(stack, top, above, side, (mean - b if side > 0 else a - mean) * total)
    best, widest, asked = -1, 0.0, 0.0
    for k in range(top, above):
        gap = _open(stack, k, side)
        if gap > slack and gap * stack[k, WEIGHT] > widest and stack[k, PROBES] < most:
            best, widest = k, gap * stack[k, WEIGHT]
            asked = worth_about(stack, k, side) - slack
    asked = side * (asked + MARGIN * (1 + abs(asked)))
    if best >= 0 and stack[best, SWAP]:
        asked = -asked
    return best, asked, asked


@kernel
def _open(stack: Ints, k: int, side: int) -> float:
    """How much of an event's guess, seen by a side, is not proved."""
    if settled(stack, k):
        return 0.0
    return worth_about(stack, k, side) - as_float(worth_low(stack, k, side))


@kernel
def _slack(stack: Ints, top: int, above: int, side: int, room: float) -> float:
    """The slack with sum(w_k min(slack, open_k)) = room; at least 0.

    Found from below: the events with open_k <= slack use w_k open_k of the room, and what is left
    is shared by the weights of the others. Slack grows until no further event drops out."""
    slack = -1.0
    while True:
        left, weight = room, 0
        for k in range(top, above):
            gap = _open(stack, k, side)
            if gap <= slack:
                left -= gap * stack[k, WEIGHT]
            else:
                weight += stack[k, WEIGHT]
        if weight == 0 or left / weight <= slack:
            return max(slack, 0.0)
        slack = left / weight


# -- Either. --------------------------------------------------------------------------------------


@kernel
def choose(stack: Ints, control: Ints, row: int, top: int, a: float, b: float, how: int) -> Choice:
    """The child to search next, if the bounds of the children do not answer the window yet."""
    if stack[row, KIND] >= 0:
        return choose_move(stack, control, row, top, a, b, how)
    return choose_event(stack, control, row, top, a, b)


@kernel
def finished(stack: Ints, row: int, top: int) -> bool:
    """Whether no search of a child could narrow the bounds of a row."""
    if not stack[row, WHOLE]:
        return False
    side = -1 if stack[row, KIND] == 1 else 1
    low = -INFINITE, 1
    if stack[row, KIND] >= 0:
        low = least_of(stack, row, side)
        if less(low, pair_at(stack, row, REST)):
            return False
    for k in range(top, top + stack[row, COUNT]):
        if not settled(stack, k) and (
            stack[row, KIND] < 0 or less(low, worth_high(stack, k, side))
        ):
            return False
    return True
