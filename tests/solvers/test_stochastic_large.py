"""The stochastic solver on published games, long plays and larger components."""

from __future__ import annotations

import random
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from chance_rows import CHANCE, OVER, bounds, build, check, exact, facts, over, row

from perfectplay.solvers.chance import certify, stochastic
from perfectplay.solvers.chance.stochastic import solve
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Graph

# -- Larger and harder games. ------------------------------------------------------------------


def test_strata_without_inner_edges(monkeypatch):
    monkeypatch.setattr(stochastic, "CHUNK", 7)
    rng = random.Random(5)
    rows = [over(rng.randint(-3, 3)) for _ in range(6)]
    bottom = len(rows)
    for kind in rng.choices([0, 1, CHANCE], k=60):
        edges = [(rng.randrange(bottom), rng.randint(0, 1), rng.randint(1, 9), rng.randint(-1, 1))]
        rows.append((kind, 0, edges * 2 + [(rng.randrange(bottom), 0, 1, 2)]))
    seen = []
    for workers in (1, 3):
        store = Bounds(np.zeros(len(rows)), np.zeros(len(rows)))
        store.lower[:bottom] = store.upper[:bottom] = [payoff for _, payoff, _ in rows[:bottom]]
        done = []
        options = Options(workers=workers, progress=done.append)
        work = solve(build(rows, bottom), facts(), store, options)
        assert work.methods == {"backward pass": 60}
        assert sum(done) == 60
        seen.append((store.lower.tobytes(), store.upper.tobytes()))
    assert seen[0] == seen[1]
    values = exact(rows, low=bottom)
    for r, value in enumerate(values):
        assert store.lower[r] <= value <= store.upper[r]
        assert store.upper[r] - store.lower[r] < 1e-14
        if float(value) == value:
            assert store.lower[r] == store.upper[r]


def random_board(count, seed, *, swap):
    """A game with many choices, long plays and hundreds of rows in one component."""
    rng = random.Random(seed)
    rows = [over(-1), over(1), over(0), over(2)]
    for _ in range(count):
        edges = []
        for _ in range(rng.randint(1, 3)):
            child = rng.randrange(4) if rng.random() < 0.03 else 4 + rng.randrange(count)
            edges.append((child, int(swap and rng.random() < 0.5), rng.choice([1, 2, 7]), 0))
        rows.append((rng.choice([0, 1, CHANCE, CHANCE]), 0, edges))
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_rows(seed):
    rows = random_board(150, seed, swap=seed % 2 == 1)
    values = exact(rows)
    for method in ("auto", "strategy"):
        store, work = bounds(rows, method=method)
        assert work.methods["strategy iteration"] > 60
        for r, value in enumerate(values):
            assert store.lower[r] <= value <= store.upper[r]
            assert store.upper[r] - store.lower[r] < 1e-11


def test_sweeps_and_elimination_agree(monkeypatch):
    rows = random_board(400, 1, swap=False)
    eliminated, _ = bounds(rows)
    monkeypatch.setattr(certify, "SPARSE", 10)
    swept, _ = bounds(rows)
    assert np.maximum(eliminated.lower, swept.lower) == pytest.approx(swept.lower, abs=1e-11)
    assert (eliminated.lower <= swept.upper).all()
    assert (swept.lower <= eliminated.upper).all()
    assert (swept.upper - swept.lower).max() < 1e-11


def test_large_values_are_no_reason_for_fractions():
    """Three choices of how long to go on, for payoffs in the millions."""
    rows = [over(3_000_001), over(-7_654_321)]
    rows += [row(0, (3,), (4,)), row(CHANCE, (0, 0, 1), (1, 0, 2), (5, 0, 9, 12_345))]
    rows += [row(CHANCE, (0, 0, 2), (1, 0, 5), (5, 0, 93, 999)), row(1, (2,), (4, 0, 1, -17))]
    values = exact(rows)
    store, work = bounds(rows)
    assert work.methods == {"backward pass": 2, "anchors": 4}
    for r, value in enumerate(values):
        assert store.lower[r] <= value <= store.upper[r]
        assert store.upper[r] - store.lower[r] < 1e-5


@pytest.mark.parametrize("heads", [10, 30, 50])
def test_duels_that_take_ages(heads):
    """Who first tosses so many heads in a row wins; one tail passes the turn."""
    rows = [over(1), over(-1)]
    for player in range(2):
        start, other = 2 + heads * player, 2 + heads * (1 - player)
        for k in range(heads):
            on = player if k == heads - 1 else start + k + 1
            rows.append(row(CHANCE, (on,), (other,)))
    chance = Fraction(1, 2**heads)
    first = 1 / (2 - chance)  # wins first turn, or is second after a failure
    values = exact(rows)
    assert values[2] == 2 * first - 1
    for method in ("auto", "strategy"):
        store, _ = bounds(rows, method=method)
        for r, value in enumerate(values):
            assert store.lower[r] <= value <= store.upper[r]
            assert store.upper[r] - store.lower[r] < 1e-11


