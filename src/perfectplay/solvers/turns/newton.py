"""Several players and turns, in floats: Newton's method on the anchors of each component.

Under a fixed policy the value of every node of a turn is an affine function of the values of the
anchors of its component: one pass through the turn, children first, chooses the best steps for
the anchor values at hand and finds that function. A small linear system gives the anchors' values
under the policy; when a policy comes out again, these are the values (Algorithm 3 of Glenn, Fang
and Kruskal 2009). Policies may also go round, or a system be singular: then the component is left
to the solver for games without turns, which tells how far it came.
"""

from __future__ import annotations

import math

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.players.policy import AVERAGE, read_ties
from perfectplay.solvers.players.vector_rows import TIE
from perfectplay.solvers.store import Vectors
from perfectplay.solvers.turns.exit_values import COLUMNS, gather, newton, room
from perfectplay.solvers.turns.lanes import HALF, weighed
from perfectplay.solvers.turns.linear_systems import depths, eliminated, rounds
from perfectplay.solvers.turns.replies import reply_gain
from perfectplay.solvers.turns.ties import tied, wide
from perfectplay.solvers.work import Options, Work, over_rows
from perfectplay.strata.components import Components
from perfectplay.strata.graph import Facts, Graph

ROUNDS = 30
MOST = 64
"""Unknowns (anchors times players) of a component; larger ones are unrolled."""
STEP = 256
"""Components that a thread takes at a time."""
NAME = "newton by turns"
Left = tuple[Components, Array, Work]


def solve(graph: Graph, facts: Facts, store: Vectors, options: Options, left: Left) -> None:
    """Solve what can be solved of the components that are `left`, and take it off."""
    found, wanted, _ = left
    turns = graph.turns
    assert turns is not None
    ties = read_ties(options.ties, graph, facts.players)
    endless = float(facts.endless) if math.isfinite(facts.endless) else 0.0
    p = turns.patterns
    inside = p.start, p.kind, p.first, p.to, p.weight, p.reward, p.rank
    outside = graph.first, graph.child, graph.swap, graph.weight, graph.reward
    exits = turns.pattern, turns.node, turns.rank
    parts = found.number, found.rows, found.start
    rule = ties.mode, ties.player
    told = np.zeros((found.count, 4))  # residual (inf: not solved), ties, how far off, reply gain
    depth = rounds(p.start, p.kind, p.first, p.to, p.weight)[1]
    chosen = np.flatnonzero(wanted)
    numbers = graph.low, endless, float(np.abs(p.reward).max(initial=0))

    def task(begin: int, end: int) -> None:
        some = chosen[begin:end]
        _run(numbers, some, parts, inside, outside, exits, (store.value, told, depth), rule)

    alone = _independent(graph.low, graph.first, graph.child, found.number)
    step = STEP if alone else len(chosen)
    over_rows(task, len(chosen), options, max(step, 1))
    _tell(told, chosen, left, (store, options), alone=alone)
    if not alone:  # errors add up along the way through components
        deep = depths(graph.low, graph.first, graph.child, parts)
        deepest = 1 + int(deep.max(initial=0))
        left[2].policy_error *= deepest
        if left[2].reply_gain is not None:
            left[2].reply_gain *= deepest


def _tell(
    told: Array, chosen: Array, left: Left, about: tuple[Vectors, Options], *, alone: bool
) -> None:
    """Put into `work` what was done."""
    found, wanted, work = left
    store, options = about
    solved = chosen[np.isfinite(told[chosen, 0])]
    if not alone and len(solved) < len(chosen):  # what depends on an unsolved one must wait
        solved = chosen[: int(np.argmax(~np.isfinite(told[chosen, 0])))]
    wanted[solved] = False
    rows = int((found.start[solved + 1] - found.start[solved]).sum())
    work.methods[NAME] = work.methods.get(NAME, 0) + rows
    if not len(solved):
        return
    work.residual = max(work.residual, float(told[solved, 0].max()))
    store.residual = max(store.residual, work.residual)
    work.policy_error = float(told[solved, 2].max())
    gain = float(told[solved, 3].max())
    work.reply_gain = gain if math.isfinite(gain) else None
    tied = int(told[solved, 1].sum())
    if tied:
        work.notes.append(
            f"{tied} positions have equally good moves that differ for other players: "
            f"values depend on the tie rule, {options.ties!r}"
        )


