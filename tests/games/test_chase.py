"""Race games with hits, against value iteration written from the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import NamedTuple

import pytest

from perfectplay import solve
from perfectplay.games.races.chase import Ludo
from perfectplay.games.races.ur import Ur


class Rules(NamedTuple):
    """A race: places 1 to last, then home; where(player, place) names a cell, equal if shared."""

    last: int
    rolls: dict[int, int]
    cell: Callable[[int, int], object]
    safe: Callable[[object], bool]
    again: Callable[[int, int], bool]
    exact: bool = True
    enter: int = 0


Men = tuple[int, ...]
"""The places of a player's pieces, in order; 0 waits. Pieces at home are left out."""


def results(rules: Rules, mine: Men, theirs: Men, roll: int) -> Iterator[tuple[Men, Men, bool]]:
    """Both players' pieces after each move, seen by the mover, and whether he goes on."""
    for place in sorted(set(mine)):
        to = place + roll
        if place == 0 and rules.enter:
            if roll != rules.enter:
                continue
            to = 1
        if to > rules.last + 1 and rules.exact:
            continue
        to = min(to, rules.last + 1)
        rest = list(mine)
        rest.remove(place)
        if to > rules.last:
            yield tuple(rest), theirs, rules.again(to, roll)
            continue
        if to in rest:
            continue
        cell = rules.cell(0, to)
        hit = [i for i in theirs if i and rules.cell(1, i) == cell]
        if hit and rules.safe(cell):
            continue
        others = [0 if i in hit else i for i in theirs]
        yield tuple(sorted([*rest, to])), tuple(sorted(others)), rules.again(to, roll)


def first_wins(rules: Rules, pieces: int) -> float:
    """The chance that the player who begins wins."""
    start = ((0,) * pieces, (0,) * pieces)
    # For each position and roll the choices: (position after, whether it is the other's turn).
    ways: dict[tuple[Men, Men], list[tuple[int, list[tuple[tuple[Men, Men], bool]]]]] = {}
    todo = [start]
    while todo:
        here = todo.pop()
        if here in ways or not here[0] or not here[1]:
            continue
        ways[here] = []
        for roll, weight in rules.rolls.items():
            after = list(results(rules, *here, roll)) if roll else []
            after = after or [(*here, False)]
            choices = [((a, b), False) if on or not a else ((b, a), True) for a, b, on in after]
            ways[here].append((weight, choices))
            todo.extend(position for position, _ in choices)
    total, change = sum(rules.rolls.values()), 1.0
    worth = dict.fromkeys(ways, 0.5)

    def value(position: tuple[Men, Men], other: bool) -> float:
        if not position[0]:
            return 1.0
        return 1 - worth[position] if other else worth[position]

    while change > 1e-13:
        change = 0.0
        for here, rolls in ways.items():
            new = sum(w * max(value(q, other) for q, other in choices) for w, choices in rolls)
            change = max(change, abs(new / total - worth[here]))
            worth[here] = new / total
    return worth[start]


def ur(game: Ur) -> Rules:
    return Rules(
        14,
        {roll: comb(game.dice, roll) for roll in range(game.dice + 1)},
        lambda player, i: i if 5 <= i <= 12 else (player, i),
        lambda cell: game.safe and cell == 8,
        lambda to, roll: game.again and to in (4, 8, 14),
    )


def ludo(game: Ludo) -> Rules:
    half = game.length // 2

    def cell(player: int, i: int) -> int:
        return (i - 1 + player * half) % game.length

    safe = {cell(player, i) for i in game.safe for player in (0, 1)}
    return Rules(
        game.length,
        dict.fromkeys(range(1, game.sides + 1), 1),
        cell,
        lambda cell: cell in safe,
        lambda to, roll: game.again and roll == game.sides,
        game.exact,
        game.enter,
    )


@pytest.mark.parametrize("game", [Ur(), Ur(dice=2, safe=False), Ur(dice=3, again=False)], ids=repr)
def test_ur(game: Ur) -> None:
    value = (solution := solve(game)).value(solution.start)
    assert float(value) == pytest.approx(first_wins(ur(game), game.pieces), abs=1e-9)
    assert value.error < 1e-12


@pytest.mark.parametrize(
    "game",
    [
        Ludo(1, 2, 2, exact=False),
        Ludo(1, 8, 4),
        Ludo(2, 4, 3, again=True),
        Ludo(2, 6, 3, (2,), exact=False),
        Ludo(1, 6, 5, (1, 3), enter=5, again=True),
        Ludo(3, 4, 2, enter=1),
    ],
    ids=repr,
)
def test_ludo(game: Ludo) -> None:
    value = (solution := solve(game)).value(solution.start)
    assert float(value) == pytest.approx(first_wins(ludo(game), game.pieces), abs=1e-9)
    assert value.error < 1e-12


def test_one_space_in_front_of_the_opponent_may_be_best() -> None:
    """Smith's survey tells of such positions in Ludo, from unpublished work."""
    game = Ludo()
    p = game.parse("0 waiting 2 8 | 1 waiting 11, player 1, roll 4")
    assert game.opposite(11) == 5
    solution = solve(game)
    best, other = solution.moves(p)
    assert (best.text, other.text) == ("2-6", "8-12")
    assert best.value.lower > other.value.upper + 0.03
