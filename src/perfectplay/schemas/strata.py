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
    cyclic_components: int
    """sets of several positions that can reach each other; those that differ in the names of
    players are counted each"""
    turn_based: int
    """how many of them have property P1 of Glenn, Fang and Kruskal (2009): no player's positions
    alone form a cycle"""
    one_anchor: int
    """how many have P2 as well: a turn always ends at one and the same position of the next
    player"""
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
    name: NotRequired[str]
    """`"S_0"`, `"S_1"`, …; `"S_1,1"`, … are below S_1"""
    leads_to: NotRequired[list[str]]
    """names of the strata that transitive moves lead to"""
    more: NotRequired[int]
    """exits to strata that got no name"""
    below: NotRequired[list[PositionStrataJson]]
    """the strata that are named after this one, each once"""
