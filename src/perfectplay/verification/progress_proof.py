"""Progress: the second half of a proof that stored values hold, where play may run in cycles.

**What is to be proved.** Let a *guard* be one of the two players, and v(x) what the table claims
that they can guarantee from position x: `lower` for player 0, -`upper` for player 1. (Exact values
are the case lower = upper; both guards together then pin the value down.) row_check.py checks row
by row that

    (1) v(x) <= payoff                              where play has ended,
        v(x) <= reward + v(child) for some child    where the guard moves; call such edges *good*,
        v(x) <= reward + v(child) for all children  where the other moves,
        v(x) <= the mean of reward + v(child)       where chance moves.

**Why that is not enough.** If the guard always takes good edges, rewards so far + v(present
position) never falls in the mean, whatever the other does. If play ends, (1) makes it the payoff:
the guard got v. But good edges may form cycles, where (1) holds for any v that is the same all
around.

**What else is checked.** Let E be what endless play is worth to the guard. A set S grows from the
*safe* positions: those where play has ended, all of lower strata (proved before, by induction),
and those with v <= E. A position joins S

        if a good edge leads to S        where the guard moves,
        if all edges lead to S           where the other moves,
        if some edge leads to S          where chance moves.

    (2) Every position of the stratum joins S.

Then a guard who takes the edges by which their positions joined reaches, from anywhere and with a
probability bounded away from 0, a safe position within so many steps. So with probability 1 play
ends, leaves the stratum, or passes positions with v <= E again and again. In the last case
rewards so far + v converges (it is bounded, and never falls in the mean), to no more than rewards
so far + E: so the guard gets v, endless play included. This covers end components of chance as
well as plain cycles.

**Rewards inside cycles.** The above needs that rewards so far converge. Let an edge be *paying*
if it lies inside a strongly connected component and earns something.

    N   No paying edge costs the guard anything. Then an edge that pays them may count as leading
        to S: either they are paid for ever, which is better than any v, or play is as above. If E
        is infinitely good for the guard (the other must end the game), every position is safe.
        (Not so if E is infinitely bad for the guard: then only ends are safe, and rewards of any
        sign do no harm, since play ends within a finite mean time.)
    P   Otherwise, safe positions with v <= E are only those of a set Z in which the guard can stay
        for ever on good edges while nobody earns anything. With probability 1 and within a finite
        mean time play ends or comes to Z; hence rewards of any sign do no harm.

A claim of -infinity (v(x) = -inf) claims nothing and is safe. A claim of +infinity is made where
one player cannot end the game for certain; where there is chance, (1) does not prove it, so the
positions from which they can are found by themselves (`can_end`) and compared.

Players may be renamed along an edge (`swap`), and the guard with them. So everything happens on
nodes 2 * row + g: the position of that row, seen by a guard who is player g there.
"""

import math
from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER

FEW = 1 << 15
"""Edges of a graph whose components are found without SciPy."""


@dataclass
class RunSummary:
    """What is remembered of a run of rows until the whole stratum is seen."""

    kind: Array
    """int8[n]"""
    count: Array
    """int64[n]: how many edges each row has."""
    child: Array
    """int64[e]: row inside the stratum, or -1."""
    swap: Array
    """uint8[e]"""
    good: Array
    """uint8[e]: bit g is set if the edge is good for a guard who is player g at its start."""
    reward: Array
    """int64[e]: what player 0 of the row earns."""
    dead: Array
    """bool[e]: leads to a lower stratum, to a position from which play cannot be ended."""


@dataclass
class CyclicStratum(RunSummary):
    """All that matters of a stratum with edges inside: its runs as one."""

    first: Array
    """int64[n + 1]"""
    claim: Array
    """[2 n]: what the table claims for the guard of each node, as numbers or objects."""

    @property
    def row_of(self) -> Array:
        """int64[e]: where each edge starts."""
        return np.repeat(np.arange(len(self.kind)), self.count)


