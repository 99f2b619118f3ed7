"""The stochastic solver against its naive twin, and games on which others fail."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction

import naive_stochastic as naive
import numpy as np
import pytest
from chance_rows import CHANCE, OVER, bounds, check, exact, over, row

from perfectplay import solve
from perfectplay.errors import RulesError
from perfectplay.rules.game import Game

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


@dataclass(frozen=True)
class Heavy(Game):
    """A die of which one face has almost all the weight."""

    heaviest: int
    players = 1

    def start(self):
        return -1

    def to_move(self, p):
        return CHANCE if p < 0 else OVER

    def chances(self, p):
        yield self.heaviest, 0
        for face in range(1, 100):
            yield 1, face

    def payoff(self, p):
        return p


def test_weights_may_add_up_to_what_a_float_can_hold():
    solution = solve(Heavy(2**50))
    mean = Fraction(sum(range(100)), 2**50 + 99)
    assert solution.value(-1).lower <= mean <= solution.value(-1).upper
    with pytest.raises(RulesError, match="too large"):
        solve(Heavy(2**53))
