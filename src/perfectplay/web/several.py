"""Several players: what equally good moves mean to the others, and who plays with whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.compare_moves import equal
from perfectplay.answer.solution import Solution
from perfectplay.rules.coalitions import Sided
from perfectplay.web import words

RULES = {
    "first": "the first of them in the order of the rules",
    "last": "the last of them in the order of the rules",
    "average": "each of them with the same chance",
    "lexicographic": "the one that gives most to who comes next",
}
"""What players do with equally good moves, in words."""


def tie_rule(ties: str, names: Sequence[str]) -> str:
    """The rule for ties that a game was solved with, in words."""
    side, _, whom = ties.partition(":")
    if side in ("for", "against") and whom.isdigit() and int(whom) <= len(names):
        much = "most" if side == "for" else "least"
        return f"the one that gives the {much} to {names[int(whom) - 1]}"
    return RULES.get(ties, ties)


def ties(
    solution: Solution, moves: Sequence[MoveAnalysis], mover: int, names: Sequence[str]
) -> tuple[str, ...]:
    """What it means that several moves are best: sentences, none if there is no such tie."""
    best = [move for move in moves if move.best]
    if len(best) < 2:
        return ()
    said = [f"{len(best)} moves are equally good for {names[mover]}."]
    if solution.facts.scalar:  # what one gets, the other does not: nothing else depends on it
        return tuple(said)
    others = [i for i in range(len(names)) if i != mover]
    said += [each for i in others for each in _to_another(i, names[i], best)]
    if len(said) == 1:
        return (*said, "To the others they are all the same, too.")
    return (*said, f"Solved as if {names[mover]} made {tie_rule(solution.ties, names)}.")


def _to_another(i: int, name: str, best: Sequence[MoveAnalysis]) -> list[str]:
    """What the choice among equally good moves means to another player."""
    ranked = sorted(best, key=lambda move: float(move.values[i]))
    worst, most = ranked[0], ranked[-1]
    if equal(worst.values[i], most.values[i]):
        return []
    low, high = words.number(worst.values[i]), words.number(most.values[i])
    return [f"{name} gets {low} after {worst.text}, {high} after {most.text}."]


def coalitions(solution: Solution) -> tuple[tuple[str, str], ...]:
    """Who plays with whom, and what each side wants; nothing where players play for themselves."""
    game = solution.game
    if not isinstance(game, Sided) or not game.sides:
        return ()
    found = []
    for side in range(game.players):
        members = [game.rules.player_name(j) for j in range(game.seats) if game.side[j] == side]
        found.append((" and ".join(members), _aim(game, side)))
    return tuple(found)


def _aim(game: Sided, side: int) -> str:
    """What a side wants, in words."""
    wants = game.wants[side]
    parts = []
    for much, sign in (("the most", 1), ("the least", -1)):
        whom = [
            game.rules.player_name(j) + (f" ({abs(each)} times)" if abs(each) > 1 else "")
            for j, each in enumerate(wants)
            if each * sign > 0
        ]
        if whom:
            parts.append(f"{much} for {' and '.join(whom)}{' together' if len(whom) > 1 else ''}")
    return ", and ".join(parts) or "nothing"


def on_turn(solution: Solution, p: Any, mover: int, names: Sequence[str]) -> str:
    """Who moves: in a coalition, which of its members."""
    game = solution.game
    if not isinstance(game, Sided) or mover < 0:
        return names[mover]
    member = (game.rules.to_move(game.board(p)) + p[-1]) % game.seats
    name = game.rules.player_name(member)
    return name if name == names[mover] else f"{name} (for {names[mover]})"
