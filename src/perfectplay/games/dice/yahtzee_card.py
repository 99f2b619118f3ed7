"""Dice and boxes of Yahtzee: how a position is packed, and which points are as good as others."""

from collections.abc import Iterable

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.rules.packing import Field, fields, get

DICE, STAGE, LEFT, OPEN, POINTS, FIFTY = fields(24, 2, 3, 15, 10, 1)
"""Dice, what happens now, rerolls left, open boxes, points for the bonus, 50 in `yahtzee`."""
DIE = DICE.each(3)
"""How many dice show a face; face 0 has one pip."""
TURN = Field(0, OPEN.low)
"""What a turn changes until dice are scored."""
ROLLING, CHOOSING, SCORING = range(3)
STAGES = ("rolling", "choosing", "scoring")
GO = 8
"""The move that ends putting back: roll what has been put back, or score if nothing has."""
FACES = 8
THREE, FOUR, HOUSE, SMALL, LARGE, YAHTZEE, CHANCES = range(FACES, FACES + 7)
"""Numbers of the boxes after those of the faces."""
LOWER = ("three", "four", "house", "small", "large", "yahtzee", "chance")
UPPER = tuple(str(face + 1) for face in range(FACES))
BOXES = UPPER + LOWER
JOKERS = ("none", "free", "intermediate", "forced")
NONE, FREE, INTERMEDIATE, FORCED = range(4)


def number_of(p: int) -> int:
    """How many dice lie on the table."""
    dice = get(p, DICE)
    pairs = (dice & 0o07070707) + ((dice >> 3) & 0o07070707)  # four sums, six bits each
    return (pairs * 0o01010101 >> 18) & 0o77


def sums_of(faces: Iterable[int], dice: int) -> set[int]:
    """All sums that boxes of these faces may hold."""
    sums = {0}
    for face in faces:
        sums = {s + n * (face + 1) for s in sums for n in range(dice + 1)}
    return sums


def equivalents(dice: int, sides: int, bonus_at: int) -> Ints:
    """For open boxes of faces, and points: the least points with the same bonus to come."""
    table = np.zeros((1 << sides, bonus_at + 1), np.int64)
    for boxes in range(1 << sides):
        sums = sums_of((face for face in range(sides) if boxes >> face & 1), dice)
        for points in range(1, bonus_at + 1):
            # A point more matters if some sum to come reaches the bonus only with it.
            more = bonus_at - points in sums
            table[boxes, points] = points if more else table[boxes, points - 1]
        if max(sums) < bonus_at:
            table[boxes, bonus_at] = 0  # had already: as good as out of reach
    return table
