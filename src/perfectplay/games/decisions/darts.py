"""Darts: bring a score down to exactly nought, the last dart a double.

A player begins with `score` points and throws `darts` darts in a turn; what each of them hits is
taken off. The board has one sector for each number of `board`, clockwise; a sector has single
fields, a double ring at the rim and a treble ring. In the middle are the outer bull of 25 and the
bull of 50, which counts as a double. The last dart must bring the score to exactly 0 and be a
double (`out` "double"), a double or a treble ("master"), or anything ("straight"). A dart that
brings the score below 0, to 0 in any other way, or, unless out is "straight", to 1, is a bust: the
turn ends, and all its darts count for nothing. The first at 0 wins. Alone, a player wants to throw
as few darts as possible on average (with `turns`, to need as few turns).

How well players throw is said by `sigma`: darts fall around the point aimed at by a normal
distribution with a standard deviation of so many millimetres in each direction (dartboard.py).
Without it, integer weights say it. A dart aimed at a sector hits it or one of its two neighbours
with the weights of `sector` (itself, either neighbour). Then, independently, come the rings:
`single` are the weights of single, double and treble for a dart aimed at the single field,
`double` those of double, single and a miss, `treble` those of treble and single. A dart at the
outer bull or the bull hits the outer bull, the bull, or the single field of any sector with the
weights of `outer` or `bull`. With `perfect`, darts hit what they are aimed at. The weights are a
model of ours, the normal distribution is that of Tibshirani, Price and Taylor 2011. Kohler 1982
treats the game.

Check: a perfect player needs 9 darts for 501 and 3 for 170, but 4 for 159, 162, 163, 165, 166, 168
and 169.

A position is one integer: ten bits for the score of each of four players, ten for what the turn
has brought, as long as a bust could undo it (else it is taken off at once), three for the darts
thrown, seven for the field aimed at (3 * sector + ring, then the outer bull and the bull; 0: none
yet), two for the player on turn, who is made the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, sin

from perfectplay.compiled.arrays import Ints
from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.decisions.dartboard import (
    DOUBLE,
    SINGLE,
    TREBLE,
    by_rings,
    by_sigma,
    field_names,
)
from perfectplay.games.prizes import winner_takes_all
from perfectplay.rules.capabilities import Anchors, Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, rotated, summed

SCORES, GAINED, THROWN, AIM, TURN = fields(40, 10, 3, 7, 2)
SCORE = SCORES.each(10)
"""A player's score, before what the turn has brought."""
LONDON = (20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5)
OUTS = ("double", "master", "straight")
HEAVIEST = 1000
WIDEST = 200


