"""Games of one player without chance: least cost or greatest score, backwards from the ends.

Rows are settled in the order of their worth, best first, which is right as long as no move inside
a cycle earns anything: a breadth-first search if all moves inside earn the same (-1 for each move,
say), else Dijkstra's algorithm. Rows that can neither be ended nor go round for nothing are worth
NONE.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER
from perfectplay.solvers.backward import WHOLE, descending, moves_of, reverse_edges
from perfectplay.solvers.scores import inside_rewards
from perfectplay.solvers.store import NONE, Scores
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: Scores, options: Options) -> Work:
    """The greatest stored worth of every row, NONE where the game cannot be ended."""
    moves = moves_of(graph)
    worst, best = inside_rewards(graph, WHOLE)
    rows = np.arange(graph.size, dtype=np.int32)
    parts = rows, np.array((0, graph.size), np.int64), np.ones(1, np.bool_)
    number, found = WHOLE, 0
    if best > 0:
        split = components(graph)
        parts, number, found = (split.rows, split.start, split.cyclic), split.number, split.count
        worst, best = inside_rewards(graph, number)
        _check_rewards(best, minimise=facts.minimise)
    uniform = worst == best
    back = reverse_edges(graph.low, graph.kind, moves, number, 0 if uniform else 1)
    endless = int(facts.endless) if math.isfinite(facts.endless) else NONE
    free = _free_rows(graph) if endless != NONE else np.zeros(1, np.bool_)
    numbers = graph.low, endless, best if uniform else 1
    _run(numbers, (graph.kind, graph.payoff, free), moves, graph.reward, store.value, parts, back)
    options.progress(graph.size)
    name = "acyclic" if not graph.inside else "breadth first" if uniform else "best first"
    return Work({name: graph.size}, components=found)


def _check_rewards(best: int, *, minimise: bool) -> None:
    """Raise if a move that can be repeated for ever earns something."""
    if best > 0:
        what = "cost less than nothing" if minimise else "earn without limit"
        raise RulesError(
            f"endless play would {what}: a move that can be repeated for ever has the "
            + (f"cost {-best}" if minimise else f"reward {best}"),
            hint="Reward only moves that cannot be undone, or count the moves and end the game.",
        )


def _free_rows(graph: Graph) -> Array:
    """bool[n]: rows that lie on a cycle of moves which earn nothing: there endless play has its
    worth."""
    if not graph.inside:
        return np.zeros(graph.size, np.bool_)
    stays = graph.child >= graph.low
    if graph.edges:
        stays &= np.broadcast_to(graph.reward == 0, stays.shape)
    before = np.zeros(graph.edges + 1, np.int64)
    np.cumsum(stays, out=before[1:])
    found = components(replace(graph, first=before[graph.first], child=graph.child[stays]))
    free: Array = found.cyclic[found.number]
    return free


@kernel
def _run(numbers, ends, moves, reward, value, parts, back):  # type: ignore[no-untyped-def]
    """Settle component after component: look at the exits, then go backwards, best first."""
    low, endless, step = numbers
    kind = ends[0]
    members, start, cyclic = parts
    whole = len(start) == 2 and cyclic[0]
    number = np.zeros(1 if whole else len(kind), np.int32)
    state = np.zeros(len(kind), np.uint8)
    queue = np.empty(len(kind), np.int32)
    where = np.empty(len(kind) if step > 0 else 1, np.int32)
    for c in range(len(start) - 1):
        inside = members[start[c] : start[c + 1]]
        if not whole:
            for row in inside:
                number[row] = c + 1
        keys, order = _exits((low, endless), inside, ends, moves, reward, value, number)
        if not cyclic[c]:
            continue
        if step > 0:
            _best_first(low, order, value, back, reward, (state, queue, where))
        else:
            descending(keys, order)
            _breadth_first(low, (keys, order), value, back, step, (state, queue))


@kernel
def _exits(numbers, inside, ends, moves, reward, value, number):  # type: ignore[no-untyped-def]
    """Give every row the worth of its best exit, NONE if it has none; (worths, rows) of those that
    do."""
    low, endless = numbers
    kind, payoff, free = ends
    first, child, _ = moves
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
            best = np.int64(endless)
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
def _breadth_first(low, seeds, value, back, step, work):  # type: ignore[no-untyped-def]
    """Settle rows best first, where every move inside earns `step`.

    Both the seeds and the queue hold rows in falling order of worth: the better of the two is
    next."""
    keys, order = seeds
    start, parent, _ = back
    state, queue = work
    seed = 0
    done = 0
    filled = 0
    while seed < len(order) or done < filled:
        if done < filled and (seed == len(order) or value[low + queue[done]] >= keys[seed]):
            row = queue[done]
            done += 1
        else:
            row = order[seed]
            seed += 1
        if state[row]:
            continue
        state[row] = 1
        worth = value[low + row] + step
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            if state[up] == 0 and worth > value[low + up]:
                value[low + up] = worth
                queue[filled] = up
                filled += 1


@kernel
def _best_first(low, order, value, back, reward, work):  # type: ignore[no-untyped-def]
    """Settle rows best first with a heap (Dijkstra 1959); where[row] is the row's place in it."""
    start, parent, edge = back
    state, heap, where = work
    size = np.int64(0)
    for row in order:
        state[row] = 1
        heap[size] = row
        where[row] = size
        _rise(low, value, heap, where, size)
        size += 1
    every = 0 if len(reward) == 1 else -1
    while size:
        row = heap[0]
        state[row] = 2
        size -= 1
        if size:
            heap[0] = heap[size]
            _sink(low, value, heap, where, size)
        for k in range(start[row], start[row + 1]):
            up = parent[k] >> 1
            worth = value[low + row] + reward[edge[k] & every]
            if state[up] == 2 or worth <= value[low + up]:
                continue
            value[low + up] = worth
            if state[up] == 0:
                state[up] = 1
                heap[size] = up
                where[up] = size
                size += 1
            _rise(low, value, heap, where, np.int64(where[up]))


@kernel
def _rise(low, value, heap, where, place):  # type: ignore[no-untyped-def]
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
def _sink(low, value, heap, where, size):  # type: ignore[no-untyped-def]
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
