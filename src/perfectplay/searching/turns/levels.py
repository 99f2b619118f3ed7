"""Levels of a search by turns: what is known of the kids of an anchor, and the way from level to
level.

`learn` sets the bounds and guesses of kids; `go_on` goes up and down until rules are to be asked.
Nothing here sees rules."""

from __future__ import annotations

from perfectplay.compiled.intrinsics import prefetch, unlock
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.fractions64 import DOWN, UP
from perfectplay.searching.search_stack import (
    ALPHA,
    BETA,
    GUESSES,
    HITS,
    LOOKS,
    NODES,
    NOISE,
    ROOM,
    STAR1,
    TROUBLE,
    slot_of,
)
from perfectplay.searching.turns.choose_exit import STUCK, step
from perfectplay.searching.turns.fixed_point import (
    as_float,
    from_float,
    less,
    minus,
    over,
    over_up,
    times,
    turned,
)
from perfectplay.searching.turns.transposition_table import FINE, GUESS, find, keep, place
from perfectplay.searching.turns.transposition_table import HIGH as STORED_HIGH
from perfectplay.searching.turns.transposition_table import LOW as STORED_LOW
from perfectplay.searching.turns.turn_stack import (
    ABOUT,
    ASKED,
    BEGUN,
    CHILD,
    EXACT,
    HIGH,
    KID_HIGH,
    KID_LOW,
    KIDS,
    LAID,
    LOW,
    NODE,
    PATTERN,
    ROUNDS,
    SIDE,
    SIGN,
    clamped,
    unite,
)
from perfectplay.searching.turns.unlabelled_bounds import ABOUT as SHAPE_ABOUT
from perfectplay.searching.turns.unlabelled_bounds import FINE as SHAPE_FINE
from perfectplay.searching.turns.unlabelled_bounds import HIGH as SHAPE_HIGH
from perfectplay.searching.turns.unlabelled_bounds import LOW as SHAPE_LOW
from perfectplay.searching.turns.unlabelled_bounds import look

LEVEL = 20
"""The column of a thread's numbers (searching/search_stack.py) that tells its level."""
STIRRED = 0.1
"""How much guesses of threads differ, in parts of what is open."""
GOES_ON, DONE, STOPPED = 0, 1, 2
"""What `go_on` says: the rules are to be asked; the first level is answered; there is trouble."""
UNKNOWN, DEEP, OTHER = 20, 21, 22
"""Codes: a pattern that is not known yet; there are no levels left; chance, or either player, ends
a turn, or numbers were rounded."""


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


@inlined
def bound(scale, number, parts, up):  # type: ignore[no-untyped-def]
    """number / parts as a number of two words, rounded up or down."""
    high, low = times(scale[1], scale[2], abs(number))
    if number < 0:
        high, low = minus(high, low)
    return over_up(high, low, parts) if up else over(high, low, parts)


@kernel
def other_view(low_h, low_l, high_h, high_l):  # type: ignore[no-untyped-def]
    """Bounds as the other player sees them."""
    high = minus(low_h, low_l)
    low = minus(high_h, high_l)
    return low[0], low[1], high[0], high[1]


