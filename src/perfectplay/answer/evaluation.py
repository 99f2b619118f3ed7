"""Evaluation: what a policy is worth, beside perfect play, and where it errs most."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.solution import Solution
from perfectplay.drawing.rich import Display, Rich
from perfectplay.rules.value import Number, Value

if TYPE_CHECKING:
    from perfectplay.schemas.answers import ChoiceJson, EvaluationJson, MistakeJson, SeatJson

SIDES = {"reply": "the best reply", "optimum": "perfect play", "itself": "itself"}
"""What others than those who follow a policy may do, by name, in words."""


@dataclass(frozen=True)
class Seat:
    """A policy in the place of one player."""

    player: int
    """At the start; in alternate play 0 moves first and 1 second."""
    name: str
    value: Value
    """What the start is worth to this player if they follow the policy."""
    perfect: Value
    """What it is worth to them if all play perfectly."""
    gives_away: Value
    """By how much the value falls short; negative if the others play worse than they do."""

    @property
    def change(self) -> str:
        """What the policy does to an outcome: "win -> draw"; else empty."""
        if self.value.kind != "outcome" or self.value.lower == self.perfect.lower:
            return ""
        before, after = self.perfect.outcome.name, self.value.outcome.name
        return f"{before.lower()} -> {after.lower()}"

    def as_json(self) -> SeatJson:
        """The seat as JSON-ready data."""
        return {
            "player": self.player,
            "name": self.name,
            "value": self.value.as_json(),
            "perfect": self.perfect.as_json(),
            "gives_away": self.gives_away.as_json(),
            "change": self.change,
        }


@dataclass(frozen=True)
class PolicyMove:
    """A move that a policy makes, perhaps as one of several."""

    move: MoveAnalysis
    probability: Fraction
    loss: float
    """What it loses against the best move, in the units of the value that the policy has."""

    @property
    def cost(self) -> float:
        """Its loss, times its probability."""
        return float(self.probability) * self.loss

    def as_json(self) -> ChoiceJson:
        """The choice as JSON-ready data."""
        return {
            "move": self.move.text,
            "probability": str(self.probability),
            "loss": self.loss,
        }


@dataclass(frozen=True)
class Mistake:
    """A position at which a policy makes a move that is not best."""

    p: Any
    """The position itself, as the rules have it."""
    position: str
    choices: tuple[PolicyMove, ...]
    """What the policy does, the choice that costs most first."""
    best: MoveAnalysis
    times: float | None
    """How often the position is met in a play, on average; None if that is not known."""

    @property
    def move(self) -> MoveAnalysis:
        """What the policy does; of several moves the one that costs most."""
        return self.choices[0].move

    @property
    def loss(self) -> float:
        """What the policy loses here against the best move, on average."""
        return math.fsum(choice.cost for choice in self.choices)

    @property
    def cost(self) -> float | None:
        """What the mistake costs in a play, on average: times it happens, times its loss."""
        return None if self.times is None else weighed(self.times, self.loss)

    def as_json(self) -> MistakeJson:
        """The mistake as JSON-ready data."""
        return {
            "position": self.position,
            "move": self.move.text,
            "value": self.move.value.as_json(),
            "choices": [choice.as_json() for choice in self.choices],
            "best": self.best.text,
            "best_value": self.best.value.as_json(),
            "loss": self.loss,
            "change": self.move.change,
            "times": self.times,
            "cost": self.cost,
        }


def weighed(times: float, loss: float) -> float:
    """What happens never costs nothing."""
    return times * loss if times else 0.0


@dataclass(frozen=True)
class Evaluation(Rich):
    """What a policy is worth, and where it errs."""

    policy: str
    against: str
    """One of SIDES, the name of another policy, or "nobody"."""
    start: str
    seats: tuple[Seat, ...]
    """The policy in the place of each player."""
    positions: int
    """How many positions can arise while it is followed."""
    asked: int
    """At how many of them it moves."""
    wrong: int
    """At how many of these it makes a move that is not best."""
    mistakes: tuple[Mistake, ...]
    """The worst of them, those first that cost most."""
    notes: tuple[str, ...]
    solution: Solution = field(repr=False)
    """The solved game, with perfect play at every position."""

    @property
    def value(self) -> Value:
        """What the policy is worth to the first player."""
        return self.seats[0].value

    def as_json(self) -> EvaluationJson:
        """The evaluation as JSON-ready data."""
        report = self.solution.report
        return {
            "game": report["game"],
            "parameters": report["parameters"],
            "policy": self.policy,
            "against": self.against,
            "start": self.start,
            "seats": [seat.as_json() for seat in self.seats],
            "positions": self.positions,
            "asked": self.asked,
            "wrong": self.wrong,
            "mistakes": [mistake.as_json() for mistake in self.mistakes],
            "notes": list(self.notes),
        }

    def display(self) -> Display:
        """What the policy is worth, and its worst mistakes."""
        rows = [
            (each.position, each.move.text, each.best.text, f"{each.loss:.6g}",
             "" if each.cost is None else f"{each.cost:.6g}")
            for each in self.mistakes
        ]  # fmt: skip
        lines = [
            str(self),
            *(f"{seat.name} gives away {seat.change or seat.gives_away}" for seat in self.seats),
            f"not best at {self.wrong:,} of {self.asked:,} positions where it moves",
        ]
        heads = ("position", "it plays", "best", "loses", "costs a game")
        return Display("\n".join(lines), heads if rows else (), rows, note="\n".join(self.notes))

    def __str__(self) -> str:
        worth = ", ".join(f"{seat.name}: {seat.value}" for seat in self.seats)
        return f"{self.policy} against {SIDES.get(self.against, self.against)}: {worth}"


def difference(better: Value, worse: Value, *, minimise: bool = False) -> Value:
    """How much more one value is than another (less, for a player who minimises)."""
    if minimise:
        better, worse = worse, better
    kind = "score" if better.kind == "outcome" else better.kind
    if better.exactness == worse.exactness == "exact":
        exact = _less(better.lower, worse.lower)
        return Value(kind, exact, exact)
    lower, upper = _less(better.lower, worse.upper), _less(better.upper, worse.lower)
    if "residual" in (better.exactness, worse.exactness):
        return Value(kind, float(lower), float(upper), "residual")
    return Value(kind, _towards(lower, -math.inf), _towards(upper, math.inf), "bounds")


def _towards(number: Number, way: float) -> float:
    """The next float: a difference is rounded, unless it is 0."""
    return math.nextafter(number, way) if number else 0.0


def _less(a: Number, b: Number) -> Number:
    """a - b, also if both are infinite."""
    return 0 if a == b else a - b
