"""Rows of a search by turns: what it knows of the anchors on its path, of their turns and exits.

A search is a stack of levels, each an anchor with its whole turn (search.py of the package): a row
of `heads`; `kids`, the anchors that its exits lead to; `nodes`, the positions inside its turn. The
arrays are passed on together: heads, kids, what kids are thought to be worth, nodes, floats of
nodes, the words of heads, the words of kids.
All bounds of a level are what things are worth to the player who moves in that turn. The exits of
a node of his are a **unit**: he chooses among them.

The functions here see rows only, never rules."""

from __future__ import annotations

import math

from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.turns.fixed_point import as_float, less, over, over_up, plus, times

# -- Columns of heads. ----------------------------------------------------------------------------

LAID = 0
"""1: the exits of the turn are there."""
EXACT, ASKED = 1, 2
"""EXACT 1: the value is asked for; 0: whether it is at least the number in ASKED, two words."""
SIDE, PATTERN, KIDS = 4, 5, 6
"""1, or -1 if player 1 moves; the number of the turn's pattern; how many exits it has."""
LOW, HIGH = 7, 9
"""Bounds of the anchor."""
BEGUN, ROUNDS, CHILD = 11, 12, 13
"""Nodes before it was searched; how often an exit was chosen; the exit that is searched."""
HEAD = 14
"""How many columns there are; the words of anchors are in an array of their own."""

# -- Columns of kids. -----------------------------------------------------------------------------

KID_LOW, KID_HIGH, SIGN, NODE = 0, 2, 4, 5
"""Bounds; -1 if what is good for player 0 there is bad for who moves here; the node that the exit
leaves."""
KID = 6
"""How many columns there are; likewise."""

# -- Columns of nodes, and of floats beside them. -------------------------------------------------

UNIT_LOW, UNIT_HIGH, NODE_LOW, NODE_HIGH = 0, 2, 4, 6
"""Bounds of a node's exits, and of the node."""
NODES = 8
HAS, UNIT_F_LOW, UNIT_F_HIGH, UNIT_ABOUT, F_LOW, F_HIGH, ABOUT, FLOW = 0, 1, 2, 3, 4, 5, 6, 7
"""Whether a node has exits; bounds and guess of its exits and of the node, as floats; how
probable it is to choose among them, if all goes as guessed."""
FLOATS = 8

INSIDE = 0.05
"""How far a guess is from both bounds, in parts of their distance."""


@inlined
def clamped(guess, low, high):  # type: ignore[no-untyped-def]
    """A guess that is not at a bound: what was proved to be at most a number is rarely just
    that."""
    margin = INSIDE * (high - low)
    return min(max(guess, low + margin), high - margin)


@kernel
def unite(rows, level, base, node, unit):  # type: ignore[no-untyped-def]
    """Put together what the exits of a node are worth: node `base + node` of the level."""
    heads, kids, thought, nodes, floats = rows[:5]
    room = len(thought) // len(heads)
    at, begin = base + node, level * room
    low_h, low_l, high_h, high_l, best, first = 0, 0, 0, 0, 0.0, True
    for x in range(begin, begin + heads[level, KIDS]):
        if kids[x, NODE] != node:
            continue
        if first or less(low_h, low_l, kids[x, KID_LOW], kids[x, KID_LOW + 1]):
            low_h, low_l = kids[x, KID_LOW], kids[x, KID_LOW + 1]
        if first or less(high_h, high_l, kids[x, KID_HIGH], kids[x, KID_HIGH + 1]):
            high_h, high_l = kids[x, KID_HIGH], kids[x, KID_HIGH + 1]
        best = thought[x] if first else max(best, thought[x])
        first = False
    floats[at, HAS] = 0.0 if first else 1.0
    nodes[at, UNIT_LOW], nodes[at, UNIT_LOW + 1] = low_h, low_l
    nodes[at, UNIT_HIGH], nodes[at, UNIT_HIGH + 1] = high_h, high_l
    floats[at, UNIT_F_LOW] = as_float(low_h, low_l, unit)
    floats[at, UNIT_F_HIGH] = as_float(high_h, high_l, unit)
    floats[at, UNIT_ABOUT] = best


@kernel
def weigh(rows, patterns, level, base, unit):  # type: ignore[no-untyped-def]
    """Bounds and guesses of all nodes of a level, children first; those of the last one narrow
    the bounds of the anchor."""
    heads, _, _, nodes, floats = rows[:5]
    start, kind, first, to, weight = patterns[:5]
    begin = start[heads[level, PATTERN]]
    count = start[heads[level, PATTERN] + 1] - begin
    for j in range(count):
        at = base + j
        if kind[begin + j] < 0:
            _average(nodes, floats, (first, to, weight), begin + j, base, at)
        else:
            _best(nodes, floats, (first, to), begin + j, base, at)
        floats[at, F_LOW] = as_float(nodes[at, NODE_LOW], nodes[at, NODE_LOW + 1], unit)
        floats[at, F_HIGH] = as_float(nodes[at, NODE_HIGH], nodes[at, NODE_HIGH + 1], unit)
    narrow(heads, level, nodes, base + count - 1)


