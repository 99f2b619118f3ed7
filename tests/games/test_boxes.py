"""Dots and boxes against a twin that keeps lines as pairs of dots."""

from __future__ import annotations

from functools import cache

import pytest

from perfectplay import solve
from perfectplay.games.boards.dots_and_boxes import DotsAndBoxes

Line = frozenset[tuple[int, int]]


def line(a: tuple[int, int], b: tuple[int, int]) -> Line:
    return frozenset((a, b))


def margin(game: DotsAndBoxes) -> int:
    """What the first player wins by."""
    h, w = game.rows, game.columns
    flat = {line((y, x), (y, x + 1)) for y in range(h + 1) for x in range(w)}
    steep = {line((y, x), (y + 1, x)) for y in range(h) for x in range(w + 1)}
    boxes = []
    for y in range(h):
        for x in range(w):
            a, b, c, d = (y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)
            boxes.append(frozenset((line(a, b), line(c, d), line(a, c), line(b, d))))
    lower = {each for each in flat if all(y == h for y, _ in each)}
    left = {each for each in steep if all(x == 0 for _, x in each)}
    upper = {each for each in flat if all(y == 0 for y, _ in each)}
    right = {each for each in steep if all(x == w for _, x in each)}
    there = {"none": set(), "corner": lower | left, "frame": lower | left | upper | right}

    @cache
    def worth(free: frozenset[Line]) -> int:
        found = []
        for each in free:
            left = free - {each}
            got = sum(each in box and not box & left for box in boxes)
            follows = worth(left) if got and game.again else -worth(left)
            found.append((-got if game.misere else got) + follows)
        return max(found, default=0)

    return worth(frozenset((flat | steep) - there[game.drawn]))


@pytest.mark.parametrize(
    "game",
    [
        DotsAndBoxes(1, 1),
        DotsAndBoxes(1, 3),
        DotsAndBoxes(2, 1),
        DotsAndBoxes(2, 2),
        DotsAndBoxes(2, 2, symmetry=False),
        DotsAndBoxes(2, 2, misere=True),
        DotsAndBoxes(1, 4, again=False),
        DotsAndBoxes(2, 3, "frame"),
        DotsAndBoxes(2, 3, "corner", misere=True),
        DotsAndBoxes(1, 1, "frame"),
    ],
    ids=repr,
)
def test_margins(game: DotsAndBoxes) -> None:
    solution = solve(game)
    assert solution.value(solution.start).exact == margin(game)
