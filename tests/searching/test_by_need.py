"""Placements by need: intervals and values against the whole matrix; journals; stops."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from perfectplay import load, nash, solve
from perfectplay.cli import main
from perfectplay.errors import TableError
from perfectplay.searching.by_need import placements_by_need

RULES = '''
from dataclasses import dataclass
from perfectplay import CHANCE, OVER, Game, HiddenChoices, SearchGuides


@dataclass(frozen=True)
class Hidden(HiddenChoices, SearchGuides, Game):
    """Both choose a number, unseen; a die with three sides says what that is worth."""

    numbers: int = 7
    seed: int = 0

    def starts(self):
        for a in range(self.numbers):
            for b in range(self.numbers):
                yield a, b, -1

    def chosen(self, p):
        return f"a{p[0]}", f"b{p[1]}"

    def to_move(self, p):
        return CHANCE if p[2] < 0 else OVER

    def chances(self, p):
        for side in range(3):
            yield 1 + side, (p[0], p[1], side)

    def payoff(self, p):
        a, b, side = p
        return ((a * 7 + b * 13 + side * 5 + self.seed) * 2654435761 >> 9) % 11 - a // 2 + b // 3

    def bounds(self, p):
        return (-4, 13) if p[0] % 2 else (-3, 12)
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hidden.py"
    path.write_text(RULES, encoding="utf-8")
    return path


def whole(game: Any) -> list[list[Fraction]]:
    """The matrix."""

    def worth(p: Any) -> Fraction:
        return sum((Fraction(w * game.payoff(q), 6) for w, q in game.chances(p)), Fraction(0))

    n = game.numbers
    return [[worth((a, b, -1)) for b in range(n)] for a in range(n)]


def secured(matrix: list[list[Fraction]], mixture: tuple[Fraction, ...]) -> Fraction:
    """What a mixture of rows gets at least."""
    columns = range(len(matrix[0]))
    return min(sum(x * row[j] for x, row in zip(mixture, matrix, strict=True)) for j in columns)


@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_that_of_the_matrix(file: Path, seed: int) -> None:
    game = load(f"{file}:Hidden", {"seed": seed})
    matrix = whole(game)
    found = placements_by_need(game)
    assert found.exact == nash(matrix).value
    assert secured(matrix, found.secures) == found.exact
    turned = [[-row[j] for row in matrix] for j in range(len(matrix))]
    assert secured(turned, found.holds) == -found.exact
    assert found.searched < found.cells == 49


def test_a_search_that_is_stopped_proves_an_interval_and_goes_on(
    file: Path, tmp_path: Path
) -> None:
    game, journal = load(f"{file}:Hidden"), tmp_path / "cells.jsonl"
    value, before = nash(whole(game)).value, None
    for many in range(1, 60):
        found = placements_by_need(game, journal=journal, cells=3)
        assert found.low <= value <= found.high
        if before is not None:
            assert before.low <= found.low
            assert found.high <= before.high
        before = found
        if found.exact is not None:
            break
        assert found.searched == 3 * many
    assert before is not None
    assert before.exact == value
    lines = journal.read_text(encoding="utf-8").splitlines()
    assert len(lines) == before.searched + 1
    journal.write_text("\n".join(lines[:4]) + '\n{"position": "(0', encoding="utf-8")
    assert placements_by_need(game, journal=journal).exact == value
    assert placements_by_need(game, seconds=1e-9).searched == 0
    with pytest.raises(TableError, match="no journal of these placements"):
        placements_by_need(load(f"{file}:Hidden", {"seed": 1}), journal=journal)


def test_the_command_says_what_is_proved(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(tmp_path / "cells.jsonl")
    words = ["nash", f"{file}:Hidden", "--search", "--journal", journal]
    assert main.run([*words, "--cells", "2"]) == 0
    assert "value to player 1 at least" in capsys.readouterr().out
    assert main.run([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    value = nash(whole(load(f"{file}:Hidden"))).value
    assert said["exact"] == said["lower"] == said["upper"] == str(value)
    assert main.run([*words, "--all"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, {"rows": 4, "stones": 4}])
def test_einstein_is_worth_what_its_table_says(given: dict[str, int]) -> None:
    game = load("einstein", given)
    found = placements_by_need(game, size=2**26)
    assert found.exact == solve(game, exact=True).placements().equilibrium().value
    assert found.searched < found.cells or not given
