"""A match: the positions that a line of moves and events leads through, and what each move cost.

A line is a sequence of numbers: of moves in the order of the rules, and where chance acts of
events. So a match is a short text that fits into a link, and can be told again by anybody with the
same rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perfectplay.answer.compare_moves import JudgedMove, lost
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.answer.lines import pair_text
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.rules.value import Value

LONGEST_FRACTION = 16
"""Characters of a fraction; longer ones are shown as decimals."""


@dataclass(frozen=True)
class MadeMove:
    """A move that was made, or an event."""

    number: int
    text: str
    by: int
    """The player who moved, or CHANCE, or SIMULTANEOUS."""
    judged: JudgedMove | None
    """What the move was worth; None for an event, or where both players chose at once."""


@dataclass(frozen=True)
class PlayedPosition:
    """A position of a match."""

    ply: int
    position: Any
    mover: int
    """Who is to move: a player (in alternate play as the turns say), CHANCE, OVER or
    SIMULTANEOUS."""
    values: tuple[Value, ...]
    """What it is worth to each player; in alternate play player 0 is who moved first."""
    by: MadeMove | None
    """How it came about; None at the beginning."""


@dataclass(frozen=True)
class CostlyMove:
    """A move that was not best, and what it cost."""

    ply: int
    by: int
    text: str
    better: str
    loss: float
    exact: Fraction | None
    """What it cost as a fraction, if both values are exact."""
    change: str

    @property
    def cost(self) -> str:
        """What it cost, in words or as a number."""
        return self.change or number_lost(self.loss, self.exact)


def replay(solution: Solution, p: Any, line: Sequence[int]) -> list[PlayedPosition]:
    """The positions of a match that begins at `p`; UsageError if a number names no move."""
    positions = [_point(solution, p, 0, None)]
    for ply, number in enumerate(line, 1):
        p, played = _step(solution, positions[-1], number)
        positions.append(_point(solution, p, ply, played))
    return positions


def _point(solution: Solution, p: Any, ply: int, by: MadeMove | None) -> PlayedPosition:
    mover = solution.to_move(p)
    values = solution.values(p)
    if alternate(solution.game) and ply % 2:
        values = values[::-1]
        mover = 1 if mover == 0 else mover
    return PlayedPosition(ply, p, mover, values, by)


def _step(solution: Solution, now: PlayedPosition, number: int) -> tuple[Any, MadeMove]:
    """The position after a move or an event, and what happened."""
    game = solution.game
    if now.mover == CHANCE:
        events = list(solution.events(now.position).items())
        _refuse(number, len(events), now.ply)
        child, chance = events[number]
        return child, MadeMove(number, f"{chance}: {game.text(child)}", CHANCE, None)
    if now.mover == SIMULTANEOUS:
        both = mixed_choices(solution, now.position)
        pairs = [pair for pair, _ in both.pairs()] if both else []
        _refuse(number, len(pairs), now.ply)
        text = pair_text(game, now.position, pairs[number])
        made = MadeMove(number, text, SIMULTANEOUS, None)
        return game.play(now.position, pairs[number]), made
    _refuse(number, 0 if now.mover == OVER else len(solution.legal(now.position)), now.ply)
    found = solution.judged(now.position, number)
    return found.move.child, MadeMove(number, found.text, now.mover, found)


def _refuse(number: int, count: int, ply: int) -> None:
    if not 0 <= number < count:
        raise UsageError(
            f"move {number} of ply {ply + 1} does not exist: there are {count}",
            "the line of this link belongs to other rules, or was cut",
        )


def mistakes(solution: Solution, positions: Sequence[PlayedPosition]) -> list[CostlyMove]:
    """The moves of a match that were not best, in their order."""
    found = []
    for now in positions:
        made = now.by.judged if now.by else None
        if made is not None and not made.best and now.by is not None:
            value, top = made.move.value, made.top
            loss, change = lost(value, top)
            exact = exact_loss(top, value)
            mistake = CostlyMove(now.ply, now.by.by, made.text, made.better, loss, exact, change)
            found.append(mistake)
    return found


def exact_loss(best: Value, made: Value) -> Fraction | None:
    """How much less a move is worth than the best one, as a fraction; None if that is not known
    exactly, or if values are outcomes."""
    exact = best.exactness == made.exactness == "exact" and best.kind != "outcome"
    if not exact or math.isinf(best.lower) or math.isinf(made.lower):
        return None
    return abs(Fraction(best.lower) - Fraction(made.lower))


def number_lost(loss: float, exact: Fraction | None) -> str:
    """A loss as a short number: a fraction if it is exact and fits."""
    if math.isinf(loss):
        return "everything"
    text = "" if exact is None else str(exact)
    return text if text and len(text) <= LONGEST_FRACTION else f"{loss:.4g}"
