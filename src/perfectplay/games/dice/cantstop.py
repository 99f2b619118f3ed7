"""Can't Stop: push markers up the columns of sums of dice, or stop and keep what was won.

Four dice of `sides` faces are rolled and paired into two sums. Column s, from 2 to 2 * sides, has
`short` spaces at the edges and two more for every column towards the middle. Each sum moves a
marker one space up its column, from where the player's own square is; there are `markers` of them
for a turn. Both sums must be moved if both can be, else the one that can; where only one marker is
left for two new columns the player chooses, as among pairings. If nothing can be moved the turn is
lost with all it has brought. After every move the player rolls again or stops; then their squares
go to where the markers stand. Who reaches the top of a column closes it to everybody; who has
closed `columns` of them wins at once. A player alone counts turns.

House rules: `decline`, one of two sums may be left unmoved; `share`, a turn may end on another
player's square (else it must go on); `jump`, markers pass over the squares of others. By default
there are as many markers as columns to close, as in the games that Glenn, Fang and Kruskal solved
(2009); `sides=6 short=3 columns=3 markers=3` is the game as it is sold.

Check: with sides=2 short=2 columns=1 three players win with 4096/5097, 832/5097 and 169/5097.

A position is a tuple: the squares of each player, the markers, and a word for what happens.
Heights take four bits for each column, the leftmost lowest. The last word has the player on turn
in bits 0-3, the stage in 4-7, and the dice, smallest first, four bits each. The player on turn is
made the first; of closed columns only how many a player has counts; left and right do not matter.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random

from perfectplay.games.dice.cantstop_counts import (
    Size,
    counts,
    index_size,
    placement,
    turn_size,
)
from perfectplay.games.dice.cantstop_shown import (
    BEGIN,
    DECIDING,
    DICE,
    LOST,
    MOVING,
    ROLL,
    ROLLING,
    STAGE,
    STOP,
    TURN,
    WON,
    Shown,
)
from perfectplay.games.prizes import winner_takes_all
from perfectplay.games.puzzles.columns import (
    height,
    lifted,
    packed,
    refuse_sizes,
    reversed_columns,
    turned_dice,
    ways,
)
from perfectplay.rules.capabilities import ByTurns
from perfectplay.rules.game import CHANCE, OVER, replaced
from perfectplay.rules.packing import at, get, put

DIE = DICE.each(4)


@dataclass(frozen=True)
class CantStop(ByTurns, Shown):
    """A race up the columns of sums; every turn may be pushed too far."""

    players: int = 2
    sides: int = 3
    short: int = 1
    columns: int = 2
    markers: int = 0
    decline: bool = field(default=False, kw_only=True)
    share: bool = field(default=False, kw_only=True)
    jump: bool = field(default=False, kw_only=True)

    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """A player alone counts turns."""
        return self.players == 1

    def __post_init__(self) -> None:
        refuse_sizes(self.players, self.sides, self.short, self.columns, self.markers)

    @property
    def count(self) -> int:  # type: ignore[override]
        """How many markers there are."""
        return self.markers or self.columns

    @cached_property
    def prizes(self) -> tuple[tuple[int, ...], ...]:
        """What each player gets, by winner."""
        return winner_takes_all(self.players)

    # -- Counts; plan uses them. ------------------------------------------------------------------

    @property
    def counts(self) -> Size:
        """How many components and positions there are, by formula."""
        tops = tuple(self.tops())
        return counts(tops, self.players, self.columns, self.count, share=self.share)

    @property
    def index_size(self) -> int:
        """How many numbers the index of components takes: T(d) for every column, multiplied."""
        return index_size(self.tops(), self.players)

    @property
    def index_wasted(self) -> Fraction:
        """Which part of a plain index, a digit for each square, stands for no component."""
        plain = math.prod(1 + top for top in self.tops()) ** self.players
        return 1 - Fraction(self.index_size, plain)

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        """One anchor for each placement of squares, and the end."""
        return self.counts.components + 1

    @property
    def most_inside(self) -> int:  # type: ignore[override]
        """The player on turn is the first in every position that is stored."""
        return self.counts.positions // self.players

    def inside(self, p: tuple[int, ...]) -> int:
        width = 2 * self.sides - 1
        own = [height(p[self.turn(p)], column) for column in range(width)]
        closed = [self.closed(p, column) for column in range(width)]
        return turn_size(self.tops(), own, closed, self.count)

    def example(self, draw: Random) -> tuple[int, ...]:
        squares = placement(draw, self.tops(), self.players, self.columns, share=self.share)
        return (*map(packed, squares), 0, 0)

    # -- The board. -------------------------------------------------------------------------------

    def top(self, column: int) -> int:
        """How many spaces a column has; columns are counted from 0."""
        return self.short + 2 * min(column, 2 * self.sides - 2 - column)

    def closed(self, p: tuple[int, ...], column: int) -> bool:
        """Whether a player has reached the top of a column."""
        top = self.top(column)
        found = False
        for player in range(self.players):
            found = found or height(p[player], column) == top
        return found

    def occupied(self, p: tuple[int, ...], column: int, space: int) -> bool:
        """Whether a square of another player than the one on turn is on a space."""
        turn = self.turn(p)
        for player in range(self.players):
            if player != turn and height(p[player], column) == space:
                return True
        return False

    def advanced(self, p: tuple[int, ...], markers: int, column: int) -> int:
        """The markers after a step up a column; -1 if that is not possible."""
        here = height(markers, column)
        if here == 0:
            used = 0
            for c in range(2 * self.sides - 1):
                used += height(markers, c) > 0
            if used == self.count or self.closed(p, column):
                return -1
            here = height(p[self.turn(p)], column)
        top = self.top(column)
        if here == top:
            return -1
        here += 1
        while self.jump and here < top and self.occupied(p, column, here):
            here += 1
        return lifted(markers, column, here)

    def paired(self, p: tuple[int, ...], way: int) -> int:
        """The markers after one way to use the dice; -1 if there is no such way.

        Ways are 3 * pairing + part: both sums, the first alone, the second alone."""
        dice = get(p[self.players + 1], DICE)
        one, two, three, four = height(dice, 0), height(dice, 1), height(dice, 2), height(dice, 3)
        pairing, part = way // 3, way % 3
        if pairing == 0:
            first, second = one + two - 2, three + four - 2
        elif pairing == 1:
            first, second = one + three - 2, two + four - 2
        else:
            first, second = one + four - 2, two + three - 2
        markers = p[self.players]
        step = self.advanced(p, markers, first)
        both = self.advanced(p, step, second) if step >= 0 else -1
        if part == 0:
            return both
        if both >= 0 and not self.decline:
            return -1
        return step if part == 1 else self.advanced(p, markers, second)

    def stuck(self, p: tuple[int, ...]) -> bool:
        """Whether the dice allow no move."""
        markers = -1
        for way in range(9):
            markers = max(markers, self.paired(p, way))
        return markers < 0

    def won_by(self, p: tuple[int, ...], markers: int) -> bool:
        """Whether the player on turn has closed enough columns."""
        squares = p[self.turn(p)]
        found = 0
        for column in range(2 * self.sides - 1):
            top = self.top(column)
            found += height(squares, column) == top or height(markers, column) == top
        return found >= self.columns

    def settled(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """The squares of the player on turn are where the markers stand, which are taken up."""
        turn, markers = self.turn(p), p[self.players]
        squares = p[turn]
        for column in range(2 * self.sides - 1):
            if height(markers, column):
                squares = lifted(squares, column, height(markers, column))
        return replaced(replaced(p, turn, squares), self.players, 0)

    def passed(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """The next player's turn begins, without markers."""
        following = (self.turn(p) + 1) % self.players
        word = at(TURN, following) | at(STAGE, BEGIN)
        return replaced(replaced(p, self.players, 0), self.players + 1, word)

    def may_stop(self, p: tuple[int, ...]) -> bool:
        """Whether the turn may end with the markers where they are."""
        markers = p[self.players]
        for column in range(2 * self.sides - 1):
            here = height(markers, column)
            if here and here < self.top(column) and self.occupied(p, column, here):
                return self.share
        return True

    # -- Play. ------------------------------------------------------------------------------------

    def start(self) -> tuple[int, ...]:
        return (0,) * (self.players + 2)

    def staged(self, p: tuple[int, ...], stage: int) -> tuple[int, ...]:
        """The position at another stage, without dice."""
        return replaced(p, self.players + 1, at(TURN, self.turn(p)) | at(STAGE, stage))

    def to_move(self, p: tuple[int, ...]) -> int:
        stage = self.stage(p)
        if stage == WON:
            return OVER
        return CHANCE if stage == ROLLING else self.turn(p)

    def moves(self, p: tuple[int, ...]) -> Iterator[int]:
        if self.stage(p) == MOVING:
            for way in range(9):
                markers = self.paired(p, way)
                seen = markers < 0
                for other in range(way):
                    seen = seen or self.paired(p, other) == markers
                if not seen:
                    yield markers
        elif self.stage(p) == LOST:
            yield STOP
        else:
            yield ROLL
            if self.stage(p) == DECIDING and self.may_stop(p):
                yield STOP

    def play(self, p: tuple[int, ...], m: int) -> tuple[int, ...]:
        if self.stage(p) == MOVING:
            moved = replaced(p, self.players, m)
            if self.won_by(p, m):
                return self.staged(self.settled(moved), WON)
            return self.staged(moved, DECIDING)
        return self.staged(p, ROLLING) if m == ROLL else self.passed(self.settled(p))

    def chances(self, p: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        lost = 0
        for one in range(1, self.sides + 1):
            for two in range(one, self.sides + 1):
                for three in range(two, self.sides + 1):
                    for four in range(three, self.sides + 1):
                        dice = (
                            at(DIE, one) | at(DIE, two, 1) | at(DIE, three, 2) | at(DIE, four, 3)
                        )
                        word = at(TURN, self.turn(p)) | at(STAGE, MOVING) | dice
                        rolled = replaced(p, self.players + 1, word)
                        if self.stuck(rolled):
                            lost += ways(one, two, three, four)
                        else:
                            yield ways(one, two, three, four), rolled
        if lost:
            yield lost, self.staged(replaced(p, self.players, 0), LOST)

    def payoff(self, p: tuple[int, ...]) -> tuple[int, ...]:
        return self.prizes[self.turn(p)]

    def reward(self, p: tuple[int, ...], m: int) -> int:
        return 1 if self.players == 1 and self.stage(p) == BEGIN else 0

    def stratum(self, p: tuple[int, ...]) -> int:
        """How many spaces the squares have left, a closed column having none."""
        left = 0
        if self.stage(p) == WON:
            return left
        for column in range(2 * self.sides - 1):
            if not self.closed(p, column):
                for player in range(self.players):
                    left += self.top(column) - height(p[player], column)
        return left

    def anchor(self, p: tuple[int, ...]) -> bool:
        return self.stage(p) == BEGIN

    def pattern(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """Squares of others matter inside a turn only if they close a column, or are jumped."""
        turn, q = self.turn(p), p
        if self.jump or self.players == 1:
            return p
        closed = 0
        for column in range(2 * self.sides - 1):
            top = self.top(column)
            if self.closed(p, column) and height(p[turn], column) != top:
                closed = lifted(closed, column, top)
        for player in range(self.players):
            if player != turn:
                q = replaced(q, player, closed if player == (turn + 1) % self.players else 0)
        return q

    def carried(self, q: tuple[int, ...], p: tuple[int, ...]) -> tuple[int, ...]:
        return replaced(
            replaced(replaced(p, self.turn(p), q[self.turn(p)]), self.players, q[self.players]),
            self.players + 1,
            q[self.players + 1],
        )

    # -- Symmetry. --------------------------------------------------------------------------------

    def representative(self, p: tuple[int, ...]) -> tuple[int, ...]:
        first = self.rotated(p)
        if self.stage(p) == WON:  # nothing else matters then
            for word in range(self.players + 1):
                first = replaced(first, word, 0)
            return first
        q, r = self.in_player_order(first), self.in_player_order(self.mirrored(first))
        return r if r < q else q

    def in_player_order(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """The position with closed columns given to players in order, as many as each has."""
        q, width = p, 2 * self.sides - 1
        for player in range(self.players):
            q = replaced(q, player, 0)
        taker, taken = 0, 0
        for column in range(width):
            if self.closed(p, column):
                while taken == self.completed(p, taker):
                    taker, taken = taker + 1, 0
                q = replaced(q, taker, lifted(q[taker], column, self.top(column)))
                taken += 1
            else:
                for player in range(self.players):
                    here = height(p[player], column)
                    q = replaced(q, player, lifted(q[player], column, here))
        return q

    def completed(self, p: tuple[int, ...], player: int) -> int:
        """How many columns a player has closed."""
        found = 0
        for column in range(2 * self.sides - 1):
            found += height(p[player], column) == self.top(column)
        return found

    def rotated(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """The player on turn comes first."""
        turn, q = self.turn(p), p
        for player in range(self.players):
            q = replaced(q, player, p[(player + turn) % self.players])
        return replaced(q, self.players + 1, put(p[self.players + 1], TURN, 0))

    def mirrored(self, p: tuple[int, ...]) -> tuple[int, ...]:
        """Left and right exchanged, for columns and for dice."""
        q, width = p, 2 * self.sides - 1
        for word in range(self.players + 1):
            q = replaced(q, word, reversed_columns(p[word], width))
        state = p[self.players + 1]
        dice = get(state, DICE)
        if dice:
            state = put(state, DICE, turned_dice(dice, self.sides))
        return replaced(q, self.players + 1, state)
