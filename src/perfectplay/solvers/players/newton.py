"""Cyclic components with several players in floats: Newton's method on the anchors, compiled, or
on all rows, by sparse linear algebra.

The problem: a policy under which no player gains by another move at a single row, and its values
x[r, i] = sum over edges e of p[e] (reward[e, i] + x[child, i - swap]); rows from which play cannot
leave are worth `endless`. Facts needed: none.

Anchors are a few rows that every cycle passes through: under a fixed policy all values are affine
functions of the anchors' values, found in one sweep, children before parents. Solving for the
anchors gives the values of the policy (Glenn, Fang and Kruskal 2009). An anchor that is reached
with its players renamed by t counts as another coefficient: `turns` of them per anchor, 1 if no
edge of the stratum renames. Components with many anchors are left to `SparseComponent`.
"""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.backward import FlatGraph, eliminated
from perfectplay.solvers.chance.sweeps import note_rounds
from perfectplay.solvers.elimination import solve_system
from perfectplay.solvers.players.policy import ROUNDS, Ties
from perfectplay.solvers.players.vector_rows import (
    TIE,
    Arrangement,
    Moves,
    audit,
    leaving,
    look,
    split,
    sweep,
)
from perfectplay.solvers.work import NONE

MOST = 256
"""Anchors times turns; components with more are left to `SparseComponent`."""

ROOM = 1 << 24
"""Coefficients of a component; components with more are left to `SparseComponent`."""


@kernel
def evaluate(
    graph: FlatGraph,
    members: Int32s,
    parts: Arrangement,
    value: Floats,
    pick: Bytes,
    numbers: tuple[int, float, int, int],
) -> bool:
    """Whether endless play under the policy would earn something; the policy's values go into
    `value`.

    numbers = (most edges of a row, value of endless play, anchors, turns)."""
    low, players = graph.low, value.shape[1]
    _, _, anchors, turns = numbers
    _fill(low, members, value, 0.0)  # so that the value of an edge inside is its reward
    factor = np.zeros((len(members), anchors * turns))
    constant = np.zeros((len(members), players))
    functions = factor, constant
    earning: bool = _affine(graph, members, parts, value, pick, numbers, functions)
    known = _solve_anchors(members, parts.anchor, anchors, turns, factor, constant)
    for k in range(len(members)):
        for i in range(players):
            total = constant[k, i]
            for a in range(anchors):
                for t in range(turns):
                    other = i - t if i >= t else i - t + players
                    total += factor[k, a * turns + t] * known[a, other]
            value[low + members[k], i] = total
    return earning


@kernel
def _affine(  # noqa: C901
    graph: FlatGraph,
    members: Int32s,
    parts: Arrangement,
    value: Floats,
    pick: Bytes,
    numbers: tuple[int, float, int, int],
    functions: tuple[Floats, Floats],
) -> bool:
    """Whether endless play would earn something; members as functions of the anchors go into
    functions = (factors, constants). The values of the members have to be 0."""
    widest, endless, anchors, turns = numbers
    low, first, child, swap = graph.low, graph.first, graph.child, graph.swap
    place, number, anchor = parts.place, parts.number, parts.anchor
    factor, constant = functions
    players = value.shape[1]
    swaps = -1 if len(swap) == len(child) else 0
    leaves = leaving(graph, members, parts, pick)
    moves = Moves(first, child, swap, graph.reward)
    worths = np.empty((widest, players))
    shares = np.empty(widest)
    earning = False
    for k in range(len(members)):
        row = members[k]
        size = look(row, moves, value, worths)
        split(graph.kind[row], first[row], first[row + 1], graph.weight, pick, shares)
        if not leaves[k]:
            constant[k] = endless
            for x in range(size):
                for i in range(players):
                    earning |= shares[x] != 0.0 and worths[x, i] != 0.0
            continue
        for e in range(first[row], first[row] + size):
            share = shares[e - first[row]]
            if share == 0.0:
                continue
            to = np.int64(child[e]) - low
            s = np.int64(swap[e & swaps])
            for i in range(players):
                constant[k, i] += share * worths[e - first[row], i]
            if to < 0 or number[to] != number[row]:
                continue
            if anchor[to] >= 0:
                factor[k, anchor[to] * turns + (s if turns > 1 else 0)] += share
                continue
            j = place[to]
            for i in range(players):
                constant[k, i] += share * constant[j, i - s if i >= s else i - s + players]
            for a in range(anchors):
                for t in range(turns):
                    to_turn = t + s if t + s < turns else t + s - turns
                    factor[k, a * turns + to_turn] += share * factor[j, a * turns + t]
    return earning


