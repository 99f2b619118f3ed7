"""The stochastic solver against its naive twin, published values, and games on which others
fail."""

from __future__ import annotations

import itertools
import math
import random
import sys
import time
from fractions import Fraction

import naive_stochastic as naive
import numpy as np
import pytest

from perfectplay.errors import RulesError
from perfectplay.graph import Facts, Graph
from perfectplay.solvers import Options, certify, stochastic
from perfectplay.solvers.policy import evaluate, policy
from perfectplay.solvers.stochastic import solve, solve_by
from perfectplay.store import Bounds, Fractions

CHANCE, OVER = naive.CHANCE, naive.OVER
METHODS = ("auto", "strategy", "exact")


def over(payoff):
    return OVER, payoff, []


def row(kind, *edges):
    """A row with edges (child, swap, weight, reward); what is left out is 0, 1, 0."""
    return kind, 0, [(*e, *(0, 1, 0)[len(e) - 1 :]) for e in edges]


def build(rows, low=0):
    """The rows from `low` on as a Graph; those below are in a lower stratum."""
    rows = rows[low:]
    edges = [e for _, _, es in rows for e in es]
    columns = np.array(edges, np.int64).reshape(-1, 4).T
    return Graph(
        low,
        np.array([kind for kind, _, _ in rows], np.int8),
        np.array([payoff for _, payoff, _ in rows], np.int64),
        np.cumsum([0, *(len(es) for _, _, es in rows)]).astype(np.int64),
        columns[0].astype(np.uint32),
        columns[1].astype(np.uint8),
        columns[2].astype(np.int64),
        columns[3].astype(np.int64),
        np.zeros(1, np.uint8),
    )


def facts(endless=0.0, players=2):
    return Facts(
        players=players,
        scalar=True,
        chance=True,
        rewards=True,
        outcome=False,
        endless=endless,
        minimise=endless == -math.inf,
    )


def bounds(rows, *, endless=0.0, low=0, method="auto", anchor=None):
    graph = build(rows, low)
    if anchor is not None:
        graph = graph.with_anchors(anchor)
    store = Bounds(np.full(len(rows), np.nan), np.full(len(rows), np.nan))
    for r in range(low):
        store.lower[r] = store.upper[r] = rows[r][1]
    work = solve_by(method, graph, facts(endless), store, Options())
    assert sum(work.methods.values()) == graph.size
    return store, work


def exact(rows, *, endless=0.0, low=0):
    store = Fractions(1, [None] * len(rows))
    for r in range(low):
        store.value[r] = (Fraction(rows[r][1]),)
    solve(build(rows, low), facts(endless), store, Options(exact=True))
    check_policy(rows, store, endless, low)
    return [value[0] for value in store.value]


def check_policy(rows, store, endless, low):
    """The extracted choices must secure the values: for each player alone and for both."""
    graph = build(rows, low)
    choice = policy(graph, facts(endless), store)
    assert ((choice >= graph.first[:-1]) & (choice < graph.first[1:]))[graph.kind >= 0].all()
    for players in ((0,), (1,), (0, 1)):
        again = evaluate(graph, facts(endless), store, choice, players)
        if isinstance(store, Fractions):
            assert again.value == store.value, players
        else:
            finite = store.lower > -math.inf
            assert (again.upper[~finite] == -math.inf).all()
            assert again.lower[finite] == pytest.approx(store.lower[finite], abs=1e-9), players
            assert again.upper[finite] == pytest.approx(store.upper[finite], abs=1e-9), players


def check(rows, *, endless=0.0, low=0, wanted=None, width=1e-9):
    """All methods must agree with the naive twin (or the wanted values)."""
    wanted = naive.values(rows, endless) if wanted is None else wanted
    assert exact(rows, endless=endless, low=low) == wanted
    methods = {}
    for method in METHODS:
        store, work = bounds(rows, endless=endless, low=low, method=method)
        methods[method] = work.methods
        if method == "auto":
            check_policy(rows, store, endless, low)
        for r, value in enumerate(wanted):
            lower, upper = store.lower[r], store.upper[r]
            assert lower <= value <= upper, (method, r, value, lower, upper)
            assert value == -math.inf or upper - lower <= width, (method, r, value, lower, upper)
    return methods


# -- Games on which iteration goes wrong. -----------------------------------------------------


@pytest.mark.parametrize("odds", [1000, 10**6, 10**9])
def test_slow_but_sure(odds):
    rows = [over(1), row(0, (2,)), row(CHANCE, (0, 0, 1), (1, 0, odds - 1))]
    check(rows, wanted=[1, 1, 1])


@pytest.mark.parametrize("odds", [1000, 10**6])
def test_slow_race(odds):
    rows = [
        over(1),
        over(-1),
        row(CHANCE, (0, 0, 1), (3, 0, odds - 1)),
        row(CHANCE, (1, 0, 1), (2, 0, odds - 1)),
    ]
    check(rows, wanted=None, width=1e-9)


def test_maximiser_may_not_believe_in_staying():
    check([over(-1), row(0, (1,), (0,))], wanted=[-1, 0])
    check([over(1), row(0, (1,), (0,))], wanted=[1, 1])
    check([over(1), row(0, (2,), (0,)), row(0, (1,))], wanted=[1, 1, 1])
    check([over(-1), row(0, (1,), (2,)), row(CHANCE, (0,), (1,))], wanted=[-1, 0, Fraction(-1, 2)])


