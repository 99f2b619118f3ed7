"""One component as a graph by itself: its rows in an order that cuts cycles, players not renamed.

`localise` copies a component of a stratum into a `LocalGraph`. Its rows are numbered in the order
of a depth-first walk, children first, so that an edge to a lower number is an ordinary dependency.
The targets of all other edges are the **anchors**: every cycle passes through one.

Players keep their numbers. A row that is reached with the players exchanged gets the opposite
sign, and a component in which a position is reached both ways is unfolded to two rows per
position.

The arithmetic here rounds to a stated side: bounds that go in right come out right.

`toward_exit` and `staying` say which rows can reach an exit, and where play can be kept inside for
ever.
"""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Bools, Floats, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import FlatGraph

SPLIT = 134217729.0  # 2**27 + 1, Dekker's splitter
UNSEEN, OPENED, CUT, QUEUED = -1, -2, -3, -4
"""States of a node before the walk numbers it. CUT: opened, and the target of an edge back."""
BOTH = 2
"""As the number of a player: both players are free to choose."""


class LocalGraph(NamedTuple):
    """One component with m rows and e edges."""

    kind: Kinds
    first: Ints  # [m + 1]
    to: Ints  # [e]: the row an edge leads to; -1: it leaves the component
    weight: Floats  # [e]
    below: Floats  # [e]: an edge that leaves: a lower bound of its value; others: their reward
    above: Floats  # [e]: the same with an upper bound
    node: Ints  # [m]: 2 * row of the stratum, + 1 if signs are opposite
    anchor: Ints  # [k]: rows that all cycles pass through


@kernel
def add_below(a: float, b: float) -> float:
    """The largest float known not to exceed a + b; a + b itself where that is a float."""
    s = a + b
    t = s - a
    if (a - (s - t)) + (b - t) < 0.0:
        s = np.nextafter(s, -np.inf)
    return s


@kernel
def product_error(a: float, b: float, product: float) -> float:
    """a * b - product, exactly (Dekker)."""
    c = SPLIT * a
    ah = c - (c - a)
    al = a - ah
    c = SPLIT * b
    bh = c - (c - b)
    bl = b - bh
    return al * bl - (((product - ah * bh) - al * bh) - ah * bl)


@kernel
def mean_below(value: Floats, weight: Floats, count: int) -> float:
    """A float not above the weighted mean of value[:count], at most about two roundings away.

    The errors of all products and sums are computed too: a mean that is a float comes out exactly.
    The sum of the weights must be below 2**53."""
    least: float = value[0]
    most: float = value[0]
    for j in range(1, count):
        least = min(least, value[j])
        most = max(most, value[j])
    if least == -np.inf:
        return least
    if most - least == 0.0 or most == np.inf:
        return most
    total = 0.0
    s = 0.0
    rest = 0.0
    size = 0.0
    for j in range(count):
        total += weight[j]
        p = weight[j] * value[j]
        e = product_error(weight[j], value[j], p)
        t = s + p
        z = t - s
        f = (s - (t - z)) + (p - z)
        s = t
        rest += e + f
        size += abs(e) + abs(f)
        if p != 0.0 and abs(p) < 1e-250:
            size += 1e-280  # the error of so small a product may itself be lost
    out: float = (s + rest) / total
    if size == 0.0 and product_error(out, total, s) == 0.0 and out * total == s:
        return out
    return max(least, out - (3.6e-16 * abs(out) + 2.3e-16 * (count + 2) * (size / total) + 1e-280))


@kernel
def walk(
    graph: FlatGraph, number: Int32s, rows: Int32s, root: int, place: Int32s
) -> tuple[Ints, Bools]:
    """The nodes of a component in depth-first order, children first, and which are anchors.

    place[node] becomes a node's number. Anchors that the rules declare are entered last, so that
    edges to them are cut; the other anchors are targets of edges back to an unfinished node."""
    low, first, child, swap, anchor = graph.low, graph.first, graph.child, graph.swap, graph.anchor
    swap_mask = -1 if len(swap) == len(child) else 0
    anchor_mask = -1 if len(anchor) == len(first) - 1 else 0
    for k in range(2 * len(rows)):
        place[2 * rows[k >> 1] + (k & 1)] = UNSEEN
    most = 2 * len(rows)
    nodes = np.empty(most, np.int64)
    anchors = np.zeros(most, np.bool_)
    path = np.empty(most, np.int64)
    edge = np.empty(most, np.int64)
    queue = np.empty(most, np.int64)
    queue[0] = 2 * np.int64(root)  # walks begin at the root, then at declared anchors
    place[queue[0]] = QUEUED
    waiting = 1
    done, served = 0, 0
    while served < waiting:
        path[0] = queue[served]
        place[path[0]] = OPENED if served == 0 else CUT
        served += 1
        edge[0] = first[path[0] >> 1]
        depth = 0
        while depth >= 0:
            node = path[depth]
            row = node >> 1
            if edge[depth] == first[row + 1]:
                anchors[done] = place[node] == CUT
                nodes[done] = node
                place[node] = done
                done += 1
                depth -= 1
                continue
            e = edge[depth]
            edge[depth] += 1
            to = np.int64(child[e]) - low
            if to < 0 or number[to] != number[row]:
                continue
            other = 2 * to + ((node & 1) ^ (swap[e & swap_mask] & 1))
            if place[other] == UNSEEN:
                if anchor[to & anchor_mask]:
                    place[other] = QUEUED
                    queue[waiting] = other
                    waiting += 1
                else:
                    place[other] = OPENED
                    depth += 1
                    path[depth] = other
                    edge[depth] = first[to]
            elif place[other] == OPENED:
                place[other] = CUT
    return nodes[:done], anchors


