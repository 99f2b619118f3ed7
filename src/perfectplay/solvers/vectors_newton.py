"""Cyclic components with several players in floats: Newton's method on the anchors, compiled.

Anchors are a few rows that every cycle passes: under a fixed policy all values are affine
functions of the anchors' values, found in one sweep, children before parents; solving for the
anchors gives the values of the policy (Glenn, Fang and Kruskal). An anchor that is reached with
its players renamed by t counts as another coefficient: `turns` of them per anchor, 1 if no edge of
the stratum renames.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compile import kernel
from perfectplay.game import CHANCE, OVER
from perfectplay.solvers.vectors_policy import ROUNDS
from perfectplay.solvers.vectors_rows import TIE, largest_gap, leaving, sweep, worth

MOST = 256
"""Anchors times turns; components with more are left to a sparse solver."""

ROOM = 1 << 24
"""Coefficients of a component; components with more are left to a sparse solver."""


@kernel
def evaluate(numbers, members, kind, moves, odds, value, pick, where):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Solve for the values of the policy; True if endless play under it would earn something."""
    low, endless, anchors, turns = numbers
    first, child, swap = moves
    weight, reward = odds
    place, number, anchor = where
    players = value.shape[1]
    swaps = -1 if len(swap) == len(child) else 0
    weights = -1 if len(weight) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    leaves = leaving(low, members, kind, moves, place, number, pick)
    factor = np.zeros((len(members), anchors * turns))
    constant = np.zeros((len(members), players))
    earning = False
    for k in range(len(members)):
        row = members[k]
        if not leaves[k]:
            constant[k, :] = endless
        total = 0.0
        for e in range(first[row], first[row + 1]):
            share = float(weight[e & weights]) if kind[row] == CHANCE else float(pick[e])
            if share == 0.0:
                continue
            if not leaves[k]:
                for i in range(players):
                    earning |= reward[e & rewards, i] != 0
                continue
            total += share
            s = np.int64(swap[e & swaps])
            to = np.int64(child[e]) - low
            if to < 0 or number[to] != number[row]:
                for i in range(players):
                    constant[k, i] += share * worth(e, i, moves, reward, value)
                continue
            for i in range(players):
                constant[k, i] += share * reward[e & rewards, i]
            if anchor[to] >= 0:
                factor[k, anchor[to] * turns + (s if turns > 1 else 0)] += share
                continue
            j = place[to]
            for i in range(players):
                constant[k, i] += share * constant[j, (i - s) % players]
            for column in range(anchors * turns):
                if factor[j, column] != 0.0:
                    t = column % turns
                    factor[k, column - t + (t + s) % turns] += share * factor[j, column]
        if leaves[k]:
            constant[k] /= total
            factor[k] /= total
    known = _solve_anchors(members, anchor, anchors, turns, factor, constant)
    for k in range(len(members)):
        for i in range(players):
            total = constant[k, i]
            for column in range(anchors * turns):
                a, t = column // turns, column % turns
                total += factor[k, column] * known[a, (i - t) % players]
            value[low + members[k], i] = total
    return earning


@kernel
def _solve_anchors(members, anchor, anchors, turns, factor, constant):  # type: ignore[no-untyped-def]
    """The values of the anchors, float64[anchors, players]."""
    players = constant.shape[1]
    blocks = 1 if turns == 1 else players
    sides = players // blocks
    size = anchors * blocks
    system = np.zeros((size, size + sides))
    for k in range(len(members)):
        a = anchor[members[k]]
        if a < 0:
            continue
        for i in range(blocks):
            at = a * blocks + i
            system[at, at] += 1.0
            for column in range(anchors * turns):
                b, t = column // turns, column % turns
                system[at, b * blocks + (i - t) % blocks] -= factor[k, column]
            for side in range(sides):
                system[at, size + side] = constant[k, i + side]
    _eliminate(system)
    known = np.empty((anchors, players))
    for a in range(anchors):
        for i in range(blocks):
            for side in range(sides):
                known[a, i + side] = system[a * blocks + i, size + side]
    return known


