"""Which chance event is searched next, and in which window, if the rules have heuristic values.

Windows are floats and only decide when to stop: see choose_child.py."""

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.searching.fractions64 import as_float
from perfectplay.searching.node_values import settled, worth_about, worth_low
from perfectplay.searching.search_stack import COUNT, PROBES, SWAP, TOTAL, WEIGHT

AIMS = 40
"""How often a chance event is searched in such windows. Only once if play runs in cycles: there
each search narrows the bounds a little, so that there would be no end."""
MARGIN = 1e-12
"""How much further than necessary a window of a chance event reaches, so that a cut holds in spite
of rounding."""


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
