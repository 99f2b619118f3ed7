"""Cells side by side in a word: what is done to all at once, compared with one after the other."""

from __future__ import annotations

import random

import pytest

from perfectplay.games.races.einstein import Einstein

BOARDS = [
    Einstein(rows=2, stones=1),
    Einstein(rows=2, columns=8, stones=3, cells=(0, 1, 2)),
    Einstein(rows=3, stones=3),
    Einstein(rows=4, stones=6),
    Einstein(rows=5, stones=3),
    Einstein(rows=5, stones=4),
    Einstein(rows=5, stones=6),
    Einstein(rows=7, stones=3),
    Einstein(rows=3, columns=6, stones=4, cells=(0, 1, 2, 3)),
]


def cells_of(game: Einstein, seed: int) -> list[int]:
    """Different cells for all stones of both, some of them captured."""
    rng = random.Random(seed)
    cells = rng.sample(range(game.end), min(2 * game.stones, game.end))
    return [rng.choice([cell, cell, game.end]) for cell in cells]


@pytest.mark.parametrize("game", BOARDS, ids=str)
@pytest.mark.parametrize("seed", range(30))
def test_words_do_at_once_what_cells_do_by_themselves(game: Einstein, seed: int) -> None:
    cells = cells_of(game, seed)
    mine, other = (tuple(cells[i::2]) + (game.end,) * game.stones for i in (0, 1))
    mine, other = mine[: game.stones], other[: game.stones]
    word = game.word(mine)
    assert game.counted(word) == list(mine)
    both = word << game.player_bits | game.word(other)
    steps = sum(cell // game.wide + cell % game.wide for cell in mine + other)
    assert game.steps_made(both) == steps
    assert game.captured(both) == (mine + other).count(game.end)
    for cell in range(game.end):
        there = game.word((cell,)) & game.mask
        left = tuple(game.end if c == cell else c for c in mine)
        assert game.without(word, there) == game.word(left)
    assert game.backwards(word) == game.word(mine[::-1])
    if game.square:
        across = [c % game.wide * game.wide + c // game.wide for c in mine]
        assert game.counted(game.across(word)) == across
