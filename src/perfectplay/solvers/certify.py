"""What one player can guarantee with fixed choices, proved: lower bounds for a component.

Player 0 keeps his choices, player 1 is free. Wherever player 1, with the help of chance, can keep the
play inside for ever (an **end component**), he can also walk about in it as he likes; so all its
positions are worth the same: the worth of endless play or of his best way out. Such parts are collapsed
to one node with a choice of ways out and "stay". What remains is a decision problem in which every
policy leaves, and policy iteration on it is safe (`answer`).

`guarantee` then lowers the values found by δ times the expected number of steps, and checks row by row,
rounding down, that l <= T l, and that l <= endless on every end component. That alone proves l <= value.
Upper bounds are lower bounds of the `opposite` component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from perfectplay.compile import kernel
from perfectplay.graph import Array, Graph
from perfectplay.solvers.anchors import lowered, staying
from perfectplay.strata import components

Local = tuple[Array, ...]
STAY = -1
"""Choice of a collapsed part: stay for ever."""


@dataclass
class Answer:
    """The best that player 1 can do against fixed choices."""

    value: Array
    """float64[m]: worth of each row."""
    part: Array
    """int64[m]: node of each row in the collapsed graph; `parts` nodes come first."""
    parts: int
    pick: Array
    """int64[nodes]: the edge player 1 takes, STAY, or the only edge there is."""
    steps: Array
    """float64[m]: about how many steps play lasts, if player 1 delays it among equally good ways."""


def opposite(local: Local) -> Local:
    """The same component with players and signs exchanged."""
    kind, first, to, weight, below, above, node, anchor = local
    turned = np.where(kind >= 0, 1 - kind, kind).astype(np.int8)
    return turned, first, to, weight, -above, -below, node, anchor


def end_components(local: Local, allowed: Array) -> tuple[Array, int]:
    """Number the maximal end components in which players use only `allowed` edges: for each row the
    number of its end component or -1, and how many there are."""
    kind, first, to = local[0], local[1], local[2]
    usable = allowed.copy()
    alive = np.ones(len(kind), np.bool_)
    row_of = np.repeat(np.arange(len(kind)), np.diff(first))
    while True:
        prune(kind, first, to, usable, alive)
        kept = np.nonzero(usable)[0]
        starts = np.zeros(len(kind) + 1, np.int64)
        np.cumsum(np.bincount(row_of[kept], minlength=len(kind)), out=starts[1:])
        number = components(_plain_graph(kind, starts, to[kept])).number
        cross = kept[number[row_of[kept]] != number[to[kept]]]
        if len(cross) == 0:
            break
        usable[cross] = False
        alive[row_of[cross[kind[row_of[cross]] < 0]]] = False
    part = np.full(len(kind), -1, np.int64)
    found, part[alive] = np.unique(number[alive], return_inverse=True)
    return part, len(found)


def _plain_graph(kind: Array, first: Array, child: Array) -> Graph:
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    flat = np.zeros(1, np.uint8)
    return Graph(0, kind, none, first, child.astype(np.uint32), flat, one, none, flat)


@kernel
def prune(kind, first, to, usable, alive):  # type: ignore[no-untyped-def]
    """Take away rows that cannot stay: chance rows that may leave, players without a usable edge."""
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            inside = 0
            for e in range(first[i], first[i + 1]):
                usable[e] = usable[e] and alive[i] and to[e] >= 0 and alive[max(to[e], 0)]
                inside += usable[e]
            if alive[i] and (inside == 0 or (kind[i] < 0 and inside < first[i + 1] - first[i])):
                alive[i] = False
                changed = True


@kernel
def first_picks(local, choice, part, nodes, parts, stay):  # type: ignore[no-untyped-def]
    """For each node an edge that brings the way out nearer, or STAY where that is worth something."""
    kind, first, to = local[0], local[1], local[2]
    pick = np.full(nodes, -1, np.int64)
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
def better_picks(local, choice, part, pick, goal, margin):  # type: ignore[no-untyped-def]
    """Take for every node of player 1 the edge with the least worth, if it is less by `margin`.

    `goal` = (worth of edges, current worth of nodes, bar): edges above the bar of their node are out."""
    kind, first, to = local[0], local[1], local[2]
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


class _Chain:
    """The linear system of the collapsed graph under given picks."""

    def __init__(self, local: Local, choice: Array, part: Array, pick: Array, parts: int) -> None:
        from scipy.sparse import csc_matrix, eye
        from scipy.sparse.linalg import splu

        kind, first, to, weight, below = local[:5]
        nodes = len(pick)
        self.stay = np.nonzero(pick[:parts] == STAY)[0]
        row_of = np.repeat(np.arange(len(kind)), np.diff(first))
        taken = np.zeros(len(to), np.bool_)
        taken[pick[pick >= 0]] = True
        loose = part[row_of] >= parts
        taken[loose & (kind[row_of] < 0)] = True
        mine = np.nonzero((kind == 0) & (part >= parts))[0]
        taken[np.repeat(np.where((kind == 0) & (part >= parts), True, False), np.diff(first))] = (
            False
        )
        taken[choice[mine]] = True
        edges = np.nonzero(taken)[0]
        rows = row_of[edges]
        total = np.bincount(row_of, weight, minlength=len(kind))
        share = np.where(kind[rows] < 0, weight[edges] / total[rows], 1.0)
        inside = to[edges] >= 0
        matrix = csc_matrix(
            (share[inside], (part[rows[inside]], part[to[edges[inside]]])), shape=(nodes, nodes)
        )
        self.matrix = matrix.tocsr()
        self.factor = splu((eye(nodes, format="csc") - matrix).tocsc())
        self.earned = np.bincount(part[rows], share * below[edges], minlength=nodes)

    def solve(self, right: Array) -> Array:
        """The solution of x = matrix x + right, refined once."""
        x = self.factor.solve(right)
        return x + self.factor.solve(right - (x - self.matrix @ x))


def answer(local: Local, choice: Array, endless: float) -> Answer | None:
    """Player 1's best answer to player 0's choices; None if the numbers get out of hand."""
    kind, first, to, _, below = local[:5]
    m = len(kind)
    row_of = np.repeat(np.arange(m), np.diff(first))
    allowed = (kind[row_of] != 0) | (np.arange(len(to)) == choice[row_of])
    if math.isinf(endless):
        allowed &= below == 0.0  # a loop that costs cannot be collapsed
    part, parts = end_components(local, allowed)
    loose = np.nonzero(part < 0)[0]
    part[loose] = parts + np.arange(len(loose))
    pick = first_picks(local, choice, part, parts + len(loose), parts, endless)
    target = np.where(to >= 0, part[np.maximum(to, 0)], 0)
    inside = to >= 0
    scale = float(np.abs(below).max(initial=0.0))
    never = np.full(len(to), -np.inf)
    stay = np.zeros(len(pick))
    for step in range(200):
        chain = _chain(local, choice, part, pick, parts)
        if chain is None:
            return None
        stay[:] = 0.0
        stay[chain.stay] = endless
        v = chain.solve(chain.earned + stay)
        v[chain.stay] = endless
        if not np.isfinite(v).all():
            return None
        scale = max(scale, float(np.abs(v).max()))
        margin = 1e-15 * scale * (1 + step)
        worth = below + np.where(inside, v[target], 0.0)
        changed = better_picks(
            local, choice, part, pick, (worth, v, never), np.full(len(v), margin)
        )
        wants = np.nonzero((pick[:parts] != STAY) & (v[:parts] > endless + margin))[0]
        if len(wants):
            pick[wants] = STAY
        elif not changed:
            break
    steps = _delays(local, choice, part, pick, parts, worth, v, 1e-9 * scale)
    return Answer(v[part], part, parts, pick, steps[part])


def _chain(local: Local, choice: Array, part: Array, pick: Array, parts: int) -> _Chain | None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _Chain(local, choice, part, pick, parts)
        except RuntimeError:  # singular
            return None


def _delays(
    local: Local,
    choice: Array,
    part: Array,
    pick: Array,
    parts: int,
    worth: Array,
    v: Array,
    tie: float,
) -> Array:
    """Expected steps to the end when player 1 delays it among ways that are worth the same."""
    to = local[2]
    target = np.where(to >= 0, part[np.maximum(to, 0)], 0)
    bar = np.where(worth <= v[np.repeat(part, np.diff(local[1]))] + tie, -np.inf, np.inf)
    slow = pick.copy()
    steps = np.ones(len(v))
    for _ in range(40):
        chain = _chain(local, choice, part, slow, parts)
        if chain is None:
            break
        one = np.ones(len(v))
        one[chain.stay] = 0.0
        found = chain.solve(one)
        if not np.isfinite(found).all() or found.min() < -0.5:
            break
        steps = found
        less = -1.0 - np.where(to >= 0, steps[target], 0.0)
        if not better_picks(local, choice, part, slow, (less, -steps, bar), 1e-6 * steps):
            break
    return steps


@kernel
def holds(local, choice, out, check):  # type: ignore[no-untyped-def]
    """Whether out <= T out row by row, in arithmetic that rounds down."""
    # With all edges read from `guess`, a sweep is one application of T.
    lowered(local, 2.0, choice, out, check)
    for i in range(len(out)):
        if not out[i] <= check[i]:
            return False
    return True


def guarantee(local: Local, choice: Array, endless: float, found: Answer) -> Array | None:
    """Proved lower bounds for all rows, as high as floats allow; None if there is no proof."""
    if endless == -math.inf and staying(local, 0, choice).any():
        return None
    scale = max(float(np.abs(a).max(initial=1e-290)) for a in (found.value, local[4]))
    check = np.empty(len(found.value))
    slack = 0.0
    ends = found.part < found.parts
    for _ in range(20):
        out = found.value - slack * found.steps
        if math.isfinite(endless):
            out[ends] = np.minimum(out[ends], endless)
        if holds(local, choice, out, check) and not (out[ends] > endless).any():
            return out
        slack = max(4.0 * slack, 2e-16 * scale)
    return None
