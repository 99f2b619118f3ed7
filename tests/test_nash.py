"""Matrix games: known equilibria, a naive twin that tries all supports, errors."""

from __future__ import annotations

import io
import itertools
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from perfectplay import Equilibrium, UsageError, nash
from perfectplay.errors import TooLargeError
from perfectplay.solvers.matrix import matrix_game
from perfectplay.solvers.matrix.nash import read_matrix

F = Fraction
Cells = list[list[Fraction]]


# -- The slow twin: from the definition, in Fractions. --------------------------------------------


def solved(equations: Cells, right: list[Fraction]) -> list[Fraction] | None:
    """The one solution of linear equations by elimination, or None."""
    size = len(right)
    rows = [[*row, b] for row, b in zip(equations, right, strict=True)]
    for c in range(size):
        pivot = next((r for r in range(c, size) if rows[r][c]), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for r in range(size):
            if r != c:
                rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c], strict=True)]
    return [row[-1] for row in rows]


def vertices(cells: Cells, value: Fraction) -> set[tuple[Fraction, ...]]:
    """All extreme optimal mixtures of rows: every choice of tight conditions that leaves one."""
    m, n = len(cells), len(cells[0])
    found = set()
    for k in range(1, m + 1):
        for used in itertools.combinations(range(m), k):
            for tight in itertools.combinations(range(n), k - 1):
                equations = [[F(1)] * k] + [[cells[i][j] - value for i in used] for j in tight]
                x = solved(equations, [F(1)] + [F(0)] * (k - 1))
                if x is None or min(x) < 0:
                    continue
                paid = [
                    sum(a * cells[i][j] for a, i in zip(x, used, strict=True)) for j in range(n)
                ]
                if min(paid) >= value:
                    whole = [F(0)] * m
                    for a, i in zip(x, used, strict=True):
                        whole[i] = a
                    found.add(tuple(whole))
    return found


def naive(cells: Cells) -> Fraction:
    """The value: the most that a square support guarantees (Shapley and Snow 1950)."""
    m, n = len(cells), len(cells[0])
    best = max(min(row) for row in cells)
    for k in range(2, min(m, n) + 1):
        for used in itertools.combinations(range(m), k):
            for tight in itertools.combinations(range(n), k):
                equations = [[*([F(1)] * k), F(0)]]
                equations += [[*(cells[i][j] for i in used), F(-1)] for j in tight]
                x = solved(equations, [F(1)] + [F(0)] * k)
                if x is None or min(x[:k]) < 0:
                    continue
                paid = [
                    sum(a * cells[i][j] for a, i in zip(x[:k], used, strict=True))
                    for j in range(n)
                ]
                best = max(best, min(paid))
    return best


def turned(cells: Cells) -> Cells:
    return [[-cell for cell in column] for column in zip(*cells, strict=True)]


def optimal(cells: Cells, found: Equilibrium) -> bool:
    """The definition, without the package."""
    for mixture in (found.rows, found.columns):
        assert sum(mixture) == 1
        assert min(mixture) >= 0
    low = min(
        sum(x * row[j] for x, row in zip(found.rows, cells, strict=True))
        for j in range(len(cells[0]))
    )
    high = max(sum(y * c for y, c in zip(found.columns, row, strict=True)) for row in cells)
    return low == high == found.value


def random_game(pick: random.Random, most: int = 4) -> Cells:
    m, n, size = pick.randint(1, most), pick.randint(1, most), pick.choice([1, 2, 9])
    return [
        [F(pick.randint(-size, size), pick.randint(1, size)) for _ in range(n)] for _ in range(m)
    ]


# -- Tests. ---------------------------------------------------------------------------------------


def test_known_games() -> None:
    pennies = nash([[1, -1], [-1, 1]], all=True)
    assert (pennies.value, pennies.all_rows) == (0, ((F(1, 2), F(1, 2)),))
    scissors = nash([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], all=True)
    third = (F(1, 3),) * 3
    assert (scissors.rows, scissors.columns, scissors.value) == (third, third, 0)
    assert scissors.all_columns == (third,)
    assert (scissors.max_min, scissors.min_max) == (-1, 1)
    saddle = nash([[4, 2, 5], [3, 1, 0]])
    assert (saddle.value, saddle.rows, saddle.columns) == (2, (1, 0), (0, 1, 0))
    lizard = [[0, -1, 1, 1, -1], [1, 0, -1, -1, 1], [-1, 1, 0, 1, -1]]
    lizard += [[-1, 1, -1, 0, 1], [1, -1, 1, -1, 0]]
    assert nash(lizard).rows == (F(1, 5),) * 5


def test_the_placements_of_three_stones() -> None:
    """Bonnet and Viennot 2017, figures 7 to 9."""
    a, b, c, d = F(170, 243), F(56, 81), F(50, 81), F(143, 243)
    one, two, three = [a, b, a, b, a, a], [b, a, a, a, a, b], [c, c, d, c, d, c]
    found = nash([one, two, three, two, three, one], all=True)
    assert found.value == F(169, 243)
    assert found.average == F(1459, 2187)
    assert (found.max_min, found.min_max, found.least, found.most) == (b, a, d, a)
    assert found.all_rows is not None
    assert len(found.all_rows) == 4
    assert all(each[2] == each[4] == 0 for each in found.all_rows)
    assert found.all_rows == found.all_columns


