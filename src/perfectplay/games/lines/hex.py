"""Hex: two players fill a rhombus of hexagons; each wants to connect two opposite sides.

Players take turns to mark an empty cell. The first wants a chain of neighbouring cells from top to
bottom, the second one from left to right. Exactly one of them gets it, so there are no draws, and
whoever begins can win on a board with equal sides (Nash 1949). With `swap`, the second player may
change sides after the first move instead of moving; then the second player can win.

A cell touches those beside it, above and below it, and those at its upper right and lower left. A
position is two sets of cells, those of the player to move and those of the other, in rows of width
+ 1 bits, the last of which stays empty; and a number: 1 if the player to move connects left and
right, plus 2 as long as sides may be changed.

Check: 3 x 3 has five winning openings, the middle row and the short diagonal; 2 x 3 is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count, marked
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import EnoughMoves, SearchGuides, Threats

Position = tuple[int, int, int]
CHANGE = 63
"""The move of a player who changes sides."""


@dataclass(frozen=True)
class Hex(SearchGuides, EnoughMoves, Threats, Game):
    """A board of width x height cells; `symmetry` identifies boards turned half round."""

    width: int = 4
    height: int = 4
    swap: bool = False
    symmetry: bool = True

    native = True

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or (self.width + 1) * self.height > WORD:
            raise UsageError(
                f"a board of {self.width} x {self.height} is not possible",
                f"(width + 1) x height is at most {WORD}",
            )

    @cached_property
    def left(self) -> int:
        """The cells on the left."""
        return sum(1 << (y * (self.width + 1)) for y in range(self.height))

    @cached_property
    def board(self) -> int:
        """All cells."""
        return ((1 << self.width) - 1) * self.left

    def edge(self, across: int, far: int) -> int:
        """The cells of a side: left or right, or else top or bottom."""
        if across:
            return self.left << (far * (self.width - 1))
        return ((1 << self.width) - 1) << (far * (self.width + 1) * (self.height - 1))

    def near(self, cells: int) -> int:
        """Some cells and all that touches them."""
        up = self.width + 1
        found = cells | cells << 1 | cells >> 1 | cells << up | cells >> up
        return (found | cells << (up - 1) | cells >> (up - 1)) & self.board

    def flood(self, own: int, side: int) -> int:
        """Of one's own cells, those that are connected with a side."""
        found, before = own & side, 0
        while found != before:
            before = found
            found = self.near(found) & own
        return found

    def lined(self, own: int, across: int) -> bool:
        """Whether cells connect two sides."""
        return (self.flood(own, self.edge(across, 0)) & self.edge(across, 1)) != 0

    def gaps(self, own: int, free: int, across: int) -> int:
        """The free cells each of which would connect two sides."""
        one, other = self.edge(across, 0), self.edge(across, 1)
        from_one = self.near(self.flood(own, one)) | one
        return from_one & (self.near(self.flood(own, other)) | other) & free

    def start(self) -> Position:
        return 0, 0, 2 if self.swap else 0

    def moves(self, p: Position) -> Iterator[int]:
        mine, theirs, turn = p
        if not self.lined(theirs, 1 - (turn & 1)):
            for cell in range((self.width + 1) * self.height):
                if ((self.board & ~(mine | theirs)) >> cell) & 1:
                    yield cell
            if turn == 3:
                yield CHANGE

    def play(self, p: Position, m: int) -> Position:
        mine, theirs, turn = p
        if m == CHANGE:
            return mine, theirs, 1
        later = 2 if turn == 2 else 0
        return theirs, mine | (1 << m), 1 - (turn & 1) + later

    def payoff(self, p: Position) -> int:
        return -1

    def stratum(self, p: Position) -> int:
        return 2 * (self.width * self.height - count(p[0]) - count(p[1])) + (p[2] >> 1)

    def bounds(self, p: Position) -> tuple[int, int]:
        """What is seen within two plies: a chain, one that is next, two that are next."""
        mine, theirs, turn = p
        free, across = self.board & ~(mine | theirs), turn & 1
        if self.lined(theirs, 1 - across):
            return (-1, -1)
        if self.gaps(mine, free, across):
            return (1, 1)
        danger = self.gaps(theirs, free, 1 - across)
        return (-1, -1) if turn != 3 and danger & (danger - 1) else (-1, 1)

    def needed(self, p: Position) -> int:
        """A cell that completes a chain; else one that keeps the other player from that; else all
        that are free."""
        mine, theirs, turn = p
        free, across = self.board & ~(mine | theirs), turn & 1
        chosen = self.gaps(mine, free, across)
        if chosen == 0:
            chosen = self.gaps(theirs, free, 1 - across)
        return chosen & -chosen if chosen else free

    def enough(self, p: Position) -> Iterator[int]:
        mine, theirs, turn = p
        if not self.lined(theirs, 1 - (turn & 1)):
            needed = self.needed(p) if turn != 3 else self.board & ~(mine | theirs)
            for cell in range((self.width + 1) * self.height):
                if (needed >> cell) & 1:
                    yield cell
            if turn == 3:
                yield CHANGE

    def passed(self, p: Position) -> Position:
        return p[1], p[0], p[2] ^ 1

    def hint(self, p: Position, m: int) -> int:
        """Near the middle of the board."""
        x, y = m % (self.width + 1), m // (self.width + 1)
        return -abs(2 * x + 1 - self.width) - abs(2 * y + 1 - self.height)

    def representative(self, p: Position) -> Position:
        if not self.symmetry:
            return p
        turned = (self.turned(p[0]), self.turned(p[1]), p[2])
        return turned if turned < p else p

    def turned(self, cells: int) -> int:
        """A set of cells, turned half round."""
        found, last = 0, (self.width + 1) * self.height - 2
        for cell in range(last + 1):
            found |= ((cells >> cell) & 1) << (last - cell)
        return found

    def text(self, p: Position) -> str:
        mine, theirs, turn = p
        first, second = (theirs, mine) if turn & 1 else (mine, theirs)
        rows = []
        for y in range(self.height):
            cells = [y * (self.width + 1) + x for x in range(self.width)]
            rows.append("".join(".XO"[(first >> c & 1) + 2 * (second >> c & 1)] for c in cells))
        whose = "X" if turn & 1 == 0 else "O"
        return "/".join(rows) + f" {whose}" + (" may change" if turn == 3 else "")

    def parse(self, s: str) -> Position:
        board, whose, *rest = s.split()
        rows = board.upper().split("/")
        if [len(row) for row in rows] != [self.width] * self.height or whose not in ("X", "O"):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        marks = ".".join(rows)
        first, second = marked(marks, "X"), marked(marks, "O")
        turn = 0 if whose == "X" else 1
        if rest or (self.swap and not first | second):
            turn += 2
        return (second, first, turn) if turn & 1 else (first, second, turn)

    def move_text(self, p: Position, m: int) -> str:
        if m == CHANGE:
            return "change"
        return f"{chr(97 + m % (self.width + 1))}{m // (self.width + 1) + 1}"

    def picture(self, p: Position) -> str:
        cell, parts = svg.CELL, []
        marks = self.text(p).split()[0].split("/")
        for y in range(self.height):
            for x in range(self.width):
                left, top = (x + y / 2) * cell, 0.87 * y * cell
                parts.append(svg.box(left, top, cell, 0.87 * cell))
                if marks[y][x] != ".":
                    at = (left + cell / 2, top + 0.435 * cell, 0.35 * cell)
                    parts.append(svg.stone(*at, "XO".index(marks[y][x])))
        wide = (self.width + (self.height - 1) / 2) * cell
        return svg.svg(wide, 0.87 * self.height * cell, parts)
