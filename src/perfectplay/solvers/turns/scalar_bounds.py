"""Scalar games with cycles, by turns: Newton's method in floats, then proved bounds.

The problem: v = T v, where T(v)[a] is the value of the turn of anchor a, played as well as
possible, if its exits to anchors of the same component have the values v. Facts needed: one
player, or two with opposed interests; every cycle passes through an anchor.

Some components at a time, rows of one pattern side by side (walks.py):

1. Could play stay in a component for ever if both players tried? If so, it is left to the solver
   for games without turns, which handles endless play. Else every play leaves it with probability
   1, whatever players do, and so step 3 is a proof.
2. Newton's method on the anchors, as in newton.py, until the residual is rounding (Glenn, Fang and
   Kruskal 2009).
3. These values are lowered by half the widest bounds that they depend on, and by a little more
   than a turn's rounding for every expected turn; and raised by the same. If one more walk, with
   arithmetic that rounds down, shows T(l) >= l, then l <= v: T is monotone, so T^n(l) >= l, and it
   converges to v. The same holds for upper bounds. What is not proved after TRIES is left, too.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Floats, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.solvers.backward import SINGULAR, eliminated
from perfectplay.solvers.chance.local import add_below
from perfectplay.solvers.store import Bounds
from perfectplay.solvers.turns.turn_graph import (
    COLUMNS,
    Unsolved,
    column_of,
    levels,
    longest_paths,
    turn_graph,
)
from perfectplay.solvers.turns.walks import ComponentBatch, Exits, Links, below, slopes, stay
from perfectplay.solvers.work import NONE, Options, Work, over_rows
from perfectplay.strata.components import Components
from perfectplay.strata.graph import Graph

NAME = "newton by turns, proved"
ROUNDS = 40
MOST = 64
"""Anchors of a component; larger ones are unrolled."""
ROWS = 1 << 15
"""Rows that a thread takes at a time, roughly."""
Pair = tuple[Array, Array]
TRIES = 6
"""How often bounds are widened until there is a proof."""
LARGE = 2.0**40
"""Values times weights from which on sums are not exact."""


def solve(graph: Graph, store: Bounds, options: Options, left: Unsolved) -> None:
    """Solve what can be solved of the components that are `left`, and mark it as solved."""
    found, wanted, work = left
    stratum = _Stratum(graph, left, store, options.width)
    sizes = np.diff(found.start)
    order = stratum.order(np.flatnonzero(wanted))
    for some in _levels(graph, found, order):
        cuts = np.searchsorted(np.cumsum(sizes[some]), np.arange(ROWS, sizes[some].sum(), ROWS))
        parts = [part for part in np.split(some, cuts + 1) if len(part)]

        taken = [Work.counters(ROUNDS) for _ in parts]

        def task(
            begin: int, end: int, parts: list[Array] = parts, taken: list[Pair] = taken
        ) -> None:
            for part, counters in zip(parts[begin:end], taken[begin:end], strict=True):
                stratum.solve(part, counters)

        over_rows(task, len(parts), options, 1)
        for counters in taken:
            work.took_all(*counters)
    solved = np.flatnonzero(wanted & stratum.solved)
    wanted[solved] = False
    work.did(NAME, int(sizes[solved].sum()))


def _levels(graph: Graph, found: Components, order: Array) -> list[Array]:
    """The components in groups, none of which leads to another one of its group, nor of a later
    one."""
    level = levels(graph.low, graph.first, graph.child, (found.number, found.rows, found.start))
    return [order[level[order] == k] for k in range(int(level[order].max(initial=-1)) + 1)]


@dataclass
class _Share:
    """Some components, and what is needed of their exits."""

    batch: ComponentBatch
    owner: Array
    """The component of each row."""
    members: tuple[Array, Array]
    """(rows by component, where each component begins)."""
    half: Array
    """float64[components]: half the width of the widest bounds of what they lead to."""
    size: Array
    """float64[components]: the largest value around."""
    flat: Array
    """bool[components]: all that they lead to is worth the same."""
    noise: Array
    """float64[components]: what rounding makes of a turn, relative to values."""


class _Stratum:
    """One stratum, to be solved part by part."""

    def __init__(self, graph: Graph, left: Unsolved, store: Bounds, width: float) -> None:
        self.graph, self.found, self.store, self.width = graph, left.found, store, width
        self.game = turn_graph(graph)
        self.solved = ~left.wanted
        """Components with bounds; at first those at which play is over."""
        self.place = np.full(graph.size, -1, np.int32)
        self.chances, _, heaviest = longest_paths(self.game)
        most = int(np.diff(graph.first).max(initial=0)) * int(graph.weight.max(initial=1))
        self.weight = float(heaviest) + float(most)
        longest = int(np.diff(self.game.start).max(initial=1))
        self.earned = float(np.abs(self.game.reward).max(initial=0)) * longest

    def order(self, chosen: Array) -> Array:
        """Components so that those with equal patterns are neighbours."""
        start, found = self.found.start, self.found
        return chosen[np.argsort(self.game.pattern[found.rows[start[chosen]]], kind="stable")]

    def solve(self, chosen: Array, counters: Pair) -> None:
        """Bounds of some components, which are marked as solved; some may be left out. The rounds
        of those that are solved go into counters."""
        part, fine = self._gather(chosen)
        every = np.arange(len(part.owner))
        stays = np.ones(len(every), np.uint8)
        while stay(every[stays == 1], part.batch, stays):
            pass
        fine[part.owner[stays == 1]] = False
        noise = np.where(part.flat, 0.0, np.maximum(part.noise * part.size, 1e-26))
        known, steps = np.where(part.flat, part.size, 0.0)[part.owner], np.zeros(len(every))
        errors = np.full((ROUNDS, len(chosen)), NONE)
        done = self._newton(part, fine, (known, steps), np.zeros(len(chosen)), (noise, errors))
        self._prove(chosen, (part, done), (known, steps), noise)
        _note_rounds(errors[:, self.solved[chosen] & self.found.cyclic[chosen]], counters)

    def _newton(self, part: _Share, fine: Array, values: Pair, toll: Array, about: Pair) -> Array:
        """Solve for the anchors of the components that are `fine`, where every turn costs player
        0 a toll; which of them came to rest. about = (noise, how far components were from their
        equations in each round)."""
        noise, errors = about
        known, steps = values
        every, worth = np.arange(len(part.owner)), np.zeros(len(part.owner))
        fine, active = fine.copy(), fine.copy()
        for turn in range(ROUNDS):
            some = every[active[part.owner]]
            if not len(some):
                break
            slopes(some, part.batch, known, worth)
            worth[some] -= toll[part.owner[some]]
            marks = active, fine
            rest = noise, errors[turn]
            _newton_step(marks, part.members, part.batch.links, known, worth, steps, rest)
            size = np.abs(known[some]) * part.noise[part.owner[some]]
            np.maximum.at(
                noise, part.owner[some], np.where(part.flat[part.owner[some]], 0.0, size)
            )
        return fine & ~active

    def _prove(
        self, chosen: Array, about: tuple[_Share, Array], values: tuple[Array, Array], noise: Array
    ) -> None:
        """Widen the values of components until they are proved to be bounds."""
        part, left = about
        known, steps = values
        every, owner = np.arange(len(part.owner)), part.owner
        slack = noise
        lower, upper = known - slack[owner] * steps, known + slack[owner] * steps
        for _ in range(TRIES):
            wide = upper - lower > self.width * np.maximum(1.0, part.size[owner])
            left[owner[wide]] = False
            some = every[left[owner]]
            if not len(some):
                return
            wrong = self._refuted(part, some, lower, upper)
            good = some[~wrong[owner[some]]]
            ids, half = self.graph.low + part.batch.rows[good], part.half[owner[good]]
            self.store.lower[ids] = _lowered(lower[good], half)
            self.store.upper[ids] = -_lowered(-upper[good], half)
            self.solved[chosen[left & ~wrong]] = True
            left &= wrong
            # Among equally good moves the other player may choose those that take longest: solve
            # the game in which every turn costs something.
            slack = 4.0 * slack
            for bound, sign in ((lower, 1.0), (upper, -1.0)):
                off = slack / 4.0, np.empty((ROUNDS, len(left)))
                left &= self._newton(part, left, (bound, steps), sign * slack, off)

    def _refuted(self, part: _Share, some: Array, lower: Array, upper: Array) -> Array:
        """bool[components]: those whose bounds, as wide as all that they lead to, do not follow
        from themselves."""
        half = part.half[part.owner]
        claim = _lowered(lower, half), -_lowered(-upper, half)
        most = max(float(np.abs(a[some]).max()) for a in claim)
        unit = self._unit(max(most, float(np.abs(part.size).max())))
        out = np.zeros(len(part.owner))
        wrong = np.zeros(len(part.half), np.bool_)
        for side, mine in ((1.0, claim[0]), (-1.0, -claim[1])):
            below(some, part.batch, side, unit, claim, out)
            wrong[part.owner[some[~(out[some] >= mine[some])]]] = True
        return wrong

    def _unit(self, most: float) -> float:
        """A unit such that sums of weighted values, none larger than `most` at exits, are
        multiples of it below 2**52; infinite if there is none."""
        most += self.earned + 1.0
        if not most * self.weight < LARGE:
            return math.inf
        return 2.0 ** (math.ceil(math.log2(most)) + math.ceil(math.log2(self.weight + 8)) - 51)

    def _gather(self, chosen: Array) -> tuple[_Share, Array]:
        """The exits of some components; and which of them can be solved here."""
        found, graph = self.found, self.graph
        counts = found.start[chosen + 1] - found.start[chosen]
        starts = np.append(0, np.cumsum(counts))
        at = np.repeat(found.start[chosen] - starts[:-1], counts) + np.arange(starts[-1])
        rows = found.rows[at].astype(np.int64)
        order = np.argsort(self.game.pattern[rows], kind="stable")
        members = np.empty(len(rows), np.int64)
        members[order] = np.arange(len(rows))
        rows = rows[order]
        self.place[rows] = np.arange(len(rows))
        begin = np.append(0, np.cumsum(graph.first[rows + 1] - graph.first[rows]))
        total = int(begin[-1])
        exits = Exits(begin, np.empty(total), np.empty(total), np.empty(total, np.int8))
        columns = len(rows), COLUMNS
        links = Links(
            np.zeros(columns, np.int32),
            np.zeros(columns, np.bool_),
            np.zeros(columns),
            np.zeros(len(rows), np.int64),
        )
        batch = ComponentBatch(rows, self.game, exits, links)
        half, least, most = (np.full(len(chosen), x) for x in (0.0, math.inf, -math.inf))
        fine = counts <= MOST
        bounds = self.store.lower, self.store.upper
        where = found.number, self.place, self.solved
        _gather((members, starts), batch, where, bounds, Extremes(half, least, most, fine))
        owner = np.empty(len(rows), np.int64)
        owner[members] = np.repeat(np.arange(len(chosen)), counts)
        noise = np.zeros(len(chosen))
        np.maximum.at(noise, owner, 4e-16 * (self.chances[self.game.pattern[rows]] + 1.0))
        flat = (least == most) & (self.earned == 0.0)
        size = np.where(flat, most, np.maximum(np.abs(least), np.abs(most)))
        size[~np.isfinite(size)] = 0.0
        return _Share(batch, owner, (members, starts), half, size, flat, noise), fine


def _note_rounds(errors: Array, counters: Pair) -> None:
    """Count the rounds of components by what they were off by in each; NONE after the last."""
    rounds, longest = counters
    took = (errors > NONE).sum(axis=0)
    rounds += np.bincount(took, minlength=len(rounds))
    if len(took):
        most = errors[:, took == took.max()]
        longest[:] = most[:, np.lexsort(most[::-1])[-1]]


def _lowered(numbers: Array, by: Array) -> Array:
    """Numbers less others, and a little less if these are not 0."""
    return np.where(by == 0.0, numbers, np.nextafter(numbers - by, -math.inf))


# -- The values of exits, and the linear systems of anchors. --------------------------------------


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
def _gather(
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
def _newton_step(
    marks: tuple[Bools, Bools],
    members: tuple[Ints, Ints],
    links: Links,
    known: Floats,
    worth: Floats,
    steps: Floats,
    rest: Pair,
) -> None:
    """Solve for the anchors of active components under the steps just chosen.

    With slopes S and residual r = worth - known, the step d solves (1 - S) d = r, where an anchor
    that is reached with players exchanged has a negative slope. Components whose residual is no
    larger than `noise` become inactive, and get the expected number of turns in `steps`: the
    solution of (1 - |S|) n = 1. marks = (active, fine); singular systems are not fine. rest =
    (noise, residuals)."""
    active, fine = marks
    noise, residuals = rest
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
        residuals[c] = error
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
