"""One pass through a turn, for newton.py: the best steps for the anchor values at hand, and the
value of every node under them as an affine function of the anchors.

A node's value is an affine function of the anchors of its component: a row of `affine` has a
constant for each player and a factor for each unknown. The steps of a node are numbered: first
those inside the turn, then exits. span = (e0, e1, x0, x1): steps e0 … e1 - 1 of the pattern and
exits x0 … x1 - 1 of the turn. `choices` has the best steps of all turns of a component, and where
others are too close to tell, for exact_vectors.py.
"""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.players.policy import AVERAGE, LAST
from perfectplay.solvers.players.vector_rows import SAME, TIE, hashed, liking
from perfectplay.solvers.turns.turn_graph import COLUMNS, HALF, TurnGraph, weighed
from perfectplay.solvers.turns.vector_exits import (
    VectorExits,
    exits_of,
    gather,
    new_unknowns,
    padded,
    seed_of,
)

NEAR = 1e-9
"""Values that differ by less (relative to 1 or their size) are compared exactly."""
Span = tuple[int, int, int, int]


class Steps(NamedTuple):
    """The steps of all nodes: see `TurnGraph`."""

    to: Int32s
    reward: Ints
    rank: Int32s
    exit_rank: Int32s
    begun: int
    """The first exit of the turn."""


class TurnScratch(NamedTuple):
    """What a pass through a turn reads and writes besides the turn."""

    affine: Floats
    """[nodes, columns]: the value of every node: constants, then factors."""
    seed: Floats
    """[unknowns, players]: what the unknowns are worth by now."""
    width: int
    """How many unknowns there are."""
    option: Floats
    """[steps, players]: room for the values of a node's steps."""
    taken: Int32s
    """[nodes]: the step taken."""
    sticky: np.int64
    """Whether steps taken before are kept if they are among the best."""


@kernel
def turn_pass(  # noqa: C901, PLR0912
    row: int,
    game: TurnGraph,
    exits: VectorExits,
    scratch: TurnScratch,
    rule: tuple[int, int],
    digest: np.int64,
) -> tuple[np.int64, int]:
    """(digest of the choices, nodes with ties that matter): choose the best steps of a turn for
    the values of the unknowns at hand, and put the value of every node under them into `affine`
    of `scratch`, as constants and factors."""
    inner, to, weight, reward = game.inner, game.to, game.weight, game.reward
    kind, node, weights = game.kind, game.node, game.exit_weight
    worth, column = exits
    affine, seed, taken, width = scratch.affine, scratch.seed, scratch.taken, scratch.width
    players, columns = worth.shape[1], affine.shape[1]
    begin, begun = game.start[game.pattern[row]], game.first[row]
    x, end = np.int64(0), len(worth)  # a number whose type is known: else, twice the code
    ties = 0
    for j in range(game.start[game.pattern[row] + 1] - begin):
        # 1. The steps of the node: e0 … e1 - 1 inside the turn, x0 … x - 1 out of it.
        mover = np.int64(kind[begin + j])
        e0, e1, x0 = inner[begin + j], inner[begin + j + 1], x
        while x < end and node[begun + x] == j:
            x += 1
        span = e0, e1, x0, x
        if mover < 0:
            _mean(j, span, to, weight, weights, begun, worth, column, affine)
            continue
        # 2. The best and the second best of them.
        best, second, take = -np.inf, -np.inf, -1
        for o in range(e1 - e0 + x - x0):
            if o < e1 - e0:
                t = to[e0 + o]
                mine = affine[t, mover] + reward[e0 + o, mover]
                for k in range(width):
                    mine += affine[t, players + k] * seed[k, mover]
            else:
                y = x0 + o - (e1 - e0)
                mine = worth[y, mover] + (seed[column[y], mover] if column[y] >= 0 else 0.0)
            if mine > best:
                best, second, take = mine, best, o
            else:
                second = max(second, mine)
        # 3. The node is worth what its best step is.
        if second < best - TIE * max(1.0, abs(best)):  # no ties: most nodes are done here
            taken[j] = take
            digest = hashed(digest, take + 1)
            if take < e1 - e0:
                for k in range(columns):
                    affine[j, k] = affine[to[e0 + take], k]
                for i in range(players):
                    affine[j, i] += reward[e0 + take, i]
            else:
                y = x0 + take - (e1 - e0)
                for k in range(players, columns):
                    affine[j, k] = 0.0
                for i in range(players):
                    affine[j, i] = worth[y, i]
                if column[y] >= 0:
                    affine[j, players + column[y]] = 1.0
        else:
            steps = Steps(to, reward, game.rank, game.exit_rank, begun)
            digest, apart = tied(j, mover, span, steps, exits, scratch, rule, digest)
            ties += apart
        digest = hashed(digest, j)
    return digest, ties


