"""Periods of nim values, found in a table and proved for all heaps.

Values g(0), g(1), … have period p and saltus s from n0 on if g(n + p) = g(n) + s for all n >= n0.
A table can only show it up to its end. These theorems prove it for all n; k is the last place of
the code before digits repeat (if they do, after r digits), h the most heaps that may be left of
one.

**Saltus 0, finite code** (Guy and Smith 1956 for h = 2). If g(n + p) = g(n) for n0 <= n <
h n0 + (h - 1) p + k, with n0 >= 1, then for all n >= n0. For: an option of n + p has a part of at
least n0 + p; p less in that part is an option of n with the same value; and the other way round.

**Saltus 0, repeating digits.** If r divides p and g(n + p) = g(n) for n0 <= n < h (n0 + p) + k.
For: where no part is as large, more than k + p was taken, and p less may be taken as well.

**Saltus s > 0.** docs/heaps.md has the theorem and its proof; it is of the kind of Austin (1976)
and of Howse and Nowakowski (2004) for hexadecimal games. P and S are p and s doubled until S
exceeds all g(n) with n < n0 + p. It needs

1. s is a power of two (not if h = 1), P >= k + 2, P even, r divides P;
2. g(n + p) = g(n) + s for n0 <= n < n0 + 17 P - p;
3. cover: for all n and all v < S there is a heap m < n0 + 2 P with g(m) = v that can be left of
   large heaps congruent to n: alone, by a repeating digit, or with two equal heaps beside it (for
   v = 0 two equal heaps, or nothing, will do). The same with n0 <= m < n0 + P and g(m) = v
   modulo S.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.drawing.rich import Rich
from perfectplay.sums.heaps.codes import ONE, THREE, TWO, WHOLE, HeapCode

if TYPE_CHECKING:
    from perfectplay.schemas.sums import PeriodJson

TRIES = 50
"""Patterns that are put to the theorems, shortest first."""
ENOUGH = 3
"""A pattern that fills a table so many times is worth reporting even if nothing proves it."""


@dataclass(frozen=True)
class Period(Rich):
    """How values go on: g(n) = pattern[n % length] + saltus * (n // length) from `start` on."""

    length: int
    """0 if no period is known."""
    saltus: int
    start: int
    """The first heap from which on the values are regular."""
    proved: bool
    """True: for all heaps. False: only for those that were looked at."""
    reason: str
    """The theorem, or why it does not apply."""
    checked: int
    """How many heaps, from 0 on, were computed one by one."""
    pattern: tuple[int, ...] = ()
    exceptions: tuple[tuple[int, int], ...] = ()
    """Heaps below `start` whose value is not what the pattern says, each with its value."""

    @property
    def found(self) -> bool:
        """Whether there is a pattern at all."""
        return self.length > 0

    def value(self, heap: int) -> int:
        """What the pattern says of a heap."""
        return self.pattern[heap % self.length] + self.saltus * (heap // self.length)

    def __str__(self) -> str:
        if not self.found:
            return f"no period up to heap {self.checked - 1:,}"
        step = f", saltus {self.saltus:,}" if self.saltus else ""
        how = "proved" if self.proved else f"not proved, seen up to heap {self.checked - 1:,}"
        return f"period {self.length:,}{step} from heap {self.start:,} on ({how})"

    def as_json(self) -> PeriodJson:
        """All of it for JSON."""
        return {
            "length": self.length,
            "saltus": self.saltus,
            "start": self.start,
            "proved": self.proved,
            "reason": self.reason,
            "checked": self.checked,
            "pattern": list(self.pattern),
            "exceptions": [list(pair) for pair in self.exceptions],
        }


def find_period(code: HeapCode, values: Array) -> Period:
    """The least period that these values prove; else the best pattern they show, or none."""
    size = len(values)
    if size < 3:
        return Period(0, 0, 0, proved=False, reason="too few values", checked=size)
    steps = np.diff(values.astype(np.int64))
    matched = _matches(steps[::-1].copy())
    lengths = np.arange(1, size - 1)
    # steps[i] == steps[i + p] for starts <= i, hence g(n + p) = g(n) + s for starts <= n.
    starts = size - 1 - lengths - matched[1:]
    shown = np.flatnonzero((size - starts >= ENOUGH * lengths) & (starts <= size // 2))
    heaps = max(1, code.most_heaps)
    provable = heaps * (np.maximum(1, starts) + lengths) + len(code.digits) - 1 <= size
    reason = "no pattern"
    for i in np.union1d(shown, np.flatnonzero(provable))[:TRIES]:
        length, start = int(lengths[i]), int(starts[i])
        saltus = int(values[size - 1] - values[size - 1 - length])
        proved, why = prove(code, values, length, saltus, max(1, start))
        if proved:
            return _described(values, (length, saltus, start), why, proved=True)
        reason = why if len(shown) and i == shown[0] else reason
    if len(shown):
        length, start = int(lengths[shown[0]]), int(starts[shown[0]])
        saltus = int(values[size - 1] - values[size - 1 - length])
        return _described(values, (length, saltus, start), reason, proved=False)
    return Period(0, 0, 0, proved=False, reason=reason, checked=size)


def _described(values: Array, found: tuple[int, int, int], reason: str, *, proved: bool) -> Period:
    """A pattern with its exceptions."""
    length, saltus, start = found
    heaps = start + (np.arange(length) - start) % length  # the first regular heap of each residue
    pattern = values[heaps].astype(np.int64) - saltus * (heaps // length)
    before = np.arange(start)
    wrong = np.flatnonzero(
        values[:start] != pattern[before % length] + saltus * (before // length)
    )
    return Period(
        length,
        saltus,
        start,
        proved=proved,
        reason=reason,
        checked=len(values),
        pattern=tuple(pattern.tolist()),
        exceptions=tuple((int(n), int(values[n])) for n in wrong),
    )


def prove(code: HeapCode, values: Array, length: int, saltus: int, start: int) -> tuple[bool, str]:
    """Whether a theorem says that a period, seen in `values` from `start` >= 1 to the end, goes on
    for ever; and which one, or why not."""
    if code.unequal:
        return False, "no theorem covers splits into unequal heaps"
    if saltus < 0:
        return False, "values do not fall"
    if saltus:
        return _prove_rising(code, values, length, saltus, start)
    last, heaps = len(code.digits) - 1, max(1, code.most_heaps)
    if code.tail:
        length = lcm(length, len(code.tail))
        needed = heaps * (start + length) + last + length
        name = "periodicity theorem for repeating digits"
    else:
        needed = heaps * start + (heaps - 1) * length + last + length
        name = "octal periodicity theorem" if heaps == 2 else "periodicity theorem"
    if needed > len(values):
        return False, f"the {name} needs heaps up to {needed - 1:,}"
    return True, f"{name}, checked up to heap {needed - 1:,}"


def _prove_rising(
    code: HeapCode, values: Array, length: int, saltus: int, start: int
) -> tuple[bool, str]:
    """`prove` for a saltus above 0."""
    name = "arithmetic periodicity theorem"
    if saltus & (saltus - 1) and code.most_heaps > 1:
        return False, f"the {name} needs a power of two for saltus, not {saltus}"
    turns = lcm(length, len(code.tail) or 1)
    rise = saltus * (turns // length)
    if rise & (rise - 1) and code.most_heaps > 1:
        return False, f"the {name} needs a power of two for saltus, not {rise}"
    top = int(values[: start + turns].max())
    while rise <= top or turns < len(code.digits) + 1 or turns % 2:
        turns, rise = 2 * turns, 2 * rise
    needed = start + 17 * turns
    if needed > len(values):
        return False, f"the {name} needs heaps up to {needed - 1:,}"
    low = np.arange(1, start + 2 * turns)
    regular = np.arange(start, start + turns)
    for n in range(lcm(2, len(code.tail) or 1)):
        reached = set(values[low[_left_of(code, n, low)]].tolist())
        if _leaves_nothing(code, n):
            reached.add(0)
        again = set((values[regular[_left_of(code, n, regular)]] % rise).tolist())
        if not set(range(rise)) <= reached & again:
            return False, f"the {name} needs options of all values, and they are not certain"
    return True, f"{name}, checked up to heap {needed - 1:,}"


def _left_of(code: HeapCode, n: int, heaps: Array) -> Array:
    """Which heaps may be left of every large heap congruent to `n` (modulo 2 and the number of
    repeating digits): alone, or with two equal heaps beside it."""
    out = np.zeros(len(heaps), np.bool_)
    if code.tail:
        tail = np.array([code.digit(_far(code, i)) for i in range(len(code.tail))])
        out |= (tail[(n - heaps) % len(tail)] & ONE) > 0
    for take, digit in enumerate(code.digits):
        if digit & THREE:
            out |= (n - take - heaps) % 2 == 0
    return out


def _leaves_nothing(code: HeapCode, n: int) -> bool:
    """Whether every large heap congruent to `n` can be left without a counter, or as two equal
    heaps."""
    if code.tail and code.digit(_far(code, n)) & WHOLE:
        return True
    return any(d & TWO and (n - take) % 2 == 0 for take, d in enumerate(code.digits))


def _far(code: HeapCode, n: int) -> int:
    """A number congruent to `n` that only a repeating digit allows to take."""
    turn = len(code.tail)
    return len(code.digits) + (n - len(code.digits)) % turn


@kernel
def _matches(word: Array) -> Ints:
    """For each i how far the word from i on agrees with the word itself (the Z function)."""
    size = len(word)
    out = np.zeros(size, np.int64)
    left, right = 0, 0
    for i in range(1, size):
        same = min(right - i, out[i - left]) if i < right else 0
        while i + same < size and word[same] == word[i + same]:
            same += 1
        if i + same > right:
            left, right = i, i + same
        out[i] = same
    return out
