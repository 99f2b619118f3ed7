"""Solved tables below a search, as Turner (2012) used them for EinStein, and files of other
programs that rules can read.

The rules must be the same; parameters may differ only if no rule reads them, such as those that
say where play starts."""

import inspect
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.answer.solution import Solution
from perfectplay.answer.table_rules import like
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.digest import EDGES, rules_digest
from perfectplay.errors import NoSolverError, TableError
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed, NumberMoves
from perfectplay.rules.search_capabilities import foreign_endings
from perfectplay.searching.fractions64 import FITS, INFINITE
from perfectplay.searching.search_facts import SearchFacts, in_stored_units
from perfectplay.solvers.store import NONE
from perfectplay.strata.sealed_files import MANIFEST
from perfectplay.table.reader import Table


def solution_of(table: Solution | str | Path, game: Game) -> Solution:
    """The solved game to use below a search of `game`; TableError if its rules are others."""
    if isinstance(table, Solution):
        solution = table
    else:
        solution = Solution.open(table, like(Table.open(table).header, table, game))
    other = solution.game
    if rules_digest(other) != rules_digest(game) or solution.table.header["rules"] != rules_digest(
        other
    ):
        raise TableError(
            f"the endgame table is one of {type(other).__name__}, with other rules than those of "
            f"{type(game).__name__}",
            "solve the same rules; only where play starts may differ",
        )
    own = parameters(game)  # named before what follows from them
    for name in sorted(_read(type(game)), key=lambda name: (name not in own, name)):
        if _differs(getattr(game, name, None), getattr(other, name, None)):
            raise TableError(
                f"the endgame table was made with another {name}, which the rules read",
                "solve the game with the same parameters; only where play starts may differ",
            )
    if not solution.facts.scalar:
        raise NoSolverError("the endgame table is one of a game without opposed interests")
    return solution


def foreign(table: Solution | str | Path | None, game: Game) -> Callable[[Any], Any] | None:
    """What looks positions up in files of another program; None if the table is one of ours."""
    if table is None or isinstance(table, Solution) or (Path(table) / MANIFEST).exists():
        return None
    return foreign_endings(game, Path(table))


def _read(cls: type[Game]) -> set[str]:
    """The attributes that the rules of a class read, as far as they do not only begin or show, or
    say how a table is arranged, which is asked through its own rules."""
    begins = {"start", "starts", "starts_of", "chosen", "chosen_picture"}
    arranged = {name for each in (Indexed, BackwardMoves, NumberMoves) for name in vars(each)}
    skipped = EDGES | begins | arranged | {"most_positions", "stratum"}
    names = {"players", "minimise", "endless", "misere"}
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if name not in skipped and not name.startswith("__"):
            names |= set(method.__code__.co_names)
    return {name for name in names if not callable(getattr(cls, name, None))}


def _differs(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return not np.array_equal(a, b)
    return bool(a != b)


# -- For interpreted searches. --------------------------------------------------------------------


def bounds(solution: Solution, facts: SearchFacts, r: Any) -> tuple[Any, Any] | None:
    """Bounds on the value of a representative in stored units; None if it was not solved."""
    if solution.row(r) is None:
        return None
    value, solved = solution.values(r)[0], solution.facts
    low, high = (x if _infinite(x) else Fraction(x) for x in (value.lower, value.upper))
    if solved.minimise:
        return -high, -low
    scale, offset = (_factor(solution, facts) * x for x in (solved.scale, solved.offset))
    return low * scale - offset, high * scale - offset


def foreign_bounds(
    look: Callable[[Any], Any], game: Game, facts: SearchFacts, r: Any
) -> tuple[Any, Any] | None:
    """The same, from files of another program."""
    return in_stored_units(game, look(r), pairs=facts.pairs, total=facts.sum)


def _infinite(number: Any) -> bool:
    return isinstance(number, float) and math.isinf(number)


def _factor(solution: Solution, facts: SearchFacts) -> int:
    """How many stored units of a search are one of the table: payoffs (a, b) with the sum 0 are
    stored as a there, and as a - b here."""
    return 2 if facts.pairs and solution.facts.scale == 1 else 1


# -- For compiled searches. -----------------------------------------------------------------------


def entries(solution: Solution, facts: SearchFacts) -> Array:
    """A solved game as a table that compiled searches read (search_stack.py)."""
    from perfectplay.searching import search_stack

    table = solution.to_arrow()
    width = solution.table.key_width
    if not width:
        raise TableError(
            "the endgame table was solved with interpreted rules",
            "solve it compiled, or search with --plain",
        )
    words = np.stack(
        [table.column(name).to_numpy() for name in table.column_names if name.startswith("key_")],
        axis=1,
    ).astype(np.int64)
    found = np.zeros((3 * len(words) // 2 + 2, search_stack.ENTRY + width), np.int64)
    names, factor = table.column_names, _factor(solution, facts)
    if "outcome" in names or "score" in names:
        known = _integers(table.column("outcome" if "outcome" in names else "score"), factor)
    else:
        pairs: Iterable[Any]
        if "lower" in names:
            columns = [table.column(name).to_numpy() for name in ("lower", "upper")]
            pairs = (factor * np.stack(columns, axis=1)).tolist()
        else:
            single = isinstance(solution.start, int)
            positions = (key[0] if single else tuple(key) for key in words.tolist())
            pairs = (bounds(solution, facts, p) for p in positions)
        fitted = [(*_fitting(low, up=False), *_fitting(high, up=True)) for low, high in pairs]
        known = np.array(fitted, np.int64)
    search_stack.fill(found, words, known)
    return found


def _integers(column: Any, factor: int) -> Array:
    """Outcomes or scores as bounds that are fractions: int64[n, 4]."""
    out = np.ones((len(column), 4), np.int64)
    value = column.to_numpy().astype(np.int64)
    out[:, 0] = out[:, 2] = np.where(value == NONE, -INFINITE, factor * value)
    return out


def _fitting(number: Any, *, up: bool) -> tuple[int, int]:
    """A number as a fraction of 64-bit integers, rounded up or down if it does not fit."""
    if _infinite(number):
        return (INFINITE if number > 0 else -INFINITE), 1
    if abs(number) >= FITS:
        return (INFINITE if up else -INFINITE), 1
    value, scale = Fraction(number), 2**60
    if max(abs(value.numerator), value.denominator) >= FITS:
        while abs(value) * scale >= FITS:
            scale //= 2
        value = Fraction(math.ceil(value * scale) if up else math.floor(value * scale), scale)
    return value.numerator, value.denominator
