"""Worth: what a move is worth to who makes it, and how moves compare."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from perfectplay.rules.value import Number, Value

_RESIDUAL = 1e-9
"""Values without proved bounds count as equal if they differ by no more."""


class WeighedMove(NamedTuple):
    """A legal move with what it is worth; `MoveAnalysis` says the same in words."""

    number: int
    """Its place in the order of the rules."""
    move: Any
    child: Any
    """The position after it."""
    value: Value
    """What it is worth to the player who makes it, its reward included."""
    values: tuple[Value, ...]
    """What it is worth to each player of the position."""
    reward: int
    """What it earns the player who makes it at once."""


def gains(reward: Any, player: int, players: int) -> tuple[int, ...]:
    """What a move earns each player, from what `Game.reward` says."""
    if isinstance(reward, tuple):
        return tuple(int(each) for each in reward)
    other = -int(reward) if players == 2 else 0
    return tuple(int(reward) if i == player else other for i in range(players))


def after(value: Value, gain: int) -> Value:
    """The worth of a move that earns `gain` and leads to a position worth `value`."""
    if value.kind == "outcome":
        depth = None if value.depth is None else value.depth + 1
        return Value(value.kind, value.lower, value.upper, value.exactness, depth)
    if not gain:
        return value
    lower, upper = value.lower + gain, value.upper + gain
    if value.exactness == "bounds":  # the sums are rounded
        lower = math.nextafter(lower, -math.inf)
        upper = math.nextafter(upper, math.inf)
    return replace(value, lower=lower, upper=upper)


def rank(value: Value, sign: int) -> tuple[Number, float]:
    """Larger is better for the player, who wants the least if `sign` is -1."""
    if value.kind == "outcome":
        return value.order
    return (sign * value.lower if value.exactness == "exact" else sign * float(value)), 0.0


def equal(a: Value, b: Value) -> bool:
    """Whether neither of two moves can be said to be better."""
    if a.kind == "outcome":
        return a.lower == b.lower and (a.depth == b.depth or a.lower == 0)
    if a.exactness == "exact":
        return a.lower == b.lower
    if a.exactness == "bounds":
        return a.lower <= b.upper and b.lower <= a.upper
    return abs(float(a) - float(b)) <= _RESIDUAL * max(1.0, abs(float(a)))


def lost(value: Value, top: Value) -> tuple[float, str]:
    """What a move worth `value` loses against the best one, worth `top`: a number, and for
    outcomes what it does in words."""
    if value.kind != "outcome":
        return abs(float(top) - float(value)), ""
    if value.lower != top.lower:
        change = f"{top.outcome.name.lower()} -> {value.outcome.name.lower()}"
        return float(top.lower - value.lower), change
    if value.depth is None or top.depth is None:  # one of them is endless play
        return 0.0, "never ends" if value.depth is None else "ends"
    late = abs(value.depth - top.depth)
    when = "later" if value.lower > 0 else "sooner"
    return 0.0, f"{late} {'ply' if late == 1 else 'plies'} {when}"


def in_turn(values: Sequence[Value], mover: int) -> tuple[float, ...]:
    """What others than the mover get, the player after him first: the rule for ties
    "lexicographic" takes the most of it. Rounded, since noise must not decide."""
    return tuple(round(float(v), 11) for v in (*values[mover + 1 :], *values[:mover]))


def preference(ties: str, own: Value, mover: int) -> Callable[[WeighedMove], tuple[float, ...]]:
    """Which of equally good moves comes first, by the rule for ties that was solved with."""
    side, _, whom = ties.partition(":")
    if side in ("for", "against") and whom.isdigit():
        other = int(whom) - 1
        sign = -1 if side == "for" else 1
        return lambda m: (sign * float(m.values[other]),)
    if side == "lexicographic":
        return lambda m: tuple(-x for x in in_turn(m.values, mover))
    if own.kind == "outcome" and own.lower == 0:  # the line should be as long as it says
        return lambda m: (m.value.depth != own.depth,)
    return lambda m: ()
