"""Random matrix games, exactly; against Gambit's exact solver, where pygambit is installed."""

from __future__ import annotations

import io
import random
import sys
import time
from fractions import Fraction

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
        import pygambit as other
    except ImportError:
        return None
    size = len(cells)
    paid_out = " ".join(f"{row[j]} {-row[j]}" for j in range(size) for row in cells)
    text = f'NFG 1 R "" {{ "1" "2" }} {{ {size} {size} }}\n\n{paid_out}\n'
    table = other.read_nfg(io.StringIO(text))
    began = time.perf_counter()
    profile = other.nash.lp_solve(table, rational=True).equilibrium
    took = time.perf_counter() - began
    shares = [Fraction(str(profile["1"][s])) for s in table.get_strategies("1")]
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
