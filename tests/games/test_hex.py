"""Hex against a twin that walks along cells."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from perfectplay.games.lines.hex import CHANGE, Hex

NEAR = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def winner(rows: list[str]) -> str:
    """Who has connected two sides: X top and bottom, O left and right; a dot if nobody has."""
    high, wide = len(rows), len(rows[0])
    for mark, goal in (("X", high), ("O", wide)):
        queue = [(x, y) for y in range(high) for x in range(wide) if (y, x)[mark == "O"] == 0]
        queue = [(x, y) for x, y in queue if rows[y][x] == mark]
        seen = set(queue)
        while queue:
            x, y = queue.pop()
            if (y, x)[mark == "O"] == goal - 1:
                return mark
            for dx, dy in NEAR:
                at = x + dx, y + dy
                inside = 0 <= at[0] < wide and 0 <= at[1] < high
                if inside and at not in seen and rows[at[1]][at[0]] == mark:
                    seen.add(at)
                    queue.append(at)
    return "."


@pytest.mark.parametrize(
    ("game", "worth", "winning"),
    [
        (Hex(3, 3), 1, "c1 a2 b2 c2 a3"),
        (Hex(3, 3, symmetry=False), 1, "c1 a2 b2 c2 a3"),
        (Hex(3, 3, swap=True), -1, ""),
        (Hex(2, 3), -1, ""),
        (Hex(3, 2), 1, "a1 b1 c1 a2 b2 c2"),
        (Hex(1, 1), 1, "a1"),
    ],
    ids=str,
)
def test_small_boards(game: Hex, worth: int, winning: str) -> None:
    """Values, with what `bounds` and `enough` say at every position."""

    @cache
    def value(p: Any) -> int:
        board, whose, *_ = game.text(p).split()
        moves, won = list(game.moves(p)), winner(board.split("/"))
        assert (won == ".") == bool(moves)
        assert won in (".", "O" if whose == "X" else "X")
        found = max((-value(game.representative(game.play(p, m))) for m in moves), default=-1)
        assert game.bounds(p)[0] <= found <= game.bounds(p)[1]
        enough = [-value(game.representative(game.play(p, m))) for m in game.enough(p)]
        assert max(enough, default=-1) == found
        assert game.parse(game.text(p)) == p
        assert game.passed(game.passed(p)) == p
        return found

    start = game.start()
    assert value(start) == worth
    wins = [m for m in game.moves(start) if value(game.representative(game.play(start, m))) < 0]
    assert " ".join(game.move_text(start, m) for m in wins) == winning
    if game.swap:
        after = game.play(start, next(iter(game.moves(start))))
        assert CHANGE in list(game.moves(after))
        assert CHANGE not in list(game.moves(game.play(after, CHANGE)))
