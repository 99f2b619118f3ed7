"""Numbered stones that run to the opposite corner: how a position is packed, symmetries, labels,
turns and guides of a search. einstein.py has the rules.

A position is one integer. Cells are numbered for each player from their own corner, so that both
run from 0 to the last cell, which nobody stands on: a stone there is one that was captured.

     bits   what                            3 x 3, three stones: player 1   player 2
     S      cells of player 2's stones               0 1 2                   8 7 6
     S      cells of player 1's stones               3 4 5                   5 4 3
     rest   stage: 0, the die is to be rolled;       6 7 8                   2 1 0
            k, stone k is to move, or, if it was captured, the next one above or below

All bits are inverted while it is player 2's turn.
"""

from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.games.races.running_words import Words
from perfectplay.rules.capabilities import ByTurns, LabelledPieces
from perfectplay.rules.search_capabilities import SearchGuides

RIGHT, DOWN, BOTH = range(3)


class Running(ByTurns, SearchGuides, LabelledPieces, Words):
    """Positions of any board, number of stones and die; the game declares its fields."""

    die: tuple[int, ...]
    placements: Any
    """int64[n]: the first positions among which chance chooses."""

    native = True

    # -- Sizes. All that compiled rules read is an integer or an array. ---------------------------

    @property
    def first_bits(self) -> int:
        """Bits of a position without its stage."""
        return 2 * self.player_bits

    @property
    def faces(self) -> int:
        """How many faces the die has."""
        return self.stones if self.die == (0,) else len(self.die)

    def weight(self, face: int) -> int:
        """The weight of a face of the die, from 1 on."""
        return 1 if len(self.die) == 1 and self.die[0] == 0 else self.die[face - 1]

    @property
    def reversible(self) -> bool:
        """Whether stone k may be called stones + 1 - k."""
        even = self.die == (0,) or self.die == self.die[::-1]
        return self.faces == self.stones and even

    @cached_property
    def rolls(self) -> int:
        """The weights of all faces together."""
        return sum(self.weight(face) for face in range(1, self.faces + 1))

    @cached_property
    def thirds(self) -> Any:
        """A guess of what a stone is worth that is so many steps from the goal: int64[steps]."""
        longest = max(self.rows, self.wide)
        return np.array([3 ** max(0, min(20, longest) - k) for k in range(longest)], np.int64)

    @cached_property
    def goal_next(self) -> Any:
        """1 if the next step leads to the goal: int64[steps]."""
        return (np.arange(max(self.rows, self.wide)) == 1).astype(np.int64)

    @property
    def placing(self) -> int:
        """The position before stones are placed: all stones in one cell, which is not possible."""
        return 0

    # -- Parts of a position. ---------------------------------------------------------------------

    def turn(self, p: int) -> int:
        return 1 if p < 0 else 0

    def stage(self, p: int) -> int:
        """0 before the roll, else a number of a stone."""
        return self.bare(p) >> self.first_bits

    def bare(self, p: int) -> int:
        """The bits of a position, whoever is on turn."""
        return p if p >= 0 else ~p

    def staged(self, p: int, stage: int) -> int:
        """The same position at another stage."""
        q = (self.bare(p) & ((1 << self.first_bits) - 1)) | (stage << self.first_bits)
        return q if p >= 0 else ~q

    def joined(self, first: int, second: int) -> int:
        """The position with these words of both players, before player 1 rolls."""
        return (first << self.player_bits) | second

    def stepped(self, cell: int, m: int) -> int:
        """The cell that a step leads to."""
        return cell + (1 if m != DOWN else 0) + (self.stride if m != RIGHT else 0)

    def stones_of(self, p: int, player: int) -> int:
        """The word of a player's stones."""
        return (self.bare(p) >> ((1 - player) * self.player_bits)) & self.word_mask

    def below(self, word: int, stone: int) -> int:
        """The highest stone on the board that is not above `stone`; 0 if there is none."""
        k = min(stone, self.stones)
        while k > 0 and self.cell(word, k) == self.last:
            k -= 1
        return k

    def above(self, word: int, stone: int) -> int:
        """The lowest stone on the board that is not below `stone`; 0 if there is none."""
        k = stone
        while k <= self.stones and self.cell(word, k) == self.last:
            k += 1
        return k if k <= self.stones else 0

    # -- Guides of a search. ----------------------------------------------------------------------

    def bounds(self, p: int) -> tuple[int, int, int]:
        """At least all rolls with which a stone reaches the goal at once win."""
        turn, stage = self.turn(p), self.stage(p)
        mine = self.stones_of(p, turn)
        wins, rolls = 0, 1
        if stage == 0 and mine != self.empty and (p != self.placing or self.stones == 1):
            wins, rolls = self.by_die(mine, self.goal_next), self.rolls
        return (wins, rolls, rolls) if turn == 0 else (0, rolls - wins, rolls)

    def hint(self, p: int, m: int) -> int:
        """Captures of the other's stones first, then diagonal moves (Bonnet and Viennot 2017)."""
        turn, stone = self.turn(p), self.stage(p)
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        cell = self.cell(mine, stone)
        if cell == self.last:
            return 0
        to = self.stepped(cell, m)
        if to == self.last:
            return 9
        captures = self.without(other, self.last - to) != other
        return (3 if captures else 0) + (2 if m == BOTH else 0)

    def guess(self, p: int) -> float:
        """Who is nearer to the goal, with the stones that the die may name."""
        turn = self.turn(p)
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        if mine == self.empty:
            return 1.0 * turn
        near, far = 1.0 * self.by_die(mine, self.thirds), 1.0 * self.by_die(other, self.thirds)
        chance = 2 * near * near / (2 * near * near + far * far)
        return chance if turn == 0 else 1 - chance

    def by_die(self, word: int, worth: Any) -> int:
        """What a player's stones are worth by their steps from the goal, added up over the faces
        of the die, each with its weight and the better one of the stones that it may name."""
        total = before = missing = 0
        for stone in range(1, self.faces + 1):
            cell = self.cell(word, stone) if stone <= self.stones else self.last
            if cell == self.last:
                missing += self.weight(stone)
            else:
                row = self.row(cell)
                steps = max(self.rows - 1 - row, self.wide - 1 - (cell - row * self.stride))
                here = worth[steps]
                total += self.weight(stone) * here + missing * max(before, here)
                before, missing = here, 0
        return total + missing * before

    # -- Symmetry. --------------------------------------------------------------------------------

    def representative(self, p: int) -> int:
        """Player 1 is on turn; of what numbering of stones and the diagonal give, the least."""
        bits, turn = self.player_bits, self.turn(p)
        if p == self.placing and self.stones > 1:
            return p
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        if mine == self.empty:
            return (mine << bits) | self.empty
        if self.stage(p) != 0:
            return self.least(mine, other, self.stage(p))
        near_mine, far_mine = self.folded(mine)
        near_other, far_other = self.folded(other)
        near, far = (near_mine << bits) | near_other, (far_mine << bits) | far_other
        return min(near, far) if self.square else near

    def least(self, mine: int, other: int, stage: int) -> int:
        """The representative inside a turn, whose stage names a stone."""
        best = -1
        for _ in range(2 if self.square else 1):
            theirs = self.renumbered(other) if self.reversible else other
            for back in range(2 if self.reversible else 1):
                word = self.backwards(mine) if back else mine
                named = self.stones + 1 - stage if back else stage
                q = (named << self.first_bits) | (word << self.player_bits) | theirs
                best = q if best < 0 else min(best, q)
            mine, other = self.across(mine), self.across(other)
        return best

    def renumbered(self, word: int) -> int:
        """The lesser one of a word and the same with stone k called stones + 1 - k."""
        low, high = 0, (self.stones - 1) * self.field
        while low < high:
            one, two = (word >> low) & self.mask, (word >> high) & self.mask
            if one != two:
                return word if two < one else self.backwards(word)
            low, high = low + self.field, high - self.field
        return word

    def folded(self, word: int) -> tuple[int, int]:
        """The least word that other numbers of the stones give, here and across the diagonal. No
        step depends on what is found: a processor that guesses wrong loses more than it skips."""
        back = far = far_back = low = 0
        left = word
        if self.half > 0:
            for _ in range(self.stones):
                back = (back << self.field) | (left & self.mask)
                left >>= self.field
            far, far_back = self.exchanged(word), self.exchanged(back)
            return (min(word, back), min(far, far_back)) if self.reversible else (word, far)
        for _ in range(self.stones):
            cell = left & self.mask
            there = self.mirror(cell)
            back = (back << self.field) | cell
            far |= there << low
            far_back = (far_back << self.field) | there
            left >>= self.field
            low += self.field
        if self.reversible:
            return min(word, back), min(far, far_back)
        return word, far

    # -- Names. -----------------------------------------------------------------------------------

    def unlabel(self, p: int) -> tuple[int, int, int]:
        """Stones called 1, 2, … in the order of their cells; of the two sides of the diagonal, the
        one with the lesser number."""
        bits, turn = self.player_bits, self.turn(p)
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        if mine == self.empty:
            return (mine << bits) | self.empty, 0, 0
        near, near_names = self.in_order(mine)
        far, far_names = self.in_order(other)
        shape = (near << bits) | far
        if self.square:
            across, names = self.in_order(self.across(mine))
            beyond, others = self.in_order(self.across(other))
            if (across << bits) | beyond < shape:
                return (across << bits) | beyond, names, others
        return shape, near_names, far_names

    def relabel(self, shape: int, mine: int, other: int) -> int:
        word = self.numbered(self.stones_of(shape, 0), mine) << self.player_bits
        return word | self.numbered(self.stones_of(shape, 1), other)

    def unlabelled_key(self, p: int) -> int:
        """Which cells are taken by whom; of the two sides of the diagonal, the lesser number."""
        if self.end > 31:
            return self.unlabel(p)[0]
        turn = self.turn(p)
        mine, other = self.stones_of(p, turn), self.stones_of(p, 1 - turn)
        here = (self.taken(mine) << 32) | self.taken(other)
        if not self.square:
            return here
        return min(here, (self.taken(self.across(mine)) << 32) | self.taken(self.across(other)))

    def taken(self, word: int) -> int:
        """A bit for each cell that a stone of the word stands on, but for the last one."""
        cells = 0
        for _ in range(self.stones):
            cells |= 1 << (word & self.mask)
            word >>= self.field
        return cells & ((1 << self.last) - 1)

    def called(self, q: int) -> int:
        return self.stage(q)

    # -- Turns. -----------------------------------------------------------------------------------

    def anchor(self, p: int) -> bool:
        return self.stage(p) == 0

    def pattern(self, p: int) -> int:
        """Which stones are on the board is all that matters for the roll."""
        if p == self.placing and self.stones > 1:
            return p
        word = self.stones_of(p, self.turn(p))
        left = 0
        for k in range(self.stones):
            if (word >> (k * self.field)) & self.mask == self.last:
                left |= self.last << (k * self.field)
        if self.turn(p) == 1:
            return ~((1 << self.player_bits) | left)
        return (left << self.player_bits) | 1

    def carried(self, q: int, p: int) -> int:
        return self.staged(p, self.stage(q))
