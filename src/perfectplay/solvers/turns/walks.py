"""Walks through the turns of scalar games, LANES rows of one pattern at a time.

A walk goes through the nodes of a pattern, children first. `walked` are numbers of rows of a
`ComponentBatch`, ascending; since these are sorted by pattern, neighbours mostly share one. Each
walk has two steps for every group of lanes:

1. The value of every exit, in exit_value[lane, exit].
2. The values of all nodes, in value[node, lane]: at a chance node the mean of its steps, at a
   player's node the best of them.
"""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import add_below
from perfectplay.solvers.turns.turn_graph import (
    HALF,
    LANES,
    TurnGraph,
    lane_count,
    most_nodes,
    weighed,
)


class Exits(NamedTuple):
    """The exits of the rows of a batch; those of row r are begin[r] … begin[r + 1] - 1."""

    begin: Ints
    below: Floats
    """A lower bound of the value of an exit that leaves the component; else its reward."""
    above: Floats
    column: Array
    """int8: the column of the anchor it leads to; -1: it leaves the component."""


class Links(NamedTuple):
    """How turns depend on the anchors of their component: row r on target[r, k], k < width[r]."""

    target: Int32s
    turned: Bools
    """Whether the players are exchanged on the way."""
    slope: Floats
    """The probability of ending there, under the steps chosen."""
    width: Ints


class ComponentBatch(NamedTuple):
    """Some components of a stratum."""

    rows: Ints
    """Rows of the graph, sorted by pattern."""
    game: TurnGraph
    exits: Exits
    links: Links


@kernel
def _most_exits(begin: Ints) -> int:
    """The most exits of a row."""
    most = 1
    for r in range(len(begin) - 1):
        most = max(most, begin[r + 1] - begin[r])
    return most


# -- Can play stay? -------------------------------------------------------------------------------


@kernel
def stay(walked: Ints, batch: ComponentBatch, stays: Bytes) -> bool:
    """Remove from `stays` the rows whose turns cannot be made to end at rows of it for certain,
    even if both players try; whether any was removed."""
    shapes = batch.game.pattern[batch.rows[walked]]
    held = np.zeros((most_nodes(shapes, batch.game.start), LANES), np.uint8)
    changed = False
    done = 0
    while done < len(walked):
        some = walked[done : done + lane_count(shapes, done)]
        _stay(some, batch, shapes[done], stays, held)
        top = batch.game.start[shapes[done] + 1] - batch.game.start[shapes[done]] - 1
        for i in range(len(some)):
            if stays[some[i]] and not held[top, i]:
                stays[some[i]] = 0
                changed = True
        done += len(some)
    return changed


@kernel
def _stay(some: Ints, batch: ComponentBatch, shape: int, stays: Bytes, held: Bytes) -> None:
    """Whether play can be held inside, for all nodes of the turns of some rows."""
    rows, game = batch.rows, batch.game
    kind, inner, to, node, first = game.kind, game.inner, game.to, game.node, game.first
    begin, column, target = batch.exits.begin, batch.exits.column, batch.links.target
    base = game.start[shape]
    place = begin[some]
    for j in range(game.start[shape + 1] - base):
        every = np.uint8(kind[base + j] < 0)  # chance must stay, players may
        for i in range(LANES):
            held[j, i] = every
        for e in range(inner[base + j], inner[base + j + 1]):
            t = to[e]
            for i in range(LANES):
                held[j, i] = held[j, i] & held[t, i] if every else held[j, i] | held[t, i]
        for i in range(len(some)):
            r = some[i]
            x, shift = place[i], first[rows[r]] - begin[r]
            while x < begin[r + 1] and node[x + shift] == j:
                back = np.uint8(0)
                if column[x] >= 0:
                    back = stays[target[r, column[x]]]
                held[j, i] = held[j, i] & back if every else held[j, i] | back
                x += 1
            place[i] = x


# -- Values and slopes. ---------------------------------------------------------------------------


