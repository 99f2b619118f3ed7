"""Every figure of tests/known, from rules to a verified table."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from perfectplay.answer import Solution
from perfectplay.load import load
from perfectplay.reproduce import split_parameters
from perfectplay.reproduce.quantities import answer, meets, sizes_by_ply
from perfectplay.solve import solve
from perfectplay.verify import verify

KNOWN = Path(__file__).parent / "known"
TOO_LARGE = "2"


class Row(NamedTuple):
    game: str
    parameters: str
    position: str
    quantity: str
    expected: str
    source: str
    slow: str


def rows() -> Iterator[Row]:
    for file in sorted(KNOWN.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.reader(lines)
            next(reader)
            yield from (Row(*row) for row in reader)


def groups() -> Iterator[Any]:
    """Rows that one solution answers, as one test each; a game's tests share a worker."""
    found: dict[tuple[str, str, bool, str], list[Row]] = {}
    for row in rows():
        if row.slow != TOO_LARGE:
            exact = row.quantity == "value" or row.quantity.startswith("nash")
            found.setdefault((row.game, row.parameters, exact, row.slow), []).append(row)
    for (game, parameters, exact, slow), some in found.items():
        marks = [pytest.mark.xdist_group(game)] + ([pytest.mark.slow] if slow == "1" else [])
        name = f"{game}({parameters}){' exact' if exact else ''}"
        yield pytest.param(game, parameters, exact, some, marks=marks, id=name)


@pytest.mark.parametrize(("game", "parameters", "exact", "some"), list(groups()))
def test_known(game: str, parameters: str, exact: bool, some: list[Row], tmp_path: Path) -> None:
    rules = load(game, split_parameters(parameters))
    plies = [row for row in some if row.quantity.startswith("ply:")]
    if plies:
        sizes = sizes_by_ply(rules, max(int(row.quantity[4:]) for row in plies))
        for row in plies:
            assert sizes[int(row.quantity[4:])] == int(row.expected), row
    some = [row for row in some if row not in plies]
    if not some:
        return
    solution = solve(rules, tmp_path / "table", exact=exact)
    for row in some:
        check(solution, row)
    assert verify(tmp_path / "table").ok


def check(solution: Solution, row: Row) -> None:
    found = answer(solution, row.position, row.quantity)
    assert meets(found, row.expected), (row, found)
    if row.quantity == "decimal":
        value = solution.value(solution.position(row.position) if row.position else solution.start)
        assert value.error <= 1e-12 * max(1, abs(float(value))), row


def test_every_figure_has_a_source() -> None:
    assert all((row.source and row.expected != "") or row.quantity == "winning" for row in rows())
