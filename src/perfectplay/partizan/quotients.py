"""Misère quotients of heap games: classes of positions that no company tells apart, with a proof.

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
that were needed before, and words of letters are told apart by the outcomes of their sums with
other words, as in learning a finite automaton (Angluin 1987). All other heaps are taken for the
words that stood for them so far; where a proof fails, a word was guessed wrongly, or one more heap
must become a letter.

If classes of heaps have a period long enough for the theorem of periods.py, with classes in the
stead of values, they have it for ever: the options of heaps n + p and n are of the same classes, T
is the same, and no new pair arises (Plambeck 2005)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from perfectplay.errors import TooLargeError
from perfectplay.partizan.depth import deep

if TYPE_CHECKING:
    from perfectplay.partizan.misere import Misere

Heaps = tuple[int, ...]
Pair = tuple[int, int]
"""The class of a position, and the classes of its options as bits."""

MOST_CLASSES = 150
MOST_PAIRS = 60_000
MOST_ROUNDS = 400
MOST_WORDS = 500_000


@dataclass(frozen=True)
class Monoid:
    """Classes, numbered from 0, the class of the empty position."""

    letters: Heaps
    """The heaps that the words of `words` are made of."""
    words: tuple[Heaps, ...]
    """For each class a position of it."""
    lost: frozenset[int]
    """P: the classes in which the player to move loses."""
    step: dict[tuple[int, int], int]
    """(class, letter) -> class with one more such heap."""
    times: list[list[int]] = field(default_factory=list)
    """The sum of two classes."""

    def __post_init__(self) -> None:
        for q in range(len(self.words)):
            self.times.append([self.after(q, word) for word in self.words])

    def after(self, q: int, word: Heaps) -> int:
        """Class `q` with the letters of a word added."""
        for letter in word:
            q = self.step[q, letter]
        return q

    def lightest(self) -> list[Heaps]:
        """For each class a word of least weight. Moves make words lighter; if heaps are replaced
        by words that are no heavier, they still do, so that play among words ends."""
        found: dict[int, tuple[int, Heaps]] = {}
        waiting: list[tuple[int, Heaps, int]] = [(0, (), 0)]
        while waiting:
            weight, word, q = heappop(waiting)
            if q not in found:
                found[q] = weight, word
                for letter in self.letters:
                    more = weight + _weight((letter,))
                    heappush(waiting, (more, (*word, letter), self.step[q, letter]))
        return [found[q][1] for q in range(len(self.words))]

    def image(self, bits: int, q: int) -> int:
        """The sums of a set of classes, as bits, with class `q`."""
        out, row = 0, self.times[q]
        while bits:
            low = bits & -bits
            out |= 1 << row[low.bit_length() - 1]
            bits ^= low
        return out


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
        guess = _Guess(self, heap)
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
        raise _too_much(heap)

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


class _Guess:
    """Words of letters, told apart by tests."""

    def __init__(self, quotient: Quotient, heap: int) -> None:
        old = quotient.monoid
        self._quotient, self._heap = quotient, heap
        self._letters = sorted({*old.letters, heap})
        self.words: dict[int, Heaps] = {}
        """What each heap is taken for."""
        light = old.lightest()
        for small in range(heap + 1):
            word = light[quotient.classes[small]] if small < heap else ()
            if small in self._letters or _weight(word) > _weight((small,)):
                self._letters = sorted({*self._letters, small})
                word = (small,)
            self.words[small] = word
        self._tests: list[Heaps] = [()]
        self._wins: dict[Heaps, bool] = {}
        self._options: dict[int, tuple[Heaps, ...]] = {}

    def spelled(self, heaps: Iterable[int]) -> Heaps:
        """A position as a word."""
        return tuple(sorted(letter for heap in heaps for letter in self.words[heap]))

    def won(self, word: Heaps) -> bool:
        """The misère outcome of a word, if every heap is what it is taken for. Without the largest
        heap, the quotient so far knows it."""
        if not word or word[-1] < self._heap:
            return self._quotient.class_of(word) not in self._quotient.monoid.lost
        if word not in self._wins:
            if len(self._wins) > MOST_WORDS:
                raise _too_much(self._heap)
            self._wins[word] = any(not self.won(other) for other in self._after(word))
        return self._wins[word]

    def _after(self, word: Heaps) -> Iterator[Heaps]:
        for i, letter in enumerate(word):
            if i == 0 or word[i - 1] != letter:
                rest = word[:i] + word[i + 1 :]
                if letter not in self._options:
                    every = map(self.spelled, self._quotient.misere.options(letter))
                    self._options[letter] = tuple(dict.fromkeys(every))
                for left in self._options[letter]:
                    yield tuple(sorted(rest + left))

    def monoid(self) -> Monoid:
        """The words that tests tell apart, after adding such tests as make sums commute."""
        while True:
            words, step, lost = self._classes()
            place = _crossing(len(words), step, self._letters)
            if place is None:
                return Monoid(tuple(self._letters), tuple(words), lost, step)
            self._tell_apart(words, step, place)

    def _classes(self) -> tuple[list[Heaps], dict[tuple[int, int], int], frozenset[int]]:
        def row(word: Heaps) -> tuple[bool, ...]:
            return tuple(self.won(tuple(sorted(word + test))) for test in self._tests)

        words: list[Heaps] = [()]
        number = {row(()): 0}
        step: dict[tuple[int, int], int] = {}
        for q, word in enumerate(words):  # the list grows meanwhile
            for letter in self._letters:
                longer = tuple(sorted((*word, letter)))
                found = row(longer)
                if found not in number:
                    number[found] = len(words)
                    words.append(longer)
                    if len(words) > MOST_CLASSES:
                        raise _too_much(self._heap)
                step[q, letter] = number[found]
        return words, step, frozenset(q for found, q in number.items() if not found[0])

    def _tell_apart(
        self, words: list[Heaps], step: dict[tuple[int, int], int], place: tuple[int, int, int]
    ) -> None:
        """Add a test, since the order of two letters seems to matter."""
        q, *pair = place
        for a, b in (pair, pair[::-1]):
            one, other = words[step[q, a]], (*words[q], a)
            for test in self._tests:
                more = tuple(sorted((b, *test)))
                if self.won(tuple(sorted(one + more))) != self.won(tuple(sorted(other + more))):
                    self._tests.append(more)
                    return
        raise AssertionError("letters that do not commute")

    def correct(self, monoid: Monoid, position: list[int]) -> None:
        """Learn from a position where the proof failed. If it or an option is in the wrong class,
        a test is added; else some heap of it is not what it is taken for, and becomes a letter."""
        misere = self._quotient.misere
        p = misere.alive(position)
        for q in (p, *misere.after(p)):
            word = self.spelled(q)
            true = self.won(word)
            state = 0
            for i, letter in enumerate(word):
                state = monoid.step[state, letter]
                rest = word[i + 1 :]
                if self.won(tuple(sorted(monoid.words[state] + rest))) != true:
                    self._tests.append(rest)
                    return
        heap = next(heap for heap in p if heap not in self._letters)
        self._letters = sorted([*self._letters, heap])
        self.words[heap] = (heap,)
        self._wins, self._options = {}, {}


def _weight(word: Heaps) -> int:
    """What every move makes less: twice the counters, less the number of heaps."""
    return sum(2 * heap - 1 for heap in word if heap)


def _crossing(
    size: int, step: dict[tuple[int, int], int], letters: list[int]
) -> tuple[int, int, int] | None:
    """A class and two letters whose order matters."""
    for q in range(size):
        for i, a in enumerate(letters):
            for b in letters[:i]:
                if step[step[q, a], b] != step[step[q, b], a]:
                    return q, a, b
    return None


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


def _too_much(heap: int) -> TooLargeError:
    return TooLargeError(
        f"no misère quotient was found for heaps up to {heap}",
        f"it may be infinite; what is proved for heaps up to {heap - 1} stands",
    )
