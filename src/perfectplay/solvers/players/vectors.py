"""Several players, or two without opposed interests: each maximises their own number.

The problem: a policy such that v[r] = value of the edge chosen, which no other edge of r exceeds
for the player who moves at r; the mean at chance rows, the payoff at terminal ones. Endless play
is worth `Facts.endless` to everybody.

Rows are solved component by component. A row by itself takes the best move of its player; a cyclic
component is solved by policy iteration (policy.py), in floats by Newton's method on its anchors
or, if it has many, by sparse algebra (newton.py), and exactly in rationals (exact_vectors.py). A
player who has several best moves follows `Options.ties`; in floats, moves are equally good if
their values differ by no more than 1e-12 (relative to 1 or their size).

The guarantee: no player gains by another move at a single position, up to the residual reported;
there may be other such policies with other values.
"""

import math

import numpy as np

from perfectplay.compiled.arrays import Bytes, Floats
from perfectplay.rules.game import OVER
from perfectplay.solvers import value_iteration
from perfectplay.solvers.backward import FlatGraph, flat
from perfectplay.solvers.players import newton, vector_rows
from perfectplay.solvers.players.policy import (
    ROUNDS,
    Ties,
    cycling,
    earning_cycle,
    iterate,
    read_ties,
    tie_note,
)
from perfectplay.solvers.players.replies import replies
from perfectplay.solvers.store import Fractions, Vectors
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: Vectors | Fractions, options: Options) -> Work:
    """What every row is worth to each player, in floats or in fractions as the store asks."""
    ties = read_ties(options.ties, graph, facts.players)
    found = components(graph)
    parts = vector_rows.arranged(flat(graph), found)
    endless = int(facts.endless) if math.isfinite(facts.endless) else 0
    cyclic = int(np.diff(found.start)[found.cyclic].sum())
    name = "value iteration" if options.method == "naive" else "policy iteration"
    methods = {name: cyclic, "acyclic": graph.size - cyclic}
    work = Work({name: rows for name, rows in methods.items() if rows}, components=found.count)
    if isinstance(store, Fractions):
        from perfectplay.solvers.players import exact_vectors  # flint takes time to import

        tied = exact_vectors.solve(graph, parts, store, (ties, endless), work)
    else:
        tied = _solve_floats(graph, parts, store, (ties, endless), work, options.method)
        store.residual = max(store.residual, work.residual)
    work.notes += tie_note(tied, options.ties)
    options.progress(graph.size)
    return work


def _solve_floats(
    graph: Graph,
    parts: vector_rows.Arrangement,
    store: Vectors,
    rule: tuple[Ties, int],
    work: Work,
    method: str,
) -> int:
    """Fill in the floats; how many rows have ties that matter."""
    game = flat(graph)
    pick = np.zeros(graph.edges, np.uint8)
    if method == "naive":
        _naive(game, parts, (store.value, pick), rule, work)
    else:
        _newton(game, parts, (store.value, pick), rule, work)
    widest = int(np.diff(graph.first).max(initial=1))
    residual, gap, tied = vector_rows.audit(game, widest, parts.order, store.value, pick)
    work.residual = float(residual + gap)
    work.policy_error, work.reply_gain = replies(game, parts, store.value, pick)
    return int(tied)


def _newton(
    game: FlatGraph,
    parts: vector_rows.Arrangement,
    arrays: tuple[Floats, Bytes],
    rule: tuple[Ties, int],
    work: Work,
) -> None:
    """All components in order, by policy iteration."""
    ties, endless = rule
    value, pick = arrays
    count = len(parts.cyclic)
    turns = value.shape[1] if game.swap.any() else 1
    gaps, lengths = np.zeros(count), np.zeros(count, np.int32)
    taken = Work.counters(ROUNDS)
    widest = int(np.diff(game.first).max(initial=1))
    mode = ties.mode, ties.player, 0
    done = 0
    while done < count:
        numbers = widest, float(endless), turns, done, count, newton.MOST
        cycles = gaps, lengths, *taken
        end, earning = newton.run(game, parts, value, pick, numbers, mode, cycles)
        if earning:
            raise earning_cycle()
        done = end
        if done < count:
            large = newton.SparseComponent(game, parts, done, (value, pick, widest), rule)
            each: list[float] = []
            gaps[done], lengths[done] = iterate(large, vector_rows.TIE, each)
            if large.earning:
                raise earning_cycle()
            work.took(each)
            done += 1
    work.took_all(*taken)
    sizes = np.diff(parts.start)
    for c in np.flatnonzero(lengths):
        work.notes.append(cycling(int(sizes[c]), int(lengths[c]), f"{gaps[c]:.3g}"))


def _naive(
    game: FlatGraph,
    parts: vector_rows.Arrangement,
    arrays: tuple[Floats, Bytes],
    rule: tuple[Ties, int],
    work: Work,
) -> None:
    """All components in order, by value iteration; a component without a cycle takes one sweep."""
    ties, endless = rule
    value, pick = arrays
    mode = ties.mode, ties.player, 0
    residuals = np.empty(value_iteration.ROUNDS)
    for c in range(len(parts.cyclic)):
        members = parts.order[parts.start[c] : parts.start[c + 1]]
        if game.kind[members[0]] == OVER:
            value[game.low + members[0]] = game.payoff[members[0]]
            continue
        value[game.low + members] = endless
        some = residuals if parts.cyclic[c] else residuals[:1]
        rounds = value_iteration.vector_rounds(game, members, value, pick, mode, some)
        if parts.cyclic[c]:
            value_iteration.note(work, some, rounds, len(members))
