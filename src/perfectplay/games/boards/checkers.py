"""Checkers (English draughts) with few pieces, on a board of 8 x 8, 6 x 6 or 4 x 4.

Play is on the dark squares. A man steps forwards to a neighbouring empty square, a king also
backwards. A piece takes by jumping over a neighbouring piece of the other player to the empty
square behind it, a man forwards only, and goes on with the same piece as long as it can; taking is
compulsory, but not taking most. A man that reaches the last row becomes a king, and the move ends.
A player who cannot move loses; endless play is a draw.

The game begins anywhere: first positions are all those with at most `pieces` pieces, men and kings
of both players in any numbers, either player to move, men not on their last row.

Check: with the turn fixed there are 120 positions of one piece, 6,972 of two, 261,224 of three and
7,092,774 of four. Two kings win against one but for 34 of 14,880 positions.

A position is one integer: pieces as the player to move sees them, going towards higher squares,
one byte each, in ascending order: 128 + 64 if it is the other's + 32 if it is a king + its square;
and bit 60 if White is to move. Squares count from 0, in print from 1 on, row by row from Black's
side, and are turned round for White:

       1   2   3   4
     5   6   7   8
       9  10  11  12      Black moves down, White up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Literal

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.packing import Field, at, fields, get, put
from perfectplay.rules.capabilities import NumberedStarts
from perfectplay.rules.game import Game

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


def _place(size: int, square: int) -> tuple[int, int]:
    """Row and column of a square."""
    row, number = divmod(square, size // 2)
    return row, 2 * number + (1 - row % 2)


def _steps(size: int, far: int) -> list[list[int]]:
    """By direction and square: the square that lies so far away, or -1."""
    places = {_place(size, square): square for square in range(size * size // 2)}
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
        rest >>= 8
    return found


@dataclass(frozen=True)
class Checkers(NumberedStarts, Game):
    """All positions with at most `pieces` pieces on a board of `size` x `size`."""

    pieces: int = 2
    size: Literal[4, 6, 8] = 8

    native = True

    def __post_init__(self) -> None:
        if self.size not in (4, 6, 8):
            raise UsageError(f"no board of {self.size} x {self.size}", "use size 4, 6 or 8")
        if not 1 <= self.pieces <= MOST:
            raise UsageError(
                f"positions of {self.pieces} pieces do not fit in one number",
                f"use pieces from 1 to {MOST}",
            )

    @property
    def board(self) -> int:
        """Which of the boards in STEP and JUMP it is."""
        return self.size // 2 - 2

    @property
    def last(self) -> int:
        """The last square."""
        return self.size**2 // 2 - 1

    @cached_property
    def start_numbers(self) -> int:  # type: ignore[override]
        """All sets of squares, with pieces of all four kinds."""
        return sum(comb(self.last + 1, k) * 4**k for k in range(1, self.pieces + 1))

    @cached_property
    def most_positions(self) -> int:  # type: ignore[override]
        """Positions with as many pieces or fewer."""
        return sum(counted(self.size, k) for k in range(1, self.pieces + 1))

    # -- First positions. -------------------------------------------------------------------------

    def start(self) -> int:
        first: int = next(iter(self.starts()))
        return first

    def starts_of(self, i: int) -> Iterator[int]:
        # Most pieces come first. Of so many, the number gives their kinds, four of them, and which
        # of all sets of squares they stand on.
        k = self.pieces
        while i >= int(CHOOSE[self.last + 1, k]) << (2 * k):
            i -= int(CHOOSE[self.last + 1, k]) << (2 * k)
            k -= 1
        kinds, i = i & ((1 << (2 * k)) - 1), i >> (2 * k)
        p, square = 0, self.last
        edge = self.last + 1 - self.size // 2
        while k > 0:
            while int(CHOOSE[square, k]) > i:
                square -= 1
            i -= int(CHOOSE[square, k])
            k -= 1
            kind = ((kinds >> (2 * k)) ^ (2 * (k & 1))) & 3
            if (kind == 0 and square >= edge) or (kind == 2 and square < self.size // 2):
                return
            p = inserted(p, THERE + 32 * kind + square)
        yield p

    # -- The rules. -------------------------------------------------------------------------------

    def to_move(self, p: int) -> int:
        return get(p, WHITE)

    def turn(self, p: int) -> int:
        return get(p, WHITE)

    def moves(self, p: int) -> Iterator[int]:
        mine, theirs = squares_of(p, 0, THEIRS), squares_of(p, THEIRS, THEIRS)
        taking = False
        rest = get(p, PIECES)
        while rest & THERE and not rest & THEIRS:
            here, ways = rest & ON, 4 if rest & KING else 2
            rest >>= 8
            for move in self.captures(mine & ~(1 << here), theirs, here, ways):
                taking = True
                yield move
        rest = 0 if taking else get(p, PIECES)
        while rest & THERE and not rest & THEIRS:
            here, ways = rest & ON, 4 if rest & KING else 2
            rest >>= 8
            for way in range(ways):
                to = int(STEP[self.board, way, here])
                if to >= 0 and not ((mine | theirs) >> to) & 1:
                    yield at(ORIGIN, here) | at(PATH, way)

    def captures(self, mine: int, theirs: int, here: int, ways: int) -> Iterator[int]:
        """Yield the captures of one piece, depth first; `mine` are the other pieces of its
        player."""
        origin, path, jumps, way = here, 0, 0, 0
        grown = 0  # by number of jumps, a bit: whether there was a further one
        left = theirs
        while True:
            if way < ways:
                over, to = int(STEP[self.board, way, here]), int(JUMP[self.board, way, here])
                if to < 0 or not (left >> over) & 1 or ((mine | theirs) >> to) & 1:
                    way += 1
                    continue
                left &= ~(1 << over)
                path |= at(WAY, way, jumps)
                grown = (grown | (1 << jumps)) & ~(1 << (jumps + 1))
                jumps += 1
                here = to
                crowned = ways == 2 and here > self.last - self.size // 2
                way = 4 if crowned else 0
                continue
            if jumps == 0:
                return
            if not (grown >> jumps) & 1:
                yield at(ORIGIN, origin) | at(JUMPS, jumps) | at(PATH, path)
            jumps -= 1
            way = get(path, WAY, jumps)
            path = put(path, WAY, 0, jumps)
            here = int(JUMP[self.board, way ^ 2, here])
            left |= 1 << int(STEP[self.board, way, here])
            way += 1

    def play(self, p: int, m: int) -> int:
        origin, jumps, path = get(m, ORIGIN), get(m, JUMPS), get(m, PATH)
        to, taken = origin, 0
        for i in range(jumps):
            taken |= 1 << int(STEP[self.board, get(path, WAY, i), to])
            to = int(JUMP[self.board, get(path, WAY, i), to])
        if jumps == 0:
            to = int(STEP[self.board, path, to])
        q = 0
        rest = get(p, PIECES)
        while rest:
            code = rest & 255
            rest >>= 8
            if code & ON == origin:
                code = (code & ~ON) | to
                if to > self.last - self.size // 2:
                    code |= KING
            elif (taken >> (code & ON)) & 1:
                continue
            q = inserted(q, ((code & ~ON) ^ THEIRS) | (self.last - (code & ON)))
        return q | at(WHITE, 1 - get(p, WHITE))

    def stratum(self, p: int) -> int:
        # Pieces, then men, then who has which, then rows that men have still to go.
        pieces, men, mine, theirs, rows = 0, 0, 0, 0, 0
        rest = get(p, PIECES)
        while rest:
            here, king = rest & ON, rest & KING
            other = rest & THEIRS
            rest >>= 8
            pieces += 1
            if not king:
                men += 1
                row = here // (self.size // 2)
                rows += row if other else self.size - 1 - row
            worth = 1 if king else 8
            if other:
                theirs += worth
            else:
                mine += worth
        which = 64 * max(mine, theirs) + min(mine, theirs)
        return (((pieces << 3) | men) << 20) | (which << 8) | rows

    def representative(self, p: int) -> int:
        return put(p, WHITE, 0)

    # -- Texts and pictures. ----------------------------------------------------------------------

    def printed(self, p: int) -> dict[int, str]:
        """By printed number: B or W, in lower case for men."""
        white, found, rest = get(p, WHITE), {}, get(p, PIECES)
        while rest:
            letter = "BW"[(rest & THEIRS > 0) != (white > 0)]
            number = self.last + 1 - (rest & ON) if white else (rest & ON) + 1
            found[number] = letter if rest & KING else letter.lower()
            rest >>= 8
        return found

    def text(self, p: int) -> str:
        found = self.printed(int(p))
        sides = [
            ",".join(
                ("K" if found[n].isupper() else "") + str(n)
                for n in sorted(found)
                if found[n].upper() == side
            )
            for side in "WB"
        ]
        return f"{'BW'[get(int(p), WHITE)]}:W{sides[0]}:B{sides[1]}"

    def parse(self, s: str) -> int:
        words = re.fullmatch(r"\s*([BW]):([BW])([K\d,]*):([BW])([K\d,]*)\.?\s*", s.upper())
        if words is None or words[2] == words[4]:
            raise ValueError(f"{s!r}: a position is written as in 'B:W18,K24:B5,K12'")
        white, p, taken = words[1] == "W", 0, set()
        for side, pieces in ((words[2], words[3]), (words[4], words[5])):
            for piece in pieces.split(",") if pieces else []:
                found = re.fullmatch(r"(K?)(\d{1,2})", piece)
                if found is None or not 1 <= int(found[2]) <= self.last + 1:
                    raise ValueError(
                        f"{piece!r} is no piece on a square from 1 to {self.last + 1}"
                    )
                number, king = int(found[2]), bool(found[1])
                if number in taken:
                    raise ValueError(f"there are two pieces on square {number}")
                taken.add(number)
                home = number <= self.size // 2, number > self.last + 1 - self.size // 2
                if not king and home[side == "B"]:
                    raise ValueError(f"a man on square {number} would be a king: K{number}")
                square = self.last + 1 - number if white else number - 1
                code = THERE + (KING if king else 0) + square
                if len(taken) > MOST:
                    raise ValueError(f"there are more than {MOST} pieces")
                p = inserted(p, code if side == words[1] else code + THEIRS)
        if not taken:
            raise ValueError("there is no piece on the board")
        return p | at(WHITE, white)

    def move_text(self, p: int, m: int) -> str:
        jumps, path = get(m, JUMPS), get(m, PATH)
        squares = [get(m, ORIGIN)]
        for i in range(max(jumps, 1)):
            way = get(path, WAY, i)
            squares.append(int((JUMP if jumps else STEP)[self.board, way, squares[-1]]))
        white = get(p, WHITE)
        return ("x" if jumps else "-").join(
            str(self.last + 1 - square if white else square + 1) for square in squares
        )

    def picture(self, p: int) -> str:
        found, cell, parts = self.printed(int(p)), svg.CELL, []
        for row in range(self.size):
            for column in range(self.size):
                dark = (row + column) % 2 == 1
                fill = svg.SHADE if dark else svg.FIELD
                parts.append(svg.box(cell * column, cell * row, cell, cell, fill))
        for square in range(self.last + 1):
            row, column = _place(self.size, square)
            x, y = cell * (column + 0.5), cell * (row + 0.5)
            letter = found.get(square + 1)
            if letter is None:
                parts.append(svg.text(x, y, square + 1, 10, svg.FAINT))
            else:
                parts.append(svg.stone(x, y, 15, "BW".index(letter.upper())))
                if letter.isupper():
                    parts.append(svg.text(x, y, "K", 16, svg.FIELD))
        turn = f"{self.player_name(get(int(p), WHITE))} to move"
        side = self.size * cell
        return svg.svg(side, side + 24, [*parts, svg.note(0, side + 14, turn)])

    def player_name(self, i: int) -> str:
        return ("Black", "White")[i]
