"""Awari: sow seeds around two rows of pits, and capture by bringing pits to two or three seeds.

The player to move takes all seeds of one of their pits and sows them one by one into the pits that
follow, their own and then the other player's, round and round, leaving out the pit they came from
(`skip`). If the last seed brings a pit of the other player to two or three seeds (`captures`),
they capture these, and those of the pits before it as long as these are the other player's and
hold two or three as well (`chain`). A player who has no seeds cannot move: the other gets all that
is left. Endless play divides the seeds that are left. What counts is the difference of captured
seeds.

How a player may be left without seeds differs from place to place. By `starve` it is "forbidden"
to leave them none unless every move does; or a player without seeds must be fed ("feed"), but all
of them may be captured; or it is "allowed". By `slam` a capture of all their seeds takes them
("take") or captures "nothing".

All placements of at most `seeds` seeds are solved: an endgame database. The first one, reported as
the start, deals the seeds out evenly. `placement` solves what follows from one placement, own pits
first; the whole game has 48 seeds, four in each pit.

Check: with 2 x 6 pits and the rules as given first, of the 78 placements of two seeds 25 are won,
13 drawn and 40 lost by the player to move.

A position is the code of both rows (pits.py), that of the player to move first.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count
from perfectplay.games.boards import pits as board
from perfectplay.games.boards.pits import PIT, coded, rows, seeds_of, total
from perfectplay.rules.capabilities import NumberedStarts, PlacedMoves
from perfectplay.rules.game import Game
from perfectplay.rules.number_capabilities import Indexed
from perfectplay.rules.packing import at, put
from perfectplay.rules.ranking import choose, nth_set, rank_set

STARVE, SLAM = ("forbidden", "feed", "allowed"), ("take", "nothing")
MOST_PLACEMENTS = 10**10


@dataclass(frozen=True)
class Awari(NumberedStarts, PlacedMoves, Indexed, Game):
    """Two rows of `pits` pits and at most `seeds` seeds."""

    pits: int = 6
    seeds: int = 6
    placement: tuple[int, ...] = ()
    captures: tuple[int, ...] = (2, 3)
    chain: bool = True
    skip: bool = True
    starve: str = "forbidden"
    slam: str = "take"

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.pits <= board.MOST_PITS or not 0 <= self.seeds <= WORD - 2 * self.pits:
            raise UsageError(
                f"no board of 2 x {self.pits} pits with {self.seeds} seeds",
                f"use 1 to {board.MOST_PITS} pits; 2 * pits + seeds is at most {WORD}",
            )
        if self.placement:
            wrong = len(self.placement) != 2 * self.pits or min(self.placement) < 0
            if wrong or sum(self.placement) > self.seeds:
                raise UsageError(
                    f"{self.placement} does not place up to {self.seeds} seeds",
                    f"give {2 * self.pits} numbers, own pits first, and seeds=N for their sum",
                )
        if (self.most_positions or 0) > MOST_PLACEMENTS:
            raise UsageError(
                f"{self.seeds} seeds have more than {MOST_PLACEMENTS:,} placements",
                "use fewer seeds, or give one placement as 2 * pits numbers, own pits first",
            )
        if not self.captures or min(self.captures) < 1:
            raise UsageError(f"no captures of {self.captures} seeds", "use captures=2,3")
        for name, known in (("starve", STARVE), ("slam", SLAM)):
            if getattr(self, name) not in known:
                raise UsageError(
                    f"no {name} called {getattr(self, name)!r}", f"use {', '.join(known)}"
                )

    @property
    def most_positions(self) -> int | None:  # type: ignore[override]
        """The number of placements, if all are solved."""
        return None if self.placement else math.comb(self.seeds + 2 * self.pits, self.seeds)

    def start(self) -> int:
        number = 2 * self.pits
        even, more = divmod(self.seeds, number)
        return self.placed(list(self.placement) or [even + (i < more) for i in range(number)])

    def placed(self, seeds: list[int]) -> int:
        """The position with these seeds, own pits first."""
        near, far = seeds[: self.pits], seeds[self.pits :]
        return coded(board.word_of(near), board.word_of(far), self.pits)

    @cached_property
    def begin(self) -> int:
        """The start, for compiled rules."""
        return self.start()

    @property
    def start_numbers(self) -> int:  # type: ignore[override]
        return 1 + (self.most_positions or 0)

    def starts_of(self, i: int) -> Iterator[int]:
        # First the start, then all placements, those of few seeds first.
        if i == 0:
            yield self.begin
            return
        i -= 1
        seeds = 0
        while i >= self.size(seeds):
            i -= self.size(seeds)
            seeds += 1
        yield self.unrank(seeds, i)

    # -- Numbers. ---------------------------------------------------------------------------------

    @property
    def indexed(self) -> bool:  # type: ignore[override]
        return not self.placement

    def numbered_strata(self) -> Iterator[int]:
        yield from range(self.seeds + 1)

    def size(self, stratum: int) -> int:
        return choose(stratum + 2 * self.pits - 1, stratum)

    def rank(self, p: int) -> int:
        # Seeds are the ones of the code; the zero of the last pit is always the highest bit.
        return rank_set(p)

    def unrank(self, stratum: int, i: int) -> int:
        return nth_set(stratum, i, stratum + 2 * self.pits - 1)

    # -- The rules. -------------------------------------------------------------------------------

    def moves(self, p: int) -> Iterator[int]:
        near, far = rows(p, self.pits)
        held_back = self.starve == "forbidden" or (self.starve == "feed" and far == 0)
        feeding = False
        for pit in range(self.pits if held_back else 0):
            feeding = feeding or self.feeds(p, near, pit)
        for pit in range(self.pits):
            if self.feeds(p, near, pit) if feeding else seeds_of(near, pit) > 0:
                yield pit

    def feeds(self, p: int, near: int, pit: int) -> bool:
        """Whether sowing from a pit leaves the other player seeds."""
        if pit + seeds_of(near, pit) < self.pits:  # they stay on this side
            return seeds_of(near, pit) > 0 and p >= 1 << (self.pits + total(near))
        return seeds_of(near, pit) > 0 and self.sown(p, pit)[1] != 0

    def sown(self, p: int, m: int) -> tuple[int, int, int]:
        """After sowing and capturing: own row, other row, seeds captured."""
        pits = self.pits
        near, far = rows(p, pits)
        seeds = seeds_of(near, m)
        near = put(near, PIT, 0, m)
        place = m
        while seeds > 0:
            place = (place + 1) % (2 * pits)
            if place == m and self.skip:
                continue
            seeds -= 1
            if place < pits:
                near += at(PIT, 1, place)
            else:
                far += at(PIT, 1, place - pits)
        left, last = far, place - pits
        while last >= 0 and seeds_of(left, last) in self.captures:
            left = put(left, PIT, 0, last)
            last = last - 1 if self.chain else -1
        if left == 0 and self.slam == "nothing":
            left = far
        return near, left, total(far) - total(left)

    def play(self, p: int, m: int) -> int:
        near, far, _ = self.sown(p, m)
        return coded(far, near, self.pits)

    def reward(self, p: int, m: int) -> int:
        near, _ = rows(p, self.pits)
        return self.sown(p, m)[2] if m + seeds_of(near, m) >= self.pits else 0

    def payoff(self, p: int) -> int:
        # Who cannot move has no seeds: all that are left are the other player's.
        return -count(p)

    def stratum(self, p: int) -> int:
        return count(p)

    def text(self, p: int) -> str:
        return " | ".join(board.row_text(row, self.pits) for row in rows(p, self.pits))

    def parse(self, s: str) -> int:
        if s.count("|") != 1:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return coded(*board.read_rows(s, self.pits, self.seeds), self.pits)

    def move_text(self, p: int, m: int) -> str:
        return f"pit {m + 1}"

    def places(self, p: int, m: int) -> Iterator[tuple[float, float]]:
        yield inside(*board.middle_of(m, self.pits, 0))

    def picture(self, p: int) -> str:
        return board.picture(*rows(p, self.pits), self.pits, "the lower row is to sow")
