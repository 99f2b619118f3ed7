"""What solvers share: the arrays of a graph as kernels take them, what is solved together, reverse
edges, an order by value, what endless play is worth, and Gaussian elimination."""

import math
from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Bools, Bytes, Floats, Ids, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import NoSolverError
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph

SINGULAR = 1e-13
"""A system with a pivot no larger than this may count as singular."""


class FlatGraph(NamedTuple):
    """The arrays of a `Graph`, contiguous and each of one type: kernels are compiled once."""

    low: int
    kind: Kinds
    payoff: Ints
    first: Ints
    child: Ids
    swap: Bytes
    weight: Ints
    reward: Ints
    anchor: Bytes


def flat(graph: Graph) -> FlatGraph:
    """The graph as kernels take it."""
    return FlatGraph(
        graph.low,
        np.ascontiguousarray(graph.kind, np.int8),
        np.ascontiguousarray(graph.payoff, np.int64),
        np.ascontiguousarray(graph.first, np.int64),
        np.ascontiguousarray(graph.child, np.uint32),
        np.ascontiguousarray(graph.swap, np.uint8),
        np.ascontiguousarray(graph.weight, np.int64),
        np.ascontiguousarray(graph.reward, np.int64),
        np.ascontiguousarray(graph.anchor, np.uint8),
    )


class Parts(NamedTuple):
    """What is solved together, children first."""

    number: Int32s
    """[n], or [1] if the whole stratum is one part: the part of each row."""
    rows: Int32s
    """[n]: rows by part."""
    start: Ints
    """[p + 1]: where each part begins."""
    cyclic: Bools
    """[p]: whether it may have cycles; else it is a single row."""


def whole_stratum(size: int) -> Parts:
    """All rows as one part."""
    rows, start = np.arange(size, dtype=np.int32), np.array((0, size), np.int64)
    return Parts(np.zeros(1, np.int32), rows, start, np.ones(1, np.bool_))


def by_component(graph: Graph) -> Parts:
    """The strongly connected components."""
    found = components(graph)
    return Parts(found.number, found.rows, found.start, found.cyclic)


def endless_value(graph: Graph, facts: Facts) -> int:
    """What endless play is worth to player 0, for two players with opposed interests.

    Where players are renamed on the way, player 0 is not always the same person: then only 0 makes
    sense."""
    if not graph.inside or facts.endless == 0:
        return 0
    if not math.isfinite(facts.endless):
        raise NoSolverError(
            "endless play is worth infinitely much in a game of two players",
            hint="Set `endless` to an integer.",
        )
    if graph.swap.any():
        raise NoSolverError(
            f"endless play is worth {facts.endless:g} to player 1, but players are renamed",
            hint="Write `to_move` and no `representative` that renames players, or let endless "
            "play be a draw.",
        )
    return int(facts.endless)


@kernel
def degrees(graph: FlatGraph, number: Int32s) -> Int32s:
    """How many edges lead to each row from its own component: where there are most, many cycles
    pass."""
    low, first, child = graph.low, graph.first, graph.child
    degree = np.zeros(len(number), np.int32)
    for row in range(len(number)):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] == number[row]:
                degree[to] += 1
    return degree


@kernel
def reverse_edges(graph: FlatGraph, number: Int32s, keep: int) -> tuple[Ints, Ids, Ints]:
    """The edges that stay inside a part, by child: (start, parent, edge).

    parent[start[i]:start[i + 1]] are the parents of row i, each as 2 * row + s: s is 1 if the
    child's value to its player 0 counts negative to the player who moves at the parent. `edge`
    holds the numbers of the same edges if `keep`. number = parts.number."""
    low, kind, first, child, swap = graph.low, graph.kind, graph.first, graph.child, graph.swap
    n = len(kind)
    all_swaps = -1 if len(swap) == len(child) else 0
    all_rows = -1 if len(number) == n else 0
    start = np.zeros(n + 2, np.int64)
    for row in range(n):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to & all_rows] == number[row & all_rows]:
                start[to + 2] += 1
    for i in range(2, n + 2):
        start[i] += start[i - 1]
    parent = np.empty(start[n + 1], np.uint32)
    edge = np.empty(start[n + 1] if keep else 1, np.int64)
    for row in range(n):
        turn = 1 if kind[row] == 1 else 0
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to & all_rows] == number[row & all_rows]:
                k = start[to + 1]
                start[to + 1] = k + 1
                parent[k] = 2 * row + ((swap[e & all_swaps] & 1) ^ turn)
                if keep:
                    edge[k] = e
    return start[: n + 1], parent, edge


@kernel
def descending(keys: Ints, rows: Int32s) -> None:
    """Sort `rows` in place by their keys, largest first; keys are sorted along.

    By counting where the keys are close together, else by a heap. The same input gives the same
    order."""
    n = len(keys)
    if n < 2:
        return
    least = keys[0]
    most = keys[0]
    for i in range(1, n):
        least = min(least, keys[i])
        most = max(most, keys[i])
    span = most - least + 1
    if 0 < span <= 4 * n + 1024:
        where = np.zeros(span + 1, np.int64)
        for i in range(n):
            where[span - (keys[i] - least)] += 1
        for i in range(1, span + 1):
            where[i] += where[i - 1]
        old_keys, old_rows = keys.copy(), rows.copy()
        for i in range(n):
            slot = span - 1 - (old_keys[i] - least)
            keys[where[slot]] = old_keys[i]
            rows[where[slot]] = old_rows[i]
            where[slot] += 1
        return
    for i in range(n // 2 + n - 1):
        top = max(0, n // 2 - 1 - i)
        end = n if i < n // 2 else n - 1 - (i - n // 2)
        if end < n:
            keys[0], keys[end] = keys[end], keys[0]
            rows[0], rows[end] = rows[end], rows[0]
        _sift(keys, rows, top, end)


@kernel
def _sift(keys: Ints, rows: Int32s, top: int, end: int) -> None:
    """Let the entry at `top` sink until no entry below it has a smaller key."""
    key, row = keys[top], rows[top]
    while True:
        down = 2 * top + 1
        if down >= end:
            break
        if down + 1 < end and keys[down + 1] < keys[down]:
            down += 1
        if keys[down] >= key:
            break
        keys[top], rows[top] = keys[down], rows[down]
        top = down
    keys[top], rows[top] = key, row


@kernel
def eliminated(system: Floats, least: float) -> bool:
    """Solve a linear system in place, by Gaussian elimination with partial pivoting; False if a
    pivot is not larger than `least`. (The bits of a library's may depend on its threads.)

    system[m, m + r] has the matrix on the left and r right-hand sides, which the solutions
    replace."""
    m, width = system.shape
    for i in range(m):
        top = i
        for r in range(i + 1, m):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        if not abs(system[top, i]) > least:
            return False
        for k in range(i, width):
            system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, m):
            ratio = system[r, i] / system[i, i]
            if ratio != 0.0:
                for k in range(i + 1, width):
                    system[r, k] -= ratio * system[i, k]
    for i in range(m - 1, -1, -1):
        for k in range(m, width):
            for r in range(i + 1, m):
                system[i, k] -= system[i, r] * system[r, k]
            system[i, k] /= system[i, i]
    return True
