"""A board from a text. Rows of characters, `XO./.X./..O`, or words, `8 7 6 / 5 4 3 / 2 1 .`, are
drawn as cells, so that a first game looks like a board before anybody writes a picture."""

from perfectplay.drawing import svg

_EMPTY = frozenset("._-·0 ")
_LARGEST = 30
"""Rows and columns of the largest board."""
Rows = list[list[str]]


def text_picture(words: str) -> str:
    """A position's text as a picture: a board if there are rows in it, else the words."""
    rows, before, after = _found(words)
    if not rows:
        return svg.plain_picture(words)
    cell = svg.CELL
    parts = [svg.grid(len(rows[0]), len(rows))]
    for i, row in enumerate(rows):
        for j, mark in enumerate(row):
            parts.append(_cell(mark, cell * j, cell * i))
    high = cell * len(rows)
    notes = [line for line in (before, after) if line]
    for i, line in enumerate(notes):
        parts.append(svg.note(0, high + 18 + 20 * i, line))
    wide = max(cell * len(rows[0]), *(8.0 * len(line) for line in notes), 1)
    return svg.svg(wide, high + 20 * len(notes) + (8 if notes else 0), parts)


def rows_of(words: str) -> Rows:
    """The rows of the one board in a text; none if there is no board, or more than one."""
    rows, before, after = _found(words)
    return [] if _found(before)[0] or _found(after)[0] else rows


def _found(words: str) -> tuple[Rows, str, str]:
    """The rows in a text, and the words before and behind them; no rows if there are none."""
    rows = _cut(words.strip("\n").split("\n"))
    if rows:
        return rows, "", ""
    rows = _cut([part.strip() for part in words.split(" / ")])
    if rows:
        return rows, "", ""
    tokens = words.split(" ")
    for number, token in enumerate(tokens):
        rows = _cut(token.split("/"))
        if rows:
            return rows, " ".join(tokens[:number]), " ".join(tokens[number + 1 :])
    return [], "", ""


def _cut(lines: list[str]) -> Rows:
    """Lines as rows of cells, if there are several of one length."""
    if not 2 <= len(lines) <= _LARGEST:
        return []
    rows = [line.split() if " " in line.strip() else list(line) for line in lines]
    wide = len(rows[0])
    fits = 2 <= wide <= _LARGEST and all(len(row) == wide for row in rows)
    return rows if fits and all(len(mark) <= 4 for row in rows for mark in row) else []


def _cell(mark: str, x: float, y: float) -> str:
    """What stands in a cell: crosses and noughts as such, other marks as they are written."""
    half = svg.CELL / 2
    if mark in _EMPTY:
        return ""
    if mark in ("X", "x"):
        return svg.cross(x + half, y + half, 0.3 * svg.CELL)
    if mark in ("O", "o"):
        return svg.nought(x + half, y + half, 0.3 * svg.CELL)
    if mark == "#":
        return svg.box(x + 4, y + 4, svg.CELL - 8, svg.CELL - 8, svg.INK, svg.INK)
    return svg.text(x + half, y + half, mark, 20 if len(mark) < 3 else 13)
