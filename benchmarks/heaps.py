"""Nim values of heaps and of rules: perfectplay against plain Python, each answer checked.

    python benchmarks/heaps.py

Seconds after compiling. cgt-py 0.11, the library in Rust that benchmarks/values.py compares with,
offers no heap games and no nim values of a user's rules to Python, so there is nothing to compare.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from perfectplay import Game, grundy
from perfectplay.sums.heaps.heap_game import heap_game
from perfectplay.sums.heaps.misere import Misere


def twin(takes: tuple[int, ...], most: int) -> list[int]:
    """Heaps from which these numbers may be taken, and what is left may be split, by the mex
    rule and nothing else."""
    values = [0]
    for heap in range(1, most + 1):
        there = set()
        for take in takes:
            left = heap - take
            for a in range(left // 2 + 1 if left >= 0 else 0):
                there.add(values[a] ^ values[left - a])
        least = 0
        while least in there:
            least += 1
        values.append(least)
    return values


@dataclass(frozen=True)
class Row(Game):
    """Kayles on a row of pins, as bits: all positions, not only heaps."""

    pins: int = 22

    native = True

    def start(self) -> int:
        return (1 << self.pins) - 1

    def moves(self, p: int) -> Iterator[int]:
        for i in range(self.pins):
            if (p >> i) & 1:
                yield p & ~(1 << i)
                if (p >> (i + 1)) & 1:
                    yield p & ~(3 << i)

    def play(self, p: int, m: int) -> int:
        return m

    def stratum(self, p: int) -> int:
        count = 0
        while p:
            p &= p - 1
            count += 1
        return count


def timed(what: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the answer."""
    began = time.perf_counter()
    found = what()
    return time.perf_counter() - began, found


def main() -> None:
    """Run everything and print a table."""
    heap_game("0.77").values(5000)  # compiles
    heap_game("0.007").values(9000)
    grundy(Row(10))
    plain, expected = timed(lambda: twin((1, 2), 3000))
    ours, found = timed(lambda: heap_game("0.77").values(1_000_000))
    assert found[:3001].tolist() == expected
    assert found[-12:].tolist() == [4, 7, 2, 1, 8, 2, 7, 4, 1, 2, 8, 1]
    print(f"Kayles to 1,000,000, period proved  {ours:8.2f} s")
    print(f"  plain Python to 3,000             {plain:8.2f} s")
    seconds, period = timed(lambda: heap_game("0.16").period(520_000))
    assert (period.length, period.start, period.proved) == (149459, 105351, True)
    print(f"0.16: period 149,459 proved         {seconds:8.2f} s")
    seconds, values = timed(lambda: heap_game("grundys-game").values(1_000_000))
    assert int((values[1:] == 0).sum()) == 41
    print(f"Grundy's game to 1,000,000          {seconds:8.2f} s")
    seconds, values = timed(lambda: heap_game("0.007").values(100_000))
    assert values[:10].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 0, 3]
    print(f"0.007 to 100,000                    {seconds:8.2f} s")
    seconds, nimbers = timed(lambda: grundy(Row()))
    assert nimbers.value(nimbers.start) == expected[22]
    rate = nimbers.positions / seconds / 1e6
    print(
        f"{nimbers.positions:,} positions of a row of 22  {seconds:8.2f} s, {rate:.1f} million/s"
    )
    seconds, quotient = timed(lambda: Misere(heap_game("0.15")).quotient.extend(160))
    assert (quotient.size, quotient.period().length) == (42, 10)
    print(f"misère Guiles, 42 classes, proved   {seconds:8.2f} s")


if __name__ == "__main__":
    main()
