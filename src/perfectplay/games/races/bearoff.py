"""Bear-off: the end of backgammon, when the two sides have passed each other.

A side has checkers on points 1, 2, …; the first six are its home board. It rolls two dice and
plays each number with any checker, both numbers with one checker if it likes, a double four times.
A number moves a checker that many points down. Once all checkers are at home a number also bears
off a checker: from the point of that number, or from the highest point that has one if that is
lower than the number. Numbers must be played as long as there are checkers; in a race every number
can be. One side alone wants to be rid of its checkers in as few rolls as possible on average.

`layout` counts the checkers on points 1, 2, …; without it, all layouts of up to `checkers` of them
are first positions. Check: a lone checker on point 6 takes 5/4 rolls on average, three checkers on
point 1 take 11/6.

A position is one integer: four bits for the checkers on each of twelve points, three for each of
the dice, the larger first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get

HOME = 6
BOARD, ONE, OTHER = fields(48, 3, 3)
POINT = BOARD.each(4)


def on_point(board: int, point: int) -> int:
    """How many checkers are on a point; the lowest point is 1."""
    return get(board, POINT, point - 1)


def highest(board: int) -> int:
    """The highest point with a checker; 0 if there is none."""
    point = 0
    while board:
        board >>= 4
        point += 1
    return point


def steps(board: int, die: int) -> Iterator[int]:
    """Yield the boards after one number of the dice."""
    top = highest(board)
    for point in range(top, 0, -1):
        if on_point(board, point):
            if point > die:
                yield board - at(POINT, 1, point - 1) + at(POINT, 1, point - die - 1)
            elif top <= HOME and point in (die, top):
                yield board - at(POINT, 1, point - 1)


def results(board: int, one: int, other: int) -> list[int]:
    """All boards that a roll can lead to, each once."""
    found = further(further([board], one), other)
    if one == other:
        return further(further(found, one), one)
    for q in further(further([board], other), one):
        if q not in found:
            found.append(q)
    return found


def further(boards: list[int], die: int) -> list[int]:
    """All boards after one more number, each once; an empty board stays as it is."""
    found = [-1]
    for board in boards:
        if board == 0 and board not in found:
            found.append(board)
        for q in steps(board, die):
            if q not in found:
                found.append(q)
    return found[1:]


def pips(board: int) -> int:
    """How many points all checkers together are from being off."""
    total, point = 0, 0
    while board:
        point += 1
        total += point * (board & 15)
        board >>= 4
    return total


def way(board: int, dice: tuple[int, ...], goal: int) -> str | None:
    """A way to play the dice in this order from board to goal; None if there is none."""
    if board == goal and (not dice or board == 0):
        return ""
    for q in steps(board, dice[0]) if dice else ():
        rest = way(q, dice[1:], goal)
        if rest is not None:
            point = next(i for i in range(1, 13) if on_point(q, i) < on_point(board, i))
            to = point - dice[0]
            return f"{point}/{to if to > 0 else 'off'} {rest}".strip()
    return None


def checkers_moved(board: int, one: int, other: int, goal: int) -> str:
    """How the dice lead from board to goal, as "6/3 5/off"."""
    double = one == other
    found = way(board, (one,) * 4 if double else (one, other), goal)
    return found if found is not None else str(way(board, (other, one), goal))


def layouts(points: int, checkers: int) -> Iterator[int]:
    """Yield all boards with up to `checkers` checkers, most on the highest point first."""
    if points == 0:
        yield 0
        return
    for here in range(checkers, -1, -1):
        for rest in layouts(points - 1, checkers - here):
            yield rest | at(POINT, here, points - 1)


def packed(layout: tuple[int, ...]) -> int:
    """A board from the numbers on its points."""
    return sum(at(POINT, number, i) for i, number in enumerate(layout))


def dice_of(word: str, sides: int) -> tuple[int, int]:
    """The dice of a word like "6-3", the larger first; (0, 0) for an empty one."""
    if not word:
        return 0, 0
    one, other = (int(digit) for digit in word.split("-"))
    if not 1 <= other <= one <= sides:
        raise ValueError(f"{word!r}: dice show 1 to {sides}, the larger is named first")
    return one, other


@dataclass(frozen=True)
class DiceRace(Game):
    """Checkers on points and two dice of `sides` faces. Subclasses say what is wanted."""

    points: int = 6
    checkers: int = 15
    sides: int = field(default=6, kw_only=True)
    layout: tuple[int, ...] = field(default=(), kw_only=True)

    native = True

    def __post_init__(self) -> None:
        most = self.most_points()
        fits = 1 <= self.points <= most and 1 <= self.checkers <= 15 and 1 <= self.sides <= 6
        if not fits:
            raise UsageError(
                f"no board with {self.points} points, {self.checkers} checkers and dice of "
                f"{self.sides} faces",
                f"use 1 to {most} points, 1 to 15 checkers and dice of 1 to 6 faces",
            )
        self.check_layout(self.layout)

    def most_points(self) -> int:
        """How many points a board may have."""
        return 12

    def check_layout(self, layout: tuple[int, ...]) -> None:
        """Refuse a layout that is no board of this game."""
        fits = len(layout) == self.points and min(layout) >= 0
        if layout and not (fits and 1 <= sum(layout) <= self.checkers):
            raise UsageError(
                f"no layout {','.join(map(str, layout))}",
                f"name {self.points} numbers, from point 1 on, together 1 to {self.checkers}",
            )

    def rolls(self, p: int) -> Iterator[tuple[int, int]]:
        """Yield the dice after a roll of both; `p` shows none."""
        for one in range(1, self.sides + 1):
            for other in range(1, one + 1):
                yield 1 if one == other else 2, p | at(ONE, one) | at(OTHER, other)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for weight, q in self.rolls(p):
            yield weight, q

    def board_text(self, board: int) -> str:
        """The numbers on all points, the lowest first."""
        return " ".join(str(on_point(board, i)) for i in range(1, self.points + 1))

    def board_parsed(self, words: str) -> int:
        """The board with these numbers on its points."""
        layout = tuple(int(word) for word in words.split())
        if len(layout) != self.points or sum(layout) > self.checkers:
            raise ValueError(f"{words!r}: a board looks like {self.board_text(1)!r}")
        return packed(layout)

    def drawn(self, board: int, player: int, y: float, high: int) -> Iterator[str]:
        """The points of one side, the highest on the left."""
        for point in range(1, self.points + 1):
            x = 30 * (self.points - point) + 15
            shade = svg.SHADE if point % 2 else svg.FIELD
            yield svg.box(x - 13, y, 26, 18 * high + 4, shade)
            yield svg.text(x, y + 18 * high + 14, point, 11, svg.FAINT)
            for i in range(on_point(board, point)):
                yield svg.stone(x, y + 18 * (high - i) - 7, 8, player)


@dataclass(frozen=True)
class BearOff(DiceRace):
    """One side alone: as few rolls as possible, on average."""

    players = 1
    minimise = True

    def starts(self) -> Iterator[int]:
        if self.layout:
            yield packed(self.layout)
        else:
            for board in layouts(self.points, self.checkers):
                yield board

    def start(self) -> int:
        return next(iter(self.starts()))

    def to_move(self, p: int) -> int:
        if p == 0:
            return OVER
        return 0 if get(p, ONE) else CHANCE

    def moves(self, p: int) -> Iterator[int]:
        for q in results(get(p, BOARD), get(p, ONE), get(p, OTHER)):
            yield q

    def play(self, p: int, m: int) -> int:
        return m

    def reward(self, p: int, m: int) -> int:
        return 1

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return pips(get(p, BOARD))

    def text(self, p: int) -> str:
        dice = f", roll {get(p, ONE)}-{get(p, OTHER)}" if get(p, ONE) else ""
        return self.board_text(p) + dice

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*([\d ]+?)\s*(?:,\s*roll (\d-\d))?\s*", s)
        if not found:
            raise ValueError(
                f"{s!r}: a position looks like {self.text(1 | at(ONE, 1) | at(OTHER, 1))!r}"
            )
        board, (one, other) = self.board_parsed(found[1]), dice_of(found[2] or "", self.sides)
        if one and not board:
            raise ValueError(f"{s!r}: there is nothing to roll for")
        return board | at(ONE, one) | at(OTHER, other)

    def move_text(self, p: int, m: int) -> str:
        return checkers_moved(get(p, BOARD), get(p, ONE), get(p, OTHER), m)

    def picture(self, p: int) -> str:
        board = get(p, BOARD)
        high = max(4, *(on_point(board, i) for i in range(1, 13)))
        parts = list(self.drawn(board, 0, 0, high))
        y = 18 * high + 26
        for i, die in enumerate((ONE, OTHER) if board else ()):
            parts.append(svg.die(30 * i, y, 24, get(p, die)))
        return svg.svg(max(60, 30 * self.points), y + 26, parts)
