"""Quantities: what can be asked of a solved game."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import alternate
from perfectplay.solvers.store import NONE
from perfectplay.verification.published.matrices import MATRICES
from perfectplay.verification.published.quantity import Quantity, of_number, of_value

OUTCOMES = {"win": 1, "draw": 0, "loss": -1}


def answer(solution: Solution, position: str, quantity: str) -> Quantity:
    """The answer of a solved game; `position` is a text, empty for the start."""
    kind, _, of = quantity.partition(":")
    if kind not in QUANTITIES:
        raise UsageError(
            f"no quantity is called {quantity!r}", f"there are {', '.join(QUANTITIES)}"
        )
    p = solution.position(position) if position else solution.start
    return QUANTITIES[kind](solution, p, of)


def _depth(solution: Solution, p: Any, _: str) -> Quantity:
    depth = solution.value(p).depth
    return Quantity("endless") if depth is None else of_number(depth)


def _longest(solution: Solution, *_: Any) -> Quantity:
    """Where turns alternate, wins of the player to move have odd depths, and losses even ones."""
    depths = solution.to_arrow().column("depth").to_numpy()
    return of_number(int(depths[depths % 2 == 1].max(initial=0)))


def _costs(solution: Solution) -> Any:
    scores = solution.to_arrow().column("score").to_numpy()
    return -scores[scores != NONE]


def _count(solution: Solution, _: Any, of: str) -> Quantity:
    if of not in OUTCOMES:
        return of_number(int((_costs(solution) == int(of)).sum()))
    table = solution.to_arrow()
    whole = {"outcome", "score"} & set(table.column_names)
    if not whole:
        values = (float(solution.value(p)) for p in _positions(solution, table))
        return of_number(sum(np.sign(value) == OUTCOMES[of] for value in values))
    signs = np.sign(table.column(whole.pop()).to_numpy())  # for player 0
    if not alternate(solution.game):
        to_move = np.array([solution.game.to_move(p) for p in _positions(solution, table)])
        signs = signs * np.where(to_move > 0, -1, 1)
    return of_number(int((signs == OUTCOMES[of]).sum()))


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
            return of_value(move.value)
    raise UsageError(f"no move {of!r} at {solution.game.text(p)}")


def _player(solution: Solution, p: Any, of: str) -> Quantity:
    return of_value(solution.values(p)[int(of) - 1])


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
    return of_number(Fraction(int(costs.sum()), len(costs)))


def _best_moves(solution: Solution, p: Any, _: str) -> Quantity:
    """All moves that are as good as the best one."""
    moves = solution.moves(p)
    best = moves[0].value
    same = [m.text for m in moves if (m.value.lower, m.value.upper) == (best.lower, best.upper)]
    return Quantity(";".join(same))


def _choices(solution: Solution, p: Any, of: str) -> Quantity:
    """How a player should mix what both choose at once: `rock 1/3;paper 2/3`."""
    both = solution.choices(p)
    mine = both[int(of) - 1] if both else ()
    return Quantity(";".join(f"{c.text} {c.probability}" for c in mine if c.probability))


def _differ(solution: Solution, _: Any, of: str) -> Quantity:
    """How many positions are worth something else if a parameter is changed: `kings=0`."""
    from perfectplay.answer.solve import solve
    from perfectplay.rules.load import make

    rules: Any = solution.game  # a dataclass
    changed = make(type(rules), split_parameters(of))
    names = {part.partition("=")[0] for part in split_parameters(of)}
    other = solve(replace(rules, **{name: getattr(changed, name) for name in names}))
    mine, theirs = solution.to_arrow(), other.to_arrow()
    worths = [name for name in ("outcome", "score", "lower", "upper") if name in mine.column_names]
    keys = [name for name in mine.column_names if name.startswith("key")]
    if not all(mine.column(name).equals(theirs.column(name)) for name in keys):
        raise UsageError(
            f"with {of} other positions can arise", "compare rules with the same ones"
        )
    pairs = [(mine.column(name).to_numpy(), theirs.column(name).to_numpy()) for name in worths]
    return of_number(int(np.any([one != two for one, two in pairs], axis=0).sum()))


def _going_on(solution: Solution, *_: Any) -> Quantity:
    """Positions at which play goes on."""
    methods = solution.report["methods"]
    return of_number(sum(count for name, count in methods.items() if name != "ends"))


def _residual_ratio(solution: Solution, *_: Any) -> Quantity:
    """By which factor a round of a method that was asked for lessens the residual, when it has
    settled: in the middle of its rounds, where rounding does not matter yet."""
    residuals = solution.report["residuals"]
    here = len(residuals) // 2
    return of_number(Fraction(residuals[here]) / Fraction(residuals[here - 1]))


def split_parameters(text: str) -> list[str]:
    """ "a=1,b=2,3" as ["a=1", "b=2,3"]: a comma before a name begins another parameter."""
    return re.split(r",(?=\w+=)", text) if text else []


QUANTITIES: dict[str, Callable[[Solution, Any, str], Quantity]] = {
    "positions": lambda s, p, _: of_number(s.report["positions"]),
    "outcome": lambda s, p, _: Quantity(s.value(p).outcome.name.lower()),
    "depth": _depth,
    "winning": _winning,
    "best": lambda s, p, _: Quantity(s.moves(p)[0].text),
    "value": lambda s, p, _: of_value(s.value(p)),
    "decimal": lambda s, p, _: of_value(s.value(p)),
    "player-value": _player,
    "player-decimal": _player,
    "side-decimal": lambda s, p, of: _player(s, p, of.rpartition(":")[2]),
    "side-loss": _side_loss,
    "move-value": _move_value,
    "move-decimal": _move_value,
    "score": lambda s, p, _: of_value(s.value(p)),
    "count": _count,
    "eccentricity": lambda s, p, _: of_number(int(_costs(s).max())),
    "longest": _longest,
    "mean": _mean,
    "best-moves": _best_moves,
    "choices": _choices,
    "differ": _differ,
    "going-on": _going_on,
    "ratio": _residual_ratio,
    "rounds": lambda s, p, _: of_number(max(map(int, s.report["rounds"]))),
    **MATRICES,
}
"""What is asked: see tests/known/README.md. The values are those of the player to move."""
