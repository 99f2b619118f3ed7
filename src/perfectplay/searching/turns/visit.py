"""Visit of a search by turns: the functions that are compiled for each game.

`run` goes up and down the levels of levels.py until the first one is answered, or it is
stopped; all that it knows is in the rows, so it can be called again and goes on. `lay` asks the
rules for the exits of a turn, and what they say of the anchors that these lead to."""

from __future__ import annotations

from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.rules.game import OVER
from perfectplay.searching.search_stack import (
    GUESSES,
    LARGE,
    LIMIT,
    NODES,
    ROOM,
    STOP,
    SUM,
    TROUBLE,
    UNEQUAL,
)
from perfectplay.searching.turns.levels import (
    DONE,
    GOES_ON,
    LEVEL,
    OTHER,
    UNKNOWN,
    go_on,
    learn,
    pattern_of,
)
from perfectplay.searching.turns.turn_stack import KIDS, LAID, NODE, PATTERN, SIDE, SIGN
from perfectplay.searching.visit import PAIRS, TURNS, guessed, in_units, limits, pair, unnamed_of

# -- Compiled for each game: they ask the rules and write down what those say. Arrays are passed on
# -- seldom, since each is counted whenever it is. ------------------------------------------------


def exits_of(rules, sample, rows, patterns, flags, words, level):  # type: ignore[no-untyped-def]
    """Put down the anchors that the turn of a level leads to; a code."""
    heads, kids, thought, keys = rows[0], rows[1], rows[2], rows[6]
    starts, exit_nodes, inner, positions, roots, slots = patterns[5:]
    room = len(thought) // len(heads)
    begin = k = level * room
    p = load_key(rows[5], level, sample)
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
            save_key(keys, k, r)
            kids[k, SIGN], kids[k, NODE] = -side if swap else side, exit_nodes[x]
            again = False
            for other in range(first, k):
                same = kids[other, SIGN] == kids[k, SIGN]
                for w in range(keys.shape[1]):
                    same = same and keys[other, w] == keys[k, w]
                again = again or same
            if not again:
                k += 1
        if inside != inner[x]:
            return 6
    heads[level, PATTERN], heads[level, KIDS], heads[level, SIDE] = number, k - begin, side
    return 0


def lay(rules, sample, rows, table, shapes, patterns, control, flags, scale, words, level):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """Make the kids of a level, with all that is known of them; a code."""
    heads, thought, keys = rows[0], rows[2], rows[6]
    code = exits_of(rules, sample, rows, patterns, flags, words[0], level)
    if code:
        return code
    told, shape = words[1], words[2]
    begin, count = level * (len(thought) // len(heads)), heads[level, KIDS]
    for i in range(count if count else 1):
        r = load_key(keys, begin + i, sample) if count else load_key(rows[5], level, sample)
        least, most, per = -scale[3], scale[3], 1
        over_ = count == 0 or rules.to_move(r) == OVER
        if over_:
            one, two, columns = pair(rules.payoff(r))
            if columns == 2 and one + two != control[SUM]:
                return UNEQUAL
            least = most = one - two if columns == 2 else one
        else:
            said, up_to, parts = limits(rules, r)
            if parts > 0:
                least, most, per = said, up_to, parts
                if flags & PAIRS:
                    least, most = 2 * said - control[SUM] * parts, 2 * up_to - control[SUM] * parts
            if len(shapes):
                shape[i, 0] = unnamed_of(rules, r)
            elif control[GUESSES]:
                thought[begin + i] = in_units(control, flags, guessed(rules, r))
        if max(abs(least), abs(most)) > scale[3] * min(per, scale[4]):
            return LARGE
        told[i, 0], told[i, 1], told[i, 2], told[i, 3] = least, most, per, over_
    return learn(rows, table, shapes, patterns[0], control, scale, words, level)


def run(rules, sample, rows, table, shapes, patterns, control, flags, scale, words):  # type: ignore[no-untyped-def] # noqa: PLR0913, PLR0917
    """Search until the first level is answered; False if it was stopped, or there is trouble."""
    heads = rows[0]
    while True:
        level = control[LEVEL]
        if not heads[level, LAID]:
            if control[NODES] >= control[LIMIT] or control[STOP]:
                return False
            code = lay(
                rules, sample, rows, table, shapes, patterns, control, flags, scale, words, level
            )
            if code:
                control[TROUBLE] = code
                return False
        went = go_on(rows, table, patterns, control, scale[0], level)
        if went != GOES_ON:
            return went == DONE


FUNCTIONS = (in_units, exits_of, lay, run)
"""What is compiled for each game; later ones call earlier ones."""
