"""Partizan: rules with moves of Left and moves of Right, for values and for the engine alike.

The author writes what both players may do on a board, whoever is to move:

    @dataclass(frozen=True)
    class Cutcake(Partizan):
        rows: int = 2
        columns: int = 3

        def setup(self):
            return self.rows, self.columns

        def left(self, b):
            for row in range(1, b[0]):
                yield (row, b[1]), (b[0] - row, b[1])
        …

A board need not say whose turn it is. For the engine (`solve`, `probe`, `play`, `check`, `verify`)
a position is the board with the player to move, and `first` says who begins; a player who cannot
move loses. For values (`value_of`) turns do not matter.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from perfectplay.errors import RulesError, UsageError
from perfectplay.rules.capabilities import Decomposed
from perfectplay.rules.game import Game
from perfectplay.sums.canonical_form import ZERO, Short, added, canonical, negated
from perfectplay.sums.depth import deep

LEFT, RIGHT = 0, 1
NAMES = ("left", "right")


@dataclass(frozen=True)
class Partizan(Decomposed, Game):
    """Base of rules for Left and Right. Write `setup`, `left`, `right`; the rest is optional."""

    first: str = field(default="left", kw_only=True)
    """Who begins, left or right."""
    board: str = field(default="", kw_only=True)
    """A board to begin from, as `board_text` writes it; empty: that of `setup`."""

    # -- Written by the author. ---

    def setup(self) -> Any:
        """The board at the beginning."""
        raise NotImplementedError(f"{type(self).__name__} must define setup()")

    def left(self, b: Any) -> Iterable[Any]:
        """Yield the boards that Left can move to from `b`."""
        raise NotImplementedError(f"{type(self).__name__} must define left(b)")

    def right(self, b: Any) -> Iterable[Any]:
        """Yield the boards that Right can move to from `b`."""
        raise NotImplementedError(f"{type(self).__name__} must define right(b)")

    def decompose(self, b: Any) -> Iterable[Any]:
        """Yield boards that do not touch each other and are together worth as much as `b`; none
        if nobody can ever move."""
        yield b

    def normal(self, b: Any) -> Any:
        """One of all boards that are worth the same as `b` by symmetry, always the same one."""
        return b

    def swapped(self, b: Any) -> Any:
        """A board on which Left can do what Right can on `b`, and the other way round; None if
        there is no such symmetry. Boards must have an order then."""
        return None

    def board_text(self, b: Any) -> str:
        """The board as one line of text."""
        return repr(b)

    def parse_board(self, s: str) -> Any:
        """The board that `board_text` would write as `s`; raise ValueError if there is none."""
        return ast.literal_eval(s)

    def board_picture(self, b: Any) -> str:
        """The board as an SVG drawing."""
        from perfectplay.drawing.svg import plain_picture

        return plain_picture(self.board_text(b))

    def step_text(self, b: Any, after: Any, player: int) -> str:
        """The move of a player that leads from `b` to `after` as a short word."""
        return self.board_text(after)

    def options(self, b: Any, player: int) -> Iterable[Any]:
        """The boards that a player can move to, LEFT or RIGHT."""
        return self.right(b) if player else self.left(b)

    def first_board(self) -> Any:
        """The board that play begins from."""
        return self.read_board(self.board) if self.board else self.setup()

    def read_board(self, s: str) -> Any:
        """The board that a user wrote; UsageError if there is none."""
        try:
            return self.parse_board(s)
        except (ValueError, SyntaxError, TypeError, IndexError, KeyError) as error:
            if isinstance(error, UsageError):
                raise
            example = self.board_text(self.setup())
            raise UsageError(f"cannot read the board {s!r}: {error}", f"write {example}") from None

    # -- What the engine asks for. ---

    def start(self) -> Any:
        if self.first not in NAMES:
            raise UsageError(f"nobody is called {self.first!r}", "first is left or right")
        return self.first_board(), NAMES.index(self.first)

    def to_move(self, p: Any) -> int:
        return int(p[1])

    def turn(self, p: Any) -> int:
        return int(p[1])

    def moves(self, p: Any) -> Iterable[Any]:
        return dict.fromkeys(self.options(p[0], p[1]))

    def play(self, p: Any, m: Any) -> Any:
        return m, 1 - p[1]

    def representative(self, p: Any) -> Any:
        if p[1] == RIGHT:
            other = self.swapped(p[0])
            if other is not None:
                return self.normal(other), LEFT
        return self.normal(p[0]), p[1]

    def text(self, p: Any) -> str:
        return f"{self.board_text(p[0])} {NAMES[p[1]]} to move"

    def parse(self, s: str) -> Any:
        words = s.strip().removesuffix("to move").rstrip()
        board, _, player = words.rpartition(" ")
        if player.lower() not in NAMES or words == s.strip():
            raise ValueError(f"{s!r}: a position ends with 'left to move' or 'right to move'")
        return self.parse_board(board.strip()), NAMES.index(player.lower())

    def move_text(self, p: Any, m: Any) -> str:
        return self.step_text(p[0], m, p[1])

    def picture(self, p: Any) -> str:
        return self.board_picture(p[0])

    def player_name(self, i: int) -> str:
        return NAMES[i].capitalize()


# -- Values. --------------------------------------------------------------------------------------

Key = tuple[Any, bool]
"""A board that stands for all symmetric ones, and whether what was asked for is its negative."""


class BoardValues:
    """The values of all boards of a game that were asked for, each found once."""

    def __init__(self, game: Partizan) -> None:
        self.game = game
        self.known: dict[Any, Short] = {}
        self._keys: dict[Any, Key] = {}
        self._splits: dict[Any, list[Key]] = {}
        self._swaps = True

    def of(self, board: Any) -> Short:
        """The value of a board: the sum of the values of its parts."""
        keys = self._parts(board)
        for part, _ in keys:
            if part not in self.known:
                self._find(part)
        return self._sum(keys)

    def _value(self, key: Key) -> Short:
        found = self.known[key[0]]
        return negated(found) if key[1] else found

    def _parts(self, board: Any) -> list[Key]:
        """The keys of all parts of a board."""
        keys = self._splits.get(board)
        if keys is None:
            keys = self._splits[board] = [self._key(part) for part in self.game.decompose(board)]
        return keys

    def _key(self, part: Any) -> Key:
        key = self._keys.get(part)
        if key is None:
            key, other = (self.game.normal(part), False), None
            if self._swaps:
                other = self.game.swapped(part)
                self._swaps = other is not None
            if other is not None:
                key = min(key, (self.game.normal(other), True))
            self._keys[part] = key
        return key

    def _find(self, wanted: Any) -> None:
        """Find the value of a part, and before it those of all that can follow. Goes down with a
        stack of its own; `open` holds the parts above this one, to notice cycles."""
        game, known = self.game, self.known
        stack, above = [wanted], {}
        while stack:
            here = stack[-1]
            if here in known:
                stack.pop()
                continue
            if here not in above:
                lefts = [self._parts(b) for b in game.left(here)]
                rights = [self._parts(b) for b in game.right(here)]
                above[here] = lefts, rights
                missing = {k for b in (*lefts, *rights) for k, _ in b if k not in known}
                if again := missing & above.keys():
                    raise _circle(game, again.pop())
                if missing:
                    stack.extend(missing)
                    continue
            lefts, rights = above.pop(here)
            known[here] = deep(
                canonical, [self._sum(b) for b in lefts], [self._sum(b) for b in rights]
            )
            stack.pop()

    def _sum(self, keys: list[Key]) -> Short:
        """The value of several parts together."""
        total = ZERO
        for i, key in enumerate(keys):
            found = self._value(key)
            total = deep(added, total, found) if i else found
        return total


def _circle(game: Partizan, board: Any) -> RulesError:
    return RulesError(
        f"play can come back to {game.board_text(board)}",
        "values are of games that end; solve finds who wins with endless play as a draw",
    )


_VALUES: dict[Partizan, BoardValues] = {}


def value_of(game: Partizan, board: Any = None) -> Short:
    """The value of a board of `game`, in canonical form; of its first board if none is given. What
    was found is remembered for this game, whoever begins."""
    same = replace(game, first=NAMES[LEFT], board="")
    values = _VALUES.get(same)
    if values is None:
        values = _VALUES[same] = BoardValues(same)
    return values.of(game.first_board() if board is None else board)
