"""Kernels for several players in floats: rows with one number per player, and their choices.

`moves` is (first, child, swap) and `odds` is (weight, reward) of the graph; `pick` marks the edges
that are chosen, the policy; `rule` is (mode, player, sticky) of ties, as in policy.py.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.players.policy import AGAINST, AVERAGE, FOR, LAST, LEXICOGRAPHIC

FNV_OFFSET, FNV_PRIME = 1469598103934665603, 1099511628211
"""Of the Fowler-Noll-Vo hash: policies are told apart by a digest."""

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
def hashed(digest: np.int64, number: int) -> np.int64:
    """The digest with one more number."""
    return (digest ^ np.int64(number)) * np.int64(FNV_PRIME)


@kernel
def look(row, moves, reward, value, worths):  # type: ignore[no-untyped-def]
    """Put into worths[k] what the k-th edge of the row is worth to each player; how many edges."""
    first, child, swap = moves
    players = value.shape[1]
    swaps = -1 if len(swap) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    begin = first[row]
    for e in range(begin, first[row + 1]):
        s = np.int64(swap[e & swaps])
        for i in range(players):
            other = i - s if i >= s else i - s + players
            worths[e - begin, i] = reward[e & rewards, i] + value[child[e], other]
    return first[row + 1] - begin


@kernel
def liking(rule, mover, new, old):  # type: ignore[no-untyped-def]
    """Whether the rule for ties prefers vector `new` to `old`: 1 if so, -1 if it prefers `old`, 0
    if it does not tell."""
    mode, friend = rule
    count = len(new)
    if mode in (FOR, AGAINST):
        gain = new[friend] - old[friend] if mode == FOR else old[friend] - new[friend]
        near = TIE * max(1.0, abs(old[friend]))
        return int(gain > near) - int(gain < -near)
    if mode == LEXICOGRAPHIC:
        for k in range(1, count):
            i = (mover + k) % count
            near = TIE * max(1.0, abs(old[i]))
            if abs(new[i] - old[i]) > near:
                return 1 if new[i] > old[i] else -1
    return 0


@kernel
def choose(mover, worths, pick, rule):  # type: ignore[no-untyped-def]
    """Mark in `pick` the edges that a player takes if the edges have these worths."""
    mode, friend, sticky = rule
    best = worths[0, mover]
    for k in range(1, len(pick)):
        best = max(best, worths[k, mover])
    floor = best - TIE * max(1.0, abs(best))
    if sticky:
        good = True
        for k in range(len(pick)):
            good &= not pick[k] or worths[k, mover] >= floor
        if good:
            return
    take = -1
    for k in range(len(pick)):
        tied = worths[k, mover] >= floor
        pick[k] = tied and mode == AVERAGE
        if tied and (
            take < 0 or mode == LAST or liking((mode, friend), mover, worths[k], worths[take]) > 0
        ):
            take = k
    pick[take] = 1


@kernel
def split(mover, weight, pick, shares):  # type: ignore[no-untyped-def]
    """Put into `shares` the probabilities of the edges of a row."""
    total = 0.0
    for k in range(len(pick)):
        shares[k] = (weight[k] if len(weight) > 1 else weight[0]) if mover == CHANCE else pick[k]
        total += shares[k]
    for k in range(len(pick)):
        shares[k] /= total


@kernel
def sweep(numbers, members, kind, moves, odds, value, pick, rule):  # type: ignore[no-untyped-def]
    """Choose at every row, children first, with values that are renewed on the way; a number that
    tells policies apart."""
    low, widest = numbers
    first, child = moves[0], moves[1]
    weight, reward = odds
    players = value.shape[1]
    worths = np.empty((widest, players))
    shares = np.empty(widest)
    digest = np.int64(FNV_OFFSET)
    for row in members:
        size = look(row, moves, reward, value, worths)
        picks = pick[first[row] : first[row + 1]]
        if kind[row] >= 0:
            choose(kind[row], worths, picks, rule)
            for k in range(size):
                digest = hashed(digest, picks[k] + 1)
        weights = weight[first[row] : first[row + 1]] if len(weight) == len(child) else weight
        split(kind[row], weights, picks, shares)
        for i in range(players):
            total = 0.0
            for k in range(size):
                if shares[k] != 0.0:
                    total += shares[k] * worths[k, i]
            value[low + row, i] = total
    return digest


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
def audit(numbers, members, kind, moves, odds, value, pick):  # type: ignore[no-untyped-def]
    """(residual, gap, ties): the largest error of an equation, the largest gain by another move at
    one row, and the rows with equally good moves that differ for another player."""
    low, widest = numbers
    first, child = moves[0], moves[1]
    weight, reward = odds
    players = value.shape[1]
    worths = np.empty((widest, players))
    shares = np.empty(widest)
    residual = 0.0
    gap = 0.0
    ties = 0
    for row in members:
        mover = kind[row]
        if mover == OVER:
            continue
        size = look(row, moves, reward, value, worths)
        weights = weight[first[row] : first[row + 1]] if len(weight) == len(child) else weight
        split(mover, weights, pick[first[row] : first[row + 1]], shares)
        leader = 0
        for k in range(size):
            if mover >= 0 and worths[k, mover] > worths[leader, mover]:
                leader = k
        differs = False
        for i in range(players):
            total = 0.0
            for k in range(size):
                total += shares[k] * worths[k, i]
                if mover >= 0:
                    most, one, other = worths[leader, mover], worths[k, i], worths[leader, i]
                    tied = worths[k, mover] >= most - TIE * max(1.0, abs(most))
                    differs |= tied and abs(one - other) > SAME * max(1.0, abs(one))
            residual = max(residual, abs(total - value[low + row, i]))
        if mover >= 0:
            gap = max(gap, worths[leader, mover] - value[low + row, mover])
        ties += differs
    return residual, gap, ties