@pytest.mark.parametrize("worth", list(itertools.product((-2, -1, 0, 1, 2), repeat=2)))
def test_two_players_who_point_at_each_other(worth):
    rows = [over(worth[0]), over(worth[1]), row(0, (3,), (0,)), row(1, (2,), (1,))]
    check(rows)


def test_no_way_out():
    check([row(0, (1,)), row(CHANCE, (0,), (1,))], wanted=[0, 0])
    check([row(0, (1,)), row(CHANCE, (0,), (1,))], endless=3.0, wanted=[3, 3])
    check([row(0, (0, 1))], wanted=[0])


def test_must_end():
    stay_free = [over(-5), row(0, (1,), (0,))]
    check(stay_free, endless=-math.inf, wanted=[-5, -5])
    trap = [over(0), row(0, (1,), (2, 0, 1, -1)), row(CHANCE, (0,), (3,)), row(0, (3, 0, 1, -1))]
    check(trap, endless=-math.inf, wanted=[0, -math.inf, -math.inf, -math.inf])
    walk = [
        over(0),
        row(0, (2, 0, 1, -1), (3, 0, 1, -1)),
        row(CHANCE, (0,), (1, 0, 5)),
        row(0, (3,)),
    ]
    check(walk, endless=-math.inf, wanted=[0, -6, -5, -math.inf])


def test_loops_that_earn_are_refused():
    for rows in (
        [over(0), row(0, (1, 0, 1, 1), (0,))],
        [over(0), row(0, (2, 0, 1, 1), (0,)), row(1, (1, 0, 1, -1), (0,))],
    ):
        with pytest.raises(RulesError, match="without limit"):
            bounds(rows)
        with pytest.raises(RulesError, match="without limit"):
            exact(rows)
    with pytest.raises(RulesError, match="without limit"):
        bounds([over(0), row(0, (1, 0, 1, 1), (0,))], endless=-math.inf)


def test_endless_worth_needs_one_frame():
    with pytest.raises(RulesError, match="renamed"):
        bounds([over(0), row(0, (1, 1), (0,))], endless=1.0)


# -- Random games. ----------------------------------------------------------------------------


def random_game(rng):
    """A small game with all that is troublesome, and the worth of endless play."""
    style = rng.choice(["two", "two", "one", "swap", "reward", "least"])
    ends = rng.randint(1, 3)
    rows = [over(rng.choice([-2, -1, -1, 0, 1, 1, 2, 3])) for _ in range(ends)]
    count = rng.randint(3, 5 if style == "swap" else 7)
    pairs = 1
    players = {"one": [0], "least": [0], "swap": [0, 0, 1]}.get(style, [0, 1])
    for _ in range(count):
        fan = rng.randint(1, 3)
        kind = rng.choice([*players, CHANCE])
        if kind != CHANCE and pairs * fan ** (1 + (style == "swap")) > 64:
            kind = CHANCE
        if kind != CHANCE:
            pairs *= fan ** (1 + (style == "swap"))
        edges = []
        for _ in range(fan):
            child = rng.randrange(ends + count) if rng.random() < 0.8 else rng.randrange(ends)
            swap = int(style == "swap" and rng.random() < 0.5)
            weight = rng.choice([1, 1, 2, 3, 50])
            reward = rng.choice([0, 0, -1, -3]) if style == "least" else 0
            edges.append((child, swap, weight, reward))
        rows.append((kind, 0, edges))
    if style == "reward":
        rows = [_surely_ending(rng, r, rows, ends) for r in range(len(rows))]
    endless = -math.inf if style == "least" else 0.0
    if style in ("one", "two"):
        endless = rng.choice([0.0, 0.0, 1.0, -1.0])
    return rows, endless, ends


def _surely_ending(rng, r, rows, ends):
    """Chance may always end it, and players only move to chance rows, or to the end."""
    kind, payoff, edges = rows[r]
    if kind == CHANCE:
        edges = [*edges, (rng.randrange(ends), 0, 1, 0)]
    elif kind != OVER:
        fits = [k for k, other in enumerate(rows) if other[0] in (CHANCE, OVER)]
        edges = [(rng.choice(fits), 0, 1, 0) for _ in edges]
    return kind, payoff, [(c, s, w, rng.choice([0, 0, 1, -2, 4])) for c, s, w, _ in edges]


@pytest.mark.parametrize("block", range(10))
def test_random_games_equal_enumeration(block):
    rng = random.Random(7000 + block)
    tally = {}
    for _ in range(50):
        rows, endless, ends = random_game(rng)
        methods = check(rows, endless=endless, low=rng.choice([0, ends]))
        for name, done in methods["auto"].items():
            tally[name] = tally.get(name, 0) + done
        assert "anchors" not in methods["strategy"]
    assert tally["anchors"] > tally.get("strategy iteration", 0)


def test_named_anchors_change_nothing():
    rng = random.Random(99)
    for _ in range(40):
        rows, endless, _ = random_game(rng)
        wanted = naive.values(rows, endless)
        anchor = np.array([rng.random() < 0.5 for _ in rows], np.uint8)
        store, _ = bounds(rows, endless=endless, anchor=anchor)
        for r, value in enumerate(wanted):
            assert store.lower[r] <= value <= store.upper[r]


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
    work = solve_by("strategy", graph, facts(), store, Options())
    assert work.methods["strategy iteration"] > 0
    exactly = Fractions(1, [None] * graph.size)
    solve(graph, facts(), exactly, Options(exact=True))
    for r, (value,) in enumerate(exactly.value):
        assert store.lower[r] <= value <= store.upper[r]
        assert store.upper[r] - store.lower[r] < 1e-12