@kernel
def _mean(  # noqa: PLR0913, PLR0917
    j: int,
    span: Span,
    to: Int32s,
    weight: Ints,
    weights: Ints,
    begun: int,
    worth: Floats,
    column: Array,
    affine: Floats,
) -> None:
    """Put the value of a chance node into `affine`: the weighted mean of its steps."""
    e0, e1, x0, x1 = span
    players, columns = worth.shape[1], affine.shape[1]
    every_weight = -1 if len(weights) > 1 else 0
    total = 0.0
    for at in range(0, columns, HALF):
        total = weighed(e0, e1, to, weight, affine, at, affine[j])
    for y in range(x0, x1):
        w = np.float64(weights[(begun + y) & every_weight])
        total += w
        for i in range(players):
            affine[j, i] += w * worth[y, i]
        if column[y] >= 0:
            affine[j, players + column[y]] += w
    if total != 1.0:
        share = 1.0 / total
        for k in range(columns):
            affine[j, k] *= share


# -- Equally good steps. --------------------------------------------------------------------------


@kernel
def tied(
    j: int,
    mover: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
    rule: tuple[int, int],
    digest: np.int64,
) -> tuple[np.int64, bool]:
    """Put the value of a node with equally good steps into `affine`: (digest of the choice,
    whether the steps differ for others)."""
    e0, e1, x0, x1 = span
    to, reward = steps.to, steps.reward
    worth, column = exits
    affine, option = scratch.affine, scratch.option
    mode, players = rule[0], worth.shape[1]
    take, equals, floor, apart = _choose(j, mover, span, steps, exits, scratch, rule)
    share = 1.0 / equals if mode == AVERAGE else 1.0
    affine[j] = 0.0
    for o in range(e1 - e0 + x1 - x0):
        if o != take and (mode != AVERAGE or option[o, mover] < floor):
            continue
        digest = hashed(digest, o + 1)
        if o < e1 - e0:
            t = to[e0 + o]
            for i in range(players):
                affine[j, i] += share * (affine[t, i] + reward[e0 + o, i])
            for k in range(players, affine.shape[1]):
                affine[j, k] += share * affine[t, k]
        else:
            y = x0 + o - (e1 - e0)
            for i in range(players):
                affine[j, i] += share * worth[y, i]
            if column[y] >= 0:
                affine[j, players + column[y]] += share
    return digest, apart


@kernel
def _choose(
    j: int,
    mover: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
    rule: tuple[int, int],
) -> tuple[int, int, float, bool]:
    """(step taken, how many are as good, the least value of those, whether they differ for
    others)."""
    e0, e1, x0, x1 = span
    rank, exit_rank, begun = steps.rank, steps.exit_rank, steps.begun
    option, taken, mode = scratch.option, scratch.taken, rule[0]
    count, players = e1 - e0 + x1 - x0, option.shape[1]
    every_rank = -1 if len(exit_rank) > 1 else 0
    best = -np.inf
    for o in range(count):
        option[o, mover] = worth_of(o, mover, span, steps, exits, scratch)
        best = max(best, option[o, mover])
    floor = best - TIE * max(1.0, abs(best))
    take, equals = -1, 0
    place = np.int64(0)
    for o in range(count):
        equals += option[o, mover] >= floor
    for o in range(count):
        if option[o, mover] < floor:
            continue
        if equals > 1:
            for i in range(players):
                option[o, i] = worth_of(o, i, span, steps, exits, scratch)
        inside = o < e1 - e0
        at = np.int64(
            rank[e0 + o] if inside else exit_rank[(begun + x0 + o - (e1 - e0)) & every_rank]
        )
        likes = liking(rule, mover, option[o], option[take]) if take >= 0 else 1
        later = at > place if mode == LAST else at < place
        if likes > 0 or (likes == 0 and later):
            take, place = o, at
    if scratch.sticky and mode != AVERAGE and option[taken[j], mover] >= floor:
        take = taken[j]
    taken[j] = take
    apart = False
    for o in range(count if equals > 1 else 0):
        for i in range(players):
            differ = abs(option[o, i] - option[take, i])
            differs = differ > SAME * max(1.0, abs(option[take, i]))
            apart |= option[o, mover] >= floor and differs
    return take, equals, floor, apart


