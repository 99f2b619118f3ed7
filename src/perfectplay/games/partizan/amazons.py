"""Amazons: queens that shoot, on a small board.

Left's amazons are x, Right's o. A move brings an amazon in a straight line, also slantwise, over
free squares, and lets it shoot an arrow from there in the same way; the square where the arrow
lands is blocked for good. A player who cannot move loses.

Check: an amazon alone with n free squares in a row beside it is worth n to its player.

A board is (rows, columns, Left's amazons, Right's amazons, blocked squares) as bits. Squares that
are not blocked and touch, also at corners, belong together; each such group is a summand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perfectplay.drawing import spots, svg
from perfectplay.games.partizan.grid_game import Board, GridGame, cut_out
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.sums import grids


@dataclass(frozen=True)
class Amazons(PlacedMoves, GridGame):
    """Left's amazon in the upper left corner, Right's in the lower right one, unless a `board` is
    given."""

    rows: int = 3
    columns: int = 3

    letters = "xo#."

    def setup(self) -> Board:
        last = 1 << (self.rows * self.columns - 1)
        return self.rows, self.columns, 1, last & ~1, 0

    def left(self, b: Board) -> Iterator[Board]:
        rows, columns, mine, theirs, blocked = b
        for start, end, arrow in shots(rows, columns, mine, mine | theirs | blocked):
            yield rows, columns, mine ^ start | end, theirs, blocked | arrow

    def swapped(self, b: Board) -> Board:
        return b[0], b[1], b[3], b[2], b[4]

    def decompose(self, b: Board) -> Iterator[Board]:
        rows, columns, left, right, blocked = b
        rest = ((1 << (rows * columns)) - 1) & ~blocked
        while rest:
            group = rest & -rest
            while True:
                wide = group
                for square in grids.squares_in(group):
                    wide |= around(rows, columns)[square]
                wide &= rest
                if wide == group:
                    break
                group = wide
            rest ^= group
            if group & (left | right) and group & ~(left | right):
                high, wide, mine, theirs, inside = cut_out((*b[:4], group), group)
                yield high, wide, mine, theirs, ((1 << (high * wide)) - 1) & ~inside

    def places(self, p: tuple[Board, int], m: Board) -> Iterator[tuple[float, float]]:
        b, player = p
        old, new = b[2 + player], m[2 + player]
        for squares in (old & ~new, new & ~old, m[4] & ~b[4]):
            square = next(grids.squares_in(squares))
            x, y = square % b[1], square // b[1]
            yield spots.inside(svg.CELL * (x + 0.5), svg.CELL * (y + 0.5))

    def step_text(self, b: Board, after: Board, player: int) -> str:
        arrow = next(grids.squares_in(after[4] & ~b[4]))
        return f"{super().step_text(b, after, player)}/{grids.square_name(b[1], arrow)}"


@cache
def around(rows: int, columns: int) -> tuple[int, ...]:
    """For each square its neighbours, also at corners, as bits."""
    return tuple(
        sum(
            1 << (y * columns + x)
            for y in range(max(0, at // columns - 1), min(rows, at // columns + 2))
            for x in range(max(0, at % columns - 1), min(columns, at % columns + 2))
        )
        for at in range(rows * columns)
    )


@cache
def rays(rows: int, columns: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each square, in each of eight directions, the squares in a line from it, as bits."""
    found = []
    for at in range(rows * columns):
        lines = []
        for down, across in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
            y, x, line = at // columns + down, at % columns + across, []
            while 0 <= y < rows and 0 <= x < columns:
                line.append(1 << (y * columns + x))
                y, x = y + down, x + across
            lines.append(tuple(line))
        found.append(tuple(lines))
    return tuple(found)


def reach(rows: int, columns: int, square: int, full: int) -> Iterator[int]:
    """The free squares in straight lines from a square."""
    for line in rays(rows, columns)[square]:
        for bit in line:
            if bit & full:
                break
            yield bit


def shots(rows: int, columns: int, mine: int, full: int) -> Iterator[tuple[int, int, int]]:
    """From where, to where, and where the arrow lands, as bits."""
    for square in grids.squares_in(mine):
        start = 1 << square
        for end in reach(rows, columns, square, full):
            after = full & ~start | end
            for arrow in reach(rows, columns, end.bit_length() - 1, after):
                yield start, end, arrow
