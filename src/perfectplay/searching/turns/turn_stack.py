"""Rows of a search by turns: what it knows of the anchors on its path, of their turns and exits.

A search is a stack of levels. A level is an anchor with its whole turn: the *nodes* are the
positions inside the turn, children first and the anchor last; the *exits* are the moves that end
it, each leading to the anchor of a next level.

    level 0:  anchor -- chance -- node -- exit --> level 1:  anchor -- chance -- …
                              \\-- node -- exit

All bounds of a level are what things are worth to the player who moves in that turn. The exits of
one node form a *choice*: that player takes the best of them, unless a later node is better.

The transposition table holds anchors with bounds and a heuristic value. An entry is a row of
int64: its lock, what it took, a guess, the lower and the upper bound, two words each
(fixed_point.py), and the words of its anchor. An anchor can stand in any of four neighbouring
entries; if all are taken, the one that took least goes.

The functions here see rows only, never rules."""

import math
from typing import NamedTuple

from perfectplay.compiled.arrays import Floats, Int32s, Ints, Kinds
from perfectplay.compiled.intrinsics import prefetch, try_lock, unlock
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.searching.fractions64 import Pair
from perfectplay.searching.search_stack import pair_at, put_pair, slot_of
from perfectplay.searching.turns.fixed_point import as_float, less, over, over_up, plus, times


class Rows(NamedTuple):
    """The levels of one thread; each has room for the same number of exits, and of nodes."""

    levels: Ints
    exits: Ints
    guesses: Floats
    """Of exits, to the player who moves in that turn."""
    nodes: Ints
    estimates: Floats
    """Of nodes: bounds and guesses as floats."""
    anchors: Ints
    """The words of the anchors of levels."""
    children: Ints
    """The words of the anchors that exits lead to."""


class PatternGraph(NamedTuple):
    """The inside of all turn patterns. Pattern i has the nodes start[i] … start[i + 1] - 1, node j
    the edges first[j] … first[j + 1] - 1, which lead to nodes of the same pattern."""

    start: Ints
    kind: Kinds
    first: Ints
    to: Int32s
    """Counted from the first node of the pattern."""
    weight: Ints


Edges = tuple[Ints, Int32s, Ints]
"""`first`, `to` and `weight` of a graph. Loops use arrays, not fields of records: Numba counts a
reference each time a field is read."""

# -- Columns of levels. ---------------------------------------------------------------------------

EXPANDED = 0
"""1: the exits of the turn are there."""
EXACT, ASKED = 1, 2
"""The question. EXACT 1: what is the value? 0: is it at least the number in ASKED (two words)?"""
SIDE, PATTERN, EXITS = 4, 5, 6
"""1, or -1 if player 1 moves; the number of the turn's pattern; how many exits it has."""
LOW, HIGH = 7, 9
"""Bounds of the anchor."""
BEGUN, ROUNDS, CHILD = 11, 12, 13
"""Nodes before it was searched; how often an exit was chosen; the exit that is searched."""
LEVEL_COLUMNS = 14

# -- Columns of exits. ----------------------------------------------------------------------------

EXIT_LOW, EXIT_HIGH, SIGN, NODE = 0, 2, 4, 5
"""Bounds; -1 if what is good for player 0 there is bad for the player who moves here; the node
that the exit leaves."""
EXIT_COLUMNS = 6

# -- Columns of nodes, and of estimates. ----------------------------------------------------------

CHOICE_LOW, CHOICE_HIGH, NODE_LOW, NODE_HIGH = 0, 2, 4, 6
"""Bounds of a node's choice, and of the node."""
NODE_COLUMNS = 8
HAS_EXITS, CHOICE_F_LOW, CHOICE_F_HIGH, CHOICE_GUESS = 0, 1, 2, 3
NODE_F_LOW, NODE_F_HIGH, NODE_GUESS = 4, 5, 6
"""Bounds and guesses of a node's choice and of the node, as floats."""
REACH = 7
"""How probable it is to make a node's choice, if all goes as guessed."""
ESTIMATE_COLUMNS = 8

# -- Columns of the transposition table. ----------------------------------------------------------

LOCK, WORK, STORED_GUESS, STORED_LOW, STORED_HIGH = 0, 1, 2, 3, 5
"""Bounds take two columns each. An entry whose WORK is 0 is empty."""
ENTRY = 7
"""Where the words of an anchor begin."""
WAYS = 4
"""Entries that can hold an anchor; the number of slots is a multiple of it."""
STORED_FINE = 2.0**40
"""Guesses are stored as integers: so many are 1."""


