"""Games with labelled pieces give the same tables, byte by byte, as without the labels."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import TooLargeError, load, solve
from perfectplay.errors import RulesError
from perfectplay.games.races.einstein import Einstein
from perfectplay.positions import unlabelled
from perfectplay.positions.expand import expander
from perfectplay.positions.labels import BITS, Labellings, unpacked
from perfectplay.solvers.exact.common_factors import WholeParts
from perfectplay.solvers.store import joined_words, split_words
from perfectplay.solvers.work import Work
from perfectplay.solving import out_of_core, out_of_core_run
from perfectplay.solving.route import Home, along, route
from perfectplay.solving.shards import row_solver
from perfectplay.strata.unlabelled_edges import edges_of_nothing, unlabelled_edges
from perfectplay.table.table_sink import TableSink
from perfectplay.verification.check import check


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "lock"
    }


@pytest.fixture
def by_labels(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Games are solved by unlabelled positions however small they are; whether that was possible,
    each time."""
    seen: list[bool] = []
    real = out_of_core_run.by_labels

    def noted(*given: Any, **options: Any) -> Any:
        table = real(*given, **options)
        seen.append(table is not None)
        return table

    monkeypatch.setattr(out_of_core_run, "by_labels", noted)
    with along(homes=(Home.LABELS, Home.MEMORY, Home.FILES)):
        yield seen


def ignoring(*given: Any) -> None:
    pass


# -- Labellings. ----------------------------------------------------------------------------------


@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize("many", [1, 2, 3, 4])
def test_labellings_and_what_becomes_of_them(many: int, backwards: bool) -> None:
    known = Labellings(many, backwards=backwards)
    maps, where = known.maps

    def code(labels: tuple[int, ...]) -> int:
        return sum(label << BITS * k for k, label in enumerate(labels))

    for pieces in range(many + 1):
        every = list(permutations(range(1, many + 1), pieces))
        turned = {given: tuple(many + 1 - label for label in given) for given in every}
        classes = {frozenset({c, turned[c]} if backwards else {c}) for c in every}
        assert known.counts[pieces] == len(classes)
        numbers = {each: {int(known.number[code(c)]) for c in each} for each in classes}
        assert sorted(n for found in numbers.values() for n in found) == list(range(len(classes)))
        for i, row in enumerate(known.every[pieces].tolist()):
            assert unpacked(int(known.table[pieces, i])) == row
            for left in range(pieces + 1):
                for order in permutations(range(pieces), left):
                    begin = where[pieces, code(tuple(place + 1 for place in order))]
                    after = code(tuple(row[place] for place in order))
                    assert maps[begin + i] == known.number[after]


# -- Tables. --------------------------------------------------------------------------------------

GAMES = [
    [],
    pytest.param(["rows=4", "stones=2"], marks=pytest.mark.slow),
    pytest.param(["rows=3", "columns=4"], marks=pytest.mark.slow),  # no diagonal
    pytest.param(["die=1,1,2"], marks=pytest.mark.slow),  # labels cannot be read backwards
    pytest.param(["rows=4", "stones=2", "cells=0,5", "opposite=0,1"], marks=pytest.mark.slow),
    ["stones=1"],
]


@pytest.mark.parametrize("given", GAMES, ids=str)
def test_same_tables(given: list[str], tmp_path: Path, by_labels: list[bool]) -> None:
    game = load("einstein", given)
    solve(game, tmp_path / "unlabelled", exact=True)
    assert by_labels == [True]
    solve(game, tmp_path / "alone", exact=True, workers=1)
    with along(homes=(Home.MEMORY,)):
        solve(game, tmp_path / "positions", exact=True)
    assert files(tmp_path / "unlabelled") == files(tmp_path / "alone")
    assert files(tmp_path / "unlabelled") == files(tmp_path / "positions")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "positions", "unlabelled"]


@pytest.mark.parametrize(
    "given",
    [
        ["die=0,1,1"],
        pytest.param(["placement=given"], marks=pytest.mark.slow),
        pytest.param(["placement=random"], marks=pytest.mark.slow),
    ],
)
def test_other_games_are_solved_as_ever(
    given: list[str], tmp_path: Path, by_labels: list[bool]
) -> None:
    """A piece that is never called, and placements that nobody chooses."""
    game = load("einstein", given)
    solve(game, tmp_path / "table", exact=True)
    assert not any(by_labels)
    with along(homes=(Home.MEMORY,)):
        solve(game, tmp_path / "again", exact=True)
    assert files(tmp_path / "table") == files(tmp_path / "again")


