"""Kalah(m, n): sow seeds around two rows of m pits with n seeds each, and gather them in a store.

The player to move takes all seeds of one of their pits and sows them one by one into the pits that
follow: their own, their store, the other player's pits, and again their own; the other player's
store is left out. If the last seed falls into their store they move again (`again`). If it falls
into an empty pit of their own they capture it with the seeds of the pit opposite; `capture` says
whether this happens "always", also if the pit opposite is empty (so-called empty capture), only if
the "opposite" pit has seeds, or "never". The game ends as soon as "either" side is empty after a
move, or (`end`) when the "mover" has no seeds to sow; the seeds that are left go to their "owner"
(or, by `rest`, to the "other" player, or to "nobody"). What counts is the margin between the
stores.

Check: Kalah(4,3) is worth +8 and Kalah(2,4) -12 to the player who begins (Irving, Donkers and
Uiterwijk 2000 give win and loss).

A position is one integer: the lowest bit says whose turn it is; above it is the code of both rows
(pits.py), that of the player to move first. What lies in the stores has been earned already
and does not matter for the rest of play.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count
from perfectplay.games.boards import pits as board
from perfectplay.games.boards.pits import PIT, coded, rows, seeds_of, total
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.packing import at, put
from perfectplay.rules.search_capabilities import SearchGuides

CAPTURES, ENDS, RESTS = (
    ("always", "opposite", "never"),
    ("either", "mover"),
    ("owner", "other", "nobody"),
)


@dataclass(frozen=True)
class Kalah(SearchGuides, PlacedMoves, Game):
    """Two rows of `pits` pits with `seeds` seeds each."""

    pits: int = 4
    seeds: int = 3
    capture: str = "always"
    end: str = "either"
    rest: str = "owner"
    again: bool = True

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.pits <= board.MOST_PITS or not self.seeds >= 1 or self.bits > WORD:
            raise UsageError(
                f"no board of {self.pits} pits with {self.seeds} seeds each",
                f"use 1 to {board.MOST_PITS} pits; 2 * pits * (seeds + 1) is at most {WORD - 1}",
            )
        for name, known in (("capture", CAPTURES), ("end", ENDS), ("rest", RESTS)):
            if getattr(self, name) not in known:
                raise UsageError(
                    f"no {name} called {getattr(self, name)!r}", f"use {', '.join(known)}"
                )

    @property
    def bits(self) -> int:
        """How many bits a position takes."""
        return 2 * self.pits * (self.seeds + 1) + 1

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """All ways to place up to as many seeds as there are; few of them can arise."""
        pits = 2 * self.pits
        return math.comb(pits * (self.seeds + 1), pits)

    def start(self) -> int:
        row = board.word_of([self.seeds] * self.pits)
        return coded(row, row, self.pits) << 1

    def turn(self, p: int) -> int:
        return p & 1

    def to_move(self, p: int) -> int:
        code = p >> 1
        if code & ((1 << self.pits) - 1) == 0:
            return OVER
        if self.end == "either" and rows(code, self.pits)[1] == 0:
            return OVER
        return p & 1

    def moves(self, p: int) -> Iterator[int]:
        near, _ = rows(p >> 1, self.pits)
        for pit in range(self.pits):
            if seeds_of(near, pit) > 0:
                yield pit

    def sown(self, p: int, m: int) -> tuple[int, int, int, int]:
        """After sowing and capturing: own row, other row, seeds earned, 1 to move again."""
        pits = self.pits
        near, far = rows(p >> 1, pits)
        seeds = seeds_of(near, m)
        near = put(near, PIT, 0, m)
        earned, place = 0, m
        for _ in range(seeds):
            place = (place + 1) % (2 * pits + 1)
            if place < pits:
                near += at(PIT, 1, place)
            elif place == pits:
                earned += 1
            else:
                far += at(PIT, 1, place - pits - 1)
        if place < pits and seeds_of(near, place) == 1 and self.capture != "never":
            across = pits - 1 - place
            taken = seeds_of(far, across)
            if taken > 0 or self.capture == "always":
                near, far = put(near, PIT, 0, place), put(far, PIT, 0, across)
                earned += taken + 1
        return near, far, earned, 1 if place == pits and self.again else 0

    def play(self, p: int, m: int) -> int:
        near, far, _, again = self.sown(p, m)
        if again:
            return (coded(near, far, self.pits) << 1) | (p & 1)
        return (coded(far, near, self.pits) << 1) | (1 - (p & 1))

    def reward(self, p: int, m: int) -> int:
        return self.sown(p, m)[2]

    def payoff(self, p: int) -> int:
        near, far = rows(p >> 1, self.pits)
        margin = total(near) - total(far)
        if self.rest == "nobody":
            margin = 0
        elif self.rest == "other":
            margin = -margin
        return margin if p & 1 == 0 else -margin

    def stratum(self, p: int) -> int:
        return count(p >> 1)

    def bounds(self, p: int) -> tuple[int, int]:
        """Whoever gets all seeds that are left."""
        return (-count(p >> 1), count(p >> 1))

    def hint(self, p: int, m: int) -> int:
        """What earns most first, then extra turns."""
        return 2 * self.reward(p, m) + (1 if (self.play(p, m) ^ p) & 1 == 0 else 0)

    def representative(self, p: int) -> int:
        # The board looks the same from both sides.
        return p & ~1

    def sides(self, p: int) -> tuple[int, int]:
        """The row of the first player and that of the second."""
        near, far = rows(p >> 1, self.pits)
        return (far, near) if p & 1 else (near, far)

    def text(self, p: int) -> str:
        first, second = (board.row_text(row, self.pits) for row in self.sides(p))
        return f"{first} | {second}, player {(p & 1) + 1}"

    def parse(self, s: str) -> int:
        words, _, mover = s.partition(",")
        if mover.split() not in (["player", "1"], ["player", "2"]) or words.count("|") != 1:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        first, second = board.read_rows(words, self.pits, 2 * self.pits * self.seeds)
        if mover.split()[1] == "1":
            return coded(first, second, self.pits) << 1
        return (coded(second, first, self.pits) << 1) | 1

    def move_text(self, p: int, m: int) -> str:
        return f"pit {m + 1}"

    def places(self, p: int, m: int) -> Iterator[tuple[float, float]]:
        yield inside(*board.middle_of(m, self.pits, p & 1))

    def picture(self, p: int) -> str:
        return board.picture(*self.sides(p), self.pits, f"player {(p & 1) + 1} to sow")
