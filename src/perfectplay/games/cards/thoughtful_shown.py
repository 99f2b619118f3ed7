"""How Thoughtful Klondike is written; the rules are in thoughtful.py."""

from perfectplay.games.cards.freecell_cards import (
    BOTTOM,
    DEALT,
    FIRST,
    HOME,
    SECOND,
    WAIT,
    Position,
    among,
    guest,
    host,
    name,
    number,
    up,
)
from perfectplay.rules.game import Game

ALWAYS = 15
"""Passes left where the stock can be gone through for ever."""


class ThoughtfulShown(Game):
    """Text of positions and moves."""

    size: int
    piles: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]

    def height(self, p: Position, column: int) -> int:
        """How many dealt cards are left in a column."""
        return (p[column // 3] >> (52 + 3 * (column % 3))) & 7

    def left(self, p: Position) -> int:
        """How often the waste may be turned over."""
        return (p[0] >> 61 & 3) | (p[1] >> 61 & 3) << 2

    def turned(self, p: Position) -> int:
        """How much of the stock has been turned: the last card of the waste comes before."""
        return p[2] >> 55 & 31

    def layout(self, p: Position) -> list[tuple[list[int], list[int]]]:
        """The cards of each column, face down and face up."""
        bottoms = [card for card in range(self.size) if among(p, BOTTOM) >> card & 1]
        found = []
        for column, pile in enumerate(self.piles):
            height = self.height(p, column)
            shown = [pile[height - 1]] if height else bottoms[:1]
            if not height:
                bottoms = bottoms[1:]
            while shown and shown[-1] > 3:
                above = [guest(shown[-1], k) for k in range(2)
                         if among(p, (FIRST, SECOND)[k]) >> guest(shown[-1], k) & 1]  # fmt: skip
                if not above:
                    break
                shown.append(above[0])
            found.append((list(pile[: max(0, height - 1)]), shown))
        return found

    def text(self, p: Position) -> str:
        rows = [" ".join([f"({' '.join(map(name, down))})", *map(name, shown)])
                for down, shown in self.layout(p)]  # fmt: skip
        home = " ".join(f"{'CSDH'[suit]}{up(among(p, HOME), suit)}" for suit in range(4))
        lying, at = among(p, DEALT), self.turned(p)
        inside = [[name(c) for c in cards if lying >> c & 1]
                  for cards in (self.stock[:at], self.stock[at:])]  # fmt: skip
        left = "always" if self.left(p) == ALWAYS else str(self.left(p))
        waste, stock = (" ".join(cards) or "-" for cards in inside)
        return f"{' / '.join(rows)}; home {home}; waste {waste}; stock {stock}; again {left}"

    def parse(self, s: str) -> Position:
        example = f"{s!r}: a position looks like {self.text(self.start())!r}"
        parts = s.strip().split("; ")
        if len(parts) != 5:
            raise ValueError(example)
        states = dict.fromkeys(range(self.size), HOME)
        for word in " ".join(part.partition(" ")[2] for part in parts[2:4]).split():
            if word != "-":
                states[number(word)] = DEALT
        for row in parts[0].split(" / "):
            hidden, _, shown = row.strip("( ").partition(")")
            cards = [number(word) for word in (hidden + shown).split()]
            down = len(hidden.split())
            pile = next((each for each in self.piles if cards[:1] == [*each[:1]]), ())
            for i, card in enumerate(cards):
                if i <= down and tuple(cards[: i + 1]) == pile[: i + 1]:
                    states[card] = DEALT
                elif i == 0:
                    states[card] = BOTTOM
                elif cards[i - 1] in (host(card, 0), host(card, 1)):
                    states[card] = FIRST if cards[i - 1] == host(card, 0) else SECOND
        words = self.packed(states, parts)
        if self.text(words) != s.strip():
            raise ValueError(example)
        return words

    def packed(self, states: dict[int, int], parts: list[str]) -> Position:
        """The position with cards in these states, and the waste and passes that a text has."""
        words = [0, 0, 0]
        for card, state in states.items():
            for k in range(3):
                words[k] |= (state >> k & 1) << card
        for column, pile in enumerate(self.piles):
            high = next((i for i, card in enumerate(pile) if states[card] != DEALT), len(pile))
            words[column // 3] |= high << (52 + 3 * (column % 3))
        left = parts[4].partition(" ")[2]
        passes = int(left) if left.isdigit() else ALWAYS
        waste = parts[2].split()[1:]
        if waste and waste[-1] != "-" and number(waste[-1]) in self.stock:
            words[2] |= (self.stock.index(number(waste[-1])) + 1) << 55
        return words[0] | (passes & 3) << 61, words[1] | (passes >> 2 & 3) << 61, words[2]

    def move_text(self, p: Position, m: int) -> str:
        if m == WAIT:
            return "wait"
        card, new = m >> 3, m & 7
        to = {HOME: "home", BOTTOM: "to the empty column"}.get(new)
        return f"{name(card)} {to or 'on ' + name(host(card, new - 1))}"

    def player_name(self, i: int) -> str:
        return "the player"
