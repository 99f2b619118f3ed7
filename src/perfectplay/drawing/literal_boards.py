"""Positions that rules leave to Python to write, `'XO./.../...'`, `('XO.', '...', '...')` or
`((1, 2, 0), (0, 0, 0), (0, 0, 0))`, as texts with rows: what a first game looks like before it has
a `text`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

LONGEST = 2_000
"""Characters of the longest text that is read."""
_ROW = re.compile(r"[.A-Zxo#_\d -]{2,30}")
"""A row as a text: marks are capitals, x, o, # and digits, so that two words are no board."""
_EMPTY = (0, None, "", " ")
_FEWEST = 3
"""Columns of the smallest board of numbers: pairs are mostly places, not rows."""


def written(words: str) -> str:
    """What a position that Python has written says, with a board in it as rows, `XO./.../...`, and
    the rest as words; other texts as they are."""
    if len(words) > LONGEST or words[:1] not in ("'", '"', "(", "["):
        return words
    try:
        value = ast.literal_eval(words)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return words
    if isinstance(value, str):
        return value.replace("\n", "/")
    whole = _rows(value)
    if whole:
        return whole
    if isinstance(value, tuple | list) and value:
        return _parts(words, value)
    return words


def _parts(words: str, value: Sequence[Any]) -> str:
    """The board among other things, and these; texts alone are joined, all else stays as it is."""
    texts = [_rows(each) or str(each).replace("\n", "/") for each in value]
    boards = [text for text in texts if "/" in text and " " not in text]
    if len(boards) == 1:
        return " ".join(texts)
    plain = all(isinstance(each, str | int) for each in value)
    return ", ".join(texts) if plain and any(isinstance(each, str) for each in value) else words


def _rows(value: Any) -> str:
    """A board as one text; nothing if it is none."""
    if not isinstance(value, tuple | list) or len(value) < 2:
        return ""
    if all(isinstance(row, str) for row in value):
        alike = len({len(row) for row in value}) == 1 and all(map(_ROW.fullmatch, value))
        return "/".join(value).replace(" ", ".") if alike else ""
    if not all(isinstance(row, tuple | list) for row in value):
        return ""
    marks = [[_mark(cell) for cell in row] for row in value]
    wide = len(marks[0])
    if wide < _FEWEST or any(len(row) != wide or "?" in row for row in marks):
        return ""
    if all(len(mark) == 1 for row in marks for mark in row):
        return "/".join("".join(row) for row in marks)
    return " / ".join(" ".join(row) for row in marks)


def _mark(cell: Any) -> str:
    """What stands in a cell; a question mark if it is no cell."""
    if cell in _EMPTY and not isinstance(cell, bool):
        return "."
    plain = isinstance(cell, int | str) and not isinstance(cell, bool) and " " not in str(cell)
    return str(cell) if plain and 1 <= len(str(cell)) <= 4 else "?"
