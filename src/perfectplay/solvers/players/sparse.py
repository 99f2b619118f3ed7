"""Large cyclic components with several players in floats: sparse linear algebra.

Under a policy, x[r, i] = sum over edges e of p[e] (reward[e, i] + x[child, i - swap]), for every
row r of the component and every player i; rows from which play cannot leave are worth `endless`.
"""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import FlatGraph
from perfectplay.solvers.players.policy import Ties
from perfectplay.solvers.players.vector_rows import (
    Arrangement,
    Moves,
    audit,
    leaving,
    look,
    split,
    sweep,
)


class SparseComponent:
    """A component with many anchors: one linear equation per row, solved by sparse elimination."""

    def __init__(
        self, graph: FlatGraph, parts: Arrangement, c: int, arrays: Any, rule: tuple[Ties, int]
    ) -> None:
        self.graph, self.parts = graph, parts
        self.members = members = parts.order[parts.start[c] : parts.start[c + 1]]
        self.value, self.pick, self.widest = arrays
        self.ties, self.endless = rule
        self.players = self.value.shape[1] if graph.swap.any() else 1
        self.earning = False
        self.ids = graph.low + members.astype(np.int64)
        spans = [np.arange(graph.first[row], graph.first[row + 1]) for row in members]
        self.edges = np.concatenate(spans)
        self.value[self.ids] = self.endless
        self._digest = 0

    def choose(self, *, sticky: bool) -> bool:
        rule = self.ties.mode, self.ties.player, int(sticky)
        before = self._digest
        game = self.graph, self.widest, self.members, self.value, self.pick
        self._digest = sweep(*game, rule)
        return self._digest != before

    def evaluate(self) -> None:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        numbers = self.widest, float(self.endless), self.players
        self.value[self.ids] = 0.0
        rows, columns, data, right, earning = _equations(
            self.graph, self.members, self.parts, self.value, self.pick, numbers
        )
        self.earning = bool(earning)
        size = len(self.members) * self.players
        known = splu(csc_matrix((data, (rows, columns)), (size, size))).solve(right)
        self.value[self.ids] = known.reshape(len(self.members), -1)

    def gap(self) -> float:
        return float(audit(self.graph, self.widest, self.members, self.value, self.pick)[1])

    def policy(self) -> bytes:
        return bytes(self.pick[self.edges].tobytes())

    def restore(self, policy: bytes) -> None:
        self.pick[self.edges] = np.frombuffer(policy, np.uint8)


@kernel
def _equations(
    graph: FlatGraph,
    members: Int32s,
    parts: Arrangement,
    value: Floats,
    pick: Bytes,
    numbers: tuple[int, float, int],
) -> tuple[Ints, Ints, Floats, Floats, bool]:
    """The linear system of the policy, as (rows, columns, data, right-hand sides, whether endless
    play would earn something). The values of the members have to be 0.

    numbers = (most edges of a row, value of endless play, players). Unknowns are the members
    (players = 1: the same coefficients for all players, one right-hand side each) or, if players
    are renamed, all pairs of a member and a player."""
    widest, endless, players = numbers
    low, first, child, swap = graph.low, graph.first, graph.child, graph.swap
    place, number = parts.place, parts.number
    sides = value.shape[1] // players
    swaps = -1 if len(swap) == len(child) else 0
    leaves = leaving(graph, members, parts, pick)
    moves = Moves(first, child, swap, graph.reward)
    worths = np.empty((widest, value.shape[1]))
    shares = np.empty(widest)
    most = len(members)
    for row in members:
        most += first[row + 1] - first[row]
    rows = np.empty(most * players, np.int64)
    columns = np.empty(most * players, np.int64)
    data = np.empty(most * players)
    right = np.zeros((len(members) * players, sides))
    filled = 0
    earning = False
    for k in range(len(members)):
        row = members[k]
        size = look(row, moves, value, worths)
        split(graph.kind[row], first[row], first[row + 1], graph.weight, pick, shares)
        for i in range(players):
            at = k * players + i
            rows[filled], columns[filled], data[filled] = at, at, 1.0
            filled += 1
            for side in range(sides):
                right[at, side] = 0.0 if leaves[k] else endless
        for e in range(first[row], first[row] + size):
            share = shares[e - first[row]]
            if share == 0.0:
                continue
            if not leaves[k]:
                for i in range(value.shape[1]):
                    earning |= worths[e - first[row], i] != 0.0
                continue
            for i in range(value.shape[1]):
                right[k * players + i % players, i // players] += share * worths[e - first[row], i]
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] == number[row]:
                for i in range(players):
                    other = (i - np.int64(swap[e & swaps])) % players
                    rows[filled] = k * players + i
                    columns[filled] = place[to] * players + other
                    data[filled] = -share
                    filled += 1
    return rows[:filled], columns[:filled], data[:filled], right, earning
