"""Sets of squares of a board as bits: cut out, mirrored, turned, split into what hangs together.

Bit row * columns + column is a square, row by row from the upper left one. Tables of single rows
make each step a few operations for any board whose rows are at most 16 squares long.
"""

from collections.abc import Iterator
from functools import cache

from perfectplay.errors import UsageError

LARGEST = 16
"""Rows and columns, at most."""


def refuse_odd_sizes(rows: int, columns: int) -> None:
    """UsageError if there is no board of this size."""
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UsageError(
            f"no board of {rows} x {columns} squares", f"use 1 to {LARGEST} rows and columns"
        )


@cache
def column(rows: int, columns: int, which: int) -> int:
    """All squares of one column; -1 is the last."""
    return sum(1 << (row * columns + which % columns) for row in range(rows))


@cache
def _backwards(columns: int) -> list[int]:
    """Every row of a length read backwards."""
    return [
        sum(1 << (columns - 1 - i) for i in range(columns) if row >> i & 1)
        for row in range(1 << columns)
    ]


@cache
def _upright(columns: int, rows: int) -> list[int]:
    """Every row of a length as the first column of a board whose rows are `rows` long."""
    return [
        sum(1 << (i * rows) for i in range(columns) if row >> i & 1) for row in range(1 << columns)
    ]


def mirrored(rows: int, columns: int, squares: int) -> int:
    """The squares seen in a mirror: each row backwards."""
    back, whole, image = _backwards(columns), (1 << columns) - 1, 0
    for at in range(0, rows * columns, columns):
        image |= back[(squares >> at) & whole] << at
    return image


def upside_down(rows: int, columns: int, squares: int) -> int:
    """The squares with the rows in reverse."""
    whole, image = (1 << columns) - 1, 0
    for _ in range(rows):
        image = (image << columns) | (squares & whole)
        squares >>= columns
    return image


def flipped(rows: int, columns: int, squares: int) -> int:
    """The squares with rows and columns exchanged, on a board of columns x rows."""
    upright, whole, image = _upright(columns, rows), (1 << columns) - 1, 0
    for row in range(rows):
        image |= upright[squares & whole] << row
        squares >>= columns
    return image


def connected(rows: int, columns: int, squares: int) -> Iterator[int]:
    """The squares in groups that hang together side by side."""
    last = column(rows, columns, -1)
    while squares:
        group = squares & -squares
        while True:
            wide = group | ((group & ~last) << 1) | ((group >> 1) & ~last)
            wide = (wide | (wide << columns) | (wide >> columns)) & squares
            if wide == group:
                break
            group = wide
        squares ^= group
        yield group


def touching(rows: int, columns: int, squares: int) -> int:
    """The squares and all that lie side by side with one of them."""
    last = column(rows, columns, -1)
    whole = (1 << (rows * columns)) - 1
    side = ((squares & ~last) << 1) | ((squares >> 1) & ~last)
    return (squares | side | (squares << columns) | (squares >> columns)) & whole


def box(rows: int, columns: int, squares: int) -> tuple[int, int, int, int]:
    """The first row and column, and how many of each, of the least rectangle around squares."""
    whole = (1 << columns) - 1
    top = ((squares & -squares).bit_length() - 1) // columns
    high = (squares.bit_length() - 1) // columns - top + 1
    shadow, rest = 0, squares >> (top * columns)
    while rest:
        shadow |= rest & whole
        rest >>= columns
    first = (shadow & -shadow).bit_length() - 1
    return top, first, high, shadow.bit_length() - first


def cut(columns: int, squares: int, where: tuple[int, int, int, int]) -> int:
    """The squares inside a rectangle, as a board of their own."""
    top, first, high, wide = where
    squares >>= top * columns + first
    if wide == columns:
        return squares & ((1 << (high * wide)) - 1)
    whole, image = (1 << wide) - 1, 0
    for row in range(high):
        image |= ((squares >> (row * columns)) & whole) << (row * wide)
    return image


def text(rows: int, columns: int, layers: tuple[int, ...], letters: str) -> str:
    """A board as rows of letters parted by /: a square of layer i shows letter i, others the last
    letter."""
    marks = [
        next((letters[i] for i, layer in enumerate(layers) if layer >> square & 1), letters[-1])
        for square in range(rows * columns)
    ]
    places = range(0, rows * columns, columns)
    return "/".join("".join(marks[at : at + columns]) for at in places)


def parse(s: str, letters: str) -> tuple[int, int, tuple[int, ...]]:
    """Rows, columns and layers of a board that `text` would write like this; ValueError if it is
    none."""
    lines = s.strip().split("/")
    rows, columns = len(lines), len(lines[0])
    if not 1 <= rows <= LARGEST or not 1 <= columns <= LARGEST:
        raise ValueError(f"{s!r}: a board has 1 to {LARGEST} rows and columns")
    whole = "".join(lines)
    if set(whole) - set(letters) or any(len(line) != columns for line in lines):
        marks = ", ".join(letters)
        raise ValueError(f"{s!r}: rows of equal length, made of {marks}, are parted by /")
    layers = tuple(
        sum(1 << i for i, mark in enumerate(whole) if mark == letter) for letter in letters[:-1]
    )
    return rows, columns, layers


def least(rows: int, columns: int, layers: tuple[int, ...]) -> tuple[int, ...]:
    """One of all eight mirrored and turned boards, always the same, as (rows, columns, *layers)
    with no more rows than columns."""
    if rows > columns:
        layers = tuple([flipped(rows, columns, layer) for layer in layers])
        rows, columns = columns, rows
    looks = _looks(rows, columns, layers)
    if rows == columns:
        looks += _looks(rows, columns, tuple([flipped(rows, columns, x) for x in layers]))
    packed = [sum(line << (i * columns) for i, line in enumerate(lines)) for lines in min(looks)]
    return rows, columns, *packed


def _looks(rows: int, columns: int, layers: tuple[int, ...]) -> list[list[list[int]]]:
    """A board, and what it looks like mirrored in both ways: for each layer its rows."""
    back, whole = _backwards(columns), (1 << columns) - 1
    places = range(0, rows * columns, columns)
    plain = [[(layer >> at) & whole for at in places] for layer in layers]
    across = [[back[line] for line in lines] for lines in plain]
    return [
        plain,
        across,
        [lines[::-1] for lines in plain],
        [lines[::-1] for lines in across],
    ]


def square_name(columns: int, square: int) -> str:
    """A square by the letter of its column and the number of its row from above: a1, b3."""
    return f"{chr(ord('a') + square % columns)}{square // columns + 1}"


def squares_in(bits: int) -> Iterator[int]:
    """The numbers of all squares of a set, lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
