"""What floats tell exact_vectors.py to choose, and where they do not tell enough."""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.turns.exit_values import COLUMNS, gather
from perfectplay.solvers.turns.newton import turn_pass
from perfectplay.solvers.turns.ties import wide, worth_of

NEAR = 1e-9
"""Worths that differ by less (relative to 1 or their size) are compared exactly."""


@kernel
def choices(numbers, most, members, number, game, value, rule, out):  # type: ignore[no-untyped-def]
    """Which steps are best by floats, and whether others are nearly as good, for all nodes of the
    turns of a component; how far off floats may be, relative to values, or infinity."""
    inside, outside, exits = game
    chosen, near, start = out
    begins_at, kind, inner, to, _, reward, _ = inside
    first, pattern, nodes = outside[0], exits[0], exits[1]
    players, m = value.shape[1], len(members)
    size, fan, widest = most
    flat = np.empty(size * wide(players, COLUMNS))
    worth, column = np.empty((fan, players)), np.empty(fan, np.int8)
    option = np.empty((widest + fan, players))
    target, shift = np.zeros((m, COLUMNS), np.int64), np.zeros((m, COLUMNS), np.int64)
    width, begins = np.zeros(m, np.int64), np.zeros(m + 1, np.int64)
    unknowns = target, shift, width, begins
    if not gather(numbers, members, number, outside, value, unknowns, (worth, column)):
        return np.inf
    low = numbers[0]
    scale = 1.0
    for a in range(m):
        row = members[a]
        seed = np.empty((COLUMNS, players))
        for k in range(width[a]):
            for i in range(players):
                s = shift[a, k]
                seed[k, i] = value[low + members[target[a, k]], (i - s) % players]
        taken = chosen[start[a] : start[a + 1]]
        columns = wide(players, width[a])
        affine = flat[: size * columns].reshape(size, columns)
        scratch = affine, seed, width[a], option, taken, np.int64(0)
        leave = worth[begins[a] : begins[a + 1]], column[begins[a] : begins[a + 1]]
        turn_pass(row, inside, outside, exits, leave, scratch, rule, np.int64(0))
        base = begins_at[pattern[row]]
        x = 0
        for j in range(len(taken)):
            x0 = x
            while x < len(leave[0]) and nodes[first[row] + x] == j:
                x += 1
            mover = kind[base + j]
            if mover < 0:
                continue
            e0, steps = inner[base + j], inner[base + j + 1] - inner[base + j]
            about = e0, x0, steps, steps + x - x0
            best = worth_of(taken[j], mover, about, (to, reward), leave, scratch)
            for o in range(steps + x - x0):
                other = worth_of(o, mover, about, (to, reward), leave, scratch)
                scale = max(scale, abs(other))
                if o != taken[j] and other >= best - NEAR * max(1.0, abs(best)):
                    near[start[a] + j] = 1
    for x in range(begins[m]):
        for i in range(players):
            scale = max(scale, abs(worth[x, i]))
    return 3e-16 * scale * (size + 4) * (widest + fan + 4)
