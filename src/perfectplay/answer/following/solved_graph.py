"""SolvedGraph: a solved game as one graph, in which players can be held to policies.

The game is solved as `solve` does it. Then those who follow a policy lose all other moves
(policy_graph.py), and the same solvers say what is left: so the value under a policy is proved
just as the value under perfect play is. A policy that makes one of several moves at random turns
its positions into chance ones, so that a game without chance gets the solver of games with
chance."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.answer.policy_graph import JoinedStrata, PolicyGraph
from perfectplay.answer.solution import Solution
from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError, UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, alternate
from perfectplay.rules.value import Value
from perfectplay.solvers.store import (
    NONE,
    Bounds,
    Fractions,
    Outcomes,
    Scores,
    Store,
    Vectors,
    new_store,
)
from perfectplay.solvers.store import values as stored_values
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget
from perfectplay.solving.choose import choose
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.strata.graph import Facts, Graph

SAME = 1e-12
"""Floats that differ by no more (relative to 1 or their size) make no mistake."""


@dataclass
class SolvedGraph:
    """A solved game, all of its moves in memory."""

    solution: Solution
    facts: Facts
    run: Run
    whole: JoinedStrata
    graph: Graph = field(init=False)

    def __post_init__(self) -> None:
        self.game: Game = self.solution.game
        self.graph = self.whole.graph()

    @classmethod
    def of(
        cls, game: Game, options: Options, memory: int | None, progress: Progress | None
    ) -> "SolvedGraph":
        """Solve a game in memory, position by position."""
        run = Run(
            game,
            options,
            route(game, exact=options.exact, stored=False, steps=True),
            budget=Budget(memory),
            progress=progress or Silent(),
            whole=False,
        )
        queue, facts = run.explored()
        whole = JoinedStrata(run.rules)
        run.look = lambda found, moves, _: whole.add(found, moves)
        try:
            table = run.fill(queue, facts)
        finally:
            queue.close()
        return cls(Solution(game, table, run.report(table)), facts, run, whole)

    def row(self, p: Any) -> tuple[int, int]:
        """The row of a position that can arise, and how its players are renamed there."""
        q = self.game.representative(p)
        row = self.whole.row(q)
        assert row is not None, "the solution knows the position"
        return row, 0 if alternate(self.game) else self.game.turn(q) - self.game.turn(p)

    def names(self) -> list[str]:
        """What the players are called at the start."""
        if self.game.players == 1:
            return ["the player"]
        if alternate(self.game):
            return ["moving first", "moving second"]
        return self.solution.player_names()

    def played_facts(self, played: PolicyGraph) -> Facts:
        """The facts of the graph in which policies are followed."""
        return replace(self.facts, chance=True, outcome=False) if played.mixed else self.facts

    def paid(self, value: Value, like: Value) -> Value:
        """An outcome as the payoff that it stands for, if it is to be compared with a number."""
        if value.kind != "outcome" or like.kind == "outcome":
            return value
        paid = Fraction(int(value.lower) + self.facts.offset, self.facts.scale)
        return Value(like.kind, paid, paid)

    def best_edges(self, graph: Graph, facts: Facts, store: Store) -> Array | None:
        """A best edge of each row; None if several players have interests of their own."""
        from perfectplay.solvers.chance.policy import best_edges

        move = getattr(store, "move", None)
        if graph is self.graph and move is not None:
            return np.where(move >= 0, graph.first[:-1] + move, -1)
        return best_edges(graph, facts, store)

    def solve(self, played: PolicyGraph, facts: Facts) -> Store:
        """The values of the graph in which policies are followed."""
        solver = choose(facts)
        store = new_store(facts, len(played.nodes), exact=self.run.options.exact)
        self.run.progress.start("solve", len(played.nodes))
        try:
            for part in played.strata(self.whole.starts):
                solver(part, facts, store, self.run.options)
                self.run.progress.advance(part.size)
        except RulesError as error:
            raise UsageError(
                f"a policy has no value in this game: {error.message}",
                "it repeats a cycle that earns or costs something every time",
            ) from error
        self.run.progress.finish()
        return store

    @staticmethod
    def values(facts: Facts, store: Store, id: int) -> tuple[Value, ...]:
        """What a row of such a graph is worth to each player."""
        columns = store.columns(id, id + 1)
        return stored_values(facts, {name: column[0] for name, column in columns.items()})

    def losses(self, rows: Array, edges: Array) -> Array:
        """How much worse than the best an edge is at each row, 0 unless that is certain."""
        least, most = self.loss_bounds(rows, edges)
        with np.errstate(invalid="ignore"):
            loss = (least + most) / 2
            size = np.abs(np.where(np.isfinite(loss), loss, 0)) * self.facts.scale
            certain = least * self.facts.scale > SAME * np.maximum(1.0, size)
        lost: Array = np.where(certain, loss, 0.0)
        return lost

    def loss_bounds(self, rows: Array, edges: Array) -> tuple[Array, Array]:
        """Between which numbers it lies how much worse than the best an edge is at each row."""
        graph, players = self.graph, self.game.players
        mover, swap = graph.kind[rows], graph.swap[edges].astype(np.int64)
        to = graph.child[edges].astype(np.int64)
        best, made = [], []
        for side in self._bounds():
            if self.facts.scalar:
                sign = np.where(mover == 1, -1.0, 1.0)
                best.append(sign * side[rows])
                made.append(sign * (graph.reward[edges] + np.where(swap & 1, -side[to], side[to])))
            else:
                best.append(side[rows, mover])
                made.append(graph.reward[edges, mover] + side[to, (mover - swap) % players])
        with np.errstate(invalid="ignore"):
            least = np.minimum(*best) - np.maximum(*made)
            most = np.maximum(*best) - np.minimum(*made)
        return least / self.facts.scale, most / self.facts.scale

    def _bounds(self) -> tuple[Array, Array]:
        """The lower and upper values of all rows as floats."""
        return float_bounds(self.run.store, self.facts)


def float_bounds(store: Store, facts: Facts) -> tuple[Array, Array]:
    """The lower and upper values in a store as floats."""
    if isinstance(store, Bounds):
        return store.lower, store.upper
    if isinstance(store, Fractions):
        floats = np.array([[float(x) for x in numbers] for numbers in store.value])
        value = floats[:, 0] if facts.scalar else floats
    elif isinstance(store, Scores):
        value = np.where(store.value == NONE, -math.inf, store.value)
    else:
        assert isinstance(store, Outcomes | Vectors)
        value = store.value.astype(float)
    return value, value
