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
and does not matter for the rest of play. Where that takes too many bits, a position is two
integers (`WideKalah`): the words of both rows, with the bit below the second one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count
from perfectplay.games.boards import pits as board
from perfectplay.games.boards.pits import PIT, WIDE, coded, rows, seeds_of, total
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
        one = self.bits <= WORD and self.pits <= board.MOST_PITS
        two = self.pits * WIDE.bits < WORD and self.all_seeds < 1 << WIDE.bits
        if self.pits < 1 or self.seeds < 1 or not (one or two):
            raise UsageError(
                f"no board of {self.pits} pits with {self.seeds} seeds each",
                f"use 1 to {(WORD - 1) // WIDE.bits} pits and up to {(1 << WIDE.bits) - 1} seeds "
                f"in all, or up to {board.MOST_PITS} pits where 2 * pits * (seeds + 1) is at most "
                f"{WORD - 1}",
            )
        for name, known in (("capture", CAPTURES), ("end", ENDS), ("rest", RESTS)):
            if getattr(self, name) not in known:
                raise UsageError(
                    f"no {name} called {getattr(self, name)!r}", f"use {', '.join(known)}"
                )

        if not one and not isinstance(self, WideKalah):
            object.__setattr__(self, "__class__", WideKalah)

    @property
    def bits(self) -> int:
        """How many bits a position takes as one integer."""
        return 2 * self.pits * (self.seeds + 1) + 1

    @property
    def all_seeds(self) -> int:
        """How many seeds there are."""
        return 2 * self.pits * self.seeds

    def field(self) -> tuple[int, int]:
        """A pit of a word."""
        return PIT

    def rows(self, p: Any) -> tuple[int, int]:
        """The words of the row of the player to move, and of the other."""
        return rows(p >> 1, self.pits)

    def seated(self, near: int, far: int, turn: int) -> Any:
        """The position with these rows, that of the player to move first."""
        return (coded(near, far, self.pits) << 1) | turn

    def seeds_left(self, p: Any) -> int:
        """How many seeds lie in pits."""
        return count(p >> 1)

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """All ways to place up to as many seeds as there are; few of them can arise."""
        pits = 2 * self.pits
        return math.comb(pits * (self.seeds + 1), pits)

    def start(self) -> Any:
        row = board.word_of([self.seeds] * self.pits, self.field())
        return self.seated(row, row, 0)

    def turn(self, p: Any) -> int:
        return p & 1  # type: ignore[no-any-return]

    def to_move(self, p: Any) -> int:
        code = p >> 1
        if code & ((1 << self.pits) - 1) == 0:
            return OVER
        if self.end == "either" and self.rows(p)[1] == 0:
            return OVER
        return self.turn(p)

    def moves(self, p: Any) -> Iterator[int]:
        near, _ = self.rows(p)
        for pit in range(self.pits):
            if seeds_of(near, pit, self.field()) > 0:
                yield pit

    def sown(self, p: Any, m: int) -> tuple[int, int, int, int]:
        """After sowing and capturing: own row, other row, seeds earned, 1 to move again."""
        pits, field = self.pits, self.field()
        near, far = self.rows(p)
        seeds = seeds_of(near, m, field)
        near = put(near, field, 0, m)
        earned, place = 0, m
        for _ in range(seeds):
            place = (place + 1) % (2 * pits + 1)
            if place < pits:
                near += at(field, 1, place)
            elif place == pits:
                earned += 1
            else:
                far += at(field, 1, place - pits - 1)
        if place < pits and seeds_of(near, place, field) == 1 and self.capture != "never":
            across = pits - 1 - place
            taken = seeds_of(far, across, field)
            if taken > 0 or self.capture == "always":
                near, far = put(near, field, 0, place), put(far, field, 0, across)
                earned += taken + 1
        return near, far, earned, 1 if place == pits and self.again else 0

    def play(self, p: Any, m: int) -> Any:
        near, far, _, again = self.sown(p, m)
        if again:
            return self.seated(near, far, self.turn(p))
        return self.seated(far, near, 1 - self.turn(p))

    def reward(self, p: Any, m: int) -> int:
        return self.sown(p, m)[2]

    def payoff(self, p: Any) -> int:
        near, far = self.rows(p)
        margin = total(near, self.field()) - total(far, self.field())
        if self.rest == "nobody":
            margin = 0
        elif self.rest == "other":
            margin = -margin
        return margin if self.turn(p) == 0 else -margin

    def stratum(self, p: Any) -> int:
        return self.seeds_left(p)

    def bounds(self, p: Any) -> tuple[int, int]:
        """Whoever gets all seeds that are left."""
        return (-self.seeds_left(p), self.seeds_left(p))

    def hint(self, p: Any, m: int) -> int:
        """What earns most first, then extra turns."""
        _, _, earned, again = self.sown(p, m)
        return 2 * earned + again

    def representative(self, p: Any) -> Any:
        # The board looks the same from both sides.
        return p & ~1

    def sides(self, p: Any) -> tuple[int, int]:
        """The row of the first player and that of the second."""
        near, far = self.rows(p)
        return (far, near) if self.turn(p) else (near, far)

    def text(self, p: Any) -> str:
        first, second = (board.row_text(row, self.pits, self.field()) for row in self.sides(p))
        return f"{first} | {second}, player {self.turn(p) + 1}"

    def parse(self, s: str) -> Any:
        words, _, mover = s.partition(",")
        if mover.split() not in (["player", "1"], ["player", "2"]) or words.count("|") != 1:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        first, second = board.read_rows(words, self.pits, self.all_seeds, self.field())
        if mover.split()[1] == "1":
            return self.seated(first, second, 0)
        return self.seated(second, first, 1)

    def move_text(self, p: Any, m: int) -> str:
        return f"pit {m + 1}"

    def places(self, p: Any, m: int) -> Iterator[tuple[float, float]]:
        yield inside(*board.middle_of(m, self.pits, self.turn(p)))

    def picture(self, p: Any) -> str:
        words = f"player {self.turn(p) + 1} to sow"
        return board.picture(*self.sides(p), self.pits, words, self.field())


class WideKalah(Kalah):
    """A board of so many seeds that a position takes two integers."""

    listed_as = Kalah

    def field(self) -> tuple[int, int]:
        return WIDE

    def rows(self, p: tuple[int, int]) -> tuple[int, int]:
        return p[0], p[1] >> 1

    def seated(self, near: int, far: int, turn: int) -> tuple[int, int]:
        return near, far << 1 | turn

    def turn(self, p: tuple[int, int]) -> int:
        return p[1] & 1

    def to_move(self, p: tuple[int, int]) -> int:
        if p[0] == 0 or (self.end == "either" and p[1] >> 1 == 0):
            return OVER
        return self.turn(p)

    def seeds_left(self, p: tuple[int, int]) -> int:
        return total(p[0], WIDE) + total(p[1] >> 1, WIDE)

    def representative(self, p: tuple[int, int]) -> tuple[int, int]:
        return p[0], p[1] & ~1
