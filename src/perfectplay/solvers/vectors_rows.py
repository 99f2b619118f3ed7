"""Kernels for several players in floats: rows with one number per player, and their choices.

`moves` is (first, child, swap) and `odds` is (weight, reward) of the graph; `pick` marks the edges
that are chosen, the policy; `rule` is (mode, player, sticky) of ties, as in vectors_policy.py.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compile import kernel
from perfectplay.game import CHANCE, OVER
from perfectplay.solvers.vectors_policy import AGAINST, AVERAGE, FOR, LAST

TIE = 1e-12
"""Worths that differ by no more than this (relative to 1 or their size) are tied."""

SAME = 1e-9
"""Worths of tied moves to another player that differ by no more than this count as the same."""


@kernel
def arrange(low, first, child, parts, declared):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0915
    """(order, place, anchor, amount): the rows of each component, children first but for edges to
    anchors; the place of each row in its component; its number among the anchors, or -1; and how
    many anchors each component has. Declared anchors count, others are added where cycles pass
    none."""
    number, rows, start, cyclic = parts
    n = len(number)
    all_declared = -1 if len(declared) == n else 0
    order = rows.copy()
    place = np.zeros(n, np.int32)
    anchor = np.full(n, -1, np.int32)
    amount = np.zeros(len(start) - 1, np.int32)
    degree = np.zeros(n, np.int32)
    colour = np.zeros(n, np.uint8)
    edge = np.zeros(n, np.int64)
    path = np.empty(n, np.int32)
    for row in range(n):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] == number[row]:
                degree[to] += 1
    for c in range(len(start) - 1):
        if not cyclic[c]:
            continue
        # The row with most parents comes first: it is likely to lie on many cycles.
        root = rows[start[c]]
        for k in range(start[c], start[c + 1]):
            row = rows[k]
            if declared[row & all_declared]:
                anchor[row] = amount[c]
                amount[c] += 1
            if degree[row] > degree[root]:
                root = row
        filled = start[c]
        for k in range(start[c] - 1, start[c + 1]):
            top = root if k < start[c] else rows[k]
            if colour[top]:
                continue
            depth = 0
            path[0] = top
            colour[top] = 1
            edge[top] = first[top]
            while depth >= 0:
                row = path[depth]
                if edge[row] == first[row + 1]:
                    colour[row] = 2
                    order[filled] = row
                    place[row] = filled - start[c]
                    filled += 1
                    depth -= 1
                    continue
                to = np.int64(child[edge[row]]) - low
                edge[row] += 1
                if to < 0 or number[to] != c or anchor[to] >= 0:
                    continue
                if colour[to] == 1:
                    anchor[to] = amount[c]
                    amount[c] += 1
                elif colour[to] == 0:
                    depth += 1
                    path[depth] = to
                    colour[to] = 1
                    edge[to] = first[to]
    return order, place, anchor, amount


@kernel
def worth(e, player, moves, reward, value):  # type: ignore[no-untyped-def]
    """What edge e is worth to a player of its parent."""
    child, swap = moves[1], moves[2]
    other = player - np.int64(swap[e if len(swap) == len(child) else 0])
    if other < 0:
        other += value.shape[1]
    return reward[e if len(reward) == len(child) else 0, player] + value[child[e], other]


@kernel
def choose(row, kind, moves, reward, value, pick, rule):  # type: ignore[no-untyped-def]  # noqa: C901
    """Mark the moves that the player at `row` takes; whether that changed."""
    mode, friend, sticky = rule
    first = moves[0]
    begin, end = first[row], first[row + 1]
    best = -np.inf
    for e in range(begin, end):
        best = max(best, worth(e, kind[row], moves, reward, value))
    floor = best - TIE * max(1.0, abs(best))
    if sticky:
        good = True
        for e in range(begin, end):
            if pick[e] and worth(e, kind[row], moves, reward, value) < floor:
                good = False
        if good:
            return False
    take = np.int64(-1)
    liked = 0.0
    for e in range(begin, end):
        if worth(e, kind[row], moves, reward, value) < floor:
            continue
        if mode in (FOR, AGAINST):
            likes = worth(e, friend, moves, reward, value)
            likes = likes if mode == FOR else -likes
            if take < 0 or likes > liked + TIE * max(1.0, abs(liked)):
                take = e
                liked = likes
        elif take < 0 or mode == LAST:
            take = e
    changed = False
    for e in range(begin, end):
        mark = e == take
        if mode == AVERAGE:
            mark = worth(e, kind[row], moves, reward, value) >= floor
        if mark != (pick[e] == 1):
            pick[e] = 1 if mark else 0
            changed = True
    return changed


@kernel
def row_value(row, kind, moves, odds, value, pick, out):  # type: ignore[no-untyped-def]
    """Put into `out` what the row is worth to each player under the policy."""
    first, child = moves[0], moves[1]
    weight, reward = odds
    every = -1 if len(weight) == len(child) else 0
    out[:] = 0.0
    total = 0.0
    for e in range(first[row], first[row + 1]):
        share = weight[e & every] if kind[row] == CHANCE else pick[e]
        if share:
            total += share
            for i in range(len(out)):
                out[i] += share * worth(e, i, moves, reward, value)
    out /= total


@kernel
def sweep(low, members, kind, moves, odds, value, pick, rule):  # type: ignore[no-untyped-def]
    """Choose at every row, children first, with values that are renewed on the way; whether a
    choice changed."""
    changed = False
    out = np.empty(value.shape[1])
    for row in members:
        if kind[row] >= 0:
            changed |= choose(row, kind, moves, odds[1], value, pick, rule)
        row_value(row, kind, moves, odds, value, pick, out)
        value[low + row] = out
    return changed


@kernel
def leaving(low, members, kind, moves, place, number, pick):  # type: ignore[no-untyped-def]
    """Which members leave the component, sooner or later, with some probability under the
    policy."""
    first, child = moves[0], moves[1]
    leaves = np.zeros(len(members), np.bool_)
    changed = True
    while changed:
        changed = False
        for k in range(len(members)):
            row = members[k]
            if leaves[k]:
                continue
            for e in range(first[row], first[row + 1]):
                if kind[row] >= 0 and not pick[e]:
                    continue
                to = np.int64(child[e]) - low
                if to < 0 or number[to] != number[row] or leaves[place[to]]:
                    leaves[k] = True
                    changed = True
                    break
    return leaves


@kernel
def largest_gap(low, members, kind, moves, reward, value):  # type: ignore[no-untyped-def]
    """The most that a player gains by another move at one of the rows."""
    gap = 0.0
    for row in members:
        if kind[row] >= 0:
            for e in range(moves[0][row], moves[0][row + 1]):
                gain = worth(e, kind[row], moves, reward, value) - value[low + row, kind[row]]
                gap = max(gap, gain)
    return gap


@kernel
def audit(low, kind, moves, odds, value, pick):  # type: ignore[no-untyped-def]
    """(residual, gap, ties): the largest error of an equation, the largest gain by another move at
    one row, and the rows with equally good moves that differ for another player."""
    first, reward = moves[0], odds[1]
    players = value.shape[1]
    out = np.empty(players)
    residual = 0.0
    gap = 0.0
    ties = 0
    for row in range(len(kind)):
        if kind[row] == OVER:
            continue
        row_value(row, kind, moves, odds, value, pick, out)
        for i in range(players):
            residual = max(residual, abs(out[i] - value[low + row, i]))
        if kind[row] == CHANCE:
            continue
        best = -np.inf
        leader = first[row]
        for e in range(first[row], first[row + 1]):
            here = worth(e, kind[row], moves, reward, value)
            if here > best:
                best, leader = here, e
        gap = max(gap, best - value[low + row, kind[row]])
        differs = False
        for e in range(first[row], first[row + 1]):
            here = worth(e, kind[row], moves, reward, value)
            if here >= best - TIE * max(1.0, abs(best)):
                for i in range(players):
                    one = worth(e, i, moves, reward, value)
                    other = worth(leader, i, moves, reward, value)
                    differs |= abs(one - other) > SAME * max(1.0, abs(one))
        ties += differs
    return residual, gap, ties
