"""Count lines: how many ways there are to play a game to its end, and how many of the best.

The numbers of a position's lines are sums over its moves, so they follow from the moves alone, as
the strata are found:

    1. from the lowest stratum up: from which positions can play come to an end?
    2. from the highest stratum down: in how many ways is a position come to? Where play ends,
       these are the lines that end there. Symmetric positions have equally many moves to symmetric
       positions, so that one stands for all; each move is counted.
    3. while strata are solved, lowest first: how many lines of best moves go on from a position?

A position from which play can end, and from which it can come back, has lines without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.answer.counting.big_counts import (
    DONE,
    ENDLESS,
    GREW,
    Order,
    add_along,
    add_back,
    best_by_outcome,
    best_by_score,
    mark_ends,
    only,
)
from perfectplay.answer.counting.line_counts import LineCounts
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.errors import NoSolverError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import OVER, Game, alternate, declares, first_positions
from perfectplay.rules.value import Number, Value
from perfectplay.solvers.store import NONE, Outcomes, Scores, shown_numbers
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import Budget
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.strata.components import Components, components
from perfectplay.strata.facts import graph
from perfectplay.strata.graph import Facts, Graph
from perfectplay.strata.stratum_queue import StratumQueue

WORDS = 2
"""Words of counts at first: they are doubled where that is not enough."""


@explained
def count_lines(
    game: Game,
    *,
    position: Any = None,
    best: bool = True,
    workers: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> LineCounts:
    """How many lines of play go from a position (default: the start) to an end, by what the end is
    worth, and how many of them are best; for games without chance, of one player or two with
    opposed interests. `best=False` leaves out the best ones, for which the game is solved."""
    _refuse(game)
    run = Run(
        game,
        Options(workers=workers or cores()),
        route(game, stored=False, steps=True),
        budget=Budget(memory),
        progress=progress or Silent(),
        whole=False,
    )
    with threads(run.options.workers):
        queue, facts = run.explored()
        try:
            return _Counting(run, queue, facts, position).counted(best=best)
        finally:
            queue.close()


def _refuse(game: Game) -> None:
    """NoSolverError if lines are not counted in this kind of game."""
    chance = declares(game, "chances") or simultaneous(game) is not None
    if chance or game.players > 2:
        raise NoSolverError(
            f"{type(game).__name__} has {'chance' if chance else f'{game.players} players'}: "
            "lines are counted in games without it, of one player or two",
            "study says how long play lasts, and how often a choice matters",
        )


@dataclass
class _Counting:
    """Lines of a game that was explored."""

    run: Run
    queue: StratumQueue
    facts: Facts
    asked: Any

    def __post_init__(self) -> None:
        if not self.facts.scalar:
            raise NoSolverError(
                f"the players of {type(self.run.game).__name__} have interests that are not "
                "opposed: best lines are not counted there"
            )
        self.game, self.ids = self.run.game, self.queue.ids()
        self.p = next(first_positions(self.game)) if self.asked is None else self.asked
        q = self.game.representative(self.p)
        self.root = self._id(q)
        renamed = not alternate(self.game) and self.game.turn(q) != self.game.turn(self.p)
        self.side = int(renamed and self.game.players == 2)

    def counted(self, *, best: bool) -> LineCounts:
        """The answer; strata are given up."""
        from perfectplay.rules.load import rules_path
        from perfectplay.rules.parameters import stored_parameters

        ends = self._ends()
        found, value = None, None
        if best:
            found, value = self._best()
        worth = Counter[Number]() if ends is None else ends
        return LineCounts(
            game=rules_path(self.game),
            parameters=stored_parameters(self.game),
            position=self.game.text(self.p),
            name=self._name(),
            positions=sum(self.queue.sizes.values()),
            lines=None if ends is None else sum(ends.values()),
            ends=tuple(sorted(worth.items())),
            outcome=self.facts.outcome,
            value=value,
            best=found,
        )

    def _name(self) -> str:
        if self.game.players == 1:
            return "the player"
        return "the player to move" if alternate(self.game) else self.game.player_name(0)

    # -- Where things are. ------------------------------------------------------------------------

    @cached_property
    def lows(self) -> dict[int, int]:
        """The first id of each stratum, lowest first."""
        found, low = {}, 0
        for stratum in sorted(self.queue.sizes):
            found[stratum] = low
            low += self.queue.sizes[stratum]
        return found

    def _id(self, q: Any) -> int:
        """The id of a representative; UsageError if it cannot arise."""
        rules = self.run.rules
        key = rules.keys([q]) if rules.width else None
        for stratum, low in self.lows.items():
            found = self.queue.look(stratum)
            if key is not None:
                row = np.flatnonzero((found.positions == key).all(axis=1))[:1].tolist()
            else:
                row = [found.positions.index(q)] if q in found.positions else []
            if row:
                return int(low + row[0])
        raise UsageError(
            f"{self.game.text(q)} cannot arise from the start of {type(self.game).__name__}",
            "lines are counted from positions that can",
        )

    def _strata(self, *, down: bool) -> Iterator[tuple[FoundStratum, Graph]]:
        """All strata with their moves, which stay where they are."""
        for stratum in sorted(self.lows, reverse=down):
            found = self.queue.look(stratum)
            yield found, graph(found, self.facts, self.ids, self.lows[stratum])
            self.run.progress.advance(found.size)

    # -- All lines. -------------------------------------------------------------------------------

    def _ends(self) -> Counter[Number] | None:
        """How many lines end with each payoff; None if there are as many as you like."""
        many = sum(self.queue.sizes.values())
        inside = any(self.queue.look(stratum).inside for stratum in self.lows)
        ends = np.zeros(many if inside else 1, np.bool_)
        if inside:
            self.run.progress.start("ends", many)
            for _, moves in self._strata(down=False):
                parts = components(moves)
                mark_ends(moves.first, moves.child, moves.kind, moves.low, _order(parts), ends)
        words = WORDS
        while True:
            self.run.progress.start("lines", many)
            sides = 2 if self.game.players == 2 else 1
            ways = np.zeros((many, sides, words), np.uint64)
            ways[self.root, self.side, 0] = 1
            found = Counter[Number]()
            code = DONE
            for _, moves in self._strata(down=True):
                code = self._down(moves, ends, ways)
                if code != DONE:
                    break
                self._collect(moves, ways, found)
            if code != GREW:
                return None if code == ENDLESS else found
            words *= 2

    def _down(self, moves: Graph, ends: Array, ways: Array) -> int:
        """Take the ways to the positions of a stratum on to their children."""
        rows, cyclic = np.arange(moves.size, dtype=np.int32), np.zeros(1, np.bool_)
        if moves.inside:
            parts = components(moves)
            rows, cyclic = parts.rows[::-1].copy(), parts.cyclic[parts.number]
        swap = np.zeros(1, np.uint8) if self.game.players == 1 else moves.swap
        return int(add_along(moves.first, moves.child, swap, moves.low, rows, cyclic, ends, ways))

    def _collect(self, moves: Graph, ways: Array, found: Counter[Number]) -> None:
        """Add up the lines that end in a stratum."""
        over = np.flatnonzero(moves.kind == OVER)
        payoff = moves.payoff[over]
        for paid in np.unique(payoff).tolist():
            rows = moves.low + over[payoff == paid]
            for side in range(ways.shape[1]):
                lines = _sum(ways[rows, side])
                if lines:
                    found[shown_numbers(self.facts, -paid if side else paid)[0]] += lines

    # -- Best lines. ------------------------------------------------------------------------------

    def _best(self) -> tuple[int | None, Value]:
        """How many best lines there are (None: as many as you like), and what the position is
        worth; the game is solved."""
        solved = _BestLines(self.facts, self.run, sum(self.queue.sizes.values()))
        self.run.look = solved.look
        table = self.run.fill(self.queue, self.facts)
        from perfectplay.answer.solution import Solution

        solution = Solution(self.game, table, self.run.report(table))
        player = 0 if self.game.players == 1 else solution.seen_by(self.p)
        return solved.count(self.root), solution.values(self.p)[player]


@dataclass
class _BestLines:
    """The best lines from each position, counted while strata are solved."""

    facts: Facts
    run: Run
    many: int
    lines: Array = field(init=False)
    endless: Array = field(init=False)

    def __post_init__(self) -> None:
        self.lines = np.zeros((self.many, WORDS), np.uint64)
        self.endless = np.zeros(self.many, np.bool_)

    def look(self, found: FoundStratum, moves: Graph, work: Work) -> None:
        """Count the lines from the positions of a stratum."""
        parts, first, child = self._kept(moves)
        while True:
            code = add_back(
                first, child, moves.kind, moves.low, _order(parts), self.lines, self.endless
            )
            if code == DONE:
                return
            wider = np.zeros((self.many, 2 * self.lines.shape[1]), np.uint64)
            wider[: moves.low, : self.lines.shape[1]] = self.lines[: moves.low]
            self.lines = wider
            self.endless[moves.low : moves.low + moves.size] = False

    def _kept(self, moves: Graph) -> tuple[Components, Array, Array]:
        """The best moves of a stratum, and which of them go round."""
        store, swap = self.run.store, moves.swap
        if self.facts.players == 1:
            swap = np.zeros(1, np.uint8)
        if isinstance(store, Outcomes):
            best = best_by_outcome(
                moves.first, moves.child, swap, moves.low, store.value, store.depth
            )
        else:
            assert isinstance(store, Scores), "games without chance have outcomes or scores"
            best = best_by_score(
                moves.first, moves.child, swap, moves.reward, moves.low, store.value, NONE
            )
        first, child = only(moves.first, moves.child, best)
        if moves.inside:
            kept = Graph(**{**vars(moves), "first": first, "child": child})
            return components(kept), first, child
        rows = np.arange(moves.size, dtype=np.int32)
        alone = np.zeros(moves.size, np.bool_)
        return Components(rows, rows, np.arange(moves.size + 1), alone), first, child

    def count(self, id: int) -> int | None:
        """How many lines go from a position; None: as many as you like."""
        return None if self.endless[id] else _sum(self.lines[id : id + 1])


def _order(parts: Components) -> Order:
    """Components as kernels take them."""
    return Order(parts.rows, parts.start, parts.cyclic)


def _sum(counts: Array) -> int:
    """The sum of counts, int[n, words]."""
    total = 0
    for k in range(counts.shape[1]):
        word = counts[:, k]  # halves of words, whose sums fit in words
        low = int((word & np.uint64(0xFFFFFFFF)).sum())
        total += (low + (int((word >> np.uint64(32)).sum()) << 32)) << (64 * k)
    return total
