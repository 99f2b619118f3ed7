"""Nim values of impartial games written as rules: the mex rule over every position.

    value(p) = mex of value(q) over all q that a move leads to

Where both players may do the same, a position is worth as much as a heap of Nim with `value`
counters, in every sum of impartial games (Sprague 1935, Grundy 1939); who is to move loses where
it is 0. All positions are found by the engine, compiled if the rules are; one pass over the graph,
lowest stratum first, gives their values.

If the rules have `decompose(p)`, which yields positions that together are worth `p`, only such
parts are looked at, and their values are added without carrying. Rules are interpreted then, and
values are found when they are asked for.

The rules must be those of normal play: two players take turns, both may do the same at every
position, who cannot move loses, and play ends. All of this is checked but one thing: that a
position does not say what belongs to whom (rules that exchange "mine" and "theirs" in `play`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.positions.explained import explained
from perfectplay.positions.id_index import NativeIndex
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import Decomposed
from perfectplay.rules.game import Game, declares, first_positions
from perfectplay.sums.canonical_form import Short, plain_value
from perfectplay.sums.heaps.heap_game import mex
from perfectplay.sums.summands import SummandMove

if TYPE_CHECKING:
    from perfectplay.solving.run import Run
    from perfectplay.strata.graph import Facts, Graph
    from perfectplay.strata.stratum_queue import StratumQueue

NOT_IMPARTIAL = {
    "chances": "chance",
    "to_move": "positions that say whose turn it is (to_move)",
    "payoff": "payoffs of its own (payoff)",
    "reward": "rewards on moves (reward)",
}
"""Methods that rules with nim values do not have, and what they stand for."""


@explained
def grundy(
    game: Game,
    *,
    plain: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Nimbers:
    """The nim values of all positions of an impartial game.

    `plain` interprets native rules; `memory` is a budget in bytes."""
    refuse(game)
    if isinstance(game, Decomposed):
        return SummandNimbers(game)
    from perfectplay.solvers.work import Options
    from perfectplay.solving.budget import Budget
    from perfectplay.solving.route import route
    from perfectplay.solving.run import Run

    run = Run(
        game,
        Options(workers=workers or cores()),
        route(game, plain=plain, stored=False),
        plain=plain,
        budget=Budget(memory),
        progress=progress or Silent(),
    )
    return Explored(run)


def refuse(game: Game) -> None:
    """UsageError unless the rules can be those of an impartial game in normal play."""
    name = type(game).__name__
    if callable(getattr(game, "left", None)) and callable(getattr(game, "right", None)):
        raise UsageError(
            f"{name} has moves of Left and moves of Right: it has no nim values",
            "`perfectplay value` and perfectplay.sums say what its positions are worth",
        )
    wrong = [words for method, words in NOT_IMPARTIAL.items() if declares(game, method)]
    if game.players != 2:
        wrong = [f"{game.players} player{'s' * (game.players != 1)}"]
    if wrong:
        raise UsageError(
            f"{name} has {wrong[0]}: nim values are for impartial games",
            "two players, both with the same moves, and who cannot move loses: write start, moves "
            "and play, and nothing of turns and payoffs",
        )
    if game.misere:
        raise UsageError(
            f"{name} is played misère: nim values are for normal play",
            "set misere to false; outcomes of misère play are found by solve",
        )


class Nimbers(Rich):
    """The nim values of a game's positions."""

    game: Game

    def value(self, p: Any) -> int:
        """The nim value of a position."""
        raise NotImplementedError

    @property
    def positions(self) -> int:
        """How many positions were looked at."""
        raise NotImplementedError

    def counts(self) -> dict[int, int]:
        """How many of them have each value."""
        raise NotImplementedError

    def __getitem__(self, p: Any) -> int:
        return self.value(p)

    @cached_property
    def start(self) -> Any:
        """The first position."""
        return next(first_positions(self.game))

    def moves(self, p: Any) -> Iterator[tuple[str, int]]:
        """The moves at `p` as text, each with the nim value of the position after it."""
        for m in self.game.moves(p):
            yield self.game.move_text(p, m), self.value(self.game.play(p, m))

    def winning_moves(self, p: Any) -> list[str]:
        """All moves to positions of value 0, as text."""
        self.value(p)
        return [text for text, after in self.moves(p) if after == 0]

    def part(self, p: Any = None) -> Position:
        """A position (or the first one) as summand of a `perfectplay.sums.sum.Sum`."""
        p = self.start if p is None else p
        self.value(p)
        return Position(self, p)

    def display(self) -> Display:
        """The first position with its moves."""
        rows = list(self.moves(self.start))
        title = f"{self.game.text(self.start)}: nim value {self.value(self.start)}"
        best = {i for i, (_, after) in enumerate(rows) if not after}
        heads = ("move", "nim value after it") if rows else ()
        return Display(title, heads, rows, best, svg=self.game.picture(self.start))

    def __repr__(self) -> str:
        return f"<{type(self.game).__name__}: the start has nim value {self.value(self.start)}>"


@dataclass(frozen=True, eq=False)
class Position:
    """A position as a summand."""

    nimbers: Nimbers
    p: Any

    @property
    def text(self) -> str:
        """The position as one line."""
        return self.nimbers.game.text(self.p)

    @property
    def value(self) -> Short:
        """The nimber it is worth."""
        return plain_value((0, 0, 0, self.nimbers.value(self.p)))

    def moves(self, player: int) -> Iterator[SummandMove]:
        """All moves; both players have the same."""
        for text, after in self.nimbers.moves(self.p):
            yield SummandMove(text, plain_value((0, 0, 0, after)))

    def svg(self) -> str:
        """A drawing of the position."""
        return self.nimbers.game.picture(self.p)


