"""Value iteration, the naive way to solve a cyclic component: for comparison with better ones.

Glenn, Fang and Kruskal (2009), Algorithm 2: guess the values of the anchors, work out all other
positions in one sweep, children first, take what comes out at the anchors as the next guess, and
so on until nothing changes. The error shrinks by a factor in every round, so that the values are
never reached, and how near they are is not known: whoever calls this proves bounds afterwards, or
reports a residual.
"""

import numpy as np

from perfectplay.compiled.arrays import Bytes, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import FlatGraph
from perfectplay.solvers.chance.anchors import greedy_sweep
from perfectplay.solvers.chance.local import LocalGraph, progress_choice
from perfectplay.solvers.players.vector_rows import sweep
from perfectplay.solvers.work import Work

ROUNDS = 100_000
"""After so many rounds it is given up."""
STILL = 2.3e-16
"""A change of no more than this, relative to the largest value, counts as none."""


@kernel
def scalar_rounds(
    local: LocalGraph, chance: Floats, scale: float, residuals: Floats
) -> tuple[Ints, int]:
    """The choices of both players when the anchors have come to rest, and after how many rounds;
    residuals[r] is the largest change of an anchor in round r."""
    anchor = local.anchor
    choice, _ = progress_choice(local)
    value = np.zeros(len(local.kind))
    guess = np.zeros(len(local.kind))
    for step in range(len(residuals)):
        greedy_sweep(local, chance, guess, choice, value, 1e-14 * scale)
        change = 0.0
        for a in anchor:
            change = max(change, abs(value[a] - guess[a]))
            scale = max(scale, abs(value[a]))
            guess[a] = value[a]
        residuals[step] = change
        if change <= STILL * scale:
            return choice, step + 1
    return choice, len(residuals)


@kernel
def vector_rounds(
    graph: FlatGraph,
    members: Int32s,
    value: Floats,
    pick: Bytes,
    rule: tuple[int, int, int],
    residuals: Floats,
) -> int:
    """Sweep through a component of a game with several players until its values come to rest;
    after how many rounds. residuals[r] is the largest change of a value in round r; the policy
    goes into `pick`."""
    low, players = graph.low, value.shape[1]
    widest = 1
    for row in members:
        widest = max(widest, graph.first[row + 1] - graph.first[row])
    before = np.empty((len(members), players))
    for step in range(len(residuals)):
        for k in range(len(members)):
            before[k] = value[low + members[k]]
        sweep(graph, widest, members, value, pick, rule)
        change, scale = 0.0, 1.0
        for k in range(len(members)):
            for i in range(players):
                change = max(change, abs(value[low + members[k], i] - before[k, i]))
                scale = max(scale, abs(before[k, i]))
        residuals[step] = change
        if change <= STILL * scale:
            return step + 1
    return len(residuals)


def note(work: Work, residuals: Floats, rounds: int, positions: int) -> None:
    """Take note of the rounds that a component took, and whether it came to rest at all."""
    work.took(residuals[:rounds].tolist())
    if rounds == len(residuals):
        work.notes.append(
            f"{positions} positions did not come to rest by value iteration in {rounds:,} rounds"
        )