@kernel
def _solve_anchors(
    members: Int32s, anchor: Int32s, anchors: int, turns: int, factor: Floats, constant: Floats
) -> Floats:
    """The values of the anchors, float64[anchors, players].

    If no edge renames players, their systems are the same: one block of equations with a
    right-hand side for each. Else there is a block for each player, coupled with the others."""
    players = constant.shape[1]
    blocks = 1 if turns == 1 else players
    sides = players // blocks
    size = anchors * blocks
    system = np.zeros((size, size + sides))
    for k in range(len(members)):
        a = anchor[members[k]]
        for i in range(blocks if a >= 0 else 0):
            at = a * blocks + i
            system[at, at] += 1.0
            for b in range(anchors):
                for t in range(turns):
                    other = i - t if i >= t else i - t + blocks
                    system[at, b * blocks + other] -= factor[k, b * turns + t]
            for side in range(sides):
                system[at, size + side] = constant[k, i + side]
    if not eliminated(system, 0.0):
        raise ZeroDivisionError("the equations of a policy that leaves are singular")
    return system[:, size:].copy().reshape(anchors, players)


@kernel
def run(  # noqa: C901
    graph: FlatGraph,
    parts: Arrangement,
    value: Floats,
    pick: Bytes,
    numbers: tuple[int, float, int, int, int, int],
    ties: tuple[int, int, int],
    cycles: tuple[Floats, Array, Ints, Floats],
) -> tuple[int, bool]:
    """Solve components begin … end - 1, by policy iteration as in policy.iterate: (the first that
    is too large, or `end`; whether the component there earns in endless play).

    numbers = (most edges of a row, value of endless play, turns, begin, end, most anchors times
    turns). For components whose policies cycle, cycles = (gaps, lengths, …) gets how much a player
    gains by another move, and the length of the cycle; then how many cyclic components took so
    many rounds, and what a player gains in each round of the one that took most. Each kernel is
    called at one place only: every call costs compile time."""
    widest, endless, turns, begin, end, most = numbers
    low, order, start = graph.low, parts.order, parts.start
    gaps, lengths, rounds, longest = cycles
    residuals = np.empty(ROUNDS)
    kept = np.empty_like(pick)
    seen = np.empty(ROUNDS, np.int64)
    for c in range(begin, end):
        residuals[:] = NONE
        members = order[start[c] : start[c + 1]]
        columns = parts.amount[c] * turns
        if columns > most or columns * len(members) > ROOM:
            return c, False
        if graph.kind[members[0]] == OVER:
            value[low + members[0]] = graph.payoff[members[0]]
            continue
        _fill(low, members, value, endless)
        best = np.inf
        sticky = ties[2]
        turn = 0
        earning = False
        while True:
            length = ROUNDS
            if turn < ROUNDS:
                rule = ties[0], ties[1], sticky
                seen[turn] = sweep(graph, widest, members, value, pick, rule)
                if not parts.cyclic[c] or (turn and seen[turn] == seen[turn - 1]):
                    break
                length = 0
                for before in range(turn):
                    if seen[before] == seen[turn]:
                        length = turn - before
            if length:
                _copy(members, graph.first, kept, pick)
            here = widest, endless, np.int64(parts.amount[c]), turns
            earning = evaluate(graph, members, parts, value, pick, here)
            if length == 0:
                gap = audit(graph, widest, members, value, pick)[1]
                residuals[turn] = gap
                if gap < best:
                    best = gap
                    _copy(members, graph.first, pick, kept)
                turn += 1
            elif best <= TIE or sticky:
                gaps[c] = best
                lengths[c] = length if best > TIE else 0
                break
            else:
                sticky = ties[2] + 1
                turn = 0
        if earning:
            return c, True
        note_rounds(residuals, rounds, longest)
    return end, False


@kernel
def _fill(low: int, members: Int32s, value: Floats, number: float) -> None:
    """Give all members this value, to every player."""
    for row in members:
        for i in range(value.shape[1]):
            value[low + row, i] = number


@kernel
def _copy(members: Int32s, first: Ints, origin: Bytes, to: Bytes) -> None:
    """Copy what belongs to the edges of the members."""
    for row in members:
        for e in range(first[row], first[row + 1]):
            to[e] = origin[e]


# -- Large components. ----------------------------------------------------------------------------


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
        self.edges = np.concatenate(
            [np.arange(graph.first[row], graph.first[row + 1]) for row in members]
        )
        self.value[self.ids] = self.endless
        self._digest = 0

    def choose(self, *, sticky: bool) -> bool:
        rule = self.ties.mode, self.ties.player, int(sticky)
        before = self._digest
        self._digest = sweep(self.graph, self.widest, self.members, self.value, self.pick, rule)
        return self._digest != before

    def evaluate(self) -> None:
        numbers = self.widest, float(self.endless), self.players
        self.value[self.ids] = 0.0
        rows, columns, data, right, earning = _equations(
            self.graph, self.members, self.parts, self.value, self.pick, numbers
        )
        self.earning = bool(earning)
        known = solve_system(rows, columns, data, right)
        if known is not None:  # else the gap shows it
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
