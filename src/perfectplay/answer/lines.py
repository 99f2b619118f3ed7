"""Lines: best play from a position on, and what happens in it where chance acts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from perfectplay.answer.analysis import Line, Step
from perfectplay.answer.compare_moves import WeighedMove
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, alternate

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution


class BestStep(NamedTuple):
    """A move of best play, or an event."""

    by: int
    """Who moves: a player, or CHANCE, or SIMULTANEOUS. In alternate play 0 moves first, then 1,
    and so on."""
    number: int
    """Which move, event or pair of choices it is, in the order of the rules."""
    move: str
    position: Any
    """The position after it."""


def principal_variation(solution: Solution, p: Any, limit: int) -> Line:
    """Best play from `p` on, `limit` steps at most."""
    text = solution.game.text
    found = list(best_play(solution, p, limit))
    steps = tuple(Step(step.by, step.move, text(step.position)) for step in found)
    path = [p, *(step.position for step in found)]
    if path[-1] in path[:-1]:
        return Line(steps, "repeats")
    return Line(steps, "over" if solution.to_move(path[-1]) == OVER else "more")


def best_play(solution: Solution, p: Any, limit: int) -> Iterator[BestStep]:
    """Best play from `p` on, `limit` steps at most: until it ends, or comes back to a position."""
    game = solution.game
    seen = {p}
    last = 0  # who moved last
    for ply in range(limit):
        player = solution.to_move(p)
        if player == OVER:
            return
        if player == CHANCE:
            events = solution.events(p)
            p = typical(solution, p, events, last)
            number, move = list(events).index(p), f"chance {events[p]}"
        elif player == SIMULTANEOUS:
            number, move, p = _both(solution, p)
        else:
            last = player
            best = _best(solution, p, seen)
            number, move = best.number, game.move_text(p, best.move)
            p = best.child
        yield BestStep(ply % 2 if alternate(game) else player, number, move, p)
        if p in seen:
            return
        seen.add(p)


def _both(solution: Solution, p: Any) -> tuple[int, str, Any]:
    """The most probable pair of choices of both players, of equally probable ones the first: its
    number, its text, and the position after it."""
    from perfectplay.answer.faces.mixed_choices import mixed_choices

    found = mixed_choices(solution, p)
    assert found is not None
    number, (pair, _) = max(enumerate(found.pairs()), key=lambda each: each[1][1])
    return number, pair_text(solution.game, p, pair), solution.game.play(p, pair)


def pair_text(game: Game, p: Any, pair: tuple[Any, Any]) -> str:
    """What both players chose, as text."""
    return " / ".join(game.move_text(p, choice) for choice in pair)


def _best(solution: Solution, p: Any, seen: set[Any]) -> WeighedMove:
    """A best move. Of equally good moves one to a new position
    is taken: where endless play is as good as any, values do not forbid repetition."""
    best = solution.leading(p)
    return next((move for move in best if move.child not in seen), best[0])


def typical(solution: Solution, p: Any, events: dict[Any, Fraction], player: int) -> Any:
    """The event that a line shows at `p`: of the most probable ones that which changes the values
    least; of several, the best for `player`, who moved last; of several, the first."""
    most = max(events.values())
    likely = [q for q, chance in events.items() if chance == most]
    if len(likely) == 1:
        return likely[0]
    now = [float(value) for value in solution.values(p)]
    sign = 1 if solution.facts.minimise else -1  # the smaller, the better

    def strangeness(q: Any) -> tuple[float, float]:
        then = [float(value) for value in solution.values(q)]
        apart = [abs(a - b) for a, b in zip(then, now, strict=True) if a != b]
        # Rounded, since noise must not decide.
        return round(max(apart, default=0.0), 9), sign * round(then[player], 9)

    return min(likely, key=strangeness)