@dataclass(frozen=True)
class Darts(Anchors, Charted, Game):
    """Bring `score` down to 0 with `darts` darts a turn."""

    score: int = 501
    players: int = 1
    darts: int = 3
    out: str = "double"
    turns: bool = False
    perfect: bool = False
    board: tuple[int, ...] = LONDON
    sector: tuple[int, int] = (8, 1)
    single: tuple[int, int, int] = (18, 1, 1)
    double: tuple[int, int, int] = (4, 3, 3)
    treble: tuple[int, int] = (4, 6)
    outer: tuple[int, int, int] = (5, 2, 3)
    bull: tuple[int, int, int] = (4, 4, 2)
    sigma: int = 0

    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """A player alone counts darts or turns."""
        return self.players == 1

    def __post_init__(self) -> None:
        if not 1 <= self.players <= 4 or not 1 <= self.darts <= 7 or not 2 <= self.score <= 1000:
            raise UsageError(
                f"no game from {self.score} for {self.players} with {self.darts} darts a turn",
                "use 1 to 4 players, 1 to 7 darts and a score from 2 to 1000",
            )
        if self.out not in OUTS:
            raise UsageError(f"no way to finish called {self.out!r}", f"use {', '.join(OUTS)}")
        numbers = self.board
        if not 1 <= len(numbers) <= 41 or len(set(numbers)) < len(numbers) or 1 not in numbers:
            raise UsageError(
                f"these numbers make no board: {numbers}",
                "give up to 41 different numbers; 1 must be among them, or nobody finishes",
            )
        if not all(1 <= number <= 100 for number in numbers):
            raise UsageError(f"these numbers make no board: {numbers}", "use numbers up to 100")
        if not 0 <= self.sigma <= WIDEST or (self.sigma and self.perfect):
            raise UsageError(
                f"nobody throws with a standard deviation of {self.sigma} mm",
                f"use 1 to {WIDEST}, or 0 for weights; a perfect player has none",
            )
        self._check_weights()

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What each player gets, by winner."""
        return winner_takes_all(self.players)

    @cached_property
    def throws(self) -> Ints:
        """throws[aim, field]: the weight of a field for a dart aimed at another, or at itself."""
        number = len(self.board)
        if self.sigma:
            return by_sigma(number, self.sigma)
        rings = (self.sector, self.single, self.double, self.treble)
        return by_rings(number, *rings, self.outer, self.bull)

    @cached_property
    def most(self) -> int:
        """The most points of one dart."""
        return max(50, 3 * max(self.board))

    @property
    def least(self) -> int:
        """The least score that may be left."""
        return 1 if self.out == "straight" else 2

    @property
    def easiest(self) -> int:
        """The smallest factor that may finish: 1 for any field, 2 for doubles."""
        return SINGLE if self.out == "straight" else DOUBLE

    @property
    def hardest(self) -> int:
        """The largest factor that may finish."""
        return DOUBLE if self.out == "double" else TREBLE

    def _check_weights(self) -> None:
        for name in ("sector", "single", "double", "treble", "outer", "bull"):
            weights = getattr(self, name)
            # The first weight is that of a hit; for the bull it is the second.
            hit = weights[1] if name == "bull" else weights[0]
            if hit < 1 or not all(0 <= weight <= HEAVIEST for weight in weights):
                raise UsageError(
                    f"these are no weights of a throw: {name}={weights}",
                    f"use weights from 0 to {HEAVIEST}; that of a hit is at least 1",
                )

    def start(self) -> int:
        return sum(at(SCORE, self.score, player) for player in range(self.players))

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        turn = self.turn(p)
        if get(p, SCORE, turn) == 0:
            return OVER
        return CHANCE if get(p, AIM) else turn

    def moves(self, p: int) -> Iterator[int]:
        for aim in range(1, 3 * len(self.board) + 3):
            yield aim

    def play(self, p: int, m: int) -> int:
        return self.hit(p, m) if self.perfect else put(p, AIM, m)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for field in range(3 * len(self.board) + 3):
            weight = self.throws[get(p, AIM), field]
            if weight > 0:
                yield weight, self.hit(p, field)

    def hit(self, p: int, field: int) -> int:
        """The position after a dart that hit a field; 0 is a miss."""
        bull = field - 3 * len(self.board)
        if field == 0:
            return self.landed(p, 0, 0)
        if bull > 0:
            return self.landed(p, 25 * bull, bull)
        factor = (field - 1) % 3 + 1
        return self.landed(p, factor * self.board[(field - 1) // 3], factor)

    def landed(self, p: int, points: int, factor: int) -> int:
        """The position after a dart that hit a field worth `points`."""
        turn = self.turn(p)
        before = get(p, SCORE, turn)
        rest = before - get(p, GAINED) - points
        if rest == 0 and self.easiest <= factor <= self.hardest:
            return self.scored(p, 0) | at(TURN, turn)
        following = at(TURN, (turn + 1) % self.players)
        if rest < self.least:
            return get(p, SCORES) | following
        darts = get(p, THROWN) + 1
        if darts == self.darts:
            return self.scored(p, rest) | following
        now = at(THROWN, darts) | at(TURN, turn)
        if rest - (self.darts - darts) * self.most >= self.least:
            return self.scored(p, rest) | now
        return get(p, SCORES) | at(GAINED, before - rest) | now

    def scored(self, p: int, rest: int) -> int:
        """The scores, with `rest` for the player on turn, and nothing else."""
        return put(get(p, SCORES), SCORE, rest, self.turn(p))

    def payoff(self, p: int) -> tuple[int, ...]:
        return self.prizes[self.turn(p)]

    def reward(self, p: int, m: int) -> int:
        counts = self.players == 1 and (get(p, THROWN) == 0 or not self.turns)
        return 1 if counts else 0

    def stratum(self, p: int) -> int:
        return summed(p, SCORE, self.players)

    def anchor(self, p: int) -> bool:
        return get(p, THROWN) == 0 and get(p, AIM) == 0

    def representative(self, p: int) -> int:
        scores = rotated(p, SCORE, self.turn(p), self.players)
        return put(put(p, TURN, 0), SCORES, scores)

    def field_name(self, aim: int) -> str:
        """What a field is called: 20, D20, T20, outer or bull."""
        return field_names(self.board)[aim]

    def text(self, p: int) -> str:
        scores = "-".join(str(get(p, SCORE, i)) for i in range(self.players))
        gain = f", gained {get(p, GAINED)}" if get(p, GAINED) else ""
        aim = f", aim {self.field_name(get(p, AIM))}" if get(p, AIM) else ""
        return f"{scores}, player {self.turn(p) + 1}, dart {get(p, THROWN) + 1}{gain}{aim}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+(?:-\d+)*),\s*player (\d),\s*dart (\d)"
        found = re.fullmatch(form + r"(?:,\s*gained (\d+))?(?:,\s*aim (\w+))?\s*", s)
        scores = [int(word) for word in found[1].split("-")] if found else []
        if not found or len(scores) != self.players or not 1 <= int(found[2]) <= self.players:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        turn, dart, gain = int(found[2]) - 1, int(found[3]), int(found[4] or 0)
        aim = field_names(self.board).index(found[5]) if found[5] else 0
        if max(scores) > self.score or not 1 <= dart <= self.darts or (gain and dart == 1):
            raise ValueError(f"{s!r}: scores up to {self.score}, {self.darts} darts a turn")
        over = 0 in scores
        if over and (scores.count(0) > 1 or scores[turn] or dart > 1 or gain or aim):
            raise ValueError(f"{s!r}: play ends with the dart that reaches 0")
        rest = scores[turn] - gain
        undone = rest - (self.darts - dart + 1) * self.most < self.least
        if not over and (rest < self.least or (gain and not undone)):
            raise ValueError(f"{s!r}: no turn brings that")
        left = sum(at(SCORE, score, i) for i, score in enumerate(scores))
        return left | at(GAINED, gain) | at(THROWN, dart - 1) | at(AIM, aim) | at(TURN, turn)

    def move_text(self, p: int, m: int) -> str:
        return self.field_name(m)

    def chart(self) -> Chart:
        scores = range(self.least, self.score + 1)
        if self.players > 1:
            axes = {"own score": scores, "other scores": scores}
            others = range(1, self.players)
            return Chart(
                axes,
                lambda own, other: at(SCORE, own) | sum(at(SCORE, other, i) for i in others),
            )
        darts = {"score": scores, "dart": range(1, self.darts + 1)}
        return Chart(
            darts, lambda score, dart: at(SCORE, score) | at(THROWN, dart - 1), show="value"
        )

    def picture(self, p: int) -> str:
        number, middle, parts = len(self.board), 110, []
        for radius, fill in ((92, svg.SHADE), (84, svg.FIELD), (54, svg.SHADE)):
            parts.append(svg.circle(middle, middle, radius, fill))
        parts.append(svg.circle(middle, middle, 46, svg.FIELD))
        for i, points in enumerate(self.board):
            for turned, far in ((i, 102), (i + 0.5, 92)):
                x = middle + far * sin(2 * pi * turned / number)
                y = middle - far * cos(2 * pi * turned / number)
                if turned == i:
                    parts.append(svg.text(x, y, points, 12))
                else:
                    parts.append(svg.line(middle, middle, x, y, wide=1))
        parts.append(svg.circle(middle, middle, 12, svg.COLOURS[2]))
        parts.append(svg.circle(middle, middle, 5, svg.COLOURS[5]))
        turn = self.turn(p)
        for i in range(self.players):
            colour = svg.COLOURS[i]
            words = f"player {i + 1}: {get(p, SCORE, i)}"
            if i == turn and get(p, GAINED):
                words += f" - {get(p, GAINED)}"
            parts.append(svg.note(240, 20 + 24 * i, words, 14, colour))
        words = (
            f"player {turn + 1}, dart {get(p, THROWN) + 1}" if get(p, SCORE, turn) else "finished"
        )
        parts.append(svg.note(240, 30 + 24 * self.players, words, 13))
        if get(p, AIM):
            aim = f"aims at {self.field_name(get(p, AIM))}"
            parts.append(svg.note(240, 54 + 24 * self.players, aim, 13))
        return svg.svg(380, 220, parts)