@kernel
def narrow(heads, level, nodes, at):  # type: ignore[no-untyped-def]
    """Narrow the bounds of a level to those of a node."""
    high, low = nodes[at, NODE_LOW], nodes[at, NODE_LOW + 1]
    if less(heads[level, LOW], heads[level, LOW + 1], high, low):
        heads[level, LOW], heads[level, LOW + 1] = high, low
    high, low = nodes[at, NODE_HIGH], nodes[at, NODE_HIGH + 1]
    if less(high, low, heads[level, HIGH], heads[level, HIGH + 1]):
        heads[level, HIGH], heads[level, HIGH + 1] = high, low


@inlined
def _average(nodes, floats, edges, node, base, at):  # type: ignore[no-untyped-def]
    """A node of chance."""
    first, to, weight = edges
    low_h, low_l, high_h, high_l, about, total = 0, 0, 0, 0, 0.0, 0
    for e in range(first[node], first[node + 1]):
        k, w = base + to[e], weight[e]
        h, lo = times(nodes[k, NODE_LOW], nodes[k, NODE_LOW + 1], w)
        low_h, low_l = plus(low_h, low_l, h, lo)
        h, lo = times(nodes[k, NODE_HIGH], nodes[k, NODE_HIGH + 1], w)
        high_h, high_l = plus(high_h, high_l, h, lo)
        about += w * floats[k, ABOUT]
        total += w
    nodes[at, NODE_LOW], nodes[at, NODE_LOW + 1] = over(low_h, low_l, total)
    nodes[at, NODE_HIGH], nodes[at, NODE_HIGH + 1] = over_up(high_h, high_l, total)
    floats[at, ABOUT] = about / total


@inlined
def _best(nodes, floats, edges, node, base, at):  # type: ignore[no-untyped-def]
    """A node of the player who moves: the best of its exits, and of the nodes that it leads to."""
    first, to = edges
    none = floats[at, HAS] == 0.0
    low_h, low_l = nodes[at, UNIT_LOW], nodes[at, UNIT_LOW + 1]
    high_h, high_l = nodes[at, UNIT_HIGH], nodes[at, UNIT_HIGH + 1]
    about = floats[at, UNIT_ABOUT]
    for e in range(first[node], first[node + 1]):
        k = base + to[e]
        if none or less(low_h, low_l, nodes[k, NODE_LOW], nodes[k, NODE_LOW + 1]):
            low_h, low_l = nodes[k, NODE_LOW], nodes[k, NODE_LOW + 1]
        if none or less(high_h, high_l, nodes[k, NODE_HIGH], nodes[k, NODE_HIGH + 1]):
            high_h, high_l = nodes[k, NODE_HIGH], nodes[k, NODE_HIGH + 1]
        about = floats[k, ABOUT] if none else max(about, floats[k, ABOUT])
        none = False
    nodes[at, NODE_LOW], nodes[at, NODE_LOW + 1] = low_h, low_l
    nodes[at, NODE_HIGH], nodes[at, NODE_HIGH + 1] = high_h, high_l
    floats[at, ABOUT] = about


@kernel
def flow(rows, patterns, level, base):  # type: ignore[no-untyped-def]
    """How probable it is to choose among the exits of each node, if all goes as guessed."""
    heads, _, _, _, floats = rows[:5]
    start, kind, first, to, weight = patterns[:5]
    begin = start[heads[level, PATTERN]]
    count = start[heads[level, PATTERN] + 1] - begin
    for j in range(count):
        floats[base + j, FLOW] = 0.0
    floats[base + count - 1, FLOW] = 1.0
    for j in range(count - 1, -1, -1):
        node, share = begin + j, floats[base + j, FLOW]
        if share == 0.0:
            continue
        if kind[node] < 0:
            total = 0
            for e in range(first[node], first[node + 1]):
                total += weight[e]
            for e in range(first[node], first[node + 1]):
                floats[base + to[e], FLOW] += share * weight[e] / total
            continue
        best, most = -1, floats[base + j, UNIT_ABOUT] if floats[base + j, HAS] else -math.inf
        for e in range(first[node], first[node + 1]):
            if floats[base + to[e], ABOUT] > most:
                best, most = to[e], floats[base + to[e], ABOUT]
        if best >= 0:
            floats[base + best, FLOW] += share
            floats[base + j, FLOW] = 0.0


@inlined
def open_unit(nodes, floats, at):  # type: ignore[no-untyped-def]
    """Whether a node has exits, and it is not known what they are worth."""
    return floats[at, HAS] != 0.0 and (
        nodes[at, UNIT_LOW] != nodes[at, UNIT_HIGH]
        or nodes[at, UNIT_LOW + 1] != nodes[at, UNIT_HIGH + 1]
    )
