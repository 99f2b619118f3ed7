"""Visit: the compiled search itself, one function that calls itself from position to position.

`visit` narrows the bounds of a row until they answer a window; choose_child.py tells which child
is next. A position that comes again on its own path gets no value from that: its bounds stay as
wide as they were, which is right whatever endless play is worth, and so nothing in the table
depends on the path that led there."""

from __future__ import annotations

import math

from perfectplay.compiled.intrinsics import events
from perfectplay.compiled.kernels import overloaded_in
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.searching.choose_child import ONCE, WHOLLY, choose_event, choose_move, finished
from perfectplay.searching.fractions64 import HEAVIEST, INFINITE, as_float, less, lowest
from perfectplay.searching.node_values import (
    average,
    most_of,
    set_guess,
    settled,
    worth_high,
    worth_low,
)
from perfectplay.searching.search_stack import (
    CIRCLES,
    COUNT,
    DEEP,
    DONE,
    GUESS,
    GUESSES,
    HEAD,
    HIGH,
    HIGH_PER,
    INDEX,
    KIND,
    LARGE,
    LIMIT,
    LONGEST,
    LOW,
    LOW_PER,
    NODES,
    ORDER,
    PARENT,
    PLY,
    PROBES,
    READY,
    REST,
    REST_PER,
    REWARD,
    ROOM,
    SHAPE,
    STOP,
    STRATUM,
    SUM,
    SUM_KNOWN,
    SWAP,
    TOTAL,
    TROUBLE,
    UNEQUAL,
    VISITS,
    WEIGHT,
    WHERE,
    WHOLE,
    keep,
    look,
    look_below,
)

overloaded_in("perfectplay.searching.intrinsics")

ALTERNATE, STRATA, TURNS, SYMMETRY, REWARDS = 1, 2, 4, 8, 16
"""Flags: play is alternate; which methods the rules declare (SYMMETRY: `representative`, in play
that is not alternate)."""
BOUNDED, MINIMISE, PAIRS = 32, 64, 128
"""Values lie between -1 and 1; one player minimises; payoffs are tuples with a constant sum."""
LARGEST = 2**40
"""Payoffs, rewards and bounds are below this."""


# -- What depends on the types of a game's positions, payoffs and moves. --------------------------


def position(keys, i, sample):  # type: ignore[no-untyped-def]
    """The position of row `i`, of the same type as `sample`."""


def write(out, i, value):  # type: ignore[no-untyped-def]
    """Write position `value` to row `i`."""


def pair(number):  # type: ignore[no-untyped-def]
    """A payoff or reward as two numbers and how many there were."""


def limits(rules, p):  # type: ignore[no-untyped-def]
    """What the rules say of the value of `p`: least, most and parts; 0 parts: nothing."""


def parts(found):  # type: ignore[no-untyped-def]
    """The third of three numbers, 1 if there are two."""


def guessed(rules, p):  # type: ignore[no-untyped-def]
    """The guess of the rules about the value of `p`."""


def unnamed_of(rules, p):  # type: ignore[no-untyped-def]
    """What is left of `p` without names; 0 if there are none."""


def hinted(rules, p, m):  # type: ignore[no-untyped-def]
    """The hint of the rules about move `m`."""


# -- Compiled for each game; they name each other, see `kernels`. ---------------------------------


def opened(rules, stack, control, flags, k, q, r):  # type: ignore[no-untyped-def]
    """Make row k that of position `r`, the representative of `q`, with the bounds that the rules
    tell; a code of trouble."""
    write(stack, k, r)
    if flags & TURNS:
        stack[k, SWAP] = (rules.turn(q) - rules.turn(r)) % rules.players
    else:
        stack[k, SWAP] = flags & ALTERNATE
        if flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
            return 3
    stack[k, LOW], stack[k, LOW_PER], stack[k, HIGH], stack[k, HIGH_PER] = (
        -INFINITE,
        1,
        INFINITE,
        1,
    )
    if flags & BOUNDED:
        stack[k, LOW], stack[k, HIGH] = -1, 1
    least, most, per = limits(rules, r)
    if per > 0 and (not flags & PAIRS or control[SUM_KNOWN]):
        if flags & PAIRS:
            least, most = 2 * least - control[SUM] * per, 2 * most - control[SUM] * per
        elif flags & MINIMISE:
            least, most = -most, -least
        if max(abs(least), abs(most), per) >= LARGEST:
            return LARGE
        stack[k, LOW], stack[k, LOW_PER] = lowest(least, per)
        stack[k, HIGH], stack[k, HIGH_PER] = lowest(most, per)
    stack[k, DONE] = stack[k, VISITS] = stack[k, PROBES] = stack[k, READY] = 0
    stack[k, GUESS] = 0
    stack[k, WEIGHT], stack[k, REWARD], stack[k, ORDER], stack[k, STRATUM] = 1, 0, 0, 0
    return 0


