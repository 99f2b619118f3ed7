"""Groups of rows that were decoded: the rows of a stratum, and in them the row of a key."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from perfectplay.table.parquet import key_names
from perfectplay.table.part_rows import Columns


def values_of(columns: Columns, width: int) -> list[tuple[str, Callable[[int], Any]]]:
    """The columns of values by name, each as what gives a row as a plain Python number or text."""
    named = {"stratum", *key_names(width)}
    return [
        (name, column.item if isinstance(column, np.ndarray) else column.__getitem__)
        for name, column in columns.items()
        if name not in named
    ]


class DecodedGroup:
    """A group of rows that was decoded, ready to be searched."""

    def __init__(self, columns: Columns, width: int) -> None:
        self.columns = columns
        self.words = [columns[name] for name in key_names(width)]
        self.values = values_of(columns, width)
        numbers = columns.get("stratum", ())
        self.spans = {
            int(numbers[low]): (low, high) for low, high in pairwise(cuts(numbers)) if low < high
        }
        """The rows of each stratum."""


def search(words: Sequence[Any], low: int, high: int, key: Sequence[Any]) -> int:
    """The row among low … high - 1 that has `key`, or -1. `words`: the columns of keys, in which
    no two rows are the same."""
    for column, word in zip(words[:-1], key, strict=False):
        first, end = _within(column[low:high], word)
        low, high = low + first, low + end
    column, word = words[-1], key[-1]
    if isinstance(column, np.ndarray):
        low += int(column[low:high].searchsorted(word))
    else:
        low = bisect_left(column, word, low, high)
    return low if low < high and column[low] == word else -1


def _within(column: Any, word: Any) -> tuple[int, int]:
    """The rows of a sorted column that hold `word`: the first of them, and the one behind."""
    return int(column.searchsorted(word, "left")), int(column.searchsorted(word, "right"))


def cuts(numbers: Any) -> list[int]:
    """The rows where another stratum begins, and the end."""
    return [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]


def size(columns: Columns) -> int:
    """The bytes that columns take in memory, about."""
    return sum(
        column.nbytes
        if isinstance(column, np.ndarray)
        else 60 * len(column) + sum(map(len, column))
        for column in columns.values()
    )
