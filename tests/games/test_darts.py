"""Darts against value iteration over whole turns, and against facts about perfect players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.games.decisions.dartboard import PARTS, TREBLE, chances, field_names, fitted
from perfectplay.games.decisions.darts import LONDON, Darts

Field = tuple[int, int]
"""Points and factor; the bull counts as a double."""


def throws(game: Darts) -> list[dict[Field, float]]:
    """For every aim, the chance of each field; (0, 0) is a miss."""
    n, found = len(game.board), []
    if game.sigma:
        factors = [0, *(1, 2, 3) * n, 1, 2]
        points = [0, *(k * i for i in game.board for k in (1, 2, 3)), 25, 50]
        fields = list(zip(points, factors, strict=True))
        return [dict(zip(fields, row / row.sum(), strict=True)) for row in game.throws[1:]]
    beside = (game.sector[1], game.sector[0], game.sector[1])
    rings = {
        1: {1: game.single[0], 2: game.single[1], 3: game.single[2]},
        2: {2: game.double[0], 1: game.double[1], 0: game.double[2]},
        3: {3: game.treble[0], 1: game.treble[1]},
    }
    for i in range(n):
        for aimed in (1, 2, 3):
            hit: Counter[Field] = Counter()
            for side, weight in zip((-1, 0, 1), beside, strict=True):
                number = game.board[(i + side) % n]
                for factor, ring in rings[aimed].items():
                    hit[number * factor, factor] += weight * ring
            if game.perfect:
                hit = Counter({(game.board[i] * aimed, aimed): 1})
            found.append(hit)
    for aimed, (outer, bull, single) in (((25, 1), game.outer), ((50, 2), game.bull)):
        hit = Counter({(25, 1): outer * n, (50, 2): bull * n})
        for number in game.board:
            hit[number, 1] += single
        found.append(Counter({aimed: 1}) if game.perfect else hit)
    return [{k: w / sum(hit.values()) for k, w in hit.items() if w} for hit in found]


def finishes(game: Darts, factor: int) -> bool:
    allowed = {"double": (2,), "master": (2, 3), "straight": (1, 2, 3)}
    return factor in allowed[game.out]


def after(game: Darts, rest: int, field: Field) -> int:
    """The score after a dart; -1 for a bust."""
    rest -= field[0]
    if rest == 0 and finishes(game, field[1]):
        return 0
    return rest if rest >= (1 if game.out == "straight" else 2) else -1


def alone(game: Darts) -> list[float]:
    """The least expected number of darts or turns, by score at the start of a turn."""
    aims, known = throws(game), [0.0] * (game.score + 1)

    def turn(score: int, guess: float) -> float:
        @cache
        def worth(rest: int, left: int) -> float:
            if rest == 0:
                return 0
            if rest < 0 or left == 0:
                return guess if rest in (score, -1) else known[rest]
            return min(
                sum(chance * worth(after(game, rest, f), left - 1) for f, chance in aim.items())
                for aim in aims
            ) + (not game.turns or left == game.darts)

        return worth(score, game.darts)

    for score in range(1 if game.out == "straight" else 2, game.score + 1):
        guess, old = 0.0, -1.0
        while guess - old > 1e-13 * guess:
            guess, old = turn(score, guess), guess
        known[score] = guess
    return known


def race(game: Darts) -> float:
    """The first of two players' chance of winning."""
    aims = throws(game)
    least = 1 if game.out == "straight" else 2
    chance = {(s, t): 0.5 for s in range(least, game.score + 1) for t in range(least, s + 1)}
    chance |= {(t, s): 0.5 for s, t in chance}

    def turn(score: int, other: int) -> float:
        @cache
        def worth(rest: int, left: int) -> float:
            if rest == 0:
                return 1
            if rest < 0:
                return 1 - chance[other, score]
            if left == 0:
                return 1 - chance[other, rest]
            return max(
                sum(c * worth(after(game, rest, f), left - 1) for f, c in aim.items())
                for aim in aims
            )

        return worth(score, game.darts)

    for s, t in sorted(chance, key=sum):
        change = 1.0
        while s <= t and change > 1e-14:
            first, second = turn(s, t), turn(t, s)
            change = abs(first - chance[s, t]) + abs(second - chance[t, s])
            chance[s, t], chance[t, s] = first, second
    return chance[game.score, game.score]


@pytest.mark.parametrize(
    "game",
    [
        Darts(14, board=(1, 4, 2, 3)),
        Darts(14, board=(1, 4, 2, 3), turns=True),
        Darts(12, board=(3, 1, 5), out="straight", darts=2, double=(1, 1, 5)),
        Darts(9, board=(2, 1), out="master", sector=(1, 1), treble=(3, 1), single=(5, 0, 2)),
        Darts(70, board=(1,), darts=1, bull=(1, 3, 1)),
        Darts(13, board=(1, 4, 2, 3), darts=2, sigma=40),
        Darts(53, board=(1, 17), darts=2, turns=True, outer=(3, 0, 2)),
    ],
    ids=repr,
)
def test_one_player(game: Darts) -> None:
    solution = solve(game, plain=True)
    assert float(solution.value(solution.start)) == pytest.approx(alone(game)[-1], abs=1e-9)


