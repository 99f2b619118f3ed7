"""Game: all that an author must write, and what may be left out.

A game is a frozen dataclass. Its fields are the parameters of the rules, its methods are the
rules:

    @dataclass(frozen=True)
    class Subtraction(Game):
        '''Take 1 to `most` counters; a player who cannot take loses.'''

        heap: int = 20
        most: int = 3

        def start(self):
            return self.heap

        def moves(self, p):
            for take in range(1, min(self.most, p) + 1):
                yield take

        def play(self, p, take):
            return p - take

Two styles of turn-taking:

* **alternate** (`to_move` is not written): two players take turns without exception and a
  position is seen by the player to move, who is called player 0. There is no chance.
* **absolute** (`to_move` is written): a position knows whose turn it is; extra turns, chance
  and any number of players are possible. One-player games need `to_move` only if there is chance.

Play has ended where `to_move` says OVER, or where a player has no move.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

    from perfectplay.rules.chart import Chart

CHANCE = -1
"""Returned by `to_move`: nobody moves here, `chances` tells what may happen."""

OVER = -2
"""Returned by `to_move`: play has ended, `payoff` tells who got what."""


class Game:
    """Base of all rules. Override `start`, `moves` and `play`, and whatever else there is."""

    # -- Facts. Plain class attributes, dataclass fields or properties. ---

    players: int = 2
    """How many players there are. May be a field, if it is a parameter of the rules."""

    native: bool = False
    """True: positions are 64-bit integers or fixed tuples of them, and the rules are compiled."""

    misere: bool = False
    """True: with the default `payoff`, a player who cannot move wins."""

    minimise: bool = False
    """True: one player wants the least, not the most, of payoffs and rewards (say, of costs)."""

    endless: int | None = None
    """What endless play is worth to player 0. None: a draw between two players; 0 for one player,
    or infinitely bad if he minimises."""

    by_turns: bool = False
    """True: only positions where `anchor(p)` holds, and ended ones, are stored; what lies between
    two of them, a turn, is walked through when it is needed. For games with chance that have many
    positions inside a turn. Every first position must be an anchor, and every cycle pass one."""

    most_positions: int | None = None
    """How many positions there are at most, if that is known: `plan` and `solve` use it to tell
    beforehand what is too large."""

    most_inside: int | None = None
    """For `by_turns`, if that is known: how many positions all turns together have at most, each
    turn as `inside` counts it; `plan` tells it."""

    start_numbers: int = 0
    """How many numbers `starts_of` understands, if the rules have it."""

    names: int = 0
    """For `shape_of`: how many names there are, at most 6; 0: pieces have none."""

    names_backwards: bool = False
    """Whether a player's name k may be called `names` + 1 - k, for each player by himself."""

    # -- Required. ---

    def start(self) -> Any:
        """The first position."""
        raise NotImplementedError(f"{type(self).__name__} must define start() or starts()")

    def moves(self, p: Any) -> Iterable[Any]:
        """Yield the legal moves of the player to move at `p`; none where play has ended."""
        raise NotImplementedError(f"{type(self).__name__} must define moves(p)")

    def play(self, p: Any, m: Any) -> Any:
        """The position after move `m` at `p`."""
        raise NotImplementedError(f"{type(self).__name__} must define play(p, m)")

    # -- Optional rules, each with its default. ---

    def starts(self) -> Iterable[Any]:
        """Yield all first positions, if there are several."""
        if declares(self, "starts_of"):
            for i in range(self.start_numbers):
                yield from self.starts_of(i)
        else:
            yield self.start()

    def starts_of(self, i: int) -> Iterable[Any]:
        """Yield the first positions with number `i`: one, several or none. For games that begin at
        any of millions of positions; `i` goes from 0 to `start_numbers` - 1. Compiled, where
        `starts` is not."""
        raise NotImplementedError(f"{type(self).__name__} must define starts_of(i)")

    def to_move(self, p: Any) -> int:
        """The player to move (0, 1, …), or CHANCE, or OVER. Not written: alternate play."""
        return 0

    def chances(self, p: Any) -> Iterable[tuple[int, Any]]:
        """Yield (weight, position) for all that may happen at a CHANCE position; weights are
        positive integers, and a position follows with probability weight / sum of weights."""
        raise NotImplementedError(f"{type(self).__name__} must define chances(p)")

    def payoff(self, p: Any) -> Any:
        """What an ended position is worth: an integer, to player 0 (in alternate play: the player
        to move; with two players the other gets the negative), or a tuple with one integer per
        player. Default: who cannot move loses 1 to the other; 0 with one player."""
        if self.players == 1:
            return 0
        lost = 1 if self.misere else -1
        return lost if self.to_move(p) <= 0 else -lost

    def reward(self, p: Any, m: Any) -> Any:
        """What move `m` earns at once: an integer, to the player who moves (with two players the
        other loses as much), or a tuple with one integer per player."""
        return 0

    def stratum(self, p: Any) -> int:
        """An integer that no move and no chance ever raises. Positions of one stratum are solved
        together, lowest stratum first."""
        return 0

    def representative(self, p: Any) -> Any:
        """One of all positions that are symmetric to `p`, always the same one."""
        return p

    def turn(self, p: Any) -> int:
        """Whose turn it is, also while chance acts or play has ended. Needed only if
        `representative` renames the players: player i at p is player (i - turn(p) + turn(q)) mod
        `players` at its representative q."""
        return 0

    def anchor(self, p: Any) -> bool:
        """True at a few positions that every cycle passes (such as the starts of turns): a hint
        that makes games with chance and cycles fast. Anchors are found if none are given."""
        return False

    def pattern(self, p: Any) -> Any:
        """For `by_turns`: an anchor whose turn runs like that of anchor `p`, but for the moves
        that end it. Anchors with one pattern share the work of walking through the turn."""
        return p

    def carried(self, q: Any, p: Any) -> Any:
        """For `by_turns`: position `q` of the turn that begins at `pattern(p)`, as it is in the
        turn that begins at `p`."""
        return q

    def inside(self, p: Any) -> int:
        """For `most_inside`: how many positions the turn of anchor `p` has."""
        raise NotImplementedError(f"{type(self).__name__} must define inside(p)")

    def example(self, draw: Random) -> Any:
        """For `most_inside`: an anchor that is drawn at random, each with the same chance."""
        raise NotImplementedError(f"{type(self).__name__} must define example(draw)")

    # -- Optional guides of `search`; no value depends on them. ---

    def hint(self, p: Any, m: Any) -> int:
        """How promising move `m` is: `search` tries moves with larger hints first."""
        return 0

    def guess(self, p: Any) -> float:
        """What the value of `p` to player 0 (in alternate play: to the player to move) may be,
        roughly: `search` tries first what seems best, and asks no more of chance than it must."""
        return 0.0

    def bounds(self, p: Any) -> tuple[int, ...] | None:
        """(least, most): two integers between which the value of `p` to player 0 lies (in
        alternate play: to the player to move), in units of payoffs; or (least, most, parts), if
        it lies between least / parts and most / parts. None: nothing is known."""
        return None

    # -- Optional, for games by turns whose pieces have names that chance calls. ---

    def shape_of(self, p: Any) -> tuple[Any, int, int]:
        """(shape, names of the pieces of the player on turn, names of the other's): position `p`
        with its pieces called 1, 2, … in some order on the board, and what they are called at `p`,
        in this order, three bits each. Symmetric boards have one shape, seen by player 0."""
        raise NotImplementedError(f"{type(self).__name__} must define shape_of(p)")

    def of_shape(self, shape: Any, mine: int, other: int) -> Any:
        """The position that `shape_of` takes apart, seen by player 0."""
        raise NotImplementedError(
            f"{type(self).__name__} must define of_shape(shape, mine, other)"
        )

    def called(self, q: Any) -> int:
        """The name of the piece that may move at `q`, where a turn may end."""
        raise NotImplementedError(f"{type(self).__name__} must define called(q)")

    def unnamed(self, p: Any) -> Any:
        """What is left of anchor `p` without its names: an integer, the same for all positions of
        one shape and for no others. `search` asks for it often."""
        return self.shape_of(p)[0]

    # -- Text at the edges. ---

    def text(self, p: Any) -> str:
        """The position as one line of text."""
        return repr(_tidy(p))

    def parse(self, s: str) -> Any:
        """The position that `text` would write as `s`; raise ValueError if there is none."""
        return ast.literal_eval(s)

    def move_text(self, p: Any, m: Any) -> str:
        """The move as a short word."""
        return " ".join(map(str, m)) if isinstance(m, tuple) else str(m)

    def picture(self, p: Any) -> str:
        """The position as an SVG drawing."""
        from perfectplay.drawing.svg import plain_picture

        return plain_picture(self.text(p))

    def chart(self) -> Chart | None:
        """How positions lie in a plane, for pictures of the strategy; None: they do not."""
        return None

    def chosen(self, p: Any) -> tuple[str, str] | None:
        """What player 0 and player 1 chose, at once and unseen, to come to first position `p`, if
        the game begins so: `nash` tells how to choose."""
        return None

    def chosen_picture(self, p: Any, player: int) -> str:
        """What a player chose to come to first position `p`, as an SVG drawing."""
        return self.picture(p)

    def player_name(self, i: int) -> str:
        """What player `i` is called."""
        return f"player {i + 1}"


def replaced(p: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    """Tuple `p` with `value` in place `i`; also in compiled rules, where tuples have no slices."""
    return (*p[:i], value, *p[i + 1 :])


def _tidy(p: Any) -> Any:
    """Position `p` with plain integers where rules that read NumPy tables left others."""
    if isinstance(p, tuple) and type(p) is tuple:
        return tuple(map(_tidy, p))
    return int(p) if hasattr(p, "dtype") else p


def declares(game: Game, method: str) -> bool:
    """Whether the author of `game` wrote `method` himself."""
    return getattr(type(game), method) is not getattr(Game, method)


def alternate(game: Game) -> bool:
    """Whether positions are seen by the player to move and turns alternate without exception."""
    return game.players == 2 and not declares(game, "to_move")


def parameters(game: Game) -> dict[str, Any]:
    """The rule parameters of `game` by name, in the order of its fields."""
    if not dataclasses.is_dataclass(game):
        return {}
    return {f.name: getattr(game, f.name) for f in dataclasses.fields(game) if f.init}


def first_positions(game: Game) -> Iterator[Any]:
    """All first positions of `game`, without repetition, in the order of the rules."""
    seen: set[Any] = set()
    for p in game.starts():
        if p not in seen:
            seen.add(p)
            yield p
