"""Several players and turns, in exact rationals: choices from floats, values by python-flint.

The problem and the facts needed are those of newton.py; the values are exact.

1. Newton's method in floats (newton.py) finds what to choose.
2. With these choices the value of a turn is an affine function of the anchors of its component,
   found exactly. Rows of one pattern and the same choices often have the same function, which is
   then found once. A linear system in rationals gives the anchors.
3. The choices are checked at every node. Where floats differ by far more than their rounding, they
   decide; where values are nearly equal they are compared exactly, and ties follow the rule.
4. If a choice changed, go on with step 2. What does not come to rest is left to the solver for
   games without turns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from perfectplay.compiled.arrays import Array, distinct, mask
from perfectplay.solvers.exact.components import fraction, rational
from perfectplay.solvers.players.exact_vectors import Affine, solve_anchors, valued
from perfectplay.solvers.players.policy import AVERAGE, Ties, preferred, read_ties, tie_note
from perfectplay.solvers.store import Fractions, Vectors
from perfectplay.solvers.turns import newton
from perfectplay.solvers.turns.turn_graph import Unsolved, turn_graph
from perfectplay.solvers.turns.turn_pass import NEAR, choices
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph

NAME = "newton by turns, exact"
ROUNDS = 20
KEPT = 20_000
"""Turns whose affine functions are kept for other rows."""
_Affine = tuple[list[Any], dict[int, Any]]
"""A constant for each player, and factors by column."""


def solve(graph: Graph, facts: Facts, store: Fractions, options: Options, left: Unsolved) -> None:
    """Solve what can be solved of the components that are `left`, and mark it as solved."""
    found, wanted, work = left
    ties = read_ties(options.ties, graph, facts.players)
    if ties.mode == AVERAGE:
        return
    near = Vectors(_floats(graph, store))
    open_ = wanted.copy()
    newton.solve(graph, facts, near, options, Unsolved(found, open_, Work({})))
    solver = _Exact(graph, store, near, ties)
    rows = tied = 0
    for c in np.flatnonzero(wanted & ~open_).tolist():
        members = found.rows[found.start[c] : found.start[c + 1]]
        ties_here = solver.component(c, members, found.number)
        if ties_here >= 0:
            wanted[c] = False
            rows += len(members)
            tied += ties_here
            if found.cyclic[c]:
                work.took(solver.gains)
            options.progress(len(members))
    work.did(NAME, rows)
    work.notes += tie_note(tied, options.ties)


def _floats(graph: Graph, store: Fractions) -> Array:
    """float64[ids, players]: what the stratum leads to, as floats."""
    size = len(store.value), store.width
    value: Array = store.memory.setdefault("floats", np.full(size, np.nan))
    known = distinct(graph.child)
    for id in known[np.isnan(value[known, 0])].tolist():
        if store.value[id] is not None:
            value[id] = [float(x) for x in store.value[id]]
    return value


@dataclass
class _Pattern:
    """A pattern as lists."""

    kind: list[int]
    steps: list[list[tuple[int, int, list[int], int]]]
    """For each node (to, weight, rewards, rank) of its steps inside."""


@dataclass
class _Row:
    """One anchor: its exits by node, and what is chosen."""

    pattern: int
    exits: dict[int, list[tuple[int, Any, int, list[int], int]]]
    """For each node (column or -1, value or None, weight, rewards, rank) of its exits."""
    names: list[tuple[int, int, int]]
    """(node, column or child, swap) of all exits: rows in which they agree share functions."""
    chosen: Array
    near: Array
    columns: list[tuple[int, int]]
    """(member of the component, swap) of each column."""

    def of_anchors(self, function: _Affine) -> Affine:
        """A function of this row's columns as one of the component's anchors."""
        constant, factor = function
        return constant, {self.columns[k]: f for k, f in factor.items()}


class _Exact:
    """The components of one stratum."""

    def __init__(self, graph: Graph, store: Fractions, near: Vectors, ties: Ties) -> None:
        assert graph.turns is not None
        self.graph, self.store, self.near, self.ties = graph, store, near, ties
        self.gains: list[float] = []
        """The most that a change of choices gains, after each evaluation of a component."""
        self.turns, self.players = graph.turns, store.width
        self.game = turn_graph(graph)
        self.masks = [mask(a, graph.edges) for a in (graph.swap, graph.weight, graph.reward)]
        self.ranked = mask(self.turns.rank, graph.edges)
        self.widest = int(np.diff(self.turns.patterns.first).max(initial=1))
        keep = store.memory.setdefault
        self.patterns: dict[int, _Pattern] = keep("patterns", {})
        self.below: dict[int, tuple[Any, ...]] = keep("below", {})
        self.kept: dict[Any, dict[int, _Affine]] = keep("affine", {})

    def component(self, c: int, members: Array, number: Array) -> int:
        """Write exact values; how many positions have ties that matter, or -1 if this failed."""
        chosen, near, start, fine = self._choices(c, members, number)
        if not fine:
            return -1
        place = {int(row): a for a, row in enumerate(members)}
        rows = []
        for a, row in enumerate(members.tolist()):
            cut = slice(start[a], start[a + 1])
            made = self._row(row, place, (chosen[cut], near[cut]))
            if made is None:
                return -1
            rows.append(made)
        self.gains = []
        for _ in range(ROUNDS):
            inside = [self._affine(row) for row in rows]
            try:
                turns = [row.of_anchors(f[-1]) for row, f in zip(rows, inside, strict=True)]
                known = solve_anchors(turns)
            except ZeroDivisionError:
                return -1
            changed = tied = 0
            self.gains.append(0.0)
            for row, each in zip(rows, inside, strict=True):
                more, matter, gain = self._check(row, each, known)
                changed += more
                tied += matter
                self.gains[-1] = max(self.gains[-1], gain)
            if not changed:
                break
        else:
            return -1
        ids = [self.graph.low + row for row in members.tolist()]
        exact = [tuple(map(fraction, value)) for value in known]
        floats = np.array([[float(x) for x in value] for value in exact])
        far = np.abs(floats - self.near.value[ids])
        if not (far <= 0.01 * NEAR * np.maximum(1.0, np.abs(floats))).all():
            return -1
        self.near.value[ids] = floats
        for id, value, numbers in zip(ids, known, exact, strict=True):
            self.store.value[id] = numbers
            self.below[id] = tuple(value)
        return tied

    # -- What is there. ---------------------------------------------------------------------------

    def _choices(self, c: int, members: Array, number: Array) -> tuple[Array, Array, Array, bool]:
        """(step taken, whether others are nearly as good) of all nodes of all members; where each
        member begins; and whether floats are precise enough."""
        graph, start_of = self.graph, self.game.start
        shapes = self.game.pattern[members]
        start = np.append(0, np.cumsum(start_of[shapes + 1] - start_of[shapes]))
        chosen, near = np.zeros(start[-1], np.int32), np.zeros(start[-1], np.uint8)
        rule = self.ties.mode, self.ties.player
        fan = int((graph.first[members + 1] - graph.first[members]).sum())
        most = int(np.diff(start).max()), fan, self.widest
        out = chosen, near, start
        error = choices(c, members, number, self.game, self.near.value, most, rule, out)
        return chosen, near, start, bool(error < 0.2 * NEAR)

    def _pattern(self, number: int) -> _Pattern:
        if number not in self.patterns:
            p = self.turns.patterns
            begin, end = int(p.start[number]), int(p.start[number + 1])
            steps = []
            for node in range(begin, end):
                cut = slice(int(p.first[node]), int(p.first[node + 1]))
                lists = (a[cut].tolist() for a in (p.to, p.weight, p.reward, p.rank))
                steps.append(list(zip(*lists, strict=True)))
            self.patterns[number] = _Pattern(p.kind[begin:end].tolist(), steps)
        return self.patterns[number]

    def _row(self, row: int, place: dict[int, int], marks: tuple[Array, Array]) -> _Row | None:
        graph, players = self.graph, self.players
        exits: dict[int, list[tuple[int, Any, int, list[int], int]]] = {}
        names: list[tuple[int, int, int]] = []
        columns: dict[tuple[int, int], int] = {}
        for e in range(int(graph.first[row]), int(graph.first[row + 1])):
            id, s = int(graph.child[e]), int(graph.swap[e & self.masks[0]])
            weight = int(graph.weight[e & self.masks[1]])
            earned = graph.reward[e & self.masks[2]].tolist()
            node, rank = int(self.turns.node[e]), int(self.turns.rank[e & self.ranked])
            column, worth = -1, None
            if id >= graph.low and id - graph.low in place:
                key = place[id - graph.low], s
                column = columns.setdefault(key, len(columns))
            else:
                value = self._value(id)
                if value is None:
                    return None
                worth = [value[(i - s) % players] + earned[i] for i in range(players)]
            exits.setdefault(node, []).append((column, worth, weight, earned, rank))
            names.append((node, -1 - column if column >= 0 else id, s))
        return _Row(int(self.turns.pattern[row]), exits, names, *marks, list(columns))

    def _value(self, id: int) -> tuple[Any, ...] | None:
        """The exact value of a known position."""
        if id not in self.below:
            exact = self.store.value[id]
            if exact is None:
                return None
            self.below[id] = tuple(map(rational, exact))
        return self.below[id]

    # -- Values. ----------------------------------------------------------------------------------

    def _needed(self, row: _Row, pattern: _Pattern) -> list[int]:
        """The nodes that are reached with what is chosen, and all that close decisions need."""
        needed = row.near.astype(bool)
        needed[-1] = True
        chosen = row.chosen.tolist()
        for j in range(len(needed) - 1, -1, -1):
            if not needed[j]:
                continue
            steps = pattern.steps[j]
            if pattern.kind[j] < 0 or row.near[j]:
                for step in steps:
                    needed[step[0]] = True
            elif chosen[j] < len(steps):
                needed[steps[chosen[j]][0]] = True
        return np.flatnonzero(needed).tolist()

    def _affine(self, row: _Row) -> dict[int, _Affine]:
        """The values of nodes as functions of the columns; that of the turn is under -1."""
        pattern = self._pattern(row.pattern)
        needed = self._needed(row, pattern)
        used = set(needed)
        names = tuple(name for name in row.names if name[0] in used)
        key = row.pattern, bytes(row.chosen[needed]), tuple(needed), names
        if key in self.kept:
            return self.kept[key]
        found: dict[int, _Affine] = {}
        for j in needed:
            found[j] = self._node(row, pattern, found, j)
        found[-1] = found[len(pattern.kind) - 1]
        if len(self.kept) < KEPT:
            self.kept[key] = found
        return found

    def _node(self, row: _Row, pattern: _Pattern, found: dict[int, _Affine], j: int) -> _Affine:
        steps, exits = pattern.steps[j], row.exits.get(j, [])
        if pattern.kind[j] >= 0:
            return self._option(row, pattern, found, j, int(row.chosen[j]))
        constant = [fmpq(0)] * self.players
        factor: dict[int, Any] = {}
        weights = [*(step[1] for step in steps), *(leaving[2] for leaving in exits)]
        total = sum(weights)
        for o, weight in enumerate(weights):
            below, factors = self._option(row, pattern, found, j, o)
            constant = [a + weight * b for a, b in zip(constant, below, strict=True)]
            for k, f in factors.items():
                factor[k] = factor.get(k, 0) + weight * f
        return [a / total for a in constant], {k: f / total for k, f in factor.items()}

    def _option(
        self, row: _Row, pattern: _Pattern, found: dict[int, _Affine], j: int, o: int
    ) -> _Affine:
        """The value of a step of a node: first those inside the turn, then exits."""
        steps = pattern.steps[j]
        if o < len(steps):
            to, _, earned, _ = steps[o]
            constant, factor = found[to]
            if any(earned):
                constant = [a + r for a, r in zip(constant, earned, strict=True)]
            return constant, factor
        column, worth, _, earned, _ = row.exits[j][o - len(steps)]
        if column < 0:
            return worth, {}
        return [fmpq(r) for r in earned], {column: fmpq(1)}

    def _check(
        self, row: _Row, found: dict[int, _Affine], known: list[list[Any]]
    ) -> tuple[int, int, float]:
        """Choose again, exactly, where it is close: (choices that changed, ties that matter, the
        most that a player gains by a change)."""
        pattern = self._pattern(row.pattern)
        changed = tied = 0
        gain = 0.0
        for j in np.flatnonzero(row.near).tolist():
            mover = pattern.kind[j]
            count = len(pattern.steps[j]) + len(row.exits.get(j, []))
            worths = [
                valued(row.of_anchors(self._option(row, pattern, found, j, o)), known)
                for o in range(count)
            ]
            top = max(worth[mover] for worth in worths)
            best = [o for o in range(count) if worths[o][mover] == top]
            tied += len({worths[o] for o in best}) > 1
            ranks = [step[-1] for step in (*pattern.steps[j], *row.exits.get(j, []))]
            best.sort(key=ranks.__getitem__)
            pick = preferred(self.ties, mover, {o: worths[o] for o in best})
            changed += pick != row.chosen[j]
            gain = max(gain, float(fraction(top - worths[int(row.chosen[j])][mover])))
            row.chosen[j] = pick
        return changed, tied, gain
