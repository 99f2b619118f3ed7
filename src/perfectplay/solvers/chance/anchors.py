"""Components with few anchors: Newton's method on the anchors' values, then proved bounds.

The problem: v = T v, where T takes the best edge at a player's row and the mean at a chance row,
and play that stays in the component for ever is worth `endless`.

Under fixed choices every row is an affine function of the anchors, found in one sweep, children
first. Solving for the anchors and choosing again, until no choice changes, is Newton's method
(Glenn, Fang and Kruskal 2009, Algorithm 3). With two players it may fail to converge, so nothing
is believed before it is proved:

* **Lower bound.** Player 0 keeps their choices, player 1 is free. If l <= T l row by row, and
  l <= endless wherever player 1 can keep play inside for ever, then l <= v, by optional stopping.
  Since l is lowered by a little more than the rounding of one sweep, times the expected length of
  play, one more sweep with arithmetic that rounds down shows l <= T l.
* **Upper bound.** The same with signs and players exchanged (`side` = -1).

A component without such a proof is left to strategy iteration (strategy_iteration.py).
"""

import numpy as np

from perfectplay.compiled.arrays import Floats, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import (
    BOTH,
    LocalGraph,
    add_below,
    mean_below,
    progress_choice,
    staying,
)
from perfectplay.solvers.work import NONE

MOST = 24
"""Components with more anchors are left to strategy iteration."""
ROUNDS, STILL = 80, 3
"""Newton steps at most; and how many without a change of choices count as convergence."""
TRIES = 8
"""How often bounds are widened until there is a proof."""
EVERY_ROW = 2.0
"""As a side of `lowered`: player 0's, with values of all rows given, not of the anchors alone."""


@kernel
def greedy_sweep(
    local: LocalGraph,
    chance: Floats,
    guess: Floats,
    choice: Ints,
    value: Floats,
    margin: float,
) -> bool:
    """Fill in the values of all rows from guessed values of the anchors, making better choices on
    the way; whether any choice changed."""
    kind, first, to, below, above = local.kind, local.first, local.to, local.below, local.above
    changed = False
    for i in range(len(kind)):
        best = 0.0
        if kind[i] < 0:
            for e in range(first[i], first[i + 1]):
                worth = 0.5 * (below[e] + above[e])
                if to[e] >= 0:
                    worth += value[to[e]] if to[e] < i else guess[to[e]]
                best += chance[e] * worth
        else:
            sign = 1.0 if kind[i] == 0 else -1.0
            keep = -np.inf
            best = -np.inf
            better = choice[i]
            for e in range(first[i], first[i + 1]):
                worth = 0.5 * (below[e] + above[e])
                if to[e] >= 0:
                    worth += value[to[e]] if to[e] < i else guess[to[e]]
                worth *= sign
                if e == choice[i]:
                    keep = worth
                if worth > best:
                    best = worth
                    better = e
            if best > keep + margin:
                choice[i] = better
                changed = True
            else:
                best = keep
            best *= sign
        value[i] = best
    return changed


@kernel
def slopes(local: LocalGraph, chance: Floats, choice: Ints) -> tuple[Floats, Floats, bool]:
    """The anchors as affine functions of the anchors, under the choices: the inverse of 1 - slope
    (in the left half), the expected number of steps until play leaves, from each anchor, and
    whether the matrix is regular."""
    kind, first, to, anchor = local.kind, local.first, local.to, local.anchor
    m = len(kind)
    k = len(anchor)
    index = np.zeros(m, np.int64)
    for j in range(k):
        index[anchor[j]] = j
    slope = np.zeros((m, k + 1))
    for i in range(m):
        slope[i, k] = 1.0
        begin, end = (first[i], first[i + 1]) if kind[i] < 0 else (choice[i], choice[i] + 1)
        for e in range(begin, end):
            share = chance[e] if kind[i] < 0 else 1.0
            if to[e] >= i:
                slope[i, index[to[e]]] += share
            elif to[e] >= 0:
                for j in range(k + 1):
                    slope[i, j] += share * slope[to[e], j]
    matrix = np.zeros((k, 2 * k))
    steps = np.zeros(k)
    for r in range(k):
        steps[r] = slope[anchor[r], k]
        for j in range(k):
            matrix[r, k + j] = -slope[anchor[r], j]
        matrix[r, k + r] += 1.0
        matrix[r, r] = 1.0
    regular = eliminate(matrix)
    return matrix, product(matrix, steps), regular


