"""FreeCell: bring all cards home, suit by suit from the ace up.

Cards lie open in eight columns. One card is moved at a time: the last card of a column, or one
from a cell, goes home if it is the next of its suit, onto a column whose last card is the next
higher one of the other colour, into an empty column, or, from a column, into a free cell. Who is
stuck waits for ever. `deal` is the number of a deal as Microsoft's program numbers them; wanted is
the least number of moves, each of one card, or any way (`search --any`). A pack of less than
13 `ranks` is dealt in the same way.

Check: of deals 1 to 32,000 with four cells all but number 11,982 can be won.

A position says of each card what it lies on, so that the order of columns and cells makes no
difference. Bit c of word j is bit j of the state of card c (4 * rank + suit; clubs and spades are
suits 0 and 1, diamonds and hearts 2 and 3):

    0 where it was dealt               3 in a cell
    1 on its first host, of which      4 at the bottom of a column that was emptied
      the suit is 2 more or less       5 home
    2 on its second host

Bits 52 to 60 say how many dealt cards are left in columns 0 to 2 (word 0), 3 to 5 and 6 to 7.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.cards.freecell_cards import (
    BOTTOM,
    CELL,
    DEALT,
    FIRST,
    HOME,
    MICROSOFT,
    SECOND,
    WAIT,
    Position,
    among,
    guest,
    guests,
    host,
    hosts,
    lowest_bit,
    name,
    next_home,
    number,
    up,
)
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.search_capabilities import ForcedMoves, NumberedDeals, SearchGuides

WEIGHTS = ((6, 10, 6, 12, 3, 0), (8, 14, 4, 8, 1, 1), (4, 8, 12, 8, 2, 1), (2, 5, 6, 7, 2, 0),
           (4, 8, 8, 8, 2, 0))  # fmt: skip
"""Ways to guess: what counts a card that is not home, one above a lower one in its column, one in
a cell, a column in use, a card above one that goes home next, and above one that goes after it."""


@dataclass(frozen=True)
class FreeCell(NumberedDeals, ForcedMoves, SearchGuides, Game):
    """Deal number `deal` with so many cells."""

    deal: int = 1
    cells: int = 4
    ranks: int = 13

    players = 1
    minimise = True
    native = True
    deal_parameter = "deal"
    guess_kinds = len(WEIGHTS)

    def __post_init__(self) -> None:
        numbers = (self.deal, 1, 2**31 - 1), (self.cells, 0, 6), (self.ranks, 1, 13)
        if not all(low <= number <= high for number, low, high in numbers):
            raise UsageError(
                f"no deal {self.deal} with {self.cells} cells and {self.ranks} ranks",
                "deals have numbers from 1 to 2147483647; there are 0 to 6 cells, 1 to 13 ranks",
            )

    # -- The deal. ---

    @cached_property
    def size(self) -> int:
        """How many cards there are."""
        return 4 * self.ranks

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The cards of each column, the first dealt first."""
        state, deck, cards = self.deal, list(range(self.size)), []
        for left in range(self.size, 0, -1):
            state = (state * 214013 + 2531011) % 2**32
            at = (state >> 16 & 0x7FFF) % left
            cards.append(deck[at] // 4 * 4 + MICROSOFT[deck[at] % 4])
            deck[at] = deck[left - 1]
        return tuple(tuple(cards[column::8]) for column in range(8))

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """The same, six bits a card."""
        return tuple(sum(c << (6 * i) for i, c in enumerate(cards)) for cards in self.columns)

    @cached_property
    def lowest(self) -> tuple[int, ...]:
        """The lowest rank among the first cards of each column, four bits for each number."""
        return tuple(
            sum(min(cards[: i + 1]) // 4 << (4 * i) for i in range(len(cards)))
            for cards in self.columns
        )

    @cached_property
    def column_of(self) -> tuple[int, ...]:
        """The column of each card, three bits each, twenty cards to a word."""
        found = [0, 0, 0]
        for column, cards in enumerate(self.columns):
            for card in cards:
                found[card // 20] |= column << (3 * (card % 20))
        return tuple(found)

    @cached_property
    def natural(self) -> tuple[int, ...]:
        """Cards dealt on their first host, and on their second."""
        found = [0, 0]
        for cards in self.columns:
            for below, card in pairwise(cards):
                for k in range(2):
                    found[k] |= int(below == host(card, k)) << card
        return tuple(found)

    @cached_property
    def deepest(self) -> int:
        """The first cards of all columns."""
        return sum(1 << cards[0] for cards in self.columns if cards)

    @cached_property
    def blocking(self) -> int:
        """Cards dealt onto a lower one, directly or not."""
        return sum(
            1 << card
            for cards in self.columns
            for i, card in enumerate(cards)
            if min(cards[: i + 1]) // 4 < card // 4
        )

    def start(self) -> Position:
        words = [0, 0, 0]
        for column, cards in enumerate(self.columns):
            words[column // 3] |= len(cards) << (52 + 3 * (column % 3))
        return (words[0], words[1], words[2])

    # -- Rules. ---

    def height(self, p: Position, column: int) -> int:
        """How many dealt cards a column has left."""
        return (p[column // 3] >> (52 + 3 * (column % 3))) & 7

    def ends(self, p: Position) -> tuple[int, int]:
        """The last cards of the columns, and how many columns are in use."""
        on_first, on_second, bottom = among(p, FIRST), among(p, SECOND), among(p, BOTTOM)
        last, used = on_first | on_second | bottom, count(bottom)
        for column in range(8):
            height = self.height(p, column)
            if height:
                last |= 1 << (self.dealt[column] >> (6 * (height - 1)) & 63)
                used += 1
        return last & ~(hosts(on_first, 0) | hosts(on_second, 1)), used

    def to_move(self, p: Position) -> int:
        return OVER if count(among(p, HOME)) == self.size else 0

    def moves(self, p: Position) -> Iterator[int]:
        # A move is 8 * card + its new state.
        last, used = self.ends(p)
        in_cells, lying, home = among(p, CELL), among(p, DEALT), among(p, HOME)
        free = last | in_cells
        stuck = True
        for kind in range(5):
            if kind == 0:
                new, there, cards = HOME, 0, free & next_home(home)
            elif kind < 3:
                new, there = kind, self.natural[kind - 1] & guests(lying, kind - 1)
                cards = free & guests(last, kind - 1)
            elif kind == 3:  # a card that is alone in its column stays there
                new, there = BOTTOM, self.deepest
                cards = free & ~among(p, BOTTOM) & ~(lying & self.deepest) if used < 8 else 0
            else:
                new, there, cards = CELL, 0, last if count(in_cells) < self.cells else 0
            while cards:
                card = lowest_bit(cards)
                yield 8 * card + (DEALT if there >> card & 1 else new)
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
        change = old ^ new
        a, b, c = (
            a ^ (change & 1) << card,
            b ^ (change >> 1 & 1) << card,
            c ^ (change >> 2) << card,
        )
        if DEALT in (old, new):
            column = self.column_of[card // 20] >> (3 * (card % 20)) & 7
            step = (-1 if old == DEALT else 1) << (52 + 3 * (column % 3))
            if column < 3:
                a += step
            elif column < 6:
                b += step
            else:
                c += step
        return a, b, c

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
        # home itself, if the other suit of its colour is home but for two ranks.
        home = among(p, HOME)
        cards = next_home(home)
        if cards:
            cards &= self.ends(p)[0] | among(p, CELL)
        while cards:
            card = lowest_bit(cards)
            rank, suit = card >> 2, card & 3
            other = 2 - (suit & 2)
            across, beside = min(up(home, other), up(home, other + 1)), up(home, suit ^ 1)
            if across >= rank or (across >= rank - 1 and beside >= rank - 2):
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
        for column in range(8):
            height = self.height(p, column)
            if height == 0:
                continue
            used += 1
            cards, chain = self.dealt[column], 0
            low = self.lowest[column] >> (4 * (height - 1)) & 15
            card = cards >> (6 * (height - 1)) & 63
            while card > 3:  # the cards put on the dealt ones
                if on_first >> guest(card, 0) & 1:
                    card = guest(card, 0)
                elif on_second >> guest(card, 1) & 1:
                    card = guest(card, 1)
                else:
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

    # -- Text at the edges. ---

    def layout(self, p: Position) -> tuple[list[list[int]], list[int], list[int]]:
        """Columns, cells, and how many cards of each suit are home."""
        columns = [
            list(cards[: self.height(p, column)]) for column, cards in enumerate(self.columns)
        ]
        bottoms = [card for card in range(self.size) if among(p, BOTTOM) >> card & 1]
        for column in columns:
            if not column and bottoms:
                column.append(bottoms.pop(0))
            while column and column[-1] > 3:
                above = [guest(column[-1], k) for k in range(2)
                         if among(p, (FIRST, SECOND)[k]) >> guest(column[-1], k) & 1]  # fmt: skip
                if not above:
                    break
                column.append(above[0])
        cells = [card for card in range(self.size) if among(p, CELL) >> card & 1]
        return columns, cells, [up(among(p, HOME), suit) for suit in range(4)]

    def text(self, p: Position) -> str:
        columns, cells, home = self.layout(p)
        rows = [" ".join(map(name, column)) or "-" for column in columns]
        done = [name(4 * (n - 1) + suit) for suit, n in enumerate(home) if n]
        rows += [f"cells {' '.join(map(name, cells)) or '-'}", f"home {' '.join(done) or '-'}"]
        return " / ".join(rows)

    def parse(self, s: str) -> Position:
        *rows, cells, home = [part.split() for part in s.upper().split("/")]
        if len(rows) != 8 or cells[:1] != ["CELLS"] or home[:1] != ["HOME"]:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        states = {number(word): CELL for word in cells[1:] if word != "-"}
        for word in home[1:] if home[1:] != ["-"] else []:
            card = number(word)
            states |= dict.fromkeys(range(card & 3, card + 1, 4), HOME)
        for row in rows:
            cards = [number(word) for word in row if word != "-"]
            states |= dict(zip(cards, self.states_in(cards), strict=True))
        p = self.start()
        for card, state in states.items():
            if state != DEALT:
                p = self.play(p, 8 * card + state)
        if len(states) < self.size or self.text(p) not in self.alike(s, p):
            raise ValueError(f"{s!r}: no position of deal {self.deal}")
        return p

    def states_in(self, cards: list[int]) -> Iterator[int]:
        """The states of the cards of a column."""
        dealt = next((column for column in self.columns if cards[:1] == [*column[:1]]), ())
        for i, card in enumerate(cards):
            if tuple(cards[: i + 1]) == dealt[: i + 1]:
                yield DEALT
            elif i == 0:
                yield BOTTOM
            elif cards[i - 1] in (host(card, 0), host(card, 1)):
                yield FIRST if cards[i - 1] == host(card, 0) else SECOND
            else:
                raise ValueError(f"{name(card)} cannot lie on {name(cards[i - 1])}")

    def alike(self, s: str, p: Position) -> tuple[str, ...]:
        """The text of `p`, if `s` has the same columns, cells and cards at home in any order."""
        shown = self.text(p)
        same = sorted(map(sorted, map(str.split, s.upper().split("/")))) == sorted(
            map(sorted, map(str.split, shown.upper().split("/")))
        )
        return (shown,) if same else ()

    def picture(self, p: Position) -> str:
        columns, cells, home = self.layout(p)
        parts = [_card(40 * i, 0, name(c)) for i, c in enumerate(cells)]
        parts += [svg.box(40 * i, 0, 32, 44) for i in range(len(cells), self.cells)]
        for suit, cards_home in enumerate(home):
            top = name(4 * (cards_home - 1) + suit) if cards_home else ""
            parts.append(_card(180 + 40 * suit, 0, top))
        for i, column in enumerate(columns):
            parts += [_card(42 * i, 66 + 20 * y, name(c)) for y, c in enumerate(column)]
        parts += [
            svg.note(0, 54, "cells", 9, svg.FAINT), svg.note(180, 54, "home", 9, svg.FAINT)
        ]  # fmt: skip
        return svg.svg(334, 90 + 20 * max(7, *map(len, columns)), parts)

    def move_text(self, p: Position, m: int) -> str:
        if m == WAIT:
            return "wait"
        card, new = m >> 3, m & 7
        if new == DEALT:
            column = next(cards for cards in self.columns if card in cards)
            at = column.index(card)
            return f"{name(card)} on {name(column[at - 1])}" if at else f"{name(card)} down"
        to = (" on " + name(host(card, new - 1))) if new in (FIRST, SECOND) else (
            {CELL: " to a cell", BOTTOM: " down", HOME: " home"}[new]
        )  # fmt: skip
        return name(card) + to

    def player_name(self, i: int) -> str:
        return "the player"


def _card(x: float, y: float, label: str) -> str:
    """A card in a drawing, or the place of one."""
    red = label[-1:] in ("D", "H")
    body = svg.box(x, y, 32, 44, svg.FIELD if label else svg.SHADE)
    return body + svg.note(x + 3, y + 10, label, 13, svg.COLOURS[5] if red else svg.INK)
