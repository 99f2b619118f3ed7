"""The levels of a search by turns: what is known of exits, and the steps from level to level.

`evaluate_exits` sets the bounds and guesses of exits; `walk` goes up and down until the rules must
be asked. Nothing here sees rules."""

from typing import NamedTuple

from perfectplay.compiled.arrays import Floats, Int32s, Ints
from perfectplay.compiled.intrinsics import prefetch, unlock
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.fractions64 import DOWN, UP, Pair
from perfectplay.searching.node_values import clamped
from perfectplay.searching.search_stack import (
    ALPHA,
    BETA,
    GUESSES,
    HITS,
    LEVEL,
    LOOKS,
    NODES,
    NOISE,
    ROOM,
    STAR1,
    TROUBLE,
    pair_at,
    put_pair,
    random_bits,
    slot_of,
)
from perfectplay.searching.turns.choose_exit import STUCK, choose_exit
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
from perfectplay.searching.turns.turn_stack import (
    ASKED,
    BEGUN,
    CHILD,
    EXACT,
    EXIT_HIGH,
    EXIT_LOW,
    EXITS,
    EXPANDED,
    HIGH,
    LOW,
    NODE,
    NODE_GUESS,
    PATTERN,
    ROUNDS,
    SIDE,
    SIGN,
    STORED_FINE,
    STORED_GUESS,
    STORED_HIGH,
    STORED_LOW,
    PatternGraph,
    Rows,
    find,
    join_exits,
    keep,
    place,
)
from perfectplay.searching.turns.unlabelled_bounds import (
    UNLABELLED_FINE,
    UNLABELLED_GUESS,
    UNLABELLED_HIGH,
    UNLABELLED_LOW,
    find_unlabelled,
)

STIRRED = 0.1
"""How much guesses of threads differ, as a part of the distance of their bounds."""
ASK_RULES, DONE, STOPPED = 0, 1, 2
"""Why `walk` returns: the rules must be asked for exits; level 0 is answered; there is trouble."""
UNKNOWN, DEEP, UNSUITED = 20, 21, 22
"""Codes beside those of search_stack.py: the pattern is not known yet; there are no levels left;
chance, or either player, ends a turn, or numbers were rounded."""

LEAST, MOST, PARTS, ENDED = 0, 1, 2, 3
"""Columns of what the rules state of an exit: LEAST/PARTS <= value <= MOST/PARTS, to player 0
there; whether play has ended."""


class ExitPatterns(NamedTuple):
    """All turn patterns that are known. Pattern i has the exits exit_start[i] … exit_start[i + 1]
    - 1 of the arrays below."""

    graph: PatternGraph
    exit_start: Ints
    exit_node: Int32s
    inner: Int32s
    """How many moves of that node stay inside the turn."""
    positions: Ints
    """An example of that node, as words."""
    roots: Ints
    """The words of the patterns, by their numbers."""
    slots: Ints
    """A hash table of these numbers; -1 is empty."""


class FixedPoint(NamedTuple):
    """The numbers of a search (fixed_point.py)."""

    unit: float
    """The denominator."""
    one: Pair
    """The same as two words."""
    largest: int
    """No value is larger."""
    total: int
    """The total weight of chance, of which the denominator is a power."""


class Shared(NamedTuple):
    """What threads share, beside the patterns."""

    anchors: Ints
    """The transposition table (turn_stack.py)."""
    unlabelled: Ints
    """Bounds without labels (unlabelled_bounds.py); may be empty."""
    scale: FixedPoint


class Scratch(NamedTuple):
    """Room for one turn: its pattern, and for each exit what is known before it is looked up."""

    pattern: Ints
    stated: Ints
    """Columns LEAST … ENDED."""
    unlabelled: Ints
    """The key of the anchor without labels."""
    slots: Ints
    """The anchor's slot in the transposition table."""
    unlabelled_slots: Ints


@kernel
def pattern_of(roots: Ints, slots: Ints, words: Ints) -> int:
    """The number of the pattern in words[0], or -1; see `ExitPatterns`."""
    at = slot_of(words, 0, 0, len(slots))
    while slots[at] >= 0:
        same = True
        for k in range(words.shape[1]):
            same = same and roots[slots[at], k] == words[0, k]
        if same:
            return slots[at]
        at = (at + 1) % len(slots)
    return -1


# -- What is known of exits. ----------------------------------------------------------------------


@inlined
def bound(one: Pair, number: int, parts: int, up: bool) -> Pair:  # noqa: FBT001
    """number / parts, rounded up or down; `one` is the denominator of the search."""
    product = times(one, abs(number))
    if number < 0:
        product = minus(product)
    return over_up(product, parts) if up else over(product, parts)


