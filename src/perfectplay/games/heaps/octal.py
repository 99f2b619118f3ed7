"""Octal games: take counters from a heap and split what is left, as a code allows.

A move changes one heap. The digit at place t of the code says what may be left when t counters are
taken: 1 nothing, 2 one heap, 4 two heaps, 8 three heaps, or a sum of these (sums/heaps/codes.py).
A player who cannot move loses; in misère play they win. *Kayles* is 0.77, *Dawson's chess* 0.137,
Nim 0.(3), Grundy's game 4!.0; "take 1,3,4" is a subtraction game.

Check: in Kayles who begins wins from every heap, by making two equal halves; in misère Kayles
they lose from heaps of 1, 4, 9, 12 and 20.

These are whole positions, all of them, for small heaps. `perfectplay heaps` gives values of single
heaps up to millions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD
from perfectplay.games.heaps.nim import heaps_picture
from perfectplay.rules.capabilities import Decomposed
from perfectplay.rules.game import Game
from perfectplay.rules.packing import get
from perfectplay.sums.heaps.codes import heap_code

MOST = 32
"""Heaps have fewer counters than this."""


@dataclass(frozen=True)
class Octal(Decomposed, Game):
    """Take and break. A position counts the heaps of each size: those of size h from bit
    `shift[h]` on."""

    code: str = "0.77"
    heaps: tuple[int, ...] = (10,)
    misere: bool = False

    native = True

    def __post_init__(self) -> None:
        heap_code(self.code)
        if min(self.heaps, default=0) < 0:
            raise UsageError(f"no heaps like these: {self.heaps}", "heaps have 0 counters or more")
        if self.largest >= MOST or self.shift[-1] > WORD:
            raise UsageError(
                f"these heaps do not fit in one number: {self.heaps}",
                f"use fewer counters (one heap of up to {MOST - 1} will do); `perfectplay heaps` "
                "has no such limit",
            )

    # Tuples of one length for all codes and heaps, so that rules are compiled once.

    @cached_property
    def largest(self) -> int:
        """The largest heap."""
        return max(self.heaps, default=0)

    @cached_property
    def unequal(self) -> bool:
        """Whether two heaps that are left must differ."""
        return heap_code(self.code).unequal

    @cached_property
    def digits(self) -> tuple[int, ...]:
        """The digits of the code, by counters taken."""
        code = heap_code(self.code)
        return tuple(code.digit(take) for take in range(MOST))

    @cached_property
    def shift(self) -> tuple[int, ...]:
        """By size: from which bit on heaps are counted."""
        bits = (sum(heap // size for heap in self.heaps).bit_length() for size in range(1, MOST))
        return (0, *accumulate(bits, initial=0))

    def start(self) -> int:
        return self.packed(self.heaps)

    def packed(self, heaps: tuple[int, ...]) -> int:
        """The position with these heaps."""
        return sum(self.one(heap) for heap in heaps if heap)

    def one(self, size: int) -> int:
        """One heap of a size, and no other."""
        return 1 << self.shift[size]

    def count(self, p: int, size: int) -> int:
        """How many heaps of a size there are."""
        low = self.shift[size]
        return get(p, (low, self.shift[size + 1] - low))

    def moves(self, p: int) -> Iterator[int]:
        # A move is the position it leads to.
        for size in range(1, self.largest + 1):
            if self.count(p, size) > 0:
                rest = p - self.one(size)
                for take in range(size + 1):
                    digit = self.digits[take]
                    left = size - take
                    if digit & 1 and left == 0:
                        yield rest
                    if digit & 2 and left > 0:
                        yield rest + self.one(left)
                    if digit & 4:
                        for a in range(1, left // 2 + 1):
                            if not (self.unequal and 2 * a == left):
                                yield rest + self.one(a) + self.one(left - a)
                    if digit & 8:
                        for a in range(1, left // 3 + 1):
                            for b in range(a, (left - a) // 2 + 1):
                                two = self.one(a) + self.one(b)
                                yield rest + two + self.one(left - a - b)

    def play(self, p: int, m: int) -> int:
        return m

    def decompose(self, p: int) -> Iterator[int]:
        """The heaps one by one, for nim values."""
        for heap in self.sizes(p):
            yield self.packed((heap,))

    def stratum(self, p: int) -> int:
        # Counters never grow; where they stay the same, there is one heap more.
        left = 0
        for size in range(1, self.largest + 1):
            left += self.count(p, size) * (2 * size - 1)
        return left

    def sizes(self, p: int) -> list[int]:
        """The heaps, largest first."""
        sizes = range(self.largest, 0, -1)
        return [size for size in sizes for _ in range(self.count(p, size))]

    def text(self, p: int) -> str:
        return " ".join(map(str, self.sizes(p))) or "0"

    def parse(self, s: str) -> int:
        heaps = [int(word) for word in s.replace(",", " ").split()]
        if not heaps or min(heaps) < 0 or max(heaps) > self.largest:
            raise ValueError(f"{s!r}: heaps of at most {self.largest} counters, such as '3 2'")
        p = self.packed(tuple(heaps))
        if self.sizes(p) != sorted((heap for heap in heaps if heap), reverse=True):
            raise ValueError(f"{s!r}: more heaps than can arise")
        return p

    def move_text(self, p: int, m: int) -> str:
        before, after = self.sizes(p), self.sizes(m)
        for size in list(before):
            if size in after:
                before.remove(size)
                after.remove(size)
        return f"{before[0]}->{'+'.join(map(str, sorted(after))) or 0}"

    def picture(self, p: int) -> str:
        heaps = self.sizes(p)
        return heaps_picture(heaps, max(heaps, default=1))


@dataclass(frozen=True)
class Kayles(Octal):
    """Knock down one pin or two that stand side by side."""

    code: str = "0.77"
    heaps: tuple[int, ...] = (12,)


@dataclass(frozen=True)
class DawsonsChess(Octal):
    """Dawson's chess on a board of 3 by n: rows of pawns that must capture."""

    code: str = "0.137"
    heaps: tuple[int, ...] = (12,)
