"""Outcomes with circles, against the naive twin."""

import random
import time

import naive
import numpy as np
import pytest
from graphs import facts, graph_of, random_rows
from test_acyclic import answers, known_outcomes, store_of

from perfectplay.errors import NoSolverError
from perfectplay.solvers import retrograde
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Graph


def random_case(seed, swaps=(0, 1)):
    rng = random.Random(seed)
    low, size = rng.randint(0, 6), rng.randint(2, 12)
    rows = random_rows(
        rng, low, size, kinds=[0, 1], payoff=lambda: rng.randint(-1, 1), swaps=list(swaps),
        over=rng.choice((0.05, 0.2, 0.4)), most=rng.choice((2, 4)),
    )  # fmt: skip
    return rng, rows, known_outcomes(rng, low)


@pytest.mark.parametrize("seed", range(500))
def test_equals_the_naive_twin(seed):
    _, rows, known = random_case(seed)
    store = store_of(known, len(rows))
    graph = graph_of(rows, len(known), short=seed % 2 == 0)
    retrograde.solve(graph, facts(), store, Options())
    assert answers(store) == naive.outcomes(rows, known)


@pytest.mark.parametrize("seed", range(200))
def test_endless_play_that_somebody_wins(seed):
    rng, rows, known = random_case(seed, swaps=(0,))
    endless = rng.choice((-1, 1))
    known = [(v, rng.choice((d, -1)) if v == endless else d) for v, d in known]
    store = store_of(known, len(rows))
    retrograde.solve(graph_of(rows, len(known)), facts(endless=float(endless)), store, Options())
    assert answers(store) == naive.outcomes(rows, known, endless)


def test_endless_play_needs_players_that_keep_their_names():
    rows = [naive.Row(0, 0, (naive.Edge(0, 1),))]
    with pytest.raises(NoSolverError, match="rename"):
        retrograde.solve(graph_of(rows, 0), facts(endless=1.0), store_of([], 1), Options())


@pytest.mark.parametrize("length", [32766, 32767, 70000])
def test_long_wins_are_widened_rather_than_wrapped(length):
    rows = [naive.Row(naive.OVER, 1, ())]
    rows += [naive.Row(0, 0, (naive.Edge(i), naive.Edge(i + 1))) for i in range(length)]
    store = store_of([], length + 1)
    rows = [*rows[:-1], naive.Row(0, 0, (naive.Edge(length - 1),))]
    retrograde.solve(graph_of(rows, 0), facts(), store, Options())
    assert store.depth.tolist() == list(range(length + 1))
    assert store.value.min() == 1


def test_a_stratum_without_circles_is_passed_once():
    rows = [naive.Row(naive.OVER, 1, ())]
    work = retrograde.solve(graph_of(rows, 0), facts(), store_of([], 1), Options())
    assert work.methods == {"acyclic": 1}


def test_speed_on_two_million_rows(capsys):
    rng = np.random.default_rng(1)
    size, edges = 2_000_000, 10_000_000
    kind = rng.integers(0, 2, size).astype(np.int8)
    ended = rng.random(size) < 0.1
    kind[ended] = -2
    degree = np.bincount(rng.integers(0, size, edges), minlength=size)
    degree[~ended] = np.maximum(degree[~ended], 1)
    degree[ended] = 0
    first = np.zeros(size + 1, np.int64)
    np.cumsum(degree, out=first[1:])
    graph = Graph(
        low=0,
        kind=kind,
        payoff=np.where(ended, rng.integers(-1, 2, size), 0),
        first=first,
        child=rng.integers(0, size, first[-1]).astype(np.uint32),
        swap=np.zeros(1, np.uint8),
        weight=np.ones(1, np.int64),
        reward=np.zeros(1, np.int64),
        anchor=np.zeros(1, np.uint8),
    )
    store = Outcomes(np.zeros(size, np.int8), np.full(size, -1, np.int16))
    begin = time.perf_counter()
    retrograde.solve(graph, facts(), store, Options())
    seconds = time.perf_counter() - begin
    with capsys.disabled():
        print(f"\n{size} rows, {graph.edges} edges: {seconds:.2f} s, depth {store.depth.max()}")  # noqa: T201
    row = int(np.argmax(store.depth))
    children = graph.child[first[row] : first[row + 1]]
    mover = 1 if kind[row] == 0 else -1
    worth = store.value[children] * mover
    if store.value[row] == mover:
        assert store.depth[row] == 1 + store.depth[children[worth == 1]].min()
    else:
        assert (worth == -1).all()
        assert store.depth[row] == 1 + store.depth[children].max()
