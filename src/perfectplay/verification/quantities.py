"""Quantities: what can be asked of a solved game, and whether an answer is a given figure.

A figure is written as in print: `4/7`, `0.5306`, `68 %`, `1 in 276`, `3,945,711`, `draw`, `a;c`. A
rounded figure is met by every number that rounds to it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.progress import Progress
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import Game, alternate
from perfectplay.rules.value import Value, exact_text
from perfectplay.solvers.store import NONE

SEARCH_MEMORY = 2**29
OUTCOMES = {"win": 1, "draw": 0, "loss": -1}


@dataclass(frozen=True)
class Quantity:
    """What was found: a number between two bounds, or a text."""

    text: str
    lower: Fraction | None = None
    upper: Fraction | None = None
    exactness: str = "exact"


def answer(solution: Solution, position: str, quantity: str) -> Quantity:
    """The answer of a solved game; `position` is a text, empty for the start."""
    kind, _, of = quantity.partition(":")
    if kind not in QUANTITIES:
        raise UsageError(f"no quantity is called {quantity!r}", f"there are {', '.join(known())}")
    p = solution.position(position) if position else solution.start
    return QUANTITIES[kind](solution, p, of)


def searched(game: Game, position: str, quantity: str, progress: Progress) -> Quantity:
    """The value of a position by a search, without solving the whole game; with the move that it
    plays if the quantity is `search-best`."""
    from perfectplay.searching.search import position_of, search

    p = position_of(game, position) if position else None
    found = search(game, p, size=SEARCH_MEMORY, progress=progress)
    if quantity == "search-best":
        return Quantity(f"{found.told};{found.move_text}")
    return _value(found.value)


def known() -> list[str]:
    """The names of all quantities."""
    return [*QUANTITIES, "ply", "formula", "search", "search-best"]


def needs_fractions(quantity: str) -> bool:
    """Whether a quantity is asked for as a fraction."""
    return quantity.partition(":")[0] in ("value", "move-value", "nash", "player-value")


def sides_of(quantity: str) -> str:
    """The sides that players take in a quantity such as side-decimal:2+3:1; empty if none."""
    kind, _, of = quantity.partition(":")
    return of.rpartition(":")[0] if kind in ("side-decimal", "side-loss") else ""


def meets(found: Quantity, figure: str) -> bool:
    """Whether an answer is the figure, in all digits that it has."""
    if found.lower is None or found.upper is None:
        return _words(found.text) == _words(figure)
    bounds = _bounds(figure)
    if bounds is None:
        return False
    low, high = bounds
    tiny = Fraction(1, 10**11) * max(Fraction(1), abs(found.upper))
    narrow = found.upper - found.lower <= max(high - low, tiny)  # than the figure leaves open
    return found.lower <= high and low <= found.upper and narrow


def _words(text: str) -> list[str]:
    return sorted(word.strip() for word in text.split(";"))


def _bounds(figure: str) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest number that a printed figure may stand for."""
    text = figure.replace(",", "").strip()
    if one_in := re.fullmatch(r"1 in (\d+)", text):
        low, high = _rounded(one_in[1])
        return 1 / high, 1 / low
    if percent := re.fullmatch(r"(-?\d+(?:\.\d+)?) ?%", text):
        low, high = _rounded(percent[1])
        return low / 100, high / 100
    if re.fullmatch(r"[+-]?\d+(/\d+)?", text):
        return Fraction(text), Fraction(text)
    if re.fullmatch(r"[+-]?\d*\.\d+", text):
        return _rounded(text)
    return None


