"""The compiled search itself: `visit` calls itself from position to position.

`visit` narrows the bounds of a row until they answer a window (choose_child.py states the
contract, and chooses the children). A position that recurs on its own path gains nothing from
that: its bounds stay as wide as they were. That is right whatever endless play is worth, and so
nothing in the table depends on the path that led there."""

import math
from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import events
from perfectplay.positions.codes import (
    ALTERNATE,
    BAD_MOVER,
    BAD_WEIGHT,
    NO_EVENT,
    RENAMED,
    REWARDS,
    STRATA,
    SYMMETRY,
    TURNS,
)
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.searching.choose_child import ONCE, WHOLLY, choose, choose_move, finished
from perfectplay.searching.fractions64 import HEAVIEST, INFINITE, as_float, larger, less, lowest
from perfectplay.searching.node_values import (
    average,
    most_of,
    set_guess,
    settled,
    worth_high,
    worth_low,
)
from perfectplay.searching.search_stack import (
    BOUNDED,
    COUNT,
    CYCLES,
    DEEP,
    DONE,
    FLAGS,
    GUESS,
    GUESSES,
    HEAD,
    HIGH,
    INDEX,
    KIND,
    LARGE,
    LIMIT,
    LONGEST,
    LOW,
    MINIMISE,
    NODES,
    ORDER,
    PAIRS,
    PARENT,
    PLY,
    PROBES,
    READY,
    REST,
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
    SearchArrays,
    keep,
    look,
    look_below,
    put_pair,
)
from perfectplay.searching.stubs import guessed, hinted, limits, numbers_of, position, write

LARGEST = 2**40
"""Payoffs, rewards and bounds are below this."""
SEARCH, KNOWN, REPEATED = 0, 1, 2
"""What to do with a row: search it; leave it, since it is known or the search is stopped; leave it
as unknown, since it recurs on its path or the path is too long."""
NEVER = (-math.inf, math.inf)
"""The window that only the value itself answers."""


# -- Compiled for each game; they call each other by name, see `compiled` in native.py. -----------


def open_row(rules: Any, stack: Ints, control: Ints, k: int, q: Any, r: Any) -> int:
    """Make row k that of position `r`, the representative of `q`, with the bounds that the rules
    state; a code."""
    flags = control[FLAGS]
    write(stack, k, r)
    if flags & TURNS:
        stack[k, SWAP] = (rules.turn(q) - rules.turn(r)) % rules.players
    else:
        stack[k, SWAP] = flags & ALTERNATE
        if flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
            return RENAMED
    most_known = 1 if flags & BOUNDED else INFINITE
    put_pair(stack, k, LOW, (-most_known, 1))
    put_pair(stack, k, HIGH, (most_known, 1))
    least, most, per = limits(rules, r)
    if per > 0 and (not flags & PAIRS or control[SUM_KNOWN]):
        if flags & PAIRS:
            least, most = 2 * least - control[SUM] * per, 2 * most - control[SUM] * per
        elif flags & MINIMISE:
            least, most = -most, -least
        if max(abs(least), abs(most), per) >= LARGEST:
            return LARGE
        put_pair(stack, k, LOW, lowest(least, per))
        put_pair(stack, k, HIGH, lowest(most, per))
    stack[k, DONE] = stack[k, VISITS] = stack[k, PROBES] = stack[k, READY] = 0
    stack[k, GUESS] = 0
    stack[k, WEIGHT], stack[k, REWARD], stack[k, ORDER], stack[k, STRATUM] = 1, 0, 0, 0
    return 0


def gain(control: Ints, kind: int, one: int, columns: int) -> int:
    """What a reward brings player 0, in stored units: `one` to who moves, or the first of two."""
    if columns == 1 and kind == 1:
        one = -one
    return 2 * one if control[FLAGS] & PAIRS else -one if control[FLAGS] & MINIMISE else one


def in_units(control: Ints, guess: float) -> float:
    """A heuristic value of the rules in stored units."""
    if control[FLAGS] & PAIRS:
        return 2.0 * guess - control[SUM]
    return -guess if control[FLAGS] & MINIMISE else 1.0 * guess


