"""Canonical forms: perfectplay against cgt-py, a library in Rust, on boards that both know.

    python benchmarks/values.py                    perfectplay alone
    python benchmarks/values.py OTHER_PYTHON       and cgt-py, installed for another interpreter

Seconds of processor time, each from nothing, in a process of its own; both programs must find the
same value, or the benchmark ends.
"""

from __future__ import annotations

import subprocess
import sys

GRAPH = [(i, i + 1) for i in range(12) if i % 4 != 3] + [(i, i + 4) for i in range(8)]
TASKS = {
    "Domineering 4 x 5": ("domineering", "/".join(["....."] * 4)),
    "Domineering 5 x 5": ("domineering", "/".join(["....."] * 5)),
    "Amazons x.../.... /...o": ("amazons", "x.../..../...o"),
    "Konane 4 x 5": ("konane", "xoxox/oxoxo/xo..x/oxoxo"),
    "Snort on a grid of 3 x 4": ("snort", "." * 12),
    "Col on a grid of 3 x 4": ("col", "." * 12),
}
OURS = """
import time
from perfectplay import load
from perfectplay.sums.partizan import value_of
game = load({name!r}, {{"board": {board!r}}})
began = time.process_time()
found = value_of(game)
print(time.process_time() - began)
print(found)
"""
THEIRS = """
import time, cgt_py
name, board, pairs = {name!r}, {board!r}, {pairs!r}
if name in ("snort", "col"):
    game = getattr(cgt_py, name.capitalize())(len(board), pairs)
else:
    game = getattr(cgt_py, name.capitalize())(board.replace("/", "|"))
began = time.process_time()
found = game.canonical_form
print(time.process_time() - began)
print(repr(found).partition("('")[2][:-2])
"""


def run(python: str, program: str) -> tuple[float, str]:
    """Seconds, and the value as text."""
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    seconds, value = done.stdout.strip().split("\n")
    return float(seconds), value


def main() -> None:
    """Print one row for each board."""
    from perfectplay.sums import parse

    other = sys.argv[1] if len(sys.argv) > 1 else None
    print(f"{'':28} {'perfectplay':>12} {'cgt-py':>9} {'ratio':>7}")
    for title, (name, board) in TASKS.items():
        graph = name in ("snort", "col")
        edges = " ".join(f"{a + 1}-{b + 1}" for a, b in GRAPH)
        mine, value = run(
            sys.executable, OURS.format(name=name, board=f"{board} {edges}" if graph else board)
        )
        row = f"{title:28} {mine:10.2f} s"
        if other:
            theirs, same = run(other, THEIRS.format(name=name, board=board, pairs=GRAPH))
            assert parse(same) is parse(value), f"{title}: {value} is not {same}"
            row += f" {theirs:7.2f} s {mine / theirs:7.1f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