@kernel
def eliminate(matrix: Floats) -> bool:
    """Invert the right half into the left half, which is 1 at first; whether it was regular."""
    k = len(matrix)
    for r in range(k):
        pivot = r
        for s in range(r, k):
            if abs(matrix[s, k + r]) > abs(matrix[pivot, k + r]):
                pivot = s
        if abs(matrix[pivot, k + r]) < 1e-13:
            return False
        for j in range(2 * k):
            matrix[r, j], matrix[pivot, j] = matrix[pivot, j], matrix[r, j]
        scale = 1.0 / matrix[r, k + r]
        for j in range(2 * k):
            matrix[r, j] *= scale
        for s in range(k):
            f = matrix[s, k + r]
            if s != r and f != 0.0:
                for j in range(2 * k):
                    matrix[s, j] -= f * matrix[r, j]
    return True


@kernel
def product(matrix: Floats, vector: Floats) -> Floats:
    """matrix @ vector, for small ones."""
    out = np.zeros(len(matrix))
    for r in range(len(matrix)):
        for j in range(len(vector)):
            out[r] += matrix[r, j] * vector[j]
    return out


@kernel
def chances(local: LocalGraph) -> tuple[Floats, float]:
    """The probability of every edge, and the largest bound at an edge, in size."""
    kind, first, weight, below, above = (
        local.kind,
        local.first,
        local.weight,
        local.below,
        local.above,
    )
    chance = np.empty(len(weight))
    scale = 0.0
    for i in range(len(kind)):
        total = 0.0
        for e in range(first[i], first[i + 1]):
            total += weight[e]
            scale = max(scale, abs(below[e]), abs(above[e]))
        for e in range(first[i], first[i + 1]):
            chance[e] = weight[e] / total
    return chance, scale


@kernel
def newton(
    local: LocalGraph, chance: Floats, scale: float, residuals: Floats
) -> tuple[Ints, Floats, Floats, Floats, bool]:
    """(choices, values, inverse and expected steps of the anchors' system, whether the choices
    have come to rest). residuals[r] is how far the anchors were from their equations in round r,
    NONE after the last."""
    anchor = local.anchor
    m = len(local.kind)
    k = len(anchor)
    choice, fine = progress_choice(local)
    value = np.zeros(m)
    guess = np.zeros(m)
    inverse = np.zeros((k, 2 * k))
    steps = np.zeros(k)
    gap = np.zeros(k)
    margin = np.inf  # the first sweep only evaluates
    rest = 0
    residuals[:] = NONE
    for step in range(ROUNDS if fine else 0):
        # 1. Choose, and evaluate one sweep with these choices.
        changed = greedy_sweep(local, chance, guess, choice, value, margin)
        if changed or step == 0:
            inverse, steps, regular = slopes(local, chance, choice)
            if not regular:
                break
        # 2. Newton step: guess += (1 - slope)^-1 (value - guess).
        for j in range(k):
            gap[j] = value[anchor[j]] - guess[anchor[j]]
            residuals[step] = max(residuals[step], abs(gap[j]))
            scale = max(scale, abs(value[anchor[j]]))
        # Noise must not make a choice flutter between equals.
        margin = 1e-14 * scale * (1.0 + 0.01 * step * step)
        move = product(inverse, gap)
        for j in range(k):
            guess[anchor[j]] += move[j]
        rest = 0 if changed else rest + 1
        if rest == STILL:
            break
    return choice, value, inverse, steps, rest == STILL


