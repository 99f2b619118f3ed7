"""Several players in exact rationals: the same policy iteration as in floats, by python-flint.

Every value of a component is an affine function of its anchors' values (newton.py), here a
constant for each player and a dictionary from (anchor, swap) to a factor. The values satisfy the
equations of the policy exactly, and no player gains by another move at a single position, unless a
note says otherwise.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

from flint import fmpq, fmpq_mat

from perfectplay.compiled.arrays import mask
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.exact.components import fraction, rational
from perfectplay.solvers.players.policy import (
    AVERAGE,
    Ties,
    cycling,
    earning_cycle,
    iterate,
    preferred,
)
from perfectplay.solvers.players.vector_rows import Arrangement
from perfectplay.solvers.store import Fractions
from perfectplay.solvers.work import Work
from perfectplay.strata.graph import Graph

Numbers = tuple[Any, ...]
"""One rational (fmpq) per player."""
Affine = tuple[list[Any], dict[tuple[int, int], Any]]
"""A constant for each player, and factors by anchor and swap."""


def solve_anchors(functions: list[Affine]) -> list[list[Any]]:
    """The values of anchors that are these functions of each other; ZeroDivisionError if there is
    no single solution."""
    players = len(functions[0][0])
    size = len(functions) * players
    system, right = fmpq_mat(size, size), fmpq_mat(size, 1)
    for a, (constant, factor) in enumerate(functions):
        for i in range(players):
            at = a * players + i
            system[at, at] += 1
            right[at, 0] = constant[i]
            for (b, s), f in factor.items():
                system[at, b * players + (i - s) % players] -= f
    known = system.solve(right)
    return [[known[a * players + i, 0] for i in range(players)] for a in range(len(functions))]


def valued(function: Affine, known: list[list[Any]]) -> Numbers:
    """A function of anchors with these values."""
    constant, factor = function
    total = list(constant)
    for (a, s), f in factor.items():
        for i in range(len(total)):
            total[i] += f * known[a][(i - s) % len(total)]
    return tuple(total)


def solve(
    graph: Graph,
    parts: Arrangement,
    store: Fractions,
    rule: tuple[Ties, int],
    work: Work,
) -> int:
    """Fill in the fractions; how many rows have ties that matter."""
    rows = ExactRows(graph, store, *rule)
    for c in range(len(parts.cyclic)):
        members = parts.order[parts.start[c] : parts.start[c + 1]].tolist()
        if not parts.cyclic[c]:
            rows.settle(members[0])
            continue
        component = RationalComponent(rows, members, parts.anchor)
        gaps: list[Any] = []
        gap, length = iterate(component, 0, gaps)
        if component.earning:
            raise earning_cycle()
        work.took([float(fraction(each)) for each in gaps])
        if length:
            work.notes.append(cycling(len(members), length, str(gap)))
            work.residual = max(work.residual, float(fraction(gap)))
    for row in range(graph.size):
        store.value[graph.low + row] = tuple(map(fraction, rows.value[row]))
    return sum(rows.matters(row) for row in range(graph.size))


class ExactRows:
    """The rows of a stratum with their values and policy."""

    def __init__(self, graph: Graph, store: Fractions, ties: Ties, endless: int) -> None:
        self.graph, self.store, self.ties = graph, store, ties
        self.players = store.width
        self.nowhere: Numbers = (fmpq(endless),) * self.players
        self.value: list[Numbers] = [()] * graph.size
        self.picks: list[tuple[int, ...]] = [()] * graph.size
        self._below: dict[int, Numbers] = {}
        edges = graph.edges
        self._swaps, self._weights = mask(graph.swap, edges), mask(graph.weight, edges)
        self._rewards = mask(graph.reward, edges)

    def edges(self, row: int) -> range:
        """The edges of a row."""
        return range(int(self.graph.first[row]), int(self.graph.first[row + 1]))

    def swap(self, e: int) -> int:
        """How far an edge renumbers the players."""
        return int(self.graph.swap[e & self._swaps])

    def reward(self, e: int) -> list[int]:
        """What an edge earns for each player."""
        numbers: list[int] = self.graph.reward[e & self._rewards].tolist()
        return numbers

    def child(self, e: int) -> Numbers:
        """The value of an edge's child."""
        to = int(self.graph.child[e])
        if to >= self.graph.low:
            return self.value[to - self.graph.low]
        if to not in self._below:
            self._below[to] = tuple(map(rational, self.store.value[to]))
        return self._below[to]

    def worth(self, e: int) -> Numbers:
        """The value of an edge to each player of its parent."""
        child, s, earned = self.child(e), self.swap(e), self.reward(e)
        return tuple(child[(i - s) % self.players] + earned[i] for i in range(self.players))

    def best(self, row: int) -> dict[int, Numbers]:
        """The moves that are best for the player at `row`, with their values to all players."""
        mover = int(self.graph.kind[row])
        worths = {e: self.worth(e) for e in self.edges(row)}
        top = max(worth[mover] for worth in worths.values())
        return {e: worth for e, worth in worths.items() if worth[mover] == top}

    def choose(self, row: int, *, sticky: bool = False) -> bool:
        """Choose by the tie rule among the best moves at `row`; whether the choice changed."""
        best, old = self.best(row), self.picks[row]
        if sticky and old and best.keys() >= set(old):
            return False
        average = self.ties.mode == AVERAGE
        mover = int(self.graph.kind[row])
        picks = tuple(best) if average else (preferred(self.ties, mover, best),)
        self.picks[row] = picks
        return picks != old

    def shares(self, row: int) -> Iterator[tuple[int, Any]]:
        """The edges that may be followed at `row` under the policy, with their probabilities."""
        weights = dict.fromkeys(self.picks[row], 1)
        if self.graph.kind[row] == CHANCE:
            weights = {e: int(self.graph.weight[e & self._weights]) for e in self.edges(row)}
        total = sum(weights.values())
        for e, weight in weights.items():
            yield e, fmpq(weight, total)

    def mean(self, row: int) -> Numbers:
        """What a row is worth to each player under the policy."""
        total = [fmpq(0)] * self.players
        for e, share in self.shares(row):
            total = [t + share * w for t, w in zip(total, self.worth(e), strict=True)]
        return tuple(total)

    def settle(self, row: int) -> None:
        """Value a row whose children are known."""
        kind = self.graph.kind[row]
        if kind == OVER:
            self.value[row] = tuple(fmpq(int(x)) for x in self.graph.payoff[row])
            return
        if kind != CHANCE:
            self.choose(row)
        self.value[row] = self.mean(row)

    def matters(self, row: int) -> bool:
        """Whether a player has equally good moves that differ for another player."""
        return bool(self.graph.kind[row] >= 0) and len(set(self.best(row).values())) > 1


