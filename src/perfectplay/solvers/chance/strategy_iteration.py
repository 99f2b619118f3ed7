"""Strategy iteration for any component (Hoffman and Karp 1966), safe where play may never end.

The problem: v = T v as in stochastic.py, with any number of cycles. Player 0's choices are
improved; after each improvement player 1 gives their best response (certify.py).

* Only strict improvements are made. They never close a new cycle that is worse than before: on a
  cycle that player 1 cannot be made to leave, values are equal, so a strictly better edge is not
  part of it.
* When there is none, consider the rows worth less than endless play: if player 0 can stay among
  them for ever, by edges that keep the value and whatever player 1 does, they do so. After that
  the choices are optimal.

Where a game must be ended (`endless` = -inf), the rows from which it cannot be are cut off first.
Bounds are returned only with the proof of certify.py.
"""

import math

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Floats, Ints, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.certify import (
    BestResponse,
    Collapsed,
    end_components,
    guarantee,
    opposite,
)
from perfectplay.solvers.chance.local import LocalGraph, progress_choice

ROUNDS = 300
"""Improvements of player 0's choices before they are given up."""


def policy_of(
    local: LocalGraph,
    endless: float,
    start: Array | None = None,
    residuals: list[float] | None = None,
) -> tuple[Array, BestResponse] | None:
    """Player 0's best choices and player 1's best response, in floats; None if that fails. How
    much a choice can be improved in each round is added to `residuals`."""
    first, to, below = local.first, local.to, local.below
    choice = progress_choice(local)[0] if start is None else start.copy()
    row_of = np.repeat(np.arange(len(choice)), np.diff(first))
    found = hint = None
    for step in range(ROUNDS):
        found = Collapsed(local, choice.copy(), endless).best_response(hint)
        if found is None:
            return None
        v = hint = found.value
        worth = below + np.where(to >= 0, v[np.maximum(to, 0)], 0.0)
        scale = max(float(np.abs(v).max(initial=0.0)), float(np.abs(below).max(initial=0.0)))
        margin = 1e-15 * scale * (2 + step)
        if residuals is not None:
            mine = local.kind[row_of] == 0
            residuals.append(max(0.0, float((worth - v[row_of])[mine].max(initial=0.0))))
        if improved(local, choice, worth, v, margin):
            continue
        near = np.abs(worth - v[row_of]) <= 1e-11 * scale
        if math.isinf(endless) or not remain(local, choice, near, v < endless - 1e-10 * scale):
            break
    return (choice, found) if found is not None else None


@kernel
def improved(local: LocalGraph, choice: Ints, worth: Floats, value: Floats, margin: float) -> int:
    """Switch player 0's choices where another edge is better by more than `margin`; how many."""
    kind, first = local.kind, local.first
    count = 0
    for i in range(len(kind)):
        if kind[i] != 0:
            continue
        best = choice[i]
        for e in range(first[i], first[i + 1]):
            if worth[e] > worth[best]:
                best = e
        if worth[best] > value[i] + margin and best != choice[i]:
            choice[i] = best
            count += 1
    return count


@kernel
def remain(local: LocalGraph, choice: Ints, tight: Bools, some: Bools) -> int:
    """Let player 0 stay for ever in the largest set of the rows in `some` where they can, by tight
    edges and against all tight edges of player 1; how many rows it has."""
    kind, first, to = local.kind, local.first, local.to
    stays = some.copy()
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            if not stays[i]:
                continue
            inside = 0
            outside = 0
            for e in range(first[i], first[i + 1]):
                if kind[i] < 0 or tight[e]:
                    if to[e] >= 0 and stays[to[e]]:
                        inside += 1
                    else:
                        outside += 1
            if inside == 0 or (kind[i] != 0 and outside > 0):
                stays[i] = False
                changed = True
    count = 0
    for i in range(len(kind)):
        count += stays[i]
        for e in range(first[i], first[i + 1]):
            if kind[i] == 0 and stays[i] and tight[e] and to[e] >= 0 and stays[to[e]]:
                choice[i] = e
    return count


def bounds_of(
    local: LocalGraph,
    endless: float,
    start: Array | None = None,
    residuals: list[float] | None = None,
) -> tuple[Array | None, Array | None]:
    """Proved lower and upper bounds of all rows; None where there is no proof. `start` and
    `residuals` as for `policy_of`; residuals are those of player 0."""
    mine = policy_of(local, endless, start, residuals)
    other = policy_of(opposite(local), -endless, start)
    lower, upper = (None if found is None else guarantee(found[1]) for found in (mine, other))
    return lower, None if upper is None else -upper


@kernel
def ending(local: LocalGraph) -> Bools:
    """The rows from which a single player can make sure that play ends."""
    kind, first, to, below = local.kind, local.first, local.to, local.below
    m = len(kind)
    alive = np.ones(m, np.bool_)
    while True:
        ends = np.zeros(m, np.bool_)
        changed = True
        while changed:
            changed = False
            for i in range(m):
                if ends[i] or not alive[i]:
                    continue
                some = False
                every = True
                for e in range(first[i], first[i + 1]):
                    if to[e] < 0:
                        good = below[e] > -np.inf
                        some = some or good
                        every = every and good
                    else:
                        some = some or ends[to[e]]
                        every = every and alive[to[e]]
                if some and (every or kind[i] >= 0):
                    ends[i] = True
                    changed = True
        if (ends == alive).all():
            return alive
        alive = ends


def restrict(local: LocalGraph, rows: Array) -> tuple[LocalGraph, Array]:
    """The component with only the rows marked True, without edges to others; and its edges' old
    numbers."""
    kind, first, to, weight, below, above, node, _ = local
    row_of = np.repeat(np.arange(len(kind)), np.diff(first))
    kept = rows[row_of] & np.where(to >= 0, rows[np.maximum(to, 0)], below > -np.inf)
    edges = np.nonzero(kept)[0]
    new = np.cumsum(rows) - 1
    starts = np.append(0, np.cumsum(np.bincount(new[row_of[edges]], minlength=rows.sum())))
    aim = np.where(to[edges] >= 0, new[np.maximum(to[edges], 0)], -1)
    anchor = distinct(aim[aim >= new[row_of[edges]]])
    arrays = kind[rows], starts, aim, weight[edges], below[edges], above[edges], node[rows]
    return LocalGraph(*arrays, anchor), edges


def earning_loop(local: LocalGraph, endless: float) -> int | None:
    """A row on a cycle on which play could go on for ever and earn without limit; None if there
    is none."""
    first, to, below = local.first, local.to, local.below
    wrong = (to >= 0) & (below != 0.0 if math.isfinite(endless) else below > 0.0)
    if not wrong.any():
        return None
    part, _ = end_components(local, np.ones(len(to), np.bool_))
    row_of = np.repeat(np.arange(len(first) - 1), np.diff(first))
    here = part[row_of]
    wrong &= (here >= 0) & (here == part[np.maximum(to, 0)])
    return int(row_of[np.argmax(wrong)]) if wrong.any() else None
