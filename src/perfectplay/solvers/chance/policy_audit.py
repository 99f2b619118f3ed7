"""Audit: the moves that go into a table, chosen so that they make progress, and evaluated again.

Values come from one computation, moves are read off them, and what these moves are worth is found
by another: all players are held to their moves, and what is left, a game without choices, is
solved from the bottom up beside the real one. If the moves did not achieve the values (as greedy
moves that go round a cycle would not), the two would differ by more than both intervals allow.
"""

import numpy as np

from perfectplay.errors import VerificationError
from perfectplay.solvers.chance.policy import fixed, policy
from perfectplay.solvers.chance.stochastic import solve
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.graph import Facts, Graph

TOLERANCE = 1e-9
"""Relative to the value: far above all rounding, far below what a wrong move costs."""


class Audit:
    """Fills the column of moves and follows what they are worth."""

    def __init__(self, facts: Facts, store: Bounds | Fractions) -> None:
        self.facts = facts
        self.store = store
        size = len(store.value) if isinstance(store, Fractions) else len(store.lower)
        self._achieved = Bounds(np.zeros(size), np.zeros(size))
        self._known = 0

    def look(self, graph: Graph, work: Work) -> None:
        """Choose moves for a solved stratum and evaluate them; `work` gets the gap."""
        self._take_up(graph.low)
        choice = policy(graph, self.facts, self.store)
        assert self.store.move is not None
        high = graph.low + graph.size
        moves = np.where(choice >= 0, choice - graph.first[:-1], -1)
        self.store.move[graph.low : high] = moves
        solve(fixed(graph, choice), self.facts, self._achieved, Options())
        work.gap = self._gap(graph.low, high)
        self._known = high

    def _take_up(self, low: int) -> None:
        """Strata that an earlier run had solved: their moves were found good then."""
        if self._known < low:
            lower, upper = self._values(self._known, low)
            self._achieved.lower[self._known : low] = lower
            self._achieved.upper[self._known : low] = upper

    def _values(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(self.store, Bounds):
            return self.store.lower[low:high], self.store.upper[low:high]
        floats = np.array([float(numbers[0]) for numbers in self.store.value[low:high]])
        return floats, floats

    def _gap(self, low: int, high: int) -> float:
        """How far apart values and what the moves achieve may be."""
        lower, upper = self._values(low, high)
        achieved = self._achieved
        most = np.maximum(upper, achieved.upper[low:high])
        least = np.minimum(lower, achieved.lower[low:high])
        with np.errstate(invalid="ignore"):
            apart = np.where(most == least, 0.0, most - least)
        scale = np.maximum(1.0, np.abs(np.where(np.isfinite(least), least, 1.0)))
        worst = int(np.argmax(apart / scale)) if len(apart) else 0
        if len(apart) and not apart[worst] <= TOLERANCE * scale[worst]:
            raise VerificationError(
                f"the best moves of position {low + worst} achieve between "
                f"{achieved.lower[low + worst]!r} and {achieved.upper[low + worst]!r}, but its "
                f"value lies between {lower[worst]!r} and {upper[worst]!r}",
                "this is a fault of the solver: please report it with the rules",
            )
        return float(apart.max(initial=0.0))


def try_moves(graph: Graph, facts: Facts, store: Bounds | Fractions, work: Work) -> None:
    """Try the moves of a graph that a solver made by itself."""
    Audit(facts, store).look(graph, work)
