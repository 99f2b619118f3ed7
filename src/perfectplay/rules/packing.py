"""Named fields of an integer, for positions that pack several small numbers side by side.

    SCORES, TOTAL, TURN, ROLLING = fields(40, 10, 2, 1)  # bits of each, lowest field first
    SCORE = SCORES.each(10)                              # four scores in SCORES

`get(p, TOTAL)` reads a field and `put(p, TOTAL, 7)` replaces it. `at(TOTAL, 7)` is 7 in its place:
`at(TOTAL, 7) | at(TURN, 1)` makes a position, `p + at(TOTAL, face)` adds to a field. A further
argument picks one of several fields of equal size: `get(p, SCORE, player)`; `summed` and `rotated`
take several at once.

All of it is integer arithmetic that compiles as it stands: a field that is a constant of its
module costs no more than shifts and masks written out. Fields whose size depends on parameters may
be attributes of the game. Nothing checks that a number fits its field.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple


class Field(NamedTuple):
    """`bits` bits of an integer, from bit `low` on."""

    low: int
    bits: int

    def each(self, bits: int) -> Field:
        """The first of the smaller fields, of `bits` bits, that this one consists of."""
        return Field(self.low, bits)


def fields(*bits: int) -> tuple[Field, ...]:
    """Fields of so many bits, side by side, lowest first."""
    return tuple(map(Field, accumulate(bits, initial=0), bits))


def get(p: int, field: tuple[int, int], i: int = 0) -> int:
    """The number in a field of `p`, or in the i-th field of its size from there on."""
    low, bits = field
    return (p >> (low + bits * i)) & ((1 << bits) - 1)


def put(p: int, field: tuple[int, int], number: int, i: int = 0) -> int:
    """`p` with another number in a field."""
    low, bits = field
    place = low + bits * i
    return (p & ~(((1 << bits) - 1) << place)) | (number << place)


def at(field: tuple[int, int], number: int, i: int = 0) -> int:
    """A number in the place of a field, with nothing beside it."""
    low, bits = field
    return number << (low + bits * i)


def summed(p: int, field: tuple[int, int], number: int) -> int:
    """The sum of so many numbers in fields of equal size, side by side."""
    total = 0
    for i in range(number):
        total += get(p, field, i)
    return total


def rotated(p: int, field: tuple[int, int], first: int, number: int) -> int:
    """So many numbers in fields of equal size, beginning with number `first`: those of players,
    as the player on turn sees them."""
    found = 0
    for i in range(number):
        found |= get(p, field, (first + i) % number) << (field[1] * i)
    return found
