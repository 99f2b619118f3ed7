"""What scalar_bounds.py needs besides walks through turns: what exits are worth, the linear
systems of anchors, and a look at components and patterns as they are."""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import add_below

COLUMNS = 16
"""Different exits of a turn into its own component."""


@kernel
def gather(members, rows, where, outside, bounds, exits, links, about):  # type: ignore[no-untyped-def]
    """What exits are worth, and to which rows of their component they lead."""
    order, starts = members
    number, place, solved = where
    low, child, swap, rewards, first = outside
    lower, upper = bounds
    begin, under, over, code = exits
    target, turned, _, width = links
    half, least, most, fine = about
    every_swap = -1 if len(swap) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    for c in range(len(starts) - 1):
        signs = False
        for r in order[starts[c] : starts[c + 1]]:
            shift = first[rows[r]] - begin[r]
            for x in range(begin[r], begin[r + 1]):
                e = x + shift
                id = np.int64(child[e])
                opposite = (swap[e & every_swap] & 1) == 1
                earned = np.float64(rewards[e & every_reward])
                under[x] = earned
                over[x] = earned
                if id < low or number[id - low] != number[rows[r]]:
                    a = -upper[id] if opposite else lower[id]
                    b = -lower[id] if opposite else upper[id]
                    under[x] = a if earned == 0.0 else add_below(earned, a)
                    over[x] = b if earned == 0.0 else -add_below(-earned, -b)
                    half[c] = max(half[c], 0.5 * (over[x] - under[x]))
                    least[c] = min(least[c], under[x])
                    most[c] = max(most[c], over[x])
                    fine[c] = fine[c] and abs(a) < np.inf and abs(b) < np.inf
                    fine[c] = fine[c] and (id < low or solved[number[id - low]])
                    continue
                if earned != 0.0:
                    least[c] = min(least[c], -abs(earned))
                    most[c] = max(most[c], abs(earned))
                k = 0
                other = place[id - low]
                while k < width[r] and (target[r, k] != other or turned[r, k] != opposite):
                    k += 1
                if k == COLUMNS:
                    fine[c] = False
                    continue
                if k == width[r]:
                    target[r, k] = other
                    turned[r, k] = opposite
                    signs = signs or opposite
                    width[r] += 1
                code[x] = k + 1
        half[c] *= 1.0 + 1e-15
        if signs:
            least[c] = min(least[c], -most[c])
            most[c] = max(most[c], -least[c])


@kernel
def step(marks, members, links, known, worth, steps, noise):  # type: ignore[no-untyped-def]
    """Solve for the anchors of active components under the steps just chosen; those whose values
    stood still are not active any more, and have the turns that are to be expected in `steps`."""
    active, fine = marks
    order, starts = members
    target, turned, slope, width = links
    for c in range(len(active)):
        if not active[c]:
            continue
        rows = order[starts[c] : starts[c + 1]]
        m = len(rows)
        error = 0.0
        for r in rows:
            error = max(error, abs(worth[r] - known[r]))
        system = np.zeros((2, m, m + 1))
        for a in range(m):
            r = rows[a]
            system[0, a, a] += 1.0
            system[1, a, a] += 1.0
            system[0, a, m] = worth[r] - known[r]
            system[1, a, m] = 1.0
            for k in range(width[r]):
                b = 0
                while rows[b] != target[r, k]:
                    b += 1
                system[0, a, b] -= -slope[r, k] if turned[r, k] else slope[r, k]
                system[1, a, b] -= slope[r, k]
        still = error <= noise[c]
        for s in range(2 if still else 1):
            if not eliminated(system[s]):
                fine[c] = False
                still = True
        for a in range(m):
            known[rows[a]] += system[0, a, m]
            if still:
                steps[rows[a]] = 1.0 + abs(system[1, a, m])
        active[c] = not still


@kernel
def eliminated(system):  # type: ignore[no-untyped-def]
    """Put the solution of a linear system into its last column; False if there is no single
    one."""
    m = len(system)
    for i in range(m):
        top = i
        for r in range(i + 1, m):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        if not abs(system[top, i]) > 1e-13:
            return False
        for k in range(i, m + 1):
            system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, m):
            ratio = system[r, i] / system[i, i]
            if ratio != 0.0:
                for k in range(i + 1, m + 1):
                    system[r, k] -= ratio * system[i, k]
    for i in range(m - 1, -1, -1):
        for r in range(i + 1, m):
            system[i, m] -= system[i, r] * system[r, m]
        system[i, m] /= system[i, i]
    return True


@kernel
def depths(low, first, child, parts):  # type: ignore[no-untyped-def]
    """For each component how many others of the stratum it leads through at most."""
    number, rows, starts = parts
    depth = np.zeros(len(starts) - 1, np.int64)
    for c in range(len(starts) - 1):  # children first
        for row in rows[starts[c] : starts[c + 1]]:
            for e in range(first[row], first[row + 1]):
                to = np.int64(child[e]) - low
                if to >= 0 and number[to] != c:
                    depth[c] = max(depth[c], depth[number[to]] + 1)
    return depth


@kernel
def rounds(start, kind, first, to, weight):  # type: ignore[no-untyped-def]
    """(chance nodes, all nodes) on the longest way through each pattern, and the largest sum of
    weights."""
    levels = np.zeros(len(start) - 1)
    depth = np.zeros(len(start) - 1)
    heaviest = 0
    chances = np.zeros(len(kind))
    nodes = np.zeros(len(kind))
    for p in range(len(start) - 1):
        for j in range(start[p], start[p + 1]):
            total = 0
            for e in range(first[j], first[j + 1]):
                chances[j] = max(chances[j], chances[start[p] + to[e]])
                nodes[j] = max(nodes[j], nodes[start[p] + to[e]])
                total += weight[e]
            nodes[j] += 1.0
            if kind[j] < 0:
                chances[j] += 1.0
                heaviest = max(heaviest, total)
            levels[p] = max(levels[p], chances[j])
            depth[p] = max(depth[p], nodes[j])
    return levels, depth, heaviest
