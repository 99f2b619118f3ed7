"""A board from a text. Rows of characters, `XO./.X./..O`, or words, `8 7 6 / 5 4 3 / 2 1 .`, are
drawn as cells, and so is one row of marks and dots, `..X.O`: a first game looks like a board
before anybody writes a picture. A row that is full, `XOXOO`, is a board if the first position of
the game is one of that length."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.drawing.literal_boards import written

_EMPTY = frozenset("._-·0 ")
_SIDES = {"1": 0, "-1": 1}
"""Numbers that stand for the stones of two sides, where a board has nothing else."""
_LARGEST = 30
"""Rows and columns of the largest board."""
_ONE_ROW = re.compile(r"[.A-Zxo#]{3,30}")
"""One row, if there is a dot in it: marks are capitals, x, o and #, so that no word is a board."""
First = Callable[[], str]
"""Gives the text of the first position of a game; `str`: there is none."""
Rows = list[list[str]]


@dataclass(frozen=True)
class TextBoards:
    """Boards found in a text, one or several of the same size (the layers of a cube), and the
    words around them."""

    boards: tuple[Rows, ...]
    before: str
    after: str

    @property
    def wide(self) -> int:
        """Columns of a board."""
        return len(self.boards[0][0])

    @property
    def high(self) -> int:
        """Rows of a board."""
        return len(self.boards[0])

    @property
    def notes(self) -> list[str]:
        """The words around the boards that say something."""
        return [line for line in (self.before, self.after) if line]


def text_picture(words: str, first: First = str) -> str:
    """A position's text as a picture: boards if there are rows in it, else the words."""
    found = boards_in(words, first)
    if found is None:
        return svg.plain_picture(words)
    cell = svg.CELL
    step = cell * (found.wide + 0.5)
    parts: list[str] = []
    marks = {mark for rows in found.boards for row in rows for mark in row} - _EMPTY
    sides = _SIDES if "-1" in marks <= _SIDES.keys() else {}
    for number, rows in enumerate(found.boards):
        parts.append(_shifted(svg.grid(found.wide, found.high), step * number))
        for i, row in enumerate(rows):
            parts += [
                _cell(mark, step * number + cell * j, cell * i, sides.get(mark))
                for j, mark in enumerate(row)
            ]
    high = cell * found.high
    for i, line in enumerate(found.notes):
        parts.append(svg.note(0, high + 18 + 20 * i, line))
    across = step * len(found.boards) - 0.5 * cell
    wide = max(across, *(8.0 * len(line) for line in found.notes), 1)
    return svg.svg(wide, high + 20 * len(found.notes) + (8 if found.notes else 0), parts)


def _shifted(drawn: str, x: float) -> str:
    return f'<g transform="translate({x:g} 0)">{drawn}</g>' if x else drawn


def text_board(
    words: str, columns: Sequence[str] = (), rows: Sequence[str] = (), first: First = str
) -> tuple[str, ...]:
    """A position's text as the lines of a board, and the words around it; nothing if there are no
    rows in it. Names of `columns` are written below the board, those of `rows` beside it."""
    found = boards_in(words, first)
    if found is None:
        return ()
    marks = [*columns, *(mark for board in found.boards for row in board for mark in row)]
    size = max(map(len, marks))
    margin = max(map(len, rows), default=0)
    sides = [f"{name:>{margin}}  " for name in rows] or [""] * found.high
    lines = [
        side + "   ".join(_spread(board[i], size) for board in found.boards)
        for i, side in enumerate(sides)
    ]
    if columns:
        below = "   ".join([_spread(columns, size)] * len(found.boards))
        lines.append(" " * len(sides[0]) + below)
    return (*lines, *found.notes)


def _spread(marks: Sequence[str], size: int) -> str:
    return " ".join(mark.rjust(size) for mark in marks)


def boards_in(words: str, first: First = str) -> TextBoards | None:
    """The boards in a text; None if there are no rows in it. Of what Python writes, such as
    `('XO./.../...', 1)`, the board is drawn and the rest are words."""
    words = written(words)
    for lines in (words.strip("\n").split("\n"), [part.strip() for part in words.split(" / ")]):
        rows = _cut(lines)
        if rows:
            return TextBoards((rows,), "", "")
    row = words.strip()
    if _ONE_ROW.fullmatch(row) and ("." in row or _is_row(written(first()).strip(), len(row))):
        return TextBoards(([list(row)],), "", "")
    tokens = words.split(" ")
    cut = [_cut(token.rstrip(",;:").split("/")) for token in tokens]
    begin = next((number for number, rows in enumerate(cut) if rows), None)
    if begin is None:
        return None
    last = begin
    while last + 1 < len(cut) and _alike(cut[last], cut[last + 1], tokens[last]):
        last += 1
    return TextBoards(
        tuple(cut[begin : last + 1]), " ".join(tokens[:begin]), " ".join(tokens[last + 1 :])
    )


def _is_row(words: str, wide: int) -> bool:
    """Whether a text is one row of marks and dots of this length."""
    return "." in words and len(words) == wide and _ONE_ROW.fullmatch(words) is not None


def rows_of(words: str) -> Rows:
    """The rows of the one board in a text; none if there is no board, or more than one."""
    found = boards_in(words)
    if found is None or len(found.boards) > 1:
        return []
    return [] if boards_in(found.before) or boards_in(found.after) else found.boards[0]


def _alike(rows: Rows, others: Rows, token: str) -> bool:
    """Whether what follows a board is another one of its size, in the same list."""
    same = bool(others) and len(rows) == len(others) and len(rows[0]) == len(others[0])
    return same and not token.endswith((",", ";", ":"))


def _cut(lines: list[str]) -> Rows:
    """Lines as rows of cells, if there are several of one length."""
    if not 2 <= len(lines) <= _LARGEST:
        return []
    lines = _runs(lines)
    rows = [line.split() if " " in line.strip() else list(line) for line in lines]
    wide = len(rows[0])
    fits = 2 <= wide <= _LARGEST and all(len(row) == wide for row in rows)
    return rows if fits and all(len(mark) <= 4 for row in rows for mark in row) else []


def _runs(lines: list[str]) -> list[str]:
    """Lines of a FEN, `k7/8/1K6`, with each number as so many empty cells; others as they are."""
    joined = "".join(lines)
    plain = joined.isascii() and joined.isalnum() and not joined.isdigit()
    if not plain or len({len(line) for line in lines}) == 1:
        return lines
    whole = ["".join("." * int(c) if c.isdigit() else c for c in line) for line in lines]
    return whole if len({len(line) for line in whole}) == 1 else lines


def _cell(mark: str, x: float, y: float, side: int | None = None) -> str:
    """What stands in a cell: a stone if it belongs to a side, crosses and noughts as such, other
    marks as they are written."""
    half = svg.CELL / 2
    if side is not None:
        return svg.stone(x + half, y + half, 0.34 * svg.CELL, side)
    if mark in _EMPTY:
        return ""
    if mark in ("X", "x"):
        return svg.cross(x + half, y + half, 0.3 * svg.CELL)
    if mark in ("O", "o"):
        return svg.nought(x + half, y + half, 0.3 * svg.CELL)
    if mark == "#":
        return svg.box(x + 4, y + 4, svg.CELL - 8, svg.CELL - 8, svg.INK, svg.INK)
    return svg.text(x + half, y + half, mark, 20 if len(mark) < 3 else 13)
