"""Cyclic components with several players in floats: Newton's method on the anchors, compiled.

Anchors are a few rows that every cycle passes: under a fixed policy all values are affine
functions of the anchors' values, found in one sweep, children before parents; solving for the
anchors gives the values of the policy (Glenn, Fang and Kruskal). An anchor that is reached with
its players renamed by t counts as another coefficient: `turns` of them per anchor, 1 if no edge of
the stratum renames.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.players.policy import ROUNDS
from perfectplay.solvers.players.vector_rows import TIE, audit, leaving, look, split, sweep

MOST = 256
"""Anchors times turns; components with more are left to a sparse solver."""

ROOM = 1 << 24
"""Coefficients of a component; components with more are left to a sparse solver."""


@kernel
def evaluate(numbers, members, kind, moves, odds, value, pick, where):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Solve for the values of the policy; True if endless play under it would earn something."""
    low, widest, endless, anchors, turns = numbers
    first, child, swap = moves
    weight, reward = odds
    place, number, anchor = where
    players = value.shape[1]
    swaps = -1 if len(swap) == len(child) else 0
    leaves = leaving(low, members, kind, moves, place, number, pick)
    factor = np.zeros((len(members), anchors * turns))
    constant = np.zeros((len(members), players))
    worths = np.empty((widest, players))
    shares = np.empty(widest)
    earning = False
    for row in members:
        for i in range(players):
            value[low + row, i] = 0.0  # so that an edge inside is worth its reward
    for k in range(len(members)):
        row = members[k]
        size = look(row, moves, reward, value, worths)
        weights = weight[first[row] : first[row + 1]] if len(weight) == len(child) else weight
        split(kind[row], weights, pick[first[row] : first[row + 1]], shares)
        if not leaves[k]:
            for i in range(players):
                constant[k, i] = endless
        for e in range(first[row], first[row] + size):
            share = shares[e - first[row]]
            if share == 0.0:
                continue
            if not leaves[k]:
                for i in range(players):
                    earning |= worths[e - first[row], i] != 0.0
                continue
            to = np.int64(child[e]) - low
            s = np.int64(swap[e & swaps])
            for i in range(players):
                constant[k, i] += share * worths[e - first[row], i]
            if to < 0 or number[to] != number[row]:
                continue
            if anchor[to] >= 0:
                factor[k, anchor[to] * turns + (s if turns > 1 else 0)] += share
                continue
            j = place[to]
            for i in range(players):
                constant[k, i] += share * constant[j, i - s if i >= s else i - s + players]
            for a in range(anchors):
                for t in range(turns):
                    to_turn = t + s if t + s < turns else t + s - turns
                    factor[k, a * turns + to_turn] += share * factor[j, a * turns + t]
    known = _solve_anchors(members, anchor, anchors, turns, factor, constant)
    for k in range(len(members)):
        for i in range(players):
            total = constant[k, i]
            for a in range(anchors):
                for t in range(turns):
                    other = i - t if i >= t else i - t + players
                    total += factor[k, a * turns + t] * known[a, other]
            value[low + members[k], i] = total
    return earning


@kernel
def _solve_anchors(members, anchor, anchors, turns, factor, constant):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
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
            for b in range(anchors):
                for t in range(turns):
                    other = i - t if i >= t else i - t + blocks
                    system[at, b * blocks + other] -= factor[k, b * turns + t]
            for side in range(sides):
                system[at, size + side] = constant[k, i + side]
    # Our own elimination: the bits of a library's may depend on its threads.
    width = size + sides
    for i in range(size):
        top = i
        for r in range(i + 1, size):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        for k in range(i, width):
            system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, size):
            ratio = system[r, i] / system[i, i]
            for k in range(i + 1, width):
                system[r, k] -= ratio * system[i, k]
    for i in range(size - 1, -1, -1):
        for k in range(size, width):
            total = system[i, k]
            for r in range(i + 1, size):
                total -= system[i, r] * system[r, k]
            system[i, k] = total / system[i, i]
    known = np.empty((anchors, players))
    for a in range(anchors):
        for i in range(blocks):
            for side in range(sides):
                known[a, i + side] = system[a * blocks + i, size + side]
    return known


@kernel
def run(numbers, ends, moves, odds, value, pick, parts, ways):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Solve components from number `begin` on, by policy iteration as in vectors_policy.iterate:
    (the first that is too large, or their count; whether the component there earns in endless
    play).

    What went round is told in `gaps` and `lengths` by component. Each kernel is called at one
    place only: every call costs compile time."""
    low, widest, endless, turns, begin, most = numbers
    kind, payoff = ends
    order, start, cyclic, amount = parts
    where, ties, gaps, lengths = ways
    kept = np.empty_like(pick)
    seen = np.empty(ROUNDS, np.int64)
    for c in range(begin, len(start) - 1):
        members = order[start[c] : start[c + 1]]
        columns = amount[c] * turns
        if columns > most or columns * len(members) > ROOM:
            return c, False
        if kind[members[0]] == OVER:
            for i in range(value.shape[1]):
                value[low + members[0], i] = payoff[members[0], i]
            continue
        for row in members:
            for i in range(value.shape[1]):
                value[low + row, i] = endless
        best = np.inf
        sticky = ties[2]
        turn = 0
        earning = False
        while True:
            length = ROUNDS
            if turn < ROUNDS:
                rule = ties[0], ties[1], sticky
                seen[turn] = sweep((low, widest), members, kind, moves, odds, value, pick, rule)
                if not cyclic[c] or (turn and seen[turn] == seen[turn - 1]):
                    break
                length = 0
                for before in range(turn):
                    if seen[before] == seen[turn]:
                        length = turn - before
            if length:
                _copy(members, moves[0], kept, pick)
            here = low, widest, endless, np.int64(amount[c]), turns
            earning = evaluate(here, members, kind, moves, odds, value, pick, where)
            if length == 0:
                gap = audit((low, widest), members, kind, moves, odds, value, pick)[1]
                if gap < best:
                    best = gap
                    _copy(members, moves[0], pick, kept)
                turn += 1
            elif best <= TIE or sticky:
                gaps[c] = best
                lengths[c] = length if best > TIE else 0
                break
            else:
                sticky = ties[2] + 1
                turn = 0
        if earning:
            return c, True
    return len(start) - 1, False


@kernel
def _copy(members, first, origin, to):  # type: ignore[no-untyped-def]
    """Copy what belongs to the edges of the members."""
    for row in members:
        for e in range(first[row], first[row + 1]):
            to[e] = origin[e]
