"""The functions of shapes that are compiled for each class of rules, as in expand_kernel.py."""

from __future__ import annotations

from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.positions.expand_kernel import STRATA, TURNS
from perfectplay.positions.labels import BITS

CHANCES, FULL = 1, 2
"""Codes: chance ends a turn; there is no room for all exits."""
SOME = 37
"""One key of so many is compared with its shape."""


def unlabelled_exits(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913, PLR0917
    rules, sample, keys, flags, exits, pattern, first, sides, piece, child, strata, swaps, orders,
    steps,
):  # fmt: skip
    """The exits of shapes: which piece moves, the shape that follows, its stratum, how players are
    renamed, and in which order the pieces of both players stand then. Returns (shapes done, a
    code). What a shape leads to stands in `steps`, after the shape itself: a rule that is called
    in two places is compiled twice."""
    starts, _, _, positions = exits
    k = 0
    for i in range(len(keys)):
        p = load_key(keys, i, sample)
        save_key(steps, 0, p)
        begin, count, j = k, 1, 0
        while j < count:
            q = load_key(steps, j, sample)
            shape, mine, other = rules.unlabel(q)
            if j == 0:
                for side in range(2):
                    names = other if side else mine
                    sides[i, side] = 0
                    while names > 0:
                        sides[i, side] += 1
                        names >>= BITS
                low, high = starts[max(pattern[i], 0)], starts[pattern[i] + 1]
                for x in range(low, high):
                    at = rules.carried(load_key(positions, x, sample), p)
                    if rules.to_move(at) < 0:
                        return i, CHANCES
                    name = rules.called(at)
                    for move in rules.moves(at):
                        c = rules.play(at, move)
                        if not rules.anchor(c):
                            continue
                        if count == len(steps) or k == len(piece):
                            return i, FULL
                        save_key(steps, count, c)
                        piece[k] = name - 1
                        count += 1
                        k += 1
            else:
                e = begin + j - 1
                save_key(child, e, shape)
                orders[e, 0], orders[e, 1] = mine, other
                if flags & STRATA:
                    strata[e] = rules.stratum(shape)
                if flags & TURNS:
                    swap = rules.turn(q) - rules.turn(shape)
                    swaps[e] = swap if swap >= 0 else swap + rules.players
            j += 1
        first[i + 1] = k
    return len(keys), 0


def row_keys(rules, sample, shapes, sides, counts, namings, number, out):  # type: ignore[no-untyped-def]
    """The keys of all positions of some shapes. Some of them are taken apart again: returns the
    first shape one of whose positions is said to have another shape, or no names, or -1."""
    r = 0
    for s in range(len(shapes)):
        b = load_key(shapes, s, sample)
        for i in range(counts[sides[s, 0]]):
            for k in range(counts[sides[s, 1]]):
                p = rules.representative(
                    rules.relabel(b, namings[sides[s, 0], i], namings[sides[s, 1], k])
                )
                save_key(out, r, p)
                if r % SOME == 0:
                    again, mine, other = rules.unlabel(p)
                    if again != b or number[mine] < 0 or number[other] < 0:
                        return s
                r += 1
    return -1
