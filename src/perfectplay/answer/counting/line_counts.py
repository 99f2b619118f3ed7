"""What counting lines of play finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfectplay.rules.parameters import value_text
from perfectplay.rules.value import Number, Outcome, Value

if TYPE_CHECKING:
    from perfectplay.schemas.runs import LineCountsJson

WITHOUT_END = "as many as you like: play can come to an end, but can go round before"


@dataclass(frozen=True)
class LineCounts:
    """How many lines of play there are from a position. Lines differ if a move does, also where
    both moves lead to symmetric positions, or to one and the same."""

    game: str
    parameters: dict[str, Any]
    position: str
    name: str
    """Who counts their gains: the player to move in games where turns alternate, else player 1."""
    positions: int
    """How many positions arise from the start of the game, symmetric ones counted once."""
    lines: int | None
    """Lines from the position to an end of play; None: as many as you like."""
    ends: tuple[tuple[Number, int], ...]
    """The same by the payoff at the end, the least first; empty if there are as many as you
    like."""
    outcome: bool
    """Whether payoffs are a loss (-1), a draw (0) and a win (1)."""
    value: Value | None
    """What the position is worth; None if best lines were not asked for."""
    best: int | None
    """Lines on which every move is best, won as soon and lost as late as possible; None: as many
    as you like, or not asked for."""

    def as_json(self) -> LineCountsJson:
        """The counts as JSON-ready data."""
        return {
            "game": self.game,
            "parameters": self.parameters,
            "position": self.position,
            "positions": self.positions,
            "lines": _text(self.lines),
            "ends": [{"payoff": str(end), "lines": str(many)} for end, many in self.ends],
            "value": None if self.value is None else self.value.as_json(),
            "best": _text(self.best),
        }

    def facts(self) -> list[tuple[str, str]]:
        """The counts as names and words."""
        given = ", ".join(f"{name}={value_text(v)}" for name, v in self.parameters.items())
        rows = [
            ("game", f"{self.game} ({given})" if given else self.game),
            ("position", self.position),
            ("positions", f"{self.positions:,}"),
            ("lines", _words(self.lines)),
        ]
        for i, (end, many) in enumerate(self.ends if len(self.ends) > 1 else ()):
            what = Outcome(int(end)).name.lower() if self.outcome else str(end)
            rows.append(("" if i else f"by payoff to {self.name}", f"{what}: {many:,}"))
        if self.value is not None:
            rows += [(f"value to {self.name}", str(self.value)), ("best lines", _words(self.best))]
        return rows

    def __str__(self) -> str:
        rows = self.facts()
        wide = max(len(name) for name, _ in rows)
        return "\n".join(f"{name.ljust(wide)}  {words}" for name, words in rows)


def _text(count: int | None) -> str | None:
    return None if count is None else str(count)


def _words(count: int | None) -> str:
    return WITHOUT_END if count is None else f"{count:,}"