@kernel
def _independent(low, first, child, number):  # type: ignore[no-untyped-def]
    """Whether no component leads to another one of the same stratum."""
    for row in range(len(first) - 1):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] != number[row]:
                return False
    return True


@kernel
def _run(numbers, chosen, parts, inside, outside, exits, found, rule):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0915
    """Solve components; see the module's docstring."""
    low, endless, earned = numbers
    value, told, depth = found
    number, order, starts = parts
    start, first, pattern = inside[0], outside[0], exits[0]
    players = value.shape[1]
    nodes, fan, widest, most = room(chosen, parts, inside, first, pattern)
    flat = np.empty(nodes * wide(2 * players, COLUMNS))
    worth, column = np.empty((fan, players)), np.empty(fan, np.int8)
    seen = np.empty(ROUNDS, np.int64)
    option = np.empty((widest + fan, players))
    taken = np.zeros((min(MOST, most), nodes), np.int32)
    for c in chosen:
        members = order[starts[c] : starts[c + 1]]
        m = len(members)
        told[c, 0] = np.inf
        if m * players > MOST:
            continue
        target = np.zeros((m, COLUMNS), np.int64)
        shift = np.zeros((m, COLUMNS), np.int64)
        width = np.zeros(m, np.int64)
        begins = np.zeros(m + 1, np.int64)
        unknowns = target, shift, width, begins
        if not gather((low, c), members, number, outside, value, unknowns, (worth, column)):
            continue
        known = np.full((m, players), endless)
        links = np.zeros((m, COLUMNS))
        fixed = np.zeros((m, players))
        residual, ties, sticky, since = np.inf, 0, np.int64(0), 0
        for turn in range(ROUNDS):
            digest = np.int64(1469598103934665603)
            residual, ties = 0.0, 0
            for a in range(m):
                row = members[a]
                seed = np.empty((COLUMNS, players))  # what an unknown is worth by now
                for k in range(width[a]):
                    for i in range(players):
                        s = shift[a, k]
                        seed[k, i] = known[target[a, k], i - s if i >= s else i - s + players]
                columns = wide(players, width[a])
                affine = flat[: nodes * columns].reshape(nodes, columns)
                scratch = affine, seed, width[a], option, taken[a], sticky
                leave = worth[begins[a] : begins[a + 1]], column[begins[a] : begins[a + 1]]
                digest, tied = turn_pass(row, inside, outside, exits, leave, scratch, rule, digest)
                ties += tied
                top = start[pattern[row] + 1] - start[pattern[row]] - 1
                for i in range(players):
                    total = affine[top, i]
                    for k in range(width[a]):
                        total += affine[top, players + k] * seed[k, i]
                    residual = max(residual, abs(total - known[a, i]))
                    fixed[a, i] = affine[top, i]
                for k in range(width[a]):
                    links[a, k] = affine[top, players + k]
            if turn > since and digest == seen[turn - 1]:
                break
            again = False
            for before in range(since, turn):
                again |= seen[before] == digest
            seen[turn] = digest
            if (again and sticky) or turn == ROUNDS - 1:
                residual = np.inf
                break
            if again:  # perhaps for ties alone: from now on a move that is among the best is kept
                sticky, since = np.int64(1), turn
            if not newton(fixed, links, unknowns, known):
                residual = np.inf
                break
        if residual < 1e-9:
            told[c, 0], told[c, 1] = residual, ties
            about = depth, widest, residual, earned
            game, leave = (inside, outside, exits), (worth[: begins[m]], column[: begins[m]])
            policy = taken, links, rule[0]
            told[c, 2], told[c, 3] = _proved(
                members, about, game, leave, unknowns, known, policy, flat
            )
            for a in range(m):
                for i in range(players):
                    value[low + members[a], i] = known[a, i]


