"""Several players and turns, in floats: Newton's method on the anchors of each component.

The problem: find a policy under which no player gains by another step at a single node, and its
values x[a, i] to player i at anchor a. Facts needed: every cycle passes through an anchor; anchors
times players of a component are at most MOST.

1. Under a fixed policy the value of every node of a turn is an affine function of the values of
   the anchors of its component. One pass through each turn, children first, chooses the best steps
   for the anchor values at hand and finds that function.
2. A linear system gives the anchors' values under the policy.
3. When a policy comes out again, these are the values (Glenn, Fang and Kruskal 2009, Algorithm 3).
4. How far they may be from those of the policy, and what a player gains by deviating from it for
   good, is bounded (`_distance`, replies.py).

Policies may also cycle, or a system be singular: then the component is left to the solver for
games without turns, which reports how far it came.
"""

import math

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Floats, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import SINGULAR, eliminated
from perfectplay.solvers.chance.sweeps import note_rounds
from perfectplay.solvers.players.policy import AVERAGE, read_ties, tie_note
from perfectplay.solvers.players.vector_rows import FNV_OFFSET
from perfectplay.solvers.store import Vectors
from perfectplay.solvers.turns.replies import reply_gain
from perfectplay.solvers.turns.turn_graph import (
    COLUMNS,
    TurnGraph,
    Unsolved,
    levels,
    longest_paths,
    turn_graph,
)
from perfectplay.solvers.turns.turn_pass import TurnScratch, turn_pass
from perfectplay.solvers.turns.vector_exits import (
    Unknowns,
    VectorExits,
    exits_of,
    gather,
    new_unknowns,
    padded,
    room,
    seed_of,
    solve_anchors,
)
from perfectplay.solvers.work import NONE, Options, Work, over_rows
from perfectplay.strata.graph import Facts, Graph

ROUNDS = 30
MOST = 64
"""Unknowns (anchors times players) of a component; larger ones are unrolled."""
STEP = 256
"""Components that a thread takes at a time."""
NAME = "newton by turns"
RESIDUAL, TIED, ERROR, GAIN = range(4)
"""Columns of a report on components: residual (infinite: not solved), positions with ties that
matter, how far values may be from the policy's, what a player gains by leaving it."""


def solve(graph: Graph, facts: Facts, store: Vectors, options: Options, left: Unsolved) -> None:
    """Solve what can be solved of the components that are `left`, and mark it as solved."""
    found, wanted, work = left
    ties = read_ties(options.ties, graph, facts.players)
    endless = float(facts.endless) if math.isfinite(facts.endless) else 0.0
    game = turn_graph(graph)
    parts = found.number, found.rows, found.start
    report = np.zeros((found.count, 4))
    depth = longest_paths(game)[1]
    chosen = np.flatnonzero(wanted)
    alone = bool(_independent(graph.low, graph.first, graph.child, found.number))
    numbers = endless, float(np.abs(game.reward).max(initial=0)), alone
    arrays = store.value, report, depth
    taken: dict[int, tuple[Array, Array]] = {}

    def task(begin: int, end: int) -> None:
        counters = taken[begin] = Work.counters(ROUNDS)
        rule, about = (ties.mode, ties.player), (*counters, found.cyclic)
        _run(numbers, chosen[begin:end], parts, game, arrays, rule, about)

    step = STEP if alone else len(chosen)
    over_rows(task, len(chosen), options, max(step, 1))
    for begin in sorted(taken):
        work.took_all(*taken[begin])
    _take_up(report, left, store, options.ties, alone=alone)
    if not alone:  # errors add up along a path through components
        level = levels(graph.low, graph.first, graph.child, parts)
        deepest = 1 + int(level.max(initial=0))
        work.policy_error *= deepest
        if work.reply_gain is not None:
            work.reply_gain *= deepest


def _take_up(report: Array, left: Unsolved, store: Vectors, ties: str, *, alone: bool) -> None:
    """Mark components as solved, and put into `work` what was done."""
    found, wanted, work = left
    chosen = np.flatnonzero(wanted)
    fine = np.isfinite(report[chosen, RESIDUAL])
    solved = chosen[fine]
    if not alone and not fine.all():  # what depends on an unsolved one must wait
        solved = chosen[: int(np.argmin(fine))]
    wanted[solved] = False
    rows = int((found.start[solved + 1] - found.start[solved]).sum())
    work.methods[NAME] = work.methods.get(NAME, 0) + rows
    if not len(solved):
        return
    work.residual = max(work.residual, float(report[solved, RESIDUAL].max()))
    store.residual = max(store.residual, work.residual)
    work.policy_error = float(report[solved, ERROR].max())
    gain = float(report[solved, GAIN].max())
    work.reply_gain = gain if math.isfinite(gain) else None
    work.notes += tie_note(int(report[solved, TIED].sum()), ties)


