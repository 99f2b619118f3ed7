"""A reward that is a number: who moves earns it, and of two players the other loses as much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from test_turns import Gamble, by_steps, reached

from perfectplay import OVER, Game, solve
from perfectplay.verification.verify import verify


@dataclass(frozen=True)
class Errand(Game):
    """Player 2 earns 2, then player 1 earns 1, or stops; interests are not opposed."""

    players: int = 2
    pairs: bool = False
    """Whether rewards are pairs, and payoffs a number."""

    def start(self) -> int:
        return 2

    def to_move(self, p: int) -> int:
        return p - 1 if p > 0 else OVER

    def moves(self, p: int) -> Iterator[str]:
        yield "go"
        if p == 1:
            yield "stop"

    def play(self, p: int, m: str) -> int:
        return -1 if m == "stop" else p - 1

    def reward(self, p: int, m: str) -> Any:
        return (p, 1) if self.pairs else p

    def payoff(self, p: int) -> Any:
        if p < 0:
            return -9 if self.pairs else (-9, 0, 0)[: self.players]
        return 3 if self.pairs else (2, 5, 1)[: self.players]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("game", "before", "start"),
    [
        (Errand(), (3, 4), (1, 6)),
        (Errand(players=3), (3, 5, 1), (3, 7, 1)),
        (Errand(pairs=True), (4, -2), (6, -1)),
    ],
)
def test_stored_values_listed_moves_and_verification_count_rewards_alike(
    game: Game, before: tuple[int, ...], start: tuple[int, ...], exact: bool
) -> None:
    solution = solve(game, exact=exact)
    for p, wanted in ((1, before), (2, start)):
        assert tuple(map(float, solution.values(p))) == wanted
        assert float(solution.moves(p)[0].value) == wanted[p - 1]
    verify(solution.table, game)


@dataclass(frozen=True)
class PaidGamble(Gamble):
    """Turns in which moves of two players earn something; `opposed`: so are their interests."""

    opposed: bool = True

    def payoff(self, p: tuple[int, int, int]) -> tuple[int, ...]:
        first, second = Gamble.payoff(self, p)
        return (first, second) if self.opposed else (first, second + p[0] % 2 + p[2])

    def _next(self, p: tuple[int, int, int], draw: Any) -> tuple[int, int, int]:
        place, step, _ = p
        if step == 3 or draw.random() < 0.2:  # a turn ends further on: nothing is earned twice
            return (draw.randint(place + 1, self.size), 0, draw.randint(0, 2))
        return (place, step + 1, draw.randint(0, 2))

    def reward(self, p: tuple[int, int, int], m: int) -> int:
        return self._draw((p, m, "reward")).randint(-1, 2)

    def stratum(self, p: tuple[int, int, int]) -> int:
        return -p[0]


@pytest.mark.parametrize("opposed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rewards_inside_turns_count_like_those_between_them(opposed: bool, seed: int) -> None:
    game = PaidGamble(seed=seed, opposed=opposed)
    turns, steps = solve(game, exact=True), by_steps(game, exact=True)
    for p in reached(game):
        assert [v.lower for v in turns.values(p)] == [v.lower for v in steps.values(p)], p
    verify(turns.table, game)
    assert turns.table.header["facts"]["scalar"] == opposed
