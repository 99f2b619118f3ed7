"""What is played in a solved graph: a best edge for every row, and how often rows are met."""

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Ids, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE
from perfectplay.solvers.chance.policy import first_edges, policy
from perfectplay.solvers.store import Bounds, Fractions, Outcomes, Scores, Store
from perfectplay.strata.graph import Facts, Graph

LEFT = 1e-13
"""Play that is still going on, out of 1, may be forgotten if it is no more than this."""
ROUNDS = 20_000
"""How often the graph is gone through before play counts as endless."""
STEPS = 4_000_000_000
"""How many rows are looked at, all in all, before that."""


def best_edges(graph: Graph, facts: Facts, store: Store) -> Array | None:
    """For each row of a player an edge that is best for them and makes progress, int64[n]; NO_MOVE
    for other rows. None if several players have interests of their own."""
    if isinstance(store, Outcomes):
        return _by_depth(graph, store)
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
