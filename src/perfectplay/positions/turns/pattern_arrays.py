"""The insides of turns as flat arrays: patterns, and which row goes by which."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Array, Int32s, Ints


@dataclass(frozen=True)
class Patterns:
    """The insides of turns (positions/turns/walk.py). Nodes of a pattern are numbered from 0,
    children first; the last one is where its turn begins."""

    start: Array
    """int64[p + 1]: the nodes of pattern i are start[i] … start[i + 1] - 1."""
    kind: Array
    """int8[n]: the player to move, CHANCE, or OVER; an OVER node has one exit: the end."""
    first: Array
    """int64[n + 1]: steps that stay inside."""
    to: Array
    """int32[e]: the node of the same pattern that a step leads to."""
    weight: Array
    """int64[e]"""
    reward: Array
    """int64[e, players], or in stored units int64[e] (scalar)."""
    rank: Array
    """int32[e]: the place of a step among all steps of its node, exits included."""

    def __len__(self) -> int:
        return len(self.start) - 1


class PatternExits(NamedTuple):
    """The positions of all known patterns at which a turn may end."""

    start: Ints
    """int64[p + 1]: those of pattern i are start[i] … start[i + 1] - 1."""
    node: Int32s
    """int32[x]: their nodes."""
    inner: Int32s
    """int32[x]: how many of their steps stay inside."""
    positions: Any
    """int64[x, width] keys, or a list."""


@dataclass(frozen=True)
class Turns:
    """The turns of the rows of a graph, whose edges are their exits."""

    patterns: Patterns
    pattern: Array
    """int32[n]: the pattern of each row's turn; -1 for rows at which play is over."""
    node: Array
    """int[e]: the node from which an exit leaves; ascending in each row."""
    rank: Array
    """int[e] or int[1]: its place among all steps of the node."""
