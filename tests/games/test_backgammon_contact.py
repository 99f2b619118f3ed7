"""Backgammon with contact against value iteration over plays of whole rolls, from the rules."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from perfectplay import solve
from perfectplay.games.races.backgammon_contact import Backgammon
from perfectplay.rules.game import OVER

Board = tuple[tuple[int, ...], tuple[int, ...]]
"""Checkers of the mover and of the other by their own points, with the bar last."""


def one_step(game: Backgammon, board: Board, die: int) -> set[Board]:
    """All boards after one number, by the mover's points 0 (off), 1, …, bar."""
    mine, other = board
    found = set()
    sources = [i for i in range(1, game.points + 2) if mine[i]]
    if mine[-1]:
        sources = [game.points + 1]
    for start in sources:
        to = start - die
        if to < 1:
            at_home = sources[-1] <= game.home
            if not at_home or (to < 0 and start != sources[-1]):
                continue
            to = 0
        facing = game.points + 1 - to
        if to and other[facing] > 1:
            continue
        new, hit = list(mine), list(other)
        new[start] -= 1
        new[to] += 1
        if to and other[facing] == 1:
            hit[facing] -= 1
            hit[-1] += 1
        found.add((tuple(new), tuple(hit)))
    return found


def plays(game: Backgammon, board: Board, dice: tuple[int, ...]) -> set[Board]:
    """All boards that a legal play of the roll leads to."""
    total = sum(board[0])
    ends: list[tuple[int, int, Board]] = []  # numbers played, the largest of them, board

    def walk(now: Board, left: tuple[int, ...], played: tuple[int, ...]) -> None:
        after = one_step(game, now, left[0]) if left and now[0][0] < total else set()
        for q in after:
            walk(q, left[1:], (*played, left[0]))
        if not after:
            done = len(dice) if now[0][0] == total else len(played)
            ends.append((done, max(played, default=0), now))

    for order in set(permutations(dice)):
        walk(board, order, ())
    most = max(done for done, _, _ in ends)
    ends = [end for end in ends if end[0] == most]
    if most == 1 and len(dice) == 2:
        largest = max(die for _, die, _ in ends)
        ends = [end for end in ends if end[1] == largest]
    return {board for _, _, board in ends}


def values(game: Backgammon) -> dict[Board, float]:
    """What every position before a roll is worth to the mover."""
    start = board_of(game, game.start())
    ways: dict[Board, list[list[Board]]] = {}
    todo = [start]
    while todo:
        here = todo.pop()
        if here in ways or sum(here[1][1:]) == 0:
            continue
        ways[here] = []
        for one in range(1, game.sides + 1):
            for other in range(1, game.sides + 1):
                dice = (one,) * 4 if one == other else (one, other)
                after = [(q[1], q[0]) for q in plays(game, here, dice)]
                ways[here].append(after)
                todo.extend(after)
    worth, change = dict.fromkeys(ways, 0.5), 1.0
    while change > 1e-13:
        change = 0.0
        for here, rolls in ways.items():
            # A board that is not in `worth` is lost for whoever would have to roll.
            new = sum(max(1 - worth.get(q, 0.0) for q in after) for after in rolls) / len(rolls)
            change = max(change, abs(new - worth[here]))
            worth[here] = new
    return worth


def board_of(game: Backgammon, p: int) -> Board:
    """The same position as numbers by point."""
    sides = []
    for player in (0, 1):
        words = game.side_text(p, player).split()
        places = [game.bar if w == "bar" else int(w) for w in words if w != "off"]
        numbers = [places.count(i) for i in range(game.points + 2)]
        numbers[0] = game.checkers - len(places)
        sides.append(tuple(numbers))
    turn = game.turn(p)
    return sides[turn], sides[1 - turn]


@pytest.mark.parametrize(
    "game",
    [
        Backgammon(1, 7, 3, 3),
        Backgammon(2, 4, 2, 2),
        Backgammon(2, 5, 2, 3),
        Backgammon(3, 6, 2, 2, first=(1, 2, 2), second=(1, 2, 7)),
        Backgammon(2, 4, 4, 2),
    ],
    ids=repr,
)
def test_every_position_equals_value_iteration(game: Backgammon) -> None:
    # Rules with other parameters would be compiled anew.
    compiled = not game.first and game.checkers == 2
    twin, solution, compared = values(game), solve(game, plain=not compiled), 0
    for p in reached(game):
        if game.anchor(p) and game.to_move(p) != OVER:
            assert float(solution.value(p)) == pytest.approx(twin[board_of(game, p)], abs=1e-9)
            compared += 1
    assert compared == len(twin)


def reached(game: Backgammon) -> set[int]:
    """All positions of a game."""
    todo, seen = [game.start()], {game.start()}
    while todo:
        p: Any = todo.pop()
        if game.to_move(p) == OVER:
            continue
        rolling = game.anchor(p)
        after = (
            [q for _, q in game.chances(p)]
            if rolling
            else [game.play(p, m) for m in game.moves(p)]
        )
        for q in map(game.representative, after):
            if q not in seen:
                seen.add(q)
                todo.append(q)
    return seen


def texts(game: Backgammon, position: str) -> set[str]:
    p = game.parse(position)
    return {game.move_text(p, m) for m in game.moves(p)}


@pytest.mark.parametrize(
    ("position", "plays"),
    [
        ("24 | 12 12 7, player 1, roll 6-5", {"24/18*"}),  # not both: the larger
        ("24 | 6 6 8, player 1, roll 6-5", {"24/18 18/13"}),  # 5 first is blocked
        ("bar 3 | 5 5 4, player 1, roll 5-4", {"bar/21* 21/16"}),  # 3/off is not yet allowed
        ("bar bar | 5 5 4, player 1, roll 5-4", {"bar/21*"}),
        ("bar 3 | 5 5 3, player 1, roll 5-5", {"no move"}),
        ("6 5 2 | 6, player 1, roll 4-3", {"5/1 6/3", "6/2 5/2"}),
        ("2 1 | bar, player 1, roll 6-5", {"2/off 1/off"}),
        ("1 | bar, player 1, roll 6-5", {"1/off"}),
        ("24 | 7 7, player 1, roll 2-2", {"24/22 22/20"}),  # a double as far as it goes
        ("bar 5 | bar 9, player 2, roll 2-1", {"bar/23 23/22", "bar/24 9/7", "bar/23 9/8"}),
    ],
)
def test_what_a_roll_allows(position: str, plays: set[str]) -> None:
    game = Backgammon(3)
    p = game.parse(position)
    assert {game.move_text(p, m) for m in game.moves(p)} == plays


def test_hypergammon_has_as_many_positions_as_published() -> None:
    assert Backgammon(3).most_positions == 7_959_904
    assert Backgammon(1).most_positions == 652
