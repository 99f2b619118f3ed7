"""Boards for a terminal: positions whose text has rows, drawn over several lines.

The rows are those that automatic pictures are made of (drawing/boards.py). Rows and columns get
names if moves use them: `b2`, counted from below or from above, or `1 2`. Which of these it is is
found by trying: what a move names must be a place that it changes."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, dropwhile, islice
from typing import Any

from perfectplay.drawing.boards import TextBoards, boards_in, text_board
from perfectplay.rules.capabilities import joint_moves
from perfectplay.rules.game import CHANCE, OVER, Game, first_positions

PLIES, MOVES = 8, 60
"""How many positions are looked at, and moves of each."""

_BEFORE = "(?<![a-wyz])"
"""What may not stand before a square: letters, but for x in Kxb2."""


@dataclass(frozen=True)
class Naming:
    """How moves name places: a pattern with groups `column` and `row`, and what they are called,
    from the left and from the top. No `rows`: moves name columns alone."""

    pattern: re.Pattern[str]
    columns: tuple[str, ...]
    rows: tuple[str, ...]

    def place(self, move: str) -> tuple[int, int] | None:
        """Column and row of the last place that a move names, -1 for any row; None if it names
        none; IndexError if there is no such place."""
        named = [*self.pattern.finditer(move)]
        if not named:
            return None
        last = named[-1]
        if last["column"] not in self.columns or (self.rows and last["row"] not in self.rows):
            raise IndexError(move)
        row = self.rows.index(last["row"]) if self.rows else -1
        return self.columns.index(last["column"]), row


def namings(wide: int, high: int) -> Iterator[Naming]:
    """All ways in which moves may name places of a board."""
    letters = tuple(string.ascii_lowercase)
    counted = tuple(str(number) for number in range(max(wide, high) + 1))
    square = re.compile(rf"{_BEFORE}(?P<column>[a-z])(?P<row>\d+)")
    if wide <= len(letters):
        yield Naming(square, letters[:wide], counted[high:0:-1])
        yield Naming(square, letters[:wide], counted[1 : high + 1])
        yield Naming(re.compile("^(?P<column>[a-z])$"), letters[:wide], ())
    if high <= len(letters):
        square = re.compile(rf"{_BEFORE}(?P<row>[a-z])(?P<column>\d+)")
        yield Naming(square, counted[1 : wide + 1], letters[:high])
    for first, second in (("row", "column"), ("column", "row")):
        pair = re.compile(rf"^(?P<{first}>\d+)\D(?P<{second}>\d+)$")
        for base in (0, 1):
            yield Naming(pair, counted[base : wide + base], counted[base : high + base])


class BoardTexts:
    """The positions of one game as lines of text."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def lines(self, p: Any) -> tuple[str, ...]:
        """A position as a board with the words around it; nothing if its text is no board."""
        if _size(self._boards(p)) != self._size:
            return ()
        words, naming = self.game.text(p), self._naming
        columns, rows = (naming.columns, naming.rows) if naming else ((), ())
        return text_board(words, columns, rows, self._first)

    def _boards(self, p: Any) -> TextBoards | None:
        return boards_in(self.game.text(p), self._first)

    def _first(self) -> str:
        return self.game.text(next(first_positions(self.game)))

    @cached_property
    def _walks(self) -> list[list[tuple[Any, TextBoards | None]]]:
        """A few positions from the start on, with their boards: by first moves, and by last."""
        return [
            [(p, self._boards(p)) for p in islice(self._walk(place), PLIES)] for place in (0, -1)
        ]

    def _walk(self, place: int) -> Iterator[Any]:
        game = self.game
        p = next(first_positions(game))
        while True:
            yield p
            kind = game.to_move(p)
            if kind == OVER:
                return
            if kind == CHANCE:
                follows = [q for _, q in islice(game.chances(p), MOVES)]
            else:
                follows = [game.play(p, m) for m in islice(joint_moves(game, p), MOVES)]
            if not follows:
                return
            p = follows[place]

    @cached_property
    def _size(self) -> tuple[int, int, int]:
        """Number, height and width of the boards; zeros if positions are not boards. Rows of one
        length that come about by chance, as on Hanoi's pegs, are none."""
        found: set[tuple[int, int, int]] = set()
        for walk in self._walks:
            sizes = [_size(board) for _, board in walk]
            found.update(dropwhile(lambda size: size == _NONE, sizes))  # before men are placed
        return found.pop() if len(found) == 1 else _NONE

    @cached_property
    def _naming(self) -> Naming | None:
        """How moves name places, if exactly one way fits all moves that were looked at."""
        _, high, wide = self._size
        changes = [*self._changes()]
        fitting = [naming for naming in namings(wide, high) if _fits(naming, changes)]
        return fitting[0] if len(fitting) == 1 else None

    def _changes(self) -> Iterator[tuple[str, set[tuple[int, int]]]]:
        """Moves, each with the columns and rows of the places that it changes."""
        game = self.game
        for p, before in chain.from_iterable(self._walks):
            if _size(before) != self._size or game.to_move(p) < 0:
                continue
            for m in islice(game.moves(p), MOVES):
                after = self._boards(game.play(p, m))
                if before and after and _size(after) == self._size:
                    yield game.move_text(p, m), _changed(before, after)


_NONE = (0, 0, 0)


def _size(found: TextBoards | None) -> tuple[int, int, int]:
    return (len(found.boards), found.high, found.wide) if found else _NONE


def _changed(before: TextBoards, after: TextBoards) -> set[tuple[int, int]]:
    return {
        (j, i)
        for old, new in zip(before.boards, after.boards, strict=True)
        for i, (row, other) in enumerate(zip(old, new, strict=True))
        for j, (mark, now) in enumerate(zip(row, other, strict=True))
        if mark != now
    }


def _fits(naming: Naming, changes: list[tuple[str, set[tuple[int, int]]]]) -> bool:
    """Whether some moves name places in this way, and all of those change what they name."""
    named = 0
    for move, changed in changes:
        try:
            place = naming.place(move)
        except IndexError:
            return False
        if place is None:
            continue
        column, row = place
        if not any(j == column and row in (i, -1) for j, i in changed):
            return False
        named += 1
    return named > 0
