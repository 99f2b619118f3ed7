"""Two games that are noughts and crosses in disguise, written as they are played.

*Fifteen*: players take turns to take one of the numbers 1 to 9; the first to hold three numbers
whose sum is 15 wins. *Spit not so*: nine cards are labelled SPIT, NOT, SO, FAT, FOP, AS, IF, IN,
PAN; players take turns to take a card; the first to hold three cards whose words share a letter
wins. If all are taken and nobody has won, it is a draw.

Check: both are draws and have 5478 positions, as noughts and crosses has.

A position is two masks of nine bits: what the player to move holds, and above it what the other
holds.
"""

from dataclasses import dataclass
from typing import Any

from perfectplay.drawing import svg
from perfectplay.games.lines.lines import LineGame

WORDS = ("SPIT", "NOT", "SO", "FAT", "FOP", "AS", "IF", "IN", "PAN")
LETTERS = "".join(sorted(set("".join(WORDS))))
SPELLED = tuple(sum(1 << LETTERS.index(letter) for letter in word) for word in WORDS)
"""For each card, the letters of its word as bits."""
ALPHABET = len(LETTERS)


class Picking(LineGame):
    """Take one of nine cards in turn until somebody holds three that fit together."""

    native = True

    def cells(self) -> int:
        return 9

    def label(self, card: int) -> str:
        """What is written on a card."""
        raise NotImplementedError

    def hands(self, p: int) -> tuple[list[str], list[str]]:
        """The labels that the first and the second player hold, whoever is to move."""
        first, second = self.first_and_second(p)
        mine = [self.label(c) for c in range(9) if first >> c & 1]
        return mine, [self.label(c) for c in range(9) if second >> c & 1]

    def text(self, p: int) -> str:
        return " | ".join(" ".join(hand) or "-" for hand in self.hands(p))

    def parse(self, s: str) -> Any:
        labels = [self.label(c) for c in range(9)]
        hands = [hand.upper().replace("-", " ").split() for hand in s.split("|")]
        cards = [card for hand in hands for card in hand]
        if len(hands) != 2 or set(cards) - set(labels) or len(set(cards)) != len(cards):
            raise ValueError(
                f"{s!r}: a position looks like '{labels[0]} {labels[1]} | {labels[2]}'"
            )
        first, second = (sum(1 << labels.index(card) for card in hand) for hand in hands)
        return self.joined(first, second)

    def move_text(self, p: int, m: int) -> str:
        return self.label(m)

    def picture(self, p: int) -> str:
        hands = self.hands(p)
        rows = ("first", hands[0]), ("free", None), ("second", hands[1])
        parts = []
        for y, (name, hand) in enumerate(rows):
            parts.append(svg.note(0, 44 * y + 18, name, 13, svg.FAINT))
            colour = svg.INK if hand is None else svg.COLOURS[y // 2]
            for c in range(9):
                label = self.label(c)
                taken = label in hands[0] or label in hands[1]
                if (not taken) if hand is None else label in hand:
                    parts.append(svg.card(56 + 46 * c, 44 * y, 42, 36, label, colour))
        return svg.svg(56 + 46 * 9, 44 * 3 - 8, parts)


@dataclass(frozen=True)
class Fifteen(Picking):
    """Take numbers from 1 to 9; three numbers with the sum 15 win."""

    def lined(self, marks: int) -> bool:
        for a in range(1, 10):
            for b in range(a + 1, 10):
                c = 15 - a - b
                if b < c < 10 and (marks >> (a - 1)) & (marks >> (b - 1)) & (marks >> (c - 1)) & 1:
                    return True
        return False

    def label(self, card: int) -> str:
        return str(card + 1)


@dataclass(frozen=True)
class SpitNotSo(Picking):
    """Take cards with words; three words that share a letter win."""

    def lined(self, marks: int) -> bool:
        for letter in range(ALPHABET):
            cards = 0
            for card in range(9):
                cards += (marks >> card) & (SPELLED[card] >> letter) & 1
            if cards >= 3:
                return True
        return False

    def label(self, card: int) -> str:
        return WORDS[card]
