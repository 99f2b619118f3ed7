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

A position has three words, in which everything is said in several ways (rubik_cosets.py):

    word 0    how corners are twisted along each axis, twelve bits each; where the first four
              corners are, and the other four, eleven bits each
    word 1    along each axis where the four edges of the slice are, fourteen bits each
    word 2    along each axis how edges are flipped, eleven bits each

Searches forget all but twist, slice and flip along one axis: Kociemba's cosets (1992), taken along
three axes as by Reid (1997). With `databases` "large" they know which edge of the slice is where,
as Kociemba's optimal solver does: 3,529,433,088 entries up to symmetry. Otherwise they know only
where the slice is; with "small", only flips or twists with slices.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.errors import UsageError
from perfectplay.games.puzzles import rubik_cosets as cosets
from perfectplay.games.puzzles import rubik_shown as shown
from perfectplay.games.puzzles.rubik_pieces import FACES, SOLVED, codes, stickers, turned
from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import Abstractions, MoveOrder

Position = tuple[int, int, int]
TWISTS, FLIPS, SLICES, SETS, ORDERS = (
    cosets.TWISTS, cosets.FLIPS, cosets.SLICES, cosets.SETS, cosets.ORDERS,
)  # fmt: skip
TWIST_TURNS, FLIP_TURNS, SLICE_TURNS, FOUR_TURNS, SEEN_TURNS = (
    cosets.TWIST_TURNS, cosets.FLIP_TURNS, cosets.SLICE_TURNS, cosets.FOUR_TURNS,
    cosets.SEEN_TURNS,
)  # fmt: skip
SOLVED_EDGES = SOLVED[1]
SUPERFLIP = SOLVED_EDGES + sum(16 << (5 * i) for i in range(12))


