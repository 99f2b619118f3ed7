"""Yahtzee against a plain recursion in fractions: whole rolls, whole choices, true points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

from perfectplay import load, solve
from perfectplay.games.dice.yahtzee import Yahtzee

Dice = tuple[int, ...]


def plain_score(dice: Dice, box: str, joker: bool) -> int:
    """What dice score in a box, by the rule book."""
    often = Counter(dice)
    rows = {tuple(range(a, a + len(dice))) for a in range(1, 9)}
    short = {row[:-1] for row in rows}
    total = sum(dice)
    match box:
        case "three" | "four":
            return total if max(often.values()) >= (3 if box == "three" else 4) else 0
        case "house":
            return 25 if joker or (len(often) == 2 and min(often.values()) >= 2) else 0
        case "small":
            return 30 if joker or any(set(row) <= set(dice) for row in short) else 0
        case "large":
            return 40 if joker or any(set(row) <= set(dice) for row in rows) else 0
        case "yahtzee":
            return 50 if len(often) == 1 else 0
        case "chance":
            return total
    return int(box) * often[int(box)]


def twin(game: Yahtzee) -> Fraction:
    """The value of the start."""
    upper = [str(face) for face in range(1, game.sides + 1)]
    lower = ["three", "four", "house", "small", "large", "yahtzee", "chance"]
    names = game.boxes or (*upper, *lower)
    play_yahtzee = "yahtzee" in names

    def boxes(dice: Dice, free: frozenset[str]) -> Iterator[tuple[str, bool]]:
        """Where dice may be scored, and whether they are a joker."""
        closed = play_yahtzee and "yahtzee" not in free
        if game.joker == "none" or not closed or len(set(dice)) > 1:
            yield from ((box, False) for box in free)
            return
        own, low = str(dice[0]), free & set(lower)
        joker = own not in free
        if game.joker == "forced" and own in free:
            yield own, False
        elif game.joker != "free" and joker and low:
            yield from ((box, True) for box in low)
        else:
            yield from ((box, joker) for box in free)

    @cache
    def card(free: frozenset[str], points: int, fifty: bool) -> Fraction:
        """What is still to come when a turn begins."""
        if not free:
            return Fraction(0)

        @cache
        def scored(dice: Dice) -> Fraction:
            worth = []
            for box, joker in boxes(dice, free):
                earned = plain_score(dice, box, joker)
                now = points + (earned if box in upper else 0)
                more = earned + (100 if fifty and len(set(dice)) == 1 else 0)
                more += game.bonus if points < game.bonus_at <= now else 0
                flag = fifty or (box == "yahtzee" and earned > 0 and game.joker != "none")
                worth.append(more + card(free - {box}, now, flag))
            return max(worth)

        @cache
        def thrown(kept: Dice, left: int) -> Fraction:
            """The dice that are not kept are rolled; then there are so many rerolls left."""
            rolls = list(product(range(1, game.sides + 1), repeat=game.dice - len(kept)))
            shown = (choice(tuple(sorted(kept + roll)), left) for roll in rolls)
            return sum(shown, Fraction(0)) / len(rolls)

        @cache
        def choice(dice: Dice, left: int) -> Fraction:
            if left == 0:
                return scored(dice)
            keeps = {kept for n in range(game.dice) for kept in combinations(dice, n)}
            return max(scored(dice), *(thrown(kept, left - 1) for kept in keeps))

        return thrown((), game.rerolls)

    return card(frozenset(names), 0, fifty=False)


GAMES = [
    Yahtzee(2, 2, 1, ("1", "2", "yahtzee", "large", "chance"), bonus_at=5),
    Yahtzee(2, 2, 1, ("1", "2", "yahtzee", "large", "small"), "forced", bonus_at=5),
    Yahtzee(2, 2, 1, ("1", "2", "yahtzee", "large", "house"), "intermediate", bonus_at=5),
    Yahtzee(2, 2, 2, ("1", "2", "yahtzee", "large", "chance"), "none", 7, 5),
    Yahtzee(3, 3, 1, ("1", "3", "three", "yahtzee", "small"), bonus=9, bonus_at=8),
    Yahtzee(4, 3, 1, ("2", "house", "four", "large"), bonus=0),
    Yahtzee(5, 2, 0, ("1", "2", "yahtzee", "house"), bonus_at=5),
    Yahtzee(5, 6, 1, ("chance",)),
    Yahtzee(5, 6, 1, ("house", "small")),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_yahtzee_is_the_recursion(game: Yahtzee) -> None:
    # Compiled rules are compared with these elsewhere, and take long to compile.
    solution = solve(game, exact=True, plain=game.sides < 6)
    assert solution.value(solution.start).exact == twin(game)


def test_equivalent_points_change_nothing() -> None:
    """With a representative for points, values are those of the game without."""

    class Apart(Yahtzee):
        def representative(self, p: int) -> int:
            return p

    for game in GAMES[:2]:
        apart = Apart(game.dice, game.sides, game.rerolls, game.boxes, game.joker, game.bonus, 5)
        fine = solve(apart, exact=True, plain=True)
        coarse = solve(game, exact=True, plain=True)
        assert coarse.table.rows < fine.table.rows
        assert fine.value(fine.start).exact == coarse.value(coarse.start).exact


def test_the_last_box_by_hand() -> None:
    """A single chance box without rerolls is worth the mean of the dice."""
    solution = solve(load("yahtzee", {"boxes": ("chance",), "rerolls": 0}), exact=True)
    assert solution.value(solution.start).exact == Fraction(35, 2)
    # The chance of a Yahtzee in three rolls, by the chain of how many dice are equal.
    solution = solve(load("yahtzee", {"boxes": ("yahtzee",)}), exact=True)
    assert solution.value(solution.start).exact / 50 == Fraction(347897, 7558272)