def gain(flags, kind, one, columns):  # type: ignore[no-untyped-def]
    """What a reward brings player 0, in stored units: `one` to who moves, or the first of two."""
    if columns == 1 and kind == 1:
        one = -one
    return 2 * one if flags & PAIRS else -one if flags & MINIMISE else one


def foreseen(rules, control, flags, p):  # type: ignore[no-untyped-def]
    """What the value of `p` is thought to be, in stored units; where a player moves, that of his
    best move."""
    kind = rules.to_move(p)
    if kind < 0:
        return in_units(control, flags, guessed(rules, p))
    side = 1 if kind == 0 else -1
    best = -math.inf
    for move in rules.moves(p):
        worth = in_units(control, flags, guessed(rules, rules.play(p, move)))
        if flags & ALTERNATE:
            worth = -worth
        if flags & REWARDS:
            one, _, columns = pair(rules.reward(p, move))
            worth += gain(flags, kind, one, columns)
        best = max(best, side * worth)
    return side * best


def in_units(control, flags, guess):  # type: ignore[no-untyped-def]
    """A guess of the rules in stored units."""
    if flags & PAIRS:
        return 2.0 * guess - control[SUM]
    return -guess if flags & MINIMISE else 1.0 * guess


def looked_up(rules, sample, stack, table, ends, control, flags, row, k, number):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """Make row k that of child `number` of a row: narrow its bounds by what tables know."""
    stack[k, PARENT], stack[k, PLY], stack[k, INDEX] = row, stack[row, PLY] + 1, number
    if flags & STRATA:
        stack[k, STRATUM] = rules.stratum(position(stack, k, sample))
    found = look(table, stack, control, k)
    look_below(ends, stack, control, k)
    if control[GUESSES] and not found and not settled(stack, k):
        set_guess(stack, k, foreseen(rules, control, flags, position(stack, k, sample)))


def earned(rules, stack, flags, k, kind, reward):  # type: ignore[no-untyped-def]
    """Put what a move earns into row k; a code of trouble."""
    one, two, columns = pair(reward)
    if columns == 2 and one + two != 0:
        return UNEQUAL
    if abs(one) >= LARGEST:
        return LARGE
    stack[k, REWARD] = gain(flags, kind, one, columns)
    return 0


def paid(rules, stack, control, flags, row, payoff):  # type: ignore[no-untyped-def]
    """Set the bounds of a row where play has ended; a code of trouble."""
    one, two, columns = pair(payoff)
    if columns == 2:
        if not flags & PAIRS:
            return SHAPE
        if not control[SUM_KNOWN]:
            control[SUM], control[SUM_KNOWN] = one + two, 1
        if one + two != control[SUM]:
            return UNEQUAL
        one -= two
    elif flags & PAIRS:
        return SHAPE
    if abs(one) >= LARGEST:
        return LARGE
    if flags & MINIMISE:
        one = -one
    stack[row, LOW], stack[row, LOW_PER], stack[row, HIGH], stack[row, HIGH_PER] = one, 1, one, 1
    return 0


