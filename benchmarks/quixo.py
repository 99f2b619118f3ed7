"""Quixo solved by number, and its positions counted as GamesmanOne counts them.

    python benchmarks/quixo.py [WIDTH] [--no-symmetry]

All numbers are solved, also those that no play leads to. Then play is followed from the start, on
arrays with a place for each number: a position that play can come to counts once for each of its
turned and mirrored images, and for either player to move, if both may be at it."""

from __future__ import annotations

import sys
import time
from collections import Counter

import numpy as np

from perfectplay import solve
from perfectplay.answer.solution import Solution
from perfectplay.compiled.arrays import Array, distinct
from perfectplay.games.boards.quixo import MINE, THEIRS, Quixo

AT_ONCE = 1 << 16


def images(game: Quixo, keys: Array) -> Array:
    """How many different boards turning and mirroring makes of each position."""
    found = []
    for table in game.pair_images:
        both = np.zeros(len(keys), np.int64)
        for number, row in enumerate(table):
            for low, _ in (MINE, THEIRS):
                both |= row[(keys >> low & (1 << MINE.bits) - 1) >> 8 * number & 255] << low
        found.append(both)
    boards = np.sort(np.stack(found), axis=0)
    different: Array = 1 + (boards[1:] != boards[:-1]).sum(axis=0)
    return different


def reached(solution: Solution) -> dict[tuple[int, int], Array]:
    """By stratum and player to move: which numbers play can come to."""
    numbering = solution.table.numbering
    rules = numbering.rules
    seen = {(s, turn): np.zeros(size, np.bool_) for s, size in numbering.strata for turn in (0, 1)}
    stratum, number = numbering.rank(solution.game.start())
    waiting = {(stratum, 0): [np.array([number])]}
    seen[stratum, 0][number] = True
    while waiting:
        stratum, turn = max(waiting)
        numbers = np.concatenate(waiting.pop((stratum, turn)))
        for low in range(0, len(numbers), AT_ONCE):
            keys, _ = numbering.keys(stratum, numbers[low : low + AT_ONCE])
            batch = rules.expand(keys)
            ranks = numbering.ranks(batch.child)
            for to in distinct(batch.stratum).tolist():
                known = seen[to, 1 - turn]
                new = distinct(ranks[batch.stratum == to])
                new = new[~known[new]]
                known[new] = True
                if len(new):
                    waiting.setdefault((to, 1 - turn), []).append(new)
    return seen


def main() -> None:
    """Solve and count."""
    width = next((int(word) for word in sys.argv[1:] if word.isdigit()), 4)
    game = Quixo(width, symmetry="--no-symmetry" not in sys.argv)
    solve(Quixo(2, symmetry=game.symmetry), workers=1)
    for _ in range(2):
        began = time.process_time()
        solution = solve(game, workers=1)
        took = time.process_time() - began
    print(f"{solution.report['positions']:,} positions solved in {took:.1f} s of processor time")
    counts: Counter[int] = Counter()
    for (stratum, _), seen in reached(solution).items():
        numbers = np.flatnonzero(seen)
        if not len(numbers):
            continue
        keys, _ = solution.table.numbering.keys(stratum, numbers)
        weight = images(game, keys[:, 0]) if game.symmetry else np.ones(len(keys), np.int64)
        values = solution.table.find_all(np.full(len(numbers), stratum), numbers)["outcome"]
        for outcome in (1, 0, -1):
            counts[outcome] += int(weight[values == outcome].sum())
    won, drawn, lost = (counts[outcome] for outcome in (1, 0, -1))
    print(f"{sum(counts.values()):,} can arise: {won:,} won, {lost:,} lost, {drawn:,} drawn")


if __name__ == "__main__":
    main()
