"""Counts of Can't Stop: Table 1 of the paper, and formulas against counting one by one."""

import itertools
import math
import random

import pytest

from perfectplay import plan, solve
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.cantstop_counts import index_size, tuples

TABLE_1 = {
    (3, 2, 1, 1): (13, 207),
    (3, 2, 2, 1): (340, 7_410),
    (3, 2, 3, 1): (6_643, 176_064),
    (3, 3, 1, 2): (74_302, 7_580_604),
    (3, 3, 2, 2): (3_782_833, 684_695_376),  # printed: 687,700,305 positions
    (4, 3, 1, 1): (48_279, 2_168_760),
}


@pytest.mark.parametrize("row", TABLE_1, ids=str)
def test_table_1(row):
    counts = CantStop(*row).counts
    assert (counts.components, counts.positions) == TABLE_1[row]


def test_what_was_skipped_and_the_index():
    assert CantStop(3, 3, 2, 2).counts.skipped == 4_539_783
    assert tuples(2, 3) == 7
    official = [CantStop(n, 6, 3, 3, 3).tops() for n in (3, 4)]
    assert index_size(official[0], 3) == 41475421575961964273729536
    assert f"{index_size(official[1], 4):.4e}" == "4.6895e+32"


def one_by_one(game):
    """Components, skipped ones and positions, each placement looked at by itself."""
    tops, players = game.tops(), game.players
    columns = []
    for top in tops:
        states = []
        for heights in itertools.product(range(top), repeat=players):
            above = [x for x in heights if x]
            if game.share or len(set(above)) == len(above):
                states.append(heights)
        columns.append(states + [("closed", i) for i in range(players)])
    seen, placements, positions = set(), 0, 0
    for board in itertools.product(*columns):
        closed = [state[1] for state in board if state[0] == "closed"]
        if any(closed.count(i) >= game.columns for i in range(players)):
            continue
        placements += 1
        bare = tuple("x" if state[0] == "closed" else state for state in board)
        name = (min(bare, bare[::-1], key=str), tuple(sorted(closed)))
        if name in seen:
            continue
        seen.add(name)
        for turn in range(players):
            left = [top - s[turn] for top, s in zip(tops, bare, strict=True) if s != "x"]
            for marked in range(game.count + 1):
                positions += sum(map(math.prod, itertools.combinations(left, marked)))
    return len(seen), placements - len(seen), positions


@pytest.mark.parametrize(
    "game",
    [
        CantStop(1, 2, 2, 1),
        CantStop(2, 2, 1, 2),
        CantStop(2, 2, 3, 1, 2),
        CantStop(3, 2, 2, 1),
        CantStop(2, 2, 2, 1, share=True),
        CantStop(4, 2, 2, 1, 3),
        CantStop(2, 3, 1, 2),
    ],
    ids=str,
)
def test_formulas_are_right(game):
    counts = game.counts
    assert (counts.components, counts.skipped, counts.positions) == one_by_one(game)


@pytest.mark.parametrize(
    "row",
    [
        (3, 2, 1, 1),
        pytest.param((3, 2, 2, 1), marks=pytest.mark.slow),
        (3, 2, 3, 1),
        pytest.param((2, 2, 3, 1), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_no_more_anchors_are_stored(row):
    game = CantStop(*row)
    rows = solve(game, plain=game.most_positions < 100).table.rows
    assert game.most_positions // 2 < rows <= game.most_positions


def test_examples_are_anchors_and_inside_is_their_mean():
    game, draw = CantStop(2, 3, 2, 2), random.Random(4)
    drawn = [game.example(draw) for _ in range(4000)]
    assert all(game.anchor(p) for p in drawn)
    counts = game.counts
    every = counts.components + counts.skipped
    assert len(set(map(game.representative, drawn))) > 2000
    mean = sum(map(game.inside, drawn)) / len(drawn)
    # The mean over components is another one, since some stand for more placements.
    assert mean == pytest.approx(counts.positions / counts.components / 2, rel=0.2)
    assert every > counts.components


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.slow), 3, 4])
def test_official_games_are_planned_by_formula(players):
    game = CantStop(players, 6, 3, 3, 3)
    assert game.most_positions == game.counts.components + 1
    assert {2: 17, 3: 25, 4: 32}[players] == len(str(game.most_positions)) - 1
    if players == 2:
        found = plan(game, seconds=0.1)
        assert found.inside == game.most_inside
        assert found.fits is False
        assert found.core_hours > 1e10