def whole(runs: list[tuple[int, RunSummary]], claim: Array, n: int) -> CyclicStratum:
    """The runs of a stratum of `n` rows as one, each given with its first row.

    Rows in no run have no edges inside; they are proved already and count as ended."""
    kind = np.full(n, OVER, np.int8)
    count = np.zeros(n, np.int64)
    for low, run in runs:
        kind[low : low + len(run.kind)] = run.kind
        count[low : low + len(run.kind)] = run.count
    first = np.zeros(n + 1, np.int64)
    np.cumsum(count, out=first[1:])
    names = ("child", "swap", "good", "reward", "dead")
    edges = {name: np.concatenate([getattr(run, name) for _, run in runs]) for name in names}
    return CyclicStratum(kind=kind, count=count, first=first, claim=claim, **edges)


def stalled(stratum: CyclicStratum, endless: float) -> Array:
    """bool[2 n]: nodes at which condition (2) fails: nothing forces what is claimed there."""
    inside = stratum.child >= 0
    renamed = bool(stratum.swap[inside].any())
    worth = np.array([endless, -endless])
    if renamed and endless != 0:
        worth[:] = -math.inf  # endless play has no worth here: claims must be forced
    ended = np.repeat(stratum.kind == OVER, 2)
    safe = ended | (stratum.claim <= np.tile(worth, len(stratum.kind)))
    paying = _paying(stratum)
    pays = np.zeros(len(stratum.child), np.uint8)
    for g in (0, 1):
        if worth[g] == -math.inf:
            continue  # only ends are safe: nothing that happens on the way there matters
        earned = stratum.reward if g == 0 else -stratum.reward
        if (paying if renamed else paying & (earned < 0)).any():
            staying = _staying(stratum, g, safe & ~ended, both=renamed)
            keep = np.arange(len(safe)) % 2 != g
            safe &= keep | (stratum.claim == -math.inf) | ended | staying
        else:
            pays |= (paying & (earned > 0)).astype(np.uint8) << g
    joined = _join(
        stratum.kind, stratum.first, stratum.child, stratum.swap, stratum.good, pays,
        safe.astype(np.uint8),
    )  # fmt: skip
    return np.asarray(joined == 0)


def _paying(stratum: CyclicStratum) -> Array:
    """bool[e]: edges inside a strongly connected component that earn something."""
    earning: Array = (stratum.reward != 0) & (stratum.child >= 0)
    if not earning.any():
        return earning
    rows, n = stratum.row_of, len(stratum.kind)
    inside = stratum.child >= 0
    find = _few_components if int(inside.sum()) <= FEW else _many_components
    number = find(n, rows[inside], stratum.child[inside])
    return np.asarray(earning & (number[rows] == number[np.maximum(stratum.child, 0)]))


