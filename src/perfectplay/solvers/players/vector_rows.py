"""Kernels for several players in floats: rows with one number per player, and their choices.

`pick` marks the edges that are chosen, the policy; rule = (mode, player, sticky) of ties, as in
policy.py; `worths` are the values of a row's edges to each player.
"""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Bools, Bytes, Floats, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.backward import FlatGraph, degrees
from perfectplay.solvers.players.policy import AGAINST, AVERAGE, FOR, LAST, LEXICOGRAPHIC
from perfectplay.strata.components import Components

FNV_OFFSET, FNV_PRIME = 1469598103934665603, 1099511628211
"""Of the Fowler-Noll-Vo hash: policies are compared by a digest."""

TIE = 1e-12
"""Values that differ by no more than this (relative to 1 or their size) are tied."""

SAME = 1e-9
"""Values of tied moves to another player that differ by no more than this count as the same."""

NEW, OPEN, DONE = 0, 1, 2
"""Colours of rows in a depth-first walk."""


class Moves(NamedTuple):
    """The edges of a graph: what the innermost kernels read of it."""

    first: Ints
    child: Ids
    swap: Bytes
    reward: Ints


class Arrangement(NamedTuple):
    """The components of a stratum, each in an order for one sweep."""

    number: Int32s
    """[n]: the component of each row."""
    order: Int32s
    """[n]: rows by component, children first but for edges to anchors."""
    start: Ints
    """[c + 1]: where each component begins in `order`."""
    cyclic: Bools
    """[c]: whether it has a cycle."""
    place: Int32s
    """[n]: the place of each row in its component."""
    anchor: Int32s
    """[n]: its number among the anchors of its component, or -1."""
    amount: Int32s
    """[c]: how many anchors it has."""


def arranged(graph: FlatGraph, found: Components) -> Arrangement:
    """The components in order for sweeps. Declared anchors count as such; others are added where
    cycles pass through none."""
    n = len(found.number)
    out = Arrangement(
        found.number,
        found.rows.copy(),
        found.start,
        found.cyclic,
        np.zeros(n, np.int32),
        np.full(n, -1, np.int32),
        np.zeros(found.count, np.int32),
    )
    _arrange(graph, found.rows, degrees(graph, found.number), out)
    return out


@kernel
def _arrange(  # noqa: C901
    graph: FlatGraph, rows: Int32s, degree: Int32s, out: Arrangement
) -> None:
    """Fill in order, place, anchor and amount by a depth-first walk through each cyclic component:
    a row is put down after its children, and a row that is met again while it is open becomes an
    anchor."""
    low, first, child, declared = graph.low, graph.first, graph.child, graph.anchor
    number, order, start, cyclic, place, anchor, amount = out
    n = len(number)
    all_declared = -1 if len(declared) == n else 0
    colour = np.zeros(n, np.uint8)
    edge = np.zeros(n, np.int64)
    path = np.empty(n, np.int32)
    for c in range(len(start) - 1):
        if not cyclic[c]:
            continue
        # The row with most parents comes first: it is likely to lie on many cycles.
        root = rows[start[c]]
        for row in rows[start[c] : start[c + 1]]:
            if declared[row & all_declared]:
                anchor[row] = amount[c]
                amount[c] += 1
            if degree[row] > degree[root]:
                root = row
        filled = start[c]
        for k in range(start[c] - 1, start[c + 1]):
            top = root if k < start[c] else rows[k]
            if colour[top] != NEW:
                continue
            depth = 0
            path[0] = top
            colour[top] = OPEN
            edge[top] = first[top]
            while depth >= 0:
                row = path[depth]
                if edge[row] == first[row + 1]:
                    colour[row] = DONE
                    order[filled] = row
                    place[row] = filled - start[c]
                    filled += 1
                    depth -= 1
                    continue
                to = np.int64(child[edge[row]]) - low
                edge[row] += 1
                if to < 0 or number[to] != c or anchor[to] >= 0:
                    continue
                if colour[to] == OPEN:
                    anchor[to] = amount[c]
                    amount[c] += 1
                elif colour[to] == NEW:
                    depth += 1
                    path[depth] = to
                    colour[to] = OPEN
                    edge[to] = first[to]


