"""What searches remember of Rubik's cube: along each of its three axes, how corners are twisted,
how edges are flipped, and where the four edges between the outer layers are.

The cosets of Kociemba's two-phase algorithm: 2,187 twists, 2,048 flips and 495 slices; here a
slice also says which of its edges is where, in 11,880 ways. For axis 0, from the upper to the
lower face: a corner is twisted by how far its upper or lower colour is from such a face; an edge
is flipped if its main colour is not at the main face of its place (rubik_pieces.py). For another
axis the cube is looked at from elsewhere, so that this is the upper one. Sixteen symmetries keep
the axis; under them slices fall into classes.
"""

from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
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

TWISTS, FLIPS, SETS, ORDERS = 3**7, 2**11, 495, 24
AXES = ("URFDLB", "RFULBD", "FURBDL")
"""What the faces become where axis 0, 1 or 2 is looked at: 1 is from right to left."""
PLACED = [order for each in combinations(range(12), 4) for order in permutations(each)]
"""Where each edge of the slice is, by number: sets of places in turn, 24 orders each."""
SLICE_OF = {order: number for number, order in enumerate(PLACED)}
SLICES = len(PLACED)
FOURS = [*permutations(range(8), 4)]
"""Where each of four corners is."""
FOUR_OF = {order: number for number, order in enumerate(FOURS)}


def read(shown: Stickers) -> tuple[int, int, int]:
    """(twist, flip, slice) along axis 0."""
    twist = sum(
        next(k for k, face in enumerate(place) if shown[frozenset(place), face] in "UD") * 3**i
        for i, place in enumerate(CORNERS[:7])
    )
    flip, places = 0, dict[str, int]()
    for i, place in enumerate(EDGES):
        first, second = (shown[frozenset(place), face] for face in place)
        upper = first in "UD" or second in "UD"
        flip |= (second in ("UD" if upper else "FB")) << i
        places[second + first if flip >> i & 1 else first + second] = i
    return twist, flip % FLIPS, SLICE_OF[tuple(places[edge] for edge in EDGES[SLICE:])]


def along(shown: Stickers) -> tuple[Array, Array, Array]:
    """What is remembered along all axes: twists, flips, slices."""
    found = np.array([read(seen_as(shown, named(images))) for images in AXES], np.int64)
    return found[:, 0], found[:, 1], found[:, 2]


def edges_of(slices: list[int], flip: int) -> int:
    """The codes of edges, from the slices of all axes and the flip along axis 0."""
    codes = (flip | (flip.bit_count() & 1) << 11, 0)
    found = 0
    for images, number in zip(AXES, slices, strict=True):
        back = {image: face for face, image in zip(FACES, images, strict=True)}
        for j, i in enumerate(PLACED[number]):
            piece, _ = moved(EDGES[SLICE + j], back)
            place, _ = moved(EDGES[i], back)
            found |= (piece | (codes[0] >> place & 1) << 4) << (5 * place)
    return found


def corners_of(fours: tuple[int, int], twist: int) -> int:
    """The codes of corners, from where they are and how they are twisted along axis 0."""
    digits = [twist // 3**i % 3 for i in range(7)]
    digits.append(-sum(digits) % 3)
    found = 0
    for half, number in enumerate(fours):
        for j, place in enumerate(FOURS[number]):
            found |= (4 * half + j | digits[place] << 3) << (5 * place)
    return found


def fours_of(corners: int) -> tuple[int, int]:
    """Where the first four corners are, and the others."""
    places = [0] * 8
    for place in range(8):
        places[corners >> (5 * place) & 7] = place
    return FOUR_OF[tuple(places[:4])], FOUR_OF[tuple(places[4:])]  # type: ignore[index]


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
    """What twists or flips become by turns of one face."""
    kind = CORNERS if part == "twist" else EDGES
    base = 3 if part == "twist" else 2
    digits, found = _digits(base ** (len(kind) - 1), base, len(kind)), []
    for face, way in zip(FACES, ways, strict=True):
        now = digits
        for _ in range(3):
            new = now.copy()
            for i, place in enumerate(kind):
                if face in place:
                    to, more = moved(place, way)
                    new[:, to] = (now[:, i] + more) % base
            now = new
            found.append(_number(now, base))
    return np.stack(found, axis=1).astype(np.int16)


def _carried(ways: list[Symmetry], kind: tuple[str, ...], orders: list[Any]) -> Array:
    """What places of four pieces become by turns of one face."""
    numbers, found = {order: number for number, order in enumerate(orders)}, []
    for face, way in zip(FACES, ways, strict=True):
        goes = [moved(place, way)[0] if face in place else i for i, place in enumerate(kind)]
        now = orders
        for _ in range(3):
            now = [tuple(goes[i] for i in order) for order in now]
            found.append([numbers[order] for order in now])
    return np.array(found).T.astype(np.int16)


QUARTERS = [named(QUARTER[face]) for face in FACES]
TWIST_TURNS = _applied(QUARTERS, "twist")
"""int16[2187, 18]: the twist after each turn."""
FLIP_TURNS = _applied(QUARTERS, "flip")
"""int16[2048, 18]"""
SLICE_TURNS = _carried(QUARTERS, EDGES, PLACED)
"""int16[11880, 18]"""
FOUR_TURNS = _carried(QUARTERS, CORNERS, FOURS)
"""int16[1680, 18]: where four corners are after each turn."""
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


@cache
def flip_images() -> Array:
    """int16[16, 2048]: what symmetries make of flips, but for `slice_images`."""
    digits, found = _digits(FLIPS, 2, 12), []
    for way in kept():
        new = np.zeros_like(digits)
        for i, place in enumerate(EDGES):
            new[:, moved(place, way)[0]] = digits[:, i]
        found.append(_number(new, 2))
    return np.array(found, np.int16)


@cache
def slice_images() -> tuple[Array, Array]:
    """int64[16, 11880], twice: what symmetries make of slices, and which flips they change.

    A main colour that comes to another face of its place is a flip more; so is, for edges of the
    slice, that their main colour is no more the main one."""
    images, changes = [], []
    for way in kept():
        goes = [moved(place, way) for place in EDGES]
        pieces = [goes[SLICE + j][0] - SLICE for j in range(4)]
        whose = [pieces.index(j) for j in range(4)]
        renamed = way["F"] not in "FB"
        images.append([
            SLICE_OF[tuple(goes[order[j]][0] for j in whose)] for order in PLACED
        ])  # fmt: skip
        always = sum(other << to for to, other in goes)
        changes.append([
            (always ^ renamed * sum(1 << goes[i][0] for i in order)) % FLIPS for order in PLACED
        ])  # fmt: skip
    return np.array(images), np.array(changes)


@cache
def classes(*, ordered: bool) -> tuple[Ints, Ints, Ints]:
    """(for each slice its class, the symmetry that leads to the representative and the flips that
    this changes, side by side; the representative of each class; which flips the symmetries that
    keep it change, -1 for those that do not). Not `ordered`: only the places of the slice count,
    not which edge is where."""
    images, changes = slice_images()
    numbers = images if ordered else images // ORDERS * ORDERS
    least, ways = numbers.min(axis=0), numbers.argmin(axis=0)
    representatives = np.unique(least)
    found = np.searchsorted(representatives, least)
    changed = changes[ways, np.arange(SLICES)]
    stay = np.where(numbers[:, representatives] == representatives, 0, -1)
    keeping = (changes[:, representatives] | stay).T.astype(np.int64)
    return found << 15 | ways << 11 | changed, representatives.astype(np.int64), keeping
