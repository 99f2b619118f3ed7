"""Choices that really achieve the values, values of fixed choices, and how often rows are met.

A move that keeps the value is not always a good move: a player who keeps a sure win at every step
may still go round a cycle for ever. So among equally good moves `policy` prefers one that makes
progress:

1. moves that leave a component, or lead to rows from which leaving is already certain, whatever
   the opponent does with equally good moves of their own;
2. only rows where endless play is no worse than the value may stay.

Played against each other, or against anything else, these choices secure the value to both sides
(for bounds: up to their width times the length of play). `evaluate` says what fixed choices of
one player or of both are worth, between proved bounds or exactly. `Audit` chooses the moves that
go into a table, and evaluates them again. `visits` says how often rows are met."""

from dataclasses import replace

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Floats, Ids, Ints, Kinds, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import VerificationError
from perfectplay.rules.game import CHANCE
from perfectplay.solvers.chance.certify import opposite
from perfectplay.solvers.chance.cyclic_components import StratumComponents
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.chance.stochastic import solve
from perfectplay.solvers.store import Bounds, Fractions, Outcomes, Scores, Store
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph

NO_MOVE = -1
TOLERANCE = 1e-9
"""What moves may achieve less than the value, relative to it: far above all rounding, far below
what a wrong move costs."""
LEFT = 1e-13
"""Play that is still going on, out of 1, may be forgotten if it is no more than this."""
ROUNDS = 20_000
"""How often the graph is gone through before play counts as endless."""
STEPS = 4_000_000_000
"""How many rows are looked at, all in all, before that."""


def policy(graph: Graph, facts: Facts, store: Bounds | Fractions) -> Array:
    """For each row of a player the number of the edge to take, int64[n]; NO_MOVE for other
    rows."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    near = _near(graph, store)
    tight, worth = _tight(graph, store, row_of, near)
    choice = first_edges(graph, -worth, ~tight)
    if not graph.inside:
        return choice
    parts = StratumComponents(graph)
    moves = np.bincount(row_of[tight], minlength=graph.size)
    open_rows = np.nonzero((graph.kind >= 0) & (moves > 1))[0]  # elsewhere there is no choice
    undecided = distinct(parts.found.number[open_rows])
    for c in undecided[parts.found.cyclic[undecided]].tolist():
        local = parts.local(c, (near, near))
        _arrange(graph, local, facts.endless, (tight, near), choice)
    return choice


def first_edges(graph: Graph, *keys: Array) -> Array:
    """For each row of a player the edge with the least keys, of which the last counts first, and
    of equal ones the first in the order of the rules, int64[n]; NO_MOVE for other rows."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    order = np.lexsort((np.arange(graph.edges), *keys, row_of))
    out = np.full(graph.size, NO_MOVE, np.int64)
    moving = np.flatnonzero(graph.kind >= 0)
    out[moving] = order[graph.first[moving]]
    return out


def _near(graph: Graph, store: Bounds | Fractions) -> Array:
    """The values of all ids that matter, as floats."""
    high = graph.low + graph.size
    near = np.zeros(high)  # only what is written takes memory
    if isinstance(store, Fractions):
        ids = distinct(graph.child[graph.child < graph.low]).tolist()
        for id in [*ids, *range(graph.low, high)]:
            near[id] = float(store.value[id][0])
        return near
    for ids in (graph.child, slice(graph.low, high)):
        lower, upper = store.lower[ids], store.upper[ids]
        near[ids] = np.where(lower == upper, lower, 0.5 * (lower + upper))
    return near


def _tight(
    graph: Graph, store: Bounds | Fractions, row_of: Array, near: Array
) -> tuple[Array, Array]:
    """Which edges keep the value as far as is known, and the values of edges to the mover."""
    child = graph.child.astype(np.int64)
    turned = np.broadcast_to(graph.swap & 1, graph.edges).astype(bool)
    reward = np.broadcast_to(graph.reward, graph.edges).astype(float)
    sign = np.where(graph.kind[row_of] == 1, -1.0, 1.0)
    worth = sign * (reward + np.where(turned, -near[child], near[child]))
    if isinstance(store, Fractions):
        exact = [entry[0] if entry else None for entry in store.value]
        edges = zip(row_of, child, turned, reward, strict=True)
        same = [
            exact[graph.low + r] == (-exact[c] if t else exact[c]) + int(x) for r, c, t, x in edges
        ]
        return np.array(same, np.bool_), worth
    lower, upper = store.lower, store.upper
    ids = graph.low + row_of
    most = reward + np.where(turned, -lower[child], upper[child])
    least = reward + np.where(turned, -upper[child], lower[child])
    keeps = np.where(graph.kind[row_of] == 1, least <= upper[ids], most >= lower[ids])
    return keeps, worth


