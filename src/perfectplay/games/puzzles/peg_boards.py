"""Boards of peg solitaire: their holes, jumps and symmetries."""

import re
from typing import Any

import numpy as np

from perfectplay.errors import UsageError

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
    # Burnside's lemma; positions that are symmetric themselves are not distinguished by parities.
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
