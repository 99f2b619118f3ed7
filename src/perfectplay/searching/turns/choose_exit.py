"""Aim of a search by turns: which exit of a turn is searched next, and what is asked of it.

The value of a turn is an average of what its units are worth, by their probabilities. To show that
it is at least t, or less, each unit may do worse than guessed by the same amount, so that all
together are just good enough; that, and no more, is asked of the one of which most is open. Where
the value itself is asked for, one exit of each unit is valued, the one that is thought best, and
of the others only whether they are better.

Guesses and amounts are floats and decide about time alone; bounds are whole numbers
(fixed_point.py)."""

from __future__ import annotations

from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.turns.fixed_point import as_float, from_float, less, plus
from perfectplay.searching.turns.turn_stack import ABOUT as NODE_ABOUT
from perfectplay.searching.turns.turn_stack import (
    ASKED,
    EXACT,
    F_HIGH,
    F_LOW,
    FLOW,
    HIGH,
    KID_HIGH,
    KID_LOW,
    KIDS,
    LOW,
    NODE,
    PATTERN,
    ROUNDS,
    UNIT_ABOUT,
    UNIT_F_HIGH,
    UNIT_F_LOW,
    UNIT_LOW,
    flow,
    open_unit,
    weigh,
)

STUCK = -2
"""Instead of an exit: all are valued, but rounding leaves the answer open."""
MARGIN = 1e-12
"""How much more than necessary is asked, so that it suffices in spite of rounding."""
PATIENCE = 60
"""How often exits are chosen by guesses; after that, those of which most is open are valued."""
NARROW = 1e-9
"""Where bounds are that near to each other, the value itself is asked for: floats are too coarse
to ask for less."""


@inlined
def answered(heads, level):  # type: ignore[no-untyped-def]
    """Whether the bounds of a level tell what was asked."""
    low_h, low_l, high_h, high_l = (
        heads[level, LOW],
        heads[level, LOW + 1],
        heads[level, HIGH],
        heads[level, HIGH + 1],
    )
    if low_h == high_h and low_l == high_l:
        return True
    if heads[level, EXACT]:
        return False
    asked_h, asked_l = heads[level, ASKED], heads[level, ASKED + 1]
    return not less(low_h, low_l, asked_h, asked_l) or less(high_h, high_l, asked_h, asked_l)


@kernel
def step(rows, patterns, level, base, unit):  # type: ignore[no-untyped-def]
    """(the exit to search, whether its value is asked for, else whether it is at least a number,
    in two words); exit -1: what was asked is answered."""
    heads = rows[0]
    weigh(rows, patterns, level, base, unit)
    if answered(heads, level):
        return -1, 0, 0, 0
    heads[level, ROUNDS] += 1
    if heads[level, EXACT]:
        return _to_value(rows, patterns, level, base)
    return _to_show(rows, patterns, level, base, unit)


@kernel
def _to_show(rows, patterns, level, base, unit):  # type: ignore[no-untyped-def]
    """The exit to search if the question is whether the value is at least a number."""
    heads, kids, _, nodes, floats = rows[:5]
    flow(rows, patterns, level, base)
    start = patterns[0]
    count = start[heads[level, PATTERN] + 1] - start[heads[level, PATTERN]]
    asked = as_float(heads[level, ASKED], heads[level, ASKED + 1], unit)
    about = floats[base + count - 1, NODE_ABOUT]
    side = 1.0 if about >= asked else -1.0
    slack = _slack(nodes, floats, base, count, side, side * (about - asked))
    best, widest = -1, 0.0
    if heads[level, ROUNDS] <= PATIENCE:
        for at in range(base, base + count):
            gap = _gap(nodes, floats, at, side)
            if gap > slack and gap * floats[at, FLOW] > widest:
                best, widest = at, gap * floats[at, FLOW]
    valued = best < 0
    if valued:
        best, slack = _widest(nodes, floats, base, count), 0.0
    if best < 0:
        return STUCK, 0, 0, 0
    x = floats[best, UNIT_ABOUT] - side * (slack - MARGIN)
    k = _exit(rows, level, best, best - base, x, side, unit)
    width = as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit) - as_float(
        kids[k, KID_LOW], kids[k, KID_LOW + 1], unit
    )
    if width < NARROW or (valued and heads[level, ROUNDS] > PATIENCE):
        return k, 1, 0, 0
    high, low = from_float(x, unit)
    return _fitted(kids, k, high, low)


@inlined
def _gap(nodes, floats, at, side):  # type: ignore[no-untyped-def]
    """How much of what the exits of a node are thought to be worth, or not to be, is not shown."""
    if not open_unit(nodes, floats, at):
        return 0.0
    if side > 0:
        return floats[at, UNIT_ABOUT] - floats[at, UNIT_F_LOW]
    return floats[at, UNIT_F_HIGH] - floats[at, UNIT_ABOUT]


