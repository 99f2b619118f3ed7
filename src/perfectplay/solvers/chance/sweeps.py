"""The fast path of games with chance: rows and components in order, all in compiled code.

`sweep_rows` is for strata without inner edges. `sweep_components` works through components,
children first: single rows by one backward step, cyclic ones by anchors.py; it stops at the first
component it has no proof for, which is then solved by other means (stochastic.py)."""

import numpy as np

from perfectplay.compiled.arrays import Bools, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.backward import FlatGraph
from perfectplay.solvers.chance.anchors import (
    MOST,
    chances,
    newton,
    plain,
    proved,
    put,
    widening,
)
from perfectplay.solvers.chance.local import add_below, localise, mean_below
from perfectplay.solvers.work import NONE


@kernel
def backward(
    graph: FlatGraph, row: int, bounds: tuple[Floats, Floats], worth: Floats, weight: Floats
) -> None:
    """Store the bounds of one row whose children are all known. `worth` and `weight` are
    scratch.

    The upper bound is the negative of the lower bound with signs and players exchanged."""
    low, kind, payoff, first, child, swap, weights, rewards, _ = graph
    lower, upper = bounds
    if kind[row] == OVER:
        exact = np.float64(payoff[row])
        lower[low + row] = exact if abs(exact) < 2.0**53 else np.nextafter(exact, -np.inf)
        upper[low + row] = exact if abs(exact) < 2.0**53 else np.nextafter(exact, np.inf)
        return
    swap_mask = -1 if len(swap) == len(child) else 0
    weight_mask = -1 if len(weights) == len(child) else 0
    reward_mask = -1 if len(rewards) == len(child) else 0
    count = first[row + 1] - first[row]
    for side in range(2):
        best = -np.inf if (kind[row] == 0) == (side == 0) else np.inf
        for j in range(count):
            e = first[row] + j
            turned = (swap[e & swap_mask] & 1) ^ side
            reward = np.float64(rewards[e & reward_mask]) * (1.0 - 2.0 * side)
            x = -upper[child[e]] if turned else lower[child[e]]
            x = x if reward == 0.0 else add_below(reward, x)
            worth[j] = x
            weight[j] = weights[e & weight_mask]
            best = max(best, x) if (kind[row] == 0) == (side == 0) else min(best, x)
        if kind[row] == CHANCE:
            best = mean_below(worth, weight, count)
        if side == 0:
            lower[low + row] = best
        else:
            upper[low + row] = -best


@kernel
def sweep_rows(graph: FlatGraph, begin: int, end: int, bounds: tuple[Floats, Floats]) -> None:
    """Store the bounds of the rows begin … end - 1, all of whose children lie in lower strata."""
    first = graph.first
    widest = 1
    for row in range(begin, end):
        widest = max(widest, first[row + 1] - first[row])
    worth = np.empty(widest)
    weight = np.empty(widest)
    for row in range(begin, end):
        backward(graph, row, bounds, worth, weight)


@kernel
def root_of(graph: FlatGraph, rows: Int32s, degree: Int32s) -> int:
    """Where to begin the walk: the row with most parents, a declared anchor if there is one."""
    anchor = graph.anchor
    anchor_mask = -1 if len(anchor) == len(degree) else 0
    best: int = rows[0]
    for row in rows:
        more = np.int64(anchor[row & anchor_mask]) - np.int64(anchor[best & anchor_mask])
        if more > 0 or (more == 0 and degree[row] > degree[best]):
            best = row
    return best


@kernel
def note_rounds(residuals: Floats, rounds: Ints, longest: Floats) -> None:
    """Count the rounds of a component; its residuals are kept if it took most rounds so far."""
    took = 0
    before = 0
    for i in range(len(residuals)):
        took += residuals[i] > NONE
        before += longest[i] > NONE
    rounds[took] += 1
    if took > before:
        longest[:] = residuals


@kernel
def sweep_components(
    graph: FlatGraph,
    parts: tuple[Int32s, Int32s, Ints, Bools],
    begin: int,
    end: int,
    bounds: tuple[Floats, Floats],
    scratch: tuple[Int32s, Int32s, Ints, Floats],
    endless: float,
    width: float,
) -> int:
    """The first of components begin … end - 1 that was not solved, or `end`.

    parts = (component of each row, rows by component, where each begins, whether it is cyclic).
    scratch = (…, …, how many components took so many rounds, residuals of the one that took
    most): the last two are added to."""
    number, rows, start, cyclic = parts
    place, degree, rounds, longest = scratch
    residuals = np.empty(len(longest))
    first = graph.first
    widest = 1
    for row in range(len(first) - 1):
        widest = max(widest, first[row + 1] - first[row])
    worth = np.empty(widest)
    weight = np.empty(widest)
    for c in range(begin, end):
        mine = rows[start[c] : start[c + 1]]
        if not cyclic[c]:
            backward(graph, mine[0], bounds, worth, weight)
            continue
        local = localise(graph, number, mine, root_of(graph, mine, degree), place, bounds)
        chance, scale = chances(local)
        if len(local.anchor) > MOST or not scale < np.inf or not plain(local, endless):
            return c
        choice, value, inverse, steps, fine = newton(local, chance, scale, residuals)
        under = value
        over = value
        for side in (1.0, -1.0):
            if fine:
                under = over
                over, fine = proved(local, side, choice, value, (inverse, steps), scale, endless)
        over = -over
        if not fine or widening(local, under, over) > width:
            return c
        put(local, under, over, graph.low, bounds)
        note_rounds(residuals, rounds, longest)
    return end
