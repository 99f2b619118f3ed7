"""What scalar_bounds.py needs besides walks through turns: the values of exits, and the linear
systems of anchors."""

from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Bools, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.chance.local import add_below
from perfectplay.solvers.elimination import eliminated
from perfectplay.solvers.turns.turn_graph import COLUMNS, column_of
from perfectplay.solvers.turns.walks import ComponentBatch, Links

SINGULAR = 1e-13
"""A system with a pivot no larger than this counts as singular."""


class Extremes(NamedTuple):
    """What is known of the exits of each component of a batch."""

    half: Floats
    """Half the width of the widest bounds that it leads to."""
    least: Floats
    most: Floats
    """The least and the largest number that it can pay."""
    fine: Bools
    """Whether it leads to known and finite values only, and to few anchors."""


@kernel
def gather(
    members: tuple[Ints, Ints],
    batch: ComponentBatch,
    where: tuple[Int32s, Int32s, Bools],
    bounds: tuple[Floats, Floats],
    found: Extremes,
) -> None:
    """Fill in what exits are worth, and to which rows of their component they lead.

    members = (rows of the batch by component, where each begins); where = (component of each row
    of the graph, its number in the batch, whether a component is solved)."""
    order, starts = members
    rows, game = batch.rows, batch.game
    low, first, child, swap, rewards = (
        game.low, game.first, game.child, game.swap, game.exit_reward
    )  # fmt: skip
    number, place, solved = where
    lower, upper = bounds
    begin, under, over, column = batch.exits
    target, turned, _, width = batch.links
    half, least, most, fine = found
    every_swap = -1 if len(swap) == len(child) else 0
    every_reward = -1 if len(rewards) == len(child) else 0
    for c in range(len(starts) - 1):
        signs = False
        for r in order[starts[c] : starts[c + 1]]:
            shift = first[rows[r]] - begin[r]
            for x in range(begin[r], begin[r + 1]):
                e = x + shift
                id = np.int64(child[e])
                opposite = (swap[e & every_swap] & 1) == 1
                earned = np.float64(rewards[e & every_reward])
                if id < low or number[id - low] != number[rows[r]]:  # leaves the component
                    a = -upper[id] if opposite else lower[id]
                    b = -lower[id] if opposite else upper[id]
                    under[x] = a if earned == 0.0 else add_below(earned, a)
                    over[x] = b if earned == 0.0 else -add_below(-earned, -b)
                    column[x] = -1
                    half[c] = max(half[c], 0.5 * (over[x] - under[x]))
                    least[c] = min(least[c], under[x])
                    most[c] = max(most[c], over[x])
                    fine[c] = fine[c] and abs(a) < np.inf and abs(b) < np.inf
                    fine[c] = fine[c] and (id < low or solved[number[id - low]])
                    continue
                under[x] = earned
                over[x] = earned
                if earned != 0.0:
                    least[c] = min(least[c], -abs(earned))
                    most[c] = max(most[c], abs(earned))
                k = column_of(r, place[id - low], opposite, target, turned, width)
                column[x] = k if k < COLUMNS else -1
                fine[c] = fine[c] and k < COLUMNS
                signs = signs or (opposite and k < COLUMNS)
        half[c] *= 1.0 + 1e-15
        if signs:
            least[c] = min(least[c], -most[c])
            most[c] = max(most[c], -least[c])


@kernel
def newton_step(
    marks: tuple[Bools, Bools],
    members: tuple[Ints, Ints],
    links: Links,
    known: Floats,
    worth: Floats,
    steps: Floats,
    noise: Floats,
) -> None:
    """Solve for the anchors of active components under the steps just chosen.

    With slopes S and residual r = worth - known, the step d solves (1 - S) d = r, where an anchor
    that is reached with players exchanged has a negative slope. Components whose residual is no
    larger than `noise` become inactive, and get the expected number of turns in `steps`: the
    solution of (1 - |S|) n = 1. marks = (active, fine); singular systems are not fine."""
    active, fine = marks
    order, starts = members
    target, turned, slope, width = links
    for c in range(len(active)):
        if not active[c]:
            continue
        rows = order[starts[c] : starts[c + 1]]
        m = len(rows)
        error = 0.0
        for r in rows:
            error = max(error, abs(worth[r] - known[r]))
        system = np.zeros((2, m, m + 1))
        for a in range(m):
            r = rows[a]
            system[0, a, a] += 1.0
            system[1, a, a] += 1.0
            system[0, a, m] = worth[r] - known[r]
            system[1, a, m] = 1.0
            for k in range(width[r]):
                b = 0
                while rows[b] != target[r, k]:
                    b += 1
                system[0, a, b] -= -slope[r, k] if turned[r, k] else slope[r, k]
                system[1, a, b] -= slope[r, k]
        still = error <= noise[c]
        for s in range(2 if still else 1):
            if not eliminated(system[s], SINGULAR):
                fine[c] = False
                still = True
        for a in range(m):
            known[rows[a]] += system[0, a, m]
            if still:
                steps[rows[a]] = 1.0 + abs(system[1, a, m])
        active[c] = not still