@kernel
def slopes(walked: Ints, batch: ComponentBatch, known: Floats, worth: Floats) -> None:
    """Put into worth[r] the values of turns under the best steps, if anchors have the values
    `known`, and into `slope` of their links the probabilities of ending at each anchor."""
    shapes = batch.game.pattern[batch.rows[walked]]
    width, slope = batch.links.width, batch.links.slope
    columns = 1
    for r in walked:
        columns = max(columns, width[r])
    most = most_nodes(shapes, batch.game.start)
    value = np.zeros((most, LANES))
    # Rows `most` … of `factor` stand for exits: out of the component, or to one of its anchors.
    factor = np.zeros((most + 1 + columns, columns, LANES))
    for k in range(columns):
        factor[most + 1 + k, k] = 1.0
    exit_value = np.empty((LANES, _most_exits(batch.exits.begin)))
    done = 0
    while done < len(walked):
        some = walked[done : done + lane_count(shapes, done)]
        _exit_values(some, batch, known, exit_value)
        _slopes(some, batch, shapes[done], exit_value, value, factor)
        top = batch.game.start[shapes[done] + 1] - batch.game.start[shapes[done]] - 1
        for i in range(len(some)):
            worth[some[i]] = value[top, i]
            for k in range(width[some[i]]):
                slope[some[i], k] = factor[top, k, i]
        done += len(some)


@kernel
def _exit_values(some: Ints, batch: ComponentBatch, known: Floats, exit_value: Floats) -> None:
    """Put the value of every exit of some rows into `exit_value`: the middle of its bounds."""
    begin, below, above, column = batch.exits
    target, turned = batch.links.target, batch.links.turned
    for i in range(len(some)):
        r = some[i]
        for x in range(begin[r], begin[r + 1]):
            y = 0.5 * (below[x] + above[x])
            if column[x] >= 0:
                other = known[target[r, column[x]]]
                y += -other if turned[r, column[x]] else other
            exit_value[i, x - begin[r]] = y


@kernel
def _slopes(  # noqa: C901
    some: Ints,
    batch: ComponentBatch,
    shape: int,
    exit_value: Floats,
    value: Floats,
    factor: Floats,
) -> None:
    """Values and factors of all nodes of the turns of some rows."""
    rows, game, width = batch.rows, batch.game, batch.links.width
    kind, inner, to, weight, reward = game.kind, game.inner, game.to, game.weight, game.reward
    node, first, exit_weight = game.node, game.first, game.exit_weight
    begin, column = batch.exits.begin, batch.exits.column
    every_weight = -1 if len(exit_weight) > 1 else 0
    out = len(value)  # the row of `factor` for exits that leave the component
    best = np.zeros(LANES)
    pick = np.zeros(LANES, np.int64)
    place = begin[some]
    wide = 0
    for r in some:
        wide = max(wide, width[r])
    base = game.start[shape]
    for j in range(game.start[shape + 1] - base):
        mover = kind[base + j]
        sign = -1.0 if mover == 1 else 1.0
        total = 0.0
        e0, e1 = inner[base + j], inner[base + j + 1]
        # 1. Steps inside the turn.
        if mover < 0:
            for half in (0, HALF):
                total = weighed(e0, e1, to, weight, value, half, best)
                for k in range(wide):
                    weighed(e0, e1, to, weight, factor[:, k], half, factor[j, k])
        else:
            best[:] = -np.inf
            pick[:] = out
            for e in range(e0, e1):
                t = to[e]
                earned = np.float64(reward[e])
                for i in range(LANES):
                    y = sign * (value[t, i] + earned)
                    pick[i] = t if y > best[i] else pick[i]
                    best[i] = max(y, best[i])
        # 2. Exits, which differ from lane to lane.
        for i in range(len(some)):
            r = some[i]
            x, shift = place[i], first[rows[r]] - begin[r]
            mass = total
            while x < begin[r + 1] and node[x + shift] == j:
                y = exit_value[i, x - begin[r]]
                if mover < 0:
                    w = np.float64(exit_weight[(x + shift) & every_weight])
                    mass += w
                    best[i] += w * y
                    if column[x] >= 0:
                        factor[j, column[x], i] += w
                elif sign * y > best[i]:
                    best[i] = sign * y
                    pick[i] = out + 1 + column[x]
                x += 1
            place[i] = x
            # 3. The mean, or what was picked.
            share = 1.0 / mass if mover < 0 else 0.0
            value[j, i] = best[i] * share if mover < 0 else sign * best[i]
            for k in range(wide):
                factor[j, k, i] = factor[j, k, i] * share if mover < 0 else factor[pick[i], k, i]


# -- Lower bounds. --------------------------------------------------------------------------------