def _rounded(text: str) -> tuple[Fraction, Fraction]:
    """All numbers that are rounded to a decimal, and a little more for figures cut off."""
    half = Fraction(51, 100 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


# -- Answers. -------------------------------------------------------------------------------------


def _number(number: Any) -> Quantity:
    exact = Fraction(number)
    return Quantity(exact_text(exact), exact, exact)


def _value(value: Value) -> Quantity:
    if value.kind == "outcome":
        return Quantity(value.outcome.name.lower())
    if isinstance(value.lower, float) and not np.isfinite(value.lower):
        return Quantity(str(value))
    return Quantity(str(value), Fraction(value.lower), Fraction(value.upper), value.exactness)


def _depth(solution: Solution, p: Any, _: str) -> Quantity:
    depth = solution.value(p).depth
    return Quantity("endless") if depth is None else _number(depth)


def _longest(solution: Solution, *_: Any) -> Quantity:
    """Where turns alternate, wins of the player to move have odd depths, and losses even ones."""
    depths = solution.to_arrow().column("depth").to_numpy()
    return _number(int(depths[depths % 2 == 1].max(initial=0)))


def _costs(solution: Solution) -> Any:
    scores = solution.to_arrow().column("score").to_numpy()
    return -scores[scores != NONE]


def _count(solution: Solution, _: Any, of: str) -> Quantity:
    if of not in OUTCOMES:
        return _number(int((_costs(solution) == int(of)).sum()))
    table = solution.to_arrow()
    whole = {"outcome", "score"} & set(table.column_names)
    if not whole:
        values = (float(solution.value(p)) for p in _positions(solution, table))
        return _number(sum(np.sign(value) == OUTCOMES[of] for value in values))
    signs = np.sign(table.column(whole.pop()).to_numpy())  # for player 0
    if not alternate(solution.game):
        to_move = np.array([solution.game.to_move(p) for p in _positions(solution, table)])
        signs = signs * np.where(to_move > 0, -1, 1)
    return _number(int((signs == OUTCOMES[of]).sum()))


def _positions(solution: Solution, table: Any) -> Iterator[Any]:
    """The positions of a table in its order."""
    names = [name for name in table.column_names if name.startswith("key_")]
    if not names:  # of interpreted rules: as text
        return map(solution.game.parse, table.column("key").to_pylist())
    keys = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    return (key[0] if len(key) == 1 else key for key in keys)


def _winning(solution: Solution, p: Any, _: str) -> Quantity:
    return Quantity(";".join(m.text for m in solution.moves(p) if m.value.lower > 0))


def _move_value(solution: Solution, p: Any, of: str) -> Quantity:
    for move in solution.moves(p):
        if move.text == of:
            return _value(move.value)
    raise UsageError(f"no move {of!r} at {solution.game.text(p)}")


def _player(solution: Solution, p: Any, of: str) -> Quantity:
    return _value(solution.values(p)[int(of) - 1])


def _side_loss(solution: Solution, p: Any, of: str) -> Quantity:
    """What a player who is a coalition of one loses because others join."""
    from perfectplay.answer.solve import solve

    game = solution.game
    assert isinstance(game, Sided)
    player = int(of.rpartition(":")[2]) - 1
    usual = solve(game.rules).values(game.board(p))[player]
    joined = solution.values(p)[game.side[player]]
    low = Fraction(usual.lower) - Fraction(joined.upper)
    high = Fraction(usual.upper) - Fraction(joined.lower)
    return Quantity(f"{float(low + high) / 2:.9g}", low, high, usual.exactness)


def _mean(solution: Solution, *_: Any) -> Quantity:
    costs = _costs(solution)
    return _number(Fraction(int(costs.sum()), len(costs)))


def _nash(solution: Solution, _: Any, of: str) -> Quantity:
    """A figure of the equilibrium of placements; `of` is a field, such as value or max_min."""
    play = solution.placements().equilibrium()
    return _number(getattr(play, of.replace("-", "_") or "value"))


QUANTITIES: dict[str, Callable[[Solution, Any, str], Quantity]] = {
    "positions": lambda s, p, _: _number(s.report["positions"]),
    "outcome": lambda s, p, _: Quantity(s.value(p).outcome.name.lower()),
    "depth": _depth,
    "winning": _winning,
    "best": lambda s, p, _: Quantity(s.moves(p)[0].text),
    "value": lambda s, p, _: _value(s.value(p)),
    "decimal": lambda s, p, _: _value(s.value(p)),
    "player-value": _player,
    "player-decimal": _player,
    "side-decimal": lambda s, p, of: _player(s, p, of.rpartition(":")[2]),
    "side-loss": _side_loss,
    "move-value": _move_value,
    "move-decimal": _move_value,
    "score": lambda s, p, _: _value(s.value(p)),
    "count": _count,
    "eccentricity": lambda s, p, _: _number(int(_costs(s).max())),
    "longest": _longest,
    "mean": _mean,
    "nash": _nash,
}
"""What is asked: see tests/known/README.md. The values are those of the player to move."""


def sizes_by_ply(game: Game, plies: int) -> list[int]:
    """How many positions can arise after exactly 0, 1, … plies, without solving anything."""
    from perfectplay.positions.expand import expander

    rules = expander(game, steps=True)
    here, _ = rules.starts()
    sizes = []
    for _ in range(plies + 1):
        sizes.append(len(here))
        child = rules.expand(here).child
        here = np.unique(child, axis=0) if rules.width else list(dict.fromkeys(child))
    return sizes
