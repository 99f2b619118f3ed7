"""The functions of a search by turns that are compiled for each game.

`run` goes up and down the levels until the question of level 0 is answered, or it is stopped; all
that it knows is in the rows, so a second call goes on. `expand` asks the rules for the exits of a
turn, and what they state of the anchors that these lead to."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.positions.codes import OTHER_PATTERN, TURNS
from perfectplay.rules.game import OVER
from perfectplay.searching.search_stack import (
    FLAGS,
    GUESSES,
    LARGE,
    LEVEL,
    LIMIT,
    NODES,
    PAIRS,
    ROOM,
    STOP,
    SUM,
    TROUBLE,
    UNEQUAL,
)
from perfectplay.searching.stubs import guessed, limits, numbers_of, unlabelled_key
from perfectplay.searching.turns.levels import (
    ASK_RULES,
    DONE,
    ENDED,
    LEAST,
    MOST,
    PARTS,
    UNKNOWN,
    UNSUITED,
    ExitPatterns,
    Scratch,
    Shared,
    evaluate_exits,
    pattern_of,
    walk,
)
from perfectplay.searching.turns.turn_stack import (
    EXITS,
    EXPANDED,
    NODE,
    PATTERN,
    SIDE,
    SIGN,
    Rows,
)
from perfectplay.searching.visit import in_units


class TurnMemory(NamedTuple):
    """All that one thread of a search by turns reads and writes. It is passed on in parts: Numba
    counts a reference to each array that a function is given."""

    rows: Rows
    patterns: ExitPatterns
    shared: Shared
    control: Ints
    scratch: Scratch


def add_exits(
    rules: Any,
    sample: Any,
    rows: Rows,
    patterns: ExitPatterns,
    flags: int,
    words: Ints,
    level: int,
) -> int:
    """Make the exits of the turn of a level; a code. `words` has room for a pattern."""
    levels, exits, children = rows.levels, rows.exits, rows.children
    starts, exit_node, inner = patterns.exit_start, patterns.exit_node, patterns.inner
    positions = patterns.positions
    room = len(rows.guesses) // len(levels)
    begin = k = level * room
    p = load_key(rows.anchors, level, sample)
    levels[level, PATTERN], levels[level, EXITS], levels[level, SIDE] = -1, 0, 1
    if rules.to_move(p) == OVER:
        return 0
    # 1. The pattern of the turn, by which its inside is known.
    save_key(words, 0, rules.pattern(p))
    number = pattern_of(patterns.roots, patterns.slots, words)
    if number < 0:
        return UNKNOWN
    # 2. The exits of each node: moves to anchors. The same player must make all of them.
    side = 0
    for x in range(starts[number], starts[number + 1]):
        q = rules.carried(load_key(positions, x, sample), p)
        kind, inside, first = rules.to_move(q), 0, k
        if kind < 0 or kind > 1 or side == (-1 if kind == 0 else 1):
            return UNSUITED
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
            save_key(children, k, r)
            exits[k, SIGN], exits[k, NODE] = -side if swap else side, exit_node[x]
            if not repeated(exits, children, first, k):
                k += 1
        if inside != inner[x]:
            return OTHER_PATTERN
    levels[level, PATTERN], levels[level, EXITS], levels[level, SIDE] = number, k - begin, side
    return 0


def repeated(exits: Ints, children: Ints, first: int, k: int) -> bool:
    """Whether exit k is the same as one of the exits from `first` on."""
    for other in range(first, k):
        same = exits[other, SIGN] == exits[k, SIGN]
        for w in range(children.shape[1]):
            same = same and children[other, w] == children[k, w]
        if same:
            return True
    return False


def expand(
    rules: Any,
    sample: Any,
    rows: Rows,
    patterns: ExitPatterns,
    shared: Shared,
    control: Ints,
    scratch: Scratch,
    level: int,
) -> int:
    """Make the exits of a level, with all that is known of them; a code."""
    words, stated, keys, _, _ = scratch
    code = add_exits(rules, sample, rows, patterns, control[FLAGS], words, level)
    if code:
        return code
    children, guesses = rows.children, rows.guesses
    unlabelled, scale = len(shared.unlabelled), shared.scale
    begin, count = level * (len(guesses) // len(rows.levels)), rows.levels[level, EXITS]
    for i in range(count if count else 1):  # where play has ended, the anchor itself
        if count:
            r = load_key(children, begin + i, sample)
        else:
            r = load_key(rows.anchors, level, sample)
        least, most, per = -scale.largest, scale.largest, 1
        ended = count == 0 or rules.to_move(r) == OVER
        if ended:
            one, two, columns = numbers_of(rules.payoff(r))
            if columns == 2 and one + two != control[SUM]:
                return UNEQUAL
            least = most = one - two if columns == 2 else one
        else:
            low, high, parts = limits(rules, r)
            if parts > 0:
                least, most, per = low, high, parts
                if control[FLAGS] & PAIRS:
                    least, most = 2 * low - control[SUM] * parts, 2 * high - control[SUM] * parts
            if unlabelled:
                keys[i, 0] = unlabelled_key(rules, r)
            elif control[GUESSES]:
                guesses[begin + i] = in_units(control, guessed(rules, r))
        if max(abs(least), abs(most)) > scale.largest * min(per, scale.total):
            return LARGE
        stated[i, LEAST], stated[i, MOST], stated[i, PARTS], stated[i, ENDED] = (
            least, most, per, ended
        )  # fmt: skip
    return evaluate_exits(rows, patterns.graph.start, shared, control, scratch, level)


def run(rules: Any, sample: Any, memory: TurnMemory) -> bool:
    """Search until the question of level 0 is answered; False if that was stopped, or there is
    trouble."""
    rows, patterns, shared, control, scratch = memory
    levels, table, graph, unit = rows.levels, shared.anchors, patterns.graph, shared.scale.unit
    while True:
        level = control[LEVEL]
        if not levels[level, EXPANDED]:
            if control[NODES] >= control[LIMIT] or control[STOP]:
                return False
            code = expand(rules, sample, rows, patterns, shared, control, scratch, level)
            if code:
                control[TROUBLE] = code
                return False
        ended = walk(rows, table, graph, control, unit, level)
        if ended != ASK_RULES:
            return ended == DONE


FUNCTIONS = (in_units, repeated, add_exits, expand, run)
"""What is compiled for each game; later ones call earlier ones."""
