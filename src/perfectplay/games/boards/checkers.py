"""Checkers (English draughts) with few pieces, on a board of 8 x 8, 6 x 6 or 4 x 4.

Play is on the dark squares. A man steps forwards to a neighbouring empty square, a king also
backwards. A piece takes by jumping over a neighbouring piece of the other player to the empty
square behind it, a man forwards only, and goes on with the same piece as long as it can; taking is
compulsory, but not taking most. A man that reaches the last row becomes a king, and the move ends.
A player who cannot move loses; endless play is a draw.

The game begins anywhere: first positions are all those with at most `pieces` pieces, men and kings
of both players in any numbers, either player to move, men not on their last row.

Bellman (1965) would stop where "we can recognize whether a game is a win, loss, or draw as soon as
five or more kings are on the board". `kings` is that number: with so many kings, and nothing to be
taken, play ends; who has more pieces wins, as many are a draw. 0: play goes on to the end.

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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Literal

from perfectplay.errors import UsageError
from perfectplay.games.boards.checkers_board import (
    CHOOSE,
    JUMP,
    JUMPS,
    KING,
    MOST,
    ON,
    ORIGIN,
    PATH,
    PIECE,
    PIECES,
    STEP,
    THEIRS,
    THERE,
    WAY,
    WHITE,
    counted,
    inserted,
    squares_of,
)
from perfectplay.games.boards.checkers_shown import CheckersShown
from perfectplay.rules.capabilities import NumberedStarts
from perfectplay.rules.game import OVER
from perfectplay.rules.packing import at, get, put


@dataclass(frozen=True)
class Checkers(NumberedStarts, CheckersShown):
    """All positions with at most `pieces` pieces on a board of `size` x `size`."""

    pieces: int = 2
    size: Literal[4, 6, 8] = 8
    kings: int = 0

    native = True

    def __post_init__(self) -> None:
        if self.size not in (4, 6, 8):
            raise UsageError(f"no board of {self.size} x {self.size}", "use size 4, 6 or 8")
        if not 1 <= self.pieces <= MOST:
            raise UsageError(
                f"positions of {self.pieces} pieces do not fit in one number",
                f"use pieces from 1 to {MOST}",
            )

        if self.kings < 0:
            raise UsageError(f"no boundary at {self.kings} kings", "use 0 or more")

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
        return OVER if self.recognised(p) else get(p, WHITE)

    def recognised(self, p: int) -> bool:
        """Whether play ends because of the kings on the board."""
        if self.kings == 0:
            return False
        kings, rest = 0, get(p, PIECES)
        while rest:
            kings += 1 if rest & KING else 0
            rest >>= PIECE.bits
        return kings >= self.kings and not self.takes(p)

    def takes(self, p: int) -> bool:
        """Whether the player to move must take."""
        mine, theirs = squares_of(p, 0, THEIRS), squares_of(p, THEIRS, THEIRS)
        rest = get(p, PIECES)
        while rest & THERE and not rest & THEIRS:
            here, ways = rest & ON, 4 if rest & KING else 2
            rest >>= PIECE.bits
            for way in range(ways):
                over, to = int(STEP[self.board, way, here]), int(JUMP[self.board, way, here])
                if to >= 0 and (theirs >> over) & 1 and not ((mine | theirs) >> to) & 1:
                    return True
        return False

    def payoff(self, p: int) -> int:
        more, rest = 0, get(p, PIECES)
        while rest:
            more += -1 if rest & THEIRS else 1
            rest >>= PIECE.bits
        if not self.recognised(p):  # who cannot move loses
            more = -1
        won = 1 if more > 0 else -1 if more < 0 else 0
        return -won if get(p, WHITE) else won

    def turn(self, p: int) -> int:
        return get(p, WHITE)

    def moves(self, p: int) -> Iterator[int]:
        mine, theirs = squares_of(p, 0, THEIRS), squares_of(p, THEIRS, THEIRS)
        taking = False
        rest = get(p, PIECES)
        while rest & THERE and not rest & THEIRS:
            here, ways = rest & ON, 4 if rest & KING else 2
            rest >>= PIECE.bits
            for move in self.captures(mine & ~(1 << here), theirs, here, ways):
                taking = True
                yield move
        rest = 0 if taking else get(p, PIECES)
        while rest & THERE and not rest & THEIRS:
            here, ways = rest & ON, 4 if rest & KING else 2
            rest >>= PIECE.bits
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
            code = get(rest, PIECE)
            rest >>= PIECE.bits
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
            rest >>= PIECE.bits
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
