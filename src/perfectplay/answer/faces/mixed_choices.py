"""Mixed choices: with which probabilities two players choose who choose at once.

A table holds values only. The mixtures of a position follow from the values after every pair of
choices, by the matrix game that these form (solvers/matrix/nash.py): exactly if values are exact,
else from the middle of their bounds, rounded so that what is equal up to noise is equal. Where
play may come back to the position, the mean of all extreme optimal mixtures is taken: an optimal
mixture that only waits would be as good by the values, but never come to an end."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from perfectplay.answer.analysis import ChoiceAnalysis
from perfectplay.answer.compare_moves import after, gains
from perfectplay.errors import TooLargeError
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import SIMULTANEOUS
from perfectplay.rules.value import Number, Value
from perfectplay.solvers.matrix.nash import nash

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

FINE = 40
"""Values that are floats are rounded to so many binary places, relative to the largest."""
EXTREME = 200
"""Extreme optimal mixtures of which the mean is taken; with more, any one."""

Pair = tuple[Any, Any]
Cells = list[list[Fraction]]


@dataclass(frozen=True)
class MixedChoices:
    """What both players may choose at a position, and an optimal mixture of each."""

    moves: tuple[list[Any], list[Any]]
    shares: tuple[list[Fraction], list[Fraction]]
    cells: list[list[Value]]
    """What each pair is worth to player 0, a row for each choice of theirs."""

    @property
    def exact(self) -> bool:
        """Whether the mixtures are exact."""
        return all(value.exactness == "exact" for row in self.cells for value in row)

    def pairs(self) -> list[tuple[Pair, Fraction]]:
        """All pairs of choices, row by row, with their probabilities."""
        mine, theirs = self.moves
        return [
            ((a, b), x * y)
            for a, x in zip(mine, self.shares[0], strict=True)
            for b, y in zip(theirs, self.shares[1], strict=True)
        ]

    def against(self, player: int, number: int) -> list[Value]:
        """What a choice of a player is worth to player 0, by what the other chooses."""
        return [row[number] for row in self.cells] if player else self.cells[number]

    def draw(self, player: int, dice: random.Random) -> int:
        """The number of a player's choice, drawn with its exact probability."""
        shares = self.shares[player]
        total = math.lcm(*(share.denominator for share in shares))
        drawn = dice.randrange(total)
        sums = accumulate(int(share * total) for share in shares)
        return next(i for i, upto in enumerate(sums) if drawn < upto)


def mixed_choices(solution: Solution, p: Any) -> MixedChoices | None:
    """The choices and mixtures at `p`; None unless both players choose there."""
    game = solution.game
    rules = simultaneous(game)
    if rules is None or game.to_move(p) != SIMULTANEOUS:
        return None
    mine, theirs = list(rules.choices(p, 0)), list(rules.choices(p, 1))
    children = [[game.play(p, (a, b)) for b in theirs] for a in mine]
    cells = [
        [after(solution.values(q)[0], gains(game.reward(p, (a, b)), 0, 2)[0])
         for b, q in zip(theirs, row, strict=True)]
        for a, row in zip(mine, children, strict=True)
    ]  # fmt: skip
    here = game.stratum(game.representative(p))
    back = any(game.stratum(game.representative(q)) == here for row in children for q in row)
    x, y = _mixtures(_numbers(cells), widest=back)
    return MixedChoices((mine, theirs), (x, y), cells)


def likely_pairs(solution: Solution, p: Any) -> list[tuple[Pair, Fraction]]:
    """The pairs of choices that optimal mixtures lead to, with their probabilities."""
    found = mixed_choices(solution, p)
    return [(pair, share) for pair, share in found.pairs() if share] if found else []


def _numbers(cells: list[list[Value]]) -> Cells:
    """Values as fractions."""
    every = [value for row in cells for value in row]
    if all(value.exactness == "exact" for value in every):
        return [[Fraction(value.lower) for value in row] for row in cells]
    largest = max(abs(float(value)) for value in every)
    units = 2 ** (FINE - math.frexp(max(largest, 1.0))[1])
    return [[Fraction(round(float(value) * units), units) for value in row] for row in cells]


def _mixtures(cells: Cells, *, widest: bool) -> tuple[list[Fraction], list[Fraction]]:
    """Optimal mixtures of rows and columns."""
    if widest:
        try:
            found = nash(cells, all=True, most=EXTREME)
            return _mean(found.all_rows or ()), _mean(found.all_columns or ())
        except TooLargeError:
            pass
    found = nash(cells)
    return list(found.rows), list(found.columns)


def _mean(mixtures: tuple[tuple[Fraction, ...], ...]) -> list[Fraction]:
    return [sum(each, Fraction(0)) / len(mixtures) for each in zip(*mixtures, strict=True)]


def choice_analyses(
    solution: Solution, p: Any
) -> tuple[tuple[ChoiceAnalysis, ...], tuple[ChoiceAnalysis, ...]] | tuple[()]:
    """What each player may choose at `p`, in the order of the rules; nothing unless both do."""
    found = mixed_choices(solution, p)
    if found is None:
        return ()
    return _analysed(solution, p, found, 0), _analysed(solution, p, found, 1)


def _analysed(
    solution: Solution, p: Any, found: MixedChoices, player: int
) -> tuple[ChoiceAnalysis, ...]:
    """The choices of one player, each with its probability and its worth."""
    shares, others = found.shares[player], found.shares[1 - player]
    total = Fraction(solution.facts.offset) if solution.facts.scale == 2 else Fraction(0)
    return tuple(
        ChoiceAnalysis(
            move,
            solution.game.move_text(p, move),
            share if found.exact else float(share),
            _expected(found.against(player, number), others, total if player else None),
        )
        for number, (move, share) in enumerate(zip(found.moves[player], shares, strict=True))
    )


def _expected(values: list[Value], shares: list[Fraction], total: Fraction | None) -> Value:
    """The mean of values to player 0 with these probabilities; with a `total`, what is left of it
    for player 1."""
    ends: list[Number] = []
    for numbers in ([value.lower for value in values], [value.upper for value in values]):
        mean = sum((Fraction(x) * y for x, y in zip(numbers, shares, strict=True)), Fraction(0))
        ends.append(mean if total is None else total - mean)
    exact = all(value.exactness == "exact" for value in values)
    low, high = sorted(ends)
    if exact:
        return Value(values[0].kind, low, high)
    return Value("chance", _rounded(low, -math.inf), _rounded(high, math.inf), "bounds")


def _rounded(number: Number, way: float) -> float:
    near = float(number)
    return near if near == number else math.nextafter(near, way)
