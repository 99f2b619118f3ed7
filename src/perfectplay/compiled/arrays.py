"""Arrays: their types, and small functions of them that every room uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def distinct(array: Array) -> Array:
    """The different numbers in a flat array, ascending: what `np.unique` gives, but that imports
    `numpy.ma`, fifty milliseconds."""
    if not len(array):
        return array.copy()
    ordered = np.sort(array)
    keep = np.empty(len(ordered), np.bool_)
    keep[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=keep[1:])
    return ordered[keep]


def mask(array: Array, edges: int) -> int:
    """Such that array[e & mask] is right for arrays of length `edges` and of length 1."""
    return -1 if len(array) == edges else 0
