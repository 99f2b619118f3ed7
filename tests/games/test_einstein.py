"""EinStein würfelt nicht!: a twin written from the rule book, and the tables of the paper."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache

import pytest

from perfectplay import UsageError, load, solve, verify
from perfectplay.games.races.einstein import Einstein
from perfectplay.rules.game import first_positions
from perfectplay.solvers.exact import whole_numbers

F = Fraction


def twin(rows: int, columns: int, weights: tuple[int, ...]):  # type: ignore[no-untyped-def]
    """Chance that who is to roll wins. Boards are tuples of (stone, row, column) of both players,
    in the coordinates of player 1, who goes down and to the right."""

    @cache
    def wins(mine: frozenset, other: frozenset, step: int) -> Fraction:  # type: ignore[type-arg]
        total = F(0)
        for face, weight in enumerate(weights, 1):
            numbers = sorted(stone for stone, _, _ in mine)
            if face in numbers:
                may = [face]
            else:
                low = [n for n in numbers if n < face][-1:]
                may = low + [n for n in numbers if n > face][:1]
            total += weight * max(moved(mine, other, step, stone) for stone in may)
        return total / sum(weights)

    def moved(mine: frozenset, other: frozenset, step: int, stone: int) -> Fraction:  # type: ignore[type-arg]
        here = next(each for each in mine if each[0] == stone)
        best = F(0)
        for down, right in ((0, step), (step, 0), (step, step)):
            row, column = here[1] + down, here[2] + right
            if not (0 <= row < rows and 0 <= column < columns):
                continue
            goal = (rows - 1, columns - 1) if step == 1 else (0, 0)
            left = frozenset(s for s in other if s[1:] != (row, column))
            if (row, column) == goal or not left:
                return F(1)
            own = frozenset(s for s in mine if s != here and s[1:] != (row, column))
            best = max(best, 1 - wins(left, own | {(stone, row, column)}, -step))
        return best

    return wins


@pytest.mark.parametrize(
    "game",
    [
        Einstein(stones=2),
        pytest.param(Einstein(), marks=pytest.mark.slow),
        Einstein(rows=2, columns=4, stones=2),
        Einstein(rows=4, columns=2, stones=1, die=(1, 2)),
        pytest.param(Einstein(rows=3, columns=4, stones=2, die=(3, 1)), marks=pytest.mark.slow),
        pytest.param(
            Einstein(rows=4, stones=2, die=(1, 0, 2, 1), cells=(1, 4), opposite=(0, 5)),
            marks=pytest.mark.slow,
        ),
        Einstein(rows=3, stones=2, die=(1, 2), cells=(1, 4), opposite=(0, 5)),
        Einstein(stones=2, die=(2, 2)),
        Einstein(stones=2, die=(0, 3)),  # a stone that is called in place of another alone
    ],
    ids=repr,
)
def test_like_the_twin(game: Einstein) -> None:
    weights = (1,) * game.stones if game.die == (0,) else game.die
    wins = twin(game.rows, game.wide, weights)
    found = solve(game, exact=True, plain=game != Einstein(stones=2))
    assert set(found.report["methods"]) == {"whole numbers"}
    for p in first_positions(game):
        sides = []
        for player in (0, 1):
            cells = game.counted(game.stones_of(p, player))
            turned = [game.end - c if player else c for c in cells]
            sides.append(frozenset((k + 1, *divmod(c, game.wide)) for k, c in enumerate(turned)))
        assert found.values(p)[0].exact == wins(sides[0], sides[1], 1), game.text(p)


def test_symmetry_and_turns_change_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Einstein(stones=2)
    values = {p: solve(game, exact=True).values(p) for p in first_positions(game)}
    monkeypatch.setattr(Einstein, "by_turns", False)
    steps = solve(game, exact=True)
    assert steps.report["positions"] > 2 * solve(game, exact=True, plain=True).report["strata"]
    assert values == {p: steps.values(p) for p in values}
    assert verify(steps.table, game).ok


def test_figure_7_cell_by_cell() -> None:
    a, b, c, d = F(170, 243), F(56, 81), F(50, 81), F(143, 243)
    one, two, three = (a, b, a, b, a, a), (b, a, a, a, a, b), (c, c, d, c, d, c)
    found = solve(Einstein(), exact=True).placements()
    assert found.rows == found.columns == ("123", "132", "213", "312", "231", "321")
    assert found.cells == (one, two, three, two, three, one)


def test_figures_8_and_9_the_best_placements_on_3_x_3() -> None:
    found = solve(Einstein(), exact=True).placements()
    play = found.equilibrium(all=True)
    assert play.value == F(169, 243)
    best = {
        frozenset((name, share) for name, share in zip(found.rows, each, strict=True) if share)
        for each in play.all_rows or ()
    }
    half = F(1, 2)
    assert best == {
        frozenset({(one, half), (two, half)})
        for one, two in itertools.product(("132", "312"), ("123", "321"))
    }
    assert play.all_rows == play.all_columns
    assert "<svg" in found.picture()
    assert found.boards(play.rows, 1).count("1/2") == 2


@pytest.mark.slow
def test_random_placement_is_the_average() -> None:
    found = solve(load("einstein", {"placement": "random"}), exact=True)
    assert found.value(found.start).exact == F(1459, 2187)


@pytest.mark.parametrize(
    ("stones", "reduced"),
    [(3, 5), (4, 72), (5, 1808), pytest.param(6, 64_800, marks=pytest.mark.slow)],
)
def test_table_1_first_positions(stones: int, reduced: int) -> None:
    game = Einstein(rows=5, stones=stones)
    starts = list(first_positions(game))
    assert len(starts) == math.factorial(stones) ** 2
    assert len({game.representative(p) for p in starts}) == reduced


@pytest.mark.parametrize(
    ("rows", "stones", "length", "bits"),
    [
        (4, 5, 39, 90.56),
        (4, 6, 45, 116.32),
        (5, 4, 49, 98),
        (5, 5, 59, 136.99),
        (5, 6, 69, 178.36),
        (8, 3, 75, 118.87),
        (9, 3, 87, 137.89),
    ],
)
def test_table_2_the_longest_play(rows: int, stones: int, length: int, bits: float) -> None:
    game = Einstein(rows=rows, stones=stones)
    assert game.longest == length
    assert round(length * math.log2(stones), 2) == bits
    assert bits < 64 * whole_numbers.WORDS


@pytest.mark.parametrize(
    ("rows", "stones", "positions"),
    [(3, 1, None), (3, 2, None), (3, 3, 9_507), (4, 3, 639_376), (6, 3, 136_951_236)],
)
def test_most_positions_is_a_bound(rows: int, stones: int, positions: int | None) -> None:
    game = Einstein(rows=rows, stones=stones)
    found = positions or solve(game, exact=True).report["positions"]
    assert found <= game.most_positions <= 12 * found


def test_no_play_is_longer() -> None:
    game = Einstein(stones=2)

    @cache
    def moves_left(p: int) -> int:
        if game.to_move(p) == -2:
            return 0
        if game.stage(p) == 0:
            return max(moves_left(q) for _, q in game.chances(p))
        return max(
            moves_left(game.play(p, m)) + (game.stage(game.play(p, m)) == 0) for m in game.moves(p)
        )

    assert max(moves_left(p) for p in first_positions(game)) == game.longest


@pytest.mark.slow
def test_figure_10_the_best_placements_on_4_x_4() -> None:
    found = solve(Einstein(rows=4, stones=4), exact=True).placements()
    play = found.equilibrium(all=True)
    assert play.value == F(148461956373, 274877906944)

    def used(mixtures: object) -> set[str]:
        return {
            name
            for each in mixtures  # type: ignore[attr-defined]
            for name, share in zip(found.rows, each, strict=True)
            if share
        }

    def renumbered(name: str) -> str:
        return "".join(str(5 - int(sign)) for sign in name)

    first, second = {"1342", "1432"}, {"1243", "1423"}
    assert used(play.all_rows) == first | set(map(renumbered, first))
    assert used(play.all_columns) == second | set(map(renumbered, second))


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": 0},
        {"stones": 0},
        {"stones": 10},
        {"rows": 9, "stones": 6},
        {"rows": 1, "columns": 1, "stones": 1},
        {"rows": 2, "stones": 3},
        {"die": (1, -1, 1)},
        {"cells": (0, 1)},
        {"cells": (0, 0, 1)},
        {"cells": (0, 1, 8)},
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Einstein(**wrong)  # type: ignore[arg-type]


def test_positions_that_cannot_be_are_refused() -> None:
    found = solve(Einstein(stones=2), exact=True)
    for text in ("12/34", "1../.../..1, player 1 rolls", "12./a../.b., player 3 rolls", "x"):
        with pytest.raises(UsageError):
            found.position(text)
