"""A line of play, made by interpreted rules from the positions that a search went through: so
every line that is found is also played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perfectplay.errors import RulesError
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.search_capabilities import forces

LONGEST_FORCED = 10_000
"""Forced moves in a row."""


@dataclass(frozen=True)
class PlayedLine:
    """Moves from a position on, what they lead to, and what they cost."""

    moves: tuple[Any, ...]
    texts: tuple[str, ...]
    end: Any
    cost: int


def play_forced(game: Game, p: Any) -> PlayedLine:
    """All forced moves at `p`, one after the other."""
    rules, moves, texts, cost = forces(game), [], [], 0
    while rules is not None:
        m = next(iter(rules.forced(p)), None)
        if m is None:
            break
        moves.append(m)
        texts.append(game.move_text(p, m))
        cost += int(game.reward(p, m))
        p = game.play(p, m)
        if len(moves) > LONGEST_FORCED:
            raise RulesError(
                f"{type(game).__name__}: forced moves go on for ever",
                "forced(p) must come to a position where it yields nothing",
            )
    return PlayedLine(tuple(moves), tuple(texts), p, cost)


def children(game: Game, p: Any) -> list[PlayedLine]:
    """The moves at `p`, each with the forced moves after it."""
    if game.to_move(p) == OVER:
        return []
    found = []
    for m in game.moves(p):
        after = play_forced(game, game.play(p, m))
        texts = (game.move_text(p, m), *after.texts)
        cost = int(game.reward(p, m)) + after.cost
        found.append(PlayedLine((m, *after.moves), texts, after.end, cost))
    return found


def line_through(game: Game, root: Any, path: Sequence[Any]) -> PlayedLine:
    """The line from `root` through positions of which `path` has the representatives, to an end of
    play; RulesError if interpreted rules do not allow it."""
    line = play_forced(game, root)
    for target in path[1:]:
        fitting = [
            child for child in children(game, line.end)
            if game.representative(child.end) == target
        ]  # fmt: skip
        if not fitting:
            raise RulesError(
                f"{type(game).__name__}: compiled rules come from {game.text(line.end)} to "
                f"{game.text(target)}, interpreted ones do not",
                "perfectplay check compares the two",
            )
        best = min(fitting, key=lambda child: child.cost)
        line = PlayedLine(
            line.moves + best.moves, line.texts + best.texts, best.end, line.cost + best.cost
        )
    if children(game, line.end):
        raise RulesError(f"{type(game).__name__}: play has not ended at {game.text(line.end)}")
    return PlayedLine(line.moves, line.texts, line.end, line.cost + number(game.payoff(line.end)))


def number(payoff: Any) -> int:
    """A payoff as one number."""
    return int(payoff[0] if isinstance(payoff, tuple) else payoff)
