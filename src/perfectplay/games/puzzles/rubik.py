"""Rubik's cube, 3 x 3 x 3: turn faces until every face shows one colour.

The six centres never move, so a turn is named by its face: U, R, F, D, L and B (up, right, front,
down, left, back) are quarter turns clockwise, as seen from outside, U' … anticlockwise, U2 … half
turns. Wanted is the least number of turns. Where `metric` is "half", every turn counts one; where
it is "quarter", a half turn counts two. `turns` says which faces may be turned; a 2 after a face
allows it half turns only: U2R2F2D2L2B2 is the cube of half turns.

A position is written as what the 54 facelets show, face by face in the order U R F D L B, each row
by row (Kociemba's notation), or as turns that lead to it from the solved cube. `scramble` has such
turns for the start; without one the start is the superflip, all edges flipped, which takes 20.

Check: 1, 18, 243, 3,240, 43,239, 574,908 and 7,618,438 positions take 0 to 6 turns of a half or a
quarter; of all 43,252,003,274,489,856,000 none takes more than 20 (Rokicki et al. 2010).

A position has four words, of which the last two follow from the others:

    word 0    what is in each place of a corner: five bits each, piece and twist (rubik_pieces.py)
    word 1    the same for edges: piece and flip
    word 2    how corners are twisted along each axis, twelve bits each (rubik_cosets.py)
    word 3    how edges are flipped along each axis, and where those of the slice are: 11 + 9 bits

Searches forget all but the last two words, along one axis: Kociemba's cosets (1992), taken along
three axes as by Reid (1997). The 2,217,093,120 of an axis are 140,908,410 up to symmetry; with
`databases` "small", they remember flips or twists with slices only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from perfectplay.compiled.arrays import Array, Int32s
from perfectplay.errors import UsageError
from perfectplay.games.puzzles import rubik_cosets as cosets
from perfectplay.games.puzzles import rubik_shown as shown
from perfectplay.games.puzzles.rubik_pieces import (
    CORNER_TURNS,
    CORNERS_KEPT,
    EDGE_TURNS,
    EDGES_KEPT,
    FACES,
    SOLVED,
    codes,
    stickers,
    turned,
)
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import Abstractions, MoveOrder

Position = tuple[int, int, int, int]
TWISTS, FLIPS, SLICES, CLASSES = cosets.TWISTS, cosets.FLIPS, cosets.SLICES, cosets.CLASSES
TWIST_TURNS, FLIP_TURNS, SLICE_TURNS, SEEN_TURNS = (
    cosets.TWIST_TURNS, cosets.FLIP_TURNS, cosets.SLICE_TURNS, cosets.SEEN_TURNS,
)  # fmt: skip
SOLVED_CORNERS, SOLVED_EDGES = SOLVED
SUPERFLIP = SOLVED_EDGES + sum(16 << (5 * i) for i in range(12))


@dataclass(frozen=True)
class Rubik(Abstractions, MoveOrder, Game):
    """The cube of 26 pieces, from a scramble or any position."""

    metric: Literal["half", "quarter"] = "half"
    turns: str = FACES
    scramble: str = ""
    databases: Literal["large", "small"] = "large"

    players = 1
    minimise = True
    native = True
    spared = 1
    """A turn changes nothing along its own axis."""

    def __post_init__(self) -> None:
        if self.metric not in ("half", "quarter"):
            raise UsageError(f"no metric {self.metric!r}", "use half or quarter")
        if self.databases not in ("large", "small"):
            raise UsageError(f"no databases {self.databases!r}", "use large or small")
        words = re.findall(f"[{FACES}]2?", self.turns)
        if not words or "".join(words) != self.turns or len({w[0] for w in words}) < len(words):
            raise UsageError(
                f"no such turns: {self.turns!r}",
                f"use some of {', '.join(FACES)}, as in {FACES}, RU or U2R2F2",
            )
        shown.turns_of(self.scramble)

    @cached_property
    def allowed(self) -> int:
        """The turns allowed, as bits: turn 3 * face + quarter turns - 1."""
        words = re.findall(f"[{FACES}]2?", self.turns)
        return sum((0b010 if w[1:] else 0b111) << (3 * FACES.index(w[0])) for w in words)

    @cached_property
    def double(self) -> int:
        """What a half turn counts."""
        return 1 if self.metric == "half" else 2

    @cached_property
    def large(self) -> bool:
        """Whether databases are the large ones, which want all turns: symmetries change them."""
        return self.databases == "large" and self.allowed == (1 << 18) - 1

    @cached_property
    def most_positions(self) -> int | None:  # type: ignore[override]
        """All that can be turned."""
        return 43_252_003_274_489_856_000 if self.allowed == (1 << 18) - 1 else None

    # -- Rules. ---

    def packed(self, corners: int, edges: int) -> Position:
        """The position with these pieces."""
        return (corners, edges, *cosets.along(stickers(corners, edges)))

    def start(self) -> Position:
        corners, edges = SOLVED
        for turn in shown.turns_of(self.scramble):
            corners, edges = turned(corners, edges, turn)
        return self.packed(corners, edges if self.scramble else SUPERFLIP)

    def moves(self, p: Position) -> Iterator[int]:
        if p[0] != SOLVED_CORNERS or p[1] != SOLVED_EDGES:
            for turn in range(18):
                if self.allowed >> turn & 1:
                    yield turn

    def play(self, p: Position, m: int) -> Position:
        corners, edges = p[0] & int(CORNERS_KEPT[m]), p[1] & int(EDGES_KEPT[m])
        for i in range(4):
            code = ((p[0] >> int(CORNER_TURNS[m, i, 0])) & 31) + int(CORNER_TURNS[m, i, 2])
            if code >= 24:
                code -= 24
            corners |= code << int(CORNER_TURNS[m, i, 1])
            code = ((p[1] >> int(EDGE_TURNS[m, i, 0])) & 31) ^ int(EDGE_TURNS[m, i, 2])
            edges |= code << int(EDGE_TURNS[m, i, 1])
        twists = flips = 0
        for axis in range(3):
            turn = SEEN_TURNS[axis, m]
            twist, flip = (p[2] >> (12 * axis)) & 4095, (p[3] >> (20 * axis)) & 0xFFFFF
            twists |= int(TWIST_TURNS[twist, turn]) << (12 * axis)
            flip = int(FLIP_TURNS[flip & 2047, turn]) | int(SLICE_TURNS[flip >> 11, turn]) << 11
            flips |= flip << (20 * axis)
        return corners, edges, twists, flips

    def reward(self, p: Position, m: int) -> int:
        return self.double if m % 3 == 1 else 1

    def payoff(self, p: Position) -> int:
        return 0

    # -- What guides searches. ---

    def follows(self, last: int, m: int) -> bool:
        # Turns of one face are one turn; those of opposite faces can be made in either order.
        return m // 3 != last // 3 and m // 3 + 3 != last // 3

    @cached_property
    def blurs(self) -> int:  # type: ignore[override]
        """The three axes; of small databases there are two kinds."""
        return 3 if self.large else 6

    def blur_like(self, k: int) -> int:
        # Along every axis the cube looks the same, if it may be turned there in the same way.
        return k - k % 3 if self.allowed == (1 << 18) - 1 else k

    def goals(self) -> Iterator[Position]:
        yield self.packed(*SOLVED)

    def blur(self, p: Position, k: int) -> Position:
        twists, flips = p[2] & 4095 << (12 * (k % 3)), p[3] & 0xFFFFF << (20 * (k % 3))
        if not self.large:
            if k < 3:
                twists = 0
            else:
                flips &= 0x1FF << (20 * (k % 3) + 11)
        return 0, 0, twists, flips

    @cached_property
    def classes(self) -> Int32s:
        """For each slice and flip, its class and the symmetry that leads to its representative."""
        return cosets.classes()[0] if self.large else np.zeros(1, np.int32)

    @cached_property
    def representatives(self) -> Int32s:
        """The least slice and flip of each class."""
        return cosets.classes()[1] if self.large else np.zeros(1, np.int32)

    @cached_property
    def keeping(self) -> Int32s:
        """The symmetries that keep each of these, as bits."""
        return cosets.classes()[2] if self.large else np.zeros(1, np.int32)

    @cached_property
    def twisted(self) -> Array:
        """What the symmetries make of twists."""
        return cosets.twist_images()

    def blur_sizes(self, k: int) -> tuple[int, int]:
        if self.large:
            return CLASSES * TWISTS, 1
        return SLICES * (FLIPS if k < 3 else TWISTS), 1

    def blur_index(self, p: Position, k: int) -> tuple[int, int]:
        twist, flip = (p[2] >> (12 * (k % 3))) & 4095, (p[3] >> (20 * (k % 3))) & 0xFFFFF
        if not self.large:
            return (flip if k < 3 else (flip >> 11) * TWISTS + twist), 0
        found = int(self.classes[flip])
        twist = int(self.twisted[found & 15, twist])
        others = int(self.keeping[found >> 4]) & ~1
        if others:
            least, way = twist, 0
            while others >> way:
                if others >> way & 1:
                    least = min(least, int(self.twisted[way, twist]))
                way += 1
            twist = least
        return (found >> 4) * TWISTS + twist, 0

    def blur_at(self, i: int, k: int) -> Position:
        axis = k % 3
        if self.large:
            twist, flip = i % TWISTS, int(self.representatives[i // TWISTS])
        elif k < 3:
            twist, flip = 0, i
        else:
            twist, flip = i % TWISTS, i // TWISTS << 11
        return 0, 0, twist << (12 * axis), flip << (20 * axis)

    # -- Text at the edges. ---

    def text(self, p: Position) -> str:
        return shown.facelets(stickers(p[0], p[1]))

    def parse(self, s: str) -> Position:
        corners, edges = SOLVED
        if re.fullmatch(f"[{FACES}]{{54}}", s.strip()):
            corners, edges = codes(shown.stickers_of(s.strip()))
            shown.refuse_impossible(corners, edges)
        else:
            try:
                if not s.split():
                    raise UsageError("nothing")
                for turn in shown.turns_of(s):
                    corners, edges = turned(corners, edges, turn)
            except UsageError as error:
                raise ValueError(
                    f"{error.message}: a position is 54 facelets or turns, as in R U2 F'"
                ) from None
        return self.packed(corners, edges)

    def move_text(self, p: Position, m: int) -> str:
        return shown.turn_name(m)

    def picture(self, p: Position) -> str:
        return shown.picture(stickers(p[0], p[1]))
