"""Backgammon with few checkers, hits and all: endings in which the two sides still meet.

Each player runs down a board of `points` points, from the highest, numbered from their own side;
the lowest `home` points are their home board. Point i of one is point `points` + 1 - i of the
other. In turn they roll two dice of `sides` faces and play each number with any checker, both with
one if they like, a double four times. A number moves a checker that many points down, but not to a
point with two or more checkers of the other. A single checker of the other is hit: it goes to the
bar, from where it enters as from a point above the highest. Who has checkers on the bar must enter
them before any other moves. Once all checkers are at home a number also bears off one: from the
point of that number, or from the highest point that has one if that is lower. As many numbers as
possible must be played; if either can be, but not both, the larger. Who is rid of all checkers
first wins; there are no gammons and no cube, and player 1 rolls first, also doubles.

`first` and `second` list the points of the checkers of both players; without them each has
`checkers` of them on the highest points, one on each. With three checkers that is hypergammon.

Check: with one checker each, on point 1, whoever is to roll wins. Hypergammon has 7,959,904
positions before a roll (Keith 2018).

A position is one integer: for each player the places of five checkers, five bits each, the
rearmost first (0: off; one more than the highest point: on the bar), three bits for each of the
dice, the larger first (0 while they roll), one for the player on turn, who is made the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.races.bearoff import dice_of
from perfectplay.rules.capabilities import ByTurns
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, rotated

SIDES, ONE, OTHER, TURN = fields(50, 3, 3, 1)
SIDE = SIDES.each(25)
PLACE = SIDES.each(5)
"""The places of the first five checkers are those of player 1."""
MOST = 5


def moved(both: int, i: int, to: int) -> int:
    """Both sides with checker i on a lower place; the rearmost stay first."""
    last = MOST - 1 if i < MOST else 2 * MOST - 1
    while i < last and get(both, PLACE, i + 1) > to:
        both = put(both, PLACE, get(both, PLACE, i + 1), i)
        i += 1
    return put(both, PLACE, to, i)


def on_place(both: int, player: int, place: int) -> int:
    """How many checkers a player has on a place."""
    number = 0
    for i in range(MOST * player, MOST * player + MOST):
        number += 1 if get(both, PLACE, i) == place else 0
    return number


def sent_back(both: int, place: int, bar: int) -> int:
    """Both sides after the second player's checker on a place was hit."""
    i = MOST
    while get(both, PLACE, i) != place:
        i += 1
    while i > MOST:
        both = put(both, PLACE, get(both, PLACE, i - 1), i)
        i -= 1
    return put(both, PLACE, bar, i)


