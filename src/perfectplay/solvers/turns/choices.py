"""The best steps by floats, and where others are too close to tell, for exact_vectors.py."""

import numpy as np

from perfectplay.compiled.arrays import Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.turns.ties import Steps, TurnScratch, worth_of
from perfectplay.solvers.turns.turn_graph import COLUMNS, TurnGraph
from perfectplay.solvers.turns.turn_pass import turn_pass
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
