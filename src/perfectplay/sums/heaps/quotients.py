"""Misère quotients of heap games: classes indistinguishable in every sum, with a proof.

Two positions are of one class if they have the same misère outcome beside every position of the
same game with heaps up to n. Classes are added like positions, and form a commutative monoid Q
with a set P of lost classes (Plambeck 2005; Plambeck and Siegel 2008). If Q is finite, misère play
with any number of such heaps is a matter of looking up a table.

A quotient is found heap by heap. It is guessed, by any means, and then proved:

    For a position x let T(x) = (class of x, set of the classes of its options). T(x + y) follows
    from T(x) and T(y) alone, so that all pairs there are can be listed, from those of single
    heaps. If for each pair (q, E)

        q is in P   exactly if   E is not empty, and meets P nowhere

    then, by induction on moves, P holds the classes of just those positions that are lost.

The guess: either the new heap is of a class that is there. Or it becomes a letter, beside those
that were needed before, and words of letters are distinguished by the outcomes of their sums with
other words, as in learning a finite automaton (Angluin 1987). All other heaps are taken for the
words that stood for them so far; where a proof fails, a word was guessed wrongly, or one more heap
must become a letter.

If classes of heaps have a period long enough for the theorem of periods.py, with classes in the
stead of values, they have it for ever: the options of heaps n + p and n are of the same classes, T
is the same, and no new pair arises (Plambeck 2005)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfectplay.errors import TooLargeError
from perfectplay.sums.depth import deep
from perfectplay.sums.heaps.quotient_words import Guess, Monoid, too_much

if TYPE_CHECKING:
    from perfectplay.sums.heaps.misere import Misere

Pair = tuple[int, int]
"""The class of a position, and the classes of its options as bits."""

MOST_PAIRS = 60_000
MOST_ROUNDS = 400


@dataclass(frozen=True)
class QuotientPeriod:
    """How the classes of heaps go on: for all n >= start, n and n + length are of one class."""

    start: int
    length: int


class Quotient:
    """The misère quotient of a heap game, for heaps up to `heaps`."""

    def __init__(self, misere: Misere) -> None:
        self.misere = misere
        self.heaps = 0
        self.classes: list[int] = [0]
        """The classes of heaps 0, 1, …, `heaps`."""
        self.monoid = Monoid((), ((),), frozenset(), {})
        self.looks = 0
        """Options that were looked at to learn it."""
        self._sums: set[Pair] = {(0, 0)}
        """T of all positions with heaps up to `heaps`."""

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.monoid.words)

    @property
    def lost(self) -> int:
        """How many of them are lost."""
        return len(self.monoid.lost)

    def extend(self, heap: int) -> Quotient:
        """Prove the quotient for heaps up to `heap`; TooLargeError if that is too much."""
        while self.heaps < heap:
            deep(self._add, self.heaps + 1)
        return self

    def class_of(self, heaps: Iterable[int]) -> int:
        """The class of a position with heaps up to `heaps`."""
        q = 0
        for heap in heaps:
            q = self.monoid.times[q][self.classes[heap]]
        return q

    def wins(self, heaps: Iterable[int]) -> bool:
        """Whether the player to move wins a position, however many heaps it has."""
        heaps = list(heaps)
        self.extend(max(heaps, default=0))
        return self.class_of(heaps) not in self.monoid.lost

    def period(self) -> QuotientPeriod | None:
        """The period of the classes of heaps, if those known are enough to prove it."""
        code = self.misere.game.code
        if code.tail or code.unequal:
            return None
        most, last = max(1, code.most_heaps), len(code.digits) - 1
        size = len(self.classes)
        for length in range(1, size):
            start = size - length
            while start > 0 and self.classes[start - 1] == self.classes[start - 1 + length]:
                start -= 1
            if most * (max(1, start) + length) + last <= size:
                return QuotientPeriod(start, length)
        return None

    def name(self, q: int) -> str:
        """A class as a word: letters a, b, … are the classes of the first heaps that need one."""
        word = self.monoid.words[q]
        out = ""
        for i, letter in enumerate(self.monoid.letters):
            power = word.count(letter)
            if power:
                shown = chr(ord("a") + i) if i < 26 else f"[{letter}]"
                out += shown + (f"^{power}" if power > 1 else "")
        return out or "1"

    # -- One more heap. ---

    def _add(self, heap: int) -> None:
        misere = self.misere
        if not misere.options(heap):
            self.heaps, self.classes = heap, [*self.classes, 0]
            return
        options = 0
        for left in misere.options(heap):
            options |= 1 << self.class_of(left)
        found = self._class_for(options)
        if found is None:
            self._learn(heap)
        else:
            self.classes, self.heaps = [*self.classes, found], heap

    def _class_for(self, options: int) -> int | None:
        """A class that is there already, with the proof that a heap with these options has it."""
        for q in range(self.size):
            if (q, options) in self._sums:
                return q
        for q in range(self.size):
            if self._fits((q, options)):
                sums, wrong = _all_sums(self.monoid, [(q, options)], self._sums)
                if wrong is None:
                    self._sums = sums
                    return q
        return None

    def _fits(self, pair: Pair) -> bool:
        """Whether no class and heap are lost together with one of the heap's options."""
        monoid = self.monoid
        lost = sum(1 << q for q in monoid.lost)
        x, options = pair
        return not any(
            monoid.times[q][x] in monoid.lost and monoid.image(options, q) & lost
            for q in range(self.size)
        )

    def _learn(self, heap: int) -> None:
        """A new monoid for heaps up to `heap`."""
        guess = Guess(self, heap)
        for _ in range(MOST_ROUNDS):
            monoid = guess.monoid()
            classes = [monoid.after(0, guess.words[small]) for small in range(heap + 1)]
            pairs, made = self._all_pairs(monoid, classes, heap)
            sums, wrong = _all_sums(monoid, pairs, {(0, 0)})
            if wrong is None:
                self.monoid, self.classes, self.heaps = monoid, classes, heap
                self._sums = sums
                return
            guess.correct(monoid, [made[i] for i in wrong])
        raise too_much(heap)

    def _all_pairs(
        self, monoid: Monoid, classes: list[int], most: int
    ) -> tuple[list[Pair], list[int]]:
        """T of all heaps, each pair once, and a heap that has it."""
        pairs: dict[Pair, int] = {}
        for heap in range(1, most + 1):
            options = 0
            for left in self.misere.options(heap):
                q = 0
                for each in left:
                    q = monoid.times[q][classes[each]]
                options |= 1 << q
            if options:
                pairs.setdefault((classes[heap], options), heap)
        return [*pairs], [*pairs.values()]


def _all_sums(
    monoid: Monoid, pairs: list[Pair], sums: set[Pair]
) -> tuple[set[Pair], list[int] | None]:
    """All sums of `sums`, which hold their own sums, with any number of pairs. If none breaks the
    rule of outcomes, that is a proof; else also the numbers of the pairs that led to one which
    does."""
    lost = sum(1 << q for q in monoid.lost)
    came: dict[Pair, tuple[Pair, int]] = {}
    everything = set(sums)
    queue = [*sums]
    for q, options in queue:
        for i, (x, more) in enumerate(pairs):
            new = monoid.times[q][x], monoid.image(more, q) | monoid.image(options, x)
            if new in everything:
                continue
            everything.add(new)
            came[new] = (q, options), i
            if (new[0] in monoid.lost) != (not new[1] & lost):
                numbers, at = [], new
                while at in came:
                    numbers.append(came[at][1])
                    at = came[at][0]
                return everything, numbers
            if len(everything) > MOST_PAIRS:
                raise TooLargeError(
                    "the proof of a misère quotient is too long",
                    f"more than {MOST_PAIRS:,} pairs; ask for smaller heaps",
                )
            queue.append(new)
    return everything, None
