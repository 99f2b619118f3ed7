"""Which exit of a turn is searched next, and what is asked of it.

The value of a turn is an average of its choices, by how probable it is to make them. There are two
questions:

*Is the value at least t?* Each choice may fall short of its guess by the same amount, such that
all together are just good enough. The choice of which most is open is asked for that, and for no
more.

*What is the value?* One exit of each choice is evaluated, the one that is guessed best; the others
are only asked whether they are better.

Guesses and amounts are floats and only decide about time; bounds are integers (fixed_point.py)."""

from perfectplay.compiled.arrays import Floats, Ints
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.fractions64 import Pair
from perfectplay.searching.search_stack import pair_at
from perfectplay.searching.turns.fixed_point import as_float, from_float, less, plus
from perfectplay.searching.turns.turn_stack import (
    ASKED,
    CHOICE_F_HIGH,
    CHOICE_F_LOW,
    CHOICE_GUESS,
    CHOICE_LOW,
    EXACT,
    EXIT_HIGH,
    EXIT_LOW,
    EXITS,
    HIGH,
    LOW,
    NODE,
    NODE_F_HIGH,
    NODE_F_LOW,
    NODE_GUESS,
    PATTERN,
    REACH,
    ROUNDS,
    PatternGraph,
    Rows,
    evaluate_nodes,
    open_choice,
    reach_nodes,
)

ANSWERED, STUCK = -1, -2
"""Instead of an exit: the question is answered; all exits are evaluated, but rounding leaves the
answer open."""
MARGIN = 1e-12
"""How much more than necessary is asked, so that it suffices in spite of rounding."""
PATIENCE = 60
"""How often exits are chosen by guesses; after that, those of which most is open are evaluated."""
NARROW = 1e-9
"""If bounds are as near to each other as this, the value itself is asked for: floats are too
coarse to ask for less."""

Question = tuple[int, int, Pair]
"""An exit; 1 if its value is asked for; otherwise the number that it may or may not reach."""


@inlined
def answered(levels: Ints, level: int) -> bool:
    """Whether low <= value <= high answers the question of a level: low = high, or asked <= low,
    or high < asked."""
    low, high = pair_at(levels, level, LOW), pair_at(levels, level, HIGH)
    if low == high:
        return True
    if levels[level, EXACT]:
        return False
    asked = pair_at(levels, level, ASKED)
    return not less(low, asked) or less(high, asked)


@kernel
def choose_exit(rows: Rows, graph: PatternGraph, level: int, base: int, unit: float) -> Question:
    """The next question about an exit of a level, or ANSWERED, or STUCK."""
    levels = rows.levels
    evaluate_nodes(rows, graph, level, base, unit)
    if answered(levels, level):
        return ANSWERED, 0, (0, 0)
    levels[level, ROUNDS] += 1
    if levels[level, EXACT]:
        return _to_value(rows, graph, level, base)
    return _to_show(rows, graph, level, base, unit)


@kernel
def _to_show(rows: Rows, graph: PatternGraph, level: int, base: int, unit: float) -> Question:
    """The next question if the level is asked whether its value is at least a number."""
    levels, exits, nodes, estimates = rows.levels, rows.exits, rows.nodes, rows.estimates
    # 1. If all is as guessed, is the answer yes (side 1) or no (-1), and with how much to spare?
    reach_nodes(rows, graph, level, base)
    count = graph.start[levels[level, PATTERN] + 1] - graph.start[levels[level, PATTERN]]
    asked = as_float(pair_at(levels, level, ASKED), unit)
    guess = estimates[base + count - 1, NODE_GUESS]
    side = 1.0 if guess >= asked else -1.0
    # 2. The choice of which most is open, beyond the slack that every choice has.
    slack = _slack(nodes, estimates, base, count, side, side * (guess - asked))
    best, widest = -1, 0.0
    if levels[level, ROUNDS] <= PATIENCE:
        for at in range(base, base + count):
            gap = _gap(nodes, estimates, at, side)
            if gap > slack and gap * estimates[at, REACH] > widest:
                best, widest = at, gap * estimates[at, REACH]
    # 3. If guesses do not lead on: the choice with the widest bounds.
    evaluate = best < 0
    if evaluate:
        best, slack = _widest(nodes, estimates, base, count), 0.0
    if best < 0:
        return STUCK, 0, (0, 0)
    # 4. Its best exit must reach x, its guess less the slack, or must not.
    x = estimates[best, CHOICE_GUESS] - side * (slack - MARGIN)
    k = _best_exit(rows, level, best, best - base, x, side, unit)
    width = as_float(pair_at(exits, k, EXIT_HIGH), unit) - as_float(
        pair_at(exits, k, EXIT_LOW), unit
    )
    if width < NARROW or (evaluate and levels[level, ROUNDS] > PATIENCE):
        return k, 1, (0, 0)
    return _fitted(exits, k, from_float(x, unit))


@inlined
def _gap(nodes: Ints, estimates: Floats, at: int, side: float) -> float:
    """How much of a choice's guess is not proved: from below (side 1), or from above."""
    if not open_choice(nodes, estimates, at):
        return 0.0
    if side > 0:
        return estimates[at, CHOICE_GUESS] - estimates[at, CHOICE_F_LOW]
    return estimates[at, CHOICE_F_HIGH] - estimates[at, CHOICE_GUESS]