@inlined
def set_kid(kids, thought, k, bounds, guess, unit):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a kid, given for player 0 there, and set its guess."""
    low_h, low_l, high_h, high_l = bounds
    if kids[k, SIGN] < 0:
        low_h, low_l, high_h, high_l = other_view(low_h, low_l, high_h, high_l)
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


@inlined
def forgotten(kids, thought, shapes, slot, key, k, unit):  # type: ignore[no-untyped-def]
    """Whether the shape of a kid is known: its bounds are narrowed, and its guess is set."""
    at = look(shapes, slot, key) if len(shapes) else -1
    if at < 0:
        return False
    low_h, low_l = from_float(shapes[at, SHAPE_LOW] / SHAPE_FINE, unit)
    high_h, high_l = from_float(shapes[at, SHAPE_HIGH] / SHAPE_FINE, unit)
    bounds = low_h, low_l, high_h, high_l
    set_kid(kids, thought, k, bounds, shapes[at, SHAPE_ABOUT] / SHAPE_FINE, unit)
    return True


@inlined
def looked_up(kids, thought, table, slot, keys, k, unit):  # type: ignore[no-untyped-def]
    """Whether the table knows a kid: its bounds are narrowed, and its guess is set."""
    at = find(table, slot, keys, k)
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
    set_kid(kids, thought, k, bounds, guess, unit)
    return True


@kernel
def close(rows, table, control, level, base, count, unit):  # type: ignore[no-untyped-def]
    """Put what was found out about the anchor of a level into the table, and, above the first one,
    into the exit that led to it."""
    heads, kids, thought, _, floats = rows[:5]
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
        low_h, low_l, high_h, high_l = other_view(low_h, low_l, high_h, high_l)
        guess = -guess
    bounds = (low_h, low_l, high_h, high_l)
    keep(table, rows[5], level, bounds, guess, control[NODES] - heads[level, BEGUN])
    if level > 0:
        k = heads[level - 1, CHILD]
        set_kid(kids, thought, k, bounds, guess, unit)


@kernel
def go_down(rows, control, level, k, exact, high, low):  # type: ignore[no-untyped-def]
    """Make the level above that of kid k, of which something is asked."""
    heads, kids = rows[0], rows[1]
    above = level + 1
    heads[level, CHILD] = k
    for c in range(rows[5].shape[1]):
        rows[5][above, c] = rows[6][k, c]
    low_h, low_l = kids[k, KID_LOW], kids[k, KID_LOW + 1]
    high_h, high_l = kids[k, KID_HIGH], kids[k, KID_HIGH + 1]
    if kids[k, SIGN] < 0:  # for player 0 there
        high, low = turned(high, low)
        low_h, low_l, high_h, high_l = other_view(low_h, low_l, high_h, high_l)
    heads[above, EXACT], heads[above, ASKED], heads[above, ASKED + 1] = exact, high, low
    heads[above, LOW], heads[above, LOW + 1] = low_h, low_l
    heads[above, HIGH], heads[above, HIGH + 1] = high_h, high_l
    heads[above, LAID] = heads[above, ROUNDS] = 0
    control[NODES] += 1
    heads[above, BEGUN] = control[NODES] - 1
    control[LEVEL] = above


@kernel
def learn(rows, table, shapes, start, control, scale, words, level):  # type: ignore[no-untyped-def]
    """Set the bounds and guesses of all kids of a level by what rules, the table and shapes know;
    where there are none, the bounds of the level by what is paid there. A code."""
    heads, kids, thought, nodes, _, _, keys = rows
    _, told, shape, slots, named = words
    unit, begin = scale[0], level * (len(thought) // len(heads))
    count, number = heads[level, KIDS], heads[level, PATTERN]
    for i in range(count):
        slots[i] = place(table, keys, begin + i)
        if len(shapes) and not told[i, 3]:
            named[i] = slot_of(shape, i, 0, len(shapes))
            prefetch(shapes, named[i])
    for i in range(count):
        k = begin + i
        says(kids, k, told, i, scale)
        low = as_float(kids[k, KID_LOW], kids[k, KID_LOW + 1], unit)
        high = as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit)
        if told[i, 3]:
            thought[k] = low
            continue
        guess = kids[k, SIGN] * thought[k] if control[GUESSES] else (low + high) / 2
        control[LOOKS] += 1
        if looked_up(kids, thought, table, slots[i], keys, k, unit):
            control[HITS] += 1
        elif not forgotten(kids, thought, shapes, named[i], shape[i, 0], k, unit):
            thought[k] = clamped(guess, low, high)
        if control[NOISE]:
            stir(kids, thought, k, control, unit)
    sided(heads, level, heads[level, SIDE])
    heads[level, LAID] = 1
    if count == 0:
        heads[level, LOW], heads[level, LOW + 1] = bound(scale, told[0, 0], 1, DOWN)
        heads[level, HIGH], heads[level, HIGH + 1] = heads[level, LOW], heads[level, LOW + 1]
        return 0
    base = level * (len(nodes) // len(heads))
    if start[number + 1] - start[number] > len(nodes) // len(heads):
        return ROOM
    for j in range(start[number + 1] - start[number]):
        unite(rows, level, base, j, unit)
    return 0


@inlined
def says(kids, k, told, i, scale):  # type: ignore[no-untyped-def]
    """Set the bounds of a kid to what the rules say."""
    high, low = bound(scale, told[i, 0], told[i, 2], DOWN)
    high_, low_ = bound(scale, told[i, 1], told[i, 2], UP)
    if kids[k, SIGN] > 0:
        kids[k, KID_LOW], kids[k, KID_LOW + 1] = high, low
        kids[k, KID_HIGH], kids[k, KID_HIGH + 1] = high_, low_
    else:
        kids[k, KID_HIGH], kids[k, KID_HIGH + 1] = minus(high, low)
        kids[k, KID_LOW], kids[k, KID_LOW + 1] = minus(high_, low_)


@kernel
def stir(kids, thought, k, control, unit):  # type: ignore[no-untyped-def]
    """Change the guess of a kid a little, so that threads look at different ones first."""
    control[NOISE] = (control[NOISE] * 6364136223846793005 + 1442695040888963407) | 1
    low = as_float(kids[k, KID_LOW], kids[k, KID_LOW + 1], unit)
    high = as_float(kids[k, KID_HIGH], kids[k, KID_HIGH + 1], unit)
    about = STIRRED * (high - low) * (((control[NOISE] >> 40) & 0xFFFF) / 0xFFFF - 0.5)
    thought[k] = clamped(thought[k] + about, low, high)


@kernel
def go_on(rows, table, patterns, control, unit, level):  # type: ignore[no-untyped-def]
    """Choose an exit of a level and go there, or, if it is answered, back to the one before, as
    long as nothing is to be asked of the rules."""
    heads, kids, _, nodes, _ = rows[:5]
    start, room = patterns[0], len(nodes) // len(heads)
    while True:
        count = 0
        if heads[level, KIDS] > 0:
            number = heads[level, PATTERN]
            count = start[number + 1] - start[number]
            k, exact, high, low = step(rows, patterns, level, level * room, unit)
            if k >= 0:
                if level + 1 == len(heads):
                    control[TROUBLE] = DEEP
                    return STOPPED
                go_down(rows, control, level, k, exact, high, low)
                return GOES_ON
            if k == STUCK:
                control[TROUBLE] = OTHER
                return STOPPED
        close(rows, table, control, level, level * room, count, unit)
        if level == 0:
            return DONE
        level -= 1
        control[LEVEL] = level
        unite(rows, level, level * room, kids[heads[level, CHILD], NODE], unit)


@kernel
def sided(heads, level, side):  # type: ignore[no-untyped-def]
    """Turn the bounds of a level and what is asked of it to the view of the player who moves."""
    heads[level, SIDE] = side
    if side < 0:
        high, low = turned(heads[level, ASKED], heads[level, ASKED + 1])
        heads[level, ASKED], heads[level, ASKED + 1] = high, low
        low_h, low_l, high_h, high_l = other_view(
            heads[level, LOW], heads[level, LOW + 1], heads[level, HIGH], heads[level, HIGH + 1]
        )
        heads[level, LOW], heads[level, LOW + 1] = low_h, low_l
        heads[level, HIGH], heads[level, HIGH + 1] = high_h, high_l
