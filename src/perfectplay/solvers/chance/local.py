"""One component by itself: rows in an order that cuts its cycles, players never renamed.

`localise` copies a component into a `Local`, a tuple of flat arrays, in which

* rows are numbered in the order of a depth-first walk, children first. An edge to a lower number
  is an ordinary dependency; the targets of all other edges are the **anchors**: every cycle
  passes one;
* players keep their names: a row that is reached with players renamed gets the opposite sign, and
  a component in which one position is reached both ways is unfolded to two rows per position;
* an edge that leaves carries bounds of what it is worth, all others carry their reward.

    kind int8[m]; first int64[m+1]; to int64[e] (-1: leaves); weight float64[e];
    below, above float64[e]; node int64[m] (2 * row, + 1 if signs are opposite); anchor int64[k]

The arithmetic here rounds to a stated side, so bounds that go in right come out right.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel

SPLIT = 134217729.0  # 2**27 + 1, Dekker's splitter


@kernel
def add_below(a, b):  # type: ignore[no-untyped-def]
    """The largest float known not to exceed a + b; a + b itself where that is a float."""
    s = a + b
    t = s - a
    if (a - (s - t)) + (b - t) < 0.0:
        return np.nextafter(s, -np.inf)
    return s


@kernel
def product_error(a, b, product):  # type: ignore[no-untyped-def]
    """a * b - product, exactly (Dekker)."""
    c = SPLIT * a
    ah = c - (c - a)
    al = a - ah
    c = SPLIT * b
    bh = c - (c - b)
    bl = b - bh
    return al * bl - (((product - ah * bh) - al * bh) - ah * bl)


@kernel
def mean_below(worth, weight, count):  # type: ignore[no-untyped-def]
    """A float not above the weighted mean of worth[:count], at most about two roundings away.

    The errors of all products and sums are computed too: a mean that is a float comes out exactly.
    The sum of the weights must be below 2**53."""
    least = worth[0]
    most = worth[0]
    for j in range(1, count):
        least = min(least, worth[j])
        most = max(most, worth[j])
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
        p = weight[j] * worth[j]
        e = product_error(weight[j], worth[j], p)
        t = s + p
        z = t - s
        f = (s - (t - z)) + (p - z)
        s = t
        rest += e + f
        size += abs(e) + abs(f)
        if p != 0.0 and abs(p) < 1e-250:
            size += 1e-280  # the error of so small a product may itself be lost
    out = (s + rest) / total
    if size == 0.0 and product_error(out, total, s) == 0.0 and out * total == s:
        return out
    return max(least, out - (3.6e-16 * abs(out) + 2.3e-16 * (count + 2) * (size / total) + 1e-280))


@kernel
def walk(graph, number, rows, root, place):  # type: ignore[no-untyped-def]
    """The nodes of a component in depth-first order, children first, and which of them are
    anchors.

    `place[node]` becomes a node's number. Anchors named by the rules are entered last of all, so
    that edges to them are cut; all other anchors are targets of edges back to an unfinished
    node."""
    low, first, child, swap, anchor = graph[0], graph[3], graph[4], graph[5], graph[8]
    swap_mask = -1 if len(swap) == len(child) else 0
    anchor_mask = -1 if len(anchor) == len(first) - 1 else 0
    unseen, opened, cut, queued = -1, -2, -3, -4
    for k in range(2 * len(rows)):
        place[2 * rows[k >> 1] + (k & 1)] = unseen
    most = 2 * len(rows)
    nodes = np.empty(most, np.int64)
    anchors = np.zeros(most, np.bool_)
    path = np.empty(most, np.int64)
    edge = np.empty(most, np.int64)
    queue = np.empty(most, np.int64)
    queue[0] = 2 * np.int64(root)
    place[queue[0]] = queued
    waiting = 1
    done, served = 0, 0
    while served < waiting:
        path[0] = queue[served]
        place[path[0]] = opened if served == 0 else cut
        served += 1
        edge[0] = first[path[0] >> 1]
        depth = 0
        while depth >= 0:
            node = path[depth]
            row = node >> 1
            if edge[depth] == first[row + 1]:
                anchors[done] = place[node] == cut
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
            if place[other] == unseen:
                if anchor[to & anchor_mask]:
                    place[other] = queued
                    queue[waiting] = other
                    waiting += 1
                else:
                    place[other] = opened
                    depth += 1
                    path[depth] = other
                    edge[depth] = first[to]
            elif place[other] == opened:
                place[other] = cut
    return nodes[:done], anchors


@kernel
def localise(graph, number, rows, root, place, bounds):  # type: ignore[no-untyped-def]
    """The `Local` of the component that has these rows. `place` is scratch, int32[2 * size]."""
    low, kinds, starts, child, swap = graph[0], graph[1], graph[3], graph[4], graph[5]
    weights, rewards = graph[6], graph[7]
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
    return kind, first, to, weight, below, above, node, anchor