def _arrange(
    graph: Graph, local: LocalGraph, endless: float, known: tuple[Array, Array], choice: Array
) -> None:
    """Choices of both players in one component, written into `choice`."""
    first, node = local.first, local.node
    tight, near = known
    rows = node >> 1
    shift = np.repeat(graph.first[rows] - first[:-1], np.diff(first))
    mine = tight[np.arange(len(local.to)) + shift]
    value = np.where(node & 1, -1.0, 1.0) * near[graph.low + rows]
    for side, part in ((1.0, local), (-1.0, opposite(local))):
        found = lead(part, mine, side * value <= side * endless)
        use = (part.kind == 0) & (found >= 0)
        choice[rows[use]] = (found + graph.first[rows] - first[:-1])[use]


@kernel
def lead(local: LocalGraph, tight: Bools, content: Bools) -> Ints:
    """For rows of player 0 a tight edge that makes progress; -1 where any will do. `content` rows
    may stay for ever."""
    choice = np.full(len(local.kind), NO_MOVE, np.int64)
    done = np.zeros(len(local.kind), np.bool_)
    arrange(local, tight, done, choice)
    done |= content
    arrange(local, tight, done, choice)
    return choice


@kernel
def arrange(local: LocalGraph, tight: Bools, done: Bools, choice: Ints) -> None:
    """Add to `done` all rows from which player 0 can make sure to leave or to reach such rows, by
    tight edges, which go into `choice`."""
    kind, first, to = local.kind, local.first, local.to
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            ready = 0
            others = 0
            for e in range(first[i], first[i + 1]):
                if done[i] or (kind[i] >= 0 and not tight[e]):
                    continue
                if to[e] >= 0 and not done[to[e]]:
                    others += 1
                    continue
                ready += 1
                if kind[i] == 0 and choice[i] < 0:
                    choice[i] = e
            if ready and (kind[i] != 1 or others == 0):
                done[i] = True
                changed = True


