"""Win, draw and loss where play may run in circles: backwards from the ends, in order of depth.

Every row counts its children that are not yet known to be bad for the player to move. Rows are
settled depth by depth: a row is won one ply after its first child that is good for the mover, and
lost one ply after its last child turned out bad. Moves into lower strata have depths of their own,
so rows that only wait for those are kept in lists by depth. Each edge is looked at once. What is
never settled is endless play: a draw, or what `Facts.endless` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers import acyclic
from perfectplay.solvers.backward import WHOLE, endless_worth, moves_of, reverse_edges
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: Outcomes, options: Options) -> Work:
    """Outcome and depth of every row; depth -1 where play need not end."""
    if not graph.inside:
        return acyclic.solve(graph, facts, store, options)
    endless = endless_worth(graph, facts)
    start, parent, _ = reverse_edges(graph.low, graph.kind, moves_of(graph), WHOLE, 0)
    while not _settle_all(graph, store, start, parent):
        if store.depth.dtype == np.int32:
            raise RulesError("a win is more than two thousand million plies away")
        acyclic.widen(store)
    if endless:
        _split_endless(graph, store, start, parent, 1 if endless > 0 else -1)
    options.progress(graph.size)
    return Work({"retrograde": graph.size})


def _settle_all(graph: Graph, store: Outcomes, start: Array, parent: Array) -> bool:
    """Settle all rows; False if a depth is too large to be stored."""
    limit = int(np.iinfo(store.depth.dtype).max) - 1
    deepest = int(store.depth[: graph.low].max(initial=0))
    head = np.full(deepest + 3, -1, np.int32)
    link = np.empty(graph.size, np.int32)
    count = np.empty(graph.size, np.int32)
    _prepare(
        graph.low, graph.kind, graph.payoff, moves_of(graph), (store.value, store.depth),
        (head, link), count,
    )  # fmt: skip
    return bool(
        _settle(
            (graph.low, limit), graph.kind, (start, parent), (store.value, store.depth),
            (head, link), count,
        )
    )  # fmt: skip


@kernel
def _prepare(low, kind, payoff, moves, values, lists, count):  # type: ignore[no-untyped-def]
    """What is known before anything inside is settled.

    `count` becomes the number of children inside, or -1 if the row cannot be lost. Until a row is
    settled, its depth is -2 - (greatest depth among exits that are bad for the mover, -1 if there
    are none), and its value is a win for the mover if an exit wins, else a loss. Rows that only
    wait for a depth are put into the list of that depth: head[d], then link[row] …"""
    first, child, swap = moves
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
def _settle(numbers, kind, back, values, lists, count):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Settle rows depth by depth; False if a depth exceeds the limit."""
    low, limit = numbers
    start, parent = back
    value, depth = values
    head, link = lists
    queue = np.empty(len(kind), np.int32)
    done = 0
    filled = 0
    d = 0
    while d < len(head) or done < filled:
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
    for row in range(len(kind)):
        if depth[low + row] < 0:
            value[low + row] = 0
            depth[low + row] = -1
    return True


def _split_endless(graph: Graph, store: Outcomes, start: Array, parent: Array, won: int) -> None:
    """Give unsettled rows the worth of endless play, `won` (1 or -1) to player 0, except those
    where the other player can force an end that is better for him: these stay draws."""
    _force_end(
        graph.low, graph.kind, moves_of(graph), (start, parent), (store.value, store.depth), won
    )


@kernel
def _force_end(low, kind, moves, back, values, won):  # type: ignore[no-untyped-def]  # noqa: C901
    """Mark as drawn what the player who dislikes endless play can lead to an end; the rest is
    endless."""
    first, child, _ = moves
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
