"""How values are coded while strata with numbers are solved, and what passes find wrong.

Outcomes with their depths take one or two bytes. 0 is open, and a draw in the end. From 1 on the
position is decided: odd codes are lost for the player to move, even ones are won, and a larger
code is deeper. At the top are three codes that are no depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.store import NO_OUTCOME

OPEN = 0
TOP_CODES = 3
"""Below the top: a terminal draw, top - 2; cannot be lost, top - 1; a hole, top."""
HOLE_SCORES = (np.int8, -(2**7)), (np.int16, -(2**15))
"""The types of scores, and what stands for one where a number is a hole."""

FIRST, BACKWARD, FORWARD = range(3)
"""Which positions a pass looks at: all of them; those from which moves may lead to the frontier;
all that are still open."""

FINE, DEEP, BAD_RANK, A_HOLE, EARNS, LARGE, UNEVEN, PAIRS, TWICE, UNUSUAL = range(10)
"""What a pass found: a depth has no code; a number out of range, or no such stratum below; a move
to a hole; a reward where play may go round; a
score does not fit; one player, but moves do not all cost the same; a payoff or reward that is a
tuple; a player moves twice in succession; a payoff that the rules said there was not."""


class Coding(NamedTuple):
    """The codes of decided positions: a loss in d plies, and a win in d plies."""

    lost: int
    """Code of a terminal loss."""
    won: int
    """Code of a terminal win."""
    up: int
    """From the code of a loss to that of a win one ply longer; the way back is always 1."""
    wide: bool = False
    """Two bytes."""

    @property
    def kind(self) -> type[np.unsignedinteger]:
        """The type of codes."""
        return np.uint16 if self.wide else np.uint8

    @property
    def top(self) -> int:
        """The largest code."""
        return int(np.iinfo(self.kind).max)

    @property
    def deepest(self) -> int:
        """The largest code that is a depth."""
        return self.top - TOP_CODES

    def meanings(self, codes: Array) -> tuple[Array, Array]:
        """By code: the outcome (int8), and the depth, as narrow as those of `codes` fit."""
        plies = np.arange(self.top + 1) - self.lost if self.up == 1 else self._both()
        outcome = np.where(np.arange(self.top + 1) % 2 == 1, -1, 1).astype(np.int8)
        for code, won, depth in self._special():
            outcome[code], plies[code] = won, depth
        largest = int(codes.max(initial=0, where=codes <= self.deepest))
        return outcome, plies.astype(np.int8 if largest < 128 else np.int32)

    def _both(self) -> Array:
        return (np.arange(self.top + 1) - 1) >> 1

    def _special(self) -> list[tuple[int, int, int]]:
        top = self.top
        return [
            (OPEN, 0, -1),
            (top - 1, 0, -1),
            (top - 2, 0, 0),
            (top, NO_OUTCOME, -1),
        ]

    def encoded(self, outcome: Array, depth: Array) -> Array:
        """The codes of outcomes and depths, as `meanings` has them."""
        plies = depth.astype(np.int32)
        codes = plies + self.lost if self.up == 1 else 2 * plies + np.where(outcome > 0, 2, 1)
        codes = np.where(outcome == 0, np.where(plies < 0, OPEN, self.top - 2), codes)
        return np.where(outcome == NO_OUTCOME, self.top, codes).astype(self.kind)


LOSSES = Coding(lost=1, won=2, up=1)
"""Where play ends with a loss for the player to move, or a draw: a loss takes an even number of
plies, a win an odd one."""
WINS = Coding(lost=2, won=2, up=1)
"""Where play ends with a win for the player to move, or a draw."""
BOTH = Coding(lost=1, won=2, up=3, wide=True)
"""Where play may end in any way."""
ALONE = Coding(lost=1, won=1, up=1)
"""One player: an end in d plies is d + 1."""
