"""Numbers of two words: how rows of int64 hold them.

Every bound of a compiled search is a pair of int64, which takes two neighbouring columns of a row:
a fraction (fractions64.py) or, in searches by turns, a number of 128 bits (turns/fixed_point.py).
"""

from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import kernel

Pair = tuple[Any, Any]
"""Two int64."""


@kernel
def pair_at(rows: Ints, row: int, column: int) -> Pair:
    """The number in two columns of a row."""
    return rows[row, column], rows[row, column + 1]


@kernel
def put_pair(rows: Ints, row: int, column: int, number: Pair) -> None:
    """Write a number to two columns of a row."""
    rows[row, column], rows[row, column + 1] = number
