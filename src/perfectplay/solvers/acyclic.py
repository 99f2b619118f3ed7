"""Win, draw and loss where no move stays in the stratum: one pass, each row by itself.

The problem: value[r] = the best of -1, 0, 1 among the children, to the player who moves at r.
Facts needed: two players with opposed interests, no chance, no rewards. A won position has the
depth of its fastest win, a lost one that of its slowest loss, in plies; a draw that is not
terminal, and a win by endless play, have depth -1.
"""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.backward import FlatGraph, flat
from perfectplay.solvers.store import Outcomes
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.graph import Facts, Graph

RANGE = 1 << 18
"""Rows that a thread takes at a time."""


def solve(graph: Graph, facts: Facts, store: Outcomes, options: Options) -> Work:
    """Outcome and depth of every row, from the values of lower strata alone."""
    game = flat(graph)
    fits: list[bool] = []

    def task(begin: int, end: int) -> None:
        # As unsigned numbers, depth -1 (never) is the largest: min and max need no special case.
        depth = store.depth.view(f"u{store.depth.itemsize}")
        limit = int(np.iinfo(store.depth.dtype).max) - 1
        fits.append(bool(_pass(game, begin, end, limit, store.value, depth)))

    over_rows(task, graph.size, options, RANGE)
    if not all(fits):
        widen(store)
        over_rows(task, graph.size, Options(workers=options.workers), RANGE)
    return Work({"acyclic": graph.size})


def widen(store: Outcomes) -> None:
    """Make room for depths that do not fit in 16 bits."""
    store.depth = store.depth.astype(np.int32)


@kernel
def _pass(graph: FlatGraph, begin: int, end: int, limit: int, value: Kinds, depth: Array) -> bool:
    """Settle the rows of a range; False if a depth is too large to be stored.

    `depth` is unsigned; its largest number stands for "never"."""
    low, kind, payoff = graph.low, graph.kind, graph.payoff
    first, child, swap = graph.first, graph.child, graph.swap
    every = -1 if len(swap) == len(child) else 0
    never = np.int64(2 * limit + 3)
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
