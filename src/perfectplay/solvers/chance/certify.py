"""What one player can guarantee with fixed choices, proved: lower bounds for a component.

Player 0 keeps their choices, player 1 is free: v = T v, where T takes player 1's least edge.
Wherever player 1, with the help of chance, can keep play inside for ever (an **end component**),
they can also reach any of its rows; so all its rows have the same value: that of endless play or
of their best exit. End components are collapsed to one node each, with a choice between its exits
and "stay". What remains is a decision problem in which every policy leaves, so that policy
iteration on it converges (`Collapsed.best_response`).

`guarantee` then lowers the values found by δ times the expected number of steps, and checks row
by row, rounding down, that l <= T l, and that l <= endless on every end component. That alone
proves l <= v. Upper bounds are lower bounds of the `opposite` component."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.anchors import EVERY_ROW, lowered
from perfectplay.solvers.chance.local import LocalGraph, kept_edges, prune, staying
from perfectplay.solvers.elimination import solve_system
from perfectplay.strata.components import components
from perfectplay.strata.graph import Graph

STAY = -1
"""Pick of an end component: stay for ever."""
SPARSE = 1500
"""Systems with more unknowns are first tried by sweeps."""
ROUNDS, DELAYS, TRIES = 200, 40, 20
"""Most rounds of policy iteration, of policy iteration for delays, and of widening bounds."""
PATIENCE = 1 << 30
"""How much work sweeps may be before elimination is tried."""


@dataclass
class BestResponse:
    """The best that player 1 can do against fixed choices."""

    value: Array
    """float64[m]: value of each row."""
    pick: Array
    """int64[nodes]: the edge player 1 takes, or STAY."""
    nodes: Array
    """float64[nodes]: value of each node."""
    tie: float
    """Values that differ by less count as equal."""
    collapsed: Collapsed


def opposite(local: LocalGraph) -> LocalGraph:
    """The same component with players and signs exchanged."""
    kind = np.where(local.kind >= 0, 1 - local.kind, local.kind).astype(np.int8)
    return local._replace(kind=kind, below=-local.above, above=-local.below)


def end_components(local: LocalGraph, allowed: Array) -> tuple[Array, int]:
    """Number the maximal end components in which players use only `allowed` edges: for each row
    the number of its end component or -1, and how many there are."""
    kind, first, to = local.kind, local.first, local.to
    usable = allowed.copy()
    alive = np.ones(len(kind), np.bool_)
    row_of = np.repeat(np.arange(len(kind)), np.diff(first))
    one, none, flat = np.ones(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8)
    while True:
        prune(local, usable, alive)
        kept = np.nonzero(usable)[0]
        starts = np.append(0, np.cumsum(np.bincount(row_of[kept], minlength=len(kind))))
        child = to[kept].astype(np.uint32)
        number = components(Graph(0, kind, none, starts, child, flat, one, none, flat)).number
        cross = kept[number[row_of[kept]] != number[to[kept]]]
        if len(cross) == 0:
            break
        usable[cross] = False
        alive[row_of[cross[kind[row_of[cross]] < 0]]] = False
    part = np.full(len(kind), -1, np.int64)
    found, part[alive] = np.unique(number[alive], return_inverse=True)
    return part, len(found)


@kernel
def first_picks(
    local: LocalGraph, choice: Ints, part: Ints, nodes: int, parts: int, stay: float
) -> Ints:
    """For each node an edge that brings the exit nearer, or STAY where endless play has a
    value."""
    kind, first, to = local.kind, local.first, local.to
    pick = np.full(nodes, STAY, np.int64)
    out = np.zeros(nodes, np.bool_)
    if stay < np.inf:
        out[:parts] = True
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            j = part[i]
            if out[j]:
                continue
            for e in range(first[i], first[i + 1]):
                if kind[i] == 0 and e != choice[i]:
                    continue
                if to[e] < 0 or out[part[to[e]]]:
                    out[j] = True
                    pick[j] = e
                    changed = True
                    break
    return pick


@kernel
def better_picks(
    local: LocalGraph, part: Ints, pick: Ints, goal: tuple[Floats, Floats, Floats], margin: Floats
) -> int:
    """Take for every node of player 1 the edge of least value, if it is less by `margin`; how
    many changed.

    goal = (values of edges, current values of nodes, bar): edges whose bar lies above their node
    are excluded."""
    kind, first, to = local.kind, local.first, local.to
    worth, current, bar = goal
    best = current - margin
    changed = 0
    for i in range(len(kind)):
        if kind[i] != 1:
            continue
        j = part[i]
        for e in range(first[i], first[i + 1]):
            inner = to[e] >= 0 and part[to[e]] == j
            if not inner and worth[e] < best[j] and bar[e] <= current[j]:
                best[j] = worth[e]
                pick[j] = e
                changed += 1
    return changed


@kernel
def relax(rows: Ints, columns: Ints, shares: Floats, right: Floats, x: Floats, most: int) -> bool:
    """Solve x = shares x + right by Gauss-Seidel sweeps, children first, until x stands still;
    whether it did."""
    for _ in range(most):
        moved = 0.0
        size = 0.0
        for i in range(len(right)):
            total = right[i]
            own = 0.0
            for k in range(rows[i], rows[i + 1]):
                if columns[k] == i:
                    own += shares[k]
                else:
                    total += shares[k] * x[columns[k]]
            total /= 1.0 - own
            moved = max(moved, abs(total - x[i]))
            size = max(size, abs(total))
            x[i] = total
        if moved <= 2e-16 * size:
            return True
    return False


class Collapsed:
    """A component under fixed choices of player 0, its end components collapsed to single nodes.

    Nodes 0 … parts - 1 are end components, the others are the remaining rows in their order."""

    def __init__(self, local: LocalGraph, choice: Array, endless: float) -> None:
        kind, first, to, weight, self.below = (*local[:4], local.below)
        self.local, self.choice, self.endless = local, choice, endless
        m = len(kind)
        self.row_of = np.repeat(np.arange(m), np.diff(first))
        free = kept_edges(local, 0, choice)
        allowed = free
        if math.isinf(endless):
            allowed = free & (self.below == 0.0)  # a loop that costs cannot be collapsed
        self.part, self.parts = end_components(local, allowed)
        loose = np.nonzero(self.part < 0)[0]
        self.part[loose] = self.parts + np.arange(len(loose))
        self.nodes = self.parts + len(loose)
        self.inside = to >= 0
        self.target = np.where(self.inside, self.part[np.maximum(to, 0)], 0)
        total = np.bincount(self.row_of, weight, minlength=m)
        self.share = np.where(kind[self.row_of] < 0, weight / total[self.row_of], 1.0)
        # Edges that are taken whatever player 1 picks.
        self.always = free & (kind[self.row_of] != 1) & (self.part[self.row_of] >= self.parts)

    def worth(self, value: Array) -> Array:
        """The values of all edges, from those of the nodes."""
        return self.below + np.where(self.inside, value[self.target], 0.0)

    def first_pick(self, hint: Array | None) -> Array:
        """Picks to begin with: safe ones, or good ones by a hint about the values of rows."""
        pick = first_picks(
            self.local, self.choice, self.part, self.nodes, self.parts, self.endless
        )
        if hint is not None and math.isfinite(self.endless):
            value = np.full(self.nodes, np.inf)
            value[: self.parts] = self.endless
            worth = self.below + np.where(self.inside, hint[np.maximum(self.local.to, 0)], 0.0)
            self.improve(pick, worth, value, np.zeros(self.nodes), -np.inf)
        return np.asarray(pick)

    def improve(
        self, pick: Array, worth: Array, value: Array, margin: Array, bar: Array | float
    ) -> int:
        """Better picks for player 1; how many changed. See `better_picks`."""
        goal = worth, value, np.broadcast_to(bar, len(worth)).copy()
        return int(better_picks(self.local, self.part, pick, goal, margin))

    def chain(self, pick: Array, right: Array | None, start: Array) -> Array | None:
        """The values of the nodes under the picks (with another `right`, the solution for
        that)."""
        from scipy.sparse import csr_matrix

        taken = self.always.copy()
        own = pick[pick >= 0]
        taken[own[self.local.kind[self.row_of[own]] == 1]] = True
        edges = np.nonzero(taken)[0]
        at = self.part[self.row_of[edges]]
        if right is None:
            right = np.bincount(at, self.share[edges] * self.below[edges], minlength=self.nodes)
            right[: self.parts][pick[: self.parts] == STAY] = self.endless
            if not np.isfinite(right).all():
                return None
        kept = self.inside[edges]
        cells = self.share[edges[kept]], (at[kept], self.target[edges[kept]])
        matrix = csr_matrix(cells, shape=(self.nodes, self.nodes))
        return linear(matrix, right, start)

    def best_response(self, hint: Array | None) -> BestResponse | None:
        """Player 1's best picks, by policy iteration; None if a system is singular or a value
        infinite."""
        pick = self.first_pick(hint)
        value = np.zeros(self.nodes)
        if hint is not None:
            value[self.part] = hint
        scale = float(np.abs(self.below).max(initial=0.0))
        for step in range(ROUNDS):
            found = self.chain(pick, None, value)
            if found is None:
                return None
            value = found
            scale = max(scale, float(np.abs(value).max(initial=0.0)))
            margin = 1e-15 * scale * (1 + step)
            worth = self.worth(value)
            changed = self.improve(pick, worth, value, np.full(self.nodes, margin), -np.inf)
            low = value[: self.parts] > self.endless + margin
            wants = np.nonzero((pick[: self.parts] != STAY) & low)[0]
            pick[wants] = STAY
            if not changed and not len(wants):
                break
        return BestResponse(value[self.part], pick, value, 1e-9 * scale, self)

    def delays(self, found: BestResponse) -> Array:
        """For each row about how many steps play lasts, if player 1 delays it among edges of equal
        value."""
        worth = self.worth(found.nodes)
        here = self.part[self.row_of]
        bar = np.where(worth <= found.nodes[here] + found.tie, -np.inf, np.inf)
        slow = found.pick.copy()
        steps = np.ones(self.nodes)
        for _ in range(DELAYS):
            one = np.ones(self.nodes)
            one[: self.parts][slow[: self.parts] == STAY] = 0.0
            more = self.chain(slow, one, one)
            if more is None or more.min(initial=0.0) < -0.5:
                break
            steps = more
            less = -1.0 - np.where(self.inside, steps[self.target], 0.0)
            if not self.improve(slow, less, -steps, 1e-6 * steps, bar):
                break
        return steps[self.part]


def linear(matrix: Any, right: Array, start: Array) -> Array | None:
    """The solution of x = matrix x + right: by sweeps where that is quick, else by elimination;
    None if there is no single one."""
    size = len(right)
    row, column = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    if size > SPARSE:
        x = start.copy()
        if relax(row, column, matrix.data, right, x, 1 + PATIENCE // max(1, matrix.nnz)):
            return x if np.isfinite(x).all() else None
    every = np.arange(size)
    rows = np.concatenate([every, np.repeat(every, np.diff(row))])
    columns = np.concatenate([every, column])
    return solve_system(rows, columns, np.concatenate([np.ones(size), -matrix.data]), right)


def guarantee(found: BestResponse) -> Array | None:
    """Proved lower bounds for all rows, as high as floats allow; None if there is no proof."""
    graph = found.collapsed
    local, choice, endless = graph.local, graph.choice, graph.endless
    if endless == -math.inf and staying(local, 0, choice).any():
        return None
    scale = max(float(np.abs(a).max(initial=1e-290)) for a in (found.value, local.below))
    check = np.empty(len(found.value))
    ends = graph.part < graph.parts
    slack = 0.0
    steps = graph.delays(found)
    for _ in range(TRIES):
        out = found.value - slack * steps
        if math.isfinite(endless):
            out[ends] = np.minimum(out[ends], endless)
        # A sweep that reads all rows from `out` is one application of T, rounded down.
        lowered(local, EVERY_ROW, choice, out, check)
        if (out <= check).all() and not (out[ends] > endless).any():
            return out
        slack = max(4.0 * slack, 2e-16 * scale)
    return None