def foreseen(rules: Any, control: Ints, p: Any) -> float:
    """The heuristic value of `p` in stored units: where a player moves, that of the best move."""
    kind = rules.to_move(p)
    if kind < 0:
        return in_units(control, guessed(rules, p))
    side = 1 if kind == 0 else -1
    best = -math.inf
    for move in rules.moves(p):
        worth = in_units(control, guessed(rules, rules.play(p, move)))
        if control[FLAGS] & ALTERNATE:
            worth = -worth
        if control[FLAGS] & REWARDS:
            one, _, columns = numbers_of(rules.reward(p, move))
            worth += gain(control, kind, one, columns)
        best = max(best, side * worth)
    return side * best


def look_up(rules: Any, sample: Any, memory: SearchArrays, row: int, k: int, number: int) -> None:
    """Make row k that of child `number` of a row: narrow its bounds by both tables."""
    stack, table, endgames, control = memory
    stack[k, PARENT], stack[k, PLY], stack[k, INDEX] = row, stack[row, PLY] + 1, number
    if control[FLAGS] & STRATA:
        stack[k, STRATUM] = rules.stratum(position(stack, k, sample))
    found = look(table, stack, control, k)
    look_below(endgames, stack, control, k)
    if control[GUESSES] and not found and not settled(stack, k):
        set_guess(stack, k, foreseen(rules, control, position(stack, k, sample)))


def set_reward(memory: SearchArrays, k: int, kind: int, reward: Any) -> int:
    """Put what a move earns into row k; a code."""
    one, two, columns = numbers_of(reward)
    if columns == 2 and one + two != 0:
        return UNEQUAL
    if abs(one) >= LARGEST:
        return LARGE
    memory.stack[k, REWARD] = gain(memory.control, kind, one, columns)
    return 0


def set_payoff(memory: SearchArrays, row: int, payoff: Any) -> int:
    """Set the bounds of a row where play has ended; a code."""
    control = memory.control
    one, two, columns = numbers_of(payoff)
    if (columns == 2) != (control[FLAGS] & PAIRS != 0):
        return SHAPE
    if columns == 2:
        if not control[SUM_KNOWN]:
            control[SUM], control[SUM_KNOWN] = one + two, 1
        if one + two != control[SUM]:
            return UNEQUAL
        one -= two
    if abs(one) >= LARGEST:
        return LARGE
    if control[FLAGS] & MINIMISE:
        one = -one
    put_pair(memory.stack, row, LOW, (one, 1))
    put_pair(memory.stack, row, HIGH, (one, 1))
    return 0


def add_moves(
    rules: Any, sample: Any, memory: SearchArrays, row: int, top: int, a: float, b: float
) -> tuple[int, int]:
    """Make rows, from `top` on, of what a player's moves lead to; a code, and how many moves were
    looked at."""
    stack, control, p = memory.stack, memory.control, position(memory.stack, row, sample)
    kind = stack[row, KIND]
    side, little, enough = (1, a, b) if kind == 0 else (-1, -b, -a)
    most, rest = most_of(stack, row, side), (-INFINITE, 1)
    k, number = top, 0
    for move in rules.moves(p):
        if k == len(stack):
            return ROOM, number
        q = rules.play(p, move)
        code = open_row(rules, stack, control, k, q, rules.representative(q))
        if control[FLAGS] & REWARDS and code == 0:
            code = set_reward(memory, k, kind, rules.reward(p, move))
        if code:
            return code, number
        number += 1
        # A move worth at most `little` is useless in the window: REST remembers its bound.
        high = worth_high(stack, k, side)
        if as_float(high) <= little:
            rest = larger(rest, high)
            continue
        look_up(rules, sample, memory, row, k, number - 1)
        stack[k, ORDER] = hinted(rules, p, move)
        # A move worth at least `enough`, or as much as the row can be, decides: no more rows.
        low = worth_low(stack, k, side)
        k += 1
        if as_float(low) >= enough or not less(low, most):
            stack[row, WHOLE] = 0
            break
    stack[row, COUNT] = k - top
    put_pair(stack, row, REST, rest)
    return 0, number


def add_events(rules: Any, sample: Any, memory: SearchArrays, row: int, top: int) -> int:
    """Make rows, from `top` on, of what chance leads to; a code."""
    stack, control, total, k = memory.stack, memory.control, 0, top
    for weight, q in events(rules, position(stack, row, sample)):
        if k == len(stack):
            return ROOM
        code = open_row(rules, stack, control, k, q, rules.representative(q))
        total += weight
        if weight <= 0 or total >> HEAVIEST or code:
            return code if code else BAD_WEIGHT if weight <= 0 else LARGE
        look_up(rules, sample, memory, row, k, k - top)
        stack[k, WEIGHT] = weight
        stack[k, KIND] = rules.to_move(position(stack, k, sample))
        k += 1
    stack[row, COUNT], stack[row, TOTAL] = k - top, total
    return 0 if k > top else NO_EVENT


