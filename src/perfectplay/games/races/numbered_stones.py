"""Boards on which two players have numbered stones: as rows of signs, and drawn.

A stone of player 0 is shown by its number, one of player 1 by a letter; `.` is an empty cell. In
drawings player 0 has discs, player 1 squares."""

from collections.abc import Sequence

from perfectplay.drawing import svg

LETTERS = "abcdefghi"
NUMBERS = "123456789"


def corner_cells(rows: int, columns: int, stones: int) -> tuple[int, ...]:
    """The cells nearest to the upper left corner, numbered row by row: along the edges first, but
    four are a square."""
    square = [(0, 0), (0, 1), (1, 0), (1, 1)]
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    cells.sort(key=lambda cell: (sum(cell), -abs(cell[0] - cell[1]), cell))
    if stones == len(square) and rows > 1 and columns > 1:
        cells = square
    return tuple(sorted(r * columns + c for r, c in cells[:stones]))


def signs(rows: int, columns: int, places: Sequence[Sequence[int]]) -> list[str]:
    """Rows of signs. places[player][k] is the cell of stone k + 1, row by row, or -1."""
    board = ["."] * (rows * columns)
    for names, cells in zip((NUMBERS, LETTERS), places, strict=True):
        for name, cell in zip(names, cells, strict=False):
            if cell >= 0:
                board[cell] = name
    return ["".join(board[r * columns : (r + 1) * columns]) for r in range(rows)]


def places_in(board: Sequence[str], columns: int, stones: int) -> list[list[int]]:
    """The places that `signs` wrote as `board`; ValueError if it did not."""
    found = [[-1] * stones for _ in range(2)]
    if any(len(row) != columns for row in board):
        raise ValueError(f"a row of the board does not have {columns} cells")
    for cell, sign in enumerate("".join(board)):
        if sign == ".":
            continue
        player = int(sign in LETTERS)
        stone = (LETTERS if player else NUMBERS).find(sign)
        if not 0 <= stone < stones or found[player][stone] >= 0:
            raise ValueError(f"there is no stone {sign}, or there are two of them")
        found[player][stone] = cell
    return found


def drawn(board: Sequence[str], words: str = "") -> str:
    """A board as an SVG drawing, with words below it."""
    size, rows, columns = svg.CELL, len(board), len(board[0])
    parts = [svg.grid(columns, rows)]
    for row, line in enumerate(board):
        for column, sign in enumerate(line):
            x, y = (column + 0.5) * size, (row + 0.5) * size
            if sign in LETTERS:
                side = 0.7 * size
                colour = svg.COLOURS[1]
                parts.append(svg.box(x - side / 2, y - side / 2, side, side, colour))
            elif sign != ".":
                parts.append(svg.circle(x, y, 0.38 * size, svg.COLOURS[0]))
            if sign != ".":
                number = LETTERS.find(sign) + 1 or sign
                parts.append(svg.text(x, y, number, 0.45 * size, svg.FIELD))
    if not words:
        return svg.svg(columns * size, rows * size, parts)
    parts.append(svg.note(0, rows * size + 16, words))
    return svg.svg(max(columns * size, 130), rows * size + 26, parts)
