"""Tetris against recursion over rows of text, with fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from perfectplay import solve
from perfectplay.answer.evaluate import evaluate
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.tetris import (
    LETTERS,
    PIECE,
    WEIGHTS,
    WELL,
    Tetris,
    kostreva_hartman,
)
from perfectplay.rules.packing import at, get, put

SHAPES = {
    "I": [(0, 0), (1, 0), (2, 0), (3, 0)],
    "O": [(0, 0), (1, 0), (0, 1), (1, 1)],
    "T": [(0, 0), (1, 0), (2, 0), (1, 1)],
    "L": [(0, 0), (0, 1), (0, 2), (1, 0)],
    "J": [(1, 0), (1, 1), (1, 2), (0, 0)],
    "S": [(0, 0), (1, 0), (1, 1), (2, 1)],
    "Z": [(0, 1), (1, 1), (1, 0), (2, 0)],
    "B": [(0, 0), (1, 0), (2, 0)],
    "C": [(0, 0), (1, 0), (0, 1)],
    "D": [(0, 0), (1, 0)],
    "M": [(0, 0)],
}
"""Cells (x, y), y upwards."""

Cells = frozenset[tuple[int, int]]


def rotations(letter: str) -> set[Cells]:
    cells, found = SHAPES[letter], set()
    for _ in range(4):
        cells = [(-y, x) for x, y in cells]
        left, low = min(x for x, _ in cells), min(y for _, y in cells)
        found.add(frozenset((x - left, y - low) for x, y in cells))
    return found


def drops(well: Cells, letter: str, width: int, height: int) -> set[Cells]:
    """All cells where a piece may come to rest, falling from far above."""
    found = set()
    for shape in rotations(letter):
        for column in range(width):
            here = {(x + column, y + 20) for x, y in shape}
            if max(x for x, _ in here) >= width:
                continue
            while min(y for _, y in here) > 0 and not {(x, y - 1) for x, y in here} & well:
                here = {(x, y - 1) for x, y in here}
            if max(y for _, y in here) < height:
                found.add(frozenset(here))
    return found


def cleared(well: Cells, width: int) -> tuple[Cells, int]:
    full = [y for y in range(50) if all((x, y) in well for x in range(width))]
    left = {(x, y) for x, y in well if y not in full}
    return frozenset((x, y - sum(f < y for f in full)) for x, y in left), len(full)


def best(game: Tetris) -> Fraction:
    width, height = game.width, game.height

    @cache
    def deal(well: Cells, pieces: str, left: int) -> Fraction:
        shown = 2 if game.preview and left > 1 else 1
        if left == 0:
            return Fraction(0)
        if len(pieces) == shown:
            return place(well, pieces, left)
        total = sum(deal(well, pieces + letter, left) for letter in game.pieces)
        return total / len(game.pieces)

    def place(well: Cells, pieces: str, left: int) -> Fraction:
        found = [Fraction(0)]
        fits = {
            cells: sum(
                weight * each
                for weight, each in zip(game.weights, objectives(game, well, cells), strict=True)
            )
            for cells in drops(well, pieces[0], width, height)
        }
        for cells in (cells for cells in fits if fits[cells] == max(fits.values())):
            then, rows = cleared(well | cells, width)
            earned = game.points[rows - 1] if rows else 0
            found.append(earned + deal(then, pieces[1:], left - 1))
        return max(found)

    return deal(frozenset(), "", game.drops)


@pytest.mark.parametrize(
    "game",
    [
        Tetris(2, 2, "D", 7),
        Tetris(2, 3, "DMC", 6),
        Tetris(4, 3, drops=3),
        Tetris(3, 4, "IOT", 4, points=(1, 3, 7, 20)),
        Tetris(3, 3, "LSM", 4, preview=True),
        Tetris(4, 4, "OOI", 5, symmetry=False),
        Tetris(1, 4, "IDM", 5),
        Tetris(2, 2, "IT", 3),
        Tetris(4, 3, drops=3, weights=(-4, 1, -2, 5)),
        Tetris(3, 3, "COM", drops=4, weights=(0, 3, 0, -1)),
    ],
    ids=repr,
)
def test_values(game: Tetris) -> None:
    solution = solve(game, exact=True, plain=game.pieces != "IOTLJSZ")
    assert solution.value(solution.start).exact == best(game)


def test_dominoes_in_a_small_well() -> None:
    assert best(Tetris(2, 2, "D", 7)) == 7


def test_placements_in_a_wide_well() -> None:
    game = Tetris(10, 4)
    number = {}
    for letter in game.pieces:
        p = game.start() | at(PIECE, LETTERS.index(letter))
        number[letter] = len(list(game.moves(p)))
    assert number == {"O": 9, "I": 17, "S": 17, "Z": 17, "T": 34, "L": 34, "J": 34}


def objectives(game: Tetris, well: Cells, cells: Cells) -> tuple[int, int, int, int]:
    """The four, from their definitions."""
    lowest = {x: min(b for a, b in cells if a == x) for x, _ in cells}
    under = [(x, y) for x in lowest for y in range(lowest[x]) if (x, y) not in well]
    outside = {(x, -1) for x in range(game.width)}
    outside |= {(x, y) for x in (-1, game.width) for y in range(game.height)}
    touched = sum(
        (x + dx, y + dy) in well | outside
        for x, y in cells
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
    )
    then, rows = cleared(well | cells, game.width)
    return len(under), touched, max((y + 1 for _, y in then), default=0), rows


def test_objectives_of_kostreva_and_hartman() -> None:
    game = Tetris(4, 5, drops=3)
    tried = 0
    for p in (game.parse("..../..../#..#/##.#/#.##, piece T, 3 to come"), game.start()):
        for piece in range(1, 8):
            q = put(p, PIECE, piece)
            well = shown(game, get(q, WELL))
            for m in game.moves(q):
                cells = shown(game, game.placed(q, m))
                assert game.objectives(q, m) == objectives(game, well, cells)
                tried += 1
    assert tried > 50


def shown(game: Tetris, well: int) -> Cells:
    return frozenset((i % game.width, i // game.width) for i in range(WELL.bits) if well >> i & 1)


def test_a_policy_is_worth_no_more_than_best_play() -> None:
    free, bound = Tetris(4, 4, drops=4), Tetris(4, 4, drops=4, weights=WEIGHTS)
    best_play, best_of_equals = (solve(game) for game in (free, bound))
    first_of_equals = evaluate(free, kostreva_hartman).seats[0]
    values = [float(solution.value(solution.start)) for solution in (best_of_equals, best_play)]
    assert float(first_of_equals.value) <= values[0] <= values[1]
    p = free.parse("..../..../..../###., piece I, 4 to come")
    chosen = kostreva_hartman(free, p)
    assert free.move_text(p, chosen) == "#/#/#/# at 4"
    assert chosen in list(bound.moves(p))


def test_nonsense_is_refused() -> None:
    for wrong in (
        {"width": 0},
        {"width": 11, "height": 4},
        {"pieces": "X"},
        {"pieces": ""},
        {"drops": 0},
        {"points": (1,)},
        {"weights": ()},
    ):
        with pytest.raises(UsageError) as caught:
            Tetris(**wrong)  # type: ignore[arg-type]
        assert caught.value.hint
