"""Yukon and its kin: bring all cards home, suit by suit from the ace up; every card that lies face
up may be moved, with all cards on it, whatever they are.

The pack is dealt into seven columns: one card in the first; in column k after that k - 1 cards
face down and five face up on them. A card goes, with all that lie on it, onto the last card of a
column that is one rank higher and of the other colour, or, if it is of the highest rank, into an
empty column. The last card of a column goes home if it is the next of its suit. A face-down card
on which nothing lies is turned up. With `build` "suits" a card goes onto the next higher one of
its own suit: that is Russian patience. Who is stuck waits for ever. Wanted is the least number of
moves, or any way (`search --any`). `deal` is a number, as for `freecell`. A smaller pack (`ranks`)
is dealt with `faces` cards face up instead of five, as far as it goes: the last columns have
fewer.

Check: 52 cards fill the seven columns: 1, 6, 7, 8, 9, 10, 11.

A position says of each card what it lies on, three bits as in freecell.py (0: where it was dealt;
1 and 2: on its first or second host; 4: at the bottom of a column that was emptied; 5: home). A
card that comes back onto the one it was dealt on lies as dealt if that was face up from the start.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.cards.freecell_cards import (
    ALL,
    BOTTOM,
    DEALT,
    FIRST,
    HOME,
    SECOND,
    WAIT,
    Position,
    among,
    guests,
    host,
    hosts,
    lowest_bit,
    name,
    next_home,
    number,
    up,
)
from perfectplay.games.cards.patience import (
    DEALS,
    drawn_card,
    microsoft_order,
    with_all_above,
)
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.search_capabilities import ForcedMoves, NumberedDeals, SearchGuides

WEIGHTS = ((6, 3, 8), (4, 6, 10), (8, 1, 6), (5, 4, 12), (6, 3, 8))
"""Ways to guess: what counts a card that is not home, one that lies as dealt on a card that is no
host, and one face down."""
COLUMNS = 7


@dataclass(frozen=True)
class Yukon(NumberedDeals, ForcedMoves, SearchGuides, Game):
    """Deal number `deal`."""

    deal: int = 1
    build: Literal["colours", "suits"] = "colours"
    ranks: int = 13
    faces: int = 5

    players = 1
    minimise = True
    native = True
    deal_parameter = "deal"
    guess_kinds = len(WEIGHTS)

    def __post_init__(self) -> None:
        numbers = (self.deal, 1, DEALS), (self.ranks, 1, 13), (self.faces, 1, 5)
        if not all(low <= number <= high for number, low, high in numbers):
            raise UsageError(
                f"no deal {self.deal} with {self.ranks} ranks and {self.faces} open cards",
                f"deals have numbers from 1 to {DEALS}; ranks are 1 to 13, open cards 1 to 5",
            )
        if self.build not in ("colours", "suits"):
            raise UsageError(f"no build={self.build}", "build is colours or suits")
        if sum(map(len, self.piles)) < self.size:
            raise UsageError(
                f"{self.size} cards do not go into columns with {self.faces} open cards",
                "use fewer ranks, or faces=5",
            )

    # -- The deal. ---

    @cached_property
    def size(self) -> int:
        """How many cards there are."""
        return 4 * self.ranks

    @cached_property
    def piles(self) -> tuple[tuple[int, ...], ...]:
        """The cards of each column, the first dealt first, row by row."""
        left, piles = microsoft_order(self.deal, self.size), [list[int]() for _ in range(COLUMNS)]
        for row in range(6 + self.faces):
            for column in range(COLUMNS):
                if row < (1 if column == 0 else column + self.faces) and left:
                    piles[column].append(left.pop(0))
        return tuple(map(tuple, piles))

    @cached_property
    def down(self) -> int:
        """The cards that were dealt face down."""
        hidden = [pile[: min(k, len(pile) - 1)] for k, pile in enumerate(self.piles) if pile]
        return sum(1 << card for cards in hidden for card in cards)

    @cached_property
    def below(self) -> tuple[int, ...]:
        """The card on which each card was dealt, as a bit; 0 for none. By card."""
        found = [0] * 52
        for pile in self.piles:
            for under, card in pairwise(pile):
                found[card] = 1 << under
        return tuple(found)

    @cached_property
    def onto(self) -> tuple[int, ...]:
        """The card that was dealt onto each card, -1 for none. By card."""
        found = [-1] * 52
        for pile in self.piles:
            for under, card in pairwise(pile):
                found[under] = card
        return tuple(found)

    @cached_property
    def natural(self) -> tuple[int, int]:
        """Cards dealt on their first host, and on their second."""
        found = [0, 0]
        for card, under in enumerate(self.below):
            for k in range(1 if self.suited else 2):
                found[k] |= int(under > 0 and under == 1 << self.host(card, k)) << card
        return found[0], found[1]

    @cached_property
    def back(self) -> int:
        """Cards that lie as dealt when they come back: on hosts that were face up."""
        return sum(
            1 << card
            for card, under in enumerate(self.below)
            if (self.natural[0] | self.natural[1]) >> card & 1 and not under & self.down
        )

    @cached_property
    def deepest(self) -> int:
        """The first cards of all columns."""
        return sum(1 << pile[0] for pile in self.piles if pile)

    @cached_property
    def kings(self) -> int:
        """The highest cards."""
        return 15 << (4 * (self.ranks - 1))

    @cached_property
    def suited(self) -> bool:
        """Whether cards go onto cards of their own suit."""
        return self.build == "suits"

    def host(self, card: int, k: int) -> int:
        """The first (k = 0) or second card that one may lie on."""
        return card + 4 if self.suited else host(card, k)

    def start(self) -> Position:
        return (0, 0, 0)

    # -- Rules. ---

    def under(self, cards: int) -> int:
        """The cards on which some cards were dealt."""
        found = 0
        while cards:
            found |= self.below[lowest_bit(cards)]
            cards &= cards - 1
        return found

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

    def shown(self, p: Position) -> tuple[int, int]:
        """The cards that lie face up, and those of them on which nothing lies."""
        lying, home = among(p, DEALT), among(p, HOME)
        dealt = self.under(lying)
        covered = dealt | self.hosts(among(p, FIRST), 0) | self.hosts(among(p, SECOND), 1)
        there = ((1 << self.size) - 1) & ~home
        # A card that was dealt face down is so as long as the one dealt on it lies there.
        return there & ~(self.down & dealt), there & ~covered

    def to_move(self, p: Position) -> int:
        return OVER if count(among(p, HOME)) == self.size else 0

    def moves(self, p: Position) -> Iterator[int]:
        # A move is 8 * card + its new state.
        home, lying = among(p, HOME), among(p, DEALT)
        if count(home) == self.size:
            return
        free, last = self.shown(p)
        bottoms = among(p, BOTTOM) | (lying & self.deepest)
        stuck = True
        for new in (HOME, FIRST, SECOND, BOTTOM):
            if new == HOME:
                cards = last & next_home(home)
            elif new == BOTTOM:
                cards = free & self.kings & ~bottoms if count(bottoms) < COLUMNS else 0
            else:
                cards = free & self.guests(last, new - 1)
            while cards:
                card = lowest_bit(cards)
                cards &= cards - 1
                hosted = new in (FIRST, SECOND)
                if not hosted or self.top(p, card) != self.host(card, new - 1):
                    yield 8 * card + (DEALT if hosted and self.returns(card, new) else new)
                    stuck = False
        if stuck:
            yield WAIT

    def top(self, p: Position, card: int) -> int:
        """The last card of the column in which a card lies: it goes with the card."""
        first, second, lying = among(p, FIRST), among(p, SECOND), among(p, DEALT)
        while True:
            above = self.onto[card]
            if above < 0 or not lying >> above & 1:
                near = self.guests(1 << card, 0) & first | self.guests(1 << card, 1) & second
                above = lowest_bit(near) if near else -1
            if above < 0:
                return card
            card = above

    def returns(self, card: int, new: int) -> bool:
        """Whether a card on its first or second host lies as dealt."""
        return (self.back & self.natural[new - 1]) >> card & 1 == 1

    def play(self, p: Position, m: int) -> Position:
        if m == WAIT:
            return p
        card, new = m >> 3, m & 7
        a, b, c = p
        change = ((a >> card & 1) | (b >> card & 1) << 1 | (c >> card & 1) << 2) ^ new
        return (
            a ^ (change & 1) << card, b ^ (change >> 1 & 1) << card, c ^ (change >> 2) << card
        )  # fmt: skip

    def reward(self, p: Position, m: int) -> int:
        return 1

    def payoff(self, p: Position) -> int:
        return 0

    # -- What guides searches. ---

    def bounds(self, p: Position) -> tuple[float, float]:
        # Every card takes a move to go home.
        return float(self.size - count(among(p, HOME))), math.inf

    def forced(self, p: Position) -> Iterator[int]:
        # A card goes home at once if nothing can be put on it any more: all that could is home.
        home = among(p, HOME)
        cards = next_home(home)
        if cards:
            cards &= self.shown(p)[1]
        while cards:
            card = lowest_bit(cards)
            rank, suit = card >> 2, card & 3
            other = 2 - (suit & 2)
            if self.suited or min(up(home, other), up(home, other + 1)) >= rank:
                yield 8 * card + HOME
                break
            cards &= cards - 1

    def guess_as(self, p: Position, kind: int) -> int:
        lying, home = among(p, DEALT), among(p, HOME)
        wrong = lying & ~(self.natural[0] | self.natural[1]) & ~self.deepest
        hidden = self.down & self.under(lying)
        w = WEIGHTS[kind]
        return w[0] * (self.size - count(home)) + w[1] * count(wrong) + w[2] * count(hidden)

    # -- Text at the edges. ---

    def layout(self, p: Position) -> list[list[int]]:
        """The cards of each column, from below."""
        on = dict[int, int]()  # what each card lies on, -1 for none
        for card in range(self.size):
            state = (p[0] >> card & 1) | (p[1] >> card & 1) << 1 | (p[2] >> card & 1) << 2
            if state in (FIRST, SECOND):
                on[card] = self.host(card, state - 1)
            elif state != HOME:
                on[card] = self.below[card].bit_length() - 1 if state == DEALT else -1
        above = {under: card for card, under in on.items()}
        kings = [card for card in on if among(p, BOTTOM) >> card & 1]
        columns = []
        for pile in self.piles:
            stays = bool(pile) and among(p, DEALT) >> pile[0] & 1 == 1
            first = [pile[0]] if stays else kings[:1]
            kings = kings if stays else kings[1:]
            columns.append(with_all_above(first, lambda card: above.get(card, -1)))
        return columns

    def text(self, p: Position) -> str:
        free, home = self.shown(p)[0], among(p, HOME)
        rows = [" ".join(name(c) if free >> c & 1 else f"({name(c)})" for c in column) or "-"
                for column in self.layout(p)]  # fmt: skip
        done = [name(4 * (n - 1) + suit) for suit in range(4) if (n := up(home, suit))]
        return " / ".join([*rows, f"home {' '.join(done) or '-'}"])

    def parse(self, s: str) -> Position:
        *rows, home = [part.split() for part in s.upper().split("/")]
        if len(rows) != COLUMNS or home[:1] != ["HOME"]:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        states = dict[int, int]()
        for word in home[1:] if home[1:] != ["-"] else []:
            states |= dict.fromkeys(range(number(word) & 3, number(word) + 1, 4), HOME)
        for row in rows:
            cards = [number(word.strip("()")) for word in row if word != "-"]
            down = sum(word.startswith("(") for word in row)
            for i, card in enumerate(cards):
                under = cards[i - 1] if i else -1
                states[card] = DEALT if i <= down and down else self.state(card, under)
        words = [sum((state >> k & 1) << card for card, state in states.items()) for k in range(3)]
        p = words[0], words[1], words[2]
        if len(states) < self.size or sorted(self.text(p).upper().split()) != sorted(
            s.upper().split()
        ):
            raise ValueError(f"{s!r}: no position of deal {self.deal}")
        return p

    def state(self, card: int, under: int) -> int:
        """How a card lies on another one that lies face up (-1: on none)."""
        dealt = self.below[card].bit_length() - 1
        if under == dealt >= 0 and not self.down >> under & 1:
            return DEALT
        if under < 0 and self.deepest >> card & 1:
            return DEALT
        if under < 0:
            return BOTTOM
        for k in range(1 if self.suited else 2):
            if self.host(card, k) == under:
                return FIRST + k
        raise ValueError(f"{name(card)} cannot lie on {name(under)}")

    def move_text(self, p: Position, m: int) -> str:
        if m == WAIT:
            return "wait"
        card, new = m >> 3, m & 7
        if new in (FIRST, SECOND):
            return f"{name(card)} on {name(self.host(card, new - 1))}"
        if new == DEALT:
            return f"{name(card)} on {name(self.below[card].bit_length() - 1)}"
        return f"{name(card)} {'home' if new == HOME else 'down'}"

    def picture(self, p: Position) -> str:
        free, home = self.shown(p)[0], among(p, HOME)
        columns = self.layout(p)
        tops = [4 * (up(home, suit) - 1) + suit if up(home, suit) else None for suit in range(4)]
        parts = [drawn_card(40 * suit, 0, card) for suit, card in enumerate(tops)]
        for i, column in enumerate(columns):
            parts += [drawn_card(42 * i, 66 + 20 * y, c, down=not free >> c & 1)
                      for y, c in enumerate(column)]  # fmt: skip
        parts.append(svg.note(0, 54, "home", 9, svg.FAINT))
        return svg.svg(42 * COLUMNS, 90 + 20 * max(11, *map(len, columns)), parts)

    def player_name(self, i: int) -> str:
        return "the player"
