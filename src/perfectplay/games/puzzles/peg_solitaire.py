"""Peg solitaire: jump pegs over pegs until few are left.

Every hole of the board holds a peg, except for `vacant` ones. A peg jumps over a peg next to it
into an empty hole just behind; the peg in between is taken off. Wanted is a position with pegs in
the holes of `finish` and nowhere else ("any": one peg, anywhere), in as few moves as possible: by
`cost` "moves", all jumps that one peg makes in a row are one move, by "jumps" each is a move of
its own. `finish` "fewest" asks instead for as few pegs as possible at the end. A position from
which no jump is possible and which is not the finish cannot be solved.

`board` is the name of a board (english, french, wiegleb, diamond, plus, triangle5 with any number
for 5, or 4x5 with any two), or rows from top to bottom, separated by /: o is a hole, _ a hole that
is vacant at the start, and a dot is no hole. Holes are named by column and row: a1 is top left.
Without `vacant` the hole in the middle is empty, or, where there is none, the first; without
`finish` the pegs must end in the holes that were vacant at first. `lines` are the directions of
jumps: square (four), king (eight), or triangle (six; rows are read as if every row began half a
hole further left than the one above).

Check: from the central vacancy of the English board 23,475,688 positions can arise, symmetric ones
counted once, and one peg in the middle takes 18 moves.

A position is one integer, a bit for each hole in the order of reading, set where there is a peg.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.rules.game import Game

Cell = tuple[int, int]
"""Column and row."""

BOARDS = {
    "english": "..ooo../..ooo../ooooooo/ooooooo/ooooooo/..ooo../..ooo..",
    "french": "..ooo../.ooooo./ooooooo/ooooooo/ooooooo/.ooooo./..ooo..",
    "wiegleb": "/".join(["...ooo..."] * 3 + ["ooooooooo"] * 3 + ["...ooo..."] * 3),
    "diamond": "/".join(("o" * (9 - 2 * abs(y))).center(9, ".") for y in range(-4, 5)),
    "plus": "..o../..o../ooooo/..o../..o..",
}
STEPS: dict[str, tuple[Cell, ...]] = {
    "square": ((1, 0), (-1, 0), (0, 1), (0, -1)),
    "triangle": ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)),
    "king": ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)),
}
"""The directions of jumps; opposite ones side by side."""
MOST_HOLES = 60
STUCK = 0
"""The move that changes nothing: play goes round where no jump is left."""
HOLE = 6
"""Bits of a move for the hole of the peg; its jumps follow, the first lowest, then a bit."""


@dataclass(frozen=True)
class PegSolitaire(Game):
    """Pegs on a board of up to 60 holes."""

    board: str = "english"
    vacant: str = ""
    finish: str = ""
    cost: Literal["moves", "jumps"] = "moves"
    lines: Literal["", "square", "triangle", "king"] = ""
    symmetry: bool = True
    holes: tuple[Cell, ...] = field(init=False, repr=False)
    first: int = field(init=False, repr=False)
    """The start."""
    wanted: int = field(init=False, repr=False)
    """The finish: pegs; 0 if any one peg will do, -1 if as few as possible are wanted."""
    chains: bool = field(init=False, repr=False)
    """Whether a move may have several jumps."""
    wide: int = field(init=False, repr=False)
    """Bits of a move for one jump."""
    over: Any = field(init=False, repr=False, compare=False)
    """int[hole, direction]: the hole jumped over, as a bit; 0 if there is no such jump."""
    land: Any = field(init=False, repr=False, compare=False)
    """int[hole, direction]: the hole jumped to."""
    images: Any = field(init=False, repr=False, compare=False)
    """int[symmetry, eight holes, their pegs]: where these pegs are after a symmetry."""
    most_positions: int = field(init=False, repr=False)

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        board, lines = drawn(self.board), self.lines or "square"
        if self.cost not in ("moves", "jumps") or lines not in STEPS:
            raise UsageError(
                f"no cost {self.cost!r} or lines {self.lines!r}",
                "cost is moves or jumps, lines are square, triangle or king",
            )
        if not self.lines and self.board.startswith("triangle"):
            lines = "triangle"
        holes, empty = cells(board)
        put = object.__setattr__
        put(self, "holes", tuple(holes))
        if self.vacant:
            empty = self.named(self.vacant)
        elif not empty:
            empty = [middle(holes) or holes[0]]
        pegs = self.packed(empty)
        put(self, "first", ((1 << len(holes)) - 1) ^ pegs)
        if self.finish == "any":
            pegs = 0
        elif self.finish == "fewest":
            pegs = -1
        elif self.finish:
            pegs = self.packed(self.named(self.finish))
        put(self, "wanted", pegs)
        put(self, "chains", self.cost == "moves")
        put(self, "wide", 2 if lines == "square" else 3)
        over, land = jumps(holes, STEPS[lines])
        put(self, "over", over)
        put(self, "land", land)
        if self.chains and HOLE + self.wide * longest(over, land) > 61:
            raise UsageError(
                "moves on this board could have too many jumps in a row",
                "use a smaller board, or cost=jumps",
            )
        found = symmetries(holes, STEPS[lines]) if self.symmetry else [list(range(len(holes)))]
        keep = pegs if pegs > 0 else 0
        kept = [way for way in found if moved(keep, way) == keep]
        put(self, "images", tables(kept))
        put(self, "most_positions", at_most(holes, STEPS[lines], kept, self.first))

    def named(self, names: str) -> list[Cell]:
        """The holes with these names; raise UsageError if there is none of that name."""
        found = []
        for name in names.replace(",", " ").split():
            cell = middle(list(self.holes)) if name == "centre" else cell_of(name)
            if cell not in self.holes:
                shown = ", ".join(name_of(cell) for cell in self.holes[:4])
                raise UsageError(f"no hole {name} on this board", f"holes are {shown}, …")
            found.append(cell)
        if not found:
            raise UsageError(f"no holes in {names!r}", "name them by column and row, such as d4")
        return found

    def packed(self, chosen: list[Cell]) -> int:
        """Some holes as bits."""
        pegs = 0
        for cell in chosen:
            pegs |= 1 << self.holes.index(cell)
        return pegs

    def start(self) -> int:
        return self.first

    def finished(self, p: int) -> bool:
        """Whether the finish is reached."""
        return p == self.wanted or (self.wanted == 0 and p & (p - 1) == 0)

    def can_jump(self, p: int, hole: int, way: int) -> bool:
        """Whether the peg in a hole can jump in a direction."""
        over, land = int(self.over[hole, way]), int(self.land[hole, way])
        return p & over != 0 and (p >> land) & 1 == 0

    def jumped(self, p: int, hole: int, way: int) -> int:
        """The pegs after a jump, or before it if it led from the other side to here."""
        return p ^ (int(self.over[hole, way]) | (1 << hole) | (1 << int(self.land[hole, way])))

    def moves(self, p: int) -> Iterator[int]:
        if not self.finished(p):
            stuck = self.wanted >= 0
            for hole in range(len(self.over)):
                if (p >> hole) & 1:
                    for path in self.paths(p, hole):
                        stuck = False
                        yield hole | path << HOLE
            if stuck:
                yield STUCK

    def paths(self, p: int, hole: int) -> Iterator[int]:
        """All that the peg in a hole can jump in one move, depth first."""
        ways = self.over.shape[1]
        path, length, way = 0, 0, 0
        while way < ways or length > 0:
            if way == ways:  # go back, and on to the next direction
                length -= 1
                last = path >> (self.wide * length)
                path ^= last << (self.wide * length)
                p, hole = self.jumped(p, hole, last ^ 1), int(self.land[hole, last ^ 1])
                way = last + 1
            elif self.can_jump(p, hole, way):
                p, hole = self.jumped(p, hole, way), int(self.land[hole, way])
                path |= way << (self.wide * length)
                length += 1
                yield path | 1 << (self.wide * length)
                way = 0 if self.chains else ways
            else:
                way += 1

    def play(self, p: int, m: int) -> int:
        hole, path = m & ((1 << HOLE) - 1), m >> HOLE
        while path > 1:
            way = path & ((1 << self.wide) - 1)
            p, hole = self.jumped(p, hole, way), int(self.land[hole, way])
            path >>= self.wide
        return p

    def reward(self, p: int, m: int) -> int:
        return 0 if self.wanted < 0 else 1

    def payoff(self, p: int) -> int:
        return count(p) if self.wanted < 0 else 0

    def stratum(self, p: int) -> int:
        return count(p)

    def representative(self, p: int) -> int:
        least = p
        for way in range(self.images.shape[0]):
            q = 0
            for part in range(self.images.shape[1]):
                q |= int(self.images[way, part, (p >> (8 * part)) & 255])
            least = min(least, q)
        return least

    def text(self, p: int) -> str:
        shown = {cell: "o" if p >> i & 1 else "_" for i, cell in enumerate(self.holes)}
        across, down = (max(each) + 1 for each in zip(*self.holes, strict=True))
        rows = ("".join(shown.get((x, y), ".") for x in range(across)) for y in range(down))
        return "/".join(rows)

    def parse(self, s: str) -> int:
        example = self.text(self.first)
        if re.sub("o", "_", s.strip()) != re.sub("o", "_", example):
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        pegs = [sign == "o" for sign in s if sign in "o_"]
        return sum(1 << i for i, peg in enumerate(pegs) if peg)

    def move_text(self, p: int, m: int) -> str:
        if m == STUCK:
            return "stuck"
        hole, path = m & ((1 << HOLE) - 1), m >> HOLE
        names = [name_of(self.holes[hole])]
        while path > 1:
            hole = int(self.land[hole, path & ((1 << self.wide) - 1)])
            names.append(name_of(self.holes[hole]))
            path >>= self.wide
        return "-".join(names)

    def picture(self, p: int) -> str:
        across, down = (max(each) + 1 for each in zip(*self.holes, strict=True))
        slanted = self.over.shape[1] == 6
        parts = []
        for i, (x, y) in enumerate(self.holes):
            at = x + (down - 1 - y) / 2 if slanted else x
            colour = svg.COLOURS[0] if p >> i & 1 else svg.SHADE
            parts.append(svg.circle(30 * at + 15, 30 * y + 15, 11, colour))
        return svg.svg(30 * (across + (down - 1) / 2 if slanted else across), 30 * down, parts)


# -- Boards. --------------------------------------------------------------------------------------


def drawn(board: str) -> str:
    """The rows of a board that may be given by its name."""
    if found := re.fullmatch(r"triangle(\d+)", board):
        rows = int(found[1])
        return "/".join("o" * (y + 1) for y in range(min(rows, MOST_HOLES)))
    if found := re.fullmatch(r"(\d+)x(\d+)", board):
        return "/".join(["o" * min(int(found[1]), 99)] * min(int(found[2]), 99))
    return BOARDS.get(board, board)


def cells(board: str) -> tuple[list[Cell], list[Cell]]:
    """All holes of a board, and those that are vacant; raise UsageError if it is none."""
    found = {
        (x, y): sign
        for y, row in enumerate(board.strip().split("/"))
        for x, sign in enumerate(row)
        if sign not in ".- "
    }
    if set(found.values()) - set("o_") or not 3 <= len(found) <= MOST_HOLES:
        raise UsageError(
            f"no board {board!r}",
            f"use {', '.join(BOARDS)}, triangle5, 4x5, or rows such as .o./ooo/.o. "
            f"with 3 to {MOST_HOLES} holes",
        )
    left, top = (min(each) for each in zip(*found, strict=True))
    if max(x for x, _ in found) - left > 25:
        raise UsageError("the board is too wide", "use at most 26 columns")
    shifted = {(x - left, y - top): sign for (x, y), sign in found.items()}
    return list(shifted), [cell for cell, sign in shifted.items() if sign == "_"]


def name_of(cell: Cell) -> str:
    """The name of a hole: its column and row."""
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


def cell_of(name: str) -> Cell | None:
    """The hole of that name, if it is a name."""
    found = re.fullmatch(r"([a-z])([1-9]\d?)", name.lower())
    return (ord(found[1]) - ord("a"), int(found[2]) - 1) if found else None


def middle(holes: list[Cell]) -> Cell | None:
    """The hole in the middle, if there is one."""
    x, y = (sum(each) / len(holes) for each in zip(*holes, strict=True))
    return (int(x), int(y)) if (x, y) in holes else None


def jumps(holes: list[Cell], steps: tuple[Cell, ...]) -> tuple[Any, Any]:
    """For each hole and direction: the hole jumped over as a bit (0: none), the hole jumped to."""
    number = {cell: i for i, cell in enumerate(holes)}
    over = np.zeros((len(holes), len(steps)), np.int64)
    land = np.zeros((len(holes), len(steps)), np.int64)
    for (x, y), hole in number.items():
        for way, (right, down) in enumerate(steps):
            near, far = (x + right, y + down), (x + 2 * right, y + 2 * down)
            if near in number and far in number:
                over[hole, way], land[hole, way] = 1 << number[near], number[far]
    return over, land


def longest(over: Any, land: Any) -> int:
    """How many jumps one move can have at most: each takes off another peg, and they hang
    together."""
    group = list(range(len(over)))
    edges = [(h, int(land[h, w])) for h, w in np.argwhere(over)]
    for _ in group:
        for a, b in edges:
            group[a] = group[b] = min(group[a], group[b])
    return max((sum(group[a] == g for a, _ in edges) // 2 for g in set(group)), default=0)


def symmetries(holes: list[Cell], steps: tuple[Cell, ...]) -> list[list[int]]:
    """All ways to lay the board on itself, as the new number of each hole."""
    found = []
    for a, c in steps:
        for b, d in steps:
            turned = [(a * x + b * y, c * x + d * y) for x, y in steps]
            image = [(a * x + b * y, c * x + d * y) for x, y in holes]
            left, top = (min(each) for each in zip(*image, strict=True))
            image = [(x - left, y - top) for x, y in image]
            if sorted(turned) == sorted(steps) and set(image) == set(holes):
                found.append([holes.index(cell) for cell in image])
    return found


def moved(pegs: int, way: list[int]) -> int:
    """Pegs after a symmetry."""
    return sum(1 << to for hole, to in enumerate(way) if pegs >> hole & 1)


def at_most(holes: list[Cell], steps: tuple[Cell, ...], ways: list[list[int]], first: int) -> int:
    """No more positions than this can arise, symmetric ones counted once.

    Number holes by (x + y) mod 3, and by (x - y) mod 3: a jump changes the parity of pegs on all
    three numbers, so their sums, two by two, stay even or odd (de Bruijn 1972)."""
    basis: set[int] = set()
    for x, y in holes:
        vector = 0
        for sign in (1, -1):
            if all((a + sign * b) % 3 for a, b in steps):
                vector = vector << 2 | (x + sign * y) % 3 + 1
        for each in sorted(basis, reverse=True):
            vector = min(vector, vector ^ each)
        if vector:
            basis.add(vector)
    alike = 1 << (len(holes) - len(basis))
    if any(moved(first, way) != first for way in ways):
        return alike
    # Burnside's lemma; positions that are symmetric themselves are not told apart by parities.
    symmetric = sum(1 << cycles(way) for way in ways if way != sorted(way))
    return (alike + symmetric) // len(ways)


def cycles(way: list[int]) -> int:
    """How many cycles a permutation has."""
    left = set(way)
    found = 0
    while left:
        hole = min(left)
        found += 1
        while hole in left:
            left.remove(hole)
            hole = way[hole]
    return found


def tables(ways: list[list[int]]) -> Any:
    """Symmetries as tables, eight holes at a time."""
    number = len(ways[0])
    out = np.zeros((len(ways), (number + 7) // 8, 256), np.int64)
    for i, way in enumerate(ways):
        for part in range(out.shape[1]):
            for pegs in range(256):
                out[i, part, pegs] = moved((pegs << (8 * part)) & ((1 << number) - 1), way)
    return out
