"""Heap games: any octal or hexadecimal code, Nim, subtraction sets, Grundy's game.

    game = heap_game("0.77")        # or "kayles", "take 1,3,4", "all but 2", "0.(3)"
    game.values(20)                 # nim values of heaps 0 … 20
    game.period()                   # found, and proved if a theorem says so
    game.winning_moves([3, 5, 7])   # of a position with three heaps

A position is a list of heaps; its value is the nim sum of theirs, and who is to move wins unless
that is 0 (Sprague 1935, Grundy 1939). See nim_values.py and periods.py for how and why.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from operator import index, xor

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums.heaps.codes import ONE, THREE, TWO, WHOLE, HeapCode, heap_code
from perfectplay.sums.heaps.nim_values import HeapValues, SparseSpace, sparse_space
from perfectplay.sums.heaps.periods import Period, find_period

FIRST = 512
"""Heaps computed before a period is looked for the first time."""
SEARCH = 1 << 17
"""How far `period` looks by default."""
MOST = 1 << 28
SEARCH_TRIPLES, MOST_TRIPLES = 1 << 11, 1 << 13
"""The same where heaps may be left as three: the work grows with the cube of the size."""


@dataclass(frozen=True)
class HeapMove:
    """A move in one heap."""

    heap: int
    """The size of the heap."""
    take: int
    leaves: tuple[int, ...]
    """The heaps that are left of it, smallest first; none if all is taken."""

    @property
    def text(self) -> str:
        """The move as one word."""
        return f"{self.heap}->{'+'.join(map(str, self.leaves)) or 0}"

    def __str__(self) -> str:
        return self.text


class HeapGame:
    """A game of taking and breaking heaps."""

    def __init__(self, code: HeapCode, asked: str = "") -> None:
        self.code = code
        self.asked = asked or code.text
        self._table = HeapValues(code)
        self._period: Period | None = None

    @property
    def text(self) -> str:
        """The code."""
        return self.code.text

    def __repr__(self) -> str:
        return f"<heap game {self.text}>"

    # -- Values. ---

    def values(self, heap: int) -> Array:
        """int32[heap + 1]: the nim values of heaps 0, 1, …, `heap`."""
        heap = _size(heap)
        self._learn(heap + 1)
        known = self._table.known[: heap + 1]
        if len(known) <= heap:
            if self._period is None:
                raise AssertionError("values end without a period")
            more = np.arange(len(known), heap + 1)
            pattern = np.array(self._period.pattern)
            length, saltus = self._period.length, self._period.saltus
            more = pattern[more % length] + saltus * (more // length)
            known = np.concatenate((known, more.astype(np.int32)))
        return known.copy()

    def value(self, heap: int) -> int:
        """The nim value of one heap."""
        heap = _size(heap, most=None)
        if heap >= len(self._table.known):
            if heap < MOST:
                self._learn(heap + 1)
            elif self._period is None:
                self.period()
        if heap < len(self._table.known):
            return int(self._table.known[heap])
        if self._period is None:
            raise TooLargeError(
                f"heap {heap:,} of {self.text} is too large: no period is proved",
                f"heaps below {MOST:,} can be computed one after the other",
            )
        return self._period.value(heap)

    def nim_sum(self, heaps: Iterable[int]) -> int:
        """The value of a position: the nim sum of the values of its heaps."""
        return reduce(xor, map(self.value, heaps), 0)

    def _learn(self, size: int) -> None:
        """Compute heaps below `size`, unless a proved period gives them."""
        while self._period is None and len(self._table.known) < size:
            goal = min(size, max(FIRST, 2 * len(self._table.known)))
            large = size > MOST_TRIPLES and goal > SEARCH_TRIPLES
            if large and self.code.most_heaps == 3:
                raise TooLargeError(
                    f"heap {size - 1:,} of {self.text} is too large: three heaps may be left",
                    f"no period is proved; ask for heaps below {MOST_TRIPLES:,}",
                )
            self._table.extend(goal)
            if len(self._table.known) >= FIRST:
                self._look()

    def _look(self) -> Period:
        """What the known values say of a period; kept if it is proved."""
        if self._period is not None:
            return self._period
        found = find_period(self.code, self._table.known)
        if found.proved:
            self._period = found
        return found

    def period(self, heaps: int | None = None) -> Period:
        """The least period, with its proof, sought among heaps below `heaps`."""
        if heaps is None:
            heaps = SEARCH_TRIPLES if self.code.most_heaps == 3 else SEARCH
        self._learn(max(3, _size(heaps)))
        return self._look()

    def sparse_space(self, heap: int = 1 << 14) -> SparseSpace:
        """The half of all nim values that is rarest among heaps 1 … `heap`, and where it occurs.

        This is what is seen, not a theorem."""
        return sparse_space(self.values(max(1, _size(heap))))

    # -- Moves. ---

    def moves(self, heap: int) -> Iterator[HeapMove]:
        """All moves in a heap."""
        heap = _size(heap)
        for take, digit in self._takes(heap):
            left = heap - take
            if digit & WHOLE and left == 0:
                yield HeapMove(heap, take, ())
            if digit & ONE and left > 0:
                yield HeapMove(heap, take, (left,))
            if digit & TWO:
                for a in range(1, self._half(left) + 1):
                    yield HeapMove(heap, take, (a, left - a))
            if digit & THREE:
                for a in range(1, left // 3 + 1):
                    for b in range(a, (left - a) // 2 + 1):
                        yield HeapMove(heap, take, (a, b, left - a - b))

    def winning_moves(self, heaps: Sequence[int]) -> list[HeapMove]:
        """All moves of a position after which its value is 0; equal heaps are listed once."""
        total = self.nim_sum(heaps)
        if not total:
            return []
        different = dict.fromkeys(map(index, heaps))
        return [m for heap in different for m in self.moves_to(heap, self.value(heap) ^ total)]

    def moves_to(self, heap: int, wanted: int) -> Iterator[HeapMove]:
        """All moves in a heap that leave heaps whose nim sum is `wanted`."""
        g = self.values(heap)
        for take, digit in self._takes(heap):
            left = heap - take
            if digit & WHOLE and left == 0 and wanted == 0:
                yield HeapMove(heap, take, ())
            if digit & ONE and left > 0 and g[left] == wanted:
                yield HeapMove(heap, take, (left,))
            if digit & TWO:
                half = self._half(left)
                sums = g[1 : half + 1] ^ g[left - half : left][::-1]
                for a in (np.flatnonzero(sums == wanted) + 1).tolist():
                    yield HeapMove(heap, take, (a, left - a))
            if digit & THREE:
                for a in range(1, left // 3 + 1):
                    rest = left - a
                    sums = g[a : rest // 2 + 1] ^ g[rest - rest // 2 : rest - a + 1][::-1]
                    for b in (np.flatnonzero(sums == (wanted ^ g[a])) + a).tolist():
                        yield HeapMove(heap, take, (a, b, rest - b))

    def _takes(self, heap: int) -> Iterator[tuple[int, int]]:
        """The numbers that may be taken from a heap, each with its digit."""
        last = heap if self.code.tail else min(heap, len(self.code.digits) - 1)
        for take in range(last + 1):
            if digit := self.code.digit(take):
                yield take, digit

    def _half(self, left: int) -> int:
        """How large the smaller of two heaps may be."""
        return (left - 1 if self.code.unequal else left) // 2


def heap_game(code_text: str) -> HeapGame:
    """The heap game of a code ("0.77", "4.(3)"), a name ("kayles") or a set ("take 1,3,4")."""
    return HeapGame(heap_code(code_text), code_text)


def mex(values: Iterable[int]) -> int:
    """The least number 0, 1, 2, … that is not among `values`."""
    there = set(values)
    return next(n for n in count() if n not in there)


def _size(heap: int, most: int | None = MOST) -> int:
    """A heap, if it is one."""
    try:
        heap = index(heap)
    except TypeError:
        raise UsageError(f"{heap!r} is no heap", "a heap is a whole number from 0 on") from None
    if heap < 0:
        raise UsageError(f"there is no heap of {heap} counters", "use 0, 1, 2, …")
    if most is not None and heap > most:
        raise TooLargeError(f"heap {heap:,} is too large", f"use heaps up to {most:,}")
    return heap
