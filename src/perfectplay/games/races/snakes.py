"""Snakes and ladders: a race by the die, without any choice.

Players start off the board, before square 1, and take turns to roll a die of six faces and move
that far. Whoever ends on the foot of a ladder climbs it, on the head of a snake slides down. The
first on the last square wins. A roll that would go too far is lost (`finish` "exact"), is enough
to win ("overshoot"), or is carried back from the last square ("bounce").

Alone, a player asks for the expected number of rolls. Check: 39.2251223082350 on the board of
Milton Bradley, which is the default; of two players the first wins with probability
0.507911593870.

A position is one integer: ten bits for the square of each of four players, two for the player on
turn, one that is set while the die rolls. The player on turn is made the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, rotated

SQUARES, TURN, ROLLING = fields(40, 2, 1)
SQUARE = SQUARES.each(10)
"""The square of a player; 0 is off the board."""
SIDES = 6
MILTON_BRADLEY = (
    *(1, 38, 4, 14, 9, 31, 21, 42, 28, 84, 36, 44, 51, 67, 71, 91, 80, 100),
    *(16, 6, 47, 26, 49, 11, 56, 53, 62, 19, 64, 60, 87, 24, 93, 73, 95, 75, 98, 78),
)
FINISHES = ("exact", "overshoot", "bounce")


@dataclass(frozen=True)
class SnakesAndLadders(Game):
    """A race over `squares` squares. `jumps` lists pairs: from a square, to a square."""

    players: int = 1
    finish: str = "exact"
    squares: int = 100
    jumps: tuple[int, ...] = MILTON_BRADLEY

    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """A player alone counts rolls."""
        return self.players == 1

    def __post_init__(self) -> None:
        if not 1 <= self.players <= 4 or not 1 <= self.squares <= 1000:
            raise UsageError(
                f"no race of {self.players} players over {self.squares} squares",
                "use 1 to 4 players and 1 to 1000 squares",
            )
        if self.finish not in FINISHES:
            raise UsageError(f"no finish called {self.finish!r}", f"use {', '.join(FINISHES)}")
        feet, ends = self.jumps[::2], self.jumps[1::2]
        on_board = all(0 < square < self.squares for square in feet) and all(
            0 <= square <= self.squares for square in ends
        )
        clear = len({*feet, *ends}) == len(feet) + len(set(ends))
        if len(feet) != len(ends) or not on_board or not clear:
            raise UsageError(
                f"these are no snakes and ladders: {self.jumps}",
                "list pairs of squares, from and to; none may begin where another begins or ends",
            )

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What each player gets, by winner."""
        return winner_takes_all(self.players)

    @cached_property
    def landing(self) -> Ints:
        """Where a player comes to rest, snakes and ladders included: landing[square, roll - 1]."""
        last, jump = self.squares, dict(zip(self.jumps[::2], self.jumps[1::2], strict=True))
        table = []
        for square in range(last):
            for to in range(square + 1, square + SIDES + 1):
                beyond = {"exact": square, "overshoot": last, "bounce": 2 * last - to}[self.finish]
                here = to if to <= last else max(0, beyond)
                table.append(jump.get(here, here))
        return np.array(table, np.int64).reshape(last, SIDES)

    def start(self) -> int:
        return 0

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        if get(p, SQUARE, turn) == self.squares:
            return OVER
        return CHANCE if get(p, ROLLING) else turn

    def moves(self, p: int) -> Iterator[int]:
        yield 0

    def play(self, p: int, m: int) -> int:
        return put(p, ROLLING, 1)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        turn = self.turn(p)
        square = get(p, SQUARE, turn)
        following = (turn + 1) % self.players
        for roll in range(SIDES):
            to = int(self.landing[square, roll])
            # Who has won stays on turn.
            whose = turn if to == self.squares else following
            yield 1, put(get(p, SQUARES), SQUARE, to, turn) | at(TURN, whose)

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[self.turn(p)]

    def reward(self, p: int, m: int) -> int:
        return 1 if self.players == 1 else 0

    def representative(self, p: int) -> int:
        squares = rotated(p, SQUARE, self.turn(p), self.players)
        return put(put(p, TURN, 0), SQUARES, squares)

    def text(self, p: int) -> str:
        squares = " ".join(str(get(p, SQUARE, i)) for i in range(self.players))
        rolling = ", rolling" if get(p, ROLLING) else ""
        return f"{squares}, player {self.turn(p) + 1}{rolling}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*([\d ]+),\s*player (\d+)(,\s*rolling)?\s*", s)
        squares = [int(word) for word in found[1].split()] if found else []
        if not found or len(squares) != self.players or not 1 <= int(found[2]) <= self.players:
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r}")
        if max(squares) > self.squares:
            raise ValueError(f"{s!r}: there are {self.squares} squares")
        places = sum(at(SQUARE, square, i) for i, square in enumerate(squares))
        return places | at(TURN, int(found[2]) - 1) | at(ROLLING, bool(found[3]))

    def move_text(self, p: int, m: int) -> str:
        return "roll"

    def picture(self, p: int) -> str:
        cell, wide = 30, 10
        high = (self.squares + wide - 1) // wide

        def centre(square: int) -> tuple[float, float]:
            row, column = divmod(square - 1, wide)
            x = column if row % 2 == 0 else wide - 1 - column
            return (x + 0.5) * cell, (high - row - 0.5) * cell

        parts = []
        for square in range(1, self.squares + 1):
            x, y = centre(square)
            parts.append(svg.box(x - cell / 2, y - cell / 2, cell, cell))
            parts.append(svg.text(x, y - 9, square, 8, svg.FAINT))
        for a, b in zip(self.jumps[::2], self.jumps[1::2], strict=True):
            colour = svg.COLOURS[2] if b > a else svg.COLOURS[5]
            parts.append(svg.line(*centre(a), *centre(max(b, 1)), colour, 3))
            parts.append(svg.circle(*centre(b), 3, colour, colour) if b else "")
        for player in range(self.players):
            square = get(p, SQUARE, player)
            x, y = centre(square) if square else (-2.0, high * cell + 12.0)
            parts.append(svg.stone(x - 5 + 5 * player + (14 if not square else 0), y, 8, player))
        words = f"player {self.turn(p) + 1} " + ("rolls" if get(p, ROLLING) else "is on turn")
        parts.append(svg.note(70, high * cell + 14, words, 12))
        return svg.svg(wide * cell, high * cell + 24, parts)