@kernel
def _slack(
    nodes: Ints, estimates: Floats, base: int, count: int, side: float, room: float
) -> float:
    """The slack with sum(reach * min(slack, gap)) = room, over all choices; at least 0. Found from
    below, as in choose_child.py."""
    slack = -1.0
    while True:
        left, share = room, 0.0
        for at in range(base, base + count):
            gap = _gap(nodes, estimates, at, side)
            if gap <= slack:
                left -= gap * estimates[at, REACH]
            else:
                share += estimates[at, REACH]
        if share <= 0.0 or left / share <= slack:
            return max(slack, 0.0)
        slack = left / share


@kernel
def _widest(nodes: Ints, estimates: Floats, base: int, count: int) -> int:
    """The node of whose choice most is open."""
    best, widest = -1, -1.0
    for at in range(base, base + count):
        if open_choice(nodes, estimates, at):
            width = estimates[at, CHOICE_F_HIGH] - estimates[at, CHOICE_F_LOW]
            width *= estimates[at, REACH] + MARGIN
            if width > widest:
                best, widest = at, width
    return best


@kernel
def _best_exit(
    rows: Rows, level: int, at: int, node: int, x: float, side: float, unit: float
) -> int:
    """The exit of a node that is guessed best, of those that can matter."""
    levels, exits, guesses, nodes, _, _, _ = rows
    begin = level * (len(guesses) // len(levels))
    low = pair_at(nodes, at, CHOICE_LOW)
    best = second = -1
    for k in range(begin, begin + levels[level, EXITS]):
        if exits[k, NODE] != node or not _open(exits, k):
            continue
        if not less(low, pair_at(exits, k, EXIT_HIGH)):
            continue
        if second < 0 or guesses[k] > guesses[second]:
            second = k
        if side < 0 and as_float(pair_at(exits, k, EXIT_HIGH), unit) <= x:
            continue  # that is proved already
        if best < 0 or guesses[k] > guesses[best]:
            best = k
    return best if best >= 0 else second


@inlined
def _open(exits: Ints, k: int) -> bool:
    """Whether the value of an exit is not known."""
    return pair_at(exits, k, EXIT_LOW) != pair_at(exits, k, EXIT_HIGH)


@inlined
def _fitted(exits: Ints, k: int, asked: Pair) -> Question:
    """The question whether an exit is worth at least `asked`, moved into low < asked <= high, so
    that either answer is news."""
    low, high = pair_at(exits, k, EXIT_LOW), pair_at(exits, k, EXIT_HIGH)
    if not less(low, asked):
        asked = plus(low, (0, 1))
    if less(high, asked):
        asked = high
    return k, 0, asked


@kernel
def _to_value(rows: Rows, graph: PatternGraph, level: int, base: int) -> Question:
    """The next question if the level is asked for its value."""
    exits, guesses = rows.exits, rows.guesses
    # 1. The choice to settle.
    at = _down(rows, graph, level, base)
    if at < 0:
        return STUCK, 0, (0, 0)
    # 2. Its exit that is guessed best, of those that may be better than the best that is proved;
    #    and whether that one is known exactly.
    begin = level * (len(guesses) // len(rows.levels))
    low = pair_at(rows.nodes, at, CHOICE_LOW)
    known, best = False, -1
    for k in range(begin, begin + rows.levels[level, EXITS]):
        if exits[k, NODE] != at - base:
            continue
        if less(low, pair_at(exits, k, EXIT_HIGH)):
            if best < 0 or guesses[k] > guesses[best]:
                best = k
        elif not _open(exits, k) and pair_at(exits, k, EXIT_LOW) == low:
            known = True
    # 3. If it is: is the other one better? If not: what is its value?
    if known:
        return _fitted(exits, best, plus(low, (0, 1)))
    return best, 1, (0, 0)


@kernel
def _down(rows: Rows, graph: PatternGraph, level: int, base: int) -> int:
    """The node whose choice is to be settled: from the anchor on, where chance acts, the child of
    which most is open, and where the player moves, the one that is guessed best."""
    nodes, estimates, kind = rows.nodes, rows.estimates, graph.kind
    first, to, weight = graph.first, graph.to, graph.weight
    begin = graph.start[rows.levels[level, PATTERN]]
    count = graph.start[rows.levels[level, PATTERN] + 1] - begin
    j = count - 1
    while True:
        node, at = begin + j, base + j
        best, most = -1, 0.0
        for e in range(first[node], first[node + 1]):
            k = base + to[e]
            width = estimates[k, NODE_F_HIGH] - estimates[k, NODE_F_LOW]
            if width > 0.0:
                worth = width * weight[e] if kind[node] < 0 else estimates[k, NODE_GUESS]
                if best < 0 or worth > most:
                    best, most = to[e], worth
        if open_choice(nodes, estimates, at) and (best < 0 or estimates[at, CHOICE_GUESS] >= most):
            return at
        if best < 0:
            return _widest(nodes, estimates, base, count)
        j = best
