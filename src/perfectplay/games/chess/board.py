"""Chess pieces on squares: what the rules of chess share, as tables and integer arithmetic.

A square is 8 * rank + file, a1 is 0 and h8 63. A man is a code of ten bits, a square and a kind:
kinds 1 to 7 are those of the player to move, who moves up the board; the other's are greater by 8.
`PASSING` is a pawn that has just made a double step and can be taken en passant.

A placement is one integer of codes side by side: in place 0 the king of the player to move, in
place 1 the other king, then all other men in ascending order. At most six men fit; bit 60 is free
for the rules. All functions of placements compile as they stand.
"""

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.rules.packing import Field, at, fields, get

KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, PASSING = range(1, 8)
THEIRS = 8
LETTERS = ".KQRBNPP"
MOST = 6
"""Men that fit in a placement."""
SQUARE, KIND = fields(6, 4)
MAN = Field(0, 10)
KINGS = Field(0, 20)
PLACEMENT, BLACK = fields(10 * MOST, 1)
"""The men, and whether the player to move is Black."""

_STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
_OBLIQUE = ((1, 1), (-1, 1), (-1, -1), (1, -1))
_LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_DIRECTIONS = {
    KING: _STRAIGHT + _OBLIQUE,
    QUEEN: _STRAIGHT + _OBLIQUE,
    ROOK: _STRAIGHT,
    BISHOP: _OBLIQUE,
    KNIGHT: _LEAPS,
}


