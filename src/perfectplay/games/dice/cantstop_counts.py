"""Counts of Can't Stop by formula: components, positions, and the sizes of an index.

A **component** is a placement of all squares, whoever is on turn, at which nobody has won yet;
those that differ only by left and right, or by who closed which of the closed columns (as long as
everybody has as many of them), are one. Its **positions** are, for each player on turn, the
placements of their markers: none, or further up than their squares in at most `markers` open
columns.
So Glenn, Fang and Kruskal (2009) count, and so five of the six rows of their Table 1 come out. For
(3,3,2,2) they print 687,700,305 positions; this count gives 684,695,376.

Both are sums over sets of closed columns, of products over the open ones. What left and right
exchanged leaves as it is is counted a second time, as usual: (all + unchanged) / 2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

Polynomial = list[int]
"""Coefficients: how many ways there are with 0, 1, 2, … markers."""


@dataclass(frozen=True)
class Size:
    """How large a game is, in whole numbers."""

    components: int
    skipped: int
    """Placements that are the same as another one, which is counted."""
    positions: int


def tuples(top: int, players: int, *, share: bool = False) -> int:
    """T(d): in how many ways the squares of all players may stand in a column: closed by one of
    them, or below its top, no two on one space."""
    return players + _open(top, players, share=share)


def _open(top: int, players: int, *, share: bool) -> int:
    """In how many ways the squares may stand in a column that is not closed."""
    if share:
        return int(top**players)
    standing = (math.comb(players, z) * math.perm(top - 1, z) for z in range(players + 1))
    return sum(standing)


def index_size(tops: Sequence[int], players: int) -> int:
    """The numbers that the index of components takes: a product over the columns."""
    return math.prod(tuples(top, players) for top in tops)


@cache
def counts(
    tops: tuple[int, ...], players: int, columns: int, markers: int, *, share: bool = False
) -> Size:
    """The counts for columns with these lengths, left to right the same as right to left."""
    width, half = len(tops), (len(tops) - 1) // 2
    every = same = 0
    among = at_both = 0
    placements = 0
    states = [_states(top, players, share=share) for top in tops[: half + 1]]
    single = [[sum(state[0] for state in each), *_sums(each)] for each in states]
    for closed in range(min(width, players * (columns - 1)) + 1):
        named = _holders(players, columns - 1, closed)
        assigned = _assigned(players, columns - 1, closed)
        for chosen in combinations(range(width), closed):
            ways, poly = 1, [1]
            for column in range(width):
                if column not in chosen:
                    each = single[min(column, width - 1 - column)]
                    ways *= each[0]
                    poly = _times(poly, each[:2], markers)
            every += named * ways
            placements += assigned * ways
            among += named * sum(poly)
            if any(width - 1 - column not in chosen for column in chosen):
                continue
            ways, poly = 1, [1]
            for column in range(half + 1):
                if column not in chosen:
                    each = single[column]
                    ways *= each[0]
                    poly = _times(poly, each[:2] if column == half else _twice(each), markers)
            same += named * ways
            at_both += named * sum(poly)
    components = (every + same) // 2
    return Size(components, placements - components, players * (among + at_both) // 2)


def _states(top: int, players: int, *, share: bool) -> list[tuple[int, int]]:
    """(ways, left): in how many ways the others may stand in an open column where the player on
    turn has so many spaces left."""
    ways = [(_open(top, players - 1, share=share), top)]
    for here in range(1, top):
        others = (
            int(top ** (players - 1))
            if share
            else sum(
                math.comb(players - 1, z) * math.perm(top - 2, z)
                for z in range(min(players - 1, top - 2) + 1)
            )
        )
        ways.append((others, top - here))
    return ways


def _sums(states: list[tuple[int, int]]) -> list[int]:
    """The sums over all states of the spaces left, and of their squares."""
    return [sum(ways * left**power for ways, left in states) for power in (1, 2)]


def _twice(each: list[int]) -> Polynomial:
    """Two columns in which the same happens: (1 + left x)², summed over all states."""
    return [each[0], 2 * each[1], each[2]]


def _times(one: Polynomial, other: Polynomial, most: int) -> Polynomial:
    """The product of two polynomials, cut off above x^most."""
    product = [0] * min(len(one) + len(other) - 1, most + 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if i + j < len(product):
                product[i + j] += a * b
    return product


def _holders(players: int, most: int, closed: int) -> int:
    """In how many ways players may have so many columns together, none more than `most`."""
    ways = [1] + [0] * closed
    for _ in range(players):
        ways = [sum(ways[n - k] for k in range(min(most, n) + 1)) for n in range(closed + 1)]
    return ways[closed]


def _assigned(players: int, most: int, closed: int) -> int:
    """In how many ways players may hold so many given columns, none more than `most`."""
    ways = [1] + [0] * closed
    for _ in range(players):
        ways = [
            sum(math.comb(n, k) * ways[n - k] for k in range(min(most, n) + 1))
            for n in range(closed + 1)
        ]
    return ways[closed]


def turn_size(
    tops: Sequence[int], own: Sequence[int], closed: Sequence[bool], markers: int
) -> int:
    """How many placements of markers the turn of a player with these squares has."""
    poly = [1]
    for top, here, shut in zip(tops, own, closed, strict=True):
        if not shut:
            poly = _times(poly, [1, top - here], markers)
    return sum(poly)


def placement(
    draw: Random, tops: Sequence[int], players: int, columns: int, *, share: bool = False
) -> list[list[int]]:
    """The squares of each player, drawn at random from all placements at which nobody has won."""
    while True:
        squares = [[0] * len(tops) for _ in range(players)]
        for column, top in enumerate(tops):
            shut = draw.randrange(tuples(top, players, share=share))
            if shut < players:
                squares[shut][column] = top
                continue
            while True:
                heights = [draw.randrange(top) for _ in range(players)]
                above = [here for here in heights if here]
                if share or len(set(above)) == len(above):
                    break
            for own, here in zip(squares, heights, strict=True):
                own[column] = here
        won = (sum(map(int.__eq__, own, tops)) for own in squares)
        if max(won) < columns:
            return squares
