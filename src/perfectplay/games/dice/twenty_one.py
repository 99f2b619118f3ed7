"""Twenty-one: come as close to 21 as you dare, but not above it.

Each of two players has one turn. In it they roll a die at least once and as often as they like,
and add up what it shows. Who comes above `goal` has nothing; the others hold where they like.
Player 2 knows what player 1 has. Who has more wins. If both have as much, `ties` says what
follows: they play `again`, or the `first` or the `second` player wins. Smith's survey (2007, 6.4)
calls such games *jeopardy approach*, and Pig *jeopardy race*.

Check: with a coin that shows 1 or 2 and a goal of 2 the second player, if ties are theirs, wins
with probability 13/16.

A position is one integer: ten bits for the total of the player on turn, ten for one more than what
player 1 has if that turn is over (0: it is not), one if the die is being rolled, two for the
winner.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

TOTAL, OTHER, ROLLING, WINNER = fields(10, 10, 1, 2)
HOLD, ROLL = 0, 1
LARGEST = 1000
PRIZES = winner_takes_all(2)


@dataclass(frozen=True)
class TwentyOne(Game):
    """One turn each, with a die of `sides` faces."""

    goal: int = 21
    sides: int = 6
    ties: Literal["again", "first", "second"] = "again"

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.goal <= LARGEST or not 2 <= self.sides <= LARGEST:
            raise UsageError(
                f"no game to {self.goal} with a die of {self.sides} faces",
                f"use a goal up to {LARGEST} and a die with 2 to {LARGEST} faces",
            )
        if self.ties not in ("again", "first", "second"):
            raise UsageError(f"no rule for ties is {self.ties!r}", "use again, first or second")

    def start(self) -> int:
        return 0

    def to_move(self, p: int) -> int:
        if get(p, WINNER):
            return OVER
        if get(p, ROLLING):
            return CHANCE
        return 1 if get(p, OTHER) else 0

    def moves(self, p: int) -> Iterator[int]:
        yield ROLL
        if get(p, TOTAL) > 0:
            yield HOLD

    def play(self, p: int, m: int) -> int:
        return put(p, ROLLING, 1) if m == ROLL else self.ended(p, get(p, TOTAL))

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        room = self.goal - get(p, TOTAL)
        for face in range(1, min(room, self.sides) + 1):
            yield 1, put(p, ROLLING, 0) + at(TOTAL, face)
        if self.sides > room:
            yield self.sides - room, self.ended(p, 0)

    def ended(self, p: int, total: int) -> int:
        """The position after a turn that came to this total."""
        if get(p, OTHER) == 0:
            return at(OTHER, total + 1)
        other = get(p, OTHER) - 1
        if total == other:
            if self.ties == "again":
                return 0
            return at(WINNER, 1 if self.ties == "first" else 2)
        return at(WINNER, 2 if total > other else 1)

    def payoff(self, p: int) -> tuple[int, ...]:
        return PRIZES[get(p, WINNER) - 1]

    def text(self, p: int) -> str:
        if get(p, WINNER):
            return f"player {get(p, WINNER)} has won"
        rolling = ", rolling" if get(p, ROLLING) else ""
        against = f" against {get(p, OTHER) - 1}" if get(p, OTHER) else ""
        return f"player {1 + (get(p, OTHER) > 0)}, total {get(p, TOTAL)}{against}{rolling}"

    def parse(self, s: str) -> int:
        if found := re.fullmatch(r"\s*player ([12]) has won\s*", s):
            return at(WINNER, int(found[1]))
        form = r"\s*player ([12]), total (\d+)(?: against (\d+))?(, rolling)?\s*"
        found = re.fullmatch(form, s)
        if not found or (found[1] == "2") != (found[3] is not None):
            example = self.text(at(OTHER, self.goal) | at(TOTAL, 1))
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r} or {example!r}")
        total, other = int(found[2]), int(found[3] or 0)
        if max(total, other) > self.goal:
            raise ValueError(f"{s!r}: nobody has more than {self.goal}")
        beside = at(OTHER, other + 1) if found[3] else 0
        return at(TOTAL, total) | beside | at(ROLLING, int(bool(found[4])))

    def move_text(self, p: int, m: int) -> str:
        return "roll" if m == ROLL else "hold"

    def picture(self, p: int) -> str:
        long, on_turn = 240, int(get(p, OTHER) > 0)
        totals = [get(p, OTHER) - 1, get(p, TOTAL)] if on_turn else [get(p, TOTAL), 0]
        parts = []
        for i, total in enumerate(totals):
            y, colour = 40 * i, svg.COLOURS[i]
            parts.append(svg.note(0, y + 6, f"player {i + 1}: {total}", 13, colour))
            parts.append(svg.box(0, y + 16, long, 12))
            parts.append(svg.box(0, y + 16, long * total / self.goal, 12, colour, colour))
        words = self.text(p) if get(p, WINNER) else f"player {on_turn + 1} is on turn"
        parts.append(svg.note(0, 90, words, 14))
        if get(p, ROLLING):
            parts.append(svg.die(long - 24, 76, 24, 0))
        return svg.svg(long, 102, parts)
