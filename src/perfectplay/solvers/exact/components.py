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

from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.chance.certify import opposite
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.chance.reachability import progress_choice, toward_exit
from perfectplay.solvers.chance.strategy_iteration import remain

Numbers = list[Any]  # of fmpq


def rational(number: float | Fraction) -> Any:
    """A finite float or Fraction as fmpq."""
    top, bottom = number.as_integer_ratio()
    return fmpq(top, bottom)


def fraction(number: Any) -> Fraction:
    """An fmpq as Fraction."""
    return Fraction(int(number.p), int(number.q))


def leaving(local: LocalGraph, choice: Array) -> Array:
    """The rows from which play may leave under the choices."""
    row_of = np.repeat(np.arange(len(local.kind)), np.diff(local.first))
    taken = (local.kind[row_of] < 0) | (np.arange(len(local.to)) == choice[row_of])
    return np.asarray(toward_exit(local, taken) >= 0)


class ExactComponent:
    """A component with exact numbers at its edges."""

    def __init__(self, local: LocalGraph, base: Numbers, endless: Any) -> None:
        self.local = local
        self.base = base
        self.endless = endless  # fmpq, or None: play must end
        self.kind: list[int] = local.kind.tolist()
        self.first: list[int] = local.first.tolist()
        self.to: list[int] = local.to.tolist()
        weight = local.weight.tolist()
        self.share: Numbers = [None] * len(self.to)
        for i, kind in enumerate(self.kind):
            if kind < 0:
                edges = range(self.first[i], self.first[i + 1])
                total = sum(int(weight[e]) for e in edges)
                for e in edges:
                    self.share[e] = fmpq(int(weight[e]), total)

    def chain(self, choice: Array) -> Numbers | None:
        """Values under fixed choices of both players; None if play must end but need not."""
        out = leaving(self.local, choice)
        if self.endless is None and not out.all():
            return None
        const: Numbers = []
        slope: list[dict[int, Any]] = []
        for i in range(len(self.kind)):
            if not out[i]:
                const.append(self.endless)
                slope.append({})
                continue
            self._row(i, choice, out, const, slope)
        anchors = [int(a) for a in self.local.anchor if out[a]]
        known = self._anchors(anchors, const, slope)
        return [
            c + sum((f * known[a] for a, f in s.items()), fmpq(0))
            for c, s in zip(const, slope, strict=True)
        ]

    def _row(
        self, i: int, choice: Array, out: Array, const: Numbers, slope: list[dict[int, Any]]
    ) -> None:
        """Append row i as an affine function of the anchors."""
        if self.kind[i] >= 0:
            e = int(choice[i])
            pairs = [(e, fmpq(1))]
        else:
            pairs = [(e, self.share[e]) for e in range(self.first[i], self.first[i + 1])]
        total = fmpq(0)
        parts: dict[int, Any] = {}
        for e, share in pairs:
            to = self.to[e]
            total += share * self.base[e]
            if to < 0:
                continue
            if not out[to]:
                total += share * self.endless
            elif to >= i:
                parts[to] = parts.get(to, fmpq(0)) + share
            else:
                total += share * const[to]
                for a, f in slope[to].items():
                    parts[a] = parts.get(a, fmpq(0)) + share * f
        const.append(total)
        slope.append(parts)

    @staticmethod
    def _anchors(
        anchors: list[int], const: Numbers, slope: list[dict[int, Any]]
    ) -> dict[int, Any]:
        """The exact values of the anchors."""
        k = len(anchors)
        if not k:
            return {}
        cells = [
            fmpq(int(r == c)) - slope[a].get(b, fmpq(0))
            for r, a in enumerate(anchors)
            for c, b in enumerate(anchors)
        ]
        right = fmpq_mat(k, 1, [const[a] for a in anchors])
        solution = fmpq_mat(k, k, cells).solve(right)
        return {a: solution[r, 0] for r, a in enumerate(anchors)}

    def worths(self, value: Numbers) -> Numbers:
        """The values of all edges."""
        return [b if to < 0 else b + value[to] for b, to in zip(self.base, self.to, strict=True)]

    def better(self, player: int, choice: Array, worth: Numbers) -> bool:
        """Switch a player's choices where another edge is strictly better."""
        changed = False
        for i, kind in enumerate(self.kind):
            if kind != player:
                continue
            edges = range(self.first[i], self.first[i + 1])
            best = (max if player == 0 else min)(edges, key=worth.__getitem__)
            if worth[best] != worth[choice[i]]:
                choice[i] = best
                changed = True
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
        kind, first = self.local.kind, self.local.first
        row_of = np.repeat(np.arange(len(kind)), np.diff(first))
        tight = np.array([worth[e] == value[row_of[e]] for e in range(len(worth))])
        if player == 1:  # player 0's choices are fixed while player 1 answers
            tight &= (kind[row_of] != 0) | (np.arange(len(worth)) == choice[row_of])
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
