"""Othello against a twin on a dictionary of cells, and endings of 6 x 6 against plain minimax."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from perfectplay import load, search
from perfectplay.games.boards.othello import PASS, Othello

AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
Board = dict[tuple[int, int], str]


def read(game: Othello, p: Any) -> Board:
    """The board, by cell: * is who moves."""
    rows = game.text(p).split("/")
    return {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}


def enclosed(board: Board, at: tuple[int, int]) -> set[tuple[int, int]]:
    """The discs that are turned if * places one."""
    found = set()
    for dx, dy in AROUND:
        x, y = at[0] + dx, at[1] + dy
        row = set()
        while board.get((x, y)) == "o":
            row.add((x, y))
            x, y = x + dx, y + dy
        if board.get((x, y)) == "*":
            found |= row
    return found


@pytest.mark.parametrize("size", [(4, 4), (6, 6), (6, 4)])
def test_moves_turn_what_they_enclose(size: tuple[int, int]) -> None:
    game, rng = Othello(*size, symmetry=False), random.Random(sum(size))
    passes = 0
    for _ in range(12):
        p = game.start()
        while moves := list(game.moves(p)):
            board = read(game, p)
            wanted = [at for at, mark in board.items() if mark == "." and enclosed(board, at)]
            assert game.parse(game.text(p)) == p
            assert sorted(game.move_text(p, m) for m in moves) == sorted(
                [f"{chr(97 + x)}{y + 1}" for x, y in wanted] or ["pass"]
            )
            m = rng.choice(moves)
            after = {at: {"*": "o", "o": "*"}.get(mark, mark) for at, mark in board.items()}
            if m != PASS:
                at = m % (size[0] + 1), m // (size[0] + 1)
                for cell in (at, *enclosed(board, at)):
                    after[cell] = "o"
            passes += m == PASS
            p = game.play(p, m)
            assert read(game, p) == after
        marks = list(read(game, p).values())
        assert game.payoff(p) == marks.count("*") - marks.count("o")
    assert passes or size == (6, 6)


@pytest.mark.slow
def test_endings_are_worth_what_minimax_finds() -> None:
    game, rng = load("othello", {"width": 6, "height": 6}), random.Random(4)

    @cache
    def value(p: Any) -> int:
        worth = [-value(game.play(p, m)) for m in game.moves(p)]
        return max(worth, default=game.payoff(p))

    for _ in range(6):
        p = game.start()
        while (moves := list(game.moves(p))) and game.stratum(p) > 7:
            p = game.play(p, rng.choice(moves))
        assert search(game, p, method="alpha-beta").exact == value(p)
