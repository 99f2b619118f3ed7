"""The kernel: a bound on the value of a position, by alpha-beta with a window of width zero.

Values are integers, to the player to move. A question is whether a value is at least some number
b. The answer is a number: at least b, and then the value is at least as large; or less than b, and
then the value is at most as large. The walk goes down and up without recursion, over three stacks:

    kids, order    the children of all positions of the path, and when to try each
    path           a row for every position of the path, with the columns below

A position with one child is followed, neither looked up nor stored. What a position is found to be
worth rests on positions where play has ended, on bounds that the rules state, and on nothing that
depends on the path: so it holds in games with cycles, too. Only the walk might not end there; it
stops where the path is too long."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import uncounted
from perfectplay.compiled.kernels import inlined
from perfectplay.searching.alphabeta.layout import BEST_BITS, MOST_BEST, MOST_WORK, Layout
from perfectplay.searching.alphabeta.stubs import (
    ask,
    candidates,
    earned,
    flips,
    keep,
    look,
    position,
    token,
    too_long,
    write,
)
from perfectplay.searching.search_stack import (
    BETA,
    CONTROL,
    HITS,
    LIMIT,
    LOOKS,
    NODES,
    NOISE,
    STOP,
    SUM,
    TROUBLE,
    WHERE,
)
from perfectplay.searching.stubs import hinted, limits, numbers_of

HEAD = 2
"""Columns of a child before the words of its position: INFO and EARNED."""
INFO, EARNED = 0, 1
"""INFO: bit 0 says whether its value counts for the opponent; then the number of the move, from 1,
and the token of the move."""
NUMBER_BITS = 20
TOKENS = 1 << 10
"""How many moves a history tells apart."""

BOUND, LOW, HIGH, BEGAN, TOP, END, VALUE, BEST, ROW = range(9)
COLUMNS = 9
"""Of a position of the path: the question; what is known; the nodes before; its children are rows
TOP to END - 1; the best value so far, and the INFO of that child; its own row among the kids."""

DISTANCE, PAIRS, EARLY, SEED = range(CONTROL, CONTROL + 4)
CONTROLS = CONTROL + 4
"""Settings of a thread beside the counters and settings of all searches: whether values say how
soon play ends; whether payoffs are pairs; down to which ply children are looked up first; the
state of a random generator for the order of moves, if NOISE is not 0."""

ROOM, LONG, KEYS, LARGE, UNEQUAL, SHAPE = range(1, 7)
"""What can go wrong: no room for children; a path too long; a position of too many bits; a value
too large; payoffs without a constant sum; numbers here and pairs there."""
FIRST, TRIED = (1 << 62), -(1 << 62)
"""In `order`: the move of the table; a child that needs no more trying."""
FAR = 1 << 40


class WalkArrays(NamedTuple):
    """All that a thread reads and writes; `table` is shared."""

    table: Any
    kids: Ints
    order: Ints
    path: Ints
    history: Ints
    control: Ints


def stated(rules: Any, p: Any, kind: int, most: int, control: Ints) -> tuple[int, int]:
    """What the rules' `bounds` say of the value to the player to move."""
    least, greatest, parts = limits(rules, p)
    if parts == 0:
        return -most, most
    low, high = -((-least) // parts), greatest // parts
    if control[PAIRS]:
        low, high = 2 * low - control[SUM], 2 * high - control[SUM]
    if control[DISTANCE]:
        low = 1 if low > 0 else -most if low < 0 else 0
        high = -1 if high < 0 else most if high > 0 else 0
    return (-high, -low) if kind == 1 else (low, high)


def terminal(rules: Any, p: Any, kind: int, most: int, control: Ints) -> int:
    """What an ended position is worth to the player to move, or else to player 0."""
    a, b, many = numbers_of(rules.payoff(p))
    if many == 2:
        if not control[PAIRS]:
            control[TROUBLE] = SHAPE
        elif a + b != control[SUM]:
            control[TROUBLE] = UNEQUAL
        a -= b
    elif control[PAIRS]:
        control[TROUBLE] = SHAPE
    if control[DISTANCE] and a != 0:
        a = most if a > 0 else -most
    if a > most or a < -most:
        control[TROUBLE] = LARGE
    return -a if kind == 1 else a


@inlined
def raised(info: int, gain: int, value: int, distance: int) -> int:
    """What a child of this value is worth to its parent's player."""
    value = gain - value if info & 1 else gain + value
    if distance:
        value = value - 1 if value > 1 else value + 1 if value < -1 else value
    return value


@inlined
def lowered(info: int, gain: int, bound: int, distance: int) -> int:
    """The question to a child that answers whether its parent is worth at least `bound`."""
    if distance:
        bound = bound + 1 if bound > 1 else bound - 1 if bound < 0 else bound
    return 1 - (bound - gain) if info & 1 else bound - gain


def generate(
    rules: Any, sample: Any, p: Any, kind: int, top: int, ply: int, arrays: WalkArrays,
    layout: Layout,
) -> int:  # fmt: skip
    """Write the children of `p` to the rows from `top` on; the row after the last one."""
    table, kids, order, _, history, control = arrays
    end, noise = top, control[NOISE]
    for m in candidates(rules, p):
        if end >= len(order):
            control[TROUBLE] = ROOM
            return top
        q = rules.play(p, m)
        r = rules.representative(q)
        ask(table, r, layout)
        write(kids, end, r)
        gain, opposed = earned(rules, p, m, kind)
        if not opposed or too_long(r, layout.key_bits):
            control[TROUBLE] = KEYS if opposed else UNEQUAL
            return top
        mark = token(m)
        hint = min(max(hinted(rules, p, m), -FAR), FAR)
        order[end] = (hint << 20) + history[(ply & 1) * TOKENS + mark]
        if noise:
            control[SEED] = (control[SEED] * 1103515245 + noise) & 0x7FFFFFFF
            order[end] += control[SEED] >> 24
        number = end - top + 1
        kids[end, EARNED] = gain
        kids[end, INFO] = (mark << NUMBER_BITS | number) << 1 | flips(rules, kind, q, r)
        end += 1
    return end


def recall(
    sample: Any, p: Any, ply: int, bound: int, arrays: WalkArrays, layout: Layout
) -> tuple[int, int]:
    """What the table says of a position of the path, and, near the root, of its children: the best
    of those that need not be searched, and its INFO. Narrows the bounds of the position."""
    table, kids, order, path, _, control = arrays
    most, mask, bits = layout.most, (1 << layout.value_bits) - 1, layout.value_bits
    top, end = path[ply, TOP], path[ply, END]
    value, best = -most - 1, 0
    data = look(table, p, layout)
    control[LOOKS] += 1
    if data:
        control[HITS] += 1
        if ply > 0:  # the root is to say which move is best
            path[ply, LOW] = max(path[ply, LOW], (data & mask) - most)
            path[ply, HIGH] = min(path[ply, HIGH], most - ((data >> bits) & mask))
        number = (data >> (2 * bits)) & MOST_BEST
        if 0 < number <= end - top:
            order[top + number - 1] = FIRST
    if path[ply, LOW] >= bound or path[ply, HIGH] < bound or ply >= control[EARLY]:
        return value, best
    for k in range(top, end):
        data = look(table, position(kids, k, sample), layout)
        if data:
            info, gain = kids[k, INFO], kids[k, EARNED]
            a, b = (data & mask) - most, most - ((data >> bits) & mask)
            if info & 1:
                a, b = b, a
            least = raised(info, gain, a, control[DISTANCE])
            greatest = raised(info, gain, b, control[DISTANCE])
            if least >= bound:
                return least, info
            if greatest < bound:
                order[k], value = TRIED, max(value, greatest)
    return value, best


def store(sample: Any, ply: int, nodes: int, arrays: WalkArrays, layout: Layout) -> None:
    """Put what was found of a position of the path into the table."""
    table, kids, _, path, history, control = arrays
    value, best = path[ply, VALUE], path[ply, BEST] >> 1
    low, high, number = path[ply, LOW], path[ply, HIGH], 0
    work, many = 0, (nodes - path[ply, BEGAN]) >> 1
    while many > 0 and work < MOST_WORK:
        work, many = work + 1, many >> 1
    if value >= path[ply, BOUND]:
        low = max(low, value)
        number = best & ((1 << NUMBER_BITS) - 1)
        mark = (ply & 1) * TOKENS + (best >> NUMBER_BITS)
        history[mark] = min(history[mark] + work, (1 << 19) - 1)
        control[BETA] += 1
    else:
        high = min(high, value)
    data = (work << BEST_BITS | (number if number <= MOST_BEST else 0)) << (2 * layout.value_bits)
    data |= (layout.most - high) << layout.value_bits | (low + layout.most)
    keep(table, position(kids, path[ply, ROW], sample), layout, data)


def untried(order: Ints, top: int, end: int) -> int:
    """The row of the child to try next; -1 if all were tried."""
    first, row = TRIED, -1
    for k in range(top, end):
        if order[k] > first:
            first, row = order[k], k
    return row


def climb(
    sample: Any, ply: int, nodes: int, arrays: WalkArrays, layout: Layout
) -> tuple[int, int]:
    """Go up from a position of the path as long as there is nothing left to try: the ply where
    there is something, and the row of the child to try; row -1 if all is done."""
    _, kids, order, path, _, control = arrays
    while True:
        value, top, end = path[ply, VALUE], path[ply, TOP], path[ply, END]
        row = untried(order, top, end) if value < path[ply, BOUND] else -1
        if row >= 0:
            return ply, row
        if end - top > 1:
            store(sample, ply, nodes, arrays, layout)
        if ply == 0:
            return 0, -1
        row = path[ply, ROW]
        ply -= 1
        value = raised(kids[row, INFO], kids[row, EARNED], value, control[DISTANCE])
        if value > path[ply, VALUE]:
            path[ply, VALUE], path[ply, BEST] = value, kids[row, INFO]


def walk(rules: Any, sample: Any, bound: int, arrays: WalkArrays, layout: Layout) -> int:
    """Whether the value of the position in row 0 of the kids is at least `bound`."""
    arrays = uncounted(arrays)
    _, kids, order, path, _, control = arrays
    most, nodes, ply, top, row = layout.most, control[NODES], 0, 1, 0
    while nodes < control[LIMIT] and not control[STOP]:
        # 1. Enter the position of a row. Its children are the rows from `top` on.
        nodes += 1
        control[NODES] = nodes
        p = position(kids, row, sample)
        kind = rules.to_move(p)
        low, high = -most, most  # at the root, a move is to be found, whatever is known
        if ply > 0:
            low, high = stated(rules, p, kind, most, control)
        end, value, best = top, -most - 1, 0
        if kind >= 0 and low < bound <= high:
            end = generate(rules, sample, p, kind, top, ply, arrays, layout)
        if end == top and low < bound <= high and not control[TROUBLE]:
            low = high = terminal(rules, p, kind, most, control)
        if control[TROUBLE]:
            control[WHERE] = row
            return 0
        if end > top and ply > 0 and control[DISTANCE]:  # play does not end here
            low, high = max(low, 1 - most), min(high, most - 1)
        path[ply, LOW], path[ply, HIGH], path[ply, BEGAN] = low, high, nodes
        path[ply, TOP], path[ply, END], path[ply, ROW] = top, end, row
        if end - top > 1:
            value, best = recall(sample, p, ply, bound, arrays, layout)
            low, high = path[ply, LOW], path[ply, HIGH]
        if low >= bound or high < bound or end == top:
            value = high if high < bound else low
            path[ply, END] = top
        path[ply, BOUND], path[ply, VALUE], path[ply, BEST] = bound, value, best
        # 2. Go up where that is all, and down to the next child.
        ply, row = climb(sample, ply, nodes, arrays, layout)
        if row < 0:
            return int(path[0, VALUE])
        order[row] = TRIED
        distance = control[DISTANCE]
        bound = lowered(kids[row, INFO], kids[row, EARNED], path[ply, BOUND], distance)
        top = path[ply, END]
        ply += 1
        if ply >= len(path):
            control[TROUBLE] = LONG
            return 0
    control[STOP] = 1
    return 0
