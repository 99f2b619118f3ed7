"""Iterative deepening (IDA*, Korf 1985): depth first through all positions that may lie on a line
of at most so much cost, again and again with a higher limit. Takes no memory but for one path.

One iteration is a stack of rows: a row is expanded completely, and those of its children that the
limit allows take its place. It can be left and taken up again at any row."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import load_key, save_key, uncounted
from perfectplay.rules.game import OVER
from perfectplay.searching.one_player.estimate import (
    CARRIED,
    DEAD,
    Databases,
    added_up,
    after_move,
    estimate,
    one_by_one,
    widest,
)
from perfectplay.searching.one_player.stubs import (
    ask_ahead,
    has_twins,
    in_place,
    is_steady,
    looks_ahead,
    move_number,
    need_follow,
    number_of,
    settle,
    twin_child,
    twin_move,
)

FINISHED, FOUND, PAUSED, ROOM, NEGATIVE = range(5)
"""How a call ended: nothing is left below the limit; a line was found; enough nodes; the arrays
are too short; something costs less than nothing."""
TOP, LIMIT, NEXT, NODES, DEPTH, CARRIES = range(6)
"""Numbers in `control`: rows on the stack, the limit, the least cost beyond it that was seen,
nodes so far, how long the line is; whether what the databases say is carried along (1), and only
what a move changes is looked up."""
CONTROL = 6


class Stack(NamedTuple):
    """Rows to be expanded, and the path to the one that is."""

    keys: Ints
    """int64[n, width]: their positions."""
    twins: Ints
    """int64[n, width]: positions of equal cost, carried along."""
    cost: Ints
    """int64[n, 3]: the cost so far, the depth, and the move that led there."""
    known: Ints
    """int64[n, 2]: what the databases say of position and twin, side by side, if that is carried
    along."""
    path: Ints
    """int64[n, width]: the positions on the way to the row, by depth."""


def valued(
    rules: Any, p: Any, m: Any, both: Any, known: Any, databases: Any, cost: int, limit: int
) -> Any:
    """(the least cost of a line through the child, which cost so much so far; its twin; what the
    databases say of the two): `both` are the child and the twin of `p`, `known` what the databases
    say of `p` and that one, and whether that is carried along. Not all of it once it is beyond the
    limit."""
    child, twin, one, other = both[0], both[1], 0, 0
    if is_steady(rules) and known[2]:
        one = after_move(rules, p, m, child, databases, known[0])
        least = cost + added_up(one)
    elif has_twins(rules):
        least = cost + estimate(rules, child, databases, limit - cost)
    else:
        least = cost + widest(rules, child, databases, limit - cost)
    if has_twins(rules) and least <= limit:
        twin = twin_child(rules, p, m, both[1])
        if is_steady(rules) and known[2]:
            image = twin_move(rules, p, m)
            other = after_move(rules, both[1], image, twin, databases, known[1])
            least = max(least, cost + added_up(other))
        else:
            least = max(least, cost + estimate(rules, twin, databases, limit - cost))
    return least, twin, one, other


def deepen(  # noqa: C901, PLR0912, PLR0915
    rules: Any, sample: Any, given: tuple[Stack, Databases], control: Ints, quota: int
) -> int:
    """Go on with an iteration for about `quota` nodes; how that ended."""
    stack, carries = given[0], is_steady(rules) and control[CARRIES] != 0
    keys, twins, path = uncounted(stack.keys), uncounted(stack.twins), uncounted(stack.path)
    costs, carried = uncounted(stack.cost), uncounted(stack.known)
    databases = in_place(rules, given[1])
    top, limit, beyond, nodes = control[TOP], control[LIMIT], control[NEXT], 0
    code = FINISHED
    while top > 0:
        if nodes >= quota:
            code = PAUSED
            break
        top -= 1
        base = top
        p = load_key(keys, base, sample)
        q = load_key(twins, base, sample)
        g, depth, last = costs[base, 0], costs[base, 1], costs[base, 2]
        here, there = carried[base, 0], carried[base, 1]
        if carries and depth == 0:
            here, there = one_by_one(rules, p, databases), one_by_one(rules, q, databases)
        if depth + 1 >= len(path):
            top, code = base + 1, ROOM
            break
        save_key(path, depth, p)
        before = load_key(path, max(depth - 1, 0), sample)
        ended = True
        if looks_ahead(rules, databases) and rules.to_move(p) != OVER:
            for m in rules.moves(p):
                if depth == 0 or need_follow(rules, last, m):
                    ask_ahead(rules, p, m, databases)
        if rules.to_move(p) != OVER:
            for m in rules.moves(p):
                ended = False
                if depth > 0 and not need_follow(rules, last, m):
                    continue
                step = rules.reward(p, m)
                child, more = settle(rules, rules.play(p, m))
                if depth > 0 and child == before:
                    continue
                nodes += 1
                cost = g + step + more
                if step < 0 or more < 0:
                    code = NEGATIVE
                    break
                least, twin, known, other = valued(
                    rules, p, m, (child, q), (here, there, int(carries)), databases, cost, limit
                )
                if least > limit:
                    beyond = min(beyond, least)
                    continue
                if top == len(keys):
                    code = ROOM
                    break
                save_key(keys, top, child)
                save_key(twins, top, twin)
                costs[top, 0], costs[top, 1], costs[top, 2] = cost, depth + 1, move_number(m)
                carried[top, 0], carried[top, 1] = known, other
                top += 1
        if code == ROOM:
            save_key(keys, base, p)
            save_key(twins, base, q)
            costs[base, 0], costs[base, 1], costs[base, 2] = g, depth, last
            carried[base, 0], carried[base, 1] = here, there
            top = base + 1
        if code != FINISHED:
            break
        if ended:
            whole = g + number_of(rules.payoff(p))
            if whole < g or whole <= limit:
                control[DEPTH], control[LIMIT] = depth, whole
                code = NEGATIVE if whole < g else FOUND
            else:
                beyond = min(beyond, whole)
        if code != FINISHED:
            break
    control[TOP], control[NEXT] = top, min(beyond, DEAD)
    control[NODES] += nodes
    return code


FUNCTIONS = (*CARRIED, valued, deepen)