@kernel
def worth_of(
    o: int,
    i: int,
    span: Span,
    steps: Steps,
    exits: VectorExits,
    scratch: TurnScratch,
) -> float:
    """The value of a node's step o to player i."""
    e0, e1, x0, _ = span
    to, reward = steps.to, steps.reward
    worth, column = exits
    affine, seed = scratch.affine, scratch.seed
    if o < e1 - e0:
        t = to[e0 + o]
        total: float = affine[t, i] + reward[e0 + o, i]
        for k in range(scratch.width):
            total += affine[t, worth.shape[1] + k] * seed[k, i]
        return total
    y = x0 + o - (e1 - e0)
    return float(worth[y, i] + (seed[column[y], i] if column[y] >= 0 else 0.0))


# -- All turns of a component. --------------------------------------------------------------------


@kernel
def choices(
    c: int,
    members: Int32s,
    number: Int32s,
    game: TurnGraph,
    value: Floats,
    most: tuple[int, int, int],
    rule: tuple[int, int],
    out: tuple[Int32s, Bytes, Ints],
) -> float:
    """How far off floats may be, or infinity; into out = (step taken, whether others are nearly as
    good, where each turn begins) go the best steps of all nodes of the turns of component c.

    most = (nodes of a turn, exits of the component, steps of a node)."""
    chosen, near, start = out
    kind, inner, node = game.kind, game.inner, game.node
    size, fan, widest = most
    players, m = value.shape[1], len(members)
    flat = np.empty(size * padded(players, COLUMNS))
    option = np.empty((widest + fan, players))
    every = VectorExits(np.empty((fan, players)), np.empty(fan, np.int8))
    unknowns = new_unknowns(m)
    if not gather(c, members, number, game, value, unknowns, every):
        return np.inf
    known = np.empty((m, players))
    for a in range(m):
        known[a] = value[game.low + members[a]]
    scale = 1.0
    for a in range(m):
        row = members[a]
        seed = np.empty((COLUMNS, players))
        seed_of(a, unknowns, known, seed)
        taken = chosen[start[a] : start[a + 1]]
        width = unknowns.width[a]
        columns = padded(players, width)
        affine = flat[: size * columns].reshape(size, columns)
        scratch = TurnScratch(affine, seed, width, option, taken, np.int64(0))
        exits = exits_of(a, every, unknowns)
        turn_pass(row, game, exits, scratch, rule, np.int64(0))
        base = game.start[game.pattern[row]]
        steps = Steps(game.to, game.reward, game.rank, game.exit_rank, game.first[row])
        x = 0
        for j in range(len(taken)):
            x0 = x
            while x < len(exits.worth) and node[game.first[row] + x] == j:
                x += 1
            mover = kind[base + j]
            if mover < 0:
                continue
            span = inner[base + j], inner[base + j + 1], x0, x
            best = worth_of(taken[j], mover, span, steps, exits, scratch)
            for o in range(span[1] - span[0] + x - x0):
                other = worth_of(o, mover, span, steps, exits, scratch)
                scale = max(scale, abs(other))
                if o != taken[j] and other >= best - NEAR * max(1.0, abs(best)):
                    near[start[a] + j] = 1
    for x in range(unknowns.begins[m]):
        for i in range(players):
            scale = max(scale, abs(every.worth[x, i]))
    return 3e-16 * scale * (size + 4) * (widest + fan + 4)