# -- All positions. -------------------------------------------------------------------------------


class Explored(Nimbers):
    """Values of all positions that can arise, from the graph of the engine."""

    def __init__(self, run: Run) -> None:
        self.game = run.game
        with threads(run.options.workers):
            strata, facts = run.explored()
            try:
                self._width = run.rules.width
                self._positions: list[Any] = []
                self.values: Array = np.zeros(strata.positions, np.uint16)
                """uint[n]: the values of all positions, in the order in which they were solved."""
                self._solve(strata, facts)
            finally:
                strata.close()

    def _solve(self, strata: StratumQueue, facts: Facts) -> None:
        from perfectplay.strata.facts import graph

        ids = strata.ids()
        low = 0
        for stratum in sorted(strata.sizes):
            found = strata.take(stratum)
            moves = graph(found, facts, ids, low)
            degree = int(found.count.max(initial=0))
            if degree >= np.iinfo(self.values.dtype).max:
                self.values = self.values.astype(np.uint32)
            mark = np.zeros(degree + 2, np.int64)
            _mex(low, self._order(moves), moves.first, moves.child, self.values, mark)
            self._positions.append(found.positions)
            low += found.size

    def _order(self, moves: Graph) -> Array:
        """The rows of a stratum, children before parents; UsageError if there are cycles."""
        from perfectplay.strata.components import components

        if not moves.inside:
            return np.arange(moves.size, dtype=np.int32)
        found = components(moves)
        if found.cyclic.any():
            raise UsageError(
                f"{type(self.game).__name__}: play may run in cycles, where the mex rule says "
                "nothing",
                "nim values are for games that end after finitely many moves; solve says who wins",
            )
        return found.rows

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return len(self.values)

    def counts(self) -> dict[int, int]:
        """How many positions have each value."""
        found = np.bincount(self.values)
        return {int(v): int(found[v]) for v in np.flatnonzero(found)}

    @cached_property
    def _ids(self) -> Any:
        """What finds the ids of positions."""
        if not self._width:
            every = (p for positions in self._positions for p in positions)
            return {p: number for number, p in enumerate(every)}
        index = NativeIndex(self._width, self.positions)
        number = 0
        for keys in self._positions:
            _, number = index.insert(keys, number)
        return index

    def value(self, p: Any) -> int:
        """The nim value of a position; UsageError if it cannot arise."""
        found = self._id(p)
        if found is None or found >= self.positions:
            raise UsageError(
                f"{p!r} cannot arise in {type(self.game).__name__}",
                f"a position looks like {self.start!r}",
            )
        return int(self.values[found])

    def _id(self, p: Any) -> int | None:
        try:
            q = self.game.representative(p)
            if not self._width:
                found: int | None = self._ids.get(q)
                return found
            key = np.array(q, np.int64).reshape(1, -1)
            if key.shape[1] != self._width or key.tolist()[0] != [*(np.atleast_1d(q).tolist())]:
                return None
            # A key that is not there gets a number of its own, above those of all positions.
            numbers, _ = self._ids.insert(key, self.positions)
            return int(numbers[0])
        except (TypeError, ValueError, OverflowError, IndexError):
            return None


@kernel
def _mex(low: int, rows: Array, first: Ints, child: Ids, value: Array, mark: Array) -> None:
    """Values of the rows, in this order. `mark[v]` is i + 1 if the i-th has a child of value v;
    no value is larger than the number of children."""
    for i in range(len(rows)):
        row = rows[i]
        most = first[row + 1] - first[row]
        for e in range(first[row], first[row + 1]):
            v = value[child[e]]
            if v <= most:
                mark[v] = i + 1
        v = 0
        while mark[v] == i + 1:
            v += 1
        value[low + row] = v


# -- Summands. ------------------------------------------------------------------------------------


class SummandNimbers(Nimbers):
    """Values of the summands that positions fall into, found when they are asked for."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._known: dict[Any, int] = {}

    @property
    def positions(self) -> int:
        """How many parts were looked at so far."""
        return len(self._known)

    def counts(self) -> dict[int, int]:
        """How many of them have each value."""
        return dict(sorted(Counter(self._known.values()).items()))

    def value(self, p: Any) -> int:
        """The nim value of a position: the nim sum of its parts."""
        parts = self._parts(p)
        self._learn(parts)
        return self._sum(parts)

    def _parts(self, p: Any) -> tuple[Any, ...]:
        game: Any = self.game
        return tuple(game.representative(q) for q in game.decompose(p))

    def _sum(self, parts: tuple[Any, ...]) -> int:
        return reduce(xor, map(self._known.__getitem__, parts), 0)

    def _learn(self, parts: tuple[Any, ...]) -> None:
        """Know the values of parts, children first, without recursion."""
        game = self.game
        waiting = [part for part in parts if part not in self._known]
        opened: dict[Any, list[tuple[Any, ...]]] = {}
        while waiting:
            p = waiting[-1]
            if p in opened:
                self._known[p] = mex(self._sum(after) for after in opened.pop(p))
            if p in self._known:
                waiting.pop()
                continue
            opened[p] = [self._parts(game.play(p, m)) for m in game.moves(p)]
            missing = {part for each in opened[p] for part in each} - self._known.keys()
            if again := missing & opened.keys():
                raise UsageError(
                    f"{type(game).__name__}: play may run in cycles, for instance through "
                    f"{game.text(again.pop())}",
                    "nim values are for games that end after finitely many moves; the parts that "
                    "decompose(p) yields must be smaller than what a move began with",
                )
            waiting += missing
