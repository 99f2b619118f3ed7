"""How FreeCell is written and drawn; the rules are in freecell.py."""

from collections.abc import Iterator

from perfectplay.drawing import svg
from perfectplay.games.cards.freecell_cards import (
    BOTTOM,
    CELL,
    DEALT,
    FIRST,
    HOME,
    SECOND,
    WAIT,
    Position,
    among,
    host,
    name,
    number,
    up,
)
from perfectplay.games.cards.patience import drawn_card, with_all_above
from perfectplay.rules.game import Game


class FreeCellShown(Game):
    """Text and pictures of positions and moves."""

    deal: int
    size: int
    cells: int
    columns: int
    suited: bool
    piles: tuple[tuple[int, ...], ...]

    def height(self, lying: int, column: int) -> int:
        """How many dealt cards a column has left."""
        raise NotImplementedError

    def above(self, card: int, on_first: int, on_second: int) -> int:
        """The card that was put on one."""
        raise NotImplementedError

    def host(self, card: int, k: int) -> int:
        """The first (k = 0) or second card that one may lie on; no card for kings."""
        return card + 4 if self.suited else host(card, k)

    def hosts_of(self, card: int) -> list[int]:
        """All of them."""
        return [self.host(card, k) for k in range(1 if self.suited else 2)]

    def layout(self, p: Position) -> tuple[list[list[int]], list[int], list[int]]:
        """Columns, cells, and how many cards of each suit are home."""
        lying, first, second = among(p, DEALT), among(p, FIRST), among(p, SECOND)
        columns = [list(cards[: self.height(lying, i)]) for i, cards in enumerate(self.piles)]
        bottoms = [card for card in range(self.size) if among(p, BOTTOM) >> card & 1]
        for i, column in enumerate(columns):
            cards = column or bottoms[:1]
            bottoms = bottoms if column else bottoms[1:]
            columns[i] = with_all_above(cards, lambda card: self.above(card, first, second))
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
        if len(rows) != self.columns or cells[:1] != ["CELLS"] or home[:1] != ["HOME"]:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        states = {number(word): CELL for word in cells[1:] if word != "-"}
        for word in home[1:] if home[1:] != ["-"] else []:
            card = number(word)
            states |= dict.fromkeys(range(card & 3, card + 1, 4), HOME)
        for row in rows:
            cards = [number(word) for word in row if word != "-"]
            states |= dict(zip(cards, self.states_in(cards), strict=True))
        words = [0, 0, 0]
        for card, state in states.items():
            for k in range(3):
                words[k] |= (state >> k & 1) << card
        p = words[0], words[1], words[2]
        if len(states) < self.size or self.text(p) not in self.alike(s, p):
            raise ValueError(f"{s!r}: no position of deal {self.deal}")
        return p

    def states_in(self, cards: list[int]) -> Iterator[int]:
        """The states of the cards of a column."""
        dealt = next((column for column in self.piles if cards[:1] == [*column[:1]]), ())
        for i, card in enumerate(cards):
            if tuple(cards[: i + 1]) == dealt[: i + 1]:
                yield DEALT
            elif i == 0:
                yield BOTTOM
            elif cards[i - 1] in self.hosts_of(card):
                yield FIRST if cards[i - 1] == self.host(card, 0) else SECOND
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
        held: list[int | None] = [*cells, *[None] * (self.cells - len(cells))]
        tops = [4 * (n - 1) + suit if n else None for suit, n in enumerate(home)]
        far = 40 * max(self.cells, 4) + 20
        parts = [drawn_card(40 * i, 0, card) for i, card in enumerate(held)]
        parts += [drawn_card(far + 40 * suit, 0, card) for suit, card in enumerate(tops)]
        for i, column in enumerate(columns):
            parts += [drawn_card(42 * i, 66 + 20 * y, c) for y, c in enumerate(column)]
        parts += [
            svg.note(0, 54, "cells", 9, svg.FAINT), svg.note(far, 54, "home", 9, svg.FAINT)
        ]  # fmt: skip
        wide = max(42 * self.columns - 10, far + 152)
        return svg.svg(wide, 90 + 20 * max(7, *map(len, columns)), parts)

    def move_text(self, p: Position, m: int) -> str:
        if m == WAIT:
            return "wait"
        card, new = m >> 3, m & 7
        if new == DEALT:
            column = next(cards for cards in self.piles if card in cards)
            at = column.index(card)
            return f"{name(card)} on {name(column[at - 1])}" if at else f"{name(card)} down"
        to = (" on " + name(self.host(card, new - 1))) if new in (FIRST, SECOND) else (
            {CELL: " to a cell", BOTTOM: " down", HOME: " home"}[new]
        )  # fmt: skip
        return name(card) + to

    def player_name(self, i: int) -> str:
        return "the player"
