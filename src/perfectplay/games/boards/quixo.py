"""Quixo: push cubes into a square of cubes until a whole row of them shows your mark.

On a board of width x width lie cubes that are blank at first. The player to move takes a cube from
the edge that is blank or shows their own mark, turns it to show their mark, and pushes it back in
at either end of the row or the column it came from, but not where it was: the cubes between move
up. Whoever has a whole row, column or diagonal of their mark wins; a player who completes one of
the other's loses, even if the same move completes one of their own. Play may go on for ever, which
is a draw. The game as it is sold has 5 x 5 cubes.

Check: on 4 x 4 the first player wins. Of the 82,497,861 positions that play can come to, told
apart by whose turn it is, 49,953,979 are won by the player to move, 29,330,646 lost and 3,213,236
drawn (GamesmanOne). 5 x 5 is a draw (Tanaka, Bonnet, Tixeuil and Tamura 2020).

A position is two sets of cells, the player to move's below the other's; cell (x, y) is bit y *
width + x. A stratum has all positions with so many blank cubes, and so many cubes of the player
who has more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count, crosses_and_noughts, marked, runs, strides, symmetric
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.rules.game import Game
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed
from perfectplay.rules.packing import at, fields, get
from perfectplay.rules.set_pairs import SetPairs

MINE, THEIRS = fields(25, 25)
MORE, BLANK = fields(5, 5)
"""The fields of a stratum: cubes of the player who has more, and blank ones."""


@dataclass(frozen=True)
class Quixo(PlacedMoves, BackwardMoves, SetPairs, Indexed, Game):
    """A board of width x width cubes; with `symmetry`, its images share a number."""

    width: int = 4
    symmetry: bool = True

    native = True

    def __post_init__(self) -> None:
        if not 2 <= self.width <= 5:
            raise UsageError(
                f"no board of {self.width} x {self.width} cubes", "use a width from 2 to 5"
            )

    @property
    def cells(self) -> int:
        """How many cubes there are."""
        return self.width * self.width

    # -- The rules. -------------------------------------------------------------------------------

    @cached_property
    def ways(self) -> list[tuple[int, int]]:
        """All moves: the cell of the cube that is taken, and the one where it is pushed in."""
        n, last = self.width, self.width - 1
        edge = [c for c in range(n * n) if {c % n, c // n} & {0, last}]
        ends = [(c, (c // n * n, c // n * n + last, c % n, c % n + n * last)) for c in edge]
        return [(c, end) for c, all_of_it in ends for end in dict.fromkeys(all_of_it) if end != c]

    @cached_property
    def pushes(self) -> Ints:
        """By move: the bit of the cube that is taken, that of its end, all cells from the one to
        the other, and by how many bits their cubes move up; negative: to lower bits."""
        found = []
        for cell, end in self.ways:
            step = 1 if cell // self.width == end // self.width else self.width
            between = range(min(cell, end), max(cell, end) + 1, step)
            cells = sum(1 << each for each in between)
            found.append((1 << cell, 1 << end, cells, -step if end > cell else step))
        return np.array(found, np.int64)

    @cached_property
    def ahead(self) -> tuple[int, ...]:
        """How `runs` looks for rows."""
        return strides(self.width)

    @cached_property
    def first_column(self) -> int:
        """The cells where rows begin."""
        return sum(1 << c for c in range(0, self.cells, self.width))

    def lined(self, cubes: int) -> bool:
        """Whether a whole row, column or diagonal is among these."""
        n, ahead = self.width, self.ahead
        straight = (runs(cubes, 1, ahead) & self.first_column) | (
            runs(cubes, n, ahead) & ((1 << n) - 1)
        )
        slanted = (runs(cubes, n + 1, ahead) & 1) | (runs(cubes, n - 1, ahead) & 1 << (n - 1))
        return (straight | slanted) != 0

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> Iterator[int]:
        theirs = get(p, THEIRS)
        if not self.lined(get(p, MINE)) and not self.lined(theirs):
            for m in range(len(self.pushes)):
                if theirs & self.pushes[m, 0] == 0:
                    yield m

    def pushed(self, cubes: int, m: int) -> int:
        """Cubes after a push, without the one that was taken."""
        cells, up = int(self.pushes[m, 2]), int(self.pushes[m, 3])
        moved = cubes & cells & ~int(self.pushes[m, 0])
        return (cubes & ~cells) | (moved << up if up > 0 else moved >> -up)

    def play(self, p: int, m: int) -> int:
        mine = self.pushed(get(p, MINE), m) | int(self.pushes[m, 1])
        return at(MINE, self.pushed(get(p, THEIRS), m)) | at(THEIRS, mine)

    def payoff(self, p: int) -> int:
        # The other has just moved: who made a row of the player to move has lost.
        if self.lined(get(p, MINE)):
            return 1
        return -1 if self.lined(get(p, THEIRS)) else 0

    def unmoves(self, p: int) -> Iterator[int]:
        # In the same stratum the cube that was taken was no blank one.
        mine, theirs = get(p, MINE), get(p, THEIRS)
        for m in range(len(self.pushes)):
            cube, end = int(self.pushes[m, 0]), int(self.pushes[m, 1])
            cells, up = int(self.pushes[m, 2]), int(self.pushes[m, 3])
            if theirs & end:
                back, other = theirs & cells & ~end, mine & cells
                back, other = (back >> up, other >> up) if up > 0 else (back << -up, other << -up)
                before = (theirs & ~cells) | back | cube
                yield at(MINE, before) | at(THEIRS, (mine & ~cells) | other)

    # -- Numbers. ---------------------------------------------------------------------------------

    def stratum(self, p: int) -> int:
        mine, theirs = count(get(p, MINE)), count(get(p, THEIRS))
        return at(BLANK, self.cells - mine - theirs) | at(MORE, max(mine, theirs))

    def numbered_strata(self) -> Iterator[int]:
        for more in range(self.cells + 1):
            for fewer in range(min(more, self.cells - more) + 1):
                # Both have a cube from the second move on.
                if fewer or more < 2:
                    yield at(BLANK, self.cells - more - fewer) | at(MORE, more)

    @property
    def pair_points(self) -> int:  # type: ignore[override]
        return self.cells

    @property
    def pair_most(self) -> int:  # type: ignore[override]
        return self.cells

    def pair_symmetries(self) -> list[list[int]]:
        n, kinds = self.width, range(8 if self.symmetry else 1)
        where = range(n * n)
        return [[symmetric(1 << c, n, n, k).bit_length() - 1 for c in where] for k in kinds]

    def size(self, stratum: int) -> int:
        more = get(stratum, MORE)
        return self.sides(more, self.cells - get(stratum, BLANK) - more)

    def rank(self, p: int) -> int:
        if get(p, MINE) and get(p, THEIRS) == 0:
            return -1  # the other player has just made a move
        return self.rank_sides(get(p, MINE), get(p, THEIRS))

    def unrank(self, stratum: int, i: int) -> int:
        more = get(stratum, MORE)
        mine, theirs = self.nth_sides(more, self.cells - get(stratum, BLANK) - more, i)
        return at(MINE, mine) | at(THEIRS, theirs)

    # -- Texts and pictures. ----------------------------------------------------------------------

    def text(self, p: int) -> str:
        marks, n = crosses_and_noughts(get(p, MINE), get(p, THEIRS), self.cells), self.width
        return "/".join(marks[y * n : (y + 1) * n] for y in range(n))

    def parse(self, s: str) -> int:
        rows = s.strip().upper().split("/")
        marks = "".join(rows)
        if [len(row) for row in rows] != [self.width] * self.width or set(marks) - set(".XO"):
            raise ValueError(
                f"{s!r}: a position looks like {self.text(0)!r}, with X to move and O"
            )
        p = at(MINE, marked(marks, "X")) | at(THEIRS, marked(marks, "O"))
        if self.stratum(p) not in self.numbered_strata() or (get(p, MINE) and count(p) == 1):
            raise ValueError(f"{s!r}: no play leads to so many cubes of each player")
        return p

    def spot(self, cell: int) -> str:
        """A cell by its column, a letter, and its row from below."""
        return f"{chr(97 + cell % self.width)}{self.width - cell // self.width}"

    def move_text(self, p: int, m: int) -> str:
        return "-".join(map(self.spot, self.ways[m]))

    def places(self, p: int, m: int) -> Iterator[tuple[float, ...]]:
        for cell in self.ways[m]:
            x, y = cell % self.width * svg.CELL, cell // self.width * svg.CELL
            yield float(x), float(y), float(x + svg.CELL), float(y + svg.CELL)

    def picture(self, p: int) -> str:
        cell, n = svg.CELL, self.width
        parts = [svg.grid(n, n)]
        for c, mark in enumerate(crosses_and_noughts(get(p, MINE), get(p, THEIRS), n * n)):
            x, y = (c % n + 0.5) * cell, (c // n + 0.5) * cell
            if mark != ".":
                parts.append(svg.cross(x, y, 11) if mark == "X" else svg.nought(x, y, 12))
        return svg.svg(n * cell, n * cell, parts)
