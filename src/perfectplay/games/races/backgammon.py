"""Backgammon race: two sides that have passed each other bear off, and the first to finish wins.

A side has checkers on the six points of its home board. The players take turns to roll two dice;
bearoff.py says how checkers are moved and borne off. Whoever is rid of all checkers first wins;
there are no gammons. With a doubling cube that goes up to `cube` (1: there is none) a player may
double before rolling, if the cube is in the middle or their own and shows less than `cube`. The
other passes and loses what the cube showed, or takes: then the cube is theirs, and the stake is
twice as high. A cube up to 2^n is as good as one without a limit where play ends within n rolls.

`layout` counts the checkers of player 1 on points 1, 2, …, `opposite` those of player 2 if they
are others; without them all layouts of up to `checkers` checkers are first positions. The value is
the chance of winning; with a cube, points won on average. Check: if each side has one checker, on
point 6, whoever is to roll wins with probability 13/16.

A position is one integer:

    bits   0-23, 24-47   checkers of player 1 and of player 2, four bits for each of six points
          48-50, 51-53   the dice, the larger first; 0 while they roll
          54             the player on turn
          55-56          1: they may double, 2: they have doubled
          57-59          n, where the cube shows 2^n
          60-61          the owner of the cube: 0 nobody, 1 player 1, 2 player 2

The player on turn is made the first. A player who passes has lost as if the other had borne off.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.races.bearoff import (
    HOME,
    ONE,
    OTHER,
    DiceRace,
    checkers_moved,
    dice_of,
    layouts,
    on_point,
    packed,
    pips,
    results,
)
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.packing import at, fields, get, put, rotated

SIDES, DICE, TURN, PHASE, SHOWS, OWNER = fields(48, 6, 1, 2, 3, 2)
SIDE = SIDES.each(24)
MAY_DOUBLE, DOUBLED = 1, 2
ROLL, DOUBLE, PASS, TAKE = 0, 1, 2, 3
WORDS = ("roll", "double", "pass", "take")
CUBES = (1, 2, 4, 8, 16, 32, 64, 128)


@dataclass(frozen=True)
class BackgammonRace(DiceRace):
    """Two sides: the chance of winning, or with a cube the points won on average."""

    checkers: int = 3
    cube: int = 1
    opposite: tuple[int, ...] = field(default=(), kw_only=True)
    """The layout of player 2, if it is not that of player 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cube not in CUBES:
            raise UsageError(f"no cube up to {self.cube}", "use 1 (none), 2, 4, … 128")
        self.check_layout(self.opposite)

    def most_points(self) -> int:
        return HOME

    def starts(self) -> Iterator[int]:
        mine = [packed(self.layout)] if self.layout else layouts(self.points, self.checkers)
        theirs = self.opposite or self.layout
        for board in mine:
            for other in [packed(theirs)] if theirs else layouts(self.points, self.checkers):
                if board and other:
                    yield self.begun(at(SIDE, board) | at(SIDE, other, 1))

    def start(self) -> int:
        return next(iter(self.starts()))

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def side(self, p: int, player: int) -> int:
        """The board of a player."""
        return get(p, SIDE, player)

    def shows(self, p: int) -> int:
        """What the cube shows."""
        return 1 << get(p, SHOWS)

    def begun(self, p: int) -> int:
        """The turn begins, with the choice to double if there is one."""
        mine = get(p, OWNER) in (0, self.turn(p) + 1)
        return put(p, PHASE, MAY_DOUBLE) if mine and self.shows(p) < self.cube else p

    def to_move(self, p: int) -> int:
        if self.side(p, 0) == 0 or self.side(p, 1) == 0:
            return OVER
        phase = get(p, PHASE)
        if phase == DOUBLED:
            return 1 - self.turn(p)
        return self.turn(p) if phase or get(p, DICE) else CHANCE

    def moves(self, p: int) -> Iterator[int]:
        phase = get(p, PHASE)
        if phase == MAY_DOUBLE:
            yield ROLL
            yield DOUBLE
        elif phase == DOUBLED:
            yield TAKE
            yield PASS
        else:
            for q in results(self.side(p, self.turn(p)), get(p, ONE), get(p, OTHER)):
                yield q

    def play(self, p: int, m: int) -> int:
        turn, phase = self.turn(p), get(p, PHASE)
        still = put(put(p, PHASE, 0), DICE, 0)
        if phase == MAY_DOUBLE:
            return still if m == ROLL else put(still, PHASE, DOUBLED)
        if phase == DOUBLED:
            if m == PASS:
                return put(still, SIDE, 0, turn)
            return put(still, OWNER, 2 - turn) + at(SHOWS, 1)
        q = put(still, SIDE, m, turn)
        return q if m == 0 else self.begun(put(q, TURN, 1 - turn))

    def payoff(self, p: int) -> tuple[int, int]:
        won = self.side(p, 0) == 0
        if self.cube == 1:
            return (1, 0) if won else (0, 1)
        stake = self.shows(p)
        return (stake, -stake) if won else (-stake, stake)

    def stratum(self, p: int) -> int:
        return pips(self.side(p, 0)) + pips(self.side(p, 1))

    def representative(self, p: int) -> int:
        if self.turn(p) == 0:
            return p
        owner = get(p, OWNER)
        q = put(put(p, TURN, 0), OWNER, 3 - owner if owner else 0)
        return put(q, SIDES, rotated(p, SIDE, 1, 2))

    def text(self, p: int) -> str:
        words = f"{self.board_text(self.side(p, 0))} | {self.board_text(self.side(p, 1))}"
        words += f", player {self.turn(p) + 1}"
        if get(p, DICE):
            words += f", roll {get(p, ONE)}-{get(p, OTHER)}"
        words += ("", ", may double", ", doubled")[get(p, PHASE)]
        if self.shows(p) > 1:
            words += f", cube {self.shows(p)} of player {get(p, OWNER)}"
        return words

    def parse(self, s: str) -> int:
        form = (
            r"\s*([\d ]+?)\s*\|\s*([\d ]+?)\s*,\s*player ([12])(?:,\s*roll (\d-\d))?"
            r"(,\s*may double|,\s*doubled)?(?:,\s*cube (\d+) of player ([12]))?\s*"
        )
        found = re.fullmatch(form, s)
        if not found or (found[4] and found[5]):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        p = self.board_parsed(found[1]) | at(SIDE, self.board_parsed(found[2]), 1)
        one, other = dice_of(found[4] or "", self.sides)
        shows, owner, turn = int(found[6] or 1), int(found[7] or 0), int(found[3]) - 1
        if shows not in CUBES or not (owner == 0) == (shows == 1):
            raise ValueError(f"{s!r}: the cube shows 2, 4, … or is not named")
        p |= at(SHOWS, shows.bit_length() - 1) | at(OWNER, owner) | at(TURN, turn)
        over = self.to_move(p) == OVER
        may = self.begun(p) != p and not over
        if shows > self.cube or (found[5] and not may) or (over and one):
            raise ValueError(f"{s!r}: no such roll or double can come about")
        phase = (DOUBLED if "doubled" in found[5] else MAY_DOUBLE) if found[5] else 0
        return p | at(ONE, one) | at(OTHER, other) | at(PHASE, phase)

    def move_text(self, p: int, m: int) -> str:
        if get(p, PHASE):
            return WORDS[m]
        return checkers_moved(self.side(p, self.turn(p)), get(p, ONE), get(p, OTHER), m)

    def picture(self, p: int) -> str:
        boards = (self.side(p, 0), self.side(p, 1))
        high = max(4, *(on_point(board, i) for i in range(1, 7) for board in boards))
        below = 18 * high + 34
        parts = [part for i in (0, 1) for part in self.drawn(boards[i], i, below * i, high)]
        x, y = 30 * self.points + 12, below * self.turn(p) + 8
        if self.to_move(p) != OVER:
            for i, die in enumerate((ONE, OTHER)):
                parts.append(svg.die(x + 28 * i, y, 24, get(p, die)))
        if self.cube > 1:
            owner = get(p, OWNER)
            where = below * (owner - 1) + 44 if owner else below - 12
            parts.append(svg.card(x + 12, where, 26, 26, self.shows(p), svg.COLOURS[5]))
        return svg.svg(x + 60, 2 * below, parts)
