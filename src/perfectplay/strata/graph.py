"""Graph: the moves of one stratum as flat arrays, the only thing that solvers see.

A position is known by its **id** while a game is solved: ids are given stratum by stratum, lowest
stratum first, and within a stratum in the order of discovery, which is the same for any number of
workers. (A table sorts each stratum by key: positions/key_order.py.) A graph covers the ids `low …
low + size - 1`; row i of its arrays belongs to id `low + i`. Its edges lead to ids of the same
stratum (`low <= id`) or of lower strata (`id < low`), never higher.

Every position has a frame: "player 0" means player 0 of that position. An edge with `swap` s leads
to a position whose players are renamed: player i of the parent is player (i - s) mod players of
the child. In alternate play every edge has swap 1. So, for a scalar game (one player, or two with
opposed interests), the worth of edge e to player 0 of the parent is

    reward[e] + (-value[child[e]] if swap[e] else value[child[e]])

and for a game with vectors, worth[i] = reward[e][i] + value[child[e]][(i - swap[e]) % players].
Rewards and payoffs are those of player 0 (scalar) or of all players (vector) of the row's
position.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from perfectplay.compiled.arrays import Array
from perfectplay.positions.turns.patterns import Turns
from perfectplay.rules.game import Game


@dataclass(frozen=True)
class Graph:
    """All moves of the positions of one stratum. Edge arrays of length 1 hold for every edge."""

    low: int
    """The id of row 0."""
    kind: Array
    """int8[n]: the player to move, or CHANCE (-1), or OVER (-2), or SIMULTANEOUS (-3): both
    players choose, and the edges are the cells of a matrix, row by row; player 0 chooses a row."""
    payoff: Array
    """int64[n] (scalar) or int64[n, players]: what an OVER row is worth; 0 elsewhere."""
    first: Array
    """int64[n + 1]: the edges of row i are first[i] … first[i + 1] - 1; an OVER row has none."""
    child: Array
    """uint32[e]: the id an edge leads to."""
    swap: Array
    """uint8[e] or uint8[1]: how far the players are renamed along the edge."""
    weight: Array
    """int64[e] or int64[1]: weight of an edge of a CHANCE row (positive); of a SIMULTANEOUS row,
    how many columns its matrix has."""
    reward: Array
    """int64[e] or int64[1] (scalar), or int64[e, players] or int64[1, players]."""
    anchor: Array
    """uint8[n] or uint8[1]: rows that the rules name as anchors."""
    turns: Turns | None = None
    """Set if a row stands for a whole turn: then its edges are the exits."""

    @property
    def size(self) -> int:
        """How many positions the stratum has."""
        return len(self.kind)

    @property
    def edges(self) -> int:
        """How many edges leave them."""
        return len(self.child)

    @property
    def inside(self) -> bool:
        """Whether an edge stays in the stratum."""
        return bool(self.edges) and int(self.child.max()) >= self.low


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a solver may rely on: declared by the rules or found in all positions."""

    players: int
    scalar: bool
    """One number says it all: one player, or two with opposed interests."""
    chance: bool
    """Some position is a CHANCE position, or players choose at once: values are expectations."""
    rewards: bool
    """Some move earns something at once."""
    outcome: bool
    """Two players, scalar, no chance, no rewards: only win, draw and loss."""
    endless: float
    """Worth of endless play to player 0 in stored units; -inf: one player must end the game."""
    minimise: bool = False
    """One player wants the least: stored values are the negatives of the shown ones."""
    scale: int = 1
    offset: int = 0
    """Shown value of player 0 = (stored + offset) / scale, of player 1 = (offset - stored) /
    scale."""
    simultaneous: bool = False
    """At some positions both players choose at once."""
    wins: bool = False
    """Play ends with 1 for one player and 0 for the others, and nothing is earned before: values
    are chances to win."""

    def stored(self) -> dict[str, Any]:
        """The facts as a table holds them; what few games have is mentioned if it is so."""
        known = asdict(self)
        for rare in ("simultaneous", "wins"):
            if not known[rare]:
                del known[rare]
        return known


def declared(game: Game, facts: Facts) -> bool:
    """Whether facts are as the rules declare them: players, aim, and the worth of endless play."""
    if game.endless is None:
        endless = -math.inf if game.minimise else 0.0
    else:
        stored = -game.endless if game.minimise else game.endless * facts.scale - facts.offset
        endless = float(stored)
    said = game.players, game.minimise, endless
    return said == (facts.players, facts.minimise, facts.endless)
