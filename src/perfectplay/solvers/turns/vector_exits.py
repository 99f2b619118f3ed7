"""What newton.py needs besides the walk through a turn: scratch sizes, the values of exits, and
the linear system of the anchors."""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import eliminated
from perfectplay.solvers.turns.turn_graph import COLUMNS, HALF, TurnGraph, column_of

SINGULAR = 1e-9
"""A system with a pivot no larger than this counts as singular."""


class Unknowns(NamedTuple):
    """How the turns of a component depend on its anchors: turn a on anchor target[a, k], reached
    with swap shift[a, k], for k < width[a]."""

    target: Ints
    shift: Ints
    width: Ints
    begins: Ints
    """[m + 1]: where the exits of each turn begin."""


class VectorExits(NamedTuple):
    """The exits of one or more turns: a number, plus an unknown or nothing."""

    worth: Floats
    """[x, players]: the value of an exit that leaves the component; else its reward."""
    column: Array
    """int8[x]: the unknown k it leads to; -1: it leaves the component."""


@kernel
def padded(players: int, unknowns: int) -> int:
    """How many columns hold a number for each player and each unknown, rounded up to HALF."""
    return (players + unknowns + HALF - 1) // HALF * HALF


@kernel
def room(
    chosen: Ints, parts: tuple[Int32s, Int32s, Ints], game: TurnGraph
) -> tuple[int, int, int, int]:
    """The most nodes of a turn, exits of a component, steps of a node, and rows of a component."""
    start, inner, first, pattern = game.start, game.inner, game.first, game.pattern
    _, rows, starts = parts
    nodes, fan, widest, most = 1, 1, 0, 0
    for c in chosen:
        most = max(most, starts[c + 1] - starts[c])
        leaving = 0
        for row in rows[starts[c] : starts[c + 1]]:
            if pattern[row] >= 0:
                nodes = max(nodes, start[pattern[row] + 1] - start[pattern[row]])
                leaving += first[row + 1] - first[row]
        fan = max(fan, leaving)
    for node in range(len(inner) - 1):
        widest = max(widest, inner[node + 1] - inner[node])
    return nodes, fan, widest, most


@kernel
def new_unknowns(m: int) -> Unknowns:
    """Room for the unknowns of a component with m anchors."""
    target, shift = np.zeros((m, COLUMNS), np.int64), np.zeros((m, COLUMNS), np.int64)
    return Unknowns(target, shift, np.zeros(m, np.int64), np.zeros(m + 1, np.int64))


@kernel
def gather(
    c: int,
    members: Int32s,
    number: Int32s,
    game: TurnGraph,
    value: Floats,
    unknowns: Unknowns,
    exits: VectorExits,
) -> bool:
    """Fill in the exits of component c: numbers, or its anchors as unknowns; False if a turn leads
    to too many different ones."""
    low, first, child, swap, rewards = (
        game.low, game.first, game.child, game.swap, game.exit_reward
    )  # fmt: skip
    target, shift, width, begins = unknowns
    worth, column = exits
    players = value.shape[1]
    every_swap = -1 if len(swap) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    for a in range(len(members)):
        row = members[a]
        begins[a + 1] = begins[a] + first[row + 1] - first[row]
        for e in range(first[row], first[row + 1]):
            x = begins[a] + e - first[row]
            s = np.int64(swap[e & every_swap])
            id = np.int64(child[e])
            inside = id >= low and number[id - low] == c
            for i in range(players):
                worth[x, i] = rewards[e & every_reward, i]
                if not inside:
                    worth[x, i] += value[id, i - s if i >= s else i - s + players]
            column[x] = -1
            if inside:
                other = 0
                while members[other] != id - low:
                    other += 1
                k = column_of(a, other, s, target, shift, width)
                if k == COLUMNS:
                    return False
                column[x] = k
    return True


@kernel
def exits_of(a: int, exits: VectorExits, unknowns: Unknowns) -> VectorExits:
    """The exits of turn a."""
    begin, end = unknowns.begins[a], unknowns.begins[a + 1]
    return VectorExits(exits.worth[begin:end], exits.column[begin:end])


@kernel
def seed_of(a: int, unknowns: Unknowns, known: Floats, seed: Floats) -> None:
    """Put into seed[k] the value of unknown k of turn a to each player, if anchors have the values
    `known`."""
    target, shift, width, _ = unknowns
    players = known.shape[1]
    for k in range(width[a]):
        s = shift[a, k]
        for i in range(players):
            seed[k, i] = known[target[a, k], i - s if i >= s else i - s + players]


@kernel
def solve_anchors(fixed: Floats, links: Floats, unknowns: Unknowns, known: Floats) -> bool:
    """Put the anchors' values under a policy into `known`; False if there is no single solution.

    The equations: x[a, i] = fixed[a, i] + sum of links[a, k] x[target[a, k], i - shift[a, k]]."""
    target, shift, width, _ = unknowns
    m, players = fixed.shape
    size = m * players
    system = np.zeros((size, size + 1))
    for a in range(m):
        for i in range(players):
            at = a * players + i
            system[at, at] += 1.0
            for k in range(width[a]):
                other = i - shift[a, k]
                other = other if other >= 0 else other + players
                system[at, target[a, k] * players + other] -= links[a, k]
            system[at, size] = fixed[a, i]
    if not eliminated(system, SINGULAR):
        return False
    known[:] = system[:, size].copy().reshape(m, players)
    return True
