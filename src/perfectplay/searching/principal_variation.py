"""The principal variation: best play from a position on, as far as a search has proved it."""

import math
from typing import Any

from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.searching.search_facts import NodeBounds
from perfectplay.searching.windows import Searcher

LONGEST = 60
"""How many moves a line shows."""


def best_play(game: Game, root: Any, searcher: Searcher) -> tuple[Any, tuple[str, ...]]:
    """A best move at the root and the line that begins with it; None and nothing if there is no
    move, or nothing is known of any. Later moves are shown only where they are proved best."""
    p, first = root, None
    steps: list[str] = []
    seen = {root}
    while len(steps) < LONGEST:
        known = searcher.node_bounds(None if p is root else p)
        if known.kind == OVER:
            break
        if known.kind == CHANCE:
            if not steps and p is root and not known.edges:
                break
            weight, p = _likeliest(game, p)
            steps.append(f"chance {weight}")
        else:
            number = _best(known, sure=p is not root)
            if number is None:
                break
            move = _matching(game, p, number)
            first = move if p is root else first
            steps.append(game.move_text(p, move))
            p = game.play(p, move)
        if p in seen:
            break
        seen.add(p)
    return first, tuple(steps)


def _best(known: NodeBounds, *, sure: bool) -> int | None:
    """The number of the move that is worth most for certain; None if nothing is certain."""
    side = 1 if known.kind == 0 else -1
    if not known.edges:
        return None
    views = [(e.low, e.high) if side > 0 else (-e.high, -e.low) for e in known.edges]
    number = max(range(len(views)), key=lambda i: (*views[i], -i))
    least = views[number][0]
    if sure and (known.low != known.high or least != side * known.low):
        return None
    unknown = math.isinf(least) and least < 0 and math.isinf(views[number][1])
    return None if unknown else known.edges[number].number


def _matching(game: Game, p: Any, number: int) -> Any:
    """The move at `p` that stands for move `number` at its representative."""
    r = game.representative(p)
    moves = list(game.moves(r))
    if r == p:
        return moves[number]
    child = game.representative(game.play(r, moves[number]))
    return next(m for m in game.moves(p) if game.representative(game.play(p, m)) == child)


def _likeliest(game: Game, p: Any) -> tuple[str, Any]:
    """The most probable event at `p`, and how probable it is."""
    weights: dict[Any, int] = {}
    for weight, q in game.chances(p):
        weights[q] = weights.get(q, 0) + int(weight)
    child = max(weights, key=lambda q: weights[q])
    return f"{weights[child]}/{sum(weights.values())}", child
