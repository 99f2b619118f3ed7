"""Hackenbush: take edges of a picture that stands on the ground.

Left (Blue) takes a blue edge, Right (Red) a red one, either may take a green one. Edges no longer
connected to the ground vanish with it. A player who cannot move loses (in misère play: wins).
`edges` describes the picture: strings and trees from the ground up (BBR, B[R][GG]), paths through
named nodes (0-a-b-0 BRG, where 0 is the ground), several joined by + or by commas.

Check: one blue edge with a red one on it is worth half a move to Left: two such strings and one
red edge are lost by the player who begins. Green strings are heaps of Nim.

A position is (edges that are left, as bits, the first lowest; whose turn: 0 Left, 1 Right). What
pictures of any size are worth, also strings without end, is found by sums/hackenbush/values.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD, count
from perfectplay.sums.hackenbush.picture import LEFT, Picture, read
from perfectplay.sums.hackenbush.sketch import sketch
from perfectplay.sums.partizan import Partizan

Position = tuple[int, int]
BLUE, RED, GREEN = 0, 1, 2
SMALL = 12
"""Edges of pictures whose rules are interpreted."""


@dataclass(frozen=True)
class Hackenbush(Partizan):
    """A picture with up to 62 edges."""

    edges: str = "0-a-b-0 BRB + RRB + GB"
    misere: bool = False

    def __post_init__(self) -> None:
        edges, endless, _ = read(self.edges)
        if endless:
            raise UsageError(
                f"{endless[0]} has no end, so its positions cannot all be listed",
                "`perfectplay value hackenbush` takes strings without end",
            )
        if not 0 < len(edges) <= WORD or len(self.bits) > WORD:
            raise UsageError(
                f"{len(edges)} edges between {len(self.bits)} nodes",
                f"use 1 to {WORD} edges and at most {WORD} nodes; "
                "`perfectplay value hackenbush` takes more",
            )

    @cached_property
    def ends(self) -> tuple[tuple[int, int, str], ...]:
        """By edge: its two nodes, and the letter of its colour."""
        return tuple(read(self.edges)[0])

    @cached_property
    def bits(self) -> dict[int, int]:
        """A bit for each node, the lowest for the ground."""
        nodes = sorted({node for edge in self.ends for node in edge[:2]} | {0})
        return {node: 1 << i for i, node in enumerate(nodes)}

    @cached_property
    def low(self) -> Ints:
        """By edge: one of its nodes, as a bit."""
        return np.array([self.bits[a] for a, _, _ in self.ends], np.int64)

    @cached_property
    def high(self) -> Ints:
        """By edge: the other node."""
        return np.array([self.bits[b] for _, b, _ in self.ends], np.int64)

    @cached_property
    def colour(self) -> Ints:
        """By edge: BLUE, RED or GREEN."""
        return np.array(["BRG".index(c) for *_, c in self.ends], np.int64)

    @cached_property
    def size(self) -> int:
        """How many edges there are."""
        return len(self.ends)

    @cached_property
    def most_positions(self) -> int:  # type: ignore[override]
        """All sets of edges, for both players."""
        return 2 << self.size

    @cached_property
    def native(self) -> bool:  # type: ignore[override]
        """Small pictures are solved sooner than their rules are compiled."""
        return self.size > SMALL

    # -- Rules. ---

    def setup(self) -> int:
        return (1 << self.size) - 1

    def standing(self, edges: int) -> int:
        """The edges that are connected to the ground."""
        reached, before = 1, 0
        while reached != before:
            before = reached
            for i in range(self.size):
                if (edges >> i) & 1 and (reached & (self.low[i] | self.high[i])) != 0:
                    reached |= self.low[i] | self.high[i]
        for i in range(self.size):
            if (edges >> i) & 1 and (reached & self.low[i]) == 0:
                edges ^= 1 << i
        return edges

    def moves(self, p: Position) -> Iterator[int]:
        for i in range(self.size):
            if (p[0] >> i) & 1 and self.colour[i] != 1 - p[1]:
                yield i

    def play(self, p: Position, m: int) -> Position:
        return (self.standing(p[0] ^ (1 << m)), 1 - p[1])

    def to_move(self, p: Position) -> int:
        return p[1]

    def turn(self, p: Position) -> int:
        return p[1]

    def stratum(self, p: Position) -> int:
        return count(p[0])

    def representative(self, p: Position) -> Position:
        return p

    # -- Values. ---

    def left(self, b: int) -> Iterator[int]:
        for i in self.moves((b, LEFT)):
            yield int(self.standing(b ^ (1 << i)))

    def right(self, b: int) -> Iterator[int]:
        for i in self.moves((b, 1 - LEFT)):
            yield int(self.standing(b ^ (1 << i)))

    def decompose(self, b: int) -> Iterator[int]:
        """Edges that are connected, but not by the ground."""
        while b:
            part = b & -b
            nodes, before = 0, -1
            while nodes != before:
                before = nodes
                for i in range(self.size):
                    here = int(self.low[i] | self.high[i]) & ~1
                    if (b >> i) & 1 and ((part >> i) & 1 or here & nodes):
                        part |= 1 << i
                        nodes |= here
            yield part
            b ^= part

    # -- Text. ---

    def board_text(self, b: int) -> str:
        letters = ("BRG"[colour] for colour in self.colour)
        return "".join(c if (b >> i) & 1 else "." for i, c in enumerate(letters))

    def parse_board(self, s: str) -> int:
        whole = self.board_text(self.setup())
        if len(s) != len(whole) or any(c not in (".", w) for c, w in zip(s, whole, strict=True)):
            raise ValueError(f"{s!r}: edges are written as {whole}, those taken as dots")
        b = sum(1 << i for i, c in enumerate(s) if c != ".")
        if self.standing(b) != b:
            raise ValueError(f"{s!r}: some edges are not connected to the ground")
        return b

    def move_text(self, p: Position, m: int) -> str:
        return f"{'BRG'[self.colour[m]]}{m + 1}"

    def step_text(self, b: int, after: int, player: int) -> str:
        """The edge taken: the one without which just those that are gone have no hold."""
        for i in self.moves((b, player)):
            if self.standing(b ^ (1 << i)) == after:
                return self.move_text((b, player), i)
        raise ValueError(f"no move leads from {b} to {after}")

    def drawn(self) -> Picture:
        """The picture at the beginning."""
        return Picture(*read(self.edges))

    def picture(self, p: Position) -> str:
        return self.board_picture(p[0])

    def board_picture(self, b: int) -> str:
        return sketch(self.drawn(), {i for i in range(self.size) if not (b >> i) & 1})
