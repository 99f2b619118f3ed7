"""Patterns: the positions inside turns as flat arrays, children first, equal ones merged.

Positions without exits that have the same steps to the same positions are one node; a position
with a single step, which earns nothing, is the node it leads to; weights of events that lead to
one node are added up. None of this changes a value, and few of the positions walked through are
left."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander, some
from perfectplay.rules.game import CHANCE, OVER


@dataclass(frozen=True)
class Patterns:
    """The insides of turns (positions/turns/walk.py). Nodes of a pattern are numbered from 0,
    children first; the last one is where its turn begins."""

    start: Array
    """int64[p + 1]: the nodes of pattern i are start[i] … start[i + 1] - 1."""
    kind: Array
    """int8[n]: the player to move, CHANCE, or OVER; an OVER node has one exit: the end."""
    first: Array
    """int64[n + 1]: steps that stay inside."""
    to: Array
    """int32[e]: the node of the same pattern that a step leads to."""
    weight: Array
    """int64[e]"""
    reward: Array
    """int64[e, players], or in stored units int64[e] (scalar)."""
    rank: Array
    """int32[e]: the place of a step among all steps of its node, exits included."""

    def __len__(self) -> int:
        return len(self.start) - 1


class PatternExits(NamedTuple):
    """The positions of all known patterns at which a turn may end."""

    start: Ints
    """int64[p + 1]: those of pattern i are start[i] … start[i + 1] - 1."""
    node: Int32s
    """int32[x]: their nodes."""
    inner: Int32s
    """int32[x]: how many of their steps stay inside."""
    positions: Any
    """int64[x, width] keys, or a list."""


@dataclass(frozen=True)
class Turns:
    """The turns of the rows of a graph, whose edges are their exits."""

    patterns: Patterns
    pattern: Array
    """int32[n]: the pattern of each row's turn; -1 for rows at which play is over."""
    node: Array
    """int[e]: the node from which an exit leaves; ascending in each row."""
    rank: Array
    """int[e] or int[1]: its place among all steps of the node."""


@dataclass
class TurnPositions:
    """All positions of some turns, in the order of discovery; the roots come first."""

    tags: Array
    """int64[n]: to which turn a position belongs."""
    positions: Any
    kind: Array
    leaf: Array
    """bool[n]: an anchor, at which a turn ends."""
    first: Array
    child: Array
    """int64[e]; leaves have no edges, and an edge to a root ends its turn, too."""
    weight: Array
    reward: Array


def arranged(walked: TurnPositions, turns: int, rules: Expander) -> tuple[Patterns, PatternExits]:
    """The patterns of turns that were walked through, and where these may end."""
    n = len(walked.kind)
    row = np.repeat(np.arange(n), np.diff(walked.first))
    ends = walked.leaf[walked.child] | (walked.child < turns)
    rank = np.arange(len(row)) - walked.first[row]
    exits = np.zeros(n, np.bool_)
    exits[row[ends]] = True
    exits |= (walked.kind == OVER) & ~walked.leaf
    inner = np.bincount(row[~ends], minlength=n).astype(np.int32)
    to = np.where(ends, -1, walked.child)
    height, cyclic = _heights(walked.first, to, walked.leaf)
    if cyclic >= 0:
        text = rules.game.text(rules.position(walked.positions[cyclic]))
        raise RulesError(
            f"{type(rules.game).__name__}: play comes back to {text} within a turn",
            "every cycle must pass an anchor: let anchor(p) hold somewhere on it",
        )
    order = np.lexsort((np.arange(n), height, walked.tags))
    order = order[~walked.leaf[order]]
    edges = to, walked.weight, walked.reward, rank.astype(np.int32)
    node, first, (to, weight, reward, rank) = _merged(
        order, walked.kind, exits, walked.first, edges
    )
    tags = walked.tags[node]
    start = _starts(tags, turns)
    to = (to - np.repeat(start[tags], np.diff(first))).astype(np.int32)
    leaving = np.flatnonzero(exits[node])
    local = (leaving - start[tags[leaving]]).astype(np.int32)
    rows = node[leaving]
    return (
        Patterns(start, walked.kind[node], first, to, weight, reward, rank),
        PatternExits(
            _starts(tags[leaving], turns), local, inner[rows], some(walked.positions, rows)
        ),
    )


def _starts(tags: Array, turns: int) -> Ints:
    """int64[turns + 1]: where the rows of each turn begin, whose rows lie together."""
    start = np.zeros(turns + 1, np.int64)
    np.cumsum(np.bincount(tags, minlength=turns), out=start[1:])
    return start


def heights(walked: TurnPositions) -> Array:
    """How many steps each position is from the end of its turn at most."""
    ends = walked.leaf[walked.child] | (walked.child <= walked.tags.max())
    found: Array = _heights(walked.first, np.where(ends, -1, walked.child), walked.leaf)[0]
    return found


