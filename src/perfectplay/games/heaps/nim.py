"""Nim and subtraction games: take counters from heaps; a player who cannot take loses.

*Nim*: take any number of counters from one heap (Moore's Nim: from up to `at_once` heaps), or only
the numbers that `takes` lists. *Subtraction*: one heap; take one of the allowed numbers, in
Dudeney's version (`fresh`) not the number that the other player has just taken. *Fibonacci Nim*:
one heap; take at most `times` as many as the other player has just taken, and `plus` more; the
first move may not take them all. In misère play the player who cannot take wins.

Check: from heaps of 23, 18, 13, 7 and 5 the only winning move is 13->7; from Dudeney's heap of 37
(take 1 to 5, `fresh`) the only winning move is to take 4; Fibonacci Nim is lost by the player who
begins if the heap is a Fibonacci number.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, sorted_down
from perfectplay.rules.capabilities import Charted, PlacedMoves
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import Game
from perfectplay.rules.packing import Field, at, fields, get, summed

HEAP, LAST = fields(32, 30)
LIMIT = LAST
"""Fields of games with one heap: counters, and what was taken last or may be taken at most."""


def heaps_picture(heaps: list[int], most: int) -> str:
    """Heaps side by side, none higher than `most`."""
    wide = 40 * max(1, len(heaps))
    parts = [svg.line(0, 16 * most + 6, wide, 16 * most + 6, svg.INK)]
    for i, heap in enumerate(heaps):
        x = 40 * i + 20
        parts += [svg.circle(x, 16 * (most - k) - 4, 7, svg.COLOURS[0]) for k in range(heap)]
        parts.append(svg.text(x, 16 * most + 20, heap, 15))
    return svg.svg(wide, 16 * most + 30, parts)


ACROSS, SHOWN = 10, 100
"""Counters in a row of a drawing, and in all."""


def counter(k: int) -> tuple[int, int]:
    """Where a counter of one heap is drawn."""
    return 18 * (k % ACROSS) + 9, 18 * (k // ACROSS) + 9


def heap_picture(heap: int, most: int, words: str, wide: int) -> str:
    """One heap, and words below it; counters beyond `most` have another colour."""
    shown = min(heap, SHOWN)
    rows = (max(shown, 1) + ACROSS - 1) // ACROSS
    parts = [svg.circle(*counter(k), 7, svg.COLOURS[k >= most]) for k in range(shown)]
    return svg.svg(wide, 18 * rows + 24, [*parts, svg.note(0, 18 * rows + 14, words)])


@dataclass(frozen=True)
class Nim(Charted, Game):
    """Take from heaps. A position packs the heaps, the first lowest."""

    heaps: tuple[int, ...] = (1, 3, 5, 7)
    misere: bool = False
    at_once: int = 1
    takes: tuple[int, ...] = ()

    native = True

    def __post_init__(self) -> None:
        if min(self.heaps, default=-1) < 0 or self.each[1] * len(self.heaps) > WORD:
            raise UsageError(
                f"these heaps do not fit in one number: {self.heaps}",
                f"use heaps of at least 0 counters, at most {WORD} binary digits in all",
            )
        if self.at_once < 1 or min(self.takes, default=1) < 1:
            raise UsageError(
                f"no game with at_once={self.at_once}, takes={self.takes}",
                "at_once and all numbers in takes are at least 1",
            )

    @cached_property
    def each(self) -> Field:
        """The field of a heap."""
        return Field(0, max(1, *self.heaps).bit_length())

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """The numbers that may be taken from a heap; (0,) if all may."""
        return tuple(sorted(set(self.takes))) or (0,)

    def start(self) -> int:
        return self.packed(self.heaps)

    def packed(self, heaps: Iterable[int]) -> int:
        """The position with these heaps."""
        return sum(at(self.each, heap, i) for i, heap in enumerate(heaps))

    def heap(self, p: int, i: int) -> int:
        """How many counters heap `i` has."""
        return get(p, self.each, i)

    def moves(self, p: int) -> Iterator[int]:
        # A move is the position it leads to.
        if self.at_once == 1:
            for i in range(len(self.heaps)):
                for take in range(1, self.heap(p, i) + 1):
                    if self.may_take(take):
                        yield p - at(self.each, take, i)
        else:
            q = self.smaller(p, p)
            while q >= 0:
                if self.reaches(p, q):
                    yield q
                q = self.smaller(p, q)

    def smaller(self, p: int, q: int) -> int:
        """The next of all positions with no heap larger than at `p`, after `q`; -1 at the end."""
        for i in range(len(self.heaps)):
            if self.heap(q, i) > 0:
                return q - at(self.each, 1, i)
            q += at(self.each, self.heap(p, i), i)
        return -1

    def may_take(self, counters: int) -> bool:
        """Whether so many counters may be taken from a heap."""
        return self.allowed[0] == 0 or counters in self.allowed

    def reaches(self, p: int, q: int) -> bool:
        """Whether one move leads from `p` to `q`, where no heap is larger."""
        heaps = 0
        for i in range(len(self.heaps)):
            take = self.heap(p, i) - self.heap(q, i)
            if take > 0:
                heaps += 1
                if not self.may_take(take):
                    return False
        return heaps <= self.at_once

    def play(self, p: int, m: int) -> int:
        return m

    def stratum(self, p: int) -> int:
        return summed(p, self.each, len(self.heaps))

    def representative(self, p: int) -> int:
        return sorted_down(p, len(self.heaps), self.each[1])

    def text(self, p: int) -> str:
        return " ".join(str(self.heap(p, i)) for i in range(len(self.heaps)))

    def parse(self, s: str) -> int:
        heaps = [int(word) for word in s.split()]
        most, below = len(self.heaps), 1 << self.each.bits
        if not 0 < len(heaps) <= most or not all(0 <= heap < below for heap in heaps):
            raise ValueError(f"{s!r}: at most {most} heaps, below {below}")
        return self.packed(heaps)

    def move_text(self, p: int, m: int) -> str:
        pairs = ((self.heap(p, i), self.heap(m, i)) for i in range(len(self.heaps)))
        return " ".join(f"{old}->{new}" for old, new in pairs if old != new)

    def chart(self) -> Chart:
        axes = {f"heap {i + 1}": range(most + 1) for i, most in enumerate(self.heaps)}
        return Chart(axes, lambda *heaps: self.packed(heaps), show="value")

    def picture(self, p: int) -> str:
        heaps = [self.heap(p, i) for i in range(len(self.heaps))]
        return heaps_picture(heaps, max(1, *self.heaps))


@dataclass(frozen=True)
class Subtraction(Game):
    """Take from 1 to `most` counters, or, if `takes` is given, one of the numbers it lists.

    A position is the heap in the low 32 bits; above, with `fresh`, the number taken last.
    """

    heap: int = 20
    most: int = 3
    takes: tuple[int, ...] = ()
    misere: bool = False
    fresh: bool = False

    native = True

    def __post_init__(self) -> None:
        allowed = self.allowed
        if not allowed or allowed[0] < 1 or not 0 <= self.heap < 1 << 30 or allowed[-1] >= 1 << 30:
            raise UsageError(
                f"no such game: heap={self.heap}, most={self.most}, takes={self.takes}",
                "give a heap of 0 or more and at least one allowed number, such as most=3",
            )

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """The numbers that may be taken."""
        return tuple(sorted(set(self.takes or range(1, self.most + 1))))

    def start(self) -> int:
        return self.heap

    def moves(self, p: int) -> Iterator[int]:
        heap, last = get(p, HEAP), get(p, LAST)
        for i in range(len(self.allowed)):
            take = self.allowed[i]
            if take <= heap and take != last:
                yield take

    def play(self, p: int, m: int) -> int:
        heap = get(p, HEAP) - m
        return heap | at(LAST, m) if self.fresh else heap

    def stratum(self, p: int) -> int:
        return get(p, HEAP)

    def text(self, p: int) -> str:
        heap, last = get(p, HEAP), get(p, LAST)
        return f"{heap} after {last}" if last else f"{heap}"

    def parse(self, s: str) -> int:
        words = s.split()
        after = len(words) == 3 and words[1] == "after"
        heap, last = (int(words[0]), int(words[2])) if after else (int(s), 0)
        if not 0 <= heap < 1 << 30 or not 0 <= last < 1 << 30 or (last and not self.fresh):
            raise ValueError(
                f"{s!r}: a position looks like '12'" + " or '12 after 3'" * self.fresh
            )
        return heap | at(LAST, last)

    def move_text(self, p: int, m: int) -> str:
        return f"take {m}"

    def picture(self, p: int) -> str:
        heap, last = get(p, HEAP), get(p, LAST)
        words = f"{heap} left" + (f", last taken {last}" if last else "")
        return heap_picture(heap, heap, words, 180)


@dataclass(frozen=True)
class FibonacciNim(PlacedMoves, Game):
    """Take up to `times` as many counters as were taken before, and `plus` more.

    A position is the heap in the low 32 bits; above, the most that may be taken.
    """

    heap: int = 20
    times: int = 2
    plus: int = 0
    misere: bool = False

    native = True

    def __post_init__(self) -> None:
        if not 0 <= self.heap < 1 << 30 or min(self.times, self.plus) < 0:
            raise UsageError(
                f"no such game: heap={self.heap}, times={self.times}, plus={self.plus}",
                "give a heap of 0 or more; times and plus are at least 0",
            )
        if self.times + self.plus < 1 or max(self.times, self.plus) >= 1 << 30:
            raise UsageError(
                f"times={self.times} and plus={self.plus} let nobody take",
                "one of them is at least 1, as in times=2",
            )

    def start(self) -> int:
        return self.heap | at(LIMIT, max(0, self.heap - 1))

    def moves(self, p: int) -> Iterator[int]:
        for take in range(1, get(p, LIMIT) + 1):
            yield take

    def play(self, p: int, m: int) -> int:
        heap = get(p, HEAP) - m
        return heap | at(LIMIT, min(heap, self.times * m + self.plus))

    def stratum(self, p: int) -> int:
        return get(p, HEAP)

    def text(self, p: int) -> str:
        return f"{get(p, HEAP)}, up to {get(p, LIMIT)}"

    def parse(self, s: str) -> int:
        heap, up_to, most = s.partition(", up to ")
        if not up_to or not 0 <= int(most) <= int(heap) <= self.heap:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return int(heap) | at(LIMIT, int(most))

    def move_text(self, p: int, m: int) -> str:
        return f"take {m}"

    def places(self, p: int, m: int) -> Iterator[tuple[float, ...]]:
        # The counter up to which one takes; those that may be taken are drawn first.
        if m <= SHOWN:
            x, y = inside(*counter(m - 1))
            yield x - 9, y - 9, x + 9, y + 9

    def picture(self, p: int) -> str:
        heap, most = get(p, HEAP), get(p, LIMIT)
        return heap_picture(heap, most, f"{heap} left, up to {most} may be taken", 240)
