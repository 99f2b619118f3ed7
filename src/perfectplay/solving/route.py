"""The route from the rules of a game to its values: decided here, and nowhere else.

`solve`, `plan`, `evaluate` and `grundy` ask `route`. A `Home` is where strata live while they are
solved; a route names the homes to be tried, in this order, and how positions are found. Every home
gives the same table. `along` sets another route, to compare them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.positions.labels import MOST
from perfectplay.rules.capabilities import by_turns, indexed, labels, own_solver
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import Game, declares
from perfectplay.solving.numbered_run import served
from perfectplay.strata.coalition_strata import BITS

MANY = 1 << 22
"""Positions from which on a game with labelled pieces is solved by unlabelled positions."""


class Home(Enum):
    """Where the strata of a game live while they are solved."""

    OWN = "own solver"
    """Where the solver that the rules bring with them (`OwnSolver`) puts them."""
    NUMBERS = "numbers"
    """In one array, by the numbers that the rules give them (`Indexed`)."""
    LABELS = "labels"
    """Nowhere: rows are numbers of unlabelled positions with their labellings; values in files."""
    MEMORY = "memory"
    FILES = "files"
    """Keys and values in files, a window of them in memory."""
    SHARDS = "shards"
    """Keys and values in files that many workers share, strata cut in shards."""


@dataclass(frozen=True)
class Route:
    """How a game is solved."""

    homes: tuple[Home, ...]
    """To be tried in this order: each gives way to the next where it does not serve."""
    turns: bool
    """Whether only anchors and terminal positions are stored (`ByTurns`)."""
    coalitions: bool
    """Whether positions are those of the game without coalitions, found once for all seats."""


_forced: ContextVar[dict[str, Any]] = ContextVar("forced", default={})  # noqa: B039 - never filled


@contextmanager
def along(**fields: Any) -> Iterator[None]:
    """Inside the block, every `Route` has these fields, to try and to compare other routes."""
    token = _forced.set(fields)
    try:
        yield
    finally:
        _forced.reset(token)


def route(
    game: Game,
    *,
    exact: bool = False,
    plain: bool = False,
    stored: bool = True,
    steps: bool = False,
    on: str | None = None,
) -> Route:
    """How `game` is solved: for `exact` values, with `plain` rules, to a table that is `stored` in
    a folder, by single `steps` even where the game goes by turns, `on` workers that it names."""
    if on is not None:
        _refuse_on(game, plain=plain, stored=stored)
    usual = Route(
        tuple(_homes(game, exact=exact, plain=plain, stored=stored)),
        turns=by_turns(game) and not steps,
        coalitions=_coalitions(game),
    )
    if on is not None:
        usual = replace(usual, homes=(Home.SHARDS,), coalitions=False)
    return replace(usual, **_forced.get())


def _homes(game: Game, *, exact: bool, plain: bool, stored: bool) -> Iterator[Home]:
    compiled = game.native and not plain
    if not stored and own_solver(game, exact=exact, plain=plain):
        yield Home.OWN
    if compiled and indexed(game) is not None and served(game):
        yield Home.NUMBERS
    if stored and exact and compiled and _many_labels(game):
        yield Home.LABELS
    yield Home.MEMORY
    if stored and compiled and declares(game, "stratum"):
        yield Home.FILES


def _refuse_on(game: Game, *, plain: bool, stored: bool) -> None:
    """UsageError if other workers cannot solve this game."""
    if not stored:
        raise UsageError(
            "--on needs a folder for the table", "name one: solve(game, folder, on=…)"
        )
    if game.native and not plain:
        if indexed(game) is not None and served(game):
            raise UsageError(
                "these rules number their positions: such a table is made in one process",
                "leave out --on",
            )
    elif by_turns(game):
        raise UsageError(
            "turns of interpreted rules are walked through in one process", "leave out --on"
        )


def _many_labels(game: Game) -> bool:
    """Whether pieces have labels, and there are so many positions that it is worth it."""
    return 0 < labels(game) <= MOST and game.players == 2 and (game.most_positions or 0) >= MANY


def _coalitions(game: Game) -> bool:
    """Whether the game is one with coalitions, and not of a class that changes more than that."""
    ours = isinstance(game, Sided) and type(game).__module__ == Sided.__module__
    return ours and getattr(game, "seats", 1) <= BITS
