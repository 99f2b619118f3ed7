"""Flip: turn down markers whose sum is the roll of two dice, until all are down.

Markers 1 to `markers` show their numbers. The player rolls two dice and must turn down one or more
markers with that sum. All down wins; a roll that no markers match loses. Trick's variants: the
player is allowed a `quota` of failing rolls, and may even claim a failure when the roll can be
matched (`passing`). *Flip-Flop*: markers may be turned both ways, any mix with the sum of the roll
(`mixed`; otherwise all down or all up), and the player wants to have all down after as few rolls
as possible. They must change something if they can, unless `idle` allows them to wait. *Flip for
two*, which Trick only suggests: the players roll in turn for the same markers. Who turns the last
one down wins; who cannot match their roll loses, or, with `skip`, loses only the turn.

Check: Flip is won with probability 275901419419/76169967501312, 1 in 276. Flip-Flop takes
48.346813498090 rolls on average. In Flip for two the first player wins with
probability 0.5096, with markers 1 and 2 with 1/12: by a 3, or by a 2, after which nobody can roll
the 1.

A position is one integer: twelve bits for the markers that are up (marker 1 lowest), four for the
sum of the dice (0: they are to be rolled), then the failures still allowed; for two, then, whose
turn it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

SUMS = [sum(i + 1 for i in range(12) if chosen >> i & 1) for chosen in range(1 << 12)]
CHOICES = np.array([c for total in range(2, 13) for c in range(1, 1 << 12) if SUMS[c] == total])
"""All sets of markers with a sum from 2 to 12, by sum."""
FIRST = np.array([0, 0, *np.cumsum([sum(s == total for s in SUMS) for total in range(2, 13)])])
"""The sets with sum t are CHOICES[FIRST[t - 1] : FIRST[t]]."""
UP, ROLLED, QUOTA, TURN = fields(12, 4, 10, 1)
"""Markers that are up, the sum of the dice (0: they are to be rolled), failures allowed, and, for
two, whose turn it is."""
FAILURE = 0
"""The move that turns no marker."""


@dataclass(frozen=True)
class Markers(Charted, Game):
    """A row of markers and two dice. Subclasses say what a roll allows."""

    markers: int = 12

    players = 1
    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.markers <= 12:
            raise UsageError(
                f"no row of {self.markers} markers", "two dice can reach markers 1 to 12"
            )

    def to_move(self, p: int) -> int:
        if get(p, UP) == 0:
            return OVER
        return CHANCE if get(p, ROLLED) == 0 else 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for total in range(2, 13):
            yield 6 - abs(total - 7), put(p, ROLLED, total)

    def moves(self, p: int) -> Iterator[int]:
        matches = 0
        for i in range(FIRST[get(p, ROLLED) - 1], FIRST[get(p, ROLLED)]):
            if self.turns(p, int(CHOICES[i])):
                matches += 1
                yield int(CHOICES[i])
        if self.fails(p, matches):
            yield FAILURE

    def turns(self, p: int, chosen: int) -> bool:
        """Whether these markers may be turned: all of them are up."""
        return chosen & ~get(p, UP) == 0

    def fails(self, p: int, matches: int) -> bool:
        """Whether one may turn none, where the roll is matched in so many ways."""
        raise NotImplementedError

    def play(self, p: int, m: int) -> int:
        return put(p, ROLLED, 0) ^ m

    def words(self, p: int) -> str:
        """The markers that are up, by number."""
        return " ".join(str(i + 1) for i in range(12) if p >> i & 1) or "-"

    def text(self, p: int) -> str:
        rolled = f", roll {get(p, ROLLED)}" if get(p, ROLLED) else ""
        quota = f", quota {get(p, QUOTA)}" if get(p, QUOTA) else ""
        return self.words(p) + rolled + quota

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*([\d ]+|-)\s*(?:,\s*roll (\d+))?(?:,\s*quota (\d+))?\s*", s)
        up = [int(word) for word in found[1].split() if word != "-"] if found else [0]
        roll, quota = (int(found[2] or 0), int(found[3] or 0)) if found else (0, 0)
        known = set(up) <= set(range(1, self.markers + 1)) and len(set(up)) == len(up)
        if not known or roll == 1 or roll > 12 or quota > get(self.start(), QUOTA):
            example = self.text(self.play(self.start(), 3) | at(ROLLED, 7))
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        return sum(1 << (i - 1) for i in up) | at(ROLLED, roll) | at(QUOTA, quota)

    def move_text(self, p: int, m: int) -> str:
        return self.words(m) if m else "nothing"

    def chart(self) -> Chart:
        """What to turn down with markers 1 to n up, by roll; and how many failures are left."""
        most = get(self.start(), QUOTA)

        def rolled(roll: int, up: int, quota: int = 0) -> int:
            return ((1 << up) - 1) | at(ROLLED, roll) | at(QUOTA, quota)

        axes = {"roll": range(2, 13), "markers up, 1 to": range(1, self.markers + 1)}
        return Chart({**axes, "quota": range(most, -1, -1)} if most else axes, rolled)

    def picture(self, p: int) -> str:
        parts = []
        for i in range(self.markers):
            if p >> i & 1:
                parts.append(svg.card(34 * i, 0, 30, 42, i + 1, svg.COLOURS[0]))
            else:
                parts.append(svg.box(34 * i, 0, 30, 42, svg.SHADE))
                parts.append(svg.text(34 * i + 15, 21, i + 1, 13, svg.FAINT))
        roll = get(p, ROLLED)
        words = f"rolled {roll}" if roll else "to roll" if get(p, UP) else "all down"
        if get(p, QUOTA):
            words += f", {get(p, QUOTA)} failures left"
        parts.append(svg.note(0, 62, words))
        return svg.svg(max(34 * self.markers - 4, 160), 72, parts)


@dataclass(frozen=True)
class Flip(Markers):
    """Win by turning all markers down; at most `quota` rolls may fail."""

    quota: int = 0
    passing: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.quota <= 1000:
            raise UsageError(f"no quota of {self.quota} failures", "use 0 to 1000")

    def start(self) -> int:
        return ((1 << self.markers) - 1) | at(QUOTA, self.quota)

    def fails(self, p: int, matches: int) -> bool:
        return get(p, QUOTA) > 0 and (self.passing or matches == 0)

    def play(self, p: int, m: int) -> int:
        q = put(p, ROLLED, 0) ^ m
        return q - at(QUOTA, 1) if m == FAILURE else q

    def payoff(self, p: int) -> int:
        return 1 if get(p, UP) == 0 else 0

    def stratum(self, p: int) -> int:
        return count(get(p, UP)) + get(p, QUOTA)

    def move_text(self, p: int, m: int) -> str:
        return self.words(m) if m else "fail"


@dataclass(frozen=True)
class FlipFlop(Markers):
    """Have all markers down after as few rolls as possible."""

    mixed: bool = True
    idle: bool = False

    minimise = True

    def start(self) -> int:
        return (1 << self.markers) - 1

    def turns(self, p: int, chosen: int) -> bool:
        up = get(p, UP)
        down = ((1 << self.markers) - 1) & ~up
        one_way = chosen & up == 0 or chosen & down == 0
        return chosen & ~(up | down) == 0 and (self.mixed or one_way)

    def fails(self, p: int, matches: int) -> bool:
        return self.idle or matches == 0

    def reward(self, p: int, m: int) -> int:
        return 1

    def payoff(self, p: int) -> int:
        return 0


@dataclass(frozen=True)
class FlipForTwo(Markers):
    """Turn down the last marker; a roll that cannot be matched loses."""

    skip: bool = False

    players = 2

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What both players get, by winner."""
        return winner_takes_all(2)

    def start(self) -> int:
        return (1 << self.markers) - 1

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        if get(p, UP) == 0:
            return OVER
        return get(p, TURN) if get(p, ROLLED) else CHANCE

    def fails(self, p: int, matches: int) -> bool:
        return self.skip and matches == 0

    def play(self, p: int, m: int) -> int:
        return put(put(p, ROLLED, 0) ^ m, TURN, 1 - get(p, TURN))

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[1 - get(p, TURN)]  # whose turn it is has lost

    def stratum(self, p: int) -> int:
        return count(get(p, UP))

    def representative(self, p: int) -> int:
        return put(p, TURN, 0)

    def text(self, p: int) -> str:
        return f"{super().text(p)}, player {get(p, TURN) + 1}"

    def parse(self, s: str) -> int:
        markers, _, player = s.rpartition(", player ")
        if player.strip() not in ("1", "2"):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return super().parse(markers) | at(TURN, int(player) - 1)