@dataclass(frozen=True)
class Rubik(Abstractions, MoveOrder, Game):
    """The cube of 26 pieces, from a scramble or any position."""

    metric: Literal["half", "quarter"] = "half"
    turns: str = FACES
    scramble: str = ""
    databases: Literal["large", "medium", "small"] = "medium"

    players = 1
    minimise = True
    native = True
    spared = 1
    """A turn changes nothing along its own axis."""

    def __post_init__(self) -> None:
        if self.metric not in ("half", "quarter"):
            raise UsageError(f"no metric {self.metric!r}", "use half or quarter")
        if self.databases not in ("large", "medium", "small"):
            raise UsageError(f"no databases {self.databases!r}", "use large, medium or small")
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
    def whole(self) -> bool:
        """Whether databases know twists and flips: they are alike if all turns are allowed."""
        return self.databases != "small" and self.allowed == (1 << 18) - 1

    @cached_property
    def ordered(self) -> bool:
        """Whether they know which edge of the slice is where."""
        return self.databases == "large"

    @cached_property
    def most_positions(self) -> int | None:  # type: ignore[override]
        """All that can be turned."""
        return 43_252_003_274_489_856_000 if self.allowed == (1 << 18) - 1 else None

    # -- Rules. ---

    def packed(self, corners: int, edges: int) -> Position:
        """The position with these pieces."""
        twists, flips, slices = cosets.along(stickers(corners, edges))
        first, second = cosets.fours_of(corners)
        places = np.arange(3)
        return (
            int((twists << 12 * places).sum()) | first << 36 | second << 47,
            int((slices << 14 * places).sum()), int((flips << 11 * places).sum()),
        )  # fmt: skip

    def pieces(self, p: Position) -> tuple[int, int]:
        """The codes of corners and edges."""
        slices = [p[1] >> (14 * axis) & 16383 for axis in range(3)]
        corners = cosets.corners_of((p[0] >> 36 & 2047, p[0] >> 47), p[0] & 4095)
        return corners, cosets.edges_of(slices, p[2] & 2047)

    @cached_property
    def solved(self) -> Position:
        """The solved cube."""
        return self.packed(*SOLVED)

    def start(self) -> Position:
        corners, edges = SOLVED
        for turn in shown.turns_of(self.scramble):
            corners, edges = turned(corners, edges, turn)
        return self.packed(corners, edges if self.scramble else SUPERFLIP)

    def moves(self, p: Position) -> Iterator[int]:
        if p != self.solved:
            for turn in range(18):
                if self.allowed >> turn & 1:
                    yield turn

    def play(self, p: Position, m: int) -> Position:
        corners = int(FOUR_TURNS[p[0] >> 36 & 2047, m]) | int(FOUR_TURNS[p[0] >> 47, m]) << 11
        twists = slices = flips = 0
        for axis in range(3):
            turn = int(SEEN_TURNS[axis, m])
            twists |= int(TWIST_TURNS[(p[0] >> (12 * axis)) & 4095, turn]) << (12 * axis)
            slices |= int(SLICE_TURNS[(p[1] >> (14 * axis)) & 16383, turn]) << (14 * axis)
            flips |= int(FLIP_TURNS[(p[2] >> (11 * axis)) & 2047, turn]) << (11 * axis)
        return twists | corners << 36, slices, flips

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
        return 3 if self.whole else 6

    def blur_like(self, k: int) -> int:
        # Along every axis the cube looks the same, if it may be turned there in the same way.
        return k - k % 3 if self.allowed == (1 << 18) - 1 else k

    def goals(self) -> Iterator[Position]:
        yield self.solved

    def blur(self, p: Position, k: int) -> Position:
        axis = k % 3
        twists, flips = p[0] & 4095 << (12 * axis), p[2] & 2047 << (11 * axis)
        between = (p[1] >> (14 * axis)) & 16383
        if not (self.whole and self.ordered):
            between -= between % ORDERS
        if not self.whole and k < 3:
            twists = 0
        elif not self.whole:
            flips = 0
        return twists, between << (14 * axis), flips

    @cached_property
    def classes(self) -> Ints:
        """For each slice its class, the symmetry that leads to its representative, and flips."""
        return cosets.classes(ordered=self.ordered)[0]

    @cached_property
    def representatives(self) -> Ints:
        """The slice that stands for each class."""
        return cosets.classes(ordered=self.ordered)[1]

    @cached_property
    def keeping(self) -> Ints:
        """For each class, which flips the symmetries that keep it change; -1 for the others."""
        return cosets.classes(ordered=self.ordered)[2]

    @cached_property
    def kept(self) -> Ints:
        """How many symmetries but the first keep each class."""
        found: Ints = (self.keeping[:, 1:] >= 0).sum(axis=1)
        return found

    @cached_property
    def twisted(self) -> Array:
        """What the symmetries make of twists."""
        return cosets.twist_images()

    @cached_property
    def flipped(self) -> Array:
        """What they make of flips, but for those that the slice says."""
        return cosets.flip_images()

    def blur_sizes(self, k: int) -> tuple[int, int]:
        if self.whole:
            return len(self.representatives) * FLIPS * TWISTS, 1
        return SETS * (FLIPS if k < 3 else TWISTS), 1

    def blur_index(self, p: Position, k: int) -> tuple[int, int]:
        axis = k % 3
        twist, flip = (p[0] >> (12 * axis)) & 4095, (p[2] >> (11 * axis)) & 2047
        between = (p[1] >> (14 * axis)) & 16383
        if not self.whole:
            between //= ORDERS
            return (between * FLIPS + flip if k < 3 else between * TWISTS + twist), 0
        found = int(self.classes[between])
        way = (found >> 11) & 15
        flip = int(self.flipped[way, flip]) ^ (found & 2047)
        twist, found = int(self.twisted[way, twist]), found >> 15
        least = flip * TWISTS + twist
        if self.kept[found] > 0:
            for way in range(1, 16):
                change = int(self.keeping[found, way])
                if change >= 0:
                    other = (int(self.flipped[way, flip]) ^ change) * TWISTS
                    least = min(least, other + int(self.twisted[way, twist]))
        return found * (FLIPS * TWISTS) + least, 0

    def blur_at(self, i: int, k: int) -> Position:
        axis = k % 3
        if self.whole:
            between = int(self.representatives[i // (FLIPS * TWISTS)])
            twist, flip = i % TWISTS, i // TWISTS % FLIPS
        elif k < 3:
            twist, flip, between = 0, i % FLIPS, i // FLIPS * ORDERS
        else:
            twist, flip, between = i % TWISTS, 0, i // TWISTS * ORDERS
        return twist << (12 * axis), between << (14 * axis), flip << (11 * axis)

    # -- Text at the edges. ---

    def text(self, p: Position) -> str:
        return shown.facelets(stickers(*self.pieces(p)))

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
        return shown.picture(stickers(*self.pieces(p)))
