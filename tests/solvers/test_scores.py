"""Scores of two players, against the naive twin."""

import random

import naive
import numpy as np
import pytest
from graphs import facts, graph_of, random_rows

from perfectplay.errors import RulesError
from perfectplay.solvers import scores
from perfectplay.solvers.store import Scores
from perfectplay.solvers.work import Options


def solved(rows, known, *, short=False, endless=0):
    store = Scores(np.array(known + [0] * (len(rows) - len(known)), np.int64))
    given = facts(outcome=False, rewards=True, endless=float(endless))
    scores.solve(graph_of(rows, len(known), short=short), given, store, Options())
    return store.value.tolist()


@pytest.mark.parametrize("seed", range(300))
def test_equals_the_naive_twin(seed):
    rng = random.Random(seed)
    endless = rng.choice((0, 0, 3, -2))
    high = rng.choice((3, 10, 10**9))
    low, size = rng.randint(0, 6), rng.randint(2, 12)
    rows = random_rows(
        rng, low, size, kinds=[0, 1], payoff=lambda: rng.randint(-high, high),
        swaps=[0] if endless else [0, 1], over=rng.choice((0.05, 0.3)),
        reward=lambda i, to: rng.randint(-5, 5) if to < low else 0,
    )  # fmt: skip
    known = [rng.randint(-high, high) for _ in range(low)]
    got = solved(rows, known, short=seed % 2 == 0, endless=endless)
    assert got == naive.scores(rows, known, endless)


@pytest.mark.parametrize("seed", range(200))
def test_rewards_between_circles(seed):
    # Rows come in blocks: circles inside a block are free, moves to a lower block earn something.
    rng = random.Random(seed)
    low, size, width = 3, 12, rng.choice((1, 2, 4))
    rows = random_rows(
        rng, low, size, kinds=[0, 1], payoff=lambda: rng.randint(-9, 9), swaps=[0, 1],
    )  # fmt: skip

    def block(i):
        return -1 if i < low else (i - low) // width

    for i in range(low, len(rows)):
        edges = []
        for edge in rows[i].edges:
            to = rng.randrange(min(low + (block(i) + 1) * width, len(rows)))
            earned = rng.randint(-5, 5) if block(to) < block(i) else 0
            edges.append(edge._replace(to=to, reward=earned))
        rows[i] = rows[i]._replace(edges=tuple(edges))
    known = [rng.randint(-9, 9) for _ in range(low)]
    assert solved(rows, known) == naive.scores(rows, known)


@pytest.mark.parametrize("seed", range(50))
def test_without_circles(seed):
    rng = random.Random(seed)
    low = 4
    rows = random_rows(
        rng, low, 8, kinds=[0, 1], payoff=lambda: rng.randint(-9, 9), swaps=[0, 1],
        down=lambda i: True, reward=lambda i, to: rng.randint(-3, 3),
    )  # fmt: skip
    if seed % 2:
        rows = [r._replace(edges=tuple(e._replace(to=e.to % low) for e in r.edges)) for r in rows]
    known = [rng.randint(-9, 9) for _ in range(low)]
    assert solved(rows, known) == naive.scores(rows, known)


def test_a_circle_that_earns_is_refused():
    rows = [naive.Row(0, 0, (naive.Edge(1, reward=1),)), naive.Row(1, 0, (naive.Edge(0),))]
    with pytest.raises(RulesError, match="earn without limit"):
        solved(rows, [])
