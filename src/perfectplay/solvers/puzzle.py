"""Games of one player without chance: least cost or greatest score, backwards from the ends.

The problem: value[r] = max of reward + value of the child. Facts needed: one player, no chance, no
positive reward on a cycle.

Rows are settled in the order of their values, best first, which is right as long as no move inside
a cycle earns anything: a breadth-first search if all moves inside earn the same (-1 for each move,
say), else Dijkstra's algorithm (1959). Rows that can neither be ended nor cycle for nothing are
worth NONE.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Bytes, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers.backward import (
    FlatGraph,
    Parts,
    by_component,
    descending,
    flat,
    reverse_edges,
    whole_stratum,
)
from perfectplay.solvers.scores import inside_rewards
from perfectplay.solvers.store import NONE, Scores
from perfectplay.solvers.work import Options, Work, stoppable
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph

NEW, WAITING, SETTLED = 0, 1, 2
"""States of a row; WAITING: in the heap."""
MIXED = 1
"""As the reward of all moves inside, which is never positive: they have different ones."""


def solve(graph: Graph, facts: Facts, store: Scores, options: Options) -> Work:
    """The greatest stored value of every row, NONE where the game cannot be ended."""
    game = flat(graph)
    parts, found = whole_stratum(graph.size), 0
    worst, best = inside_rewards(graph, parts)
    if best > 0:
        parts = by_component(graph)
        found = len(parts.cyclic)
        worst, best = inside_rewards(graph, parts)
        if best > 0:
            what = "cost less than nothing" if facts.minimise else "earn without limit"
            raise RulesError(
                f"endless play would {what}: a move that can be repeated for ever has the "
                + (f"cost {-best}" if facts.minimise else f"reward {best}"),
                hint="Reward only moves that cannot be undone, or count the moves and end the "
                "game.",
            )
    uniform = worst == best
    back = reverse_edges(game, parts.number, 0 if uniform else 1)
    endless = int(facts.endless) if math.isfinite(facts.endless) else NONE
    free = _free_rows(graph) if endless != NONE else np.zeros(1, np.bool_)
    step = best if uniform else MIXED
    task = partial(_run, game, (free, endless), step, store.value, parts, back)
    stoppable(task, graph.size, options)
    options.progress(graph.size)
    name = "acyclic" if not graph.inside else "breadth first" if uniform else "best first"
    return Work({name: graph.size}, components=found)


def _free_rows(graph: Graph) -> Array:
    """bool[n]: rows on a cycle of moves that earn nothing: there play can go on for ever."""
    if not graph.inside:
        return np.zeros(graph.size, np.bool_)
    stays = graph.child >= graph.low
    if graph.edges:
        stays &= np.broadcast_to(graph.reward == 0, stays.shape)
    before = np.append(0, np.cumsum(stays))
    found = components(replace(graph, first=before[graph.first], child=graph.child[stays]))
    free: Array = found.cyclic[found.number]
    return free


@kernel
def _run(
    graph: FlatGraph,
    endless: tuple[Bools, int],
    step: int,
    value: Ints,
    parts: Parts,
    back: tuple[Ints, Ids, Ints],
    stop: Bytes,
) -> None:
    """Settle part after part: look at the exits, then go backwards, best first; stop[0] ends it.

    endless = (rows where play can go on for ever at no cost, what that is worth)."""
    low, n = graph.low, len(graph.kind)
    state = np.zeros(n, np.uint8)
    queue = np.empty(n, np.int32)
    where = np.empty(n if step == MIXED else 1, np.int32)
    for c in range(len(parts.cyclic)):
        inside = parts.rows[parts.start[c] : parts.start[c + 1]]
        keys, order = _exits(graph, endless, inside, parts.number, value)
        if not parts.cyclic[c]:
            continue
        if step == MIXED:
            _best_first(low, order, value, back, graph.reward, (state, queue, where), stop)
        else:
            descending(keys, order)
            _breadth_first(low, (keys, order), value, back, step, (state, queue), stop)


@kernel
def _exits(
    graph: FlatGraph,
    endless: tuple[Bools, int],
    inside: Int32s,
    number: Int32s,
    value: Ints,
) -> tuple[Ints, Int32s]:
    """(values, rows) of those with an exit: every row gets the value of its best exit, NONE if it
    has none."""
    low, kind, payoff = graph.low, graph.kind, graph.payoff
    first, child, reward = graph.first, graph.child, graph.reward
    free, free_value = endless
    rewards = -1 if len(reward) == len(child) else 0
    all_rows = -1 if len(number) == len(kind) else 0
    all_free = -1 if len(free) == len(kind) else 0
    keys = np.empty(len(inside), np.int64)
    order = np.empty(len(inside), np.int32)
    filled = 0
    for row in inside:
        best = np.int64(NONE)
        if kind[row] == OVER:
            best = payoff[row]
        elif free[row & all_free]:
            best = np.int64(free_value)
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e])
            if to >= low and number[(to - low) & all_rows] == number[row & all_rows]:
                continue
            if value[to] != NONE:
                best = max(best, value[to] + reward[e & rewards])
        value[low + row] = best
        if best != NONE:
            keys[filled] = best
            order[filled] = row
            filled += 1
    return keys[:filled], order[:filled]


@kernel
def _breadth_first(
    low: int,
    seeds: tuple[Ints, Int32s],
    value: Ints,
    back: tuple[Ints, Ids, Ints],
    step: int,
    work: tuple[Bytes, Int32s],
    stop: Bytes,
) -> None:
    """Settle rows best first, where every move inside earns `step`.

    The invariant: both the seeds and the queue hold rows in falling order of value; the better of
    the two is next."""
    keys, order = seeds
    start, parent, _ = back
    state, queue = work
    seed = 0
    done = 0
    filled = 0
    while (seed < len(order) or done < filled) and stop[0] == 0:
        if done < filled and (seed == len(order) or value[low + queue[done]] >= keys[seed]):
            row = queue[done]
            done += 1
        else:
            row = order[seed]
            seed += 1
        if state[row] == SETTLED:
            continue
        state[row] = SETTLED
        worth = value[low + row] + step
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            if state[up] == NEW and worth > value[low + up]:
                value[low + up] = worth
                queue[filled] = up
                filled += 1


@kernel
def _best_first(
    low: int,
    order: Int32s,
    value: Ints,
    back: tuple[Ints, Ids, Ints],
    reward: Ints,
    work: tuple[Bytes, Int32s, Int32s],
    stop: Bytes,
) -> None:
    """Settle rows best first with a heap (Dijkstra 1959); where[row] is the row's place in it."""
    start, parent, edge = back
    state, heap, where = work
    size = np.int64(0)
    for row in order:
        state[row] = WAITING
        heap[size] = row
        where[row] = size
        _rise(low, value, heap, where, size)
        size += 1
    every = 0 if len(reward) == 1 else -1
    while size and stop[0] == 0:
        row = heap[0]
        state[row] = SETTLED
        size -= 1
        if size:
            heap[0] = heap[size]
            _sink(low, value, heap, where, size)
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            worth = value[low + row] + reward[edge[k] & every]
            if state[up] == SETTLED or worth <= value[low + up]:
                continue
            value[low + up] = worth
            if state[up] == NEW:
                state[up] = WAITING
                heap[size] = up
                where[up] = size
                size += 1
            _rise(low, value, heap, where, np.int64(where[up]))


@kernel
def _rise(low: int, value: Ints, heap: Int32s, where: Int32s, place: int) -> None:
    """Let the row at `place` of the heap rise to where it belongs."""
    row = heap[place]
    while place > 0:
        above = (place - 1) >> 1
        other = heap[above]
        if value[low + other] >= value[low + row]:
            break
        heap[place] = other
        where[other] = place
        place = above
    heap[place] = row
    where[row] = place


@kernel
def _sink(low: int, value: Ints, heap: Int32s, where: Int32s, size: int) -> None:
    """Let the row on top of the heap sink to where it belongs."""
    row = heap[0]
    place = 0
    while True:
        down = 2 * place + 1
        if down >= size:
            break
        if down + 1 < size and value[low + heap[down + 1]] > value[low + heap[down]]:
            down += 1
        if value[low + heap[down]] <= value[low + row]:
            break
        heap[place] = heap[down]
        where[heap[place]] = place
        place = down
    heap[place] = row
    where[row] = place
