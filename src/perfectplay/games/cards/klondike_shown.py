"""How cards and positions of Klondike are written and drawn."""

import re

from perfectplay.drawing import svg
from perfectplay.rules.game import Game

Cards = tuple[int, ...]
Column = tuple[Cards, Cards]
Position = tuple[tuple[Column, ...], Cards, Cards, Cards, int]
Move = tuple[str, int, int, int]
"""What is done, then (by kind) a column and how many of its cards, and the column it leads to."""

RANKS = "A23456789TJQK"
SUITS = "SHCD"
UNKNOWN = -1


class KlondikeShown(Game):
    """Text and pictures; the rules are in klondike.py."""

    suits: int
    ranks: int
    columns: int

    def pack(self) -> list[int]:
        """All cards."""
        return [13 * suit + rank for suit in range(self.suits) for rank in range(self.ranks)]

    def text(self, p: Position) -> str:
        columns, built, stock, waste, redeals = p
        shown = " / ".join(f"({words(down)}) {words(up)}".strip() for down, up in columns)
        heaps = " ".join(SUITS[suit] + str(number) for suit, number in enumerate(built))
        ends = f"stock {words(stock)}; waste {words(waste)}; redeals {redeals}"
        return re.sub(" +;", ";", f"{shown or 'to be dealt'}; {heaps}; {ends}")

    def parse(self, s: str) -> Position:
        pattern = r"\s*(.+); ([SHCD\d ]+); stock(.*); waste(.*); redeals (-?\d+)\s*"
        found = re.fullmatch(pattern, s)
        example = f"{s!r}: a position looks like {self.text(self.start())!r}"
        if not found:
            raise ValueError(example)
        columns: list[Column] = []
        for word in found[1].split("/") if found[1] != "to be dealt" else []:
            parts = re.fullmatch(r"\s*\((.*)\)(.*)", word)
            if not parts:
                raise ValueError(example)
            columns.append((cards_of(parts[1]), cards_of(parts[2])))
        built = tuple(int(word[1:] or -1) for word in found[2].split())
        p = (tuple(columns), built, cards_of(found[3]), cards_of(found[4]), int(found[5]))
        if len(built) != self.suits or self.text(p) != s.strip() or not self.complete(p):
            raise ValueError(example)
        return p

    def complete(self, p: Position) -> bool:
        """Whether the position has every card once, known or not."""
        columns, built, stock, waste, _ = p
        cards = [*stock, *waste, *(c for pair in columns for part in pair for c in part)]
        shown = [c for c in cards if c >= 0]
        free = {c for c in self.pack() if c % 13 >= built[c // 13]}
        whole = len(cards) == len(free) and len(columns) == self.columns
        start = not columns and not cards and sum(built) == 0
        return len(set(shown)) == len(shown) and set(shown) <= free and (whole or start)

    def move_text(self, p: Position, m: Move) -> str:
        columns, built, _, waste, _ = p
        kind, source, number, to = m
        if kind in ("turn", "redeal"):
            return kind
        if kind == "back":
            card = 13 * source + built[source] - 1
        else:
            card = waste[-1] if source < 0 else columns[source][1][-number]
        if kind == "up":
            return f"{name(card)} up"
        on = columns[to][1]
        return f"{name(card)} on {name(on[-1])}" if on else f"{name(card)} to the empty column"

    def picture(self, p: Position) -> str:
        columns, built, stock, waste, redeals = p
        parts = []
        for suit, number in enumerate(built):
            top = name(13 * suit + number - 1) if number else SUITS[suit]
            parts.append(card(40 * suit, 0, top, bool(number)))
        for y, (label, cards) in enumerate((("stock", stock), ("waste", waste))):
            parts.append(svg.note(0, 70 + 50 * y, label, 12, svg.FAINT))
            parts += [card(44 + 36 * i, 52 + 50 * y, name(c), c >= 0) for i, c in enumerate(cards)]
        for i, (down, up) in enumerate(columns):
            for y, each in enumerate((*down, *up)):
                parts.append(card(40 * i, 160 + 22 * y, name(each), y >= len(down) and each >= 0))
        high = max((len(down) + len(up) for down, up in columns), default=0)
        wide = max(40 * len(columns), 44 + 36 * max(len(stock), len(waste)), 200)
        parts.append(svg.note(0, 220 + 22 * high, f"redeals {redeals}", 12, svg.FAINT))
        return svg.svg(wide, 230 + 22 * high, parts)


def name(card: int) -> str:
    """A card by rank and suit, as in TH."""
    return RANKS[card % 13] + SUITS[card // 13] if card >= 0 else "??"


def card_of(word: str) -> int:
    """The card of that name, -1 if it is unknown or none."""
    found = re.fullmatch(f"([{RANKS}])([{SUITS}])", word.upper())
    return 13 * SUITS.index(found[2]) + RANKS.index(found[1]) if found else UNKNOWN


def words(cards: Cards) -> str:
    """Cards by name."""
    return " ".join(map(name, cards))


def cards_of(text: str) -> Cards:
    """The cards of these names."""
    return tuple(card_of(word) for word in text.split())


def card(x: float, y: float, label: str, up: bool) -> str:  # noqa: FBT001
    """A card in a drawing; face-down ones are shaded."""
    red = label[-1] in "HD"
    shown = svg.card(x, y, 32, 44, label, svg.COLOURS[5] if red else svg.INK)
    if not up:
        shown = svg.box(x, y, 32, 44, svg.SHADE) + svg.text(x + 16, y + 22, label, 12, svg.FAINT)
    return shown
