"""EinStein würfelt nicht!: numbered stones run to the other corner, and the die says which.

Each player has `stones` stones, numbered from 1, in a corner of the board: player 1 in the upper
left, player 2 in the lower right. A turn is a roll of the die and a move. If the stone with the
number rolled is on the board it must move; else the player chooses the next lower or the next
higher one of their stones (there may be only one of them). Player 1 moves a stone one cell to the
right, down, or both; player 2 to the left, up, or both. A stone on the new cell, an own one or
not, is captured. Who brings a stone to the opposite corner wins at once, and so does who captures
the last stone of the other.

The die has a face for each stone; `die` gives it other faces, as a weight for each: `die=1,1,2`
shows 3 half of the time. Stones stand on the usual `cells` (3, 4, 5, 6 stones: a triangle, a
square, a triangle with the middle left out, a triangle), or on others: numbers row by row from the
player's own corner, which is 0; `opposite` gives player 2 other cells. `placement` says how
stones come to the cells: `chosen` solves all placements, of which the players may choose (see
docs/placements.md), `random` begins with a placement by chance, `given` is one: stone 1 on the
first cell, and so on.

Check: on 3 x 3 with three stones each, player 1 wins with probability 1459/2187 if stones are
placed at random, and with 169/243 if both players place as well as possible, unseen (Bonnet and
Viennot 2017).

A position is one integer, packed as running.py says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import comb, log2, perm
from typing import Literal

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.errors import UsageError
from perfectplay.games.races.einstein_shown import EinsteinShown
from perfectplay.games.races.numbered_stones import LETTERS, corner_cells
from perfectplay.games.races.running import BOTH, DOWN, RIGHT
from perfectplay.games.races.running_words import BITS
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.packing import put


@dataclass(frozen=True)
class Einstein(EinsteinShown):
    """EinStein würfelt nicht!, on any board with any number of stones."""

    rows: int = 3
    columns: int = 0
    """0: as many as rows."""
    stones: int = 3
    placement: Literal["chosen", "random", "given"] = "chosen"
    die: tuple[int, ...] = (0,)
    """A weight for each face; 0: a face for each stone."""
    cells: tuple[int, ...] = (-1,)
    """-1: the usual ones."""
    opposite: tuple[int, ...] = (-1,)
    """-1: the same for player 2."""

    def __post_init__(self) -> None:
        if not (self.rows >= 1 and self.columns >= 0 and 1 <= self.stones <= len(LETTERS)):
            raise UsageError(
                f"no game with {self.rows} rows, {self.columns} columns and {self.stones} stones",
                f"use 1 row or more, and 1 to {len(LETTERS)} stones",
            )
        if self.end < 1 or self.first_bits + self.stones.bit_length() > BITS:
            raise UsageError(
                f"{self.stones} stones for each player on {self.rows} x {self.wide} cells do not "
                f"fit in {BITS} bits",
                "use a board of at least two cells, a smaller board or fewer stones",
            )
        if self.die != (0,) and (min(self.die) < 0 or not any(self.die)):
            raise UsageError(
                f"{self.die} is no die", "give each face a weight, from face 1 on: die=1,1,1"
            )
        self._check_cells()

    def _check_cells(self) -> None:
        both = [*self.begin(0), *(self.end - cell for cell in self.begin(1))]
        if len(set(both)) < 2 * self.stones or not all(0 <= cell <= self.end for cell in both):
            raise UsageError(
                f"stones cannot stand on {self.begin(0)} and, from the other corner, "
                f"{self.begin(1)}",
                f"give {self.stones} different cells of 0 to {self.end}, for player 2 counted "
                "from their corner, that do not meet",
            )
        if self.end in self.begin(0) or self.end in self.begin(1):
            raise UsageError("a stone begins in the opposite corner", "choose other cells")

    # -- First positions. -------------------------------------------------------------------------

    def begin(self, player: int) -> tuple[int, ...]:
        """The cells on which a player's stones begin, from their own corner."""
        mine = corner_cells(self.rows, self.wide, self.stones)
        mine = mine if self.cells == (-1,) else self.cells
        return mine if player == 0 or self.opposite == (-1,) else self.opposite

    def starts(self) -> Iterator[int]:
        if self.placement == "chosen":
            for mine, other in product(permutations(self.begin(0)), permutations(self.begin(1))):
                yield self.placed(mine, other)
        elif self.placement == "random":
            yield self.placing
        else:
            yield self.placed(self.begin(0), self.begin(1))

    def start(self) -> int:
        return next(iter(self.starts()))

    @cached_property
    def placements(self) -> Ints:
        """The first positions among which chance chooses."""
        if self.placement != "random":
            return np.zeros(1, np.int64)
        pairs = product(permutations(self.begin(0)), permutations(self.begin(1)))
        return np.array([self.placed(mine, other) for mine, other in pairs])

    @property
    def longest(self) -> int:
        """How many moves a play has at most: all stones but the last step of the last one go all
        the way by single steps."""
        cells = (*self.begin(0), *self.begin(1))
        return 1 + sum(self.rows + self.wide - 3 - c // self.wide - c % self.wide for c in cells)

    @property
    def value_bits(self) -> float:
        """How many bits the numerator of a value takes at most: values are n/d^L."""
        return self.longest * log2(self.stones)

    @property
    def labels(self) -> int:  # type: ignore[override]
        """Stones have numbers; before they are placed, nobody stands anywhere."""
        return self.stones if self.placement != "random" else 0

    @property
    def labels_reversible(self) -> bool:  # type: ignore[override]
        return self.reversible

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """All boards with a stone or more of each player, symmetric ones counted once (Burnside's
        lemma, with more fixed boards than there are), and the end. What is taken for all cannot
        be reached as a whole: some half of it is, as a rule."""
        cells, symmetries = self.rows * self.wide, 2 if self.square else 1
        symmetries *= 4 if self.reversible else 1
        total = 2
        for a, b in product(range(1, self.stones + 1), repeat=2):
            ways = comb(self.stones, a) * comb(self.stones, b)
            boards = ways * perm(cells, a + b)
            if min(a, b) > 1:
                fixed = ways * cells ** (-(-a // 2) - (-b // 2))
                boards = min(boards, (boards + (symmetries - 1) * fixed) // symmetries)
            total += boards
        return total

    # -- Rules. -----------------------------------------------------------------------------------

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        if self.stones_of(p, turn) == self.empty:
            return OVER
        return CHANCE if self.stage(p) == 0 else turn

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        if p == self.placing and self.stones > 1:
            for first in self.placements:
                yield 1, int(first)
        else:
            word = self.stones_of(p, self.turn(p))
            for face in range(1, self.faces + 1):
                weight = self.weight(face)
                if weight > 0:
                    low, high = self.below(word, face), self.above(word, face)
                    choice = low > 0 and high > 0
                    yield weight, self.staged(p, face if choice else low + high)

    def moves(self, p: int) -> Iterator[int]:
        """A direction, or the number of a stone where there is a choice of stones."""
        if self.to_move(p) >= 0:
            word, stone = self.stones_of(p, self.turn(p)), self.stage(p)
            cell = self.cell(word, stone)
            if cell == self.last:
                yield self.below(word, stone)
                yield self.above(word, stone)
            else:
                row = self.row(cell)
                right, down = cell - row * self.stride < self.wide - 1, row < self.rows - 1
                if right:
                    yield RIGHT
                if down:
                    yield DOWN
                if right and down:
                    yield BOTH

    def play(self, p: int, m: int) -> int:
        turn, stone = self.turn(p), self.stage(p)
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        cell = self.cell(mine, stone)
        if cell == self.last:
            return self.staged(p, m)
        to = self.stepped(cell, m)
        other = self.empty if to == self.last else self.without(other, self.last - to)
        mine = self.without(mine, to)
        mine = put(mine, (0, self.field), to, stone - 1)
        return ~self.joined(mine, other) if turn == 0 else self.joined(other, mine)

    def payoff(self, p: int) -> tuple[int, int]:
        return (0, 1) if self.turn(p) == 0 else (1, 0)

    def stratum(self, p: int) -> int:
        """Stones on the board, then the steps that all of them have before them, then what a turn
        has used. (Few strata lead to one: those with as many stones, or one more.)"""
        most = 2 * self.stones * (self.rows + self.wide - 2)
        if p == self.placing and self.stones > 1:
            return 9 * self.stones * (most + 1)
        both = self.bare(p) & ((1 << self.first_bits) - 1)
        here = 2 * self.stones - self.captured(both)
        left = here * (most + 1) + most - self.steps_made(both)
        turn = self.turn(p)
        word, stone = self.stones_of(p, turn), self.stage(p)
        if word == self.empty:
            return 0
        if stone == 0:
            return 3 * left + 2
        return 3 * left + 1 if self.cell(word, stone) == self.last else 3 * left