@kernel
def below(
    walked: Ints,
    batch: ComponentBatch,
    side: float,
    unit: float,
    claim: tuple[Floats, Floats],
    out: Floats,
) -> None:
    """Put into `out` lower bounds of turns, seen with sign `side`, if the anchors of the component
    have the bounds claim = (lower, upper): all arithmetic rounds down.

    A value is kept as a multiple of `unit` (`high`) and a small rest. Sums of such multiples times
    weights are exact, by the choice of `unit`; so the mean of n values is off by two roundings,
    and n roundings of the rests."""
    shapes = batch.game.pattern[batch.rows[walked]]
    most = most_nodes(shapes, batch.game.start)
    high, rest = np.zeros((most, LANES)), np.zeros((most, LANES))
    exit_value = np.empty((LANES, _most_exits(batch.exits.begin)))
    done = 0
    while done < len(walked):
        some = walked[done : done + lane_count(shapes, done)]
        _exit_bounds(some, batch, side, claim, exit_value)
        _bounds(some, batch, shapes[done], (side, unit), exit_value, high, rest)
        top = batch.game.start[shapes[done] + 1] - batch.game.start[shapes[done]] - 1
        for i in range(len(some)):
            out[some[i]] = high[top, i] + rest[top, i]
        done += len(some)


@kernel
def _exit_bounds(
    some: Ints,
    batch: ComponentBatch,
    side: float,
    claim: tuple[Floats, Floats],
    exit_value: Floats,
) -> None:
    """Put a lower bound of every exit of some rows, seen with sign `side`, into `exit_value`."""
    begin, under, over, column = batch.exits
    target, turned = batch.links.target, batch.links.turned
    lower, upper = claim
    for i in range(len(some)):
        r = some[i]
        for x in range(begin[r], begin[r + 1]):
            y = under[x] if side > 0.0 else -over[x]
            if column[x] >= 0:
                other = target[r, column[x]]
                same = (side > 0.0) != turned[r, column[x]]
                z = lower[other] if same else -upper[other]
                y = z if y == 0.0 else add_below(y, z)
            exit_value[i, x - begin[r]] = y


@kernel
def lowest(
    begin: int, end: int, to: Int32s, high: Floats, rest: Floats, at: int, out: Floats
) -> None:
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
def _bounds(
    some: Ints,
    batch: ComponentBatch,
    shape: int,
    numbers: tuple[float, float],
    exit_value: Floats,
    high: Floats,
    rest: Floats,
) -> None:
    """Lower bounds of all nodes of the turns of some rows; numbers = (side, unit)."""
    side, unit = numbers
    magic = 1.5 * 2.0**52 * unit  # (x + magic) - magic is the multiple of `unit` nearest to x
    rows, game, begin = batch.rows, batch.game, batch.exits.begin
    kind, inner, to, weight, reward = game.kind, game.inner, game.to, game.weight, game.reward
    node, first, exit_weight = game.node, game.first, game.exit_weight
    every_weight = -1 if len(exit_weight) > 1 else 0
    least, sums, rests = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    place = begin[some]
    base = game.start[shape]
    for j in range(game.start[shape + 1] - base):
        chance = kind[base + j] < 0
        mine = (kind[base + j] == 0) == (side > 0.0) and not chance
        total = 0.0
        e0, e1 = inner[base + j], inner[base + j + 1]
        # 1. Steps inside the turn.
        if chance:
            for half in (0, HALF):
                total = weighed(e0, e1, to, weight, high, half, sums)
                weighed(e0, e1, to, weight, rest, half, rests)
                lowest(e0, e1, to, high, rest, half, least)
        else:
            least[:] = -np.inf if mine else np.inf
            for e in range(e0, e1):
                t = to[e]
                earned = side * np.float64(reward[e])
                for i in range(LANES):
                    y = high[t, i] + rest[t, i]
                    if earned != 0.0:
                        y = add_below(earned, y)
                    least[i] = max(least[i], y) if mine else min(least[i], y)
        # 2. Exits, which differ from lane to lane.
        for i in range(len(some)):
            r = some[i]
            x, shift = place[i], first[rows[r]] - begin[r]
            mass = total
            while x < begin[r + 1] and node[x + shift] == j:
                y = exit_value[i, x - begin[r]]
                if chance:
                    w = np.float64(exit_weight[(x + shift) & every_weight])
                    mass += w
                    z = (y + magic) - magic
                    sums[i] += w * z
                    rests[i] += w * (y - z)
                least[i] = max(least[i], y) if mine else min(least[i], y)
                x += 1
            if chance:  # 3. The mean, which is never below the least.
                mean = (sums[i] + rests[i]) / mass
                error = 3.5e-16 * abs(mean) + 1.2e-16 * unit * (e1 - e0 + x - place[i])
                least[i] = max(least[i], mean - error)
            place[i] = x
        for i in range(LANES):
            y = (least[i] + magic) - magic
            high[j, i] = y
            rest[j, i] = least[i] - y
