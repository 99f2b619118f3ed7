"""Red and green balls: bet on the colour that a dealer draws who wants you to lose.

A bowl holds `green` green and `red` red balls. Before each draw the gambler bets any part of
their money; then the dealer draws a ball of whichever colour they like, and it is not put back.
Green wins the amount of the bet, red loses it. When the bowl is empty the gambler keeps what is
left; they want it to be much, the dealer little (problem 10801 of the American Mathematical
Monthly, 2000).

Money that can be divided without end makes this no game for a table: there are infinitely many
bets and bankrolls. But what is won is in proportion to the bankroll, so its worth f(m, n) for m
green and n red balls follows from f(m, n - 1) and f(m - 1, n) alone: the best bet makes the
dealer's choices equally good. `worth` and `best_bet` are these recurrences, in fractions.
(Worths are multiplied along a play; the values of a table are added up.)

The game in the table is played with whole coins, so its value is at most f times the `coins`. The
default, 0, gives the gambler as many coins as there are ways to draw m + n balls with at most n
red ones; then all best bets are whole, and the value is exactly 2^(m + n).

With `units` the money is counted in units of the first bankroll, as in the problem. The coins that
are left are then drawn for: one prize of 2^m units, won with the probability that makes the draw
worth just those coins, so that the value is f(m, n) itself, a fraction; bets are shown as parts of
the bankroll.

Check: with one green ball more than red ones the gambler's money doubles: 4 coins become 8 with
two green balls and a red one. With one ball of each colour 3 coins become 4.

A position is one integer: six bits each for the green and the red balls, twenty-four for the coins
the gambler has, twenty-four for one more than the bet (0: the gambler is to bet), then two for the
prize (0: not drawn for, 1: lost, 2: won).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import comb

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

GREEN, RED, COINS, BET, PRIZE = fields(6, 6, 24, 24, 2)
MOST = 1 << 20
DRAW_RED, DRAW_GREEN = 0, 1
LOST, WON = 1, 2
"""What became of the prize."""


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
    """The part of their money that the gambler should bet: then both draws are equally good.

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
    units: bool = False

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
        """The part of their money that the gambler should bet."""
        return best_bet(green, red)

    def purse(self) -> int:
        """How many coins the gambler has at first."""
        balls = self.green + self.red
        return self.coins or sum(comb(balls, reds) for reds in range(self.red + 1))

    @cached_property
    def prize(self) -> int:
        """How many coins a prize of 2^green units is."""
        return self.purse() << self.green

    def start(self) -> int:
        return at(GREEN, self.green) | at(RED, self.red) | at(COINS, self.purse())

    def to_move(self, p: int) -> int:
        if self.stratum(p) == 0:
            return OVER
        if get(p, GREEN) + get(p, RED) == 0:
            return CHANCE
        return 1 if get(p, BET) else 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        coins = get(p, COINS)
        if coins:
            yield coins, at(PRIZE, WON)
        if self.prize > coins:
            yield self.prize - coins, at(PRIZE, LOST)

    def moves(self, p: int) -> Iterator[int]:
        if get(p, BET):
            if get(p, RED):
                yield DRAW_RED
            if get(p, GREEN):
                yield DRAW_GREEN
        else:
            for bet in range(get(p, COINS) + 1):
                yield bet

    def play(self, p: int, m: int) -> int:
        bet = get(p, BET) - 1
        if bet < 0:
            return put(p, BET, m + 1)
        q = put(p, BET, 0)
        if m == DRAW_GREEN:
            return q - at(GREEN, 1) + at(COINS, bet)
        return q - at(RED, 1) - at(COINS, bet)

    def payoff(self, p: int) -> int:
        if self.units:
            return (1 << self.green) if get(p, PRIZE) == WON else 0
        return get(p, COINS)

    def stratum(self, p: int) -> int:
        balls = get(p, GREEN) + get(p, RED)
        return balls + 1 if self.units and get(p, PRIZE) == 0 else balls

    def text(self, p: int) -> str:
        if get(p, PRIZE):
            return "prize won" if get(p, PRIZE) == WON else "prize lost"
        bet = f", bet {get(p, BET) - 1}" if get(p, BET) else ""
        return f"{get(p, GREEN)} green, {get(p, RED)} red, {get(p, COINS)} coins{bet}"

    def parse(self, s: str) -> int:
        if self.units and s.strip() in ("prize won", "prize lost"):
            return at(PRIZE, WON if s.strip() == "prize won" else LOST)
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
        return at(GREEN, green) | at(RED, red) | at(COINS, money) | at(BET, bet)

    def move_text(self, p: int, m: int) -> str:
        if get(p, BET):
            return "green" if m == DRAW_GREEN else "red"
        return f"bet {Fraction(m, max(1, get(p, COINS)))}" if self.units else f"bet {m}"

    def player_name(self, i: int) -> str:
        return "the dealer" if i else "the gambler"

    def picture(self, p: int) -> str:
        parts = []
        rows = ((get(p, GREEN), svg.COLOURS[2]), (get(p, RED), svg.COLOURS[5]))
        for row, (balls, colour) in enumerate(rows):
            for i in range(balls):
                parts.append(svg.circle(12 + 26 * i, 12 + 28 * row, 11, colour, svg.INK))
        words = f"{get(p, COINS)} coins" + (f", bet {get(p, BET) - 1}" if get(p, BET) else "")
        parts.append(svg.note(0, 70, words))
        return svg.svg(max(160, 26 * max(self.green, self.red)), 80, parts)
