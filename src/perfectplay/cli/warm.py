"""Warm: compile the engine's own kernels ahead of time, so that a first solve need not wait.

    python -m perfectplay.cli.warm

Kernels are compiled once for each version of the package and kept in the user's cache folder;
after that only the rules of new games are compiled. Small games of every kind are solved and
verified, with interpreted rules. Python's own bytecode of the package is written too, which
otherwise would not be there where PYTHONDONTWRITEBYTECODE is set."""

import compileall
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perfectplay.rules.game import Game

WIDEST = 6
"""Words of the keys for which positions can be found without compiling anything."""


@dataclass(frozen=True)
class Points(Game):
    """Take 1 or 2 points from a heap and score them, or pass; more points win."""

    heap: int = 4
    passes: bool = False

    def start(self) -> tuple[int, int]:
        return self.heap, 0

    def moves(self, p: tuple[int, int]) -> Iterator[int]:
        for take in range(0 if self.passes else 1, 3):
            if p[0] and take <= p[0]:
                yield take

    def play(self, p: tuple[int, int], take: int) -> tuple[int, int]:
        return p[0] - take, 1 - p[1]

    def payoff(self, p: tuple[int, int]) -> int:
        return 0

    def reward(self, p: tuple[int, int], take: int) -> int:
        return take


@dataclass(frozen=True)
class Walk(Game):
    """Steps of different cost along a ring, to the other side."""

    players = 1
    minimise = True

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> Iterator[int]:
        if p != 4:
            yield from (1, 2, 7)

    def play(self, p: int, step: int) -> int:
        return (p + step) % 8

    def payoff(self, p: int) -> int:
        return 0

    def reward(self, p: int, step: int) -> int:
        return step


def games() -> list[list[Game]]:
    """Small games that together need every kernel, in two lists that take about as long."""
    from perfectplay.games.boards.mutorere import MuTorere
    from perfectplay.games.dice.cantstop import CantStop
    from perfectplay.games.dice.flip import Flip, FlipFlop
    from perfectplay.games.dice.pig import Pig
    from perfectplay.games.heaps.nim import Subtraction
    from perfectplay.games.puzzles.hanoi import Hanoi
    from perfectplay.games.races.einstein import Einstein
    from perfectplay.games.races.snakes import SnakesAndLadders

    return [
        [
            CantStop(3, 2, 1, 1),
            Einstein(rows=3, stones=2),
            Pig(goal=4, players=3),
            Hanoi(discs=2),
            Walk(),
            Flip(markers=4),
        ],
        [
            Pig(goal=4),
            Points(),
            Points(passes=True),
            Subtraction(heap=9),
            MuTorere(points=4),
            FlipFlop(markers=4),
            SnakesAndLadders(),
        ],
    ]


def warm(part: int | None = None) -> float:
    """Compile everything that is shared by all games, or a part of it; the seconds it took."""
    began = time.perf_counter()
    if part is None:
        compileall.compile_dir(Path(__file__).parents[1], quiet=2)
        second = subprocess.Popen([sys.executable, "-m", "perfectplay.cli.warm", "1"])
        _compile(0)
        if second.wait():
            raise SystemExit(second.returncode)
    else:
        _compile(part)
    return time.perf_counter() - began


def _compile(part: int) -> None:
    from perfectplay.answer.solve import solve
    from perfectplay.games.dice.cantstop import CantStop
    from perfectplay.games.heaps.nim import Subtraction
    from perfectplay.positions.id_index import NativeIndex
    from perfectplay.positions.key_order import group_by_stratum, sorted_words
    from perfectplay.searching.search import search
    from perfectplay.searching.turns import compile_ahead
    from perfectplay.verification.verify import verify

    if part == 1:
        search(Subtraction(heap=9))
        _shapes()
        compile_ahead.warm()
    for width in range(1 + part, WIDEST + 1, 2):
        keys = np.arange(9000 * width).reshape(-1, width)
        NativeIndex(width).insert(keys, 0)
        group_by_stratum(keys, keys[:, 0] & 3)
    if part == 0:
        sorted_words(np.arange(300)[::-1])
    for game in games()[part]:
        verify(solve(game, plain=True).table, game=game)
        if not isinstance(game, CantStop):  # by turns in floats only: the rest takes too long
            verify(solve(game, plain=True, exact=True).table, game=game)


def _shapes() -> None:
    """What finds shapes, and where they lead (positions/unlabelled.py)."""
    from perfectplay.positions.key_set import KeySet, find, placed
    from perfectplay.strata.unlabelled_edges import edges_of_nothing

    known = KeySet(1)
    known.insert(np.arange(2000).reshape(-1, 1))
    keys, _ = known.ordered()
    begin, place = placed(keys)
    find(keys, keys, begin, np.empty(len(keys), np.uint32), place)
    edges_of_nothing()


if __name__ == "__main__":
    if sys.argv[1:]:
        warm(int(sys.argv[1]))
    else:
        sys.stderr.write("compiling the engine (once)\n")
        sys.stderr.write(f"compiled in {warm():.0f} s\n")
