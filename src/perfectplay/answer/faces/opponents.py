"""Opponents: who may sit at the other side of the board, from perfect play to pure chance.

    perfect      the best move; of equally good ones, one that makes progress
    stubborn     of equally good moves, the one after which most replies are mistakes
    random       any legal move, all with the same chance
    skill:70     the best move in 70 of 100 cases, else any legal move
    name         a policy: a function of the rules and a position that gives a move

Dice are seeded and depend on the ply alone, so that a match can be told again from its moves."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from perfectplay.answer.faces.mixed_choices import MixedChoices, mixed_choices
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError

Policy = Callable[..., Any]
BUILT_IN = ("perfect", "stubborn", "random")
PERSON = "person"
"""The role of a side that a person plays."""


def dice(seed: int, ply: int) -> random.Random:
    """The dice that are thrown at a ply."""
    return random.Random(f"{seed}/{ply}")


def throw(events: Mapping[Any, Fraction], roll: random.Random) -> int:
    """The number of an event, drawn with its exact probability."""
    common = math.lcm(*(chance.denominator for chance in events.values()))
    drawn = roll.randrange(common)
    sums = itertools.accumulate(int(chance * common) for chance in events.values())
    return next(i for i, upto in enumerate(sums) if drawn < upto)


def known(role: str, policies: Mapping[str, Policy]) -> None:
    """UsageError unless somebody can play in this role."""
    name, _, much = role.partition(":")
    if name == "skill":
        _percent(much)
    elif role not in BUILT_IN and role not in policies:
        names = ", ".join((*BUILT_IN, "skill:70", *policies))
        raise UsageError(f"there is no player called {role[:80]!r}", f"known: {names}")


def reply(
    solution: Solution, p: Any, role: str, roll: random.Random, policies: Mapping[str, Policy] = {}
) -> int:
    """The number, in the order of the rules, of the move that a player in this role makes."""
    known(role, policies)
    moves = solution.legal(p)
    if role in policies:
        chosen = policies[role](solution.game, p)
        if chosen not in moves:
            raise UsageError(f"policy {role} gives {chosen!r}, which is no move here")
        return moves.index(chosen)
    name, _, much = role.partition(":")
    if name == "random" or (name == "skill" and roll.random() >= _percent(much)):
        return roll.randrange(len(moves))
    if name in ("perfect", "skill"):
        return moves.index(solution.best(p))
    return moves.index(_stubborn(solution, p))


def pair_number(solution: Solution, p: Any, roles: Sequence[str], roll: random.Random) -> int:
    """The number of the pair that two players choose at once, among all pairs in the order of the
    rules. Who plays perfectly draws from an optimal mixture, as if for a person who is to
    choose."""
    found = mixed_choices(solution, p)
    assert found is not None
    mine, theirs = (_choice(found, i, role, roll) for i, role in enumerate(roles))
    return mine * len(found.moves[1]) + theirs


def _choice(found: MixedChoices, player: int, role: str, roll: random.Random) -> int:
    name, _, much = role.partition(":")
    if name not in (*BUILT_IN, "skill", PERSON):
        raise UsageError(
            f"policy {role[:80]} cannot choose while the other player chooses as well",
            f"known: {', '.join((*BUILT_IN, 'skill:70'))}",
        )
    if name == "random" or (name == "skill" and roll.random() >= _percent(much)):
        return roll.randrange(len(found.moves[player]))
    return found.draw(player, roll)


def _percent(much: str) -> float:
    try:
        share = float(much) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"skill:{much} is not a percentage", "for instance skill:70")
    return share


def _stubborn(solution: Solution, p: Any) -> Any:
    """Of the best moves, the first of those that are hardest to answer."""
    best = [move for move in solution.moves(p) if move.best]
    return min(best, key=lambda move: _ease(solution, solution.game.play(p, move.move))).move


def _ease(solution: Solution, q: Any) -> Fraction:
    """The share of replies at `q` that are best; the mean of it where chance acts first."""
    events = solution.events(q)
    if events:
        return sum((w * _ease(solution, r) for r, w in events.items()), Fraction(0))
    moves = solution.moves(q)
    return Fraction(sum(move.best for move in moves), len(moves)) if moves else Fraction(1)
