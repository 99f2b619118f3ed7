"""Summands: what has a value and moves of its own.

ValueSummand  a value by itself
Heap          a heap of Nim; Taken is one of any game of taking and breaking
Bush          a Hackenbush picture, Endless a string without end
Board         a board of any rules for Left and Right
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from perfectplay.sums.bag import LEFT, RIGHT, Bag, Worth
from perfectplay.sums.canonical_form import Short, plain_value
from perfectplay.sums.hackenbush.picture import Picture
from perfectplay.sums.hackenbush.strings import BLUE, RED, Word, number, string
from perfectplay.sums.hackenbush.surreal import Surreal
from perfectplay.sums.partizan import Partizan, value_of

if TYPE_CHECKING:
    from perfectplay.sums.heaps.heap_game import HeapGame


@dataclass(frozen=True)
class SummandMove:
    """A move in one summand."""

    name: str
    value: Worth
    """What the summand is worth after the move."""


class Summand(Protocol):
    """What a sum asks of its summands."""

    @property
    def text(self) -> str:
        """The summand as one line."""

    @property
    def value(self) -> Worth:
        """What the summand is worth."""

    def moves(self, player: int) -> Iterator[SummandMove]:
        """All moves of a player, LEFT or RIGHT."""

    def svg(self) -> str:
        """A drawing of the summand; empty if there is none."""


@dataclass(frozen=True)
class ValueSummand:
    """A value by itself; its moves are its options in canonical form."""

    value: Short

    @property
    def text(self) -> str:
        return str(self.value)

    def moves(self, player: int) -> Iterator[SummandMove]:
        for option in self.value.right if player else self.value.left:
            yield SummandMove(f"to {option}", option)

    def svg(self) -> str:
        return self.value.thermograph().picture(str(self.value))


@dataclass(frozen=True)
class Heap:
    """A heap of Nim."""

    size: int

    @property
    def text(self) -> str:
        return str(self.size)

    @property
    def value(self) -> Short:
        return plain_value((0, 0, 0, self.size))

    def moves(self, player: int) -> Iterator[SummandMove]:
        for left in range(self.size):
            yield self.step(left)

    def step(self, left: int) -> SummandMove:
        """The move that leaves so many counters."""
        return SummandMove(f"{self.size}->{left}", plain_value((0, 0, 0, left)))

    def svg(self) -> str:
        return ""


@dataclass(frozen=True)
class Taken:
    """A heap of a game of taking and breaking (sums/heaps/heap_game.py)."""

    game: HeapGame
    size: int

    @property
    def text(self) -> str:
        return f"{self.size} of {self.game.asked}"

    @cached_property
    def value(self) -> Short:
        return plain_value((0, 0, 0, self.game.value(self.size)))

    def moves(self, player: int) -> Iterator[SummandMove]:
        for move in self.game.moves(self.size):
            nim = self.game.nim_sum(move.leaves)
            yield SummandMove(move.text, plain_value((0, 0, 0, nim)))

    def svg(self) -> str:
        return ""


@dataclass(frozen=True)
class Bush:
    """A Hackenbush picture with finitely many edges, or what of it hangs together without the
    ground; `whole` is then the picture that it was taken from."""

    picture: Picture
    numbers: tuple[int, ...] = ()
    """The numbers that edges have in the whole picture, from 1; empty: their own."""
    whole: Picture | None = None

    @staticmethod
    def parts(whole: Picture) -> list[Bush | Endless]:
        """A picture, taken apart at the ground; edges keep their numbers."""
        found: list[Bush | Endless] = []
        for numbers in whole.apart():
            edges = tuple(whole.edges[i] for i in numbers)
            piece = Picture(edges, (), whole.names, whole.folder)
            found.append(Bush(piece, tuple(i + 1 for i in numbers), whole))
        found += [Endless(word) for word in whole.endless]
        return found or [Bush(whole)]

    @property
    def text(self) -> str:
        return str(self.picture)

    @cached_property
    def value(self) -> Short:
        return self.picture.folder.value(self.picture.edges)

    def moves(self, player: int) -> Iterator[SummandMove]:
        for i, after in self.picture.takes(player):
            number = self.numbers[i] if self.numbers else i + 1
            yield SummandMove(f"{self.picture.edges[i][2]}{number}", after)

    def svg(self) -> str:
        return self.picture.svg()


@dataclass(frozen=True)
class Endless:
    """A Hackenbush string without end."""

    word: Word

    @property
    def text(self) -> str:
        return str(self.word)

    @cached_property
    def value(self) -> Surreal:
        return number(self.word)

    def moves(self, player: int) -> Iterator[SummandMove]:
        """Only those in which no edge below is of the same kind; see `winning`."""
        return iter(())

    def winning(self, player: int, rest: Bag) -> list[SummandMove]:
        """The lowest move that wins beside `rest`, if any does. Higher ones win too: what Left's
        moves leave grows with their height. The lowest is where the string and that of the number
        to be reached first differ, or the next one above if just that number is not enough."""
        word, wanted = self.word, string(-rest.stop(1 - player))
        if player == RIGHT:
            word, wanted = -word, -wanted
        for block, place in _above(word, wanted):
            left = self.word.below(block, place)
            after = rest.copy()
            after.add(number(left))
            if not after.wins(1 - player):
                colour = BLUE if player == LEFT else RED
                name = f"{colour}{_ordinal(block, place)} or above in {self.text}"
                return [SummandMove(name, number(left))]
        return []

    def svg(self) -> str:
        return Picture((), (self.word,)).svg()


def _above(word: Word, wanted: Word) -> Iterator[tuple[int, int]]:
    """Up to two places of blue edges, lowest first: those where taking the edge leaves at least
    the number of `wanted`, or more. None if the word is not above it."""
    found = 0
    higher = False
    for block in range(len(word.blocks) + 1):
        here = _piece(word, block)
        there = _piece(wanted, block)
        length = _enough(here, there)
        for place in range(length):
            colour = _letter(here, place)
            if not higher and colour != (other := _letter(there, place)):
                if colour != BLUE and not (colour == "" and other == RED):
                    return
                higher = True
            if not colour:
                break
            if higher and colour == BLUE:
                yield block, place
                found += 1
                if found == 2:
                    return


def _piece(word: Word, block: int) -> tuple[str, str]:
    if block < len(word.blocks):
        return word.blocks[block]
    return (word.end if block == len(word.blocks) else ""), ""


def _letter(piece: tuple[str, str], place: int) -> str:
    before, period = piece
    if place < len(before):
        return before[place]
    return period[(place - len(before)) % len(period)] if period else ""


def _enough(one: tuple[str, str], other: tuple[str, str]) -> int:
    """So many edges that two pieces which agree on them agree for ever, and some more."""
    return max(len(one[0]), len(other[0])) + 2 * max(1, len(one[1])) * max(1, len(other[1])) + 2


def _ordinal(block: int, place: int) -> str:
    """The number of an edge, counted from 1 through pieces that are ω edges long."""
    high = "" if block == 0 else "ω+" if block == 1 else f"{block}ω+"
    return f"{high}{place + 1}"


@dataclass(frozen=True)
class Board:
    """A board of rules for Left and Right."""

    game: Partizan
    board: Any

    @property
    def text(self) -> str:
        return self.game.board_text(self.board)

    @cached_property
    def value(self) -> Short:
        return value_of(self.game, self.board)

    def moves(self, player: int) -> Iterator[SummandMove]:
        for after in dict.fromkeys(self.game.options(self.board, player)):
            name = self.game.step_text(self.board, after, player)
            yield SummandMove(name, value_of(self.game, after))

    def svg(self) -> str:
        return self.game.board_picture(self.board)
