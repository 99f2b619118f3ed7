"""Sokoban: push all boxes onto goals, one at a time; nobody can pull.

The player walks up, down, left and right where neither a wall nor a box is, and pushes a box one
square on by walking against it, if the square behind is free. Wanted are as few pushes as
possible, or by `cost` "moves" as few steps, pushes among them. A move is a walk and a push, and is
written as a solution is: small letters for steps (u, d, l, r), a capital for the push.

`level` has rows from top to bottom, separated by / or on lines of their own: # is a wall, $ a box,
. a goal, * a box on a goal, @ the player, + the player on a goal, - or _ or a blank is free. If
there are several levels, with anything else between them, `number` says which one. Without `level`
they are levels 1 to 29 of Microban, by David W. Skinner.

Check: Microban 1 takes 8 pushes, or 33 moves with another solution.

A position is where the player is, and a bit for each square with a box, 60 to a word.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.sokoban_board import (
    FAR,
    KIND,
    NEAR,
    Level,
    levels_in,
    push_table,
    read,
)
from perfectplay.games.puzzles.sokoban_levels import MICROBAN
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.search_capabilities import NumberedDeals, SearchGuides

Position = tuple[int, int, int, int]
"""The player's square, and boxes in three words."""
WORD = 60
WAIT = -1
"""The move of who can push nothing."""
CELL = 30


