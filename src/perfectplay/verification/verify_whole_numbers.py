"""Verification of whole numbers: every value derived again in integers, many at a time.

The values of a stratum are whole numbers over its denominator. Rows are checked in chunks: D is a
common multiple of the denominators of all strata that the chunk leads to, T of all sums of
weights of chance, and h the most steps that a position is from its children that are stored. Over
D T^h all of them are integers: what is stored is multiplied, an average is divided and must leave
no rest, and in the end a row must be what its stratum says. Numbers are lists of digits to base
2^30, and there are as many digits as the largest of them, reckoned beforehand, may need.

Nothing of solvers/exact/whole_numbers.py is used. What does not come out right, and strata in
which moves stay, are put to the slower proof of verify_strata.py, which also says what is
wrong."""

from math import lcm
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ints, Kinds, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand import expander
from perfectplay.positions.turns.patterns import heights
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.table.part_rows import PartRows
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.table.signature import ascending
from perfectplay.verification.row_check import RowCheck
from perfectplay.verification.stored_units import child_strata, row_check, uneven
from perfectplay.verification.table_rows import TableRows, find
from perfectplay.verification.verify_strata import StrataVerifier
from perfectplay.verification.verify_turns import TurnsVerifier, steps_of_turns

ROWS = 1 << 14
"""Rows that are checked at a time."""
BASE = 30
LARGE = 1 << 30
"""Weights, rewards and payoffs below this are digits."""


class _Words(TableRows):
    """The strata of a table, values as int64[n, words]."""

    def _decoded(self, rows: PartRows) -> dict[str, Array]:
        names = sorted(name for name in rows.columns if name.startswith("top_"))
        return {"top": np.stack([rows.columns[name] for name in names], axis=1)}


class _Play(NamedTuple):
    """The positions of some rows, and of their turns, with all steps."""

    check: RowCheck
    to: Array
    """int64[e]: the position that a step leads to; -1 if it is a stored one."""
    order: Array
    """Positions, children first."""
    high: int
    """Steps from a position to a stored one, at most."""
    child: Any
    stratum: Array


