"""Words of heaps, and what they are taken for while a misère quotient is learned (quotients.py).

Nothing here need be right: a guess counts only after its proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from perfectplay.errors import TooLargeError

if TYPE_CHECKING:
    from perfectplay.sums.heaps.quotients import Quotient

Heaps = tuple[int, ...]

MOST_CLASSES = 150
MOST_WORDS = 500_000
MOST_LOOKS = 3_000_000
"""Options of words that are looked at while one game is learned, some ten seconds."""


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


class Guess:
    """Words of letters, distinguished by tests."""

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
            if len(self._wins) > MOST_WORDS or self._quotient.looks > MOST_LOOKS:
                raise too_much(self._heap)
            self._wins[word] = any(not self.won(other) for other in self._after(word))
        return self._wins[word]

    def _after(self, word: Heaps) -> Iterator[Heaps]:
        for i, letter in enumerate(word):
            if i == 0 or word[i - 1] != letter:
                rest = word[:i] + word[i + 1 :]
                if letter not in self._options:
                    every = map(self.spelled, self._quotient.misere.options(letter))
                    self._options[letter] = tuple(dict.fromkeys(every))
                self._quotient.looks += len(self._options[letter])
                for left in self._options[letter]:
                    yield tuple(sorted(rest + left))

    def monoid(self) -> Monoid:
        """The words that tests distinguish, after adding such tests as make sums commute."""
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
                        raise too_much(self._heap)
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


def too_much(heap: int) -> TooLargeError:
    """The error where learning was given up."""
    return TooLargeError(
        f"no misère quotient was found for heaps up to {heap}",
        f"it may be infinite, or take too long to learn; what is proved for heaps up to "
        f"{heap - 1} stands",
    )
