"""What a player gains by leaving a policy for good: the bound that is proved, against best replies
in fractions, on random turns and random policies."""

import random
from fractions import Fraction

import numpy as np
import pytest
from naive_stochastic import eliminated

from perfectplay import solve
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.pig import Pig
from perfectplay.solvers.turns.replies import reply_gain
from perfectplay.solvers.turns.turn_graph import COLUMNS, TurnGraph
from perfectplay.solvers.turns.vector_exits import Unknowns, VectorExits, padded

PLAYERS = 3


def made(draw, anchors):
    """Random turns, one for each anchor: lists of nodes (kind, steps), children first; a step is
    (weight, reward, node) or (weight, worths, None) or (weight, worths, (anchor, shift))."""
    turns = []
    for _ in range(anchors):
        nodes = []
        for j in range(draw.randint(3, 7)):
            kind = draw.choice([-1, 0, 0, 1, 2]) if j else -1
            steps = []
            for _ in range(draw.randint(1, 3) if j else 0):
                earned = draw_vector(draw, 2 if kind >= 0 else 0)
                steps.append((draw.randint(1, 3), earned, draw.randrange(j)))
            for _ in range(draw.randint(0, 2)):
                back = draw.randrange(anchors), draw.randrange(PLAYERS)
                steps.append((1, draw_vector(draw, 1), back))
            if j == 0 or draw.random() < 0.3:
                steps.append((2, draw_vector(draw, 6), None))
            nodes.append((kind, steps))
        last = len(nodes) - 1  # chance may leave the component from every turn
        nodes.append((-1, [(3, draw_vector(draw, 0), last), (1, draw_vector(draw, 6), None)]))
        turns.append(nodes)
    return turns


def draw_vector(draw, most):
    return [draw.randint(-most, most) for _ in range(PLAYERS)]


def walk(turns, a, i, chosen):
    """What nodes are worth to player i: (constant, {unknown: factor}) each."""
    found = []
    for j, (kind, steps) in enumerate(turns[a]):
        taken = [(Fraction(w), r, to) for w, r, to in steps]
        if kind >= 0:
            _, r, to = taken[chosen[a, i][j] if kind == i else chosen[a, None][j]]
            taken = [(Fraction(1), r, to)]
        total = sum(w for w, _, _ in taken)
        constant, factor = Fraction(0), {}
        for w, r, to in taken:
            constant += w / total * r[i]
            if isinstance(to, int):
                constant += w / total * found[to][0]
                for u, x in found[to][1].items():
                    factor[u] = factor.get(u, 0) + w / total * x
            elif to is not None:
                u = to[0], (i - to[1]) % PLAYERS
                factor[u] = factor.get(u, 0) + w / total
        found.append((constant, factor))
    return found


def values(turns, chosen):
    """What anchors are worth to players, in fractions."""
    pairs = [(a, i) for a in range(len(turns)) for i in range(PLAYERS)]
    system = []
    for a, i in pairs:
        constant, factor = walk(turns, a, i, chosen)[-1]
        line = [-factor.get(u, Fraction(0)) for u in pairs]
        line[pairs.index((a, i))] += 1
        system.append([*line, constant])
    return dict(zip(pairs, eliminated(system), strict=True))


def numbers(turns, chosen, known):
    """What all nodes are worth to all players."""
    return {
        (a, i, j): c + sum(x * known[u] for u, x in f.items())
        for a in range(len(turns))
        for i in range(PLAYERS)
        for j, (c, f) in enumerate(walk(turns, a, i, chosen))
    }


def replied(turns, policy):
    """Best replies of every player, in fractions: policy iteration."""
    chosen = {(a, None): policy[a] for a in range(len(turns))}
    chosen |= {(a, i): list(policy[a]) for a in range(len(turns)) for i in range(PLAYERS)}
    while True:
        known = values(turns, chosen)
        here = numbers(turns, chosen, known)
        better = False
        for (a, i, j), old in here.items():
            now = old
            kind, steps = turns[a][j]
            if kind != i:
                continue
            for o, (_, r, to) in enumerate(steps):
                then = Fraction(r[i])
                if isinstance(to, int):
                    then += here[a, i, to]
                elif to is not None:
                    then += known[to[0], (i - to[1]) % PLAYERS]
                if then > now:
                    chosen[a, i][j], now, better = o, then, True
        if not better:
            return here