@pytest.mark.parametrize(
    "game",
    [
        Darts(7, 2, board=(1, 3, 2)),
        Darts(6, 2, 2, "straight", board=(1, 3), double=(2, 1, 1)),
        Darts(9, 2, 1, "master", board=(1, 4, 2)),
    ],
    ids=repr,
)
def test_two_players(game: Darts) -> None:
    solution = solve(game, plain=True)
    assert float(solution.value(solution.start)) == pytest.approx(race(game), abs=1e-9)


@pytest.fixture(scope="module")
def perfect() -> Any:
    return solve(Darts(perfect=True))


def checkouts(perfect: Any, darts: int) -> Iterator[int]:
    """Scores below 171 that a perfect player cannot finish with this number of darts."""
    for score in range(2, 171):
        p = perfect.position(f"{score}, player 1, dart 1")
        if perfect.value(p).exact > darts:
            yield score


def test_checkouts(perfect: Any) -> None:
    assert list(checkouts(perfect, 3)) == [159, 162, 163, 165, 166, 168, 169]
    assert max({*range(2, 171)} - {*checkouts(perfect, 2)}) == 110


def test_501_with_nine_darts_in_3944_ways(perfect: Any) -> None:
    game = perfect.game

    @cache
    def ways(p: int) -> int:
        needed = perfect.value(p).exact
        if needed == 0:
            return 1
        children = (game.play(p, m) for m in game.moves(p))
        return sum(ways(q) for q in children if perfect.value(q).exact == needed - 1)

    assert perfect.value(perfect.start).exact == 9
    assert ways(perfect.start) == 3944


def gridded(sigma: float, x: float, y: float, step: float, shift: float) -> dict[Field, float]:
    """The chance of each field for a dart aimed at a point, by adding up a grid of points."""
    line = np.arange(-170 + shift, 171, step)
    across, up = np.meshgrid(line, line)
    far, turned = np.hypot(across, up), np.arctan2(across, up)
    number = np.array(LONDON)[np.floor(turned / (np.pi / 10) + 0.5).astype(int) % 20]
    ring = np.select(
        [far <= 15.9, (far > 99) & (far <= 107), far <= 162, far <= 170], [0, 3, 1, 2]
    )
    near = np.exp(-((across - x) ** 2 + (up - y) ** 2) / (2 * sigma**2))
    near *= step**2 / (2 * np.pi * sigma**2)
    inner = {(50, 2): near[far <= 6.35].sum(), (25, 1): near[(far > 6.35) & (far <= 15.9)].sum()}
    found = {
        (k * i, k): near[(number == i) & (ring == k) & (far <= 170)].sum()
        for i in LONDON
        for k in (1, 2, 3)
    }
    return {**inner, **found}


@pytest.mark.parametrize(("aim", "far"), [("T20", 103), ("D20", 166), ("20", 134.5), ("bull", 0)])
def test_fields_are_integrated_over_the_board(aim: str, far: float) -> None:
    game = Darts(sigma=18)
    row = game.throws[field_names(game.board).index(aim)]
    twin, number = gridded(18, 0, far, 0.25, 0.125), len(LONDON)
    for field, weight in enumerate(row[1:], 1):
        factor = (field - 1) % 3 + 1 if field <= 3 * number else field - 3 * number
        points = 25 * factor if field > 3 * number else factor * LONDON[(field - 1) // 3]
        assert weight / PARTS == pytest.approx(twin[points, factor], abs=5e-4)
    assert row.sum() == PARTS


def mean(hit: dict[Field, float]) -> float:
    return float(sum(points * chance for (points, _), chance in hit.items()))


def integrated(sigma: float, far: float, turned: float) -> float:
    """The mean points of a dart aimed at a point."""
    row = chances(20, far, sigma, turned)
    points = [0, *(k * i for i in LONDON for k in (1, 2, 3)), 25, 50]
    return sum(a * b for a, b in zip(points, row, strict=True))


def test_from_which_sigma_on_treble_19_is_better() -> None:
    """A grid of 1 mm gives 16.4 mm, the figure quoted from the literature; the integral 16.9."""
    at_20, at_19 = (106.0, -0.019), (105.5, 11 * np.pi / 10 + 0.022)  # the best points, about
    assert integrated(16.8, *at_20) > integrated(16.8, *at_19)
    assert integrated(17.0, *at_20) < integrated(17.0, *at_19)
    x, y = 105.5 * np.sin(at_19[1]), 105.5 * np.cos(at_19[1])
    assert mean(gridded(16.2, -2, 106, 1, 0)) > mean(gridded(16.2, x, y, 1, 0))
    assert mean(gridded(16.6, -2, 106, 1, 0)) < mean(gridded(16.6, x, y, 1, 0))


def test_sigma_fitted_to_an_accuracy() -> None:
    sigma = fitted(1 / 3)
    assert chances(20, 103, sigma)[TREBLE] == pytest.approx(1 / 3, abs=1e-7)
    assert fitted(0.1) > sigma > fitted(0.5)
