"""Bag: a sum of values gathered by kind, also with numbers that no short game has.

    numbers         added up, with those of endless strings
    all-small       ups and nimbers added up, others counted
    switches        {a|b} with numbers a > b: (a + b) / 2, and ±t with t = (a - b) / 2; two equal
                    ones cancel
    others          counted; a value and its negative cancel

Large switches are taken first. Let Left have the move in ±s + X + …, and let 2s be more than what
any two moves can change in a value X that is no switch (`swing`). Then to take ±s is at least as
good as to move from X to Y: the difference is s ± s + X - Y, and Left, moving second, wins it by
moving from X to Y if Right has taken the switch, and by taking the switch otherwise. Against a
smaller switch ±t the difference is s - t ± s ± t, which is not negative either.

The rest is decided by compound.py, which knows dyadic numbers only. For any other number a dyadic
one stands in: stops of short games whose play lasts at most n moves are multiples of 1/2^n, so
that all numbers strictly between two such multiples win against the same games.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from perfectplay.errors import TooLargeError
from perfectplay.sums.canonical_form import Short, canonical, plain_value, value
from perfectplay.sums.compound import Compound
from perfectplay.sums.hackenbush.surreal import Surreal, Total, is_dyadic
from perfectplay.sums.measured import OUTCOME_CLASS

if TYPE_CHECKING:
    from perfectplay.schemas.sums import OutcomeClass

Worth = Short | Surreal | Total
LEFT, RIGHT = 0, 1
MOST_SWITCHES = 8
"""Switches in a sum whose canonical form is worked out, at most."""
MOST_HOT = 14
"""The same where other hot values stand beside them and there is no other way."""


class Bag:
    """A sum of values."""

    def __init__(self, values: Iterable[Worth] = ()) -> None:
        self.number = Surreal()
        self.ups, self.nim = 0, 0
        self.smalls: Counter[Short] = Counter()
        """All-small values other than ups and nimbers: they and all that follows are
        infinitesimals."""
        self.switches: set[Fraction] = set()
        """The switches ±t that are there; two of a kind cancel."""
        self.others: Counter[Short] = Counter()
        for g in values:
            self.add(g)

    def copy(self) -> Bag:
        """The same sum, to be changed."""
        bag = Bag()
        bag.number, bag.ups, bag.nim = self.number, self.ups, self.nim
        bag.smalls = self.smalls.copy()
        bag.switches, bag.others = self.switches.copy(), self.others.copy()
        return bag

    def add(self, g: Worth) -> None:
        """Add a value."""
        if isinstance(g, Total):
            self.number += g.number
            g = g.game
        if isinstance(g, Surreal):
            self.number += g
        elif g._plain is not None:
            m, e, ups, nim = g._plain
            if m:
                self.number += Fraction(m, 1 << e)
            self.ups += ups
            self.nim ^= nim
        elif (heat := switch(g)) is not None:
            self.number += heat[0]
            self.switches ^= {heat[1]}
        else:
            _count(self.smalls if g.is_all_small else self.others, g)

    @property
    def pure(self) -> bool:
        """Whether there are only numbers, ups and nimbers."""
        return not self.smalls and not self.switches and not self.others

    @property
    def simple(self) -> bool:
        """Whether the canonical form of the sum is small enough to be written down."""
        counted = self.others.total() + self.smalls.total()
        return len(self.switches) + counted <= MOST_SWITCHES

    def total(self) -> Short | Surreal | Total:
        """The value of the sum in canonical form."""
        if len(self.switches) + len(self.others) > MOST_HOT:
            raise TooLargeError(
                f"the canonical form of {len(self.switches) + len(self.others)} hot values is "
                "too large",
                "ask who wins, or for the mean",
            )
        game = plain_value((0, 0, self.ups, self.nim))
        for g, times in self.smalls.items():
            game = game + g * times
        for t in sorted(self.switches):
            game = game + canonical([value(t)], [value(-t)])
        for g, times in self.others.items():
            game = game + g * times
        return Total(self.number, game).simple()

    def stop(self, player: int) -> Surreal:
        """The number that is reached if a player begins and both play it out as best they can."""
        if self.others:
            there = Total.of(self.total())
            return there.left_stop if player == LEFT else there.right_stop
        hot = sorted(self.switches, reverse=True)
        taken = sum(hot[::2]) - sum(hot[1::2])
        return self.number + (taken if player == LEFT else -taken)

    def games(self) -> Iterator[Short]:
        """All that is no number, one by one."""
        if self.ups or self.nim:
            yield plain_value((0, 0, self.ups, self.nim))
        for t in self.switches:
            yield canonical([value(t)], [value(-t)])
        for g, times in [*self.others.items(), *self.smalls.items()]:
            yield from [g] * times

    def wins(self, player: int) -> bool:
        """Whether a player who begins wins the sum."""
        left, mover = self.cooler(player)
        if left.pure and left.number:
            return (left.number > 0) == (player == LEFT)
        games = [*left.games()]
        won = Compound([stand_in(left.number, games), *games]).wins(mover)
        return won == (mover == player)

    def cooler(self, mover: int) -> tuple[Bag, int]:
        """The sum after all large switches have been taken, and who is then to move."""
        most = max([swing(g) for g in self.others], default=Fraction(0))
        hot = sorted([t for t in self.switches if 2 * t > most], reverse=True)
        if not hot:
            return self, mover
        left = self.copy()
        taken = sum(hot[::2]) - sum(hot[1::2])
        left.number += taken if mover == LEFT else -taken
        left.switches -= {*hot}
        return left, (mover + len(hot)) % 2

    @property
    def outcome(self) -> OutcomeClass:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        return OUTCOME_CLASS[self.wins(LEFT), self.wins(RIGHT)]

    @property
    def mean(self) -> Surreal:
        """What one of many copies of the sum is worth: means are added."""
        return self.number + sum(g.mean * times for g, times in self.others.items())

    def __str__(self) -> str:
        """The canonical form, or, if that is too large, the sum of what was gathered."""
        if self.simple:
            return str(self.total())
        hot = [f"+-{t}" for t in sorted(self.switches, reverse=True)]
        counted = [*self.others.items(), *self.smalls.items()]
        hot += [str(g) if times == 1 else f"{times}.{g}" for g, times in counted]
        rest = Total(self.number, plain_value((0, 0, self.ups, self.nim)))
        shown = [] if rest == 0 else [str(rest)]
        return " + ".join([*shown, *hot])


def _count(counter: Counter[Short], g: Short) -> None:
    """One more of a value, or one less of its negative."""
    if -g in counter:
        counter[-g] -= 1
        if not counter[-g]:
            del counter[-g]
    else:
        counter[g] += 1


@cache
def swing(g: Short) -> Fraction:
    """How much two moves of one player, or one move of each, can change a value at most."""
    high = [x.left_stop for y in g.left for x in (y, *y.left)]
    low = [x.right_stop for y in g.right for x in (y, *y.right)]
    return max([g.left_stop, *high]) - min([g.right_stop, *low])


def stand_in(number: Surreal, games: Iterable[Short]) -> Fraction:
    """A dyadic number that wins together with all of `games` just where `number` does."""
    if number.real and is_dyadic(number.fraction()):
        return number.fraction()
    if not number.finite:
        most = sum((max(abs(g.left_stop), abs(g.right_stop)) for g in games), Fraction(1))
        return most if number.sign > 0 else -most
    fine = 1 << max([g.birthday for g in {*games}], default=0)
    here = number.coefficient(0) * fine
    low = Fraction(math.floor(here))
    if low == here and number < here / fine:
        low -= 1
    return (low + Fraction(1, 2)) / fine


def switch(g: Short) -> tuple[Fraction, Fraction] | None:
    """Mean and temperature of a switch between two numbers; None for other values."""
    left, right = g.left, g.right
    if len(left) == len(right) == 1 and left[0].is_number and right[0].is_number:
        high, low = left[0].number, right[0].number
        if high > low:
            return (high + low) / 2, (high - low) / 2
    return None
