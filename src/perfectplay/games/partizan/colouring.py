"""Col and Snort: two players colour the places of a map.

Left paints a place blue, Right one red, each place once. In Col neighbours may not have the same
colour, in Snort not different ones. A player who cannot paint loses.

Check: one place alone is the star in both. Two neighbours in Col are 0: what one player paints,
the other can answer next to it. In Snort they are {1|-1}: a painted place keeps its neighbour for
oneself.

The map is a grid of rows x columns, or any graph: `edges` are pairs of places like 1-2 2-3 1-3.
A board is (neighbours of each place as bits, places open to Left, places open to Right): painted
places only matter by what they forbid. Places that are open to nobody fall out, and the rest falls
apart into connected summands.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.sums import grids
from perfectplay.sums.partizan import LEFT, RIGHT, Partizan

Board = tuple[tuple[int, ...], int, int]
MARKS = ".LR#"
MOST_PLACES = 256
MIDDLE = 130
"""Of the picture, across and down."""


@dataclass(frozen=True)
class Col(PlacedMoves, Partizan):
    """Neighbours may not have the same colour."""

    rows: int = 1
    columns: int = 4
    edges: str = ""
    """A map of one's own, as pairs of places; empty: the grid."""

    keeps = False
    """Whether a painted place keeps the other player, not oneself, away from its neighbours."""

    def __post_init__(self) -> None:
        grids.refuse_odd_sizes(self.rows, self.columns)
        self.setup()

    def setup(self) -> Board:
        if self.edges:
            pairs = read_edges(self.edges)
            count = max(max(pair) for pair in pairs) + 1
        else:
            count = self.rows * self.columns
            pairs = [(i, i + 1) for i in range(count - 1) if (i + 1) % self.columns]
            pairs += [(i, i + self.columns) for i in range(count - self.columns)]
        whole = (1 << count) - 1
        return neighbours(count, pairs), whole, whole

    def left(self, b: Board) -> Iterator[Board]:
        for place in grids.squares_in(b[1]):
            yield self.painted(b, place, LEFT)

    def right(self, b: Board) -> Iterator[Board]:
        for place in grids.squares_in(b[2]):
            yield self.painted(b, place, RIGHT)

    def painted(self, b: Board, place: int, player: int) -> Board:
        """The board after a player has painted a place."""
        free = [b[1] & ~(1 << place), b[2] & ~(1 << place)]
        free[1 - player if self.keeps else player] &= ~b[0][place]
        return b[0], free[0], free[1]

    def decompose(self, b: Board) -> Iterator[Board]:
        near, left, right = b
        rest = left | right
        while rest:
            part = rest & -rest
            waiting = part
            while waiting:
                place = (waiting & -waiting).bit_length() - 1
                waiting &= waiting - 1
                new = near[place] & rest & ~part
                part |= new
                waiting |= new
            rest ^= part
            yield renumbered(near, part, left, right)

    def swapped(self, b: Board) -> Board:
        return b[0], b[2], b[1]

    def board_text(self, b: Board) -> str:
        near, left, right = b
        marks = [MARKS[(not right >> i & 1) + 2 * (not left >> i & 1)] for i in range(len(near))]
        pairs = [
            f"{i + 1}-{j + 1}"
            for i in range(len(near))
            for j in grids.squares_in(near[i])
            if j > i
        ]
        return " ".join(["".join(marks), *pairs])

    def parse_board(self, s: str) -> Board:
        marks, _, rest = s.strip().partition(" ")
        if not marks or set(marks) - set(MARKS) or len(marks) > MOST_PLACES:
            raise ValueError(f"places are marked with {', '.join(MARKS)}, as in '..L# 1-2 2-3'")
        pairs = read_edges(rest) if rest.strip() else []
        if any(max(pair) >= len(marks) for pair in pairs):
            raise ValueError(f"there are only {len(marks)} places")
        left, right = (
            sum(1 << i for i, mark in enumerate(marks) if mark in (".", who)) for who in "LR"
        )
        return neighbours(len(marks), pairs), left, right

    def step_text(self, b: Board, after: Board, player: int) -> str:
        return str(1 + self.place_of(b, after, player))

    def place_of(self, b: Board, after: Board, player: int) -> int:
        """The place that a player painted."""
        places = grids.squares_in(b[2] if player else b[1])
        return next(i for i in places if self.painted(b, i, player) == after)

    def places(self, p: tuple[Board, int], m: Board) -> Iterator[tuple[float, float]]:
        b, player = p
        yield inside(*spot(self.place_of(b, m, player), len(b[0])))

    def board_picture(self, b: Board) -> str:
        near, left, right = b
        count = len(near)
        spots = [spot(i, count) for i in range(count)]
        parts = [
            svg.line(*spots[i], *spots[j])
            for i in range(count)
            for j in grids.squares_in(near[i])
            if j > i
        ]
        for i, (x, y) in enumerate(spots):
            mark = MARKS[(not right >> i & 1) + 2 * (not left >> i & 1)]
            fills = {".": svg.FIELD, "L": svg.COLOURS[0], "R": svg.COLOURS[1], "#": svg.LINE}
            parts.append(svg.circle(x, y, 13, fills[mark]))
            parts.append(svg.text(x, y, i + 1, 12))
        return svg.svg(2 * MIDDLE, 2 * MIDDLE, parts)


