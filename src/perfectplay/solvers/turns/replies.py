"""What a player gains by leaving the policy of newton.py for good.

While all others keep to the policy, a player faces a decision problem of their own: U = T(U),
where T takes their best step at their nodes, and the policy's at all others. Let V be the values
of a component's anchors under the policy, and h about the expected number of turns. Claim: nobody
can get more than U = V + toll * h. If one turn, in which a player does what is best for them, is
worth no more than U - toll / 2 to them, where anchors are worth U, then the claim holds: every
turn in the component costs them at least toll / 2, so whatever they do it comes to an end, and
T(U) <= U can be applied again and again.

What the component leads to is taken at its values; if players gain up to g there, all values are
larger by g at most, and so is U. So the gains of strata add up."""

import numpy as np

from perfectplay.compiled.arrays import Floats, Int32s
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.turns.turn_graph import COLUMNS, HALF, TurnGraph, weighed
from perfectplay.solvers.turns.vector_exits import (
    Unknowns,
    VectorExits,
    exits_of,
    padded,
    seed_of,
)

TRIES = 20
"""How often the toll is raised until there is a proof."""
SHORT = 2
"""Tries with as many turns as the policy takes; then as many as players can make it take."""
ROUNDS = 400
"""Sweeps through a component until its turns count as endless."""


@kernel
def reply_gain(
    members: Int32s,
    game: TurnGraph,
    exits: VectorExits,
    unknowns: Unknowns,
    known: Floats,
    turns: Floats,
    policy: tuple[Int32s, float],
    flat: Floats,
) -> float:
    """The most that a player gains by leaving the policy for good, at any node of the turns of a
    component, if nobody gains anything in those that it leads to; infinity if that is not known.

    policy = (step taken at each node, by anchor; how far off a turn may be)."""
    taken, error = policy
    target, width = unknowns.target, unknowns.width
    m, players = known.shape
    nodes = taken.shape[1]
    columns = padded(players, players)
    both = flat[: nodes * columns].reshape(nodes, columns)
    # What the unknowns are worth under the policy, and what is claimed; the last row, of exits
    # that lead to none, is 0.
    seed = np.zeros((COLUMNS + 1, 2 * players))
    length = turns
    toll = 8.0 * error
    for attempt in range(TRIES):
        if attempt == SHORT:
            length = _longest(members, game, exits, unknowns, flat)
            toll = 8.0 * error
            if not length.max() < np.inf:
                return np.inf
        fine, most = True, 0.0
        rough = 2.0 * error * (1.0 + toll * length.max())  # claims may be larger than values
        for a in range(m):
            row = members[a]
            seed_of(a, unknowns, known, seed)
            for k in range(width[a]):
                for i in range(players):
                    seed[k, players + i] = seed[k, i] + toll * length[target[a, k]]
            gain = _sweep(row, game, exits_of(a, exits, unknowns), taken[a], seed, both)
            most = max(most, gain + rough, toll * length[a])
            top = game.start[game.pattern[row] + 1] - game.start[game.pattern[row]] - 1
            for i in range(players):
                claimed = known[a, i] + toll * length[a]
                fine = fine and both[top, players + i] + rough <= claimed - 0.5 * toll
        if fine:
            return most
        toll *= 8.0
    return np.inf


@kernel
def _sweep(  # noqa: C901
    row: int,
    game: TurnGraph,
    exits: VectorExits,
    taken: Int32s,
    seed: Floats,
    both: Floats,
) -> float:
    """The largest difference between two values of a node, which go into `both`: to each player
    under the policy, and to each player if they alone do what is best for them."""
    kind, inner, to, weight, reward = game.kind, game.inner, game.to, game.weight, game.reward
    node, weights = game.node, game.exit_weight
    worth, column = exits
    players, columns = worth.shape[1], both.shape[1]
    every_weight = -1 if len(weights) > 1 else 0
    begin, begun = game.start[game.pattern[row]], game.first[row]
    x, end, most = 0, len(worth), 0.0
    for j in range(game.start[game.pattern[row] + 1] - begin):
        mover = kind[begin + j]
        e0, e1, x0 = inner[begin + j], inner[begin + j + 1], x
        while x < end and node[begun + x] == j:
            x += 1
        if mover < 0:
            total = 0.0
            for at in range(0, columns, HALF):
                total = weighed(e0, e1, to, weight, both, at, both[j])
            for y in range(x0, x):
                w = np.float64(weights[(begun + y) & every_weight])
                total += w
                for c in range(2 * players):
                    both[j, c] += w * (worth[y, c % players] + seed[column[y], c])
            for c in range(2 * players):
                both[j, c] /= total
        else:
            own = players + mover
            best = -np.inf
            for e in range(e0, e1):
                best = max(best, both[to[e], own] + reward[e, mover])
            for y in range(x0, x):
                best = max(best, worth[y, mover] + seed[column[y], own])
            e, y = e0 + taken[j], x0 + taken[j] - (e1 - e0)
            for c in range(2 * players):
                if e < e1:
                    both[j, c] = both[to[e], c] + reward[e, c % players]
                else:
                    both[j, c] = worth[y, c % players] + seed[column[y], c]
            both[j, own] = best
        for i in range(players):
            most = max(most, both[j, players + i] - both[j, i])
    return most


@kernel
def _longest(
    members: Int32s, game: TurnGraph, exits: VectorExits, unknowns: Unknowns, flat: Floats
) -> Floats:
    """About as many turns as players can make a component take, by anchor; infinity if these are
    too many. (What is proved with them does not depend on their being right.)"""
    start, kind, inner, to, weight = game.start, game.kind, game.inner, game.to, game.weight
    first, pattern, nodes, weights = game.first, game.pattern, game.node, game.exit_weight
    column, target, begins = exits.column, unknowns.target, unknowns.begins
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
