"""Visit of a search by turns: the functions that are compiled for each game.

`run` goes up and down the levels of turns_rows.py until the first one is answered, or it is
stopped; all that it knows is in the rows, so it can be called again and goes on. `lay` asks the
rules for the exits of a turn, and of tables and rules what is known of the anchors they lead to."""

from __future__ import annotations

import numpy as np

from perfectplay.compile import kernel
from perfectplay.expand_kernel import load_key, save_key
from perfectplay.game import OVER
from perfectplay.prefetch import prefetch
from perfectplay.search.lock import unlock
from perfectplay.search.nameless import ABOUT as SHAPE_ABOUT
from perfectplay.search.nameless import FINE as SHAPE_FINE
from perfectplay.search.nameless import HIGH as SHAPE_HIGH
from perfectplay.search.nameless import LOW as SHAPE_LOW
from perfectplay.search.nameless import look
from perfectplay.search.rows import (
    ALPHA,
    BETA,
    GUESSES,
    HITS,
    LARGE,
    LIMIT,
    LOOKS,
    NODES,
    ROOM,
    STAR1,
    STOP,
    SUM,
    TROUBLE,
    UNEQUAL,
    slot_of,
)
from perfectplay.search.turns_aim import step
from perfectplay.search.turns_rows import (
    ABOUT,
    ASKED,
    BEGUN,
    CHILD,
    EXACT,
    HEAD,
    HIGH,
    KID,
    KID_HIGH,
    KID_LOW,
    KIDS,
    LAID,
    LOW,
    NODE,
    OVER_,
    PATTERN,
    ROUNDS,
    SIDE,
    SIGN,
    clamped,
    unite,
)
from perfectplay.search.turns_table import FINE, GUESS, find, keep, place
from perfectplay.search.turns_table import HIGH as STORED_HIGH
from perfectplay.search.turns_table import LOW as STORED_LOW
from perfectplay.search.visit import PAIRS, TURNS, guessed, in_units, limits, pair, unnamed_of
from perfectplay.search.wide import as_float, from_float, less, minus, over, over_up, times, turned

LEVEL = 20
"""The column of a thread's numbers (rows.py) that tells its level."""
UNKNOWN, DEEP, OTHER = 20, 21, 22
"""Codes: a pattern that is not known yet; there are no levels left; chance, or either player, ends
a turn."""


@kernel
def pattern_of(roots, slots, words):  # type: ignore[no-untyped-def]
    """The number of the pattern in words[0], or -1."""
    at = slot_of(words, 0, 0, len(slots))
    while slots[at] >= 0:
        same = True
        for k in range(words.shape[1]):
            same = same and roots[slots[at], k] == words[0, k]
        if same:
            return slots[at]
        at = (at + 1) % len(slots)
    return -1


@kernel
def bound(scale, number, parts, up):  # type: ignore[no-untyped-def]
    """number / parts as a number of two words, rounded up or down."""
    high, low = times(scale[1], scale[2], abs(number))
    if number < 0:
        high, low = minus(high, low)
    return over_up(high, low, parts) if up else over(high, low, parts)


@kernel
def set_kid(kids, thought, k, bounds, guess, unit):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a kid, given for player 0 there, and set its guess."""
    low_h, low_l, high_h, high_l = bounds
    if kids[k, SIGN] < 0:
        other_h, other_l = minus(low_h, low_l)
        low_h, low_l = minus(high_h, high_l)
        high_h, high_l = other_h, other_l
        guess = -guess
    if less(kids[k, KID_LOW], kids[k, KID_LOW + 1], low_h, low_l):
        kids[k, KID_LOW], kids[k, KID_LOW + 1] = low_h, low_l
    if less(high_h, high_l, kids[k, KID_HIGH], kids[k, KID_HIGH + 1]):
        kids[k, KID_HIGH], kids[k, KID_HIGH + 1] = high_h, high_l
    thought[k] = clamped(
        guess,
        as_float(kids[k, KID_LOW], kids[k, KID_LOW + 1], unit),
        as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit),
    )


@kernel
def forgotten(rows, shapes, k, at, unit):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a kid by those of its shape, and set its guess."""
    low_h, low_l = from_float(shapes[at, SHAPE_LOW] / SHAPE_FINE, unit)
    high_h, high_l = from_float(shapes[at, SHAPE_HIGH] / SHAPE_FINE, unit)
    bounds = low_h, low_l, high_h, high_l
    set_kid(rows[1], rows[2], k, bounds, shapes[at, SHAPE_ABOUT] / SHAPE_FINE, unit)


