"""Structures search: who wins one position of a game with structures, without solving all of them.

Of a few structures every position is solved twice: as if all others were won for a player, and as
if none were. Where the two agree, the value is proved. Where they do not, play goes on along the
best line of the hopeful solution, with every answer to it that is not refuted yet, until it comes
to structures that nobody has looked at. These are looked at next, and what hangs on them is solved
again. So structures are met in the order in which they matter, and most are never met.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError, UsageError
from perfectplay.games.chess.assumed_promotions import met
from perfectplay.games.chess.structures import Walks, bit
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game


@dataclass
class Question:
    """Whether a player wins a position."""

    game: Game
    walks: Walks
    player: int
    most: int
    """How many structures there is room for."""
    numbers: dict[Any, int] = field(default_factory=dict)
    keys: list[Any] = field(default_factory=list)
    children: list[Array] = field(default_factory=list)
    parents: list[set[int]] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    looked: list[bool] = field(default_factory=list)
    stopped: str = ""

    def __post_init__(self) -> None:
        shape = self.most, self.walks.places  # untouched memory costs nothing
        self.codes, self.hopeful = np.zeros(shape, np.int16), np.zeros(shape, np.int16)
        self.sign = 1 if self.player == 0 else -1
        self._reached = np.zeros(self.walks.words, np.int64)

    def number(self, key: Any) -> int:
        """The number of a structure; a new one is not looked at yet."""
        if key in self.numbers:
            return self.numbers[key]
        found = len(self.keys)
        if found == self.most:
            raise MemoryError
        self.numbers[key] = found
        self.keys.append(key)
        self.children.append(np.empty(0, np.int32))
        self.parents.append(set())
        self.looked.append(False)
        self.levels.append(self.walks.level(key))
        self.walks.everywhere(key, self._reached)
        for codes, sign in ((self.codes, -self.sign), (self.hopeful, self.sign)):
            self.walks.assumed(key, self._reached, codes[found], sign, self.player)
        return found

    def answer(self, start: Any, until: float, progress: Progress) -> bool | None:
        """True: they win; False: they do not; None: it was stopped before that was known."""
        key, place = self.walks.placed(start)  # type: ignore[misc]
        try:
            first = self.number(key)
            self._look({first})
            while True:
                if self.sign * int(self.codes[first, place]) > 3:
                    return True
                if self.sign * int(self.hopeful[first, place]) <= 3:
                    return False
                if time.monotonic() > until:
                    self.stopped = "seconds"
                    return None
                found = self._met(first, place)
                if not found:
                    raise RulesError("no structure is left to look at, and nothing is known")
                self._look(found)
                progress.advance(len(found))
        except MemoryError:
            self.stopped = "memory"
            return None

    def _look(self, some: set[int]) -> None:
        """Look at structures, and solve again what hangs on them."""
        walks = self.walks
        for number in some:
            key = self.keys[number]
            exits, keys = walks.exits(key)
            walks.everywhere(key, self._reached)
            used = walks.leave(self._reached, exits)[1]
            self.looked[number] = True
            reached = self._reached.copy()
            children = [
                self.number(key) if use else -1 for key, use in zip(keys, used, strict=True)
            ]
            self._reached = reached
            self.children[number] = np.array(children, np.int32)
            for child in children:
                if child >= 0:
                    self.parents[child].add(number)
        self._again(some)

    def _again(self, some: set[int]) -> None:
        """Solve structures again, and what hangs on them."""
        waiting = [(self.levels[n], n) for n in some]
        heapq.heapify(waiting)
        queued = set(some)
        while waiting:
            _, number = heapq.heappop(waiting)
            queued.discard(number)
            if self._settled(number):
                for parent in self.parents[number] - queued:
                    queued.add(parent)
                    heapq.heappush(waiting, (self.levels[parent], parent))

    def _settled(self, number: int) -> bool:
        """Solve a structure both ways; whether anything changed."""
        walks, key = self.walks, self.keys[number]
        exits, changed = walks.exits(key)[0], False
        walks.everywhere(key, self._reached)
        for codes in (self.codes, self.hopeful):
            before = codes[number].copy()
            walks.opened(self._reached, codes[number])
            walks.settle(key, codes, number, exits, self.children[number])
            changed = changed or not np.array_equal(before, codes[number])
        return changed

    def proved(self, start: Any, until: float, progress: Progress) -> str:
        """What is to be said of a win: whether it rests on guesses that are not proved."""
        walks, name = self.walks, self.walks.name
        walks.until = until
        try:
            while True:
                held, failed = met(self, start, self.player)
                if not failed:
                    many = f"the {held:,} that are needed are proved to win"
                    return f"{name}: exact; {many if held else 'none is needed'}"
                self._again({self.numbers[key] for key in walks.doubted()})
                if not self.answer(start, until, progress):
                    why = f"{failed:,} not proved to win"
                    break
        except TimeoutError:
            why = "time was up"
        doubted = {self.numbers[key] for key in walks.doubted()}
        walks.trust()
        self.stopped = ""
        self._again(doubted)
        return f"{name}: assumed to win, which may matter ({why})"

    def _met(self, first: int, place: int) -> set[int]:
        """The structures nobody has looked at, to which the hopeful line leads."""
        walks = self.walks
        marks = np.zeros((len(self.keys), walks.words), np.int64)
        marks[first, place >> 6] = bit(place & 63)
        found: set[int] = set()
        waiting, queued = [(-self.levels[first], first)], {first}
        while waiting:
            number = heapq.heappop(waiting)[1]
            if not self.looked[number]:
                found.add(number)
                continue
            key, children = self.keys[number], self.children[number]
            moves = walks.exits(key)[0], children
            walks.follow(key, self.hopeful, number, moves, marks, self.player, self.codes)
            for child in set(children[children >= 0].tolist()) - queued:
                if marks[child].any():
                    queued.add(child)
                    heapq.heappush(waiting, (-self.levels[child], child))
        return found


@dataclass(frozen=True)
class Found:
    """What was found about a position."""

    lower: int
    upper: int
    """Between these the outcome to player 0 lies."""
    structures: int
    """How many were looked at."""
    stopped: str
    """Why that is not one outcome: "seconds", "memory", or nothing."""
    value: Callable[[Any], tuple[int, int] | None]
    """The proved outcome of a position to its player to move, and the plies in which it is sure
    to end; None if nothing is proved."""
    placed: Callable[[Any], bool]
    """Whether a position lies in a structure, not between two."""
    note: str = ""
    """What it rests on."""


def search_structures(
    game: Any, start: Any, progress: Progress, *, seconds: float, size: int
) -> Found:
    """Who wins a position, as far as structures that fit in so many bytes tell."""
    walks: Walks = game.structures()
    if walks.placed(start) is None:
        raise UsageError(
            "a position between two structures cannot be searched", "make a move first"
        )
    room = size // (4 * walks.places + 16 * walks.words)
    bounds, looked, stopped, won = [-1, 1], 0, "", None
    until = time.monotonic() + seconds
    progress.start("search")
    note = walks.said or f"{walks.name}: assumed to win, which was not looked into"
    for player, end in ((0, 1), (1, 0)):
        question = Question(game, walks, player, room)
        found = question.answer(start, until, progress)
        looked += sum(question.looked)
        stopped = stopped or question.stopped
        if found:
            bounds, won = [question.sign, question.sign], question
            note = walks.said or question.proved(start, until, progress)
            break
        if found is False:
            bounds[end] = 0
    if bounds == [0, 0] and not walks.said and _surely_drawn(game, walks, start, until, room):
        note = f"{walks.name}: exact; whatever they are worth, nobody wins"
    progress.finish()

    def value(p: Any) -> tuple[int, int] | None:
        at = walks.placed(p)
        number = None if at is None or won is None else won.numbers.get(at[0])
        if at is None or won is None or number is None or not won.looked[number]:
            return None
        outcome, depth = walks.read(won.codes[number, at[1]], at[1]).tolist()
        mine = outcome if game.to_move(p) == 0 else -outcome
        return (outcome, depth) if mine == won.sign else None

    inside = lambda p: walks.placed(p) is not None  # noqa: E731
    return Found(bounds[0], bounds[1], looked, stopped, value, inside, note)


def _surely_drawn(game: Game, walks: Walks, start: Any, until: float, room: int) -> bool:
    """Whether neither player wins, even if every guess of the other's were wrong."""
    for player in (0, 1):
        walks.suppose(1 - player, -1)
        found = Question(game, walks, player, room).answer(start, until, Silent())
        walks.suppose(1 - player, 1)
        if found is not False:
            return False
    return True
