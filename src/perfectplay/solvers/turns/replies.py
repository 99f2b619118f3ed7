"""What a player gains by leaving the policy of newton.py for good.

While all others keep to the policy, a player faces a problem of his own. Let V be the values of a
component's anchors under the policy, and h about as many turns as are to be expected. Claim that
nobody can get more than U = V + toll * h. If one turn, in which a player does what is best for him
and others what the policy says, is worth no more than U - toll / 2 to him, where anchors are worth
U, then the claim holds: every turn in the component costs him at least toll / 2, so whatever he
does it comes to an end, and T(U) <= U can be applied again and again.

What the component leads to is taken at its values; if players gain up to g there, all worths are
larger by g at most, and so is U. So gains of strata add up."""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.turns.exit_values import COLUMNS
from perfectplay.solvers.turns.lanes import HALF, weighed

TRIES = 20
"""How often the toll is raised until there is a proof."""
SHORT = 2
"""Tries with as many turns as the policy takes; then as many as players can make it take."""
ROUNDS = 400


@kernel
def reply_gain(members, game, leave, unknowns, known, turns, policy, flat):  # type: ignore[no-untyped-def]
    """The most that a player gains by leaving the policy for good, at any node of the turns of a
    component, if nobody gains anything in those that it leads to; infinity if that is not known.

    policy = (step taken at each node, by anchor; how far off a turn may be)."""
    worth, column = leave
    target, shift, width, begins = unknowns
    taken, error = policy
    inside, _, exits = game
    m, players = known.shape
    nodes = taken.shape[1]
    columns = (2 * players + HALF - 1) // HALF * HALF
    both = flat[: nodes * columns].reshape(nodes, columns)
    value, claim = np.zeros((COLUMNS, players)), np.zeros((COLUMNS, players))
    length = turns
    toll = 8.0 * error
    for attempt in range(TRIES):
        if attempt == SHORT:
            length = _longest(members, game, leave, unknowns, flat)
            toll = 8.0 * error
            if not length.max() < np.inf:
                return np.inf
        fine, most = True, 0.0
        rough = 2.0 * error * (1.0 + toll * length.max())  # claims may be larger than values
        for a in range(m):
            row = members[a]
            for k in range(width[a]):
                for i in range(players):
                    value[k, i] = known[target[a, k], (i - shift[a, k]) % players]
                    claim[k, i] = value[k, i] + toll * length[target[a, k]]
            mine = worth[begins[a] : begins[a + 1]], column[begins[a] : begins[a + 1]]
            gain = _sweep(row, game, mine, taken[a], (value, claim), both)
            most = max(most, gain + rough, toll * length[a])
            top = inside[0][exits[0][row] + 1] - inside[0][exits[0][row]] - 1
            for i in range(players):
                claimed = known[a, i] + toll * length[a]
                fine = fine and both[top, players + i] + rough <= claimed - 0.5 * toll
        if fine:
            return most
        toll *= 8.0
    return np.inf


@kernel
def _sweep(row, game, leave, taken, seeds, both):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912
    """Fill `both` with what every node of a turn is worth to each player under the policy, and if
    he alone does what is best for him; the largest difference."""
    start, kind, inner, to, weight, reward, _ = game[0]
    first, _, _, weights, _ = game[1]
    pattern, nodes, _ = game[2]
    worth, column = leave
    value, claim = seeds
    players, columns = worth.shape[1], both.shape[1]
    every_weight = -1 if len(weights) > 1 else 0
    begin, begun = start[pattern[row]], first[row]
    x, end, most = 0, len(worth), 0.0
    for j in range(start[pattern[row] + 1] - begin):
        mover = kind[begin + j]
        e0, e1 = inner[begin + j], inner[begin + j + 1]
        x0 = x
        while x < end and nodes[begun + x] == j:
            x += 1
        if mover < 0:
            total = 0.0
            for at in range(0, columns, HALF):
                total = weighed(e0, e1, to, weight, both, at, both[j])
            for y in range(x0, x):
                w = np.float64(weights[(begun + y) & every_weight])
                k = column[y]
                total += w
                for i in range(players):
                    both[j, i] += w * (worth[y, i] + (value[k, i] if k >= 0 else 0.0))
                    both[j, players + i] += w * (worth[y, i] + (claim[k, i] if k >= 0 else 0.0))
            for c in range(columns):
                both[j, c] /= total
        else:
            take = taken[j]
            best = -np.inf
            for o in range(e1 - e0):
                best = max(best, both[to[e0 + o], players + mover] + reward[e0 + o, mover])
            for y in range(x0, x):
                k = column[y]
                best = max(best, worth[y, mover] + (claim[k, mover] if k >= 0 else 0.0))
            for c in range(2 * players, columns):
                both[j, c] = 0.0
            for i in range(players):
                if take < e1 - e0:
                    t = to[e0 + take]
                    both[j, i] = both[t, i] + reward[e0 + take, i]
                    both[j, players + i] = both[t, players + i] + reward[e0 + take, i]
                else:
                    y = x0 + take - (e1 - e0)
                    k = column[y]
                    both[j, i] = worth[y, i] + (value[k, i] if k >= 0 else 0.0)
                    both[j, players + i] = worth[y, i] + (claim[k, i] if k >= 0 else 0.0)
            both[j, players + mover] = best
        for i in range(players):
            most = max(most, both[j, players + i] - both[j, i])
    return most


@kernel
def _longest(members, game, leave, unknowns, flat):  # type: ignore[no-untyped-def]
    """About as many turns as players can make a component take, by anchor; infinity if these are
    too many. (What is proved with them does not depend on their being right.)"""
    start, kind, inner, to, weight, _, _ = game[0]
    first, _, _, weights, _ = game[1]
    pattern, nodes, _ = game[2]
    _, column = leave
    target, _, _, begins = unknowns
    every_weight = -1 if len(weights) > 1 else 0
    m = len(members)
    length = np.ones(m)
    for _ in range(ROUNDS):
        change = 0.0
        for a in range(m):
            row = members[a]
            begin, begun = start[pattern[row]], first[row]
            x, end = begins[a], begins[a + 1]
            size = start[pattern[row] + 1] - begin
            for j in range(size):
                chance = kind[begin + j] < 0
                most, total = 0.0, 0.0
                for e in range(inner[begin + j], inner[begin + j + 1]):
                    w = np.float64(weight[e])
                    most = most + w * flat[to[e]] if chance else max(most, flat[to[e]])
                    total += w
                while x < end and nodes[begun + x - begins[a]] == j:
                    w = np.float64(weights[(begun + x - begins[a]) & every_weight])
                    left = length[target[a, column[x]]] if column[x] >= 0 else 0.0
                    most = most + w * left if chance else max(most, left)
                    total += w
                    x += 1
                flat[j] = most / total if chance else most
            change = max(change, 1.0 + flat[size - 1] - length[a])
            length[a] = 1.0 + flat[size - 1]
        if change < 0.1:
            return length
    return np.full(m, np.inf)
