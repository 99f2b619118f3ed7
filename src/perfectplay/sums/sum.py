"""Sum: positions of any games side by side, what they are worth, who wins, and by which moves.

A part of a sum is anything with a `text`, a `value` and `moves` for both players (summands.py). A
move in one part wins if the other player, who then begins, loses the sum of what is left.

    Sum([Bush(Picture.parse("BBR")), Heap(5), Value(parse("{1|-1}"))]).outcome
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.sums.bag import LEFT, RIGHT, Bag, Worth
from perfectplay.sums.gains import Step, best_steps
from perfectplay.sums.hackenbush.picture import Picture
from perfectplay.sums.hackenbush.surreal import Total
from perfectplay.sums.summands import Bush, Endless, Heap, Summand, SummandMove

if TYPE_CHECKING:
    from perfectplay.schemas.sums import OutcomeClass, SumJson, SumMoveJson

MOST_MOVES = 20_000
"""Moves of a sum that are listed, at most."""
MOST_LISTED = 30
"""Moves that are named in one line, at most."""
OUTCOMES = {
    "L": "{left} wins, whoever begins",
    "R": "{right} wins, whoever begins",
    "N": "who begins wins",
    "P": "who begins loses",
}


@dataclass(frozen=True)
class Choice:
    """A move in a sum."""

    part: int
    """The number of the part, from 0."""
    name: str
    value: str
    """What the part is worth after the move."""
    wins: bool
    best: bool
    """Whether no other move is better by as much or more in every sum; never said of endless
    strings, which have no highest edge."""


class Sum(Rich):
    """Parts side by side."""

    def __init__(self, parts: Sequence[Summand]) -> None:
        self.parts = [*parts]

    @cached_property
    def bag(self) -> Bag:
        """The values of all parts."""
        return Bag(part.value for part in self.parts)

    @property
    def outcome(self) -> OutcomeClass:
        """Who wins, as L, R, N or P."""
        return self.bag.outcome

    def value(self) -> Worth:
        """The value of the sum; TooLargeError if it has too many hot parts."""
        return self.bag.total()

    def choices(self, player: int) -> list[Choice]:
        """All moves of a player in any part, and which of them win. Of endless strings, and of
        heaps of Nim in a sum of nimbers, only moves that win are listed."""
        found: list[tuple[int, SummandMove, bool]] = []
        known: dict[tuple[Any, Any], bool] = {}
        rests: dict[Any, Bag] = {}
        for i, part in enumerate(self.parts):
            here = part.value
            rest = rests.get(here)
            if rest is None:
                rest = rests[here] = self.bag.copy()
                rest.add(-here)
            for step, sure in self._steps(part, player, rest):
                key = (here, step.value)
                if not sure and key not in known:
                    after = rest.copy()
                    after.add(step.value)
                    known[key] = not after.wins(1 - player)
                found.append((i, step, sure or known[key]))
                if len(found) > MOST_MOVES:
                    raise UsageError(f"more than {MOST_MOVES:,} moves", "ask for fewer parts")
        best = self._best(found, player)
        return [
            Choice(i, step.name, str(step.value), wins, (self.parts[i].value, step.value) in best)
            for i, step, wins in found
        ]

    def _best(self, found: list[tuple[int, SummandMove, bool]], player: int) -> set[Step]:
        """The moves, as values before and after, whose gain no other move exceeds; endless strings
        do not count."""
        steps = [
            (self.parts[i].value, step.value)
            for i, step, _ in found
            if not isinstance(self.parts[i], Endless)
        ]
        return best_steps(cast("list[Step]", steps), player)

    def _steps(self, part: Summand, player: int, rest: Bag) -> Iterator[tuple[SummandMove, bool]]:
        """The moves of a part that are looked at; True: it is known to win."""
        if isinstance(part, Endless):
            yield from ((step, True) for step in part.winning(player, rest))
        elif isinstance(part, Heap) and self.nim_sum is not None:
            left = part.size ^ self.nim_sum
            if left < part.size:
                yield part.step(left), True
        else:
            yield from ((step, False) for step in part.moves(player))

    @cached_property
    def nim_sum(self) -> int | None:
        """The nim sum, if all values are nimbers."""
        bag = self.bag
        return bag.nim if bag.pure and not bag.number and not bag.ups else None

    @property
    def nimbers(self) -> bool:
        """Whether the sum is heaps of Nim only."""
        return self.nim_sum is not None and all(isinstance(p, Heap) for p in self.parts)

    def winning(self, player: int) -> list[Choice]:
        """The moves of a player that win."""
        return [choice for choice in self.choices(player) if choice.wins]

    # -- For people. ---

    @property
    def players(self) -> tuple[str, str]:
        """What the players are called: in Hackenbush, by their colours."""
        bushes = all(isinstance(part, Bush | Endless) for part in self.parts)
        return ("Blue", "Red") if self.parts and bushes else ("Left", "Right")

    def facts(self) -> dict[str, str]:
        """What is known of the sum, by name, as text. Stops and temperature are left out if the
        canonical form is too large."""
        left, right = self.players
        words = OUTCOMES[self.outcome].format(left=left, right=right)
        found = {"value": str(self.bag), "outcome": f"{self.outcome}: {words}"}
        if self.bag.simple or not self.bag.others:
            found["left stop"] = str(self.bag.stop(LEFT))
            found["right stop"] = str(self.bag.stop(RIGHT))
        found["mean"] = str(self.bag.mean)
        if self.bag.simple and (heat := Total.of(self.value()).temperature) is not None:
            found["temperature"] = str(heat)
        return found

    def named(self, choice: Choice) -> str:
        """A move by its name, with its part if there are several."""
        part = self.parts[choice.part]
        alone = len(self.parts) == 1 or isinstance(part, Heap | Endless)
        alone = alone or (isinstance(part, Bush) and part.whole is not None)
        return choice.name if alone else f"{choice.name} in {part.text}"

    def advice(self) -> list[tuple[str, str]]:
        """By which moves each player wins who begins; if by none, which are best."""
        shown = []
        for player, name in enumerate(self.players):
            moves = self.choices(player)
            wins = dict.fromkeys(self.named(c) for c in moves if c.wins)
            best = dict.fromkeys(self.named(c) for c in moves if c.best)
            words = _few(wins) or "no move" + (f" (best: {_few(best)})" if best else "")
            shown.append((f"{name} wins by", words))
        if shown[0][1] == shown[1][1] and self.outcome in ("N", "P"):
            return [("wins by", shown[0][1])]
        return shown

    def as_json(self) -> SumJson:
        """Everything as plain data."""
        facts = self.facts()
        shown: SumJson = {
            "parts": [{"text": part.text, "value": str(part.value)} for part in self.parts],
            "canonical": self.bag.simple,
            "value": facts["value"],
            "outcome": self.outcome,
            "mean": facts["mean"],
            "moves": {"left": self._moves_json(LEFT), "right": self._moves_json(RIGHT)},
        }
        if "left stop" in facts:
            shown["left_stop"] = facts["left stop"]
            shown["right_stop"] = facts["right stop"]
        if "temperature" in facts:
            shown["temperature"] = facts["temperature"]
        return shown

    def _moves_json(self, player: int) -> list[SumMoveJson]:
        return [
            {"part": c.part, "move": c.name, "value": c.value, "wins": c.wins, "best": c.best}
            for c in self.choices(player)
        ]

    def svg(self) -> str:
        """A drawing, if there is one part that can be drawn, or one picture; else nothing."""
        bushes = [part for part in self.parts if isinstance(part, Bush)]
        endless = tuple(part.word for part in self.parts if isinstance(part, Endless))
        others = [part for part in self.parts if not isinstance(part, Bush | Endless)]
        found = [each for part in others if (each := part.svg())]
        wholes = {id(part.whole or part.picture): part.whole or part.picture for part in bushes}
        if endless or wholes:
            one = [*wholes.values()] or [Picture()]
            if len(one) == 1:
                found.append(Picture(one[0].edges, endless, one[0].names).svg())
        return found[0] if len(found) == 1 else ""

    def display(self) -> Display:
        """What is known of the sum, who wins by which moves, and a drawing."""
        title = " + ".join(part.text for part in self.parts) or "0"
        return Display(title, (), [*self.facts().items(), *self.advice()], svg=self.svg())


def _few(names: dict[str, None]) -> str:
    """Names of moves with commas between; of very many only the first."""
    first = [*names][:MOST_LISTED]
    more = len(names) - len(first)
    return ", ".join(first) + (f", … ({more:,} more)" if more else "")