@kernel
def _slack(nodes, floats, base, count, side, room):  # type: ignore[no-untyped-def]
    """How much worse than guessed each unit may be, so that all together, by their probabilities,
    are worse by `room`; units of which less is open are worse by just that."""
    slack = -1.0
    while True:
        left, share = room, 0.0
        for at in range(base, base + count):
            gap = _gap(nodes, floats, at, side)
            if gap <= slack:
                left -= gap * floats[at, FLOW]
            else:
                share += floats[at, FLOW]
        if share <= 0.0 or left / share <= slack:
            return max(slack, 0.0)
        slack = left / share


@kernel
def _widest(nodes, floats, base, count):  # type: ignore[no-untyped-def]
    """The node of whose exits most is open."""
    best, widest = -1, -1.0
    for at in range(base, base + count):
        if open_unit(nodes, floats, at):
            width = floats[at, UNIT_F_HIGH] - floats[at, UNIT_F_LOW]
            width *= floats[at, FLOW] + MARGIN
            if width > widest:
                best, widest = at, width
    return best


@kernel
def _exit(rows, level, at, node, x, side, unit):  # type: ignore[no-untyped-def]
    """The exit of a node that is thought best, of those that can matter."""
    heads, kids, thought, nodes, _ = rows[:5]
    begin = level * (len(thought) // len(heads))
    best = second = -1
    for k in range(begin, begin + heads[level, KIDS]):
        if kids[k, NODE] != node or not _open(kids, k):
            continue
        if not less(
            nodes[at, UNIT_LOW], nodes[at, UNIT_LOW + 1], kids[k, KID_HIGH], kids[k, KID_HIGH + 1]
        ):
            continue
        if second < 0 or thought[k] > thought[second]:
            second = k
        if side < 0 and as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit) <= x:
            continue  # it is shown to be no better than that
        if best < 0 or thought[k] > thought[best]:
            best = k
    return best if best >= 0 else second


@inlined
def _open(kids, k):  # type: ignore[no-untyped-def]
    """Whether it is not known what an exit is worth."""
    return kids[k, KID_LOW] != kids[k, KID_HIGH] or kids[k, KID_LOW + 1] != kids[k, KID_HIGH + 1]


@inlined
def _fitted(kids, k, high, low):  # type: ignore[no-untyped-def]
    """The question whether an exit is worth a number at least, such that either answer is news."""
    if not less(kids[k, KID_LOW], kids[k, KID_LOW + 1], high, low):
        high, low = plus(kids[k, KID_LOW], kids[k, KID_LOW + 1], 0, 1)
    if less(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], high, low):
        high, low = kids[k, KID_HIGH], kids[k, KID_HIGH + 1]
    return k, 0, high, low


@kernel
def _to_value(rows, patterns, level, base):  # type: ignore[no-untyped-def]
    """The exit to search if the value is asked for."""
    heads, kids, thought, nodes, floats = rows[:5]
    at = _down(heads, nodes, floats, patterns, level, base)
    if at < 0:
        return STUCK, 0, 0, 0
    begin = level * (len(thought) // len(heads))
    low_h, low_l = nodes[at, UNIT_LOW], nodes[at, UNIT_LOW + 1]
    known, best = False, -1
    for k in range(begin, begin + heads[level, KIDS]):
        if kids[k, NODE] != at - base:
            continue
        if less(low_h, low_l, kids[k, KID_HIGH], kids[k, KID_HIGH + 1]):
            if best < 0 or thought[k] > thought[best]:
                best = k
        elif not _open(kids, k) and kids[k, KID_LOW] == low_h and kids[k, KID_LOW + 1] == low_l:
            known = True
    if not known:
        return best, 1, 0, 0
    high, low = plus(low_h, low_l, 0, 1)
    return _fitted(kids, best, high, low)


@kernel
def _down(heads, nodes, floats, patterns, level, base):  # type: ignore[no-untyped-def]
    """The node whose exits are to be valued: from the first position of the turn on, where chance
    acts, the one of which most is open, and where the player chooses, the one that is thought
    best."""
    start, kind, first, to, weight = patterns[:5]
    begin = start[heads[level, PATTERN]]
    j = start[heads[level, PATTERN] + 1] - begin - 1
    while True:
        node, at = begin + j, base + j
        best, most = -1, 0.0
        for e in range(first[node], first[node + 1]):
            k = base + to[e]
            width = floats[k, F_HIGH] - floats[k, F_LOW]
            if width > 0.0:
                worth = width * weight[e] if kind[node] < 0 else floats[k, NODE_ABOUT]
                if best < 0 or worth > most:
                    best, most = to[e], worth
        if open_unit(nodes, floats, at) and (best < 0 or floats[at, UNIT_ABOUT] >= most):
            return at
        if best < 0:
            return _widest(nodes, floats, base, start[heads[level, PATTERN] + 1] - begin)
        j = best
