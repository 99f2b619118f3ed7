"""Misère play of heap games: who cannot move wins. Outcomes, misère nim values, genera.

No theory makes misère play as simple as normal play; here positions are tried out, each once.
`quotient` (quotients.py) does better where a game's positions fall into finitely many classes.

    misère nim value   g-(p) = mex of g-(q) over all q that a move leads to; 1 where play has
                       ended. The player to move loses p if it is 0.
    genus              g(p), and g-(p), g-(p + *2), g-(p + *2 + *2), …, which ends up going to and
                       fro between two numbers (Conway 1976; Winning Ways, chapter 13).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING

from perfectplay.drawing.rich import Rich
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums.depth import deep
from perfectplay.sums.heaps.heap_game import HeapGame, HeapMove, mex

if TYPE_CHECKING:
    from perfectplay.sums.heaps.quotients import Quotient

Heaps = tuple[int, ...]

MOST_POSITIONS = 1_000_000
"""Positions that are tried out before misère play is given up."""
MOST_MOVES = 3_000_000
"""The same for moves."""
MOST_COUNTERS = 200


@dataclass(frozen=True)
class Genus(Rich):
    """The nim value of a position, and its misère nim values beside 0, 1, 2, … heaps *2."""

    value: int
    values: tuple[int, ...]
    """The last two are repeated for ever."""

    def __str__(self) -> str:
        if max(self.values) < 10:
            return f"{self.value}^{''.join(map(str, self.values))}"
        return f"{self.value}^({','.join(map(str, self.values))})"


class Misere:
    """Misère play of a heap game."""

    def __init__(self, game: HeapGame) -> None:
        self.game = game
        self._options: dict[int, tuple[Heaps, ...]] = {}
        self._wins: dict[Heaps, bool] = {}
        self._moves = 0
        """Moves of the positions that were tried out."""
        self._values: dict[tuple[Heaps, int], int] = {}
        self._settled: dict[Heaps, int] = {}

    # -- Positions. ---

    def options(self, heap: int) -> tuple[Heaps, ...]:
        """What may be left of a heap, each once, without heaps that nobody can move in."""
        if heap not in self._options:
            if heap > MOST_COUNTERS:
                raise TooLargeError(
                    f"a heap of {heap} is too large for misère play",
                    f"use heaps of up to {MOST_COUNTERS}",
                )
            found = {self.alive(move.leaves): None for move in self.game.moves(heap)}
            self._options[heap] = tuple(found)
        return self._options[heap]

    def alive(self, heaps: Iterable[int]) -> Heaps:
        """The heaps in which somebody can move, smallest first."""
        return tuple(sorted(heap for heap in heaps if heap > 0 and self.options(heap)))

    def after(self, heaps: Heaps) -> Iterator[Heaps]:
        """The positions that moves lead to."""
        for i, heap in enumerate(heaps):
            if i == 0 or heaps[i - 1] != heap:
                rest = heaps[:i] + heaps[i + 1 :]
                for left in self.options(heap):
                    yield tuple(sorted(rest + left))

    # -- Outcomes. ---

    def wins(self, heaps: Iterable[int]) -> bool:
        """Whether the player to move wins."""
        return self._won(self.alive(_heaps(heaps)))

    def _won(self, heaps: Heaps) -> bool:
        """The same; looked up where it is known, else tried out."""
        last = self._known(heaps)
        stack = [(heaps, self.after(heaps))] if last is None else []
        while stack:
            p, moves = stack[-1]
            won = last is False  # the move that was tried last leads to a loss
            if not won:
                q = next((q for q in moves if not self._known(q)), None)
                if q is not None and self._known(q) is None:
                    self._moves += sum(len(self.options(heap)) for heap in {*q})
                    _refuse_many(len(self._wins), heaps, self._moves)
                    stack.append((q, self.after(q)))
                    continue
                won = q is not None or not p  # who cannot move wins
            last = self._wins[p] = won
            stack.pop()
        assert last is not None
        return last

    def _known(self, heaps: Heaps) -> bool | None:
        """Whether a position is won, where the quotient is proved or it was tried out before."""
        if max(heaps, default=0) <= self.quotient.heaps:
            return self.quotient.class_of(heaps) not in self.quotient.monoid.lost
        return self._wins.get(heaps)

    def winning_moves(self, heaps: Iterable[int]) -> list[HeapMove]:
        """All moves that win; equal heaps are listed once."""
        given = _heaps(heaps)
        found = []
        for heap in dict.fromkeys(given):
            rest = list(given)
            rest.remove(heap)
            self.options(heap)
            for move in self.game.moves(heap):
                if not self._won(self.alive((*rest, *move.leaves))):
                    found.append(move)
        return found

    # -- Misère nim values and genera. ---

    def nim_value(self, heaps: Iterable[int]) -> int:
        """The misère nim value of a position."""
        return deep(self._value, self.alive(_heaps(heaps)), 0)

    def _value(self, heaps: Heaps, twos: int) -> int:
        """That of a position beside so many heaps *2. (Beside *1 it is this value, with its last
        binary digit changed.)"""
        known = self._values
        if (heaps, twos) not in known:
            _refuse_many(len(known), heaps)
            there = {self._value(q, twos) for q in self.after(heaps)}
            if twos:
                less = self._value(heaps, twos - 1)
                there |= {less, less ^ 1}
            known[heaps, twos] = mex(there) if there else 1
        return known[heaps, twos]

    def genus(self, heaps: Iterable[int]) -> Genus:
        """The genus of a position."""
        p = self.alive(_heaps(heaps))
        last = deep(self._settles, p) + 2
        return Genus(self.game.nim_sum(p), tuple(self._value(p, twos) for twos in range(last)))

    def _settles(self, heaps: Heaps) -> int:
        """From how many heaps *2 on misère nim values only go to and fro.

        Beyond the place where those of all options do, a value depends on the one before it and on
        whether the number is even: what comes back after two steps, comes back for ever."""
        known = self._settled
        if heaps not in known:
            twos = max((self._settles(q) for q in self.after(heaps)), default=0)
            while self._value(heaps, twos) != self._value(heaps, twos + 2):
                twos += 1
            while twos and self._value(heaps, twos - 1) == self._value(heaps, twos + 1):
                twos -= 1
            known[heaps] = twos
        return known[heaps]

    @cached_property
    def quotient(self) -> Quotient:
        """The misère quotient, to be extended heap by heap."""
        from perfectplay.sums.heaps.quotients import Quotient

        return Quotient(self)


def _heaps(heaps: Iterable[int]) -> Heaps:
    try:
        found = tuple(map(index, heaps))
    except TypeError:
        raise UsageError("heaps are whole numbers", "give a list such as [3, 5, 7]") from None
    if min(found, default=0) < 0:
        raise UsageError(f"there is no heap of {min(found)} counters", "use 0, 1, 2, …")
    return found


def _refuse_many(known: int, heaps: Heaps, moves: int = 0) -> None:
    if known > MOST_POSITIONS or moves > MOST_MOVES:
        raise TooLargeError(
            f"misère play from {', '.join(map(str, heaps))} has too many positions",
            f"{known:,} were tried; use smaller heaps",
        )
