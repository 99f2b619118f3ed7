"""The kernel: whether a position is worth at least some number, by proof numbers, depth first.

Every position has two numbers: how much is left to be shown for a yes (YES), and for a no (NO).
One that is answered has 0 and NEVER. A player who is asked needs one child that says yes, so YES
is the least of the children's; a no needs all of them, so NO is the greatest of theirs and one
more for every other child that is open (their sum would count twice what two of them lead to).
The child that looks easiest is searched until another one looks easier by a quarter, or the
numbers say that there is something easier elsewhere on the path (df-pn, Nagai 2002; 1 + epsilon,
Pawlewicz and Lew 2007; greatest and count, Ueda et al. 2008).

A position that recurs on its path shows nothing there: both numbers are OPEN, which is no answer,
and numbers that rest on that are not kept. So yes and no are only ever proved by lines that end,
whatever the path, and hold in games with cycles, too. A position is kept with its question, since
rewards make other questions of it."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import uncounted
from perfectplay.compiled.kernels import inlined
from perfectplay.searching.alphabeta.stubs import candidates, earned, flips, position, write
from perfectplay.searching.alphabeta.walk import (
    BEST,
    BOUND,
    EARNED,
    END,
    FAR,
    HEAD,
    INFO,
    ROOM,
    ROW,
    TOP,
    UNEQUAL,
    lowered,
    stated,
    terminal,
)
from perfectplay.searching.search_stack import (
    BETA,
    CYCLES,
    HITS,
    LIMIT,
    LOOKS,
    NODES,
    STOP,
    TROUBLE,
    WHERE,
)
from perfectplay.searching.stubs import hinted

YES, NO = 0, 1
NEVER, OPEN = 1 << 31, 1 << 30
"""The number of an answer that is refuted; that of one that cannot be had on this path."""
MOST_YES, MOST_NO, WORK = 9, 10, 11
COLUMNS = 12
"""Of a position of the path, beside those of alphabeta/walk.py: it is searched until its numbers
reach these; what was spent on it before."""
KEPT_YES, KEPT_NO, SPENT, QUESTION, WORDS = range(5)
"""Columns of an entry of the table; one without SPENT is empty."""
BUCKET = 4
"""Entries where a position may be. The one that took least is replaced."""
MIX = 0x9E3779B97F4A7C15 - (1 << 64)


class ProofArrays(NamedTuple):
    """All that a search reads and writes."""

    table: Ints
    kids: Ints
    order: Ints
    numbers: Ints
    path: Ints
    seen: Ints
    """Positions that sequences of threats have come to, as far as they were not forgotten."""
    control: Ints


def forced(rules: Any, sample: Any, bound: int, row: int, most: int, arrays: ProofArrays) -> bool:
    """Whether threats alone prove that a position is worth so much: never, by rules that name no
    threats. Those of others are tried by `forced` in threats.py."""
    return False


@inlined
def mixed(kids: Ints, row: int, bound: int) -> int:
    """A number for the position of a row and a question, mostly another one for another."""
    found = bound * MIX
    for k in range(HEAD, kids.shape[1]):
        found = ((found ^ (found >> 29)) + kids[row, k]) * MIX
    found ^= (found >> 32) & 0xFFFFFFFF
    return found * MIX


@inlined
def bucket(table: Ints, kids: Ints, row: int, bound: int) -> int:
    """The first entry where the position of a row may be."""
    return int((mixed(kids, row, bound) >> 24) & (len(table) // BUCKET - 1)) * BUCKET


@inlined
def same(table: Ints, at: int, kids: Ints, row: int, bound: int) -> bool:
    """Whether an entry is that of the position of a row, and of this question."""
    if table[at, SPENT] == 0 or table[at, QUESTION] != bound:
        return False
    equal = True
    for k in range(kids.shape[1] - HEAD):
        equal &= table[at, WORDS + k] == kids[row, HEAD + k]
    return equal


def look(table: Ints, kids: Ints, row: int, bound: int) -> int:
    """The entry of the position of a row; -1 if there is none."""
    first = bucket(table, kids, row, bound)
    for at in range(first, first + BUCKET):
        if same(table, at, kids, row, bound):
            return at
    return -1


def keep(arrays: ProofArrays, ply: int, yes: int, no: int) -> None:
    """Put a position of the path into the table, in place of what took least."""
    table, kids, _, _, path, _, control = arrays
    row, bound = path[ply, ROW], path[ply, BOUND]
    first = bucket(table, kids, row, bound)
    chosen = first
    for at in range(first, first + BUCKET):
        if same(table, at, kids, row, bound):
            chosen = at
            break
        if table[at, SPENT] < table[chosen, SPENT]:
            chosen = at
    table[chosen, KEPT_YES], table[chosen, KEPT_NO] = yes, no
    table[chosen, SPENT] = max(path[ply, WORK] + control[NODES], 1)
    table[chosen, QUESTION] = bound
    for k in range(kids.shape[1] - HEAD):
        table[chosen, WORDS + k] = kids[row, HEAD + k]


def begin(
    rules: Any, sample: Any, q: Any, bound: int, row: int, most: int, arrays: ProofArrays
) -> None:
    """The first numbers of a child `q` in its row: what the rules state, what is kept, what
    threats prove, or 1."""
    table, kids, _, numbers, _, _, control = arrays
    low, high = stated(rules, q, rules.to_move(q), most, control)
    numbers[row, YES] = numbers[row, NO] = 1
    if low >= bound:
        numbers[row, YES], numbers[row, NO] = 0, NEVER
    elif high < bound:
        numbers[row, YES], numbers[row, NO] = NEVER, 0
    else:
        control[LOOKS] += 1
        at = look(table, kids, row, bound)
        if at >= 0:
            control[HITS] += 1
            numbers[row, YES], numbers[row, NO] = table[at, KEPT_YES], table[at, KEPT_NO]
        elif forced(rules, sample, bound, row, most, arrays):
            numbers[row, YES], numbers[row, NO] = 0, NEVER


def generate(
    rules: Any,
    sample: Any,
    p: Any,
    kind: int,
    bound: int,
    top: int,
    most: int,
    arrays: ProofArrays,
) -> int:
    """Write the children of `p` to the rows from `top` on; the row after the last one."""
    _, kids, order, _, _, _, control = arrays
    end = top
    for m in candidates(rules, p):
        if end >= len(order):
            control[TROUBLE] = ROOM
            return top
        q = rules.play(p, m)
        r = rules.representative(q)
        gain, opposed = earned(rules, p, m, kind)
        if not opposed:
            control[TROUBLE] = UNEQUAL
            return top
        write(kids, end, r)
        order[end] = min(max(hinted(rules, p, m), -FAR), FAR)
        kids[end, EARNED] = gain
        info = (end - top + 1) << 1 | flips(rules, kind, q, r)
        kids[end, INFO] = info
        begin(rules, sample, r, lowered(info, gain, bound, 0), end, most, arrays)
        end += 1
    return end


def total(arrays: ProofArrays, top: int, end: int) -> tuple[int, int, int, int, int]:
    """The numbers of a position by those of its children: YES, NO; the row of the easiest child;
    the YES of the next one; how many children are open."""
    _, kids, order, numbers, _, _, _ = arrays
    yes, second, greatest, row, many = NEVER, NEVER, 0, -1, 0
    for k in range(top, end):
        a, b = numbers[k, YES], numbers[k, NO]
        if kids[k, INFO] & 1:
            a, b = b, a
        if b > 0:
            many, greatest = many + 1, max(greatest, b)
        if a < yes or (a == yes and row >= 0 and order[k] > order[row]):
            yes, second, row = a, yes, k
        elif a < second:
            second = a
    no = greatest + max(many - 1, 0)
    if greatest >= OPEN:
        no = greatest
    elif no >= OPEN:
        no = OPEN - 1
    return yes, no, row, second, many


def recurs(arrays: ProofArrays, ply: int, row: int, bound: int) -> bool:
    """Whether the position of a row, with its question, occurred on the path before."""
    _, kids, _, _, path, _, _ = arrays
    for k in range(ply - 1, -1, -1):
        other = path[k, ROW]
        if path[k, BOUND] == bound:
            equal = True
            for word in range(HEAD, kids.shape[1]):
                if kids[other, word] != kids[row, word]:
                    equal = False
                    break
            if equal:
                return True
    return False


def enter(
    rules: Any, sample: Any, bound: int, ply: int, row: int, top: int, most: int,
    arrays: ProofArrays,
) -> None:  # fmt: skip
    """Write the position of a row to the path, and its children to the rows from `top` on; where
    there are none, its numbers."""
    table, kids, _, numbers, path, _, control = arrays
    path[ply, BOUND], path[ply, ROW], path[ply, TOP], path[ply, END] = bound, row, top, top
    path[ply, WORK], path[ply, BEST] = -control[NODES], 0
    if ply + 1 >= len(path) or recurs(arrays, ply, row, bound):
        control[CYCLES] += 1
        numbers[row, YES] = numbers[row, NO] = OPEN
        return
    p = position(kids, row, sample)
    kind = rules.to_move(p)
    if kind >= 0:
        path[ply, END] = generate(rules, sample, p, kind, bound, top, most, arrays)
    if path[ply, END] > top:
        at = look(table, kids, row, bound)
        path[ply, WORK] += table[at, SPENT] if at >= 0 else 0
    elif not control[TROUBLE]:
        value = terminal(rules, p, kind, most, control)
        numbers[row, YES] = 0 if value >= bound else NEVER
        numbers[row, NO] = NEVER if value >= bound else 0


def prove(rules: Any, sample: Any, bound: int, arrays: ProofArrays, most: int) -> int:
    """Whether the position in row 0 of the kids is worth at least `bound`: 1 for yes, 0 for no, -1
    for open."""
    arrays = uncounted(arrays)
    _, kids, _, numbers, path, _, control = arrays
    ply, child, above, fresh = 0, 0, 1, True
    path[0, MOST_YES] = path[0, MOST_NO] = NEVER
    while control[NODES] < control[LIMIT] and not control[STOP]:
        # 1. Enter a child; its own children are the rows from `above` on.
        if fresh:
            control[NODES] += 1
            enter(rules, sample, bound, ply, child, above, most, arrays)
            if control[TROUBLE]:
                control[WHERE] = child
                return -1
        top, end, row = path[ply, TOP], path[ply, END], path[ply, ROW]
        child, second, many = -1, 0, 0
        if end > top:
            numbers[row, YES], numbers[row, NO], child, second, many = total(arrays, top, end)
        yes, no = numbers[row, YES], numbers[row, NO]
        # 2. Go up: answered, or something else looks easier.
        over = yes >= path[ply, MOST_YES] or no >= path[ply, MOST_NO]
        fresh = end > top and not over and min(yes, no) < OPEN
        if not fresh:
            if end > top and (yes == 0 or no == 0 or max(yes, no) < OPEN):
                keep(arrays, ply, yes, no)
            if end > top and yes == 0:
                path[ply, BEST] = kids[child, INFO]
                control[BETA] += 1
            if ply == 0:
                return 1 if yes == 0 else 0 if no == 0 else -1
            ply -= 1
            continue
        # 3. Go down to the easiest child, until another one looks easier.
        most_yes = min(path[ply, MOST_YES], second + (second >> 2) + 1)
        most_no = path[ply, MOST_NO] - max(many - 1, 0)
        info = kids[child, INFO]
        bound = lowered(info, kids[child, EARNED], path[ply, BOUND], 0)
        ply, above = ply + 1, end
        if info & 1:
            most_yes, most_no = most_no, most_yes
        path[ply, MOST_YES], path[ply, MOST_NO] = most_yes, most_no
    control[STOP] = 1
    return -1
