"""Interpreted rules over batches of any hashable positions, and the errors of rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Batch
from perfectplay.positions.codes import (
    BAD_MOVER,
    BAD_WEIGHT,
    NO_CHOICE,
    NO_EVENT,
    RENAMED,
    TROUBLES,
)
from perfectplay.positions.explained import failing
from perfectplay.positions.failures import UnlocatedError, shown
from perfectplay.rules.capabilities import SimultaneousMoves, anchored, simultaneous
from perfectplay.rules.game import (
    CHANCE,
    OVER,
    SIMULTANEOUS,
    Game,
    alternate,
    declares,
    first_positions,
)


def trouble(game: Game, code: int, position: Any) -> RulesError:
    """The error for a position at which the rules contradict themselves."""
    wrong, hint = TROUBLES[code]
    return RulesError(f"{type(game).__name__}: {wrong}, at {shown(game, position)}", hint)


LARGEST = 2**62 - 1
"""The largest payoff or reward, so that a sum of two still fits in a word."""


class PlainExpander:
    """Interpreted rules on any hashable positions."""

    width = 0
    turn_patterns: Any = None

    def __init__(self, game: Game) -> None:
        self.game = game
        self._swaps = declares(game, "turn")
        self._anchors = anchored(game)
        self._both = simultaneous(game)
        self._alternate = alternate(game)
        self._symmetric = declares(game, "representative")

    def raw(self) -> PlainExpander:
        """The same rules, giving children as they are instead of their representatives."""
        twin = PlainExpander(self.game)
        twin._symmetric = False
        return twin

    def starts(self) -> tuple[list[Any], Array]:
        """The first positions, as representatives, and their strata."""
        with failing(self.game):
            found = list(
                dict.fromkeys(self.game.representative(p) for p in first_positions(self.game))
            )
            if not found:
                raise RulesError(
                    f"{type(self.game).__name__}: starts() yields no position",
                    "check the parameters, or let starts() yield at least one",
                )
            return found, np.array([self.game.stratum(p) for p in found], np.int64)

    def start_batches(self) -> Iterator[tuple[list[Any], Array]]:
        """The same at once."""
        yield self.starts()

    def keys(self, positions: Any) -> list[str]:
        """The texts of positions; two positions with one text are refused."""
        return [self.game.text(p) for p in positions]

    def position(self, key: Any) -> Any:
        """The position itself: plain positions are their own keys while they are explored."""
        return key

    def expand(self, positions: Any) -> Batch:
        """The children of `positions`."""
        kinds, payoffs, first, anchors = [], [], [0], []
        edges: list[tuple[Any, int, int, int, Any]] = []
        with failing(self.game, positions):
            for p in positions:
                kind, children = self.children(p)
                edges += children
                if kind >= 0 and not children:
                    kind = OVER
                kinds.append(kind)
                payoffs.append(self.game.payoff(p) if kind == OVER else 0)
                anchors.append(self._anchors is not None and bool(self._anchors.anchor(p)))
                first.append(len(edges))
            child, stratum, swap, weight, reward = zip(*edges, strict=True) if edges else [()] * 5
            hash(child)  # a position that is not hashable is refused where it is known whose child
            return Batch(
                kind=np.array(kinds, np.int8),
                payoff=columns_of(payoffs, self.game),
                first=np.array(first, np.int64),
                child=list(child),
                stratum=integers(stratum, self.game),
                swap=np.array(swap, np.uint8),
                weight=np.array(weight, np.int64),
                reward=columns_of(list(reward), self.game),
                anchor=np.array(anchors, np.uint8),
            )

    def children(self, p: Any) -> tuple[int, list[tuple[Any, int, int, int, Any]]]:
        """The kind of `p` and its edges: (child, stratum, swap, weight, reward)."""
        game = self.game
        kind = int(game.to_move(p))
        if kind == OVER:
            return kind, []
        if kind == SIMULTANEOUS and self._both is not None:
            return kind, self._pairs(p, list(self._both.choices(p, 0)), self._both)
        if not OVER < kind < game.players:
            raise trouble(game, BAD_MOVER, p)
        if kind == CHANCE:
            edges = []
            for weight, q in game.chances(p):
                if weight <= 0 or int(weight) != weight:
                    raise trouble(game, BAD_WEIGHT, p)
                edges.append((*self._reduced(q), int(weight), 0))
            if not edges:
                raise trouble(game, NO_EVENT, p)
            return kind, edges
        return kind, [
            (*self._reduced(game.play(p, m)), 1, game.reward(p, m)) for m in game.moves(p)
        ]

    def _pairs(
        self, p: Any, rows: list[Any], both: SimultaneousMoves
    ) -> list[tuple[Any, int, int, int, Any]]:
        """The edges of a position at which both players choose: all pairs of choices, row by row;
        the weight is the number of columns."""
        game, columns = self.game, list(both.choices(p, 1))
        if not rows or not columns:
            raise trouble(game, NO_CHOICE, p)
        pairs = [(a, b) for a in rows for b in columns]
        return [(*self._reduced(game.play(p, m)), len(columns), game.reward(p, m)) for m in pairs]

    def _reduced(self, q: Any) -> tuple[Any, int, int]:
        """The representative of `q`, its stratum, and how the players are renamed."""
        game = self.game
        if q is None:
            raise UnlocatedError(
                f"{type(game).__name__}: play(p, m) or chances(p) leads to None",
                "a method without return gives None: return the new position",
            )
        r = game.representative(q) if self._symmetric else q
        stratum = game.stratum(r)
        if self._alternate or not self._symmetric:
            return r, stratum, int(self._alternate)
        if self._swaps:
            return r, stratum, (game.turn(q) - game.turn(r)) % game.players
        if game.to_move(q) != game.to_move(r):
            raise trouble(game, RENAMED, q)
        return r, stratum, 0


def integers(strata: tuple[Any, ...], game: Game) -> Array:
    """Strata as int64[n]; nothing is rounded."""
    found = np.array(strata, np.int64 if not strata else None)
    if found.dtype.kind not in "iub":
        raise UnlocatedError(f"{type(game).__name__}: stratum(p) is not always an integer")
    return found.astype(np.int64)


def columns_of(numbers: list[Any], game: Game) -> Array:
    """Payoffs or rewards as int64[n, 1 or players]."""
    width = game.players if any(isinstance(x, tuple) for x in numbers) else 1
    out = np.zeros((len(numbers), width), np.int64)
    for row, number in enumerate(numbers):
        if isinstance(number, tuple):
            if len(number) != game.players:
                raise UnlocatedError(
                    f"{type(game).__name__}: a payoff or reward has {len(number)} numbers "
                    f"for {game.players} players"
                )
            out[row] = [whole_number(x, game) for x in number]
        elif width == 1:
            out[row, 0] = whole_number(number, game)
        elif number != 0:
            raise UnlocatedError(
                f"{type(game).__name__}: payoff or reward is a number here and a tuple there",
                "return a tuple with one integer per player everywhere",
            )
    return out


def whole_number(number: Any, game: Game) -> int:
    """A payoff or reward as an integer; nothing is rounded."""
    try:
        whole = int(number)
    except (TypeError, ValueError, OverflowError):  # None, a text, not a number, infinite
        whole = None
    if whole == number and whole is not None:
        if -LARGEST <= whole <= LARGEST:
            return whole
        raise UnlocatedError(
            f"{type(game).__name__}: a payoff or reward has {whole.bit_length()} bits; 62 are the "
            "most",
            "measure in larger units",
        )
    raise UnlocatedError(
        f"{type(game).__name__}: payoff or reward {number!r} is not an integer",
        "values are exact: use integers, for instance half points as 1 and full points as 2",
    )
