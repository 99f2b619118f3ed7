"""Examine: one position put to the rules, one method at a time; what is wrong is said at once.

Slower than expanding, and stricter: every answer must have the form that the engine expects. This
is how `check` looks at positions, and how an error met while solving is traced to its position."""

import random
import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import GeneratorType
from typing import Any, NamedTuple

import numpy as np

from perfectplay.positions.failures import RulesFaultError, hashable, raised, shown
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, declares

WHOLE = int | np.integer
"""Rules that read NumPy tables give NumPy integers, which are as good."""
LOOKS = 20_000
"""Positions that are examined in search of a fault."""
SECONDS = 10.0
PLIES = 500
"""Plies of a random play in search of one."""

_LISTS = {
    "starts": "first positions", "moves": "moves", "chances": "(weight, position) pairs",
    "starts_of": "first positions", "choices": "choices",
}  # fmt: skip
"""Methods that yield, and what."""


class ExaminedEdge(NamedTuple):
    """A move or a chance event of a position."""

    move: Any
    child: Any
    weight: int
    reward: Any


def ask(game: Game, method: str, *given: Any, most: int | None = None) -> Any:
    """What a method of the rules answers, as a list (of so many) if it yields; RulesFaultError if
    it fails."""
    try:
        found = getattr(game, method)(*given)
        if method not in _LISTS:
            return found
    except Exception as error:
        raise raised(game, method, error, *given) from error
    if not isinstance(found, Iterable) or (isinstance(found, str | bytes) and method != "moves"):
        at = f" at {shown(game, given[0])}" if given else ""
        hint = f"yield the {_LISTS[method]} one by one, or return a list of them"
        if found is None:
            hint += "; a method without `yield` or `return` gives None"
        raise RulesFaultError(game, method, f"is {found!r}{at}", hint, law="list")
    try:
        return list(islice(found, most))
    except Exception as error:
        raise raised(game, method, error, *given) from error


def examine(game: Game, p: Any) -> list[ExaminedEdge]:
    """The edges of a position; RulesFaultError if a rule gives there what no rule may."""
    kind = mover_of(game, p)
    edges = edges_of(game, p, kind)
    if kind == OVER or (kind >= 0 and not edges):
        paid(game, "payoff", ask(game, "payoff", p), p)
    for edge in edges:
        q = position(game, "representative", ask(game, "representative", edge.child), edge.child)
        whole(game, "stratum", ask(game, "stratum", q), q)
        if declares(game, "turn"):
            whole(game, "turn", ask(game, "turn", edge.child), edge.child)
    text = ask(game, "text", p)
    if not isinstance(text, str):
        raise RulesFaultError(
            game, "text", f"is {text!r} at {p!r}", "return a text of one line", law="text"
        )
    return edges


def mover_of(game: Game, p: Any) -> int:
    """Who moves at `p`."""
    kind = ask(game, "to_move", p)
    least = OVER if simultaneous(game) is None else SIMULTANEOUS
    if not isinstance(kind, WHOLE) or not least <= kind < game.players:
        hint = f"it must be a player from 0 to {game.players - 1}, or CHANCE, or OVER"
        if kind == SIMULTANEOUS:
            hint = "derive from SimultaneousMoves: class Name(SimultaneousMoves, Game)"
        raise RulesFaultError(
            game, "to_move", f"is {kind!r} at {shown(game, p)}", hint, law="range"
        )
    return int(kind)


def edges_of(game: Game, p: Any, kind: int) -> list[ExaminedEdge]:
    """The moves or the chance events at `p`, where `kind` moves."""
    if kind == OVER:  # moves need not be empty here: nobody asks for them
        return []
    if kind == CHANCE:
        return [event_of(game, event, p) for event in _events(game, p)]
    edges = []
    for m in ask(game, "moves", p) if kind != SIMULTANEOUS else _pairs(game, p):
        q = position(game, "play", ask(game, "play", p, m), p, m)
        reward = paid(game, "reward", ask(game, "reward", p, m), p, m)
        edges.append(ExaminedEdge(m, q, 1, reward))
    return edges


def _pairs(game: Game, p: Any) -> list[tuple[Any, Any]]:
    """What both players may choose at once, row by row."""
    own = [ask(game, "choices", p, player) for player in (0, 1)]
    for player, found in enumerate(own):
        if not found:
            raise RulesFaultError(
                game,
                "choices",
                f"yields nothing for player {player} at {shown(game, p)}",
                "yield at least one choice for each player, or let to_move(p) return OVER",
                law="none",
            )
    return [(a, b) for a in own[0] for b in own[1]]


def _events(game: Game, p: Any) -> list[Any]:
    found: list[Any] = ask(game, "chances", p)
    if not found:
        raise RulesFaultError(
            game,
            "chances",
            f"yields nothing at {shown(game, p)}",
            "yield at least one (weight, position), or let to_move(p) return OVER",
            law="none",
        )
    return found


