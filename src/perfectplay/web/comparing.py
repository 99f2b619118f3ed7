"""What if a parameter were another? Two games of the same rules side by side."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from perfectplay.answer.solution import Solution
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, alternate, parameters
from perfectplay.rules.parameters import (
    default_of,
    fields_of,
    kind_of,
    required,
    value_text,
)
from perfectplay.rules.value import Value
from perfectplay.web import words
from perfectplay.web.collection import Collection, Opened
from perfectplay.web.jobs import Job
from perfectplay.web.state import LONGEST_TEXT, State, from_query

FIELD = "to."
"""What the fields of the form begin with, before the name of the parameter."""


@dataclass(frozen=True)
class ParameterField:
    """A parameter in the form."""

    name: str
    value: str
    default: str
    """Empty if it has none."""
    kind: str
    """"number", "choice" or "text"."""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class SideOfPosition:
    """One position in one of the two games."""

    text: str
    url: str
    mover: str
    values: tuple[tuple[str, str], ...]
    """What it is worth to whom."""
    sure: str
    best: str
    """The best move, if somebody moves."""


@dataclass(frozen=True)
class ComparedGame:
    """One of the two games."""

    which: str
    """"with" or "versus", as in the address."""
    state: State
    parameters: tuple[tuple[str, str, bool], ...]
    """Name, value, and whether the other game has another."""
    opened: Opened
    job: Job | None
    coarser: bool
    """Whether it is known within bounds only, and the other one in fractions."""
    positions: int
    start: SideOfPosition | None
    """None if it is not solved."""
    same: SideOfPosition | None
    """The position that was asked about; None if it does not arise here."""


@dataclass(frozen=True)
class Comparison:
    """Everything on the page of a comparison."""

    at: str
    games: tuple[ComparedGame, ComparedGame]
    start_change: str
    same_change: str
    unit: str
    working: bool


def versus_of(query: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The parameters of the other game that an address names."""
    return from_query("", {"with": query.get("versus", [])}).given


