"""Several players, or two without opposed interests: each maximises his own number.

Rows are solved component by component. A row by itself takes the best move of its player; a cyclic
component is solved by policy iteration (policy.py), in floats by Newton's method on its
anchors (newton.py) or, if it has many, by sparse algebra (sparse.py), and exactly
in rationals (exact_vectors.py). A player who has several best moves follows `Options.ties`; in
floats, moves are equally good if their worths differ by no more than 1e-12 (relative to 1 or their
size).

The values are those of a policy under which no player gains by another move at a single position;
there may be other such policies with other values. Endless play is worth `Facts.endless` to
everybody.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from perfectplay.solvers.backward import moves_of
from perfectplay.solvers.players import newton, vector_rows
from perfectplay.solvers.players.policy import (
    Ties,
    cycling,
    earning_cycle,
    iterate,
    read_ties,
    tie_note,
)
from perfectplay.solvers.players.replies import replies
from perfectplay.solvers.players.sparse import SparseComponent
from perfectplay.solvers.store import Fractions, Vectors
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import Components, components
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: Vectors | Fractions, options: Options) -> Work:
    """What every row is worth to each player, in floats or in fractions as the store asks."""
    ties = read_ties(options.ties, graph, facts.players)
    found = components(graph)
    parts = found.number, found.rows, found.start, found.cyclic
    arranged = vector_rows.arrange(graph.low, graph.first, graph.child, parts, graph.anchor)
    endless = int(facts.endless) if math.isfinite(facts.endless) else 0
    cyclic = int(np.diff(found.start)[found.cyclic].sum())
    methods = {"policy iteration": cyclic, "acyclic": graph.size - cyclic}
    work = Work({name: rows for name, rows in methods.items() if rows}, components=found.count)
    if isinstance(store, Fractions):
        from perfectplay.solvers.players import exact_vectors  # flint takes time to import

        tied = exact_vectors.solve(graph, found, arranged, store, (ties, endless), work)
    else:
        tied = _solve_floats(graph, found, arranged, store, (ties, endless), work)
        store.residual = max(store.residual, work.residual)
    work.notes += tie_note(tied, options.ties)
    options.progress(graph.size)
    return work


def _solve_floats(
    graph: Graph,
    found: Components,
    arranged: Any,
    store: Vectors,
    rule: tuple[Ties, int],
    work: Work,
) -> int:
    """Fill in the floats; how many rows have ties that matter."""
    order, place, anchor, amount = arranged
    ties, endless = rule
    moves, odds = moves_of(graph), (graph.weight, graph.reward)
    pick = np.zeros(graph.edges, np.uint8)
    turns = store.value.shape[1] if graph.swap.any() else 1
    gaps, lengths = np.zeros(found.count), np.zeros(found.count, np.int32)
    ways = (place, found.number, anchor), (ties.mode, ties.player, 0), gaps, lengths
    parts = order, found.start, found.cyclic, amount
    widest = int(np.diff(graph.first).max(initial=1))
    arrays = pick, place, found.number, widest
    done = 0
    while True:
        numbers = graph.low, widest, float(endless), turns, done, newton.MOST
        ends = graph.kind, graph.payoff
        done, earning = newton.run(numbers, ends, moves, odds, store.value, pick, parts, ways)
        if earning:
            raise earning_cycle()
        if done == found.count:
            break
        members = order[found.start[done] : found.start[done + 1]]
        large = SparseComponent(graph, store.value, members, arrays, rule)
        gaps[done], lengths[done] = iterate(large, vector_rows.TIE)
        if large.earning:
            raise earning_cycle()
        done += 1
    sizes = np.diff(found.start)
    for c in np.flatnonzero(lengths):
        work.notes.append(cycling(int(sizes[c]), int(lengths[c]), f"{gaps[c]:.3g}"))
    residual, gap, tied = vector_rows.audit(
        (graph.low, widest), order, graph.kind, moves, odds, store.value, pick
    )
    work.residual = float(residual + gap)
    parts = order, found.start, found.cyclic, (place, found.number)
    work.policy_error, work.reply_gain = replies(
        (graph.low, graph.size), parts, graph.kind, moves, odds, store.value, pick
    )
    return int(tied)
