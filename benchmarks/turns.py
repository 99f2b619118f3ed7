"""One board of EinStein würfelt nicht!, searched position by position, by turns, and by turns with
bounds from shapes, in one run: the same value, the nodes and the time of each, and their ratio.

    python benchmarks/turns.py [rows] [stones]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from perfectplay import search
from perfectplay.games.races.einstein import Einstein
from perfectplay.searching.search import SearchResult

SIZE = 2**28


@dataclass(frozen=True)
class Nameless(Einstein):
    """The same game, whose shapes are not looked at."""

    labels = 0  # type: ignore[assignment]


@dataclass(frozen=True)
class Single(Nameless):
    """The same game, searched position by position."""

    by_turns = False


WAYS = {"positions": Single, "turns": Nameless, "shapes": Einstein}


def searched(way: str, rows: int, stones: int) -> SearchResult:
    """The second of two searches: the first one compiles."""
    game = WAYS[way](rows=rows, stones=stones, placement="given")
    search(game, size=2**20, nodes=10)
    return search(game, size=SIZE)


def main(rows: int = 4, stones: int = 4) -> None:
    """Search it in all three ways."""
    found = {way: searched(way, rows, stones) for way in WAYS}
    assert len({each.exact for each in found.values()}) == 1
    for way, each in found.items():
        print(f"{way:10} {each.seconds:8.2f} s  {each.counts.nodes:12,} nodes  {each.told}")
    print(f"ratio      {found['shapes'].seconds / found['positions'].seconds:8.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
