"""The strata of a game, and of a position."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class StratumJson(TypedDict):
    """One stratum of a game."""

    stratum: int
    """as the rules declare it; without that, in the order in which strata are solved"""
    positions: int
    """how many it has"""
    cyclic: int
    """how many of them lie on cycles"""
    components: int
    """sets of positions that can reach each other"""
    largest: int
    """positions of the largest of these"""
    inside: int
    """moves and events that stay in the stratum"""
    below: list[LowerStratumJson]
    """the lower strata that others lead to"""
    methods: dict[str, int]
    """how many positions each method solved"""
    example: str
    """one of its positions"""


class LowerStratumJson(TypedDict):
    """A stratum that moves lead to."""

    stratum: int
    """which one"""
    edges: int
    """how many moves and events lead there"""


class GameStrataJson(TypedDict):
    """All strata of a game."""

    game: str
    """where the rules are, as `load` takes it"""
    declared: bool
    """whether the rules declare strata; else these are the strongly connected components"""
    positions: int
    """how many positions there are"""
    strata: list[StratumJson]
    """lowest first"""


class StratumMoveJson(TypedDict):
    """A move, and whether it can be undone."""

    move: str
    """the move, or the position that chance leads to"""
    position: str
    """the position after it"""
    stratum: int | None
    """its stratum, if the rules declare strata"""
    kind: str
    """`"recurrent"`: play can come back; `"transitive"`: it cannot; or `"not known"`"""


class PositionStrataJson(TypedDict):
    """The stratum of a position, and where its moves lead."""

    position: str
    """as text"""
    stratum: int | None
    """the stratum that the rules declare; null if they declare none"""
    members: int
    """positions of S_0: those that play can reach from here and come back from"""
    exits: int
    """positions that transitive moves lead to from S_0"""
    complete: bool
    """whether all of S_0 was looked at"""
    looked: int
    """how many positions were looked at"""
    moves: list[StratumMoveJson]
    """in the order of the rules"""
    below: NotRequired[list[PositionStrataJson]]
    """S_1, S_2, …: the strata of the exits, each once"""
