"""Walked: the search of games with structures (structures_search.py), answered like any other."""

import time
from typing import Any

from perfectplay.games.chess.structures_search import Found, search_structures
from perfectplay.progress import Progress
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import rules_path
from perfectplay.searching.result import Counts, SearchResult

SECONDS = 60.0
"""How long is searched unless it is said."""
LONGEST = 200
"""How many moves a line shows."""


def walked(
    game: Game, root: Any, seconds: float | None, size: int, progress: Progress
) -> SearchResult:
    """Who wins a position of a game with structures, which may take so many bytes."""
    began = time.perf_counter()
    found = search_structures(game, root, progress, seconds=seconds or SECONDS, size=size)
    player = game.to_move(root)
    low, high = (found.lower, found.upper) if player == 0 else (-found.upper, -found.lower)
    line = _line(game, root, found)
    return SearchResult(
        game=rules_path(game),
        parameters=parameters(game),
        position=game.text(root),
        name=game.player_name(player),
        kind="outcome",
        lower=low,
        upper=high,
        move=line[0][0] if line else None,
        move_text=line[0][1] if line else None,
        line=tuple(text for _, text in line),
        stopped=found.stopped if low < high else "",
        counts=Counts(structures=found.structures),
        seconds=time.perf_counter() - began,
        note=found.note if low == high else "",
    )


def _line(game: Game, p: Any, found: Found) -> list[tuple[Any, str]]:
    """Play from a won position on: the winner's proved moves, the longest defence."""
    line: list[tuple[Any, str]] = []
    value = _value(game, p, found)
    while value is not None and len(line) < LONGEST:
        options = [(m, _value(game, game.play(p, m), found)) for m in game.moves(p)]
        known = [(m, v) for m, v in options if v is not None and v[0] == -value[0]]
        if not known:
            return line
        pick = min if value[0] > 0 else max
        move, value = pick(known, key=lambda option: option[1][1])
        line.append((move, game.move_text(p, move)))
        p = game.play(p, move)
    return line


def _value(game: Game, p: Any, found: Found) -> tuple[int, int] | None:
    """Outcome to the player to move and plies, also between two structures."""
    known = found.value(p)
    if known is not None or found.placed(p):
        return known
    best: tuple[int, int] | None = None
    for m in game.moves(p):
        below = _value(game, game.play(p, m), found)
        if below is not None:
            mine = -below[0], below[1] + 1
            if best is None or (mine[0], -mine[0] * mine[1]) > (best[0], -best[0] * best[1]):
                best = mine
    if next(iter(game.moves(p)), None) is None:
        paid = int(game.payoff(p))
        return (paid if game.to_move(p) == 0 else -paid), 0
    return best
