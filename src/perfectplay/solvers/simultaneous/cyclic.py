"""Cyclic components with simultaneous moves: proved bounds, by improving mixed strategies.

Player 0 keeps a mixed strategy at every position, player 1 is free. What is left is a game with
chance and one player: player 1 picks a column, chance picks the row. So everything of
solvers/chance/certify.py applies, and `guarantee` proves a lower bound on what the strategy
brings, endless play included. Upper bounds are lower bounds of the component with players
exchanged.

The strategies are improved as by Hoffman and Karp (1966): at positions where the matrix game of
the present values is worth strictly more, its optimal mixture is taken. This starts with choosing
evenly, by which every exit is reached that one player alone can reach. Where bounds stay apart,
the strategies that look best from the opponent's side are tried as well: they show where a player
should rather stay for ever.

A player may have no optimal strategy on a cycle, only ever better ones that take ever longer
(Everett 1957). Strategies that would be optimal if the positions in question were worth a little
less are such; each is tried and proved like any other, and bounds stay apart by about what
the best of them leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import NoSolverError
from perfectplay.rules.game import CHANCE, SIMULTANEOUS
from perfectplay.solvers.chance.certify import Collapsed, guarantee, opposite
from perfectplay.solvers.chance.cyclic_components import prepare
from perfectplay.solvers.chance.local import LocalGraph
from perfectplay.solvers.simultaneous.stage_game import mixtures, surely, weights
from perfectplay.strata.graph import Graph

ROUNDS = 120
"""Improvements of the strategies before they are given up."""
NOISE = 1e-13
"""Improvements that are not larger, relative to the values, may be rounding."""
ROUNDING = 1e-9
"""Bounds that are not further apart are so by rounding: patience does not bring them together."""
FEW = 12
"""The same for strategies that look best from the other side."""
PATIENCE = (0.0, 0.0, 1e-4, 1e-6, 1e-8, 1e-10)
"""By how much less than that the positions in question are taken to be worth, in turn."""

Strategy = dict[int, Array]
"""By row of player 0, or of both: weights of edges, or of the rows of the matrix."""


@dataclass(frozen=True)
class MatrixComponent:
    """A component by itself, and where both choose, the edges of the cells of the matrix."""

    local: LocalGraph
    cells: dict[int, Array]
    """By row of the component: int64[rows, columns]."""

    def opposite(self) -> MatrixComponent:
        """The same with players and signs exchanged."""
        return MatrixComponent(opposite(self.local), {i: e.T for i, e in self.cells.items()})

    def worth(self, value: Array) -> Array:
        """What edges are worth, from below, given the values of the component's rows."""
        to, below = self.local.to, self.local.below
        return np.asarray(below + np.where(to >= 0, value[np.maximum(to, 0)], 0.0))

    def matrix(self, i: int) -> Array:
        """The edges of a row at which player 0 chooses; without an opponent, in one column."""
        first = self.local.first
        own = self.cells.get(i)
        return np.arange(first[i], first[i + 1])[:, None] if own is None else own

    @property
    def mine(self) -> list[int]:
        """The rows at which player 0 chooses."""
        kind = self.local.kind
        return np.flatnonzero((kind == 0) | (kind == SIMULTANEOUS)).tolist()


def matrices(local: LocalGraph) -> MatrixComponent:
    """A component with its matrices. Where signs are opposite, rows and columns are exchanged."""
    cells = {}
    for i in np.flatnonzero(local.kind == SIMULTANEOUS).tolist():
        begin, end = int(local.first[i]), int(local.first[i + 1])
        edges = np.arange(begin, end).reshape(-1, int(local.weight[begin]))
        cells[i] = edges.T if local.node[i] & 1 else edges
    return MatrixComponent(local, cells)


def bounds_of(
    graph: Graph, component: MatrixComponent, endless: float, width: float
) -> tuple[Array, Array, list[float]]:
    """Proved lower and upper bounds of all rows of a component; `width` is narrow enough. And by
    what the better mixture of a position gained in each round, for the player who took more."""
    local = component.local
    both = np.where(local.kind == SIMULTANEOUS, 0, local.kind).astype(np.int8)
    prepare(graph, local._replace(kind=both), endless)  # refuses loops that earn
    sides = component, component.opposite()
    worths = endless, -endless
    gains: tuple[list[float], list[float]] = [], []
    found = [_improved(sides[k], worths[k], _evenly(sides[k]), gains=gains[k]) for k in (0, 1)]
    scale = max(1.0, float(np.abs(local.below).max(initial=0.0)))
    enough = width * scale
    enough += float((local.above - local.below).max(initial=0.0))
    for patience in PATIENCE:
        apart = -found[1] - found[0] > (max(enough, ROUNDING * scale) if patience else enough)
        if not apart.any():
            break
        for k in (0, 1):
            hint = _best(sides[k], -found[1 - k] - patience * scale * apart)
            other = _improved(sides[k], worths[k], hint, FEW)
            if other.sum() > found[k].sum():
                found[k] = other
    if not np.isfinite(found).all():
        raise NoSolverError(
            f"no bounds were proved for {len(local.kind)} positions that lie on cycles",
            "let play end: without cycles every game with simultaneous moves is solved",
        )
    return found[0], -found[1], max(gains, key=len)