def generate(rules, sample, stack, table, ends, control, flags, row, top, a, b):  # type: ignore[no-untyped-def] # noqa: C901, PLR0912, PLR0913, PLR0917
    """Make the rows of the children of a row, from `top` on; a code of trouble. Moves that are of
    no use in the window get no row; a move that is good enough ends it."""
    p = position(stack, row, sample)
    kind = rules.to_move(p)
    if kind >= rules.players or kind < OVER:
        return 2
    k, total, whole, code, number = top, 0, 1, 0, 0
    rest, rest_per = -INFINITE, 1
    if kind >= 0:
        side, little, enough = (1, a, b) if kind == 0 else (-1, -b, -a)
        most, most_per = most_of(stack, row, side)
        for move in rules.moves(p):
            if k == len(stack):
                return ROOM
            q = rules.play(p, move)
            code = opened(rules, stack, control, flags, k, q, rules.representative(q))
            if flags & REWARDS and code == 0:
                code = earned(rules, stack, flags, k, kind, rules.reward(p, move))
            if code:
                return code
            number += 1
            n, d = worth_high(stack, k, side)
            if as_float(n, d) <= little:
                if less(rest, rest_per, n, d):
                    rest, rest_per = n, d
                continue
            looked_up(rules, sample, stack, table, ends, control, flags, row, k, number - 1)
            stack[k, ORDER] = hinted(rules, p, move)
            n, d = worth_low(stack, k, side)
            k += 1
            if as_float(n, d) >= enough or not less(n, d, most, most_per):
                whole = 0
                break
    elif kind == CHANCE:
        for weight, q in events(rules, p):
            if k == len(stack):
                return ROOM
            code = opened(rules, stack, control, flags, k, q, rules.representative(q))
            total += weight
            if weight <= 0 or total >> HEAVIEST or code:
                return code if code else 1 if weight <= 0 else LARGE
            looked_up(rules, sample, stack, table, ends, control, flags, row, k, k - top)
            stack[k, WEIGHT] = weight
            stack[k, KIND] = rules.to_move(position(stack, k, sample))
            k += 1
        number = k - top
        if k == top:
            return 4
    if number == 0:
        kind = OVER
        code = paid(rules, stack, control, flags, row, rules.payoff(p))
    stack[row, KIND], stack[row, COUNT] = kind, k - top
    stack[row, WHOLE], stack[row, TOTAL] = whole, total
    stack[row, REST], stack[row, REST_PER] = rest, rest_per
    return code


def left_alone(stack, table, control, flags, row):  # type: ignore[no-untyped-def]
    """Whether a row is not to be searched: 1, or 2 if it came before on the path, or the path is
    too long, so that nothing is known of it; 0: it is to be searched."""
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        control[STOP] = 1
    if control[STOP]:
        return 1
    if stack[row, PLY] >= control[LONGEST]:
        control[DEEP] += 1
        return 2
    other, width = row, stack.shape[1]
    while stack[other, PLY] > 0:
        other = stack[other, PARENT]
        if flags & STRATA and stack[other, STRATUM] > stack[row, STRATUM]:
            break
        k = HEAD
        while k < width and stack[other, k] == stack[row, k]:
            k += 1
        if k == width:
            control[CIRCLES] += 1
            return 2
    if stack[row, PLY] and stack[row, VISITS] + stack[row, PROBES] < 2:
        look(table, stack, control, row)
        if settled(stack, row):
            return 1
    return 0


def visit(rules, sample, stack, table, ends, control, flags, row, top, a, b, probe):  # type: ignore[no-untyped-def] # noqa: C901, PLR0913, PLR0917
    """Narrow the bounds of a row until its value is known, or to be at most a or at least b; if
    `probe` is ONCE, search one move only. True if it could not be done since play runs in
    circles."""
    before = control[NODES]
    code = left_alone(stack, table, control, flags, row)
    if code:
        return code == 2
    if not stack[row, READY]:
        code = generate(rules, sample, stack, table, ends, control, flags, row, top, a, b)
        if code:
            control[TROUBLE], control[WHERE], control[STOP] = code, row, 1
            return False
    kind = stack[row, KIND]
    if kind == OVER:
        return False
    circles = False
    above = top + stack[row, COUNT]
    while True:
        if kind >= 0:
            k, low, high, how = choose_move(stack, control, row, top, a, b, probe)
        else:
            k, low, high, how = choose_event(stack, control, row, top, a, b)
        if k < 0:
            break
        stack[k, VISITS if how == WHOLLY else PROBES] += 1
        if visit(rules, sample, stack, table, ends, control, flags, k, above, low, high, how):
            circles = True
        if control[STOP]:
            break
    if kind < 0:
        average(stack, row, top)
    elif control[STOP]:
        choose_move(stack, control, row, top, a, b, ONCE)
    if not circles and not control[STOP] and finished(stack, row, top):
        stack[row, DONE] = 1
    keep(table, stack, row, control[NODES] - before)
    return circles and not settled(stack, row)


NEVER = (-math.inf, math.inf)
"""The window that only the value itself answers."""
FUNCTIONS = (
    gain,
    earned,
    paid,
    left_alone,
    in_units,
    foreseen,
    looked_up,
    opened,
    generate,
    visit,
)
"""What is compiled for each game; later ones call earlier ones and themselves."""
