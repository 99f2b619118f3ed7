"""A duel: two players walk towards each other, each with a few bullets. When to shoot?

At every step both choose at once to wait or to shoot. Shots are heard. At step k of `steps` a shot
hits with probability k / steps, so that at the last step, face to face, nobody misses. Who is hit
is out: the other wins 1, and if both are hit, or both have no bullet left, it is a draw. After
every round both walk one step on; at the last step everybody who has a bullet fires it. A player
whose opponent has no bullet left chooses alone. `bullets` and `others` are the numbers of bullets
of player 1 and player 2. `handicap`: player 2 hits as if he were so many steps further away.

Check: with one bullet each, and the same aim, the duel is a draw, and both shoot as soon as they
hit more often than not: who waits longer is shot at first, who shoots earlier misses too often.
With 5 steps, two bullets against one are worth 9/25.

A position is (step, bullets of both, shots): shots are 1 for a shot of player 0 that is in the
air, 2 for one of player 1; ended positions are (0, 0, 0, result).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import SimultaneousMoves
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game

Position = tuple[int, int, int, int]

WAIT, SHOOT = "wait", "shoot"


@dataclass(frozen=True)
class Duel(SimultaneousMoves, Game):
    """A duel of `steps` steps."""

    steps: int = 10
    bullets: int = 1
    others: int = 1
    handicap: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= 1000:
            raise UsageError(f"no duel of {self.steps} steps", "use 1 to 1000")
        if not 0 <= self.handicap < self.steps:
            raise UsageError(f"handicap {self.handicap}", f"use 0 to {self.steps - 1}")
        if min(self.bullets, self.others) < 0 or self.bullets + self.others < 1:
            raise UsageError(f"no duel with {self.bullets} and {self.others} bullets")

    def start(self) -> Position:
        return 1, self.bullets, self.others, 0

    def to_move(self, p: Position) -> int:
        step, mine, theirs, shots = p
        if step == 0:
            return OVER
        if shots:
            return CHANCE
        if mine and theirs:
            return SIMULTANEOUS
        return 0 if mine else 1

    def choices(self, p: Position, player: int) -> Iterator[str]:
        if p[0] < self.steps:
            yield WAIT
        yield SHOOT

    def moves(self, p: Position) -> Iterable[str]:
        return self.choices(p, self.to_move(p))

    def play(self, p: Position, m: str | tuple[str, str]) -> Position:
        both = m if isinstance(m, tuple) else (m, WAIT) if p[1] else (WAIT, m)
        shots = (both[0] == SHOOT) + 2 * (both[1] == SHOOT)
        step, mine, theirs, _ = p
        if not shots:
            return step + 1, mine, theirs, 0
        return step, mine - shots % 2, theirs - shots // 2, shots

    def aim(self, step: int, player: int) -> int:
        """In how many of `steps` cases a shot of a player hits at a step."""
        return step if player == 0 else max(step - self.handicap, 0)

    def chances(self, p: Position) -> Iterator[tuple[int, Position]]:
        step, mine, theirs, shots = p
        hit = [self.aim(step, i) if shots >> i & 1 else 0 for i in (0, 1)]
        miss = [self.steps - each for each in hit]
        if miss[0] * miss[1]:
            yield miss[0] * miss[1], self.on(step, mine, theirs)
        if hit[0] * miss[1]:
            yield hit[0] * miss[1], ended(1)
        if miss[0] * hit[1]:
            yield miss[0] * hit[1], ended(-1)
        if hit[0] * hit[1]:
            yield hit[0] * hit[1], ended(0)

    def on(self, step: int, mine: int, theirs: int) -> Position:
        """The next step, if there is one and somebody can shoot."""
        if step == self.steps or not mine + theirs:
            return ended(0)
        return step + 1, mine, theirs, 0

    def payoff(self, p: Position) -> int:
        return p[3]

    def stratum(self, p: Position) -> int:
        return 2 * (self.steps - p[0]) + (p[3] == 0) if p[0] else -1

    def text(self, p: Position) -> str:
        step, mine, theirs, shots = p
        if step == 0:
            return f"over: {shots}"
        return f"step {step}, bullets {mine}-{theirs}" + (f", shots {shots}" if shots else "")

    def picture(self, p: Position) -> str:
        step, mine, theirs, shots = p
        if step == 0:
            won = {1: self.player_name(0), -1: self.player_name(1)}.get(shots)
            return svg.svg(260, 50, svg.note(50, 22, f"{won} wins" if won else "a draw", 16))
        parts = [svg.line(0, 40, 260, 40, svg.LINE, 2)]
        for i, bullets in enumerate((mine, theirs)):
            walked = 110 * step / self.steps
            x, colour = (10 + walked, 250 - walked)[i], svg.COLOURS[i]
            parts.append(svg.stone(x, 30, 9, i))
            if shots >> i & 1:
                parts.append(svg.line(x, 16, 130, 16, svg.COLOURS[5], 2))
            words = f"{self.player_name(i)}: {bullets} {'bullet' if bullets == 1 else 'bullets'}"
            hits = f"hits {self.aim(step, i)} in {self.steps}"
            parts.append(svg.note(150 * i, 58, words, 11, colour))
            parts.append(svg.note(150 * i, 74, hits, 11, svg.FAINT))
        return svg.svg(260, 82, parts)

    def parse(self, s: str) -> Position:
        if found := re.fullmatch(r"over: (-1|0|1)", s.strip()):
            return ended(int(found[1]))
        found = re.fullmatch(r"step (\d+), bullets (\d+)-(\d+)(?:, shots ([123]))?", s.strip())
        if found is None or not 1 <= int(found[1]) <= self.steps:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return int(found[1]), int(found[2]), int(found[3]), int(found[4] or 0)


def ended(result: int) -> Position:
    """The position after the duel."""
    return 0, 0, 0, result
