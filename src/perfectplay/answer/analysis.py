"""Analysis: what is known about one position, the same data behind every face.

The moves come best first, each with what it is worth to the player who makes it and how much is
lost by it; where chance acts, all that may happen with its probability; and the main line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from perfectplay.drawing.rich import Display, Rich
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from perfectplay.schemas.answers import (
        ChanceJson,
        LineJson,
        MixedChoiceJson,
        MoveJson,
        PositionJson,
        StepJson,
    )

NOBODY: dict[int, Literal["chance", "both"]] = {CHANCE: "chance", SIMULTANEOUS: "both"}
"""What JSON says where play goes on, but no single player moves."""

Ending = Literal["over", "repeats", "more"]


@dataclass(frozen=True)
class MoveAnalysis(Rich):
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
    number: int
    """Its place in the order of the rules, from 0."""

    @property
    def loses(self) -> str:
        """What it loses against the best move, in words; empty for a best move."""
        return "" if self.best else self.change or f"{self.loss:.6g}"

    def display(self) -> Display:
        """The move with its value."""
        loses = f", loses {self.loses}" if self.loses else ""
        return Display(f"{self.text}: {self.value}{loses}")

    def as_json(self) -> MoveJson:
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

    def as_json(self) -> ChanceJson:
        """The event as JSON-ready data."""
        return {
            "probability": str(self.probability),
            "position": self.child,
            "values": [value.as_json() for value in self.values],
        }


class MoveList(Rich, tuple[MoveAnalysis, ...]):
    """All moves at a position, best first."""

    __slots__ = ()

    def display(self) -> Display:
        """The moves, each with its value and what it loses."""
        rows = [(move.text, move.value, move.loses) for move in self]
        best = {i for i, move in enumerate(self) if move.best}
        title = f"{len(self)} move{'s' * (len(self) != 1)}"
        return Display(title, ("move", "value", "loses"), rows, best)


class EventList(Rich, tuple[ChanceAnalysis, ...]):
    """All that may happen at a CHANCE position."""

    __slots__ = ()

    def display(self) -> Display:
        """The events, each with its probability and its value to the first player."""
        rows = [(event.child, event.values[0], event.probability) for event in self]
        title = f"{len(self)} event{'s' * (len(self) != 1)}"
        return Display(title, ("position after", "value to player 1", "probability"), rows)


@dataclass(frozen=True)
class ChoiceAnalysis:
    """One thing that a player may choose while the other chooses as well."""

    move: Any
    text: str
    probability: Fraction | float
    """Of this choice in an optimal mixture: a fraction where values are exact."""
    value: Value
    """What the choice is worth to the player, if the other plays the optimal mixture."""

    def as_json(self) -> MixedChoiceJson:
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
class Line(Rich):
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

    def as_json(self) -> LineJson:
        """The line as JSON-ready data."""
        steps: list[StepJson] = [
            {
                "by": NOBODY.get(step.by, step.by),
                "move": step.move,
                "position": step.position,
            }
            for step in self.steps
        ]
        return {"steps": steps, "ending": self.ending}


@dataclass(frozen=True)
class Analysis(Rich):
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
    picture: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    """Draws the position."""
    choices: tuple[tuple[ChoiceAnalysis, ...], ...] = ()
    """Where both players choose at once: what each may choose, in the order of the rules."""

    def as_json(self) -> PositionJson:
        """The analysis as JSON-ready data."""
        shown: PositionJson = {
            "position": self.position,
            "to_move": "over" if self.player == OVER else NOBODY.get(self.player, self.player),
            "player": self.name,
            "value": self.value.as_json(),
            "to": self.to,
            "values": [value.as_json() for value in self.values],
            "moves": [move.as_json() for move in self.moves],
            "chances": [chance.as_json() for chance in self.chances],
            "line": self.line.as_json(),
        }
        if self.choices:
            shown["choices"] = [[choice.as_json() for choice in own] for own in self.choices]
        if self.note:
            shown["note"] = self.note
        return shown

    def display(self) -> Display:
        """The position with its moves or events, and the main line."""
        listed = self._followed()
        return Display(
            f"{self.position}: {self.value} to {self.to}",
            listed.heads if listed.rows else (),
            listed.rows,
            listed.strong,
            "\n".join(filter(None, [f"line: {self.line}" if self.line else "", self.note])),
            self.picture() if self.picture is not None else "",
        )

    def _followed(self) -> Display:
        """What may follow: choices of both players, events or moves."""
        if self.choices:
            rows = [
                (f"player {i}: {choice.text}", choice.value, share_text(choice.probability))
                for i, own in enumerate(self.choices, 1)
                for choice in own
            ]
            return Display(f"{len(rows)} choices", ("choice", "value", "probability"), rows)
        below = EventList(self.chances) if self.chances else MoveList(self.moves)
        return below.display()


def share_text(share: Fraction | float) -> str:
    """A probability, for people."""
    return f"{share:.6g}" if isinstance(share, float) else str(share)
