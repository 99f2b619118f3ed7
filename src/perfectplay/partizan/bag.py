"""Bag: many values added without working out their canonical form, and who wins the sum.

A sum of many hot games has a canonical form that is too large to write down. To know who wins it,
the sum is gathered instead:

    numbers         added up
    infinitesimals  ups and nimbers added up, others counted; they matter only if the rest is 0
    switches        {a|b} with numbers a > b: (a + b) / 2, and ±t with t = (a - b) / 2; two equal
                    ones cancel
    others          counted; a value and its negative cancel

With numbers, infinitesimals and switches alone, a move in the hottest switch is at least as good
as any other: in ±s + G, where all of G is cooler, the move to s minus any other move is worth 0
or more. So both players take the switches, largest first, and what is left decides.

With other hot values, first a bound is tried: means are added, a sum is not hotter than its
hottest part, and no stop is farther from the mean than the temperature. Only if that does not
decide, the canonical form is worked out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from perfectplay.errors import TooLargeError
from perfectplay.partizan.short import Short, canonical, plain_value, value
from perfectplay.partizan.surreal import Surreal
from perfectplay.partizan.total import Total

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
        """Infinitesimals other than ups and nimbers."""
        self.switches: Counter[Fraction] = Counter()
        """The switches ±t that are there, each once."""
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
            self._add_plain(g._plain)
        elif g.is_infinitesimal:
            _count(self.smalls, g)
        elif (heat := switch(g)) is not None:
            self.number += heat[0]
            self.switches[heat[1]] ^= 1
            if not self.switches[heat[1]]:
                del self.switches[heat[1]]
        else:
            _count(self.others, g)

    def _add_plain(self, form: tuple[int, int, int, int]) -> None:
        m, e, ups, nim = form
        if m:
            self.number += Fraction(m, 1 << e)
        self.ups += ups
        self.nim ^= nim

    @property
    def small(self) -> Short:
        """The sum of all infinitesimals."""
        game = plain_value((0, 0, self.ups, self.nim))
        for g, times in self.smalls.items():
            game = game + g * times
        return game

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
        game = self.small
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

    def wins(self, player: int) -> bool:
        """Whether a player who begins wins the sum."""
        if self.others:
            if (sure := self._bound()) is not None:
                return sure == player
            there = Total.of(self.total())
            return not (there.at_most_zero() if player == LEFT else there.at_least_zero())
        left = self.stop(player)
        if left:
            return (left > 0) == (player == LEFT)
        end = Total(0, self.small)
        if len(self.switches) % 2 == player:  # all switches taken, Left is to move
            return (not end.at_most_zero()) == (player == LEFT)
        return (not end.at_least_zero()) == (player == RIGHT)

    def _bound(self) -> int | None:
        """The player who wins whoever begins, if means and temperatures tell."""
        hottest = max([*self.switches, *(g.temperature for g in self.others)])
        if self.mean > hottest:
            return LEFT
        return RIGHT if self.mean < -hottest else None

    @property
    def outcome(self) -> str:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        left, right = self.wins(LEFT), self.wins(RIGHT)
        if left:
            return "N" if right else "L"
        return "R" if right else "P"

    @property
    def mean(self) -> Surreal:
        """What one of many copies of the sum is worth: means are added."""
        extra = sum((g.mean * times for g, times in self.others.items()), Fraction(0))
        return self.number + extra

    def __str__(self) -> str:
        """The canonical form, or, if that is too large, the sum of what was gathered."""
        if self.simple:
            return str(self.total())
        hot = [f"+-{t}" for t in sorted(self.switches, reverse=True)]
        for g, times in [*self.others.items(), *self.smalls.items()]:
            hot.append(str(g) if times == 1 else f"{times}.{g}")
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


def switch(g: Short) -> tuple[Fraction, Fraction] | None:
    """Mean and temperature of a switch between two numbers; None for other values."""
    left, right = g.left, g.right
    if len(left) == len(right) == 1 and left[0].is_number and right[0].is_number:
        high, low = left[0].number, right[0].number
        if high > low:
            return (high + low) / 2, (high - low) / 2
    return None