@kernel
def join_exits(rows: Rows, level: int, base: int, node: int, unit: float) -> None:
    """Set the bounds and the guess of a choice, that of node `base + node`: the best of its
    exits."""
    levels, exits, guesses, nodes, estimates, _, _ = rows
    at, begin = base + node, level * (len(guesses) // len(levels))
    low, high, best, first = (0, 0), (0, 0), 0.0, True
    for x in range(begin, begin + levels[level, EXITS]):
        if exits[x, NODE] != node:
            continue
        if first or less(low, pair_at(exits, x, EXIT_LOW)):
            low = pair_at(exits, x, EXIT_LOW)
        if first or less(high, pair_at(exits, x, EXIT_HIGH)):
            high = pair_at(exits, x, EXIT_HIGH)
        best = guesses[x] if first else max(best, guesses[x])
        first = False
    put_pair(nodes, at, CHOICE_LOW, low)
    put_pair(nodes, at, CHOICE_HIGH, high)
    estimates[at, HAS_EXITS] = 0.0 if first else 1.0
    estimates[at, CHOICE_F_LOW] = as_float(low, unit)
    estimates[at, CHOICE_F_HIGH] = as_float(high, unit)
    estimates[at, CHOICE_GUESS] = best


@kernel
def evaluate_nodes(rows: Rows, graph: PatternGraph, level: int, base: int, unit: float) -> None:
    """Set the bounds and guesses of all nodes of a level, children first, and narrow the bounds of
    the anchor to those of the last one."""
    levels, nodes, estimates, kind = rows.levels, rows.nodes, rows.estimates, graph.kind
    edges = graph.first, graph.to, graph.weight
    begin = graph.start[levels[level, PATTERN]]
    count = graph.start[levels[level, PATTERN] + 1] - begin
    for j in range(count):
        at = base + j
        if kind[begin + j] < 0:
            _average(nodes, estimates, edges, begin + j, base, at)
        else:
            _best(nodes, estimates, edges, begin + j, base, at)
        estimates[at, NODE_F_LOW] = as_float(pair_at(nodes, at, NODE_LOW), unit)
        estimates[at, NODE_F_HIGH] = as_float(pair_at(nodes, at, NODE_HIGH), unit)
    last = base + count - 1
    if less(pair_at(levels, level, LOW), pair_at(nodes, last, NODE_LOW)):
        put_pair(levels, level, LOW, pair_at(nodes, last, NODE_LOW))
    if less(pair_at(nodes, last, NODE_HIGH), pair_at(levels, level, HIGH)):
        put_pair(levels, level, HIGH, pair_at(nodes, last, NODE_HIGH))


@inlined
def _average(nodes: Ints, estimates: Floats, edges: Edges, node: int, base: int, at: int) -> None:
    """A node of chance."""
    first, to, weight = edges
    low, high, guess, total = (0, 0), (0, 0), 0.0, 0
    for e in range(first[node], first[node + 1]):
        k, w = base + to[e], weight[e]
        low = plus(low, times(pair_at(nodes, k, NODE_LOW), w))
        high = plus(high, times(pair_at(nodes, k, NODE_HIGH), w))
        guess += w * estimates[k, NODE_GUESS]
        total += w
    put_pair(nodes, at, NODE_LOW, over(low, total))
    put_pair(nodes, at, NODE_HIGH, over_up(high, total))
    estimates[at, NODE_GUESS] = guess / total


@inlined
def _best(nodes: Ints, estimates: Floats, edges: Edges, node: int, base: int, at: int) -> None:
    """A node of the player who moves: the best of its exits, and of the nodes that it leads to."""
    first, to, _ = edges
    none = estimates[at, HAS_EXITS] == 0.0
    low, high = pair_at(nodes, at, CHOICE_LOW), pair_at(nodes, at, CHOICE_HIGH)
    guess = estimates[at, CHOICE_GUESS]
    for e in range(first[node], first[node + 1]):
        k = base + to[e]
        if none or less(low, pair_at(nodes, k, NODE_LOW)):
            low = pair_at(nodes, k, NODE_LOW)
        if none or less(high, pair_at(nodes, k, NODE_HIGH)):
            high = pair_at(nodes, k, NODE_HIGH)
        guess = estimates[k, NODE_GUESS] if none else max(guess, estimates[k, NODE_GUESS])
        none = False
    put_pair(nodes, at, NODE_LOW, low)
    put_pair(nodes, at, NODE_HIGH, high)
    estimates[at, NODE_GUESS] = guess


@kernel
def reach_nodes(rows: Rows, graph: PatternGraph, level: int, base: int) -> None:
    """Set REACH of all nodes of a level, anchor first: chance shares it out by weights; the player
    who moves passes it on to the best node, or keeps it for the choice if that is better."""
    estimates, kind = rows.estimates, graph.kind
    first, to, weight = graph.first, graph.to, graph.weight
    begin = graph.start[rows.levels[level, PATTERN]]
    count = graph.start[rows.levels[level, PATTERN] + 1] - begin
    for j in range(count):
        estimates[base + j, REACH] = 0.0
    estimates[base + count - 1, REACH] = 1.0
    for j in range(count - 1, -1, -1):
        node, share = begin + j, estimates[base + j, REACH]
        if share == 0.0:
            continue
        if kind[node] < 0:
            total = 0
            for e in range(first[node], first[node + 1]):
                total += weight[e]
            for e in range(first[node], first[node + 1]):
                estimates[base + to[e], REACH] += share * weight[e] / total
            continue
        best, most = -1, -math.inf
        if estimates[base + j, HAS_EXITS]:
            most = estimates[base + j, CHOICE_GUESS]
        for e in range(first[node], first[node + 1]):
            if estimates[base + to[e], NODE_GUESS] > most:
                best, most = to[e], estimates[base + to[e], NODE_GUESS]
        if best >= 0:
            estimates[base + best, REACH] += share
            estimates[base + j, REACH] = 0.0


@inlined
def open_choice(nodes: Ints, estimates: Floats, at: int) -> bool:
    """Whether a node has a choice whose value is not known."""
    return estimates[at, HAS_EXITS] != 0.0 and (
        pair_at(nodes, at, CHOICE_LOW) != pair_at(nodes, at, CHOICE_HIGH)
    )


# -- The transposition table. ---------------------------------------------------------------------


@inlined
def place(table: Ints, keys: Ints, row: int) -> int:
    """The first slot of the anchor in a row of keys; its memory is prefetched."""
    slot = slot_of(keys, row, 0, len(table) // WAYS) * WAYS
    prefetch(table, slot)
    return slot


@inlined
def _same(table: Ints, slot: int, keys: Ints, row: int) -> bool:
    if table[slot, WORK] == 0:
        return False
    same = True
    for k in range(keys.shape[1]):
        same = same and table[slot, ENTRY + k] == keys[row, k]
    return same


@inlined
def find(table: Ints, slot: int, keys: Ints, row: int) -> int:
    """Lock the entry of an anchor, whose first slot is given, and return its slot; -1 if there is
    none, or another thread has it."""
    for at in range(slot, slot + WAYS):
        if table[at, WORK] == 0:
            return -1
        if try_lock(table, at):
            if _same(table, at, keys, row):
                return at
            unlock(table, at)
    return -1


@kernel
def keep(
    table: Ints, keys: Ints, row: int, low: Pair, high: Pair, guess: float, work: int
) -> None:
    """Put the anchor in a row of keys into the table."""
    slot = slot_of(keys, row, 0, len(table) // WAYS) * WAYS
    at, least = -1, 0
    for each in range(slot, slot + WAYS):
        if table[each, WORK] == 0 or _same(table, each, keys, row):
            at = each
            break
        if at < 0 or table[each, WORK] < least:
            at, least = each, table[each, WORK]
    if not try_lock(table, at):
        return
    if _same(table, at, keys, row):
        work += table[at, WORK]
        if less(low, pair_at(table, at, STORED_LOW)):
            low = pair_at(table, at, STORED_LOW)
        if less(pair_at(table, at, STORED_HIGH), high):
            high = pair_at(table, at, STORED_HIGH)
    elif table[at, WORK] > 0:
        for each in range(slot, slot + WAYS):  # entries that are not asked for grow old
            table[each, WORK] -= table[each, WORK] >> 1
    table[at, WORK], table[at, STORED_GUESS] = max(work, 1), int(guess * STORED_FINE)
    put_pair(table, at, STORED_LOW, low)
    put_pair(table, at, STORED_HIGH, high)
    for k in range(keys.shape[1]):
        table[at, ENTRY + k] = keys[row, k]
    unlock(table, at)
