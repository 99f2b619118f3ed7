"""Which method searches a position: decided here, and nowhere else.

    least-cost   one player who wants the least cost, without chance (one_player/)
    turns        games by turns, from anchor to anchor (turns/)
    alpha-beta   without chance, on integers (alphabeta/)
    proof        the same by proof numbers, also where lines of play may have no end (proofs/)
    positions    position by position, chance included (native.py, or plain.py where rules are
                 interpreted); serves every game that can be searched

`method_for` takes the first that serves; whoever asks may name another one that serves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perfectplay.errors import NoSolverError, UsageError
from perfectplay.rules.game import Game, declares
from perfectplay.searching.one_player.fits import serves
from perfectplay.searching.search_facts import SearchFacts, fits_turns, stated_bounds


@dataclass(frozen=True)
class Searched:
    """What is to be searched, as far as the choice depends on it."""

    game: Game
    position: Any
    """A representative."""
    facts: Callable[[], SearchFacts]
    """What random play shows of the game, which takes time."""
    window: bool
    """The value is asked for in a window only."""
    plain: bool
    """Rules are interpreted."""
    table: bool
    """There is a solved table to search down to."""
    distance: bool
    """How soon play ends is asked for."""


def _least_cost(searched: Searched) -> str:
    if searched.distance:
        return NO_DISTANCE
    if searched.table or searched.window:
        return "it takes no table and no window"
    fits = serves(searched.game)
    return "" if fits else "it is for one player who wants the least cost, without chance"


def _turns(searched: Searched) -> str:
    if searched.distance:
        return NO_DISTANCE
    if searched.plain or searched.table:
        return "it takes compiled rules, and no table"
    fits = fits_turns(searched.game, searched.position, searched.facts())
    return "" if fits else "it is for two players in games by turns with bounds"


def _alpha_beta(searched: Searched) -> str:
    game = searched.game
    if searched.plain or searched.table:
        return "it takes compiled rules, and no table"
    facts = searched.facts()
    if game.players != 2 or not facts.whole or game.minimise:
        return "it is for two players without chance"
    if searched.distance and not _outcomes(searched):
        return "distances are of wins and losses, and other payoffs were met or may be"
    if facts.pairs and (facts.sum is None or declares(game, "reward")):
        return "payoffs are tuples, and rewards come on top or their sum is not known"
    return ""


def _proof(searched: Searched) -> str:
    """By itself, only for wins and losses: scores take a question for each number."""
    if searched.distance:
        return NO_DISTANCE
    return _alpha_beta(searched)


def _outcomes(searched: Searched) -> bool:
    """Whether all values lie between -1 and 1, as far as the rules say beforehand."""
    stated = stated_bounds(searched.game, searched.position, pairs=False, total=None)
    ends = stated is not None and -1 <= stated[0] <= stated[1] <= 1
    plain = not searched.facts().pairs and not declares(searched.game, "reward")
    return plain and (searched.facts().bounded or ends)


def _positions(searched: Searched) -> str:
    return NO_DISTANCE if searched.distance else ""


METHODS: dict[str, Callable[[Searched], str]] = {
    "least-cost": _least_cost,
    "turns": _turns,
    "alpha-beta": _alpha_beta,
    "proof": _proof,
    "positions": _positions,
}
"""By name, best first: what says why a method does not serve; nothing if it does."""


NO_DISTANCE = "it does not find distances"


def known_method(name: str | None) -> None:
    """UsageError if there is no such method."""
    if name is not None and name not in METHODS:
        raise UsageError(f"there is no method {name!r}", f"methods are {', '.join(METHODS)}")


def method_for(searched: Searched, wanted: str | None, failed: set[str]) -> str:
    """The first method that serves and has not failed, or the wanted one; NoSolverError if that
    one does not serve."""
    if wanted is None:
        serving = (n for n, why in METHODS.items() if n not in failed and not why(searched))
        found = next((n for n in serving if n != "proof" or _outcomes(searched)), None)
        if found is None:
            raise NoSolverError(
                f"{type(searched.game).__name__}: no search finds distances here: "
                + ("a line of play is too long" if failed else _alpha_beta(searched)),
                "search without them, or use perfectplay solve, whose tables have them",
            )
        return found
    why = "it gave up" if wanted in failed else METHODS[wanted](searched)
    if why:
        raise NoSolverError(
            f"{type(searched.game).__name__}: the method {wanted} does not serve: {why}",
            "leave the method out: one that serves is chosen",
        )
    return wanted
