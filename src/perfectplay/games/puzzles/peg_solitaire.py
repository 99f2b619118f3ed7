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

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.errors import UsageError
from perfectplay.games.bits import count, marked
from perfectplay.games.puzzles.peg_boards import (
    STEPS,
    Cell,
    at_most,
    cell_of,
    cells,
    drawn,
    jumps,
    longest,
    middle,
    moved,
    name_of,
    symmetries,
    tables,
)
from perfectplay.rules.capabilities import PlacedMoves
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, fields, get

STUCK = 0
"""The move that changes nothing: play goes round where no jump is left."""
HOLE, PATH = fields(6, 56)
"""A move: the hole of the peg, and its jumps, the first lowest, then a bit."""


@dataclass(frozen=True)
class PegSolitaire(PlacedMoves, Game):
    """Pegs on a board of up to 60 holes."""

    board: str = "english"
    vacant: str = ""
    finish: str = ""
    cost: Literal["moves", "jumps"] = "moves"
    lines: Literal["", "square", "triangle", "king"] = ""
    symmetry: bool = True

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        if self.cost not in ("moves", "jumps") or self.along not in STEPS:
            raise UsageError(
                f"no cost {self.cost!r} or lines {self.lines!r}",
                "cost is moves or jumps, lines are square, triangle or king",
            )
        _ = self.first, self.wanted  # names of holes that there are not are refused
        if self.chains and HOLE.bits + self.wide * longest(self.over, self.land) > 61:
            raise UsageError(
                "moves on this board could have too many jumps in a row",
                "use a smaller board, or cost=jumps",
            )

    @cached_property
    def along(self) -> str:
        """Which lines pegs jump along."""
        usual = "triangle" if self.board.startswith("triangle") else "square"
        return self.lines or usual

    @cached_property
    def holes(self) -> tuple[Cell, ...]:
        """The holes of the board."""
        return tuple(cells(drawn(self.board))[0])

    @cached_property
    def empty(self) -> int:
        """The holes without a peg at the start."""
        found = self.named(self.vacant) if self.vacant else cells(drawn(self.board))[1]
        return self.packed(found or [middle(list(self.holes)) or self.holes[0]])

    @cached_property
    def first(self) -> int:
        """The start."""
        return ((1 << len(self.holes)) - 1) ^ self.empty

    @cached_property
    def wanted(self) -> int:
        """The finish: pegs; 0 if any one peg will do, -1 if as few as possible are wanted."""
        if self.finish in ("any", "fewest"):
            return 0 if self.finish == "any" else -1
        return self.packed(self.named(self.finish)) if self.finish else self.empty

    @cached_property
    def chains(self) -> bool:
        """Whether a move may have several jumps."""
        return self.cost == "moves"

    @cached_property
    def wide(self) -> int:
        """Bits of a move for one jump."""
        return 2 if self.along == "square" else 3

    @cached_property
    def over(self) -> Any:
        """int[hole, direction]: the hole jumped over, as a bit; 0 if there is no such jump."""
        return jumps(list(self.holes), STEPS[self.along])[0]

    @cached_property
    def land(self) -> Any:
        """int[hole, direction]: the hole jumped to."""
        return jumps(list(self.holes), STEPS[self.along])[1]

    @cached_property
    def kept(self) -> list[list[int]]:
        """The symmetries of the board that keep the finish."""
        if not self.symmetry:
            return [list(range(len(self.holes)))]
        keep = max(self.wanted, 0)
        found = symmetries(list(self.holes), STEPS[self.along])
        return [image for image in found if moved(keep, image) == keep]

    @cached_property
    def images(self) -> Any:
        """int[symmetry, eight holes, their pegs]: where these pegs are after a symmetry."""
        return tables(self.kept)

    @cached_property
    def most_positions(self) -> int:  # type: ignore[override]
        """No more than jumps can reach."""
        return at_most(list(self.holes), STEPS[self.along], self.kept, self.first)

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
        return sum(1 << self.holes.index(cell) for cell in set(chosen))

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
                        yield at(HOLE, hole) | at(PATH, path)
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
        hole, path = get(m, HOLE), get(m, PATH)
        while path > 1:
            way = get(path, (0, self.wide))
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
                q |= int(self.images[way, part, get(p, (0, 8), part)])
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
        return marked([sign for sign in s if sign in "o_"], "o")

    def move_text(self, p: int, m: int) -> str:
        if m == STUCK:
            return "stuck"
        return "-".join(name_of(self.holes[hole]) for hole in self.visited(m))

    def visited(self, m: int) -> Iterator[int]:
        """The holes that the peg of a move comes to, its own first."""
        hole, path = get(m, HOLE), get(m, PATH)
        yield hole
        while path > 1:
            hole = int(self.land[hole, get(path, (0, self.wide))])
            yield hole
            path >>= self.wide

    def places(self, p: int, m: int) -> Iterator[tuple[float, float]]:
        # Where no jump is left, any peg will do.
        holes = self.visited(m) if m != STUCK else [(p & -p).bit_length() - 1]
        for hole in holes:
            yield inside(*self.spot(hole))

    def spot(self, hole: int) -> tuple[float, float]:
        """Where a hole is drawn."""
        x, y = self.holes[hole]
        down = max(row for _, row in self.holes) + 1
        left = x + (down - 1 - y) / 2 if self.over.shape[1] == 6 else x
        return 30 * left + 15, 30 * y + 15

    def picture(self, p: int) -> str:
        across, down = (max(each) + 1 for each in zip(*self.holes, strict=True))
        slanted = self.over.shape[1] == 6
        parts = []
        for i in range(len(self.holes)):
            colour = svg.COLOURS[0] if p >> i & 1 else svg.SHADE
            parts.append(svg.circle(*self.spot(i), 11, colour))
        return svg.svg(30 * (across + (down - 1) / 2 if slanted else across), 30 * down, parts)
