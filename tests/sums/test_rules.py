"""Rules for Left and Right: values against published ones and another program, and the engine."""

from __future__ import annotations

import csv
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from perfectplay import check, load, solve, verify
from perfectplay.errors import RulesError, UsageError
from perfectplay.games.partizan.clobber import Clobber
from perfectplay.games.partizan.colouring import Col, Snort
from perfectplay.games.partizan.cutcake import Cutcake
from perfectplay.games.partizan.domineering import Domineering
from perfectplay.games.partizan.toads import ToadsAndFrogs
from perfectplay.sums import Short, parse
from perfectplay.sums.partizan import BoardValues, Partizan, value_of

HERE = Path(__file__).parent
SLOW = "...../...../...../...../....."


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def game(row: dict[str, str]) -> Partizan:
    found = load(row["game"], {"board": row["board"]})
    assert isinstance(found, Partizan)
    return found


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=f"{row['game']} {row['board']}",
            marks=[pytest.mark.slow] if row["board"] == SLOW else [],
        )
        for row in rows("published.csv")
    ],
)
def test_published_values(row: dict[str, str]) -> None:
    assert value_of(game(row)) is parse(row["value"])


@pytest.mark.parametrize("name", ["domineering", "amazons", "konane", "col", "snort"])
def test_values_of_another_program(name: str) -> None:
    """Canonical forms and measures by cgt-py 0.11.0."""
    for row in rows("boards.csv"):
        if row["game"] != name:
            continue
        g = value_of(game(row))
        assert g is parse(row["value"]), row
        assert g.reduced() is parse(row["reduced"]), row
        assert g.birthday == int(row["birthday"]), row
        for measure in ("left_stop", "right_stop", "temperature"):
            assert str(getattr(g, measure)) == row[measure], row


def slow_value(game: Partizan, board: Any, known: dict[Any, Short]) -> Short:
    """The value by the definition: no parts, no symmetry."""
    if board not in known:
        left = [slow_value(game, b, known) for b in game.left(board)]
        known[board] = Short.of(left, [slow_value(game, b, known) for b in game.right(board)])
    return known[board]


RNG = random.Random(3)


def random_board(letters: str, rows: int, columns: int) -> str:
    return "/".join("".join(RNG.choices(letters, k=columns)) for _ in range(rows))


@pytest.mark.parametrize(
    ("name", "boards"),
    [
        ("domineering", [random_board("..#", 3, 3) for _ in range(20)]),
        ("clobber", [random_board("xo.", 2, 4) for _ in range(30)]),
        ("toads-and-frogs", ["".join(RNG.choices("TF..", k=9)) for _ in range(30)]),
        ("cutcake", ["2x3", "3x3", "1x4 3x2", "2x4"]),
        ("amazons", [random_board("xo##..", 2, 3) for _ in range(20)]),
        ("konane", [random_board("xo.", 3, 4) for _ in range(20)]),
        ("col", ["..... 1-2 2-3 3-4 4-5 5-1", ".LR.. 1-2 2-3 1-4", ".... "]),
        ("snort", ["..... 1-2 2-3 3-4 4-5 5-1", ".LR.. 1-2 2-3 1-4", ".... "]),
    ],
)
def test_parts_and_symmetry_change_no_value(name: str, boards: list[str]) -> None:
    for board in boards:
        found = load(name, {"board": board})
        assert isinstance(found, Partizan)
        first = found.first_board()
        assert value_of(found) is slow_value(found, first, {}), board
        other = found.swapped(first)
        assert other is None or value_of(found, other) is -value_of(found), board


@pytest.mark.parametrize(
    "game",
    [
        Domineering(rows=3, columns=3),
        Clobber(),
        ToadsAndFrogs(),
        Cutcake(rows=2, columns=3),
        Col(),
        Snort(),
        Domineering(rows=2, columns=5),
        Snort(rows=2, columns=3),
    ],
)
def test_the_engine_finds_the_same_winner(game: Partizan, tmp_path: Path) -> None:
    """Who begins wins or loses, by the value and by the ordinary solver."""
    outcome = value_of(game).outcome
    for first, wins in (("left", outcome in "LN"), ("right", outcome in "RN")):
        begun = replace(game, first=first)
        assert check(begun).ok
        folder = tmp_path / first
        solution = solve(begun, folder)
        assert (solution.value(solution.start).outcome > 0) == wins
        assert verify(folder, begun).ok


def test_cutcake_is_as_in_winning_ways() -> None:
    """A cake with 2**k <= rows < 2**(k + 1) is worth columns // 2**k - 1 to Left, if not less than
    0, and the negative of the cake lying on its side otherwise (Winning Ways, chapter 2)."""
    for rows in range(1, 17):
        for columns in range(1, 17):
            high, wide = 1 << (rows.bit_length() - 1), 1 << (columns.bit_length() - 1)
            expected = columns // high - 1 if wide >= high else 1 - rows // wide
            assert value_of(Cutcake(rows=rows, columns=columns)) == expected, (rows, columns)


def test_all_rectangles_of_domineering_exchange_players_when_turned() -> None:
    for rows in range(1, 5):
        for columns in range(1, 5):
            here = value_of(Domineering(rows=rows, columns=columns))
            assert here is -value_of(Domineering(rows=columns, columns=rows))


@pytest.mark.slow
def test_all_rectangles_to_4_x_5_and_5_x_5_in_a_minute() -> None:
    began = time.process_time()
    for rows, columns in [(r, c) for r in range(1, 5) for c in range(1, 6)] + [(5, 5)]:
        values = BoardValues(Domineering(rows=rows, columns=columns))
        assert str(values.of(values.game.setup()))
    assert time.process_time() - began < 60


@dataclass(frozen=True)
class Circling(Partizan):
    """Left and Right push a stone around three squares for ever."""

    def setup(self) -> int:
        return 0

    def left(self, b: int) -> list[int]:
        return [(b + 1) % 3]

    def right(self, b: int) -> list[int]:
        return []


def test_endless_games_have_no_value() -> None:
    with pytest.raises(RulesError, match="come back to"):
        value_of(Circling())


def test_wrong_boards_are_refused() -> None:
    for name, board in (("domineering", "..x"), ("clobber", "xo/x"), ("toads-and-frogs", "TTX")):
        with pytest.raises(UsageError):
            value_of(load(name, {"board": board}))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="nobody is called"):
        Domineering(first="white").start()
    with pytest.raises(UsageError, match="no board"):
        Domineering(rows=0)
    with pytest.raises(UsageError, match="does not join"):
        Col(edges="1-1")


def test_values_are_found_once() -> None:
    values = BoardValues(Domineering(rows=3, columns=3))
    first = values.of(values.game.setup())
    known = len(values.known)
    assert values.of(values.game.setup()) is first
    assert len(values.known) == known
