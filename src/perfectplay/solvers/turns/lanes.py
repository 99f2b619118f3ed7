"""Walks through the turns of scalar games, LANES rows of one pattern at a time.

All of them go through the nodes of a pattern, children first. `game` is (rows, turns, inside,
exits, links). Its rows are rows of the graph, sorted by pattern; `walked` are numbers of such
rows, in order. What exits are worth stands in `exits` = (begin, below, above, code): row r has the
exits begin[r] … begin[r + 1] - 1; an exit with code 0 leads out of the component and is worth
between `below` and `above`; others lead to target[r, k] with k = code - 1, and earn `below`.
"""

from __future__ import annotations

import numpy as np

from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import add_below

HALF = 4
LANES = 2 * HALF
"""Turns of one pattern that are walked through at once."""


@kernel
def lanes_of(walked, begun, pattern, rows):  # type: ignore[no-untyped-def]
    """How many rows from number `begun` on have one pattern, up to LANES."""
    shape = pattern[rows[walked[begun]]]
    count = 1
    while (
        count < LANES
        and begun + count < len(walked)
        and pattern[rows[walked[begun + count]]] == shape
    ):
        count += 1
    return count


@kernel
def most_nodes(walked, rows, pattern, start):  # type: ignore[no-untyped-def]
    """The most nodes of a turn."""
    most = 1
    for r in walked:
        most = max(most, start[pattern[rows[r]] + 1] - start[pattern[rows[r]]])
    return most


@kernel
def weighed(begin, end, to, weight, values, at, out):  # type: ignore[no-untyped-def]
    """Put the weighted sums of values of some steps into `out`, for HALF lanes; the weight of all.
    Numbers by themselves, not arrays: so that the compiler may use wide registers."""
    total, a, b, c, d = 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(begin, end):
        w = np.float64(weight[e])
        t = to[e]
        total += w
        a += w * values[t, at]
        b += w * values[t, at + 1]
        c += w * values[t, at + 2]
        d += w * values[t, at + 3]
    out[at], out[at + 1], out[at + 2], out[at + 3] = a, b, c, d
    return total


@kernel
def lowest(begin, end, to, high, rest, at, out):  # type: ignore[no-untyped-def]
    """Put the least of the values of some steps into `out`, for HALF lanes."""
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    for e in range(begin, end):
        t = to[e]
        w, x = high[t, at] + rest[t, at], high[t, at + 1] + rest[t, at + 1]
        y, z = high[t, at + 2] + rest[t, at + 2], high[t, at + 3] + rest[t, at + 3]
        a = w if w < a else a
        b = x if x < b else b
        c = y if y < c else c
        d = z if z < d else d
    out[at], out[at + 1], out[at + 2], out[at + 3] = a, b, c, d


@kernel
def stay(walked, game, stays):  # type: ignore[no-untyped-def]  # noqa: C901
    """Take out of `stays` the rows whose turns cannot be made to end at rows of it for certain,
    even if both players try; whether any was taken out."""
    rows, turns, inside, exits, links = game
    pattern, nodes, first, _ = turns
    start, kind, inner, to = inside[:4]
    begin, code = exits[0], exits[3]
    target = links[0]
    held = np.zeros((most_nodes(walked, rows, pattern, start), LANES), np.uint8)
    place = np.zeros(LANES, np.int64)
    changed = False
    done = 0
    while done < len(walked):
        count = lanes_of(walked, done, pattern, rows)
        shape = pattern[rows[walked[done]]]
        base = start[shape]
        size = start[shape + 1] - base
        for i in range(count):
            place[i] = begin[walked[done + i]]
        for j in range(size):
            every = np.uint8(kind[base + j] < 0)  # chance must stay, players may
            for i in range(LANES):
                held[j, i] = every
            for e in range(inner[base + j], inner[base + j + 1]):
                t = to[e]
                if every:
                    for i in range(LANES):
                        held[j, i] &= held[t, i]
                else:
                    for i in range(LANES):
                        held[j, i] |= held[t, i]
            for i in range(count):
                r = walked[done + i]
                x, shift = place[i], first[rows[r]] - begin[r]
                while x < begin[r + 1] and nodes[x + shift] == j:
                    back = np.uint8(0)
                    if code[x] != 0:
                        back = stays[target[r, code[x] - 1]]
                    held[j, i] = held[j, i] & back if every else held[j, i] | back
                    x += 1
                place[i] = x
        for i in range(count):
            r = walked[done + i]
            if stays[r] and not held[size - 1, i]:
                stays[r] = 0
                changed = True
        done += count
    return changed


