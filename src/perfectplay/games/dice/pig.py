"""Pig: roll a die as often as you dare; a 1 loses what the turn has brought.

In his turn a player rolls a die at least once. A 1 ends the turn and nothing is scored; any other
face is added to the turn total, and he may roll again or hold. Holding adds the turn total to his
score and ends the turn. The first to reach `goal` wins, at once. *Piglet* is played with a coin:
heads count 1, tails end the turn. Alone, a player wants to reach the goal in as few turns as
possible on average.

Check: in Pig to 100 the first of two players wins with probability 0.530592725274 and should hold
at 21 in his first turn; in Piglet to 2 with probability 4/7.

A position is one integer: ten bits for each of four scores, ten for the turn total, two for the
player on turn, one that is set while the die rolls. Positions that differ only in who is called
player 1 are one: the player on turn is made the first (so two players have positions (i, j, k) as
in the literature: own score, other score, turn total).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Anchors, Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game

HOLD, ROLL = 0, 1
LARGEST = 1000
OTHERS = ((), (), ("other",), ("next", "last"), ("next", "third", "last"))
"""What the other players are called, by number of players."""
TOTAL, TURN, ROLLING = 40, 50, 52
"""Where the turn total, the player on turn and the flag begin."""


def score_of(p: int, player: int) -> int:
    """The score of a player."""
    return (p >> (10 * player)) & 1023


def turn_total(p: int) -> int:
    """What the turn has brought so far."""
    return (p >> TOTAL) & 1023


@dataclass(frozen=True)
class Jeopardy(Anchors, Charted, Game):
    """A race to `goal` in which every turn may be pushed too far. Subclasses tell the chances."""

    goal: int = 100
    players: int = field(default=2, kw_only=True)
    prizes: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    """What each player gets, by winner."""

    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """One player alone counts his turns."""
        return self.players == 1

    def __post_init__(self) -> None:
        if not 1 <= self.players <= 4 or not 2 <= self.goal <= LARGEST:
            raise UsageError(
                f"no game to {self.goal} for {self.players} players",
                f"use 1 to 4 players and a goal from 2 to {LARGEST}",
            )
        n = self.players
        won = tuple(tuple(int(i == winner and n > 1) for i in range(n)) for winner in range(n))
        object.__setattr__(self, "prizes", won)

    def start(self) -> int:
        return 0

    def turn(self, p: int) -> int:
        return (p >> TURN) & 3

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        if score_of(p, turn) >= self.goal:
            return OVER
        return CHANCE if p >> ROLLING else turn

    def moves(self, p: int) -> Iterator[int]:
        yield ROLL
        if turn_total(p) > 0:
            yield HOLD

    def play(self, p: int, m: int) -> int:
        if m == ROLL:
            return p | (1 << ROLLING)
        return self.passed(p + (turn_total(p) << (10 * self.turn(p))))

    def passed(self, p: int) -> int:
        """The next player's turn begins; the scores stay as they are."""
        following = (self.turn(p) + 1) % self.players
        return (p & ((1 << TOTAL) - 1)) | (following << TURN)

    def added(self, p: int, points: int) -> int:
        """The roll brings points, and the player on turn decides again."""
        return (p & ((1 << ROLLING) - 1)) + (points << TOTAL)

    def won(self, p: int) -> int:
        """The player on turn has reached the goal."""
        turn = self.turn(p)
        scores = p & ((1 << TOTAL) - 1) & ~(1023 << (10 * turn))
        return scores | (self.goal << (10 * turn)) | (turn << TURN)

    def short(self, p: int) -> int:
        """How many points the player on turn still needs."""
        return self.goal - score_of(p, self.turn(p)) - turn_total(p)

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[self.turn(p)]

    def reward(self, p: int, m: int) -> int:
        return 1 if self.players == 1 and turn_total(p) == 0 else 0

    def stratum(self, p: int) -> int:
        left = self.players * self.goal
        for player in range(self.players):
            left -= score_of(p, player)
        return left

    def anchor(self, p: int) -> bool:
        return turn_total(p) == 0 and p >> ROLLING == 0

    def representative(self, p: int) -> int:
        turn, n = self.turn(p), self.players
        q = p & ~((3 << TURN) | ((1 << TOTAL) - 1))
        for player in range(n):
            q |= score_of(p, (turn + player) % n) << (10 * player)
        return q

    def text(self, p: int) -> str:
        scores = "-".join(str(score_of(p, i)) for i in range(self.players))
        rolling = ", rolling" if p >> ROLLING else ""
        return f"{scores}, player {self.turn(p) + 1}, total {turn_total(p)}{rolling}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+(?:\s*-\s*\d+)*)\s*,\s*player (\d+),\s*total (\d+)(,\s*rolling)?\s*"
        found = re.fullmatch(form, s)
        scores = [int(word) for word in found[1].split("-")] if found else []
        if not found or len(scores) != self.players or not 1 <= int(found[2]) <= self.players:
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r}")
        turn, total = int(found[2]) - 1, int(found[3])
        p = sum(score << (10 * i) for i, score in enumerate(scores)) | turn << TURN
        if max(scores) > self.goal or (total and scores[turn] + total >= self.goal):
            raise ValueError(f"{s!r}: whoever reaches {self.goal} has won at once")
        over = self.goal in scores
        if over and (scores.count(self.goal) > 1 or scores[turn] != self.goal or found[4]):
            raise ValueError(f"{s!r}: play ends in the turn that reaches {self.goal}")
        return p | (total << TOTAL) | (bool(found[4]) << ROLLING)

    def move_text(self, p: int, m: int) -> str:
        return "roll" if m == ROLL else "hold"

    def chart(self) -> Chart:
        scores = ["own score", *(f"{name} score" for name in OTHERS[self.players])]
        axes = {name: range(self.goal) for name in scores}

        def position(*at: int) -> int | None:
            if at[0] + at[-1] >= self.goal:
                return None
            return sum(score << (10 * i) for i, score in enumerate(at[:-1])) | (at[-1] << TOTAL)

        return Chart({**axes, "turn total": range(self.goal)}, position, until="hold")

    def picture(self, p: int) -> str:
        parts = []
        long, turn, total = 240, self.turn(p), turn_total(p)
        for i in range(self.players):
            y, score = 40 * i, score_of(p, i)
            colour = svg.COLOURS[i]
            parts.append(svg.note(0, y + 6, f"player {i + 1}: {score}", 13, colour))
            parts.append(svg.box(0, y + 16, long, 12))
            parts.append(svg.box(0, y + 16, long * score / self.goal, 12, colour, colour))
            if i == turn and total:
                x, more = long * score / self.goal, long * total / self.goal
                parts.append(svg.box(x, y + 16, more, 12, svg.SHADE, colour))
        words = f"turn total {total}" if score_of(p, turn) < self.goal else "has won"
        parts.append(svg.note(0, 40 * self.players + 10, f"player {turn + 1}: {words}", 14))
        if p >> ROLLING:
            parts.append(svg.die(long - 24, 40 * self.players - 4, 24, 0))
        return svg.svg(long, 40 * self.players + 22, parts)


@dataclass(frozen=True)
class Pig(Jeopardy):
    """Pig with a die of `sides` faces."""

    sides: int = 6

    def __post_init__(self) -> None:
        if not 2 <= self.sides <= LARGEST:
            raise UsageError(f"no die with {self.sides} faces", "use at least 2")
        super().__post_init__()

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        short = self.short(p)
        yield 1, self.passed(p)
        for face in range(2, min(self.sides + 1, short)):
            yield 1, self.added(p, face)
        if self.sides >= short:
            yield self.sides + 1 - max(2, short), self.won(p)


@dataclass(frozen=True)
class Piglet(Jeopardy):
    """Pig with a coin."""

    goal: int = 10

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        yield 1, self.passed(p)
        if self.short(p) > 1:
            yield 1, self.added(p, 1)
        else:
            yield 1, self.won(p)