def test_floats_are_not_solved_by_unlabelled_positions() -> None:
    """Their last digits would depend on the order in which labels are called."""
    large = load("einstein", ["rows=5"])
    assert Home.LABELS in route(large, exact=True).homes
    assert Home.LABELS not in route(large).homes
    assert Home.LABELS not in route(large, exact=True, plain=True).homes
    assert Home.LABELS not in route(load("einstein", []), exact=True).homes  # too small


@pytest.mark.slow
def test_small_parts_and_files(
    tmp_path: Path, by_labels: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("einstein", ["rows=4", "stones=2"])
    solve(game, tmp_path / "large", exact=True)
    monkeypatch.setattr(out_of_core, "SHARE", 0.0)
    monkeypatch.setattr(row_solver, "ROWS", 64)
    found = solve(game, tmp_path / "small", exact=True)
    assert found.report["working_files"] > 0
    assert files(tmp_path / "small") == files(tmp_path / "large")
    assert by_labels == [True, True]


def test_unlabelled_keys_in_files(
    tmp_path: Path, by_labels: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("einstein")
    held = solve(game, tmp_path / "held", exact=True)
    monkeypatch.setattr(out_of_core_run, "KEYS", 1 << 60)
    mapped = solve(game, tmp_path / "mapped", exact=True)
    assert mapped.report["working_files"] > held.report["working_files"]
    assert files(tmp_path / "mapped") == files(tmp_path / "held")
    assert by_labels == [True, True]
    with pytest.raises(TooLargeError, match="working files would take more than"):
        solve(game, tmp_path / "none", exact=True, disk=100)
    assert not (tmp_path / "none.strata").exists()


@pytest.mark.parametrize("many", [[], [4], [3, 3, 3], [1, 5, 2, 2]])
def test_rows_of_unlabelled_positions(many: list[int]) -> None:
    rows = unlabelled.RowRanges(np.array(many, np.int64))
    owner = [board for board, count in enumerate(many) for _ in range(count)]
    assert rows.total == len(owner)
    assert [rows.board(row) for row in range(len(owner) + 1)] == [*owner, len(many)]
    assert [int(rows.first(board)) for board in range(len(many))] == [
        owner.index(board) for board in range(len(many))
    ]
    assert rows.first(np.arange(len(many) + 1)).tolist() == [0, *np.cumsum(many).tolist()]


def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, by_labels: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("einstein")
    solve(game, tmp_path / "whole", exact=True)
    solved: list[int] = []
    real, add = out_of_core.OutOfCore._stratum, TableSink.add

    def stratum(self: Any, number: int, *rest: Any) -> Any:
        if len(solved) == 40:
            raise KeyboardInterrupt
        solved.append(number)
        return real(self, number, *rest)

    def written(self: TableSink, *given: Any) -> None:
        add(self, *given)
        self.wait()

    monkeypatch.setattr(out_of_core.OutOfCore, "_stratum", stratum)
    monkeypatch.setattr(TableSink, "add", written)
    monkeypatch.setattr("perfectplay.table.writer.PART_ROWS", 1)
    with pytest.raises(KeyboardInterrupt):
        solve(game, tmp_path / "table", exact=True)
    first = set(solved)
    del solved[:]
    found = solve(game, tmp_path / "table", exact=True)
    assert len(solved) == found.report["strata"] - 40 == 8
    assert first.isdisjoint(solved)
    assert found.report["positions"] == 9507
    assert found.report["signature"] == solve(game, tmp_path / "whole", exact=True).table.signature


def test_unlabelled_positions_are_few(by_labels: list[bool]) -> None:
    """All positions are there: as many as exploring one by one finds."""
    edges = unlabelled_edges(expander(load("einstein", ["rows=4"])), 1, ignoring)
    assert edges is not None
    keys = np.concatenate([edges.keys(stratum) for stratum in edges.unlabelled.strata])
    assert len({int(key) for key in keys[:, 0]}) == 639376
    assert sum(len(here.keys) for here in edges.unlabelled.strata.values()) < 639376 / 6


def test_no_positions_lead_nowhere() -> None:
    edges = edges_of_nothing()
    assert (edges.rows, edges.low, len(edges.child)) == (0, 0, 0)


def test_too_large_is_refused_at_once(tmp_path: Path, by_labels: list[bool]) -> None:
    with pytest.raises(TooLargeError, match="too large: more than"):
        solve(load("einstein"), tmp_path / "table", exact=True, memory=10_000)
    assert not list(tmp_path.iterdir())


def test_too_many_unlabelled_positions(
    tmp_path: Path, by_labels: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then positions are found one by one."""
    monkeypatch.setattr(unlabelled, "HELD", 1 << 50)
    solve(load("einstein", ["stones=2"]), tmp_path / "table", exact=True)
    assert by_labels == [False]


# -- Rules that contradict themselves. ------------------------------------------------------------


@dataclass(frozen=True)
class Confused(Einstein):
    """Labellings come out in the wrong order where each player has two stones left."""

    real = Einstein.unlabel

    def unlabel(self, p: int) -> tuple[int, int, int]:
        board, mine, other = self.real(p)
        if mine >> 6 == 0 and mine > 7 and other >> 6 == 0 and other > 7:
            mine = (mine >> 3) | ((mine & 7) << 3)
        return board, mine, other


@dataclass(frozen=True)
class Forgetful(Einstein):
    """The second player's labels are lost."""

    real = Einstein.relabel

    def relabel(self, shape: int, mine: int, other: int) -> int:
        return self.real(shape, mine, mine if mine >> 6 == other >> 6 == 0 else other)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [Confused, Forgetful])
def test_contradictions_are_found(rules: Any, tmp_path: Path, by_labels: list[bool]) -> None:
    with pytest.raises(RulesError, match=r"say contradicts|two values"):
        solve(rules(), tmp_path / "table", exact=True)
    assert not by_labels
    problems = check(rules(), limit=3000).problems
    assert problems[0].method in {"unlabel", "relabel"}


def test_check_knows_labels() -> None:
    assert not check(load("einstein", ["stones=2"]), limit=3000).problems


@dataclass(frozen=True)
class Crowded(Einstein):
    """More labels than three bits have room for."""

    @property
    def labels(self) -> int:
        return 9


def test_check_refuses_many_labels() -> None:
    assert check(Crowded(stones=1), limit=3000).problems[0].method == "labels"


def test_rows_of_one_position_must_agree(tmp_path: Path) -> None:
    rules = expander(load("einstein"))
    keys = np.array([[5], [3], [5], [4]], np.int64)
    sink = TableSink(rules, {}, None, fresh=True)
    work = Work({"whole numbers": 4})
    found = sink._sorted(keys, {"top_0": np.array([7, 1, 7, 2])}, work)
    assert work.methods == {"whole numbers": 3}
    assert (found[0].tolist(), found[1]["top_0"].tolist()) == ([[3], [4], [5]], [1, 2, 7])
    again = sink.unsorted(keys, {"top_0": np.array([1, 2, 7])})
    assert again["top_0"].tolist() == [7, 1, 7, 2]
    with pytest.raises(RulesError, match="two values"):
        sink._sorted(keys, {"top_0": np.array([7, 1, 8, 2])}, work)
    sink.close()


# -- Whole numbers by parts. ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_parts_with_denominators_of_their_own(seed: int) -> None:
    draw = random.Random(seed)
    parts, values = [], []
    for _ in range(draw.randint(1, 4)):
        denominator = 6 ** draw.randint(0, 30) * 2 ** draw.randint(0, 3)
        tops = [draw.randint(-denominator, denominator) for _ in range(draw.randint(1, 5))]
        tops = [draw.choice([top, 6 ** draw.randint(0, 5), 0]) for top in tops]
        values += [Fraction(top, denominator) for top in tops]
        words = max(*(abs(t) for t in tops), denominator).bit_length() // 64 + 1
        parts.append((split_words(tops, words), denominator, 6))
    whole = WholeParts(len(values))
    for part in parts:
        whole.take(*part)
    top, denominator, most = whole.finish()
    assert [Fraction(number, denominator) for number in joined_words(top)] == values
    assert denominator == np.lcm.reduce([value.denominator for value in values], dtype=object)
    assert most == max(abs(value) for value in values)