@kernel
def _proved(members, about, game, leave, unknowns, known, policy, flat):  # type: ignore[no-untyped-def]
    """How far the values of a component may be from those of its policy, and how much a player
    gains by leaving it for good; infinity if that is not known."""
    depth, widest, residual, earned = about
    _, outside, exits = game
    taken, links, mode = policy
    around = depth, widest, leave[0], residual, earned
    far, error, lasts = _far(members, around, exits, outside[0], links, unknowns, known)
    if mode == AVERAGE or not far < np.inf:
        return far, np.inf
    return far, reply_gain(members, game, leave, unknowns, known, lasts, (taken, error), flat)


@kernel
def _far(members, about, exits, first, links, unknowns, known):  # type: ignore[no-untyped-def]
    """How far the values of a component may be from those of its policy, if all that it leads to
    is exact: the residual of a turn and its rounding, for every turn that is to be expected; this
    residual and rounding, and the turns that are to be expected from each anchor.

    A node that is a mean of n numbers of size m is off by less than (n + 4) m 2**-53; twice that
    where a number is the sum of a constant and a factor times an unknown."""
    depth, widest, worth, residual, earned = about
    pattern, nodes, _ = exits
    target, _, width, _ = unknowns
    m = len(members)
    scale, most, fan = 1.0, 0.0, 1
    for a in range(m):
        row = members[a]
        most = max(most, depth[pattern[row]])
        here = 0
        for e in range(first[row], first[row + 1]):
            here = here + 1 if e > first[row] and nodes[e] == nodes[e - 1] else 1
            fan = max(fan, here)
        for i in range(known.shape[1]):
            scale = max(scale, abs(known[a, i]))
    for x in range(len(worth)):
        for i in range(known.shape[1]):
            scale = max(scale, abs(worth[x, i]))
    system = np.zeros((m, m + 1))
    for a in range(m):
        system[a, a] += 1.0
        system[a, m] = 1.0
        for k in range(width[a]):
            system[a, target[a, k]] -= links[a, k]
    if not eliminated(system):
        return np.inf, np.inf, system[:, m].copy()
    longest = 0.0
    for a in range(m):
        rest = system[a, m]
        for k in range(width[a]):
            rest -= links[a, k] * system[target[a, k], m]
        if not rest > 0.99 or not system[a, m] > 0.0:
            return np.inf, np.inf, system[:, m].copy()
        longest = max(longest, system[a, m])
    scale += earned * most  # what is earned inside a turn
    error = residual + 2.5e-16 * (widest + fan + 8) * (most + 2.0) * scale
    return 1.02 * longest * error, error, system[:, m].copy()


@kernel
def turn_pass(row, inside, outside, exits, leave, scratch, rule, digest):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0915
    """Choose the best steps of a turn for the values of the unknowns at hand, and find what every
    node is worth under them: `affine` of `scratch` gets a row for each node, with a constant for
    each player and a factor for each unknown. (digest of choices, ties)."""
    start, kind, inner, to, weight, reward, rank = inside
    first, _, _, weights, _ = outside
    pattern, nodes, ranks = exits
    worth, column = leave
    affine, seed, width, _, taken, _ = scratch
    players, columns = worth.shape[1], affine.shape[1]
    every_weight = -1 if len(weights) > 1 else 0
    begin, begun = start[pattern[row]], first[row]
    x, end = np.int64(0), len(worth)  # a number whose type is known: else, twice the code
    ties = 0
    for j in range(start[pattern[row] + 1] - begin):
        node = begin + j
        mover = np.int64(kind[node])
        e0, e1 = inner[node], inner[node + 1]
        x0 = x
        while x < end and nodes[begun + x] == j:
            x += 1
        if mover < 0:
            total = 0.0
            for at in range(0, columns, HALF):
                total = weighed(e0, e1, to, weight, affine, at, affine[j])
            for y in range(x0, x):
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
            continue
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
        if second < best - TIE * max(1.0, abs(best)):  # no ties: most nodes are done here
            taken[j] = take
            digest = (digest ^ np.int64(take + 1)) * np.int64(1099511628211)
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
            about = e0, x0, e1 - e0, e1 - e0 + x - x0
            order = rank, ranks, begun
            digest, apart = tied(
                j, mover, about, order, (to, reward), leave, scratch, rule, digest
            )
            ties += apart
        digest = (digest ^ np.int64(j)) * np.int64(1099511628211)
    return digest, ties
