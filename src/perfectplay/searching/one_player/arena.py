"""Best-first search (A*, Hart, Nilsson and Raphael 1968): of all positions that were found, expand
one on the shortest line there can be. All positions are kept, with their exact keys.

Nodes have numbers; a queue holds (node, cost) in buckets by the least cost of a line through it. A
node that is found again at less cost is queued again; its older entry is passed over."""

from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Int32s, Ints
from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.searching.one_player.estimate import (
    DEAD,
    Databases,
    database_bound,
    estimate,
    widest,
)
from perfectplay.searching.one_player.stubs import hash_of, in_place, number_of, same_key, settle

FINISHED, FOUND, PAUSED, ROOM, NEGATIVE, LARGE = range(6)
"""How a call ended: the queue is empty; a line was found; enough nodes; the arrays are too short;
something costs less than nothing; a cost is too large for the buckets."""
COUNT, ENTRIES, BUCKET, NODES, LAST, COST = range(6)
"""Numbers in `control`: nodes kept, entries made, the bucket that is worked on, nodes visited so
far, the last node of the line, and what the line costs."""
CONTROL = 6


MIX = 0x2127599BF4325C37
"""An odd number whose multiples look random."""


class Arena(NamedTuple):
    """All nodes, and the queue."""

    keys: Ints
    """int64[n, width]: their positions."""
    parent: Int32s
    """int32[n]: the node before, -1 for none."""
    cost: Int32s
    """int32[n]: the least cost found to the node."""
    slots: Int32s
    """int32[m]: a hash table of nodes, -1 for none; m is a power of two."""
    entries: Int32s
    """int32[e, 3]: node, its cost when it was queued, the next entry of the bucket."""
    heads: Int32s
    """int32[b]: the first entry of each bucket, -1 for none."""


def take_up(
    rules: Any, arena: Arena, databases: Any, control: Ints, q: Any, node: int, cost: int
) -> int:
    """Keep position `q`, found after `node` at this cost, unless it was found at less; a code.
    Nothing is changed where there is no room."""
    mask, bucket = len(arena.slots) - 1, control[BUCKET]
    slot = hash_of(q) & mask
    at = arena.slots[slot]
    while at >= 0 and not same_key(arena.keys, at, q):
        slot = (slot + 1) & mask
        at = arena.slots[slot]
    if at >= 0 and arena.cost[at] <= cost:
        return FINISHED
    least = max(cost + widest(rules, q, databases, DEAD), bucket)
    if least >= DEAD:
        return FINISHED
    if least >= len(arena.heads):
        return LARGE
    count, made = control[COUNT], control[ENTRIES]
    if count == len(arena.keys) or made == len(arena.entries):
        return ROOM
    if at < 0:
        at = count
        control[COUNT] += 1
        save_key(arena.keys, at, q)
        arena.slots[slot] = at
    arena.parent[at], arena.cost[at] = node, cost
    arena.entries[made, 0], arena.entries[made, 1] = at, cost
    queue(arena, made, least)
    control[ENTRIES] += 1
    return FINISHED


@kernel
def queue(arena: Arena, entry: int, bucket: int) -> None:
    """Put an entry in front of a bucket."""
    arena.entries[entry, 2] = arena.heads[bucket]
    arena.heads[bucket] = entry


def best_first(  # noqa: C901
    rules: Any, sample: Any, arena: Arena, given: Databases, control: Ints, quota: int
) -> int:
    """Go on for about `quota` nodes; how that ended."""
    code, until, databases = FINISHED, control[NODES] + quota, in_place(rules, given)
    while code == FINISHED:
        bucket = control[BUCKET]
        while bucket < len(arena.heads) and arena.heads[bucket] < 0:
            bucket += 1
        control[BUCKET] = bucket
        if bucket == len(arena.heads):
            break
        if control[NODES] >= until:
            return PAUSED
        entry = arena.heads[bucket]
        node, g = arena.entries[entry, 0], arena.entries[entry, 1]
        arena.heads[bucket] = arena.entries[entry, 2]
        if g > arena.cost[node]:
            continue
        p = load_key(arena.keys, node, sample)
        ended, to = True, bucket
        if rules.to_move(p) != OVER:
            for m in rules.moves(p):
                ended = False
                step = rules.reward(p, m)
                q, more = settle(rules, rules.play(p, m))
                if step < 0 or more < 0:
                    code = NEGATIVE
                    break
                control[NODES] += 1
                q = rules.representative(q)
                code = take_up(rules, arena, databases, control, q, node, g + step + more)
                if code != FINISHED:
                    break
        if ended:
            last = g + number_of(rules.payoff(p))
            control[LAST], control[COST] = node, last
            if last <= bucket:
                code = FOUND if last >= g else NEGATIVE
            elif last >= len(arena.heads):
                code = LARGE
            else:
                to = last
        if code != FINISHED or to != bucket:
            queue(arena, entry, to)
    return code


@kernel
def rehash(slots: Int32s, keys: Ints, count: int) -> None:
    """Enter the first `count` nodes into an empty hash table."""
    mask = len(slots) - 1
    for i in range(count):
        slot = row_hash(keys, i) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = i


@kernel
def row_hash(keys: Ints, i: int) -> Any:
    """The hash of row `i`: what `hash_of` makes of its position."""
    mixed = np.int64(0)
    for k in range(keys.shape[1]):
        mixed = (mixed ^ keys[i, k]) * MIX
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    return mixed


FUNCTIONS = (database_bound, estimate, widest, take_up, best_first)