@dataclass(frozen=True)
class Sokoban(NumberedDeals, PlacedMoves, SearchGuides, Game):
    """One level, with up to 180 squares and 30 boxes."""

    number: int = 1
    cost: Literal["pushes", "moves"] = "pushes"
    level: str = ""

    players = 1
    minimise = True
    native = True
    deal_parameter = "number"

    def __post_init__(self) -> None:
        if self.cost not in ("pushes", "moves"):
            raise UsageError(f"no cost {self.cost!r}", "cost is pushes or moves")
        _ = self.drawn  # what is no level is refused

    # -- The level. ---

    @cached_property
    def drawn(self) -> Level:
        """The level."""
        found = levels_in(self.level or MICROBAN)
        if not 1 <= self.number <= len(found):
            raise UsageError(
                f"no level {self.number}: there are {len(found)}",
                "rows of a level look like #@$.#, and are separated by /",
            )
        return read(found[self.number - 1])

    @cached_property
    def table(self) -> Any:
        """int16[…]: how far boxes are from goals, and what is next to what (sokoban_board.py)."""
        return push_table(self.drawn)

    @cached_property
    def squares(self) -> int:
        """How many squares somebody can go to."""
        return len(self.drawn.squares)

    @cached_property
    def boxes(self) -> int:
        """How many boxes there are."""
        return len(self.drawn.boxes)

    @cached_property
    def goals(self) -> tuple[int, int, int]:
        """The goals, as boxes of a position."""
        return packed(self.drawn.goals)

    @cached_property
    def walked(self) -> bool:
        """Whether steps count."""
        return self.cost == "moves"

    def start(self) -> Position:
        return (self.drawn.player, *packed(self.drawn.boxes))

    # -- Rules. ---

    def box(self, p: Position, square: int) -> bool:
        """Whether a box is on a square."""
        return p[1 + square // WORD] >> (square % WORD) & 1 == 1

    def near(self, square: int, way: int) -> int:
        """The square next to one, -1 if that is a wall."""
        return int(self.table[NEAR, square, way])

    def walks(self, p: Position) -> Any:
        """int64[squares]: how many steps take the player to each square, -1 for never."""
        steps, queue = np.full(self.squares, -1), np.empty(self.squares, np.int64)
        steps[p[0]], queue[0] = 0, p[0]
        begin, end = 0, 1
        while begin < end:
            here = queue[begin]
            begin += 1
            for way in range(4):
                to = self.near(here, way)
                if to >= 0 and steps[to] < 0 and not self.box(p, to):
                    steps[to] = steps[here] + 1
                    queue[end] = to
                    end += 1
        return steps

    def to_move(self, p: Position) -> int:
        return OVER if (p[1], p[2], p[3]) == self.goals else 0

    def moves(self, p: Position) -> Iterator[int]:
        # A move is 4 * the square of the box + the way it is pushed.
        if self.to_move(p) == OVER:
            return
        steps, stuck = self.walks(p), True
        for square in range(self.squares):
            if self.box(p, square):
                for way in range(4):
                    to, behind = self.near(square, way), self.near(square, way ^ 1)
                    if to >= 0 and behind >= 0 and steps[behind] >= 0 and not self.box(p, to):
                        yield 4 * square + way
                        stuck = False
        if stuck:
            yield WAIT

    def play(self, p: Position, m: int) -> Position:
        if m == WAIT:
            return p
        square = m >> 2
        to = self.near(square, m & 3)
        words = [p[1], p[2], p[3]]
        words[square // WORD] ^= 1 << (square % WORD)
        words[to // WORD] ^= 1 << (to % WORD)
        return square, words[0], words[1], words[2]

    def reward(self, p: Position, m: int) -> int:
        if m == WAIT or not self.walked:
            return 1
        return int(self.walks(p)[self.near(m >> 2, m & 3 ^ 1)]) + 1

    def representative(self, p: Position) -> Position:
        # Where they stand makes no difference if steps do not count, only where they can go.
        if self.walked:
            return p
        steps, square = self.walks(p), 0
        while steps[square] < 0:
            square += 1
        return square, p[1], p[2], p[3]

    # -- What guides searches. ---

    def bounds(self, p: Position) -> tuple[float, float]:
        # Each box goes to a goal of its own, and takes no fewer pushes than if it were alone: the
        # cheapest way to share out the goals is a lower bound.
        if self.frozen(p):
            return math.inf, math.inf
        pushes = self.shared(p)
        return (float(pushes) if pushes < FAR else math.inf), math.inf

    def frozen(self, p: Position) -> bool:
        """Whether some boxes off the goals can never be pushed again. Of all boxes, those are
        taken out which could be pushed if the others left could not, until all are stuck between
        walls and each other. The first of them to be pushed would be one that cannot; a push to
        where no goal can be reached from is no way out."""
        stuck, changed = np.zeros(self.squares, np.bool_), True
        for square in range(self.squares):
            stuck[square] = self.box(p, square)
        while changed:
            changed = False
            for square in range(self.squares):
                if stuck[square] and (self.free(stuck, square, 0) or self.free(stuck, square, 2)):
                    stuck[square], changed = False, True
        for square in range(self.squares):
            if stuck[square] and self.table[KIND, square, 0] == 0:
                return True
        return False

    def free(self, stuck: Any, square: int, way: int) -> bool:
        """Whether a box might be pushed along a line, if some others never are."""
        one, two = self.near(square, way), self.near(square, way ^ 1)
        if one < 0 or two < 0 or stuck[one] or stuck[two]:
            return False
        return not (self.table[KIND, one, 1] == 1 and self.table[KIND, two, 1] == 1)

    def shared(self, p: Position) -> int:
        """The least sum of pushes that take each box to a goal of its own, FAR or more if none
        do (Kuhn 1955; by shortest ways, as Jonker and Volgenant 1987)."""
        n = self.boxes
        box, at = np.empty(n, np.int64), 0
        for square in range(self.squares):
            if self.box(p, square):
                box[at] = square
                at += 1
        of_row, of_goal = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
        row_of, before = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
        for row in range(1, n + 1):
            least, used = np.full(n + 1, 1 << 40), np.zeros(n + 1, np.bool_)
            row_of[0], goal = row, 0
            while row_of[goal] != 0:
                used[goal] = True
                here, step, then = row_of[goal], 1 << 40, 0
                for k in range(1, n + 1):
                    if not used[k]:
                        pushes = int(self.table[box[here - 1], p[0], k - 1])
                        extra = pushes - of_row[here] - of_goal[k]
                        if extra < least[k]:
                            least[k], before[k] = extra, goal
                        if least[k] < step:
                            step, then = least[k], k
                for k in range(n + 1):
                    if used[k]:
                        of_row[row_of[k]] += step
                        of_goal[k] -= step
                    else:
                        least[k] -= step
                goal = then
            while goal != 0:
                row_of[goal] = row_of[before[goal]]
                goal = before[goal]
        return int(-of_goal[0])

    # -- Text at the edges. ---

    def signs(self, p: Position) -> list[list[str]]:
        """The level at `p`, sign by sign."""
        rows, columns = self.drawn.size
        found = [["-"] * columns for _ in range(rows)]
        for y, x in self.drawn.walls:
            found[y][x] = "#"
        for i, (y, x) in enumerate(self.drawn.squares):
            what = 2 if self.box(p, i) else int(i == p[0])
            found[y][x] = (".+*" if i in self.drawn.goals else "-@$")[what]
        return found

    def text(self, p: Position) -> str:
        return "/".join(map("".join, self.signs(p)))

    def parse(self, s: str) -> Position:
        example = f"{s!r}: a position looks like {self.text(self.start())!r}"
        given = levels_in(s)
        if len(given) != 1:
            raise ValueError(example)
        try:
            level = read(given[0])
        except UsageError as error:
            raise ValueError(f"{s!r}: {error.message}") from None
        if (level.squares, level.goals) != (self.drawn.squares, self.drawn.goals):
            raise ValueError(f"{s!r}: another level; {example}")
        return (level.player, *packed(level.boxes))

    def way_to(self, p: Position, square: int) -> str:
        """The steps that take the player to a square, the shortest."""
        steps, found = self.walks(p).tolist(), ""
        while steps[square] > 0:
            way = next(w for w in range(4) if steps[self.near(square, w ^ 1)] == steps[square] - 1
                       and self.near(square, w ^ 1) >= 0)  # fmt: skip
            found, square = "udlr"[way] + found, self.near(square, way ^ 1)
        return found

    def move_text(self, p: Position, m: int) -> str:
        if m == WAIT:
            return "wait"
        return self.way_to(p, self.near(m >> 2, m & 3 ^ 1)) + "UDLR"[m & 3]

    def places(self, p: Position, m: int) -> Iterator[tuple[float, float]]:
        # The box, and where it goes.
        squares = [p[0]] if m == WAIT else [m >> 2, self.near(m >> 2, m & 3)]
        for square in squares:
            y, x = self.drawn.squares[square]
            yield inside(CELL * (x + 0.5), CELL * (y + 0.5))

    def picture(self, p: Position) -> str:
        rows, columns = self.drawn.size
        parts = []
        for y, row in enumerate(self.signs(p)):
            for x, sign in enumerate(row):
                left, top, middle = CELL * x, CELL * y, (CELL * (x + 0.5), CELL * (y + 0.5))
                if sign == "#":
                    parts.append(svg.box(left, top, CELL, CELL, svg.LINE, svg.LINE))
                elif (y, x) in self.drawn.squares:
                    parts.append(svg.box(left, top, CELL, CELL))
                if sign in ".+*":
                    parts.append(svg.circle(*middle, 5, svg.COLOURS[5]))
                if sign in "$*":
                    colour = svg.COLOURS[2] if sign == "*" else svg.COLOURS[1]
                    parts.append(svg.box(left + 6, top + 6, CELL - 12, CELL - 12, colour, svg.INK))
                if sign in "@+":
                    parts.append(svg.circle(*middle, 9, svg.COLOURS[0], svg.INK))
        return svg.svg(CELL * columns, CELL * rows, parts)

    def player_name(self, i: int) -> str:
        return "the player"


def packed(squares: tuple[int, ...]) -> tuple[int, int, int]:
    """Squares as bits, 60 to a word."""
    words = [sum(1 << (i % WORD) for i in squares if i // WORD == k) for k in range(3)]
    return words[0], words[1], words[2]