@pytest.mark.parametrize("seed", range(60))
def test_random_games_like_the_twin(seed: int) -> None:
    cells = random_game(random.Random(seed))
    found = nash(cells, all=True)
    assert found.value == naive(cells)
    assert optimal(cells, found)
    assert set(found.all_rows or ()) == vertices(cells, found.value)
    assert set(found.all_columns or ()) == vertices(turned(cells), -found.value)


@pytest.mark.parametrize("kind", ["fractions", "signs", "bits", "huge", "near"])
@pytest.mark.parametrize("size", [(13, 13), (30, 17), (40, 40)])
def test_larger_games_are_proved(kind: str, size: tuple[int, int]) -> None:
    pick = random.Random(f"{kind}{size}")
    make = {
        "fractions": lambda: F(pick.randint(-100, 100), pick.randint(1, 30)),
        "signs": lambda: F(pick.randint(-1, 1)),
        "bits": lambda: F(pick.randint(0, 1)),
        "huge": lambda: F(10**40 + pick.randint(0, 10**30), 7**60),
        "near": lambda: 1 + F(pick.randint(0, 3), 10**25),
    }[kind]
    cells = [[make() for _ in range(size[1])] for _ in range(size[0])]
    assert optimal(cells, nash(cells))


@pytest.mark.parametrize("wrong", ["nothing", "noise", "one"])
def test_misled_floats_are_mended(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pick = random.Random(5)
    cells = [[F(pick.randint(-9, 9)) for _ in range(16)] for _ in range(14)]
    truth = nash(cells)

    def guess(small: list[list[int]]) -> object:
        m, n = len(small), len(small[0])
        noise = np.random.default_rng(1)
        if wrong == "nothing":
            return None
        if wrong == "one":
            return np.eye(m)[0], np.eye(n)[0], np.ones(m), np.ones(n)
        return tuple(noise.random(k) for k in (m, n, m, n))

    monkeypatch.setattr(matrix_game, "guess", guess)
    found = nash(cells)
    assert found.value == truth.value
    assert optimal(cells, found)


def test_a_wrong_proof_is_refused() -> None:
    half = [F(1, 2), F(1, 2)]
    assert matrix_game.proved([[1, -1], [-1, 1]], F(0), half, half)
    assert not matrix_game.proved([[1, -1], [-1, 1]], F(1, 9), half, half)
    assert not matrix_game.proved([[1, -1], [-1, 1]], F(0), [F(1), F(0)], half)
    assert not matrix_game.proved([[1, -1], [-1, 1]], F(0), [F(3, 2), F(-1, 2)], half)


def test_many_extreme_points() -> None:
    """A corner for every row where all are equal; too many are refused."""
    assert len(nash([[1, 1]] * 30, all=True).all_rows or ()) == 30
    with pytest.raises(TooLargeError):
        nash([[1, 1]] * 30, all=True, most=29)


def test_kinds_of_cells() -> None:
    assert nash(np.array([[1, 0], [0, 1]])).value == F(1, 2)
    assert nash([["1/3", 2.0], ["0.5", True]]).value == F(1, 2)


@pytest.mark.parametrize(
    ("cells", "word"),
    [
        ([], "empty"),
        ([[]], "empty"),
        ([[1, 2], [3]], "row 2"),
        ([[0.1]], "rounded"),
        ([[float("nan")]], "nan"),
        ([["x"]], "not a number"),
        ([["1/0"]], "zero"),
        ([[None]], "not a number"),
        ([1, 2], "row 1"),
        ("12", "not a matrix"),
        (5, "not a matrix"),
    ],
)
def test_bad_matrices(cells: object, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        nash(cells)  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text("1,-1/2\n\n0.25, 3\n", encoding="utf-8")
    plain = read_matrix(file)
    assert plain.cells == [[1, F(-1, 2)], [F(1, 4), 3]]
    assert (plain.rows, plain.columns) == (["1", "2"], ["1", "2"])
    file.write_text("x,left,right\nup,1,2\ndown,3,4\n", encoding="utf-8")
    named = read_matrix(file)
    assert (named.rows, named.columns) == (["up", "down"], ["left", "right"])
    for text in ("", "a,b\n", "1,2\n3,x\n", "x,y\n1,2,3\n", "1,2\n3\n"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError):
            read_matrix(file)
    with pytest.raises(UsageError):
        read_matrix(tmp_path / "none.csv")


@pytest.mark.parametrize("seed", range(6))
def test_random_games_like_gambit(seed: int) -> None:
    import pygambit as gambit

    rng = random.Random(seed)
    rows, columns = rng.randint(2, 9), rng.randint(2, 9)
    cells = [
        [Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(columns)]
        for _ in range(rows)
    ]
    paid = [f"{row[j]} {-row[j]}" for j in range(columns) for row in cells]
    text = f'NFG 1 R "" {{ "1" "2" }} {{ {rows} {columns} }}\n\n{" ".join(paid)}\n'
    game = gambit.read_nfg(io.StringIO(text))
    profile = gambit.nash.lp_solve(game, rational=True).equilibrium
    mixed = profile["1"]
    shares = [Fraction(str(mixed[strategy])) for strategy in game.get_strategies("1")]
    least = min(
        sum((x * row[j] for x, row in zip(shares, cells, strict=True)), Fraction(0))
        for j in range(columns)
    )
    assert nash(cells).value == least
