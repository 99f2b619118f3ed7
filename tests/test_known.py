"""Every figure of tests/known, from rules to a verified table."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from perfectplay.answer import Solution
from perfectplay.expand import expander
from perfectplay.load import load
from perfectplay.solve import solve
from perfectplay.store import NONE
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
            exact = row.quantity == "value"
            found.setdefault((row.game, row.parameters, exact, row.slow), []).append(row)
    for (game, parameters, exact, slow), some in found.items():
        marks = [pytest.mark.xdist_group(game)] + ([pytest.mark.slow] if slow == "1" else [])
        name = f"{game}({parameters}){' exact' if exact else ''}"
        yield pytest.param(game, parameters, exact, some, marks=marks, id=name)


def split_parameters(text: str) -> list[str]:
    return re.split(r",(?=\w+=)", text) if text else []


@pytest.mark.parametrize(("game", "parameters", "exact", "some"), list(groups()))
def test_known(game: str, parameters: str, exact: bool, some: list[Row], tmp_path: Path) -> None:
    rules = load(game, split_parameters(parameters))
    plies = [row for row in some if row.quantity.startswith("ply:")]
    if plies:
        sizes = layer_sizes(game, parameters, 1 + max(int(row.quantity[4:]) for row in plies))
        for row in plies:
            assert sizes[int(row.quantity[4:])] == int(row.expected), row
    some = [row for row in some if row not in plies]
    if not some:
        return
    solution = solve(rules, tmp_path / "table", exact=exact)
    for row in some:
        check(solution, row)
    assert verify(tmp_path / "table").ok


def layer_sizes(game: str, parameters: str, plies: int) -> list[int]:
    """Positions by number of moves from the start, each counted at the first."""
    rules = expander(load(game, split_parameters(parameters)))
    here, _ = rules.starts()
    sizes = []
    for _ in range(plies):
        sizes.append(len(here))
        here = np.unique(rules.expand(here).child, axis=0)
    return sizes


def check(solution: Solution, row: Row) -> None:
    p = solution.position(row.position) if row.position else solution.start
    kind, _, of = row.quantity.partition(":")
    found = ANSWERS[kind](solution, p, of)
    if kind == "decimal":
        digits = len(row.expected.partition(".")[2])
        value = solution.value(p)
        rounding = 0.51 * 10.0**-digits
        assert value.lower - rounding <= float(row.expected) <= value.upper + rounding, row
        assert value.error <= 1e-12 * max(1, abs(float(value))), row
        return
    if kind == "mean" and "." in row.expected:
        digits = len(row.expected.partition(".")[2])
        assert abs(float(found) - float(row.expected)) <= 0.51 * 10.0**-digits, row
        return
    if kind == "winning":
        found, expected = set(found.split(";")), set(row.expected.split(";"))
        assert found == expected, row
        return
    assert str(found) == row.expected, row


def costs(solution: Solution) -> Any:
    scores = solution.to_arrow().column("score").to_numpy()
    return -scores[scores != NONE]


def count(solution: Solution, _: Any, of: str) -> int:
    if of in OUTCOMES:
        keys = solution.to_arrow().column("key_0").to_pylist()
        return sum(solution.value(p).outcome == OUTCOMES[of] for p in keys)
    return int((costs(solution) == int(of)).sum())


def winning(solution: Solution, p: Any, _: str) -> str:
    return ";".join(m.text for m in solution.moves(p) if m.value.lower > 0)


def mean(solution: Solution, *_: Any) -> Fraction:
    all_costs = costs(solution)
    return Fraction(int(all_costs.sum()), len(all_costs))


OUTCOMES = {"win": 1, "draw": 0, "loss": -1}
ANSWERS = {
    "positions": lambda s, p, _: s.report["positions"],
    "outcome": lambda s, p, _: s.value(p).outcome.name.lower(),
    "depth": lambda s, p, _: s.value(p).depth,
    "winning": winning,
    "best": lambda s, p, _: s.moves(p)[0].text,
    "value": lambda s, p, _: s.value(p).exact,
    "decimal": lambda s, p, _: float(s.value(p)),
    "score": lambda s, p, _: s.value(p).exact,
    "count": count,
    "eccentricity": lambda s, p, _: int(costs(s).max()),
    "mean": mean,
}


def test_every_figure_has_a_source() -> None:
    assert all((row.source and row.expected != "") or row.quantity == "winning" for row in rows())
