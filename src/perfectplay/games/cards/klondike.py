"""Klondike, the patience (solitaire) that everybody knows, with a small pack.

The pack has `suits` suits (spades and clubs are black, hearts and diamonds red) of `ranks` ranks,
the ace lowest. Cards are dealt in rows, from left to right: first one to each of `columns`
columns, then one to all but the first, and so on; the last card of each column lies face up, the
others face down. The rest is the stock. The aim is to build every suit from the ace upwards on a
foundation. The last card of a column and the last card of the waste are free: they may be put on
their foundation, or on the last card of a column that is one rank higher and of the other colour.
Face-up cards of a column that follow each other in this way may be moved together, all or some. An
empty column takes a king (the highest rank) or what begins with one; with `empty` "any", any card.
When the last face-down card of a column is free it is turned up. The stock is turned card by card
onto the waste; when it is empty the waste may be turned over to become the stock again, `redeals`
times (-1: always). With `back`, the last card of a foundation may be put on a column again. With
`eager` a card that can go to its foundation must, as programs do it for the player.

Face-down cards are unknown to the player, and every order of the pack is equally likely. With
`known` they see all cards as soon as they are dealt; a `seed`, or a `deal` (all cards in
the order of dealing, the stock last), fixes them, and then they are known too.

Check: with one suit of three, one column and no redeal every deal is won. Knowing the cards is
never worse than not knowing them.

A position is (columns, foundations, stock, waste, redeals): a column is (face down, face up), the
last card last; a foundation is how many cards it has; the stock is in the order of turning. A card
is rank + 13 * suit with the ace 0, -1 if it is unknown. The order of columns, and the names of
suits as far as colours allow, do not matter. Before a deal by chance a position has no columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial
from typing import Any, Literal

from perfectplay.errors import UsageError
from perfectplay.games.cards.klondike_shown import (
    UNKNOWN,
    Cards,
    Column,
    KlondikeShown,
    Move,
    Position,
    card_of,
    name,
)
from perfectplay.rules.game import CHANCE, OVER

MOST_DEALT = 40320
"""How many deals may be tried one by one."""


def colour(card: int) -> int:
    """0 for black, 1 for red."""
    return card // 13 % 2


def fits(card: int, on: int) -> bool:
    """Whether a card may lie on another one in a column."""
    return card % 13 + 1 == on % 13 and colour(card) != colour(on)


@cache
def renamings(suits: int) -> tuple[Cards, ...]:
    """All ways to rename suits that keep apart what has different colours."""
    return tuple(
        way
        for way in permutations(range(suits))
        if all((way[s] + s) % 2 == way[0] % 2 for s in range(suits))
    )


@dataclass(frozen=True)
class Klondike(KlondikeShown):
    """A pack of suits x ranks, cards turned one by one."""

    suits: int = 2
    ranks: int = 3
    columns: int = 2
    redeals: int = 0
    empty: Literal["king", "any"] = "king"
    back: bool = False
    eager: bool = False
    known: bool = False
    seed: int = 0
    deal: str = ""

    players = 1

    def __post_init__(self) -> None:
        pack, dealt = self.suits * self.ranks, self.columns * (self.columns + 1) // 2
        if not (1 <= self.suits <= 4 and 1 <= self.ranks <= 13 and 1 <= self.columns <= 7):
            raise UsageError(
                f"no pack of {self.suits} x {self.ranks} in {self.columns} columns",
                "use up to 4 suits, 13 ranks and 7 columns",
            )
        if dealt > pack:
            raise UsageError(
                f"{self.columns} columns take {dealt} cards, but there are {pack}",
                "use fewer columns or a larger pack",
            )
        if self.redeals < -1 or self.empty not in ("king", "any"):
            raise UsageError(
                f"no redeals={self.redeals} with empty={self.empty}",
                "redeals is -1 for always, or a number; empty is king or any",
            )
        if self.deal and (self.seed or sorted(self.order()) != self.pack()):
            raise UsageError(
                f"{self.deal!r} is not the pack, or a seed is given too",
                f"a deal has {' '.join(map(name, self.pack()))} in some order",
            )
        if self.known and not self.order() and factorial(pack) > MOST_DEALT:
            raise UsageError(
                f"a pack of {pack} cards has too many deals to see through all of them",
                "use up to 8 cards, or fix the cards by seed=1 or a deal",
            )

    def order(self) -> list[int]:
        """The cards in the order of dealing, if it is fixed."""
        if self.deal:
            return [card_of(word) for word in self.deal.replace(",", " ").split()]
        found, left, state = [], self.pack(), self.seed
        while self.seed and left:
            state = (state * 214013 + 2531011) % 2**32  # as dealt in well-known programs
            i = (state >> 16) % 2**15 % len(left)
            found.append(left[i])
            left[i] = left[-1]
            left.pop()
        return found

    # -- Dealing. ---

    def start(self) -> Position:
        if self.order():
            return self.dealt(self.order())
        if self.known:
            return ((), (0,) * self.suits, (), (), self.redeals)
        return self.dealt([UNKNOWN] * (self.suits * self.ranks))

    def dealt(self, order: Any) -> Position:
        """The position after cards have been dealt in this order."""
        left, piles = list(order), [[] for _ in range(self.columns)]  # type: ignore[var-annotated]
        for row in range(self.columns):
            for pile in piles[row:]:
                pile.append(left.pop(0))
        columns = tuple((tuple(pile[:-1]), (pile[-1],)) for pile in piles)
        return (columns, (0,) * self.suits, tuple(left), (), self.redeals)

    def unseen(self, p: Position) -> list[int]:
        """The cards that are not known."""
        columns, built, stock, waste, _ = p
        seen = {*stock, *waste, *(card for pair in columns for part in pair for card in part)}
        return [c for c in self.pack() if c not in seen and c % 13 >= built[c // 13]]

    def to_move(self, p: Position) -> int:
        if min(p[1]) == self.ranks:
            return OVER
        unknown = UNKNOWN in p[3] or any(UNKNOWN in up for _, up in p[0])
        return CHANCE if unknown or not p[0] else 0

    def chances(self, p: Position) -> Iterator[tuple[int, Position]]:
        columns, built, stock, waste, redeals = p
        if not columns:
            for order in permutations(self.pack()):
                yield 1, self.dealt(order)
            return
        at = next((i for i, (_, up) in enumerate(columns) if UNKNOWN in up), -1)
        for card in self.unseen(p):
            if at < 0:
                yield 1, (columns, built, stock, (*waste[:-1], card), redeals)
            else:
                shown = (columns[at][0], (card,))
                yield 1, (with_column(columns, at, shown), built, stock, waste, redeals)

    # -- Playing. ---

    def moves(self, p: Position) -> Iterator[Move]:
        _, _, stock, waste, redeals = p
        home = list(self.ups(p))
        yield from home
        if home and self.eager:
            return
        yield from self.puts(p)
        if stock:
            yield ("turn", -1, 1, -1)
        elif waste and redeals:
            yield ("redeal", -1, 0, -1)

    @staticmethod
    def ups(p: Position) -> Iterator[Move]:
        """The moves that put a card on its foundation."""
        columns, built, _, waste, _ = p
        if waste and built[waste[-1] // 13] == waste[-1] % 13:
            yield ("up", -1, 1, -1)
        for i, (_, up) in enumerate(columns):
            if up and built[up[-1] // 13] == up[-1] % 13:
                yield ("up", i, 1, -1)

    def puts(self, p: Position) -> Iterator[Move]:
        """The moves that put cards on a column."""
        columns, built, _, waste, _ = p
        for to in self.places(columns, waste[-1]) if waste else ():
            yield ("put", -1, 1, to)
        for i, (down, up) in enumerate(columns):
            for number in range(1, len(up) + 1):
                for to in self.places(columns, up[-number]):
                    # A whole column gains nothing by going to an empty one.
                    if columns[to] != ((), ()) or number < len(up) or down:
                        yield ("put", i, number, to)
        for suit, number in enumerate(built if self.back else ()):
            for to in self.places(columns, 13 * suit + number - 1) if number else ():
                yield ("back", suit, 1, to)

    def places(self, columns: tuple[Column, ...], card: int) -> Iterator[int]:
        """The columns on which a card fits; of empty ones the first."""
        vacant = False
        for i, (_, up) in enumerate(columns):
            if up and fits(card, up[-1]):
                yield i
            elif not up and not vacant and (self.empty == "any" or card % 13 == self.ranks - 1):
                vacant = True
                yield i

    def play(self, p: Position, m: Move) -> Position:
        columns, built, stock, waste, redeals = p
        kind, source, number, to = m
        if kind == "turn":
            return (columns, built, stock[1:], (*waste, stock[0]), redeals)
        if kind == "redeal":
            return (columns, built, waste, (), max(redeals - 1, -1))
        if kind == "back":
            cards: Cards = (13 * source + built[source] - 1,)
            built = (*built[:source], built[source] - 1, *built[source + 1 :])
        elif source < 0:
            cards, waste = waste[-1:], waste[:-1]
        else:
            down, up = columns[source]
            cards, up = up[-number:], up[:-number]
            if not up and down:
                down, up = down[:-1], down[-1:]
            columns = with_column(columns, source, (down, up))
        if kind == "up":
            suit = cards[0] // 13
            built = (*built[:suit], built[suit] + 1, *built[suit + 1 :])
        else:
            columns = with_column(columns, to, (columns[to][0], columns[to][1] + cards))
        return (columns, built, stock, waste, redeals)

    def payoff(self, p: Position) -> int:
        return int(min(p[1]) == self.ranks)

    def stratum(self, p: Position) -> int:
        columns, built, stock, waste, redeals = p
        pack = self.suits * self.ranks
        hidden = sum(len(down) for down, _ in columns)
        hidden += sum(UNKNOWN in up for _, up in columns) + (UNKNOWN in waste)
        draws = len(stock) + redeals * (pack + 1) if redeals >= 0 else stock.count(UNKNOWN)
        placed = 0 if self.back else sum(built)
        return hidden + draws + pack - placed + (0 if columns else 2 * pack)

    def representative(self, p: Position) -> Position:
        return min(self.renamed(p, way) for way in renamings(self.suits))

    def renamed(self, p: Position, way: Cards) -> Position:
        """The position with other names for suits, columns in order."""
        columns, built, stock, waste, redeals = p

        def new(cards: Cards) -> Cards:
            return tuple(c if c < 0 else 13 * way[c // 13] + c % 13 for c in cards)

        heaps = tuple(built[way.index(suit)] for suit in range(self.suits))
        rows = tuple(sorted((new(down), new(up)) for down, up in columns))
        return (rows, heaps, new(stock), new(waste), redeals)


def with_column(columns: tuple[Column, ...], at: int, column: Column) -> tuple[Column, ...]:
    """The columns with another one in this place."""
    return (*columns[:at], column, *columns[at + 1 :])
