"""Capabilities: what rules may say beyond `Game`, each for one purpose.

Rules have a capability if they derive from its class, beside `Game`, as in `class Pig(Anchors,
Game)`, and write its methods. No capability changes a value; `SimultaneousMoves` adds positions of
a new kind. The engine asks for each in one place, the functions at the end of this file (for
searches: of search_capabilities.py), and `check` compares what the rules say with the plain way.
docs/capabilities.md has them in a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from perfectplay.rules.game import SIMULTANEOUS, Game, declares
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed, NumberMoves
from perfectplay.rules.search_capabilities import (
    Abstractions,
    EnoughMoves,
    ForcedMoves,
    KnownEndings,
    MoveOrder,
    NumberedDeals,
    SearchGuides,
    Threats,
)

if TYPE_CHECKING:
    from random import Random

    from perfectplay.progress import Progress
    from perfectplay.rules.chart import Chart


class Anchors:
    """A few positions that every cycle passes: games with chance and cycles are solved faster."""

    def anchor(self, p: Any) -> bool:
        """True at a few positions that every cycle passes, such as the starts of turns. The engine
        finds anchors if none are given."""
        return False


class ByTurns(Anchors):
    """Only anchors and terminal positions are stored; what lies between two of them, a turn, is
    walked through when it is needed. For games with chance and many positions inside a turn. Every
    first position must be an anchor, and every cycle must pass one."""

    by_turns: bool = True
    """False, perhaps for some parameters: store every position."""

    most_inside: int | None = None
    """An upper bound on the number of positions in all turns together, counting each turn as
    `inside` does. `plan` reports it."""

    def pattern(self, p: Any) -> Any:
        """An anchor whose turn runs like that of anchor `p`, but for the moves that end it.
        Anchors with one pattern share the work of walking through the turn."""
        return p

    def carried(self, q: Any, p: Any) -> Any:
        """Position `q` of the turn that begins at `pattern(p)`, moved to the turn that begins at
        `p`."""
        return q

    def inside(self, p: Any) -> int:
        """For `most_inside`: how many positions the turn of anchor `p` has."""
        raise NotImplementedError(f"{type(self).__name__} must define inside(p)")

    def example(self, draw: Random) -> Any:
        """For `most_inside`: a random anchor, all with the same chance."""
        raise NotImplementedError(f"{type(self).__name__} must define example(draw)")


class NumberedStarts:
    """First positions by number, for games that begin at any of millions of positions. Compiled,
    where `starts` is not."""

    start_numbers: int = 0
    """`starts_of` takes numbers from 0 to `start_numbers` - 1."""

    def starts_of(self, i: int) -> Iterable[Any]:
        """Yield the first positions with number `i`: one, several or none."""
        raise NotImplementedError(f"{type(self).__name__} must define starts_of(i)")

    def start(self) -> Any:
        """The first of them."""
        return next(iter(self.starts()))

    def starts(self) -> Iterable[Any]:
        """Yield all of them."""
        for i in range(self.start_numbers):
            yield from self.starts_of(i)


class LabelledPieces:
    """For games by turns in which chance names the piece that moves: positions that differ only in
    labels are found, numbered and looked up together."""

    labels: int = 0
    """How many labels there are, at most 6; 0: pieces have none."""

    labels_reversible: bool = False
    """Whether label k of a player may be read as `labels` + 1 - k, for each player separately."""

    def unlabel(self, p: Any) -> tuple[Any, int, int]:
        """(unlabelled position, labels of the player on turn, labels of the other): `p` with its
        pieces labelled 1, 2, … in board order, and their labels at `p` in this order, three bits
        each. Symmetric boards have one unlabelled position, seen by player 0."""
        raise NotImplementedError(f"{type(self).__name__} must define unlabel(p)")

    def relabel(self, shape: Any, mine: int, other: int) -> Any:
        """The inverse of `unlabel`, seen by player 0."""
        raise NotImplementedError(f"{type(self).__name__} must define relabel(shape, mine, other)")

    def called(self, q: Any) -> int:
        """The label of the piece that may move at `q`, where a turn may end."""
        raise NotImplementedError(f"{type(self).__name__} must define called(q)")

    def unlabelled_key(self, p: Any) -> Any:
        """An integer that names the unlabelled position of anchor `p`. `search` asks often."""
        return self.unlabel(p)[0]


class HiddenChoices:
    """Games that begin with a choice of both players, made at once and unseen: `nash` solves the
    matrix of first positions."""

    def chosen(self, p: Any) -> tuple[str, str] | None:
        """What players 0 and 1 chose to arrive at first position `p`."""
        return None

    def chosen_picture(self, p: Any, player: int) -> str:
        """What a player chose, as an SVG drawing."""
        return self.picture(p)  # type: ignore[attr-defined, no-any-return]


class SimultaneousMoves:
    """Positions at which both players choose at once, neither seeing what the other does: where
    `to_move(p)` is SIMULTANEOUS. For two players with opposed interests, in interpreted rules.

    What follows is `play(p, (a, b))` if player 0 chooses `a` and player 1 `b`, and what that earns
    at once is `reward(p, (a, b))`: an integer, to player 0, or a tuple. `move_text(p, a)` is asked
    for one choice at a time."""

    def choices(self, p: Any, player: int) -> Iterable[Any]:
        """Yield what `player` may choose at a SIMULTANEOUS position: at least one thing."""
        raise NotImplementedError(f"{type(self).__name__} must define choices(p, player)")


class Charted:
    """Pictures of the strategy."""

    def chart(self) -> Chart | None:
        """How positions lie in a plane; None: they do not."""
        return None


class PlacedMoves:
    """Where moves happen on the picture, for games in which comparing pictures does not say."""

    def places(self, p: Any, m: Any) -> Iterable[tuple[float, ...]]:
        """Yield the places to click for move `m`, in order: points (x, y) or boxes (left, top,
        right, bottom), in units of the picture of `p`. Where another move goes on from the last
        place, a second click there makes this one."""
        raise NotImplementedError(f"{type(self).__name__} must define places(p, m)")


class Decomposed:
    """Impartial games that fall apart: `grundy` adds the values of the summands."""

    def decompose(self, p: Any) -> Iterable[Any]:
        """Yield positions whose sum is worth `p`."""
        raise NotImplementedError(f"{type(self).__name__} must define decompose(p)")


class OwnSolver:
    """Rules that bring their own solver, for games so regular that no general method comes near
    it. It serves where values stay in memory; a table in a folder is made without it."""

    def own_solver(self) -> SolvesItself:
        """What solves, searches, plans and verifies these rules."""
        raise NotImplementedError(f"{type(self).__name__} must define own_solver()")


class SolvesItself(Protocol):
    """What `OwnSolver.own_solver` gives."""

    def solve(self, memory: int | None, workers: int | None, progress: Progress | None) -> Any:
        """A `Solution` in memory."""

    def search(self, position: Any, seconds: float | None, size: int, progress: Progress) -> Any:
        """A `SearchResult` for one position; what was found on the way may take `size` bytes."""

    def plan(self, memory: int | None, seconds: float) -> Any:
        """What solving will cost: an object with `as_json` and `str`."""

    def verify(self, table: Any, progress: Progress | None, sample: int | None) -> Any:
        """A `Verification` of all that `solve` found, or of about `sample` positions."""

    def settled_by(self, solution: Any) -> tuple[str, Game] | None:
        """Name and rules of a game that settles the start of a solution, if that rests on what
        was assumed and not proved, and there is such a game."""


class Walked:
    """For rules of other systems, whose texts name only positions that play has come to."""

    def walk(self) -> None:
        """Come to all positions, so that `parse` reads every text."""


CAPABILITIES = (
    Anchors, ByTurns, NumberedStarts, Indexed, BackwardMoves, NumberMoves, NumberedDeals,
    SearchGuides,
    Abstractions, ForcedMoves, MoveOrder, EnoughMoves, Threats, LabelledPieces, HiddenChoices,
    Charted, KnownEndings, SimultaneousMoves, PlacedMoves, Decomposed, OwnSolver, Walked,
)  # fmt: skip

_HELPERS = {
    "labels", "called", "inside", "example", "pattern", "start", "starts", "places", "choices",
    "added", "also", "blur", "follows", "forced", "goals", "passed", "spared", "threat", "twin",
    "any_image", "limits", "size", "rank", "reversible", "walk", "exits", "steps", "unsteps",
    "vacant",
}  # fmt: skip
"""Names of capabilities that rules without the capability may well use for something else."""


def unasked(game: Game) -> Iterable[tuple[str, str]]:
    """(method, capability) that the rules of `game` define without deriving from the capability,
    so that nobody asks for it."""
    for capability in CAPABILITIES:
        if not isinstance(game, capability):
            for name in vars(capability):
                if name[0] != "_" and name not in _HELPERS and declares(game, name):
                    yield name, capability.__name__


# -- Where the engine asks. -----------------------------------------------------------------------


def by_turns(game: Game) -> bool:
    """Whether only anchors and terminal positions are stored."""
    return isinstance(game, ByTurns) and game.by_turns


def most_inside(game: Game) -> int | None:
    """How many positions all turns have at most, if the rules say."""
    return game.most_inside if isinstance(game, ByTurns) else None


def numbered_starts(game: Game) -> int:
    """How many numbers `starts_of` understands; 0 if first positions have none."""
    return int(game.start_numbers) if isinstance(game, NumberedStarts) else 0


def indexed(game: Game) -> Indexed | None:
    """The rules that number positions, if they do."""
    return game if isinstance(game, Indexed) and game.indexed else None


def backward(game: Game) -> BackwardMoves | None:
    """The rules that know moves backwards, if they do."""
    known = isinstance(game, BackwardMoves) and (game.reversible or declares(game, "unmoves"))
    return game if known else None  # type: ignore[return-value]


def number_moves(game: Game) -> int:
    """How many numbers moves from number to number give at most; 0 if there are no such moves."""
    return int(game.number_moves) if isinstance(game, NumberMoves) else 0


def labels(game: Game) -> int:
    """How many labels pieces have; 0 if they have none."""
    return int(game.labels) if isinstance(game, LabelledPieces) else 0


def chart(game: Game) -> Chart | None:
    """The chart of a game, if it has one."""
    return game.chart() if isinstance(game, Charted) else None


def placed(game: Game) -> PlacedMoves | None:
    """The rules that say where moves happen on the picture, if they do."""
    return game if isinstance(game, PlacedMoves) else None


def anchored(game: Game) -> Anchors | None:
    """The anchors that the rules name, if they do."""
    return game if isinstance(game, Anchors) and declares(game, "anchor") else None


def walked(game: Game) -> None:
    """Let the rules come to all positions, if they must before they can read them."""
    if isinstance(game, Walked):
        game.walk()


def hidden_choices(game: Game) -> HiddenChoices | None:
    """The hidden first choices of a game, if it has some."""
    return game if isinstance(game, HiddenChoices) else None


def simultaneous(game: Game) -> SimultaneousMoves | None:
    """The rules by which players choose at once, if there are such positions."""
    return game if isinstance(game, SimultaneousMoves) else None


def joint_moves(game: Game, p: Any) -> Iterator[Any]:
    """Yield all that may be played at `p`: moves or, where both players choose at once, pairs of
    choices, row by row."""
    both = simultaneous(game)
    if both is None or game.to_move(p) != SIMULTANEOUS:
        yield from game.moves(p)
    else:
        theirs = list(both.choices(p, 1))
        yield from ((a, b) for a in both.choices(p, 0) for b in theirs)


def own_solver(game: Game, *, exact: bool = False, plain: bool = False) -> SolvesItself | None:
    """The solver that a game brings with it, if it serves."""
    return game.own_solver() if isinstance(game, OwnSolver) and not (exact or plain) else None