@kernel
def localise(
    graph: FlatGraph,
    number: Int32s,
    rows: Int32s,
    root: int,
    place: Int32s,
    bounds: tuple[Floats, Floats],
) -> LocalGraph:
    """The component that has these rows, by itself. `place` is scratch, int32[2 * size]."""
    low, kinds, starts, child, swap = graph.low, graph.kind, graph.first, graph.child, graph.swap
    weights, rewards = graph.weight, graph.reward
    lower, upper = bounds
    swap_mask = -1 if len(swap) == len(child) else 0
    weight_mask = -1 if len(weights) == len(child) else 0
    reward_mask = -1 if len(rewards) == len(child) else 0
    node, flags = walk(graph, number, rows, root, place)
    m = len(node)
    anchor = np.empty(m, np.int64)
    count = 0
    for i in range(m):
        anchor[count] = i
        count += flags[i]
    anchor = anchor[:count]
    kind = np.empty(m, np.int8)
    first = np.zeros(m + 1, np.int64)
    for i in range(m):
        first[i + 1] = first[i] + starts[(node[i] >> 1) + 1] - starts[node[i] >> 1]
    to = np.empty(first[m], np.int64)
    weight = np.empty(first[m])
    below = np.empty(first[m])
    above = np.empty(first[m])
    for i in range(m):
        row = node[i] >> 1
        sign = 1.0 - 2.0 * (node[i] & 1)
        kind[i] = kinds[row] if kinds[row] < 0 or sign > 0 else 1 - kinds[row]
        for j in range(first[i + 1] - first[i]):
            e = starts[row] + j
            f = first[i] + j
            weight[f] = weights[e & weight_mask]
            reward = np.float64(rewards[e & reward_mask])
            id = np.int64(child[e])
            turned = swap[e & swap_mask] & 1
            to[f] = -1
            if id >= low and number[id - low] == number[row]:
                to[f] = place[2 * (id - low) + ((node[i] & 1) ^ turned)]
                below[f] = sign * reward
                above[f] = below[f]
                continue
            least = -upper[id] if turned else lower[id]
            most = -lower[id] if turned else upper[id]
            least = add_below(reward, least)
            most = -add_below(-reward, -most)
            below[f] = least if sign > 0 else -most
            above[f] = most if sign > 0 else -least
    return LocalGraph(kind, first, to, weight, below, above, node, anchor)


# -- Where play can go. ---------------------------------------------------------------------------


@kernel
def toward_exit(local: LocalGraph, usable: Bools) -> Ints:
    """For each row a usable edge that brings the exit nearer if everybody helps; -1 if none
    does."""
    first, to = local.first, local.to
    m = len(local.kind)
    edge = np.full(m, -1, np.int64)
    left, before = m, m + 1
    while 0 < left < before:
        before = left
        for i in range(m):
            if edge[i] >= 0:
                continue
            for e in range(first[i], first[i + 1]):
                if usable[e] and (to[e] < 0 or edge[to[e]] >= 0):
                    edge[i] = e
                    left -= 1
                    break
    return edge


@kernel
def progress_choice(local: LocalGraph) -> tuple[Ints, bool]:
    """For each row an edge that brings the exit nearer, or its first one; and whether every row
    can reach an exit."""
    edge = toward_exit(local, np.ones(len(local.to), np.bool_))
    fine = True
    for i in range(len(edge)):
        fine = fine and edge[i] >= 0
        if edge[i] < 0:
            edge[i] = local.first[i]
    return edge, fine


@kernel
def kept_edges(local: LocalGraph, player: int, choice: Ints) -> Bools:
    """The edges that are left if `player` keeps their choices; with BOTH, all of them."""
    usable = np.ones(len(local.to), np.bool_)
    for i in range(len(local.kind)):
        if local.kind[i] == player:
            usable[local.first[i] : local.first[i + 1]] = False
            usable[choice[i]] = True
    return usable


@kernel
def prune(local: LocalGraph, usable: Bools, alive: Bools) -> None:
    """Remove rows that cannot stay inside: chance rows that may leave, and players' rows without
    a usable edge to a row that can."""
    kind, first, to = local.kind, local.first, local.to
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
def staying(local: LocalGraph, player: int, choice: Ints) -> Bools:
    """The rows where play can be kept inside for ever while `player` keeps their choices."""
    stays = np.ones(len(local.kind), np.bool_)
    prune(local, kept_edges(local, player, choice), stays)
    return stays
