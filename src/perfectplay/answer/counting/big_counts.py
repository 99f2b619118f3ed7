"""Counts of any size in arrays: an integer is a row of unsigned words, the lowest first.

Kernels say whether a count grew beyond its words; then the caller takes more of them."""

from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Bytes, Ids, Int32s, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER

DONE, GREW, ENDLESS = range(3)
"""How a kernel ended; GREW: a count has too few words; ENDLESS: there are lines without end."""


class Order(NamedTuple):
    """The components of a stratum in solving order, as in strata/components.py."""

    rows: Int32s
    start: Ints
    cyclic: Bools


@kernel
def add(to: Array, more: Array) -> bool:
    """Add a count to another; whether it grew beyond its words."""
    carry = np.uint64(0)
    for k in range(len(to)):
        with_carry = more[k] + carry
        carry = np.uint64(with_carry < carry)
        to[k] += with_carry
        carry += np.uint64(to[k] < with_carry)
    return bool(carry)


@kernel
def nonzero(count: Array) -> bool:
    """Whether a count is not 0."""
    for k in range(len(count)):  # noqa: SIM110 - compiled
        if count[k]:
            return True
    return False


@kernel
def mark_ends(first: Ints, child: Ids, kind: Kinds, low: int, order: Order, ends: Bools) -> None:
    """Mark rows of a stratum from which play can come to an end; components in solving order."""
    rows, start = order.rows, order.start
    for c in range(len(start) - 1):
        hit = False
        for i in range(start[c], start[c + 1]):
            row = rows[i]
            hit = hit or kind[row] == OVER
            for e in range(first[row], first[row + 1]):
                hit = hit or ends[child[e]]
        if hit:
            for i in range(start[c], start[c + 1]):
                ends[low + rows[i]] = True


@kernel
def add_along(
    first: Ints, child: Ids, swap: Bytes, low: int, rows: Int32s, cyclic: Bools, ends: Bools,
    ways: Array,
) -> int:  # fmt: skip
    """Add the ways to each row of a stratum to those of its children, in the given order; how that
    ended. ways[id, side]: by lines on which the players have changed places (side 1) or not."""
    sides = ways.shape[1]
    for row in rows:
        here = low + row
        if len(ends) > 1 and not ends[here]:
            continue
        for side in range(sides):
            if not nonzero(ways[here, side]):
                continue
            if len(cyclic) > 1 and cyclic[row]:
                return ENDLESS
            for e in range(first[row], first[row + 1]):
                turned = swap[e if len(swap) > 1 else 0] & 1
                if add(ways[child[e], (side + turned) % sides], ways[here, side]):
                    return GREW
    return DONE


@kernel
def best_by_score(
    first: Ints, child: Ids, swap: Bytes, reward: Ints, low: int, value: Ints, none: int
) -> Bools:
    """Which edges are worth what their row is."""
    found = np.zeros(len(child), np.bool_)
    for row in range(len(first) - 1):
        mine = value[low + row]
        if mine != none:
            for e in range(first[row], first[row + 1]):
                worth = value[child[e]]
                if worth != none:
                    worth = -worth if swap[e if len(swap) > 1 else 0] & 1 else worth
                    found[e] = mine == worth + reward[e if len(reward) > 1 else 0]
    return found


@kernel
def best_by_outcome(
    first: Ints, child: Ids, swap: Bytes, low: int, value: Any, depth: Any
) -> Bools:
    """Which edges keep the outcome of their row, and win as soon or lose as late as possible."""
    found = np.zeros(len(child), np.bool_)
    for row in range(len(first) - 1):
        mine, soon = value[low + row], depth[low + row]
        for e in range(first[row], first[row + 1]):
            worth = value[child[e]]
            worth = -worth if swap[e if len(swap) > 1 else 0] & 1 else worth
            found[e] = worth == mine and (mine == 0 or depth[child[e]] == soon - 1)
    return found


@kernel
def only(first: Ints, child: Ids, kept: Bools) -> tuple[Ints, Ids]:
    """The edges that are kept."""
    begin, many = np.zeros(len(first), np.int64), 0
    out = np.empty(kept.sum(), np.uint32)
    for row in range(len(first) - 1):
        for e in range(first[row], first[row + 1]):
            if kept[e]:
                out[many] = child[e]
                many += 1
        begin[row + 1] = many
    return begin, out


@kernel
def add_back(
    first: Ints, child: Ids, kind: Kinds, low: int, order: Order, lines: Array, endless: Bools
) -> int:
    """Count the lines from each row of a stratum to an end of play, components in solving order;
    how that ended. endless[id]: there are as many as you like."""
    rows, start, cyclic = order.rows, order.start, order.cyclic
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            here = low + rows[i]
            if kind[rows[i]] == OVER:
                lines[here, 0] = 1
            for e in range(first[rows[i]], first[rows[i] + 1]):
                to = child[e]
                endless[here] |= endless[to] or (cyclic[c] and nonzero(lines[to]))
                if not cyclic[c] and add(lines[here], lines[to]):
                    return GREW
        if cyclic[c]:
            hit = False
            for i in range(start[c], start[c + 1]):
                hit = hit or endless[low + rows[i]]
            for i in range(start[c], start[c + 1]):
                endless[low + rows[i]] = hit
    return DONE
