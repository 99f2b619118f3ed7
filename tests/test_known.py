"""Every figure of tests/known, from rules to a verified table."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_games import pairs

from perfectplay import solve
from perfectplay.answer.solution import Solution
from perfectplay.compiled.rule_fields import type_name
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, first_positions
from perfectplay.rules.load import load
from perfectplay.searching.search import search
from perfectplay.solving.plan import plan
from perfectplay.verification.published.quantities import answer, split_parameters
from perfectplay.verification.published.quantity import meets
from perfectplay.verification.published.subjects import FRACTIONS, SEARCHED, sizes_by_ply
from perfectplay.verification.verify import verify

KNOWN = Path(__file__).parent / "known"
TOO_LARGE = "2"
FEW = 20_000
"""So many moves are sooner interpreted than their rules are compiled; but not those of HEAVY."""
SAMPLE = 2_000_000
"""Of positions in structures, about so many are verified."""
HEAVY = {"mastermind", "bulls-and-cows"}
LONG = {"yahtzee": 3_000}
"""Games that take half an hour to verify as a whole: of so many anchors it is done."""
COMPILED: set[str] = set()
"""Names of compiled types that are at hand."""


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
            exact = row.quantity.partition(":")[0] in FRACTIONS
            found.setdefault((row.game, row.parameters, exact, row.slow), []).append(row)
    compiled: set[str] = set()
    for (game, parameters, exact, slow), some in found.items():
        marks = [pytest.mark.xdist_group(game)] + ([pytest.mark.slow] if slow == "1" else [])
        name = f"{game}({parameters}){' exact' if exact else ''}"
        yield pytest.param(
            game, parameters, exact, game not in compiled, some, marks=marks, id=name
        )
        compiled.add(game)


@pytest.mark.parametrize(("game", "parameters", "exact", "first", "some"), list(groups()))
def test_known(
    game: str, parameters: str, exact: bool, first: bool, some: list[Row], tmp_path: Path
) -> None:
    """The first test of a game compiles its rules; small ones after it are interpreted, unless
    their code is the same."""
    rules = load(game, split_parameters(parameters))
    plies = [row for row in some if row.quantity.startswith("ply:")]
    if plies:
        sizes = sizes_by_ply(rules, max(int(row.quantity[4:]) for row in plies))
        for row in plies:
            assert sizes[int(row.quantity[4:])] == int(row.expected), row
    for row in some:
        if row.quantity in SEARCHED:
            found = search(rules, seconds=900 if row.slow else 60, size=2**30)
            told = found.value_text.partition(" = ")[0]
            if row.quantity == "search-best":
                told += f";{found.move_text}"
            assert told == row.expected, row
    some = [row for row in some if row not in plies and row.quantity not in SEARCHED]
    if not some:
        return
    if own_solver(rules):
        solution = solve(rules)
        for row in some:
            check(solution, row)
        assert verify(solution.table, sample=SAMPLE).ok
        return
    name = type_name(rules) if rules.native else game
    plain = not (first or name in COMPILED or game in HEAVY or slow_to_walk(rules))
    if not plain:
        COMPILED.add(name)
    solution = solve(rules, tmp_path / "table", exact=exact, plain=plain)
    for row in some:
        check(solution, row)
    sample = LONG.get(game) if some[0].slow else None
    assert verify(tmp_path / "table", sample=sample).ok


def left_out() -> list[tuple[str, str]]:
    return sorted({(row.game, row.parameters) for row in rows() if row.slow == TOO_LARGE})


@pytest.mark.slow
@pytest.mark.parametrize(("game", "parameters"), left_out())
def test_rows_that_are_left_out_are_too_large(game: str, parameters: str) -> None:
    """Nothing checks these rows, so they must be out of reach of a machine with 24 GB."""
    found = plan(load(game, split_parameters(parameters)), memory=20 << 30, seconds=5)
    assert found.fits is not True or found.core_hours > 2


def slow_to_walk(rules: Game) -> bool:
    """Whether there are more than a few moves in all."""
    seen = set(islice(map(rules.representative, first_positions(rules)), FEW))
    queue, moves = list(seen), len(seen)
    while queue and moves < FEW:
        for q in children(rules, queue.pop()):
            moves += 1
            p = rules.representative(q)
            if p not in seen:
                seen.add(p)
                queue.append(p)
    return moves >= FEW


def children(rules: Game, p: Any) -> list[Any]:
    kind = rules.to_move(p)
    if kind == CHANCE:
        return [q for _, q in rules.chances(p)]
    if kind == SIMULTANEOUS:
        return [rules.play(p, pair) for pair in pairs(rules, p)]
    return [] if kind == OVER else [rules.play(p, m) for m in rules.moves(p)]


def check(solution: Solution, row: Row) -> None:
    found = answer(solution, row.position, row.quantity)
    assert meets(found, row.expected), (row, found)
    if row.quantity == "decimal":
        value = solution.value(solution.position(row.position) if row.position else solution.start)
        assert value.error <= 1e-12 * max(1, abs(float(value))), row


def test_every_figure_has_a_source() -> None:
    assert all((row.source and row.expected != "") or row.quantity == "winning" for row in rows())
