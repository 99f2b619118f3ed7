"""How far values are from a policy's, and what leaving it for good gains: what is proved, against
fractions, on random games and random policies."""

import random
from fractions import Fraction

import numpy as np
import pytest
from graphs import graph_of
from naive import CHANCE, OVER, Edge, Row
from naive_stochastic import eliminated
from test_vectors import can_stay, random_game, solved

from perfectplay import solve
from perfectplay.games.dice.pig import Pig
from perfectplay.solvers.backward import flat
from perfectplay.solvers.players import vector_rows
from perfectplay.solvers.players.replies import replies
from perfectplay.strata.components import components

PLAYERS = 3


def random_policy(draw, rows):
    """Which edges are taken, by row; sometimes several, each as likely."""
    policy = {}
    for i, row in enumerate(rows):
        if row.kind >= 0:
            taken = draw.sample(range(len(row.edges)), draw.choice((1, 1, min(2, len(row.edges)))))
            policy[i] = set(taken)
    return policy


def evaluated(rows, known, taken):
    """What rows are worth to players, in fractions; taken(i, player): the edges of row i, as far
    as that player is concerned."""
    low = len(known)
    pairs = [(i, p) for i in range(low, len(rows)) for p in range(PLAYERS)]
    system = []
    for i, p in pairs:
        line = dict.fromkeys(pairs, Fraction(0))
        line[i, p] += 1
        constant = Fraction(0)
        row = rows[i]
        if row.kind == OVER:
            constant = Fraction(row.payoff[p])
        else:
            edges = [(Fraction(e.weight), e) for e in row.edges]
            if row.kind != CHANCE:
                edges = [(Fraction(1), row.edges[k]) for k in taken(i, p)]
            total = sum(w for w, _ in edges)
            for w, e in edges:
                other = (p - e.swap) % PLAYERS
                constant += w / total * e.reward[p]
                if e.to < low:
                    constant += w / total * known[e.to][other]
                else:
                    line[e.to, other] -= w / total
        system.append([*line.values(), constant])
    return dict(zip(pairs, eliminated(system), strict=True))


def best_replies(rows, known, policy):
    """What each player gets at most while all others keep to the policy: policy iteration."""
    low = len(known)
    own = {(i, p): {min(policy[i])} for i in policy for p in range(PLAYERS) if rows[i].kind == p}
    while True:
        value = evaluated(rows, known, lambda i, p: own.get((i, p), policy[i]))
        better = False
        for (i, p), chosen in own.items():
            worths = [
                e.reward[p]
                + (known[e.to] if e.to < low else [value[e.to, q] for q in range(PLAYERS)])[
                    (p - e.swap) % PLAYERS
                ]
                for e in rows[i].edges
            ]
            (k,) = chosen
            if max(worths) > worths[k]:
                own[i, p] = {worths.index(max(worths))}
                better = True
        if not better:
            return value


def proved(rows, known, policy, value):
    """(error, gain) of a policy, if rows have these values."""
    low = len(known)
    graph = graph_of(rows, low)
    parts = vector_rows.arranged(flat(graph), components(graph))
    floats = np.zeros((len(rows), PLAYERS))
    floats[:low] = np.array(known, float).reshape(low, PLAYERS)
    for (i, p), number in value.items():
        floats[i, p] = float(number)
    pick = np.zeros(graph.edges, np.uint8)
    for i, taken in policy.items():
        for k in taken:
            pick[graph.first[i - low] + k] = 1
    return replies(flat(graph), parts, floats, pick)


def ending(count):
    """Seeds of games that come to an end whatever players do."""
    games = ((seed, random_game(seed, down=lambda i: False, ties="first")) for seed in range(999))
    return [seed for seed, (rows, known) in games if not can_stay(rows, len(known))][:count]


@pytest.mark.parametrize("seed", ending(60))
def test_bounds_hold_and_are_narrow(seed):
    rows, known = random_game(seed, down=lambda i: False, ties="first")
    policy = random_policy(random.Random(seed), rows)
    value = evaluated(rows, known, lambda i, p: policy[i])
    best = best_replies(rows, known, policy)
    error, gain = proved(rows, known, policy, value)
    most = max((best[each] - value[each] for each in value), default=0)
    assert 0 <= error < 1e-9
    assert float(most) <= gain + error
    assert gain <= float(most) + 1e-9


@pytest.mark.parametrize("seed", ending(20))
def test_wrong_values_are_found(seed):
    rows, known = random_game(seed, down=lambda i: False, ties="first")
    policy = random_policy(random.Random(seed), rows)
    value = evaluated(rows, known, lambda i, p: policy[i])
    moving = [i for i in range(len(known), len(rows)) if rows[i].kind != OVER]
    if not moving:
        return
    value = {(i, p): number + (i == moving[-1]) for (i, p), number in value.items()}
    assert proved(rows, known, policy, value)[0] > 0.4


def test_where_a_player_can_stay_for_ever_nothing_is_claimed():
    nothing = (0, 0, 0)
    around = Row(0, nothing, (Edge(1, 0, 1, nothing), Edge(2, 0, 1, nothing)))
    back = Row(1, nothing, (Edge(0, 0, 1, nothing),))
    rows = [around, back, Row(OVER, (1, 2, 3), ())]
    _, work = solved(rows, exact=False)
    assert work.policy_error < 1e-12  # the policy leaves
    assert work.reply_gain is None


def test_games_without_turns_tell_their_gap():
    report = solve(Pig(goal=5, players=3)).report
    assert 0 < report["policy_error"] < 1e-9
    assert 0 < report["equilibrium_gap"] < 1e-8


def test_claims_hold_where_everything_is_worth_nothing():
    nothing = (0, 0, 0)
    around = Row(CHANCE, nothing, (Edge(1, 0, 1, nothing), Edge(2, 0, 1, nothing)))
    back = Row(1, nothing, (Edge(0, 0, 1, nothing),))
    _, work = solved([around, back, Row(OVER, nothing, ())], exact=False)
    assert 0 < work.policy_error < 1e-200
    assert 0 < work.reply_gain < 1e-200
