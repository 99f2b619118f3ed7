"""Codes of taking and breaking: what may be done to a heap, written as digits.

The digit at place t after the point says what may be left of a heap when t counters are taken; it
is the sum of

    1   nothing is left: the heap had t counters
    2   one heap is left
    4   two heaps are left
    8   three heaps are left

Heaps that are left are never empty. The digit before the point is that of taking none: 4 and 8
split a heap. With digits up to 7 a code is octal, up to F hexadecimal. Digits in parentheses at
the end repeat for ever: Nim is 0.(3), also written 0.333…. Grundy's game, where a heap is split
into two of different sizes, is 4!.0.

Check: 0.77 is Kayles, where one or two counters are taken and what is left may be split.
"""

import re
from dataclasses import dataclass

from perfectplay.errors import UsageError

WHOLE, ONE, TWO, THREE = 1, 2, 4, 8
"""The parts of a digit: leave nothing, one heap, two heaps, three heaps."""

NAMES = {
    "kayles": "0.77",
    "dawsons-kayles": "0.07",
    "dawsons-chess": "0.137",
    "treblecross": "0.007",
    "officers": "0.6",
    "guiles": "0.15",
    "nim": "0.(3)",
    "laskers-nim": "4.(3)",
    "kenyons-game": "0.3F",
    "grundys-game": "4!.0",
}
"""Games that have a name, with their codes."""

MOST_DIGITS = 100_000
MOST_TAIL = 64
_HINT = (
    'give a code such as 0.77, 0.(3) or 4.333…, "take 1,3,4", "all but 1,2", or a name: '
    + ", ".join(NAMES)
)
_CODE = re.compile(r"([0-9A-F]?)\.([0-9A-F]*)(?:[(\[]([0-9A-F]+)[)\]]|(\.\.\.|…))?")


@dataclass(frozen=True)
class HeapCode:
    """What may be done to a heap."""

    digits: tuple[int, ...] = (0,)
    """digits[t] says what may be left when t counters are taken, for the first few t."""
    tail: tuple[int, ...] = ()
    """The digits after those, again and again; empty: nothing else may be taken."""
    unequal: bool = False
    """A heap may only be split into two heaps of different sizes (Grundy's game)."""

    def digit(self, take: int) -> int:
        """What may be left when `take` counters are taken."""
        if take < len(self.digits):
            return self.digits[take]
        return self.tail[(take - len(self.digits)) % len(self.tail)] if self.tail else 0

    @property
    def most_heaps(self) -> int:
        """How many heaps may be left of one, at most."""
        return max(0, max(self.digits + self.tail).bit_length() - 1)

    @property
    def text(self) -> str:
        """The code as one word."""
        if self.unequal:
            return "4!.0"
        shown = "".join(f"{digit:X}" for digit in self.digits)
        tail = "".join(f"{digit:X}" for digit in self.tail)
        return f"{shown[0]}.{shown[1:]}" + (f"({tail})" if tail else "0" * (len(shown) == 1))


def heap_code(text: str) -> HeapCode:
    """The code that a text writes: digits, a name, or the numbers that may be taken.

    Subtraction games are written "take 1,3,4" or "take 1-5", or, if all numbers but a few may be
    taken, "all but 1,2"."""
    asked = " ".join(text.split())
    low = asked.lower()
    code = NAMES.get(low.replace("'", "").replace(" ", "-"), asked)
    if re.fullmatch(r"4!(\.0?)?", code):
        return HeapCode((4,), unequal=True)
    if low.startswith("take "):
        taken = _numbers(low.removeprefix("take "), text)
        return HeapCode(tuple(3 if t in taken else 0 for t in range(max(taken) + 1)))
    if low.startswith("all but "):
        left_out = {0, *_numbers(low.removeprefix("all but "), text)}
        return HeapCode(tuple(0 if t in left_out else 3 for t in range(max(left_out) + 1)), (3,))
    found = _CODE.fullmatch(code.upper())
    if not found or not (found[2] or found[3] or found[1]) or (found[4] and not found[2]):
        raise UsageError(f"no heap game is written {text!r}", _HINT)
    digits = [int(digit, 16) for digit in (found[1] or "0") + found[2]]
    tail = [digits[-1]] if found[4] else [int(digit, 16) for digit in found[3] or ""]
    if digits[0] & 3:
        raise UsageError(
            f"{text!r}: the digit before the point is {digits[0]:X}, a move that changes nothing",
            "without taking, a heap can only be split: 0, 4, 8 or C stand before the point",
        )
    return _tidied(digits, tail, text)


def _tidied(digits: list[int], tail: list[int], text: str) -> HeapCode:
    """The shortest way to write a code."""
    tail = tail or [0]
    sizes = [size for size in range(1, len(tail) + 1) if len(tail) % size == 0]
    tail = next(tail[:size] for size in sizes if tail[:size] * (len(tail) // size) == tail)
    while len(digits) > 1 and digits[-1] == tail[-1]:
        digits.pop()
        tail = [tail[-1], *tail[:-1]]
    tail = tail if any(tail) else []
    if len(digits) > MOST_DIGITS or len(tail) > MOST_TAIL:
        raise UsageError(
            f"{text[:40]!r}… has too many digits",
            f"at most {MOST_DIGITS:,} digits, and {MOST_TAIL} that repeat",
        )
    return HeapCode(tuple(digits), tuple(tail))


def _numbers(listed: str, text: str) -> set[int]:
    """The positive numbers of a list such as "1,3,5-8"."""
    found: set[int] = set()
    for word in listed.replace(" ", ",").split(","):
        ends = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", word)
        if word and not ends:
            raise UsageError(f"{text!r}: {word!r} is no number to take", _HINT)
        if ends:
            low, high = int(ends[1]), int(ends[2] or ends[1])
            if not 1 <= low <= high < MOST_DIGITS:
                raise UsageError(f"{text!r}: {word} is not from 1 to {MOST_DIGITS - 1:,}", _HINT)
            found.update(range(low, high + 1))
    if not found:
        raise UsageError(f"{text!r} lists no numbers", _HINT)
    return found
