"""Slow, obvious twins of the solvers, written from the definitions, for small cases.

A game here is a list of rows by id, each a `Row`: who moves, what it pays, and its edges. Rows
below `low` have known values. A player of the parent is renamed along an edge as graph.py says.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

CHANCE, OVER = -1, -2
NONE = -(2**62)


class Edge(NamedTuple):
    to: int
    swap: int = 0
    weight: int = 1
    reward: Any = 0


class Row(NamedTuple):
    kind: int
    payoff: Any
    edges: tuple[Edge, ...]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def best(row: Row, worth: Callable[[Edge], int]) -> int:
    """The best worth to player 0 in the eyes of the player who moves."""
    return (max if row.kind == 0 else min)(worth(edge) for edge in row.edges)


def outcomes(
    rows: list[Row], known: list[tuple[int, int]], endless: int = 0
) -> list[tuple[int, int]]:
    """(outcome to player 0, depth) of every id: play is stopped after d plies, for growing d.

    Stopped as a draw, a game is decided within d plies or not; stopped as `endless`, the results
    fall towards the values."""
    low = len(known)
    horizon = len(rows) + max((depth for _, depth in known), default=0) + 2

    def stopped(result: int, *, in_time: bool) -> list[list[int]]:
        table = []
        for d in range(horizon + 1):
            now = []
            for i, row in enumerate(rows):
                if i < low:
                    value, depth = known[i]
                    late = in_time and (depth > d or depth < 0)
                    now.append(result if late else value)
                elif row.kind == OVER:
                    now.append(sign(row.payoff))
                elif d == 0:
                    now.append(result)
                else:
                    before = table[-1]
                    now.append(best(row, lambda e, b=before: -b[e.to] if e.swap else b[e.to]))
            table.append(now)
        return table

    decided = stopped(0, in_time=True)
    final = stopped(endless, in_time=False)[-1]
    answers = list(known)
    for i in range(low, len(rows)):
        if rows[i].kind == OVER:
            answers.append((sign(rows[i].payoff), 0))
        else:
            when = [d for d in range(horizon + 1) if decided[d][i]]
            answers.append((final[i], when[0] if when and final[i] else -1))
    return answers


def reached(rows: list[Row], i: int) -> set[int]:
    """All ids that play from `i` can lead to; `i` itself only if play can come back."""
    found: set[int] = set()
    queue = [i]
    while queue:
        for edge in rows[queue.pop()].edges:
            if edge.to not in found:
                found.add(edge.to)
                queue.append(edge.to)
    return found


def scores(rows: list[Row], known: list[int], endless: int = 0) -> list[int]:
    """The score of every id to player 0: the worth if play is stopped, as endless, after many
    plies.

    Rows that reach each other are done together, so that no stop comes between two rewards."""
    low = len(known)
    ways = [reached(rows, i) | {i} for i in range(len(rows))]
    now = known + [r.payoff if r.kind == OVER else endless for r in rows[low:]]
    for i in sorted(range(low, len(rows)), key=lambda i: len(ways[i])):
        together = [j for j in ways[i] if i in ways[j] and rows[j].kind != OVER]
        for j in together:
            now[j] = endless
        for _ in range(2 * len(rows) + 2):
            before = list(now)
            for j in together:
                now[j] = best(
                    rows[j], lambda e, b=before: e.reward + (-b[e.to] if e.swap else b[e.to])
                )
    return now


def puzzle(rows: list[Row], known: list[int], endless: int = NONE) -> list[int]:
    """The best worth of every id for one player: all ways without repetition, and all free
    circles."""
    low = len(known)

    def search(at: int, path: dict[int, int], earned: int) -> int:
        if at < low:
            return NONE if known[at] == NONE else earned + known[at]
        if rows[at].kind == OVER:
            return earned + rows[at].payoff
        if at in path:
            return earned + endless if endless != NONE and earned == path[at] else NONE
        further = {**path, at: earned}
        return max(search(e.to, further, earned + e.reward) for e in rows[at].edges)

    return known + [search(i, {}, 0) for i in range(low, len(rows))]


def edge_worth(edge: Edge, values: list[Any]) -> tuple[Fraction, ...]:
    """What an edge is worth to each player of its parent."""
    child = values[edge.to]
    players = len(child)
    return tuple(edge.reward[i] + child[(i - edge.swap) % players] for i in range(players))


def tied(row: Row, values: list[Any]) -> list[tuple[Fraction, ...]]:
    """The worths of all moves that are best for the player who moves, in order."""
    worths = [edge_worth(edge, values) for edge in row.edges]
    top = max(worth[row.kind] for worth in worths)
    return [worth for worth in worths if worth[row.kind] == top]


def chosen(row: Row, values: list[Any], ties: str) -> tuple[Fraction, ...]:
    """What a row is worth to each player, if its children are worth `values`."""
    if row.kind == OVER:
        return tuple(map(Fraction, row.payoff))
    if row.kind == CHANCE:
        total = sum(edge.weight for edge in row.edges)
        worths = [edge_worth(edge, values) for edge in row.edges]
        parts = zip(row.edges, worths, strict=True)
        scaled = [[Fraction(e.weight, total) * x for x in w] for e, w in parts]
        return tuple(map(sum, zip(*scaled, strict=True)))
    equal = tied(row, values)
    name, _, player = ties.partition(":")
    if name == "average":
        return tuple(sum(column) / len(equal) for column in zip(*equal, strict=True))
    if name == "last":
        return equal[-1]
    if name == "for":
        return max(equal, key=lambda worth: worth[int(player) - 1])
    if name == "against":
        return min(equal, key=lambda worth: worth[int(player) - 1])
    if name == "lexicographic":
        return max(equal, key=lambda worth: (*worth[row.kind + 1 :], *worth[: row.kind]))
    return equal[0]


def vectors(rows: list[Row], known: list[Any], ties: str = "first") -> list[Any]:
    """What every id is worth to each player, where no play runs in circles: straight recursion."""
    values: dict[int, Any] = dict(enumerate(known))

    def value(i: int) -> Any:
        if i not in values:
            for edge in rows[i].edges:
                value(edge.to)
            values[i] = chosen(rows[i], values, ties)  # type: ignore[arg-type]
        return values[i]

    return [value(i) for i in range(len(rows))]
