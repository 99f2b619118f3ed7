"""Memory (Pelmanism, Concentration): turn up two cards; a pair is taken and earns another turn.

The cards of `pairs` pairs lie face down. The player on turn turns up one card, then another. If
they match the player takes the pair and has another turn; otherwise both are turned down again and
the other player's turn begins. Nobody ever forgets a card. The score is the surplus of pairs over
the other player. Only two numbers matter (Zwick and Paterson 1993): how many pairs lie on the
table, and of how many of them one card is known. A player may turn up

* a new card, whose partner is taken if it is known. If not, the second card is either new again,
  or an old one, from which the other player learns nothing;
* two old cards, if there are two: nothing changes but the turn (`passing`; endless play scores 0).

A pair of which both cards are known is taken at once by the player on turn. `known` is how many
cards are known when play begins.

With `planned` the player says at once what the whole turn will be, as Zwick and Paterson do: new
and then new, new and then old, or two old cards. Nothing is lost by that, since nothing is learned
between; all choices of a turn are then one move, and one chart shows them.

Check: with two pairs the first player expects to lose by 2/3 of a pair, with six pairs to win by
2/1155.

A position is one integer: ten bits for the pairs, ten for the pairs of which one card is known,
three for the stage of the turn, one for the player on turn. A card that was turned up first and
has no known partner is not among the known ones yet; nor is a pair that is about to be taken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

LARGEST = 1000
PAIRS, KNOWN, STAGE, TURN = fields(10, 10, 3, 1)
"""Pairs on the table, those of which one card is known, what happens now, whose turn it is."""
CHOOSE, FIRST, SHOWN, SECOND, MATCH, BEFORE_OLD = range(6)
"""Stages: a turn begins, a first card is turned, is seen, a second is turned, a pair is seen; a
first card is turned, and an old one will follow."""
STAGES = (
    "", "first card turns", "first card is new", "second card turns", "a pair is seen",
    "first card turns before an old one",
)  # fmt: skip
NEW, OLD, TAKE, NEW_OLD = range(4)


def packed(pairs: int, known: int, stage: int, turn: int) -> int:
    """A position."""
    return at(PAIRS, pairs) | at(KNOWN, known) | at(STAGE, stage) | at(TURN, turn)


@dataclass(frozen=True)
class Memory(Charted, Game):
    """Memory for two players who forget nothing."""

    pairs: int = 6
    known: int = 0
    passing: bool = True
    planned: bool = False

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= LARGEST:
            raise UsageError(f"no game with {self.pairs} pairs", f"use 1 to {LARGEST}")
        if not 0 <= self.known <= self.pairs:
            raise UsageError(
                f"no {self.known} known cards of {self.pairs} pairs",
                "at most one card of each pair is known: the other one would have been taken",
            )

    def start(self) -> int:
        return packed(self.pairs, self.known, CHOOSE, 0)

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        if get(p, PAIRS) == 0:
            return OVER
        stage = get(p, STAGE)
        return CHANCE if stage in (FIRST, SECOND, BEFORE_OLD) else get(p, TURN)

    def moves(self, p: int) -> Iterator[int]:
        stage, known = get(p, STAGE), get(p, KNOWN)
        if stage == MATCH:
            yield TAKE
        else:
            yield NEW
            if self.planned and known >= 1:
                yield NEW_OLD
            if known >= 1 if stage == SHOWN else known >= 2 and self.passing:
                yield OLD

    def play(self, p: int, m: int) -> int:
        pairs, known, stage, turn = get(p, PAIRS), get(p, KNOWN), get(p, STAGE), get(p, TURN)
        if m == TAKE:
            return packed(pairs - 1, known, CHOOSE, turn)
        if m == NEW_OLD:
            return packed(pairs, known, BEFORE_OLD, turn)
        if m == NEW:
            return packed(pairs, known, FIRST if stage == CHOOSE else SECOND, turn)
        return packed(pairs, known if stage == CHOOSE else known + 1, CHOOSE, 1 - turn)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        pairs, known, turn = get(p, PAIRS), get(p, KNOWN), get(p, TURN)
        stage = get(p, STAGE)
        if stage != SECOND:
            if known > 0:
                yield known, packed(pairs, known - 1, MATCH, turn)
            if pairs > known:
                new = packed(pairs, known, SECOND if self.planned else SHOWN, turn)
                if stage == BEFORE_OLD:
                    new = packed(pairs, known + 1, CHOOSE, 1 - turn)
                yield 2 * (pairs - known), new
        else:
            yield 1, packed(pairs, known, MATCH, turn)
            if known > 0:
                yield known, packed(pairs, known, MATCH, 1 - turn)
            if pairs > known + 1:
                yield 2 * (pairs - known - 1), packed(pairs, known + 2, CHOOSE, 1 - turn)

    def reward(self, p: int, m: int) -> int:
        return 1 if m == TAKE else 0

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        """How many cards nobody has seen."""
        stage = get(p, STAGE)
        seen = 2 if stage == MATCH else 1 if stage in (SHOWN, SECOND) else 0
        return 2 * get(p, PAIRS) - get(p, KNOWN) - seen

    def representative(self, p: int) -> int:
        return put(p, TURN, 0)

    def text(self, p: int) -> str:
        stage = f", {STAGES[get(p, STAGE)]}" if get(p, STAGE) else ""
        return f"{get(p, PAIRS)} pairs, {get(p, KNOWN)} known, player {get(p, TURN) + 1}{stage}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+) pairs?\s*,\s*(\d+) known\s*,\s*player ([12])\s*(?:,\s*([a-z ]+?)\s*)?"
        found = re.fullmatch(form, s)
        stage = STAGES.index(found[4] or "") if found and (found[4] or "") in STAGES else -1
        if not found or stage < 0:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        pairs, known = int(found[1]), int(found[2])
        seen = 1 if stage in (SHOWN, SECOND, MATCH) else 0
        if pairs > self.pairs or known + seen > pairs or (seen == 0 and stage and pairs == 0):
            raise ValueError(f"{s!r}: too many cards for {self.pairs} pairs")
        return packed(pairs, known, stage, int(found[3]) - 1)

    def move_text(self, p: int, m: int) -> str:
        if m == TAKE:
            return "take the pair"
        if self.planned:
            return ("new-new", "old-old", "", "new-old")[m]
        if get(p, STAGE) == CHOOSE:
            return "new card" if m == NEW else "two old cards"
        return "another new card" if m == NEW else "old card"

    def chart(self) -> Chart:
        sizes = {"pairs": range(1, self.pairs + 1), "known": range(self.pairs)}
        if self.planned:
            return Chart(sizes, lambda pairs, known: packed(pairs, known, CHOOSE, 0))
        stages = {"first": CHOOSE, "second": SHOWN}
        return Chart(
            {**sizes, "card": [*stages]},
            lambda pairs, known, card: packed(pairs, known, stages[card], 0),
        )

    def picture(self, p: int) -> str:
        pairs, known, stage = get(p, PAIRS), get(p, KNOWN), get(p, STAGE)
        shown = 2 if stage == MATCH else 1 if stage in (SHOWN, SECOND) else 0
        across = min(12, max(4, pairs))
        parts = []
        for i in range(min(2 * pairs, 240)):
            x, y = 26 * (i % across), 36 * (i // across)
            if i < shown:
                parts.append(svg.card(x, y, 22, 32, "!", svg.COLOURS[1]))
            elif i < shown + known:
                parts.append(svg.card(x, y, 22, 32, "?", svg.COLOURS[0]))
            else:
                parts.append(svg.box(x, y, 22, 32, svg.SHADE))
        y = 36 * ((min(2 * pairs, 240) + across - 1) // across) + 14
        words = STAGES[stage] or ("to move" if pairs else "all taken")
        parts.append(svg.note(0, y, f"{known} of {2 * pairs} cards known", 13, svg.FAINT))
        parts.append(svg.note(0, y + 22, f"player {get(p, TURN) + 1}: {words}"))
        return svg.svg(max(26 * across, 210), y + 34, parts)
