"""What searches remember of Rubik's cube: along each of its three axes, how corners are twisted,
how edges are flipped, and where the four edges between the outer layers are.

The cosets of Kociemba's two-phase algorithm: 2,187 twists, 2,048 flips and 495 slices. For axis 0,
from the upper to the lower face: a corner is twisted by how far its upper or lower colour is from
the upper or lower face; an edge is flipped if its main colour is not at the main face of its place
(rubik_pieces.py). For another axis the cube is looked at from elsewhere, so that this is the upper
one. A flip and a slice have a number, 2,048 * slice + flip; under the sixteen symmetries that keep
the axis these fall into 64,430 classes.
"""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Int32s
from perfectplay.games.puzzles.rubik_pieces import (
    CORNERS,
    EDGES,
    FACES,
    QUARTER,
    SLICE,
    Stickers,
    Symmetry,
    moved,
    named,
    seen_as,
    symmetries,
)

TWISTS, FLIPS, SLICES, CLASSES = 3**7, 2**11, 495, 64_430
AXES = ("URFDLB", "RFULBD", "FURBDL")
"""What the faces become where axis 0, 1 or 2 is looked at: 1 is from right to left."""
MASKS = [sum(1 << i for i in each) for each in combinations(range(12), 4)]
"""The places of the four edges of the slice."""
SLICE_OF = {mask: number for number, mask in enumerate(MASKS)}


def read(shown: Stickers) -> tuple[int, int, int]:
    """(twist, flip, slice) along axis 0."""
    twist = sum(
        next(k for k, face in enumerate(place) if shown[frozenset(place), face] in "UD") * 3**i
        for i, place in enumerate(CORNERS[:7])
    )
    flip = between = 0
    for i, place in enumerate(EDGES):
        first, second = (shown[frozenset(place), face] for face in place)
        upper = first in "UD" or second in "UD"
        between |= (not upper) << i
        flip |= (second in ("UD" if upper else "FB")) << i
    return twist, flip % FLIPS, SLICE_OF[between]


def along(shown: Stickers) -> tuple[int, int]:
    """What is remembered along all axes: twists of 12 bits; flips of 11 with slices of 9."""
    twists = others = 0
    for axis, images in enumerate(AXES):
        twist, flip, between = read(seen_as(shown, named(images)))
        twists |= twist << (12 * axis)
        others |= (flip | between << 11) << (20 * axis)
    return twists, others


# -- Turns. ---------------------------------------------------------------------------------------


def _digits(count: int, base: int, places: int) -> Array:
    """All numbers of so many digits whose sum is a multiple of the base, digit by digit."""
    found = np.arange(count)[:, None] // base ** np.arange(places - 1) % base
    digits: Array = np.c_[found, -found.sum(1) % base]
    return digits


def _number(digits: Array, base: int) -> Array:
    numbers: Array = digits[:, :-1] @ base ** np.arange(digits.shape[1] - 1)
    return numbers


def _applied(ways: list[Symmetry], part: str) -> Array:
    """What twists, flips or slices become by turns of one face."""
    kind = CORNERS if part == "twist" else EDGES
    base = 3 if part == "twist" else 2
    if part == "slice":
        digits: Array = np.array(MASKS)[:, None] >> np.arange(12) & 1
    else:
        digits = _digits(base ** (len(kind) - 1), base, len(kind))
    found = []
    for face, way in zip(FACES, ways, strict=True):
        now = digits
        for _ in range(3):
            new = now.copy()
            for i, place in enumerate(kind):
                if face in place:
                    to, more = moved(place, way)
                    new[:, to] = now[:, i] if part == "slice" else (now[:, i] + more) % base
            now = new
            found.append(_slices(now) if part == "slice" else _number(now, base))
    return np.stack(found, axis=1).astype(np.int16)


def _slices(digits: Array) -> Array:
    numbers = np.zeros(1 << 12, np.int64)
    numbers[MASKS] = np.arange(SLICES)
    found: Array = numbers[digits @ (1 << np.arange(12))]
    return found


QUARTERS = [named(QUARTER[face]) for face in FACES]
TWIST_TURNS = _applied(QUARTERS, "twist")
"""int16[2187, 18]: the twist after each turn."""
FLIP_TURNS = _applied(QUARTERS, "flip")
"""int16[2048, 18]"""
SLICE_TURNS = _applied(QUARTERS, "slice")
"""int16[495, 18]"""
SEEN_TURNS = np.array(
    [[3 * FACES.index(images[t // 3]) + t % 3 for t in range(18)] for images in AXES], np.int64
)
"""int64[3, 18]: what each turn is where another axis is looked at."""


# -- Symmetries. ----------------------------------------------------------------------------------


@cache
def kept() -> tuple[Symmetry, ...]:
    """The sixteen symmetries that keep axis 0."""
    return tuple(named(images) for images in symmetries() if images[0] in "UD")


@cache
def twist_images() -> Array:
    """int16[16, 2187]: what symmetries make of twists."""
    digits, found = _digits(TWISTS, 3, 8), []
    for way in kept():
        new = np.zeros_like(digits)
        for i, place in enumerate(CORNERS):
            to, _ = moved(place, way)
            ways = [CORNERS[to].index(way[face]) for face in place]
            new[:, to] = np.array(ways)[digits[:, i]]
        found.append(_number(new, 3))
    return np.array(found, np.int16)


def _images(way: Symmetry) -> Array:
    """What a symmetry makes of all numbers of a flip and a slice.

    A main colour that comes to another face of its place is a flip more; so is, for edges of the
    slice, that their main colour is no more the main one."""
    flips, slices = _digits(FLIPS, 2, 12), np.array(MASKS)[:, None] >> np.arange(12) & 1
    renamed = way["F"] not in "FB"
    new, changed, between = np.zeros_like(flips), np.zeros_like(slices), np.zeros_like(slices)
    for i, place in enumerate(EDGES):
        to, other = moved(place, way)
        new[:, to] = flips[:, i]
        changed[:, to] = other ^ (slices[:, i] & renamed)
        between[:, to] = slices[:, i]
    bits = 1 << np.arange(11)
    words = (new[:, :11] @ bits)[None, :] ^ (changed[:, :11] @ bits)[:, None]
    numbers: Array = (_slices(between)[:, None] * FLIPS + words).ravel()
    return numbers


@cache
def classes() -> tuple[Int32s, Int32s, Any]:
    """(for each number, its class with the symmetry that leads to the representative; the
    representative of each class; the symmetries that keep it, as bits)."""
    images = np.array([_images(way) for way in kept()], np.int32)
    least = images.min(axis=0)
    representatives = np.unique(least)
    number = np.zeros(FLIPS * SLICES, np.int32)
    number[representatives] = np.arange(len(representatives))
    found = number[least] << 4 | images.argmin(axis=0).astype(np.int32)
    same = images[:, representatives] == representatives
    keeping = (same.astype(np.int64) << np.arange(16)[:, None]).sum(axis=0)
    return found.astype(np.int32), representatives.astype(np.int32), keeping.astype(np.int32)


assert len(EDGES) - 4 == SLICE
