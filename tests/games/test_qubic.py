"""Noughts and crosses in space against a twin that lists lines of cells."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import pytest

from perfectplay import solve
from perfectplay.games.lines.qubic import Qubic

Cell = tuple[int, int, int]


def lines(game: Qubic) -> set[frozenset[Cell]]:
    """All lines of exactly `line` cells."""
    size = (game.width, game.height, game.depth)
    cells = set(product(*map(range, size)))
    found = set()
    for x, y, z in cells:
        for dx, dy, dz in product((-1, 0, 1), repeat=3):
            row = frozenset((x + i * dx, y + i * dy, z + i * dz) for i in range(game.line))
            if len(row) == game.line and row <= cells:
                found.add(row)
    return found


def twin(game: Qubic) -> tuple[int, int, int]:
    """Outcome of the start, its depth, and how many positions there are."""
    rows = lines(game)
    cells = frozenset(product(range(game.width), range(game.height), range(game.depth)))

    @cache
    def value(mine: frozenset[Cell], theirs: frozenset[Cell]) -> tuple[int, int]:
        if any(row <= theirs for row in rows):
            return (1 if game.misere else -1), 0
        after = [value(theirs, mine | {cell}) for cell in cells - mine - theirs]
        if not after:
            return 0, 0
        best = min(outcome for outcome, _ in after)
        plies = [1 + depth for outcome, depth in after if outcome == best]
        return -best, min(plies) if best < 0 else max(plies)

    outcome, depth = value(frozenset(), frozenset())
    return outcome, depth, value.cache_info().currsize


@pytest.mark.parametrize(
    "game",
    [
        Qubic(2, 2, 2, 2),
        Qubic(2, 2, 2, 2, misere=True),
        Qubic(2, 2, 2, 3),
        Qubic(3, 1, 3, 3),
        Qubic(1, 3, 2, 2, misere=True),
        Qubic(2, 1, 4, 2, misere=True),
        Qubic(1, 1, 6, 3),
    ],
    ids=repr,
)
def test_small_boxes(game: Qubic) -> None:
    outcome, depth, positions = twin(game)
    plain = Qubic(game.width, game.height, game.depth, game.line, game.misere, symmetry=False)
    assert solve(plain).report["positions"] == positions
    for each in (plain, game):
        solution = solve(each)
        value = solution.value(solution.start)
        assert value.outcome == outcome
        assert outcome == 0 or value.depth == depth


@pytest.mark.parametrize(
    ("game", "number"),
    [(Qubic(3, 3, 3), 49), (Qubic(3, 3, 2), 16), (Qubic(4, 3, 2), 28), (Qubic(3, 1, 3), 8)],
    ids=repr,
)
def test_lines(game: Qubic, number: int) -> None:
    rows = lines(game)
    bit = {(x, y, z): (z * game.height + y) * game.width + x for x, y, z in set().union(*rows)}
    masks = {sum(1 << bit[cell] for cell in row) for row in rows}
    assert all(game.lined(mask) for mask in masks)
    if game.cells() <= 27 and game.line == 3:
        triples = {1 << a | 1 << b | 1 << c for a in range(27) for b in range(a) for c in range(b)}
        small = {mask for mask in triples if mask >> game.cells() == 0}
        assert {mask for mask in small if game.lined(mask)} == masks
        assert len(masks) == number


@pytest.mark.parametrize(
    ("size", "symmetries"),
    [((3, 3, 3), 48), ((3, 3, 2), 16), ((2, 3, 3), 16), ((3, 2, 3), 16), ((4, 3, 2), 8)],
)
def test_symmetries(size: Cell, symmetries: int) -> None:
    """A position without any symmetry of its own has as many images as the box has symmetries."""
    game = Qubic(*size)
    w, h, d = size
    marks = {(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 1)} | {(w - 1, 0, d - 1)}
    position = sum(1 << ((z * h + y) * w + x) for x, y, z in marks)
    images, new = {position}, {position}
    while new:
        reached = {game.mirrored(p, axis) for p in new for axis in range(3)}
        for a, b in ((0, 1), (1, 2), (0, 2)):
            if size[a] == size[b]:
                reached |= {game.exchanged(p, a, b) for p in new}
        new = reached - images
        images |= new
    assert len(images) <= symmetries
    assert len({game.representative(p) for p in images}) == 1
    assert prod(size) == game.cells()
