"""PolicyGraph: the graph of play in which players keep to policies.

A policy is a function `policy(game, p) -> move`. `JoinedStrata` is a game as one graph, with its
positions; `PolicyEdges` turns a policy into the edge that it takes at a row; `follow` makes the
graph in which a row of a player who follows a policy has that edge only.

Rows are shared between players wherever players are renamed along an edge, so a row alone does not
tell who sits where. Rows of the new graph are therefore **nodes**, row * seats + seat: `seat` is
the player of the row's frame who follows the policy, the others do something else. Along an edge
with swap s a seat becomes (seat - s) mod players, as strata/graph.py says. If all follow the same
policy, there is one seat, and nodes are rows. Only nodes that can be reached from the start are
kept, and a policy is asked nowhere else.
"""

import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.positions.batch import Expander
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.rules.game import Game
from perfectplay.strata.graph import Graph

Policy = Callable[[Any, Any], Any]
Chooser = Callable[[Array], Array]
"""The edges to take at some rows."""


@dataclass
class JoinedStrata:
    """All strata of a game as one graph, ids being rows."""

    rules: Expander
    starts: list[int] = field(default_factory=lambda: [0])
    """The first row of each stratum, lowest first, and the number of rows."""
    positions: list[Any] = field(default_factory=list)
    """The positions of each stratum."""
    parts: list[Graph] = field(default_factory=list)

    def add(self, layer: FoundStratum, moves: Graph) -> None:
        """Take the next stratum."""
        self.starts.append(moves.low + moves.size)
        self.positions.append(layer.positions)
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


# -- Policies. ------------------------------------------------------------------------------------


class PolicyEdges:
    """A policy as edges: it is asked once at every row that matters."""

    def __init__(self, game: Game, policy: Policy, whole: JoinedStrata, first: Array) -> None:
        self.game, self.policy, self.whole, self.first = game, policy, whole, first
        self.edge = np.full(len(first) - 1, -1, np.int64)
        """The edge taken at a row; -1 where the policy was not asked."""

    def __call__(self, rows: Array) -> Array:
        """The edges that the policy takes at some rows."""
        for row in rows[self.edge[rows] < 0].tolist():
            if self.edge[row] < 0:
                p = self.whole.position(row)
                self.edge[row] = self.first[row] + move_number(self.game, self.policy, p)
        return self.edge[rows]


def policy_name(policy: Policy) -> str:
    """What a policy is called in messages."""
    return str(getattr(policy, "__name__", None) or type(policy).__name__)


def move_number(game: Game, policy: Policy, p: Any) -> int:
    """Which of the legal moves at `p` the policy makes; UsageError if it makes none of them."""
    name = policy_name(policy)
    try:
        move = policy(game, p)
        moves = list(game.moves(p))
        for number, each in enumerate(moves):
            if type(each) is type(move) and each == move:
                return number
        for number, each in enumerate(moves):
            if each == move:  # say, a NumPy integer
                return number
    except PerfectPlayError:
        raise
    except Exception as error:
        raise _failed(game, name, p, error) from error
    if move is None:
        raise UsageError(
            f"the policy {name} returns None at {game.text(p)}",
            "a function without return gives None: return one of the moves of game.moves(p)",
        )
    legal = ", ".join(repr(each) for each in moves[:8]) + (", …" if len(moves) > 8 else "")
    raise UsageError(
        f"the policy {name} makes the move {move!r} at {game.text(p)}, which is not legal there",
        f"legal are {legal}",
    )


def _failed(game: Game, name: str, p: Any, error: Exception) -> UsageError:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"line {last.lineno} of {os.path.basename(last.filename)}"
    return UsageError(
        f"the policy {name} fails at {game.text(p)}: {type(error).__name__}: {error} ({where})",
        "a policy must have a move for every position that can arise while it is followed",
    )


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
    mine: Chooser
    others: Chooser | None

    def own(self, nodes: Array) -> Array:
        """bool[n]: nodes at which the player who follows the policy moves."""
        rows, seat = np.divmod(nodes, self.seats)
        kind = self.whole.kind[rows]
        moving: Array = (kind >= 0) & ((kind == seat) | (self.seats == 1))
        return moving

    def edges(self, nodes: Array) -> tuple[Array, Array]:
        """The edges of some nodes, one node after the other, and how many each has."""
        rows = nodes // self.seats
        begin, end = self.whole.first[rows], self.whole.first[rows + 1]
        own = self.own(nodes)
        other = (self.whole.kind[rows] >= 0) & ~own
        for chooser, moving in ((self.mine, own), (self.others, other)):
            if chooser is not None and moving.any():
                begin[moving] = chooser(rows[moving])
                end[moving] = begin[moving] + 1
        count = end - begin
        ends = np.cumsum(count)
        return np.repeat(begin - (ends - count), count) + np.arange(count.sum()), count

    def children(self, nodes: Array, edges: Array, count: Array) -> Array:
        """The nodes that edges lead to."""
        seat = np.repeat(nodes % self.seats, count) - self.whole.swap[edges]
        below: Array = self.whole.child[edges].astype(np.int64) * self.seats + seat % self.seats
        return below


def follow(
    whole: Graph, starts: list[tuple[int, int]], seats: int, mine: Chooser, others: Chooser | None
) -> PolicyGraph:
    """The graph of all that can arise from `starts`, (row, seat) each, if players on their seat
    take the edges that `mine` says, and the others those that `others` says (None: any)."""
    walk = _Walk(whole, seats, mine, others)
    seen = np.zeros(whole.size * seats, np.bool_)
    new = distinct(np.array([row * seats + seat for row, seat in starts], np.int64))
    while len(new):
        seen[new] = True
        below = walk.children(new, *walk.edges(new))
        new = distinct(below[~seen[below]])
    nodes = np.flatnonzero(seen)
    edges, count = walk.edges(nodes)
    rows = nodes // seats
    graph = Graph(
        low=0,
        kind=whole.kind[rows],
        payoff=whole.payoff[rows],
        first=_first(count),
        child=np.searchsorted(nodes, walk.children(nodes, edges, count)).astype(np.uint32),
        swap=whole.swap[edges],
        weight=whole.weight[edges],
        reward=whole.reward[edges],
        anchor=whole.anchor[rows],
    )
    return PolicyGraph(seats, nodes, graph, walk.own(nodes), edges)
