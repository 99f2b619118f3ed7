"""Nim values of heaps 0, 1, 2, …: mex over all that a code allows, fast enough for a million.

Three methods, all exact:

* **plain**: every option of every heap is looked at;
* **tail**: where digits repeat for ever, options of smaller heaps stay options of larger ones, so
  that a set of values per residue is kept, and only what is new is looked at;
* **sparse space**: the values of most octal games fall into two halves, those with an odd and
  those with an even number of ones in certain binary places. The sum of two values is odd if just
  one of them is. If even values are rare among heaps, all odd options are found by looking at the
  rare heaps alone; the least odd value that is missing is then a bound, and only the few even
  values below it must be sought among all the other options. (Winning Ways, chapter 4; Gangolli
  and Plambeck 1989.) The answer does not depend on the choice of places, only the time does.
"""

from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Bytes, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.sums.heaps.codes import ONE, THREE, TWO, WHOLE, HeapCode

PLAIN = 4096
"""Heaps up to this size are computed plainly."""
CHUNK = 1 << 15
"""Heaps computed in one call, so that a user can stop in between."""


@dataclass(frozen=True)
class SparseSpace:
    """Two halves of all values, one of them rare.

    A value belongs to the sparse space if it has an even number of ones in the places of `mask`.
    """

    mask: int
    rare: tuple[int, ...]
    """The heaps up to `checked` whose value is in the sparse space."""
    checked: int
    """How many heaps, from 0 on, were looked at."""


class HeapValues:
    """The nim values of a code, computed further when they are asked for."""

    def __init__(self, code: HeapCode) -> None:
        self.code = code
        self.known: Array = np.zeros(1, np.int32)
        """int32: the values of heaps 0, 1, …; heap 0 has value 0."""
        self._digits = np.array(code.digits, np.int64)
        self._takes = np.flatnonzero(self._digits)
        self._tail = np.array(code.tail, np.int64)
        rows = max(1, len(code.tail))
        self._seen = np.zeros((rows, 1), np.bool_)
        self._least = np.zeros(rows, np.int64)

    def extend(self, size: int) -> None:
        """Know the values of heaps 0 … size - 1."""
        begin = len(self.known)
        if size <= begin:
            return
        values = np.zeros(size, np.int32)
        values[:begin] = self.known
        # Every play from n counters has fewer than 2n moves, and no value exceeds their number.
        room = 1 << (2 * size).bit_length()
        mark = np.zeros(room, np.int32)
        sparse = not len(self._tail) and not (self._digits & THREE).any() and self.splits
        while begin < size:
            if sparse and begin >= PLAIN:
                end = min(size, 2 * begin, begin + CHUNK)
                self._sparse(values, begin, end, mark)
            else:
                end = min(size, begin + CHUNK, max(PLAIN, begin + 1) if sparse else size)
                self._plain(values, begin, end, mark)
            begin = end
            self.known = values[:begin]

    @property
    def splits(self) -> bool:
        """Whether a heap may be split."""
        return self.code.most_heaps > 1

    def _plain(self, values: Array, begin: int, end: int, mark: Array) -> None:
        if len(self._tail) and self._seen.shape[1] < len(mark):
            grown = np.zeros((len(self._tail), len(mark)), np.bool_)
            grown[:, : self._seen.shape[1]] = self._seen
            self._seen = grown
        moves = self._takes, self._digits, self._tail, self.code.unequal
        _fill(values, begin, end, moves, mark, self._seen, self._least)

    def _sparse(self, values: Array, begin: int, end: int, mark: Array) -> None:
        space = sparse_space(values[:begin])
        odd = odd_ones(len(mark), space.mask)
        count = len(space.rare) - 1  # heap 0 is never left
        rare = np.zeros(end, np.int32)
        rare[:count] = space.rare[1:]
        worth = values[rare]
        moves = self._takes, self._digits, self.code.unequal
        _fill_sparse(values, begin, end, moves, mark, odd, (rare, worth, count))


def odd_ones(size: int, mask: int) -> Array:
    """uint8[size]: 1 for numbers with an odd number of ones in the places of `mask`."""
    ones = np.arange(size) & mask
    shift = 32
    while shift:
        ones ^= ones >> shift
        shift //= 2
    return (ones & 1).astype(np.uint8)


def sparse_space(values: Array) -> SparseSpace:
    """The half of all values that is rarest among those of heaps 1, 2, …."""
    size = 1 << int(values.max()).bit_length()
    # For each mask, heaps with even minus heaps with odd ones: a Walsh-Hadamard transform.
    excess = np.bincount(values[1:], minlength=size).astype(np.int64)
    half = 1
    while half < size:
        pairs = excess.reshape(-1, 2, half)
        excess = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), 1).reshape(-1)
        half *= 2
    mask = int(excess.argmin())
    rare = np.flatnonzero(odd_ones(size, mask)[values] == 0)
    return SparseSpace(mask, tuple(int(heap) for heap in rare), len(values))


