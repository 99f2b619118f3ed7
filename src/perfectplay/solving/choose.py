"""Methods: which solver a game calls for, which rules for ties it can have, and what a table says
of how it was solved."""

import math
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.rules.game import Game
from perfectplay.solvers.work import Work
from perfectplay.strata.graph import Facts


def choose(
    facts: Facts, *, turns: bool = False, whole: bool = False, nim: bool = False
) -> Callable[..., Work]:
    """The solver for a stratum of a game with these facts; `nim`: for nim values."""
    match facts:
        case Facts() if nim:
            name = "mex"
        case Facts() if whole:
            name = "exact.whole_numbers"
        case Facts() if turns:
            name = "turns.by_turns"
        case Facts(simultaneous=True):
            name = "simultaneous.stratum"
        case Facts(outcome=True):
            name = "retrograde"
        case Facts(scalar=True, chance=True):
            name = "chance.stochastic"
        case Facts(scalar=True, players=1):
            name = "puzzle"
        case Facts(scalar=True):
            name = "scores"
        case _:
            name = "players.vectors"
    solver: Callable[..., Work] = import_module(f"perfectplay.solvers.{name}").solve
    return solver


METHODS = {
    "naive": "value iteration: guess, sweep, take what comes out as the next guess",
    "newton": "Newton's method on a few positions that every cycle passes through",
    "strategy": "strategy iteration of Hoffman and Karp, by sparse linear algebra",
}
"""Methods for cyclic components that can be asked for by name."""


def methods(facts: Facts, *, exact: bool) -> list[str]:
    """The methods that can be asked for, of a game with these facts."""
    if exact or facts.simultaneous or not (facts.chance or facts.players > 2 or not facts.scalar):
        return []
    return ["naive", "newton", "strategy"] if facts.scalar else ["naive", "newton"]


def refuse_method(method: str, facts: Facts, *, exact: bool) -> None:
    """UsageError unless this method serves a game with these facts."""
    possible = methods(facts, exact=exact)
    if method == "auto" or method in possible:
        return
    if possible:
        raise UsageError(
            f"--method {method} is not for this game", f"methods that serve: {', '.join(possible)}"
        )
    why = (
        "in fractions nothing converges: a policy is found, and its equations are solved exactly"
        if exact
        else "where players choose at once, mixed strategies are improved in one way"
        if facts.simultaneous
        else "without chance there is nothing to iterate: retrograde analysis visits every "
        "position once, when all its children are known (children counting)"
    )
    raise UsageError(f"--method {method} is not for this game: {why}", "leave out --method")


def refuse_ties(ties: str, game: Game) -> None:
    """UsageError unless `ties` is a rule for equally good moves that this game can have."""
    side, _, whom = ties.partition(":")
    named = side in ("for", "against") and whom.isdigit() and 1 <= int(whom) <= game.players
    if not named and ties not in ("first", "last", "average", "lexicographic"):
        raise UsageError(
            f"no rule for equally good moves is called {ties!r}",
            "first, last, average, lexicographic, for:J or against:J, "
            f"with J from 1 to {game.players}",
        )


def extra(works: list[Work], strata: Iterable[int]) -> dict[str, Any]:
    """What the manifest says besides the header: what was done to strata, lowest first."""
    work = Work({}, reply_gain=0.0)
    for each in works:
        work.add(each)
    error, gain = work.policy_error, work.reply_gain
    named = sorted(strata)
    return {
        "methods": dict(sorted(work.methods.items())),
        "strata": work.components if len(named) == 1 and work.components else len(named),
        "notes": _merged(work.notes),
        "residual": work.residual,
        "policy_gap": work.gap,
        "policy_error": error if math.isfinite(error) else None,
        "equilibrium_gap": gain + error if gain is not None and math.isfinite(error) else None,
        **_denominators(works, named),
        **({"holes": work.holes} if work.holes else {}),
        **({"rounds": work.rounds, "residuals": work.residuals} if work.rounds else {}),
    }


def _merged(notes: list[str]) -> list[str]:
    """Notes of all strata; numbers of positions in front of the same words are added."""
    counts: dict[str, int] = {}
    others = set()
    for note in notes:
        number, _, words = note.partition(" ")
        if number.isdigit() and words.startswith("positions "):
            counts[words] = counts.get(words, 0) + int(number)
        else:
            others.add(note)
    return sorted(others | {f"{number} {words}" for words, number in counts.items()})


def _denominators(works: list[Work], strata: list[int]) -> dict[str, Any]:
    """The denominator of each stratum, where values are whole numbers."""
    if not works or not works[0].denominator:
        return {}
    named = zip(strata, works, strict=True)
    return {"denominators": {str(stratum): work.denominator for stratum, work in named}}
