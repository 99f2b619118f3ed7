"""Policy iteration for several players: choose, solve for the values, choose again.

With more than two players nothing guarantees that this ends: policies may cycle. Then the policy
is kept under which players gain least by another move at a single position, and the gain is
reported.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from perfectplay.errors import NoSolverError, RulesError, UsageError
from perfectplay.strata.graph import Graph

ROUNDS = 100
"""Policies that are tried before a component is given up as cycling."""

FIRST, LAST, AVERAGE, FOR, AGAINST, LEXICOGRAPHIC = range(6)
MODES = {
    "first": FIRST,
    "last": LAST,
    "average": AVERAGE,
    "for": FOR,
    "against": AGAINST,
    "lexicographic": LEXICOGRAPHIC,
}


@dataclass(frozen=True)
class Ties:
    """What a player does with moves that are equally good for them."""

    mode: int
    player: int = 0
    """0-based; for FOR and AGAINST only."""


def read_ties(text: str, graph: Graph, players: int) -> Ties:
    """The tie rule that `Options.ties` names."""
    name, _, player = text.partition(":")
    named = name in ("for", "against")
    if name not in MODES or named != bool(player):
        raise UsageError(
            f"{text!r} is not a rule for ties",
            hint="Use first, last, average, lexicographic, or for:J or against:J for a player J.",
        )
    if not named:
        return Ties(MODES[name])
    if not player.isdigit() or not 1 <= int(player) <= players:
        raise UsageError(
            f"the tie rule {text!r} names no player", hint=f"Players are 1 to {players}."
        )
    if graph.swap.any():
        raise NoSolverError(
            f"the tie rule {text!r} names a player, but these rules rename the players",
            hint="Use another rule, or rules without a `representative` that renames.",
        )
    return Ties(MODES[name], int(player) - 1)


def preferred(ties: Ties, mover: int, best: dict[int, tuple[Any, ...]]) -> int:
    """The one of several equally good moves, in the order of the rules, that the tie rule takes;
    `best` has their values to all players."""
    if ties.mode == FOR:
        return max(best, key=lambda e: best[e][ties.player])
    if ties.mode == AGAINST:
        return min(best, key=lambda e: best[e][ties.player])
    if ties.mode == LEXICOGRAPHIC:
        return max(best, key=lambda e: best[e][mover:] + best[e][:mover])
    return list(best)[-1 if ties.mode == LAST else 0]


def tie_note(tied: int, rule: str) -> list[str]:
    """The note for positions at which the tie rule decides a value; none if there are none."""
    if not tied:
        return []
    return [
        f"{tied} positions have equally good moves that differ for other players: "
        f"values depend on the tie rule, {rule!r}"
    ]


class Component(Protocol):
    """A set of positions that reach each other, with a policy and values."""

    def choose(self, *, sticky: bool) -> bool:
        """Choose the best moves for the values at hand, position after position; whether the
        policy changed. Sticky: a move that is among the best is kept, whatever the tie rule
        says."""

    def evaluate(self) -> None:
        """Solve for the values of the policy."""

    def gap(self) -> Any:
        """The most that a player gains by another move at a single position."""

    def policy(self) -> Hashable:
        """The policy, to be kept and compared."""

    def restore(self, policy: Any) -> None:
        """Take back a policy."""


def iterate(component: Component, tolerance: float, gaps: list[Any]) -> tuple[Any, int]:
    """Improve the policy until it repeats: (gap, 0), or (gap, length) if policies
    cycle. The gap of each policy is added to `gaps`."""
    least: Any = None
    kept: Any = None
    length = 0
    for sticky in (False, True):
        seen: dict[Hashable, int] = {}
        length = ROUNDS
        for turn in range(ROUNDS):
            changed = component.choose(sticky=sticky)
            if turn and not changed:
                return 0, 0
            policy = component.policy()
            if policy in seen:
                length = turn - seen[policy]
                break
            seen[policy] = turn
            component.evaluate()
            gap = component.gap()
            gaps.append(gap)
            if least is None or gap < least:
                least, kept = gap, policy
        component.restore(kept)
        component.evaluate()
        if least <= tolerance:
            return least, 0
    return least, length


def earning_cycle() -> RulesError:
    """The error for rewards in play that never ends."""
    return RulesError(
        "endless play would earn without limit: best play goes in circles of moves with rewards",
        hint="Reward only moves that cannot be undone, or count the moves and end the game.",
    )


def cycling(size: int, length: int, gap: str) -> str:
    """The note for a component whose policies cycle."""
    return (
        f"no stable policy was found for {size} positions that reach each other: policies go "
        f"round in {length}; with the one that was kept, a player gains up to {gap} by another "
        "move"
    )