@kernel
def _independent(low: int, first: Ints, child: Ids, number: Int32s) -> bool:
    """Whether no component leads to another one of the same stratum."""
    for row in range(len(first) - 1):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] != number[row]:
                return False
    return True


@kernel
def _run(
    numbers: tuple[float, float, bool],
    chosen: Ints,
    parts: tuple[Int32s, Int32s, Ints],
    game: TurnGraph,
    found: tuple[Floats, Floats, Floats],
    rule: tuple[int, int],
    about: tuple[Ints, Floats, Bools],
) -> None:
    """Solve components; see the module's docstring.

    numbers = (value of endless play, largest reward inside a turn, whether no component leads to
    another one: else it ends with the first that is not solved); found = (values, report, longest
    path through each pattern); about = (how many components took so many rounds, residuals of the
    one that took most, which components are cyclic: others are not counted)."""
    endless, earned, alone = numbers
    rounds, longest, cyclic = about
    residuals = np.empty(ROUNDS)
    value, report, depth = found
    number, order, starts = parts
    players = value.shape[1]
    nodes, fan, widest, most = room(chosen, parts, game)
    flat = np.empty(nodes * padded(2 * players, COLUMNS))
    every = VectorExits(np.empty((fan, players)), np.empty(fan, np.int8))
    option = np.empty((widest + fan, players))
    taken = np.zeros((min(MOST, most), nodes), np.int32)
    for c in chosen:
        members = order[starts[c] : starts[c + 1]]
        m = len(members)
        report[c, RESIDUAL] = np.inf
        unknowns = new_unknowns(m)
        fine = m * players <= MOST
        if not fine or not gather(c, members, number, game, value, unknowns, every):
            if alone:
                continue
            break
        known = np.full((m, players), endless)
        links = np.zeros((m, COLUMNS))
        scratch = flat, option, taken
        system = known, links, residuals
        residual, ties = _iterate(members, game, every, unknowns, system, scratch, rule)
        if residual < 1e-9:
            if cyclic[c]:
                note_rounds(residuals, rounds, longest)
            exits = VectorExits(every.worth[: unknowns.begins[m]], every.column)
            sizes = depth, widest, residual, earned
            far, error, lasts = _distance(members, game, exits, unknowns, known, links, sizes)
            gain = np.inf
            if rule[0] != AVERAGE and far < np.inf:
                policy = taken, error
                gain = reply_gain(members, game, exits, unknowns, known, lasts, policy, flat)
            report[c, RESIDUAL], report[c, TIED] = residual, ties
            report[c, ERROR], report[c, GAIN] = far, gain
            for a in range(m):
                value[game.low + members[a]] = known[a]
        elif not alone:
            break


@kernel
def _iterate(
    members: Int32s,
    game: TurnGraph,
    exits: VectorExits,
    unknowns: Unknowns,
    system: tuple[Floats, Floats, Floats],
    scratch: tuple[Floats, Floats, Int32s],
    rule: tuple[int, int],
) -> tuple[float, int]:
    """(residual, positions with ties that matter) once a policy comes out twice in a row; an
    infinite residual if that does not happen.

    system = (known, links, residuals) gets the values of the policy, the probabilities of ending
    at anchors, and by how much the equations are off after each round; NONE after the last."""
    known, links, residuals = system
    residuals[:] = NONE
    seen = np.empty(ROUNDS, np.int64)
    fixed = np.zeros(known.shape)
    sticky, since = np.int64(0), 0
    for turn in range(ROUNDS):
        # 1. Best steps for the values at hand.
        room = *scratch, sticky
        digest, residual, ties = _choose_all(
            members, game, exits, unknowns, known, (fixed, links), room, rule
        )
        if turn:
            residuals[turn - 1] = residual
        if turn > since and digest == seen[turn - 1]:
            return residual, ties
        # 2. Policies that cycle may do so for ties alone: keep moves that are among the best.
        again = False
        for before in range(since, turn):
            again |= seen[before] == digest
        seen[turn] = digest
        if again and sticky:
            break
        if again:
            sticky, since = np.int64(1), turn
        # 3. Values of the policy.
        if not solve_anchors(fixed, links, unknowns, known):
            break
    return np.inf, 0


