"""The rules of chess written once more, as plainly as possible: letters on a board of 8 x 8.

A position is (men, white to move, square that may be captured on en passant or None); men are
letters by (file, rank). Slow, and shares nothing with the package."""

from __future__ import annotations

from collections.abc import Iterator

Square = tuple[int, int]
Position = tuple[dict[Square, str], bool, Square | None]

STRAIGHT = [(1, 0), (0, 1), (-1, 0), (0, -1)]
OBLIQUE = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
LEAPS = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
WAYS = {"r": STRAIGHT, "b": OBLIQUE, "q": STRAIGHT + OBLIQUE, "k": STRAIGHT + OBLIQUE, "n": LEAPS}


def read(fen: str) -> Position:
    """The position of a FEN."""
    placement, turn, _, passing = fen.split()[:4]
    men: dict[Square, str] = {}
    for rank, row in enumerate(reversed(placement.split("/"))):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                men[file, rank] = letter
                file += 1
    square = None if passing == "-" else ("abcdefgh".index(passing[0]), int(passing[1]) - 1)
    return men, turn == "w", square


def write(position: Position) -> str:
    """The first four fields of the FEN; en passant only if a capture is legal."""
    men, white, passing = position
    rows = []
    for rank in range(7, -1, -1):
        row = "".join(men.get((file, rank), ".") for file in range(8))
        for gap in range(8, 0, -1):
            row = row.replace("." * gap, str(gap))
        rows.append(row)
    field = "-"
    if passing is not None and any(
        men[at].lower() == "p" and to == passing for at, to, _ in legal(position)
    ):
        field = f"{'abcdefgh'[passing[0]]}{passing[1] + 1}"
    return f"{'/'.join(rows)} {'w' if white else 'b'} - {field}"


def inside(square: Square) -> bool:
    return 0 <= square[0] < 8 and 0 <= square[1] < 8


def attacks(men: dict[Square, str], at: Square) -> Iterator[Square]:
    """The squares that the man on `at` attacks."""
    letter = men[at]
    if letter.lower() == "p":
        ahead = 1 if letter == "P" else -1
        yield from filter(inside, [(at[0] - 1, at[1] + ahead), (at[0] + 1, at[1] + ahead)])
        return
    for x, y in WAYS[letter.lower()]:
        to = (at[0] + x, at[1] + y)
        while inside(to):
            yield to
            if to in men or letter.lower() in "kn":
                break
            to = (to[0] + x, to[1] + y)


def in_check(men: dict[Square, str], white: bool) -> bool:
    king = next(at for at, letter in men.items() if letter == ("K" if white else "k"))
    return any(king in attacks(men, at) for at, letter in men.items() if letter.isupper() != white)


def played(position: Position, at: Square, to: Square, becomes: str) -> Position:
    """The position after a move."""
    men, white, passing = dict(position[0]), position[1], position[2]
    pawn = men[at].lower() == "p"
    if pawn and to == passing:
        del men[to[0], at[1]]
    del men[at]
    men[to] = becomes
    double = pawn and abs(to[1] - at[1]) == 2
    return men, not white, (at[0], (at[1] + to[1]) // 2) if double else None


def legal(position: Position) -> Iterator[tuple[Square, Square, str]]:
    """All legal moves: from, to, and the letter of the man after the move."""
    men, white, passing = position
    for at, letter in list(men.items()):
        if letter.isupper() != white:
            continue
        goals = [to for to in attacks(men, at) if to not in men or men[to].isupper() != white]
        if letter.lower() == "p":
            goals = [to for to in goals if to in men or to == passing]
            ahead, first = (1, 1) if white else (-1, 6)
            if (at[0], at[1] + ahead) not in men:
                goals.append((at[0], at[1] + ahead))
                if at[1] == first and (at[0], at[1] + 2 * ahead) not in men:
                    goals.append((at[0], at[1] + 2 * ahead))
        for to in goals:
            letters = [letter]
            if letter.lower() == "p" and to[1] in (0, 7):
                letters = list("QRBN" if white else "qrbn")
            for becomes in letters:
                if not in_check(played(position, at, to, becomes)[0], white):
                    yield at, to, becomes