@kernel
def slopes(walked, game, known, worth):  # type: ignore[no-untyped-def]  # noqa: C901
    """What turns are worth under the best steps for what anchors are `known` to be worth by now,
    and how often they lead to which anchor of the component (`slope` of `links`)."""
    rows, turns, inside, exits, links = game
    pattern, nodes, first, weights = turns
    start, kind, inner, to, weight, reward = inside
    begin, under, over, code = exits
    target, turned, slope, width = links
    size = most_nodes(walked, rows, pattern, start)
    columns = 1
    for r in walked:
        columns = max(columns, width[r])
    value = np.zeros((size, LANES))
    factor = np.zeros((size, columns, LANES))
    best = np.zeros(LANES)
    pick = np.zeros(LANES, np.int64)
    place = np.zeros(LANES, np.int64)
    done = 0
    while done < len(walked):
        count = lanes_of(walked, done, pattern, rows)
        shape = pattern[rows[walked[done]]]
        base = start[shape]
        size = start[shape + 1] - base
        some = walked[done : done + count]
        wide = 0
        for i in range(count):
            place[i] = begin[walked[done + i]]
            wide = max(wide, width[walked[done + i]])
        for j in range(size):
            mover = kind[base + j]
            sign = -1.0 if mover == 1 else 1.0
            total = 0.0
            for i in range(LANES):
                best[i] = 0.0 if mover < 0 else -np.inf
                pick[i] = -1
                for k in range(wide):
                    factor[j, k, i] = 0.0
            begins, ends = inner[base + j], inner[base + j + 1]
            if mover < 0:
                for half in (0, HALF):
                    total = weighed(begins, ends, to, weight, value, half, best)
                    for k in range(wide):
                        weighed(begins, ends, to, weight, factor[:, k], half, factor[j, k])
            else:
                for e in range(begins, ends):
                    t = to[e]
                    earned = np.float64(reward[e])
                    for i in range(LANES):
                        x = sign * (value[t, i] + earned)
                        pick[i] = t if x > best[i] else pick[i]
                        best[i] = max(x, best[i])
            _slopes_out(
                j, mover, total, wide, some, place, rows, nodes, first, weights, begin, under,
                over, code, target, turned, known, value, factor, best, pick,
            )  # fmt: skip
        for i in range(count):
            r = walked[done + i]
            worth[r] = value[size - 1, i]
            for k in range(width[r]):
                slope[r, k] = factor[size - 1, k, i]
        done += count


@kernel
def _slopes_out(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    j, mover, total, wide, some, place, rows, nodes, first, weights, begin, below, above, code,
    target, turned, known, value, factor, best, pick,
):  # fmt: skip
    """Add the exits of a node to what its steps inside make of it. (Arrays are given one by one:
    to take them out of tuples costs more than the rest.)"""
    every_weight = -1 if len(weights) > 1 else 0
    sign = -1.0 if mover == 1 else 1.0
    for i in range(len(some)):
        r = some[i]
        x, shift = place[i], first[rows[r]] - begin[r]
        whole = total
        while x < begin[r + 1] and nodes[x + shift] == j:
            k = code[x] - 1
            y = 0.5 * (below[x] + above[x])
            if k >= 0:
                other = known[target[r, k]]
                y += -other if turned[r, k] else other
            if mover < 0:
                w = np.float64(weights[(x + shift) & every_weight])
                whole += w
                best[i] += w * y
                if k >= 0:
                    factor[j, k, i] += w
            elif sign * y > best[i]:
                best[i] = sign * y
                pick[i] = -2 - k  # -1: leads out
            x += 1
        place[i] = x
        if mover < 0:
            share = 1.0 / whole
            value[j, i] = best[i] * share
            for k in range(wide):
                factor[j, k, i] *= share
            continue
        value[j, i] = sign * best[i]
        if pick[i] >= 0:
            for k in range(wide):
                factor[j, k, i] = factor[pick[i], k, i]
        elif pick[i] < -1:
            factor[j, -2 - pick[i], i] = 1.0