def _many_components(n: int, tail: Array, head: Array) -> Array:
    """The strongly connected component of each of `n` nodes, as a number."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(tail), np.int8), (tail, head)), shape=(n, n))
    return np.asarray(connected_components(matrix, directed=True, connection="strong")[1])


def _few_components(n: int, tail: Array, head: Array) -> Array:
    """The same by the two passes of Kosaraju, for graphs so small that SciPy would take longer to
    import than they take."""
    ahead: list[list[int]] = [[] for _ in range(n)]
    behind: list[list[int]] = [[] for _ in range(n)]
    for a, b in zip(tail.tolist(), head.tolist(), strict=True):
        ahead[a].append(b)
        behind[b].append(a)
    left: list[int] = []  # in the order in which a search ahead leaves them for good
    seen = [False] * n
    for root in range(n):
        path = [] if seen[root] else [(root, iter(ahead[root]))]
        seen[root] = True
        while path:
            node, children = path[-1]
            new = next((child for child in children if not seen[child]), None)
            if new is None:
                left.append(path.pop()[0])
            else:
                seen[new] = True
                path.append((new, iter(ahead[new])))
    number = [-1] * n
    for root in reversed(left):
        queue = [root] if number[root] < 0 else []
        while queue:
            node = queue.pop()
            if number[node] < 0:
                number[node] = root
                queue += behind[node]
    return np.array(number, np.int64)


def _staying(stratum: CyclicStratum, guard: int, within: Array, *, both: bool) -> Array:
    """bool[2 n]: the set Z of rule P, the most nodes of `within` where a guard (or both) can stay
    for ever on good edges while nobody earns anything."""
    rows, n = stratum.row_of, len(stratum.kind)
    stay = within.copy()
    while True:
        before = int(stay.sum())
        for g in (0, 1) if both else (guard,):
            to = 2 * np.maximum(stratum.child, 0) + (g ^ stratum.swap)
            fine = (stratum.child >= 0) & (stratum.reward == 0) & stay[to]
            good = fine & ((stratum.good >> g & 1) == 1)
            any_good = np.bincount(rows[good], minlength=n) > 0
            all_fine = np.bincount(rows[fine], minlength=n) == np.diff(stratum.first)
            stay[g::2] &= np.where(stratum.kind == g, any_good, all_fine)
        if int(stay.sum()) == before:
            return stay


def can_end(stratum: CyclicStratum) -> Array:
    """bool[n]: rows from which the only player can end the game with probability 1."""
    rows, n = stratum.row_of, len(stratum.kind)
    hope = np.ones(n, np.bool_)
    none = np.zeros(len(stratum.child), np.uint8)
    seed = np.repeat(stratum.kind == OVER, 2).astype(np.uint8)
    while True:
        lost = np.where(stratum.child >= 0, ~hope[stratum.child], stratum.dead)
        risky = np.bincount(rows[lost], minlength=n) > 0
        safe = hope & ~((stratum.kind == CHANCE) & risky)
        kind = np.where(safe, stratum.kind, 0).astype(np.int8)
        usable = (safe[rows] & ~lost).astype(np.uint8)
        joined = _join(kind, stratum.first, stratum.child, none, usable, none, seed)
        left = safe & (joined[::2] == 1)
        if (left == hope).all():
            return hope
        hope = left


@kernel
def _parents(first: Ints, child: Ints) -> tuple[Ints, Ints, Ints]:
    """(start, parent, edge): the edges inside that lead to row i, and the rows they leave, are at
    start[i] … start[i + 1] - 1."""
    n = len(first) - 1
    start = np.zeros(n + 2, np.int64)
    for e in range(len(child)):
        if child[e] >= 0:
            start[child[e] + 2] += 1
    for i in range(2, n + 2):
        start[i] += start[i - 1]
    parent, edge = np.empty(start[n + 1], np.int64), np.empty(start[n + 1], np.int64)
    for row in range(n):
        for e in range(first[row], first[row + 1]):
            if child[e] >= 0:
                at = start[child[e] + 1]
                parent[at], edge[at] = row, e
                start[child[e] + 1] = at + 1
    return start, parent, edge


@kernel
def _join(  # noqa: C901
    kind: Kinds, first: Ints, child: Ints, swap: Bytes, good: Bytes, pays: Bytes, seed: Bytes
) -> Bytes:
    """uint8[2 n]: the set S that grows from `seed`, all of lower strata, and edges that pay."""
    n = len(kind)
    start, parent, edge = _parents(first, child)
    joined = np.zeros(2 * n, np.uint8)
    open_edges = np.zeros(2 * n, np.int64)
    queue = np.empty(2 * n, np.int64)
    filled = 0
    # 1. Rows of S at once: one good edge leaves the stratum or pays; all do, where others move.
    for row in range(n):
        for g in range(2):
            reached = seed[2 * row + g] == 1
            waits = 0
            for e in range(first[row], first[row + 1]):
                if child[e] >= 0 and not (pays[e] >> g) & 1:
                    waits += 1
                elif kind[row] == CHANCE or (kind[row] == g and (good[e] >> g) & 1):
                    reached = True
            if kind[row] != CHANCE and kind[row] != g and waits == 0:
                reached = True
            open_edges[2 * row + g] = waits
            if reached:
                joined[2 * row + g] = 1
                queue[filled] = 2 * row + g
                filled += 1
    # 2. Backwards from what has joined.
    done = 0
    while done < filled:
        node = queue[done]
        done += 1
        for k in range(start[node >> 1], start[(node >> 1) + 1]):
            e = edge[k]
            g = (node & 1) ^ (swap[e] & 1)
            up = 2 * parent[k] + g
            mover = kind[parent[k]]
            if joined[up] or (pays[e] >> g) & 1 or (mover == g and not (good[e] >> g) & 1):
                continue
            if mover not in (CHANCE, g):
                open_edges[up] -= 1
                if open_edges[up] > 0:
                    continue
            joined[up] = 1
            queue[filled] = up
            filled += 1
    return joined
