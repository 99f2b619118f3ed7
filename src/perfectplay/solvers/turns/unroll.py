"""The turns of some rows as an ordinary graph: every node of every turn becomes a row."""

import numpy as np

from perfectplay.compiled.arrays import Array, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.turns.turn_graph import TurnGraph, turn_graph
from perfectplay.strata.graph import Graph


def unroll(graph: Graph, rows: Array) -> tuple[Graph, Array, Array]:
    """(graph, ids, roots): the graph of all nodes of the turns of `rows`. Its ids begin with
    those children of the turns which are not among `rows`, as listed in `ids`; `roots` are the
    ids of the rows themselves."""
    turns = graph.turns
    assert turns is not None
    p = turns.patterns
    where = np.full(graph.size, -1, np.int64)
    where[rows] = np.arange(len(rows))
    counts = graph.first[rows + 1] - graph.first[rows]
    edges = np.repeat(graph.first[rows] - np.cumsum(counts) + counts, counts) + np.arange(
        counts.sum()
    )
    child = graph.child[edges].astype(np.int64)
    mine = child >= graph.low
    mine[mine] = where[child[mine] - graph.low] >= 0
    ids = np.unique(child[~mine])
    sizes = np.diff(p.start)[turns.pattern[rows]]
    base = len(ids) + np.cumsum(sizes) - sizes
    to = np.empty(len(child), np.int64)
    to[~mine] = np.searchsorted(ids, child[~mine])
    at = where[child[mine] - graph.low]
    to[mine] = base[at] + sizes[at] - 1
    roots = base + sizes - 1
    total = int(sizes.sum())
    inner = np.diff(p.first)
    steps = int(sum_over(p.start, turns.pattern[rows], inner)) + len(child)
    out = (
        np.empty(total, np.int8),
        np.zeros(total + 1, np.int64),
        np.empty(steps, np.uint32),
        np.zeros(steps, np.uint8),
        np.ones(steps, np.int64),
        np.zeros((steps, *graph.reward.shape[1:]), np.int64),
    )
    _fill(turn_graph(graph), rows, base - len(ids), len(ids), edges, to, out)
    kind, first, into, swap, weight, reward = out
    anchor = np.zeros(total, np.uint8)
    anchor[roots - len(ids)] = 1
    payoff = np.zeros((total, *graph.payoff.shape[1:]), np.int64)
    flat = Graph(len(ids), kind, payoff, first, into, swap, weight, reward, anchor)
    return flat, ids, roots


def sum_over(start: Array, patterns: Array, inner: Array) -> int:
    """How many steps the patterns have inside, all together."""
    before = np.zeros(len(inner) + 1, np.int64)
    np.cumsum(inner, out=before[1:])
    return int((before[start[patterns + 1]] - before[start[patterns]]).sum())


@kernel
def _fill(
    game: TurnGraph,
    rows: Int32s,
    base: Ints,
    low: int,
    edges: Ints,
    to: Ints,
    out: tuple[Array, ...],
) -> None:
    """Write the rows and edges of the unrolled graph, whose ids begin at `low`; steps of a node in
    the order of the rules. base[i]: where the turn of rows[i] begins; to[x]: the id that exit
    edges[x] leads to."""
    start, pattern, exits, nodes = game.start, game.pattern, game.first, game.node
    kinds, starts, steps, weights, rewards = (
        game.kind, game.inner, game.to, game.weight, game.reward
    )  # fmt: skip
    swaps, exit_weights, exit_rewards = game.swap, game.exit_weight, game.exit_reward
    ranks, exit_ranks = game.rank, game.exit_rank
    kind, first, child, swap, weight, reward = out
    every = exits[len(exits) - 1]
    every_swap = -1 if len(swaps) == every else 0
    every_weight = -1 if len(exit_weights) == every else 0
    every_reward = -1 if len(exit_rewards) == every else 0
    every_rank = -1 if len(exit_ranks) == every else 0
    k = 0
    x = 0
    for i in range(len(rows)):
        begin = start[pattern[rows[i]]]
        last = x + exits[rows[i] + 1] - exits[rows[i]]
        for j in range(start[pattern[rows[i]] + 1] - begin):
            at = base[i] + j
            node = begin + j
            kind[at] = CHANCE if kinds[node] == OVER else kinds[node]
            e = starts[node]
            while True:
                leaving = x < last and nodes[edges[x]] == j
                if e < starts[node + 1] and not (
                    leaving and exit_ranks[edges[x] & every_rank] < ranks[e]
                ):
                    child[k] = low + base[i] + steps[e]
                    weight[k] = weights[e]
                    reward[k] = rewards[e]
                    e += 1
                elif leaving:
                    f = edges[x]
                    child[k] = to[x]
                    swap[k] = swaps[f & every_swap]
                    weight[k] = exit_weights[f & every_weight]
                    reward[k] = exit_rewards[f & every_reward]
                    x += 1
                else:
                    break
                k += 1
            first[at + 1] = k
