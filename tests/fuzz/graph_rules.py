"""Rules that read a graph from their fields, so that one compiled class serves all random games.

Tuples of rules are read when compiled code runs; arrays would be fixed when it is compiled, and
every game would be compiled anew. All tuples have the same length, whatever the game."""

from __future__ import annotations

from dataclasses import dataclass

from perfectplay.rules.game import OVER, Game

NODES, EDGES = 10, 28
"""Room for so many nodes, and edges, of a graph."""
Numbers = tuple[int, ...]


@dataclass(frozen=True)
class GraphRules(Game):
    """Alternate play over a graph: a position is the number of a node."""

    nodes: Numbers = (OVER,) * NODES
    """Who moves at a node, CHANCE, or OVER."""
    paid: Numbers = (0,) * NODES
    """What an ended node pays player 0 of its frame."""
    paid_second: Numbers = (0,) * NODES
    """The same to player 1, and to player 2, where payoffs are tuples."""
    paid_third: Numbers = (0,) * NODES
    first_edge: Numbers = (0,) * (NODES + 1)
    child: Numbers = (0,) * EDGES
    shift: Numbers = (0,) * EDGES
    """By how many seats an edge turns the players, where seats are turned."""
    weight: Numbers = (1,) * EDGES
    earned: Numbers = (0,) * EDGES
    """What a move earns who makes it."""
    height: Numbers = (0,) * NODES
    """The stratum of each node."""
    first_nodes: Numbers = (0,)
    players: int = 2
    minimise: bool = False
    endless: int | None = None
    native = True

    def starts(self):
        for node in self.first_nodes:
            yield node

    def moves(self, p):
        for e in range(self.first_edge[p + 1] - self.first_edge[p]):
            yield e

    def play(self, p, m):
        return self.child[self.first_edge[p] + m]

    def payoff(self, p):
        return self.paid[p]

    def reward(self, p, m):
        return self.earned[self.first_edge[p] + m]

    def stratum(self, p):
        return self.height[p]


@dataclass(frozen=True)
class AbsoluteRules(GraphRules):
    """The same with extra turns and chance, for one player or two."""

    def to_move(self, p):
        return self.nodes[p]

    def chances(self, p):
        for e in range(self.first_edge[p], self.first_edge[p + 1]):
            yield self.weight[e], self.child[e]


@dataclass(frozen=True)
class PairRules(AbsoluteRules):
    """Two players whose interests need not be opposed."""

    def payoff(self, p):
        return self.paid[p], self.paid_second[p]


@dataclass(frozen=True)
class ThreeRules(AbsoluteRules):
    """Three players."""

    players: int = 3

    def payoff(self, p):
        return self.paid[p], self.paid_second[p], self.paid_third[p]


@dataclass(frozen=True)
class SeatRules(AbsoluteRules):
    """Two players who exchange seats: a position is (seat, node, copy), and of the same node at
    both seats, and of its two copies, one is stored."""

    def starts(self):
        for node in self.first_nodes:
            yield node % 2, node, (node // 2) % 2

    def to_move(self, p):
        mover = self.nodes[p[1]]
        return mover if mover < 0 else mover ^ p[0]

    def _after(self, p, e):
        return p[0] ^ self.shift[e], self.child[e], e % 2

    def moves(self, p):
        for e in range(self.first_edge[p[1] + 1] - self.first_edge[p[1]]):
            yield e

    def play(self, p, m):
        return self._after(p, self.first_edge[p[1]] + m)

    def chances(self, p):
        for e in range(self.first_edge[p[1]], self.first_edge[p[1] + 1]):
            yield self.weight[e], self._after(p, e)

    def payoff(self, p):
        return self.paid[p[1]] * (1 - 2 * p[0])

    def reward(self, p, m):
        return self.earned[self.first_edge[p[1]] + m]

    def stratum(self, p):
        return self.height[p[1]]

    def representative(self, p):
        return 0, p[1], 0

    def turn(self, p):
        return p[0]
