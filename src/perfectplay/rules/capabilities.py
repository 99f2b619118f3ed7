"""Capabilities: what rules may add to `Game`, each for one purpose.

A capability is a class that rules derive from, beside `Game`. The engine asks for each in one
place, by `isinstance`; rules that do not derive from it are solved without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from perfectplay.progress import Progress
    from perfectplay.rules.game import Game


class OwnSolver:
    """Rules that bring a solver of their own, for games so regular that no general method comes
    near it. It is asked where values stay in memory; a table in a folder is made without it."""

    def own_solver(self) -> SolvesItself:
        """What solves, searches, plans and verifies these rules."""
        raise NotImplementedError(f"{type(self).__name__} must define own_solver()")


class SolvesItself(Protocol):
    """What `OwnSolver.own_solver` gives."""

    def solve(self, memory: int | None, workers: int | None, progress: Progress | None) -> Any:
        """A `Solution` in memory."""

    def search(self, position: Any, seconds: float | None, progress: Progress) -> Any:
        """A `SearchResult` for one position."""

    def plan(self, memory: int | None, seconds: float) -> Any:
        """What solving will cost: an object with `as_json` and `str`."""

    def verify(self, table: Any, progress: Progress | None, sample: int | None) -> Any:
        """A `Verification` of all that `solve` found, or of about `sample` positions."""

    def settled_by(self, solution: Any) -> tuple[str, Game] | None:
        """Name and rules of a game that settles the start of a solution, if that rests on what
        was assumed and not proved, and there is such a game."""


def own_solver(game: Game, *, exact: bool = False, plain: bool = False) -> SolvesItself | None:
    """The solver that a game brings with it, if it serves."""
    return game.own_solver() if isinstance(game, OwnSolver) and not (exact or plain) else None