def _ray(square: int, direction: tuple[int, int], kind: int) -> list[int]:
    """The squares that a piece meets on an empty board in one direction, nearest first."""
    file, rank = square % 8, square // 8
    found = []
    for _ in range(1 if kind in (KING, KNIGHT) else 7):
        file, rank = file + direction[0], rank + direction[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        found.append(8 * rank + file)
    return found


def _walks() -> Array:
    walks = np.full((6, 64, 28), -1, np.int16)
    for kind, directions in _DIRECTIONS.items():
        for square in range(64):
            steps: list[int] = []
            for direction in directions:
                ray = _ray(square, direction, kind)
                steps += [to + 64 * (len(steps) + len(ray)) for to in ray]
            walks[kind, square, : len(steps)] = steps
    return walks


def _reaches() -> tuple[Ints, Ints]:
    reach, between = np.zeros((64, 64), np.int64), np.zeros((64, 64), np.int64)
    for square in range(64):
        for kind, directions in _DIRECTIONS.items():
            for direction in directions:
                passed = 0
                for to in _ray(square, direction, kind):
                    reach[square, to] |= (1 << kind) | (1 << (kind + THEIRS))
                    between[square, to] = passed
                    passed |= 1 << to
        for to in range(64):
            aside, ahead = abs(square % 8 - to % 8), to // 8 - square // 8
            if aside == 1 and ahead == 1:
                reach[square, to] |= (1 << PAWN) | (1 << PASSING)
            if aside == 1 and ahead == -1:
                reach[square, to] |= (1 << (PAWN + THEIRS)) | (1 << (PASSING + THEIRS))
    return reach, between


def _symmetric(square: int, symmetry: int) -> int:
    file, rank = square % 8, square // 8
    file, rank = (7 - file if symmetry & 1 else file), (7 - rank if symmetry & 2 else rank)
    return 8 * file + rank if symmetry & 4 else 8 * rank + file


WALK = _walks()
"""By kind, square and number: a square that the piece may go to, plus 64 times the number to go on
with if something stands there (if nothing does, it is the next one); -1 at the end."""
REACH, BETWEEN = _reaches()
"""By two squares: the kinds that attack the second from the first on an empty board, as bits; the
squares between the two, as bits, if they lie on a line."""
IMAGE = np.array([[_symmetric(square, kind) for square in range(64)] for kind in range(8)])
"""By symmetry and square: bit 0 exchanges left and right, bit 1 top and bottom, bit 2 then rows
and columns."""
TRIANGLE = np.array([s for s in range(64) if s % 8 < 4 and s // 8 <= s % 8])
"""The ten squares to which symmetry can bring a piece."""
INTO_TRIANGLE = np.array([min(k for k in range(8) if IMAGE[k, s] in TRIANGLE) for s in range(64)])
WORTH = np.array([0, 0, 1, 7, 49, 343, 2401, 2401])
"""By kind: what distinguishes materials with as many men, when it is added up."""


TO, FROM, BECOMES = fields(6, 6, 3)
"""A move: its squares, and the kind of the man after it."""


def moved(origin: int, to: int, becomes: int) -> int:
    """The move of a man from square to square, which becomes a man of some kind."""
    return at(TO, to) | at(FROM, origin) | at(BECOMES, becomes)


def man(kind: int, square: int) -> int:
    """The code of a man."""
    return at(KIND, kind) | at(SQUARE, square)


def kings(king: int, other: int) -> int:
    """The placement of the two kings alone."""
    return man(KING, king) | at(MAN, man(KING + THEIRS, other), 1)


def inserted(placement: int, code: int) -> int:
    """The placement with one more man, no king, in its order."""
    i = 2
    while 0 < get(placement, MAN, i) < code:
        i += 1
    low = MAN.bits * i
    return get(placement, (0, low)) | at(MAN, code, i) | at(MAN, placement >> low, i + 1)


def occupied(placement: int) -> int:
    """The squares with men on them, as bits."""
    found = 0
    while placement:
        found |= 1 << get(placement, SQUARE)
        placement >>= MAN.bits
    return found


def attacked(placement: int, square: int, men: int, gone: int) -> bool:
    """Whether a man of the player who is not to move attacks a square, if all squares in `men` are
    taken; one of theirs on square `gone` does not count."""
    rest = placement >> MAN.bits
    while rest:
        here, kind = get(rest, SQUARE), get(rest, KIND)
        if (
            kind > THEIRS
            and (REACH[here, square] >> kind) & 1
            and not int(BETWEEN[here, square]) & men
            and here != gone
        ):
            return True
        rest >>= MAN.bits
    return False


def exposed(placement: int) -> bool:
    """Whether the player to move could take the other's king, which must not be."""
    men = occupied(placement)
    king = get(get(placement, MAN, 1), SQUARE)
    rest = placement
    while rest:
        here, kind = get(rest, SQUARE), get(rest, KIND)
        hits = kind < THEIRS and (REACH[here, king] >> kind) & 1
        if hits and not int(BETWEEN[here, king]) & men:
            return True
        rest >>= MAN.bits
    return False


def takes_passing(placement: int, men: int, pawn: int, passing: int) -> bool:
    """Whether the player to move may take the pawn that passed with their own on `pawn`."""
    if abs(pawn % 8 - passing % 8) != 1 or pawn // 8 != passing // 8:
        return False
    after = (men & ~(1 << pawn) & ~(1 << passing)) | (1 << (passing + 8))
    return not attacked(placement, get(placement, SQUARE), after, passing)


def can_pass(placement: int, passing: int) -> bool:
    """Whether some pawn of the player to move may take the one on `passing` en passant."""
    men = occupied(placement)
    rest = placement >> KINGS.bits
    while rest:
        here, kind = get(rest, SQUARE), get(rest, KIND)
        if kind == PAWN and takes_passing(placement, men, here, passing):
            return True
        rest >>= MAN.bits
    return False


def marked(placement: int, passing: int) -> int:
    """The placement in which the other's pawn on `passing` may be taken en passant."""
    found = get(placement, KINGS)
    rest = placement >> KINGS.bits
    while rest:
        code = get(rest, MAN)
        if code == man(PAWN + THEIRS, passing):
            code = man(PASSING + THEIRS, passing)
        found = inserted(found, code)
        rest >>= MAN.bits
    return found


def image(placement: int, symmetry: int) -> int:
    """The placement after a symmetry of the board."""
    king, other = get(placement, SQUARE), get(get(placement, MAN, 1), SQUARE)
    found = kings(int(IMAGE[symmetry, king]), int(IMAGE[symmetry, other]))
    rest = placement >> KINGS.bits
    while rest:
        found = inserted(found, man(get(rest, KIND), int(IMAGE[symmetry, get(rest, SQUARE)])))
        rest >>= MAN.bits
    return found