@inlined
def narrow_exit(
    exits: Ints, guesses: Floats, k: int, low: Pair, high: Pair, guess: float, unit: float
) -> None:
    """Narrow the bounds of an exit, given for player 0 there, and set its guess."""
    if exits[k, SIGN] < 0:
        low, high, guess = minus(high), minus(low), -guess
    if less(pair_at(exits, k, EXIT_LOW), low):
        put_pair(exits, k, EXIT_LOW, low)
    if less(high, pair_at(exits, k, EXIT_HIGH)):
        put_pair(exits, k, EXIT_HIGH, high)
    guesses[k] = clamped(
        guess,
        as_float(pair_at(exits, k, EXIT_LOW), unit),
        as_float(pair_at(exits, k, EXIT_HIGH), unit),
    )


@inlined
def look_up_anchor(
    exits: Ints, guesses: Floats, table: Ints, slot: int, children: Ints, k: int, unit: float
) -> bool:
    """Whether the transposition table knows the anchor of an exit, which is narrowed then."""
    at = find(table, slot, children, k)
    if at < 0:
        return False
    low, high = pair_at(table, at, STORED_LOW), pair_at(table, at, STORED_HIGH)
    guess = table[at, STORED_GUESS] / STORED_FINE
    unlock(table, at)
    narrow_exit(exits, guesses, k, low, high, guess, unit)
    return True


@inlined
def look_up_unlabelled(
    exits: Ints, guesses: Floats, table: Ints, slot: int, key: int, k: int, unit: float
) -> bool:
    """The same for the table of positions without labels."""
    at = find_unlabelled(table, slot, key) if len(table) else -1
    if at < 0:
        return False
    low = from_float(table[at, UNLABELLED_LOW] / UNLABELLED_FINE, unit)
    high = from_float(table[at, UNLABELLED_HIGH] / UNLABELLED_FINE, unit)
    guess = table[at, UNLABELLED_GUESS] / UNLABELLED_FINE
    narrow_exit(exits, guesses, k, low, high, guess, unit)
    return True


@inlined
def set_stated(exits: Ints, k: int, stated: Ints, i: int, one: Pair) -> None:
    """Set the bounds of an exit to what the rules state."""
    low = bound(one, stated[i, LEAST], stated[i, PARTS], DOWN)
    high = bound(one, stated[i, MOST], stated[i, PARTS], UP)
    if exits[k, SIGN] < 0:
        low, high = minus(high), minus(low)
    put_pair(exits, k, EXIT_LOW, low)
    put_pair(exits, k, EXIT_HIGH, high)


