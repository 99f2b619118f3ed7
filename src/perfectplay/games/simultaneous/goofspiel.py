"""Goofspiel, the game of pure strategy: bid cards for prizes, both at once.

Each player holds the cards 1 to `cards`; a third set is the prizes. In every round one prize is
turned up, and both players bid a card for it, face down, then show them. The higher card wins the
prize, worth as many points as it shows; both bids are gone. After the last round the points
decide.

`order`: prizes come in "random" order, or from the lowest "up" or the highest "down". `ties`: a
prize for which both bid the same is a "discard", or they "carry" it over: the next round is for it
as well (nobody gets what is left after the last). `aim`: "points", by how many more points one
has, or to "win", by however few.

Check: hands are equal, so the start is worth 0. With three cards and the prizes in the order 3, 2,
1, both bid the 3 first. Who bids the 1 for it, against a 3, loses 3 points, but has 2 and 3 left
against 1 and 2, which is worth 7/3.

A position is (hand, other hand, prizes to come, prize turned up, points carried, lead): the cards
as tuples, 0 if no prize is turned up. Leads are counted only if the aim is to win.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import SimultaneousMoves
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game

Cards = tuple[int, ...]
Position = tuple[Cards, Cards, Cards, int, int, int]

_RULES = {
    "order": ("random", "up", "down"),
    "ties": ("discard", "carry"),
    "aim": ("points", "win"),
}
_CARD, _ROW = 44, 84
"""From one card to the next on the picture, and from one row to the next."""
_TEXT = re.compile(r"(.*)/(.*)/([^/]*?)(?: for (\d+))?(?: and (\d+) carried)?(?:, lead (-?\d+))?")


def without(cards: Cards, card: int) -> Cards:
    """The cards but for one."""
    return tuple(each for each in cards if each != card)


@dataclass(frozen=True)
class Goofspiel(SimultaneousMoves, Game):
    """Goofspiel with cards from 1 to `cards`."""

    cards: int = 4
    order: str = "random"
    ties: str = "discard"
    aim: str = "points"

    def __post_init__(self) -> None:
        if not 1 <= self.cards <= 13:
            raise UsageError(f"no Goofspiel with {self.cards} cards", "use 1 to 13")
        for name, known in _RULES.items():
            if getattr(self, name) not in known:
                hint = f"known: {', '.join(known)}"
                raise UsageError(f"{name} {getattr(self, name)!r} is unknown", hint)

    def start(self) -> Position:
        hand = tuple(range(1, self.cards + 1))
        return self.turned((hand, hand, hand, 0, 0, 0))

    def turned(self, p: Position) -> Position:
        """The position with the next prize turned up, unless that is left to chance."""
        mine, theirs, prizes, _, carried, lead = p
        if self.order == "random" or not prizes:
            return mine, theirs, prizes, 0, carried if prizes else 0, lead
        shown = min(prizes) if self.order == "up" else max(prizes)
        return mine, theirs, without(prizes, shown), shown, carried, lead

    def to_move(self, p: Position) -> int:
        if p[3]:
            return SIMULTANEOUS
        return CHANCE if p[2] else OVER

    def choices(self, p: Position, player: int) -> Cards:
        return p[1] if player else p[0]

    def play(self, p: Position, m: tuple[int, int]) -> Position:
        mine, theirs, prizes, shown, carried, lead = p
        carried = shown + carried if m[0] == m[1] and self.ties == "carry" else 0
        lead += self.won(p, m) if self.aim == "win" else 0
        return self.turned((without(mine, m[0]), without(theirs, m[1]), prizes, 0, carried, lead))

    def won(self, p: Position, m: tuple[int, int]) -> int:
        """How many points player 0 wins by two bids, more than player 1."""
        stake = p[3] + p[4]
        return stake if m[0] > m[1] else -stake if m[0] < m[1] else 0

    def chances(self, p: Position) -> Iterator[tuple[int, Position]]:
        mine, theirs, prizes, _, carried, lead = p
        for shown in prizes:
            yield 1, (mine, theirs, without(prizes, shown), shown, carried, lead)

    def reward(self, p: Position, m: tuple[int, int]) -> int:
        return self.won(p, m) if self.aim == "points" else 0

    def payoff(self, p: Position) -> int:
        return (p[5] > 0) - (p[5] < 0)

    def stratum(self, p: Position) -> int:
        return 2 * len(p[0]) + (p[3] == 0)

    def text(self, p: Position) -> str:
        hands = " / ".join(" ".join(map(str, cards)) or "-" for cards in p[:3])
        stake = f" for {p[3]}" if p[3] else ""
        carried = f" and {p[4]} carried" if p[4] else ""
        return f"{hands}{stake}{carried}" + (f", lead {p[5]}" if self.aim == "win" else "")

    def picture(self, p: Position) -> str:
        mine, theirs, prizes, shown, carried, lead = p
        first, second = svg.COLOURS[:2]
        parts = [*self._row(0, self.player_name(0), mine, first)]
        parts += self._row(1, "prizes to come", prizes, svg.FAINT)
        parts += self._row(2, self.player_name(1), theirs, second)
        said = [f"for {shown}"] if shown else []
        said += [f"{carried} carried"] if carried else []
        said += [f"lead {lead}"] if self.aim == "win" else []
        parts.append(svg.note(0, 3 * _ROW + 4, ", ".join(said), 18))
        return svg.svg(max(_CARD * self.cards, 160), 3 * _ROW + 14, parts)

    def _row(self, row: int, name: str, cards: Cards, colour: str) -> Iterator[str]:
        """Cards side by side, each where it is in a full hand."""
        yield svg.note(0, _ROW * row + 6, name, 13, colour)
        for each in cards:
            x, y = _CARD * (each - 1), _ROW * row + 18
            yield svg.card(x, y, _CARD - 6, _ROW - 32, each, colour)

    def parse(self, s: str) -> Position:
        found = _TEXT.fullmatch(s.strip())
        if found is None:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        mine, theirs, prizes = (
            () if cards.strip() == "-" else tuple(map(int, cards.split()))
            for cards in found.groups()[:3]
        )
        shown, carried, lead = (int(number or 0) for number in found.groups()[3:])
        return mine, theirs, prizes, shown, carried, lead
