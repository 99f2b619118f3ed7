"""Arrays: the types that kernels take, and small functions that every room uses.

An alias says what the elements are, not how many axes there are; docstrings say the shape, as in
int64[n, 2]. Kernels are compiled for whatever they are called with.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Numbers of any type."""
Bools = NDArray[np.bool_]
Kinds = NDArray[np.int8]
"""Who moves: a player, CHANCE or OVER."""
Bytes = NDArray[np.uint8]
"""Small flags: swaps, anchors, marks."""
Ids = NDArray[np.uint32]
"""Numbers of positions."""
Int32s = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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
