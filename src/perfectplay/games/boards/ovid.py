"""Ovid's game, the smallest of the morris family: three men each on a board of 3 x 3 points.

Players take turns to place a man on an empty point. When all six are placed they move one of their
men to an empty point next to it (`steps` says which points are next to each other). Whoever has
three men in a row, column or diagonal wins, while placing as well as while moving; a player
who cannot move loses. `centre` says whether the first man may be placed on the centre.

Check: an opening on the centre wins in 9 plies, on a corner it draws, on the middle of a side it
loses. There are 5390 positions.

A position is one integer: nine bits for the first player's men, nine for the second player's, one
for whose turn it is. Point (x, y) is bit 3 y + x; points are called a1 (lower left) to c3.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count, crosses_and_noughts, marked, runs, strides, symmetric
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.packing import at, fields, get, put

MEN = 3
SIDES, TURN = fields(18, 1)
SIDE = SIDES.each(9)
HAND = 9
"""Where a man comes from who is placed."""
THREE = strides(3)
ROWS, COLUMNS, DOWN, UP = 0b001001001, 0b000000111, 0b000000001, 0b000000100
"""The points where a row, a column or a diagonal begins."""


def _near(steps: str, point: int, other: int) -> bool:
    """Whether two points are next to each other."""
    across, along = abs(point % 3 - other % 3), abs(point // 3 - other // 3)
    if point == other:
        return False
    if steps == "lines":
        return across + along == 1
    if steps == "diagonals":
        return across + along == 1 or (max(across, along) == 1 and 4 in (point, other))
    return steps == "any" or max(across, along) == 1


@dataclass(frozen=True)
class Ovid(Game):
    """Three men's morris.

    `steps`: "lines" (along rows and columns), "diagonals" (also between centre and corners),
    "king" (in all eight directions) or "any" (to every empty point). `diagonal` says whether
    diagonals count as rows. `symmetry` identifies turned and mirrored boards and the two colours.
    """

    steps: str = "lines"
    diagonal: bool = True
    centre: bool = True
    symmetry: bool = False

    native = True

    def __post_init__(self) -> None:
        if self.steps not in ("lines", "diagonals", "king", "any"):
            raise UsageError(
                f"no steps called {self.steps!r}", "use lines, diagonals, king or any"
            )

    @cached_property
    def near(self) -> tuple[int, ...]:
        """By point: the points next to it."""
        return tuple(sum(1 << q for q in range(9) if _near(self.steps, p, q)) for p in range(9))

    def start(self) -> int:
        return 0

    def men(self, p: int, player: int) -> int:
        """The points where a player's men stand."""
        return get(p, SIDE, player)

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def in_row(self, men: int) -> bool:
        """Whether three men stand in a row."""
        rows = (runs(men, 1, THREE) & ROWS) | (runs(men, 3, THREE) & COLUMNS)
        slanted = (runs(men, 4, THREE) & DOWN) | (runs(men, 2, THREE) & UP)
        return rows != 0 or (self.diagonal and slanted != 0)

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        return OVER if self.in_row(self.men(p, 1 - turn)) else turn

    def moves(self, p: int) -> Iterator[int]:
        # A move is 16 * from + to.
        turn = self.turn(p)
        mine = self.men(p, turn)
        empty = 511 & ~(mine | self.men(p, 1 - turn))
        if count(mine) < MEN:
            for to in range(9):
                if (empty >> to) & 1 and (self.centre or p != 0 or to != 4):
                    yield 16 * HAND + to
        else:
            for man in range(9):
                if (mine >> man) & 1:
                    for to in range(9):
                        if (empty & self.near[man]) >> to & 1:
                            yield 16 * man + to

    def play(self, p: int, m: int) -> int:
        turn, man, to = self.turn(p), m // 16, m % 16
        mine = self.men(p, turn) | (1 << to)
        if man != HAND:
            mine &= ~(1 << man)
        return put(put(p, SIDE, mine, turn), TURN, 1 - turn)

    def payoff(self, p: int) -> int:
        # Whoever is to move has lost: the other made a row, or they are blocked.
        return -1 if self.turn(p) == 0 else 1

    def stratum(self, p: int) -> int:
        return 2 * MEN - count(get(p, SIDES))

    def representative(self, p: int) -> int:
        if not self.symmetry:
            return p
        turn = self.turn(p)
        mine, theirs = self.men(p, turn), self.men(p, 1 - turn)
        best = mine | at(SIDE, theirs, 1)
        for kind in range(1, 8):
            image = symmetric(mine, 3, 3, kind) | at(SIDE, symmetric(theirs, 3, 3, kind), 1)
            best = min(best, image)
        return best

    def marks(self, p: int) -> str:
        """One letter per point: X first player, O second, . empty."""
        return crosses_and_noughts(self.men(p, 0), self.men(p, 1), 9)

    def text(self, p: int) -> str:
        marks = self.marks(p)
        return f"{marks[:3]}/{marks[3:6]}/{marks[6:]} to move {'XO'[self.turn(p)]}"

    def parse(self, s: str) -> int:
        words = s.upper().split()
        rows = words[0].split("/") if words else []
        marks = "".join(rows)
        shaped = [len(row) for row in rows] == [3, 3, 3] and not set(marks) - set(".XO")
        if not shaped or words[1:3] != ["TO", "MOVE"] or words[3:] not in (["X"], ["O"]):
            raise ValueError(f"{s!r}: a position looks like {self.text(0)!r}")
        men, second = (marks.count("X"), marks.count("O")), words[3] == "O"
        if max(men) > MEN or men[not second] - men[second] not in (0, 1):
            raise ValueError(f"{s!r}: each player places {MEN} men, in turn")
        first, other = marked(marks, "X"), marked(marks, "O")
        return first | at(SIDE, other, 1) | at(TURN, second)

    def move_text(self, p: int, m: int) -> str:
        points = [f"{chr(97 + i % 3)}{3 - i // 3}" for i in (m // 16, m % 16)]
        return points[1] if m // 16 == HAND else "-".join(points)

    def picture(self, p: int) -> str:
        spots = [(20 + 70 * (i % 3), 20 + 70 * (i // 3)) for i in range(9)]
        parts = [
            svg.line(*spots[i], *spots[j])
            for i in range(9)
            for j in range(i)
            if _near("lines" if self.steps == "any" else self.steps, i, j)
        ]
        for (x, y), mark in zip(spots, self.marks(p), strict=True):
            free = mark == "."
            parts.append(svg.circle(x, y, 6) if free else svg.stone(x, y, 17, "XO".index(mark)))
        return svg.svg(180, 180, parts)

    def player_name(self, i: int) -> str:
        return "XO"[i]
