"""Rock, paper, scissors as a race: the first to so many points wins; ties are played again.

Both players show a hand at once: rock blunts scissors, scissors cut paper, paper wraps rock. The
winner of a round goes ahead by the points of their hand, `rock`, `paper` or `scissors`; if both
show the same, the round is played again, perhaps for ever. The first to reach `goal` wins.

With one point for each hand all hands are equally good. In the Japanese race Glico, played on
stairs, rock brings 3 steps, paper and scissors 6, and the best mixture depends on the score.

Check: with one point for every hand each round is a fair coin. At level scores both win with
probability 1/2; who needs 1 point more while the other needs 2 wins with 3/4.

A position is (points of player 0, points of player 1), neither counted beyond the goal.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import SimultaneousMoves
from perfectplay.rules.game import OVER, SIMULTANEOUS, Game

HANDS = ("rock", "paper", "scissors")
"""Each beats the one before it, and rock beats scissors."""

Position = tuple[int, int]


@dataclass(frozen=True)
class RockPaperScissors(SimultaneousMoves, Game):
    """A race to `goal` points; the hands bring `rock`, `paper` and `scissors` points."""

    goal: int = 3
    rock: int = 1
    paper: int = 1
    scissors: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.goal <= 1000:
            raise UsageError(f"no race to {self.goal} points", "use 1 to 1000")
        for hand in HANDS:
            if getattr(self, hand) < 1:
                raise UsageError(f"{hand} brings {getattr(self, hand)} points", "use 1 or more")

    def start(self) -> Position:
        return 0, 0

    def to_move(self, p: Position) -> int:
        return OVER if self.goal in p else SIMULTANEOUS

    def choices(self, p: Position, player: int) -> Iterable[str]:
        return HANDS

    def play(self, p: Position, m: tuple[str, str]) -> Position:
        ahead = (HANDS.index(m[0]) - HANDS.index(m[1])) % 3
        if ahead == 0:
            return p
        winner = 0 if ahead == 1 else 1
        points = min(self.goal, p[winner] + int(getattr(self, m[winner])))
        return (points, p[1]) if winner == 0 else (p[0], points)

    def payoff(self, p: Position) -> tuple[int, int]:
        return (1, 0) if p[0] == self.goal else (0, 1)

    def stratum(self, p: Position) -> int:
        return 2 * self.goal - p[0] - p[1]

    def text(self, p: Position) -> str:
        return f"{p[0]}-{p[1]}"

    def picture(self, p: Position) -> str:
        parts = []
        for i, points in enumerate(p):
            colour = svg.COLOURS[i]
            parts.append(svg.note(0, 40 * i, f"{self.player_name(i)}: {points}", 13, colour))
            parts.append(svg.box(0, 40 * i + 10, 240, 12))
            parts.append(svg.box(0, 40 * i + 10, 240 * points / self.goal, 12, colour, colour))
        return svg.svg(240, 64, parts)

    def parse(self, s: str) -> Position:
        found = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", s)
        if found is None:
            raise ValueError(f"{s!r}: a position looks like {self.text((1, 0))!r}")
        return int(found[1]), int(found[2])
