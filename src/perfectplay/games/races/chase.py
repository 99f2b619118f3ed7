"""Race and chase: bring pieces round by the die, and send back those of the other. A small Ludo.

Two players have `pieces` pieces each and run round a circular track of `length` cells. Each enters
it at his own cell, which is his square 1; the entries lie opposite each other. In turns they roll
a die of `sides` faces and move a piece that far, or enter one that waits: a roll of n enters on
square n, or, if `enter` is not 0, only a roll of `enter` enters, on square 1. A piece that has
gone round leaves the track: it is home beyond square `length`, with `exact` only by the roll that
leads just there. No two pieces of one player may be on a cell. A piece that moves to a cell with a
piece of the other sends that back to wait; but nobody may move to a safe cell that is occupied.
`safe` lists squares that are safe, on the track of either player. A player must move if he can; if
he cannot, his turn is over. With `again` he rolls once more after he has moved by the highest
roll. Who has all pieces home wins.

Check: with one piece each on a track of 2 cells, a coin instead of the die, and no exact roll
needed, whoever begins wins with probability 9/14.

A position is one integer: for each player twenty bits for the squares with his pieces, square 1
lowest, and four for those that wait; then four bits for the roll (0: it is to be rolled) and one
for the player on turn, who is made the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.rules.game import CHANCE, OVER, Game

SIDE, WAITING, ROLLED, TURN = 24, 20, 48, 52
"""How many bits a player has; where the pieces that wait, the roll and the turn begin."""
TRACK = (1 << WAITING) - 1
ALL = (1 << SIDE) - 1


@dataclass(frozen=True)
class Chase(Game):
    """Two players on tracks that meet. Subclasses tell how they meet and what is rolled."""

    pieces: int = 2

    native = True

    # -- What differs. ---

    def squares(self) -> int:
        """How many squares a piece passes; the next is home."""
        raise NotImplementedError

    def highest(self) -> int:
        """The highest roll."""
        raise NotImplementedError

    def weight(self, roll: int) -> int:
        """How often a roll comes up."""
        raise NotImplementedError

    def reached(self, square: int, roll: int) -> int:
        """The square that a roll leads to, squares() + 1 for home; 0 if it cannot be used."""
        raise NotImplementedError

    def opposite(self, square: int) -> int:
        """The other player's number of the cell of a square; 0 if he never comes there."""
        raise NotImplementedError

    def sheltered(self, square: int) -> bool:
        """Whether a piece on a square cannot be sent back."""
        raise NotImplementedError

    def repeats(self, square: int, roll: int) -> bool:
        """Whether a player goes on after he has moved to a square by a roll."""
        raise NotImplementedError

    # -- Rules. ---

    def start(self) -> int:
        return (self.pieces << WAITING) | (self.pieces << (SIDE + WAITING))

    def turn(self, p: int) -> int:
        return p >> TURN

    def side(self, p: int, player: int) -> int:
        """The squares with pieces and the waiting pieces of a player."""
        return (p >> (SIDE * player)) & ALL

    def roll(self, p: int) -> int:
        """What was rolled; 0 if it is to be rolled."""
        return (p >> ROLLED) & 15

    def to_move(self, p: int) -> int:
        if self.side(p, 0) == 0 or self.side(p, 1) == 0:
            return OVER
        return self.turn(p) if self.roll(p) else CHANCE

    def target(self, p: int, square: int, roll: int) -> int:
        """Where the player on turn may move a piece from a square (0: one that waits) by a roll;
        0 if he may not."""
        mine, theirs = self.side(p, self.turn(p)), self.side(p, 1 - self.turn(p))
        there = (mine >> WAITING) if square == 0 else (mine >> (square - 1)) & 1
        to = self.reached(square, roll) if there else 0
        if to == 0 or to > self.squares():
            return to
        if (mine >> (to - 1)) & 1:
            return 0
        meets = self.opposite(to)
        if meets and (theirs >> (meets - 1)) & 1 and self.sheltered(to):
            return 0
        return to

    def stuck(self, p: int, roll: int) -> bool:
        """Whether no piece can be moved by a roll."""
        able = 0
        for square in range(self.squares() + 1):
            able += self.target(p, square, roll)
        return able == 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for roll in range(self.highest() + 1):
            weight = self.weight(roll)
            if weight:
                stuck = roll == 0 or self.stuck(p, roll)
                yield weight, p ^ (1 << TURN) if stuck else p | (roll << ROLLED)

    def moves(self, p: int) -> Iterator[int]:
        for square in range(self.squares() + 1):
            if self.target(p, square, self.roll(p)):
                yield square

    def play(self, p: int, m: int) -> int:
        turn, roll = self.turn(p), self.roll(p)
        to = self.target(p, m, roll)
        mine, theirs = self.side(p, turn), self.side(p, 1 - turn)
        mine -= 1 << (WAITING if m == 0 else m - 1)
        if to <= self.squares():
            mine |= 1 << (to - 1)
            meets = self.opposite(to)
            if meets and (theirs >> (meets - 1)) & 1:
                theirs += (1 << WAITING) - (1 << (meets - 1))
        # Who has won stays on turn.
        following = turn if mine == 0 or self.repeats(to, roll) else 1 - turn
        return (mine << (SIDE * turn)) | (theirs << (SIDE * (1 - turn))) | (following << TURN)

    def payoff(self, p: int) -> tuple[int, int]:
        return (1, 0) if self.side(p, 0) == 0 else (0, 1)

    def stratum(self, p: int) -> int:
        left = 0
        for player in range(2):
            side = self.side(p, player)
            left += count(side & TRACK) + (side >> WAITING)
        return left

    def representative(self, p: int) -> int:
        if self.turn(p) == 0:
            return p
        return (self.roll(p) << ROLLED) | self.side(p, 1) | (self.side(p, 0) << SIDE)

    # -- Text. ---

    def on(self, side: int) -> list[int]:
        """The squares with pieces."""
        return [i + 1 for i in range(WAITING) if side >> i & 1]

    def text(self, p: int) -> str:
        sides = (self.side(p, 0), self.side(p, 1))
        words = (" ".join([f"{s >> WAITING} waiting", *map(str, self.on(s))]) for s in sides)
        rolled = f", roll {self.roll(p)}" if self.roll(p) else ""
        return f"{' | '.join(words)}, player {self.turn(p) + 1}{rolled}"

    def parse(self, s: str) -> int:
        side = r"\s*(\d+) waiting((?: +\d+)*)\s*"
        found = re.fullmatch(rf"{side}\|{side},\s*player ([12])(?:,\s*roll (\d+))?\s*", s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        p = (int(found[5]) - 1) << TURN
        for player in (0, 1):
            waiting = int(found[1 + 2 * player])
            on = {int(word) for word in found[2 + 2 * player].split()}
            if waiting + len(on) > self.pieces or not on <= {*range(1, self.squares() + 1)}:
                most = f"{self.pieces} pieces on squares 1 to {self.squares()}"
                raise ValueError(f"{s!r}: there are {most}")
            bits = sum(1 << (square - 1) for square in on)
            p |= (bits | (waiting << WAITING)) << (SIDE * player)
        clash = {self.opposite(i) for i in self.on(self.side(p, 0))} & {*self.on(self.side(p, 1))}
        if clash or (self.side(p, 0) == 0 and self.side(p, 1) == 0):
            raise ValueError(f"{s!r}: two players cannot be on one cell, or both have won")
        roll = int(found[6] or 0)
        over = self.to_move(p) == OVER
        if over and self.side(p, self.turn(p)):
            raise ValueError(f"{s!r}: who has won stays on turn")
        if roll > self.highest() or (roll and (over or self.stuck(p, roll))):
            raise ValueError(f"{s!r}: no roll of {roll} is to be played")
        return p | (roll << ROLLED)

    def move_text(self, p: int, m: int) -> str:
        to = self.target(p, m, self.roll(p))
        return f"{m or 'enter'}-{'home' if to > self.squares() else to}"

    def place(self, square: int, player: int) -> tuple[float, float]:
        """Where a square of a player is drawn."""
        raise NotImplementedError

    def picture(self, p: int) -> str:
        parts, wide, high = [], 0.0, 0.0
        for player in (1, 0):
            for square in range(1, self.squares() + 1):
                x, y = self.place(square, player)
                wide, high = max(wide, x + 15), max(high, y + 15)
                safe = self.sheltered(square) or self.repeats(square, 0)
                parts.append(svg.box(x - 15, y - 15, 30, 30, svg.SHADE if safe else svg.FIELD))
                parts.append(svg.text(x, y, square, 9, svg.FAINT))
        for player in (0, 1):
            side = self.side(p, player)
            for square in self.on(side):
                parts.append(svg.stone(*self.place(square, player), 11, player))
            y = high + 20 + 26 * player
            for i in range(side >> WAITING):
                parts.append(svg.stone(12 + 26 * i, y, 11, player))
            home = self.pieces - (side >> WAITING) - len(self.on(side))
            words = f"player {player + 1}: {home} home"
            parts.append(svg.note(26 * self.pieces + 8, y, words, 12))
        if self.to_move(p) != OVER:
            y = high + 8 + 26 * self.turn(p)
            parts.append(svg.die(26 * self.pieces + 116, y, 24, self.roll(p)))
        return svg.svg(max(wide, 26 * self.pieces + 144), high + 62, parts)


@dataclass(frozen=True)
class Ludo(Chase):
    """Race and chase on a circular track."""

    length: int = 12
    sides: int = 6
    safe: tuple[int, ...] = ()
    enter: int = field(default=0, kw_only=True)
    exact: bool = field(default=True, kw_only=True)
    again: bool = field(default=False, kw_only=True)
    safe_bits: int = field(init=False, repr=False)
    """The safe squares as bits."""

    def __post_init__(self) -> None:
        fits = 1 <= self.pieces <= 15 and 2 <= self.length <= WAITING and self.length % 2 == 0
        if not fits or not 2 <= self.sides <= 12:
            raise UsageError(
                f"no race of {self.pieces} pieces over {self.length} cells by {self.sides} faces",
                f"use 1 to 15 pieces, an even number of cells up to {WAITING}, 2 to 12 faces",
            )
        if not 0 <= self.enter <= self.sides:
            raise UsageError(f"no roll of {self.enter} enters", f"use 0 to {self.sides}")
        if not all(1 <= square <= self.length for square in self.safe):
            raise UsageError(f"no safe squares {self.safe}", f"use 1 to {self.length}")
        bits = 0
        for square in self.safe:
            bits |= (1 << (square - 1)) | (1 << (self.opposite(square) - 1))
        object.__setattr__(self, "safe_bits", bits)

    def squares(self) -> int:
        return self.length

    def highest(self) -> int:
        return self.sides

    def weight(self, roll: int) -> int:
        return 1 if roll else 0

    def reached(self, square: int, roll: int) -> int:
        if square == 0 and self.enter:
            return 1 if roll == self.enter else 0
        to = square + roll
        if to > self.length + 1 and self.exact:
            return 0
        return min(to, self.length + 1)

    def opposite(self, square: int) -> int:
        return (square - 1 + self.length // 2) % self.length + 1

    def sheltered(self, square: int) -> bool:
        return (self.safe_bits >> (square - 1)) & 1 == 1

    def repeats(self, square: int, roll: int) -> bool:
        return self.again and roll == self.sides

    def place(self, square: int, player: int) -> tuple[float, float]:
        # Two rows: player 1 goes right above, and left below.
        half = self.length // 2
        cell = square if player == 0 else self.opposite(square)
        if cell <= half:
            return 30 * cell - 15.0, 15.0
        return 30 * (self.length - cell) + 15.0, 51.0
