"""One case of the fuzzer of games: a random game is solved and compared with its slow twin.

1. Values equal those of the twin, or lie in proved bounds that are hardly apart; depths are equal.
2. A player who makes the move listed first everywhere gets that value against everything.
3. `verify` accepts the table, and refuses it once a single value in it is changed."""

from __future__ import annotations

import contextlib
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from draw_games import KINDS, DrawnGame, draw
from graph_rules import SeatRules
from naive_solver import NoWorthError, Unfolded

from perfectplay import solve
from perfectplay.errors import NoSolverError, PerfectPlayError, RulesError, VerificationError
from perfectplay.rules.value import Value
from perfectplay.table.reader import MemoryTable
from perfectplay.verification.verify import verify

WIDE = 1e-9
"""Proved bounds are closer together, and floats without bounds closer to the truth."""


class MismatchError(Exception):
    """The engine and its twin do not agree."""


def kind_of(number: int) -> str:
    """The kind of a case."""
    return list(KINDS)[number % len(KINDS)]


def prepare(folder: Path) -> None:
    """Compile what all cases share; games need no folder."""
    compiled: set[type] = set()
    for number in range(10 * len(KINDS)):
        game = draw(number)
        if game.native and type(game.rules) not in compiled:
            compiled.add(type(game.rules))
            with contextlib.suppress(PerfectPlayError):
                solve(game.rules, workers=1)


def run_case(number: int, seed: int = 0) -> None:
    """Put one case to the test; MismatchError says what is wrong."""
    game = draw(number, seed)
    twin = Unfolded(game)
    try:
        wanted = twin.values(twin.rows, depth=False)
    except NoWorthError:
        _refused(game)
        return
    try:
        solution = solve(
            game.rules, plain=not game.native, exact=game.exact, ties=game.ties, workers=1
        )
    except (RulesError, NoSolverError) as error:
        raise MismatchError(f"refused: {error.message}") from error
    arising = sorted(twin.reachable())
    _equal(solution.report["positions"], len(arising), "number of positions")
    best = _compare(game, twin, solution, wanted, arising)
    _play_out(game, twin, solution, wanted, best)
    verify(solution.table, game.rules)
    _lie(random.Random(f"{seed} lie {number}"), game, solution)


def _refused(game: DrawnGame) -> None:
    try:
        solve(game.rules, plain=not game.native, exact=game.exact, workers=1)
    except RulesError:
        return
    if set(_reach(game)) != set(range(len(game.graph.kinds))):
        return  # what earns without limit may not arise
    raise MismatchError("play that earns without limit was not refused")


def _reach(game: DrawnGame) -> set[int]:
    return Unfolded(game).reachable()


def position(game: DrawnGame, node: int, seat: int = 0) -> Any:
    """The position of a node."""
    return (seat, node, 0) if isinstance(game.rules, SeatRules) else node


def _equal(found: Any, wanted: Any, what: str) -> None:
    if found != wanted:
        raise MismatchError(f"{what} is {found}, not {wanted}")


def _compare(
    game: DrawnGame, twin: Unfolded, solution: Any, wanted: list[Any], arising: list[int]
) -> dict[int, int]:
    """The first move at every row that can arise, after a look at the values."""
    best: dict[int, int] = {}
    both = isinstance(game.rules, SeatRules)
    depths: list[Any] = []
    for node in arising:
        for seat in range(2 if both else 1):
            p = position(game, node, seat)
            row = twin.at(node, seat)
            values = solution.values(p)
            if values[0].kind == "outcome" and twin.columns == 1:
                depths = depths or twin.values(twin.rows, depth=True)
                _depth(values, depths[row], wanted[row], p)
            for player, value in enumerate(values):
                _value(value, wanted[row], player, f"value to player {player} of {p}")
            if game.graph.kinds[node] >= 0:
                best[row] = int(solution.best(p))
    if twin.seats == 2 and not both:  # the same moves, whoever is the player to move
        best |= {row + twin.size: move for row, move in best.items()}
    return best


