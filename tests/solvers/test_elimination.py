"""Elimination, compared with Gauss's in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from perfectplay.solvers.elimination import solve_system


def naive(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """x with matrix x = right, by elimination in fractions; None if there is no single one."""
    size = len(right)
    rows = [[*row, number] for row, number in zip(matrix, right, strict=True)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(size):
            if i != k and rows[i][k]:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]


@pytest.mark.parametrize("seed", range(60))
def test_solutions_are_those_in_fractions(seed: int) -> None:
    random = np.random.default_rng(seed)
    size, moves = int(random.integers(1, 14)), int(random.integers(0, 40))
    fro, to = random.integers(0, size, moves), random.integers(0, size, moves)
    weight = random.integers(1, 4, moves)
    # Weights of a row add up to at most 128, and mostly to less: powers of two are exact floats.
    rows, columns = np.r_[np.arange(size), fro], np.r_[np.arange(size), to]
    data = np.r_[np.ones(size), -weight / 128.0]
    right = random.integers(-5, 6, (size, 2)).astype(float)
    matrix = [[Fraction(0)] * size for _ in range(size)]
    for i, j, number in zip(rows.tolist(), columns.tolist(), data.tolist(), strict=True):
        matrix[i][j] += Fraction(number)
    found = solve_system(rows, columns, data, right)
    assert found is not None
    for side in range(2):
        exact = naive(matrix, [Fraction(number) for number in right[:, side].tolist()])
        assert exact is not None
        assert found[:, side] == pytest.approx([float(number) for number in exact], rel=1e-14)


def test_a_system_without_a_single_solution_is_refused() -> None:
    rows, columns = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])
    assert solve_system(rows, columns, np.array([1.0, 1.0, -1.0, -1.0]), np.ones(2)) is None


def test_rows_that_fill_up_get_more_room() -> None:
    size = 40  # a star and a ring: eliminating any of them joins others
    every = np.arange(1, size)
    rows = np.r_[np.arange(size), every, np.zeros(size - 1, int), every]
    columns = np.r_[np.arange(size), np.zeros(size - 1, int), every, np.roll(every, 7)]
    data = np.r_[np.ones(size), np.full(3 * (size - 1), -1 / 128)]
    x = solve_system(rows, columns, data, np.ones(size))
    assert x is not None
    dense = np.zeros((size, size))
    np.add.at(dense, (rows, columns), data)
    assert dense @ x == pytest.approx(np.ones(size), rel=1e-14)
