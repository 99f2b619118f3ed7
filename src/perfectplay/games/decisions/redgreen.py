"""Red and green balls: bet on the colour that a dealer draws who wants you to lose.

A bowl holds `green` green and `red` red balls. Before each draw the gambler bets any part of what
he has; then the dealer draws a ball of whichever colour he likes, and it is not put back. Green
wins the amount of the bet, red loses it. When the bowl is empty the gambler keeps what he has; he
wants it to be much, the dealer little (problem 10801 of the American Mathematical Monthly, 2000).

Money that can be divided without end makes this no game for a table: there are infinitely many
bets and bankrolls. But what is won is in proportion to the bankroll, so its worth f(m, n) for m
green and n red balls follows from f(m, n - 1) and f(m - 1, n) alone: the best bet makes the
dealer's choices equally good for him. `worth` and `best_bet` are these recurrences, in fractions.
(Worths are multiplied along a play; the values of a table are added up.)

The game in the table is played with whole coins, so its value is at most f times the `coins`. The
default, 0, gives the gambler as many coins as there are ways to draw m + n balls with at most n
red ones; then all best bets are whole, and the value is exactly 2^(m + n).

Check: with one green ball more than red ones the gambler doubles his money: 4 coins become 8 with
two green balls and a red one. With one ball of each colour 3 coins become 4.

A position is one integer: six bits each for the green and the red balls, twenty-four for the coins
the gambler has, then one more than his bet (0: he is to bet).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import OVER, Game

RED, COINS, BET = 6, 12, 36
"""Where the red balls, the coins and the bet begin."""
MOST = 1 << 20
DRAW_RED, DRAW_GREEN = 0, 1


@cache
def worth(green: int, red: int) -> Fraction:
    """What one unit of money becomes, if it can be divided without end.

    >>> worth(1, 1), worth(2, 1)
    (Fraction(4, 3), Fraction(2, 1))
    """
    if red == 0 or green == 0:
        return Fraction(2**green)
    if_red, if_green = worth(green, red - 1), worth(green - 1, red)
    return 2 * if_red * if_green / (if_red + if_green)


def best_bet(green: int, red: int) -> Fraction:
    """The part of his money that the gambler should bet: either draw leaves him as well off.

    >>> best_bet(2, 1)
    Fraction(1, 2)
    """
    if red == 0 or green == 0:
        return Fraction(int(green > 0))
    if_red, if_green = worth(green, red - 1), worth(green - 1, red)
    return (if_red - if_green) / (if_red + if_green)


@dataclass(frozen=True)
class RedGreen(Game):
    """Bets of whole coins against a dealer who chooses the balls."""

    green: int = 2
    red: int = 1
    coins: int = 0

    native = True

    def __post_init__(self) -> None:
        small = 0 <= self.green <= 20 and 0 <= self.red <= 20 and self.green + self.red > 0
        if not small or self.coins < 0 or self.purse() << self.green > MOST:
            raise UsageError(
                f"no game with {self.green} green, {self.red} red balls and {self.coins} coins",
                f"use at least one ball, and fewer than {MOST:,} coins after all wins",
            )

    @staticmethod
    def worth(green: int, red: int) -> Fraction:
        """What one unit of money becomes, if it can be divided without end."""
        return worth(green, red)

    @staticmethod
    def best_bet(green: int, red: int) -> Fraction:
        """The part of his money that the gambler should bet."""
        return best_bet(green, red)

    def purse(self) -> int:
        """How many coins the gambler has at first."""
        balls = self.green + self.red
        return self.coins or sum(comb(balls, reds) for reds in range(self.red + 1))

    def start(self) -> int:
        return self.green | (self.red << RED) | (self.purse() << COINS)

    def greens(self, p: int) -> int:
        """How many green balls are left."""
        return p & 63

    def reds(self, p: int) -> int:
        """How many red balls are left."""
        return (p >> RED) & 63

    def money(self, p: int) -> int:
        """How many coins the gambler has."""
        return (p >> COINS) & ((1 << (BET - COINS)) - 1)

    def to_move(self, p: int) -> int:
        if p & ((1 << COINS) - 1) == 0:
            return OVER
        return 1 if p >> BET else 0

    def moves(self, p: int) -> Iterator[int]:
        if p >> BET:
            if self.reds(p):
                yield DRAW_RED
            if self.greens(p):
                yield DRAW_GREEN
        else:
            for bet in range(self.money(p) + 1):
                yield bet

    def play(self, p: int, m: int) -> int:
        bet = (p >> BET) - 1
        if bet < 0:
            return p | ((m + 1) << BET)
        q = p & ((1 << BET) - 1)
        if m == DRAW_GREEN:
            return q - 1 + (bet << COINS)
        return q - (1 << RED) - (bet << COINS)

    def payoff(self, p: int) -> int:
        return self.money(p)

    def stratum(self, p: int) -> int:
        return self.greens(p) + self.reds(p)

    def text(self, p: int) -> str:
        bet = f", bet {(p >> BET) - 1}" if p >> BET else ""
        return f"{self.greens(p)} green, {self.reds(p)} red, {self.money(p)} coins{bet}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+) green,\s*(\d+) red,\s*(\d+) coins(?:,\s*bet (\d+))?\s*"
        found = re.fullmatch(form, s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        green, red, money = (int(found[i]) for i in (1, 2, 3))
        bet = int(found[4]) + 1 if found[4] else 0
        if green > self.green or red > self.red or money << green > self.purse() << self.green:
            raise ValueError(f"{s!r}: there were never so many balls or coins")
        if bet and (bet - 1 > money or green + red == 0):
            raise ValueError(f"{s!r}: there is no such bet")
        return green | (red << RED) | (money << COINS) | (bet << BET)

    def move_text(self, p: int, m: int) -> str:
        if p >> BET:
            return "green" if m == DRAW_GREEN else "red"
        return f"bet {m}"

    def player_name(self, i: int) -> str:
        return "the dealer" if i else "the gambler"

    def picture(self, p: int) -> str:
        parts = []
        rows = ((self.greens(p), svg.COLOURS[2]), (self.reds(p), svg.COLOURS[5]))
        for row, (balls, colour) in enumerate(rows):
            for i in range(balls):
                parts.append(svg.circle(12 + 26 * i, 12 + 28 * row, 11, colour, svg.INK))
        words = f"{self.money(p)} coins" + (f", bet {(p >> BET) - 1}" if p >> BET else "")
        parts.append(svg.note(0, 70, words))
        return svg.svg(max(160, 26 * max(self.green, self.red)), 80, parts)
