"""Minimax: the value of every position, a fraction, from the definition. A twin for small games.

Nothing of the engine is used but the rules: no strata, no representatives, no compiled code. Play
must end: where it can come back, the definition alone does not give values."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.positions.examine import (
    ExaminedEdge,
    ask,
    edges_of,
    examine_first,
    mover_of,
    paid,
)
from perfectplay.positions.failures import shown
from perfectplay.rules.game import CHANCE, SIMULTANEOUS, Game, alternate

MOST = 100_000

Values = tuple[Fraction, ...]


def minimax(game: Game, most: int = MOST) -> dict[Any, Values]:
    """What every position is worth to each player; in alternate play the player to move is player
    0. Of equally good moves the first is made. UsageError if play can come back to a position,
    TooLargeError if there are more than `most` positions."""
    values: dict[Any, Values] = {}
    for start in examine_first(game):
        _settle(game, start, values, most)
    return values


def _settle(game: Game, start: Any, values: dict[Any, Values], most: int) -> None:
    """Add the values of `start` and of all that follows."""
    stack = [] if start in values else [_Visit(game, start)]
    open_ = {visit.p for visit in stack}
    while stack:
        visit = stack[-1]
        q = next((q for q in visit.waiting if q not in values), None)
        if q is None:
            values[visit.p] = visit.value(values)
            open_.remove(visit.p)
            stack.pop()
        elif q in open_:
            raise UsageError(
                f"{type(game).__name__}: play can come back to {shown(game, q)}, so that minimax "
                "never ends",
                "compare with a twin of your own, or with known values",
            )
        elif len(values) + len(stack) >= most:
            raise TooLargeError(f"minimax is for at most {most:,} positions", "use a smaller size")
        else:
            open_.add(q)
            stack.append(_Visit(game, q))


class _Visit:
    """A position whose children are being valued."""

    def __init__(self, game: Game, p: Any) -> None:
        self.game, self.p = game, p
        self.mover = mover_of(game, p)
        self.edges = edges_of(game, p, self.mover)
        self.waiting: Iterator[Any] = (edge.child for edge in self.edges)

    def value(self, values: dict[Any, Values]) -> Values:
        """What the position is worth, once its children have values."""
        game, mover = self.game, self.mover
        if not self.edges:
            return shares(paid(game, "payoff", ask(game, "payoff", self.p), self.p), 0, game)
        worths = [self._worth(edge, values) for edge in self.edges]
        if mover == CHANCE:
            total = sum(edge.weight for edge in self.edges)
            weighed = [
                tuple(x * edge.weight / total for x in worth)
                for edge, worth in zip(self.edges, worths, strict=True)
            ]
            return tuple(map(sum, zip(*weighed, strict=True)))  # type: ignore[arg-type]
        if mover == SIMULTANEOUS:
            return self._mixed(worths)
        sign = -1 if game.minimise else 1
        return max(worths, key=lambda worth: sign * worth[mover])

    def _mixed(self, worths: list[Values]) -> Values:
        """What the matrix of all pairs of choices, row by row, is worth to both players."""
        from perfectplay.solvers.matrix.nash import nash

        wide = len(ask(self.game, "choices", self.p, 1))
        mine = [worth[0] for worth in worths]
        value = nash([mine[k : k + wide] for k in range(0, len(mine), wide)]).value
        return value, sum(worths[0], Fraction(0)) - value

    def _worth(self, edge: ExaminedEdge, values: dict[Any, Values]) -> Values:
        below = values[edge.child]
        below = below[::-1] if alternate(self.game) else below
        earned = shares(edge.reward, max(self.mover, 0), self.game)
        return tuple(a + b for a, b in zip(below, earned, strict=True))


def shares(number: Any, mover: int, game: Game) -> Values:
    """What a payoff or a reward gives each player; a number is the mover's, and of two players the
    other loses it."""
    if isinstance(number, tuple):
        return tuple(Fraction(int(x)) for x in number)
    other = -int(number) if game.players == 2 else 0
    return tuple(Fraction(int(number) if i == mover else other) for i in range(game.players))
