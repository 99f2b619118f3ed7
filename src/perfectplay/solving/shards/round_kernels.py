"""Win, draw and loss of a shard of a stratum in which moves stay, one depth after the other.

What solvers/retrograde.py finds by walking backwards over all edges is found here by looking
forwards, again and again, from rows that are not settled yet: a row is won at depth d if a child
that was settled at depth d - 1 is good for the mover, and lost at depth d if all children are bad
and the last of them was settled at depth d - 1. So a shard needs nothing but the rows of the other
shards as they were one depth before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER

OPEN = 2
"""In place of the value of a row that is not settled."""
NEVER = np.iinfo(np.int32).max
"""A depth that no row has."""


class ShardMoves(NamedTuple):
    """The moves of a shard that stay in its stratum, and what is known of the others."""

    mover: Kinds
    """int8[n]: 0 or 1; OVER rows are settled before."""
    first: Ints
    """int64[n + 1]: the edges of row i are first[i] … first[i + 1] - 1."""
    edge: Ints
    """int64[e]: row << 1 | whether players are swapped; rows are those of the stratum, shards one
    after the other."""
    fastest: Array
    """int32[n]: the least depth of an exit that is good for the mover; NEVER if there is none."""
    slowest: Array
    """int32[n]: the greatest depth of an exit that is bad for the mover, -1 if there is none;
    NEVER if some exit is good, or neither good nor bad, so that the row cannot be lost."""


@kernel
def prepare(
    rows: tuple[Kinds, Ints, Ints, Ints, Array], known: tuple[Kinds, Array, Ints],
    moves: ShardMoves, values: tuple[Kinds, Array],
) -> int:  # fmt: skip
    """Put down what is known of some rows before anything inside is settled; where edges end.

    `rows` = (kind, payoff, first, child, swap) of a graph whose children are places among `known`
    = (values to player 0, depths, rows of the stratum or -1 where a child is in a lower one)."""
    kind, payoff, first, child, swap = rows
    won_by, plies, inside = known
    value, depth = values
    mover, ends, edge, fastest, slowest = moves
    every = -1 if len(swap) == len(child) else 0
    at = 0
    for r in range(len(kind)):
        fastest[r], slowest[r], depth[r], value[r] = NEVER, -1, -1, OPEN
        mover[r] = 1 if kind[r] == 1 else 0
        if kind[r] == OVER:
            won = payoff[r]
            value[r] = 1 if won > 0 else (-1 if won < 0 else 0)
            depth[r] = 0
        for e in range(first[r], first[r + 1]):
            to = child[e]
            turned = (swap[e & every] & 1) == 1
            if inside[to] >= 0:
                edge[at] = (inside[to] << 1) | (1 if turned else 0)
                at += 1
                continue
            good = np.int64(won_by[to])
            if turned != (mover[r] == 1):
                good = -good
            if good == 0 or plies[to] < 0:
                slowest[r] = NEVER
            elif good > 0:
                fastest[r] = min(np.int64(fastest[r]), np.int64(plies[to]))
            else:
                slowest[r] = max(np.int64(slowest[r]), np.int64(plies[to]))
        if fastest[r] < NEVER:
            slowest[r] = NEVER
        ends[r + 1] = at
    return at


@kernel
def settle_depth(
    moves: ShardMoves, d: int, every: Kinds, value: Kinds, depth: Array
) -> tuple[int, int, int]:
    """Settle the rows of depth d, given `every` row of the stratum as it was before: (how many;
    how many are open; the least depth at which exits alone may settle another row)."""
    settled, left = 0, 0
    ahead = np.int64(NEVER)
    for row in range(len(depth)):
        if value[row] != OPEN:
            continue
        won = moves.fastest[row] < d
        lost = moves.slowest[row] < d
        if not won:
            for e in range(moves.first[row], moves.first[row + 1]):
                code = moves.edge[e]
                good = np.int64(every[code >> 1])
                if good == OPEN:
                    lost = False
                    continue
                if ((code & 1) == 1) != (moves.mover[row] == 1):
                    good = -good
                if good > 0:
                    won = True
                    break
                if good == 0:
                    lost = False
        if won or lost:
            mine = 1 if won else -1
            value[row] = mine if moves.mover[row] == 0 else -mine
            depth[row] = d
            settled += 1
            continue
        left += 1
        if d <= moves.fastest[row] < NEVER:
            ahead = min(ahead, np.int64(moves.fastest[row]) + 1)
        if d <= moves.slowest[row] < NEVER:
            ahead = min(ahead, np.int64(moves.slowest[row]) + 1)
    return settled, left, int(ahead)
