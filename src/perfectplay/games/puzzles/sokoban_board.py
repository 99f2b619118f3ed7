"""Levels of Sokoban: their text, their squares, and how far boxes are from goals."""

import re
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.errors import UsageError

Cell = tuple[int, int]
"""Row and column."""

STEPS: tuple[Cell, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Up, down, left, right; opposite ways side by side."""
SQUARES, BOXES = 180, 30
"""Squares that a level has at most, and boxes."""
NEAR, KIND = SQUARES, SQUARES + 1
"""Rows of the table behind those of the squares."""
FAR = 9999
"""So many pushes stand for: it cannot be done."""
_ROW = re.compile(r"[#@+$*.\-_ ]*#[#@+$*.\-_ ]*")


@dataclass(frozen=True)
class Level:
    """A level as it is drawn."""

    squares: tuple[Cell, ...]
    """Where somebody can go, in the order of reading."""
    goals: tuple[int, ...]
    boxes: tuple[int, ...]
    player: int
    size: Cell
    """How many rows and columns there are."""
    walls: frozenset[Cell]


def levels_in(text: str) -> list[list[str]]:
    """The rows of each level in a text; whatever is no row of a level separates them."""
    found: list[list[str]] = [[]]
    for row in text.replace("/", "\n").splitlines():
        if _ROW.fullmatch(row):
            found[-1].append(row.rstrip().replace("_", "-").replace(" ", "-"))
        elif found[-1]:
            found.append([])
    return [rows for rows in found if rows]


def read(rows: list[str]) -> Level:
    """The level with these rows; raise UsageError if it is none."""
    signs = {(y, x): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
    players = [cell for cell, sign in signs.items() if sign in "@+"]
    if len(players) != 1:
        raise UsageError(f"a level with {len(players)} players", "write one @, or + on a goal")
    inside, left = set(players), players[:]
    while left:
        y, x = left.pop()
        for down, right in STEPS:
            cell = (y + down, x + right)
            if cell not in signs:
                raise UsageError("a level that is open to the outside", "close it by walls: #")
            if signs[cell] != "#" and cell not in inside:
                inside.add(cell)
                left.append(cell)
    squares = tuple(sorted(inside))
    number = {cell: i for i, cell in enumerate(squares)}
    goals = tuple(number[cell] for cell in squares if signs[cell] in ".*+")
    boxes = tuple(number[cell] for cell in squares if signs[cell] in "$*")
    if len(squares) > SQUARES or len(boxes) > BOXES:
        raise UsageError(
            f"a level of {len(squares)} squares with {len(boxes)} boxes",
            f"levels have up to {SQUARES} squares and {BOXES} boxes",
        )
    if not boxes or len(boxes) != len(goals):
        raise UsageError(
            f"a level with {len(boxes)} boxes and {len(goals)} goals that can be reached",
            "let there be as many boxes ($) as goals (.), at least one; * is a box on a goal",
        )
    size = len(rows), max(map(len, rows))
    walls = frozenset(cell for cell, sign in signs.items() if sign == "#")
    return Level(squares, goals, boxes, number[players[0]], size, walls)


def push_table(level: Level) -> Any:
    """int16[SQUARES + 2, SQUARES, BOXES + 2]: [box, player, k] is how many pushes take a box alone
    on the board to goal k with the player where they are; [NEAR, square, way] is what is next to a
    square, -1 for a wall; [KIND, square, 0] is 1 for a goal, and [KIND, square, 1] is 1 if no goal
    can be reached from there. As large for every level, so that all share compiled code."""
    found = np.full((SQUARES + 2, SQUARES, BOXES + 2), FAR, np.int16)
    number = {cell: i for i, cell in enumerate(level.squares)}
    for (y, x), i in number.items():
        for way, (down, right) in enumerate(STEPS):
            found[NEAR, i, way] = number.get((y + down, x + right), -1)
    near = found[NEAR, : len(level.squares), :4].tolist()
    rooms = [_rooms(near, box) for box in range(len(near))]
    back = _pulls(near, rooms)
    for k, goal in enumerate(level.goals):
        pushes = _distances(back, [(goal, room) for room in set(rooms[goal]) - {-1}])
        for box, of in enumerate(rooms):
            for player, room in enumerate(of):
                found[box, player, k] = pushes.get((box, room), FAR)
    found[KIND, :, 0] = 0
    found[KIND, list(level.goals), 0] = 1
    many = len(level.boxes)
    for i in range(len(near)):
        others = [q for q in range(len(near)) if q != i]
        found[KIND, i, 1] = all(found[i, q, k] >= FAR for q in others for k in range(many))
    return found


def _rooms(near: list[list[int]], box: int) -> list[int]:
    """Which squares hang together if a box is on one: for each square the least one of its room,
    -1 for the box."""
    room = [-1] * len(near)
    for first in range(len(near)):
        if first == box or room[first] >= 0:
            continue
        left = [first]
        room[first] = first
        while left:
            for to in near[left.pop()]:
                if to >= 0 and to != box and room[to] < 0:
                    room[to] = first
                    left.append(to)
    return room


def _pulls(near: list[list[int]], rooms: list[list[int]]) -> dict[Cell, list[Cell]]:
    """For each (box, room of the player) those from which one push leads there."""
    back: dict[Cell, list[Cell]] = {}
    for box, of in enumerate(rooms):
        for way in range(4):
            to, behind = near[box][way], near[box][way ^ 1]
            if to >= 0 and behind >= 0:
                back.setdefault((to, rooms[to][box]), []).append((box, of[behind]))
    return back


def _distances(back: dict[Cell, list[Cell]], ends: list[Cell]) -> dict[Cell, int]:
    """The least number of pushes from each (box, room) to one of the ends."""
    found, left = dict.fromkeys(ends, 0), deque(ends)
    while left:
        here = left.popleft()
        for before in back.get(here, ()):
            if before not in found:
                found[before] = found[here] + 1
                left.append(before)
    return found
