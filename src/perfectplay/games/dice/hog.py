"""Hog: say how many dice you will roll; a 1 among them loses the turn.

Hog is Pig with a single decision in each turn. The player on turn chooses a number of dice, from 1
to `most`, and rolls them all at once. If any die shows a 1 nothing is scored; otherwise the sum is
added to the score. The first to reach `goal` wins. Alone, a player wants to reach the goal in as
few turns as possible on average.

Check: five dice and six dice bring the same on average, 15625/1944, and no number brings more. Of
two players, to 100 with at most 30 dice, the first wins with probability 0.529865394297.

Positions are those of Pig (`pig.py`): ten bits for each of four scores, ten for what has been
rolled, two for the player on turn, then the number of dice that are still to be rolled. Weights
are whole numbers, small enough that floats hold them and their sums exactly. More dice than that
allows are rolled in lots (of 16 dice, if they have six faces), an odd lot first; between lots the
sum so far is part of the position. A sum that will win unless there is a 1 to come stands
for all larger ones.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.errors import UsageError
from perfectplay.games.dice.pig import (
    LARGEST,
    ROLLING,
    SCORE,
    TOTAL,
    Jeopardy,
    position,
    turn_total,
)
from perfectplay.rules.chart import Chart
from perfectplay.rules.packing import at, get, put

WEIGHTS = 2**43
"""Weights stay below. A position has about 2**10 of them at most, and sums stay below 2**53."""


def lot_size(sides: int) -> int:
    """How many dice may be rolled in one lot."""
    lot = 1
    while sides ** (lot + 1) < WEIGHTS:
        lot += 1
    return lot


def ways(sides: int) -> Ints:
    """In how many ways some dice without a 1 have a sum: one row for each number of dice."""
    lot = lot_size(sides)
    table = np.zeros((lot + 1, lot * sides + 1), np.int64)
    table[0, 0] = 1
    for dice in range(1, lot + 1):
        for face in range(2, sides + 1):
            table[dice, face:] += table[dice - 1, :-face]
    return table


@dataclass(frozen=True)
class Hog(Jeopardy):
    """Hog with dice of `sides` faces."""

    most: int = 30
    sides: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.most <= LARGEST:
            raise UsageError(f"no game with up to {self.most} dice", f"use 1 to {LARGEST}")
        if not 2 <= self.sides <= 100:
            raise UsageError(f"no die with {self.sides} faces", "use 2 to 100")
        super().__post_init__()

    @cached_property
    def counts(self) -> Ints:
        """In how many ways dice without a 1 have a sum, by number of dice."""
        return ways(self.sides)

    def moves(self, p: int) -> Iterator[int]:
        for dice in range(1, self.most + 1):
            yield dice

    def play(self, p: int, m: int) -> int:
        return put(p, ROLLING, m)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        dice, total = get(p, ROLLING), turn_total(p)
        whole = self.counts.shape[0] - 1
        lot = dice - whole * ((dice - 1) // whole)
        rest = dice - lot
        # What is enough: every die to come brings 2 or more, or there is a 1.
        enough = max(0, self.short(p) - 2 * rest)
        base = put(p, ROLLING, rest)
        left = (self.sides - 1) ** lot
        yield self.sides**lot - left, self.passed(p)
        for more in range(2 * lot, min(enough, self.sides * lot + 1)):
            weight = self.counts[lot, more]
            left -= weight
            if weight > 0 and rest > 0:
                yield weight, put(base, TOTAL, total + more)
            elif weight > 0:
                yield weight, self.passed(p + at(SCORE, total + more, self.turn(p)))
        if left > 0 and rest > 0:
            yield left, put(base, TOTAL, total + enough)
        elif left > 0:
            yield left, self.won(p)

    def reward(self, p: int, m: int) -> int:
        return 1 if self.players == 1 else 0

    def text(self, p: int) -> str:
        scores = "-".join(str(get(p, SCORE, i)) for i in range(self.players))
        total = f", total {turn_total(p)}" if turn_total(p) else ""
        dice = f", {get(p, ROLLING)} dice" if get(p, ROLLING) else ""
        return f"{scores}, player {self.turn(p) + 1}{total}{dice}"

    def parse(self, s: str) -> int:
        form = (
            r"\s*(\d+(?:\s*-\s*\d+)*)\s*,\s*player (\d+)(?:,\s*total (\d+))?(?:,\s*(\d+) dice)?\s*"
        )
        found = re.fullmatch(form, s)
        scores = [int(word) for word in found[1].split("-")] if found else []
        if not found or len(scores) != self.players or not 1 <= int(found[2]) <= self.players:
            example = self.text(self.play(0, min(5, self.most)))
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        turn, total, dice = int(found[2]) - 1, int(found[3] or 0), int(found[4] or 0)
        if dice > self.most or (total and not dice) or max(scores) > self.goal:
            raise ValueError(f"{s!r}: at most {self.most} dice, and scores up to {self.goal}")
        over = self.goal in scores
        if total > self.goal - scores[turn] or (over and dice):
            raise ValueError(f"{s!r}: more than {self.goal} is not counted")
        if over and (scores.count(self.goal) > 1 or scores[turn] != self.goal):
            raise ValueError(f"{s!r}: play ends in the turn that reaches {self.goal}")
        return position(scores, turn, total, dice)

    def move_text(self, p: int, m: int) -> str:
        return f"{m} dice" if m > 1 else "1 die"

    def chart(self) -> Chart:
        axes = {name: values for name, values in super().chart().axes.items() if "score" in name}
        return Chart(axes, lambda *scores: position(scores))
