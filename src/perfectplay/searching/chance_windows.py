"""Aim: which chance event is searched next, and in which window, where the rules guess.

Windows are floats and only say when to stop: see choose_child.py."""

from __future__ import annotations

from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import as_float
from perfectplay.searching.node_values import settled, worth_about, worth_low
from perfectplay.searching.search_stack import COUNT, PROBES, SWAP, TOTAL, WEIGHT

AIMS = 40
"""How often a chance event is searched in such windows; once, where play runs in circles: there
each search narrows bounds a little, so that there would be no end."""
MARGIN = 1e-12
"""How much further than necessary a window of a chance event reaches, so that a cut holds in spite
of rounding."""


@kernel
def aim(stack, row, top, a, b, most):  # type: ignore[no-untyped-def]
    """The event to search, and its window, if the average is thought to answer (a, b); else -1.
    Each is searched so at `most` so often.

    If all events were as good as guessed, the average would be beyond b, or below a, by some
    slack. Each event may do worse than guessed by the same part of it, unless so much is proved
    already; whether it does no worse is asked of the one that most is open about. So no more is
    asked than has to be shown, while a window that the others' bounds leave (`_share`) is often
    wide, since little is known of them."""
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
def _open(stack, k, side):  # type: ignore[no-untyped-def]
    """How much of what an event is thought to be worth to the player on a side is not proved."""
    if settled(stack, k):
        return 0.0
    n, d = worth_low(stack, k, side)
    return worth_about(stack, k, side) - as_float(n, d)


@kernel
def _slack(stack, top, above, side, room):  # type: ignore[no-untyped-def]
    """How much worse than guessed each event may be, so that all together, by their weights, are
    worse by `room`; events of which less is open are worse by just that."""
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
