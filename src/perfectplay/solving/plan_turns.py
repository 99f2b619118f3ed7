"""How fast a game by turns is solved: a turn, drawn at random, is walked through many times.

For games that are too large to look at from the start: `ByTurns.example` draws an anchor, all of
them alike, and `ByTurns.inside` counts the positions of its turn. Its pattern is found first,
since many turns share it; then the exits of the turn are expanded, and values are brought back
through it as the solver does it, once for each round that a component takes.
"""

import random
import time
from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.batch import Batch, Expander
from perfectplay.positions.turns.patterns import Turns
from perfectplay.rules.game import Game
from perfectplay.solvers.store import Bounds, new_store
from perfectplay.solvers.turns import by_turns
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Facts, Graph

ROUNDS = 3
"""Policies that a component takes, as a rule, until one comes out again."""
OFFERED = 32
"""Anchors that are drawn. The smallest turn is tried, again and again: the rate counts positions,
and to find the pattern of a large turn takes long."""
QUICK = 0.5
"""Seconds of a trial below which the next one takes twice as many turns."""


def measured(game: Any, rules: Expander, limit: TimeLimit) -> tuple[float, float]:
    """(rate, exits): positions inside turns that one core solves a second, by the fastest of the
    trials that there is time for, and exits of a turn."""
    draw = random.Random(0)
    drawn = [game.representative(game.example(draw)) for _ in range(OFFERED)]
    smallest = min(drawn, key=game.inside)
    copies, rate = 1, 0.0
    while True:
        some = [smallest] * copies
        keys: Any = np.array(some, np.int64).reshape(len(some), -1) if rules.width else some
        if copies == 1:  # find the pattern, and compile
            _brought_back(game, rules, rules.expand(keys))
        began = time.process_time()
        batch = rules.expand(keys)
        took = time.process_time() - began
        took += ROUNDS * _brought_back(game, rules, batch)
        rate = max(rate, copies * game.inside(smallest) / max(took, 1e-6))
        if limit.over or took > QUICK:
            return rate, len(batch.child) / copies
        copies *= 2


def _brought_back(game: Game, rules: Expander, batch: Batch) -> float:
    """Seconds that one pass through the turns of a batch takes."""
    edges, rows, players = len(batch.child), len(batch.kind), game.players
    scalar = players <= 2
    facts = Facts(
        players=players, scalar=scalar, chance=True, rewards=False, outcome=False, endless=0.0
    )
    patterns = rules.turn_patterns.patterns()
    steps = len(patterns.to)
    patterns = replace(patterns, reward=np.zeros(steps if scalar else (steps, players), np.int64))
    store = new_store(facts, edges + rows)
    if isinstance(store, Bounds):
        store.lower[:], store.upper[:] = 0.25, 0.5
    graph = Graph(
        low=edges,
        kind=batch.kind,
        payoff=_zeros(rows, facts),
        first=batch.first,
        child=np.arange(edges, dtype=np.uint32),
        swap=batch.swap,
        weight=batch.weight,
        reward=_zeros(1, facts),
        anchor=batch.anchor,
        turns=Turns(patterns, batch.pattern, batch.node, batch.rank),
    )
    began = time.process_time()
    by_turns.solve(graph, facts, store, Options())
    return time.process_time() - began


def _zeros(rows: int, facts: Facts) -> Array:
    return np.zeros(rows if facts.scalar else (rows, facts.players), np.int64)