@kernel
def _choose_all(
    members: Int32s,
    game: TurnGraph,
    every: VectorExits,
    unknowns: Unknowns,
    known: Floats,
    system: tuple[Floats, Floats],
    scratch: tuple[Floats, Floats, Int32s, np.int64],
    rule: tuple[int, int],
) -> tuple[np.int64, float, int]:
    """(digest of the policy, residual, positions with ties that matter): the best steps in all
    turns of a component, whose affine functions go into system = (constants, factors)."""
    fixed, links = system
    flat, option, taken, sticky = scratch
    nodes, players = taken.shape[1], known.shape[1]
    seed = np.empty((COLUMNS, players))
    digest = np.int64(FNV_OFFSET)
    residual, ties = 0.0, 0
    for a in range(len(members)):
        row, width = members[a], unknowns.width[a]
        seed_of(a, unknowns, known, seed)
        columns = padded(players, width)
        affine = flat[: nodes * columns].reshape(nodes, columns)
        turn = TurnScratch(affine, seed, width, option, taken[a], sticky)
        digest, tied = turn_pass(row, game, exits_of(a, every, unknowns), turn, rule, digest)
        ties += tied
        top = game.start[game.pattern[row] + 1] - game.start[game.pattern[row]] - 1
        for i in range(players):
            total = affine[top, i]
            for k in range(width):
                total += affine[top, players + k] * seed[k, i]
            residual = max(residual, abs(total - known[a, i]))
            fixed[a, i] = affine[top, i]
        for k in range(width):
            links[a, k] = affine[top, players + k]
    return digest, residual, ties


@kernel
def _distance(
    members: Int32s,
    game: TurnGraph,
    exits: VectorExits,
    unknowns: Unknowns,
    known: Floats,
    links: Floats,
    about: tuple[Floats, int, float, float],
) -> tuple[float, float, Floats]:
    """How far the values of a component may be from those of its policy, if all that it leads to
    is exact: the residual of a turn and its rounding, for every expected turn; that residual and
    rounding; and the expected number of turns from each anchor. Infinite if the system is
    singular.

    A node that is a mean of n numbers of size m is off by less than (n + 4) m 2**-53; twice that
    where a number is the sum of a constant and a factor times an unknown. about = (longest path
    through each pattern, most steps of a node, residual, largest reward inside a turn)."""
    depth, widest, residual, earned = about
    pattern, node, first, worth = game.pattern, game.node, game.first, exits.worth
    target, width = unknowns.target, unknowns.width
    m = len(members)
    # 1. The size of the numbers, and the length and width of turns.
    scale, most, fan = 1.0, 0.0, 1
    for row in members:
        most = max(most, depth[pattern[row]])
        here = 0
        for e in range(first[row], first[row + 1]):
            here = here + 1 if e > first[row] and node[e] == node[e - 1] else 1
            fan = max(fan, here)
    for a in range(m):
        for i in range(known.shape[1]):
            scale = max(scale, abs(known[a, i]))
    for x in range(len(worth)):
        for i in range(known.shape[1]):
            scale = max(scale, abs(worth[x, i]))
    # 2. The expected number of turns: (1 - links) n = 1.
    system = np.zeros((m, m + 1))
    for a in range(m):
        system[a, a] += 1.0
        system[a, m] = 1.0
        for k in range(width[a]):
            system[a, target[a, k]] -= links[a, k]
    regular = eliminated(system, SINGULAR)
    lasts = system[:, m].copy()
    # 3. Proof that they are right within 1 %: n - links n > 0.99, n > 0.
    for a in range(m):
        rest = lasts[a]
        for k in range(width[a]):
            rest -= links[a, k] * lasts[target[a, k]]
        regular = regular and rest > 0.99 and lasts[a] > 0.0
    if not regular:
        return np.inf, np.inf, lasts
    scale += earned * most  # what is earned inside a turn
    error = residual + 2.5e-16 * (widest + fan + 8) * (most + 2.0) * scale
    return 1.02 * lasts.max() * error, error, lasts
