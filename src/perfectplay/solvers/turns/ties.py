"""Nodes of a turn with equally good steps, for newton.py.

A node's value is an affine function of the anchors of its component: a row of `affine` has a
constant for each player and a factor for each unknown. The steps of a node are numbered: first
those inside the turn, then exits. span = (e0, e1, x0, x1): steps e0 … e1 - 1 of the pattern and
exits x0 … x1 - 1 of the turn.
"""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.players.policy import AVERAGE, LAST
from perfectplay.solvers.players.vector_rows import SAME, TIE, hashed, liking
from perfectplay.solvers.turns.vector_exits import VectorExits

Span = tuple[int, int, int, int]


class Steps(NamedTuple):
    """The steps of all nodes: see `TurnGraph`."""

    to: Int32s
    reward: Ints
    rank: Int32s
    exit_rank: Int32s
    begun: int
    """The first exit of the turn."""


class TurnScratch(NamedTuple):
    """What a pass through a turn reads and writes besides the turn."""

    affine: Floats
    """[nodes, columns]: the value of every node: constants, then factors."""
    seed: Floats
    """[unknowns, players]: what the unknowns are worth by now."""
    width: int
    """How many unknowns there are."""
    option: Floats
    """[steps, players]: room for the values of a node's steps."""
    taken: Int32s
    """[nodes]: the step taken."""
    sticky: np.int64
    """Whether steps taken before are kept if they are among the best."""


@kernel
def tied(
    j: int,
    mover: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
    rule: tuple[int, int],
    digest: np.int64,
) -> tuple[np.int64, bool]:
    """Put the value of a node with equally good steps into `affine`: (digest of the choice,
    whether the steps differ for others)."""
    e0, e1, x0, x1 = span
    to, reward = steps.to, steps.reward
    worth, column = exits
    affine, option = scratch.affine, scratch.option
    mode, players = rule[0], worth.shape[1]
    take, equals, floor, apart = _choose(j, mover, span, steps, exits, scratch, rule)
    share = 1.0 / equals if mode == AVERAGE else 1.0
    affine[j] = 0.0
    for o in range(e1 - e0 + x1 - x0):
        if o != take and (mode != AVERAGE or option[o, mover] < floor):
            continue
        digest = hashed(digest, o + 1)
        if o < e1 - e0:
            t = to[e0 + o]
            for i in range(players):
                affine[j, i] += share * (affine[t, i] + reward[e0 + o, i])
            for k in range(players, affine.shape[1]):
                affine[j, k] += share * affine[t, k]
        else:
            y = x0 + o - (e1 - e0)
            for i in range(players):
                affine[j, i] += share * worth[y, i]
            if column[y] >= 0:
                affine[j, players + column[y]] += share
    return digest, apart


@kernel
def _choose(
    j: int,
    mover: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
    rule: tuple[int, int],
) -> tuple[int, int, float, bool]:
    """(step taken, how many are as good, the least value of those, whether they differ for
    others)."""
    e0, e1, x0, x1 = span
    rank, exit_rank, begun = steps.rank, steps.exit_rank, steps.begun
    option, taken, mode = scratch.option, scratch.taken, rule[0]
    count, players = e1 - e0 + x1 - x0, option.shape[1]
    every_rank = -1 if len(exit_rank) > 1 else 0
    best = -np.inf
    for o in range(count):
        option[o, mover] = worth_of(o, mover, span, steps, exits, scratch)
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
                option[o, i] = worth_of(o, i, span, steps, exits, scratch)
        inside = o < e1 - e0
        at = np.int64(
            rank[e0 + o] if inside else exit_rank[(begun + x0 + o - (e1 - e0)) & every_rank]
        )
        likes = liking(rule, mover, option[o], option[take]) if take >= 0 else 1
        later = at > place if mode == LAST else at < place
        if likes > 0 or (likes == 0 and later):
            take, place = o, at
    if scratch.sticky and mode != AVERAGE and option[taken[j], mover] >= floor:
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
def worth_of(
    o: int,
    i: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
) -> float:
    """The value of a node's step o to player i."""
    e0, e1, x0, _ = span
    to, reward = steps.to, steps.reward
    worth, column = exits
    affine, seed = scratch.affine, scratch.seed
    if o < e1 - e0:
        t = to[e0 + o]
        total: float = affine[t, i] + reward[e0 + o, i]
        for k in range(scratch.width):
            total += affine[t, worth.shape[1] + k] * seed[k, i]
        return total
    y = x0 + o - (e1 - e0)
    return float(worth[y, i] + (seed[column[y], i] if column[y] >= 0 else 0.0))
