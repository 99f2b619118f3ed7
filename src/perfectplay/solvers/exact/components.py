"""Components in exact rationals: strategy iteration that ends with a proof.

Values of fixed choices are found by elimination: each row is an affine function of the anchors,
and the anchors' own system is solved exactly. Both players then improve in exact arithmetic:

1. Player 1 takes strictly better edges; if there are none, they stay for ever where that is worth
   less to player 0 than leaving, player 0's choices being fixed.
2. When player 1 cannot improve, player 0 does the same, against all tight edges of player 1: edges
   whose value is that of their row.

When neither can improve, the values satisfy the equations of both players, and no player could
profit from endless play: together these conditions are necessary and sufficient. Started from the
choices found in floats, one round is the rule."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.chance.certify import opposite
from perfectplay.solvers.chance.local import LocalGraph, progress_choice, toward_exit
from perfectplay.solvers.chance.strategy_iteration import remain

Numbers = list[Any]  # of fmpq
Affine = tuple[Any, dict[int, Any]]
"""A constant, and factors by anchor."""


def rational(number: float | Fraction) -> Any:
    """A finite float or Fraction as fmpq."""
    return fmpq(*number.as_integer_ratio())


def fraction(number: Any) -> Fraction:
    """An fmpq as Fraction."""
    return Fraction(int(number.p), int(number.q))


class ExactComponent:
    """A component with exact numbers at its edges."""

    def __init__(self, local: LocalGraph, base: Numbers, endless: Any) -> None:
        self.local = local
        self.base = base
        self.gains: list[float] = []
        """By how much a player could improve at one position, after each evaluation."""
        self.endless = endless  # fmpq, or None: play must end
        self.kind: list[int] = local.kind.tolist()
        self.first: list[int] = local.first.tolist()
        self.to: list[int] = local.to.tolist()
        self.row_of = np.repeat(np.arange(len(self.kind)), np.diff(local.first))
        self.chance = local.kind[self.row_of] < 0
        total = np.bincount(self.row_of, local.weight)[self.row_of]
        edges = zip(self.chance.tolist(), local.weight.tolist(), total.tolist(), strict=True)
        self.share: Numbers = [fmpq(int(w), int(t)) if c else fmpq(1) for c, w, t in edges]

    def chain(self, choice: Array) -> Numbers | None:
        """Values under fixed choices of both players; None if play must end but need not."""
        taken = self.chance | (np.arange(len(self.to)) == choice[self.row_of])
        out = toward_exit(self.local, taken) >= 0  # the rows from which play may leave
        if self.endless is None and not out.all():
            return None
        affine: list[Affine] = []
        for i in range(len(self.kind)):
            affine.append(self._row(i, choice, out, affine) if out[i] else (self.endless, {}))
        known = self._anchors([int(a) for a in self.local.anchor if out[a]], affine)
        self.gains.append(0.0)
        return [c + sum((f * known[a] for a, f in s.items()), fmpq(0)) for c, s in affine]

    def _row(self, i: int, choice: Array, out: Array, affine: list[Affine]) -> Affine:
        """Row i as a function of the anchors, from those of lower rows."""
        own = int(choice[i])
        span = (own, own + 1) if self.kind[i] >= 0 else (self.first[i], self.first[i + 1])
        total = fmpq(0)
        parts: dict[int, Any] = defaultdict(fmpq)
        for e in range(*span):
            to, share = self.to[e], self.share[e]
            total += share * self.base[e]
            if to < 0:
                continue
            if not out[to]:
                total += share * self.endless
            elif to >= i:
                parts[to] += share
            else:
                constant, factors = affine[to]
                total += share * constant
                for a, f in factors.items():
                    parts[a] += share * f
        return total, parts

    @staticmethod
    def _anchors(anchors: list[int], affine: list[Affine]) -> dict[int, Any]:
        """The exact values of the anchors."""
        k = len(anchors)
        if not k:
            return {}
        cells = [
            fmpq(int(r == c)) - affine[a][1].get(b, fmpq(0))
            for r, a in enumerate(anchors)
            for c, b in enumerate(anchors)
        ]
        right = fmpq_mat(k, 1, [affine[a][0] for a in anchors])
        solution = fmpq_mat(k, k, cells).solve(right)
        return {a: solution[r, 0] for r, a in enumerate(anchors)}

    def worths(self, value: Numbers) -> Numbers:
        """The values of all edges."""
        return [b if to < 0 else b + value[to] for b, to in zip(self.base, self.to, strict=True)]

    def better(self, player: int, choice: Array, worth: Numbers) -> bool:
        """Switch a player's choices where another edge is strictly better."""
        changed = False
        most = fmpq(0)
        for i, kind in enumerate(self.kind):
            if kind != player:
                continue
            edges = range(self.first[i], self.first[i + 1])
            best = (max if player == 0 else min)(edges, key=worth.__getitem__)
            if worth[best] != worth[choice[i]]:
                most = max(most, abs(worth[best] - worth[choice[i]]))
                choice[i] = best
                changed = True
        self.gains[-1] = max(self.gains[-1], float(fraction(most)))
        return changed

    def settle(self, player: int, choice: Array, value: Numbers, worth: Numbers) -> bool:
        """Whether a player can do better by staying for ever anywhere, which goes into
        `choice`."""
        if self.endless is None:
            return False
        sign = 1 if player == 0 else -1
        some = np.array([sign * (v - self.endless) < 0 for v in value])
        if not some.any():
            return False
        row_of = self.row_of
        tight = np.array([w == value[i] for w, i in zip(worth, row_of.tolist(), strict=True)])
        if player == 1:  # player 0's choices are fixed while player 1 answers
            tight &= (self.local.kind[row_of] != 0) | (np.arange(len(worth)) == choice[row_of])
            return bool(remain(opposite(self.local), choice, tight, some))
        return bool(remain(self.local, choice, tight, some))

    def answered(self, choice: Array) -> tuple[Numbers, Numbers] | None:
        """Values and worths after player 1's best answer, which goes into `choice`."""
        while True:
            value = self.chain(choice)
            if value is None:
                return None
            worth = self.worths(value)
            if not self.better(1, choice, worth) and not self.settle(1, choice, value, worth):
                return value, worth

    def solve(self, start: Array | None) -> Numbers:
        """The exact value of every row."""
        choice = progress_choice(self.local)[0] if start is None else start.copy()
        found = self.answered(choice)
        if found is None:
            choice = progress_choice(self.local)[0]
            found = self.answered(choice)
        while found is not None:
            value, worth = found
            if not self.better(0, choice, worth) and not self.settle(0, choice, value, worth):
                return value
            found = self.answered(choice)
        raise ArithmeticError("a choice that ends play was lost")
