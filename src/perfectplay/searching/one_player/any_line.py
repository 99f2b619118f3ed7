"""Any line that ends play, fast, or a proof that there is none: greedy best-first search with
exact keys, all of it in arrays that serve one search after the other.

Of all positions that were found, one of the least guess is expanded. Only an emptied queue says
that play cannot be ended: where there is no room for another position, nothing is said."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Int32s, Ints
from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.searching.one_player.arena import FINISHED, FOUND, MIX, PAUSED, ROOM
from perfectplay.searching.one_player.estimate import DEAD
from perfectplay.searching.one_player.stubs import (
    guess_by,
    hash_of,
    least_cost,
    number_of,
    same_key,
    settle,
)

COUNT, BUCKET, NODES, LAST, COST, MOST, KIND, SEED, WEIGHT, WIDTH, LAYER, DROPPED = range(12)
"""Numbers in `control`: positions kept, the bucket worked on, nodes visited, the last position of
the line and what the line costs; how many positions may be kept, which guess serves, and what
number changes it at random (0: none); how often a guess is added to the cost so far (0: the guess
alone counts). For beams (beam.py): how wide, the next position of the layer, -1 for none, and
whether positions were given up."""
CONTROL = 12
BUCKETS = 1 << 10
SPREAD = 15
"""The largest number that chance adds to a guess."""


class GreedyArrays(NamedTuple):
    """Positions, and the queue of those to be expanded."""

    keys: Ints
    """int64[n, width]: positions."""
    rows: Int32s
    """int32[n, 4]: the position before, the cost so far, the next one of the bucket, and the place
    in the hash table."""
    slots: Int32s
    """int32[m]: a hash table of positions, -1 for none; m is a power of two."""
    heads: Int32s
    """int32[BUCKETS]: the first position of each bucket, -1 for none."""


def keep_new(
    rules: Any, scratch: GreedyArrays, control: Ints, q: Any, before: int, cost: int
) -> int:
    """Keep a position that is new, and queue it; a code."""
    mask, count = len(scratch.slots) - 1, control[COUNT]
    slot = hash_of(q) & mask
    at = scratch.slots[slot]
    while at >= 0:
        if same_key(scratch.keys, at, q):
            return FINISHED
        slot = (slot + 1) & mask
        at = scratch.slots[slot]
    if count == control[MOST]:
        return ROOM
    save_key(scratch.keys, count, q)
    scratch.slots[slot] = count
    scratch.rows[count, 0], scratch.rows[count, 1], scratch.rows[count, 3] = before, cost, slot
    control[COUNT] += 1
    if rules.to_move(q) == OVER:
        control[LAST], control[COST] = count, cost + number_of(rules.payoff(q))
        return FOUND
    bucket = guess_by(rules, q, control[KIND])
    if control[SEED]:
        bucket += ((hash_of(q) ^ control[SEED]) * MIX >> 40) & SPREAD
    if control[WEIGHT]:
        bucket = min(cost, BUCKETS) + control[WEIGHT] * bucket
    bucket = BUCKETS - 1 if least_cost(rules, q) >= DEAD else max(0, min(bucket, BUCKETS - 2))
    if bucket < BUCKETS - 1:  # who is there cannot come to an end
        scratch.rows[count, 2] = scratch.heads[bucket]
        scratch.heads[bucket] = count
        control[BUCKET] = min(control[BUCKET], bucket)
    return FINISHED


def expand_one(rules: Any, sample: Any, scratch: GreedyArrays, control: Ints, node: int) -> int:
    """Keep what a position leads to; a code."""
    p, ended = load_key(scratch.keys, node, sample), True
    for m in rules.moves(p):
        ended = False
        control[NODES] += 1
        q, more = settle(rules, rules.play(p, m))
        cost = scratch.rows[node, 1] + rules.reward(p, m) + more
        code = keep_new(rules, scratch, control, rules.representative(q), node, cost)
        if code != FINISHED:
            return code
    if ended:
        control[LAST] = node
        control[COST] = scratch.rows[node, 1] + number_of(rules.payoff(p))
        return FOUND
    return FINISHED


def any_line(rules: Any, sample: Any, scratch: GreedyArrays, control: Ints, quota: int) -> int:
    """Go on for about `quota` nodes from the position in row 0; how that ended."""
    code, until = FINISHED, control[NODES] + quota
    if control[COUNT] == 0:
        p, cost = settle(rules, load_key(scratch.keys, 0, sample))
        control[BUCKET] = BUCKETS - 1
        code = keep_new(rules, scratch, control, rules.representative(p), -1, cost)
    while code == FINISHED:
        bucket = control[BUCKET]
        while bucket < BUCKETS and scratch.heads[bucket] < 0:
            bucket += 1
        control[BUCKET] = bucket
        if bucket == BUCKETS:
            break
        if control[NODES] >= until:
            return PAUSED
        node = scratch.heads[bucket]
        scratch.heads[bucket] = scratch.rows[node, 2]
        code = expand_one(rules, sample, scratch, control, node)
    return code


@kernel
def clear(scratch: GreedyArrays, count: int) -> None:
    """Empty the hash table and the queue of a search that kept so many positions."""
    for i in range(count):
        scratch.slots[scratch.rows[i, 3]] = -1
    for bucket in range(len(scratch.heads)):
        scratch.heads[bucket] = -1


KEPT = (keep_new, expand_one)
FUNCTIONS = (*KEPT, any_line)