# -- Published games. -------------------------------------------------------------------------


def piglet(goal):
    """Piglet seen by the player to move, as rows, and the row of each (own, other, turn total)."""
    states = [(i, j, k) for i in range(goal) for j in range(goal) for k in range(goal - i)]
    at = {state: 1 + 2 * n for n, state in enumerate(states)}
    rows = [over(1)]
    for i, j, k in states:
        hold = [(at[j, i + k, 0], 1)] if k else []
        rows.append(row(0, (at[i, j, k] + 1,), *hold))
        head = 0 if i + k + 1 >= goal else at[i, j, k + 1]
        rows.append(row(CHANCE, (head,), (at[j, i, 0], 1)))
    return rows, at


def test_piglet():
    rows, at = piglet(2)
    values = exact(rows)
    known = {
        (0, 0, 0): Fraction(4, 7),
        (0, 0, 1): Fraction(5, 7),
        (0, 1, 0): Fraction(2, 5),
        (0, 1, 1): Fraction(3, 5),
        (1, 0, 0): Fraction(4, 5),
        (1, 1, 0): Fraction(2, 3),
    }
    assert {state: (values[at[state]] + 1) / 2 for state in known} == known
    rows, at = piglet(3)
    assert (exact(rows)[at[0, 0, 0]] + 1) / 2 == Fraction(6, 11)
    check(rows, wanted=exact(rows), width=1e-13)


def test_three_half_chances():
    """Figure 1 of the Can't Stop paper, seen by its first player: 4/7 to win."""
    turns = [row(CHANCE, (w,), (n,)) for w, n in ((0, 3), (1, 4), (1, 2))]
    check([over(1), over(0), *turns], wanted=[1, 0, *(Fraction(n, 7) for n in (4, 1, 2))])


def pig(goal):
    """Pig seen by the player to move, built as arrays, and the row of the start."""
    i, j, k = (a.ravel() for a in np.indices((goal, goal, goal)))
    here = i + k < goal
    i, j, k = i[here], j[here], k[here]
    at = np.zeros((goal, goal, goal), np.int64)
    at[i, j, k] = 1 + np.arange(len(i))
    decide = at[i, j, k]
    roll = decide + len(i)
    kind = np.zeros(2 * len(i) + 1, np.int8)
    kind[0], kind[roll] = OVER, CHANCE
    payoff = (kind == OVER).astype(np.int64)
    fan = np.zeros(len(kind), np.int64)
    fan[decide], fan[roll] = 1 + (k > 0), 6
    first = np.concatenate(([0], np.cumsum(fan)))
    child, swap = np.zeros(first[-1], np.uint32), np.zeros(first[-1], np.uint8)
    child[first[decide]] = roll
    held = k > 0
    child[first[decide[held]] + 1] = at[j, i + k, 0][held]
    swap[first[decide[held]] + 1] = 1
    child[first[roll]] = at[j, i, 0]
    swap[first[roll]] = 1
    for pips in range(2, 7):
        won = i + k + pips >= goal
        child[first[roll] + pips - 1] = np.where(won, 0, at[i, j, np.where(won, 0, k + pips)])
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    return Graph(0, kind, payoff, first, child, swap, one, none, np.zeros(1, np.uint8)), at[
        0, 0, 0
    ]


@pytest.mark.parametrize(("goal", "known"), [(2, Fraction(6, 7)), (3, Fraction(36, 43))])
def test_small_pig(goal, known):
    graph, start = pig(goal)
    store = Fractions(1, [None] * graph.size)
    solve(graph, facts(), store, Options(exact=True))
    assert (store.value[start][0] + 1) / 2 == known


@pytest.mark.parametrize(
    ("goal", "known"), [(10, 0.709424322598), (20, 0.615558549805), (100, 0.530592725274)]
)
def test_pig(goal, known):
    graph, start = pig(goal)
    store = Bounds(np.zeros(graph.size), np.zeros(graph.size))
    begin = time.perf_counter()
    work = solve(graph, facts(), store, Options(workers=2))
    sys.stdout.write(f"Pig to {goal}: {time.perf_counter() - begin:.2f} s, {work}\n")
    assert set(work.methods) == {"anchors", "backward pass"}
    assert (store.upper - store.lower).max() < 1e-12
    assert (store.lower[start] + 1) / 2 == pytest.approx(known, abs=1e-12)


def test_pig_by_strategy_iteration():
    graph, _ = pig(8)
    store = Bounds(np.zeros(graph.size), np.zeros(graph.size))
    work = solve(graph, facts(), store, Options(method="strategy"))
    assert work.methods["strategy iteration"] > 0
    exactly = Fractions(1, [None] * graph.size)
    solve(graph, facts(), exactly, Options(exact=True))
    for r, (value,) in enumerate(exactly.value):
        assert store.lower[r] <= value <= store.upper[r]
        assert store.upper[r] - store.lower[r] < 1e-12
