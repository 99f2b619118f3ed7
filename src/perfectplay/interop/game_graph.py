"""The moves of a small game as a graph, for programs that check our answers or draw trees.

Positions are those of the rules, not their representatives, and where players alternate, each
stands with the player who moves: so nobody is renamed along an edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, first_positions

MOST = 200_000
"""Positions of a graph, at most."""


@dataclass(frozen=True)
class Edge:
    """A move, or something that may happen."""

    words: str
    target: int
    probability: Fraction
    """1 for moves."""
    gains: tuple[int, ...]
    """What it earns each player at once."""


@dataclass(frozen=True)
class GraphNode:
    """A position."""

    position: Any
    text: str
    owner: int
    """Who moves, or CHANCE, or OVER."""
    mover: int
    """The player in whose view the rules see it, where players alternate; else 0."""
    edges: tuple[Edge, ...]
    payoff: tuple[int, ...]
    """What each player gets where play is over; else nothing."""


class GameGraph:
    """All positions of a game; the first is the start."""

    def __init__(self, game: Game, most: int = MOST) -> None:
        if simultaneous(game) is not None:
            raise UsageError(
                f"{type(game).__name__}: both players choose at once",
                "only one may move at a time; `nash` solves matrix games",
            )
        self.game, self._alternate = game, alternate(game)
        self._numbers: dict[tuple[Any, int], int] = {}
        self._waiting: list[tuple[Any, int]] = []
        self.nodes: list[GraphNode] = []
        starts = list(first_positions(game))
        if len(starts) > 1:
            raise UsageError(
                f"{type(game).__name__} begins at any of {len(starts):,} positions",
                "only games with one first position have a model",
            )
        self._number(starts[0], 0)
        while len(self.nodes) < len(self._waiting):
            if len(self._waiting) > most:
                raise TooLargeError(
                    f"{type(game).__name__} has more than {most:,} positions",
                    "choose smaller parameters",
                )
            self.nodes.append(self._node(*self._waiting[len(self.nodes)]))

    def _number(self, p: Any, mover: int) -> int:
        key = p, mover
        if key not in self._numbers:
            self._numbers[key] = len(self._waiting)
            self._waiting.append(key)
        return self._numbers[key]

    def _node(self, p: Any, mover: int) -> GraphNode:
        game, kind = self.game, self.game.to_move(p)
        text = game.text(p)
        if kind == CHANCE:
            return GraphNode(p, text, CHANCE, mover, self._events(p, mover), ())
        moves = [] if kind == OVER else list(game.moves(p))
        if not moves:
            return GraphNode(p, text, OVER, mover, (), self._gains(game.payoff(p), 0, mover))
        owner = mover if self._alternate else kind
        after = 1 - mover if self._alternate else mover
        edges = tuple(
            Edge(
                game.move_text(p, m),
                self._number(game.play(p, m), after),
                Fraction(1),
                self._gains(game.reward(p, m), kind, mover),
            )
            for m in moves
        )
        return GraphNode(p, text, owner, mover, edges, ())

    def _events(self, p: Any, mover: int) -> tuple[Edge, ...]:
        nothing = (0,) * self.game.players
        weights: dict[Any, int] = {}
        for weight, child in self.game.chances(p):
            weights[child] = weights.get(child, 0) + int(weight)
        total = sum(weights.values())
        return tuple(
            Edge(
                self.game.text(child), self._number(child, mover), Fraction(weight, total), nothing
            )
            for child, weight in weights.items()
        )

    def _gains(self, given: Any, player: int, mover: int) -> tuple[int, ...]:
        """A payoff, or a reward to `player`, as what each player gets."""
        players = self.game.players
        if isinstance(given, tuple):
            found = tuple(map(int, given))
        else:
            others = -int(given) if players == 2 else 0
            found = tuple(int(given) if i == player else others for i in range(players))
        return found[::-1] if mover else found

    @property
    def cyclic(self) -> bool:
        """Whether play can come back to where it was."""
        waits = [0] * len(self.nodes)
        for node in self.nodes:
            for edge in node.edges:
                waits[edge.target] += 1
        ready, done = [i for i, n in enumerate(waits) if not n], 0
        while ready:
            done += 1
            for edge in self.nodes[ready.pop()].edges:
                waits[edge.target] -= 1
                if not waits[edge.target]:
                    ready.append(edge.target)
        return done < len(self.nodes)
