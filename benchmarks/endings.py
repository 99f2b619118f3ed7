"""Chess endings: from rules to a verified table, material by material.

    python benchmarks/endings.py                 # all 35 materials of three and four men
    python benchmarks/endings.py KQKR KBNK       # some of them
    taskset -c 0 python benchmarks/endings.py KQKR --workers 1

Each is solved in memory with all that captures and promotions lead to, then verified. Reported are
positions, seconds of solving and of verifying, positions a second, and the longest win of the
material itself.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations_with_replacement

from perfectplay import solve, verify
from perfectplay.compiled.machine import peak_memory
from perfectplay.games.chess.chess import Chess

PIECES = "QRBNP"
PUBLISHED = {
    "KQK": 10, "KRK": 16, "KPK": 28, "KBBK": 19, "KBNK": 33, "KQKR": 35, "KQKB": 17, "KQKN": 21,
    "KRKB": 29, "KRKN": 40, "KPKP": 33,
}  # fmt: skip
"""Longest wins in moves, of White or Black, with all men on the board."""
PAWNS = 22
"""Bits of a stratum that tell where pawns are; those above tell the men."""


def materials() -> list[str]:
    """All materials of three and four men, those with fewest pawns first."""
    three = [f"K{a}K" for a in PIECES]
    two = [f"K{a}{b}K" for a, b in combinations_with_replacement(PIECES, 2)]
    against = [f"K{a}K{b}" for a, b in combinations_with_replacement(PIECES, 2)]
    return sorted(three + two + against, key=lambda name: (name.count("P"), len(name)))


def main() -> None:
    """Solve and verify the materials that are asked for."""
    reader = argparse.ArgumentParser(description="Solve and verify chess endings.")
    reader.add_argument("materials", nargs="*", default=[])
    reader.add_argument("--workers", type=int, default=2)
    reader.add_argument("--no-verify", action="store_true")
    given = reader.parse_args()
    total = 0.0
    print(
        f"{'material':9} {'positions':>12} {'solve':>8} {'verify':>8} {'a second':>10} {'win':>4}"
    )
    for material in given.materials or materials():
        began = time.perf_counter()
        solution = solve(Chess(material), workers=given.workers)
        solved = time.perf_counter() - began
        checked = 0.0 if given.no_verify else verify(solution.table, solution.game).seconds
        longest = 0
        own = max(number for number, _ in solution.table.strata) >> PAWNS
        for rows in solution.table.runs():
            if rows.strata[0][0] >> PAWNS == own and "depth" in rows.columns:
                longest = max(longest, int(rows.columns["depth"].max()))
        total += solved + checked
        moves = (longest + 1) // 2
        published = PUBLISHED.get(material)
        note = "" if published in (None, moves) else f"  published: {published}"
        print(
            f"{material:9} {solution.table.positions:12,} {solved:7.1f}s {checked:7.1f}s "
            f"{solution.table.positions / solved:10,.0f} {moves:4}{note}",
            flush=True,
        )
    print(f"{total:.0f} s, {peak_memory() / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
