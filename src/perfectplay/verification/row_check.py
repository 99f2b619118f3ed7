"""Row checks: whether values of rows follow from those of their children.

`RowCheck` holds a run of rows with all that their values should follow from. Condition (1) of
progress_proof.py is checked for both guards by `guarded`, exactly: integers and rationals as they
are, floats as sums without any rounding (`_signs`). Outcomes are checked together with their
depth: a win in d plies rests on a child that is lost in d - 1, and so on down to an end, which is
a proof by induction."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Floats, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.store import NONE

_FAR = 1 << 40
_DOUBT = 2


@dataclass
class RowCheck:
    """A run of rows, their values and those of their children. Worth is that to player 0."""

    kind: Array
    first: Array
    payoff: Array
    """int64[n], or int64[n, players] where there are vectors."""
    swap: Array
    weight: Array
    reward: Array
    """int64[e], or int64[e, players]."""
    rows: dict[str, Array]
    """The value columns of the rows."""
    children: dict[str, Array]
    """The same columns of the children, edge by edge."""

    @property
    def row_of(self) -> Array:
        """int64[e]: the row of each edge."""
        return np.repeat(np.arange(len(self.kind)), np.diff(self.first))

    def edges_of(self, rows: Array) -> tuple[Array, Array]:
        """The edges of some rows, one after the other: (first, numbers)."""
        count = np.diff(self.first)[rows]
        first = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(count, out=first[1:])
        return first, np.repeat(self.first[rows] - first[:-1], count) + np.arange(first[-1])


def _per_row(check: RowCheck, marked: Array) -> Array:
    """How many of a row's edges are marked."""
    total = np.zeros(len(marked) + 1, np.int64)
    np.cumsum(marked, out=total[1:])
    return np.asarray(total[check.first[1:]] - total[check.first[:-1]])


def claims(columns: dict[str, Array]) -> tuple[Array, Array]:
    """What is claimed of values: (lower, upper), equal if they are exact."""
    if "lower" in columns:
        return columns["lower"], columns["upper"]
    name = next(name for name in ("outcome", "score", "exact_0") if name in columns)
    column = columns[name]
    exact = column if name == "exact_0" else column.astype(np.int64, copy=False)
    return exact, exact


def seen_by(columns: dict[str, Array], guard: int | Array) -> Array:
    """What the table claims for a guard who is player 0 or 1."""
    lower, upper = claims(columns)
    if isinstance(guard, int):
        return -upper if guard else lower
    return np.where(guard == 1, -upper, lower)


def guarded(check: RowCheck, guard: int) -> tuple[Array, Array]:
    """(rows at which condition (1) holds for this guard, edges that are good for them)."""
    mine = seen_by(check.rows, guard)
    theirs = seen_by(check.children, guard ^ (check.swap & 1))
    earned = -check.reward if guard else check.reward
    payoff = -check.payoff if guard else check.payoff
    one_each = np.arange(len(theirs) + 1)
    ones = np.ones(len(theirs), np.int64)
    good = _at_least(one_each, ones, earned, theirs, mine[check.row_of])
    count = _per_row(check, good)
    holds = np.where(check.kind == guard, count > 0, count == np.diff(check.first))
    ended = check.kind == OVER
    holds[ended] = mine[ended] <= payoff[ended]
    chance = np.flatnonzero(check.kind == CHANCE)
    if len(chance):
        first, edges = check.edges_of(chance)
        holds[chance] = _at_least(
            first, check.weight[edges], earned[edges], theirs[edges], mine[chance]
        )
    return holds, good