@kernel
def hashed(digest: np.int64, number: int) -> np.int64:
    """The digest with one more number."""
    return (digest ^ np.int64(number)) * np.int64(FNV_PRIME)


@kernel
def look(row: int, moves: Moves, value: Floats, worths: Floats) -> int:
    """How many edges a row has; the value of the k-th to each player goes into worths[k]."""
    first, child, swap, reward = moves
    players = value.shape[1]
    swaps = -1 if len(swap) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    begin = first[row]
    for e in range(begin, first[row + 1]):
        s = np.int64(swap[e & swaps])
        for i in range(players):
            other = i - s if i >= s else i - s + players
            worths[e - begin, i] = reward[e & rewards, i] + value[child[e], other]
    return int(first[row + 1] - begin)


@kernel
def liking(rule: tuple[int, int], mover: int, new: Floats, old: Floats) -> int:
    """Whether the rule for ties prefers vector `new` to `old`: 1 if so, -1 if it prefers `old`, 0
    if it does not say."""
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
def choose(mover: int, worths: Floats, pick: Bytes, rule: tuple[int, int, int]) -> None:
    """Mark in `pick` the edges that a player takes if the edges have these values."""
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
def split(mover: int, begin: int, end: int, weight: Ints, pick: Bytes, shares: Floats) -> None:
    """Put into `shares` the probabilities of edges begin … end - 1, those of a row."""
    every_weight = -1 if len(weight) == len(pick) else 0
    total = 0.0
    for e in range(begin, end):
        share = np.float64(weight[e & every_weight] if mover == CHANCE else pick[e])
        shares[e - begin] = share
        total += share
    for k in range(end - begin):
        shares[k] /= total


@kernel
def sweep(
    graph: FlatGraph,
    widest: int,
    members: Int32s,
    value: Floats,
    pick: Bytes,
    rule: tuple[int, int, int],
) -> np.int64:
    """A digest of the policy: choose at every row, children first, with values that are updated on
    the way."""
    low, kind, first = graph.low, graph.kind, graph.first
    moves = Moves(first, graph.child, graph.swap, graph.reward)
    players = value.shape[1]
    worths = np.empty((widest, players))
    shares = np.empty(widest)
    digest = np.int64(FNV_OFFSET)
    for row in members:
        size = look(row, moves, value, worths)
        picks = pick[first[row] : first[row + 1]]
        if kind[row] >= 0:
            choose(kind[row], worths, picks, rule)
            for k in range(size):
                digest = hashed(digest, picks[k] + 1)
        split(kind[row], first[row], first[row + 1], graph.weight, pick, shares)
        for i in range(players):
            total = 0.0
            for k in range(size):
                if shares[k] != 0.0:
                    total += shares[k] * worths[k, i]
            value[low + row, i] = total
    return digest


@kernel
def leaving(graph: FlatGraph, members: Int32s, parts: Arrangement, pick: Bytes) -> Bools:
    """Which members leave the component, sooner or later, with some probability under the
    policy."""
    low, kind, first, child = graph.low, graph.kind, graph.first, graph.child
    place, number = parts.place, parts.number
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
def audit(
    graph: FlatGraph, widest: int, members: Int32s, value: Floats, pick: Bytes
) -> tuple[float, float, int]:
    """(residual, gap, ties): the largest error of an equation, the largest gain by another move at
    one row, and the rows with equally good moves that differ for another player."""
    low, kind, first = graph.low, graph.kind, graph.first
    moves = Moves(first, graph.child, graph.swap, graph.reward)
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
        size = look(row, moves, value, worths)
        split(mover, first[row], first[row + 1], graph.weight, pick, shares)
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
