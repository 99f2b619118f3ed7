"""What positions inside a turn are worth: derived from the anchors that the turn leads to.

A table of a game that is solved `by_turns` holds anchors and ends only. For any other position the
rest of its turn is walked through, and values are brought back from its exits: means where chance
acts, the best for who moves elsewhere. Bounds stay bounds, exact values stay exact."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from perfectplay.answer.compare_moves import after, equal, gains, in_turn, rank
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.value import Value

MOST = 200_000
"""Values that are kept."""

Values = tuple[Value, ...]


class TurnValues:
    """Values of positions inside turns, each derived once."""

    def __init__(
        self, game: Any, stored: Callable[[Any], Values], *, minimise: bool, ties: str
    ) -> None:
        """`stored` gives the values of anchors and ends."""
        self.game = game
        self.stored = stored
        self.sign = -1 if minimise else 1
        self.ties = ties
        self._known: dict[Any, Values] = {}

    def may_have(self, p: Any) -> bool:
        """Whether `p` may lie inside a turn."""
        try:
            return not self.game.anchor(p) and self.game.to_move(p) != OVER
        except Exception:  # rules need not bear what is no position at all
            return False

    def values(self, p: Any) -> Values:
        """What `p` is worth to each player."""
        known = self._known
        if len(known) > MOST:
            known = self._known = {}  # another thread may still be at work with the old ones
        stack = [p]
        steps: dict[Any, list[tuple[int, Any, tuple[int, ...]]]] = {}
        while stack:
            q = stack[-1]
            if q in known:
                stack.pop()
                continue
            if q not in steps:
                steps[q] = self._steps(q)
            missing = [c for _, c, _ in steps[q] if c not in known]
            if missing:
                stack += missing
                continue
            known[q] = self._settled(q, steps.pop(q), known)
            stack.pop()
        return known[p]

    def _steps(self, q: Any) -> list[tuple[int, Any, tuple[int, ...]]]:
        """(weight, child, gains) of all that may follow; none where the value is stored."""
        game = self.game
        kind = game.to_move(q)
        if kind == OVER or game.anchor(q):
            return []
        nothing = (0,) * game.players
        if kind == CHANCE:
            return [(int(w), c, nothing) for w, c in game.chances(q)]
        return [
            (1, game.play(q, m), gains(game.reward(q, m), kind, game.players))
            for m in game.moves(q)
        ]

    def _settled(
        self, q: Any, steps: list[tuple[int, Any, tuple[int, ...]]], known: dict[Any, Values]
    ) -> Values:
        if not steps:
            return self.stored(q)
        worths = [
            tuple(after(v, gain) for v, gain in zip(known[c], earned, strict=True))
            for _, c, earned in steps
        ]
        kind = self.game.to_move(q)
        if kind == CHANCE:
            weights = [w for w, _, _ in steps]
            return tuple(mean(weights, each) for each in zip(*worths, strict=True))
        return self.best(worths, kind)

    def best(self, worths: list[Values], mover: int) -> Values:
        """What the moves of player `mover`, worth this to everybody, make of a position."""
        if worths[0][0].exactness == "bounds":  # opposed interests: each bound by itself
            sign = self.sign
            return tuple(
                extreme([w[i] for w in worths], sign if i == mover else -sign)
                for i in range(len(worths[0]))
            )
        top = max((w[mover] for w in worths), key=lambda value: rank(value, self.sign))
        tied = [w for w in worths if equal(w[mover], top)]
        side, _, whom = self.ties.partition(":")
        if side == "average":
            return tuple(mean([1] * len(tied), each) for each in zip(*tied, strict=True))
        if side in ("for", "against"):
            way = 1 if side == "for" else -1
            return max(tied, key=lambda w: way * float(w[int(whom) - 1]))
        if side == "lexicographic":
            return max(tied, key=lambda w: in_turn(w, mover))
        return tied[-1 if side == "last" else 0]


def extreme(values: list[Value], sign: int) -> Value:
    """The most of some values, bound by bound; with sign -1 the least."""
    pick: Any = max if sign > 0 else min
    lower, upper = pick(v.lower for v in values), pick(v.upper for v in values)
    return replace(values[0], lower=lower, upper=upper)


def mean(weights: list[int], values: tuple[Value, ...]) -> Value:
    """The weighted mean of values."""
    total = sum(weights)
    ends = []
    for pick, way in (("lower", -math.inf), ("upper", math.inf)):
        numbers = [getattr(value, pick) for value in values]
        if all(x == numbers[0] for x in numbers) or any(map(math.isinf, numbers)):
            ends.append(min(numbers) if way < 0 else max(numbers))
            continue
        middle = sum(w * Fraction(x) for w, x in zip(weights, numbers, strict=True)) / total
        if values[0].exactness == "exact":
            ends.append(middle)
            continue
        near = float(middle)
        wrong = near > middle if way < 0 else near < middle
        rounded = values[0].exactness == "bounds" and wrong
        ends.append(math.nextafter(near, way) if rounded else near)
    return replace(values[0], lower=ends[0], upper=ends[1])