def event_of(game: Game, event: Any, p: Any) -> ExaminedEdge:
    """A chance event at `p`, if it is one."""
    if not isinstance(event, tuple) or len(event) != 2:
        raise RulesFaultError(
            game, "chances", f"yields {event!r} at {shown(game, p)}",
            "yield pairs: (weight, position)", law="pair",
        )  # fmt: skip
    weight, q = event
    if not isinstance(weight, WHOLE) or weight <= 0:
        raise RulesFaultError(
            game,
            "chances",
            f"yields weight {weight!r} at {shown(game, p)}",
            "weights are integers greater than 0: 1 for each face of a die, 1 and 3 for "
            "probabilities of 1/4 and 3/4; leave out what cannot happen",
            law="weight",
        )
    return ExaminedEdge(None, position(game, "chances", q, p), int(weight), 0)


def position(game: Game, method: str, q: Any, *given: Any) -> Any:
    """What a method gave as a position, if it can be one."""
    at = f" at {shown(game, given[0])}" if given else ""
    at += f", move {given[1]!r}" if len(given) > 1 else ""

    def fault(what: str, hint: str, law: str) -> RulesFaultError:
        return RulesFaultError(game, method, f"{what}{at}".rstrip(","), hint, law=law)

    if q is None:
        hint = "return the new position; a method without `return` gives None"
        raise fault("leads nowhere: None", hint, "none")
    if isinstance(q, GeneratorType):
        raise fault("is a generator", f"{method} returns one position: no `yield` in it", "yields")
    if not hashable(q):
        hint = "use integers, strings or tuples; make lists into tuples, sets into frozensets"
        raise fault(f"gives {q!r}, which is not hashable,", hint, "hash")
    words = q if isinstance(q, tuple) else (q,)
    if game.native and not all(isinstance(x, WHOLE) and -(2**63) <= x < 2**63 for x in words):
        hint = "native positions are 64-bit integers or flat tuples of them; or set native = False"
        raise fault(f"gives {q!r}, which is no native position,", hint, "native")
    return q


def paid(game: Game, method: str, number: Any, *given: Any) -> Any:
    """A payoff or reward, if it is one."""
    numbers = number if isinstance(number, tuple) else (number,)
    at = shown(game, given[0]) + (f", move {given[1]!r}" if len(given) > 1 else "")
    if not all(isinstance(x, WHOLE) for x in numbers):
        hint = "return an integer, or a tuple with one integer per player"
        if number is None:
            hint += "; a method without `return` gives None"
        elif any(isinstance(x, float) for x in numbers):
            hint += ": values are exact, so count half points as 1 and full points as 2"
        raise RulesFaultError(game, method, f"is {number!r} at {at}", hint, law="whole")
    short = isinstance(number, tuple) and len(number) != game.players
    alone = method == "payoff" and game.players > 2 and not isinstance(number, tuple) and number
    if short or alone:
        what = f"has {len(numbers)} numbers" if short else "is one number"
        raise RulesFaultError(
            game,
            method,
            f"{what} at {at}, but there are {game.players} players",
            "return a tuple with one integer per player",
            law="length",
        )
    return number


def whole(game: Game, method: str, number: Any, p: Any) -> int:
    """An integer that a method gave, if it is one."""
    if not isinstance(number, WHOLE):
        raise RulesFaultError(
            game, method, f"is {number!r} at {shown(game, p)}", "return an integer", law="whole"
        )
    return int(number)


def examine_first(game: Game, most: int = LOOKS) -> list[Any]:
    """The first positions, or so many of them; RulesFaultError if one is none."""
    method = "start" if declares(game, "start") and not declares(game, "starts") else "starts"
    found = [ask(game, "start")] if method == "start" else ask(game, "starts", most=most)
    return [position(game, method, p) for p in found]


def faults(
    game: Game, positions: Iterable[Any] = (), *, below: bool = True
) -> Iterator[RulesFaultError]:
    """What is wrong at the first of these positions, or `below` them, where anything is; of the
    first positions of the game, if none are given. Nothing, if that is not soon found."""
    end = time.perf_counter() + SECONDS
    try:
        begin = list(positions) or examine_first(game)
        if not below:
            for p in begin:
                examine(game, p)
            return
        queue, seen = deque(begin), set(begin)
        for _ in range(LOOKS):
            if not queue or time.perf_counter() > end:
                break
            for edge in examine(game, queue.popleft()):
                if edge.child not in seen:
                    seen.add(edge.child)
                    queue.append(edge.child)
        dice = random.Random(0)
        while queue and time.perf_counter() < end:  # what is far away is met by random play
            p = dice.choice(begin)
            for _ in range(PLIES):
                edges = examine(game, p)
                if not edges:
                    break
                p = dice.choice(edges).child
    except RulesFaultError as fault:
        yield fault
