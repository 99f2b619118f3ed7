"""EinStein würfelt nicht!: numbered stones run to the other corner, and the die tells which.

Each player has `stones` stones, numbered from 1, in a corner of the board: player 1 in the upper
left, player 2 in the lower right. A turn is a roll of the die and a move. If the stone with the
number rolled is on the board it must move; else the player chooses the next lower or the next
higher one of his stones (there may be only one of them). Player 1 moves a stone one cell to the
right, down, or both; player 2 to the left, up, or both. A stone on the new cell, an own one or
not, is captured. Who brings a stone to the opposite corner wins at once, and so does who captures
the last stone of the other.

The die has a face for each stone; `die` gives it other faces, as a weight for each: `die=1,1,2`
shows 3 half of the time. Stones stand on the usual `cells` (3, 4, 5, 6 stones: a triangle, a
square, a triangle with the middle left out, a triangle), or on others: numbers row by row from the
player's own corner, which is 0; `opposite` gives player 2 cells of his own. `placement` says how
stones come to the cells: `chosen` solves all placements, of which the players may choose (see
docs/placements.md), `random` begins with a placement by chance, `given` is one: stone 1 on the
first cell, and so on.

Check: on 3 x 3 with three stones each, player 1 wins with probability 1459/2187 if stones are
placed at random, and with 169/243 if both players place as well as possible, unseen (Bonnet and
Viennot 2017).

A position is one integer; running.py draws it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import comb, perm
from typing import Any, Literal

import numpy as np

from perfectplay.errors import UsageError
from perfectplay.games.races.numbered_stones import LETTERS, corner_cells, drawn, places_in, signs
from perfectplay.games.races.running import Running
from perfectplay.games.races.running_words import BITS
from perfectplay.rules.capabilities import HiddenChoices
from perfectplay.rules.game import OVER

WAYS = (("right", "down", "right-down"), ("left", "up", "left-up"))
PLACING = "to be placed"


@dataclass(frozen=True)
class Einstein(HiddenChoices, Running):
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
        both = [(cell,) for cell in self.begin(0)] + [(self.end - c,) for c in self.begin(1)]
        if len(set(both)) < 2 * self.stones or not all(0 <= c <= self.end for (c,) in both):
            raise UsageError(
                f"stones cannot stand on {self.begin(0)} and, from the other corner, "
                f"{self.begin(1)}",
                f"give {self.stones} different cells of 0 to {self.end}, for player 2 counted "
                "from his corner, that do not meet",
            )
        if self.end in self.begin(0) or self.end in self.begin(1):
            raise UsageError("a stone begins in the opposite corner", "choose other cells")

    # -- First positions. -------------------------------------------------------------------------

    def begin(self, player: int) -> tuple[int, ...]:
        """The cells on which a player's stones begin, from his own corner."""
        mine = corner_cells(self.rows, self.wide, self.stones)
        mine = mine if self.cells == (-1,) else self.cells
        return mine if player == 0 or self.opposite == (-1,) else self.opposite

    def word(self, cells: tuple[int, ...]) -> int:
        """Cells of stones 1, 2, …, counted row by row, as one number."""
        return sum(
            (cell // self.wide * self.stride + cell % self.wide) << k * self.field
            for k, cell in enumerate(cells)
        )

    def counted(self, word: int) -> list[int]:
        """The cells of stones 1, 2, … in a word, row by row."""
        cells = [self.cell(word, k) for k in range(1, self.stones + 1)]
        return [cell // self.stride * self.wide + cell % self.stride for cell in cells]

    def starts(self) -> Iterator[int]:
        if self.placement == "chosen":
            for mine, other in product(permutations(self.begin(0)), permutations(self.begin(1))):
                yield self.word(mine) << self.player_bits | self.word(other)
        elif self.placement == "random":
            yield self.placing
        else:
            yield self.word(self.begin(0)) << self.player_bits | self.word(self.begin(1))

    def start(self) -> int:
        return next(iter(self.starts()))

    @cached_property
    def placements(self) -> Any:
        """All first positions."""
        pairs = product(permutations(self.begin(0)), permutations(self.begin(1)))
        if self.placement != "random":
            return np.zeros(1, np.int64)
        return np.array([self.word(a) << self.player_bits | self.word(b) for a, b in pairs])

    @property
    def longest(self) -> int:
        """How many moves a play has at most: all stones but the last step of the last one go all
        the way by single steps."""
        each = [self.rows + self.wide - 3 - c // self.wide - c % self.wide for c in self.begin(0)]
        other = [self.rows + self.wide - 3 - c // self.wide - c % self.wide for c in self.begin(1)]
        return sum(each) + sum(other) + 1

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

    # -- What people see. -------------------------------------------------------------------------

    def chosen(self, p: int) -> tuple[str, str] | None:
        """How the stones of both players are placed at a first position: on each cell in turn."""
        if self.placement != "chosen":
            return None
        shown = []
        for player in (0, 1):
            word = self.stones_of(p, player)
            stone = {cell: k for k, cell in enumerate(self.counted(word), 1)}
            shown.append("".join(str(stone[cell]) for cell in self.begin(player)))
        return shown[0], shown[1]

    def chosen_picture(self, p: int, player: int) -> str:
        """The board with the stones of one player."""
        bits = self.player_bits
        gone = self.empty if player == 0 else self.empty << bits
        return drawn(self.board((p & (self.word_mask << (0 if player else bits))) | gone))

    def board(self, p: int) -> list[str]:
        """Rows of signs."""
        places = []
        for player in (0, 1):
            cells = self.counted(self.stones_of(p, player))
            turned = [self.end - cell if player else cell for cell in cells]
            places.append([t if c != self.end else -1 for t, c in zip(turned, cells, strict=True)])
        return signs(self.rows, self.wide, places)

    def text(self, p: int) -> str:
        if p == self.placing and self.stones > 1:
            return PLACING
        turn, stage = self.turn(p), self.stage(p)
        board = "/".join(self.board(p))
        if self.to_move(p) == OVER:
            return f"{board}, player {2 - turn} has won"
        if stage == 0:
            return f"{board}, player {turn + 1} rolls"
        here = self.cell(self.stones_of(p, turn), stage) != self.last
        return f"{board}, player {turn + 1} {'moves' if here else 'rolled'} {stage}"

    def parse(self, s: str) -> int:
        if s.strip() == PLACING and self.placement == "random":
            return self.placing
        found = re.fullmatch(
            r"([\d.a-i/]+), player ([12]) (?:(rolls|has won)|(moves|rolled) (\d))", s.strip()
        )
        rows = found[1].split("/") if found else []
        if not found or len(rows) != self.rows:
            raise ValueError("a position looks like 12./3.c/.ba, player 1 rolls")
        mine, other = places_in(rows, self.wide, self.stones)
        words = [
            self.word(tuple(self.end if c < 0 else c for c in mine)),
            self.word(tuple(self.end if c < 0 else self.end - c for c in other)),
        ]
        player = int(found[2]) - 1
        turn = 1 - player if found[3] == "has won" else player
        stage = int(found[5] or 0)
        p = words[0] << self.player_bits | words[1]
        p |= stage << self.first_bits
        p = ~p if turn else p
        if self.text(p) != s.strip() or stage > self.stones:
            raise ValueError("nobody could be there")
        return p

    def move_text(self, p: int, m: int) -> str:
        turn = self.turn(p)
        if self.cell(self.stones_of(p, turn), self.stage(p)) == self.last:
            return f"stone {m}"
        return WAYS[turn][m]

    def picture(self, p: int) -> str:
        return drawn(self.board(p), self.text(p).rpartition(", ")[2])
