"""Components with few anchors: Newton's method on the anchors' values.

Under fixed choices every row is an affine function of the anchors, found in one sweep, children
first. Solving for the anchors and choosing again, until no choice changes, is Newton's method
(Glenn, Fang and Kruskal, Algorithm 3 of the retrograde solution of Can't Stop). It may fail to
converge when two players choose; so nothing is believed before it is proved:

* **lower bound.** Let player 0 keep his choices and player 1 be free. If l <= T l row by row, and
  l <= endless wherever player 1 can keep the play inside for ever, then l <= value, by optional
  stopping. Since l is lowered by a little more than the rounding of one sweep, times the expected
  length of play, one more sweep with arithmetic that rounds down shows l <= T l.
* **upper bound.** The same with signs and players exchanged (`side` = -1).
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import add_below, mean_below

MOST = 24
"""Components with more anchors are left to strategy iteration."""


@kernel
def progress_choice(local):  # type: ignore[no-untyped-def]
    """For each row of a player an edge that brings the way out nearer if all help; and whether
    there is a way out from every row."""
    kind, first, to = local[0], local[1], local[2]
    m = len(kind)
    choice = np.empty(m, np.int64)
    for i in range(m):
        choice[i] = first[i]
    out = np.zeros(m, np.bool_)
    left = m
    changed = True
    while changed and left:
        changed = False
        for i in range(m):
            if out[i]:
                continue
            for e in range(first[i], first[i + 1]):
                if to[e] < 0 or out[to[e]]:
                    out[i] = True
                    choice[i] = e
                    changed = True
                    left -= 1
                    break
    return choice, left == 0


@kernel
def staying(local, player, choice):  # type: ignore[no-untyped-def]
    """The rows where play can be kept inside for ever while `player` keeps his choices (chance has
    to be unable to leave); with player = 2, both are free."""
    kind, first, to = local[0], local[1], local[2]
    m = len(kind)
    stays = np.empty(m, np.bool_)
    for i in range(m):
        stays[i] = True
    changed = True
    while changed:
        changed = False
        for i in range(m):
            inside = 0
            for e in range(first[i], first[i + 1]):
                if to[e] >= 0 and stays[to[e]] and (kind[i] != player or e == choice[i]):
                    inside += 1
            if stays[i] and (inside == 0 or (kind[i] < 0 and inside < first[i + 1] - first[i])):
                stays[i] = False
                changed = True
    return stays


@kernel
def greedy_sweep(local, chance, guess, choice, value, margin):  # type: ignore[no-untyped-def]
    """Values of all rows from guessed values of the anchors; better choices are taken on the
    way."""
    kind, first, to, below, above = local[0], local[1], local[2], local[4], local[5]
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
def slopes(local, chance, choice):  # type: ignore[no-untyped-def]
    """The anchors as affine functions of the anchors, under the choices: the inverse of 1 - slope,
    and the expected number of steps until play leaves, from each anchor; and whether all is
    regular."""
    kind, first, to, anchor = local[0], local[1], local[2], local[7]
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
def eliminate(matrix):  # type: ignore[no-untyped-def]
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
def product(matrix, vector):  # type: ignore[no-untyped-def]
    """matrix @ vector, for small ones."""
    out = np.zeros(len(matrix))
    for r in range(len(matrix)):
        for j in range(len(vector)):
            out[r] += matrix[r, j] * vector[j]
    return out


@kernel
def chances(local):  # type: ignore[no-untyped-def]
    """The share of every edge in the weight of its row, and the size of the numbers at the
    edges."""
    kind, first, weight, below, above = local[0], local[1], local[3], local[4], local[5]
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
def newton(local, chance, scale):  # type: ignore[no-untyped-def]
    """Choices, values, and the linear system of the anchors; and whether they came to rest."""
    anchor = local[7]
    m = len(local[0])
    k = len(anchor)
    choice, fine = progress_choice(local)
    value = np.zeros(m)
    guess = np.zeros(m)
    inverse = np.zeros((k, 2 * k))
    steps = np.zeros(k)
    gap = np.zeros(k)
    margin = np.inf  # the first sweep only evaluates
    rest = 0
    for step in range(80 if fine else 0):
        changed = greedy_sweep(local, chance, guess, choice, value, margin)
        if changed or step == 0:
            inverse, steps, regular = slopes(local, chance, choice)
            if not regular:
                break
        for j in range(k):
            gap[j] = value[anchor[j]] - guess[anchor[j]]
            scale = max(scale, abs(value[anchor[j]]))
        # Noise must not make a choice flutter between equals.
        margin = 1e-14 * scale * (1.0 + 0.01 * step * step)
        move = product(inverse, gap)
        for j in range(k):
            guess[anchor[j]] += move[j]
        rest = 0 if changed else rest + 1
        if rest == 3:
            break
    return choice, value, inverse, steps, rest == 3


@kernel
def lowered(local, side, choice, guess, out):  # type: ignore[no-untyped-def]
    """One sweep rounding down, seen with sign `side`: who profits keeps his choices, the other is
    free. Fills `out` from guessed values of the anchors; with side = 2, of all rows."""
    kind, first, to, weight, below, above = (
        local[0],
        local[1],
        local[2],
        local[3],
        local[4],
        local[5],
    )
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
                other = out[to[e]] if to[e] < i and side < 2.0 else guess[to[e]]
                w = other if w == 0.0 else add_below(w, other)
            worth[e - begin] = w
            least = min(least, w)
        out[i] = mean_below(worth, weight[begin:end], end - begin) if kind[i] < 0 else least


@kernel
def proved(local, side, choice, value, system, scale, endless):  # type: ignore[no-untyped-def]
    """Lower bounds of `side` times the values, and whether they are proved."""
    anchor = local[7]
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
    for _ in range(8):
        lowered(local, side, choice, guess, out)
        gap = np.empty(k)
        good = True
        for j in range(k):
            gap[j] = out[anchor[j]] - guess[anchor[j]]
            good = good and gap[j] >= 0.0
        if good:
            break
        move = product(inverse, gap)
        for j in range(k):
            guess[anchor[j]] += move[j] - slack * steps[j]
        slack *= 4.0
    if good:
        stays = staying(local, 0 if side > 0 else 1, choice)
        for i in range(m):
            good = good and not (stays[i] and out[i] > side * endless)
    return out, good


@kernel
def plain(local, endless):  # type: ignore[no-untyped-def]
    """Whether it is plain that endless play inside has the worth it should have: it earns nothing
    on the way, and players are not renamed where it matters who gets it."""
    first, to, below, node = local[1], local[2], local[4], local[6]
    earns = False
    if endless != 0.0 and endless > -np.inf:
        for i in range(len(node)):
            earns = earns or (node[i] ^ node[0]) & 1
    for e in range(len(to)):
        if to[e] >= 0 and below[e] != 0.0:
            earns = earns or endless != -np.inf or below[e] > 0.0
    if not earns:
        return True
    stays = staying(local, 2, first)
    inside = 0
    for i in range(len(stays)):
        inside += stays[i]
    return inside == 0


@kernel
def put(local, under, over, low, bounds):  # type: ignore[no-untyped-def]
    """Store the bounds of a component's rows; of two signs of a row, the better of both."""
    node = local[6]
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
def widening(local, under, over):  # type: ignore[no-untyped-def]
    """How much wider the bounds became inside than they were at the edges that leave; relative to
    the values, if these are large."""
    below, above = local[4], local[5]
    outside = 0.0
    for e in range(len(below)):
        outside = max(outside, above[e] - below[e])
    inside = 0.0
    size = 1.0
    for i in range(len(under)):
        inside = max(inside, over[i] - under[i])
        size = max(size, abs(under[i]))
    return (inside - outside) / size