def spot(place: int, count: int) -> tuple[float, float]:
    """Where a place of a map is drawn: on a circle."""
    angle = 2 * math.pi * place / count
    return MIDDLE + 100 * math.sin(angle), MIDDLE - 100 * math.cos(angle)


@dataclass(frozen=True)
class Snort(Col):
    """Neighbours may not have different colours."""

    keeps = True


def read_edges(text: str) -> list[tuple[int, int]]:
    """Pairs of places from 0, written as 1-2 2-3; UsageError if they are none."""
    pairs = []
    for word in text.replace(",", " ").split():
        a, dash, b = word.partition("-")
        if not (dash and a.isdigit() and b.isdigit()) or not 1 <= int(a) != int(b) >= 1:
            raise UsageError(f"{word!r} does not join two places", "write pairs like 1-2 2-3 1-3")
        if max(int(a), int(b)) > MOST_PLACES:
            raise UsageError(f"{word!r}: too many places", f"use 1 to {MOST_PLACES}")
        pairs.append((int(a) - 1, int(b) - 1))
    if not pairs:
        raise UsageError("no two places are joined", "write pairs like 1-2 2-3 1-3")
    return pairs


def neighbours(count: int, pairs: list[tuple[int, int]]) -> tuple[int, ...]:
    """For each place its neighbours as bits."""
    near = [0] * count
    for a, b in pairs:
        near[a] |= 1 << b
        near[b] |= 1 << a
    return tuple(near)


def renumbered(near: tuple[int, ...], part: int, left: int, right: int) -> Board:
    """A part of a map as a map of its own. Places are numbered by how they lie among others, so
    that most parts that look alike, turned or mirrored, become the same board."""
    places = [*grids.squares_in(part)]
    beside = [[*grids.squares_in(near[place] & part)] for place in places]
    kind = {
        p: (left >> p & 1, right >> p & 1, len(b)) for p, b in zip(places, beside, strict=True)
    }
    ranks: dict[tuple[int, ...], int] = {
        tint: i for i, tint in enumerate(sorted(set(kind.values())))
    }
    rank = {place: ranks[kind[place]] for place in places}
    while len(ranks) < len(places):
        seen = {
            p: (rank[p], *sorted([rank[q] for q in b]))
            for p, b in zip(places, beside, strict=True)
        }
        finer = {look: i for i, look in enumerate(sorted(set(seen.values())))}
        if len(finer) == len(ranks):
            break
        ranks, rank = finer, {place: finer[seen[place]] for place in places}
    places.sort(key=lambda place: (rank[place], place))
    number = {place: i for i, place in enumerate(places)}

    def packed(squares: int) -> int:
        found = 0
        for place in grids.squares_in(squares & part):
            found |= 1 << number[place]
        return found

    return tuple([packed(near[place]) for place in places]), packed(left), packed(right)