@kernel
def below(walked, game, numbers, claim, out):  # type: ignore[no-untyped-def]
    """Put into `out` what turns are worth at least, seen with a sign, if anchors of the component
    are worth what claim = (below, above) says: all arithmetic rounds down.

    numbers = (sign, unit, 1.5 * 2**52 * unit). A value is kept as a multiple of `unit` and a small
    rest. Sums of such multiples times weights are exact, by the choice of `unit`; so the mean of n
    values is off by two roundings, and n roundings of the rests."""
    rows, turns, inside, exits, links = game
    pattern, nodes, first, weights = turns
    start, kind, inner, to, weight, reward = inside
    begin, lower, upper, code = exits
    target, turned = links[0], links[1]
    side, unit, magic = numbers
    down, up = claim
    size = most_nodes(walked, rows, pattern, start)
    high, rest = np.zeros((size, LANES)), np.zeros((size, LANES))
    least, sums, rests = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    place = np.zeros(LANES, np.int64)
    done = 0
    while done < len(walked):
        count = lanes_of(walked, done, pattern, rows)
        shape = pattern[rows[walked[done]]]
        base = start[shape]
        size = start[shape + 1] - base
        some = walked[done : done + count]
        for i in range(count):
            place[i] = begin[walked[done + i]]
        for j in range(size):
            mover = kind[base + j]
            chance = mover < 0
            mine = (mover == 0) == (side > 0.0) and not chance
            total = 0.0
            for i in range(LANES):
                least[i] = -np.inf if mine else np.inf
                sums[i] = 0.0
                rests[i] = 0.0
            begins, ends = inner[base + j], inner[base + j + 1]
            if chance:
                for half in (0, HALF):
                    total = weighed(begins, ends, to, weight, high, half, sums)
                    weighed(begins, ends, to, weight, rest, half, rests)
                    lowest(begins, ends, to, high, rest, half, least)
            else:
                for e in range(begins, ends):
                    t = to[e]
                    earned = side * np.float64(reward[e])
                    for i in range(LANES):
                        x = high[t, i] + rest[t, i]
                        if earned != 0.0:
                            x = add_below(earned, x)
                        least[i] = max(least[i], x) if mine else min(least[i], x)
            _below_out(
                j, chance, mine, total, ends - begins, some, place, rows, nodes, first, weights,
                begin, lower, upper, code, target, turned, least, sums, rests, side, unit, magic,
                down, up,
            )  # fmt: skip
            for i in range(LANES):
                x = (least[i] + magic) - magic
                high[j, i] = x
                rest[j, i] = least[i] - x
        for i in range(count):
            out[walked[done + i]] = high[size - 1, i] + rest[size - 1, i]
        done += count


@kernel
def _below_out(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    j, chance, mine, total, steps, some, place, rows, nodes, first, weights, begin, lower, upper,
    code, target, turned, least, sums, rests, side, unit, magic, down, up,
):  # fmt: skip
    """Add the exits of a node to what its steps inside make of it."""
    every_weight = -1 if len(weights) > 1 else 0
    for i in range(len(some)):
        r = some[i]
        x, shift = place[i], first[rows[r]] - begin[r]
        whole = total
        while x < begin[r + 1] and nodes[x + shift] == j:
            y = lower[x] if side > 0.0 else -upper[x]
            k = code[x] - 1
            if k >= 0:
                other = target[r, k]
                same = (side > 0.0) != turned[r, k]
                z = down[other] if same else -up[other]
                y = z if y == 0.0 else add_below(y, z)
            if chance:
                w = np.float64(weights[(x + shift) & every_weight])
                whole += w
                z = (y + magic) - magic
                sums[i] += w * z
                rests[i] += w * (y - z)
            least[i] = max(least[i], y) if mine else min(least[i], y)
            x += 1
        steps_here = steps + x - place[i]
        place[i] = x
        if chance:
            mean = (sums[i] + rests[i]) / whole
            error = 3.5e-16 * abs(mean) + 1.2e-16 * unit * steps_here
            least[i] = max(least[i], mean - error)
