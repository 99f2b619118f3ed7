"""Check: whether what guides a search is right: hints, guesses, bounds, moves that are enough."""

from __future__ import annotations

import math
from typing import Any

from perfectplay.errors import PerfectPlayError, RulesError
from perfectplay.rules.game import Game, declares
from perfectplay.rules.search_capabilities import EnoughMoves, Threats, guides
from perfectplay.verification.check_position import Findings


def guided(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """What guides a search must be numbers, and bounds must hold."""
    try:
        _hinted(game, positions)
        _guessed(game, positions)
        stating = guides(game)
        every = {p: stating.bounds(p) for p in positions} if stating else {}
        given = {p: bounds for p, bounds in every.items() if bounds is not None}
        for p, bounds in given.items():
            _formed(game, p, bounds)
        if complete and given:
            _hold(game, given)
    except RulesError as error:
        finder.add(error.message.partition("(")[0], error.message, error.hint)
    except PerfectPlayError as error:
        finder.add("bounds", error.message, error.hint)


def enough(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Moves of which one is best must be moves, and one of them must be best."""
    if not isinstance(game, EnoughMoves):
        return
    for p in positions:
        every, some = ([*game.moves(p)], [*game.enough(p)]) if game.to_move(p) >= 0 else ([], [])
        if any(m not in every for m in some) or bool(some) != bool(every):
            finder.add(
                "enough", f"gives {some} at {game.text(p)}, of the moves {every}",
                "yield some of moves(p), at least one where there is any",
            )  # fmt: skip
            return
    if complete:
        _one_is_best(game, finder, positions)


def threats(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Threats must be moves; to pass twice must change nothing."""
    if not isinstance(game, Threats):
        return
    for p in positions if declares(game, "threat") else ():
        every, some = ([*game.moves(p)], [*game.threat(p)]) if game.to_move(p) >= 0 else ([], [])
        if any(m not in every for m in some):
            finder.add(
                "threat", f"gives {some} at {game.text(p)}, of the moves {every}",
                "yield some of moves(p), or none",
            )  # fmt: skip
            return
    for p in positions if declares(game, "passed") else ():
        if game.to_move(p) >= 0 and game.passed(game.passed(p)) != p:
            finder.add(
                "passed", f"does not lead back to {game.text(p)} if it is asked twice",
                "return p with the other player to move, and nothing else changed",
            )  # fmt: skip
            return


def _one_is_best(game: Any, finder: Findings, positions: list[Any]) -> None:
    """Compare the moves that are enough with all, by solving the game."""
    from perfectplay.answer.solve import solve

    try:
        solution = solve(game, plain=True, workers=1)
        for p in positions:
            known = solution.moves(p)
            some = {*game.enough(p)} if known else set()
            best = max((move.value.order for move in known), default=None)
            if known and not any(m.value.order == best for m in known if m.move in some):
                finder.add(
                    "enough", f"leaves out every best move at {game.text(p)}",
                    "one of the moves that enough(p) yields must be best, and none lead to a "
                    "sooner win or a later loss",
                )  # fmt: skip
                return
    except PerfectPlayError as error:
        finder.add("enough", error.message, error.hint)


def _hinted(game: Any, positions: list[Any]) -> None:
    for p in positions if declares(game, "hint") else ():
        for m in game.moves(p) if game.to_move(p) >= 0 else ():
            if int(game.hint(p, m)) != game.hint(p, m):
                raise RulesError(
                    f"hint(p, m) is no integer at {game.text(p)}", "larger is tried first"
                )


def _guessed(game: Any, positions: list[Any]) -> None:
    for p in positions if declares(game, "guess") else ():
        guess = game.guess(p)
        if not isinstance(guess, int | float) or not math.isfinite(guess):
            raise RulesError(
                f"guess(p) is {guess!r} at {game.text(p)}", "give a number: what p may be worth"
            )


def _formed(game: Game, p: Any, bounds: Any) -> None:
    whole = isinstance(bounds, tuple) and all(math.isinf(x) or int(x) == x for x in bounds)
    if (
        not whole
        or len(bounds) not in (2, 3)
        or bounds[0] > bounds[1]
        or min(bounds[2:] or (1,)) < 1
    ):
        raise RulesError(
            f"bounds(p) is {bounds!r} at {game.text(p)}",
            "give (least, most), or (least, most, parts) with parts >= 1: integers, or infinite",
        )


def _hold(game: Game, given: dict[Any, Any]) -> None:
    from perfectplay.answer.solve import solve

    solution = solve(game, plain=True, workers=1)
    for p, bounds in given.items():
        value = solution.values(p)[0]
        parts = bounds[2] if len(bounds) > 2 else 1
        if value.lower < bounds[0] / parts - 1e-9 or value.upper > bounds[1] / parts + 1e-9:
            raise RulesError(
                f"bounds(p) is {bounds!r} at {game.text(p)}, but the value is {value}",
                "bounds are those of the value to player 0; in alternate play, of the player "
                "to move",
            )
