"""Verification where both players choose at once: each must have a mixture that guarantees it.

Let a guard be one of the two players, and v what the table claims for them (progress_proof.py). At
a position where both choose, condition (1) becomes a saddle inequality: there is a mixture x of
the guard's choices such that, for every choice j of the other,

    v(position) <= sum over i of x[i] (reward + v(child i, j)).

Where such a mixture comes from does not matter: `nash` finds it, and the inequality is checked
here, in fractions. Where play may run in cycles, condition (2) is put to the graph in which the
guard keeps these mixtures: the other picks j, then chance picks i. To leave the other as little as
possible to go round with, mixtures use all choices that they can: every choice, if there is
anything to spare, else whatever any optimal mixture uses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import TooLargeError
from perfectplay.rules.game import CHANCE, SIMULTANEOUS
from perfectplay.solvers.matrix.nash import nash
from perfectplay.verification.progress_proof import CyclicStratum, RunSummary, stalled, whole
from perfectplay.verification.row_check import RowCheck, guarded, seen_by, value_that_follows
from perfectplay.verification.verify_strata import StrataVerifier

EXTREME = 200
"""Extreme optimal mixtures of which the mean is taken; with more, any one."""

Cells = list[list[Fraction]]
Mixture = list[Fraction]


class SimultaneousVerifier(StrataVerifier):
    """Verifies the strata of a table of rules with simultaneous moves, lowest first."""

    _number: int
    _rows: Array
    _inside: set[int]
    """Rows of a chunk that an edge leaves which stays in the stratum."""
    _columns: dict[int, int]
    """Of rows at which both choose: how many columns the matrix has."""

    def stratum(self, number: int) -> int:
        """Verify all rows of one stratum; how many it has."""
        self._columns = {}
        return super().stratum(number)

    def words(self) -> str:
        """The kind of proof, in words."""
        return f"{super().words()}; both players have mixed strategies that guarantee it"

    def chunk(
        self, number: int, rows: Array, keys: Any, columns: dict[str, Array]
    ) -> list[tuple[int, RunSummary]]:
        """Verify some rows of a stratum; what is needed of them if edges stay in the stratum."""
        self._number, self._rows = number, rows
        return super().chunk(number, rows, keys, columns)

    def children(
        self, mine: Any, row_of: Array, keys: Any, strata: Array, like: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        """(row of each child in its stratum, values of the children)."""
        self._inside = set(row_of[strata == self._number].tolist())
        return super().children(mine, row_of, keys, strata, like)

    def follow(self, check: RowCheck, mine: Any) -> Array:
        """Refuse the first row that does not follow; else bit g of edges that guard g uses."""
        both = np.flatnonzero(check.kind == SIMULTANEOUS).tolist()
        for row in both:
            self._columns[int(self._rows[row])] = int(check.weight[check.first[row]])
        good = np.zeros(len(check.swap), np.uint8)
        for guard in (0, 1):
            holds, fine = guarded(check, guard)
            claim = seen_by(check.rows, guard)
            for row in both:
                edges = slice(int(check.first[row]), int(check.first[row + 1]))
                wide = int(check.weight[edges.start])
                cells, least = matrix(check, row, guard), Fraction(claim[row])
                mixture = guaranteeing(cells, least, widest=row in self._inside)
                holds[row] = mixture is not None
                fine[edges] = _used(mixture, edges.stop - edges.start, wide, guard)
            if not holds.all():
                row = int(np.argmin(holds))
                self.refuse(mine, check.rows, row, _that_follows(check, row))
            good |= fine.astype(np.uint8) << guard
        return good

    def check_progress(
        self, keys: Any, columns: dict[str, Array], kept: list[tuple[int, RunSummary]]
    ) -> None:
        """Condition (2) of progress_proof.py, for a stratum with edges inside."""
        claim = np.stack([seen_by(columns, 0), seen_by(columns, 1)], axis=1).reshape(-1)
        stratum = whole(kept, claim, len(claim) // 2)
        inside = stratum.child >= 0
        endless = self.facts.endless
        if endless != 0 and stratum.swap[inside].any():
            endless = math.nan  # endless play has no worth here: claims must be forced
        unfolded = _unfolded(stratum, self._columns)
        for guard, worth in enumerate((endless, -endless)):
            missing = stalled(unfolded, -math.inf if math.isnan(worth) else worth)
            wrong = missing[::2][: len(claim)][guard::2]
            if wrong.any():
                what = "more" if guard else "less"
                reason = f"{what}: nothing forces it, play may go round for ever"
                self.refuse(keys, columns, int(np.argmax(wrong)), reason)


def matrix(check: RowCheck, row: int, guard: int) -> Cells:
    """What pairs of choices are worth to a guard: a row for each of their own choices."""
    edges = slice(check.first[row], check.first[row + 1])
    children = {name: column[edges] for name, column in check.children.items()}
    theirs = seen_by(children, guard ^ (check.swap[edges] & 1))
    earned = (-check.reward[edges] if guard else check.reward[edges]).tolist()
    worth = [Fraction(x) + r for x, r in zip(theirs.tolist(), earned, strict=True)]
    wide = int(check.weight[edges.start])
    cells = [worth[k : k + wide] for k in range(0, len(worth), wide)]
    return [list(column) for column in zip(*cells, strict=True)] if guard else cells


def guaranteeing(cells: Cells, claim: Fraction, *, widest: bool) -> Mixture | None:
    """A mixture of rows that brings at least `claim` in every column, with as many rows as it can
    have if the `widest` is wanted; None if there is none."""
    found = nash(cells)
    spare = found.value - claim
    mixture = list(found.rows)
    if widest and spare > 0:
        least = min(map(min, cells))
        share = min(Fraction(1), spare / (found.value - least)) if found.value > least else 1
        mixture = [(1 - share) * x + Fraction(share) / len(cells) for x in mixture]
    elif widest and spare == 0:
        try:
            every = nash(cells, all=True, most=EXTREME).all_rows or ()
            mixture = [sum(each, Fraction(0)) / len(every) for each in zip(*every, strict=True)]
        except TooLargeError:
            pass
    return mixture if _brings(cells, mixture, claim) else None


def _brings(cells: Cells, mixture: Mixture, claim: Fraction) -> bool:
    """The proof: shares that add up to 1, and in every column at least `claim`."""
    if min(mixture) < 0 or sum(mixture) != 1:
        return False
    columns = zip(*cells, strict=True)
    return all(
        sum(x * cell for x, cell in zip(mixture, column, strict=True)) >= claim
        for column in columns
    )


def _used(mixture: Mixture | None, count: int, wide: int, guard: int) -> list[bool]:
    """Which of the `count` edges of a position, row by row, a guard's mixture uses."""
    if mixture is None:
        return [False] * count
    return [mixture[e % wide if guard else e // wide] > 0 for e in range(count)]


def _that_follows(check: RowCheck, row: int) -> str:
    """In words, what the children of a row make of it: for player 0, from below and above."""
    if check.kind[row] != SIMULTANEOUS:
        return value_that_follows(check, row)
    low, high = nash(matrix(check, row, 0)).value, -nash(matrix(check, row, 1)).value
    return f"{low}" if low == high else f"{float(low)} to {float(high)}"


def _unfolded(stratum: CyclicStratum, columns: dict[int, int]) -> CyclicStratum:
    """The graph of all nodes 2 * row + g, each seen by a guard who is player g there and keeps
    their mixtures; here guards are always player 0. Where both choose, the other picks one of the
    rows that are added, at which chance acts."""
    size = 2 * len(stratum.kind)
    kinds: list[int] = []
    rows: list[list[tuple[int, bool, int]]] = []  # edges: (child, good, what the guard earns)
    added: list[list[tuple[int, bool, int]]] = []
    claims: list[Any] = []
    for node in range(size):
        row, guard = divmod(node, 2)
        kind, edges = int(stratum.kind[row]), _edges(stratum, row, guard)
        if kind == SIMULTANEOUS:
            parts = _replies(edges, columns[row], guard)
            edges = [(size + len(added) + k, True, 0) for k in range(len(parts))]
            added += parts
            claims += [stratum.claim[node]] * len(parts)
            kind = 1 - guard
        kind = kind ^ guard if kind >= 0 else kind
        kinds.append(kind)
        rows.append(edges)
    return _joined(kinds + [CHANCE] * len(added), rows + added, [*stratum.claim, *claims])


def _edges(stratum: CyclicStratum, row: int, guard: int) -> list[tuple[int, bool, int]]:
    """The edges of a node: (node or -1, whether it is good for the guard, what they earn)."""
    found = []
    for e in range(int(stratum.first[row]), int(stratum.first[row + 1])):
        child, swap = int(stratum.child[e]), int(stratum.swap[e]) & 1
        earned = int(stratum.reward[e])
        to = 2 * child + (guard ^ swap) if child >= 0 else -1
        found.append((to, bool(stratum.good[e] >> guard & 1), -earned if guard else earned))
    return found


def _replies(
    edges: list[tuple[int, bool, int]], wide: int, guard: int
) -> list[list[tuple[int, bool, int]]]:
    """For each choice of the other, the edges among which the guard's mixture lets chance pick."""
    rows = [edges[k : k + wide] for k in range(0, len(edges), wide)]
    return [
        [edge for edge in part if edge[1]] for part in (rows if guard else zip(*rows, strict=True))
    ]


def _joined(
    kinds: list[int], rows: list[list[tuple[int, bool, int]]], claims: list[Any]
) -> CyclicStratum:
    """Rows as a stratum; seen by the other, who is not the guard, nothing is claimed."""
    edges = [edge for row in rows for edge in row]
    count = np.array([len(row) for row in rows], np.int64)
    nothing = np.full(len(kinds), -math.inf, object)
    claim = np.stack([np.array(claims, object), nothing], axis=1).reshape(-1)
    return CyclicStratum(
        kind=np.array(kinds, np.int8),
        count=count,
        child=np.array([to for to, _, _ in edges], np.int64),
        swap=np.zeros(len(edges), np.uint8),
        good=np.array([good for _, good, _ in edges], np.uint8),
        reward=np.array([earned for _, _, earned in edges], np.int64),
        dead=np.zeros(len(edges), np.bool_),
        first=np.append(0, np.cumsum(count)),
        claim=claim,
    )
