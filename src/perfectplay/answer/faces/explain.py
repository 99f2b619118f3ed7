"""Explain: the recurrence of one position with its numbers, as a student would write it down.

    f(p) = max over moves of  reward + f(q)          one player, or the player to move
    f(p) = max over moves of  reward - f(q)          alternate play: q is seen by the opponent
    f(p) = sum over events of probability * f(q)     where chance acts
    f(p) = sum over pairs of probability * (reward + f(q))     where both players choose at once

Where two players alternate and their interests are not opposed, f(q) says nothing of the player
who has just moved: g(q) is what q is worth to them.

The numbers are those of the table, so that each line can be computed again by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.compare_moves import after, gains
from perfectplay.answer.faces.mixed_choices import likely_pairs
from perfectplay.answer.lines import pair_text
from perfectplay.drawing.rich import Rich
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.rules.value import Number, Value

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.schemas.answers import EquationJson, Rule, TermJson

DIGITS = 12


@dataclass(frozen=True)
class Term:
    """One thing that the value of a position is made of: a move, or an event."""

    name: str
    """The move as text; of an event, its probability."""
    weight: Fraction
    """The probability of an event; 1 for a move."""
    reward: int
    """What the move earns the player whose value it is."""
    child: str
    """The position after it."""
    below: Value
    """What that is worth, as the table says: in alternate play to the opponent."""
    total: int | None
    """In alternate play, what a position is worth to both players together; else None."""
    value: Value
    """What the term is worth to the player."""
    inside: Equation | None
    """The same for the position after it, where chance acts there."""
    function: str = "f"
    """What `below` is called: "g" if it is worth so much to the player not to move."""

    def number(self) -> str:
        """The term as arithmetic that can be evaluated."""
        below = number_text(self.below)
        if self.total is not None:
            below = f"{self.total or ''} - {_signed(below)}".strip()
        shown = f"{self.reward} + {_signed(below)}" if self.reward else below
        return shown if self.weight == 1 else f"{self.weight} * {_signed(shown)}"

    def symbols(self) -> str:
        """The term with the name of the position after it instead of its number."""
        shown = f"{self.function}({self.child})"
        if self.total is not None:
            shown = f"{self.total or ''} - {shown}".strip()
        return f"{self.reward} + {shown}" if self.reward else shown

    def as_json(self) -> TermJson:
        """The term as JSON-ready data."""
        shown: TermJson = {
            "name": self.name,
            "probability": str(self.weight),
            "reward": self.reward,
            "position": self.child,
            "arithmetic": self.number(),
            "value": self.value.as_json(),
        }
        if self.inside:
            shown["equation"] = self.inside.as_json()
        return shown


@dataclass(frozen=True)
class Equation(Rich):
    """The value of a position to one player, and what it follows from."""

    position: str
    player: int
    name: str
    """What that player is called."""
    rule: Rule
    """"max", "min", "sum", or "end" where play has ended."""
    terms: tuple[Term, ...]
    value: Value

    def arithmetic(self) -> str:
        """The right-hand side with numbers, as it could be typed into Python."""
        numbers = [term.number() for term in self.terms]
        if self.rule == "sum":
            return " + ".join(numbers)
        if len(numbers) == 1:
            return numbers[0]
        return f"{self.rule}({', '.join(numbers)})" if numbers else number_text(self.value)

    def lines(self) -> Iterator[str]:
        """The equation for people: the moves, the numbers, and what is inside a turn."""
        names = ", ".join(term.name for term in self.terms)
        head = f"f({self.position})"
        if self.rule == "end":
            yield f"{head} = {number_text(self.value)}   (play has ended)"
            return
        if self.rule == "sum":
            yield f"{head}"
            yield f"  = {' + '.join(f'{t.weight} * f({t.child})' for t in self.terms)}"
        else:
            yield f"{head} = {self.rule}{{ {names} }}"
            for term in self.terms:
                yield f"  {term.name} = {term.symbols()}"
        yield f"  = {self.arithmetic()}"
        yield f"  = {number_text(self.value)}   ({self.value} to {self.name})"
        yield from self._plies()
        for term in self.terms:
            if term.inside is not None:
                yield ""
                yield from term.inside.lines()

    def _plies(self) -> Iterator[str]:
        """Where the end is reached, how far it is: winners hurry, losers do not."""
        if self.value.kind != "outcome" or self.value.depth is None or not self.terms:
            return
        same = [
            t
            for t in self.terms
            if t.value.lower == self.value.lower and t.below.depth is not None
        ]
        hurry = "min" if self.value.lower > 0 else "max"
        depths = ", ".join(str(t.below.depth) for t in same)
        inner = f"{hurry}({depths})" if len(same) > 1 else depths
        yield f"  plies = 1 + {inner} = {self.value.depth}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_json(self) -> EquationJson:
        """The equation as JSON-ready data."""
        return {
            "position": self.position,
            "player": self.player,
            "rule": self.rule,
            "terms": [term.as_json() for term in self.terms],
            "arithmetic": self.arithmetic(),
            "value": self.value.as_json(),
        }


def number_text(value: Value) -> str:
    """A value as a number: an integer or a fraction if it is exact, else a decimal."""
    number: Number = value.lower if value.exactness == "exact" else value.middle
    if isinstance(number, float):
        return f"{number:.{DIGITS}g}" if math.isfinite(number) else f"float('{number}')"
    return str(number)


def _signed(shown: str) -> str:
    """A number in brackets, where a sign or an operator would be misread."""
    return shown if shown.replace(".", "").isdigit() else f"({shown})"


def explain(
    solution: Solution, p: Any, *, inside: bool = True, player: int | None = None
) -> Equation:
    """Why `p` is worth what it is worth to the player to move (player 1 where nobody moves).
    `inside` also explains the positions after a move where chance acts."""
    values = solution.values(p)
    mover = solution.to_move(p)
    who = max(mover, 0) if player is None else player
    terms: list[Term] = []
    if mover == CHANCE:
        terms = [_event(solution, q, weight, who) for q, weight in solution.events(p).items()]
    elif mover == SIMULTANEOUS:
        terms = [_pair(solution, p, m, weight, who) for m, weight in likely_pairs(solution, p)]
    elif mover != OVER:
        listed = sorted(solution.moves(p), key=lambda move: move.number)
        children = {move.number: move.child for group in solution.ranked(p) for move in group}
        terms = [_move(solution, p, m, children[m.number], who, inside=inside) for m in listed]
    rule: Rule = "min" if solution.facts.minimise else "max"
    if mover < 0:
        rule = "end" if mover == OVER else "sum"
    name = solution.player_names()[who]
    return Equation(solution.game.text(p), who, name, rule, tuple(terms), values[who])


def _event(solution: Solution, q: Any, weight: Fraction, who: int) -> Term:
    value = solution.values(q)[who]
    return Term(str(weight), weight, 0, solution.game.text(q), value, None, value, None)


def _pair(solution: Solution, p: Any, m: Any, weight: Fraction, who: int) -> Term:
    """A pair of choices that both players make at once, with its probability."""
    game = solution.game
    q = game.play(p, m)
    below = solution.values(q)[who]
    gain = gains(game.reward(p, m), 0, game.players)[who]
    name = pair_text(game, p, m)
    return Term(name, weight, gain, game.text(q), below, None, after(below, gain), None)


def _move(
    solution: Solution, p: Any, move: MoveAnalysis, q: Any, who: int, *, inside: bool
) -> Term:
    """The term of a move that leads to `q`."""
    game = solution.game
    below = solution.values(q)
    gain = gains(game.reward(p, move.move), max(game.to_move(p), 0), game.players)[who]
    swapped = alternate(game)
    own = below[1 - who] if swapped else below[who]
    opposed = swapped and solution.facts.scalar
    total = None
    if opposed:
        total = 0 if own.kind == "outcome" else int(below[0].lower + below[1].lower)
    within = None
    if inside and game.to_move(q) == CHANCE:
        within = explain(solution, q, inside=False, player=who)
    seen = below[who] if opposed else own
    return Term(
        move.text,
        Fraction(1),
        gain,
        move.child,
        seen,
        total,
        after(own, gain),
        within,
        "g" if swapped and not opposed else "f",
    )
