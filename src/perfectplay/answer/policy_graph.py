"""PolicyGraph: the graph of play in which players keep to policies.

`JoinedStrata` is a game as one graph, with its positions; `PolicyEdges` turns a policy
(policies.py) into the edges that it takes at a row; `follow` makes the graph in which a row of a
player who follows a policy has these edges only. A row with several of them becomes one of chance.

Rows are shared between players wherever players are renamed along an edge, so a row alone does not
tell who sits where. Rows of the new graph are therefore **nodes**, row * seats + seat: `seat` is
the player of the row's frame who follows the policy, the others do something else. Along an edge
with swap s a seat becomes (seat - s) mod players, as strata/graph.py says. If all follow the same
policy, there is one seat, and nodes are rows. Only nodes that can be reached from the start are
kept, and a policy is asked nowhere else.
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.answer.policies import Policy, choices, policy_name
from perfectplay.compiled.arrays import Array, distinct
from perfectplay.errors import UsageError
from perfectplay.positions.batch import Expander
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.rules.game import CHANCE, Game
from perfectplay.strata.graph import Graph


@dataclass(frozen=True)
class Chosen:
    """The edges to take at some rows, those of one row after those of the other."""

    count: Array
    """int64[n]: how many each row has."""
    edge: Array
    weight: Array
    """int64[e]: how often an edge is taken, compared with the others of its row."""

    @classmethod
    def single(cls, edge: Array) -> "Chosen":
        """One edge for each row."""
        once = np.ones(len(edge), np.int64)
        return cls(once, edge, once)


Chooser = Callable[[Array], Chosen]


@dataclass
class JoinedStrata:
    """All strata of a game as one graph, ids being rows."""

    rules: Expander
    starts: list[int] = field(default_factory=lambda: [0])
    """The first row of each stratum, lowest first, and the number of rows."""
    positions: list[Any] = field(default_factory=list)
    """The positions of each stratum."""
    parts: list[Graph] = field(default_factory=list)

    def add(self, stratum: FoundStratum, moves: Graph) -> None:
        """Take the next stratum."""
        self.starts.append(moves.low + moves.size)
        self.positions.append(stratum.positions)
        self.parts.append(moves)

    def graph(self) -> Graph:
        """The graph of all strata, which are given up."""
        parts, self.parts = self.parts, []
        counts = np.concatenate([np.diff(part.first) for part in parts])

        def edges(name: str) -> Array:
            arrays = [(getattr(part, name), part.edges) for part in parts]
            return np.concatenate([_spread(array, size) for array, size in arrays])

        return Graph(
            low=0,
            kind=np.concatenate([part.kind for part in parts]),
            payoff=np.concatenate([part.payoff for part in parts]),
            first=_first(counts),
            child=np.concatenate([part.child for part in parts]),
            swap=edges("swap"),
            weight=edges("weight"),
            reward=edges("reward"),
            anchor=np.concatenate([_spread(part.anchor, part.size) for part in parts]),
        )

    def position(self, row: int) -> Any:
        """The position of a row."""
        stratum = int(np.searchsorted(self.starts, row, "right")) - 1
        return self.rules.position(self.positions[stratum][row - self.starts[stratum]])

    def row(self, q: Any) -> int | None:
        """The row of a representative; None if it cannot arise."""
        for start, positions in zip(self.starts, self.positions, strict=False):
            if isinstance(positions, np.ndarray):
                key = np.array(q if isinstance(q, tuple) else (q,), np.int64)
                found = np.flatnonzero((positions == key).all(axis=1))
                if len(found):
                    return start + int(found[0])
            elif q in positions:
                return start + int(positions.index(q))
        return None


def _spread(array: Array, size: int) -> Array:
    """An array that may hold one element for all, with one for each."""
    return array if len(array) == size else np.broadcast_to(array[:1], (size, *array.shape[1:]))


def _first(counts: Array) -> Array:
    first = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=first[1:])
    return first


def _ranges(begin: Array, count: Array) -> Array:
    """begin[0], begin[0] + 1, …, count[0] of them; then those of begin[1], and so on."""
    ends = np.cumsum(count)
    numbers: Array = np.repeat(begin - (ends - count), count) + np.arange(count.sum())
    return numbers


# -- Policies. ------------------------------------------------------------------------------------


ASKED_TWICE = 64
"""Moves of a policy, at least, that are asked for once more: they must be the same."""


class PolicyEdges:
    """A policy as edges: it is asked once at every row that matters."""

    def __init__(self, game: Game, policy: Policy, whole: JoinedStrata, first: Array) -> None:
        self.game, self.policy, self.whole, self.first = game, policy, whole, first
        self.begin = np.full(len(first) - 1, -1, np.int64)
        """Where the edges of a row begin in `_edge`; -1 where the policy was not asked."""
        self.count = np.zeros(len(first) - 1, np.int64)
        self._edge, self._weight = array("q"), array("q")

    @property
    def asked(self) -> Array:
        """The rows at which the policy was asked."""
        return np.flatnonzero(self.begin >= 0)

    def __call__(self, rows: Array) -> Chosen:
        """The edges that the policy takes at some rows."""
        for row in rows[self.begin[rows] < 0].tolist():
            if self.begin[row] < 0:
                self._ask(row)
        count = self.count[rows]
        taken = _ranges(self.begin[rows], count)
        edge, weight = (np.frombuffer(each, np.int64) for each in (self._edge, self._weight))
        return Chosen(count, edge[taken], weight[taken])

    def _ask(self, row: int) -> None:
        p = self.whole.position(row)
        made = choices(self.game, self.policy, p)
        if len(self._edge) < ASKED_TWICE and choices(self.game, self.policy, p) != made:
            raise UsageError(
                f"the policy {policy_name(self.policy)} does not make the same move every time at "
                f"{self.game.text(p)}",
                "to choose at random, return all moves that may be made, each with its weight: "
                "{move: weight}",
            )
        self.begin[row], self.count[row] = len(self._edge), len(made)
        first = int(self.first[row])
        for number, weight in made:
            self._edge.append(first + number)
            self._weight.append(weight)


# -- The graph. -----------------------------------------------------------------------------------


@dataclass
class PolicyGraph:
    """The graph of play in which policies are followed."""

    seats: int
    nodes: Array
    """int64[n]: row * seats + seat of each row of the graph, in ascending order."""
    graph: Graph
    own: Array
    """bool[n]: rows where a player follows the policy that is looked at."""
    edge: Array
    """int64[e]: which edge of the whole game each edge is."""
    mixed: bool
    """Whether somebody follows a policy that takes one of several edges at a row."""

    def edges_of(self, rows: Array) -> tuple[Array, Array]:
        """All edges of some rows of this graph, and how many each row has."""
        first = self.graph.first
        count = first[rows + 1] - first[rows]
        return _ranges(first[rows], count), count

    def place(self, row: int, seat: int) -> int:
        """The row of this graph that stands for a row of the game and a seat."""
        return int(np.searchsorted(self.nodes, row * self.seats + seat))

    def strata(self, starts: list[int]) -> Iterator[Graph]:
        """The graph cut into the strata that begin with the given rows of the game."""
        cuts = np.searchsorted(self.nodes, np.array(starts) * self.seats)
        graph = self.graph
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            if low < high:
                begin, end = int(graph.first[low]), int(graph.first[high])
                yield Graph(
                    low=low,
                    kind=graph.kind[low:high],
                    payoff=graph.payoff[low:high],
                    first=graph.first[low : high + 1] - begin,
                    child=graph.child[begin:end],
                    swap=graph.swap[begin:end],
                    weight=graph.weight[begin:end],
                    reward=graph.reward[begin:end],
                    anchor=graph.anchor[low:high],
                )


@dataclass
class _Walk:
    """Who takes which edges, from node to node."""

    whole: Graph
    seats: int
    mine: Chooser | None
    others: Chooser | None

    def own(self, nodes: Array) -> Array:
        """bool[n]: nodes at which the player who follows the policy moves."""
        rows, seat = np.divmod(nodes, self.seats)
        kind = self.whole.kind[rows]
        moving: Array = (kind >= 0) & ((kind == seat) | (self.seats == 1))
        return moving

    def held(self, nodes: Array) -> Array:
        """bool[n]: nodes at which a player follows a policy, or whatever else was chosen."""
        moving: Array = self.whole.kind[nodes // self.seats] >= 0
        own = self.own(nodes)
        return moving & ((own & (self.mine is not None)) | (~own & (self.others is not None)))

    def edges(self, nodes: Array) -> Chosen:
        """The edges of some nodes."""
        rows = nodes // self.seats
        begin = self.whole.first[rows]
        count = self.whole.first[rows + 1] - begin
        own = self.own(nodes)
        parts = []
        for chooser, moving in ((self.mine, own), (self.others, self.held(nodes) & ~own)):
            if chooser is not None and moving.any():
                parts.append((moving, chooser(rows[moving])))
                count[moving] = parts[-1][1].count
        edge = _ranges(begin, count)
        weight = self.whole.weight[edge]
        place = np.cumsum(count) - count
        for moving, chosen in parts:
            places = _ranges(place[moving], chosen.count)
            edge[places], weight[places] = chosen.edge, chosen.weight
        return Chosen(count, edge, weight)

    def children(self, nodes: Array, taken: Chosen) -> Array:
        """The nodes that edges lead to."""
        seat = np.repeat(nodes % self.seats, taken.count) - self.whole.swap[taken.edge]
        child = self.whole.child[taken.edge].astype(np.int64)
        below: Array = child * self.seats + seat % self.seats
        return below


def follow(
    whole: Graph,
    starts: list[tuple[int, int]],
    seats: int,
    mine: Chooser | None,
    others: Chooser | None,
) -> PolicyGraph:
    """The graph of all that can arise from `starts`, (row, seat) each, if players on their seat
    take the edges that `mine` says, and the others those that `others` says (None: any)."""
    walk = _Walk(whole, seats, mine, others)
    seen = np.zeros(whole.size * seats, np.bool_)
    new = distinct(np.array([row * seats + seat for row, seat in starts], np.int64))
    while len(new):
        seen[new] = True
        below = walk.children(new, walk.edges(new))
        new = distinct(below[~seen[below]])
    nodes = np.flatnonzero(seen)
    taken = walk.edges(nodes)
    rows = nodes // seats
    mixed = walk.held(nodes) & (taken.count > 1)
    graph = Graph(
        low=0,
        kind=np.where(mixed, np.int8(CHANCE), whole.kind[rows]),
        payoff=whole.payoff[rows],
        first=_first(taken.count),
        child=np.searchsorted(nodes, walk.children(nodes, taken)).astype(np.uint32),
        swap=whole.swap[taken.edge],
        weight=taken.weight,
        reward=whole.reward[taken.edge],
        anchor=whole.anchor[rows],
    )
    return PolicyGraph(seats, nodes, graph, walk.own(nodes), taken.edge, bool(mixed.any()))
