"""Slow and obvious twin of the stochastic solver: try all positional strategies, in exact
fractions.

A game is a list of rows (kind, payoff, edges); an edge is (child row, swap, weight, reward). Rows
are unfolded to (row, sign), so that players are never renamed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

CHANCE, OVER = -1, -2


def values(rows, endless):
    """The value of every row: the best that player 0 can secure, equal to what player 1 can."""
    nodes = [(r, s) for r in range(len(rows)) for s in (1, -1)]
    if not any(swap for _, _, edges in rows for _, swap, _, _ in edges):
        nodes = [(r, 1) for r in range(len(rows))]
    mine, theirs = [], []
    for r, s in nodes:
        if rows[r][0] in (0, 1):
            (mine if (rows[r][0] == 0) == (s == 1) else theirs).append((r, s))
    results = {}
    for a in _strategies(rows, mine):
        for b in _strategies(rows, theirs):
            chain = evaluate(rows, nodes, {**dict(a), **dict(b)}, endless)
            results[a, b] = [chain[r, 1] for r in range(len(rows))]
    own, other = list(_strategies(rows, mine)), list(_strategies(rows, theirs))
    count = range(len(rows))
    highest = [max(min(results[a, b][r] for b in other) for a in own) for r in count]
    lowest = [min(max(results[a, b][r] for a in own) for b in other) for r in count]
    assert highest == lowest
    return highest


def _strategies(rows, nodes):
    choices = [[(node, e) for e in range(len(rows[node[0]][2]))] for node in nodes]
    return itertools.product(*choices)


def evaluate(rows, nodes, choice, endless):
    """The expected total from every node when all choices are fixed."""
    follow = {}
    for r, s in nodes:
        kind, _, edges = rows[r]
        if kind == OVER:
            follow[r, s] = []
            continue
        used = edges if kind == CHANCE else [edges[choice[r, s]]]
        total = sum(w for _, _, w, _ in used)
        follow[r, s] = [
            ((c, -s if swap else s), Fraction(w, total), s * x) for c, swap, w, x in used
        ]
    ends = {node for node in nodes if rows[node[0]][0] == OVER}
    while True:
        more = {n for n in nodes if n not in ends and any(c in ends for c, _, _ in follow[n])}
        if not more:
            break
        ends |= more
    value = {}
    if endless == -math.inf:
        lost = {n for n in nodes if n not in ends}
        while True:
            more = {n for n in nodes if n not in lost and any(c in lost for c, _, _ in follow[n])}
            if not more:
                break
            lost |= more
        value = dict.fromkeys(lost, -math.inf)
    else:
        for n in recurring(follow, [n for n in nodes if n not in ends]):
            assert all(x == 0 for _, _, x in follow[n]), "a loop that earns has no worth"
            value[n] = Fraction(endless) * n[1]
    for n in nodes:
        if rows[n[0]][0] == OVER:
            value[n] = Fraction(n[1] * rows[n[0]][1])
    return _linear([n for n in nodes if n not in value], follow, value)


def recurring(follow, nodes):
    """Those of some nodes that play comes back to for ever, once it is there."""
    far = {n: {c for c, _, _ in follow[n]} for n in nodes}
    for _ in nodes:
        far = {n: found.union(*(far.get(c, set()) for c in found)) for n, found in far.items()}
    return [n for n in nodes if all(n in far.get(c, ()) for c in far[n])]


def _linear(open_nodes, follow, value):
    """Solve x = P x + b for the open nodes by elimination."""
    at = {n: k for k, n in enumerate(open_nodes)}
    size = len(open_nodes)
    matrix = [[Fraction(0)] * (size + 1) for _ in range(size)]
    for n, k in at.items():
        matrix[k][k] += 1
        for c, p, x in follow[n]:
            matrix[k][size] += p * x
            if c in at:
                matrix[k][at[c]] -= p
            else:
                matrix[k][size] += p * value[c]
    found = eliminated(matrix)
    return {**value, **{n: found[k] for n, k in at.items()}}


def eliminated(matrix):
    """The solution of a linear system in fractions, whose right sides are the last column."""
    size = len(matrix)
    for k in range(size):
        pivot = next(j for j in range(k, size) if matrix[j][k])
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        matrix[k] = [x / matrix[k][k] for x in matrix[k]]
        for j in range(size):
            if j != k and matrix[j][k]:
                f = matrix[j][k]
                matrix[j] = [a - f * b for a, b in zip(matrix[j], matrix[k], strict=True)]
    return [row[-1] for row in matrix]
