"""A naive twin for games with simultaneous moves: matrix games by all square submatrices, and
random games given by a seed. Shares nothing with the package but the rules."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

from perfectplay import CHANCE, OVER, SIMULTANEOUS, Game, SimultaneousMoves

Cells = list[list[Fraction]]


def matrix_value(cells: Cells) -> Fraction:
    """The value of a matrix game: some square submatrix has mixtures that make all its columns, or
    rows, equal, and that no pure reply beats (Shapley and Snow 1950)."""
    m, n = len(cells), len(cells[0])
    for size in range(1, min(m, n) + 1):
        for rows in combinations(range(m), size):
            for columns in combinations(range(n), size):
                found = _kernel(cells, rows, columns)
                if found is not None:
                    return found
    raise AssertionError("every matrix game has a value")


def _kernel(cells: Cells, rows: tuple[int, ...], columns: tuple[int, ...]) -> Fraction | None:
    inner = [[cells[i][j] for j in columns] for i in rows]
    mine = _equaliser([list(column) for column in zip(*inner, strict=True)])
    theirs = _equaliser(inner)
    if mine is None or theirs is None:
        return None
    x, value = mine
    y, other = theirs
    paid = [sum(x[k] * cells[i][j] for k, i in enumerate(rows)) for j in range(len(cells[0]))]
    got = [sum(y[k] * row[j] for k, j in enumerate(columns)) for row in cells]
    return value if min(paid) >= value == other >= max(got) else None


def _equaliser(lines: Cells) -> tuple[list[Fraction], Fraction] | None:
    """Shares of the columns for which all lines are worth the same, and that worth."""
    size = len(lines)
    table = [[*line, Fraction(-1), Fraction(0)] for line in lines]
    table.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    for k in range(size + 1):
        pivot = next((r for r in range(k, size + 1) if table[r][k] != 0), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [cell / table[k][k] for cell in table[k]]
        for r in range(size + 1):
            if r != k:
                factor = table[r][k]
                table[r] = [a - factor * b for a, b in zip(table[r], table[k], strict=True)]
    shares = [table[k][-1] for k in range(size)]
    return (shares, table[size][-1]) if min(shares) >= 0 else None


@dataclass(frozen=True)
class Drawn(SimultaneousMoves, Game):
    """Random rules. `back`: moves may lead back; `stops`: then every pair of choices, and every
    move, ends the game with a probability of at least 1/4. Payoffs are from `least` to `most`."""

    seed: int = 0
    back: bool = False
    stops: bool = True
    least: int = -3
    most: int = 3
    earns: bool = True

    @cached_property
    def nodes(self) -> list[tuple[int, Any, Any]]:
        """Of each position: kind, shape or weights, edges as (child, reward)."""
        draw = random.Random(self.seed)
        size = draw.randint(3, 7)
        ends = [(OVER, None, draw.randint(self.least, self.most)) for _ in range(3)]
        inner = []
        for number in range(size):
            kind = draw.choice([SIMULTANEOUS, SIMULTANEOUS, SIMULTANEOUS, 0, 1, CHANCE])
            shape = (draw.randint(1, 3), draw.randint(1, 3))
            count = shape[0] * shape[1] if kind == SIMULTANEOUS else draw.randint(1, 3)
            reach = range(size) if self.back else range(number + 1, size)
            edges = []
            for _ in range(count):
                leaves = not reach or draw.random() < 0.4
                child = size + draw.randrange(3) if leaves else draw.choice(reach)
                edges.append((child, draw.randint(-1, 1) if self.earns else 0))
            inner.append(
                (kind, shape if kind == SIMULTANEOUS else [draw.randint(1, 3)] * count, edges)
            )
        return inner + ends

    def start(self) -> tuple[int, int]:
        return 0, -1

    def starts(self) -> Iterator[tuple[int, int]]:
        yield from ((number, -1) for number in range(len(self.nodes)))

    def to_move(self, p: tuple[int, int]) -> int:
        """(node, -1), or (node, end): chance decides between the node and the end."""
        return CHANCE if p[1] >= 0 else self.nodes[p[0]][0]

    def choices(self, p: tuple[int, int], player: int) -> Iterable[int]:
        return range(self.nodes[p[0]][1][player])

    def moves(self, p: tuple[int, int]) -> Iterable[int]:
        return range(len(self.nodes[p[0]][2]))

    def _edge(self, p: tuple[int, int], m: Any) -> tuple[int, int]:
        _, shape, edges = self.nodes[p[0]]
        return edges[m[0] * shape[1] + m[1] if isinstance(m, tuple) else m]

    def play(self, p: tuple[int, int], m: Any) -> tuple[int, int]:
        child = self._edge(p, m)[0]
        return self._stopped(p, child)

    def _stopped(self, p: tuple[int, int], child: int) -> tuple[int, int]:
        inner = child < len(self.nodes) - 3
        return (child, len(self.nodes) - 1) if self.back and self.stops and inner else (child, -1)

    def reward(self, p: tuple[int, int], m: Any) -> int:
        return self._edge(p, m)[1]

    def chances(self, p: tuple[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
        if p[1] >= 0:
            yield 3, (p[0], -1)
            yield 1, (p[1], -1)
            return
        _, weights, edges = self.nodes[p[0]]
        for weight, (child, _) in zip(weights, edges, strict=True):
            yield weight, self._stopped(p, child)

    def payoff(self, p: tuple[int, int]) -> int:
        return int(self.nodes[p[0]][2])


def positions(game: Drawn) -> list[Any]:
    """All positions of random rules."""
    queue = list(game.starts())
    seen = set(queue)
    for p in queue:
        for q, _ in edges(game, p):
            if q not in seen:
                seen.add(q)
                queue.append(q)
    return queue


def edges(game: Any, p: Any) -> list[tuple[Any, int]]:
    """(what follows, what player 0 earns), row by row where both choose."""
    kind = game.to_move(p)
    if kind == OVER:
        return []
    if kind == CHANCE:
        return [(q, 0) for _, q in game.chances(p)]
    if kind == SIMULTANEOUS:
        pairs = [(a, b) for a in game.choices(p, 0) for b in game.choices(p, 1)]
        return [(game.play(p, m), game.reward(p, m)) for m in pairs]
    sign = -1 if kind == 1 else 1
    return [(game.play(p, m), sign * game.reward(p, m)) for m in game.moves(p)]


def step(game: Any, p: Any, values: dict[Any, Fraction]) -> Fraction:
    """What the children of a position make of it: the equation, straight from the definition."""
    kind = game.to_move(p)
    if kind == OVER:
        return Fraction(game.payoff(p))
    worths = [values[q] + earned for q, earned in edges(game, p)]
    if kind == CHANCE:
        weights = [weight for weight, _ in game.chances(p)]
        return sum(w * x for w, x in zip(weights, worths, strict=True)) / sum(weights)
    if kind == SIMULTANEOUS:
        wide = len(list(game.choices(p, 1)))
        return matrix_value([worths[k : k + wide] for k in range(0, len(worths), wide)])
    return max(worths) if kind == 0 else min(worths)
