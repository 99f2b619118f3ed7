"""The spot check: when a table is opened, some of its rows are derived again by the present rules.

Rules are compared with those of a table by a digest, which cannot see everything that rules may
depend on. So a few rows are put to the interpreted rules as well: first positions, the children of
the start, the main line, one row of each stratum, and some at random, in turns, until time is up.
A row must be in the stratum that the rules give it, its children must be stored, and its value
must follow from theirs. That is the first of the two conditions that `verify` proves for all rows,
for some of them, with a small tolerance where values are floats.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.answer.compare_moves import after, gains
from perfectplay.answer.stored_positions import KeyReader
from perfectplay.answer.within_turn import TurnValues, Values, extreme, mean
from perfectplay.errors import TableError, UsageError
from perfectplay.rules.capabilities import by_turns, simultaneous
from perfectplay.rules.game import (
    CHANCE,
    OVER,
    SIMULTANEOUS,
    alternate,
    declares,
    first_positions,
)
from perfectplay.rules.load import rules_path
from perfectplay.rules.value import Number, Value
from perfectplay.strata.graph import declared
from perfectplay.strata.sealed_files import solve_command

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

SECONDS = 0.2
"""How long a check may take."""
STARTS = 16
CHILDREN = 64
STEPS = 32
"""Positions of the main line."""
STRATA = 64
RANDOM = 64
TOLERANCE = 1e-9
"""How far floats may be off, relative to 1 or to the value."""


class _OutOfTime(Exception):  # noqa: N818 - not an error
    """The check has taken long enough."""


class _Contradiction(Exception):  # noqa: N818 - becomes a TableError
    """What is wrong with a row."""


def spot_check(solution: Solution, seconds: float | None = None) -> int:
    """How many rows were derived again; TableError if the rules contradict one of them."""
    checking = SpotCheck(solution, SECONDS if seconds is None else seconds)
    try:
        with _failing():
            checking.run()
    except _OutOfTime:
        pass
    except _Contradiction as found:
        folder = solution.table.folder
        header = {**solution.table.header, "game": rules_path(solution.game)}
        raise TableError(
            f"{folder} contradicts the present rules: {found}",
            "it was made with other rules, or by somebody else; solve the game again: "
            f"{solve_command(header, folder)}",
        ) from None
    return checking.checked


@contextmanager
def _failing() -> Iterator[None]:
    """Turns an exception that the rules raise into a contradiction."""
    try:
        yield
    except (TableError, MemoryError, _OutOfTime, _Contradiction):
        raise
    except Exception as error:
        raise _Contradiction(f"the rules fail, {type(error).__name__}: {error}") from None


class SpotCheck:
    """The rows of one table that are derived again."""

    def __init__(self, solution: Solution, seconds: float) -> None:
        self.solution = solution
        self.game, self.facts, self.table = solution.game, solution.facts, solution.table
        self.checked = 0
        self._seconds, self._end = seconds, math.inf
        self._slack = 2 * float(self.table.extra.get("residual", 0.0))
        self._turns = _Turns(self) if by_turns(self.game) else None

    def run(self) -> None:
        """Look at rows until all are seen or time is up."""
        if not declared(self.game, self.facts):
            raise _Contradiction("the number of players, the aim or the worth of endless play")
        self.stored(self.solution.start)  # imports what reads tables, which takes time of its own
        self._end = time.perf_counter() + self._seconds
        seen = set()
        for q, stratum in _in_turns(
            self._starts(), self._children(), self._line(), self._strata(), self._random()
        ):
            if q not in seen:
                seen.add(q)
                self._look(q, stratum)

    # -- Which rows. ------------------------------------------------------------------------------

    def _starts(self) -> Iterator[tuple[Any, None]]:
        for p in itertools.islice(first_positions(self.game), STARTS):
            yield self.game.representative(p), None

    def _children(self) -> Iterator[tuple[Any, None]]:
        if self._turns is None:
            for _, child, _ in self._edges(self.solution.start)[1][:CHILDREN]:
                yield self.game.representative(child), None

    def _line(self) -> Iterator[tuple[Any, None]]:
        """The first positions of the main line."""
        p = self.solution.start
        for _ in range(STEPS if self._turns is None else 0):
            kind, edges = self._edges(p)
            if not edges:
                return
            worths = self._worths(edges)
            sign = -1 if self.facts.minimise else 1
            best = range(len(edges))
            if kind == SIMULTANEOUS:
                i = 0
            elif kind == CHANCE:
                i = max(best, key=lambda i: edges[i][0])
            else:
                i = max(best, key=lambda i: sign * _rank(worths[i][kind]))
            p = edges[i][1]
            yield self.game.representative(p), None

    def _strata(self) -> Iterator[tuple[Any, int]]:
        """One row of each stratum, or of some if there are many."""
        dice = self._dice("strata")
        ends = [0, *itertools.accumulate(rows for _, rows in self.table.strata)]
        some = range(len(ends) - 1)
        if len(some) > STRATA:
            some = sorted(dice.sample(some, STRATA))  # type: ignore[assignment]
        yield from self._rows(dice.randrange(ends[i], ends[i + 1]) for i in some)

    def _random(self) -> Iterator[tuple[Any, int]]:
        """Rows at random, those in the same group together: to decode a group takes longer than
        to derive a row."""
        dice = self._dice("rows")
        rows = sorted(dice.sample(range(self.table.rows), min(RANDOM, self.table.rows)))
        groups = [list(each) for _, each in itertools.groupby(rows, self.table.group_of)]
        dice.shuffle(groups)
        yield from self._rows(itertools.chain.from_iterable(groups))

    def _dice(self, purpose: str) -> random.Random:
        return random.Random(f"{self.table.signature} {purpose}")

    def _rows(self, numbers: Iterable[int]) -> Iterator[tuple[Any, int]]:
        """The positions of rows and their strata, where keys can be read."""
        game = self.game
        readable = declares(game, "parse") or not declares(game, "text")
        reader = KeyReader(game, self.table.width, every=False)
        for number in numbers if self.table.width or readable else ():
            stratum, key = self.table.at(number)
            if key is None:  # no position has the number
                continue
            try:
                yield reader.position(key), stratum
            except UsageError:  # texts need not be readable
                continue

    # -- One row. ---------------------------------------------------------------------------------

    def _look(self, q: Any, stratum: int | None) -> None:
        """Derive one row; _Contradiction if that is not possible."""
        try:
            with _failing():
                self._compare(q, stratum)
        except _Contradiction as found:
            raise _Contradiction(f"{self._shown(q)}: {found}") from None
        self.checked += 1

    def _compare(self, q: Any, stratum: int | None) -> None:
        game = self.game
        if game.representative(q) != q:
            raise _Contradiction("it is stored, but the rules represent it by another position")
        if stratum is not None and game.stratum(q) != stratum:
            raise _Contradiction(
                f"it is stored in stratum {stratum}, but belongs to {game.stratum(q)}"
            )
        stored = self.stored(q)
        kind, edges = self._edges(q)
        if kind == OVER:
            derived = self._paid(q, stored)
        elif kind == CHANCE:
            weights = [weight for weight, _, _ in edges]
            worths = zip(*self._worths(edges), strict=True)
            derived = tuple(mean(weights, each) for each in worths)
        elif kind == SIMULTANEOUS:
            derived = _matrix_value(self._worths(edges), edges[0][0])
        else:
            derived = self.best(self._worths(edges), kind)
        pairs = list(zip(stored, derived, strict=True))[: 1 if self.facts.scalar else None]
        for player, (mine, other) in enumerate(pairs):
            if not self._agree(mine, other, ended=kind == OVER):
                whom = "" if self.facts.scalar else f" to player {player + 1}"
                raise _Contradiction(f"stored as {mine}{whom}, but {_text(other)} follows")

    def _edges(self, p: Any) -> tuple[int, list[tuple[int, Any, tuple[int, ...]]]]:
        """Who moves, and (weight, child, what everybody earns) of all that may follow; where both
        choose, row by row, the weight is the number of columns."""
        game = self.game
        kind = int(game.to_move(p))
        nothing = (0,) * game.players
        if kind == CHANCE:
            return kind, [(int(weight), child, nothing) for weight, child in game.chances(p)]
        if kind == OVER:
            return kind, []
        both = simultaneous(game)
        if kind == SIMULTANEOUS and both is not None:
            columns = list(both.choices(p, 1))
            pairs = [(a, b) for a in both.choices(p, 0) for b in columns]
            return kind, [
                (len(columns), game.play(p, m), self._gains(game.reward(p, m), 0)) for m in pairs
            ]
        edges = [(1, game.play(p, m), self._gains(game.reward(p, m), kind)) for m in game.moves(p)]
        return kind if edges else OVER, edges

    def _gains(self, reward: Any, player: int) -> tuple[int, ...]:
        if self.facts.scalar or isinstance(reward, tuple):
            return gains(reward, player, self.game.players)
        return tuple(int(reward) * (i == player) for i in range(self.game.players))

    def _worths(self, edges: list[tuple[int, Any, tuple[int, ...]]]) -> list[Values]:
        """What edges are worth to everybody."""
        found = []
        for _, child, earned in edges:
            below = self._below(child)
            if alternate(self.game):
                below = below[::-1]
            found.append(tuple(after(v, gain) for v, gain in zip(below, earned, strict=True)))
        return found

    def _below(self, child: Any) -> Values:
        """What a child is worth; by turns only some are stored."""
        if self._turns is not None and self._turns.may_have(child):
            return self._turns.values(child)
        return self.stored(child)

    def stored(self, p: Any) -> Values:
        """What the table says of `p`."""
        if time.perf_counter() > self._end:
            raise _OutOfTime
        found = self.solution.stored(p)
        if found is None:
            raise _Contradiction(f"{self._shown(p)} is not in the table")
        return found

    def _shown(self, p: Any) -> str:
        try:
            return self.game.text(p)
        except Exception:  # rules that contradict a table may not bear its positions
            return repr(p)

    # -- What follows. ----------------------------------------------------------------------------

    def _paid(self, q: Any, stored: Values) -> Values:
        """What an ended position is worth."""
        paid, players = self.game.payoff(q), self.game.players
        if not isinstance(paid, tuple):
            paid = (paid, -paid)[:players] if players < 3 else (paid,) * players
        if len(paid) != players:
            raise _Contradiction(f"its payoff has {len(paid)} numbers for {players} players")
        if stored[0].kind != "outcome":
            return tuple(
                replace(value, lower=x, upper=x) for value, x in zip(stored, paid, strict=True)
            )
        won = (paid[0] > paid[1]) - (paid[0] < paid[1])
        return Value("outcome", won, won, depth=0), Value("outcome", -won, -won, depth=0)

    def best(self, worths: list[Values], mover: int) -> Values:
        """What the moves of a player make of a position. Where others depend on how ties are
        broken, the least and the most that they may get."""
        if self.facts.scalar and worths[0][0].exactness == "bounds":
            sign = -1 if self.facts.minimise else 1
            return tuple(
                extreme([w[i] for w in worths], sign if i == mover else -sign)
                for i in range(len(worths[0]))
            )
        if self.facts.scalar:
            sign = -1 if self.facts.minimise else 1
            return max(worths, key=lambda w: sign * _rank(w[mover]))
        least = max(w[mover].lower for w in worths)
        bar = least if worths[0][0].exactness == "exact" else least - self._tolerance(least)
        tied = [w for w in worths if w[mover].upper >= bar]
        return tuple(
            replace(each[0], lower=min(v.lower for v in each), upper=max(v.upper for v in each))
            for each in zip(*tied, strict=True)
        )

    def _tolerance(self, number: Number) -> float:
        size = abs(float(number))
        return self._slack + TOLERANCE * (max(1.0, size) if math.isfinite(size) else 1.0)

    def _agree(self, mine: Value, other: Value, *, ended: bool) -> bool:
        """Whether a stored value is what follows, as far as that can be said."""
        if mine.kind == "outcome":
            if mine.lower == 0 == other.lower:
                return mine.depth == (0 if ended else None)
            return mine.lower == other.lower and mine.depth == other.depth
        if mine.exactness == "exact":
            return other.lower <= mine.lower <= other.upper
        if mine.exactness == "bounds":  # bounds that are proved hold after one more step
            low, high = mine.lower, mine.upper
            return (
                low - self._tolerance(low)
                <= other.lower
                <= other.upper
                <= high + (self._tolerance(high))
            )
        slack = self._tolerance(mine.lower)
        return other.lower - slack <= mine.lower <= other.upper + slack


class _Turns(TurnValues):
    """Values inside turns, with both ends of what ties leave open."""

    def __init__(self, check: SpotCheck) -> None:
        super().__init__(
            check.game, check.stored, minimise=check.facts.minimise, ties=check.solution.ties
        )
        self._check = check

    def best(self, worths: list[Values], mover: int) -> Values:
        """What the moves of player `mover` make of a position."""
        return self._check.best(worths, mover)


def _matrix_value(worths: list[Values], wide: int) -> Values:
    """What a position is worth at which both choose, from all pairs, row by row."""
    from perfectplay.solvers.matrix.nash import nash

    ends: list[Any] = []
    for numbers in ([w[0].lower for w in worths], [w[0].upper for w in worths]):
        exact = [Fraction(x) for x in numbers]
        ends.append(nash([exact[k : k + wide] for k in range(0, len(exact), wide)]).value)
    low, high = ends if worths[0][0].exactness == "exact" else map(float, ends)
    other = worths[0][0].lower + worths[0][1].lower  # what both get together
    mine, theirs = worths[0]
    return replace(mine, lower=low, upper=high), replace(
        theirs, lower=other - high, upper=other - low
    )


def _rank(value: Value) -> Number:
    """Larger is better for the player. Wins come before wins by endless play, and those before
    draws."""
    if value.kind != "outcome":
        return value.lower if value.exactness == "exact" else float(value)
    sure = 1.0 if value.depth is None else 2.0 + 1.0 / (1 + value.depth)
    return int(value.lower) * sure


def _text(value: Value) -> str:
    """A value that follows, for people."""
    if value.exactness == "bounds" or value.lower == value.upper:
        return str(value)
    return f"{float(value.lower):.12g} to {float(value.upper):.12g}"


def _in_turns(*sources: Iterator[Any]) -> Iterator[Any]:
    """One of each source, and so on until all are empty."""
    left = list(sources)
    while left:
        for source in list(left):
            try:
                yield next(source)
            except StopIteration:
                left.remove(source)
