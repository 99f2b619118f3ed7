"""The components of a stratum, one by one, as solvers of games with chance need them."""

import math
from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.solvers.backward import degrees, flat
from perfectplay.solvers.chance import anchors, strategy_iteration, sweeps
from perfectplay.solvers.chance.certify import opposite
from perfectplay.solvers.chance.local import BOTH, LocalGraph, localise, staying
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Graph

BACKWARD, ANCHORS, STRATEGY, EXACT = "backward pass", "anchors", "strategy iteration", "exact"
NAIVE = "value iteration"
"""How positions were solved, in reports."""


class StratumComponents:
    """The components of a stratum, and each by itself."""

    def __init__(self, graph: Graph) -> None:
        self.flat = flat(graph)
        self.found: Components = components(graph)
        self.degree = degrees(self.flat, self.found.number)
        self.place = np.empty(2 * graph.size, np.int32)

    def local(self, c: int, bounds: tuple[Array, Array]) -> LocalGraph:
        """Component c with the bounds of what it leads to."""
        rows = self.found.rows[self.found.start[c] : self.found.start[c + 1]]
        root = sweeps.root_of(self.flat, rows, self.degree)
        return LocalGraph(*localise(self.flat, self.found.number, rows, root, self.place, bounds))


@dataclass
class Cyclic:
    """One cyclic component, without the rows from which play cannot be ended."""

    alive: Array
    """Which rows of the component are left."""
    local: LocalGraph
    edges: Array
    """Numbers of the edges of `local` among those of the whole component."""


def prepare(graph: Graph, local: LocalGraph, endless: float) -> Cyclic:
    """Cut off what cannot be ended, and make sure that endless play has a value."""
    alive = np.ones(len(local.kind), np.bool_)
    part, edges = local, np.arange(len(local.to))
    if endless == -math.inf:
        alive = strategy_iteration.ending(local)
        if not (alive.all() and np.isfinite(local.below).all()):
            part, edges = strategy_iteration.restrict(local, alive)
    if endless not in (0.0, -math.inf) and not _one_frame(local):
        raise RulesError(
            f"endless play is worth {endless} to player 0, but players are renamed on the way",
            "make endless play a draw, or do not rename players in `representative`",
        )
    row = strategy_iteration.earning_loop(part, endless)
    if row is not None:
        raise RulesError(
            f"endless play would earn without limit: position {graph.low + (part.node[row] >> 1)} "
            "lies on a loop with a reward",
            "give rewards only on moves that cannot be repeated for ever, or use `payoff`",
        )
    return Cyclic(alive, part, edges)


def _one_frame(local: LocalGraph) -> bool:
    """Whether all positions of a component have the same players, or play cannot be endless."""
    same = bool((local.node & 1 == local.node[0] & 1).all())
    return same or not staying(local, BOTH, local.first[:-1]).any()


def guessed(local: LocalGraph, endless: float) -> Array | None:
    """Choices of both players that are likely to be optimal, found in floats."""
    chance, scale = anchors.chances(local)
    if len(local.anchor) <= anchors.MOST and scale < math.inf:
        residuals = np.empty(anchors.ROUNDS)
        choice, _, _, _, fine = anchors.newton(local, chance, scale, residuals)
        if fine:
            return np.asarray(choice)
    mine = strategy_iteration.policy_of(local, endless)
    other = strategy_iteration.policy_of(opposite(local), -endless)
    if mine is None or other is None:
        return None
    return np.where(local.kind == 0, mine[0], other[0])