class WholeNumbersVerifier:
    """Verifies the strata of a table of whole numbers, lowest first."""

    def __init__(self, table: Table | MemoryTable, rules: Expander, sample: int | None) -> None:
        kind = StrataVerifier if rules.turn_patterns is None else TurnsVerifier
        self.slow = kind(table, rules, sample)
        self.source = _Words(table)
        self._sample = sample
        self._steps = expander(rules.game, plain=rules.width == 0, steps=True)
        self._raw = self._steps.raw()
        denominators = table.extra.get("denominators", {})
        self._denominator = {
            int(number): int(denominator) for number, denominator in denominators.items()
        }
        self._fast = 0

    @property
    def checked(self) -> int:
        """Rows that were verified."""
        return self.slow.checked + self._fast

    def words(self) -> str:
        """The kind of proof, in words."""
        return self.slow.words()

    def check_starts(self) -> None:
        """Every first position must be stored."""
        self.slow.check_starts()

    def stratum(self, number: int) -> int:
        """Verify all rows of one stratum; how many it has."""
        found = self.source.get(number)
        assert found is not None
        keys, columns = found
        quick = self._sample is None and isinstance(keys, np.ndarray) and ascending(keys)
        begins = range(0, len(keys), ROWS)
        if not quick or not all(
            self._holds(number, keys[i : i + ROWS], columns["top"][i : i + ROWS]) for i in begins
        ):
            return self.slow.stratum(number)
        self._fast += len(keys)
        return len(keys)

    def _holds(self, number: int, keys: Array, top: Array) -> bool:
        """Whether the values of some rows follow; False also if that is not easily decided."""
        play = self._played(keys)
        check = play.check
        ends = np.flatnonzero(play.to < 0)
        strata = play.stratum[ends]
        if self._denominator.get(number, 0) < 1 or (len(ends) and int(strata.max()) >= number):
            return False
        numbers = [check.weight, np.abs(check.reward), np.abs(check.payoff)]
        if any(int(each.max(initial=0)) >= LARGE for each in numbers):
            return False
        total = _common(check.kind, check.first, check.weight)
        if total < 0:
            return False
        named = distinct(strata).tolist()
        if not all(self._denominator.get(each, 0) > 0 for each in named):
            return False
        base = lcm(self._denominator[number], *(self._denominator[each] for each in named))
        base *= int(total) ** (play.high + 1)
        found = self._children(named, strata, play, ends)
        if found is None:
            return False
        rows, bits = found
        most = base.bit_length() + max(bits, 64) + 64 + play.high.bit_length()
        digits = most // BASE + 2
        slot = np.full(len(play.to), -1, np.int64)
        slot[ends] = np.arange(len(ends))
        worth = np.zeros((len(ends), digits), np.int64)
        for each, (edges, tops) in rows.items():
            part = np.zeros((len(edges), digits), np.int64)
            _scaled(tops, _digits(base // self._denominator[each], digits), part)
            worth[edges] = part
        value = np.zeros((len(check.kind), digits), np.int64)
        mine = np.zeros((len(keys), digits), np.int64)
        _scaled(
            np.ascontiguousarray(top), _digits(base // self._denominator[number], digits), mine
        )
        steps = check.first, play.to, check.swap, check.weight, check.reward, slot
        one = _digits(base, digits)
        if not _derive(play.order, check.kind, check.payoff, steps, worth, one, value):
            return False
        return bool((value[: len(keys)] == mine).all())

    def _children(
        self, named: list[int], strata: Array, play: _Play, ends: Array
    ) -> tuple[dict[int, tuple[Array, Array]], int] | None:
        """For each stratum the children that are stored there and their values, and how many bits
        the largest has; None if one is missing."""
        out: dict[int, tuple[Array, Array]] = {}
        bits = 1
        for each in named:
            stored = self.source.get(each)
            edges = np.flatnonzero(strata == each)
            at = np.full(1, -1) if stored is None else find(stored[0], play.child, ends[edges])
            if stored is None or int(at.min()) < 0:
                return None
            tops = stored[1]["top"][at]
            out[each] = edges, np.ascontiguousarray(tops)
            bits = max(bits, 64 * tops.shape[1])
        return out, bits

    def _played(self, keys: Array) -> _Play:
        """The rules run over some rows, step by step."""
        facts = self.slow.facts
        if self.slow.rules.turn_patterns is None:
            batch = self._steps.expand(keys)
            to = np.full(int(batch.first[-1]), -1, np.int64)
            order, high = np.arange(len(keys)), 1
        else:
            walked, inside, batch, to = steps_of_turns(self._raw, self._steps, keys)
            height = heights(walked)[inside]
            order, high = np.argsort(height, kind="stable"), int(height.max(initial=0)) + 1
        if uneven(batch, facts).any():
            self.slow.complain(keys[0], "payoffs near it do not add up as all others do")
        check = row_check(batch, facts, {}, {})
        check.swap[to >= 0] = 0  # inside a turn players keep their numbers
        return _Play(check, to, order, high, self._steps.keys(batch.child), child_strata(batch))


# -- Digits. --------------------------------------------------------------------------------------
# A number is a row of digits, the lowest first, all but the last one from 0 to 2^30 - 1; the last
# has the sign.


def _digits(number: int, count: int) -> Array:
    """A number as digits."""
    out = [(number >> (BASE * k)) & ((1 << BASE) - 1) for k in range(count - 1)]
    return np.array([*out, number >> (BASE * (count - 1))], np.int64)


@kernel
def _settled(x: Ints) -> None:
    """Carry what is too large for a digit."""
    for k in range(len(x) - 1):
        carry = x[k] >> BASE
        x[k] -= carry << BASE
        x[k + 1] += carry


@kernel
def _scaled(top: Ints, by: Ints, out: Ints) -> None:  # noqa: C901
    """out = top * by, for rows of words of 64 bits in two's complement."""
    count = out.shape[1]
    last = 1
    for k in range(len(by)):
        if by[k] != 0:
            last = k + 1
    digit = np.zeros(64 * top.shape[1] // BASE + 2, np.int64)
    for i in range(len(top)):
        negative = top[i, top.shape[1] - 1] < 0
        for d in range(len(digit)):
            digit[d] = 0
        for k in range(top.shape[1]):
            word = top[i, k]
            if negative:
                word = ~word  # -x - 1
            for b in range(64):
                if (word >> b) & 1:
                    place = 64 * k + b
                    digit[place // BASE] |= 1 << (place % BASE)
        if negative:
            digit[0] += 1
        sign = -1 if negative else 1
        for d in range(len(digit)):
            if digit[d] == 0:
                continue
            for k in range(last):
                if d + k < count:
                    out[i, d + k] += sign * digit[d] * by[k]
            _settled(out[i])


@kernel
def _common(kind: Kinds, first: Ints, weight: Ints) -> Any:
    """The least common multiple of all sums of weights; -1 if it is too large."""
    common = np.int64(1)
    for i in range(len(kind)):
        if kind[i] == CHANCE:
            total = np.int64(0)
            for e in range(first[i], first[i + 1]):
                total += weight[e]
            a, b = common, total
            while b != 0:
                a, b = b, a % b
            common = common // a * total
            if common >= LARGE or total >= LARGE:
                return -1
    return common


@kernel
def _less(a: Ints, b: Ints) -> Any:
    """Whether a < b."""
    k = len(a) - 1
    while k > 0 and a[k] == b[k]:
        k -= 1
    return a[k] < b[k]


@kernel
def _divided(x: Ints, by: int) -> Any:
    """x / by in its place; whether nothing is left over."""
    rest = np.int64(0)
    for j in range(len(x)):
        k = len(x) - 1 - j
        here = (rest << BASE) + x[k]
        x[k] = here // by
        rest = here - x[k] * by
    return rest == 0


@kernel
def _derive(
    order: Ints, kind: Kinds, payoff: Ints,
    steps: tuple[Ints, Ints, Bytes, Ints, Ints, Ints], worth: Ints, one: Ints, value: Ints,
) -> bool:  # fmt: skip
    """Values of all positions, children first; whether all averages came out whole."""
    first, to, swap, weight, reward, slot = steps
    count = len(one)
    here = np.empty(count, np.int64)
    for i in order:
        x = value[i]
        if kind[i] == OVER:
            for k in range(count):
                x[k] = payoff[i] * one[k]
            _settled(x)
            continue
        total = np.int64(0)
        for e in range(first[i], first[i + 1]):
            source = value[to[e]] if to[e] >= 0 else worth[slot[e]]
            sign = -1 if swap[e] & 1 else 1
            for k in range(count):
                here[k] = sign * source[k] + reward[e] * one[k]
            _settled(here)
            if kind[i] == CHANCE:
                total += weight[e]
                for k in range(count):
                    x[k] += weight[e] * here[k]
                _settled(x)
            elif e == first[i] or (_less(x, here) if kind[i] == 0 else _less(here, x)):
                for k in range(count):
                    x[k] = here[k]
        if kind[i] == CHANCE and not _divided(x, total):
            return False
    return True
