"""Sets of cells as the bits of an integer, and packed numbers sorted (see rules/packing.py).

All functions are integer arithmetic that compiles as it stands: values stay below 2**63 and are
never negative, but for `signed`. Cell (x, y) of a board is bit y * width + x.
"""

from collections.abc import Sequence

from perfectplay.rules.packing import get, put

WORD = 62
"""How many bits a position may use without ever touching the sign."""


LOW, SIGN = 2**63 - 1, -(2**63)
"""All bits of a word but the highest, and that one, which is the sign."""


def signed(word: int) -> int:
    """64 bits as the integer that compiled rules keep: for positions that use all bits, the sign
    too. Compiled, it does nothing."""
    return (word & LOW) | (SIGN if word >> 63 & 1 else 0)


def count(cells: int) -> int:
    """How many bits of `cells` are set. No step leaves 64 bits, so NumPy's integers serve, too."""
    cells -= (cells >> 1) & 0x5555555555555555
    cells = (cells & 0x3333333333333333) + ((cells >> 2) & 0x3333333333333333)
    cells = (cells + (cells >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((cells & 0xFFFFFFFF) + (cells >> 32)) * 0x01010101 >> 24 & 0x7F


def marked(marks: Sequence[str], letter: str) -> int:
    """The cells marked with a letter."""
    return sum(1 << cell for cell, mark in enumerate(marks) if mark == letter)


def crosses_and_noughts(first: int, second: int, cells: int) -> str:
    """A letter for each cell: X, O or a dot."""
    return "".join(".XO"[(first >> c & 1) + 2 * (second >> c & 1)] for c in range(cells))


def strides(length: int) -> tuple[int, ...]:
    """How far `runs` looks ahead, step by step, to find runs of `length` cells (2 or more)."""
    found: list[int] = []
    while sum(found) + 1 < length:
        known = sum(found) + 1
        found.append(min(known, length - known))
    return tuple(found)


def runs(cells: int, step: int, ahead: tuple[int, ...]) -> int:
    """The cells where a run begins, each of its cells `step` bits after the last.

    `ahead` is strides(length): a tuple, so that compiled code knows how many there are. A run may
    wrap around the edge of the board: use a board with an empty border, or keep only those cells
    where a run has room.
    """
    for i in range(len(ahead)):
        cells &= cells >> (step * ahead[i])
    return cells


def gaps(cells: int, step: int, line: int) -> int:
    """The cells, taken or not, that would complete a line of `line` cells, each `step` bits after
    the last. Use a board with an empty border, and keep only cells of the board."""
    found = 0
    for many in range(line):  # how many of the others come after it
        after = before = -1
        for i in range(1, many + 1):
            after &= cells >> (i * step)
        for i in range(1, line - many):
            before &= cells << (i * step)
        found |= after & before  # apart, so that compiled code shares what comes again
    return found


def lacking(own: int, free: int, step: int, room: int, line: int, cells: int) -> int:
    """The free cells of lines that are all one's own but for so many free `cells`, 1 or 2. A line
    has `line` cells, each `step` bits after the last, and begins in `room`. Sets may have 64 bits,
    the sign too; the answer has them as far as it is used for its bits."""
    whole, one, two, more = room, 0, 0, 0
    for i in range(line):
        gap = free >> (i * step)
        whole &= (own | free) >> (i * step)
        more |= two & gap
        two = (two & ~gap) | (one & gap)
        one = (one & ~gap) | (gap & ~(one | two | more))
    whole &= one if cells == 1 else two
    found = 0
    for i in range(line):
        found |= (whole << (i * step)) & free
    return found


def symmetric(cells: int, width: int, height: int, kind: int) -> int:
    """`cells` after symmetry `kind` of the board: bit 0 mirrors left and right, bit 1 top and
    bottom, bit 2 (square boards only) then exchanges rows and columns."""
    image = 0
    for y in range(height):
        for x in range(width):
            if (cells >> (y * width + x)) & 1:
                to_x = width - 1 - x if kind & 1 else x
                to_y = height - 1 - y if kind & 2 else y
                image |= 1 << (to_x * width + to_y if kind & 4 else to_y * width + to_x)
    return image


def sorted_down(packed: int, number: int, bits: int) -> int:
    """`number` packed numbers of `bits` bits each, largest lowest."""
    each = (0, bits)
    for done in range(number - 1):
        for i in range(number - 1 - done):
            here, above = get(packed, each, i), get(packed, each, i + 1)
            if here < above:
                packed = put(put(packed, each, above, i), each, here, i + 1)
    return packed
