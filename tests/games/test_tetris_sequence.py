"""Tetris with a known sequence, against recursion over sets of cells."""

from __future__ import annotations

import random
from functools import cache

import pytest

from perfectplay import solve
from perfectplay.games.puzzles.tetris import LETTERS, WAYS
from perfectplay.games.puzzles.tetris_sequence import TetrisSequence

Cells = frozenset[tuple[int, int]]
"""(row from below, column)."""


class Interpreted(TetrisSequence):
    """The same rules, which are not compiled."""

    native = False


def dropped(game: TetrisSequence, well: Cells, piece: Cells) -> Cells | None:
    """Where a piece comes to rest, cell by cell from the top; None if it does not fit."""
    y, found = game.height, None
    while y >= 0:
        there = frozenset((y + down, x) for down, x in piece)
        if there & well or min(there)[0] < 0:
            return found
        if max(there)[0] < game.height:
            found = there
        y -= 1
    return found


def most(game: TetrisSequence) -> int:
    """The most that can be earned."""

    @cache
    def best(well: Cells, at: int) -> int:
        if at == len(game.pieces):
            return 0
        worth = []
        for way in WAYS[LETTERS.index(game.pieces[at])]:
            shape = [(len(way) - 1 - y, x) for y, row in enumerate(way) for x, c in enumerate(row)
                     if c == "#"]  # fmt: skip
            for left in range(game.width - len(way[0]) + 1):
                there = dropped(game, well, frozenset((y, x + left) for y, x in shape))
                if there is None:
                    continue
                filled = well | there
                full = [y for y in range(game.height)
                        if all((y, x) in filled for x in range(game.width))]  # fmt: skip
                kept = frozenset(
                    (y - sum(row < y for row in full), x) for y, x in filled if y not in full
                )
                earned = game.points[len(full) - 1] if full else 0
                worth.append(earned + best(kept, at + 1))
        return max(worth, default=0)

    return best(frozenset(), 0)


@pytest.mark.parametrize("seed", range(12))
def test_most_rows_are_those_of_recursion(seed: int) -> None:
    draw = random.Random(seed)
    game = Interpreted(
        draw.randint(2, 5), draw.randint(2, 5), "".join(draw.choices(LETTERS[1:], k=4)),
        draw.choice(((1, 2, 3, 4), (0, 5, 1, 9))),
    )  # fmt: skip
    found = solve(game)
    assert found.value(found.start).lower == most(game)


def test_wells_of_several_words() -> None:
    game = TetrisSequence(10, 24, "OISL")
    p = game.start()
    for _ in range(4):
        p = game.play(p, max(game.moves(p)))
        assert game.parse(game.text(p)) == p
    tall = game.parse("/".join(["#########."] * 23) + ", 2 to come")
    assert game.parse(game.text(tall)) == tall
    assert [game.move_text(tall, m) for m in game.moves(tall)] == []
    bar = TetrisSequence(10, 24, "I").parse("/".join(["#########."] * 20) + ", 1 to come")
    (m,) = (m for m in TetrisSequence(10, 24, "I").moves(bar) if m >> 2 == 9)
    assert TetrisSequence(10, 24, "I").reward(bar, m) == 4


@pytest.mark.parametrize(
    "text", ["", "##, 1 to come", "##########, 1 to come", "empty, 9 to come"]
)
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a position looks like"):
        TetrisSequence(10, 20, "O").parse(text)
