"""Thoughtful Klondike: the patience that everybody knows, with all cards known from the start.

A pack of four suits (clubs and spades are black, diamonds and hearts red) of `ranks` ranks is
dealt in rows from left to right: one card to each of `columns` columns, then one to all but the
first, and so on; the last card of each column lies face up. The rest is the stock. The aim is to
build every suit from the ace up on its foundation, which is home. The last card of a column goes
home if it is the next of its suit; it goes, with all that lies on it, onto the last card of a
column that is one rank higher and of the other colour, or, if it is a king, into an empty
column. Every other face-up card of a column may be moved like that, too. A face-down card on which
nothing lies is turned up. From the stock, `draw` cards at a time are turned onto the waste, whose
last card may be played in the same way; an empty stock is taken from the waste again, up to
`passes` times through all in all (0: always). With `back`, the last card of a foundation may be
put on a column again. Who is stuck waits for ever.

Wanted is any way (`search --any`), or the least number of moves: turning cards of the stock counts
one each time unless `counted` is false, turning the waste over nothing. `deal` is a number, by
which cards are drawn at random; `cards` may name them instead, row by row, the stock last.

Check: of random deals 81.94 % can be won with draw 3 and 90.45 % with draw 1 (Blake and Gent; CP
2025).

A position says of each card what it lies on (three bits, as in freecell_cards.py): where it was
dealt, on its first or second host, at the bottom of a column that was emptied, or home. Words 0, 1
and 2 have these bits for cards 0 to 51 (4 * rank + suit), and above:

    word 0    how many dealt cards are left in columns 0 to 2, three bits each; low bits of passes
              left (15: always)
    word 1    the same for columns 3 to 5; high bits of passes left
    word 2    the same for column 6; five bits: how much of the stock has been turned

A move is 8 * card + where it goes. Cards of the stock are played as if they had been turned.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.cards.freecell_cards import (
    BOTTOM,
    DEALT,
    FIRST,
    HOME,
    SECOND,
    WAIT,
    Position,
    among,
    guests,
    hosts,
    lowest_bit,
    next_home,
    number,
    up,
)
from perfectplay.games.cards.thoughtful_shown import ALWAYS, ThoughtfulShown
from perfectplay.rules.game import OVER
from perfectplay.rules.search_capabilities import ForcedMoves, NumberedDeals, SearchGuides

STOCK = 7
"""The column of cards in the stock."""
WEIGHTS = ((4, 8, 2), (2, 12, 1), (6, 6, 3), (3, 9, 0), (4, 8, 2))
"""Ways to guess: what counts a card not home, one that lies face down, one in the stock."""


@dataclass(frozen=True)
class ThoughtfulKlondike(ThoughtfulShown, NumberedDeals, ForcedMoves, SearchGuides):
    """Klondike with all cards known; deal number `deal`, or these cards."""

    deal: int = 1
    draw: int = 3
    passes: int = 0
    back: bool = True
    counted: bool = True
    ranks: int = 13
    columns: int = 7
    cards: str = ""

    players = 1
    minimise = True
    native = True
    deal_parameter = "deal"
    guess_kinds = len(WEIGHTS)

    def __post_init__(self) -> None:
        numbers = (
            (self.deal, 1, 2**31 - 1), (self.draw, 1, 3), (self.passes, 0, 15),
            (self.ranks, 1, 13), (self.columns, 1, 7),
        )  # fmt: skip
        dealt = self.columns * (self.columns + 1) // 2
        if not all(low <= n <= high for n, low, high in numbers) or dealt > 4 * self.ranks:
            raise UsageError(
                f"no deal {self.deal} like that",
                "draw is 1 to 3, passes 0 to 15, ranks 1 to 13, columns 1 to 7, which want cards",
            )
        if sorted(self.order) != list(range(4 * self.ranks)):
            raise UsageError("these cards are not the pack", "name every card once, as in AC TD")

    # -- The deal. ---

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """How many cards there are."""
        return 4 * self.ranks

    @cached_property
    def order(self) -> list[int]:
        """All cards as they are dealt."""
        if self.cards:
            try:
                return [number(word) for word in self.cards.replace("_", " ").split()]
            except ValueError:
                return []
        state, deck, found = self.deal, list(range(4 * self.ranks)), []
        while deck:
            for _ in range(2):  # neighbouring numbers begin alike
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            at = (state >> 33) % len(deck)
            found.append(deck[at])
            deck[at] = deck[-1]
            deck.pop()
        return found

    @cached_property
    def piles(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """The cards of each column, the first dealt first."""
        left, piles = iter(self.order), [[] for _ in range(self.columns)]  # type: ignore[var-annotated]
        for row in range(self.columns):
            for pile in piles[row:]:
                pile.append(next(left))
        return tuple(map(tuple, piles))

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """The same, six bits a card."""
        return tuple(sum(c << (6 * i) for i, c in enumerate(cards)) for cards in self.piles)

    @cached_property
    def stock(self) -> tuple[int, ...]:  # type: ignore[override]
        """The stock, as it is turned; a card that is never there, if there is none."""
        rest = self.order[self.columns * (self.columns + 1) // 2 :]
        return tuple(rest) or (63,)

    @cached_property
    def place(self) -> tuple[int, ...]:
        """The column of each card, or STOCK; and where it is in the stock: eight bits, seven cards
        to a word."""
        found = [0] * 8
        for card in range(self.size):
            column = next((i for i, pile in enumerate(self.piles) if card in pile), STOCK)
            at = self.stock.index(card) if column == STOCK else 0
            found[card // 7] |= (column | at << 3) << (8 * (card % 7))
        return tuple(found)

    @cached_property
    def first(self) -> int:
        """The first cards of all columns."""
        return sum(1 << pile[0] for pile in self.piles)

    @cached_property
    def kings(self) -> int:
        """The highest cards."""
        return 15 << (4 * (self.ranks - 1))

    @cached_property
    def round(self) -> bool:
        """Whether it makes no difference how much of the stock has been turned."""
        return self.draw == 1 and not self.passes and not self.counted

    def start(self) -> Position:
        words = [0, 0, 0]
        for column in range(self.columns):
            words[column // 3] |= (column + 1) << (52 + 3 * (column % 3))
        left = self.passes - 1 if self.passes else ALWAYS
        return words[0] | (left & 3) << 61, words[1] | (left >> 2) << 61, words[2]

    # -- What a position says. ---

    def where(self, card: int) -> int:
        """The column of a card, or STOCK; and its place in the stock, times 8."""
        return self.place[card // 7] >> (8 * (card % 7)) & 255

    def table(self, p: Position) -> tuple[int, int, int]:
        """(cards face up in columns, the last ones of them, how many columns are empty)."""
        found = among(p, BOTTOM)
        vacant = -count(found)
        for column in range(self.columns):
            height = self.height(p, column)
            if height:
                found |= 1 << (self.dealt[column] >> (6 * (height - 1)) & 63)
            else:
                vacant += 1
        first, second = among(p, FIRST), among(p, SECOND)
        found |= first | second
        return found, found & ~(hosts(first, 0) | hosts(second, 1)), vacant

    def reached(self, p: Position) -> tuple[int, int]:
        """The cards of the stock that can be turned up, and those for which the waste must be
        turned over first."""
        lying, at, n = among(p, DEALT), self.turned(p), len(self.stock)
        now = later = many = 0
        last = 63
        if at:
            now = 1 << self.stock[at - 1]
        for i in range(at, n):
            card = self.stock[i]
            if lying >> card & 1:
                many, last = many + 1, card
                if many % self.draw == 0:
                    now |= 1 << card
        if last < 63:
            now |= 1 << last
        if self.left(p):
            many, last = 0, 63
            for i in range(n):
                card = self.stock[i]
                if lying >> card & 1:
                    many, last = many + 1, card
                    if many % self.draw == 0:
                        later |= 1 << card
            if last < 63:
                later |= 1 << last
        return now, later & ~now

    # -- Rules. ---

    def to_move(self, p: Position) -> int:
        return OVER if count(among(p, HOME)) == self.size else 0

    def moves(self, p: Position) -> Iterator[int]:
        home = among(p, HOME)
        if count(home) == self.size:
            return
        shown, ends, vacant = self.table(p)
        now, later = self.reached(p)
        turn, stuck = now | later, True
        for new in (HOME, FIRST, SECOND, BOTTOM):
            if new == HOME:
                cards = next_home(home) & (ends | turn)
            elif new == BOTTOM:
                kings = self.kings & (turn | (shown & among(p, DEALT) & ~self.first))
                cards = kings if vacant > 0 else 0
            else:
                fitting = guests(ends, 0 if new == FIRST else 1)
                cards = fitting & (shown | turn)
                if self.back:
                    cards |= fitting & home & ~(home >> 4)
            while cards:
                card = lowest_bit(cards)
                yield 8 * card + new
                stuck = False
                cards &= cards - 1
        if stuck:
            yield WAIT

    def play(self, p: Position, m: int) -> Position:
        if m == WAIT:
            return p
        card, new = m >> 3, m & 7
        a, b, c = p
        old = (a >> card & 1) | (b >> card & 1) << 1 | (c >> card & 1) << 2
        if old == DEALT:
            where = self.where(card)
            column = where & 7
            if column < STOCK:
                step = 1 << (52 + 3 * (column % 3))
                if column < 3:
                    a -= step
                elif column < 6:
                    b -= step
                else:
                    c -= step
            else:
                _, later = self.reached(p)
                if later >> card & 1 and self.left(p) < ALWAYS:
                    left = self.left(p) - 1
                    a = (a & ~(3 << 61)) | (left & 3) << 61
                    b = (b & ~(3 << 61)) | (left >> 2) << 61
                at, lying = where >> 3, among(p, DEALT)
                while at > 0 and not lying >> self.stock[at - 1] & 1:
                    at -= 1
                c = (c & ~(31 << 55)) | (0 if self.round else at) << 55
        change = old ^ new
        return (
            a ^ (change & 1) << card, b ^ (change >> 1 & 1) << card, c ^ (change >> 2) << card
        )  # fmt: skip

    def reward(self, p: Position, m: int) -> int:
        card = m >> 3
        if m == WAIT or not self.counted or not among(p, DEALT) >> card & 1:
            return 1
        where = self.where(card)
        if where & 7 != STOCK:
            return 1
        return 1 + self.turns(p, where >> 3)

    def turns(self, p: Position, to: int) -> int:
        """How often cards are turned until the one at that place of the stock is the last of the
        waste."""
        lying, at = among(p, DEALT), self.turned(p)
        _, later = self.reached(p)
        if at == to + 1:
            return 0
        found = many = 0
        if later >> self.stock[to] & 1:
            for i in range(at, len(self.stock)):
                many += lying >> self.stock[i] & 1
            found, at, many = -(-many // self.draw), 0, 0
        for i in range(at, to + 1):
            many += lying >> self.stock[i] & 1
        return found - (-many // self.draw)

    def payoff(self, p: Position) -> int:
        return 0

    # -- What guides searches. ---

    def bounds(self, p: Position) -> tuple[float, float]:
        # Every card takes a move to go home.
        return float(self.size - count(among(p, HOME))), math.inf

    def forced(self, p: Position) -> Iterator[int]:
        # A card at the end of a column goes home at once if nothing need ever be put on it. With
        # `back`, all lower cards of the other colour are home, and those lower than these of its
        # own: they can stay there, since only such cards lie on such cards. Without, what could be
        # put on it may also go home itself (freecell.py). From the stock only where all its cards
        # can always be reached: elsewhere taking one changes which others can.
        home = among(p, HOME)
        cards = next_home(home)
        free = cards & self.table(p)[1] if cards else 0
        if cards & ~free and self.draw == 1 and self.left(p) == ALWAYS and not self.counted:
            free |= cards & self.reached(p)[0]
        while free:
            card = lowest_bit(free)
            rank, suit = card >> 2, card & 3
            other = 2 - (suit & 2)
            across, beside = min(up(home, other), up(home, other + 1)), up(home, suit ^ 1)
            safe = across >= rank and beside >= rank - 1
            if safe or (not self.back and across >= rank - 1 and beside >= rank - 2):
                yield 8 * card + HOME
                break
            free &= free - 1

    def guess_as(self, p: Position, kind: int) -> int:
        hidden, inside = 0, 0
        for column in range(self.columns):
            hidden += max(0, self.height(p, column) - 1)
        lying = among(p, DEALT)
        for i in range(len(self.stock)):
            inside += lying >> self.stock[i] & 1
        w = WEIGHTS[kind]
        return w[0] * (self.size - count(among(p, HOME))) + w[1] * hidden + w[2] * inside
