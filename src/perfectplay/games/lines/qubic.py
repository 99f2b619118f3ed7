"""Noughts and crosses in space: `line` of one's own marks in a row, in any of 13 directions.

The board is a box of width x height x depth cells. Two players take turns to mark an empty cell,
X first. Whoever completes a line of at least `line` marks, along an edge, a diagonal of a face or
a diagonal through space, wins (in misère play: loses); a full board without a line is a draw.
Qubic proper, 4 x 4 x 4, has 64 cells and 76 lines and is too large to be enumerated; the first
player wins (Patashnik 1980).

Check: the cube of 3 x 3 x 3 cells has 49 lines; with depth 1 this is the game in the plane, 5478
positions and a draw.

A position is two sets of cells (lines.py); cell (x, y, z) is bit (z * height + y) * width + x.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import marked, runs, signed, strides
from perfectplay.games.lines.lines import MOST, StraightLines, WideLines

DIRECTIONS = [d for d in product((-1, 0, 1), repeat=3) if d[::-1] > (0, 0, 0)]
"""One of each pair of opposite directions, (x, y, z)."""
FLIPS = (0, 1, 0, 2, 0, 1, 0, 2)
"""Axes to mirror one after the other: all eight reflections, and back."""


@dataclass(frozen=True)
class Qubic(StraightLines):
    """`line` in a row in a box. `symmetry` identifies boxes that can be turned or mirrored into
    each other."""

    width: int = 3
    height: int = 3
    depth: int = 2
    line: int = 3
    misere: bool = False
    symmetry: bool = True

    native = True

    def __post_init__(self) -> None:
        size = (self.width, self.height, self.depth)
        if min(size) < 1 or self.line < 2 or self.cells() > MOST:
            raise UsageError(
                f"a box of {' x '.join(map(str, size))} with line {self.line} is not possible",
                f"a box may have up to {MOST} cells, and line is at least 2",
            )
        self.wide(WideQubic)

    @cached_property
    def every(self) -> list[tuple[int, ...]]:
        """All cells, (x, y, z)."""
        size = (self.depth, self.height, self.width)
        return [cell[::-1] for cell in product(*map(range, size))]

    @cached_property
    def room(self) -> tuple[int, ...]:
        """By direction: the cells where a line may begin."""
        size, far = (self.width, self.height, self.depth), self.line - 1
        return tuple(
            sum(
                1 << cell
                for cell, at in enumerate(self.every)
                if all(0 <= a + far * step < n for a, step, n in zip(at, d, size, strict=True))
            )
            for d in DIRECTIONS
        )

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """By direction: how many bits lie between the cells of a line."""
        bits = (x + self.width * (y + self.height * z) for x, y, z in DIRECTIONS)
        return tuple(step if room else 0 for step, room in zip(bits, self.room, strict=True))

    @cached_property
    def ahead(self) -> tuple[int, ...]:
        """How `runs` looks for lines."""
        return strides(self.line)

    @cached_property
    def slabs(self) -> tuple[int, ...]:
        """By axis: the bits of cells whose place on this axis is 0, of both players."""
        both = 1 | 1 << self.cells()
        return tuple(
            sum(both << cell for cell, at in enumerate(self.every) if not at[axis])
            for axis in range(3)
        )

    def length(self) -> int:
        """How many cells make a line."""
        return self.line

    def cells(self) -> int:
        """How many cells the box has."""
        return self.width * self.height * self.depth

    def lined(self, marks: int) -> bool:
        """Whether `marks` holds a line."""
        for i in range(len(self.steps)):
            if self.room[i] != 0 and runs(marks, self.steps[i], self.ahead) & self.room[i] != 0:
                return True
        return False

    def stride(self, axis: int) -> int:
        """How many bits lie between neighbours on an axis."""
        if axis == 0:
            return 1
        return self.width if axis == 1 else self.width * self.height

    def size(self, axis: int) -> int:
        """How many cells lie along an axis."""
        if axis == 0:
            return self.width
        return self.height if axis == 1 else self.depth

    def mirrored(self, p: int, axis: int) -> int:
        """The position with one axis turned round."""
        n, stride, slab = self.size(axis), self.stride(axis), self.slabs[axis]
        image = 0
        for i in range(n):
            image |= ((p >> (i * stride)) & slab) << ((n - 1 - i) * stride)
        return image

    def exchanged(self, p: int, a: int, b: int) -> int:
        """The position with two axes of the same size exchanged."""
        both = self.slabs[a] & self.slabs[b]
        for i in range(self.size(a)):
            for j in range(i):
                one = i * self.stride(a) + j * self.stride(b)
                other = j * self.stride(a) + i * self.stride(b)
                change = ((p >> one) ^ (p >> other)) & both
                p ^= (change << one) | (change << other)
        return p

    def representative(self, p: Any) -> Any:
        if not self.symmetry:
            return p
        w, h, d = self.width, self.height, self.depth
        # Axes to exchange one after the other: all orders of equal axes, and back.
        orders = (1, 2, 2, 6)[int(w == h) + int(h == d) + int(w == d)]
        best = p
        for order in range(orders):
            for i in range(len(FLIPS)):
                p = self.mirrored(p, FLIPS[i])
                best = min(best, p)
            if orders == 6:
                p = self.exchanged(p, 0, 1) if order % 2 == 0 else self.exchanged(p, 1, 2)
            elif orders == 2:
                a, b = (1, 2) if h == d else (0, 1 if w == h else 2)
                p = self.exchanged(p, a, b)
        return best

    def text(self, p: Any) -> str:
        marks, w, layer = self.marks(p), self.width, self.width * self.height
        return " ".join(
            "/".join(marks[z + y : z + y + w] for y in range(0, layer, w))
            for z in range(0, self.cells(), layer)
        )

    def parse(self, s: str) -> Any:
        layers = [layer.split("/") for layer in s.upper().split()]
        marks = "".join("".join(layer) for layer in layers)
        shape = [[len(row) for row in layer] for layer in layers]
        if shape != [[self.width] * self.height] * self.depth or set(marks) - set(".XO"):
            raise ValueError(
                f"{s!r}: a position looks like {self.text(self.start())!r}, with X and O"
            )
        return self.joined(marked(marks, "X"), marked(marks, "O"))

    def move_text(self, p: Any, m: int) -> str:
        rest, x = divmod(m, self.width)
        z, y = divmod(rest, self.height)
        return f"{chr(97 + x)}{self.height - y} of layer {z + 1}"

    def picture(self, p: Any) -> str:
        cell, w, h = 28, self.width, self.height
        parts = []
        for c, mark in enumerate(self.marks(p)):
            rest, x = divmod(c, w)
            z, y = divmod(rest, h)
            left, top = (z * (w + 0.5) + x) * cell, y * cell
            parts.append(svg.box(left, top, cell, cell))
            if mark != ".":
                draw = svg.cross if mark == "X" else svg.nought
                parts.append(draw(left + cell / 2, top + cell / 2, 8))
        return svg.svg((self.depth * (w + 0.5) - 0.5) * cell, h * cell, parts)


class WideQubic(WideLines, Qubic):
    """A box of more than 31 cells. The cube of Qubic proper has more symmetries than other boxes:
    lines stay lines where inner and outer cells are exchanged, on all axes at once."""

    listed_as = Qubic

    @cached_property
    def slabs(self) -> tuple[int, ...]:
        """By axis: the cells whose place on this axis is 0."""
        return tuple(
            sum(1 << cell for cell, at in enumerate(self.every) if not at[axis])
            for axis in range(3)
        )

    def layers(self, cells: int, i: int, j: int) -> int:
        """A set of cells with layers `i` and `j` exchanged, on all axes."""
        for axis in range(3):
            stride = self.stride(axis)
            change = ((cells >> (i * stride)) ^ (cells >> (j * stride))) & self.slabs[axis]
            cells ^= (change << (i * stride)) | (change << (j * stride))
        return cells

    def representative(self, p: tuple[int, int]) -> tuple[int, int]:
        if not self.symmetry:
            return p
        w, h, d = self.width, self.height, self.depth
        orders = (1, 2, 2, 6)[int(w == h) + int(h == d) + int(w == d)]
        proper = w == h and h == d and w == 4 and self.line == 4
        best, (mine, theirs) = p, p
        for kind in range(4 if proper else 1):
            for order in range(orders):
                for i in range(len(FLIPS)):
                    mine = signed(self.mirrored(mine, FLIPS[i]))
                    theirs = signed(self.mirrored(theirs, FLIPS[i]))
                    here = (mine, theirs)
                    best = here if here < best else best
                a, b = (1, 2) if order % 2 else (0, 1)
                if orders == 2:
                    a, b = (1, 2) if h == d else (0, 1 if w == h else 2)
                if orders > 1:
                    mine = signed(self.exchanged(mine, a, b))
                    theirs = signed(self.exchanged(theirs, a, b))
            if proper and kind % 2 == 0:
                mine = signed(self.layers(self.layers(mine, 0, 1), 2, 3))
                theirs = signed(self.layers(self.layers(theirs, 0, 1), 2, 3))
            elif proper:
                mine = signed(self.layers(mine, 1, 2))
                theirs = signed(self.layers(theirs, 1, 2))
        return best
