"""Total: a surreal number and a short game, added. Sums with endless strings have such values.

A number that is no dyadic fraction can never be equal to a stop of a short game, so stops decide
who wins such a sum.
"""

from __future__ import annotations

from fractions import Fraction

from perfectplay.sums.canonical_form import ZERO, Short
from perfectplay.sums.hackenbush.strings import is_dyadic
from perfectplay.sums.hackenbush.surreal import Surreal


class Total:
    """The sum of a number that no short game has, and a short game."""

    __slots__ = ("game", "number")

    number: Surreal
    game: Short

    def __init__(self, number: Surreal | Fraction | int = 0, game: Short = ZERO) -> None:
        whole = Surreal.of(number)
        if game.is_number:
            whole, game = whole + game.number, ZERO
        if whole.real and is_dyadic(whole.fraction()):
            whole, game = Surreal(), game + whole.fraction()
        elif game._plain is not None:
            here = Fraction(game._plain[0], 1 << game._plain[1])
            whole, game = whole + here, game - here
        self.number, self.game = whole, game

    @staticmethod
    def of(x: Total | Short | Surreal | Fraction | int) -> Total:
        """`x` as a total."""
        if isinstance(x, Total):
            return x
        return Total(0, x) if isinstance(x, Short) else Total(x)

    def simple(self) -> Short | Surreal | Total:
        """The same as a short game or a number, if it is one."""
        if not self.number:
            return self.game
        return self.number if self.game is ZERO else self

    def __add__(self, other: Total | Short | Surreal | Fraction | int) -> Total:
        there = Total.of(other)
        return Total(self.number + there.number, self.game + there.game)

    __radd__ = __add__

    def __neg__(self) -> Total:
        return Total(-self.number, -self.game)

    def __sub__(self, other: Total | Short | Surreal | Fraction | int) -> Total:
        return self + -Total.of(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Total | Short | Surreal | Fraction | int):
            return NotImplemented
        there = self - other
        return not there.number and there.game is ZERO

    def __hash__(self) -> int:
        return hash((self.number, self.game.id))

    def at_least_zero(self) -> bool:
        """Whether Left wins if Right begins."""
        if not self.number:
            return self.game >= 0
        return self.right_stop > 0

    def at_most_zero(self) -> bool:
        """Whether Right wins if Left begins."""
        return (-self).at_least_zero()

    @property
    def outcome(self) -> str:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        above, below = self.at_least_zero(), self.at_most_zero()
        if above:
            return "P" if below else "L"
        return "R" if below else "N"

    @property
    def left_stop(self) -> Surreal:
        """The number that is reached if Left begins."""
        return self.number + self.game.left_stop

    @property
    def right_stop(self) -> Surreal:
        """The number that is reached if Right begins."""
        return self.number + self.game.right_stop

    @property
    def mean(self) -> Surreal:
        """What one of many copies is worth."""
        return self.number + self.game.mean

    @property
    def temperature(self) -> Fraction | None:
        """The price at which nobody wants to move; None for numbers that no short game has."""
        if self.number and self.game is ZERO:
            return None
        near = self.game.left_stop == self.game.right_stop and not self.game.is_number
        return Fraction(0) if near else self.game.temperature

    def __str__(self) -> str:
        if not self.number:
            return str(self.game)
        return str(self.number) if self.game is ZERO else f"{self.number} + {self.game}"

    def __repr__(self) -> str:
        return f"<Total {self}>"
