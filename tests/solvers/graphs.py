"""Small graphs for the tests of the solvers: from rows, and at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from naive import OVER, Edge, Row

from perfectplay.strata.graph import Facts, Graph


def facts(**changes: Any) -> Facts:
    plain = {
        "players": 2, "scalar": True, "chance": False, "rewards": False, "outcome": True,
        "endless": 0.0,
    }  # fmt: skip
    return Facts(**{**plain, **changes})


def graph_of(rows: list[Row], low: int, *, short: bool = False) -> Graph:
    """The rows from `low` on as a graph; `short`: edge arrays of one element where that is
    enough."""
    own = rows[low:]
    edges = [edge for row in own for edge in row.edges]

    def column(numbers: list[Any], dtype: type, blank: Any) -> Any:
        distinct = {repr(number) for number in numbers}
        if not numbers:
            numbers = [blank]
        elif short and len(distinct) == 1:
            numbers = numbers[:1]
        return np.array(numbers, dtype)

    none = own[0].payoff if isinstance(own[0].payoff, int) else tuple(0 for _ in own[0].payoff)
    return Graph(
        low=low,
        kind=np.array([row.kind for row in own], np.int8),
        payoff=np.array([row.payoff for row in own], np.int64),
        first=np.cumsum([0] + [len(row.edges) for row in own]).astype(np.int64),
        child=np.array([edge.to for edge in edges], np.uint32),
        swap=column([edge.swap for edge in edges], np.uint8, 0),
        weight=column([edge.weight for edge in edges], np.int64, 1),
        reward=column([edge.reward for edge in edges], np.int64, none),
        anchor=np.zeros(1, np.uint8),
    )


def random_rows(
    rng: random.Random,
    known: int,
    size: int,
    *,
    kinds: list[int],
    payoff: Callable[[], Any],
    swaps: list[int],
    down: Callable[[int], bool] = lambda i: False,
    reward: Callable[[int, int], Any] = lambda i, to: 0,
    over: float = 0.15,
    most: int = 4,
) -> list[Row]:
    """`known` blank rows, then `size` random ones; down(i): edges of row i lead to lower ids
    only."""
    rows = [Row(OVER, payoff(), ())] * known
    swaps = [rng.choice(swaps)] if rng.random() < 0.2 else swaps
    for i in range(known, known + size):
        top = i if down(i) else known + size
        if rng.random() < over or top == 0:
            rows.append(Row(OVER, payoff(), ()))
            continue
        tos = [rng.randrange(top) for _ in range(rng.randint(1, most))]
        edges = [Edge(to, rng.choice(swaps), rng.randint(1, 5), reward(i, to)) for to in tos]
        zero = 0 if isinstance(payoff(), int) else tuple(0 for _ in payoff())
        rows.append(Row(rng.choice(kinds), zero, tuple(edges)))
    return rows
