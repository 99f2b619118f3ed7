"""Coins: toss a coin in turn; heads win, tails pass the coin on.

The smallest game on a cycle for several players, Figure 1 of Glenn, Fang and Kruskal (2009): "the
last stage of a game of three-player Can't Stop". `heads` and `tails` are the weights of the coin.
After so many `rounds` without heads player 1 is said to have won (0: never): these are the
iterates of value iteration that begins with that.

Check: three players win with probabilities 4/7, 2/7 and 1/7 when the first has the coin; after one
round at most with 5/8, 1/4 and 1/8.

A position is one integer: two bits for the player who has the coin, two for what it shows (0: it
is to be tossed, 1: tails, 2: heads), sixteen for the rounds that have begun, if they count. No two
of them are one, though the players could be renamed: so the cycle is as long as in the paper, and
value iteration goes once round it in a round.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get

TURN, SHOWN, ROUND = fields(2, 2, 16)
MOST = 10_000
TOSS, TAILS, HEADS = range(3)
WORDS = ("to toss", "tails", "heads")


@dataclass(frozen=True)
class Coins(Game):
    """A coin that goes round."""

    players: int = 3
    heads: int = 1
    tails: int = 1
    rounds: int = 0

    native = True

    def __post_init__(self) -> None:
        if not 2 <= self.players <= 4:
            raise UsageError(f"no game for {self.players} players", "use 2 to 4")
        if self.heads < 1 or self.tails < 1:
            raise UsageError(
                f"no coin with weights {self.heads} and {self.tails}", "both sides must come up"
            )

        if not 0 <= self.rounds <= MOST:
            raise UsageError(f"no game of {self.rounds} rounds", f"use 1 to {MOST}, or 0: no end")

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What each player gets, by winner."""
        return winner_takes_all(self.players)

    def start(self) -> int:
        return 0

    def to_move(self, p: int) -> int:
        shown = get(p, SHOWN)
        if shown == HEADS:
            return OVER
        return CHANCE if shown == TOSS else get(p, TURN)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        yield self.heads, p | at(SHOWN, HEADS)
        yield self.tails, p | at(SHOWN, TAILS)

    def moves(self, p: int) -> Iterator[int]:
        yield 0

    def play(self, p: int, m: int) -> int:
        turn = (get(p, TURN) + 1) % self.players
        begun = get(p, ROUND) + (1 if self.rounds and turn == 0 else 0)
        over = HEADS if self.rounds and begun == self.rounds else TOSS
        return at(TURN, turn) | at(ROUND, begun) | at(SHOWN, over)

    def stratum(self, p: int) -> int:
        return self.rounds - get(p, ROUND)

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[get(p, TURN)]

    def text(self, p: int) -> str:
        begun = f", round {get(p, ROUND) + 1}" if self.rounds else ""
        return f"player {get(p, TURN) + 1}, {WORDS[get(p, SHOWN)]}{begun}"

    def parse(self, s: str) -> int:
        form = r"\s*player (\d),\s*(to toss|tails|heads)(?:,\s*round (\d+))?\s*"
        found = re.fullmatch(form, s)
        begun = int(found[3] or 1) - 1 if found else 0
        if not found or not 1 <= int(found[1]) <= self.players or not 0 <= begun <= self.rounds:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return at(TURN, int(found[1]) - 1) | at(SHOWN, WORDS.index(found[2])) | at(ROUND, begun)

    def move_text(self, p: int, m: int) -> str:
        return "pass the coin on"

    def picture(self, p: int) -> str:
        parts = []
        for player in range(self.players):
            has = player == get(p, TURN)
            parts.append(svg.circle(24 + 60 * player, 24, 20, svg.COLOURS[player], svg.INK))
            parts.append(svg.text(24 + 60 * player, 24, player + 1, 15))
            if has:
                parts.append(svg.note(6 + 60 * player, 62, WORDS[get(p, SHOWN)]))
        return svg.svg(60 * self.players + 20, 72, parts)