@dataclass(frozen=True)
class Backgammon(ByTurns, Game):
    """Backgammon with up to five checkers a side."""

    checkers: int = 1
    points: int = 24
    home: int = 6
    sides: int = 6
    first: tuple[int, ...] = field(default=(), kw_only=True)
    second: tuple[int, ...] = field(default=(), kw_only=True)

    native = True

    def __post_init__(self) -> None:
        if not (2 <= self.points <= 24 and 1 <= self.home <= self.points and 2 <= self.sides <= 6):
            raise UsageError(
                f"no board of {self.points} points, {self.home} at home, with {self.sides} faces",
                "use 2 to 24 points, no more at home, and dice of 2 to 6 faces",
            )
        # With fewer faces both could be shut out on the bar for ever.
        if not 1 <= self.checkers <= min(MOST, self.points // 2, 2 * self.sides):
            raise UsageError(
                f"no game with {self.checkers} checkers a side",
                f"use 1 to {min(MOST, self.points // 2, 2 * self.sides)}",
            )
        for places in (self.first, self.second):
            fits = len(places) <= self.checkers and all(1 <= i <= self.bar for i in places)
            if not fits:
                raise UsageError(
                    f"no checkers on {places}",
                    f"name up to {self.checkers} points from 1 to {self.points}, "
                    f"or {self.bar} for the bar",
                )
        if self.clash(self.start()):
            raise UsageError(
                f"both players are on one point: {self.text(self.start())}",
                f"point i of one is point {self.bar} - i of the other",
            )

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """Before a roll: choose the points of both, then where their other checkers are."""
        spread = [comb(self.checkers + 1, taken + 1) for taken in range(self.checkers + 1)]
        return sum(
            comb(self.points, i) * comb(self.points - i, j) * spread[i] * spread[j]
            for i in range(self.checkers + 1)
            for j in range(self.checkers + 1)
        )

    @property
    def bar(self) -> int:
        """The place of checkers on the bar."""
        return self.points + 1

    def start(self) -> int:
        highest = range(self.points, self.points - self.checkers, -1)
        return self.placed(self.first or highest) | self.placed(self.second or highest, 1)

    def placed(self, places: tuple[int, ...] | range, player: int = 0) -> int:
        """A side with checkers on these places."""
        rearmost = sorted(places, reverse=True)
        return sum(at(PLACE, place, MOST * player + i) for i, place in enumerate(rearmost))

    def turn(self, p: int) -> int:
        return get(p, TURN)

    def to_move(self, p: int) -> int:
        if get(p, SIDE, 0) == 0 or get(p, SIDE, 1) == 0:
            return OVER
        return self.turn(p) if get(p, ONE) else CHANCE

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for one in range(1, self.sides + 1):
            for other in range(1, one + 1):
                yield 1 if one == other else 2, p | at(ONE, one) | at(OTHER, other)

    def steps(self, both: int, die: int) -> Iterator[int]:
        """Yield both sides, the mover's first, after one number of the dice."""
        rear, before = get(both, PLACE, 0), 0
        for i in range(MOST):
            place = get(both, PLACE, i)
            may = place > 0 and place != before and (rear < self.bar or place == rear)
            before = place
            to = place - die
            if may and to > 0:
                met = on_place(both, 1, self.bar - to)
                if met == 1:
                    yield sent_back(moved(both, i, to), self.bar - to, self.bar)
                elif met == 0:
                    yield moved(both, i, to)
            elif may and rear <= self.home and (to == 0 or place == rear):
                yield moved(both, i, 0)

    def further(self, before: list[int], die: int) -> list[int]:
        """What one more number leads to, each once; who is rid of all checkers has played it."""
        found = [-1]
        for both in before:
            if get(both, SIDE) == 0 and both not in found:
                found.append(both)
            for q in self.steps(both, die):
                if q not in found:
                    found.append(q)
        return found[1:]

    def results(self, both: int, one: int, other: int) -> list[int]:
        """All that a roll can lead to, each once."""
        found = [both]
        if one == other:
            for _ in range(4):
                after = self.further(found, one)
                found = after if len(after) > 0 else found
            return found
        larger, smaller = self.further(found, one), self.further(found, other)
        played = self.further(larger, other)
        for q in self.further(smaller, one):
            if q not in played:
                played.append(q)
        if len(played) > 0:
            return played
        if len(larger) > 0:
            return larger
        return smaller if len(smaller) > 0 else found

    def seen(self, p: int) -> int:
        """Both sides, the mover's first."""
        return rotated(p, SIDE, self.turn(p), 2)

    def moves(self, p: int) -> Iterator[int]:
        for q in self.results(self.seen(p), get(p, ONE), get(p, OTHER)):
            yield q

    def play(self, p: int, m: int) -> int:
        turn = self.turn(p)
        return rotated(m, SIDE, turn, 2) | at(TURN, 1 - turn)

    def payoff(self, p: int) -> tuple[int, int]:
        return (1, 0) if get(p, SIDE, 0) == 0 else (0, 1)

    def stratum(self, p: int) -> int:
        """Races by pips; above them contact, which goes round, by the checkers left."""
        pips = left = 0
        for i in range(2 * MOST):
            place = get(p, PLACE, i)
            pips += place
            left += 1 if place > 0 else 0
        contact = get(p, PLACE, 0) + get(p, PLACE, MOST) > self.bar
        return 2 * MOST * self.bar + left if contact else pips

    def representative(self, p: int) -> int:
        return put(put(p, SIDES, self.seen(p)), TURN, 0)

    def anchor(self, p: int) -> bool:
        return get(p, ONE) == 0

    # -- Text and picture. ---

    def clash(self, p: int) -> bool:
        """Whether both players are on one point."""
        return any(
            on_place(p, 0, place) and on_place(p, 1, self.bar - place)
            for place in range(1, self.bar)
        )

    def side_text(self, p: int, player: int) -> str:
        """The places of a player's checkers, the rearmost first."""
        places = [get(p, PLACE, MOST * player + i) for i in range(MOST)]
        words = ["bar" if place == self.bar else str(place) for place in places if place]
        return " ".join(words) or "off"

    def text(self, p: int) -> str:
        rolled = f", roll {get(p, ONE)}-{get(p, OTHER)}" if get(p, ONE) else ""
        sides = f"{self.side_text(p, 0)} | {self.side_text(p, 1)}"
        return f"{sides}, player {self.turn(p) + 1}{rolled}"

    def parse(self, s: str) -> int:
        side = r"\s*(off|(?:bar|\d+)(?: +(?:bar|\d+))*)\s*"
        found = re.fullmatch(rf"{side}\|{side},\s*player ([12])(?:,\s*roll (\d-\d))?\s*", s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        p = at(TURN, int(found[3]) - 1)
        for player in (0, 1):
            words = [] if found[1 + player] == "off" else found[1 + player].split()
            places = tuple(self.bar if word == "bar" else int(word) for word in words)
            if len(places) > self.checkers or not all(1 <= i <= self.bar for i in places):
                most = f"{self.checkers} checkers on points 1 to {self.points}"
                raise ValueError(f"{s!r}: a side has up to {most}, or on the bar")
            p |= self.placed(places, player)
        one, other = dice_of(found[4] or "", self.sides)
        won = [get(p, SIDE, player) == 0 for player in (0, 1)]
        # Who has borne off all checkers has passed the turn.
        if self.clash(p) or all(won) or (any(won) and (one or won[self.turn(p)])):
            raise ValueError(f"{s!r}: no such position can come about")
        return p | at(ONE, one) | at(OTHER, other)

    def way(self, both: int, dice: tuple[int, ...], goal: int) -> list[str] | None:
        """How numbers played in this order lead from both sides to others; None if they do not."""
        if both == goal:
            return []
        for q in self.steps(both, dice[0]) if dice else ():
            rest = self.way(q, dice[1:], goal)
            if rest is not None:
                start = next(i for i in range(self.bar, 0, -1) if self.left(both, q, i))
                to = max(start - dice[0], 0)
                hit = "*" if on_place(q, 1, self.bar) > on_place(both, 1, self.bar) else ""
                shown = "bar" if start == self.bar else start
                return [f"{shown}/{to or 'off'}{hit}", *rest]
        return None

    def left(self, both: int, q: int, place: int) -> bool:
        """Whether the mover has fewer checkers on a place than before."""
        return on_place(q, 0, place) < on_place(both, 0, place)

    def move_text(self, p: int, m: int) -> str:
        both, one, other = self.seen(p), get(p, ONE), get(p, OTHER)
        orders = [(one,) * 4] if one == other else [(one, other), (other, one)]
        ways = [self.way(both, order, m) for order in orders]
        steps = min((way for way in ways if way is not None), key=len)
        return " ".join(steps) or "no move"

    def picture(self, p: int) -> str:
        """The board as player 1 sees it: their point 1 below on the right."""
        half = (self.points + 1) // 2
        wide, parts = 30 * half, []
        for point in range(1, self.points + 1):
            below = point <= half
            x = wide - 30 * point + 15 if below else 30 * (point - half) - 15
            y, up = (150, -1) if below else (20, 1)
            parts.append(
                svg.box(x - 13, 100 if below else 10, 26, 62, (svg.SHADE, svg.FIELD)[point % 2])
            )
            parts.append(svg.text(x, y + (22 if below else -18), point, 10, svg.FAINT))
            for player, place in ((0, point), (1, self.bar - point)):
                for i in range(on_place(p, player, place)):
                    parts.append(svg.stone(x, y + up * 12 * i, 9, player))
        for player in (0, 1):
            y = 40 + 90 * (1 - player)
            for i in range(on_place(p, player, self.bar)):
                parts.append(svg.stone(wide + 18 + 12 * i, y, 9, player))
            words = (
                f"player {player + 1}, bar"
                if on_place(p, player, self.bar)
                else f"player {player + 1}"
            )
            parts.append(svg.note(wide + 10, y + 20, words, 11))
        if self.to_move(p) != OVER:
            for i, die in enumerate((ONE, OTHER)):
                parts.append(
                    svg.die(wide + 84 + 28 * i, 28 + 90 * (1 - self.turn(p)), 24, get(p, die))
                )
        return svg.svg(wide + 144, 180, parts)
