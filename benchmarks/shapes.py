"""EinStein würfelt nicht! by shapes and position by position, in one run: the same table, the time
of each and their ratio.

    python benchmarks/shapes.py [rows] [stones]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from perfectplay import load, solve
from perfectplay.positions import labels


def timed(rows: int, stones: int, many: int, folder: Path) -> tuple[float, int, str]:
    """Seconds, positions and signature of a table, solved with rules that are compiled."""
    labels.MANY = many
    game = load("einstein", [f"rows={rows}", f"stones={stones}"])
    began = time.perf_counter()
    found = solve(game, folder, exact=True, fresh=True)
    seconds = time.perf_counter() - began - found.report["seconds"]["compile"]
    return seconds, found.report["positions"], found.report["signature"]


def main(rows: int = 5, stones: int = 3) -> None:
    """Solve it both ways, twice: the first time compiles."""
    with tempfile.TemporaryDirectory() as folder:
        ways = {"shapes": 0, "positions": 1 << 62}
        for _ in range(2):
            found = {
                way: timed(rows, stones, many, Path(folder) / way) for way, many in ways.items()
            }
    assert found["shapes"][1:] == found["positions"][1:]
    for way, (seconds, positions, signature) in found.items():
        print(f"{way:10} {seconds:8.1f} s  {positions:,} positions, {signature}")
    print(f"ratio      {found['shapes'][0] / found['positions'][0]:8.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