@kernel
def _eliminate(system):  # type: ignore[no-untyped-def]
    """Solve a linear system in place by elimination with row exchanges; solutions are the last
    columns. (Our own, so that the bits do not depend on a library's threads.)"""
    size, width = system.shape
    for i in range(size):
        top = i
        for r in range(i + 1, size):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        if top != i:
            for k in range(i, width):
                system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, size):
            ratio = system[r, i] / system[i, i]
            if ratio != 0.0:
                for k in range(i + 1, width):
                    system[r, k] -= ratio * system[i, k]
    for i in range(size - 1, -1, -1):
        for k in range(size, width):
            total = system[i, k]
            for r in range(i + 1, size):
                total -= system[i, r] * system[r, k]
            system[i, k] = total / system[i, i]


@kernel
def _digest(members, kind, first, pick):  # type: ignore[no-untyped-def]
    """A number that tells policies apart."""
    mixed = np.int64(1469598103934665603)
    for row in members:
        if kind[row] >= 0:
            for e in range(first[row], first[row + 1]):
                mixed = (mixed ^ np.int64(pick[e] + 1)) * np.int64(1099511628211)
    return mixed


@kernel
def _copy(members, first, pick, kept, back):  # type: ignore[no-untyped-def]
    """Keep the policy of the members in `kept`, or take it back from there."""
    k = 0
    for row in members:
        for e in range(first[row], first[row + 1]):
            if back:
                pick[e] = kept[k]
            else:
                kept[k] = pick[e]
            k += 1


@kernel
def iterate(numbers, members, kind, moves, odds, value, pick, ways):  # type: ignore[no-untyped-def]
    """Policy iteration in one component, as vectors_policy.iterate: (gap, length, earning)."""
    where, ties = ways
    low, first, reward = numbers[0], moves[0], odds[1]
    edges = 0
    for row in members:
        value[low + row, :] = numbers[1]
        edges += first[row + 1] - first[row]
    kept = np.empty(edges, np.uint8)
    seen = np.empty(ROUNDS, np.int64)
    best = np.inf
    length = 0
    earning = False
    for sticky in range(2):
        length = ROUNDS
        for turn in range(ROUNDS):
            rule = ties[0], ties[1], sticky
            changed = sweep(low, members, kind, moves, odds, value, pick, rule)
            if turn and not changed:
                return 0.0, 0, earning
            seen[turn] = _digest(members, kind, first, pick)
            before = turn - 1
            while before >= 0 and seen[before] != seen[turn]:
                before -= 1
            if before >= 0:
                length = turn - before
                break
            earning = evaluate(numbers, members, kind, moves, odds, value, pick, where)
            gap = largest_gap(low, members, kind, moves, reward, value)
            if gap < best:
                best = gap
                _copy(members, first, pick, kept, 0)
        _copy(members, first, pick, kept, 1)
        earning = evaluate(numbers, members, kind, moves, odds, value, pick, where)
        if best <= TIE:
            return best, 0, earning
    return best, length, earning


@kernel
def run(numbers, ends, moves, odds, value, pick, parts, ways):  # type: ignore[no-untyped-def]
    """Solve components from number `begin` on; the first that is too large for this, or their
    count.

    What went round is told in `gaps` and `lengths` by component."""
    low, endless, turns, begin, most = numbers
    kind, payoff = ends
    order, start, cyclic, amount = parts
    where, ties, gaps, lengths = ways
    rule = ties[0], ties[1], 0
    for c in range(begin, len(start) - 1):
        members = order[start[c] : start[c + 1]]
        if not cyclic[c]:
            row = members[0]
            if kind[row] == OVER:
                value[low + row, :] = payoff[row]
            else:
                sweep(low, members, kind, moves, odds, value, pick, rule)
            continue
        columns = amount[c] * turns
        if columns > most or columns * len(members) > ROOM:
            return c, False
        numbers_here = low, endless, np.int64(amount[c]), turns
        gap, length, earning = iterate(
            numbers_here, members, kind, moves, odds, value, pick, (where, ties)
        )
        gaps[c] = gap
        lengths[c] = length
        if earning:
            return c, True
    return len(start) - 1, False
