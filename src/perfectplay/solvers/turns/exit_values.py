"""What newton.py needs besides the walk through a turn: room, what exits are worth, and the
linear system of the anchors."""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel

COLUMNS = 16
"""Different exits of a turn into its own component."""


@kernel
def room(chosen, parts, inside, first, pattern):  # type: ignore[no-untyped-def]
    """The most nodes of a turn, exits of a component, steps of a node, and rows of a component."""
    start, inner = inside[0], inside[2]
    nodes, fan, widest, most = 1, 1, 0, 0
    for c in chosen:
        most = max(most, parts[2][c + 1] - parts[2][c])
        leaving = 0
        for row in parts[1][parts[2][c] : parts[2][c + 1]]:
            if pattern[row] >= 0:
                nodes = max(nodes, start[pattern[row] + 1] - start[pattern[row]])
                leaving += first[row + 1] - first[row]
        fan = max(fan, leaving)
    for node in range(len(inner) - 1):
        widest = max(widest, inner[node + 1] - inner[node])
    return nodes, fan, widest, most


@kernel
def gather(numbers, members, number, outside, value, unknowns, leave):  # type: ignore[no-untyped-def]
    """What the exits of a component are worth: numbers, or its anchors as unknowns; False if a
    turn has too many different ones."""
    low, c = numbers
    first, child, swap, _, rewards = outside
    target, shift, width, begins = unknowns
    worth, column = leave
    players = value.shape[1]
    every_swap = -1 if len(swap) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    for a in range(len(members)):
        row = members[a]
        begins[a + 1] = begins[a] + first[row + 1] - first[row]
        for e in range(first[row], first[row + 1]):
            x = begins[a] + e - first[row]
            s = np.int64(swap[e & every_swap])
            id = np.int64(child[e])
            column[x] = -1
            inner = id >= low and number[id - low] == c
            for i in range(players):
                worth[x, i] = rewards[e & every_reward, i]
                if not inner:
                    worth[x, i] += value[id, i - s if i >= s else i - s + players]
            if not inner:
                continue
            other = 0
            while members[other] != id - low:
                other += 1
            k = 0
            while k < width[a] and (target[a, k] != other or shift[a, k] != s):
                k += 1
            if k == COLUMNS:
                return False
            if k == width[a]:
                target[a, k] = other
                shift[a, k] = s
                width[a] += 1
            column[x] = k
    return True


@kernel
def newton(fixed, links, unknowns, known):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Solve for the anchors' values under a policy; False if there is no single solution."""
    target, shift, width, _ = unknowns
    m, players = fixed.shape
    size = m * players
    system = np.zeros((size, size + 1))
    for a in range(m):
        for i in range(players):
            at = a * players + i
            system[at, at] += 1.0
            for k in range(width[a]):
                other = i - shift[a, k]
                other = other if other >= 0 else other + players
                system[at, target[a, k] * players + other] -= links[a, k]
            system[at, size] = fixed[a, i]
    for i in range(size):
        top = i
        for r in range(i + 1, size):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        if abs(system[top, i]) < 1e-9:
            return False
        for k in range(i, size + 1):
            system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, size):
            ratio = system[r, i] / system[i, i]
            if ratio != 0.0:
                for k in range(i + 1, size + 1):
                    system[r, k] -= ratio * system[i, k]
    for i in range(size - 1, -1, -1):
        total = system[i, size]
        for r in range(i + 1, size):
            total -= system[i, r] * system[r, size]
        system[i, size] = total / system[i, i]
    for a in range(m):
        for i in range(players):
            known[a, i] = system[a * players + i, size]
    return True