@kernel
def looked_up(rows, table, control, slot, k, unit):  # type: ignore[no-untyped-def]
    """Whether the table knows a kid: its bounds are narrowed, and its guess is set."""
    kids, thought = rows[1], rows[2]
    control[LOOKS] += 1
    at = find(table, slot, kids, k, KID)
    if at < 0:
        return False
    bounds = (
        table[at, STORED_LOW],
        table[at, STORED_LOW + 1],
        table[at, STORED_HIGH],
        table[at, STORED_HIGH + 1],
    )
    guess = table[at, GUESS] / FINE
    unlock(table, at)
    control[HITS] += 1
    set_kid(kids, thought, k, bounds, guess, unit)
    return True


@kernel
def close(rows, table, control, level, base, count, unit):  # type: ignore[no-untyped-def]
    """Put what was found out about the anchor of a level into the table, and, above the first one,
    into the exit that led to it."""
    heads, kids, thought, nodes, floats = rows
    side = heads[level, SIDE]
    low_h, low_l = heads[level, LOW], heads[level, LOW + 1]
    high_h, high_l = heads[level, HIGH], heads[level, HIGH + 1]
    guess = floats[base + count - 1, ABOUT] if count else as_float(low_h, low_l, unit)
    guess = clamped(guess, as_float(low_h, low_l, unit), as_float(high_h, high_l, unit))
    if count and (low_h != high_h or low_l != high_l):
        failed = less(high_h, high_l, heads[level, ASKED], heads[level, ASKED + 1])
        control[ALPHA if failed == (side > 0) else BETA] += 1
        control[STAR1] += 1 if heads[level, ROUNDS] < count else 0
    if side < 0:
        other_h, other_l = minus(low_h, low_l)
        low_h, low_l = minus(high_h, high_l)
        high_h, high_l = other_h, other_l
        guess = -guess
    bounds = (low_h, low_l, high_h, high_l)
    keep(table, heads, level, HEAD, bounds, guess, control[NODES] - heads[level, BEGUN])
    if level > 0:
        k = heads[level - 1, CHILD]
        set_kid(kids, thought, k, bounds, guess, unit)


@kernel
def go_down(rows, control, level, k, exact, high, low):  # type: ignore[no-untyped-def]
    """Make the level above that of kid k, of which something is asked."""
    heads, kids = rows[0], rows[1]
    above = level + 1
    heads[level, CHILD] = k
    for c in range(heads.shape[1] - HEAD):
        heads[above, HEAD + c] = kids[k, KID + c]
    low_h, low_l = kids[k, KID_LOW], kids[k, KID_LOW + 1]
    high_h, high_l = kids[k, KID_HIGH], kids[k, KID_HIGH + 1]
    if kids[k, SIGN] < 0:  # for player 0 there
        high, low = turned(high, low)
        other_h, other_l = minus(low_h, low_l)
        low_h, low_l = minus(high_h, high_l)
        high_h, high_l = other_h, other_l
    heads[above, EXACT], heads[above, ASKED], heads[above, ASKED + 1] = exact, high, low
    heads[above, LOW], heads[above, LOW + 1] = low_h, low_l
    heads[above, HIGH], heads[above, HIGH + 1] = high_h, high_l
    heads[above, LAID] = heads[above, ROUNDS] = 0
    control[NODES] += 1
    heads[above, BEGUN] = control[NODES] - 1
    control[LEVEL] = above


