"""Lines: best play from a position on, and what happens in it where chance acts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.answer.analysis import Line, Step
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, alternate

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution


def principal_variation(solution: Solution, p: Any, limit: int) -> Line:
    """Best play from `p` on, `limit` steps at most."""
    game = solution.game
    seen = {p}
    steps: list[Step] = []
    last = 0  # who moved last
    while len(steps) < limit:
        player = solution.to_move(p)
        if player == OVER:
            return Line(tuple(steps), "over")
        if player == CHANCE:
            events = solution.events(p)
            p = typical(solution, p, events, last)
            move = f"chance {events[p]}"
        elif player == SIMULTANEOUS:
            move, p = _both(solution, p)
        else:
            last = player
            move, p = _best(solution, p, seen)
        by = len(steps) % 2 if alternate(game) else player
        steps.append(Step(by, move, game.text(p)))
        if p in seen:
            return Line(tuple(steps), "repeats")
        seen.add(p)
    return Line(tuple(steps), "over" if solution.to_move(p) == OVER else "more")


def _both(solution: Solution, p: Any) -> tuple[str, Any]:
    """The most probable pair of choices of both players as text, of equally probable ones the
    first, and the position after it."""
    from perfectplay.answer.faces.mixed_choices import mixed_choices

    found = mixed_choices(solution, p)
    assert found is not None
    pair, _ = max(found.pairs(), key=lambda each: each[1])
    return pair_text(solution.game, p, pair), solution.game.play(p, pair)


def pair_text(game: Game, p: Any, pair: tuple[Any, Any]) -> str:
    """What both players chose, as text."""
    return " / ".join(game.move_text(p, choice) for choice in pair)


def _best(solution: Solution, p: Any, seen: set[Any]) -> tuple[str, Any]:
    """A best move as text, and the position after it. Of equally good moves one to a new position
    is taken: where endless play is as good as any, values do not forbid repetition."""
    best = [move for move in solution.moves(p) if move.best]
    children = [solution.game.play(p, move.move) for move in best]
    pick = next((i for i, child in enumerate(children) if child not in seen), 0)
    return best[pick].text, children[pick]


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
