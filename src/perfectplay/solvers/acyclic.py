"""Win, draw and loss where no move stays in the stratum: one pass, each row by itself.

A won position has the depth of its fastest win, a lost one that of its slowest loss, in plies; a
draw that is not at its end, and a win by endless play, have depth -1.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.backward import moves_of
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph

RANGE = 1 << 18
"""Rows that a thread takes at a time."""


def solve(graph: Graph, facts: Facts, store: Outcomes, options: Options) -> Work:
    """Outcome and depth of every row, from the values of lower strata alone."""
    moves = moves_of(graph)

    def one(begin: int, end: int) -> bool:
        # As unsigned numbers, depth -1 (never) is the largest: min and max need no special case.
        depth = store.depth.view(f"u{store.depth.itemsize}")
        limit = int(np.iinfo(store.depth.dtype).max) - 1
        rows = graph.low, begin, end, limit
        return bool(_pass(rows, graph.kind, graph.payoff, moves, store.value, depth))

    if not all(over_ranges(one, graph.size, options)):
        widen(store)
        over_ranges(one, graph.size, Options(workers=options.workers))
    return Work({"acyclic": graph.size})


def over_ranges(one: Callable[[int, int], bool], size: int, options: Options) -> list[bool]:
    """What one(begin, end) says for all ranges of rows, run by `options.workers` threads."""

    def run(begin: int) -> bool:
        end = min(begin + RANGE, size)
        done = one(begin, end)
        options.progress(end - begin)
        return done

    begins = range(0, size, RANGE)
    if options.workers == 1 or len(begins) < 2:
        return [run(begin) for begin in begins]
    with ThreadPoolExecutor(options.workers) as pool:
        return list(pool.map(run, begins))


def widen(store: Outcomes) -> None:
    """Make room for depths that do not fit in 16 bits."""
    store.depth = store.depth.astype(np.int32)


@kernel
def _pass(rows, kind, payoff, moves, value, depth):  # type: ignore[no-untyped-def]
    """Settle the rows of a range; False if a depth is too large to be stored.

    `depth` is unsigned; its largest number stands for "never"."""
    low, begin, end, limit = rows
    first, child, swap = moves
    every = -1 if len(swap) == len(child) else 0
    never = 2 * limit + 3
    for row in range(begin, end):
        if kind[row] == OVER:
            won = payoff[row]
            value[low + row] = 1 if won > 0 else (-1 if won < 0 else 0)
            depth[low + row] = 0
            continue
        turn = 1 if kind[row] == 1 else 0
        best: Any = -2
        plies = np.int64(0)
        for e in range(first[row], first[row + 1]):
            to = child[e]
            won = np.int64(value[to])
            if (swap[e & every] & 1) ^ turn:
                won = -won
            if won < best:
                continue
            if won == 0:
                best = 0
            elif won > best:
                best = won
                plies = np.int64(depth[to])
            elif won == 1:
                plies = min(plies, np.int64(depth[to]))
            else:
                plies = max(plies, np.int64(depth[to]))
        if best == 0:
            plies = never
        elif plies != never:
            plies += 1
            if plies > limit:
                return False
        value[low + row] = -best if turn else best
        depth[low + row] = plies
    return True