@kernel
def lowered(local: LocalGraph, side: float, choice: Ints, guess: Floats, out: Floats) -> None:
    """One sweep rounding down, seen with sign `side`: the player who profits keeps their choices,
    the other is free. Fills `out` from guessed values of the anchors; with EVERY_ROW, of all
    rows."""
    kind, first, to = local.kind, local.first, local.to
    weight, below, above = local.weight, local.below, local.above
    widest = 1
    for i in range(len(kind)):
        widest = max(widest, first[i + 1] - first[i])
    worth = np.empty(widest)
    mine = 0 if side > 0 else 1
    for i in range(len(kind)):
        begin, end = (first[i], first[i + 1]) if kind[i] != mine else (choice[i], choice[i] + 1)
        least = np.inf
        for e in range(begin, end):
            w = below[e] if side > 0 else -above[e]
            if to[e] >= 0:
                other = out[to[e]] if to[e] < i and side < EVERY_ROW else guess[to[e]]
                w = other if w == 0.0 else add_below(w, other)
            worth[e - begin] = w
            least = min(least, w)
        out[i] = mean_below(worth, weight[begin:end], end - begin) if kind[i] < 0 else least


@kernel
def proved(
    local: LocalGraph,
    side: float,
    choice: Ints,
    value: Floats,
    system: tuple[Floats, Floats],
    scale: float,
    endless: float,
) -> tuple[Floats, bool]:
    """Lower bounds of `side` times the values, and whether they are proved."""
    anchor = local.anchor
    inverse, steps = system
    m = len(value)
    k = len(anchor)
    out = np.empty(m)
    guess = np.empty(m)
    for j in range(k):
        guess[anchor[j]] = side * value[anchor[j]]
        scale = max(scale, abs(value[anchor[j]]))
    slack = 2e-16 * scale + 1e-300
    good = False
    for _ in range(TRIES):
        # 1. l <= T l at the anchors, hence at all rows, which are computed from them?
        lowered(local, side, choice, guess, out)
        gap = np.empty(k)
        good = True
        for j in range(k):
            gap[j] = out[anchor[j]] - guess[anchor[j]]
            good = good and gap[j] >= 0.0
        if good:
            break
        # 2. Another Newton step, and a little less for every expected step of play.
        move = product(inverse, gap)
        for j in range(k):
            guess[anchor[j]] += move[j] - slack * steps[j]
        slack *= 4.0
    if good:  # 3. l <= endless where the other player can stay inside for ever?
        stays = staying(local, 0 if side > 0 else 1, choice)
        for i in range(m):
            good = good and not (stays[i] and out[i] > side * endless)
    return out, good


@kernel
def plain(local: LocalGraph, endless: float) -> bool:
    """Whether endless play inside obviously has the value it should have: it earns nothing on the
    way, and players are not renamed where it matters who gets it."""
    first, to, below, node = local.first, local.to, local.below, local.node
    earns = False
    if endless != 0.0 and endless > -np.inf:
        for i in range(len(node)):
            earns = earns or (node[i] ^ node[0]) & 1 == 1
    for e in range(len(to)):
        if to[e] >= 0 and below[e] != 0.0:
            earns = earns or endless != -np.inf or below[e] > 0.0
    if not earns:
        return True
    stays = staying(local, BOTH, first)
    inside = 0
    for i in range(len(stays)):
        inside += stays[i]
    return inside == 0


@kernel
def put(
    local: LocalGraph, under: Floats, over: Floats, low: int, bounds: tuple[Floats, Floats]
) -> None:
    """Store the bounds of a component's rows; of two signs of a row, the better of both."""
    node = local.node
    lower, upper = bounds
    for i in range(len(node)):
        lower[low + (node[i] >> 1)] = -np.inf
        upper[low + (node[i] >> 1)] = np.inf
    for i in range(len(node)):
        id = low + (node[i] >> 1)
        turned = node[i] & 1
        lower[id] = max(lower[id], -over[i] if turned else under[i])
        upper[id] = min(upper[id], -under[i] if turned else over[i])


@kernel
def widening(local: LocalGraph, under: Floats, over: Floats) -> float:
    """How much wider the bounds became inside than they were at the edges that leave; relative to
    the values, if these are large."""
    below, above = local.below, local.above
    outside = 0.0
    for e in range(len(below)):
        outside = max(outside, above[e] - below[e])
    inside = 0.0
    size = 1.0
    for i in range(len(under)):
        inside = max(inside, over[i] - under[i])
        size = max(size, abs(under[i]))
    return (inside - outside) / size
