"""Mastermind: find a secret code by guesses, each answered by how near it is.

The code is a row of `pegs` pegs, each of one of `colours` colours; with `repeat` a colour may come
up several times. After every guess the coder says how many pegs are right (black) and how many
more would be right elsewhere (white). The guesser wants to have named the code after few guesses,
the last one included: on average over all codes, or, with `worst`, against a coder who has fixed
nothing and gives whatever answer makes it last longest. *Bulls and cows* is the same with digits,
none of them repeated. A guess need not be a code that is still possible, unless `consistent` says
so (van Hentenryck's rule); one whose answer is known beforehand is not made.

Check: 3 pegs of 4 colours take 206/64 guesses on average, 3 of 6 different digits 436/120. With
`worst` the value to the guesser is minus the number of guesses.

A code is a number whose digits, in base `colours`, are its pegs. A position is a tuple: the codes
that are still possible, as the bits of words of 62 codes each, and one more than the guess that is
to be answered (0: there is none). With `symmetry`, positions that differ only by the names of the
colours and the order of the pegs are one; with more than 216 codes that is too much work, and only
guesses are one that an exchange of such names or pegs turns into each other without changing what
is possible.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.codes import (
    MOST_CODES,
    WORD,
    Codes,
    Position,
    arranged,
    completed,
    less,
    orders,
)
from perfectplay.rules.game import CHANCE, OVER, replaced
from perfectplay.rules.search_capabilities import SearchGuides

MANY_CODES = 216
"""With more codes, only symmetric guesses are looked for."""


@dataclass(frozen=True)
class Mastermind(SearchGuides, Codes):
    """Guess a code of `pegs` pegs in `colours` colours."""

    worst: bool = False
    consistent: bool = False
    symmetry: bool = True

    native = True

    @property
    def players(self) -> int:  # type: ignore[override]
        """The guesser, and in the worst case the coder."""
        return 2 if self.worst else 1

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """One player wants few guesses."""
        return not self.worst

    def __post_init__(self) -> None:
        fits = 1 <= self.pegs <= 6 and 2 <= self.colours <= 10
        if not fits or self.colours**self.pegs > MOST_CODES or self.first_code() < 0:
            raise UsageError(
                f"no codes of {self.pegs} pegs in {self.colours} colours",
                f"use 1 to 6 pegs and 2 to 10 colours, together not more than {MOST_CODES} codes;"
                " if no colour is repeated, no more pegs than colours",
            )
        if self.symmetry and self.colours > 8:
            raise UsageError(
                f"{factorial(self.colours):,} ways to exchange the colours are too many to try",
                "use at most 8 colours, or symmetry=false",
            )

    def first_code(self) -> int:
        """The least code; -1 if there is none."""
        return next((code for code in range(self.colours**self.pegs) if self.legal(code)), -1)

    def start(self) -> Position:
        numbers = range(self.colours**self.pegs)
        return self.packed([code for code in numbers if self.legal(code)], 0)

    def packed(self, codes: Any, guess: int) -> Position:
        """The position in which these codes are possible."""
        words = [0] * self.words()
        for code in codes:
            words[code // WORD] |= 1 << (code % WORD)
        return (*words, guess)

    def to_move(self, p: Position) -> int:
        if p[-1]:
            return 1 if self.worst else CHANCE
        for word in p:
            if word:
                return 0
        return OVER

    def tells(self, codes: list[int], guess: int) -> bool:
        """Whether the guess may be right, or its answer is not known beforehand."""
        first = self.answer(guess, codes[0])
        for code in codes:
            if code == guess or (not self.consistent and self.answer(guess, code) != first):
                return True
        return False

    def moves(self, p: Position) -> Iterator[int]:
        codes = self.possible(p)
        if p[-1]:
            given = np.zeros((self.pegs + 1) ** 2, np.int64)
            for code in codes:
                given[self.answer(p[-1] - 1, code)] = 1
            for answer in range(len(given)):
                if given[answer]:
                    yield answer
        else:
            for guess in codes:
                yield guess
            for guess in range(0 if self.consistent else self.colours**self.pegs):
                inside = (p[guess // WORD] >> (guess % WORD)) & 1
                if not inside and self.legal(guess) and self.tells(codes, guess):
                    yield guess

    def play(self, p: Position, m: int) -> Position:
        if p[-1] == 0:
            return replaced(p, len(p) - 1, m + 1)
        return self.answered(p, self.possible(p), m)

    def answered(self, p: Position, codes: list[int], answer: int) -> Position:
        """What is possible after an answer; nothing, if the guess was right."""
        guess = p[-1] - 1
        q = p
        for i in range(len(p)):
            q = replaced(q, i, 0)
        for code in codes:
            if code != guess and self.answer(guess, code) == answer:
                q = replaced(q, code // WORD, q[code // WORD] | (1 << (code % WORD)))
        return q

    def chances(self, p: Position) -> Iterator[tuple[int, Position]]:
        codes = self.possible(p)
        counts = np.zeros((self.pegs + 1) ** 2, np.int64)
        for code in codes:
            counts[self.answer(p[-1] - 1, code)] += 1
        for answer in range(len(counts)):
            if counts[answer]:
                yield int(counts[answer]), self.answered(p, codes, answer)

    def reward(self, p: Position, m: int) -> int:
        if p[-1]:
            return 0
        return -1 if self.worst else 1

    def payoff(self, p: Position) -> int:
        return 0

    def stratum(self, p: Position) -> int:
        return len(self.possible(p))

    def representative(self, p: Position) -> Position:
        if not self.symmetry or (self.large() and p[-1] == 0):
            return p
        codes = self.possible(p)
        if len(codes) == 0:
            return p
        if len(codes) == self.number():
            return replaced(p, len(p) - 1, self.least(p[-1] - 1) + 1) if p[-1] else p
        if self.large():
            return replaced(p, len(p) - 1, self.least_guess(p, codes) + 1)
        # Of all images that have the least code which any of them has, the least.
        low = min([self.least(code) for code in codes])
        best = np.full(len(p), -1, np.int64)
        for code in codes:
            for number in range(orders(self.pegs)):
                order = arranged(number, self.pegs)
                named, used = self.named(code, order)
                if self.exchanged(code, order, named) == low:
                    for more in range(orders(self.colours - used)):
                        image = self.image(p, codes, order, completed(named, used, more))
                        if best[0] < 0 or less(image, best):
                            best = image
        q = p
        for i in range(len(p)):
            q = replaced(q, i, int(best[i]))
        return q

    def large(self) -> bool:
        """Whether there are too many codes to look for the least of all images."""
        return self.number() > MANY_CODES

    # -- Guides of a search. ---

    def bounds(self, p: Position) -> tuple[int, int, int]:
        """With n codes possible one guess may be right; each other answer leaves a part, and each
        part again one guess that may be right, and so on. To guess all of them in turn is always
        possible."""
        codes = self.possible(p)
        n = len(codes)
        if n == 0:
            return 0, 0, 1
        counts = np.zeros((self.pegs + 1) ** 2, np.int64)
        if p[-1]:
            for code in codes:
                counts[self.answer(p[-1] - 1, code)] += 1
            counts[self.pegs * (self.pegs + 1)] = 0
        else:
            counts[0] = n
        least, most, deep, long = 0, 0, 0, 0
        for i in range(len(counts)):
            if counts[i]:
                total, depth = self.fewest(counts[i])
                least += total
                most += counts[i] * (counts[i] + 1) // 2
                deep, long = max(deep, depth), max(long, counts[i])
        return (-long, -deep, 1) if self.worst else (least, most, n)

    def fewest(self, n: int) -> tuple[int, int]:
        """No plan for n codes takes fewer guesses, in all and at most."""
        left, parts, depth, total = n, 1, 0, 0
        while left > 0:
            depth += 1
            total += depth * min(left, parts)
            left -= parts
            parts *= (self.pegs + 1) * (self.pegs + 2) // 2 - 2
        return total, depth

    # -- Text. ---

    def symbols(self) -> str:
        """The signs of the colours."""
        return "ABCDEFGHIJ"

    def code_text(self, code: int) -> str:
        """A code, one sign for each peg."""
        pegs = range(self.pegs - 1, -1, -1)
        return "".join(self.symbols()[self.colour(code, peg)] for peg in pegs)

    def text(self, p: Position) -> str:
        codes = self.possible(p)
        words = " ".join(map(self.code_text, codes)) if codes else "found"
        words = "all" if self.packed(codes, 0) == self.start() else words
        return f"{words}, guess {self.code_text(p[-1] - 1)}" if p[-1] else words

    def parse(self, s: str) -> Position:
        found = re.fullmatch(r"\s*(\w+(?: +\w+)*?)\s*(?:,\s*guess (\w+))?\s*", s)
        number = {self.code_text(code): code for code in self.possible(self.start())}
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        names = [*number] if found[1] == "all" else found[1].split()
        codes = [] if found[1] == "found" else [number.get(name, -1) for name in names]
        guess = number.get(found[2], -1) + 1 if found[2] else 0
        if -1 in codes or len(set(codes)) < len(codes) or (found[2] and not (codes and guess)):
            raise ValueError(f"{s!r}: codes look like {self.code_text(self.first_code())!r}")
        if guess and not self.tells(codes, guess - 1):
            raise ValueError(f"{s!r}: that guess is not made")
        return self.packed(codes, guess)

    def move_text(self, p: Position, m: int) -> str:
        if p[-1] == 0:
            return self.code_text(m)
        black, white = divmod(m, self.pegs + 1)
        return f"{black} black {white} white"

    def player_name(self, i: int) -> str:
        return "the coder" if i else "the guesser"

    def picture(self, p: Position) -> str:
        codes, wide = self.possible(p), 24 * self.pegs + 16
        columns, shown = 5, codes[:60]
        parts = [svg.note(0, 8, f"{len(codes)} possible" if codes else "found")]
        for i, code in enumerate(shown):
            parts.extend(self.row(code, wide * (i % columns), 24 * (i // columns) + 34))
        below = 24 * ((len(shown) + columns - 1) // columns) + 40
        if p[-1]:
            parts.append(svg.note(0, below, "guess"))
            parts.extend(self.row(p[-1] - 1, 50, below))
        return svg.svg(max(120, wide * min(columns, max(2, len(shown)))), below + 12, parts)

    def row(self, code: int, x: float, y: float) -> Iterator[str]:
        """The pegs of a code."""
        for i in range(self.pegs):
            colour = self.colour(code, self.pegs - 1 - i)
            yield svg.circle(x + 24 * i + 10, y, 9, svg.COLOURS[colour % 8], svg.INK)
            yield svg.text(x + 24 * i + 10, y, self.symbols()[colour], 10, svg.FIELD)


@dataclass(frozen=True)
class BullsAndCows(Mastermind):
    """Mastermind with different digits."""

    colours: int = 6
    repeat: bool = False

    def symbols(self) -> str:
        return "0123456789"
