"""Fifty of Korf's positions of the 15-puzzle (tests/searching/fifteen_puzzle.csv): least numbers
of moves, nodes, and seconds of CPU, databases and compiling included.

    .venv/bin/python benchmarks/fifteen_puzzle.py [how many] [--built]

With --built the first position, which builds or loads the databases, is not counted.
"""

import csv
import sys
import time
from pathlib import Path

from perfectplay import load
from perfectplay.searching.search import searches

FILE = Path(__file__).parent.parent / "tests" / "searching" / "fifteen_puzzle.csv"


def main() -> None:
    """Search them all; each answer must be the published one."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line[0] != "#"))[
            : (numbers or [50])[0]
        ]
    game = load("sliding", {"width": 4, "height": 4})
    roots = [game.packed([int(x) for x in row["board"].split()]) for row in rows]
    answers = searches(game, ([roots[0]] if "--built" in sys.argv else []) + roots)
    if "--built" in sys.argv:
        next(answers)
    began, nodes = time.process_time(), 0
    for row, found in zip(rows, answers, strict=True):
        assert found.exact == int(row["moves"]) == len(found.line), row
        nodes += found.counts.nodes
    spent = time.process_time() - began
    print(
        f"{len(rows)} positions, {nodes:,} nodes, {spent:.2f} s of CPU, "
        f"{nodes / spent:,.0f} a second"
    )


if __name__ == "__main__":
    main()
