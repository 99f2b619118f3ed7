"""Race and chase: bring pieces round by the die, and send back those of the other. A small Ludo.

Two players have `pieces` pieces each and run round a circular track of `length` cells. Each enters
it at a cell of their own, their square 1; the entries lie opposite each other. In turns they roll
a die of `sides` faces and move a piece that far, or enter one that waits: a roll of n enters on
square n, or, if `enter` is not 0, only a roll of `enter` enters, on square 1. A piece that has
gone round leaves the track: it is home beyond square `length`, with `exact` only by the roll that
leads just there. No two pieces of one player may be on a cell. A piece that moves to a cell with a
piece of the other sends that back to wait; but nobody may move to a safe cell that is occupied.
`safe` lists squares that are safe, on the track of either player. Players must move if they can;
if not, their turn is over. With `again` they roll once more after moving by the highest roll. Who
has all pieces home wins.

Check: with one piece each on a track of 2 cells, a coin instead of the die, and no exact roll
needed, whoever begins wins with probability 9/14.

A position is one integer: for each player twenty bits for the squares with pieces, square 1
lowest, and four for those that wait; then four bits for the roll (0: it is to be rolled) and one
for the player on turn, who is made the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import comb

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, rotated

TRACK, WAITING = fields(20, 4)
"""A side: the squares with pieces, and how many pieces wait."""
SIDES, ROLLED, TURN = fields(48, 4, 1)
SIDE = SIDES.each(24)


def cell(square: int) -> int:
    """The bit of a square."""
    return 1 << (square - 1)


def on(side: int, square: int) -> bool:
    """Whether a side has a piece on a square; there is none on 0."""
    return square > 0 and side & cell(square) != 0


@dataclass(frozen=True)
class Chase(Game):
    """Two players on tracks that meet. Subclasses say how they meet and what is rolled."""

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
        """The other player's number of the cell of a square; 0 if they never come there."""
        raise NotImplementedError

    def sheltered(self, square: int) -> bool:
        """Whether a piece on a square cannot be sent back."""
        raise NotImplementedError

    def repeats(self, square: int, roll: int) -> bool:
        """Whether a player goes on after moving to a square by a roll."""
        raise NotImplementedError

    # -- Rules. ---

    def start(self) -> int:
        side = at(WAITING, self.pieces)
        return at(SIDE, side) | at(SIDE, side, 1)

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def side(self, p: int, player: int) -> int:
        """The squares with pieces and the waiting pieces of a player."""
        return get(p, SIDE, player)

    def roll(self, p: int) -> int:
        """What was rolled; 0 if it is to be rolled."""
        return get(p, ROLLED)

    def to_move(self, p: int) -> int:
        if self.side(p, 0) == 0 or self.side(p, 1) == 0:
            return OVER
        return self.turn(p) if self.roll(p) else CHANCE

    def target(self, p: int, square: int, roll: int) -> int:
        """Where the player on turn may move a piece from a square (0: one that waits) by a roll;
        0 if they may not."""
        mine, theirs = self.side(p, self.turn(p)), self.side(p, 1 - self.turn(p))
        there = get(mine, WAITING) if square == 0 else on(mine, square)
        to = self.reached(square, roll) if there else 0
        if to == 0 or to > self.squares():
            return to
        if on(mine, to):
            return 0
        return 0 if on(theirs, self.opposite(to)) and self.sheltered(to) else to

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
                yield weight, put(p, TURN, 1 - self.turn(p)) if stuck else put(p, ROLLED, roll)

    def moves(self, p: int) -> Iterator[int]:
        for square in range(self.squares() + 1):
            if self.target(p, square, self.roll(p)):
                yield square

    def play(self, p: int, m: int) -> int:
        turn, roll = self.turn(p), self.roll(p)
        to = self.target(p, m, roll)
        mine, theirs = self.side(p, turn), self.side(p, 1 - turn)
        mine -= at(WAITING, 1) if m == 0 else cell(m)
        if to <= self.squares():
            mine |= cell(to)
            meets = self.opposite(to)
            if on(theirs, meets):
                theirs += at(WAITING, 1) - cell(meets)
        # Who has won stays on turn.
        following = turn if mine == 0 or self.repeats(to, roll) else 1 - turn
        return at(SIDE, mine, turn) | at(SIDE, theirs, 1 - turn) | at(TURN, following)

    def payoff(self, p: int) -> tuple[int, int]:
        return (1, 0) if self.side(p, 0) == 0 else (0, 1)

    def stratum(self, p: int) -> int:
        one, two = self.side(p, 0), self.side(p, 1)
        waiting = get(one, WAITING) + get(two, WAITING)
        return waiting + count(get(one, TRACK)) + count(get(two, TRACK))

    def representative(self, p: int) -> int:
        return put(put(p, SIDES, rotated(p, SIDE, self.turn(p), 2)), TURN, 0)

    # -- Text. ---

    def taken(self, side: int) -> list[int]:
        """The squares with pieces."""
        return [square for square in range(1, self.squares() + 1) if on(side, square)]

    def text(self, p: int) -> str:
        sides = (self.side(p, 0), self.side(p, 1))
        words = (" ".join([f"{get(s, WAITING)} waiting", *map(str, self.taken(s))]) for s in sides)
        rolled = f", roll {self.roll(p)}" if self.roll(p) else ""
        return f"{' | '.join(words)}, player {self.turn(p) + 1}{rolled}"

    def parse(self, s: str) -> int:
        side = r"\s*(\d+) waiting((?: +\d+)*)\s*"
        found = re.fullmatch(rf"{side}\|{side},\s*player ([12])(?:,\s*roll (\d+))?\s*", s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        p = at(TURN, int(found[5]) - 1)
        for player in (0, 1):
            waiting = int(found[1 + 2 * player])
            taken = {int(word) for word in found[2 + 2 * player].split()}
            if waiting + len(taken) > self.pieces or not taken <= {*range(1, self.squares() + 1)}:
                most = f"{self.pieces} pieces on squares 1 to {self.squares()}"
                raise ValueError(f"{s!r}: there are {most}")
            p |= at(SIDE, sum(map(cell, taken)) | at(WAITING, waiting), player)
        clash = {self.opposite(i) for i in self.taken(self.side(p, 0))} & {
            *self.taken(self.side(p, 1))
        }
        if clash or (self.side(p, 0) == 0 and self.side(p, 1) == 0):
            raise ValueError(f"{s!r}: two players cannot be on one cell, or both have won")
        roll = int(found[6] or 0)
        over = self.to_move(p) == OVER
        if over and self.side(p, self.turn(p)):
            raise ValueError(f"{s!r}: who has won stays on turn")
        if roll > self.highest() or (roll and (over or self.stuck(p, roll))):
            raise ValueError(f"{s!r}: no roll of {roll} is to be played")
        return p | at(ROLLED, roll)

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
            for square in self.taken(side):
                parts.append(svg.stone(*self.place(square, player), 11, player))
            y = high + 20 + 26 * player
            for i in range(get(side, WAITING)):
                parts.append(svg.stone(12 + 26 * i, y, 11, player))
            home = self.pieces - get(side, WAITING) - len(self.taken(side))
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

    def __post_init__(self) -> None:
        fits = 1 <= self.pieces <= 15 and 2 <= self.length <= TRACK.bits and self.length % 2 == 0
        if not fits or not 2 <= self.sides <= 12:
            raise UsageError(
                f"no race of {self.pieces} pieces over {self.length} cells by {self.sides} faces",
                f"use 1 to 15 pieces, an even number of cells up to {TRACK.bits}, 2 to 12 faces",
            )
        if not 0 <= self.enter <= self.sides:
            raise UsageError(f"no roll of {self.enter} enters", f"use 0 to {self.sides}")
        if not all(1 <= square <= self.length for square in self.safe):
            raise UsageError(f"no safe squares {self.safe}", f"use 1 to {self.length}")

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """Choose the cells of both players, how many of the others wait, and perhaps a roll."""
        pieces, cells = range(self.pieces + 1), self.length
        boards = sum(
            comb(cells, i) * comb(cells - i, j) * (self.pieces - i + 1) * (self.pieces - j + 1)
            for i in pieces
            for j in pieces
            if i + j <= cells
        )
        return boards * (self.sides + 1)

    @cached_property
    def shelters(self) -> int:
        """The safe squares, as a side has them."""
        squares = {*self.safe, *map(self.opposite, self.safe)}
        return sum(map(cell, squares))

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
        return on(self.shelters, square)

    def repeats(self, square: int, roll: int) -> bool:
        return self.again and roll == self.sides

    def place(self, square: int, player: int) -> tuple[float, float]:
        # Two rows: player 1 goes right above, and left below.
        half = self.length // 2
        cell = square if player == 0 else self.opposite(square)
        if cell <= half:
            return 30 * cell - 15.0, 15.0
        return 30 * (self.length - cell) + 15.0, 51.0
