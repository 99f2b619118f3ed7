"""Win, draw and loss with cycles: retrograde analysis, backwards from the ends, by depth.

The problem: value[r] = the best of -1, 0, 1 among the children, to the player who moves at r, as
reached by finite play; what no player can force is endless play, a draw or what `Facts.endless`
says. Facts needed: two players with opposed interests, no chance, no rewards.

Every row counts its children that are not yet known to be bad for the player to move. Rows are
settled depth by depth: a row is won one ply after its first child that is good for the mover, and
lost one ply after its last child turned out bad. Moves into lower strata have depths of their own,
so rows that only wait for those are kept in lists by depth. Each edge is looked at once.
(Ströhlein 1970; Thompson 1986. Glenn, Fang and Kruskal 2009 call it children counting: it makes
their Algorithm 1 linear.)
"""

from functools import partial
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ids, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers import acyclic
from perfectplay.solvers.backward import (
    FlatGraph,
    endless_value,
    flat,
    reverse_edges,
    whole_stratum,
)
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options, Work, stoppable
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: Outcomes, options: Options) -> Work:
    """Outcome and depth of every row; depth -1 where play need not end."""
    if not graph.inside:
        return acyclic.solve(graph, facts, store, options)
    endless = endless_value(graph, facts)
    game = flat(graph)
    back = reverse_edges(game, whole_stratum(graph.size).number, 0)[:2]
    while not stoppable(partial(_settle_all, game, store, back), graph.size, options):
        if store.depth.dtype == np.int32:
            raise RulesError("a win is more than two thousand million plies away")
        acyclic.widen(store)
    if endless:
        _force_end(game, back, (store.value, store.depth), 1 if endless > 0 else -1)
    options.progress(graph.size)
    return Work({"retrograde": graph.size})


def _settle_all(graph: FlatGraph, store: Outcomes, back: tuple[Array, Array], stop: Array) -> bool:
    """Settle all rows; False if a depth is too large to be stored. Once stop[0] is 1, no more are
    settled."""
    size = len(graph.kind)
    limit = int(np.iinfo(store.depth.dtype).max) - 1
    deepest = int(store.depth[: graph.low].max(initial=0))
    lists = np.full(deepest + 3, -1, np.int32), np.empty(size, np.int32)
    count = np.empty(size, np.int32)
    values = store.value, store.depth
    _prepare(graph, values, lists, count)
    return bool(_settle(graph, limit, back, values, lists, count, stop))


@kernel
def _prepare(
    graph: FlatGraph,
    values: tuple[Kinds, Array],
    lists: tuple[Int32s, Int32s],
    count: Int32s,
) -> None:
    """Put down what is known before anything inside is settled.

    `count` becomes the number of children inside, or -1 if the row cannot be lost. Until a row is
    settled, its depth is -2 - (greatest depth among exits that are bad for the mover, -1 if there
    are none), and its value is a win for the mover if an exit wins, else a loss. Rows that only
    wait for a depth are put into the list of that depth: head[d], then link[row] …"""
    low, kind, payoff = graph.low, graph.kind, graph.payoff
    first, child, swap = graph.first, graph.child, graph.swap
    value, depth = values
    head, link = lists
    every = -1 if len(swap) == len(child) else 0
    for row in range(len(kind)):
        when: Any = -1
        count[row] = 0
        if kind[row] == OVER:
            won = payoff[row]
            value[low + row] = 1 if won > 0 else (-1 if won < 0 else 0)
            depth[low + row] = 0 if won == 0 else -1
            when = -1 if won == 0 else 0
        else:
            turn = 1 if kind[row] == 1 else 0
            fastest = np.int64(-1)
            slowest = np.int64(-1)
            safe = False
            for e in range(first[row], first[row + 1]):
                to = np.int64(child[e])
                if to >= low:
                    count[row] += 1
                    continue
                won = value[to]
                if (swap[e & every] & 1) ^ turn:
                    won = -won
                plies = np.int64(depth[to])
                if won == 0 or plies < 0:
                    safe = True
                elif won > 0:
                    fastest = plies if fastest < 0 else min(fastest, plies)
                else:
                    slowest = max(slowest, plies)
            if fastest >= 0:
                when = fastest + 1
            elif count[row] == 0 and not safe:
                when = slowest + 1
            if fastest >= 0 or safe:
                count[row] = -1
            value[low + row] = 1 if (fastest >= 0) == (turn == 0) else -1
            depth[low + row] = -2 - slowest if fastest < 0 and not safe else -1
        if when >= 0:
            link[row] = head[when]
            head[when] = row