def wanted(game: Game, query: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The parameters that the form asks for, as they stand in an address: all that differ from
    their defaults, or one, so that the game is named in full."""
    given = []
    fields = fields_of(type(game))
    for name, field in fields.items():
        text = query.get(FIELD + name, [value_text(getattr(game, name))])[-1]
        if len(text) > LONGEST_TEXT:
            raise UsageError(f"{name} is too long", f"at most {LONGEST_TEXT:,} characters")
        if required(field) or text != value_text(default_of(field)):
            given.append(f"{name}={text}")
    if not given and fields:
        name, field = next(iter(fields.items()))
        given.append(f"{name}={value_text(default_of(field))}")
    return tuple(given)


def form(game: Game) -> tuple[ParameterField, ...]:
    """The parameters of a game, each with its value, for a form."""
    found = []
    for name, field in fields_of(type(game)).items():
        default = "" if required(field) else value_text(default_of(field))
        kind, choices = _kind(kind_of(type(game), name))
        value = value_text(getattr(game, name))
        found.append(ParameterField(name, value, default, kind, choices))
    return tuple(found)


def _kind(kind: Any) -> tuple[str, tuple[str, ...]]:
    """What field a type gets."""
    if kind is bool:
        return "choice", ("true", "false")
    if typing.get_origin(kind) is typing.Literal:
        return "choice", tuple(map(str, typing.get_args(kind)))
    return ("number" if kind is int else "text"), ()


def compare(collection: Collection, state: State, versus: Sequence[str]) -> Comparison:
    """Two games of the same rules: their starts, and the position of `state` where it exists."""
    states = (state.from_here(state.at), replace(state, given=tuple(versus)).from_here(state.at))
    opened = [collection.open(state.game, each.given) for each in states]
    ours, theirs = (_texts(each.game) for each in opened)
    games = (
        _compared(collection, "with", states[0], opened, (ours, theirs)),
        _compared(collection, "versus", states[1], opened[::-1], (theirs, ours)),
    )
    solved = [each.solution for each in opened if each.solution is not None]
    return Comparison(
        at=state.at,
        games=games,
        start_change=_change(solved, ""),
        same_change=_change(solved, state.at) if all(each.same for each in games) else "",
        unit=words.unit(solved[0].facts) if solved else "",
        working=any(each.job is not None and not each.job.finished for each in games),
    )


def in_fractions(solution: Solution | None) -> bool:
    """Whether values are exact where floats with bounds would have done: then those of a game that
    is compared with it should be."""
    if solution is None or solution.facts.outcome or not solution.facts.chance:
        return False
    return solution.values(solution.start)[0].exactness == "exact"


def _texts(game: Game) -> dict[str, str]:
    return {name: value_text(value) for name, value in parameters(game).items()}


def coarser(opened: Opened, other: Opened) -> bool:
    """Whether a game is known within bounds only, and the other one in fractions."""
    own = opened.solution
    rough = own is not None and own.facts.chance and not in_fractions(own)
    return rough and in_fractions(other.solution)


def _compared(
    collection: Collection,
    which: str,
    state: State,
    both: Sequence[Opened],
    texts: Sequence[Mapping[str, str]],
) -> ComparedGame:
    """One of two games, the first of `both`, beside the other."""
    own, others = texts
    opened, solution = both[0], both[0].solution
    rough = coarser(*both)
    return ComparedGame(
        which=which,
        state=state.from_here(),
        parameters=tuple((name, text, others.get(name) != text) for name, text in own.items()),
        opened=opened,
        job=collection.job(opened) if solution is None or rough else None,
        coarser=rough,
        positions=solution.table.positions if solution else 0,
        start=_side(solution, state, "") if solution else None,
        same=_side(solution, state, state.at) if solution and state.at else None,
    )


def _found(solution: Solution, text: str) -> tuple[Any, tuple[Value, ...]] | None:
    """A position and its values; None if it does not arise in this game."""
    try:
        p = solution.position(text) if text else solution.start
        return p, solution.values(p)
    except PerfectPlayError:
        return None


def _side(solution: Solution, state: State, text: str) -> SideOfPosition | None:
    found = _found(solution, text)
    if found is None:
        return None
    p, values = found
    mover = solution.to_move(p)
    names = solution.player_names()
    who = range(len(names)) if len(names) > 2 or mover < 0 else [mover]
    shown = {CHANCE: "chance decides", OVER: "play has ended", SIMULTANEOUS: "both choose at once"}
    return SideOfPosition(
        text=solution.game.text(p),
        url=state.from_here(text).url(),
        mover=shown.get(mover, "" if alternate(solution.game) else f"{names[mover]} to move"),
        values=tuple((names[i], words.number(values[i])) for i in who),
        sure=words.sure(values[max(mover, 0)]),
        best=solution.moves(p)[0].text if mover >= 0 else "",
    )


def _change(solved: Sequence[Solution], text: str) -> str:
    """How the value of a position changes from the first game to the second, in words."""
    found = [_found(each, text) for each in solved]
    if len(found) < 2 or found[0] is None or found[1] is None:
        return ""
    values = [
        each[1][solution.seen_by(each[0])]
        for solution, each in zip(solved, found, strict=True)
        if each is not None
    ]
    a, b = values
    if a.kind == "outcome" or b.kind == "outcome":
        return "the same" if str(a) == str(b) else f"from {a} to {b}"
    if math.isinf(float(a)) or math.isinf(float(b)):
        return ""
    if a.exactness == b.exactness == "exact":
        exact = Fraction(b.lower) - Fraction(a.lower)
        shown = str(exact) if len(str(exact)) <= 16 else f"{float(exact):.4g}"
    else:
        shown = f"{float(b) - float(a):.4g}"
    return "the same" if shown == "0" else shown if shown.startswith("-") else f"+{shown}"