def _at_least(first: Array, weight: Array, earned: Array, worth: Array, mine: Array) -> Array:
    """bool[n]: whether the mean of earned + worth over the edges of row i is at least mine[i]."""
    if worth.dtype == np.int64:  # one edge per row: without chance
        total = np.where(np.abs(worth) == -NONE, worth, worth + earned)
        return np.asarray(total >= mine)
    if worth.dtype == object:
        return _at_least_exact(first, weight, earned, worth, mine)
    if len(first) == len(worth) + 1 and not earned.any():
        return np.asarray(worth >= mine)
    sign = np.empty(len(mine), np.int8)
    _signs(first, weight, earned, worth, mine, sign)
    for row in np.flatnonzero(sign == _DOUBT):
        edges = slice(first[row], first[row + 1])
        surplus = sum(
            int(w) * (int(r) + Fraction(float(x)) - Fraction(float(mine[row])))
            for w, r, x in zip(weight[edges], earned[edges], worth[edges], strict=True)
        )
        sign[row] = (surplus > 0) - (surplus < 0)
    return sign >= 0


def _at_least_exact(
    first: Array, weight: Array, earned: Array, worth: Array, mine: Array
) -> Array:
    if len(first) == len(worth) + 1:  # one edge per row
        return np.array(
            [
                x + r >= m if r else x >= m
                for x, r, m in zip(worth, earned.tolist(), mine, strict=True)
            ],
            np.bool_,
        )
    out = np.zeros(len(mine), np.bool_)
    for row in range(len(mine)):
        edges = range(first[row], first[row + 1])
        total = sum(int(weight[e]) * (int(earned[e]) + worth[e]) for e in edges)
        out[row] = total >= mine[row] * sum(int(weight[e]) for e in edges)
    return out


@kernel
def _signs(
    first: Ints, weight: Ints, earned: Ints, worth: Floats, mine: Floats, sign: Kinds
) -> None:
    """Sign of the sum of weight * (earned + worth - mine) over each row's edges, without rounding.

    Every product is split into two floats that together are exact (Dekker), and added to an
    expansion: floats that do not overlap, whose sum is exact (Shewchuk). _DOUBT where the numbers
    are too large or too small for that, or too many."""
    parts = np.empty(200)
    factor = np.empty(3)
    for row in range(len(mine)):
        base = mine[row]
        low = np.inf
        high = -np.inf
        fits = (base == 0.0 or abs(base) > 1e-200) and abs(base) < 1e200
        for e in range(first[row], first[row + 1]):
            x = worth[e]
            low = min(low, x)
            high = max(high, x)
            fits = fits and (x == 0.0 or abs(x) > 1e-200) and abs(x) < 1e200
            fits = fits and weight[e] < 2**53 and abs(earned[e]) < 2**53
        if abs(base) == np.inf or low == -np.inf or high == np.inf:
            # Claims of -infinity claim nothing; otherwise one such child spoils the mean.
            if base == -np.inf or (low > -np.inf and high == np.inf):
                sign[row] = 1
            else:
                sign[row] = -1
            continue
        sign[row] = _DOUBT
        used = 0
        for e in range(first[row], first[row + 1]):
            if not fits or used > 190:
                fits = False
                break
            w = float(weight[e])
            factor[0] = worth[e]
            factor[1] = -base
            factor[2] = float(earned[e])
            for k in range(3):
                used = _grow(parts, used, w, factor[k])
        if fits:
            top = parts[used - 1] if used else 0.0
            sign[row] = 1 if top > 0.0 else (-1 if top < 0.0 else 0)


