"""What games of codes share: codes of colours, sets of them, answers, and exchanges that leave a
game as it is.

A code is a number whose digits, in base `colours`, are its pegs. A set of codes is a tuple of
words, 62 codes as the bits of each.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.games.bits import count
from perfectplay.rules.game import Game

WORD = 62
MOST_CODES = 1296
MANY_LEFT = 40
"""With fewer codes left, only colours are exchanged that none of them has."""
Position = tuple[int, ...]
Array = np.ndarray[Any, np.dtype[np.int64]]


def arranged(number: int, size: int) -> Array:
    """Arrangement `number` of 0 … size - 1, of size! in all; the first is in order."""
    left = np.arange(size)
    for i in range(size - 1, 0, -1):
        j = i - number % (i + 1)
        number //= i + 1
        left[i], left[j] = left[j], left[i]
    return left


def orders(size: int) -> int:
    """In how many ways `size` things can be arranged."""
    product = 1
    for i in range(2, size + 1):
        product *= i
    return product


def less(a: Array, b: Array) -> bool:
    """Whether `a` comes before `b`, compared word by word."""
    for i in range(len(a)):
        if a[i] != b[i]:
            return bool(a[i] < b[i])
    return False


def completed(named: Array, used: int, number: int) -> Array:
    """All colours with names: those without one get the rest, in arrangement `number`."""
    names, rest, i = named.copy(), arranged(number, len(named) - used), 0
    for colour in range(len(names)):
        if names[colour] < 0:
            names[colour] = used + rest[i]
            i += 1
    return names


def signs(pegs: int, colours: int) -> Array:
    """For each code, as bits: which colour each peg has, and above, for each colour c bits out of
    `pegs`, if c pegs have it. So the common bits of two codes count what they have in common."""
    codes = np.arange(colours**pegs)
    digits = [codes // colours**peg % colours for peg in range(pegs)]
    found = sum(1 << (peg * colours + digit) for peg, digit in enumerate(digits))
    for colour in range(colours):
        number = sum((digit == colour).astype(np.int64) for digit in digits)
        found = found | (((1 << number) - 1) << (pegs * (colours + colour)))
    return np.asarray(found, np.int64)


SHAPES = [(pegs, colours) for pegs in range(1, 7) for colours in range(2, 11)]
SIGNED = {shape: signs(*shape) for shape in SHAPES if shape[1] ** shape[0] <= MOST_CODES}
SIGNS = np.concatenate([*SIGNED.values()])
"""The signs of the codes of all sizes, one size after the other."""
FIRST = np.zeros((7, 11), np.int64)
"""By pegs and colours: where their codes begin in SIGNS."""
for _number, _shape in enumerate(SIGNED):
    FIRST[_shape] = sum(len(SIGNED[other]) for other in [*SIGNED][:_number])


@dataclass(frozen=True)
class Codes(Game):
    """Codes of `pegs` pegs in `colours` colours."""

    pegs: int = 3
    colours: int = 4
    repeat: bool = True

    def number(self) -> int:
        """How many codes there are."""
        if self.repeat:
            return int(self.colours**self.pegs)
        return orders(self.colours) // orders(self.colours - self.pegs)

    def colour(self, code: int, peg: int) -> int:
        """The colour of a peg; peg 0 counts least in the number of the code."""
        return code // int(self.colours**peg) % self.colours

    def legal(self, code: int) -> bool:
        """Whether a code repeats no colour, if that is forbidden."""
        if self.repeat:
            return True
        for peg in range(1, self.pegs):
            for other in range(peg):
                if self.colour(code, peg) == self.colour(code, other):
                    return False
        return True

    def answer(self, guess: int, code: int) -> int:
        """The answer to a guess if a code is right: pegs + 1 times black, plus white."""
        first = FIRST[self.pegs, self.colours]
        common = SIGNS[first + guess] & SIGNS[first + code]
        cells = self.pegs * self.colours
        return self.pegs * count(common & ((1 << cells) - 1)) + count(common >> cells)

    def words(self) -> int:
        """How many words hold the codes."""
        return (int(self.colours**self.pegs) + WORD - 1) // WORD

    def possible(self, p: Position) -> list[int]:
        """The codes that are still possible."""
        found = [-1]
        for word in range(len(p) - 1):
            bits = p[word]
            while bits:
                lowest = bits & -bits
                found.append(WORD * word + count(lowest - 1))
                bits ^= lowest
        return found[1:]

    def named(self, code: int, order: Array) -> tuple[Array, int]:
        """New names for the colours of a code, as they come in this order of the pegs, and how
        many there are; the other colours are -1."""
        names, used = np.full(self.colours, -1, np.int64), 0
        for i in range(self.pegs):
            colour = self.colour(code, order[i])
            if names[colour] < 0:
                names[colour] = used
                used += 1
        return names, used

    def exchanged(self, code: int, order: Array, names: Array) -> int:
        """A code after an exchange of pegs and colours; the first peg counts most."""
        found = 0
        for i in range(self.pegs):
            found = self.colours * found + names[self.colour(code, order[i])]
        return int(found)

    def least(self, code: int) -> int:
        """The least code that an exchange makes of a code."""
        low = code
        for number in range(orders(self.pegs)):
            order = arranged(number, self.pegs)
            low = min(low, self.exchanged(code, order, self.named(code, order)[0]))
        return low

    def image(self, p: Position, codes: list[int], order: Array, names: Array) -> Array:
        """The position after an exchange of pegs and colours."""
        image = np.zeros(len(p), np.int64)
        for code in codes:
            to = self.exchanged(code, order, names)
            image[to // WORD] |= 1 << (to % WORD)
        if p[-1]:
            image[-1] = self.exchanged(p[-1] - 1, order, names) + 1
        return image

    def least_guess(self, p: Position, codes: list[int]) -> int:
        """The least guess of those that exchanges turn into each other which leave the possible
        codes as they are: exchanges of two colours, of two pegs, or both at once."""
        guess = p[-1] - 1
        if len(codes) < MANY_LEFT:
            return self.without_names(guess, codes)
        harmless = self.harmless(p, codes)
        found, before = [guess], 0
        while before < len(found):
            before = len(found)
            for which in harmless:
                order, names = self.exchange(which)
                for k in range(len(found)):
                    image = self.exchanged(found[k], order, names)
                    if image not in found:
                        found.append(image)
        return min(found)

    def harmless(self, p: Position, codes: list[int]) -> list[int]:
        """The exchanges that leave the possible codes as they are: pegs i and j, colours a and b
        as the digits of a number."""
        seen, found = self.census(codes), [-1]
        for i in range(self.pegs):
            for j in range(i, self.pegs):
                for a in range(self.colours):
                    for b in range(a, self.colours):
                        which = ((i * self.pegs + j) * self.colours + a) * self.colours + b
                        some = i < j or (i == 0 and a < b)
                        if some and (a < b or a == 0) and self.balanced(seen, i, j, a, b):
                            order, names = self.exchange(which)
                            if self.stays(p, codes, order, names):
                                found.append(which)
        return found[1:]

    def census(self, codes: list[int]) -> Array:
        """How many codes have which colour on which peg."""
        seen = np.zeros((self.pegs, self.colours), np.int64)
        for code in codes:
            rest = code
            for peg in range(self.pegs):
                seen[peg, rest % self.colours] += 1
                rest //= self.colours
        return seen

    def balanced(self, seen: Array, i: int, j: int, a: int, b: int) -> bool:
        """Whether the census is the same after an exchange of two pegs and two colours."""
        for peg in range(self.pegs):
            to_peg = j if peg == i else i if peg == j else peg
            for colour in range(self.colours):
                to = b if colour == a else a if colour == b else colour
                if seen[peg, colour] != seen[to_peg, to]:
                    return False
        return True

    def exchange(self, which: int) -> tuple[Array, Array]:
        """The order of pegs, first peg last, and the names of colours after an exchange."""
        order, names = np.arange(self.pegs)[::-1].copy(), np.arange(self.colours)
        a, b = which // self.colours % self.colours, which % self.colours
        names[a], names[b] = b, a
        i, j = which // self.colours**2 // self.pegs, which // self.colours**2 % self.pegs
        order[self.pegs - 1 - i], order[self.pegs - 1 - j] = j, i
        return order, names

    def stays(self, p: Position, codes: list[int], order: Array, names: Array) -> bool:
        """Whether an exchange of pegs and colours leaves the possible codes as they are."""
        for code in codes:
            image = self.exchanged(code, order, names)
            if not (p[image // WORD] >> (image % WORD)) & 1:
                return False
        return True

    def without_names(self, guess: int, codes: list[int]) -> int:
        """The guess after an exchange of colours that no possible code has: they come in order."""
        seen = 0
        first = FIRST[self.pegs, self.colours]
        for code in codes:
            seen |= SIGNS[first + code]
        seen >>= self.pegs * self.colours
        names, free = np.full(self.colours, -1, np.int64), 0
        image = 0
        for peg in range(self.pegs - 1, -1, -1):
            colour = self.colour(guess, peg)
            if (seen >> (colour * self.pegs)) & 1:
                names[colour] = colour
            elif names[colour] < 0:
                while (seen >> (free * self.pegs)) & 1:
                    free += 1
                names[colour] = free
                free += 1
            image = self.colours * image + names[colour]
        return int(image)
