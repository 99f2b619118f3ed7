"""Whether cycles run by turns: properties P1 and P2 of Glenn, Fang and Kruskal (2009, 3.2).

A cyclic component falls apart into the positions of each player, rolls and moves.

    P1   no player's positions alone form a cycle
    P2   all edges that leave a player's positions end at one and the same position of the next
         player: the anchor

Then all values of the component are functions of one anchor a player, and the paper's Algorithm 3
applies as it stands. (The solvers here need neither: they find a few positions that every cycle
passes through.) Can't Stop and Pig have both properties.

An edge may rename players, so that a row stands for positions of all of them: nodes here are rows
with how far players are renamed. Graphs do not say whose roll a row of chance is. It is the roll
of whom it leads to, or of whom it comes from; the properties are found if they hold for all such
rows read in one of these ways, or for anchors that the rules name in the first and for others in
the second."""

from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Graph

PASSES = 1_000
"""How often owners are handed on from row to row."""


@dataclass(frozen=True)
class TurnStructure:
    """How many cyclic components there are, and how many have each property."""

    cyclic: int = 0
    turn_based: int = 0
    """With P1."""
    one_anchor: int = 0
    """With P1 and P2."""

    def __add__(self, other: "TurnStructure") -> "TurnStructure":
        return TurnStructure(
            self.cyclic + other.cyclic,
            self.turn_based + other.turn_based,
            self.one_anchor + other.one_anchor,
        )


def turn_structure(graph: Graph, players: int) -> TurnStructure:
    """The cyclic components of a stratum by their properties; components that differ in the names
    of players are counted each."""
    if not graph.inside:
        return TurnStructure()
    nodes = _Nodes(graph, players)
    found = nodes.found
    turn_based = np.zeros(found.count, np.bool_)
    one_anchor = np.zeros(found.count, np.bool_)
    anchor = nodes.anchor
    for forward in (np.ones_like(anchor), np.zeros_like(anchor), anchor):
        owner = nodes.owners(forward)
        first = nodes.acyclic_alone(owner)
        turn_based |= first
        one_anchor |= first & nodes.one_exit(owner)
    here = found.cyclic
    counts = (int((here & each).sum()) for each in (turn_based, one_anchor))
    return TurnStructure(int(here.sum()), *counts)


class _Nodes:
    """Rows with how far players are renamed, and the edges that stay in cyclic components."""

    def __init__(self, graph: Graph, players: int) -> None:
        swap = np.broadcast_to(graph.swap, graph.edges).astype(np.int64)
        inside = graph.child >= graph.low
        shifts = players if swap[inside].any() else 1
        rows = np.repeat(np.arange(graph.size), np.diff(graph.first))[inside]
        child = graph.child[inside].astype(np.int64) - graph.low
        turned = np.arange(shifts)
        self.players, self.size = players, graph.size * shifts
        source = (rows[:, None] * shifts + turned).ravel()
        to = (child[:, None] * shifts + (turned + swap[inside][:, None]) % shifts).ravel()
        kind = np.repeat(graph.kind.astype(np.int64), shifts)
        renamed = np.tile(turned, graph.size)
        self.mover = np.where(kind >= 0, (kind + renamed) % players, -1)
        self.anchor = np.repeat(np.broadcast_to(graph.anchor, graph.size).astype(bool), shifts)
        self.found: Components = components(self._graph(source, to))
        number = self.found.number
        kept = (number[source] == number[to]) & self.found.cyclic[number[source]]
        self.source, self.to = source[kept], to[kept]

    def _graph(self, source: Array, to: Array) -> Graph:
        """A graph of these edges alone."""
        order = np.argsort(source, kind="stable")
        first = np.zeros(self.size + 1, np.int64)
        np.cumsum(np.bincount(source, minlength=self.size), out=first[1:])
        none = np.zeros(1, np.int64)
        return Graph(
            low=0,
            kind=np.zeros(self.size, np.int8),
            payoff=none,
            first=first,
            child=to[order].astype(np.uint32),
            swap=none.astype(np.uint8),
            weight=none,
            reward=none,
            anchor=none.astype(np.uint8),
        )

    def owners(self, forward: Array) -> Array:
        """int64[n]: whose roll or move a node is, -1 if that is not found. A roll is that of whom
        it leads to where `forward` says so, else of whom it comes from; if these are several, or
        nobody, the other way round."""
        owner = self.mover.copy()
        for ways in ((forward, ~forward), (~forward, forward)):
            for _ in range(PASSES):
                ahead = self._agreed(owner, self.source, self.to)
                behind = self._agreed(owner, self.to, self.source)
                fresh = np.where(ways[0], ahead, np.where(ways[1], behind, -1))
                new = np.where(owner >= 0, owner, fresh)
                if (new == owner).all():
                    break
                owner = new
        return owner

    def _agreed(self, owner: Array, nodes: Array, others: Array) -> Array:
        """int64[n]: the one owner of all that edges join each node with; -1 if there are several,
        or none is known."""
        known = owner[others] >= 0
        least = np.full(self.size, self.players)
        most = np.full(self.size, -1)
        np.minimum.at(least, nodes[known], owner[others][known])
        np.maximum.at(most, nodes[known], owner[others][known])
        return np.where(least == most, most, -1)

    def acyclic_alone(self, owner: Array) -> Array:
        """bool[k]: components in which nobody's positions alone form a cycle."""
        number = self.found.number
        good = np.ones(self.found.count, np.bool_)
        good[number[(owner < 0) & self.found.cyclic[number]]] = False
        own = owner[self.source] == owner[self.to]
        alone = components(self._graph(self.source[own], self.to[own]))
        good[number[alone.cyclic[alone.number]]] = False
        return good

    def one_exit(self, owner: Array) -> Array:
        """bool[k]: components in which all edges that leave a player's positions end at one
        position of the next player."""
        number = self.found.number
        good = np.ones(self.found.count, np.bool_)
        across = owner[self.source] != owner[self.to]
        source, to = self.source[across], self.to[across]
        good[number[source[(owner[source] + 1) % self.players != owner[to]]]] = False
        leaving = number[source].astype(np.int64) * self.players + owner[source]
        least = np.full(self.found.count * self.players, self.size)
        most = np.full(self.found.count * self.players, -1)
        np.minimum.at(least, leaving, to)
        np.maximum.at(most, leaving, to)
        several = np.flatnonzero((most >= 0) & (least != most))
        good[several // self.players] = False
        return good