def _value(value: Value, wanted: tuple[Any, ...], player: int, what: str) -> None:
    number = wanted[player]
    if value.kind == "outcome" and len(wanted) == 2:
        difference = wanted[player] - wanted[1 - player]
        number = (difference > 0) - (difference < 0)
    if math.isinf(number):
        _equal((float(value.lower), float(value.upper)), (number, number), what)
    elif value.exactness == "exact":
        _equal(Fraction(value.lower), Fraction(number), what)
    elif value.exactness == "bounds":
        if not Fraction(value.lower) <= number <= Fraction(value.upper):
            raise MismatchError(f"{what}: {number} is not in [{value.lower}, {value.upper}]")
        if value.upper - value.lower > WIDE:
            raise MismatchError(f"{what}: [{value.lower}, {value.upper}] is wide")
    elif abs(float(value) - number) > WIDE:
        raise MismatchError(f"{what} is {float(value)}, not {number}")


def _depth(values: Any, found: tuple[int, int], wanted: Any, p: Any) -> None:
    outcome, depth = found
    _equal(outcome, wanted[0], f"the twin's outcome of {p}")
    shown = -1 if values[0].depth is None else values[0].depth
    if outcome:
        _equal(shown, depth, f"depth of {p}")


def _play_out(
    game: DrawnGame, twin: Unfolded, solution: Any, wanted: list[Any], best: dict[int, int]
) -> None:
    """Whoever keeps to the moves listed first gets the value, and as fast as it says."""
    if game.ties == "average" and twin.columns > 1:
        return
    nodes = _reach(game)
    rows = [i for i in range(len(twin.rows)) if i % twin.size in nodes]
    depth = solution.value(position(game, next(iter(nodes)))).kind == "outcome"
    depth = depth and twin.columns == 1
    if depth:
        wanted = twin.values(twin.rows, depth=True)
    for player in (None, *range(twin.players)) if twin.columns == 1 else (None,):
        kept = twin.restricted(player, best)
        reached = twin.values(kept, depth=depth)
        for i in rows:
            endless = depth and wanted[i][1] < 0
            if reached[i] == wanted[i] or (endless and reached[i][0] == wanted[i][0]):
                continue
            who = "all players" if player is None else f"player {player}"
            raise MismatchError(
                f"{who} at node {i % twin.size} by first moves: {_shown(reached[i])}, "
                f"value {_shown(wanted[i])}"
            )


def _shown(numbers: Any) -> str:
    return ", ".join(map(str, numbers))


def _lie(rng: random.Random, game: DrawnGame, solution: Any) -> None:
    """`verify` must find a single value that was changed."""
    table = solution.table
    arrow = table.to_arrow()
    columns: dict[str, Any] = {name: arrow[name].to_pylist() for name in arrow.column_names}
    row = rng.randrange(table.rows)
    told = _changed(rng, {name: column[row] for name, column in columns.items()})
    if told is None:
        return
    name, lie = told
    before = columns[name][row]
    columns[name][row] = lie
    if name == "lower":
        columns["upper"][row] += lie - before
    keys: Any
    if table.width:
        keys = np.array([columns.pop(f"key_{i}") for i in range(table.width)], np.int64).T.copy()
    else:
        keys = columns.pop("key")
    columns.pop("stratum")
    stored = {
        each: column
        if isinstance(column[0], str)
        else np.array(column, arrow[each].type.to_pandas_dtype())
        for each, column in columns.items()
    }
    forged = MemoryTable(table.header, table.width, table.strata, keys, stored, table.extra)
    try:
        verify(forged, game.rules)
    except VerificationError:
        return
    raise MismatchError(f"verify accepts {name} {lie} instead of {before} in row {row}")


def _changed(rng: random.Random, row: dict[str, Any]) -> tuple[str, Any] | None:
    """The name of a column of a row, and another number for it; None if it has no finite one."""
    if "outcome" in row:
        if row["outcome"] and row["depth"] > 0 and rng.random() < 0.5:
            return "depth", row["depth"] + rng.choice((-1, 1))
        return "outcome", rng.choice([x for x in (-1, 0, 1) if x != row["outcome"]])
    name = next(n for n in ("score", "lower", "exact_0", "top_0", "value_0") if n in row)
    value = row[name]
    if name == "exact_0":
        if "inf" in value:
            return name, "3"
        return name, str(Fraction(value) + rng.choice((-1, Fraction(1, 7), 2)))
    if name in ("lower", "value_0"):
        return (name, value + rng.choice((-0.25, 0.5))) if math.isfinite(value) else None
    return name, value + rng.choice((-1, 1, 3))
