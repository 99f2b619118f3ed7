"""Hog against a plain recursion in fractions over all rolls."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from perfectplay import load, solve
from perfectplay.games.dice.hog import Hog


@cache
def turn(dice: int, sides: int) -> dict[int, Fraction]:
    """How likely a turn with so many dice brings each number of points."""
    found: Counter[int] = Counter({0: 1})
    alive = found
    for _ in range(dice):
        alive = Counter()
        for total, face in product(found, range(2, sides + 1)):
            alive[total + face] += found[total]
        found = alive
    brings = {total: Fraction(count, sides**dice) for total, count in alive.items()}
    brings[0] = 1 - sum(brings.values())
    return brings


def first_wins(game: Hog) -> Fraction:
    """The chance of the first of two players."""

    @cache
    def options(i: int, j: int) -> list[tuple[Fraction, Fraction]]:
        """For each number of dice: the chance to win if the other wins nothing after a turn
        without points, and the chance of such a turn."""
        found = []
        for dice in range(1, game.most + 1):
            won = Fraction(0)
            for points, chance in turn(dice, game.sides).items():
                if i + points >= game.goal:
                    won += chance
                elif points:
                    won += chance * (1 - value(j, i + points))
            found.append((won, turn(dice, game.sides)[0]))
        return found

    @cache
    def value(i: int, j: int) -> Fraction:
        # x = a + b (1 - y) and y = c + d (1 - x), for the choices that neither wants to change.
        for a, b in options(i, j):
            for c, d in options(j, i):
                x = (a + b * (1 - c - d)) / (1 - b * d)
                y = c + d * (1 - x)
                if all(e + f * (1 - y) <= x for e, f in options(i, j)) and all(
                    e + f * (1 - x) <= y for e, f in options(j, i)
                ):
                    return x
        raise AssertionError

    return value(0, 0)


@pytest.mark.parametrize(
    "game", [Hog(2), Hog(9, most=3), Hog(12, most=5, sides=4), Hog(10, most=25)], ids=repr
)
def test_hog_is_the_recursion(game: Hog) -> None:
    solution = solve(game, exact=True)
    assert solution.value(solution.start).exact == first_wins(game)


def test_lots_change_nothing() -> None:
    """What a turn of many dice brings, as the rules roll them lot by lot."""
    game = Hog(120, most=40)

    @cache
    def brings(p: int) -> dict[str, Fraction]:
        if game.to_move(p) >= 0:
            return {game.text(p): Fraction(1)}
        found: Counter[str] = Counter()
        total = sum(int(weight) for weight, _ in game.chances(p))
        for weight, q in game.chances(p):
            after = brings(q) if game.to_move(q) == -1 else {game.text(q): Fraction(1)}
            for text, chance in after.items():
                found[text] += Fraction(int(weight), total) * chance
        return dict(found)

    for dice in (5, 16, 17, 33, 40):
        wanted: Counter[str] = Counter()
        for points, chance in turn(dice, 6).items():
            over = points >= game.goal
            text = "120-0, player 1" if over else f"{points}-0, player 2"
            wanted[text] += chance
        assert brings(game.play(game.start(), dice)) == dict(wanted)


def test_five_and_six_dice_bring_most() -> None:
    means = [sum(p * chance for p, chance in turn(n, 6).items()) for n in range(1, 31)]
    assert max(means) == means[4] == means[5] == Fraction(15625, 1944)


def test_alone() -> None:
    """One turn after the other until the goal: the least mean by the recursion."""

    @cache
    def turns(left: int) -> Fraction:
        worth = []
        for dice in range(1, 5):
            brings = turn(dice, 6)
            later = sum(
                chance * turns(left - points)
                for points, chance in brings.items()
                if 0 < points < left
            )
            worth.append((1 + later) / (1 - brings[0]))
        return min(worth)

    solution = solve(load("hog", {"goal": 25, "most": 4, "players": 1}), exact=True)
    assert solution.value(solution.start).exact == turns(25)