@kernel
def evaluate_exits(
    rows: Rows, start: Ints, shared: Shared, control: Ints, scratch: Scratch, level: int
) -> int:
    """Set the bounds and guesses of all exits of a level from the rules and the tables; if there
    are none, the bounds of the level to the payoff. A code."""
    levels, exits, guesses, children = rows.levels, rows.exits, rows.guesses, rows.children
    _, stated, keys, slots, unlabelled_slots = scratch
    anchors, unlabelled, (unit, one, _, _) = shared
    begin, count = level * (len(guesses) // len(levels)), levels[level, EXITS]
    # 1. Ask for the memory of all entries, which will be there when it is needed.
    for i in range(count):
        slots[i] = place(anchors, children, begin + i)
        if len(unlabelled) and not stated[i, ENDED]:
            unlabelled_slots[i] = slot_of(keys, i, 0, len(unlabelled))
            prefetch(unlabelled, unlabelled_slots[i])
    # 2. Bounds of the rules, then of the first table that knows more.
    for i in range(count):
        k = begin + i
        set_stated(exits, k, stated, i, one)
        low = as_float(pair_at(exits, k, EXIT_LOW), unit)
        high = as_float(pair_at(exits, k, EXIT_HIGH), unit)
        if stated[i, ENDED]:
            guesses[k] = low
            continue
        guess = exits[k, SIGN] * guesses[k] if control[GUESSES] else (low + high) / 2
        control[LOOKS] += 1
        if look_up_anchor(exits, guesses, anchors, slots[i], children, k, unit):
            control[HITS] += 1
        elif not look_up_unlabelled(
            exits, guesses, unlabelled, unlabelled_slots[i], keys[i, 0], k, unit
        ):
            guesses[k] = clamped(guess, low, high)
        if control[NOISE]:
            add_noise(exits, guesses, k, control, unit)
    # 3. The level in the view of the player who moves, and its choices.
    view_of_mover(levels, level)
    levels[level, EXPANDED] = 1
    if count == 0:
        paid = bound(one, stated[0, LEAST], 1, DOWN)
        put_pair(levels, level, LOW, paid)
        put_pair(levels, level, HIGH, paid)
        return 0
    room, number = len(rows.nodes) // len(levels), levels[level, PATTERN]
    if start[number + 1] - start[number] > room:
        return ROOM
    for j in range(start[number + 1] - start[number]):
        join_exits(rows, level, level * room, j, unit)
    return 0


@kernel
def add_noise(exits: Ints, guesses: Floats, k: int, control: Ints, unit: float) -> None:
    """Change the guess of an exit a little, so that threads look at different ones first."""
    low = as_float(pair_at(exits, k, EXIT_LOW), unit)
    high = as_float(pair_at(exits, k, EXIT_HIGH), unit)
    part = ((random_bits(control) >> 40) & 0xFFFF) / 0xFFFF - 0.5
    guesses[k] = clamped(guesses[k] + STIRRED * (high - low) * part, low, high)


@kernel
def view_of_mover(levels: Ints, level: int) -> None:
    """Turn the bounds of a level and its question to the view of the player who moves."""
    if levels[level, SIDE] < 0:
        low, high = pair_at(levels, level, LOW), pair_at(levels, level, HIGH)
        put_pair(levels, level, ASKED, turned(pair_at(levels, level, ASKED)))
        put_pair(levels, level, LOW, minus(high))
        put_pair(levels, level, HIGH, minus(low))


# -- From level to level. -------------------------------------------------------------------------


@kernel
def walk(
    rows: Rows, table: Ints, graph: PatternGraph, control: Ints, unit: float, level: int
) -> int:
    """Open the exit that is searched next, or close levels that are answered, until the rules must
    be asked for exits: ASK_RULES, DONE or STOPPED."""
    levels, exits, start = rows.levels, rows.exits, graph.start
    room = len(rows.nodes) // len(levels)
    while True:
        count = 0
        # 1. A level that is not answered: go up to one of its exits.
        if levels[level, EXITS] > 0:
            number = levels[level, PATTERN]
            count = start[number + 1] - start[number]
            k, exact, asked = choose_exit(rows, graph, level, level * room, unit)
            if k >= 0 and level + 1 < len(levels):
                open_level(rows, control, level, k, exact, asked)
                return ASK_RULES
            if k >= 0 or k == STUCK:
                control[TROUBLE] = UNSUITED if k == STUCK else DEEP
                return STOPPED
        # 2. One that is: keep what is known, and go down.
        close_level(rows, table, control, level, count, unit)
        if level == 0:
            return DONE
        level -= 1
        control[LEVEL] = level
        join_exits(rows, level, level * room, exits[levels[level, CHILD], NODE], unit)


@kernel
def open_level(rows: Rows, control: Ints, level: int, k: int, exact: int, asked: Pair) -> None:
    """Put the anchor of exit k on the next level, with a question, in the view of player 0
    there."""
    levels, exits, anchors, children = rows.levels, rows.exits, rows.anchors, rows.children
    above = level + 1
    levels[level, CHILD] = k
    for c in range(anchors.shape[1]):
        anchors[above, c] = children[k, c]
    low, high = pair_at(exits, k, EXIT_LOW), pair_at(exits, k, EXIT_HIGH)
    if exits[k, SIGN] < 0:
        low, high, asked = minus(high), minus(low), turned(asked)
    levels[above, EXACT] = exact
    put_pair(levels, above, ASKED, asked)
    put_pair(levels, above, LOW, low)
    put_pair(levels, above, HIGH, high)
    levels[above, EXPANDED] = levels[above, ROUNDS] = 0
    levels[above, BEGUN] = control[NODES]
    control[NODES] += 1
    control[LEVEL] = above


@kernel
def close_level(
    rows: Rows, table: Ints, control: Ints, level: int, count: int, unit: float
) -> None:
    """Put what is known of the anchor of a level, whose turn has `count` nodes, into the table and
    into the exit that led to it."""
    levels, exits, guesses, nodes, estimates, anchors, _ = rows
    side = levels[level, SIDE]
    low, high = pair_at(levels, level, LOW), pair_at(levels, level, HIGH)
    guess = as_float(low, unit)
    if count:
        last = level * (len(nodes) // len(levels)) + count - 1
        guess = clamped(estimates[last, NODE_GUESS], guess, as_float(high, unit))
        if low != high:
            failed = less(high, pair_at(levels, level, ASKED))
            control[ALPHA if failed == (side > 0) else BETA] += 1
            control[STAR1] += 1 if levels[level, ROUNDS] < count else 0
    if side < 0:
        low, high, guess = minus(high), minus(low), -guess
    keep(table, anchors, level, low, high, guess, control[NODES] - levels[level, BEGUN])
    if level > 0:
        k = levels[level - 1, CHILD]
        narrow_exit(exits, guesses, k, low, high, guess, unit)
