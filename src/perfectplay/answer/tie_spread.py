"""Ties: how far values depend on what players do with equally good moves.

With more than two players a player who does not care may decide between others. The same game is
solved with several rules for ties, and the values of all positions are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.drawing.rich import Rich
from perfectplay.errors import UsageError

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

SAME = 1e-9
"""Values that differ by no more than this are the same."""


@dataclass(frozen=True)
class TieSpread(Rich):
    """What several rules for ties make of a game."""

    rules: tuple[str, ...]
    positions: int
    """Stored positions that were compared."""
    differ: int
    """Those with a value that depends on the rule."""
    most: float
    """The largest difference."""
    where: str
    """A position that has it; empty if no value depends on the rule."""
    start: tuple[tuple[float, ...], ...]
    """What the start is worth to each player, for each rule."""

    def __str__(self) -> str:
        named = ", ".join(self.rules)
        if not self.differ:
            return f"no value of {self.positions:,} positions depends on ties ({named})"
        return (
            f"{self.differ:,} of {self.positions:,} positions depend on ties ({named}), by up to "
            f"{self.most:.3g}, at {self.where}"
        )


def spread(solution: Solution, rules: Sequence[str]) -> TieSpread:
    """Solve a game in floats by its own rule for ties and by others, and compare."""
    from perfectplay.answer.solve import solve
    from perfectplay.rules.coalitions import Sided, sided

    if solution.facts.scalar:
        raise UsageError("no value depends on ties", "they do with more than two players only")
    game, every = solution.game, (solution.ties, *rules)
    if any(":" in rule for rule in every) and not isinstance(game, Sided):
        game = sided(game)  # else tables of different rules would hold different positions
    found = [solve(game, ties=rule) for rule in every]
    ours = _columns(found[0])
    most = np.zeros(len(ours))
    for other in found[1:]:
        np.maximum(most, np.abs(_columns(other) - ours).max(axis=1), out=most)
    worst = int(most.argmax())
    differ = int((most > SAME).sum())
    return TieSpread(
        every,
        len(ours),
        differ,
        float(most[worst]) if differ else 0.0,
        _text(found[0], worst) if differ else "",
        tuple(tuple(map(float, each.values(each.start))) for each in found),
    )


def _columns(solution: Solution) -> Array:
    """float[n, players]: all stored values."""
    table = solution.to_arrow()
    names = [f"value_{i}" for i in range(solution.game.players)]
    return np.column_stack([table.column(name).to_numpy() for name in names])


def _text(solution: Solution, row: int) -> str:
    """The text of a stored position."""
    table = solution.to_arrow().slice(row, 1)
    keys = [table.column(name)[0].as_py() for name in table.column_names if name[:3] == "key"]
    if isinstance(keys[0], str):
        return str(keys[0])
    return solution.game.text(keys[0] if len(keys) == 1 else tuple(keys))
