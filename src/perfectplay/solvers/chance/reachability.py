"""Which rows of a component can reach an exit, and where play can be kept inside for ever."""

import numpy as np

from perfectplay.compiled.arrays import Bools, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import LocalGraph

BOTH = 2
"""As the number of a player: both players are free to choose."""


@kernel
def toward_exit(local: LocalGraph, usable: Bools) -> Ints:
    """For each row a usable edge that brings the exit nearer if everybody helps; -1 if none
    does."""
    first, to = local.first, local.to
    m = len(local.kind)
    edge = np.full(m, -1, np.int64)
    left, before = m, m + 1
    while 0 < left < before:
        before = left
        for i in range(m):
            if edge[i] >= 0:
                continue
            for e in range(first[i], first[i + 1]):
                if usable[e] and (to[e] < 0 or edge[to[e]] >= 0):
                    edge[i] = e
                    left -= 1
                    break
    return edge


@kernel
def progress_choice(local: LocalGraph) -> tuple[Ints, bool]:
    """For each row an edge that brings the exit nearer, or its first one; and whether every row
    can reach an exit."""
    edge = toward_exit(local, np.ones(len(local.to), np.bool_))
    fine = True
    for i in range(len(edge)):
        fine = fine and edge[i] >= 0
        if edge[i] < 0:
            edge[i] = local.first[i]
    return edge, fine


@kernel
def kept_edges(local: LocalGraph, player: int, choice: Ints) -> Bools:
    """The edges that are left if `player` keeps their choices; with BOTH, all of them."""
    usable = np.ones(len(local.to), np.bool_)
    for i in range(len(local.kind)):
        if local.kind[i] == player:
            usable[local.first[i] : local.first[i + 1]] = False
            usable[choice[i]] = True
    return usable


@kernel
def prune(local: LocalGraph, usable: Bools, alive: Bools) -> None:
    """Remove rows that cannot stay inside: chance rows that may leave, and players' rows without
    a usable edge to a row that can."""
    kind, first, to = local.kind, local.first, local.to
    changed = True
    while changed:
        changed = False
        for i in range(len(kind)):
            inside = 0
            for e in range(first[i], first[i + 1]):
                usable[e] = usable[e] and alive[i] and to[e] >= 0 and alive[max(to[e], 0)]
                inside += usable[e]
            if alive[i] and (inside == 0 or (kind[i] < 0 and inside < first[i + 1] - first[i])):
                alive[i] = False
                changed = True


@kernel
def staying(local: LocalGraph, player: int, choice: Ints) -> Bools:
    """The rows where play can be kept inside for ever while `player` keeps their choices."""
    stays = np.ones(len(local.kind), np.bool_)
    prune(local, kept_edges(local, player, choice), stays)
    return stays