@kernel
def _settle(  # noqa: C901, PLR0912
    graph: FlatGraph,
    limit: int,
    back: tuple[Ints, Ids],
    values: tuple[Kinds, Array],
    lists: tuple[Int32s, Int32s],
    count: Int32s,
    stop: Bytes,
) -> bool:
    """Settle rows depth by depth, until stop[0] is 1; False if a depth exceeds the limit.

    The invariant: at depth d, `queue` holds all rows whose depth is below d, and from `done` on
    those of depth d, whose parents have not been looked at."""
    low, kind = graph.low, graph.kind
    start, parent = back
    value, depth = values
    head, link = lists
    queue = np.empty(len(kind), np.int32)
    done = 0
    filled = 0
    d = 0
    while (d < len(head) or done < filled) and stop[0] == 0:
        # 1. Rows that waited for this depth because of their exits.
        if d < len(head):
            row = head[d]
            while row >= 0:
                if depth[low + row] < 0:
                    if d > limit:
                        return False
                    depth[low + row] = d
                    queue[filled] = row
                    filled += 1
                row = link[row]
        # 2. Parents of all rows of this depth: won, or one child less to lose by.
        end = filled
        if done < end and d >= limit:
            return False
        while done < end:
            row = queue[done]
            done += 1
            won = value[low + row]
            for k in range(start[row], start[row + 1]):
                up = parent[k] >> 1
                known = depth[low + up]
                if known >= 0:
                    continue
                if (won > 0) != ((parent[k] & 1) == 1):
                    value[low + up] = 1 if kind[up] == 0 else -1
                else:
                    count[up] -= 1
                    if count[up] != 0:
                        continue
                    slowest = -2 - np.int64(known)
                    if slowest > d:
                        link[up] = head[slowest + 1]
                        head[slowest + 1] = up
                        continue
                depth[low + up] = d + 1
                queue[filled] = up
                filled += 1
        d += 1
    # 3. What is left need not end.
    for row in range(len(kind)):
        if depth[low + row] < 0:
            value[low + row] = 0
            depth[low + row] = -1
    return True


@kernel
def _force_end(  # noqa: C901
    graph: FlatGraph, back: tuple[Ints, Ids], values: tuple[Kinds, Array], won: int
) -> None:
    """Give unsettled rows the value of endless play, `won` (1 or -1) to player 0, except those
    where the other player can force an end that is better for them: these stay draws."""
    low, kind, first, child = graph.low, graph.kind, graph.first, graph.child
    start, parent = back
    value, depth = values
    n = len(kind)
    spoiler = 1 if won > 0 else 0
    ends = np.zeros(n, np.bool_)
    count = np.zeros(n, np.int32)
    queue = np.empty(n, np.int32)
    filled = 0
    for row in range(n):
        if depth[low + row] >= 0:
            ends[row] = value[low + row] != won
        else:
            for e in range(first[row], first[row + 1]):
                to = np.int64(child[e])
                if to >= low or value[to] == won:
                    count[row] += 1
                elif kind[row] == spoiler:
                    ends[row] = True
            if count[row] == 0:
                ends[row] = True
        if ends[row]:
            queue[filled] = row
            filled += 1
    done = 0
    while done < filled:
        row = queue[done]
        done += 1
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            if ends[up] or depth[low + up] >= 0:
                continue
            count[up] -= 1
            if kind[up] == spoiler or count[up] == 0:
                ends[up] = True
                queue[filled] = up
                filled += 1
    for row in range(n):
        if depth[low + row] < 0 and not ends[row]:
            value[low + row] = won
