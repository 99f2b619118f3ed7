"""The answer of a search: a value or bounds on it, a move, a line, and what it took."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from perfectplay.rules.value import Kind, Number, Value

OUTCOMES = {-1: "loss", 0: "draw", 1: "win"}


@dataclass
class Counts:
    """What a search did."""

    nodes: int = 0
    """Positions visited, each as often as it was."""
    alpha_cuts: int = 0
    """Nodes of player 1 where moves were left out, since one was good enough."""
    beta_cuts: int = 0
    """The same for player 0."""
    star1_cuts: int = 0
    """Chance nodes where events were left out, since the others decided about the average."""
    star2_cuts: int = 0
    """The same, after probes alone."""
    probes: int = 0
    """Chance events of which one move was tried first."""
    table_looks: int = 0
    table_hits: int = 0
    """Lookups in the transposition table, and positions found there."""
    endgame_hits: int = 0
    """Positions found in the endgame table."""
    structures: int = 0
    """Structures that were searched, in a game that has them."""
    circles: int = 0
    """Positions that recurred on their own path, and paths that became too long."""

    def add(self, other: Counts) -> None:
        """Count what another thread did too."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)


@dataclass(frozen=True)
class SearchResult:
    """The answer of a search: lower <= the value of the position <= upper, both proved."""

    game: str
    parameters: dict[str, Any]
    position: str
    name: str
    """To whom the value is: the player to move, or player 1 where nobody moves."""
    kind: Kind
    lower: Number
    upper: Number
    """What the position is worth to the player to move; fractions, or infinite if unknown."""
    move: Any
    """A move that is proved to be worth at least `lower` (at most `upper`, for a minimiser); None
    if there is none."""
    move_text: str | None
    line: tuple[str, ...]
    """Best play as far as the search knows it; of chance events the most probable."""
    stopped: str
    """Why there are only bounds: "nodes", "seconds", "interrupted", "circles", "rounding", or ""
    if the value is exact."""
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    """How long was searched, after rules were compiled and tables opened."""
    note: str = ""
    """What the value rests on, where that must be said."""

    @property
    def exact(self) -> Number | None:
        """The value itself, if it was found."""
        return self.lower if self.lower == self.upper else None

    @property
    def value(self) -> Value:
        """The value as other answers give it; bounds become floats, rounded outwards."""
        if self.exact is not None:
            return Value(self.kind, self.lower, self.lower)
        kind: Kind = "score" if self.kind == "outcome" else self.kind
        return Value(kind, _float(self.lower, -math.inf), _float(self.upper, math.inf), "bounds")

    @property
    def told(self) -> str:
        """The value for people, or the bounds."""
        if self.exact is not None:
            return str(self.value)
        return f"between {self._word(self.lower)} and {self._word(self.upper)}"

    def _word(self, number: Number) -> str:
        if self.kind == "outcome" and number in OUTCOMES:
            return OUTCOMES[int(number)]
        if isinstance(number, float) and math.isinf(number):
            return "infinite" if number > 0 else "-infinite"
        return str(number) if number == int(number) else f"{float(number):.15g}"

    def as_json(self) -> dict[str, Any]:
        """The answer as JSON-ready data."""
        return {
            "game": self.game,
            "parameters": self.parameters,
            "position": self.position,
            "player": self.name,
            "value": self.value.as_json(),
            "told": self.told,
            "move": self.move_text,
            "line": list(self.line),
            "stopped": self.stopped,
            **asdict(self.counts),
            "seconds": round(self.seconds, 3),
            **({"note": self.note} if self.note else {}),
        }


def _float(number: Number, towards: float) -> float:
    """A float that is not on the wrong side of a bound."""
    near = float(number)
    if math.isinf(near) or Fraction(near) == number:
        return near
    right = Fraction(near) < number if towards < 0 else Fraction(near) > number
    return near if right else math.nextafter(near, towards)
