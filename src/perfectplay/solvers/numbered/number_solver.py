"""Passes over strata of rules that know moves from number to number (`NumberMoves`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.compiled.rule_kernels import UNCHECKED, rules_kernel
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.solvers.numbered import number_passes
from perfectplay.solvers.numbered.codes import DEEP, FIRST
from perfectplay.solvers.numbered.passes import AllValues, Place


class NumberPasses:
    """What is done to a range of numbers in one pass; `most` is how many numbers a position's
    moves give at most."""

    def __init__(
        self, numbering: Numbering, most: int, refuse: Callable[[Place, int, int], None]
    ) -> None:
        self._numbering, self._game = numbering, numbering.game
        self._most, self._refuse = most, refuse
        self._watch = np.empty(0, np.uint16)
        self.second = False
        """Whether the second player is on turn somewhere in the stratum."""

    def begin(self, size: int) -> None:
        """Forget the last stratum."""
        self.second = False
        if len(self._watch) < size:
            self._watch = np.empty(0, np.uint16)
            self._watch = np.zeros(size, np.uint16)
        else:
            self._watch[:size] = 0

    def passed(self, values: AllValues, place: Place, begin: int, end: int) -> int:
        """Do one pass over numbers begin … end - 1: the largest code that was written, -1 if some
        depth has none."""
        called = self._numbering.rules.called
        if place.mode == FIRST:
            pay = np.zeros((1, 16), np.int64)
            found = called(self._first, self._game, values, place, begin, end, pay)
            self.second |= bool(pay[0, 1])
        else:
            most = self._most
            sizes = number_passes.AT_ONCE + most, number_passes.AT_ONCE + most, most
            room = tuple(np.empty(size, np.int64) for size in sizes)
            wanted = values.value.dtype.type(place.code)
            found = called(
                self._back, self._game, values, place, begin, end, wanted, self._watch, room
            )
        highest, wrong, where = found
        if wrong == DEEP:
            return -1
        self._refuse(place, wrong, where)
        return int(highest)

    @cached_property
    def _first(self) -> Any:
        return rules_kernel(number_passes.first, self._game)

    @cached_property
    def _back(self) -> Any:
        return rules_kernel(number_passes.back, self._game, UNCHECKED)
