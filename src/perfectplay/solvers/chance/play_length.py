"""How long play lasts if nobody has a choice left: the distribution of the steps until it ends.

The problem: rows of chance move on by their weights, rows of players have one edge each, and some
rows are counted. p[k] is the probability that play ends after exactly k counted rows. Mass is
pushed from counted row to counted row, one round for each k; rows that are not counted have one
edge, which is followed at once. On cycles play may last for any number of steps: rounds stop when
little is left, or when it takes too long, and what is left is the probability of more steps.

The guarantee, in floats: all numbers are sums of products of positive numbers, so that only
relative errors occur. A round multiplies, divides and adds at most `wide` terms: after k rounds
the relative error is below k (wide + 3) 2^-53, and what is left is a sum over all rows. With
fractions everything is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Floats, Ids, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import OVER
from perfectplay.strata.graph import Graph

LEFT = 1e-12
"""Play that is still going on, out of 1, which need not be followed any further."""
STEPS = 4_000_000_000
"""Edges that are followed before it is given up."""
EXACT_STEPS = 3_000_000
"""The same with fractions."""
ENDS, NEVER = 1, 2
"""Rows at which play has ended, and rows from which it never ends."""
MOST = 100_000
"""Counted steps that are told apart, at most."""


@dataclass(frozen=True)
class LengthDistribution:
    """How many counted steps play takes: probabilities, exact or with a relative error."""

    probabilities: Sequence[float | Fraction]
    """probabilities[k]: that play ends after exactly k steps."""
    beyond: float | Fraction
    """That it takes more steps than these, or never ends."""
    error: float
    """The relative error of each of these numbers, at most; 0 if they are exact."""


def jumps(graph: Graph, counted: Array) -> Array | None:
    """For each row the counted or terminal row that play comes to next, int64[n], itself if it is
    one; None if there is a cycle of rows that are not counted."""
    rows = np.arange(graph.size)
    stop = counted | (graph.kind == OVER)
    single = np.diff(graph.first) == 1
    if not (stop | single).all():
        return None
    to = np.where(stop, rows, 0)
    to[~stop] = graph.child[graph.first[:-1][~stop]]
    for _ in range(int(graph.size).bit_length() + 1):
        to = to[to]
    return to if stop[to].all() else None


def distribution(
    graph: Graph, counted: Array, never: Array, start: int, *, exact: bool
) -> LengthDistribution | None:
    """How many counted rows play meets from `start` on; None if play may go round for ever without
    meeting any. Play that comes to a row of `never` does not end, and is not followed further.
    `exact` asks for fractions, where that does not take too long."""
    to = jumps(graph, counted)
    if to is None:
        return None
    stops = np.where(graph.kind == OVER, ENDS, np.where(never, NEVER, 0)).astype(np.uint8)
    if exact:
        found = _in_fractions(graph, to, stops, start)
        if found is not None:
            return found
    mass = np.zeros(graph.size)
    mass[to[start]] = 1.0
    rounds = int(max(2, min(MOST, STEPS // max(graph.edges, 1))))
    ended = np.zeros(rounds + 1)
    child = to[graph.child].astype(np.uint32)
    weight = np.ascontiguousarray(np.broadcast_to(graph.weight, graph.edges), np.int64)
    took, left = _push(graph.first, child, weight, stops, mass, ended)
    wide = int(np.bincount(child, minlength=1).max(initial=1))
    error = 1.01 * ((took + 1) * (wide + 3) + graph.size) * 2.0**-53
    return LengthDistribution(ended[: took + 1].tolist(), float(left), error)


@kernel
def _push(
    first: Ints, child: Ids, weight: Ints, stops: Bytes, mass: Floats, ended: Floats
) -> tuple[int, float]:
    """Push mass along edges, round by round; ended[k] is what ends after k rounds. After how many
    rounds little was left that may end, and how much has not ended."""
    n = len(mass)
    after = np.zeros(n)
    never = 0.0
    for k in range(len(ended)):
        left = 0.0
        for row in range(n):
            now = mass[row]
            if now == 0.0:
                continue
            mass[row] = 0.0
            if stops[row] == ENDS:
                ended[k] += now
                continue
            if stops[row] == NEVER:
                never += now
                continue
            left += now
            total = 0
            for e in range(first[row], first[row + 1]):
                total += weight[e]
            for e in range(first[row], first[row + 1]):
                after[child[e]] += now * weight[e] / total
        if left <= LEFT or k == len(ended) - 1:
            return k, left + never
        mass, after = after, mass
    return 0, 1.0


def _in_fractions(graph: Graph, to: Array, stops: Array, start: int) -> LengthDistribution | None:
    """The same in fractions; None if that takes too long."""
    first, stop, never = graph.first.tolist(), stops.tolist(), Fraction(0)
    child = to[graph.child].tolist()
    weight = np.broadcast_to(graph.weight, graph.edges).tolist()
    mass, ended, work = {int(to[start]): Fraction(1)}, [Fraction(0)], 0
    while True:
        after: dict[int, Fraction] = {}
        for row, now in mass.items():
            if stop[row]:
                ended[-1] += now if stop[row] == ENDS else 0
                never += now if stop[row] == NEVER else 0
                continue
            edges = range(first[row], first[row + 1])
            total, work = sum(weight[e] for e in edges), work + len(edges)
            for e in edges:
                share = now * Fraction(weight[e], total)
                after[child[e]] = after[child[e]] + share if child[e] in after else share
        if work > EXACT_STEPS or len(ended) > MOST:
            return None
        left = sum(after.values(), Fraction(0))
        if left <= Fraction(LEFT):
            return LengthDistribution(ended, left + never, 0.0)
        mass = after
        ended.append(Fraction(0))