def _evenly(component: MatrixComponent) -> Strategy:
    """All choices with the same weight."""
    return {i: np.ones(component.matrix(i).shape[0]) for i in component.mine}


def _best(component: MatrixComponent, value: Array) -> Strategy:
    """The best mixtures where positions have these values."""
    worth = component.worth(value)
    return {i: _mixture(worth[component.matrix(i)]) for i in component.mine}


def _mixture(cells: Array) -> Array:
    """Weights of an optimal mixture of rows."""
    x, y = np.empty(cells.shape[0]), np.empty(cells.shape[1])
    mixtures(np.ascontiguousarray(cells), x, y)
    return np.asarray(weights(x))


def _improved(
    component: MatrixComponent,
    endless: float,
    strategy: Strategy,
    rounds: int = ROUNDS,
    gains: list[float] | None = None,
) -> Array:
    """Proved lower bounds of what improved strategies bring; -inf where there is no proof. What a
    better mixture gains in each round is added to `gains`."""
    size = len(component.local.kind)
    nothing = np.full(size, -np.inf)
    response = hint = None
    value, stalled = nothing, 0
    for step in range(rounds):
        fixed = kept(component, strategy)
        none = np.zeros(len(fixed.kind), np.int64)
        response = Collapsed(fixed, none, endless).best_response(hint)
        if response is None:
            return nothing
        before, value, hint = value, response.value[:size], response.value
        worth = component.worth(value)
        scale = max(1e-290, float(np.abs(worth).max()))
        stalled = 0 if (value - before).max() > NOISE * scale else stalled + 1
        better, gain = _better(component, value, worth, 1e-15 * (2 + step) * scale)
        if gains is not None:
            gains.append(gain)
        if not better or stalled == 2:
            break
        strategy = {**strategy, **better}
    assert response is not None
    proved = guarantee(response)
    return nothing if proved is None else proved[:size]


def _better(
    component: MatrixComponent, value: Array, worth: Array, margin: float
) -> tuple[Strategy, float]:
    """Mixtures that bring more than the present values, by more than a margin; and how much the
    best of them gains."""
    better = {}
    most = 0.0
    for i in component.mine:
        cells = np.ascontiguousarray(worth[component.matrix(i)])
        mixture = _mixture(cells)
        brings = surely(cells, mixture)
        if brings > value[i] + margin:
            better[i] = mixture
            most = max(most, float(brings - value[i]))
    return better, most


def kept(component: MatrixComponent, strategy: Strategy) -> LocalGraph:
    """The component in which player 0 keeps a strategy: where both choose, player 1 picks one of
    the rows that are added, in which chance acts with the weights of the strategy."""
    local, cells = component.local, component.cells
    size = len(local.kind)
    kinds: list[int] = []
    rows: list[tuple[Array, Array, Array]] = []  # of each row: to, weight, below
    columns: list[tuple[Array, Array]] = []  # of each added row: edges, weights
    for i in range(size):
        kind, edges = int(local.kind[i]), np.arange(local.first[i], local.first[i + 1])
        weight = local.weight[edges]
        if kind == SIMULTANEOUS:
            used = np.flatnonzero(strategy[i])
            number = size + len(columns) + np.arange(cells[i].shape[1])
            columns += [(column[used], strategy[i][used]) for column in cells[i].T]
            kinds.append(1)
            rows.append((number, np.ones(len(number)), np.zeros(len(number))))
            continue
        if kind == 0:
            kind, used = CHANCE, np.flatnonzero(strategy[i])
            edges, weight = edges[used], strategy[i][used]
        kinds.append(kind)
        rows.append((local.to[edges], weight, local.below[edges]))
    kinds += [CHANCE] * len(columns)
    rows += [(local.to[edges], weight, local.below[edges]) for edges, weight in columns]
    first = np.append(0, np.cumsum([len(to) for to, _, _ in rows]))
    to, weight, below = (np.concatenate([row[k] for row in rows]) for k in range(3))
    node = 2 * np.arange(len(kinds))
    none = np.empty(0, np.int64)
    return LocalGraph(
        np.array(kinds, np.int8), first, to.astype(np.int64), weight, below, below, node, none
    )