@kernel
def _heights(first: Ints, to: Ints, leaf: Bools) -> tuple[Int32s, int]:  # noqa: C901
    """(steps from each position to the end of its turn at most, a position on a cycle or -1)."""
    n = len(leaf)
    open_parents = np.zeros(n, np.int32)
    for e in range(len(to)):
        if to[e] >= 0:
            open_parents[to[e]] += 1
    order = np.empty(n, np.int64)
    found = 0
    for i in range(n):
        if open_parents[i] == 0:
            order[found] = i
            found += 1
    done = 0
    while done < found:
        i = order[done]
        done += 1
        for e in range(first[i], first[i + 1]):
            if to[e] >= 0:
                open_parents[to[e]] -= 1
                if open_parents[to[e]] == 0:
                    order[found] = to[e]
                    found += 1
    height = np.zeros(n, np.int32)
    if found < n:
        for i in range(n):
            if open_parents[i] > 0:
                return height, i
    for k in range(n - 1, -1, -1):
        i = order[k]
        for e in range(first[i], first[i + 1]):
            if to[e] >= 0:
                height[i] = max(height[i], height[to[e]] + 1)
    return height, -1


PatternSteps = tuple[Ints, Ints, Ints, Int32s]
"""(to, weight, reward, rank) of all steps."""


@kernel
def _alike(one: int, two: int, count: int, kind: int, steps: PatternSteps) -> bool:
    """Whether two runs of steps are the same."""
    to, weight, reward, _ = steps
    for k in range(count):
        if to[one + k] != to[two + k] or (kind < 0 and weight[one + k] != weight[two + k]):
            return False
        for c in range(reward.shape[1]):
            if reward[one + k, c] != reward[two + k, c]:
                return False
    return True


@kernel
def _mixed(begin: int, end: int, kind: int, steps: PatternSteps) -> Any:
    """A hash of a run of steps."""
    to, weight, _, _ = steps
    mixed = np.uint64(kind + 7)
    for f in range(begin, end):
        mixed = (mixed ^ np.uint64(to[f])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= (mixed >> np.uint64(29)) ^ np.uint64(weight[f])
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(20)


@kernel
def _known(begin: int, end: int, to: int, earned: Ints, steps: PatternSteps) -> int:
    """Which step of a run leads to `to` and earns as much; -1 if none."""
    for f in range(begin, end):
        equal = steps[0][f] == to
        for c in range(len(earned)):
            equal &= earned[c] == steps[2][f, c]
        if equal:
            return f
    return -1


@kernel
def _steps_of(
    i: int,
    begin: int,
    kind: Kinds,
    first: Ints,
    given: PatternSteps,
    place: Ints,
    out: PatternSteps,
) -> tuple[int, bool]:
    """Write the steps of position i from `begin` on, to nodes, those to one node as one: (their
    end, whether one earns something)."""
    to, weight, reward, rank = given
    t, w, r, k = out
    end = begin
    earns = False
    for e in range(first[i], first[i + 1]):
        if to[e] < 0:
            continue
        q = place[to[e]]
        same = _known(begin, end, q, reward[e], out)
        if same >= 0:
            if kind[i] == CHANCE:
                w[same] += weight[e]
            continue
        f = end
        if kind[i] == CHANCE:  # by target, so that equal positions look equal
            while f > begin and t[f - 1] > q:
                t[f], w[f], k[f] = t[f - 1], w[f - 1], k[f - 1]
                f -= 1
        t[f], w[f], k[f] = q, weight[e], rank[e]
        for c in range(reward.shape[1]):
            r[f, c] = reward[e, c]
            earns |= reward[e, c] != 0
        end += 1
    return end, earns


@kernel
def _merged(
    order: Ints, kind: Kinds, exits: Bools, first: Ints, given: PatternSteps
) -> tuple[Ints, Ints, PatternSteps]:
    """(node, first, steps): the positions that are left, as rows of what was walked through, and
    their steps. `order` has children first; place[i] is the node that position i became."""
    n, size = len(order), len(given[0])
    slots = 1024
    while slots < 2 * n:
        slots *= 2
    table = np.full(slots, -1, np.int64)
    place = np.full(len(kind), -1, np.int64)
    node = np.empty(n, np.int64)
    starts = np.zeros(n + 1, np.int64)
    out = (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.zeros((size, given[2].shape[1]), np.int64),
        np.empty(size, np.int32),
    )
    count = 0
    for i in order:
        begin = starts[count]
        end, earns = _steps_of(i, begin, kind, first, given, place, out)
        if not exits[i]:
            if end - begin == 1 and not earns:
                place[i] = out[0][begin]
                continue
            at = np.int64(_mixed(begin, end, kind[i], out) & np.uint64(slots - 1))
            while table[at] >= 0:
                g = starts[table[at]]
                equal = kind[node[table[at]]] == kind[i]
                equal &= starts[table[at] + 1] - g == end - begin
                if equal and _alike(g, begin, end - begin, kind[i], out):
                    break
                at = (at + 1) & (slots - 1)
            if table[at] >= 0:
                place[i] = table[at]
                continue
            table[at] = count
        place[i] = count
        node[count] = i
        count += 1
        starts[count] = end
    total = starts[count]
    t, w, r, k = out
    return node[:count], starts[: count + 1], (t[:total], w[:total], r[:total], k[:total])
