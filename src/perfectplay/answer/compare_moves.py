"""Worth: what a move is worth to who makes it, and how moves compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from perfectplay.answer.analysis import MoveAnalysis, MoveList
from perfectplay.rules.game import Game, alternate
from perfectplay.rules.value import Number, Value
from perfectplay.table.recent import Recent

if TYPE_CHECKING:
    from perfectplay.answer.progress_moves import ProgressMoves
    from perfectplay.answer.solution import Solution

MOST_KEPT = 16 << 20
"""Bytes, about, of moves that are kept, as many of texts, and of moves that were made."""
MOST_RANKS = 200_000
"""Positions of which it is kept how best play makes progress there."""

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


class JudgedMove(NamedTuple):
    """A move that was made, against the best one."""

    move: WeighedMove
    text: str
    top: Value
    """What the best move is worth."""
    better: str
    """The first of the best moves in the order of the rules; empty if no move can be said to be
    better than this one."""

    @property
    def best(self) -> bool:
        """Whether no move can be said to be better."""
        return not self.better


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
    """What others than the mover get, the player after them first: the rule for ties
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


def bytes_of(value: Value) -> int:
    """The bytes that a value takes, about: exact fractions may have many digits."""
    number = value.lower
    return 200 + (number.denominator.bit_length() // 4 if isinstance(number, Fraction) else 0)


def shown(game: Game, p: Any) -> str:
    """A position as text, also where it is none."""
    try:
        return repr(game.text(p))
    except Exception:
        return repr(p)


# -- All moves of a position. ---------------------------------------------------------------------


class RankedMoves:
    """Weighs the moves of a solved game, ranks them, and puts them into words.

    What was derived last is kept: a page asks for the same position many times, and its main line
    and the moves played are those of the page before. Only moves that are asked for in words get
    texts."""

    def __init__(self, solution: Solution, progress: Callable[[], ProgressMoves]) -> None:
        """`progress` gives what finds moves that make progress, and knows nothing yet."""
        self.solution, self.game = solution, solution.game
        self._new_progress = progress
        self._progress = progress()
        self._alternate = alternate(solution.game)
        self._groups: Recent[list[list[WeighedMove]]] = Recent(MOST_KEPT)
        self._texts: Recent[MoveList] = Recent(MOST_KEPT)
        self._judged: Recent[JudgedMove] = Recent(MOST_KEPT)

    def groups(self, p: Any) -> list[list[WeighedMove]]:
        """Groups of equally good moves at `p`, the best group first, and in that a move that makes
        progress; none where chance acts or play has ended."""
        key = type(p), p
        kept = self._groups.get(key)
        if kept is not None:
            return kept
        values = self.solution.values(p)
        player = self.solution.to_move(p)
        if player < 0:
            return []
        found = [self._weighed(p, player, i, m) for i, m in enumerate(self.solution.legal(p))]
        size = sum(200 + sum(map(bytes_of, move.values)) for move in found)
        return self._groups.put(key, self._grouped(p, values[player], found), size)

    def leading(self, p: Any) -> list[WeighedMove]:
        """The best moves, or the first of them alone where that is seen before all are weighed:
        a win or loss in so many plies goes on with the first move that leaves one ply less."""
        own = self.solution.values(p)[self.solution.seen_by(p)]
        counted = own.kind == "outcome" and own.lower != 0 and own.depth
        player = self.game.to_move(p)
        first = self.solution.ties == "first" and self._groups.get((type(p), p)) is None
        if counted and own.depth is not None and first:
            goal = own.lower, own.depth - 1  # of who moves at p, after the move
            for number, m in enumerate(self.solution.legal(p)):
                child = self.game.play(p, m)
                then = self.solution.values(child)[1 - player if self._alternate else player]
                if (then.lower, then.depth) == goal:
                    return [self._weighed(p, player, number, m, child)]
        return self.groups(p)[0]

    def _any_best(self, p: Any) -> WeighedMove:
        """The first of the best moves in the order of the rules. Where the value is exact, those
        behind it are not weighed."""
        own = self.solution.values(p)[self.solution.seen_by(p)]
        kept = self._groups.get((type(p), p))
        if kept is None and own.exactness == "exact":
            player = self.game.to_move(p)
            for number, m in enumerate(self.solution.legal(p)):
                move = self._weighed(p, player, number, m)
                if equal(move.value, own):
                    return move
        return min(self.groups(p)[0], key=lambda move: move.number)

    def in_words(self, p: Any) -> MoveList:
        """All moves at `p`, best first."""
        key = type(p), p
        kept = self._texts.get(key)
        if kept is not None:
            return kept
        groups = self.groups(p)
        found = MoveList(
            self._told(p, move, groups[0][0].value, best=group is groups[0])
            for group in groups
            for move in group
        )
        size = sum(500 + len(move.text) + len(move.child) for move in found)
        return self._texts.put(key, found, size)

    def one(self, p: Any, number: int) -> JudgedMove:
        """The move at `p` with this number in the order of the rules."""
        known = self._judged.get((type(p), p, number))
        if known is not None:
            return known
        own = self.solution.values(p)[self.solution.seen_by(p)]
        if own.exactness == "exact":  # that is what the best move is worth
            m = self.solution.legal(p)[number]
            move, top = self._weighed(p, self.game.to_move(p), number, m), own
        else:
            groups = self.groups(p)
            move = next(m for group in groups for m in group if m.number == number)
            top = groups[0][0].value
        text, best = self.game.move_text(p, move.move), equal(move.value, top)
        better = "" if best else self.game.move_text(p, self._any_best(p).move) or "?"
        judged = JudgedMove(move, text, top, better)
        size = 500 + sum(map(bytes_of, move.values))
        return self._judged.put((type(p), p, number), judged, size)

    def _weighed(self, p: Any, player: int, number: int, m: Any, child: Any = None) -> WeighedMove:
        game = self.game
        child = game.play(p, m) if child is None else child
        below = self.solution.values(child)
        if self._alternate:
            below = below[::-1]
        earned = gains(game.reward(p, m), player, game.players)
        values = tuple(after(v, gain) for v, gain in zip(below, earned, strict=True))
        return WeighedMove(number, m, child, values[player], values, earned[player])

    def _told(self, p: Any, move: WeighedMove, top: Value, *, best: bool) -> MoveAnalysis:
        """A move in words, against the best one, which is worth `top`."""
        loss, change = (0.0, "") if best else lost(move.value, top)
        return MoveAnalysis(
            move=move.move,
            text=self.game.move_text(p, move.move),
            child=self.game.text(move.child),
            value=move.value,
            values=move.values,
            reward=move.reward,
            loss=loss,
            change=change,
            best=best,
            number=move.number,
        )

    def _grouped(
        self, p: Any, own: Value, moves: Sequence[WeighedMove]
    ) -> list[list[WeighedMove]]:
        ties = self.solution.ties
        sign = -1 if self.solution.facts.minimise else 1
        left = sorted(moves, key=lambda m: rank(m.value, sign), reverse=True)
        step = -1 if ties == "last" else 1
        prefer = preference(ties, own, self.game.to_move(p))
        groups = []
        while left:
            top = left[0].value
            group = [m for m in left if equal(m.value, top)]
            left = [m for m in left if not equal(m.value, top)]
            group.sort(key=lambda m: (m.child == p, *prefer(m), step * m.number))
            groups.append(group)
        progress = self._progress
        if progress.size > MOST_RANKS:  # other threads go on with the old one
            progress = self._progress = self._new_progress()
        return [progress.in_front(p, groups[0]), *groups[1:]]
