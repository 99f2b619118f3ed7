"""Chess pieces on squares: what the rules of chess share, as tables and integer arithmetic.

A square is 8 * rank + file, a1 is 0 and h8 63. A man is a code of ten bits, 64 * kind + square;
kinds 1 to 7 are those of the player to move, who moves up the board; the other's are greater by 8.
`PASSING` is a pawn that has just made a double step and can be taken en passant.

A placement is one integer of codes side by side: in place 0 the king of the player to move, in
place 1 the other king, then all other men in ascending order. At most six men fit; bit 60 is free
for the rules. All functions of placements compile as they stand.
"""

from __future__ import annotations

import numpy as np

KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, PASSING = range(1, 8)
THEIRS = 8
LETTERS = ".KQRBNPP"
MOST = 6
"""Men that fit in a placement."""
CODES = (1 << (10 * MOST)) - 1

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


def _walks() -> np.ndarray:
    walks = np.full((6, 64, 28), -1, np.int16)
    for kind, directions in _DIRECTIONS.items():
        for square in range(64):
            steps: list[int] = []
            for direction in directions:
                ray = _ray(square, direction, kind)
                steps += [to + 64 * (len(steps) + len(ray)) for to in ray]
            walks[kind, square, : len(steps)] = steps
    return walks


def _reaches() -> tuple[np.ndarray, np.ndarray]:
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
"""By kind: what tells materials with the same number of men apart, when it is added up."""


def inserted(placement: int, code: int) -> int:
    """The placement with one more man, no king, in its order."""
    shift = 20
    while 0 < (placement >> shift) & 1023 < code:
        shift += 10
    low = placement & ((1 << shift) - 1)
    return low | (code << shift) | ((placement >> shift) << (shift + 10))


def occupied(placement: int) -> int:
    """The squares with men on them, as bits."""
    found = 0
    while placement:
        found |= 1 << (placement & 63)
        placement >>= 10
    return found


def attacked(placement: int, square: int, men: int, gone: int) -> bool:
    """Whether a man of the player who is not to move attacks a square, if all squares in `men` are
    taken; a man of his on square `gone` does not count."""
    rest = placement >> 10
    while rest:
        at, kind = rest & 63, (rest >> 6) & 15
        if (
            kind > THEIRS
            and (REACH[at, square] >> kind) & 1
            and not int(BETWEEN[at, square]) & men
            and at != gone
        ):
            return True
        rest >>= 10
    return False


def exposed(placement: int) -> bool:
    """Whether the player to move could take the other's king, which must not be."""
    men = occupied(placement)
    king = (placement >> 10) & 63
    rest = placement
    while rest:
        at, kind = rest & 63, (rest >> 6) & 15
        if kind < THEIRS and (REACH[at, king] >> kind) & 1 and not int(BETWEEN[at, king]) & men:
            return True
        rest >>= 10
    return False


def takes_passing(placement: int, men: int, at: int, passing: int) -> bool:
    """Whether the player to move may take the pawn that passed with a pawn of his on `at`."""
    if abs(at % 8 - passing % 8) != 1 or at // 8 != passing // 8:
        return False
    after = (men & ~(1 << at) & ~(1 << passing)) | (1 << (passing + 8))
    return not attacked(placement, placement & 63, after, passing)


def can_pass(placement: int, passing: int) -> bool:
    """Whether some pawn of the player to move may take the one on `passing` en passant."""
    men = occupied(placement)
    rest = placement >> 20
    while rest:
        if (rest >> 6) & 15 == PAWN and takes_passing(placement, men, rest & 63, passing):
            return True
        rest >>= 10
    return False


def marked(placement: int, passing: int) -> int:
    """The placement in which the other's pawn on `passing` may be taken en passant."""
    found = placement & 0xFFFFF
    rest = placement >> 20
    while rest:
        code = rest & 1023
        if code == 64 * (PAWN + THEIRS) + passing:
            code += 64
        found = inserted(found, code)
        rest >>= 10
    return found


def image(placement: int, symmetry: int) -> int:
    """The placement after a symmetry of the board."""
    kings = placement & 0xFFFFF
    found = (kings & ~0xFC3F) | int(IMAGE[symmetry, kings & 63])
    found |= int(IMAGE[symmetry, (kings >> 10) & 63]) << 10
    rest = placement >> 20
    while rest:
        found = inserted(found, (rest & 0x3C0) | int(IMAGE[symmetry, rest & 63]))
        rest >>= 10
    return found
