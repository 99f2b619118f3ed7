"""One pass through a turn, for newton.py: the best steps for the anchor values at hand, and the
value of every node under them as an affine function of the anchors."""

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.players.vector_rows import TIE, hashed
from perfectplay.solvers.turns.ties import Span, Steps, TurnScratch, tied
from perfectplay.solvers.turns.turn_graph import HALF, TurnGraph, weighed
from perfectplay.solvers.turns.vector_exits import VectorExits


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
