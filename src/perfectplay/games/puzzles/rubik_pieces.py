"""The pieces of Rubik's cube, where they are, and how turns and symmetries move them.

A place is written with its faces: corners clockwise from the upper or lower one, edges with the
main face first, which is the upper or lower one, or else front or back. A code says what is in a
place: the piece, and by how many faces after the first its own first colour shows.

All tables are derived from how the cube lies in space: a symmetry is a way to name faces anew that
keeps opposite faces opposite, and a turn moves the pieces of a face as a symmetry does.
"""

from functools import cache
from itertools import permutations, product

import numpy as np

from perfectplay.compiled.arrays import Ints

FACES = "URFDLB"
CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
PLACES = CORNERS + EDGES
SLICE = 8
"""The first of the four edges without an upper or lower face."""
QUARTER = {
    "U": "UFLDBR", "R": "BRUFLD", "F": "RDFLUB",
    "D": "UBRDFL", "L": "FRDBLU", "B": "LUFRDB",
}  # fmt: skip
"""What each of U, R, F, D, L, B becomes when the whole cube turns with a face, clockwise."""

Symmetry = dict[str, str]
"""What each face becomes."""
Stickers = dict[tuple[frozenset[str], str], str]
"""The colour that shows at each face of each place."""


@cache
def symmetries() -> tuple[tuple[str, ...], ...]:
    """What U, R, F, D, L, B become, for all 48 symmetries."""
    found = []
    for axes, flips in product(permutations(range(3)), product((0, 3), repeat=3)):
        images = [FACES[axis + flip] for axis, flip in zip(axes, flips, strict=True)]
        images += [FACES[(FACES.index(face) + 3) % 6] for face in images]
        found.append(tuple(images))
    return tuple(found)


def named(images: str | tuple[str, ...]) -> Symmetry:
    """A symmetry by what each face becomes."""
    return dict(zip(FACES, images, strict=True))


@cache
def place_of(faces: frozenset[str]) -> int:
    """The number of a place, of corners or of edges."""
    kind = CORNERS if len(faces) == 3 else EDGES
    return next(i for i, place in enumerate(kind) if frozenset(place) == faces)


def moved(place: str, way: Symmetry) -> tuple[int, int]:
    """Where a place goes, and which face there the first one becomes."""
    image = "".join(way[face] for face in place)
    to = place_of(frozenset(image))
    return to, (CORNERS if len(place) == 3 else EDGES)[to].index(image[0])


def turn_tables(places: tuple[str, ...], bits: int) -> tuple[Ints, Ints]:
    """For each of the 18 turns, U, U2, U', R, … : (where four pieces come from, where they go and
    how much their codes are twisted, in bits; the places that stay, as a mask)."""
    rows, rest = np.zeros((18, 4, 3), np.int64), np.zeros(18, np.int64)
    for turn in range(18):
        face, stay, at = FACES[turn // 3], 0, 0
        for i, place in enumerate(places):
            if face not in place:
                stay |= 31 << (5 * i)
                continue
            to, twist = i, 0
            for _ in range(turn % 3 + 1):
                to, more = moved(places[to], named(QUARTER[face]))
                twist = (twist + more) % len(place)
            rows[turn, at] = 5 * i, 5 * to, twist << bits
            at += 1
        rest[turn] = stay
    return rows, rest


CORNER_TURNS, CORNERS_KEPT = turn_tables(CORNERS, 3)
EDGE_TURNS, EDGES_KEPT = turn_tables(EDGES, 4)
SOLVED = sum(i << (5 * i) for i in range(8)), sum(i << (5 * i) for i in range(12))
"""The solved cube: the codes of corners, and of edges."""


def turned(corners: int, edges: int, turn: int) -> tuple[int, int]:
    """The codes of all places after a turn."""
    new, other = corners & int(CORNERS_KEPT[turn]), edges & int(EDGES_KEPT[turn])
    for i in range(4):
        code = ((corners >> int(CORNER_TURNS[turn, i, 0])) & 31) + int(CORNER_TURNS[turn, i, 2])
        if code >= 24:
            code -= 24
        new |= code << int(CORNER_TURNS[turn, i, 1])
        code = ((edges >> int(EDGE_TURNS[turn, i, 0])) & 31) ^ int(EDGE_TURNS[turn, i, 2])
        other |= code << int(EDGE_TURNS[turn, i, 1])
    return new, other


def stickers(corners: int, edges: int) -> Stickers:
    """The colours that show."""
    found: Stickers = {}
    for kind, codes, bits in ((CORNERS, corners, 3), (EDGES, edges, 4)):
        for i, place in enumerate(kind):
            code = codes >> (5 * i) & 31
            piece, twist = kind[code & ((1 << bits) - 1)], code >> bits
            for j in range(len(place)):
                found[frozenset(place), place[(j + twist) % len(place)]] = piece[j]
    return found


def codes(shown: Stickers) -> tuple[int, int]:
    """The codes of all places from the colours that show; ValueError if no pieces have these."""
    words = []
    for kind, bits in ((CORNERS, 3), (EDGES, 4)):
        found = 0
        for i, place in enumerate(kind):
            colours = "".join(shown[frozenset(place), face] for face in place)
            twists = [colours[k:] + colours[:k] for k in range(len(place))]
            fitting = [(kind.index(each), k) for k, each in enumerate(twists) if each in kind]
            if not fitting:
                raise ValueError(f"no piece shows {colours} at {place}")
            piece, twist = fitting[0]
            found |= (piece | twist << bits) << (5 * i)
        words.append(found)
    return words[0], words[1]


def seen_as(shown: Stickers, way: Symmetry) -> Stickers:
    """The same cube, as it looks when faces and colours have other names."""
    return {
        (frozenset(way[x] for x in place), way[face]): way[colour]
        for (place, face), colour in shown.items()
    }
