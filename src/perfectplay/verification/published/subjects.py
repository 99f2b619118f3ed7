"""Subjects: whom a row asks. Rows that ask the same one share it, so that it is computed once.

| subject | is | quantities |
| --- | --- | --- |
| solution | the solved game: between bounds, in fractions, by a named method, or with players who
  take sides | `quantities.QUANTITIES` |
| rules | the game itself, not solved | `RULES` |
| search | one position, searched | `SEARCHED` |
| sum | a sum of positions, as `perfectplay value` reads it; the row's game is its first kind |
  `SUMS` |
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.coalitions import sided
from perfectplay.rules.game import first_positions
from perfectplay.rules.load import load
from perfectplay.verification.published.quantities import QUANTITIES, answer, split_parameters
from perfectplay.verification.published.quantity import Quantity, of_number, of_value

if TYPE_CHECKING:
    from perfectplay.progress import Progress
    from perfectplay.rules.game import Game
    from perfectplay.sums.sum import Sum

SEARCH_MEMORY = 2**29
BLOCK = 2**20
"""Positions of a ply whose moves are held at once."""
NO_ANSWER = "none"
"""The exactness of what is no answer but an error."""
SIDES = ("side-decimal", "side-loss")
METHODS = ("ratio", "rounds")
SEARCHED = ("search", "search-any", "search-best")
FRACTIONS = (
    "value", "move-value", "best-moves", "nash", "matrix", "mixtures", "guaranteed",
    "player-value", "choices",
)  # fmt: skip
"""Quantities that are asked for as fractions."""


class Subject(NamedTuple):
    """Whom to ask."""

    kind: str
    game: str
    parameters: str
    way: str
    """How it is solved: `exact`, `bounds`, `sides 2+3`, `method naive`."""


class Asked(NamedTuple):
    """What a row wants to know of its subject."""

    position: str
    quantity: str


def known() -> list[str]:
    """The names of all quantities."""
    return [*QUANTITIES, *RULES, *SEARCHED, *SUMS]


def subject(game: str, parameters: str, quantity: str) -> Subject:
    """Whom to ask for a quantity."""
    kind, _, of = quantity.partition(":")
    for name, kinds in (("rules", RULES), ("search", SEARCHED), ("sum", SUMS)):
        if kind in kinds:
            return Subject(name, game, parameters, "")
    way = "exact" if kind in FRACTIONS else "bounds"
    if kind in SIDES:
        way = f"sides {of.rpartition(':')[0]}"
    elif kind in METHODS:
        way = f"method {of}"
    return Subject("solution", game, parameters, way)


def answers(
    to: Subject, questions: Sequence[Asked], progress: Progress, *, stored: bool
) -> list[Quantity]:
    """What the subject says to all questions, or what is wrong. `stored` keeps a table on disk
    meanwhile, so that memory need not hold it."""
    try:
        if to.kind == "sum":
            return _each(questions, lambda asked: _of_sum(to, asked))
        game = load(to.game, split_parameters(to.parameters))
        if to.kind == "search":
            return _each(questions, lambda asked: _of_search(game, asked, progress))
        if to.kind == "rules":
            return _each(questions, lambda asked: _of_rules(game, asked))
        return _of_solution(game, to.way, questions, progress, stored=stored)
    except PerfectPlayError as error:
        return [_wrong(error)] * len(questions)


def _each(questions: Sequence[Asked], ask: Callable[[Asked], Quantity]) -> list[Quantity]:
    """The answers to all questions; one that goes wrong does not matter to the others."""
    found = []
    for question in questions:
        try:
            found.append(ask(question))
        except PerfectPlayError as error:
            found.append(_wrong(error))
    return found


def _wrong(error: PerfectPlayError) -> Quantity:
    return Quantity(f"error: {error.message}", exactness=NO_ANSWER)


# -- Solved games. --------------------------------------------------------------------------------


def _of_solution(
    game: Game, way: str, questions: Sequence[Asked], progress: Progress, *, stored: bool
) -> list[Quantity]:
    from perfectplay.answer.solve import solve

    how, _, which = way.partition(" ")
    rules = sided(game, which) if how == "sides" else game
    method = which if how == "method" else "auto"
    with TemporaryDirectory(prefix="perfectplay-") as folder:
        place = Path(folder) / "table" if stored and not own_solver(rules) else None
        solution = solve(rules, place, exact=how == "exact", method=method, progress=progress)
        return _each(questions, lambda asked: answer(solution, asked.position, asked.quantity))


# -- Rules, not solved. ---------------------------------------------------------------------------


def sizes_by_ply(game: Game, plies: int) -> list[int]:
    """How many positions can arise after exactly 0, 1, … plies, without solving anything."""
    from perfectplay.positions.expand import expander

    rules = expander(game, steps=True)
    here, _ = rules.starts()
    sizes = []
    for ply in range(plies + 1):
        sizes.append(len(here))
        if ply < plies:
            blocks = [here[i : i + BLOCK] for i in range(0, len(here), BLOCK)]
            here = _different([_different([rules.expand(each).child]) for each in blocks])
    return sizes


def _different(positions: list[Any]) -> Any:
    """Each position once, of several lists or arrays of keys."""
    if not positions or isinstance(positions[0], list):
        return list(dict.fromkeys(chain.from_iterable(positions)))
    keys = positions[0] if len(positions) == 1 else np.concatenate(positions)
    return np.unique(keys.ravel())[:, None] if keys.shape[1] == 1 else np.unique(keys, axis=0)


def _of_rules(game: Game, question: Asked) -> Quantity:
    kind, _, of = question.quantity.partition(":")
    return RULES[kind](game, question.position, of)


def _formula(game: Game, _: str, of: str) -> Quantity:
    """A number that the rules know without being solved, by its name: `counts.components`."""
    found = attrgetter(of)(game)
    if isinstance(found, float):
        return Quantity(f"{found:.12g}", Fraction(found), Fraction(found), "rounded")
    return of_number(found)


def _first(game: Game, _: str, of: str) -> Quantity:
    """How many first positions there are; `first:reduced`: symmetric ones counted once."""
    if of == "reduced":
        return of_number(sizes_by_ply(game, 0)[0])
    return of_number(sum(1 for _ in first_positions(game)))


def _strata(game: Game, position: str, of: str) -> Quantity:
    """Bellman's strata of a position: the size of S_0 (`members`), how many positions transitive
    moves lead to from it (`exits`), or the moves that are `recurrent` or `transitive`."""
    from perfectplay.answer.faces.strata import strata

    p = game.parse(position) if position else game.start()
    found = strata(game, p)
    if of in ("members", "exits"):
        return of_number(len(getattr(found, of)))
    return Quantity(";".join(m.text for m in found.moves if m.word == of) or "none")


RULES: dict[str, Callable[[Game, str, str], Quantity]] = {
    "ply": lambda game, _, of: of_number(sizes_by_ply(game, int(of))[-1]),
    "formula": _formula,
    "first": _first,
    "strata": _strata,
}


# -- One position, searched. ----------------------------------------------------------------------


def _of_search(game: Game, question: Asked, progress: Progress) -> Quantity:
    """The value of a position by a search, with the move that it plays if that is asked for;
    `search-any`: whether a puzzle is solvable, by whatever moves."""
    from perfectplay.searching.search import position_of, search

    p = position_of(game, question.position) if question.position else None
    any_line = question.quantity == "search-any"
    found = search(game, p, size=SEARCH_MEMORY, any_line=any_line, progress=progress)
    if any_line:
        return Quantity(found.value_text.partition(",")[0])
    if question.quantity == "search-best":
        return Quantity(f"{found.value_text};{found.move_text}")
    return of_value(found.value)


# -- Sums. ----------------------------------------------------------------------------------------


def _of_sum(to: Subject, question: Asked) -> Quantity:
    from perfectplay.sums.reading import read_sum

    words = [to.game, *split_parameters(to.parameters), *shlex.split(question.position)]
    kind, _, of = question.quantity.partition(":")
    return SUMS[kind](read_sum(words), of)


def _worth(total: Sum, _: str) -> Quantity:
    """What the sum is worth, as a number if it is one."""
    found = str(total.value())
    try:
        return of_number(Fraction(found))
    except ValueError:
        return Quantity(found)


def _options(total: Sum, of: str) -> Quantity:
    """What the moves of a player lead to, each value once: `options:left`."""
    player = ("left", "right").index(of)
    return Quantity(";".join(dict.fromkeys(choice.value for choice in total.choices(player))))


def _wins_by(total: Sum, of: str) -> Quantity:
    """The winning moves of a player who begins: `wins-by:left`."""
    player = ("left", "right").index(of or "left")
    return Quantity(";".join(dict.fromkeys(total.named(each) for each in total.winning(player))))


def _columns(total: Sum, _: str) -> Quantity:
    """The nim values of the parts in binary, and their sum without carrying: `1 11 = 10`."""
    from perfectplay.sums.canonical_form import Short

    values = [part.value for part in total.parts]
    sizes = [value.nim for value in values if isinstance(value, Short) and value.is_nimber]
    if len(sizes) < len(values):
        raise UsageError("not all parts are nimbers", "columns are those of heaps of Nim")
    shown = " ".join(f"{size:b}" for size in sizes)
    return Quantity(f"{shown} = {reduce(int.__xor__, sizes, 0):b}")


SUMS: dict[str, Callable[[Any, str], Quantity]] = {
    "worth": _worth,
    "class": lambda total, _: Quantity(total.outcome),
    "options": _options,
    "wins-by": _wins_by,
    "columns": _columns,
}
