"""What a study finds: how long a play lasts, what skill and single choices are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.answer.evaluation import difference
from perfectplay.answer.solution import Solution
from perfectplay.drawing.axes import Lines, Series
from perfectplay.drawing.rich import Display, Rich
from perfectplay.rules.parameters import value_text
from perfectplay.rules.value import Number, Value
from perfectplay.solvers.chance.play_length import LengthDistribution

if TYPE_CHECKING:
    from perfectplay.schemas.study import (
        ChoicesJson,
        LengthJson,
        PolicyFiguresJson,
        StudyJson,
    )

BEST, GREEDY, RANDOM, WORST = "best", "greedy", "random", "worst"
"""The policies that are compared."""
SHARES = (0.05, 0.5, 0.95)
"""By when so many of all plays have ended, is shown."""
COSTS = {"next": "next best", "random": "at random", "worst": "worst"}
"""Moves instead of the best one, in words."""


@dataclass(frozen=True)
class Length:
    """How long a play lasts if all make the best moves."""

    unit: str
    """What the distribution counts: "chance events", "moves", or both."""
    moves: Value
    """Moves of players in a play, on average."""
    events: Value
    """Chance events in a play, on average."""
    found: LengthDistribution
    endless: Value
    """The probability that play never ends."""

    @property
    def mean(self) -> Value:
        """What the distribution counts, on average."""
        if self.unit == "moves":
            return self.moves
        return self.events if self.unit == "chance events" else _sum(self.moves, self.events)

    @property
    def probabilities(self) -> Sequence[Value]:
        """probabilities[k]: that a play takes exactly k steps."""
        return [self._value(p) for p in self.found.probabilities]

    @property
    def beyond(self) -> Value:
        """That it takes more than these."""
        return self._value(self.found.beyond)

    @property
    def shortest(self) -> int | None:
        """Steps of the shortest play; None if none ends."""
        ended = (k for k, p in enumerate(self.found.probabilities) if p > 0)
        return next(ended, None)

    @property
    def longest(self) -> int | None:
        """Steps of the longest play; None if there is none."""
        if self.found.beyond:
            return None
        return max((k for k, p in enumerate(self.found.probabilities) if p > 0), default=None)

    def quantile(self, share: float) -> int | None:
        """The least k such that a play takes at most k steps with a probability of `share`; None
        if it is not among those found."""
        total: Number = 0
        for k, p in enumerate(self.found.probabilities):
            total += p
            if total >= share:
                return k
        return None

    def _value(self, number: float | Fraction) -> Value:
        if not self.found.error:
            return Value("chance", number, number)
        wide = float(number) * self.found.error + (1e-290 if number else 0.0)
        return Value("chance", max(number - wide, 0.0), number + wide, "bounds")

    def as_json(self) -> LengthJson:
        """The length as JSON-ready data."""
        shown = [str(p) if isinstance(p, Fraction) else p for p in self.found.probabilities]
        return {
            "unit": self.unit,
            "mean": self.mean.as_json(),
            "moves": self.moves.as_json(),
            "events": self.events.as_json(),
            "shortest": self.shortest,
            "longest": self.longest,
            "quantiles": [{"share": share, "steps": self.quantile(share)} for share in SHARES],
            "probabilities": shown,
            "beyond": self.beyond.as_json(),
            "error": self.found.error,
            "endless": self.endless.as_json(),
        }

    def words(self) -> str:
        """The distribution in a line."""
        ends = [] if self.shortest is None else [f"at least {self.shortest}"]
        for share in SHARES:
            k = self.quantile(share)
            ends += [] if k is None else [f"{share:.0%} by {k}".replace("%", " %")]
        if self.longest is not None:
            ends.append(f"at most {self.longest}")
        else:
            last = len(self.found.probabilities) - 1
            ends.append(f"more than {last:,} with probability {float(self.found.beyond):.2g}")
        return ", ".join(ends)


@dataclass(frozen=True)
class Choices:
    """How often a choice matters if all make the best moves."""

    positions: int
    """Positions with more than one move that best play may meet."""
    matter_positions: int
    """Those of them at which some move is worse than the best."""
    met: Value | None
    """How many of the first kind a play meets on average; None if play need not end."""
    matter: Value | None
    """How many of the second kind."""
    costs: Mapping[str, Value]
    """What another move costs on average, where it matters: the next best, one of all legal moves
    at random, the worst."""

    def as_json(self) -> ChoicesJson:
        """The choices as JSON-ready data."""
        return {
            "positions": self.positions,
            "matter_positions": self.matter_positions,
            "met": self.met.as_json() if self.met else None,
            "matter": self.matter.as_json() if self.matter else None,
            "costs": {name: cost.as_json() for name, cost in self.costs.items()},
        }


@dataclass(frozen=True)
class PolicyFigures:
    """What one of the policies brings."""

    name: str
    values: tuple[Value | None, ...]
    """In the place of each player, against perfect play; None where there is no value."""
    gives_away: tuple[Value | None, ...]
    """How much less than perfect play that is."""
    itself: tuple[Value | None, ...]
    """What each player gets if all follow the policy; empty for the worst."""
    moves: Value | None
    """How many moves a play then takes, on average."""

    @property
    def advantage(self) -> Value | None:
        """How much more the first player gets than the second, if both follow the policy."""
        first, second = self.itself if len(self.itself) == 2 else (None, None)
        if first is None or second is None:
            return None
        return difference(first, second)

    def as_json(self) -> PolicyFiguresJson:
        """The figures as JSON-ready data."""
        return {
            "policy": self.name,
            "values": [_json(value) for value in self.values],
            "gives_away": [_json(value) for value in self.gives_away],
            "itself": [_json(value) for value in self.itself],
            "advantage": _json(self.advantage),
            "moves": _json(self.moves),
        }


@dataclass(frozen=True)
class Study(Rich):
    """What kind of game it is."""

    game: str
    parameters: dict[str, Any]
    start: str
    names: tuple[str, ...]
    """What the players are called at the start."""
    positions: int
    """How many positions can arise from the start."""
    length: Length
    choices: Choices
    policies: tuple[PolicyFigures, ...]
    """Best, greedy, random and worst."""
    notes: tuple[str, ...]
    solution: Solution = field(repr=False)

    def policy(self, name: str) -> PolicyFigures:
        """The figures of the policy with this name."""
        return next(each for each in self.policies if each.name == name)

    @property
    def value(self) -> Value:
        """What the start is worth to the first player."""
        value = self.policies[0].values[0]
        assert value is not None, "perfect play has a value"
        return value

    @property
    def advantage(self) -> Value | None:
        """How much more the first of two players gets than the second, if both play best."""
        return self.policies[0].advantage

    def as_json(self) -> StudyJson:
        """The study as JSON-ready data."""
        return {
            "game": self.game,
            "parameters": self.parameters,
            "start": self.start,
            "players": list(self.names),
            "positions": self.positions,
            "length": self.length.as_json(),
            "choices": self.choices.as_json(),
            "policies": [each.as_json() for each in self.policies],
            "advantage": _json(self.advantage),
            "notes": list(self.notes),
        }

    @property
    def title(self) -> str:
        """The game with its parameters."""
        given = ", ".join(f"{name}={value_text(v)}" for name, v in self.parameters.items())
        return f"{self.game} ({given})" if given else self.game

    def facts(self) -> list[tuple[str, str]]:
        """What is said above the table of policies, as names and words."""
        length, choices = self.length, self.choices
        rows = [("game", self.title), ("start", self.start), ("positions", f"{self.positions:,}")]
        rows.append(("a play takes", f"{length.mean} {length.unit} on average"))
        rows.append(("", length.words()))
        if length.unit != "moves":
            rows.append(("", f"{length.moves} moves on average"))
        if length.endless.upper:
            rows.append(("", f"never ends with probability {length.endless}"))
        if choices.met is None:
            rows.append(("choices", f"at {choices.positions:,} positions of best play"))
        else:
            rows.append(("choices", f"{choices.met} a play"))
        if choices.matter is not None:
            rows.append(("that matter", f"{choices.matter} a play"))
            costs = choices.costs.items() if choices.matter.upper else ()
            rows += [(f"{COSTS[name]} costs", str(cost)) for name, cost in costs]
        if self.advantage is not None:
            rows.append(("advantage", f"{self.advantage} to {self.names[0]}"))
        return rows + [("note", note) for note in self.notes]

    def table(self) -> list[list[str]]:
        """The policies as text, the heads of the columns first."""
        two = len(self.names) == 2
        heads = ["policy", *(["value", "gives away"] if not two else self.names)]
        heads += ["advantage if both", "moves"] if two else ["moves"]
        shown = [heads]
        for each in self.policies:
            cells = [each.name, *map(_shown, each.values)]
            cells += [_shown(each.advantage)] if two else [_shown(each.gives_away[0])]
            shown.append([*cells, _shown(each.moves)])
        return shown

    @property
    def svg(self) -> str:
        """How long a play lasts, as a picture."""
        points = [(float(k), float(p)) for k, p in enumerate(self.length.found.probabilities)]
        first = self.length.shortest or 0
        last = max((k for k, (_, p) in enumerate(points) if p > 1e-6), default=first)
        series = [Series("", points[max(0, first - 1) : last + 2])]
        note = f"mean {float(self.length.mean):.6g}, {self.length.words()}"
        return Lines(self.title, self.length.unit, "probability", series, notes=[note]).svg()

    def display(self) -> Display:
        """The figures as a table, and how long a play lasts as a picture."""
        (*heads,), *rows = self.table()
        title = "\n".join(f"{name}: {words}" if name else words for name, words in self.facts())
        return Display(title, heads, rows, svg=self.svg)

    def __str__(self) -> str:
        return self.display().text()


def _json(value: Value | None) -> Any:
    return None if value is None else value.as_json()


def _shown(value: Value | None) -> str:
    return "-" if value is None else str(value)


def _sum(a: Value, b: Value) -> Value:
    lower, upper = a.lower + b.lower, a.upper + b.upper
    exact = a.exactness == b.exactness == "exact"
    return Value("total", lower, upper, "exact" if exact else "bounds")
