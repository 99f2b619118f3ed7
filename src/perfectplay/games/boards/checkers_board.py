"""Pieces and squares of checkers: how positions and moves are packed, tables of neighbours."""

from math import comb

import numpy as np

from perfectplay.rules.packing import Field, at, fields, get

PIECES, _, WHITE = fields(56, 4, 1)
"""Pieces in their order, eight bits each; 1 if White is to move."""
PIECE = PIECES.each(8)
MOST = 7
"""Pieces that fit in a position."""
KING, THEIRS, THERE = 32, 64, 128
ON = 31
"""The bits of a piece: crowned, the other player's, any piece at all; its square."""
ORIGIN, JUMPS, PATH = fields(5, 3, 2 * MOST)
"""A move: its first square, the number of jumps, directions; a step has no jump and one
direction."""
WAY = Field(0, 2)
"""Directions in a path, the first lowest."""
WAYS = ((1, -1), (1, 1), (-1, 1), (-1, -1))
"""Directions as (rows, columns): d ^ 2 is opposite to d, the first two are forwards."""


def place_of(size: int, square: int) -> tuple[int, int]:
    """Row and column of a square."""
    row, number = divmod(square, size // 2)
    return row, 2 * number + (1 - row % 2)


def _steps(size: int, far: int) -> list[list[int]]:
    """By direction and square: the square that lies so far away, or -1."""
    places = {place_of(size, square): square for square in range(size * size // 2)}
    found = []
    for down, right in WAYS:
        row = [-1] * 32
        for (y, x), square in places.items():
            row[square] = places.get((y + far * down, x + far * right), -1)
        found.append(row)
    return found


STEP = np.array([_steps(size, 1) for size in (4, 6, 8)])
JUMP = np.array([_steps(size, 2) for size in (4, 6, 8)])
"""By board, direction and square: the next square, and the one behind it; -1 off the board."""
CHOOSE = np.array([[comb(n, k) for k in range(MOST + 2)] for n in range(33)])


def counted(size: int, pieces: int) -> int:
    """How many positions have so many pieces, with the turn fixed: kings stand anywhere, men not
    on the row where they would be crowned."""
    squares, row = size * size // 2, size // 2
    found = 0
    for mine, theirs in ((a, b) for a in range(pieces + 1) for b in range(pieces + 1 - a)):
        kings = pieces - mine - theirs
        placed = 0
        for edge in range(min(mine, row) + 1):  # men of mine on the row where theirs are crowned
            for other in range(min(theirs, row) + 1):
                inner = squares - 2 * row
                placed += (
                    comb(row, edge) * comb(row, other) * comb(inner, mine - edge)
                    * comb(max(0, inner - mine + edge), theirs - other)
                )  # fmt: skip
        found += placed * comb(squares - mine - theirs, kings) * 2**kings
    return found


def inserted(p: int, code: int) -> int:
    """Pieces with one more, in their order."""
    i = 0
    while 0 < get(p, PIECE, i) < code:
        i += 1
    low = PIECE.bits * i
    return get(p, (0, low)) | at(PIECE, code, i) | at(PIECE, p >> low, i + 1)


def squares_of(p: int, kind: int, mask: int) -> int:
    """The squares of pieces whose code has the bits `kind` among those of `mask`, as bits."""
    found, rest = 0, get(p, PIECES)
    while rest:
        if rest & mask == kind:
            found |= 1 << (rest & ON)
        rest >>= PIECE.bits
    return found