def generate(
    rules: Any, sample: Any, memory: SearchArrays, row: int, top: int, a: float, b: float
) -> int:
    """Make the rows of the children of a row, from `top` on, as far as they are of use in the
    window; where play has ended, its bounds are the payoff. A code."""
    stack, p = memory.stack, position(memory.stack, row, sample)
    kind = rules.to_move(p)
    if kind >= rules.players or kind < OVER:
        return BAD_MOVER
    stack[row, KIND], stack[row, COUNT], stack[row, WHOLE], stack[row, TOTAL] = kind, 0, 1, 0
    put_pair(stack, row, REST, (-INFINITE, 1))
    if kind == CHANCE:
        return add_events(rules, sample, memory, row, top)
    code, moves = 0, 0
    if kind >= 0:
        code, moves = add_moves(rules, sample, memory, row, top, a, b)
    if code or moves:
        return code
    stack[row, KIND] = OVER
    return set_payoff(memory, row, rules.payoff(p))


def look_first(stack: Ints, table: Ints, control: Ints, row: int) -> int:
    """What to do with a row: SEARCH, KNOWN or REPEATED."""
    # 1. Is the search over?
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        control[STOP] = 1
    if control[STOP]:
        return KNOWN
    # 2. Is the path too long, or did the position occur on it? Strata never rise along a path, so
    #    positions of a higher stratum need not be compared.
    if stack[row, PLY] >= control[LONGEST]:
        control[DEEP] += 1
        return REPEATED
    other, width = row, stack.shape[1]
    while stack[other, PLY] > 0:
        other = stack[other, PARENT]
        if control[FLAGS] & STRATA and stack[other, STRATUM] > stack[row, STRATUM]:
            break
        k = HEAD
        while k < width and stack[other, k] == stack[row, k]:
            k += 1
        if k == width:
            control[CYCLES] += 1
            return REPEATED
    # 3. Does the table know its value by now?
    if stack[row, PLY] and stack[row, VISITS] + stack[row, PROBES] < 2:
        look(table, stack, control, row)
        if settled(stack, row):
            return KNOWN
    return SEARCH


def visit(
    rules: Any, sample: Any, memory: SearchArrays, row: int, top: int, a: float, b: float, how: int
) -> bool:
    """Narrow the bounds of a row until high <= a, b <= low or low = high; if `how` is ONCE, search
    one move only. True if that failed because play runs in cycles."""
    stack, table, control = memory.stack, memory.table, memory.control
    before = control[NODES]
    # 1. Nothing to do: stopped, known, or on the path already.
    first = look_first(stack, table, control, row)
    if first != SEARCH:
        return first == REPEATED
    # 2. Rows of the children, with what rules and tables know of them.
    if not stack[row, READY]:
        code = generate(rules, sample, memory, row, top, a, b)
        if code:
            control[TROUBLE], control[WHERE], control[STOP] = code, row, 1
            return False
    kind = stack[row, KIND]
    if kind == OVER:
        return False
    # 3. One child after the other, until their bounds answer the window.
    cycles = False
    above = top + stack[row, COUNT]
    while True:
        k, low, high, manner = choose(stack, control, row, top, a, b, how)
        if k < 0:
            break
        stack[k, VISITS if manner == WHOLLY else PROBES] += 1
        if visit(rules, sample, memory, k, above, low, high, manner):
            cycles = True
        if control[STOP]:
            break
    # 4. The bounds that the children prove, also if the search was stopped.
    if kind < 0:
        average(stack, row, top)
    elif control[STOP]:
        choose_move(stack, control, row, top, a, b, ONCE)
    # 5. For the table: these bounds, and whether another visit could narrow them.
    if not cycles and not control[STOP] and finished(stack, row, top):
        stack[row, DONE] = 1
    keep(table, stack, row, control[NODES] - before)
    return cycles and not settled(stack, row)


FUNCTIONS = (
    gain,
    set_reward,
    set_payoff,
    look_first,
    in_units,
    foreseen,
    look_up,
    open_row,
    add_moves,
    add_events,
    generate,
    visit,
)
"""What is compiled for each game; later ones call earlier ones and themselves."""
