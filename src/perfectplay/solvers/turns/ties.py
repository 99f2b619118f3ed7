"""Nodes of a turn with equally good steps, for newton.py.

A node is worth an affine function of the anchors of its component: a row of `affine` has a
constant for each player and a factor for each unknown. `scratch` is (affine, what the unknowns are
worth by now, how many there are, room for worths of steps, steps taken, whether these are kept).
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.players.policy import AVERAGE, LAST
from perfectplay.solvers.players.vector_rows import SAME, TIE, liking
from perfectplay.solvers.turns.lanes import HALF


@kernel
def wide(players, unknowns):  # type: ignore[no-untyped-def]
    """How many columns hold a constant for each player and a factor for each unknown."""
    return (players + unknowns + HALF - 1) // HALF * HALF


@kernel
def tied(j, mover, about, order, inside, leave, scratch, rule, digest):  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    """Put what a node with equally good steps is worth into `affine`: (digest, whether the steps
    differ for others)."""
    e0, x0, steps, count = about
    to, reward = inside
    worth, column = leave
    affine, _, _, option, _, _ = scratch
    mode, players = rule[0], worth.shape[1]
    take, equals, floor, apart = _choose(j, mover, about, order, inside, leave, scratch, rule)
    share = 1.0 / equals if mode == AVERAGE else 1.0
    for k in range(affine.shape[1]):
        affine[j, k] = 0.0
    for o in range(count):
        if o != take and (mode != AVERAGE or option[o, mover] < floor):
            continue
        digest = (digest ^ np.int64(o + 1)) * np.int64(1099511628211)
        if o < steps:
            t = to[e0 + o]
            for i in range(players):
                affine[j, i] += share * (affine[t, i] + reward[e0 + o, i])
            for k in range(players, affine.shape[1]):
                affine[j, k] += share * affine[t, k]
        else:
            y = x0 + o - steps
            for i in range(players):
                affine[j, i] += share * worth[y, i]
            if column[y] >= 0:
                affine[j, players + column[y]] += share
    return digest, apart


@kernel
def _choose(j, mover, about, order, inside, leave, scratch, rule):  # type: ignore[no-untyped-def]
    """(step that is taken, how many are as good, from which worth on they are, whether they differ
    for others)."""
    e0, x0, steps, count = about
    rank, ranks, begun = order
    _, _, _, option, taken, sticky = scratch
    mode = rule[0]
    players = option.shape[1]
    ranked = -1 if len(ranks) > 1 else 0
    best = -np.inf
    for o in range(count):
        option[o, mover] = worth_of(o, mover, about, inside, leave, scratch)
        best = max(best, option[o, mover])
    floor = best - TIE * max(1.0, abs(best))
    take, equals = -1, 0
    place = np.int64(0)
    for o in range(count):
        equals += option[o, mover] >= floor
    for o in range(count):
        if option[o, mover] < floor:
            continue
        if equals > 1:
            for i in range(players):
                option[o, i] = worth_of(o, i, about, inside, leave, scratch)
        at = np.int64(rank[e0 + o] if o < steps else ranks[(begun + x0 + o - steps) & ranked])
        likes = liking(rule, mover, option[o], option[take]) if take >= 0 else 1
        later = at > place if mode == LAST else at < place
        if likes > 0 or (likes == 0 and later):
            take, place = o, at
    if sticky and mode != AVERAGE and option[taken[j], mover] >= floor:
        take = taken[j]
    taken[j] = take
    apart = False
    for o in range(count if equals > 1 else 0):
        for i in range(players):
            differ = abs(option[o, i] - option[take, i])
            differs = differ > SAME * max(1.0, abs(option[take, i]))
            apart |= option[o, mover] >= floor and differs
    return take, equals, floor, apart


@kernel
def worth_of(o, i, about, inside, leave, scratch):  # type: ignore[no-untyped-def]
    """What a step of a node is worth to player i: first those inside the turn, then exits."""
    e0, x0, steps, _ = about
    to, reward = inside
    worth, column = leave
    affine, seed, width, _, _, _ = scratch
    if o < steps:
        t = to[e0 + o]
        total = affine[t, i] + reward[e0 + o, i]
        for k in range(width):
            total += affine[t, worth.shape[1] + k] * seed[k, i]
        return total
    y = x0 + o - steps
    return worth[y, i] + (seed[column[y], i] if column[y] >= 0 else 0.0)
