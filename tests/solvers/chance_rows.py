"""Builders of small games with chance, and the checks that all tests of their solver share."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import naive_stochastic as naive
import numpy as np
import pytest

from perfectplay.solvers.chance.policy import evaluate, policy
from perfectplay.solvers.chance.stochastic import solve
from perfectplay.solvers.store import Bounds, Fractions
from perfectplay.solvers.work import Options
from perfectplay.strata.graph import Facts, Graph

CHANCE, OVER = naive.CHANCE, naive.OVER
METHODS = ("auto", "naive", "newton", "strategy", "exact")


def over(payoff):
    return OVER, payoff, []


def row(kind, *edges):
    """A row with edges (child, swap, weight, reward); what is left out is 0, 1, 0."""
    return kind, 0, [(*e, *(0, 1, 0)[len(e) - 1 :]) for e in edges]


def build(rows, low=0):
    """The rows from `low` on as a Graph; those below are in a lower stratum."""
    rows = rows[low:]
    edges = [e for _, _, es in rows for e in es]
    columns = np.array(edges, np.int64).reshape(-1, 4).T
    return Graph(
        low,
        np.array([kind for kind, _, _ in rows], np.int8),
        np.array([payoff for _, payoff, _ in rows], np.int64),
        np.cumsum([0, *(len(es) for _, _, es in rows)]).astype(np.int64),
        columns[0].astype(np.uint32),
        columns[1].astype(np.uint8),
        columns[2].astype(np.int64),
        columns[3].astype(np.int64),
        np.zeros(1, np.uint8),
    )


def facts(endless=0.0, players=2):
    return Facts(
        players=players,
        scalar=True,
        chance=True,
        rewards=True,
        outcome=False,
        endless=endless,
        minimise=endless == -math.inf,
    )


def bounds(rows, *, endless=0.0, low=0, method="auto", anchor=None):
    graph = build(rows, low)
    if anchor is not None:
        graph = replace(graph, anchor=anchor)
    store = Bounds(np.full(len(rows), np.nan), np.full(len(rows), np.nan))
    for r in range(low):
        store.lower[r] = store.upper[r] = rows[r][1]
    work = solve(graph, facts(endless), store, Options(method=method))
    assert sum(work.methods.values()) == graph.size
    return store, work


def exact(rows, *, endless=0.0, low=0):
    store = Fractions(1, [None] * len(rows))
    for r in range(low):
        store.value[r] = (Fraction(rows[r][1]),)
    solve(build(rows, low), facts(endless), store, Options(exact=True))
    check_policy(rows, store, endless, low)
    return [value[0] for value in store.value]


def check_policy(rows, store, endless, low):
    """The extracted choices must secure the values: for each player alone and for both."""
    graph = build(rows, low)
    choice = policy(graph, facts(endless), store)
    assert ((choice >= graph.first[:-1]) & (choice < graph.first[1:]))[graph.kind >= 0].all()
    for players in ((0,), (1,), (0, 1)):
        again = evaluate(graph, facts(endless), store, choice, players)
        if isinstance(store, Fractions):
            assert again.value == store.value, players
        else:
            finite = store.lower > -math.inf
            assert (again.upper[~finite] == -math.inf).all()
            assert again.lower[finite] == pytest.approx(store.lower[finite], abs=1e-9), players
            assert again.upper[finite] == pytest.approx(store.upper[finite], abs=1e-9), players


def check(rows, *, endless=0.0, low=0, wanted=None, width=1e-9):
    """All methods must agree with the naive twin (or the wanted values)."""
    wanted = naive.values(rows, endless) if wanted is None else wanted
    assert exact(rows, endless=endless, low=low) == wanted
    methods = {}
    for method in METHODS:
        store, work = bounds(rows, endless=endless, low=low, method=method)
        methods[method] = work.methods
        if method == "auto":
            check_policy(rows, store, endless, low)
        for r, value in enumerate(wanted):
            lower, upper = store.lower[r], store.upper[r]
            assert lower <= value <= upper, (method, r, value, lower, upper)
            assert value == -math.inf or upper - lower <= width, (method, r, value, lower, upper)
    return methods