@kernel
def _mark_options(
    values: Int32s, left: int, digit: int, unequal: int, marks: Array, mark: int
) -> None:
    """Set marks[v] for the values v of all that a digit allows to leave of `left` counters."""
    if digit & WHOLE and left == 0:
        marks[0] = mark
    if digit & ONE and left > 0:
        marks[values[left]] = mark
    if digit & TWO:
        for a in range(1, (left - 1 if unequal else left) // 2 + 1):
            marks[values[a] ^ values[left - a]] = mark
    if digit & THREE:
        for a in range(1, left // 3 + 1):
            rest = left - a
            for b in range(a, rest // 2 + 1):
                marks[values[a] ^ values[b] ^ values[rest - b]] = mark


@kernel
def _fill(
    values: Int32s, begin: int, end: int, moves: tuple[Ints, Ints, Ints, bool],
    mark: Int32s, seen: Bools, least: Ints,
) -> None:  # fmt: skip
    """Values of heaps begin … end - 1. `mark[v]` is n + 1 if heap n has an option of value v;
    seen[n % r, v] if some number in the tail, which repeats after r digits, leaves v; all below
    least[n % r] are seen."""
    takes, digits, tail, unequal = moves
    for n in range(begin, end):
        stamp = n + 1
        for i in range(len(takes)):
            if takes[i] > n:
                break
            _mark_options(values, n - takes[i], digits[takes[i]], unequal, mark, stamp)
        best = 0
        if len(tail) > 0:
            left = n - len(digits)
            if left >= 0:
                for row in range(len(tail)):
                    _mark_options(values, left, tail[(row - n) % len(tail)], 0, seen[row], 1)
            row = n % len(tail)
            best = least[row]
            while seen[row, best]:
                best += 1
            least[row] = best
        while mark[best] == stamp or (len(tail) > 0 and seen[n % len(tail), best]):
            best += 1
        values[n] = best


@kernel
def _mark_rare_splits(
    values: Int32s, left: int, unequal: int, rares: tuple[Int32s, Int32s, int],
    mark: Int32s, stamp: int,
) -> None:  # fmt: skip
    """Mark the values of all splits of `left` counters with a rare heap."""
    rare, worth, count = rares
    most = np.searchsorted(rare[:count], left)
    half = np.searchsorted(rare[:count], (left + 1) // 2)
    for j in range(half):
        mark[worth[j] ^ values[left - rare[j]]] = stamp
    if unequal and half < most and 2 * rare[half] == left:
        half += 1
    for j in range(half, most):
        mark[worth[j] ^ values[left - rare[j]]] = stamp


@kernel
def _fill_sparse(  # noqa: C901, PLR0912
    values: Int32s, begin: int, end: int, moves: tuple[Ints, Ints, bool],
    mark: Int32s, odd: Bytes, rares: tuple[Int32s, Int32s, int],
) -> None:  # fmt: skip
    """The same where heaps are split in two at most; only those in `rares` have even values."""
    takes, digits, unequal = moves
    rare, worth, count = rares
    for n in range(begin, end):
        stamp = n + 1
        # 1. Single heaps, and all splits with a rare heap: among them all odd options.
        for i in range(len(takes)):
            left = n - takes[i]
            if left < 0:
                break
            digit = digits[takes[i]]
            _mark_options(values, left, digit & (WHOLE | ONE), unequal, mark, stamp)
            if digit & TWO:
                _mark_rare_splits(values, left, unequal, (rare, worth, count), mark, stamp)
        # 2. The least odd value that is missing, and how many even ones below are not yet found.
        bound = 0
        sought = 0
        while not odd[bound] or mark[bound] == stamp:
            if mark[bound] != stamp:
                sought += 1
            bound += 1
        # 3. The other splits, until all of these are found.
        for i in range(len(takes)):
            left = n - takes[i]
            if sought == 0 or left < 0:
                break
            if digits[takes[i]] & TWO:
                for a in range(1, (left - 1 if unequal else left) // 2 + 1):
                    v = values[a] ^ values[left - a]
                    if v < bound and mark[v] != stamp:
                        mark[v] = stamp
                        sought -= 1
                        if sought == 0:
                            break
        if sought == 0:
            values[n] = bound
        else:
            v = 0
            while mark[v] == stamp:
                v += 1
            values[n], rare[count], worth[count] = v, n, v
            count += 1
