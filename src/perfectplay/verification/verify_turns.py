"""Verification of games with turns: what lies between anchors is walked through again.

Patterns, and what they share and merge, are not used: the rules are run on every position of every
turn, one by one. What a position inside is worth is derived here from the stored values of the
anchors that its turn leads to, and then put to the same laws as if it had been stored: inside
bounds are claims that follow exactly from those below them, and the stored bounds of an anchor
must follow from these."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import VerificationError
from perfectplay.positions.batch import Batch, Expander, some
from perfectplay.positions.expand import expander
from perfectplay.positions.turns.patterns import TurnPositions, heights
from perfectplay.positions.turns.walk import walk
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.strata.graph import Facts
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.verification.progress_proof import RunSummary
from perfectplay.verification.row_check import RowCheck, claims, mean_floors, worths
from perfectplay.verification.stored_units import child_strata, row_check
from perfectplay.verification.verify_strata import StoredKeys, StrataVerifier

POSITIONS = 1 << 20
"""Positions that are held at once, roughly."""

Find = Callable[[Any, Array, Array], tuple[Array, dict[str, Array]]]
"""(keys, strata, rows of the chunk) of some children -> (rows in their strata, their columns)."""


@dataclass
class Unrolled:
    """The positions of some turns as rows: first the anchors, then all that is inside."""

    check: RowCheck
    anchors: int
    child: Array
    """int64[e]: row of the stratum for an anchor of the same stratum, else -1; a position inside
    is counted from the size of the stratum on."""
    leaves: Array
    """bool[e]: edges that end a turn."""

    @property
    def returns(self) -> bool:
        """Whether a turn leads back into the stratum of its anchor."""
        return bool((self.leaves & (self.child >= 0)).any())


class TurnsVerifier(StrataVerifier):
    """Verifies the anchors of a game that is solved by turns."""

    def __init__(self, table: Table | MemoryTable, rules: Expander, sample: int | None) -> None:
        super().__init__(table, rules, sample)
        self.shared = False  # the walker keeps what it needs of one piece
        steps = expander(rules.game, plain=rules.width == 0, steps=True)
        self.walker = Unroller(steps, self.facts)

    @property
    def at_once(self) -> int:
        """Anchors whose turns are walked through at a time."""
        return self.walker.at_once

    def chunk(
        self, number: int, rows: Array, keys: Any, columns: dict[str, Array]
    ) -> list[tuple[int, RunSummary]]:
        """Verify some anchors of a stratum, through all positions of their turns; what is needed
        of these if turns lead back into the stratum."""
        mine = some(keys, rows)
        stored = {name: c[rows] for name, c in columns.items() if name != "move"}

        def find(children: Any, strata: Array, row_of: Array) -> tuple[Array, dict[str, Array]]:
            if len(strata) and int(strata.max()) > number:
                row = int(row_of[np.argmax(strata > number)])
                self.complain(mine[row], f"a turn leads from stratum {number} up to a higher one")
            return self.children(mine, row_of, children, strata, stored)

        size = len(keys) + sum(len(next(iter(c.values()))) for c in self.inside)
        walker, m = self.walker, len(rows)
        positions = self.read(mine)
        if not self.facts.scalar:
            walker.tolerance = self._tied(stored)
        found = walker.unroll(positions, stored, number, size, find)
        if not self.facts.scalar:
            self._refuse_ranges(mine, stored, walker, found)
            return []
        try:
            good = self.follow(found.check, StoredKeys(mine))
        except VerificationError:  # perhaps what is inside was rounded too far
            walker.precise = True
            found = walker.unroll(positions, stored, number, size, find)
            good = self.follow(found.check, StoredKeys(mine))
            walker.precise = False
        check = found.check
        if not found.returns:
            return []
        self.cyclic = True
        self.inside.append({name: column[m:] for name, column in check.rows.items()})
        dead = found.leaves & (found.child < 0) & (claims(check.children)[1] == -math.inf)
        edges = np.diff(check.first), found.child, check.swap, good, check.reward, dead
        cut = int(check.first[m])
        first = RunSummary(check.kind[:m], edges[0][:m], *(a[:cut] for a in edges[1:]))
        rest = RunSummary(check.kind[m:], edges[0][m:], *(a[cut:] for a in edges[1:]))
        return [(int(rows[0]), first), (size, rest)]

    def _tied(self, stored: dict[str, Array]) -> Any:
        """By how much a move that is taken in a turn may seem worse than the best."""
        if "exact_0" in stored:
            return Fraction(self.tolerance)
        largest = max(float(np.abs(column).max(initial=1.0)) for column in stored.values())
        return self.tolerance + 2e-12 * largest

    def _refuse_ranges(self, mine: Any, stored: dict[str, Array], walker: Any, found: Any) -> None:
        """Refuse the first anchor whose values are not what its turn may be worth."""
        wrong = walker.outside(found, stored)
        if wrong.any():
            row = int(np.argmax(wrong))
            ranges = [f"{name} {column[row]}" for name, column in found.check.rows.items()]
            self.refuse(mine, stored, row, ", ".join(ranges))


def steps_of_turns(
    raw: Expander, rules: Expander, positions: Any
) -> tuple[TurnPositions, Array, Batch, Array]:
    """The turns of anchors, walked through; which of their positions are inside; the steps from
    those, with representatives for children; and to which of those each step leads, -1 if it ends
    the turn."""
    walked = walk(raw, positions)
    inside = np.flatnonzero(~walked.leaf)
    place = np.full(len(walked.kind), -1, np.int64)
    place[inside] = np.arange(len(inside))
    ends = walked.leaf[walked.child] | (walked.child < len(positions))
    batch = rules.expand(some(walked.positions, inside))
    return walked, inside, batch, np.where(ends, -1, place[walked.child])


class Unroller:
    """Walks through turns by single steps of the rules."""

    def __init__(self, rules: Expander, facts: Facts) -> None:
        self.rules, self.raw, self.facts = rules, rules.raw(), facts
        self.tolerance: Any = 0
        """How much worse than the best a move of several players may be."""
        self.precise = False
        """Whether means of bounds are to be the best possible: slow, and hardly ever needed."""
        self.per_anchor = 1.0
        """Positions of a turn, on the average so far."""

    @property
    def at_once(self) -> int:
        """How many anchors to take at a time."""
        return max(1, int(POSITIONS / max(self.per_anchor, 64.0)))

    def unroll(
        self, positions: Any, columns: dict[str, Array], number: int, size: int, find: Find
    ) -> Unrolled:
        """The turns of anchors with these stored columns, of stratum `number` with `size` rows."""
        walked, inside, batch, to = steps_of_turns(self.raw, self.rules, positions)
        many = len(positions)
        self.per_anchor = max(1.0, len(inside) / many)
        row_of = np.repeat(np.arange(len(inside)), np.diff(batch.first))
        leaves = to < 0
        strata = child_strata(batch)
        ends = np.flatnonzero(leaves)
        at, stored = find(
            some(self.rules.keys(batch.child), ends),
            strata[ends],
            walked.tags[inside][row_of[ends]],
        )
        child = np.where(leaves, -1, size - many + to)
        child[ends] = np.where(strata[ends] == number, at, -1)
        if not self.facts.scalar:  # ranges, which are narrow at first
            stored = {
                f"{end}_{name.rpartition('_')[2]}": column
                for end in ("low", "high")
                for name, column in stored.items()
            }
        edge_columns = {name: np.empty(len(row_of), c.dtype) for name, c in stored.items()}
        for name, column in stored.items():
            edge_columns[name][ends] = column
        rows = {name: np.empty(len(batch.kind), c.dtype) for name, c in stored.items()}
        check = row_check(batch, self.facts, rows, edge_columns)
        check.swap[~leaves] = 0
        self._derive(check, to, walked, inside)
        if self.facts.scalar:
            for name in check.rows:
                check.rows[name][:many] = columns[name]
        return Unrolled(check, many, child, leaves)

    def outside(self, found: Unrolled, columns: dict[str, Array]) -> Array:
        """bool[n]: anchors of several players whose stored values are not in their ranges."""
        wrong = np.zeros(found.anchors, np.bool_)
        for name, column in columns.items():
            i = name.rpartition("_")[2]
            low, high = (
                found.check.rows[f"{side}_{i}"][: found.anchors] for side in ("low", "high")
            )
            wrong |= ((column < low - self.tolerance) | (column > high + self.tolerance)).astype(
                bool
            )
        return wrong

    def _derive(self, check: RowCheck, to: Array, walked: TurnPositions, inside: Array) -> None:
        """Fill in what every position is worth, from the ends of the turns backwards."""
        height = heights(walked)[inside]
        order = np.argsort(height, kind="stable")
        cuts = np.flatnonzero(np.diff(height[order])) + 1
        settle = self._bounds if "lower" in check.rows else self._numbers
        settle = settle if self.facts.scalar else self._ranges
        for rows in np.split(order, cuts):
            first, edges = check.edges_of(rows)
            within = edges[to[edges] >= 0]
            for name, column in check.children.items():
                column[within] = check.rows[name][to[within]]
            settle(check, rows, first, edges)

    def _bounds(self, check: RowCheck, rows: Array, first: Array, edges: Array) -> None:
        """Bounds that follow from those of the children, hardly wider."""
        turned = (check.swap[edges] & 1) == 1
        low, high = check.children["lower"][edges], check.children["upper"][edges]
        low, high = np.where(turned, -high, low), np.where(turned, -low, high)
        earned = check.reward[edges]
        low, high = _sum_below(low, earned), -_sum_below(-high, -earned)
        kind, ended = check.kind[rows], check.kind[rows] == OVER
        lower, upper = np.zeros(len(rows)), np.zeros(len(rows))
        lower[ended] = upper[ended] = check.payoff[rows[ended]]
        go = np.flatnonzero(~ended)
        if len(go):
            begin = first[:-1][go]
            most = [np.maximum.reduceat(x, begin) for x in (low, high)]
            least = [np.minimum.reduceat(x, begin) for x in (low, high)]
            weight = check.weight[edges]
            if self.precise:
                mean = [_floors(first, weight, low)[go], -_floors(first, weight, -high)[go]]
            else:
                mean = [_mean(x, weight, begin) for x in (low, high)]
                mean[0] = np.maximum(np.nextafter(mean[0], -math.inf), least[0])
                mean[1] = np.minimum(np.nextafter(mean[1], math.inf), most[1])
            for out, i in ((lower, 0), (upper, 1)):
                out[go] = np.select([kind[go] == 0, kind[go] == 1], [most[i], least[i]], mean[i])
        check.rows["lower"][rows], check.rows["upper"][rows] = lower, upper

    def _ranges(self, check: RowCheck, rows: Array, first: Array, edges: Array) -> None:
        """What positions may be worth to each player: any of the mover's best moves may be taken,
        whatever the rule for ties, up to the tolerance."""
        players = self.facts.players
        low, high = (
            worths(check, [f"{side}_{i}" for i in range(players)], edges)
            for side in ("low", "high")
        )
        found = [check.payoff[rows].astype(low.dtype) for _ in range(2)]
        count = np.diff(first)
        go = np.flatnonzero(count)
        if len(go):
            begin, mover = first[:-1][go], check.kind[rows[go]].astype(np.int64)
            row_of = np.repeat(np.arange(len(go)), count[go])
            own = np.arange(len(edges)), np.maximum(mover, 0)[row_of]
            bar = np.maximum.reduceat(low[own], begin) - self.tolerance
            chance = mover[row_of] == CHANCE
            may = chance | (high[own] >= bar[row_of])
            weight = np.where(chance, check.weight[edges], 1)
            if low.dtype == object:
                weight = np.array([Fraction(int(w)) for w in weight], object)
            total = np.add.reduceat(weight, begin)
            for i in range(players):
                for side, worth in enumerate((low, high)):
                    mean = np.add.reduceat(weight * worth[:, i], begin) / total
                    pick: Any = np.maximum if side else np.minimum
                    chosen = np.where(may, worth[:, i], _worst(worth[:, i], side))
                    best = pick.reduceat(chosen, begin)
                    found[side][go, i] = np.where(mover == CHANCE, mean, best)
        for side, name in enumerate(("low", "high")):
            for i in range(players):
                check.rows[f"{name}_{i}"][rows] = found[side][:, i]

    def _numbers(self, check: RowCheck, rows: Array, first: Array, edges: Array) -> None:
        """Exact values of games with opposed interests."""
        sign = np.where(check.swap[edges] & 1, -1, 1)
        worth = sign * check.children["exact_0"][edges] + check.reward[edges]
        for i, row in enumerate(rows.tolist()):
            kind = int(check.kind[row])
            here = worth[first[i] : first[i + 1]]
            if kind == OVER:
                found = Fraction(int(check.payoff[row]))
            elif kind == CHANCE:
                weight = check.weight[edges[first[i] : first[i + 1]]].tolist()
                mean = sum(w * x for w, x in zip(weight, here, strict=True))
                found = mean / Fraction(sum(weight))
            else:
                found = max(here) if kind == 0 else min(here)
            check.rows["exact_0"][row] = found


def _worst(column: Array, side: int) -> Any:
    """What never is the least (side 0) or the most (side 1) of a column."""
    return column.max() if side == 0 else column.min()


def _mean(numbers: Array, weight: Array, begin: Array) -> Array:
    """Weighted means of runs of numbers, nearly as good as floats can be."""
    precise = weight.astype(np.longdouble)
    with np.errstate(invalid="ignore"):
        mean = np.add.reduceat(precise * numbers, begin) / np.add.reduceat(precise, begin)
    return mean.astype(np.float64)


def _floors(first: Array, weight: Array, numbers: Array) -> Array:
    """For each run the largest float that is known not to exceed its weighted mean."""
    out = np.empty(len(first) - 1)
    mean_floors(first, weight, numbers, out)
    return out


def _sum_below(a: Array, b: Array) -> Array:
    """a + b rounded down; as it is where that is a float."""
    total = a + b
    with np.errstate(invalid="ignore"):
        back = total - a
        rest = (a - (total - back)) + (b - back)
    return np.where(rest < 0, np.nextafter(total, -math.inf), total)
