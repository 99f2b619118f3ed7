"""What a random game is worth, from the definitions and in fractions: the twin of all solvers.

Seats are unfolded first: a node of the unfolded graph says who sits where, so that players are
never renamed and endless play is worth the same to a player everywhere."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import naive
import naive_stochastic
from draw_games import DrawnGame, reached
from graph_rules import SeatRules
from naive import NONE, Edge, Row

from perfectplay.rules.game import CHANCE, OVER, alternate

Numbers = tuple[Any, ...]


class NoWorthError(Exception):
    """Endless play would earn without limit, so that there are no values to compare with."""


class Unfolded:
    """The graph of a game with nodes (node, seat), and its values to each player."""

    def __init__(self, game: DrawnGame) -> None:
        self.game = game
        rules, graph = game.rules, game.graph
        self.players = rules.players
        self.columns = len(graph.paid[0])
        self.seats = 2 if isinstance(rules, SeatRules) or alternate(rules) else 1
        self.sign = -1 if rules.minimise else 1
        self.endless = rules.endless
        self.chance = any(kind == CHANCE for kind in graph.kinds)
        self.size = len(graph.kinds)
        self.rows = [self._row(n, s) for s in range(self.seats) for n in range(self.size)]

    def at(self, node: int, seat: int = 0) -> int:
        """The row of a node whose player 0 is the person in a seat."""
        return node + self.size * (seat % self.seats)

    def _row(self, node: int, seat: int) -> Row:
        graph, players = self.game.graph, self.players
        kind = graph.kinds[node]
        mover = kind if kind < 0 else (kind + seat) % players
        edges = tuple(
            Edge(self.at(to, seat + turned), 0, weight, self._earned(earned, mover))
            for to, turned, weight, earned in graph.edges[node]
        )
        paid = graph.paid[node] if kind == OVER else (0,) * self.columns
        if self.columns > 1:
            return Row(mover, paid, edges)
        return Row(mover, self.sign * paid[0] * (-1 if seat else 1), edges)

    def _earned(self, earned: int, mover: int) -> Any:
        if self.columns == 1:
            return self.sign * (earned if mover <= 0 else -earned)
        if self.columns == 2:
            return tuple(earned if i == mover else -earned for i in range(2))
        return tuple(earned if i == mover else 0 for i in range(self.columns))

    def restricted(self, player: int | None, best: dict[int, int]) -> list[Row]:
        """The rows if one player (None: all) makes only the moves that are called best."""
        return [
            row._replace(edges=(row.edges[best[i]],))
            if i in best and (player is None or row.kind == player)
            else row
            for i, row in enumerate(self.rows)
        ]

    def values(self, rows: list[Row], *, depth: bool) -> list[Numbers]:
        """What every row is worth to each player; with `depth`, (outcome to player 0, plies)."""
        if self.columns > 1:
            found: list[Numbers] = naive.vectors(rows, [], self.game.ties)
            return found
        if depth:
            return naive.outcomes(rows, [], self.endless or 0)
        if self.chance:
            worth = _with_chance(rows, self._endless())
        elif self.players == 1:
            worth = _puzzle(rows, self._endless())
        else:
            worth = _scores(rows, self.endless or 0)
        return [self._of_all(self.sign * value) for value in worth]

    def _endless(self) -> float:
        if self.endless is not None:
            return self.sign * self.endless
        return -math.inf if self.sign < 0 else 0

    def _of_all(self, value: Any) -> Numbers:
        return (value,) if self.players == 1 else (value, -value)

    def reachable(self) -> set[int]:
        """The nodes that can arise."""
        far = reached(self.game.graph)
        return set().union(*(far[node] for node in self.game.graph.starts))


def paying_cycle(rows: list[Row], *, only: int = 0) -> bool:
    """Whether a move that can come round again earns something (`only`: of that sign)."""
    far = [naive.reached(rows, i) for i in range(len(rows))]
    return any(
        edge.reward * only > 0 if only else edge.reward
        for i, row in enumerate(rows)
        for edge in row.edges
        if i in far[edge.to] or i == edge.to
    )


def _scores(rows: list[Row], endless: int) -> list[int]:
    if paying_cycle(rows):
        raise NoWorthError
    return naive.scores(rows, [], endless)


def _puzzle(rows: list[Row], endless: float) -> list[float]:
    if paying_cycle(rows, only=1):
        raise NoWorthError
    worth = naive.puzzle(rows, [], NONE if math.isinf(endless) else int(endless))
    return [-math.inf if value <= NONE // 2 else value for value in worth]


def _with_chance(rows: list[Row], endless: float) -> list[Fraction]:
    """All pairs of policies where there are cycles, else straight recursion."""
    if not any(i in naive.reached(rows, i) for i in range(len(rows))):
        vectors = [
            row._replace(
                payoff=(row.payoff, -row.payoff),
                edges=tuple(e._replace(reward=(e.reward, -e.reward)) for e in row.edges),
            )
            for row in rows
        ]
        return [value[0] for value in naive.vectors(vectors, [])]
    plain = [
        (row.kind, row.payoff, [(e.to, 0, e.weight, e.reward) for e in row.edges]) for row in rows
    ]
    found: list[Fraction] = naive_stochastic.values(plain, endless)
    return found
