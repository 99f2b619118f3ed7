"""A graph of turns as kernels take it, what solvers ask of its patterns and components, and the
turns of some rows as an ordinary graph: every node of every turn becomes a row (`unroll`)."""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Floats, Ids, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.turns.patterns import Turns
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.work import Work
from perfectplay.strata.components import Components
from perfectplay.strata.graph import Graph

COLUMNS = 16
"""Most anchors of its own component that the exits of a turn may lead to. An anchor that is
reached with players renamed counts as another one."""
HALF = 4
LANES = 2 * HALF
"""Turns of one pattern that are walked through at once, one in each SIMD lane."""


class Unsolved(NamedTuple):
    """What is left of a stratum."""

    found: Components
    wanted: Array
    """bool[components]: those still to be solved."""
    work: Work
    """What was done."""


class TurnGraph(NamedTuple):
    """The patterns of turns, and the turns of a graph's rows with their exits: see `Patterns`,
    `Turns` and `Graph`."""

    start: Ints
    kind: Kinds
    inner: Ints
    to: Int32s
    weight: Ints
    reward: Ints
    rank: Int32s
    pattern: Int32s
    node: Int32s
    low: int
    first: Ints
    child: Ids
    swap: Bytes
    exit_weight: Ints
    exit_reward: Ints
    exit_rank: Int32s


def turn_graph(graph: Graph, turns: Turns | None = None) -> TurnGraph:
    """The graph of turns as kernels take it; `turns` instead of its own."""
    turns = turns or graph.turns
    assert turns is not None
    p = turns.patterns
    inside = p.start, p.kind, p.first, p.to, p.weight, p.reward, p.rank
    exits = graph.first, graph.child, graph.swap, graph.weight, graph.reward
    return TurnGraph(*inside, turns.pattern, turns.node, graph.low, *exits, turns.rank)


@kernel
def lane_count(shapes: Int32s, begun: int) -> int:
    """How many turns from number `begun` on have one pattern, up to LANES."""
    count = 1
    while count < LANES and begun + count < len(shapes) and shapes[begun + count] == shapes[begun]:
        count += 1
    return count


@kernel
def most_nodes(shapes: Int32s, start: Ints) -> int:
    """The most nodes of a turn."""
    most = 1
    for shape in shapes:
        most = max(most, start[shape + 1] - start[shape])
    return most


@kernel
def weighed(
    begin: int, end: int, to: Int32s, weight: Ints, values: Floats, at: int, out: Floats
) -> float:
    """The total weight of some steps; their weighted sums of values go into `out`, for HALF lanes.
    Four scalars, not an array: so that the compiler uses wide registers."""
    total, a, b, c, d = 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(begin, end):
        w = np.float64(weight[e])
        t = to[e]
        total += w
        a += w * values[t, at]
        b += w * values[t, at + 1]
        c += w * values[t, at + 2]
        d += w * values[t, at + 3]
    out[at], out[at + 1], out[at + 2], out[at + 3] = a, b, c, d
    return total


@kernel
def column_of(a: int, other: int, s: int, target: Array, swap: Array, width: Ints) -> int:
    """The column of turn `a` for anchor `other`, reached with swap s, which may be a new one;
    COLUMNS if there are too many."""
    k = 0
    while k < width[a] and (target[a, k] != other or swap[a, k] != s):
        k += 1
    if k == width[a] and k < COLUMNS:
        target[a, k] = other
        swap[a, k] = s
        width[a] += 1
    return k


@kernel
def levels(low: int, first: Ints, child: Ids, parts: tuple[Int32s, Int32s, Ints]) -> Ints:
    """For each component the most others of its stratum on a path from it.

    parts = (component of each row, rows by component, where each begins), children first."""
    number, rows, starts = parts
    level = np.zeros(len(starts) - 1, np.int64)
    for c in range(len(starts) - 1):
        for row in rows[starts[c] : starts[c + 1]]:
            for e in range(first[row], first[row + 1]):
                to = np.int64(child[e]) - low
                if to >= 0 and number[to] != c:
                    level[c] = max(level[c], level[number[to]] + 1)
    return level


@kernel
def longest_paths(game: TurnGraph) -> tuple[Floats, Floats, int]:
    """(chance nodes, all nodes) on the longest path through each pattern, and the largest sum of
    weights of steps inside."""
    start, kind, inner, to, weight = game.start, game.kind, game.inner, game.to, game.weight
    chances, nodes = np.zeros(len(kind)), np.zeros(len(kind))
    most_chances, most = np.zeros(len(start) - 1), np.zeros(len(start) - 1)
    heaviest = 0
    for p in range(len(start) - 1):
        for j in range(start[p], start[p + 1]):
            total = 0
            for e in range(inner[j], inner[j + 1]):
                chances[j] = max(chances[j], chances[start[p] + to[e]])
                nodes[j] = max(nodes[j], nodes[start[p] + to[e]])
                total += weight[e]
            nodes[j] += 1.0
            if kind[j] < 0:
                chances[j] += 1.0
                heaviest = max(heaviest, total)
            most_chances[p] = max(most_chances[p], chances[j])
            most[p] = max(most[p], nodes[j])
    return most_chances, most, heaviest


# -- Unrolled. ------------------------------------------------------------------------------------


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
    begins = p.first[p.start]  # where the steps inside each pattern begin
    steps = int(np.diff(begins)[turns.pattern[rows]].sum()) + len(child)
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
