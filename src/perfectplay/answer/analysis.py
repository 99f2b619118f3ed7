"""Analysis: what is known about one position, the same data behind every face.

The moves come best first, each with what it is worth to the player who makes it and how much is
lost by it; where chance acts, all that may happen with its probability; and the main line.
"""

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS
from perfectplay.rules.value import Value

NOBODY = {CHANCE: "chance", OVER: "over", SIMULTANEOUS: "both"}
"""What JSON says where no single player moves."""

Ending = Literal["over", "repeats", "more"]


@dataclass(frozen=True)
class MoveAnalysis:
    """One legal move."""

    move: Any
    text: str
    child: str
    """The position after it."""
    value: Value
    """What the move is worth to the player who makes it, its reward included."""
    values: tuple[Value, ...]
    """What it is worth to each player of the position."""
    reward: int
    """What the move earns the player who makes it at once."""
    loss: float
    """How much worse than the best move it is: 0 for a best move, 1 from win to draw."""
    change: str
    """What a worse move does to an outcome: "win -> draw", "2 plies later"; else empty."""
    best: bool

    def as_json(self) -> dict[str, Any]:
        """The move as JSON-ready data."""
        return {
            "move": self.text,
            "position": self.child,
            "best": self.best,
            "value": self.value.as_json(),
            "values": [value.as_json() for value in self.values],
            "reward": self.reward,
            "loss": "infinite" if math.isinf(self.loss) else self.loss,
            "change": self.change,
        }


@dataclass(frozen=True)
class ChanceAnalysis:
    """One thing that may happen at a CHANCE position."""

    probability: Fraction
    child: str
    values: tuple[Value, ...]
    """What it is worth to each player."""

    def as_json(self) -> dict[str, Any]:
        """The event as JSON-ready data."""
        return {
            "probability": str(self.probability),
            "position": self.child,
            "values": [value.as_json() for value in self.values],
        }


@dataclass(frozen=True)
class ChoiceAnalysis:
    """One thing that a player may choose while the other chooses as well."""

    move: Any
    text: str
    probability: Fraction | float
    """Of this choice in an optimal mixture: a fraction where values are exact."""
    value: Value
    """What the choice is worth to the player, if the other plays the optimal mixture."""

    def as_json(self) -> dict[str, Any]:
        """The choice as JSON-ready data."""
        share = self.probability
        return {
            "move": self.text,
            "probability": share if isinstance(share, float) else str(share),
            "value": self.value.as_json(),
        }


@dataclass(frozen=True)
class Step:
    """One move of a line, or one event."""

    by: int
    """Who moves: a player, or CHANCE, or SIMULTANEOUS. In alternate play 0 moves first, then 1,
    and so on."""
    move: str
    position: str
    """The position after it."""


@dataclass(frozen=True)
class Line:
    """Best play from a position on: best moves, and at chance the most probable event (of several,
    one that changes little)."""

    steps: tuple[Step, ...]
    ending: Ending
    """"over": play ended; "repeats": it came back to a position; "more": it was cut off."""

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        end = {"over": "", "repeats": " (repeats)", "more": " …"}[self.ending]
        return " ".join(step.move for step in self.steps) + end

    def as_json(self) -> dict[str, Any]:
        """The line as JSON-ready data."""
        steps = [
            {
                "by": NOBODY.get(step.by, step.by),
                "move": step.move,
                "position": step.position,
            }
            for step in self.steps
        ]
        return {"steps": steps, "ending": self.ending}


@dataclass(frozen=True)
class Analysis:
    """All that is known about one position."""

    position: str
    player: int
    """The player to move (in alternate play always 0), or CHANCE, OVER or SIMULTANEOUS."""
    name: str
    """What the player to move is called; "chance", "nobody" or "both players" if there is none."""
    value: Value
    """What the position is worth to the player to move; to player 0 if `to_move` names nobody."""
    to: str
    """What the player is called to whom it is worth that."""
    values: tuple[Value, ...]
    """What it is worth to each player."""
    moves: tuple[MoveAnalysis, ...]
    """Best first."""
    chances: tuple[ChanceAnalysis, ...]
    line: Line
    note: str = ""
    """What the value rests on, where that must be said."""
    choices: tuple[tuple[ChoiceAnalysis, ...], ...] = ()
    """Where both players choose at once: what each may choose, in the order of the rules."""

    def as_json(self) -> dict[str, Any]:
        """The analysis as JSON-ready data."""
        return {
            "position": self.position,
            "to_move": NOBODY.get(self.player, self.player),
            "player": self.name,
            "value": self.value.as_json(),
            "to": self.to,
            "values": [value.as_json() for value in self.values],
            "moves": [move.as_json() for move in self.moves],
            "chances": [chance.as_json() for chance in self.chances],
            "line": self.line.as_json(),
            **(
                {"choices": [[c.as_json() for c in own] for own in self.choices]}
                if self.choices
                else {}
            ),
            **({"note": self.note} if self.note else {}),
        }

    def _repr_html_(self) -> str:
        rows = [
            (("<b>{}</b>" if m.best else "{}").format(_safe(m.text)), _safe(m.value), _lost(m))
            for m in self.moves
        ]
        rows += [(_safe(c.child), _safe(c.values[0]), f"{c.probability}") for c in self.chances]
        rows += [
            (_safe(c.text), _safe(c.value), share_text(c.probability))
            for own in self.choices
            for c in own
        ]
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        last = "probability" if self.chances or self.choices else "loses"
        head = f"<tr><th>move</th><th>value</th><th>{last}</th></tr>" if rows else ""
        return (
            f"<p><code>{_safe(self.position)}</code>: {_safe(self.value)} to {_safe(self.to)}</p>"
            f"<table>{head}{body}</table><p>{_safe(self.line)}</p>"
        )


def share_text(share: Fraction | float) -> str:
    """A probability, for people."""
    return f"{share:.6g}" if isinstance(share, float) else str(share)


def _safe(thing: object) -> str:
    return html.escape(str(thing))


def _lost(move: MoveAnalysis) -> str:
    return "" if move.best else _safe(move.change or f"{move.loss:.6g}")
