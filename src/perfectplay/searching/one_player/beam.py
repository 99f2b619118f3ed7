"""Beam search for any line: layer by layer, and of each layer only so many positions of the least
guesses. It may find a line, and refutes only if nothing was given up."""

from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.intrinsics import load_key
from perfectplay.searching.one_player.any_line import (
    BUCKETS,
    COUNT,
    DROPPED,
    KEPT,
    LAYER,
    NODES,
    WIDTH,
    GreedyArrays,
    expand_one,
    keep_new,
)
from perfectplay.searching.one_player.arena import FINISHED, PAUSED, ROOM
from perfectplay.searching.one_player.stubs import settle


def next_layer(scratch: GreedyArrays, control: Ints) -> bool:
    """Take the best positions that wait as the next layer; False if there is none."""
    taken, last = 0, -1
    for bucket in range(BUCKETS - 1):
        while scratch.heads[bucket] >= 0 and taken < control[WIDTH]:
            node = scratch.heads[bucket]
            scratch.heads[bucket] = scratch.rows[node, 2]
            scratch.rows[node, 2] = -1
            if last < 0:
                control[LAYER] = node
            else:
                scratch.rows[last, 2] = node
            last = node
            taken += 1
        if scratch.heads[bucket] >= 0:
            control[DROPPED] = 1
            scratch.heads[bucket] = -1
    return taken > 0


def beam(rules: Any, sample: Any, scratch: GreedyArrays, control: Ints, quota: int) -> int:
    """Go on for about `quota` nodes from the position in row 0; how that ended: ROOM also where
    positions were given up."""
    code, until = FINISHED, control[NODES] + quota
    if control[COUNT] == 0:
        p, cost = settle(rules, load_key(scratch.keys, 0, sample))
        control[LAYER] = -1
        code = keep_new(rules, scratch, control, rules.representative(p), -1, cost)
    while code == FINISHED:
        node = control[LAYER]
        if node >= 0:
            if control[NODES] >= until:
                return PAUSED
            control[LAYER] = scratch.rows[node, 2]
            code = expand_one(rules, sample, scratch, control, node)
        elif not next_layer(scratch, control):
            return ROOM if control[DROPPED] else FINISHED
    return code


FUNCTIONS = (*KEPT, next_layer, beam)
