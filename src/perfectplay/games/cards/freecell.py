"""FreeCell and its kin: bring all cards home, suit by suit from the ace up.

Cards lie open in `columns`. One card is moved at a time: the last card of a column, or one from a
cell, goes home if it is the next of its suit, onto a column whose last card is the next higher one
of the other colour, into an empty column, or, from a column, into a free cell. Who is stuck waits
for ever. `deal` is the number of a deal as Microsoft's program numbers them; wanted is the least
number of moves, or any way (`search --any`). A pack of less than 13 `ranks` is dealt in the same
way.

With `build` "suits" a card goes onto the next higher one of its own suit: that is Baker's Game.
Empty columns take any card, or by `empty` only cards of the highest rank ("king"), or none. With
`together`, cards that lie in order at the end of a column move in one move, as many as could be
moved one by one by way of free cells and empty columns: (1 + free cells) * 2^(empty columns), not
counting an empty column that they go to, nor any where `empty` is not "any".

Check: of deals 1 to 32,000 with four cells all but number 11,982 can be won.

A position says of each card what it lies on, so that the order of columns and cells makes no
difference. Bit c of word j is bit j of the state of card c (4 * rank + suit; clubs and spades are
suits 0 and 1, diamonds and hearts 2 and 3):

    0 where it was dealt               3 in a cell
    1 on its first host, of which      4 at the bottom of a column that was emptied
      the suit is 2 more or less       5 home
    2 on its second host

The only host in suits is the first.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.cards.freecell_cards import (
    ALL,
    BOTTOM,
    CELL,
    DEALT,
    FIRST,
    HOME,
    SECOND,
    WAIT,
    Position,
    among,
    guest,
    guests,
    hosts,
    lowest_bit,
    next_home,
    up,
)
from perfectplay.games.cards.freecell_shown import FreeCellShown
from perfectplay.games.cards.patience import DEALS, in_numbers, microsoft_order
from perfectplay.rules.game import OVER
from perfectplay.rules.search_capabilities import ForcedMoves, NumberedDeals, SearchGuides

WEIGHTS = ((6, 10, 6, 12, 3, 0), (8, 14, 4, 8, 1, 1), (4, 8, 12, 8, 2, 1), (2, 5, 6, 7, 2, 0),
           (4, 8, 8, 8, 2, 0))  # fmt: skip
"""Ways to guess: what counts a card that is not home, one above a lower one in its column, one in
a cell, a column in use, a card above one that goes home next, and above one that goes after it."""
LONGEST = 10
"""Cards that a column has at first, at most."""


@dataclass(frozen=True)
class FreeCell(FreeCellShown, NumberedDeals, ForcedMoves, SearchGuides):
    """Deal number `deal` with so many cells."""

    deal: int = 1
    cells: int = 4
    ranks: int = 13
    columns: int = 8
    build: Literal["colours", "suits"] = "colours"
    empty: Literal["any", "king", "none"] = "any"
    together: bool = False

    players = 1
    minimise = True
    native = True
    deal_parameter = "deal"
    guess_kinds = len(WEIGHTS)

    def __post_init__(self) -> None:
        numbers = (self.deal, 1, DEALS), (self.cells, 0, 6), (self.ranks, 1, 13)
        if not all(low <= number <= high for number, low, high in numbers):
            raise UsageError(
                f"no deal {self.deal} with {self.cells} cells and {self.ranks} ranks",
                f"deals have numbers from 1 to {DEALS}; there are 0 to 6 cells, 1 to 13 ranks",
            )
        if not 1 <= self.columns <= 13 or 4 * self.ranks > LONGEST * self.columns:
            raise UsageError(
                f"{4 * self.ranks} cards do not go into {self.columns} columns",
                f"there are up to 13 columns with up to {LONGEST} cards",
            )
        if self.build not in ("colours", "suits") or self.empty not in ("any", "king", "none"):
            raise UsageError(
                f"no build={self.build} with empty={self.empty}",
                "build is colours or suits; empty is any, king or none",
            )

    # -- The deal. ---

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """How many cards there are."""
        return 4 * self.ranks

    @cached_property
    def piles(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """The cards of each column, the first dealt first."""
        cards = microsoft_order(self.deal, self.size)
        return tuple(tuple(cards[column :: self.columns]) for column in range(self.columns))

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """The same, six bits a card."""
        return in_numbers(self.piles)

    @cached_property
    def members(self) -> tuple[int, ...]:
        """The same as sets of cards."""
        return tuple(sum(1 << card for card in cards) for cards in self.piles)

    @cached_property
    def lowest(self) -> tuple[int, ...]:
        """The lowest rank among the first cards of each column, four bits for each number."""
        return tuple(
            sum(min(cards[: i + 1]) // 4 << (4 * i) for i in range(len(cards)))
            for cards in self.piles
        )

    @cached_property
    def natural(self) -> tuple[int, ...]:
        """Cards dealt on their first host, and on their second."""
        found = [0, 0]
        for cards in self.piles:
            for below, card in pairwise(cards):
                for k in range(1 if self.suited else 2):
                    found[k] |= int(below == self.host(card, k)) << card
        return tuple(found)

    @cached_property
    def deepest(self) -> int:
        """The first cards of all columns."""
        return sum(1 << cards[0] for cards in self.piles if cards)

    @cached_property
    def blocking(self) -> int:
        """Cards dealt onto a lower one, directly or not."""
        return sum(
            1 << card
            for cards in self.piles
            for i, card in enumerate(cards)
            if min(cards[: i + 1]) // 4 < card // 4
        )

    @cached_property
    def suited(self) -> bool:  # type: ignore[override]
        """Whether cards go onto cards of their own suit."""
        return self.build == "suits"

    @cached_property
    def fillers(self) -> int:
        """The cards that may go into an empty column."""
        kings = 15 << (4 * (self.ranks - 1))
        return {"any": (1 << self.size) - 1, "king": kings, "none": 0}[self.empty]

    @cached_property
    def empty_takes_all(self) -> bool:
        """Whether any card may go into an empty column."""
        return self.empty == "any"

    def start(self) -> Position:
        return (0, 0, 0)

    # -- What lies on what. ---

    def hosts(self, cards: int, k: int) -> int:
        """The first (k = 0) or second hosts of some cards."""
        if self.suited:
            return (cards << 4) & ALL if k == 0 else 0
        return hosts(cards, k)

    def guests(self, cards: int, k: int) -> int:
        """The cards of which some cards are the first or second hosts."""
        if self.suited:
            return cards >> 4 if k == 0 else 0
        return guests(cards, k)

    def above(self, card: int, on_first: int, on_second: int) -> int:
        """The card that was put on one, if these lie on their hosts; -1 for none."""
        if card < 4:
            return -1
        if self.suited:
            return card - 4 if on_first >> (card - 4) & 1 else -1
        if on_first >> guest(card, 0) & 1:
            return guest(card, 0)
        return guest(card, 1) if on_second >> guest(card, 1) & 1 else -1

    def height(self, lying: int, column: int) -> int:
        """How many dealt cards a column has left; `lying` are all that lie as they were dealt."""
        return count(lying & self.members[column])

    def ends(self, p: Position) -> tuple[int, int]:
        """The last cards of the columns, and how many columns are in use."""
        on_first, on_second, bottom = among(p, FIRST), among(p, SECOND), among(p, BOTTOM)
        last, used, lying = on_first | on_second | bottom, count(bottom), among(p, DEALT)
        for column in range(self.columns):
            height = self.height(lying, column)
            if height:
                last |= 1 << (self.dealt[column] >> (6 * (height - 1)) & 63)
                used += 1
        return last & ~(self.hosts(on_first, 0) | self.hosts(on_second, 1)), used

    # -- Rules. ---

    def to_move(self, p: Position) -> int:
        return OVER if count(among(p, HOME)) == self.size else 0

    def moves(self, p: Position) -> Iterator[int]:
        # A move is 8 * card + its new state.
        last, used = self.ends(p)
        in_cells, lying, home = among(p, CELL), among(p, DEALT), among(p, HOME)
        spare, vacant = 1 + self.cells - count(in_cells), self.columns - used
        run, many = last | in_cells, 1
        while many > 0:
            for kind in range(5):
                if kind == 0:
                    new, there, cards = HOME, 0, run & next_home(home) if many == 1 else 0
                elif kind < 3:
                    new, there = kind, self.natural[kind - 1] & self.guests(lying, kind - 1)
                    cards = run & self.guests(last, kind - 1)
                elif kind == 3:  # a card at the bottom of a column stays there
                    new, there, cards = BOTTOM, self.deepest, 0
                    if vacant > 0 and (many == 1 or many <= self.most(spare, vacant - 1)):
                        cards = run & self.fillers & ~(among(p, BOTTOM) | (lying & self.deepest))
                else:
                    new, there, cards = CELL, 0, last if many == 1 < spare else 0
                while cards:
                    card = lowest_bit(cards)
                    yield 8 * card + (DEALT if there >> card & 1 else new)
                    used = -1
                    cards &= cards - 1
            if self.together and many < self.most(spare, vacant):
                # The cards under which one more lies in order, in columns.
                run = self.under(p, run & ~in_cells)
                many = many + 1 if run else 0
            else:
                many = 0
        if used >= 0:
            yield WAIT

    def most(self, spare: int, vacant: int) -> int:
        """How many cards can be moved one by one with one less than `spare` free cells; empty
        columns help where any card may go there."""
        return spare << vacant if self.empty_takes_all else spare

    def under(self, p: Position, cards: int) -> int:
        """The cards on which some cards lie in order."""
        lying, found = among(p, DEALT), 0
        for k in range(2):
            found |= self.hosts(cards & (among(p, FIRST + k) | (lying & self.natural[k])), k)
        return found

    def play(self, p: Position, m: int) -> Position:
        if m == WAIT:
            return p
        q = placed(p, m >> 3, m & 7)
        if not self.together:
            return q
        # Those that lie in order on the card go with it: they lie as dealt where it does.
        lying = among(p, DEALT)
        first = among(p, FIRST) | (lying & self.natural[0])
        second = among(p, SECOND) | (lying & self.natural[1])
        card, there = self.above(m >> 3, first, second), m & 7 == DEALT
        while card >= 0:
            on_first = first >> card & 1 == 1
            there = there and (self.natural[0] | self.natural[1]) >> card & 1 == 1
            q = placed(q, card, DEALT if there else FIRST if on_first else SECOND)
            card = self.above(card, first, second)
        return q

    def reward(self, p: Position, m: int) -> int:
        return 1

    def payoff(self, p: Position) -> int:
        return 0

    # -- What guides searches. ---

    def bounds(self, p: Position) -> tuple[float, float]:
        # Every card takes a move to go home.
        return float(self.size - count(among(p, HOME))), math.inf

    def forced(self, p: Position) -> Iterator[int]:
        # A card goes home at once if both suits of the other colour are home as far, so that
        # nothing need be put on it; or one rank less far, so that what could be put on it can go
        # home itself, if the other suit of its colour is home but for two ranks. In suits, all
        # that could be put on it is home already.
        home = among(p, HOME)
        cards = next_home(home)
        if cards:
            cards &= self.ends(p)[0] | among(p, CELL)
        while cards:
            card = lowest_bit(cards)
            rank, suit = card >> 2, card & 3
            other = 2 - (suit & 2)
            across, beside = min(up(home, other), up(home, other + 1)), up(home, suit ^ 1)
            if self.suited or across >= rank or (across >= rank - 1 and beside >= rank - 2):
                yield 8 * card + HOME
                break
            cards &= cards - 1

    def guess_as(self, p: Position, kind: int) -> int:
        home, lying, in_cells = among(p, HOME), among(p, DEALT), among(p, CELL)
        on_first, on_second, bottom = among(p, FIRST), among(p, SECOND), among(p, BOTTOM)
        above, used = count(lying & self.blocking), count(bottom)
        coming = next_home(home)
        soon, later = coming & lying, next_home(home | coming) & lying
        deep = far = 0
        for column in range(self.columns):
            height = self.height(lying, column)
            if height == 0:
                continue
            used += 1
            cards, chain = self.dealt[column], 0
            low = self.lowest[column] >> (4 * (height - 1)) & 15
            card = cards >> (6 * (height - 1)) & 63
            while card > 3:  # the cards put on the dealt ones
                card = self.above(card, on_first, on_second)
                if card < 0:
                    break
                chain += 1
                above += int(card >> 2 > low)
            for i in range(height):
                bit = 1 << (cards >> (6 * i) & 63)
                if bit & soon:
                    deep += height - 1 - i + chain
                if bit & later:
                    far += height - 1 - i + chain
        w = WEIGHTS[kind]
        return (
            w[0] * (self.size - count(home)) + w[1] * above + w[2] * count(in_cells) + w[3] * used
            + w[4] * deep + w[5] * far
        ) >> 1  # fmt: skip


@dataclass(frozen=True)
class BakersGame(FreeCell):
    """FreeCell with columns built by suit."""

    build: Literal["colours", "suits"] = "suits"


def placed(p: Position, card: int, new: int) -> Position:
    """The position with a card in another state."""
    a, b, c = p
    old = (a >> card & 1) | (b >> card & 1) << 1 | (c >> card & 1) << 2
    change = old ^ new
    return (
        a ^ (change & 1) << card, b ^ (change >> 1 & 1) << card, c ^ (change >> 2) << card
    )  # fmt: skip