def arrays(turns, policy, known):
    """What `reply_gain` takes."""
    start, kind, inner, to, weight, reward = [0], [], [0], [], [], []
    first, nodes, weights, worth, column = [0], [], [], [], []
    m = len(turns)
    target, shift = np.zeros((m, COLUMNS), np.int64), np.zeros((m, COLUMNS), np.int64)
    width = np.zeros(m, np.int64)
    for a, turn in enumerate(turns):
        seen = []
        for j, (mover, steps) in enumerate(turn):
            kind.append(mover)
            for w, r, where in steps:
                if isinstance(where, int):
                    to.append(where)
                    weight.append(w)
                    reward.append(r)
                    continue
                nodes.append(j)
                weights.append(w)
                worth.append(r)
                if where is not None and where not in seen:
                    seen.append(where)
                column.append(-1 if where is None else seen.index(where))
            inner.append(len(to))
        for k, (other, by) in enumerate(seen):
            target[a, k], shift[a, k] = other, by
        width[a] = len(seen)
        start.append(len(kind))
        first.append(len(nodes))
    size = max(map(len, turns))
    whole = np.array
    inside = (
        whole(start), whole(kind, np.int8), whole(inner), whole(to, np.int32), whole(weight),
        whole(reward, np.int64).reshape(-1, PLAYERS), np.zeros(len(to), np.int32),
    )  # fmt: skip
    outside = (
        0, whole(first), np.zeros(len(nodes), np.uint32), np.zeros(1, np.uint8), whole(weights),
        np.zeros((1, PLAYERS), np.int64), np.zeros(1, np.int32),
    )  # fmt: skip
    game = TurnGraph(*inside, np.arange(m, dtype=np.int32), whole(nodes, np.int16), *outside)
    exits = VectorExits(whole(worth, float).reshape(-1, PLAYERS), whole(column, np.int8))
    unknowns = Unknowns(target, shift, width, whole(first))
    taken = np.zeros((m, size), np.int32)
    for a in range(m):
        taken[a, : len(policy[a])] = policy[a]
    flat = np.empty(size * int(padded(2 * PLAYERS, COLUMNS)))
    return np.arange(m), game, exits, unknowns, known, np.full(m, 3.0), (taken, 1e-13), flat


@pytest.mark.parametrize("seed", range(60))
def test_bounds_hold_for_any_policy_and_are_not_far_off(seed):
    draw = random.Random(seed)
    turns = made(draw, draw.randint(1, 3))
    # Steps inside a turn come first, as solvers have them.
    turns = [
        [(k, sorted(s, key=lambda x: not isinstance(x[2], int))) for k, s in turn]
        for turn in turns
    ]
    policy = [[draw.randrange(len(s)) if k >= 0 else 0 for k, s in turn] for turn in turns]
    if seed % 3 == 0:  # one that is nearly an equilibrium: best replies, taken in turn
        for _ in range(3):
            policy = better(turns, policy)
    chosen = {(a, None): policy[a] for a in range(len(turns))}
    chosen |= {(a, i): policy[a] for a in range(len(turns)) for i in range(PLAYERS)}
    known = values(turns, chosen)
    here, best = numbers(turns, chosen, known), replied(turns, policy)
    right = max(best[key] - here[key] for key in here)
    rows = np.array([[float(known[a, i]) for i in range(PLAYERS)] for a in range(len(turns))])
    found = reply_gain(*arrays(turns, policy, rows))
    assert found >= float(right)
    if right == 0:
        assert found < 1e-9
    else:
        assert found < 1000 * float(right)


def better(turns, policy):
    """Every mover's best step if the policy is kept elsewhere."""
    chosen = {(a, None): policy[a] for a in range(len(turns))}
    chosen |= {(a, i): policy[a] for a in range(len(turns)) for i in range(PLAYERS)}
    known = values(turns, chosen)
    here = numbers(turns, chosen, known)
    out = [list(p) for p in policy]
    for a, turn in enumerate(turns):
        for j, (mover, steps) in enumerate(turn):
            if mover >= 0:
                then = []
                for _, r, to in steps:
                    more = here[a, mover, to] if isinstance(to, int) else 0
                    if isinstance(to, tuple):
                        more = known[to[0], (mover - to[1]) % PLAYERS]
                    then.append(r[mover] + more)
                out[a][j] = then.index(max(then))
    return out


@pytest.mark.slow
def test_solutions_tell_the_gap():
    for game in (CantStop(3, 2, 2, 1), Pig(goal=6, players=3)):
        report = solve(game, workers=2).report
        assert report["policy_error"] < report["equilibrium_gap"] < 1e-9
    assert solve(CantStop(3, 2, 1, 1), ties="average").report["equilibrium_gap"] is None
    assert solve(CantStop(2, 2, 1, 1)).report["equilibrium_gap"] is None
