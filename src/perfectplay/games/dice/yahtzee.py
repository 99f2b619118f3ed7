"""Yahtzee alone: fill every box of the scorecard once, for the greatest score on average.

A turn begins with a roll of `dice` dice of `sides` faces. Then the player may put back any dice
and roll these again, `rerolls` times at most. In the end they choose an open box, score the dice
in it and close it. The game is over when all boxes are closed. Boxes:

* `1`, `2`, …, one for each face: the sum of the dice with this face. Whoever has `bonus_at` points
  or more in these boxes gets a `bonus`.
* `three`, `four`: the sum of all dice, if three or four are equal. `chance`: the sum of all dice.
* `house`: 25, if there are just two faces, each at least twice.
* `small`, `large`: 30 and 40, if all dice but one, or all dice, are in a row.
* `yahtzee`: 50, if all dice are equal.

Dice that do not fit the box score 0. `boxes` names the boxes in play; none named: all.

All dice equal, when 50 stands in the box `yahtzee`, earn 100 more wherever they are scored. They
are a *joker*, worth full points in `house`, `small` and `large`, if the box `yahtzee` and the box
of their face are closed. Once `yahtzee` is closed, there are three readings of where such dice may
be scored: in any box (`joker` "free"); in one of the last seven boxes, as long as one is open and
the box of their face is closed ("intermediate"); in the same way, but in the box of their face as
long as that is open ("forced"). Without hundreds and jokers: "none".

Check: the full game is worth 254.5896094820 with free jokers, 254.5882406258 and 254.5877287345 in
the other readings, and 245.8707745141 with none.

A position is one integer: three bits for the number of dice with each of eight faces, two for the
stage (rolling, choosing, scoring), three for the rerolls left, fifteen for the open boxes (faces
first), ten for the points in the boxes of the faces, one that is set if 50 stands in `yahtzee`.
Dice fall one after another, and are put back one after another. Points for the bonus are the same
if just the same rolls to come reach it: the least of them stands for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from perfectplay.compiled.arrays import Ints
from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.dice.yahtzee_card import (
    CHANCES,
    CHOOSING,
    DICE,
    DIE,
    FACES,
    FIFTY,
    FORCED,
    GO,
    HOUSE,
    INTERMEDIATE,
    JOKERS,
    LARGE,
    LEFT,
    NONE,
    OPEN,
    POINTS,
    ROLLING,
    SCORING,
    SMALL,
    STAGE,
    THREE,
    TURN,
    YAHTZEE,
    equivalents,
    number_of,
    sums_of,
)
from perfectplay.games.dice.yahtzee_shown import YahtzeeShown
from perfectplay.rules.capabilities import ByTurns
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.packing import at, get, put


def refuse(game: Yahtzee) -> None:
    """UsageError if there is no such game."""
    if not (2 <= game.dice <= 7 and 2 <= game.sides <= FACES and 0 <= game.rerolls <= 7):
        raise UsageError(
            f"no game with {game.dice} dice of {game.sides} sides and {game.rerolls} rerolls",
            f"use 2 to 7 dice of 2 to {FACES} sides, and 0 to 7 rerolls",
        )
    if not (1 <= game.bonus_at <= 1000 and 0 <= game.bonus <= 10**6):
        raise UsageError(
            f"no bonus of {game.bonus} at {game.bonus_at}",
            "use 1 to 1000 points for the bonus, and a bonus of 0 or more",
        )
    known = game.known
    if len(set(game.boxes)) < len(game.boxes) or set(game.boxes) - set(known):
        raise UsageError(
            f"no such boxes: {', '.join(map(str, game.boxes))}", f"use {', '.join(known)}"
        )
    if game.joker not in JOKERS:
        raise UsageError(f"no jokers called {game.joker!r}", f"use {', '.join(JOKERS)}")


def size(game: Yahtzee) -> int:
    """How many score cards there are, if no dice are bound to some boxes."""
    faces = [face for face in range(game.sides) if game.card >> face & 1]
    cards = 0
    for number in range(len(faces), -1, -1):
        for free in combinations(faces, number):
            sums = sums_of([face for face in faces if face not in free], game.dice)
            row = game.same[sum(1 << face for face in free)]
            cards += len({int(row[min(game.bonus_at, s)]) for s in sums}) if game.bonus else 1
    ways = 2 ** count(game.card >> FACES)
    if game.card >> YAHTZEE & 1 and game.reading != NONE:
        ways = 3 * ways // 2  # the box is open, or closed with 50 or with 0
    return int(cards * ways)


@dataclass(frozen=True)
class Yahtzee(ByTurns, YahtzeeShown):
    """Yahtzee for one player."""

    dice: int = 5
    sides: int = 6
    rerolls: int = 2
    boxes: tuple[str, ...] = ()
    joker: Literal["none", "free", "intermediate", "forced"] = "free"
    bonus: int = 35
    bonus_at: int = 63

    players = 1
    native = True

    def __post_init__(self) -> None:
        refuse(self)

    @cached_property
    def same(self) -> Ints:
        """same[boxes, points]: the least points with the same bonus to come."""
        return equivalents(self.dice, self.sides, self.bonus_at)

    @property
    def most_positions(self) -> int | None:  # type: ignore[override]
        if self.sides == 2 and self.reading >= INTERMEDIATE:
            return None  # some boxes can only be filled with equal dice, and these may be bound
        return size(self)

    def start(self) -> int:
        return self.begun(at(OPEN, self.card))

    def begun(self, p: int) -> int:
        """The turn begins."""
        return put(p, TURN, at(LEFT, self.rerolls))

    def to_move(self, p: int) -> int:
        if get(p, OPEN) == 0:
            return OVER
        return CHANCE if get(p, STAGE) == ROLLING else 0

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        q = p
        if number_of(p) == self.dice - 1:
            q = put(p, STAGE, CHOOSING if get(p, LEFT) > 0 else SCORING)
        for face in range(self.sides):
            yield 1, q + at(DIE, 1, face)

    def moves(self, p: int) -> Iterator[int]:
        if get(p, STAGE) == SCORING:
            allowed = self.allowed(p)
            for box in range(FACES + 7):
                if (allowed >> box) & 1:
                    yield box
        else:
            yield GO
            for face in range(self.sides):
                if get(p, DIE, face) > 0:
                    yield face

    def play(self, p: int, m: int) -> int:
        if get(p, STAGE) == CHOOSING:
            if m != GO:
                return p - at(DIE, 1, m)
            if number_of(p) == self.dice:
                return put(put(p, LEFT, 0), STAGE, SCORING)
            return put(p, STAGE, ROLLING) - at(LEFT, 1)
        q = put(p, TURN, 0) - at(OPEN, 1 << m)
        if m < FACES:
            q = put(q, POINTS, min(self.bonus_at, get(p, POINTS) + self.score(p, m)))
        elif m == YAHTZEE and self.reading != NONE and self.equal(p) >= 0:
            q = put(q, FIFTY, 1)
        return q if get(q, OPEN) == 0 else self.begun(q)

    def equal(self, p: int) -> int:
        """The face that all dice show; -1 if they differ."""
        dice, face = get(p, DICE), 0
        while dice & 7 == 0 and dice:
            dice >>= 3
            face += 1
        return face if dice == self.dice else -1

    def late(self, p: int) -> bool:
        """Whether all dice are equal and the box for that is closed."""
        closed = self.card & ~get(p, OPEN)
        return self.reading != NONE and (closed >> YAHTZEE) & 1 == 1 and self.equal(p) >= 0

    def allowed(self, p: int) -> int:
        """The boxes in which the dice may be scored, as bits."""
        boxes = get(p, OPEN)
        if self.reading >= INTERMEDIATE and self.late(p):
            own = boxes & (1 << self.equal(p))
            lower = boxes >> FACES << FACES
            if own and self.reading == FORCED:
                return own
            if lower and not own:
                return lower
        return boxes

    def score(self, p: int, box: int) -> int:
        """What the dice score in a box."""
        if box < FACES:
            return get(p, DIE, box) * (box + 1)
        if box in (SMALL, LARGE):
            needed = self.dice if box == LARGE else self.dice - 1
            points = 10 * (box - SMALL + 3)
            return points if self.longest_run(p) >= needed or self.is_joker(p) else 0
        total = most = kinds = fewest = 0
        for face in range(self.sides):
            n = get(p, DIE, face)
            total += n * (face + 1)
            most = max(most, n)
            kinds += n > 0
            fewest += n == 1
        if box == HOUSE:
            return 25 if (kinds == 2 and fewest == 0) or self.is_joker(p) else 0
        if box == YAHTZEE:
            return 50 * (most == self.dice)
        return total if box == CHANCES or most >= box - THREE + 3 else 0

    def longest_run(self, p: int) -> int:
        """How many faces in a row are there at most."""
        run = longest = 0
        for face in range(self.sides):
            run = run + 1 if get(p, DIE, face) > 0 else 0
            longest = max(longest, run)
        return longest

    def is_joker(self, p: int) -> bool:
        """Whether the dice have full worth in boxes that they do not fit."""
        return self.late(p) and (get(p, OPEN) >> self.equal(p)) & 1 == 0

    def reward(self, p: int, m: int) -> int:
        if get(p, STAGE) != SCORING:
            return 0
        earned = self.score(p, m)
        before = get(p, POINTS)
        if m < FACES and before < self.bonus_at <= before + earned:
            earned += self.bonus
        return earned + (100 if get(p, FIFTY) and self.equal(p) >= 0 else 0)

    def payoff(self, p: int) -> int:
        return 0

    def representative(self, p: int) -> int:
        faces = get(p, OPEN) & ((1 << self.sides) - 1)
        return put(p, POINTS, int(self.same[faces, get(p, POINTS)]) if self.bonus > 0 else 0)

    def anchor(self, p: int) -> bool:
        return p == self.begun(p) or get(p, OPEN) == 0

    def pattern(self, p: int) -> int:
        return self.begun(at(OPEN, self.card))

    def carried(self, q: int, p: int) -> int:
        return put(p, TURN, get(q, TURN))

    def stratum(self, p: int) -> int:
        """Turns left, then rolls left, then steps to the end of rolling or putting back."""
        dice, stage, number = self.dice, get(p, STAGE), number_of(p)
        turn = (2 * dice + 2) * (self.rerolls + 1)
        step = 0
        if stage == ROLLING:
            step = (2 * dice + 2) * get(p, LEFT) + dice - number
        elif stage == CHOOSING:
            step = (2 * dice + 2) * get(p, LEFT) - dice - 1 + number
        return turn * count(get(p, OPEN)) + step