def fixed(graph: Graph, choice: Array, players: tuple[int, ...] = (0, 1)) -> Graph:
    """The graph in which these players have no other edges than their choices."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    bound = np.isin(graph.kind, players)[row_of]
    kept = np.nonzero(~bound | (np.arange(graph.edges) == choice[row_of]))[0]
    first = np.append(0, np.cumsum(np.bincount(row_of[kept], minlength=graph.size)))

    def some(array: Array) -> Array:
        return array[kept] if len(array) == graph.edges else array

    return replace(
        graph,
        first=first,
        child=graph.child[kept],
        swap=some(graph.swap),
        weight=some(graph.weight),
        reward=some(graph.reward),
    )


def evaluate(
    graph: Graph,
    facts: Facts,
    store: Bounds | Fractions,
    choice: Array,
    players: tuple[int, ...] = (0, 1),
) -> Bounds | Fractions:
    """What all rows are worth when these players keep to their choices (and the others, if any,
    play their best): a store like the given one, from which only values below the stratum are
    read."""
    found = (
        Fractions(store.width, list(store.value))
        if isinstance(store, Fractions)
        else Bounds(store.lower.copy(), store.upper.copy())
    )
    solve(fixed(graph, choice, players), facts, found, Options())
    return found


def best_edges(graph: Graph, facts: Facts, store: Store) -> Array | None:
    """For each row of a player an edge that is best for them and makes progress, int64[n]; NO_MOVE
    for other rows. None if several players have interests of their own."""
    if isinstance(store, Outcomes):
        edges = _by_depth(graph, store)
        if not facts.endless:
            return edges
        won = store.value.astype(float)  # a draw has no depth, but may have to be forced
        drawn = store.value[graph.low : graph.low + graph.size] == 0
        return np.where(drawn, policy(graph, facts, Bounds(won, won)), edges)
    if isinstance(store, Scores):
        score = store.value.astype(float)
        return policy(graph, facts, Bounds(score, score))
    if facts.scalar and isinstance(store, Bounds | Fractions):
        return policy(graph, facts, store)
    return None


def _by_depth(graph: Graph, store: Outcomes) -> Array:
    """The fastest win, else a draw, else the slowest loss; of equal ones the first."""
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    turned = (np.broadcast_to(graph.swap & 1, graph.edges) == 1) != (graph.kind[row_of] == 1)
    won = store.value[graph.child].astype(np.int64)
    won = np.where(turned, -won, won)
    depth = store.depth[graph.child].astype(np.int64)
    depth = np.where(depth < 0, 2**40, depth)  # endless play
    return first_edges(graph, won * depth, -won)


# -- Evaluated again. -----------------------------------------------------------------------------


class Audit:
    """Fills the column of moves and follows what they are worth.

    Values come from one computation, moves are read off them, and what these moves are worth is
    found by another: all players are held to their moves, and what is left, a game without
    choices, is solved from the bottom up beside the real one. If the moves did not achieve the
    values (as greedy moves that go round a cycle would not), the two would differ by more than
    both intervals allow."""

    def __init__(self, facts: Facts, store: Bounds | Fractions) -> None:
        self.facts, self.store = facts, store
        size = len(store.value) if isinstance(store, Fractions) else len(store.lower)
        self._achieved = Bounds(np.zeros(size), np.zeros(size))
        self._known = 0

    def look(self, graph: Graph, work: Work) -> None:
        """Choose moves for a solved stratum and evaluate them; `work` gets the gap."""
        low, high = graph.low, graph.low + graph.size
        if self._known < low:  # not in this graph: their moves were found good with theirs
            lower, upper = self._values(self._known, low)
            self._achieved.load(self._known, {"lower": lower, "upper": upper})
        choice = policy(graph, self.facts, self.store)
        assert self.store.move is not None
        self.store.move[low:high] = np.where(choice >= 0, choice - graph.first[:-1], -1)
        self._play(graph, choice)
        work.gap = self._gap(low, high)

    def recall(self, graph: Graph) -> None:
        """Evaluate the moves that an earlier run stored: those of higher strata build on them, and
        their gaps must not depend on where a run was interrupted."""
        assert self.store.move is not None
        move = self.store.move[graph.low : graph.low + graph.size].astype(np.int64)
        self._play(graph, np.where(move >= 0, move + graph.first[:-1], NO_MOVE))

    def _play(self, graph: Graph, choice: Array) -> None:
        """Find what a stratum is worth if all players keep to their choices."""
        solve(fixed(graph, choice), self.facts, self._achieved, Options())
        self._known = graph.low + graph.size

    def _values(self, low: int, high: int) -> tuple[Array, Array]:
        if isinstance(self.store, Bounds):
            return self.store.lower[low:high], self.store.upper[low:high]
        floats = np.array([float(numbers[0]) for numbers in self.store.value[low:high]])
        return floats, floats

    def _gap(self, low: int, high: int) -> float:
        """How far apart values and what the moves achieve may be."""
        lower, upper = self._values(low, high)
        achieved = self._achieved
        most = np.maximum(upper, achieved.upper[low:high])
        least = np.minimum(lower, achieved.lower[low:high])
        with np.errstate(invalid="ignore"):
            apart = np.where(most == least, 0.0, most - least)
        scale = np.maximum(1.0, np.abs(np.where(np.isfinite(least), least, 1.0)))
        worst = int(np.argmax(apart / scale)) if len(apart) else 0
        if len(apart) and not apart[worst] <= TOLERANCE * scale[worst]:
            raise VerificationError(
                f"the best moves of position {low + worst} achieve between "
                f"{achieved.lower[low + worst]!r} and {achieved.upper[low + worst]!r}, but its "
                f"value lies between {lower[worst]!r} and {upper[worst]!r}",
                "this is a fault of the solver: please report it with the rules",
            )
        return float(apart.max(initial=0.0))


def try_moves(graph: Graph, facts: Facts, store: Bounds | Fractions, work: Work) -> None:
    """Try the moves of a graph that a solver made by itself."""
    Audit(facts, store).look(graph, work)


# -- How often rows are met. ----------------------------------------------------------------------


def visits(graph: Graph, edge: Array, begin: Array) -> Array | None:
    """How often each row is met on average, float64[n], if play begins at row i with probability
    begin[i] and players take the edges given. None if play need not end."""
    waiting = begin.astype(float)
    met = np.zeros(graph.size)
    rounds = int(max(2, min(ROUNDS, STEPS // max(graph.size, 1))))
    weight = np.ascontiguousarray(graph.weight, np.int64)
    done = _flow(graph.kind, (graph.first, graph.child, weight), edge, waiting, met, rounds)
    return met if done else None


@kernel
def _flow(
    kind: Kinds,
    moves: tuple[Ints, Ids, Ints],
    edge: Ints,
    waiting: Floats,
    met: Floats,
    rounds: int,
) -> bool:
    """Push the probability that waits at each row along its edges, alternating between descending
    and ascending rows, until next to nothing is left; False if that does not happen."""
    first, child, weight = moves
    n = len(kind)
    weights = -1 if len(weight) == len(child) else 0
    for turn in range(rounds):
        left = 0.0
        for k in range(n):
            row = k if turn & 1 else n - 1 - k
            now = waiting[row]
            if now == 0.0:
                continue
            waiting[row] = 0.0
            met[row] += now
            if kind[row] == CHANCE:
                total = 0
                for e in range(first[row], first[row + 1]):
                    total += weight[e & weights]
                for e in range(first[row], first[row + 1]):
                    waiting[child[e]] += now * weight[e & weights] / total
                left += now
            elif kind[row] >= 0:
                waiting[child[edge[row]]] += now
                left += now
        if left <= LEFT:
            return True
    return False
