"""Games of one player, against the naive twin."""

import math
import random

import naive
import numpy as np
import pytest
from graphs import facts, graph_of, random_rows

from perfectplay.errors import RulesError
from perfectplay.solvers import puzzle
from perfectplay.solvers.store import Scores
from perfectplay.solvers.work import Options


def solved(rows, known, *, endless=naive.NONE, short=False):
    store = Scores(np.array(known + [0] * (len(rows) - len(known)), np.int64))
    minimise = endless == naive.NONE
    given = facts(
        players=1,
        outcome=False,
        minimise=minimise,
        endless=-math.inf if minimise else float(endless),
    )
    work = puzzle.solve(graph_of(rows, len(known), short=short), given, store, Options())
    return store.value.tolist(), work


@pytest.mark.parametrize("seed", range(300))
def test_equals_the_naive_twin(seed):
    rng = random.Random(seed)
    low, size = rng.randint(0, 4), rng.randint(1, 8)
    earned = rng.choice(((-1, -1), (0, 0), (-3, 0), (-10, -1), (-(10**9), 0)))
    rows = random_rows(
        rng, low, size, kinds=[0], payoff=lambda: rng.randint(-9, 9), swaps=[0],
        reward=lambda i, to: rng.randint(*earned), over=rng.choice((0.05, 0.2)), most=3,
    )  # fmt: skip
    known = [rng.choice((naive.NONE, -5, 0, 3)) for _ in range(low)]
    endless = rng.choice((naive.NONE, 0, -4, 6))
    got, _ = solved(rows, known, endless=endless, short=seed % 2 == 0)
    assert got == naive.puzzle(rows, known, endless)


@pytest.mark.parametrize("seed", range(100))
def test_rewards_of_moves_that_cannot_be_undone(seed):
    rng = random.Random(seed)
    low, size = rng.randint(0, 4), rng.randint(2, 9)
    rows = random_rows(
        rng, low, size, kinds=[0], payoff=lambda: rng.randint(-9, 9), swaps=[0],
        down=lambda i: i % 3 > 0, reward=lambda i, to: rng.randint(-5, 5), most=3,
    )  # fmt: skip
    endless = rng.choice((naive.NONE, 0))
    known = [rng.choice((naive.NONE, -5, 0, 3)) for _ in range(low)]
    try:
        got, _ = solved(rows, known, endless=endless)
    except RulesError:
        return
    assert got == naive.puzzle(rows, known, endless)


def test_methods_are_named():
    end = naive.Row(naive.OVER, 0, ())
    step = [end, naive.Row(0, 0, (naive.Edge(0, reward=-1), naive.Edge(1, reward=-1)))]
    assert solved(step, [])[1].methods == {"breadth first": 2}
    steps = [*step, naive.Row(0, 0, (naive.Edge(1, reward=-5),))]
    values, work = solved(steps, [])
    assert values == [0, -1, -6]
    assert work.methods == {"best first": 3}


def test_a_circle_that_earns_is_refused():
    rows = [naive.Row(0, 0, (naive.Edge(0, reward=1),))]
    with pytest.raises(RulesError, match="reward 1"):
        solved(rows, [], endless=0)
    with pytest.raises(RulesError, match="cost -1"):
        solved(rows, [])


def test_least_steps_on_a_long_path():
    n = 50_000
    rows = [naive.Row(naive.OVER, 0, ())]
    rows += [
        naive.Row(0, 0, (naive.Edge(i - 1, reward=-1), naive.Edge(min(i + 1, n), reward=-1)))
        for i in range(1, n + 1)
    ]
    values, _ = solved(rows, [])
    assert values == [-i for i in range(n + 1)]
