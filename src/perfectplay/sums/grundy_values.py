"""Nim values of impartial games written as rules: the mex rule over every position.

    value(p) = mex of value(q) over all q that a move leads to

Where both players may do the same, a position is worth as much as a heap of Nim with `value`
counters, in every sum of impartial games (Sprague 1935, Grundy 1939); who is to move loses where
it is 0. The engine finds all positions, compiled if the rules are, and solves them, lowest
stratum first, by solvers/mex.py.

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

from perfectplay.answer.solution import Solution
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import Decomposed
from perfectplay.rules.game import Game, declares, first_positions
from perfectplay.sums.canonical_form import Short, plain_value
from perfectplay.sums.heaps.heap_game import mex
from perfectplay.sums.summands import SummandMove

if TYPE_CHECKING:
    from perfectplay.solving.run import Run

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
        Options(nim=True, workers=workers or cores()),
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
    """Values of all positions that can arise, from a table that the engine makes in memory."""

    def __init__(self, run: Run) -> None:
        self.game = run.game
        with threads(run.options.workers):
            self._solution = Solution(run.game, run.table(), {})
        self.values: Array = self._solution.to_arrow()["nim"].to_numpy()
        """uint[n]: the values of all positions, in the order of the table."""

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return len(self.values)

    def counts(self) -> dict[int, int]:
        """How many positions have each value."""
        found = np.bincount(self.values)
        return {int(v): int(found[v]) for v in np.flatnonzero(found)}

    def value(self, p: Any) -> int:
        """The nim value of a position; UsageError if it cannot arise."""
        try:
            found = self._solution.row(self.game.representative(p))
        except Exception:  # rules need not bear what is no position at all
            found = None
        if found is None:
            raise UsageError(
                f"{p!r} cannot arise in {type(self.game).__name__}",
                f"a position looks like {self.start!r}",
            )
        return int(found["nim"])


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
