"""Battles of Risk against a plain recursion over all rolls of the dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from perfectplay import load, solve
from perfectplay.games.dice.risk import Risk


def compare(attack: tuple[int, ...], defence: tuple[int, ...]) -> tuple[int, int]:
    """How many armies attacker and defender lose."""
    pairs = list(zip(sorted(attack)[::-1], sorted(defence)[::-1], strict=False))
    lost = sum(a <= d for a, d in pairs)
    return lost, len(pairs) - lost


@pytest.mark.parametrize(
    ("attack", "defence", "counts"),
    [
        (1, 1, {0: 15, 1: 21}),
        (1, 2, {0: 55, 1: 161}),
        (2, 1, {0: 125, 1: 91}),
        (2, 2, {0: 295, 1: 420, 2: 581}),
        (3, 1, {0: 855, 1: 441}),
        (3, 2, {0: 2890, 1: 2611, 2: 2275}),
    ],
)
def test_rolls_are_counted(attack: int, defence: int, counts: dict[int, int]) -> None:
    """How often the attacker loses none, one or two armies, as published."""
    found = Risk().total[attack, defence]
    assert {n: int(count) for n, count in enumerate(found) if count} == counts
    rolled = product(product(range(1, 7), repeat=attack), product(range(1, 7), repeat=defence))
    assert Counter(compare(a, d)[0] for a, d in rolled) == counts


def twin(game: Risk) -> Fraction:
    """The value of the start to the attacker."""
    faces = range(1, game.sides + 1)

    def numbers(chooser: str, most: int) -> list[int]:
        free = game.attacker_chooses if chooser == "attacker" else game.defender_chooses
        return list(range(1, most + 1)) if free else [most]

    def mean(dice: int, worth: Callable[[tuple[int, ...]], Fraction]) -> Fraction:
        every = list(product(faces, repeat=dice))
        return sum(map(worth, every), Fraction(0)) / len(every)

    def ended(a: int, d: int) -> Fraction:
        if not game.armies:
            return Fraction(d == 0)
        return Fraction(game.defenders - d - game.attackers + a + (game.prize if d == 0 else 0))

    @cache
    def value(a: int, d: int) -> Fraction:
        if a == 0 or d == 0:
            return ended(a, d)

        def after(attack: tuple[int, ...], defence: tuple[int, ...]) -> Fraction:
            lost, won = compare(attack, defence)
            return value(a - lost, d - won)

        worth = [ended(a, d)] if game.retreat else []
        answers = numbers("defender", min(game.defence_dice, d))
        for n in numbers("attacker", min(game.attack_dice, a)):
            if game.seen:
                worth.append(
                    mean(n, lambda x: min(mean(k, lambda y: after(x, y)) for k in answers))
                )
            else:
                worth.append(
                    min(mean(n, lambda x, k=k: mean(k, lambda y: after(x, y))) for k in answers)
                )
        return max(worth)

    return value(game.attackers, game.defenders)


@pytest.mark.parametrize(
    "game",
    [
        Risk(3, 2),
        Risk(3, 3, attacker_chooses=True, defender_chooses=True, sides=3),
        Risk(2, 3, defender_chooses=True, seen=True),
        Risk(
            4,
            4,
            sides=3,
            attacker_chooses=True,
            defender_chooses=True,
            seen=True,
            retreat=True,
            armies=True,
            prize=3,
        ),
        Risk(5, 3, 2, 3, sides=3, attacker_chooses=True, retreat=True, armies=True),
        Risk(4, 4, 4, 1, sides=3, seen=True),
    ],
    ids=repr,
)
def test_risk_is_the_recursion(game: Risk) -> None:
    solution = solve(game, exact=True)
    assert solution.value(solution.start).exact == twin(game)


def test_nobody_gains_by_fewer_dice() -> None:
    """All dice are best for both, if the defender has not seen the attacker's."""
    many = {"attackers": 15, "defenders": 15}
    free = solve(load("risk", {**many, "attacker_chooses": True, "defender_chooses": True}))
    bound = solve(load("risk", many))
    assert abs(float(free.value(free.start)) - float(bound.value(bound.start))) < 1e-12
    seeing = {"attackers": 3, "defenders": 3, "defender_chooses": True, "seen": True}
    solution = solve(load("risk", seeing))
    low = solution.game.parse("3 against 3, 3 dice show 6 6 6, defender chooses")
    assert solution.moves(low)[0].text == "1 die"
