"""Guesses: whether a solution rests on ends of play whose worth was assumed.

Bellman (1965) stops where a pawn is promoted, "assumed recognisable". A game with structures may
do so: its walks then say which guesses best play meets, and prove them one by one, by other
means. A value of which every guess that its player needs is proved is exact. Where a proof fails,
the guess counts as lost for the player who relies on it, all is solved again, and so on: what is
left is what the player has for certain, so that the truth lies between two values.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.games.chess.structures import StructureFinder, bit
from perfectplay.progress import Progress


@dataclass(frozen=True)
class Rest:
    """What a value of the start rests on."""

    value: int
    """What the guesses give: the outcome to player 0."""
    lower: int
    upper: int
    """What is proved: the outcome lies between these."""
    proved: int
    """Guesses that were met and proved."""
    doubted: int
    """Guesses that were met and could not be proved."""
    late: bool = False
    """Whether there was no time to prove all."""

    @property
    def exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    def told(self, name: str) -> str:
        """The same for people; `name` is what player 0 is called."""
        if self.exact:
            met = f"exact; the {self.proved:,} that are needed are proved to win"
            return met if self.proved else "exact; none is needed"
        words = {-1: "lost", 0: "drawn", 1: "won"}
        why = "time was up" if self.late else f"{self.doubted:,} not proved to win"
        return (
            f"assumed to win, which may matter ({why}): for {name} at least "
            f"{words[self.lower]}, at most {words[self.upper]}"
        )


def rest(
    solver: StructureFinder, start: Any, progress: Progress, workers: int = 1,
    seconds: float = math.inf,
) -> Rest:  # fmt: skip
    """What the value of position `start`, in a solved game, rests on. Its values stay as
    they are."""
    solver.walks.until = time.monotonic() + seconds
    value = _value(solver, start)
    least, counts, late = [-1, -1], [0, 0, 0], False
    for player, sign in ((0, 1), (1, -1)):
        if sign * value < 0:
            continue  # it cannot be less
        try:
            least[player] = _least(solver, start, player, counts, progress, workers)
        except TimeoutError:
            late = True
        solver.walks.trust()
        if counts[2]:  # the values shown are those of the guesses
            solver.solve(progress, workers)
            counts[2] = 0
    return Rest(value, least[0], -least[1], counts[0], counts[1], late)


def _least(
    solver: StructureFinder, start: Any, player: int, counts: list[int], progress: Progress,
    workers: int,
) -> int:  # fmt: skip
    """What a player has for certain. Guesses that cannot be proved are doubted. Counted are
    those that are proved, those that are not, and how often all was solved again."""
    sign = 1 if player == 0 else -1
    aim = sign * _value(solver, start)
    while aim >= 0:
        proved, failed = met(solver, start, player)
        counts[0] = proved
        counts[1] += failed
        if not failed:
            return aim
        solver.solve(progress, workers)
        counts[2] += 1
        aim = sign * _value(solver, start)
    return -1


def _value(solver: StructureFinder, start: Any) -> int:
    """The outcome of a position to player 0."""
    key, place = solver.walks.placed(start)  # type: ignore[misc]
    won = int(solver.walks.read(solver.codes[solver.numbers[key], place], place)[0])
    return won if solver.game.to_move(start) == 0 else -won


def met(solver: Any, start: Any, player: int) -> tuple[int, int]:
    """How many guesses a player relies on that can be proved, and that cannot; these are doubted
    from now on."""
    walks = solver.walks
    marks = np.zeros((len(solver.keys), walks.words), np.int64)
    key, place = walks.placed(start)
    first = solver.numbers[key]
    marks[first, place >> 6] = bit(place & 63)
    order = sorted(range(len(solver.keys)), key=lambda i: -walks.level(solver.keys[i]))
    proved = failed = 0
    for number in order:
        if not marks[number].any():
            continue
        key, children = solver.keys[number], solver.children[number]
        exits, _ = walks.exits(key)
        if len(children) != len(exits):
            continue  # a search did not look there: the player has another answer
        if time.monotonic() > walks.until:
            raise TimeoutError
        moves = exits, children
        for guess in walks.follow(key, solver.codes, number, moves, marks, player):
            if walks.proved(key, exits, guess):
                proved += 1
            else:
                failed += 1
                walks.doubt(key, exits, guess)
    return proved, failed
