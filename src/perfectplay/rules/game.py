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

import ast
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

CHANCE = -1
"""Returned by `to_move`: nobody moves here, `chances` says what may happen."""

OVER = -2
"""Returned by `to_move`: play has ended, `payoff` says who gets what."""

SIMULTANEOUS = -3
"""Returned by `to_move`: two players choose at once, `choices` says among what; for rules with the
capability `SimultaneousMoves` (capabilities.py)."""

DEFAULTS = {
    "perfectplay.rules.game", "perfectplay.rules.capabilities",
    "perfectplay.rules.search_capabilities",
    "perfectplay.rules.number_capabilities",
}  # fmt: skip
"""Modules whose methods are defaults: no author wrote them."""


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
    or infinitely bad if they minimise."""

    most_positions: int | None = None
    """How many positions there are at most, if that is known: `plan` and `solve` use it to
    refuse early what is too large."""

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
        yield self.start()

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
        """The position as an SVG drawing. Default: a board, if `text` has rows, else the text."""
        from perfectplay.drawing.boards import text_picture

        return text_picture(self.text(p), lambda: self.text(next(first_positions(self))))

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


def declares(game: Game | type[Game], method: str) -> bool:
    """Whether the author of `game` wrote `method`: a default of `Game`, or of a capability, does
    not count."""
    cls = game if isinstance(game, type) else type(game)
    home = next((each for each in cls.__mro__ if method in vars(each)), None)
    if home is None:
        return False
    return getattr(vars(home)[method], "__module__", home.__module__) not in DEFAULTS


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