@kernel
def sided(heads, level, side):  # type: ignore[no-untyped-def]
    """Turn the bounds of a level and what is asked of it to the view of the player who moves."""
    heads[level, SIDE] = side
    if side < 0:
        high, low = turned(heads[level, ASKED], heads[level, ASKED + 1])
        heads[level, ASKED], heads[level, ASKED + 1] = high, low
        other_h, other_l = minus(heads[level, LOW], heads[level, LOW + 1])
        high, low = minus(heads[level, HIGH], heads[level, HIGH + 1])
        heads[level, LOW], heads[level, LOW + 1] = high, low
        heads[level, HIGH], heads[level, HIGH + 1] = other_h, other_l


# -- Compiled for each game. ----------------------------------------------------------------------


def exits_of(rules, sample, rows, patterns, flags, words, level):  # type: ignore[no-untyped-def] # noqa: C901
    """Put down the anchors that the turn of a level leads to; a code."""
    heads, kids, thought = rows[0], rows[1], rows[2]
    starts, exit_nodes, inner, positions, roots, slots = patterns[5:]
    room = len(thought) // len(heads)
    begin = k = level * room
    p = load_key(heads[:, HEAD:], level, sample)
    heads[level, PATTERN], heads[level, KIDS], heads[level, SIDE] = -1, 0, 1
    if rules.to_move(p) == OVER:
        return 0
    save_key(words, 0, rules.pattern(p))
    number = pattern_of(roots, slots, words)
    if number < 0:
        return UNKNOWN
    side = 0
    for x in range(starts[number], starts[number + 1]):
        q = rules.carried(load_key(positions, x, sample), p)
        kind, inside, first = rules.to_move(q), 0, k
        if kind < 0 or kind > 1 or side == (-1 if kind == 0 else 1):
            return OTHER
        side = 1 if kind == 0 else -1
        for move in rules.moves(q):
            c = rules.play(q, move)
            if not rules.anchor(c):
                inside += 1
                continue
            if k == begin + room:
                return ROOM
            r = rules.representative(c)
            swap = rules.turn(c) != rules.turn(r) if flags & TURNS else False
            save_key(kids[:, KID:], k, r)
            kids[k, SIGN], kids[k, NODE] = -side if swap else side, exit_nodes[x]
            again = False
            for other in range(first, k):
                same = kids[other, SIGN] == kids[k, SIGN]
                for w in range(KID, kids.shape[1]):
                    same = same and kids[other, w] == kids[k, w]
                again = again or same
            if not again:
                k += 1
        if inside != inner[x]:
            return 6
    heads[level, PATTERN], heads[level, KIDS], heads[level, SIDE] = number, k - begin, side
    return 0


def told(rules, rows, control, flags, scale, k, r):  # type: ignore[no-untyped-def]
    """Set the bounds of kid k, whose position is `r`, to what the rules say; a code."""
    kids = rows[1]
    kids[k, OVER_] = rules.to_move(r) == OVER
    largest = scale[3]
    least, most, per = -largest, largest, 1
    if kids[k, OVER_]:
        one, two, columns = pair(rules.payoff(r))
        if columns == 2 and one + two != control[SUM]:
            return UNEQUAL
        least = most = one - two if columns == 2 else one
    else:
        said, up_to, parts = limits(rules, r)
        if parts > 0:
            if flags & PAIRS:
                said, up_to = 2 * said - control[SUM] * parts, 2 * up_to - control[SUM] * parts
            least, most, per = said, up_to, parts
    if max(abs(least), abs(most)) > largest * min(per, scale[4]):
        return LARGE
    high, low = bound(scale, least, per, False)
    high_, low_ = bound(scale, most, per, True)
    if kids[k, SIGN] > 0:
        kids[k, KID_LOW], kids[k, KID_LOW + 1] = high, low
        kids[k, KID_HIGH], kids[k, KID_HIGH + 1] = high_, low_
    else:
        kids[k, KID_HIGH], kids[k, KID_HIGH + 1] = minus(high, low)
        kids[k, KID_LOW], kids[k, KID_LOW + 1] = minus(high_, low_)
    return 0


