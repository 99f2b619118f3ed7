"""Common factors: what all values of a stratum share with their denominator is divided out."""

from collections.abc import Callable
from functools import partial
from math import gcd
from typing import Any

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.threads import Pool
from perfectplay.solvers.exact.multiword import common_of_words, divide_words, extremes, gcd_of
from perfectplay.solvers.store import joined_words

SLICE = 1 << 20
"""Values that a thread looks at."""


def settle(top: Array, bottom: int, total: int) -> int:
    """What is left of the denominator when the factors it shares with all values of a stratum are
    divided out of both."""
    few = gcd(total ** max(1, 30 // max(total.bit_length(), 1)), bottom)
    one = top.shape[1] == 1
    while bottom > 1:
        common = gcd(*each_of(top, partial(_shared, bottom if one else gcd(few, bottom))))
        if common == 1:
            break
        each_of(top, partial(_divided, common))
        bottom //= common
    return bottom


def _shared(common: int, top: Array) -> int:
    return int(_common(top[:, 0], common) if top.shape[1] == 1 else common_of_words(top, common))


def _divided(by: int, top: Array) -> None:
    (_divide if top.shape[1] == 1 else divide_words)(top, by)


def largest(top: Array) -> int:
    """The largest value in size."""
    found = each_of(top, lambda part: [abs(x) for x in joined_words(extremes(part))])
    return max((x for each in found for x in each), default=0)


def each_of(top: Array, task: Callable[[Array], Any]) -> list[Any]:
    """What a task says of parts of some values, several at a time if there are many."""
    parts = [top[i : i + SLICE] for i in range(0, len(top), SLICE)]
    if len(parts) < 2:
        return [task(part) for part in parts]
    with Pool.shared() as pool:
        return list(pool.map(task, parts))


@kernel
def _common(top: Ints, common: int) -> int:
    """The greatest common divisor of a number and all values."""
    for x in top:
        if x % common != 0:
            common = gcd_of(common, x % common)
            if common == 1:
                break
    return common


@kernel
def _divide(top: Ints, by: int) -> None:
    for i in range(len(top)):
        top[i, 0] = top[i, 0] // by
