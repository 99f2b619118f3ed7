"""Large cyclic components with several players in floats: sparse linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfectplay.compile import kernel
from perfectplay.game import CHANCE
from perfectplay.graph import Array, Graph
from perfectplay.solvers.backward import moves_of
from perfectplay.solvers.vectors_policy import Ties
from perfectplay.solvers.vectors_rows import largest_gap, leaving, sweep, worth


class SparseComponent:
    """A component with many anchors: one linear equation per row, solved by sparse elimination."""

    def __init__(
        self, graph: Graph, value: Array, members: Array, arrays: Any, rule: tuple[Ties, int]
    ) -> None:
        self.graph, self.value, self.members = graph, value, members
        self.pick, self.place, self.number = arrays
        self.ties, self.endless = rule
        self.moves, self.odds = moves_of(graph), (graph.weight, graph.reward)
        self.players = value.shape[1] if graph.swap.any() else 1
        self.earning = False
        self.value[graph.low + members] = self.endless

    def choose(self, *, sticky: bool) -> bool:
        rule = self.ties.mode, self.ties.player, int(sticky)
        return bool(
            sweep(
                self.graph.low, self.members, self.graph.kind, self.moves, self.odds, self.value,
                self.pick, rule,
            )
        )  # fmt: skip

    def evaluate(self) -> None:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        numbers = self.graph.low, float(self.endless), self.players
        where = self.place, self.number
        rows, columns, data, right, earning = equations(
            numbers,
            self.members,
            self.graph.kind,
            self.moves,
            self.odds,
            self.value,
            self.pick,
            where,
        )
        self.earning = bool(earning)
        size = len(self.members) * self.players
        system = csc_matrix((data, (rows, columns)), (size, size))
        known = splu(system).solve(right)
        self.value[self.graph.low + self.members] = known.reshape(len(self.members), -1)

    def gap(self) -> float:
        return float(
            largest_gap(
                self.graph.low, self.members, self.graph.kind, self.moves, self.odds[1], self.value
            )
        )

    def policy(self) -> bytes:
        return self.pick[self._edges()].tobytes()

    def restore(self, policy: bytes) -> None:
        self.pick[self._edges()] = np.frombuffer(policy, np.uint8)

    def _edges(self) -> Array:
        first = self.graph.first
        spans = [np.arange(first[row], first[row + 1]) for row in self.members]
        return np.concatenate(spans)


@kernel
def equations(numbers, members, kind, moves, odds, value, pick, where):  # type: ignore[no-untyped-def]
    """The linear system of the policy, as (rows, columns, data, right side, earning).

    Unknowns are the members (players = 1: the same coefficients for all players, one column of the
    right side each) or, if players are renamed, all pairs of a member and a player."""
    low, endless, players = numbers
    first, child, swap = moves
    weight, reward = odds
    place, number = where
    sides = value.shape[1] // players
    swaps = -1 if len(swap) == len(child) else 0
    weights = -1 if len(weight) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    leaves = leaving(low, members, kind, moves, place, number, pick)
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
        total = 0.0
        for e in range(first[row], first[row + 1]):
            total += weight[e & weights] if kind[row] == CHANCE else pick[e]
        for i in range(players):
            at = k * players + i
            rows[filled], columns[filled], data[filled] = at, at, 1.0
            filled += 1
            if not leaves[k]:
                right[at, :] = endless
        for e in range(first[row], first[row + 1]):
            share = (weight[e & weights] if kind[row] == CHANCE else pick[e]) / total
            to = np.int64(child[e]) - low
            if share == 0.0:
                continue
            if not leaves[k]:
                for i in range(value.shape[1]):
                    earning |= reward[e & rewards, i] != 0
                continue
            outside = to < 0 or number[to] != number[row]
            for i in range(value.shape[1]):
                at, side = k * players + (i if players > 1 else 0), (0 if players > 1 else i)
                if outside:
                    right[at, side] += share * worth(e, i, moves, reward, value)
                else:
                    right[at, side] += share * reward[e & rewards, i]
            if not outside:
                for i in range(players):
                    other = (i - np.int64(swap[e & swaps])) % players
                    rows[filled] = k * players + i
                    columns[filled] = place[to] * players + other
                    data[filled] = -share
                    filled += 1
    return rows[:filled], columns[:filled], data[:filled], right, earning
