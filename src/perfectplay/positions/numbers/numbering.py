"""Numbering: the numbers of a game's positions, stratum by stratum, for rules that are `Indexed`.

Numbers are checked where they are used: one that is out of range is an error of the rules, with
the position that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.explained import failing
from perfectplay.positions.failures import shown
from perfectplay.rules.capabilities import indexed
from perfectplay.rules.game import Game
from perfectplay.rules.number_capabilities import Indexed

AT_ONCE = 1 << 16
"""Numbers that are looked at together."""


class Numbering:
    """Strata, their sizes, and the way from positions to numbers and back."""

    def __init__(self, game: Game) -> None:
        rules = indexed(game)
        assert rules is not None
        self.game: Any = game
        self._rules: Indexed = rules

    @cached_property
    def sizes(self) -> dict[int, int]:
        """How many numbers each stratum has, lowest first."""
        with failing(self.game):
            strata = sorted({int(stratum) for stratum in self._rules.numbered_strata()})
            sizes = {stratum: int(self._rules.size(stratum)) for stratum in strata}
        if any(size < 0 for size in sizes.values()) or not any(sizes.values()):
            raise RulesError(
                f"{type(self.game).__name__}: size(stratum) is "
                f"{'negative' if any(sizes.values()) else '0 for all of numbered_strata()'}",
                "say how many numbers a stratum has: see Indexed in docs/capabilities.md",
            )
        return {stratum: size for stratum, size in sizes.items() if size}

    @property
    def strata(self) -> list[tuple[int, int]]:
        """Number and size of each stratum, lowest first."""
        return [*self.sizes.items()]

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return sum(self.sizes.values())

    @cached_property
    def rules(self) -> Any:
        """The compiled rules."""
        from perfectplay.positions.expand_native import NativeExpander

        return NativeExpander(self.game)

    @property
    def width(self) -> int:
        """Words of a key."""
        return int(self.rules.width)

    @cached_property
    def _ranks(self) -> Any:
        return self._kernel("ranks")

    @cached_property
    def _unranked(self) -> Any:
        return self._kernel("unranked")

    @cached_property
    def _survey(self) -> Any:
        return self._kernel("survey")

    @cached_property
    def _seers(self) -> Any:
        return self._kernel("seers")

    @staticmethod
    def _function(name: str) -> Callable[..., Any]:
        from perfectplay.positions.numbers import kernel

        found: Callable[..., Any] = getattr(kernel, name)
        return found

    def _kernel(self, name: str) -> Any:
        from perfectplay.compiled.rule_kernels import rules_kernel

        return rules_kernel(self._function(name), self.game)

    # -- Interpreted, one at a time. --------------------------------------------------------------

    def rank(self, p: Any) -> tuple[int, int] | None:
        """Stratum and number of a position; None if it has none."""
        q = self.game.representative(p)
        stratum, number = int(self.game.stratum(q)), int(self._rules.rank(q))
        return (stratum, number) if 0 <= number < self.sizes.get(stratum, 0) else None

    def number(self, q: Any) -> int:
        """The number of a representative in its stratum."""
        return int(self._rules.rank(q))

    def position(self, stratum: int, number: int) -> Any:
        """The representative with a number; None for a hole."""
        p = self.game.representative(self._rules.unrank(stratum, number))
        return p if self.rank(p) == (stratum, number) else None

    # -- Compiled, many at a time. ----------------------------------------------------------------

    def ranks(self, keys: Array) -> Array:
        """int64[n]: the numbers of representatives, each in its stratum."""
        out = np.empty(len(keys), np.int64)
        self.rules.called(
            self._ranks, self.game, self.rules.sample, np.ascontiguousarray(keys), out,
            near=(keys, None),
        )  # fmt: skip
        return out

    def keys(self, stratum: int, numbers: Array) -> tuple[Array, Array]:
        """(int64[n, words]: the positions with these numbers, bool[n]: which of them are none)."""
        keys = np.zeros((len(numbers), self.rules.width), np.int64)
        own = np.empty(len(numbers), np.int64)
        self.rules.called(
            self._unranked, self.game, stratum, np.ascontiguousarray(numbers, np.int64), keys, own
        )
        return keys, own < 0

    def each(self, stratum: int) -> Iterator[tuple[int, Array, Array]]:
        """(first number, keys, which of them are holes) for all numbers of a stratum, some at a
        time."""
        size = self.sizes[stratum]
        for low in range(0, size, AT_ONCE):
            numbers = np.arange(low, min(low + AT_ONCE, size))
            yield (low, *self.keys(stratum, numbers))

    def survey(self, stratum: int, low: int, high: int) -> Array:
        """(holes, least payoff, largest payoff, numbers in a payoff) of a range of numbers."""
        found = np.array([0, 2**62, -(2**62), 0], np.int64)
        pay = np.zeros((1, 16), np.int64)
        self.rules.called(
            self._survey, self.game, self.rules.sample, stratum, low, high, found, pay
        )
        return found

    def seers(self, stratum: int, low: int, high: int) -> Array:
        """int8[n]: who is to move, or whose turn it would be, at a range of numbers."""
        out = np.zeros(high - low, np.int8)
        self.rules.called(self._seers, self.game, stratum, low, out)
        return out

    def refuse(self, p: Any, what: str) -> RulesError:
        """The error for a position whose number contradicts the rules."""
        return RulesError(
            f"{type(self.game).__name__}: {what}, at {shown(self.game, p)}",
            "`perfectplay check` tries rank, unrank and unmoves on small strata",
        )
