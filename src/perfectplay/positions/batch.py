"""Batch: what expanding some positions yields, the same from compiled and from interpreted rules.

Rows are the expanded positions in the order given, edges are their children in the order of the
rules (moves, or chances). Children are already representatives. Nothing is normalised yet: payoffs
and rewards are as the rules gave them, in one column (an integer) or one per player (a tuple)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.rules.game import Game

NOTHING: Array = np.zeros(1, np.int32)


def some(positions: Any, rows: Array) -> Any:
    """Some of the positions, or of their keys."""
    return positions[rows] if isinstance(positions, np.ndarray) else [positions[i] for i in rows]


def of_each_player(numbers: Array, mover: Array, players: int) -> Array:
    """int64[n, players]: what each player gets; a number is the mover's, and of two players the
    other loses as much. Where nobody moves it is nothing."""
    moved = np.flatnonzero(mover >= 0)
    out = np.zeros((len(mover), players), np.int64)
    if numbers.shape[1] == players:
        out[moved] = numbers[moved]
        return out
    if players == 2:
        out[moved] = -numbers[moved]
    out[moved, mover[moved]] = numbers[moved, 0]
    return out


@dataclass
class Batch:
    """The children of a run of positions."""

    kind: Array
    """int8[n]: player to move, CHANCE, OVER, SIMULTANEOUS; a player without moves is OVER here."""
    payoff: Array
    """int64[n, 1 or players]: payoff of OVER rows, 0 elsewhere."""
    first: Array
    """int64[n + 1]: edges of row i."""
    child: Any
    """int64[e, width] keys (native) or a list of positions (plain)."""
    stratum: Array
    """int64[e]: the stratum of each child."""
    swap: Array
    """uint8[e]: (turn(q) - turn(representative(q))) mod players; 1 in alternate play."""
    weight: Array
    """int64[e]: chance weights; where both choose at once, the number of columns of their matrix;
    1 for moves."""
    reward: Array
    """int64[e, 1 or players]: a number is what the mover earns, player 0 where both choose at once
    (and the other of two loses)."""
    anchor: Array
    """uint8[n]: 1 where the rules say anchor."""
    pattern: Array = field(default_factory=lambda: NOTHING)
    """With turns, int32[n]: the number of a row's pattern; -1 where play is over."""
    node: Array = field(default_factory=lambda: NOTHING)
    """With turns, int32[e]: from which node of the pattern an exit leaves."""
    rank: Array = field(default_factory=lambda: NOTHING)
    """With turns, int32[e] or int32[1]: its place among the steps of the node."""


class Expander(Protocol):
    """Rules that can be run over many positions at once."""

    game: Game
    width: int
    """Words per key; 0 for plain positions, whose key is their text."""
    turn_patterns: Any
    """The patterns of turns (positions/turns/walk.py), if the game has turns; else None."""

    def raw(self) -> Expander:
        """The same rules, giving children as they are instead of their representatives."""

    def starts(self) -> tuple[Any, Array]:
        """The first positions, as representatives, and their strata."""

    def start_batches(self) -> Iterator[tuple[Any, Array]]:
        """The same, some at a time where there may be very many."""

    def expand(self, positions: Any) -> Batch:
        """The children of `positions`: int64[n, width] or a list."""

    def keys(self, positions: Any) -> Any:
        """What a table stores for `positions`: int64[n, width], or a list of texts."""

    def position(self, key: Any) -> Any:
        """The position that a child, or a row of keys, stands for."""