def lay(rules, sample, rows, table, shapes, patterns, control, flags, scale, words, level):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """Make the kids of a level, with all that is known of them; a code."""
    heads, kids, thought, nodes, floats = rows
    code = exits_of(rules, sample, rows, patterns, flags, words, level)
    if code:
        return code
    unit, begin = scale[0], level * (len(thought) // len(heads))
    count = heads[level, KIDS]
    slots, named = np.empty(count, np.int64), np.empty((count, 2), np.int64)
    for i in range(count):
        slots[i] = place(table, kids, begin + i, KID)
        if len(shapes):
            named[i, 0] = unnamed_of(rules, load_key(kids[:, KID:], begin + i, sample))
            named[i, 1] = slot_of(named[:, :1], i, 0, len(shapes))
            prefetch(shapes, named[i, 1])
    for i in range(count):
        k = begin + i
        r = load_key(kids[:, KID:], k, sample)
        code = told(rules, rows, control, flags, scale, k, r)
        if code:
            return code
        low = as_float(kids[k, KID_LOW], kids[k, KID_LOW + 1], unit)
        high = as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit)
        if kids[k, OVER_]:
            thought[k] = low
        elif not looked_up(rows, table, control, slots[i], k, unit):
            guess = (low + high) / 2
            at = look(shapes, named[i, 1], named[i, 0]) if len(shapes) else -1
            if at >= 0:
                forgotten(rows, shapes, k, at, unit)
            elif control[GUESSES]:
                guess = kids[k, SIGN] * in_units(control, flags, guessed(rules, r))
            if at < 0:
                thought[k] = clamped(guess, low, high)
    sided(heads, level, heads[level, SIDE])
    if count == 0:
        return paid_at(rules, sample, rows, control, scale, level)
    start = patterns[0]
    number, base = heads[level, PATTERN], level * (len(nodes) // len(heads))
    if start[number + 1] - start[number] > len(nodes) // len(heads):
        return ROOM
    for j in range(start[number + 1] - start[number]):
        unite(rows, level, base, j, unit)
    heads[level, LAID] = 1
    return 0


def paid_at(rules, sample, rows, control, scale, level):  # type: ignore[no-untyped-def]
    """Set the bounds of a level where play is over; a code."""
    heads = rows[0]
    one, two, columns = pair(rules.payoff(load_key(heads[:, HEAD:], level, sample)))
    if columns == 2 and one + two != control[SUM]:
        return UNEQUAL
    amount = one - two if columns == 2 else one
    if abs(amount) > scale[3]:
        return LARGE
    heads[level, LOW], heads[level, LOW + 1] = bound(scale, amount, 1, False)
    heads[level, HIGH], heads[level, HIGH + 1] = heads[level, LOW], heads[level, LOW + 1]
    heads[level, LAID] = 1
    return 0


def run(rules, sample, rows, table, shapes, patterns, control, flags, scale, words):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """Search until the first level is answered; False if it was stopped, or there is trouble."""
    heads, kids, thought, nodes, floats = rows
    unit, start = scale[0], patterns[0]
    while True:
        level = control[LEVEL]
        base = level * (len(nodes) // len(heads))
        if not heads[level, LAID]:
            if control[NODES] >= control[LIMIT] or control[STOP]:
                return False
            code = lay(
                rules, sample, rows, table, shapes, patterns, control, flags, scale, words, level
            )
            if code:
                control[TROUBLE] = code
                return False
        count = 0
        if heads[level, KIDS] > 0:
            number = heads[level, PATTERN]
            count = start[number + 1] - start[number]
            k, exact, high, low = step(rows, patterns, level, base, unit)
            if k >= 0:
                if level + 1 == len(heads):
                    control[TROUBLE] = DEEP
                    return False
                go_down(rows, control, level, k, exact, high, low)
                continue
        close(rows, table, control, level, base, count, unit)
        if level == 0:
            return True
        level -= 1
        control[LEVEL] = level
        unite(rows, level, level * (len(nodes) // len(heads)), kids[heads[level, CHILD], NODE], unit)


FUNCTIONS = (in_units, exits_of, told, paid_at, lay, run)
"""What is compiled for each game; later ones call earlier ones."""
