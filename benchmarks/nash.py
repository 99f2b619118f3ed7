"""Random matrix games, exactly; against Gambit's exact solver, where pygambit is installed."""

from __future__ import annotations

import random
import sys
import time
from fractions import Fraction
from typing import Any

from perfectplay import nash


def game(size: int, top: int = 100, bottom: int = 12) -> list[list[Fraction]]:
    """A square matrix of random fractions, the same every time."""
    pick = random.Random(size)

    def cell() -> Fraction:
        return Fraction(pick.randint(-top, top), pick.randint(1, bottom))

    return [[cell() for _ in range(size)] for _ in range(size)]


def gambit(cells: list[list[Fraction]]) -> tuple[Fraction, float] | None:
    """Value and seconds of Gambit's exact solver; None if it is not installed."""
    try:
        import numpy as np
        import pygambit as other
    except ImportError:
        return None
    rational: Any = np.array(
        [[other.Rational(c.numerator, c.denominator) for c in row] for row in cells], dtype=object
    )
    make = getattr(other, "StrategicGame", other.Game).from_arrays
    table = make(rational, -rational)
    began = time.perf_counter()
    found = other.nash.lp_solve(table, rational=True)
    took = time.perf_counter() - began
    profile = found.equilibrium if hasattr(found, "equilibrium") else found.equilibria[0]
    shares = [Fraction(str(profile[s])) for s in next(iter(table.players)).strategies]
    paid = [
        sum((x * row[j] for x, row in zip(shares, cells, strict=True)), Fraction(0))
        for j in range(len(cells[0]))
    ]
    return min(paid), took


def main(sizes: list[int]) -> None:
    """Print a line for each size."""
    nash(game(14))  # loads what is needed
    for size in sizes:
        cells = game(size)
        began = time.perf_counter()
        found = nash(cells)
        took = time.perf_counter() - began
        other = gambit(cells) if size <= 36 else None
        line = f"{size:4} x {size:<4} {took:8.3f} s"
        if other is not None:
            assert other[0] == found.value
            line += f"   gambit {other[1]:8.3f} s, {other[1] / took:.0f} times as long"
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [12, 24, 36, 100, 400, 720])
