"""Bear-off and backgammon races against plain recursions, written from the rules."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from perfectplay import solve
from perfectplay.games.races.backgammon import BackgammonRace
from perfectplay.games.races.bearoff import BearOff

Board = tuple[int, ...]
"""The points of all checkers, in order."""


@cache
def played(board: Board, numbers: tuple[int, ...]) -> frozenset[Board]:
    """All boards after these numbers in this order."""
    if not numbers or not board:
        return frozenset([board])
    die, found = numbers[0], set()
    for i, point in enumerate(board):
        rest = board[:i] + board[i + 1 :]
        if point > die:
            found.add(tuple(sorted((*rest, point - die))))
        elif max(board) <= 6 and (point == die or point == max(board)):
            found.add(rest)
    return frozenset().union(*(played(q, numbers[1:]) for q in found))


def after(board: Board, dice: tuple[int, int]) -> frozenset[Board]:
    """All boards that a roll can lead to."""
    if dice[0] == dice[1]:
        return played(board, dice * 2)
    return played(board, dice) | played(board, dice[::-1])


def rolls(sides: int) -> list[tuple[int, int]]:
    return list(product(range(1, sides + 1), repeat=2))


@cache
def alone(board: Board, sides: int) -> Fraction:
    """Least expected rolls."""
    if not board:
        return Fraction(0)
    total = sum(1 + min(alone(q, sides) for q in after(board, dice)) for dice in rolls(sides))
    return Fraction(total, sides**2)


@cache
def race(mine: Board, theirs: Board, sides: int) -> Fraction:
    """Chance of winning of the player who is to roll."""
    if not theirs:
        return Fraction(0)
    best = [max(1 - race(theirs, q, sides) for q in after(mine, dice)) for dice in rolls(sides)]
    return sum(best) / sides**2


@cache
def equity(mine: Board, theirs: Board, sides: int, shows: int, owner: int, most: int) -> Fraction:
    """Points won by the player on turn; the owner of the cube is 1 he, -1 the other, 0 nobody."""
    if not theirs:
        return Fraction(-shows)

    def rolling(shows: int, owner: int) -> Fraction:
        best = [
            max(-equity(theirs, q, sides, shows, -owner, most) for q in after(mine, dice))
            for dice in rolls(sides)
        ]
        return sum(best) / sides**2

    hold = rolling(shows, owner)
    if owner < 0 or shows == most:
        return hold
    return max(hold, min(Fraction(shows), rolling(2 * shows, -1)))


def board_of(words: str) -> Board:
    counts = [int(word) for word in words.split()]
    return tuple(point for point, n in enumerate(counts, 1) for _ in range(n))


@pytest.mark.parametrize(
    "game",
    [BearOff(4, 3), BearOff(8, 2), BearOff(6, 4, sides=3), BearOff(1, 5), BearOff(9, 1, sides=1)],
    ids=repr,
)
def test_least_rolls(game: BearOff) -> None:
    solution = solve(game, exact=True, plain=True)
    for p in game.starts():
        board = board_of(game.text(p))
        assert solution.value(p).exact == alone(board, game.sides), board


@pytest.mark.parametrize(
    "game", [BackgammonRace(6, 1), BackgammonRace(3, 2, sides=4), BackgammonRace(2, 4)], ids=repr
)
def test_chance_of_winning(game: BackgammonRace) -> None:
    solution = solve(game, exact=True, plain=True)
    for p in game.starts():
        mine, theirs = game.text(p).partition(",")[0].split("|")
        expected = race(board_of(mine), board_of(theirs), game.sides)
        assert solution.value(p).exact == expected, game.text(p)


@pytest.mark.parametrize("game", [BackgammonRace(6, 1, 4), BackgammonRace(3, 2, 8)], ids=repr)
def test_points_with_a_cube(game: BackgammonRace) -> None:
    solution = solve(game, exact=True)
    for p in game.starts():
        mine, theirs = game.text(p).partition(",")[0].split("|")
        boards = board_of(mine), board_of(theirs)
        assert solution.value(p).exact == equity(*boards, game.sides, 1, 0, game.cube)
        taken = game.parse(f"{mine}|{theirs}, player 1, cube 2 of player 2")
        assert solution.value(taken).exact == equity(*boards, game.sides, 2, -1, game.cube)


def test_a_higher_cube_changes_nothing_in_a_short_race() -> None:
    # Two single checkers on point 6 last for a few rolls.
    values = {cube: equity((6,), (6,), 6, 1, 0, cube) for cube in (16, 32, 64)}
    assert len(set(values.values())) == 1
    game = BackgammonRace(6, 1, 32, layout=(0, 0, 0, 0, 0, 1))
    solution = solve(game, exact=True)
    assert solution.value(solution.start).exact == values[64]


def test_an_impossible_double_is_refused() -> None:
    game = BackgammonRace(6, 2, 2)
    for words in ("cube 2 of player 1, doubled", "cube 4 of player 1", "cube 2", "roll 2-3"):
        with pytest.raises(ValueError, match=": "):
            game.parse(f"0 0 0 0 0 1 | 0 0 0 0 0 1, player 1, {words}")
