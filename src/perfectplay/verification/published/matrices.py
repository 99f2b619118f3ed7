"""Quantities of a matrix game: first positions that both players choose at once, unseen."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from perfectplay.answer.placements import Placements
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.solvers.matrix.nash import Mixture
from perfectplay.verification.published.quantity import Quantity, of_number


def _nash(solution: Solution, _: Any, of: str) -> Quantity:
    """A figure of the equilibrium; `of` is a field, such as value or max-min."""
    play = solution.placements().equilibrium()
    return of_number(getattr(play, of.replace("-", "_") or "value"))


def _matrix(solution: Solution, _: Any, of: str) -> Quantity:
    """The cells, row by row; `reduced`: without equal and dominated rows and columns."""
    from perfectplay.solvers.matrix.matrix_game import ranks, reduced

    cells: Sequence[Sequence[Fraction]] = solution.placements().cells
    if of == "reduced":
        order = {cell: i for i, cell in enumerate(sorted({c for row in cells for c in row}))}
        rows, columns = reduced(ranks([[order[cell] for cell in row] for row in cells]))
        cells = [[cells[i][j] for j in columns] for i in rows]
    elif of:
        raise UsageError(f"no matrix is called {of!r}", "use matrix or matrix:reduced")
    return Quantity(" / ".join(" ".join(map(str, row)) for row in cells))


def _mixtures(solution: Solution, _: Any, of: str) -> Quantity:
    """All extreme optimal mixtures of a player, as `1/2 a + 1/2 b`, with `;` between."""
    matrix = solution.placements()
    play = matrix.equilibrium(all=True)
    every = play.all_rows if of == "1" else play.all_columns
    return Quantity(";".join(_mixture(each, _names(matrix, of)) for each in every or ()))


def _mixture(mixture: Mixture, names: Sequence[str]) -> str:
    parts = [f"{share} {name}" for share, name in zip(mixture, names, strict=True) if share]
    return " + ".join(parts)


def _guaranteed(solution: Solution, _: Any, of: str) -> Quantity:
    """What player 1 gets at least, or player 2 lets them have at most, by one of some choices,
    each with the same probability: `1:a+b` are choices a and b of player 1."""
    matrix = solution.placements()
    player, _, choices = of.partition(":")
    names = _names(matrix, player)
    chosen = choices.split("+")
    if unknown := [name for name in chosen if name not in names]:
        raise UsageError(f"no choice is called {unknown[0]!r}", f"choices look like {names[0]!r}")
    rows = matrix.cells if player == "1" else tuple(zip(*matrix.cells, strict=True))
    replies = [
        sum(row[j] for name, row in zip(names, rows, strict=True) if name in chosen) / len(chosen)
        for j in range(len(rows[0]))
    ]
    return of_number(min(replies) if player == "1" else max(replies))


def _names(matrix: Placements, player: str) -> Sequence[str]:
    return matrix.rows if player == "1" else matrix.columns


MATRICES: dict[str, Callable[[Solution, Any, str], Quantity]] = {
    "nash": _nash,
    "matrix": _matrix,
    "mixtures": _mixtures,
    "guaranteed": _guaranteed,
}
