"""Clock patience: turn up the pack by its own numbers; the game plays itself.

A pack of `ranks` ranks in `suits` suits is shuffled and dealt face down into one pile for each
rank, of `suits` cards each: with an ordinary pack the hours of a clock, and the kings in its
middle. The top card of the kings' pile is turned up, put face up under the pile of its own rank,
the top card of that pile is turned up, and so on. Play ends when the kings' pile has no card left
to turn, that is, with the last king. It is won if all cards have been turned up by then. With
`cards`, the expected number of cards turned up is asked for instead.

Check: it is won with chance 1/13, since the last card of the pack must be a king; on average
42.4 cards are turned up.

A position is one integer: first the ranks, kings lowest, a few bits each for the cards of the rank
that are still face down, then one bit that is set while a card is turned. Whatever pile is next,
its top card is equally likely to be any card that is still face down; so positions that differ by
the order of the other ranks are one, the most numerous first. Every other pile has a card to turn
when it is its turn: it has lost as many cards as cards of its rank were seen before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import sorted_down
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import Field, at, get, put, summed

MOST_BITS = 60


@dataclass(frozen=True)
class ClockPatience(Game):
    """Clock patience with a pack of `ranks` x `suits` cards."""

    ranks: int = 13
    suits: int = 4
    cards: bool = False

    players = 1
    native = True

    def __post_init__(self) -> None:
        bits = self.suits.bit_length()
        if self.ranks < 1 or self.suits < 1 or self.ranks * bits > MOST_BITS:
            raise UsageError(
                f"no clock of {self.ranks} ranks in {self.suits} suits",
                f"at least one of each; the ranks take {bits} bits each, together {MOST_BITS}",
            )

    @cached_property
    def each(self) -> Field:
        """The field of a rank: how many of its cards are face down."""
        return Field(0, self.suits.bit_length())

    @cached_property
    def turned(self) -> Field:
        """The field that is 1 while a card is being turned."""
        return Field(self.ranks * self.suits.bit_length(), 1)

    def start(self) -> int:
        return sum(at(self.each, self.suits, rank) for rank in range(self.ranks))

    def down(self, p: int, rank: int) -> int:
        """How many cards of a rank are face down; rank 0 are the kings."""
        return get(p, self.each, rank)

    def to_move(self, p: int) -> int:
        if self.down(p, 0) == 0:
            return OVER
        return CHANCE if get(p, self.turned) else 0

    def moves(self, p: int) -> Iterator[int]:
        yield 0

    def play(self, p: int, m: int) -> int:
        return put(p, self.turned, 1)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        face_down = put(p, self.turned, 0)
        for rank in range(self.ranks):
            if self.down(p, rank) > 0:
                yield self.down(p, rank), face_down - at(self.each, 1, rank)

    def reward(self, p: int, m: int) -> int:
        return 1 if self.cards else 0

    def payoff(self, p: int) -> int:
        return 1 if p == 0 and not self.cards else 0

    def stratum(self, p: int) -> int:
        return summed(p, self.each, self.ranks)

    def representative(self, p: int) -> int:
        bits = self.each[1]
        others = sorted_down(put(p, self.turned, 0) >> bits, self.ranks - 1, bits)
        kings = at(self.each, self.down(p, 0))
        return kings | (others << bits) | at(self.turned, get(p, self.turned))

    def text(self, p: int) -> str:
        others = " ".join(str(self.down(p, rank)) for rank in range(1, self.ranks))
        turning = ", turning" if get(p, self.turned) else ""
        return f"kings {self.down(p, 0)}, others {others or '-'}{turning}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*kings (\d+)\s*,\s*others ([\d ]+|-)\s*(,\s*turning)?\s*", s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        down = [int(found[1]), *(int(word) for word in found[2].split() if word != "-")]
        if len(down) != self.ranks or max(down) > self.suits or (found[3] and not down[0]):
            raise ValueError(f"{s!r}: {self.ranks} ranks of at most {self.suits} cards")
        cards = sum(at(self.each, number, rank) for rank, number in enumerate(down))
        return cards | at(self.turned, bool(found[3]))

    def move_text(self, p: int, m: int) -> str:
        return "turn"

    def picture(self, p: int) -> str:
        step, parts = 34, []
        for rank in range(self.ranks):
            number = self.down(p, rank)
            name = "" if rank else "K"
            colour = svg.COLOURS[0] if rank == 0 else svg.INK
            parts.append(svg.text(step * rank + 15, 8, name, 13, colour))
            fill = svg.SHADE if number else svg.FIELD
            parts.append(svg.box(step * rank, 20, 30, 42, fill))
            parts.append(svg.text(step * rank + 15, 41, number, 16))
        words = "face down, by rank" if self.down(p, 0) else "no king is face down: play has ended"
        parts.append(svg.note(0, 80, "a card is turned" if get(p, self.turned) else words))
        return svg.svg(max(step * self.ranks - 4, 240), 90, parts)