class RationalComponent:
    """A cyclic component in exact rationals."""

    def __init__(self, rows: ExactRows, members: list[int], anchor: Any) -> None:
        self.rows, self.members, self.graph = rows, members, rows.graph
        self.inside = set(members)
        self.anchors = {row: int(anchor[row]) for row in members if anchor[row] >= 0}
        self.earning = False
        for row in members:
            rows.value[row] = rows.nowhere

    def choose(self, *, sticky: bool) -> bool:
        changed = False
        for row in self.members:
            if self.graph.kind[row] != CHANCE:
                changed |= self.rows.choose(row, sticky=sticky)
            self.rows.value[row] = self.rows.mean(row)
        return changed

    def gap(self) -> Any:
        gains = [fmpq(0)]
        for row in self.members:
            mover = int(self.graph.kind[row])
            if mover != CHANCE:
                top = next(iter(self.rows.best(row).values()))[mover]
                gains.append(top - self.rows.value[row][mover])
        return max(gains)

    def policy(self) -> Hashable:
        return tuple(self.rows.picks[row] for row in self.members)

    def restore(self, policy: Any) -> None:
        for row, picks in zip(self.members, policy, strict=True):
            self.rows.picks[row] = picks

    def evaluate(self) -> None:
        leaves = self._leaving()
        affine: dict[int, Affine] = {}
        self.earning = False
        for row in self.members:
            if row in leaves:
                affine[row] = self._affine(row, affine)
            else:
                affine[row] = list(self.rows.nowhere), {}
                self.earning |= any(any(self.rows.reward(e)) for e, _ in self.rows.shares(row))
        anchors = sorted(self.anchors, key=self.anchors.__getitem__)
        known = solve_anchors([affine[row] for row in anchors])
        for row in self.members:
            self.rows.value[row] = valued(affine[row], known)

    def _leaving(self) -> set[int]:
        """The members that leave the component with some probability under the policy."""
        low, child = self.graph.low, self.graph.child
        stuck = {
            row: [int(child[e]) - low for e, _ in self.rows.shares(row)] for row in self.members
        }
        before = -1
        while before != len(stuck):
            before = len(stuck)
            for row in [*stuck]:
                if any(to not in stuck for to in stuck[row]):
                    del stuck[row]
        return self.inside - stuck.keys()

    def _affine(self, row: int, affine: dict[int, Affine]) -> Affine:
        """A row as a function of the anchors."""
        players = self.rows.players
        constant = [fmpq(0)] * players
        factor: dict[tuple[int, int], Any] = defaultdict(fmpq)
        for e, share in self.rows.shares(row):
            to, s = int(self.graph.child[e]) - self.graph.low, self.rows.swap(e)
            earned = self.rows.reward(e)
            if to not in self.inside:
                below, factors = list(self.rows.child(e)), {}
            elif to in self.anchors:
                below, factors = [fmpq(0)] * players, {(self.anchors[to], 0): fmpq(1)}
            else:
                below, factors = affine[to]
            for i in range(players):
                constant[i] += share * (earned[i] + below[(i - s) % players])
            for (a, t), f in factors.items():
                factor[a, (t + s) % players] += share * f
        return constant, factor
