"""Mixed radix: tuples whose entries have limits, as numbers; also in compiled rules."""

from __future__ import annotations

from collections.abc import Sequence


def rank_mixed(digits: Sequence[int], limits: Sequence[int]) -> int:
    """The number of a tuple whose entry k lies in 0 … limits[k] - 1; the last changes fastest."""
    rank = 0
    for k in range(len(limits)):
        if not 0 <= digits[k] < limits[k]:
            return -1
        rank = rank * limits[k] + digits[k]
    return rank


def digit(i: int, limits: Sequence[int], k: int) -> int:
    """Entry k of the tuple that has number i."""
    for j in range(len(limits) - 1, k, -1):
        i //= limits[j]
    return i % limits[k]


def nth_mixed(i: int, limits: tuple[int, ...]) -> tuple[int, ...]:
    """The tuple that has number i."""
    return tuple(digit(i, limits, k) for k in range(len(limits)))
