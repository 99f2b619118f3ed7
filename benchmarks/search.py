"""Values of large boards by `search`, each asserted: nodes, seconds of CPU and
nodes a second, on one thread and on two, with and without what the rules add.

    python benchmarks/search.py [width height [megabytes]]

Without arguments: connect 6 x 5, 7 x 5 and 6 x 6. 7 x 6 takes some minutes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay import Game, search
from perfectplay.games.lines.connect import ConnectK
from perfectplay.searching.result import SearchResult

VALUES = {(5, 4): 0, (5, 5): 0, (6, 5): 0, (7, 5): 0, (6, 6): -1, (7, 6): 1}
"""Known values (Tromp; Allen 1988 and Allis 1988 for 7 x 6)."""


@dataclass(frozen=True)
class AllMoves(ConnectK):
    """The same rules; no move is left out."""

    def enough(self, p: int) -> Iterator[int]:
        return self.moves(p)


@dataclass(frozen=True)
class NoHints(ConnectK):
    """The same rules; no move comes first."""

    def hint(self, p: int, m: int) -> int:
        return 0


def report(name: str, game: Game, expected: int, size: int, threads: int = 1) -> SearchResult:
    """Search twice, the first time to compile; print what the second took."""
    search(game, nodes=10)
    began = time.process_time()
    found = search(game, size=size, threads=threads)
    spent = time.process_time() - began
    assert found.exact == expected, (name, found.value_text)
    nodes = found.counts.nodes
    speed = f"{spent:8.2f} s {nodes / spent / 1e6:6.2f} M/s"
    print(f"{name:28} {found.value_text:5} {nodes:14,} {speed}")
    return found


def main(arguments: list[str]) -> None:
    """All boards, or the one that is named."""
    shape = (int(arguments[0]), int(arguments[1])) if arguments else None
    size = (int(arguments[2]) if len(arguments) > 2 else 256) * 2**20
    for width, height in [shape] if shape else [(6, 5), (7, 5), (6, 6)]:
        name, expected = f"connect {width} x {height}", VALUES[width, height]
        board = {"width": width, "height": height, "symmetry": True}
        report(name, ConnectK(**board), expected, size)
        if shape is None and height == 5:
            report(f"{name}, two threads", ConnectK(**board), expected, size, 2)
            report(f"{name}, all moves", AllMoves(**board), expected, size)
        if (width, height) == (6, 5):
            report(f"{name}, no hints", NoHints(**board), expected, size)


if __name__ == "__main__":
    main(sys.argv[1:])
