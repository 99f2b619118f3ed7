"""Outcomes without circles, against the naive twin."""

import random

import naive
import numpy as np
import pytest
from graphs import facts, graph_of, random_rows

from perfectplay.solvers import acyclic
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Graph


def known_outcomes(rng, count):
    values = [rng.choice((-1, 0, 1)) for _ in range(count)]
    return [(v, rng.randint(0, 9) if v else -1) for v in values]


def store_of(known, size):
    store = Outcomes(np.zeros(size, np.int8), np.full(size, -1, np.int16))
    for i, (value, depth) in enumerate(known):
        store.value[i], store.depth[i] = value, depth
    return store


def answers(store):
    return list(zip(store.value.tolist(), store.depth.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(200))
def test_equals_the_naive_twin(seed):
    rng = random.Random(seed)
    low, size = rng.randint(1, 8), rng.randint(1, 10)
    rows = random_rows(
        rng, low, size, kinds=[0, 1], payoff=lambda: rng.randint(-2, 2), swaps=[0, 1],
        down=lambda i: True,
    )  # fmt: skip
    rows = [
        row._replace(edges=tuple(e._replace(to=rng.randrange(low)) for e in row.edges))
        for row in rows
    ]
    known = known_outcomes(rng, low)
    store = store_of(known, len(rows))
    work = acyclic.solve(graph_of(rows, low, short=seed % 2 == 0), facts(), store, Options())
    assert answers(store) == naive.outcomes(rows, known)
    assert work.methods == {"acyclic": size}


def test_a_win_by_endless_play_is_the_slowest():
    # A mover who wins prefers to win in 3 plies; one who loses prefers never to.
    rows = [naive.Row(naive.OVER, 0, ())] * 2
    rows += [naive.Row(mover, 0, (naive.Edge(0), naive.Edge(1))) for mover in (0, 1)]
    store = store_of([(1, -1), (1, 2)], 4)
    acyclic.solve(graph_of(rows, 2), facts(endless=1.0), store, Options())
    assert answers(store)[2:] == [(1, 3), (1, -1)]


@pytest.mark.parametrize("depth", [32765, 32766, 40000])
def test_depths_are_widened_rather_than_wrapped(depth):
    rows = [naive.Row(naive.OVER, 0, ()), naive.Row(0, 0, (naive.Edge(0),))]
    store = store_of([(1, 0)], 2)
    store.depth = store.depth.astype(np.int32 if depth > 32767 else np.int16)
    store.depth[0] = depth
    acyclic.solve(graph_of(rows, 1), facts(), store, Options())
    assert answers(store) == [(1, depth), (1, depth + 1)]


def test_threads_do_not_change_the_answer():
    rng = np.random.default_rng(5)
    low, size, degree = 1000, 3 * acyclic.RANGE // 2, 3
    stores = []
    for workers in (1, 2):
        rng = np.random.default_rng(5)
        store = Outcomes(np.zeros(low + size, np.int8), np.full(low + size, -1, np.int16))
        store.value[:low] = rng.integers(-1, 2, low)
        store.depth[:low] = np.where(store.value[:low] == 0, -1, rng.integers(0, 50, low))
        graph = Graph(
            low=low,
            kind=rng.integers(0, 2, size).astype(np.int8),
            payoff=np.zeros(size, np.int64),
            first=np.arange(0, degree * size + 1, degree),
            child=rng.integers(0, low, degree * size).astype(np.uint32),
            swap=np.ones(1, np.uint8),
            weight=np.ones(1, np.int64),
            reward=np.zeros(1, np.int64),
            anchor=np.zeros(1, np.uint8),
        )
        seen = []
        acyclic.solve(graph, facts(), store, Options(workers=workers, progress=seen.append))
        assert sum(seen) == size
        stores.append(store)
    assert np.array_equal(stores[0].value, stores[1].value)
    assert np.array_equal(stores[0].depth, stores[1].depth)
