"""Chess positions as text (FEN, the words of SAN) and as drawings. Nothing here is compiled."""

import re
from collections.abc import Iterator
from functools import cache

from perfectplay.drawing import chessmen, svg
from perfectplay.games.chess.board import (
    KIND,
    KINGS,
    LETTERS,
    MAN,
    MOST,
    PAWN,
    SQUARE,
    THEIRS,
    attacked,
    can_pass,
    exposed,
    inserted,
    man,
    marked,
    occupied,
)
from perfectplay.games.chess.board import kings as both_kings
from perfectplay.rules.packing import get


def men_of(placement: int) -> Iterator[tuple[int, int]]:
    """Yield (kind, square) of every man, in the order of places."""
    while placement:
        yield get(placement, KIND), get(placement, SQUARE)
        placement >>= MAN.bits


def name(square: int) -> str:
    """A square as a letter and a digit."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def written(men: dict[int, str]) -> str:
    """The piece placement field of a FEN, from letters by square."""
    rows = []
    for rank in range(7, -1, -1):
        row, gap = "", 0
        for file in range(8):
            letter = men.get(8 * rank + file)
            if letter is None:
                gap += 1
            else:
                row += (str(gap) if gap else "") + letter
                gap = 0
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)


def read_fen(s: str, example: str) -> tuple[dict[int, str], int, str]:
    """Letters by square, 56 if Black is to move (else 0), and where a pawn may be taken en passant
    (or -), from a FEN; ValueError if it is none."""
    words = s.replace("_", " ").split()  # as in addresses, where blanks are awkward
    if len(words) not in (2, 4, 5, 6) or words[1] not in ("w", "b"):
        raise ValueError(f"{s!r}: a position is written as in {example!r}")
    if words[2:] and words[2] != "-":
        raise ValueError(f"castling is not part of endings: write - instead of {words[2]!r}")
    return read(words[0]), 56 if words[1] == "b" else 0, words[3] if words[3:] else "-"


def fen(men: dict[int, str], black: int, passed: str) -> str:
    """The FEN of letters by square."""
    return f"{written(men)} {'wb'[black]} - {passed} 0 1"


def read(field: str) -> dict[int, str]:
    """Letters by square, from the piece placement field of a FEN; ValueError if it is none."""
    rows = field.split("/")
    if len(rows) != 8:
        raise ValueError(f"{field!r} has {len(rows)} rows instead of 8, separated by '/'")
    men: dict[int, str] = {}
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            elif letter in "KQRBNPkqrbnp":
                men[8 * rank + file] = letter
                file += 1
            else:
                raise ValueError(f"{letter!r} in row {row!r} is no piece: KQRBNP or kqrbnp")
        if file != 8:
            raise ValueError(f"row {row!r} has {file} squares instead of 8")
    return men


def placed(men: dict[int, str], flip: int) -> int:
    """The placement of letters by square, seen by White (`flip` 0) or Black (56); ValueError if
    it is not legal."""
    kings = [[at for at, letter in men.items() if letter == king] for king in "Kk"]
    if [len(each) for each in kings] != [1, 1]:
        raise ValueError("there must be one white and one black king")
    if len(men) > MOST:
        raise ValueError(f"{len(men)} men are more than {MOST}")
    if any(letter in "Pp" and not 8 <= at < 56 for at, letter in men.items()):
        raise ValueError("a pawn cannot stand on the first or the last row")
    mine, other = kings if not flip else kings[::-1]
    p = both_kings(mine[0] ^ flip, other[0] ^ flip)
    for at, letter in men.items():
        if letter not in "Kk":
            kind = LETTERS.index(letter.upper())
            own = letter.isupper() == (flip == 0)
            p = inserted(p, man(kind if own else kind + THEIRS, at ^ flip))
    if exposed(p):
        raise ValueError("the side that is not to move is in check")
    return p


def which(at: int, same: list[int], flip: int) -> str:
    """What distinguishes a piece from others of its kind that could make the same step."""
    if not same:
        return ""
    square = name(at ^ flip)
    if all(other % 8 != at % 8 for other in same):
        return square[0]
    return square[1] if all(other // 8 != at // 8 for other in same) else square


def passed(placement: int, square: str, flip: int) -> int:
    """The placement with the right to take en passant on a square, if a capture can be made;
    ValueError if no pawn can just have passed there. `flip` is 56 if Black is to move."""
    men = {at: kind for kind, at in men_of(placement)}
    pawn = -1
    if re.fullmatch("[a-h][36]", square):
        pawn = (("abcdefgh".index(square[0]) + 8 * int(square[1]) - 8) ^ flip) - 8
    free = pawn + 8 not in men and pawn + 16 not in men
    if pawn // 8 != 4 or men.get(pawn) != PAWN + THEIRS or not free:
        raise ValueError(f"no pawn can just have passed {square}")
    before = get(placement, KINGS)
    for kind, at in list(men_of(placement))[2:]:
        before = inserted(before, man(kind, pawn + 16 if at == pawn else at))
    if attacked(before, get(before, SQUARE), occupied(before), -1):
        raise ValueError(f"no pawn can just have passed {square}: the king was in check before")
    return marked(placement, pawn) if can_pass(placement, pawn) else placement


def picture(men: dict[int, str], mover: str) -> str:
    """A drawing of letters by square, and of who is to move."""
    cell, (squares, borders) = svg.CELL, _empty_board()
    parts = list(squares)
    for square, letter in men.items():
        x, y = cell * (square % 8), cell * (7 - square // 8)
        parts[square] += chessmen.man(x, y, cell, letter)
    note = svg.note(0, 8 * cell + 28, f"{mover} to move")
    return svg.svg(8 * cell, 8 * cell + 34, [*parts, borders, note])


@cache
def _empty_board() -> tuple[list[str], str]:
    """A drawing of every square, and of the letters and digits beside the board."""
    cell, squares, borders = svg.CELL, [], []
    for square in range(64):
        x, y = cell * (square % 8), cell * (7 - square // 8)
        dark = (square % 8 + square // 8) % 2 == 0
        squares.append(svg.box(x, y, cell, cell, svg.SHADE if dark else svg.FIELD))
    for i in range(8):
        borders.append(svg.text(cell * (i + 0.5), 8 * cell + 8, "abcdefgh"[i], 10, svg.FAINT))
        borders.append(svg.text(-7, cell * (7.5 - i), i + 1, 10, svg.FAINT))
    return squares, "".join(borders)