@kernel
def _grow(parts: Floats, used: int, a: float, b: float) -> int:
    """Add a * b exactly to the expansion parts[:used]; how many parts it has then."""
    if b == 0.0:
        return used
    product = a * b
    c = 134217729.0 * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = 134217729.0 * b
    b_high = c - (c - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    for k in range(2):
        carry = error if k == 0 else product
        kept = 0
        for i in range(used):
            total = carry + parts[i]
            back = total - carry
            rest = (carry - (total - back)) + (parts[i] - back)
            carry = total
            if rest != 0.0:
                parts[kept] = rest
                kept += 1
        if carry != 0.0:
            parts[kept] = carry
            kept += 1
        used = kept
    return used


@kernel
def mean_floors(first: Ints, weight: Ints, worth: Floats, out: Floats) -> None:
    """Weighted means of the worths of each row's edges, rounded down, and exact where a mean is a
    float. Worths should be no smaller than 1e-200, or 0."""
    parts = np.empty(4096)
    for row in range(len(out)):
        total = 0.0
        low, high = np.inf, -np.inf
        used = 0
        for e in range(first[row], first[row + 1]):
            total += weight[e]
            low, high = min(low, worth[e]), max(high, worth[e])
        out[row] = low
        fan = first[row + 1] - first[row]
        if low in (high, -np.inf) or high == np.inf or not 0 < fan < 1000:
            continue
        for e in range(first[row], first[row + 1]):
            used = _grow(parts, used, float(weight[e]), worth[e])
        guess = 0.0
        for i in range(used):
            guess += parts[i]
        guess = min(high, np.nextafter(guess / total, np.inf))
        for _ in range(8):
            rest = parts[:used].copy()
            more = np.empty(used + 8)
            more[:used] = rest
            left = _grow(more, used, -total, guess)
            if left == 0 or more[left - 1] > 0.0:
                out[row] = max(low, guess)
                break
            guess = np.nextafter(guess, -np.inf)


def _codes(won: Array, depth: Array) -> Array:
    """Outcomes with depth as numbers, the better for the mover the larger.

    Win in d: FAR - d; endless win: FAR / 2; draw: 0; endless loss: -FAR / 2; loss in d: d - FAR.
    """
    sign = won.astype(np.int64)
    return np.where(depth < 0, sign * (_FAR // 2), sign * (_FAR - depth.astype(np.int64)))


def _outcome_text(code: int, turn: int) -> str:
    sign = (code > 0) - (code < 0)
    depth = -1 if abs(code) <= _FAR // 2 else _FAR - abs(code)
    return f"outcome {sign * turn}, depth {depth}"


def outcomes_follow(check: RowCheck, endless: float) -> tuple[Array, Array]:
    """(rows whose outcome and depth are right, codes that follow from the children)."""
    won, depth = check.rows["outcome"], check.rows["depth"]
    ended = check.kind == OVER
    turn = np.where(check.kind == 1, -1, 1)
    theirs = check.children["outcome"] * np.where(check.swap & 1, -1, 1) * turn[check.row_of]
    codes = _codes(theirs, check.children["depth"])
    best = np.zeros(len(check.kind), np.int64)
    if len(codes):
        best[~ended] = np.maximum.reduceat(codes, check.first[:-1][~ended])
    follows = best - np.where(best > _FAR // 2, 1, 0) + np.where(best < -_FAR // 2, 1, 0)
    follows[ended] = _codes(np.sign(check.payoff[ended]), np.zeros(int(ended.sum()), np.int64))
    right = _codes(won * turn, depth) == follows
    right &= (depth >= -1) & (np.abs(won) <= 1)
    right &= np.where(
        won == 0, depth == np.where(ended, 0, -1), (depth >= 0) | (won == np.sign(endless))
    )
    return right, follows


def outcome_that_follows(check: RowCheck, follows: Array, row: int) -> str:
    """In words, what row `row` should have been."""
    if check.kind[row] == OVER:
        return f"outcome {int(np.sign(check.payoff[row]))}, depth 0"
    return _outcome_text(int(follows[row]), -1 if check.kind[row] == 1 else 1)


def value_that_follows(check: RowCheck, row: int) -> str:
    """In words, what the children of row `row` make of it: for player 0, from below and above."""
    if check.kind[row] == OVER:
        return f"{check.payoff[row]}"
    edges = slice(check.first[row], check.first[row + 1])
    ends: list[Any] = []
    for guard in (0, 1):
        theirs = seen_by(check.children, guard ^ (check.swap & 1))[edges]
        earned = (-check.reward if guard else check.reward)[edges]
        worth = [x if abs(x) == -NONE else x + int(r) for x, r in zip(theirs, earned, strict=True)]
        if check.kind[row] == CHANCE:
            weight = check.weight[edges].tolist()
            found = sum(w * x for w, x in zip(weight, worth, strict=True)) / sum(weight)
        else:
            found = max(worth) if check.kind[row] == guard else min(worth)
        ends.append(-found if guard else found)
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def worths(check: RowCheck, names: list[str], edges: Array | slice = slice(None)) -> Array:
    """What edges are worth to every player of the row, by columns of the children."""
    theirs = np.stack([check.children[name][edges] for name in names], axis=1)
    shift = check.swap[edges][:, None].astype(np.int64)
    who = (np.arange(len(names))[None, :] - shift) % len(names)
    return np.asarray(check.reward[edges] + np.take_along_axis(theirs, who, axis=1))


def vectors_follow(check: RowCheck, ties: str, tolerance: float) -> tuple[Array, list[Any]]:
    """(rows whose vectors are right up to `tolerance`, what follows from their children instead).

    A row is right if it equals what one of the mover's best moves is worth to everybody; with ties
    "average", the mean of all of their best moves."""
    names = [name for name in check.rows if name.startswith(("value_", "exact_"))]
    mine = np.stack([check.rows[name] for name in names], axis=1)
    worth = worths(check, names)
    right = np.zeros(len(check.kind), np.bool_)
    if worth.dtype != object and ties != "average":
        right = _vectors_right(check, mine, worth, tolerance)
    follows: list[Any] = [None] * len(check.kind)
    for row in np.flatnonzero(~right).tolist():
        edges = slice(check.first[row], check.first[row + 1])
        options = _options(check, row, worth[edges], ties, tolerance)
        far = [
            max(abs(a - b) for a, b in zip(mine[row], option, strict=True)) for option in options
        ]
        right[row] = min(far) <= tolerance
        follows[row] = options[int(np.argmin(far))]
    return right, follows


def _vectors_right(check: RowCheck, mine: Array, worth: Array, tolerance: float) -> Array:
    """bool[n]: rows that are certainly right, found without a loop over rows."""
    rows, edges = check.row_of, np.arange(len(worth))
    mover = check.kind.astype(np.int64)
    own = worth[edges, np.maximum(mover[rows], 0)]
    best = np.full(len(mover), -np.inf)
    np.maximum.at(best, rows, own)
    near = np.abs(worth - mine[rows]).max(axis=1, initial=0.0) <= tolerance
    right = _per_row(check, near & (own >= best[rows] - tolerance)) > 0
    share = check.weight / np.bincount(rows, check.weight, len(mover))[rows]
    mean = np.zeros(mine.shape)
    np.add.at(mean, rows, share[:, None] * worth)
    other = np.where((mover == OVER)[:, None], check.payoff, mean)
    settled = np.abs(other - mine).max(axis=1) <= tolerance
    return np.where(mover >= 0, right, settled)


def _options(check: RowCheck, row: int, worth: Array, ties: str, tolerance: float) -> list[Any]:
    """The vectors that row `row` may have."""
    kind = int(check.kind[row])
    exact = worth.dtype == object
    if kind == OVER:
        return [list(check.payoff[row])]
    if kind == CHANCE:
        weight = check.weight[check.first[row] : check.first[row + 1]].tolist()
        chance = [Fraction(w, sum(weight)) if exact else w / sum(weight) for w in weight]
        return [sum(c * x for c, x in zip(chance, worth, strict=True))]
    best = max(worth[:, kind])
    bar = best if exact else best - tolerance
    tied = [x for x in worth if x[kind] >= bar]
    if ties != "average":
        return tied
    mean = sum(tied) / (Fraction(len(tied)) if exact else len(tied))
    near = any(x[kind] != best for x in tied)  # a tie up to rounding may have been none
    return [mean, *tied] if near else [mean]
