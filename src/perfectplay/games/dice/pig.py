"""Pig: roll a die as often as you dare; a 1 loses what the turn has brought.

In their turn players roll a die at least once. A 1 ends the turn and nothing is scored; any other
face is added to the turn total, and they may roll again or hold. Holding adds the turn total to
their score and ends the turn. The first to reach `goal` wins, at once. *Piglet* is played with a
coin: heads count 1, tails end the turn. Alone, a player wants to reach the goal in as few turns as
possible on average.

Check: in Pig to 100 the first of two players wins with probability 0.530592725274 and should hold
at 21 in the first turn; in Piglet to 2 with probability 4/7.

A position is one integer: ten bits for each of four scores, ten for the turn total, two for the
player on turn, ten for the number of dice that roll (hog.py has many). Positions that differ only
in who is called player 1 are one: the player on turn is made the first (so two players have
positions (i, j, k) as in the literature: own score, other score, turn total).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.capabilities import Anchors, Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, rotated, summed

HOLD, ROLL = 0, 1
LARGEST = 1000
OTHERS = ((), (), ("other",), ("next", "last"), ("next", "third", "last"))
"""What the other players are called, by number of players."""
SCORES, TOTAL, TURN, ROLLING = fields(40, 10, 2, 10)
SCORE = SCORES.each(10)


def turn_total(p: int) -> int:
    """What the turn has brought so far."""
    return get(p, TOTAL)


def position(scores: Iterable[int], turn: int = 0, total: int = 0, rolling: int = 0) -> int:
    """The position with these scores."""
    p = at(TURN, turn) | at(TOTAL, total) | at(ROLLING, rolling)
    for player, score in enumerate(scores):
        p |= at(SCORE, score, player)
    return p


@dataclass(frozen=True)
class Jeopardy(Anchors, Charted, Game):
    """A race to `goal` in which every turn may be pushed too far. Subclasses say what a roll
    brings."""

    goal: int = 100
    players: int = field(default=2, kw_only=True)

    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """A player alone counts turns."""
        return self.players == 1

    def __post_init__(self) -> None:
        if not 1 <= self.players <= 4 or not 2 <= self.goal <= LARGEST:
            raise UsageError(
                f"no game to {self.goal} for {self.players} players",
                f"use 1 to 4 players and a goal from 2 to {LARGEST}",
            )

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What each player gets, by winner."""
        return winner_takes_all(self.players)

    @property
    def states(self) -> int:
        """How many states a player may have to decide in, as the literature counts them: scores
        below the goal, and turn totals that do not reach it."""
        return sum(range(1, self.goal + 1)) * int(self.goal ** (self.players - 1))

    def start(self) -> int:
        return 0

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        if get(p, SCORE, turn) >= self.goal:
            return OVER
        return CHANCE if get(p, ROLLING) else turn

    def moves(self, p: int) -> Iterator[int]:
        yield ROLL
        if turn_total(p) > 0:
            yield HOLD

    def play(self, p: int, m: int) -> int:
        if m == ROLL:
            return put(p, ROLLING, 1)
        return self.passed(p + at(SCORE, turn_total(p), self.turn(p)))

    def passed(self, p: int) -> int:
        """The next player's turn begins; the scores stay as they are."""
        return get(p, SCORES) | at(TURN, (self.turn(p) + 1) % self.players)

    def added(self, p: int, points: int) -> int:
        """The roll brings points, and the player on turn decides again."""
        return put(p, ROLLING, 0) + at(TOTAL, points)

    def won(self, p: int) -> int:
        """The player on turn has reached the goal."""
        turn = self.turn(p)
        return put(get(p, SCORES), SCORE, self.goal, turn) | at(TURN, turn)

    def short(self, p: int) -> int:
        """How many points the player on turn still needs."""
        return self.goal - get(p, SCORE, self.turn(p)) - turn_total(p)

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[self.turn(p)]

    def reward(self, p: int, m: int) -> int:
        return 1 if self.players == 1 and turn_total(p) == 0 else 0

    def stratum(self, p: int) -> int:
        return self.players * self.goal - summed(p, SCORE, self.players)

    def anchor(self, p: int) -> bool:
        return turn_total(p) == 0 and not get(p, ROLLING)

    def representative(self, p: int) -> int:
        scores = rotated(p, SCORE, self.turn(p), self.players)
        return put(put(p, TURN, 0), SCORES, scores)

    def text(self, p: int) -> str:
        scores = "-".join(str(get(p, SCORE, i)) for i in range(self.players))
        rolling = ", rolling" if get(p, ROLLING) else ""
        return f"{scores}, player {self.turn(p) + 1}, total {turn_total(p)}{rolling}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+(?:\s*-\s*\d+)*)\s*,\s*player (\d+),\s*total (\d+)(,\s*rolling)?\s*"
        found = re.fullmatch(form, s)
        scores = [int(word) for word in found[1].split("-")] if found else []
        if not found or len(scores) != self.players or not 1 <= int(found[2]) <= self.players:
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r}")
        turn, total = int(found[2]) - 1, int(found[3])
        if max(scores) > self.goal or (total and scores[turn] + total >= self.goal):
            raise ValueError(f"{s!r}: whoever reaches {self.goal} has won at once")
        over = self.goal in scores
        if over and (scores.count(self.goal) > 1 or scores[turn] != self.goal or found[4]):
            raise ValueError(f"{s!r}: play ends in the turn that reaches {self.goal}")
        return position(scores, turn, total, bool(found[4]))

    def move_text(self, p: int, m: int) -> str:
        return "roll" if m == ROLL else "hold"

    def chart(self) -> Chart:
        scores = ["own score", *(f"{name} score" for name in OTHERS[self.players])]
        axes = {name: range(self.goal) for name in scores}

        def decision(*at: int) -> int | None:
            *scores, total = at
            return position(scores, total=total) if at[0] + total < self.goal else None

        return Chart({**axes, "turn total": range(self.goal)}, decision, until="hold")

    def picture(self, p: int) -> str:
        parts = []
        long, turn, total = 240, self.turn(p), turn_total(p)
        for i in range(self.players):
            y, score = 40 * i, get(p, SCORE, i)
            colour = svg.COLOURS[i]
            parts.append(svg.note(0, y + 6, f"player {i + 1}: {score}", 13, colour))
            parts.append(svg.box(0, y + 16, long, 12))
            parts.append(svg.box(0, y + 16, long * score / self.goal, 12, colour, colour))
            if i == turn and total:
                x, more = long * score / self.goal, long * total / self.goal
                parts.append(svg.box(x, y + 16, more, 12, svg.SHADE, colour))
        words = f"turn total {total}" if get(p, SCORE, turn) < self.goal else "has won"
        parts.append(svg.note(0, 40 * self.players + 10, f"player {turn + 1}: {words}", 14))
        if get(p, ROLLING):
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
