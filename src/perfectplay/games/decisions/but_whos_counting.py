"""But Who's Counting: put random digits into the places of a number, and make it large.

A number has `places` empty places. Digits are drawn one after the other, each of 0 to
`digits` - 1 equally likely, and each must be put into an empty place before the next one is
drawn. Wanted is the largest expected number, read in base `digits`. With `distinct`, no digit is
drawn twice, as from a pack of cards. With `least`, the smallest number is wanted.

From the television programme Square One; Puterman 1994 solves it as a Markov decision problem.

Check: five places and ten digits are worth 157467609/2000 = 78733.8045, and a 7 that comes first
belongs into the first place, a 6 into the second.

A position is one integer: twenty bits for the places that are empty (the last place lowest), six
for the digit to be placed plus 1 (0: it is to be drawn), then, with `distinct`, a bit for each
digit that has been placed. What has been placed where is no part of it: a digit earns its worth
when it is placed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count, marked
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

EMPTY, DRAWN, USED = fields(20, 6, 36)
"""Places as bits, the drawn digit plus 1, placed digits as bits."""
SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_DIGITS = 36
LARGEST = 1 << 53


@dataclass(frozen=True)
class ButWhosCounting(Game):
    """Build a number of `places` digits, each from 0 to `digits` - 1."""

    places: int = 5
    digits: int = 10
    distinct: bool = False
    least: bool = False

    players = 1
    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """Whether the number is to be small."""
        return self.least

    def __post_init__(self) -> None:
        possible = 1 <= self.places <= EMPTY.bits and 2 <= self.digits <= MOST_DIGITS
        if not possible or self.digits**self.places > LARGEST:
            raise UsageError(
                f"no number of {self.places} places with {self.digits} digits",
                f"use 1 to {EMPTY.bits} places, 2 to {MOST_DIGITS} digits, and numbers below 2^53",
            )
        if self.distinct and self.places > self.digits:
            raise UsageError(
                f"{self.digits} distinct digits do not fill {self.places} places",
                "use no more places than digits",
            )

    def start(self) -> int:
        return (1 << self.places) - 1

    def to_move(self, p: int) -> int:
        if get(p, EMPTY) == 0:
            return OVER
        return 0 if get(p, DRAWN) else CHANCE

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for digit in range(self.digits):
            if (get(p, USED) >> digit) & 1 == 0:
                yield 1, put(p, DRAWN, digit + 1)

    def moves(self, p: int) -> Iterator[int]:
        # A move is a place; the last one is 0.
        for i in range(self.places):
            place = self.places - 1 - i
            if (p >> place) & 1:
                yield place

    def play(self, p: int, m: int) -> int:
        digit = get(p, DRAWN) - 1
        q = put(p, DRAWN, 0) ^ at(EMPTY, 1 << m)
        return q | at(USED, 1 << digit) if self.distinct else q

    def reward(self, p: int, m: int) -> int:
        worth = get(p, DRAWN) - 1
        for _ in range(m):
            worth *= self.digits
        return worth

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return count(get(p, EMPTY))

    def text(self, p: int) -> str:
        shown = "".join("_" if p >> i & 1 else "#" for i in reversed(range(self.places)))
        used = "".join(SYMBOLS[d] for d in range(self.digits) if get(p, USED) >> d & 1)
        digit = f", digit {SYMBOLS[get(p, DRAWN) - 1]}" if get(p, DRAWN) else ""
        return f"{shown}{digit}{f', without {used}' if used else ''}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*([_#]+)\s*(?:,\s*digit (\w))?\s*(?:,\s*without (\w+))?\s*", s)
        if not found or len(found[1]) != self.places:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        digit = SYMBOLS.index(found[2]) + 1 if found[2] else 0
        used = [SYMBOLS.index(symbol) for symbol in found[3] or ""]
        placed = found[1].count("#") if self.distinct else 0
        if digit > self.digits or any(d >= self.digits for d in used):
            raise ValueError(f"{s!r}: digits are {SYMBOLS[: self.digits]}")
        if len(set(used)) != len(used) or len(used) != placed or digit - 1 in used:
            raise ValueError(f"{s!r}: the digits that are gone do not fit")
        if digit and "_" not in found[1]:
            raise ValueError(f"{s!r}: no place is left for a digit")
        free = marked(found[1][::-1], "_")
        return free | at(DRAWN, digit) | at(USED, sum(1 << d for d in used))

    def move_text(self, p: int, m: int) -> str:
        return f"place {self.places - m}"

    def picture(self, p: int) -> str:
        parts = []
        for i in range(self.places):
            is_empty = p >> (self.places - 1 - i) & 1
            parts.append(svg.box(38 * i, 0, 34, 44, svg.FIELD if is_empty else svg.SHADE))
        words = "to draw" if get(p, EMPTY) else "complete"
        if get(p, DRAWN):
            parts.append(svg.card(0, 58, 34, 44, SYMBOLS[get(p, DRAWN) - 1], svg.COLOURS[0]))
            words = "to place"
        parts.append(svg.note(44 if get(p, DRAWN) else 0, 80, words))
        return svg.svg(max(38 * self.places - 4, 120), 104, parts)
