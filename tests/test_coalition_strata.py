"""Seats: strata of games with sides are made from those of the game itself, and are the same as
those that running the rules with sides finds."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from perfectplay import CHANCE, OVER, Game, sided, solve
from perfectplay.errors import UsageError
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.pig import Piglet
from perfectplay.solving.route import along


@dataclass(frozen=True)
class Round(Game):
    """Three players, who are renamed, push a counter; moves earn something, and places that are
    multiples of 3 are left by chance. A position is (place, moves left, player on turn)."""

    players: int = 3
    length: int = 5
    begin: int = 1
    """How many players may begin."""
    native = True

    def starts(self) -> Iterator[tuple[int, int, int]]:
        for place in range(2):
            for turn in range(self.begin):
                yield (place, self.length, (turn + place) % self.players)

    def to_move(self, p: tuple[int, int, int]) -> int:
        if p[1] == 0:
            return OVER
        return CHANCE if p[0] % 3 == 0 else p[2]

    def turn(self, p: tuple[int, int, int]) -> int:
        return p[2]

    def moves(self, p: tuple[int, int, int]) -> Iterator[int]:
        for m in range(3):
            yield m

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        return ((p[0] * 2 + m) % 7, p[1] - 1, (p[2] + m % 2) % self.players)

    def chances(self, p: tuple[int, int, int]) -> Iterator[tuple[int, tuple[int, int, int]]]:
        for m in range(2):
            yield m + 1, ((p[0] + m + 1) % 7, p[1] - 1, (p[2] + 2 * m) % self.players)

    def reward(self, p: tuple[int, int, int], m: int) -> int:
        return (p[0] + m) % 2

    def payoff(self, p: tuple[int, int, int]) -> tuple[int, int, int]:
        a, b, c = p[0] % 4, (p[0] * p[0]) % 5, 2
        return (a, b, c) if p[2] == 0 else (c, a, b) if p[2] == 1 else (b, c, a)

    def representative(self, p: tuple[int, int, int]) -> tuple[int, int, int]:
        return (p[0], p[1], 0)

    def stratum(self, p: tuple[int, int, int]) -> int:
        return p[1]


@dataclass(frozen=True)
class Paid(Round):
    """What moves earn for everybody is not seen near the start."""

    def reward(self, p, m):  # type: ignore[no-untyped-def]
        return (0, 0, 1) if p[1] == 1 else 0


CASES = [
    (Round(), {"plain": True}),
    (Round(begin=2), {"plain": True}),
    (Round(begin=3, length=4), {"plain": True, "exact": True}),
    (Round(length=6), {}),
    (Piglet(3, players=3), {"plain": True}),
    (CantStop(3, 2, 1, 1), {"plain": True}),
    (CantStop(3, 2, 1, 1), {"plain": True, "exact": True}),
    (CantStop(3, 2, 2, 1), {}),
]


def cases():
    """Games with all kinds of sides; those that are compiled, which takes time, are slow."""
    for (game, how), sides in product(CASES, ["", "2+3", "1+3", "3:-1"]):
        slow = [pytest.mark.slow] if not how else []
        yield pytest.param(game, how, sides, marks=slow, id=f"{str(game)[:30]}-{how}-{sides}")


@pytest.mark.parametrize(("game", "how", "sides"), list(cases()))
def test_seats_are_those_that_the_rules_find(game, how, sides):
    quick = solve(sided(game, sides), **how).to_arrow().to_pydict()
    with along(coalitions=False):
        slow = solve(sided(game, sides), **how).to_arrow().to_pydict()
    assert list(quick) == list(slow)
    for name, column in quick.items():
        if column and isinstance(column[0], float):
            assert column == pytest.approx(slow[name], abs=1e-12), name
        else:
            assert column == slow[name], name


def test_only_seats_that_can_arise_are_made():
    """Whoever begins is known; after one move it may be anybody's turn."""
    for begin in (1, 2, 3):
        game = sided(Round(begin=begin, length=2), "2+3")
        table = solve(game, plain=True).table
        assert dict(table.strata)[2] == 2 * begin


def test_workers_change_nothing():
    game = sided(CantStop(3, 2, 2, 1), "2+3")
    assert len({solve(game, workers=n).table.signature for n in (1, 2, 3)}) == 1


def test_rewards_for_several_players_are_refused_wherever_they_are():
    with pytest.raises(UsageError, match="tuple"):
        solve(sided(Paid(length=40), "2+3"), plain=True)
