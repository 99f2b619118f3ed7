"""The 2 x 2 x 2 cube (Pocket Cube): turn faces until every face shows one colour.

The cube has eight corner pieces. One of them, down at the back on the left, is held still, so only
the right, the upper and the front face are turned: R, U and F are quarter turns clockwise, R', U'
and F' anticlockwise, R2, U2 and F2 half turns. Wanted is the least number of turns. Where `metric`
is "half", every turn counts one; where it is "quarter", a half turn counts two. `turns` says which
faces may be turned; a 2 after a face allows it half turns only: RUF is the whole puzzle, RU leaves
out the front, R2U2F2 has half turns only. `scramble` is a list of turns from the solved cube to
the start; without one the start is as hard as any.

Check: there are 3,674,160 positions; 2,644 of them take 11 turns in the half-turn metric and none
takes more; in the quarter-turn metric 276 take 14.

A position is one integer of 30 bits, five for each of six places, lowest first: three for the
piece there and two for its twist. The seventh place is known from the six, since all pieces are
somewhere and twists add up to a multiple of three:

    places and pieces   0 URF   1 UFL   2 ULB   3 UBR   4 DFR   5 DLF   (6 DRB)
    bits                 0-4     5-9    10-14   15-19   20-24   25-29

A place is written with its three faces, clockwise; a twist of k says that the upper or lower
colour of a piece shows on the k-th face after the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import Game

PLACES = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB")
FACES = "RUF"
CYCLES = ((0, 4, 6, 3), (0, 3, 2, 1), (0, 1, 5, 4))
"""A quarter turn of a face: each place gets the piece of the next one in the row."""
TWISTS = ((2, 1, 2, 1), (0, 0, 0, 0), (1, 2, 1, 2))
"""By how much the pieces that arrive there are twisted."""
SIX = (1 << 30) - 1
SOLVED = sum(i << (5 * i) for i in range(6))
SCRAMBLE = "R F2 R U R2 U' R' F2 U F R'"
"""The start if none is given; turns that are not allowed are left out, or become half turns."""
NET = (
    ("U", 2, 0, ("ULB", "UBR", "UFL", "URF")),
    ("L", 0, 2, ("ULB", "UFL", "DBL", "DLF")),
    ("F", 2, 2, ("UFL", "URF", "DLF", "DFR")),
    ("R", 4, 2, ("URF", "UBR", "DFR", "DRB")),
    ("B", 6, 2, ("UBR", "ULB", "DRB", "DBL")),
    ("D", 2, 4, ("DLF", "DFR", "DBL", "DRB")),
)
"""Where a drawing shows the faces, and the places at the four cells of each."""
COLOURS = {"U": "#ffffff", "L": "#e08a1e", "F": "#2e8b57", "R": "#c0392b", "B": "#1f5a96"}


@dataclass(frozen=True)
class Cube(Game):
    """A cube of eight corners, one of them held still."""

    metric: Literal["half", "quarter"] = "half"
    turns: str = "RUF"
    scramble: str = ""

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        if self.metric not in ("half", "quarter"):
            raise UsageError(f"no metric {self.metric!r}", "use half or quarter")
        words = re.findall("[RUF]2?", self.turns)
        if not words or "".join(words) != self.turns or len({w[0] for w in words}) < len(words):
            raise UsageError(
                f"no such turns: {self.turns!r}", "use some of R, U and F, as in RUF, RU or R2U2F"
            )
        self.scrambled()

    @cached_property
    def allowed(self) -> int:
        """The turns allowed, as bits: turn 3 * face + quarter turns - 1."""
        found = 0
        for word in re.findall("[RUF]2?", self.turns):
            kinds = 0b010 if word[1:] else 0b111 if self.metric == "half" else 0b101
            found |= kinds << (3 * FACES.index(word[0]))
        return found

    @cached_property
    def half(self) -> int:
        """What a half turn counts."""
        return 1 if self.metric == "half" else 2

    @property
    def most_positions(self) -> int | None:  # type: ignore[override]
        whole = "2" not in self.turns and len(self.turns) == 3
        return 3674160 if whole and self.start() != SOLVED else None

    def scrambled(self) -> list[int]:
        """The turns from the solved cube to the start; raise UsageError if one is not allowed."""
        found = []
        for word in (self.scramble or SCRAMBLE).split():
            if not re.fullmatch("[RUF](2|'|2'|)", word):
                raise UsageError(f"no turn {word!r}", "a scramble is a list such as R U2 F'")
            turn = 3 * FACES.index(word[0]) + (1 if "2" in word else 2 if "'" in word else 0)
            if self.allowed >> turn & 1 or (turn % 3 == 1 and word[0] in self.turns):
                found.append(turn)
            elif self.scramble:
                raise UsageError(
                    f"turn {word} is not allowed by turns={self.turns}", "leave it out"
                )
            elif word[0] in self.turns:
                found.append(3 * FACES.index(word[0]) + 1)
        return found

    def start(self) -> int:
        p = SOLVED
        for turn in self.scrambled():
            p = self.play(p, turn)
        return p

    def moves(self, p: int) -> Iterator[int]:
        if p != SOLVED:
            for turn in range(9):
                if self.allowed >> turn & 1:
                    yield turn

    def play(self, p: int, m: int) -> int:
        p = whole(p)
        for _ in range(m % 3 + 1):
            p = turned(p, m // 3)
        return p & SIX

    def reward(self, p: int, m: int) -> int:
        return self.half if m % 3 == 1 else 1

    def payoff(self, p: int) -> int:
        return 0

    def text(self, p: int) -> str:
        return " ".join(self.stickers(p)[place] for place in PLACES)

    def stickers(self, p: int) -> dict[str, str]:
        """The colours that each place shows, in the order of its name."""
        shown = {"DBL": "DBL"}
        for i, place in enumerate(PLACES):
            code = whole(p) >> (5 * i) & 31
            piece, twist = PLACES[code & 7], code >> 3
            shown[place] = "".join(piece[(k - twist) % 3] for k in range(3))
        return shown

    def parse(self, s: str) -> int:
        codes = []
        for word in s.upper().split():
            twists = [word[k:] + word[:k] for k in range(3)]
            codes += [PLACES.index(w) | k << 3 for k, w in enumerate(twists) if w in PLACES][:1]
        if len(s.split()) != 7 or sorted(code & 7 for code in codes) != list(range(7)):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        if sum(code >> 3 for code in codes) % 3:
            raise ValueError(f"{s!r}: one corner is twisted by itself")
        return sum(code << (5 * i) for i, code in enumerate(codes[:6]))

    def move_text(self, p: int, m: int) -> str:
        return FACES[m // 3] + ("", "2", "'")[m % 3]

    def picture(self, p: int) -> str:
        shown, cell, parts = self.stickers(p), 26, []
        for face, left, top, places in NET:
            for i, place in enumerate(places):
                colour = COLOURS.get(shown[place][place.index(face)], "#f2d12e")
                x, y = (left + i % 2) * cell, (top + i // 2) * cell
                parts.append(svg.box(x, y, cell, cell, colour, svg.INK))
        return svg.svg(8 * cell, 6 * cell, parts)


def whole(p: int) -> int:
    """The position with its seventh place: pieces add up to 21, twists to a multiple of three."""
    piece, twist = 21, 12
    for i in range(6):
        piece -= (p >> (5 * i)) & 7
        twist -= (p >> (5 * i + 3)) & 3
    return p | (piece | (twist % 3) << 3) << 30


def turned(p: int, face: int) -> int:
    """A whole position after a quarter turn of a face, clockwise."""
    cycle, twists = CYCLES[face], TWISTS[face]
    q = p
    for i in range(4):
        code = ((p >> (5 * cycle[(i + 1) & 3])) & 31) + 8 * twists[i]
        if code >= 24:
            code -= 24
        q = (q & ~(31 << (5 * cycle[i]))) | code << (5 * cycle[i])
    return q
