"""For tests of your own game: its rules against the laws of all rules, its values against a twin
written by somebody else, and against values that are known.

    from perfectplay.testing import agrees, known, obeys_laws

    def test_hop():
        obeys_laws(Hop())
        agrees(Hop(squares=4))
        known(Hop(), {"(5, 6)": "win in 3 plies"})

Each raises AssertionError with what is wrong, so that any test runner will do."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import Any

from perfectplay.answer.solution import Solution
from perfectplay.answer.solve import solve
from perfectplay.errors import UsageError
from perfectplay.positions.examine import edges_of, examine_first, mover_of
from perfectplay.positions.failures import shown
from perfectplay.rules.game import Game
from perfectplay.rules.value import Value
from perfectplay.verification.check import Report, check
from perfectplay.verification.minimax import minimax
from perfectplay.verification.published.quantities import answer
from perfectplay.verification.published.quantity import Quantity, meets

__all__ = ["agrees", "known", "obeys_laws"]

NEAR = Fraction(1, 10**9)
"""How far a value that has no proved bounds may be off."""
SHOWN = 5
"""Differences that are shown; the others are counted."""


def obeys_laws(game: Game) -> Report:
    """The report of `check`; AssertionError if it found a problem. Warnings do not fail."""
    report = check(game)
    if not report.ok:
        raise AssertionError(str(report))
    return report


def agrees(
    game: Game,
    twin: Game | Callable[[Any], Any] | None = None,
    *,
    by: Callable[[Any], Any] = lambda p: p,
    most: int = 10_000,
) -> int:
    """How many positions were compared: the first `most` that can be reached from the start.

    The twin is another game, whose position for `p` is `by(p)`; or a function that says what a
    position is worth to the player to move (to player 0 where nobody moves), or to each player, as
    a tuple; by default minimax, straight from the definition, with none of the engine's methods.
    AssertionError if a value differs; depths are not compared."""
    solution = solve(game, plain=True)
    worth = _worths(game, twin, by)
    wrong = []
    positions = _positions(game, most)
    for p in positions:
        ours, theirs = solution.values(p), worth(p)
        if not isinstance(theirs, tuple):
            ours = (solution.value(p),)
            theirs = (theirs,)
        if len(ours) != len(theirs) or not all(map(_equal, ours, theirs)):
            other = ", ".join(map(str, theirs))
            wrong.append(f"{shown(game, p)} is worth {_listed(ours)}, to the twin {other}")
    _fail(game, wrong, len(positions))
    return len(positions)


def known(game: Game, values: Mapping[Any, Any] | str | Path, *, exact: bool = False) -> int:
    """How many values were compared: {position or its text: value}, or a CSV file.

    A value is a number, or a text as in print: "win", "win in 7 plies", "4/7", "0.531", "53 %"; a
    decimal stands for all numbers that round to it. A CSV file has the columns position and value,
    and perhaps quantity, such as depth or best (by default: value, to the player to move). Empty
    positions are the start. AssertionError if a value differs."""
    rows = list(_rows(values))
    if not rows:
        raise UsageError(f"there are no values in {values!r}")
    solution = solve(game, exact=exact)
    wrong = []
    for position, quantity, value in rows:
        found = _answer(solution, position, quantity, str(value))
        if not meets(found, str(value)):
            at = repr(position) if position != "" else "the start"
            what = "" if quantity == "value" else f"{quantity} of "
            wrong.append(f"{what}{at} is {found.text}, not {value}")
    _fail(game, wrong, len(rows))
    return len(rows)


def _fail(game: Game, wrong: list[str], compared: int) -> None:
    """AssertionError with the first differences, if there are any."""
    if wrong:
        more = [f"… and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        title = f"{type(game).__name__}: {len(wrong)} of {compared} values differ"
        raise AssertionError("\n  ".join([title, *wrong[:SHOWN], *more]))


# -- Twins. ---------------------------------------------------------------------------------------


def _worths(
    game: Game, twin: Game | Callable[[Any], Any] | None, by: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """What the twin says of a position of the game."""
    if twin is None:
        return minimax(game).__getitem__
    if isinstance(twin, Game):
        other = solve(twin, plain=True)
        return lambda p: other.values(by(p))
    return lambda p: twin(by(p))


def _positions(game: Game, most: int) -> list[Any]:
    """The positions nearest to the start."""
    found = dict.fromkeys(examine_first(game, most))
    queue = list(found)
    for p in queue:
        for edge in edges_of(game, p, mover_of(game, p)):
            if edge.child not in found and len(found) < most:
                found[edge.child] = None
                queue.append(edge.child)
    return queue


def _equal(ours: Value, theirs: Any) -> bool:
    """Whether a value is another, or a number."""
    low, high = (theirs.lower, theirs.upper) if isinstance(theirs, Value) else (theirs, theirs)
    if not all(_finite(x) for x in (ours.lower, ours.upper, low, high)):
        return bool(ours.lower == low and ours.upper == high)
    given = isinstance(low, Rational) and isinstance(high, Rational)
    room = 0 if given and ours.exactness != "residual" else NEAR
    return bool(Fraction(ours.lower) <= Fraction(high) + room) and bool(
        Fraction(low) <= Fraction(ours.upper) + room
    )


def _finite(number: Any) -> bool:
    return isinstance(number, Rational) or abs(float(number)) != float("inf")


def _listed(values: tuple[Value, ...]) -> str:
    return ", ".join(map(str, values))


# -- Known values. --------------------------------------------------------------------------------


def _rows(values: Mapping[Any, Any] | str | Path) -> Iterator[tuple[Any, str, Any]]:
    """(position, quantity, value) of all that is known."""
    if isinstance(values, Mapping):
        yield from ((position, "value", value) for position, value in values.items())
        return
    try:
        text = Path(values).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{values} cannot be read: {error}") from None
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    if not {"position", "value"} <= set(rows.fieldnames or ()):
        raise UsageError(
            f"{values} has no columns position and value",
            "its first line should be: position,value (or position,quantity,value)",
        )
    for row in rows:
        yield row["position"] or "", row.get("quantity") or "value", row["value"]


def _answer(solution: Solution, position: Any, quantity: str, value: str) -> Quantity:
    """What the solved game says; a depth is part of it where the known value has one."""
    text = position if isinstance(position, str) else solution.game.text(position)
    if quantity == "value" and " in " in value and value.split(" in ", maxsplit=1)[0] in _OUTCOMES:
        p = solution.position(text) if text else solution.start
        return Quantity(str(solution.value(p)))
    return answer(solution, text, quantity)


_OUTCOMES = ("win", "draw", "loss")
