"""Heap games by nothing but their definition: slow and obvious; shares nothing with
perfectplay.sums. A code is a function from a number taken to a digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

Digit = Callable[[int], int]
Heaps = tuple[int, ...]


def parts(total: int, count: int, least: int = 1) -> Iterator[Heaps]:
    """All ways to write `total` as a sum of `count` numbers of at least `least`, rising."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for first in range(least, total + 1):
        for rest in parts(total - first, count - 1, first):
            yield first, *rest


def options(digit: Digit, heap: int, *, unequal: bool = False) -> Iterator[Heaps]:
    """All that may be left of a heap."""
    for take in range(heap + 1):
        for count in range(4):
            if digit(take) >> count & 1:
                for left in parts(heap - take, count):
                    if not (unequal and len(set(left)) < len(left)):
                        yield left


def values(digit: Digit, most: int, *, unequal: bool = False) -> list[int]:
    """Nim values of heaps 0 … most by the mex rule."""
    g: list[int] = []
    for heap in range(most + 1):
        there = set()
        for left in options(digit, heap, unequal=unequal):
            total = 0
            for each in left:
                total ^= g[each]
            there.add(total)
        g.append(min(set(range(len(there) + 1)) - there))
    return g


def positions_after(
    digit: Digit, heaps: Heaps, *, unequal: bool = False
) -> Iterator[tuple[int, Heaps, Heaps]]:
    """All moves of a position: the heap, what is left of it, and the heaps after it, sorted."""
    for i, heap in enumerate(heaps):
        if i == 0 or heaps[i - 1] != heap:
            for left in options(digit, heap, unequal=unequal):
                yield heap, left, tuple(sorted((*heaps[:i], *heaps[i + 1 :], *left)))


def winner(digit: Digit, *, misere: bool, unequal: bool = False) -> Callable[[Heaps], bool]:
    """A function that tells whether the player to move wins a position of sorted heaps."""

    @cache
    def wins(heaps: Heaps) -> bool:
        after = [q for _, _, q in positions_after(digit, heaps, unequal=unequal)]
        return misere if not after else not all(map(wins, after))

    return wins
